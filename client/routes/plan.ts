import { GatewayError, type Problem } from '../errors'
import type { Operation } from '../operation'
import { checkCreate, checkUpdate } from '../model/check'
import { forCreate, toSent } from '../model/convert'
import { matcher } from '../model/match'
import { findHidden, hideSecrets } from '../model/secrets'
import type { Route, RouteFields, RoutePatch } from '../model/types'
import { differs, planMerge, type Difference } from './merge'
import { isRunning, wholeRoute } from './state'

export type WantedState = 'present' | 'started' | 'stopped' | 'absent'
export type EnsureAction = 'none' | 'create' | 'update' | 'delete' | 'start' | 'stop'

export interface PlanOptions {
  state: WantedState
  /** Destinations that are not mentioned are removed. */
  exact?: boolean
  validate?: boolean
}

/** One route as wanted: found by `id`, or else by `name`. */
export type Wanted = RoutePatch & { id?: string; name?: string; startRoute?: boolean }

export interface Plan {
  steps: Exclude<EnsureAction, 'none'>[]
  diff: Difference[]
  /** What a create or an update sends. */
  fields?: RouteFields
  before: Route | null
  problems: Problem[]
}

/** What has to be done so that the route is as wanted. Applying and planning use this alike. */
export function plan(wanted: Wanted, found: Route | undefined, options: PlanOptions): Plan {
  const route = found && wholeRoute(found, found.id)
  const nothing: Plan = { steps: [], diff: [], before: route ?? null, problems: [] }
  if (options.state === 'absent') {
    if (!route) return nothing
    return {
      ...nothing,
      steps: ['delete'],
      diff: [{ path: '', from: hideSecrets(toSent(route)), to: null }],
    }
  }
  return route
    ? planPresent(wanted, route, options, nothing)
    : planMissing(wanted, options, nothing)
}

function planMissing(wanted: Wanted, { state, validate }: PlanOptions, nothing: Plan): Plan {
  const problems = checkCreate(wanted, { validate })
  for (const path of problems.length > 0 ? [] : findHidden(wanted)) {
    problems.push({
      path,
      problem: 'is the sign for a hidden value, and there is no route to keep it from',
    })
  }
  if (problems.length > 0) return { ...nothing, problems }
  const startRoute = state === 'started' || (state === 'present' && wanted.startRoute === true)
  const fields = { ...forCreate(toSent(wanted as unknown as Route)), startRoute }
  const diff = [{ path: '', from: null, to: hideSecrets(fields) }]
  return { ...nothing, steps: ['create'], diff, fields }
}

function planPresent(
  wanted: Wanted,
  route: Route,
  { state, exact, validate }: PlanOptions,
  nothing: Plan,
): Plan {
  // IDs of a former route with this name tell nothing about the one that is there now.
  const patch = isText(wanted.id) && wanted.id !== route.id ? withoutIds(wanted) : wanted
  const { fields, problems } = planMerge(patch, route, { validate })
  if (exact && Array.isArray(patch.destinations)) {
    const named = patch.destinations
    fields.destinations = fields.destinations.filter(({ id, name }) =>
      named.some((one) => (isText(one.id) ? one.id === id : one.name === name)),
    )
  }
  const diff: Difference[] = [...differs(fields, toSent(route)), ...removals(patch, toSent(route))]
  const steps: Plan['steps'] = []
  const running = isRunning(route)
  if (state === 'stopped' && running) steps.push('stop')
  if (diff.length > 0) steps.push('update')
  if (state === 'started' && !running) steps.push('start')
  if (steps.includes('stop') || steps.includes('start')) {
    diff.push({ path: 'state', from: route.state, to: state === 'started' ? 'running' : 'idle' })
  }
  return { ...nothing, steps, diff, fields, problems }
}

/** Members that are wanted to be null, that is: to be removed, and are still there. */
function removals({ source, destinations }: Wanted, present: RouteFields): Difference[] {
  const inPart = (part: object | undefined, now: object | undefined, path: string): Difference[] =>
    Object.entries(part ?? {}).flatMap(([name, value]) => {
      const from = now && (now as Record<string, unknown>)[name]
      const empty = from === undefined || from === null || from === ''
      if (value !== null || empty) return []
      return [{ path: `${path}.${name}`, from: hideSecrets({ [name]: from })[name], to: null }]
    })
  const find = matcher(present.destinations)
  const named = Array.isArray(destinations) ? destinations : []
  return [
    ...inPart(source, present.source, 'source'),
    ...named.flatMap((destination) => {
      const [index] = find(destination)
      if (index === undefined) return []
      return inPart(destination, present.destinations[index], `destinations[${index}]`)
    }),
  ].filter(({ path }) => !path.endsWith('.srtPassPhrase'))
}

function withoutIds({ id: _route, ...wanted }: Wanted): Wanted {
  const { source, destinations } = wanted
  const bare = <T extends object>(part: T): T => {
    const { id: _id, ...rest } = part as T & { id?: unknown }
    return rest as T
  }
  return {
    ...wanted,
    ...(source && { source: bare(source) }),
    ...(Array.isArray(destinations) && { destinations: destinations.map(bare) }),
  }
}

/** Every fault of one wanted route; whether it is complete enough to be created shows later. */
export function checkWanted(row: unknown, { state, validate }: PlanOptions): Problem[] {
  const { id, name } = (typeof row === 'object' && row !== null ? row : {}) as Wanted
  const problems = checkUpdate(withoutStart(row), 'merge', { validate })
  if (problems.length === 0 && !isText(id) && !isText(name)) {
    problems.push({
      path: '',
      problem: 'has neither id nor name; one of them tells which route is meant',
    })
  }
  const start = (row as Wanted | null)?.startRoute
  if (start !== undefined && typeof start !== 'boolean') {
    problems.push({ path: 'startRoute', problem: 'must be true or false' })
  }
  return state === 'absent'
    ? problems.filter(({ path }) => path === '' || path === 'name')
    : problems
}

function withoutStart(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row
  const { startRoute: _, ...rest } = row as Wanted
  return rest
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Rows that mean one route. */
export function duplicates(rows: Wanted[], pathOf: (index: number) => string): Problem[] {
  const problems: Problem[] = []
  for (const member of ['id', 'name'] as const) {
    const first = new Map<string, number>()
    rows.forEach((row, index) => {
      const value = row[member]
      if (!isText(value)) return
      const earlier = first.get(value)
      if (earlier === undefined) first.set(value, index)
      else {
        const problem = `is the same as in ${pathOf(earlier)}; a route can be wanted only once`
        problems.push({ path: `${pathOf(index)}.${member}`, problem })
      }
    })
  }
  return problems
}

/** By ID, or else by name. A route that is wanted again after it was deleted has lost its ID. */
export function findWanted(
  { id, name }: Wanted,
  present: Route[],
  operation: Operation,
): Route | undefined {
  const byId = isText(id) ? present.find((route) => route.id === id) : undefined
  if (byId || !isText(name)) return byId
  const found = present.filter((route) => route.name === name)
  if (found.length > 1) {
    throw new GatewayError(
      'CONFLICT',
      `${found.length} routes have the name "${name}". Tell by its ID which one is meant: ${found.map((route) => route.id).join(', ')}`,
      { operation: operation.name },
    )
  }
  return found[0]
}
