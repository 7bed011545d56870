import {
  type ErrorCause,
  type ErrorCode,
  GatewayError,
  afterChanges,
  closedError,
  invalidInput,
  mayHaveArrived,
  type Finding,
  readOnlyError,
} from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { checkWanted } from '../model/definition'
import type { RouteIndex } from '../model/route-index'
import type { Route } from '../model/types'
import { sendCommand } from '../api/commands'
import { sendCreate, sendDelete } from '../api/routes'
import { createSemaphore, type Semaphore } from '../connection/concurrency'
import { findPortConflicts } from './port-conflicts'
import { awaitRoute } from './wait'
import { awaitCreated } from './create'
import { awaitGone } from './delete'
import type { Difference } from '../model/diff'
import {
  collisions,
  duplicates,
  findWanted,
  plan,
  type EnsureAction,
  type Plan,
  type PlanOptions,
  type Wanted,
} from './plan'
import { forgetRoute, forgetUpdate, isInProgress, sendTracked, serialized } from './pending'
import { ownReads, settledList, sharedReads, type Present } from './present'
import { isRunning, isStopped } from '../model/route-state'
import { rememberSecrets, comparable } from './known-secrets'

export interface EnsureRoutes extends PlanOptions {
  deviceId: string | (() => Promise<string>)
  /** Plan only: nothing is written. */
  check?: boolean
  /** Milliseconds for each step to show. */
  waitTimeout: number
  /** Called when a row of a list is done, with how many are, of how many. */
  onProgress?: (done: number, rows: number) => void
}

/** What was done, or with `check` what would be. */
export interface Ensured {
  changed: boolean
  /** What was done; a list is in the order of the steps. */
  action: EnsureAction | EnsureAction[]
  /** Values that differ from what is wanted, secrets hidden. */
  diff: Difference[]
  /**
   * Paths of wanted secrets that the appliance masks and that were not written from here: whether
   * they are stored is not known. Absent when there are none.
   */
  unverified?: string[]
  /** The route as it was; null where there was none. */
  before: Route | null
  /** The route afterwards; null where there is none. */
  after: Route | null
}

/** The result of a row that failed in a bulk. */
export interface EnsureFailure {
  /** True unless it is certain that nothing was changed. */
  changed: boolean
  /** What was done before it failed. */
  action: EnsureAction[]
  error: { code: ErrorCode; message: string; cause: ErrorCause }
}

/**
 * Brings one route, or each of a list, to the wanted state, and writes only where it
 * is not there yet (design 2.3). All rows are planned, and their faults, duplicate names
 * and port clashes found, before the first write.
 * @throws GatewayError `INVALID_INPUT` with every fault; nothing was written then
 */
export async function ensureRoutes(
  gateway: Connection,
  input: unknown,
  options: EnsureRoutes,
  operation: Operation,
): Promise<{
  deviceId: string
  results: Ensured | Array<Ensured | EnsureFailure>
  routeId?: string
}> {
  if (gateway.readOnly && !options.check) throw readOnlyError(operation)
  const isList = Array.isArray(input)
  // Holes in a list count as empty rows.
  const rows: unknown[] = isList ? Array.from<unknown>(input) : [input]
  const pathOf = (index: number): string => (isList ? `[${index}]` : '')

  refuse(
    rows.flatMap((row, index) => under(pathOf(index), checkWanted(row, options))),
    operation,
  )
  const wanted = rows as Wanted[]
  refuse(duplicates(wanted, pathOf), operation)

  const { deviceId: where } = options
  const deviceId = typeof where === 'string' ? where : await where()
  const present = await settledList(gateway, deviceId, wanted, options, operation)
  const plans = wanted.map((row) =>
    planOn(gateway, deviceId, row, findWanted(row, present, options, operation), options),
  )
  refuse(
    [
      ...plans.flatMap(({ problems }, index) => under(pathOf(index), problems)),
      ...collisions(plans, present.all, pathOf),
      ...(options.validate === false ? [] : findPortConflicts(plans, present.all, pathOf)),
    ],
    operation,
  )
  if (options.check) {
    const results = plans.map((one) => planned(one))
    if (isList) return { deviceId, results }
    return { deviceId, results: results[0]!, routeId: results[0]?.before?.id }
  }
  const work = wanted.map((row, index) => ({ wanted: row, plan: plans[index]! }))
  if (!isList) {
    const steps: EnsureAction[] = []
    const present = ownReads(gateway, deviceId, options, operation)
    const lane: Lane = (change) => change(() => undefined)
    const way = { gateway, deviceId, options, operation, present, lane, steps }
    const result = await apply(work[0]!, way).catch((error: unknown) => {
      throw told(error, steps)
    })
    return { deviceId, results: result, routeId: (result.after ?? result.before)?.id }
  }
  const results = await applyAll(gateway, deviceId, work, options, operation)
  throwIfClosed(results, wanted)
  return { deviceId, results }
}

/** A row with what is to be done about it. */
interface Row {
  wanted: Wanted
  plan: Plan
}

/** More rows than these share their reads. */
const MANY = 16
/** Rows at once that have their turn and a list that was requested after that. */
const READY_AT_ONCE = 128
/** Rows whose change was sent and has not been seen yet: no more are in doubt after a stop. */
const SENT_AT_ONCE = 128
/** Milliseconds. A row that had to wait longer to be sent reads again what is present. */
const LONGEST_WAIT = 1000
/** This many rows, one after the other, to which the appliance did not respond end a bulk. */
const MOST_UNANSWERED = 3
const UNANSWERED: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'TIMEOUT', 'OUTCOME_UNKNOWN'])

/** Applies the plans of a list, many at once: a row that fails has its error in its result. */
async function applyAll(
  gateway: Connection,
  deviceId: string,
  work: readonly Row[],
  options: EnsureRoutes,
  operation: Operation,
): Promise<Array<Ensured | EnsureFailure>> {
  const inBackground = operation.under({ background: true })
  const rows = work.filter(({ plan: { steps } }) => steps.length > 0).length
  const reads = rows > MANY ? sharedReads : ownReads
  const present = reads(gateway, deviceId, options, inBackground)
  const shared = { gateway, deviceId, options, operation: inBackground, present }
  const ready = createSemaphore(READY_AT_ONCE)
  const sent = createSemaphore(SENT_AT_ONCE)
  let done = 0
  let unanswered = 0

  const applyOne = async (row: Row, leaveReady: () => void): Promise<Ensured | EnsureFailure> => {
    const steps: EnsureAction[] = []
    const lane: Lane = (change) =>
      inLane(sent, async (leave) => {
        leaveReady()
        if (unanswered >= MOST_UNANSWERED) throw notTried()
        return change(leave)
      })
    try {
      const result = await apply(row, { ...shared, lane, steps })
      if (result.changed) unanswered = 0
      return result
    } catch (error) {
      if (error instanceof GatewayError && UNANSWERED.has(error.code)) unanswered++
      return failed(error, steps, operation)
    } finally {
      options.onProgress?.(++done, work.length)
    }
  }
  return Promise.all(work.map((row) => inLane(ready, (leave) => applyOne(row, leave))))
}

/** Runs work in a lane, which it may leave before it has ended. */
function inLane<T>(lanes: Semaphore, work: (leave: () => void) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stay = (): Promise<void> =>
      new Promise((leave) => {
        work(leave).then(resolve, reject).finally(leave)
      })
    lanes.run(stay).catch(reject)
  })
}

const notTried = (): GatewayError =>
  new GatewayError(
    'UNAVAILABLE',
    'Not sent: the appliance did not respond to the rows before this one.',
    { applied: 'no' },
  )

/** Runs a change when there is room for it; the change may make room for others before it ends. */
type Lane = <T>(change: (leave: () => void) => Promise<T>) => Promise<T>

/** How a row is applied. */
interface Way {
  gateway: Connection
  deviceId: string
  options: EnsureRoutes
  operation: Operation
  present: Present
  lane: Lane
  /** Receives the steps that are carried out. */
  steps: EnsureAction[]
}

/** Plans again with the present route, in turn with its other changes, and applies the plan. */
async function apply({ wanted, plan: first }: Row, way: Way): Promise<Ensured> {
  const { gateway, deviceId, options, operation, present } = way
  const { before } = first
  if (!before && first.steps.length === 0) return planned(first)
  const applyTo = ({ id: routeId }: Route): Promise<Ensured> => {
    const address = { deviceId, routeId }
    return serialized(gateway, address, operation, () => change(address, wanted, way))
  }
  if (before) {
    const settled = !isInProgress(gateway, { deviceId, routeId: before.id }, before)
    return settled && first.steps.length === 0 ? planned(first) : applyTo(before)
  }
  // Other calls for a route of this name wait here, and then find the one that was created.
  return gateway.inTurn(`create ${deviceId} ${wanted.name}`, operation, async () => {
    const { found, ensured } = await inLaneOn(
      way,
      () => present.routes(wanted),
      async (routes) => {
        const found = findWanted(wanted, routes, options, operation)
        return { found, ensured: found ? undefined : await create(wanted, routes, way) }
      },
    )
    return ensured ?? applyTo(found!)
  })
}

/**
 * Reads what is present and then, in its lane, runs the change on it. What was read before a long
 * wait for the lane is read again.
 */
async function inLaneOn<Read, T>(
  { gateway: { clock }, lane }: Way,
  read: () => Promise<Read>,
  change: (present: Read, leave: () => void) => Promise<T>,
): Promise<T> {
  const first = await read()
  const readAt = clock.now()
  return lane(async (leave) =>
    change(clock.now() - readAt > LONGEST_WAIT ? await read() : first, leave),
  )
}

async function countedCreate<T>({ memory }: Connection, work: () => Promise<T>): Promise<T> {
  memory.unseenCreates++
  try {
    return await work()
  } finally {
    memory.unseenCreates--
  }
}

async function create(
  wanted: Wanted,
  /** The routes that existed before it. */
  older: RouteIndex,
  { gateway, deviceId, options, operation }: Way,
): Promise<Ensured> {
  const one = plan(wanted, undefined, options)
  refuse(one.problems, operation)
  const { fields } = one
  if (!fields) return planned(one)
  const timeout = options.waitTimeout
  const after = await countedCreate(gateway, () =>
    seen(
      () => sendCreate(gateway, { deviceId, fields }, operation),
      () => awaitCreated(gateway, { deviceId, fields, older, timeout }, operation),
    ),
  )
  rememberSecrets(gateway, { deviceId, routeId: after.id }, fields)
  return { ...planned(one), after }
}

const planOn = (
  gateway: Connection,
  deviceId: string,
  wanted: Wanted,
  route: Route | undefined,
  options: EnsureRoutes,
): Plan => plan(wanted, route, options, route && comparable(gateway, deviceId, route))

async function change(
  address: { deviceId: string; routeId: string },
  wanted: Wanted,
  way: Way,
): Promise<Ensured> {
  const { gateway, options, operation, present } = way
  const read = (): Promise<Route | undefined> =>
    present.route(address).catch(async (error: unknown) => {
      if (options.state !== 'absent' || !isNotFound(error)) throw error
      await awaitGone(gateway, address, options.waitTimeout, operation, { unsent: true })
      return undefined
    })
  return inLaneOn(way, read, (route, leave) => changeFrom(route, address, wanted, way, leave))
}

/** Carries out the steps from this route to the wanted one. */
async function changeFrom(
  route: Route | undefined,
  address: { deviceId: string; routeId: string },
  wanted: Wanted,
  { gateway, deviceId, options, operation, steps }: Way,
  leave: () => void,
): Promise<Ensured> {
  const { routeId } = address
  const timeout = options.waitTimeout
  const one = planOn(gateway, deviceId, wanted, route, options)
  if (!route) return planned(one)
  refuse(one.problems, operation)

  const until = (verdict: (now: Route) => string | undefined): Promise<Route> =>
    awaitRoute(gateway, { deviceId, routeId, verdict, timeout }, operation)

  let after: Route | null = route
  for (const step of one.steps) {
    switch (step) {
      case 'delete':
        await seen(
          () =>
            sendDelete(gateway, address, operation).catch((error: unknown) => {
              if (!isNotFound(error)) throw error
            }),
          () => awaitGone(gateway, address, timeout, operation, { onMissing: leave }),
        )
        forgetRoute(gateway, address)
        after = null
        break
      case 'update': {
        const fields = one.fields!
        after = await seen(
          () => sendTracked(gateway, address, { fields, present: route }, operation),
          () => until((now) => remaining(planOn(gateway, deviceId, wanted, now, options))),
        )
        forgetUpdate(gateway, address)
        break
      }
      case 'start':
      case 'stop':
        after = await seen(
          () => sendCommand(gateway, { ...address, command: `${step}-route` }, operation),
          () =>
            until((now) =>
              (step === 'start' ? isRunning : isStopped)(now)
                ? undefined
                : `state ${String(now.state)}`,
            ),
        )
        break
      case 'create':
    }
    steps.push(step)
  }
  return { ...planned(one), after }
}

/**
 * Sends a change and waits until it shows. After a lost response, a change that shows was applied;
 * the outcome of one that does not show remains unknown.
 */
async function seen<T>(send: () => Promise<unknown>, show: () => Promise<T>): Promise<T> {
  let lost: GatewayError | undefined
  try {
    await send()
  } catch (error) {
    if (!mayHaveArrived(error)) throw error
    lost = error as GatewayError
  }
  try {
    return await show()
  } catch (error) {
    if (lost && error instanceof GatewayError && error.code === 'NOT_CONFIRMED') throw lost
    throw error
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'NOT_FOUND'

/** What an update still has to change, in words; undefined when nothing. */
function remaining({ steps, diff }: Plan): string | undefined {
  if (!steps.includes('update')) return undefined
  return `other values in ${diff
    .map(({ path }) => path)
    .slice(0, 5)
    .join(', ')}`
}

function planned({ steps, diff, unverified, before }: Plan): Ensured {
  const [only, ...others] = steps
  const action = only === undefined ? 'none' : others.length > 0 ? steps : only
  const doubt = unverified.length > 0 && { unverified }
  return { changed: steps.length > 0, action, diff, ...doubt, before, after: before }
}

function failed(error: unknown, done: EnsureAction[], { name }: Operation): EnsureFailure {
  if (!(error instanceof GatewayError)) throw error
  const failure = done.length > 0 ? afterChanges(error, 'yes') : error
  const { code, message, cause } = failure
  return {
    changed: mayHaveArrived(failure),
    action: done,
    error: { code, message, cause: { ...cause, operation: name } },
  }
}

/**
 * A stopped bulk has no result: it throws, with what its rows have changed in `applied`, and the
 * rows that are in doubt in `problems`.
 */
function throwIfClosed(results: Array<Ensured | EnsureFailure>, wanted: readonly Wanted[]): void {
  const isClosed = results.some((row) => 'error' in row && row.error.code === 'CLOSED')
  if (!isClosed) return
  const doubts = results.flatMap((row, index) => {
    const isInDoubt = 'error' in row && row.error.cause.applied === 'maybe'
    return isInDoubt ? [{ index, name: wanted[index]!.name ?? wanted[index]!.id }] : []
  })
  const isChanged = results.some((row) =>
    'error' in row ? row.error.cause.applied === 'yes' : row.changed,
  )
  if (!isChanged && doubts.length === 0) throw closedError()
  const names = doubts.slice(0, 5).map(({ name }) => `"${name}"`)
  if (doubts.length > names.length) names.push(`${doubts.length - names.length} more`)
  const text = isChanged
    ? 'The call was stopped after a part of the changes had been applied.'
    : 'The call was stopped.'
  const doubt = ` Sent, and not seen yet: ${names.join(', ')}.`
  throw new GatewayError('CLOSED', text + (names.length > 0 ? doubt : ''), {
    applied: isChanged ? 'yes' : 'maybe',
    problems: doubts.map(({ index, name }) => ({
      path: `[${index}]`,
      problem: `"${name}" was sent and had not been seen yet: look at the appliance`,
    })),
  })
}

/** The error of a row, with the steps that were carried out before it. */
function told(error: unknown, done: EnsureAction[]): unknown {
  if (!(error instanceof GatewayError) || done.length === 0) return error
  return new GatewayError(error.code, `Done before this: ${done.join(', ')}. ${error.message}`, {
    ...error.cause,
    applied: 'yes',
  })
}

const under = (path: string, problems: Finding[]): Finding[] =>
  path === ''
    ? problems
    : problems.map((one) => ({
        ...one,
        path: one.path === '' || one.path.startsWith('[') ? path + one.path : `${path}.${one.path}`,
      }))

function refuse(problems: Finding[], { name }: Operation): void {
  if (problems.length > 0) throw invalidInput(problems, name)
}
