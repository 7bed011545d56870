import {
  type ErrorCause,
  type ErrorCode,
  GatewayError,
  afterChanges,
  closedError,
  inDoubt,
  invalidInput,
  mayHaveArrived,
  type Finding,
  readOnlyError,
} from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { checkWanted } from '../model/definition'
import { isSameId } from '../model/ids'
import type { Route } from '../model/types'
import { sendCommand } from '../api/commands'
import { incompleteList, isIncomplete, listRoutes, sendCreate, sendDelete } from '../api/routes'
import { createSemaphore } from '../connection/concurrency'
import { askItself, judgeMissing } from '../watch/gone'
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
import {
  forgetRoute,
  forgetUpdate,
  isInProgress,
  pollUntil,
  readStableRoute,
  sendTracked,
  serialized,
} from './pending'
import { isPending, isRunning, isStopped } from '../model/route-state'
import { rememberSecrets, comparable } from './known-secrets'

export interface EnsureRoutes extends PlanOptions {
  deviceId: string | (() => Promise<string>)
  /** Plan only: nothing is written. */
  check?: boolean
  /** Milliseconds for each step to show. */
  waitTimeout: number
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
      ...collisions(plans, present, pathOf),
      ...(options.validate === false ? [] : findPortConflicts(plans, present, pathOf)),
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
    const progress: Progress = { done: [] }
    const result = await apply(gateway, deviceId, work[0]!, options, operation, progress).catch(
      (error: unknown) => {
        throw told(error, progress)
      },
    )
    return { deviceId, results: result, routeId: (result.after ?? result.before)?.id }
  }
  const semaphore = createSemaphore(gateway.concurrency)
  const results = await Promise.all(
    work.map((one) =>
      semaphore.run(async () => {
        const progress: Progress = { done: [] }
        try {
          return await apply(gateway, deviceId, one, options, operation, progress)
        } catch (error) {
          return failed(error, progress, operation)
        }
      }),
    ),
  )
  throwIfClosed(results)
  return { deviceId, results }
}

/** The steps of one row carried out so far. */
interface Progress {
  done: EnsureAction[]
}

/** Plans again with the present route, in turn with its other changes, and applies the plan. */
async function apply(
  gateway: Connection,
  deviceId: string,
  { wanted, plan: first }: { wanted: Wanted; plan: Plan },
  options: EnsureRoutes,
  operation: Operation,
  progress: Progress,
): Promise<Ensured> {
  const { before } = first
  if (!before && first.steps.length === 0) return planned(first)
  if (before) {
    const address = { deviceId, routeId: before.id }
    const settled = !isInProgress(gateway, address, before)
    if (settled && first.steps.length === 0) return planned(first)
    return serialized(gateway, address, operation, () =>
      change(gateway, address, wanted, options, operation, progress),
    )
  }
  // Other calls for a route of this name wait here, and then find the one that was created.
  return gateway.inTurn(`create ${deviceId} ${wanted.name}`, operation, async () => {
    const present = await settledList(gateway, deviceId, [wanted], options, operation)
    const route = findWanted(wanted, present, options, operation)
    const older = new Set(present.map(({ id }) => id))
    if (!route) return create(gateway, deviceId, wanted, older, options, operation)
    const address = { deviceId, routeId: route.id }
    return serialized(gateway, address, operation, () =>
      change(gateway, address, wanted, options, operation, progress),
    )
  })
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
  gateway: Connection,
  deviceId: string,
  wanted: Wanted,
  /** IDs of the routes that existed before it. */
  older: ReadonlySet<string>,
  options: EnsureRoutes,
  operation: Operation,
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
  gateway: Connection,
  address: { deviceId: string; routeId: string },
  wanted: Wanted,
  options: EnsureRoutes,
  operation: Operation,
  progress: Progress,
): Promise<Ensured> {
  const { deviceId, routeId } = address
  const timeout = options.waitTimeout
  const route = await readStableRoute(gateway, address, operation).catch(async (error: unknown) => {
    if (options.state !== 'absent' || !isNotFound(error)) throw error
    await awaitGone(gateway, address, timeout, operation, true)
    return undefined
  })
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
          () => awaitGone(gateway, address, timeout, operation),
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
    progress.done.push(step)
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

/** Evidence against absence, strongest first. */
const DOUBTS = ['there', 'no answer', 'unclear'] as const

/**
 * Lists all routes once no change of a wanted route is in progress and, where one is missing, no
 * create, which may be that of the missing one.
 * @throws GatewayError `NOT_CONFIRMED` when the changes in progress do not end
 */
async function settledList(
  gateway: Connection,
  deviceId: string,
  wanted: Wanted[],
  options: EnsureRoutes,
  operation: Operation,
): Promise<Route[]> {
  let missingSince: number | undefined
  // Without an ID, a route cannot be read by itself.
  const areGone = async (found: Array<Route | undefined>): Promise<boolean> => {
    const ids = wanted.flatMap(({ id }, index) => (found[index] || !id ? [] : [id]))
    const answers = await Promise.all(
      ids.map((routeId) => askItself(gateway, { deviceId, routeId }, operation)),
    )
    const itself = DOUBTS.find((answer) => answers.includes(answer)) ?? 'missing'
    const verdict = judgeMissing({ isUnlisted: true, itself }, missingSince, gateway.clock.now())
    missingSince = verdict === 'gone' ? missingSince : verdict
    return verdict === 'gone'
  }
  const look = async (): Promise<Route[] | undefined> => {
    const list = await listRoutes(gateway, { deviceId }, operation)
    const { data, pendingRouteCreates } = list
    const isListed = ({ id }: Wanted): boolean => data.some((route) => isSameId(route.id, id))
    // Without a name it can neither be found in another way nor created.
    const isLost = wanted.some((row) => !row.name && !isListed(row))
    if (isLost && isIncomplete(list)) throw incompleteList(list)
    const found = wanted.map((row) => findWanted(row, data, options, operation))
    const strangers = Number(pendingRouteCreates) - gateway.memory.unseenCreates
    const missing = found.some((route) => route === undefined)
    if (missing && isIncomplete(list)) throw incompleteList(list)
    const changing = found.some((route) => route !== undefined && isPending(route))
    if (missing && options.state === 'absent' && !(await areGone(found))) return undefined
    return changing || (missing && strangers > 0) ? undefined : data
  }
  return pollUntil(gateway, look, options.waitTimeout, operation)
}

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

function failed(error: unknown, { done }: Progress, { name }: Operation): EnsureFailure {
  if (!(error instanceof GatewayError)) throw error
  const failure = done.length > 0 ? afterChanges(error, 'yes') : error
  const { code, message, cause } = failure
  return {
    changed: mayHaveArrived(failure),
    action: done,
    error: { code, message, cause: { ...cause, operation: name } },
  }
}

/** A stopped bulk has no result: it throws, with what its rows have changed in `applied`. */
function throwIfClosed(results: Array<Ensured | EnsureFailure>): void {
  const failures = results.filter((row) => 'error' in row).map(({ error }) => error)
  if (failures.every(({ code }) => code !== 'CLOSED')) return
  const isChanged = results.some((row) => row.changed && !('error' in row))
  if (isChanged || failures.some(({ cause }) => cause.applied === 'yes')) {
    const text = 'The call was stopped after a part of the changes had been applied.'
    throw new GatewayError('CLOSED', text, { applied: 'yes' })
  }
  const isInDoubt = failures.some(({ cause }) => cause.applied === 'maybe')
  throw isInDoubt ? inDoubt(closedError()) : closedError()
}

/** The error of a row, with the steps that were carried out before it. */
function told(error: unknown, { done }: Progress): unknown {
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
