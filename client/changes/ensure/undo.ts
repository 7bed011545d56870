import { GatewayError, readOnlyError, words } from '../../errors'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import { sentenceOf } from '../../model/faults'
import { booleanFrom, toSent } from '../../model/convert'
import { isSameId } from '../../model/ids'
import { isEmpty, isText, membersIn, own, type JsonObject } from '../../model/json'
import { anyMembersOf, membersOf, type Direction } from '../../model/members'
import { isRunning, isStopped } from '../../model/route-state'
import type { RouteIndex } from '../../model/route-index'
import { isMasked, isSecret, secretsNotShown } from '../../model/secrets'
import type { Destination, Route } from '../../model/types'
import { imprintAt, inShort, unchangedSince } from './approval'
import { newTrace, planned, type Ensured, type Row } from './apply'
import { applyAll, applyAlone, type EnsureFailure } from './bulk'
import { labelOf } from '../find'
import { comparable } from '../known-secrets'
import { ownerOf, type Owner } from '../../memory'
import { plan, type ApplyOptions, type Goal, type Wanted, type WantedState } from './plan'
import { settledList } from './reads'
import { refusePlans } from '../protected'
import { noteShared, refuseSharedPlans } from '../shared'
import { reportOf, type PlanReport } from './report'

/** What a run of ensure has changed, as far as is needed to take it back. Contains secrets. */
export interface Run {
  deviceId: string
  isList: boolean
  changes: Change[]
}

/** A route that was changed. */
interface Change {
  label: string
  /** What it was to become: a change in doubt was made if the route is like this now. */
  goal: Goal
  before: Route | null
  /** As the run left it; undefined when nothing was seen after it. */
  after: Route | null | undefined
  /** Whether the last step was applied is not known. */
  isInDoubt: boolean
}

/** Returns what these rows have changed; undefined when they have changed nothing. */
export function runOf(deviceId: string, isList: boolean, rows: readonly Row[]): Run | undefined {
  const changes = rows.flatMap(({ wanted, options, trace: { before, after, isInDoubt } }) => {
    if (before === undefined || (after === undefined && !isInDoubt)) return []
    const label = labelOf(before ?? wanted) ?? ''
    return [{ label, goal: { wanted, options }, before, after, isInDoubt }]
  })
  return changes.length > 0 ? { deviceId, isList, changes } : undefined
}

export interface Undo {
  /** Plan only: nothing is written. */
  check?: boolean
  /** Milliseconds for each step to show. */
  waitTimeout: number
  /** Called when a route is done, with how many are, of how many. */
  onProgress?: (done: number, rows: number) => void
}

export interface Undone {
  deviceId: string
  results: Ensured | Array<Ensured | EnsureFailure>
  report: Omit<PlanReport, 'id'>
  /** What was not taken back, and may be another time. */
  left?: Run
}

/**
 * Brings every route that a run has changed back to what it was before. A route that was deleted
 * gets another ID.
 * @throws GatewayError `CONFLICT` with every reason why that is not possible; nothing was written then
 */
export async function undo(
  gateway: Connection,
  run: Run,
  { check, waitTimeout, onProgress }: Undo,
  operation: Operation,
): Promise<Undone> {
  if (gateway.readOnly && !check) throw readOnlyError(operation)
  const { deviceId, isList, changes } = run
  const options = { state: 'present', exact: true, validate: false, waitTimeout } as const
  const sought = changes.map(({ label, before, after }): Goal => {
    const { id, name } = after ?? before ?? { name: label }
    return { wanted: { id, name }, options }
  })
  const present = await settledList(gateway, deviceId, sought, waitTimeout, operation)
  const ways = changes.map((change) => wayBack(gateway, deviceId, change, present, options))
  const problems = ways.flatMap(({ row, problems: found }, index) =>
    row && row.plan.problems.length + found.length === 0
      ? []
      : found.map((problem) => ({ path: JSON.stringify(changes[index]!.label), problem })),
  )
  if (problems.length > 0) {
    const said = words('Nothing was undone: __what__.', { what: inShort(problems) })
    throw new GatewayError('CONFLICT', said, { operation: operation.name, applied: 'no', problems })
  }
  const rows = ways.flatMap(({ row }) => row ?? [])
  const plans = rows.map((row) => row.plan)
  noteShared(plans, present.all)
  const report = reportOf(plans, gateway)
  if (check) return { deviceId, results: rows.map((row) => planned(row.plan)), report, left: run }
  refusePlans(gateway, plans, operation)
  refuseSharedPlans(plans, operation)
  if (!isList && rows[0]) {
    const results = await applyAlone(rows[0], gateway, deviceId, operation)
    return { deviceId, results, report }
  }
  const results = await applyAll(rows, { gateway, deviceId, waitTimeout, onProgress }, operation)
  const left = rows.flatMap((row, index) => {
    const result = results[index]!
    const isLeft = 'error' in result
    return isLeft ? changes.filter((_, at) => ways[at]!.row === row) : []
  })
  return { deviceId, results, report, ...(left.length > 0 && { left: { ...run, changes: left } }) }
}

interface WayBack {
  /** Absent where the route is as it was before. */
  row?: Row
  /** Why there is none. */
  problems: string[]
}

function wayBack(
  gateway: Connection,
  deviceId: string,
  change: Change,
  present: RouteIndex,
  options: ApplyOptions,
): WayBack {
  const { before, after, label } = change
  const id = (after ?? before)?.id
  const now = present.byId(id) ?? (after ? undefined : present.byName(label)[0])
  const told = now && comparable(gateway, deviceId, now)
  const owner = now && ownerOf(gateway, { deviceId, routeId: now.id })
  const isAsSent = (): boolean => isReached(change, now, told, owner)
  const imprint = (route: Route): string => imprintAt(gateway, deviceId, route)
  const since = changeSince(change, now, imprint, isAsSent)
  if (since === 'none') return { problems: [] }
  if (since !== 'ours') return { problems: [since] }

  const unknown = before ? secretsNotKnown(before, after, now) : []
  const goal = goalOf(change, told, options)
  const back = plan(goal.wanted, now, goal.options, told, owner)
  const problems = [
    ...unknown.map((path) => `${path}: the gateway hides its former value`),
    ...back.problems.map((one) =>
      `${one.path} ${'kind' in one ? sentenceOf(one) : one.problem}`.trim(),
    ),
  ]
  const allow = unchangedSince(gateway, deviceId, now ?? null)
  return { row: { ...goal, plan: back, allow, trace: newTrace() }, problems }
}

/** How the route differs now: by nothing, by our change, or why that cannot be told. */
function changeSince(
  { before, after, isInDoubt }: Change,
  now: Route | undefined,
  imprint: (route: Route) => string,
  isAsSent: () => boolean,
): string {
  const isAs = (route: Route | null): boolean =>
    route && now ? imprint(route) === imprint(now) : !route && !now
  if (isAs(before)) return 'none'
  if (isInDoubt || after === undefined) {
    return isAsSent() ? 'ours' : 'is neither as before nor as it was to become; check it yourself'
  }
  if (isAs(after)) return 'ours'
  if (!after) return 'exists again'
  return now ? 'has changed since' : 'has been deleted since'
}

/** True when the route has become what the run wanted. */
function isReached(
  { goal }: Change,
  now: Route | undefined,
  told: Route | undefined,
  owner: Owner | undefined,
): boolean {
  if (!now) return goal.options.state === 'absent'
  const { id: _, ...wanted } = goal.wanted
  const { steps, problems } = plan(wanted, now, goal.options, told, owner)
  return steps.length === 0 && problems.length === 0
}

/** The route as it was. */
function goalOf({ before }: Change, now: Route | undefined, options: ApplyOptions): Goal {
  if (!before) {
    return { wanted: { id: now!.id, name: now!.name }, options: { ...options, state: 'absent' } }
  }
  const state: WantedState = isRunning(before)
    ? 'started'
    : isStopped(before)
      ? 'stopped'
      : 'present'
  return {
    wanted: now ? restored(before, now) : recreated(before),
    options: { ...options, state },
  }
}

/** What creates the route again. */
function recreated(before: Route): Wanted {
  const { name, source, destinations } = toSent(before)
  return {
    name,
    source,
    destinations: destinations.map((destination, index) =>
      isHeldBack(before, before.destinations[index]!)
        ? { ...destination, action: 'stop' }
        : destination,
    ),
  }
}

/** What changes the present route back. Destinations that are gone are new ones. */
function restored(before: Route, now: Route): Wanted {
  const [then, present] = [toSent(before), toSent(now)]
  return {
    id: now.id,
    name: then.name,
    source: known('source', emptied(then.source, present.source), present.source),
    destinations: then.destinations.map((destination, index) => {
      const same = present.destinations.find(({ id }) => isSameId(id, destination.id))
      if (same) return known('destination', emptied(destination, same), same)
      const { id: _, ...fresh } = destination
      return isHeldBack(before, before.destinations[index]!) ? { ...fresh, action: 'stop' } : fresh
    }),
  }
}

/** True for a destination that somebody has stopped while its route runs. */
const isHeldBack = (route: Route, { started }: Destination): boolean =>
  isRunning(route) && booleanFrom(started) === false

/**
 * The part without what the package does not know, which stays as it is: it may be a counter. With
 * another protocol it is a new one.
 */
function known<T extends JsonObject>(direction: Direction, then: T, now: JsonObject): T {
  if (then.protocol !== now.protocol) return then
  const members = membersOf(direction, then.protocol)
  return Object.fromEntries(membersIn(then).filter(([name]) => members.has(name))) as T
}

/** The part, with null for what it did not have and has now. */
function emptied<T extends JsonObject>(then: T, now: JsonObject): T {
  if (then.protocol !== now.protocol) return then
  const added = membersIn(now).filter(
    ([name, value]) => !isEmpty(value) && own(then, name) === undefined && MEMBERS.has(name),
  )
  return { ...then, ...Object.fromEntries(added.map(([name]) => [name, null])) }
}

const MEMBERS = anyMembersOf('destination')

/** Paths of secrets that are to be given back and whose former value the appliance did not show. */
function secretsNotKnown(
  before: Route,
  after: Route | null | undefined,
  now: Route | undefined,
): string[] {
  const partsOf = (route: Route | null | undefined, then: Destination) =>
    route?.destinations.find(({ id }) => isSameId(id, then.id))
  return [
    ...secretsOfPartNotKnown('source', before.source, after?.source, now?.source),
    ...before.destinations.flatMap((then, index) => {
      const path = `destinations[${index}]`
      return secretsOfPartNotKnown(path, then, partsOf(after, then), partsOf(now, then))
    }),
  ]
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
      return isMasked(former) || (former === undefined && own(shown, name) === undefined)
    })
    .map(([name]) => `${path}.${name}`)
}

const isSameWord = (one: unknown, other: unknown): boolean =>
  String(one).toLowerCase() === String(other).toLowerCase()
