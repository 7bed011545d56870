import { GatewayError, say, type Finding } from '../../errors'
import type { Connection } from '../../connection/connection'
import { forCreate, toSent } from '../../model/convert'
import { inventedFields } from '../../model/check'
import { checkNewRoute, type WantedState } from '../../model/definition'
import { doubtsOfRoute } from '../../model/doubts'
import { grouped, isSameId, normalizeId, seenAt } from '../../model/ids'
import { isText, pathUnder } from '../../model/json'
import type { RouteIndex } from '../../model/route-index'
import { hideSecrets } from '../../model/secrets'
import type { Route, RoutePatch } from '../../model/types'
import { changesFor, type Difference } from '../../model/diff'
import type { Owner } from '../../memory'
import { theOnly } from '../find'
import { planMerge } from '../merge'
import { leftState, whyKept, withoutOwned, type Left } from '../owned'
import type { Planned } from '../shared'
import { isRunning, isStopped, wholeRoute } from '../../model/route-state'

export type EnsureAction = 'none' | 'create' | 'update' | 'delete' | 'start' | 'stop'

export interface PlanOptions {
  state: WantedState
  /** Destinations that are not mentioned are removed. */
  exact?: boolean
  validate?: boolean
}

export interface ApplyOptions extends PlanOptions {
  /** Milliseconds for each step to show. */
  waitTimeout: number
}

/** One route as wanted: found by `id`, or else by `name`. */
export type Wanted = RoutePatch & {
  id?: string
  name?: string
  /** The name that it may still have on the appliance. */
  renamedFrom?: string
  startRoute?: boolean
}

export interface Goal {
  wanted: Wanted
  options: ApplyOptions
}

export interface Site {
  gateway: Connection
  deviceId: string
}

export interface Plan extends Planned {
  steps: Exclude<EnsureAction, 'none'>[]
  diff: Difference[]
  /** For a new route: the name of one that it seems to be, under another name. */
  renameOf?: string
  /** What stays as it is, because a failover owns it. */
  left?: Left[]
  problems: Finding[]
}

export interface Row extends Goal {
  plan: Plan
  /** What the plan rests on, where that must still be so when it is applied; see `imprintAt`. */
  imprint?: string
  /** Written while it is applied. */
  trace: Trace
}

interface Trace {
  steps: EnsureAction[]
  /** Before the first of them. */
  plan: Plan
  /** The route before the first of them and after the last, with the secrets that were written from here. */
  before?: Route | null
  after?: Route | null
  /** Whether the next step was applied is not known. */
  isInDoubt: boolean
}

export const newRow = (goal: Goal, planned: Plan): Row => ({
  ...goal,
  plan: planned,
  trace: { steps: [], plan: planned, isInDoubt: false },
})

/** Plans the steps that bring the route to the wanted state, to be applied or only reported. */
export function plan(
  wanted: Wanted,
  found: Route | undefined,
  options: PlanOptions,
  /** The same route for comparison, with the secrets that reads leave out. */
  told = found,
  owner?: Owner,
): Plan {
  const route = found && wholeRoute(found)
  const nothing: Plan = { steps: [], diff: [], before: route ?? null, problems: [] }
  if (options.state === 'absent') {
    if (!route) return nothing
    return {
      ...nothing,
      steps: ['delete'],
      diff: [{ path: '', from: hideSecrets(toSent(route)), to: null }],
      problems: owner ? [{ path: '', problem: whyKept(route) }] : [],
    }
  }
  return route
    ? planPresent(wanted, route, told ?? route, options, nothing, owner)
    : planMissing(wanted, options, nothing)
}

/** Who gives no source hardly means a new route: the name is wrong. */
const NO_SUCH_ROUTE: Finding = {
  path: 'source',
  problem: 'is missing: there is no such route, and a new one needs its source',
  sentence: 'There is no such route. Check its name, or give its source to create it.',
  short: { key: 'missing', values: { what: 'source' } },
}

function planMissing(given: Wanted, { state, validate }: PlanOptions, nothing: Plan): Plan {
  const { renamedFrom: _, ...wanted } = given
  const problems: Finding[] = checkNewRoute(wanted, { validate }).map((fault) =>
    fault.path === 'source' && wanted.source === undefined ? NO_SUCH_ROUTE : fault,
  )
  if (problems.length > 0) return { ...nothing, problems }
  const startRoute = state === 'started' || (state === 'present' && wanted.startRoute === true)
  const { name, source, destinations } = forCreate(toSent(wanted as unknown as Route))
  const fields = {
    name,
    startRoute,
    source: withoutNulls(source),
    destinations: destinations.map(withoutNulls),
  }
  const diff = [{ path: '', from: null, to: hideSecrets(fields) }]
  return { ...nothing, steps: ['create'], diff, fields }
}

/** Members without a value are not sent for a new route: the firmware may have a default. */
const withoutNulls = <T extends object>(part: T): T =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)) as T

function planPresent(
  wanted: Wanted,
  route: Route,
  told: Route,
  { state, exact, validate }: PlanOptions,
  nothing: Plan,
  owner?: Owner,
): Plan {
  const given = isSameId(wanted.id, route.id) ? wanted : withoutForeignIds(wanted, route)
  const { renamedFrom: _, ...fieldsGiven } = given
  const { patch, left } = owner
    ? withoutOwned(given, route, told, owner)
    : { patch: given, left: [] }
  const { fields, problems } = planMerge(patch, route, { validate })
  const doubts = validate === false ? [] : doubtsOfRoute(patch, route).faults
  if (exact && Array.isArray(patch.destinations)) {
    const named = patch.destinations
    fields.destinations = fields.destinations.filter(({ id, name }) =>
      named.some((one) => (isText(one.id) ? isSameId(one.id, id) : one.name === name)),
    )
  }
  const diff = changesFor(fields, toSent(told))
  const steps: Plan['steps'] = []
  if (state === 'stopped' && !isStopped(route)) steps.push('stop')
  if (diff.length > 0) steps.push('update')
  if (state === 'started' && !isRunning(route)) steps.push('start')
  if (steps.includes('stop') || steps.includes('start')) {
    if (owner?.isTwo) left.push(leftState(owner, told, state === 'started'))
    else
      diff.push({ path: 'state', from: told.state, to: state === 'started' ? 'running' : 'idle' })
  }
  return {
    ...nothing,
    steps: owner?.isTwo ? steps.filter((step) => step === 'update') : steps,
    diff,
    fields,
    problems: [...problems, ...inventedFields(fieldsGiven, route), ...doubts],
    ...(left.length > 0 && { left }),
  }
}

/** Drops the IDs of a former route with this name and of its parts: the present one has others. */
function withoutForeignIds({ id: _route, ...wanted }: Wanted, present: Route): Wanted {
  const { source, destinations } = wanted
  const parts = [present.source, ...present.destinations]
  const own = new Set(parts.flatMap(({ id }) => (isText(id) ? [normalizeId(id)] : [])))
  const bare = <T extends object>(part: T): T => {
    const { id, ...rest } = part as T & { id?: unknown }
    return isText(id) && own.has(normalizeId(id)) ? part : (rest as T)
  }
  return {
    ...wanted,
    ...(source && { source: bare(source) }),
    ...(Array.isArray(destinations) && { destinations: destinations.map(bare) }),
  }
}

export function duplicates(rows: readonly Wanted[], pathOf: (index: number) => string): Finding[] {
  const problems: Finding[] = []
  for (const member of ['id', 'name'] as const) {
    const first = new Map<string, number>()
    rows.forEach((row, index) => {
      const value = row[member]
      if (!isText(value)) return
      const key = member === 'id' ? normalizeId(value) : value
      const earlier = seenAt(first, key, index)
      if (earlier === undefined) return
      const problem = `is the same as in ${pathOf(earlier)}; give each route only once`
      problems.push({ path: `${pathOf(index)}.${member}`, problem })
    })
  }
  return problems
}

/**
 * By ID, or else by name: a route that is wanted again after a delete has lost its ID. One to be absent
 * is never searched by name when an ID was given.
 */
export function findWanted(
  { wanted: { id, name, renamedFrom }, options: { state } }: Goal,
  present: RouteIndex,
): Route | undefined {
  const byId = present.byId(id)
  if (byId || (isText(id) && state === 'absent')) return byId
  if (!isText(name)) {
    throw new GatewayError('NOT_FOUND', [
      say('routeIdNotFound', { id: id ?? '' }),
      say('routeToCreate'),
    ])
  }
  const named = present.byName(name)
  const isFormer = named.length === 0 && isText(renamedFrom)
  return theOnly(isFormer ? present.byName(renamedFrom) : named, 'route')
}

/** Finds rows that turn out to mean the same route, and names that two routes would end up with. */
export function collisions(
  plans: Plan[],
  present: readonly Route[],
  pathOf: (index: number) => string,
): Finding[] {
  const problems: Finding[] = []
  const rowOf = new Map<string, number>()
  const nameOf = ({ steps, fields, before }: Plan): string | undefined =>
    steps.includes('delete') ? undefined : (fields?.name ?? before?.name)
  plans.forEach(({ before }, index) => {
    const earlier = before ? seenAt(rowOf, before.id, index) : undefined
    if (earlier === undefined) return
    const problem = `is the same route as ${pathOf(earlier)}; give each route only once`
    problems.push({ path: pathOf(index), problem })
  })
  const others = present.filter(({ id }) => !rowOf.has(id)).map(({ name }) => name)
  const namesakes = grouped([...others, ...plans.map(nameOf)], (name) => name)
  plans.forEach((one, index) => {
    const name = nameOf(one)
    if (name === undefined || name === one.before?.name || namesakes.get(name)!.length === 1) return
    problems.push({
      path: pathUnder(pathOf(index), 'name'),
      problem: `is ${JSON.stringify(name)}, which would then be the name of several routes`,
    })
  })
  return problems
}
