import { GatewayError, readOnlyError, say } from '../../errors'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import type { WantedState } from '../../model/definition'
import { sentenceOf } from '../../model/faults'
import { booleanFrom, toSent } from '../../model/convert'
import { isSameId } from '../../model/ids'
import { isEmpty, isObject, isText, membersIn, own, type JsonObject } from '../../model/json'
import { anyMembersOf, membersOf, type Direction } from '../../model/members'
import { isRunning, isStopped } from '../../model/route-state'
import type { RouteIndex } from '../../model/route-index'
import { isMasked, isSecret, secretsNotShown } from '../../model/secrets'
import type { Destination, Route } from '../../model/types'
import { imprintAt, inShort, type Grounds } from './approval'
import { planned, type Ensured } from './apply'
import { applyRows, type Apply, type EnsureFailure } from './bulk'
import { labelOf } from '../find'
import { comparable } from '../known-secrets'
import { ownerOf } from '../../memory'
import {
  newRow,
  plan as planOf,
  type ApplyOptions,
  type Goal,
  type Site,
  type Plan,
  type Row,
  type Wanted,
} from './plan'
import { settledList } from './reads'
import { noteShared } from '../shared'
import { reportOf, type PlanReport } from './report'

/** What is remembered from one call to the next. Contains secrets. */
export interface EnsureMemory {
  readonly plans: Map<string, Grounds>
  /** How many runs are in progress. */
  running: number
  /** The last run that changed anything, until it is taken back. */
  lastRun?: Run
}

export const newEnsureMemory = (): EnsureMemory => ({ plans: new Map(), running: 0 })

/** What a run of ensure has changed. Contains secrets. */
interface Run {
  deviceId: string
  isList: boolean
  rows: readonly Row[]
}

/** Returns what these rows have changed; undefined when they have changed nothing. */
export function runOf(deviceId: string, isList: boolean, all: readonly Row[]): Run | undefined {
  const rows = all.filter(
    ({ trace: { before, after, isInDoubt } }) =>
      before !== undefined && (after !== undefined || isInDoubt),
  )
  return rows.length > 0 ? { deviceId, isList, rows } : undefined
}

export interface Undo extends Pick<Apply, 'waitTimeout' | 'onProgress'> {
  /** Plan only: nothing is written. */
  check?: boolean
}

export interface Undone {
  deviceId: string
  results: Ensured | Array<Ensured | EnsureFailure>
  plan: Omit<PlanReport, 'id'>
}

/** Takes back the last run that changed anything, once. @throws GatewayError `NOT_FOUND`, `CONFLICT` */
export async function undoLastRun(
  gateway: Connection,
  memory: EnsureMemory,
  options: Undo,
  operation: Operation,
): Promise<Undone> {
  if (memory.running > 0) {
    throw new GatewayError('CONFLICT', say('undoRunning'), { applied: 'no' })
  }
  const run = memory.lastRun
  if (!run) {
    throw new GatewayError('NOT_FOUND', say('nothingToUndo'))
  }
  if (!options.check) memory.lastRun = undefined
  memory.running++
  try {
    const { left, ...undone } = await undo(gateway, run, options, operation)
    memory.lastRun ??= left
    return undone
  } catch (error) {
    // Another try finds out how far this one has got.
    memory.lastRun ??= run
    throw error
  } finally {
    memory.running--
  }
}

/**
 * A route that was deleted gets another ID.
 * @returns as `left` what was not taken back, and may be another time
 * @throws GatewayError `CONFLICT` with every reason why that is not possible; nothing was written then
 */
async function undo(
  gateway: Connection,
  run: Run,
  { check, waitTimeout, onProgress }: Undo,
  operation: Operation,
): Promise<Undone & { left?: Run }> {
  if (gateway.readOnly && !check) throw readOnlyError()
  const { deviceId, isList } = run
  const site = { gateway, deviceId }
  const options = { state: 'present', exact: true, validate: false, waitTimeout } as const
  const sought = run.rows.map((row): Goal => {
    const { id, name } = row.trace.after ?? row.trace.before ?? { name: labelIn(row) }
    return { wanted: { id, name }, options }
  })
  const present = await settledList(site, sought, waitTimeout, operation)
  const ways = run.rows.map((row) => ({
    row,
    ...wayBack(site, row, present, options),
  }))
  const problems = ways.flatMap(({ row, problems: found }) =>
    found.map((problem) => ({ path: JSON.stringify(labelIn(row)), problem })),
  )
  if (problems.length > 0) {
    const said = say('notUndone', { what: inShort(problems) })
    throw new GatewayError('CONFLICT', said, { applied: 'no', problems })
  }
  const open = ways.flatMap(({ row, back }) => (back ? [{ row, back }] : []))
  const rows = open.map(({ back }) => back)
  const plans = rows.map((row) => row.plan)
  noteShared(plans, present.all)
  const plan = await reportOf(plans, gateway)
  if (check) return { deviceId, results: plans.map(planned), plan }
  const how = { ...site, isList, waitTimeout, onProgress }
  const results = await applyRows(rows, how, operation).finally(() => open.forEach(noteSteps))
  const left = open.filter((_, index) => Array.isArray(results) && 'error' in results[index]!)
  if (left.length === 0) return { deviceId, results, plan }
  return { deviceId, results, plan, left: { ...run, rows: left.map(({ row }) => row) } }
}

/** Another try goes on from what this one has done: nobody else has. */
function noteSteps({ row: { trace }, back }: { row: Row; back: Row }): void {
  if (back.trace.after !== undefined) {
    Object.assign(trace, { after: back.trace.after, isInDoubt: false })
  }
}

const labelIn = ({ wanted, trace: { before } }: Row): string => labelOf(before ?? wanted) ?? ''

interface WayBack {
  /** Absent where the route is as it was before. */
  back?: Row
  problems: string[]
}

function wayBack(site: Site, row: Row, present: RouteIndex, options: ApplyOptions): WayBack {
  const { gateway, deviceId } = site
  const { wanted } = row
  const { before, after, isInDoubt } = row.trace
  const id = (after ?? before)?.id
  const now = present.byId(id) ?? (after ? undefined : present.byName(labelIn(row))[0])
  const told = now && comparable(gateway, deviceId, now)
  const owner = now && ownerOf(gateway, { deviceId, routeId: now.id })
  const planFor = (goal: Goal): Plan => planOf(goal.wanted, now, goal.options, told, owner)
  const imprint = imprintAt(site, now)
  const isAs = (route: Route | null | undefined): boolean => imprintAt(site, route) === imprint
  const unknown = before ? secretsNotKnown(before, isInDoubt ? wanted : (after ?? wanted), now) : []
  // With a secret that the appliance hides, a route looks the same before and after.
  if (isAs(before) && unknown.length === 0) return { problems: [] }
  const isLeft = after !== undefined && isAs(after)
  const mayBeReached = isInDoubt || after === undefined
  const isOurs = isLeft || (mayBeReached && isReached(row, now, planFor))
  if (!isOurs) return { problems: [whyNotOurs(row, now)] }

  const goal = goalBack(before, told, options)
  const plan = planFor(goal)
  const problems = [
    ...unknown.map((path) => `${path}: the gateway hides its former value`),
    ...plan.problems.map((one) =>
      `${one.path} ${'kind' in one ? sentenceOf(one) : one.problem}`.trim(),
    ),
  ]
  return { back: { ...newRow(goal, plan), imprint }, problems }
}

/** Why it is not known that the route is as the run left it. */
function whyNotOurs({ trace: { after, isInDoubt } }: Row, now: Route | undefined): string {
  if (isInDoubt || after === undefined) {
    return 'is neither as before nor as it was to become; check it yourself'
  }
  if (!after) return 'exists again'
  return now ? 'has changed since' : 'has been deleted since'
}

/** True when the route has become what the run wanted: then a change in doubt was made. */
function isReached(
  { wanted: given, options }: Row,
  now: Route | undefined,
  planFor: (goal: Goal) => Plan,
): boolean {
  if (!now) return options.state === 'absent'
  const { id: _, ...wanted } = given
  const { steps, problems } = planFor({ wanted, options })
  return steps.length === 0 && problems.length === 0
}

function goalBack(
  before: Route | null | undefined,
  now: Route | undefined,
  options: ApplyOptions,
): Goal {
  if (!before) {
    return { wanted: { id: now!.id, name: now!.name }, options: { ...options, state: 'absent' } }
  }
  const state: WantedState = isRunning(before)
    ? 'started'
    : isStopped(before)
      ? 'stopped'
      : 'present'
  return {
    wanted: restored(before, now),
    options: { ...options, state },
  }
}

/** What makes the route again, or changes the present one back. Destinations that are gone are new ones. */
function restored(before: Route, now: Route | undefined): Wanted {
  const then = toSent(before)
  const present = now && toSent(now)
  return {
    ...(now && { id: now.id }),
    name: then.name,
    source: present ? givenBack('source', then.source, present.source) : then.source,
    destinations: then.destinations.map((destination, index) => {
      const same = present?.destinations.find(({ id }) => isSameId(id, destination.id))
      if (same) return givenBack('destination', destination, same)
      const { id: _, ...fresh } = destination
      return isHeldBack(before, before.destinations[index]!) ? { ...fresh, action: 'stop' } : fresh
    }),
  }
}

/** True for a destination that somebody has stopped while its route runs. */
const isHeldBack = (route: Route, { started }: Destination): boolean =>
  isRunning(route) && booleanFrom(started) === false

/**
 * The part, with null for what it did not have and has now, and without what the package does not know,
 * which may be a counter. Another protocol makes a new part.
 */
function givenBack<T extends JsonObject>(direction: Direction, then: T, now: JsonObject): T {
  if (then.protocol !== now.protocol) return then
  const members = membersOf(direction, then.protocol)
  const added = membersIn(now)
    .filter(([name, value]) => !isEmpty(value) && own(then, name) === undefined)
    .filter(([name]) => MEMBERS.has(name))
    .map(([name]): [string, unknown] => [name, null])
  // Empty before and now: the appliance may store one that it does not show.
  const isUntold = ([name, value]: [string, unknown]): boolean =>
    isSecret(name) && isEmpty(value) && isEmpty(own(now, name))
  const whole = [...membersIn(then).filter((one) => !isUntold(one)), ...added]
  return Object.fromEntries(whole.filter(([name]) => members.has(name))) as T
}

const MEMBERS = anyMembersOf('destination')

/** Paths of secrets that are to be given back and whose former value the appliance did not show. */
function secretsNotKnown(
  before: Route,
  /** The route after the change or, where that was not seen, what was wanted of it. */
  left: Wanted,
  now: Route | undefined,
): string[] {
  return [
    ...secretsOfPartNotKnown('source', before.source, left.source, now?.source),
    ...before.destinations.flatMap((then, index) => {
      const path = `destinations[${index}]`
      return secretsOfPartNotKnown(path, then, outputIn(left, then), now && outputIn(now, then))
    }),
  ]
}

function outputIn({ destinations }: Wanted, { id, name }: Destination): JsonObject | undefined {
  const found = Array.isArray(destinations)
    ? destinations.find((one) => (isText(one.id) ? isSameId(one.id, id) : one.name === name))
    : (own(destinations, String(id)) ?? own(destinations, name))
  return isObject(found) ? found : undefined
}

function secretsOfPartNotKnown(
  path: string,
  then: JsonObject,
  left: JsonObject | undefined,
  shown: JsonObject | undefined,
): string[] {
  // A new part needs them all.
  if (!shown || !isSameWord(then.protocol, shown.protocol)) return secretsNotShown(then, path)
  return membersIn(left ?? {})
    .filter(([name, value]) => {
      if (!isSecret(name) || !isText(value) || isMasked(value)) return false
      const former = own(then, name)
      // What reads leave out there may have been before.
      return isMasked(former) || (isEmpty(former) && isEmpty(own(shown, name)))
    })
    .map(([name]) => `${path}.${name}`)
}

const isSameWord = (one: unknown, other: unknown): boolean =>
  String(one).toLowerCase() === String(other).toLowerCase()
