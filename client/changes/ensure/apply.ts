import { sendCommand } from '../../api/commands'
import { sendCreate, sendDelete } from '../../api/routes'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import { GatewayError, invalidInput, mayHaveArrived, say, type Sentence } from '../../errors'
import type { Difference } from '../../model/diff'
import type { RouteIndex } from '../../model/route-index'
import { isRunning, isStopped } from '../../model/route-state'
import type { Route } from '../../model/types'
import { awaitCreated } from '../create'
import { awaitGone } from '../delete'
import { comparable, rememberSecrets } from '../known-secrets'
import type { RouteAddress } from '../find'
import { forgetRoute, forgetUpdate, isInProgress, sendTracked, serialized } from '../pending'
import { findWanted, plan, type EnsureAction, type Goal, type Plan } from './plan'
import type { Present } from './present'
import { refusePlans } from '../protected'
import { awaitRoute, stillDiffers } from '../wait'

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

/** A row with what is to be done about it. */
export interface Row extends Goal {
  plan: Plan
  /** Sees the route as it is found before anything is sent for it; it may throw. */
  allow?: (present: Route | undefined) => void
  /** Written while it is applied. */
  trace: Trace
}

/** What became of a row, as far as it got. */
export interface Trace {
  /** The steps that were carried out. */
  steps: EnsureAction[]
  /** The route before the first of them and after the last, with the secrets that were written from here. */
  before?: Route | null
  after?: Route | null
  /** Whether the next step was applied is not known. */
  isInDoubt: boolean
}

export const newTrace = (): Trace => ({ steps: [], isInDoubt: false })

/** Carries out a step, and notes whether it is in doubt. */
async function traced<T>(trace: Trace, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    trace.isInDoubt = mayHaveArrived(error)
    throw error
  }
}

/** Runs a change when there is room for it; the change makes room for others before it ends. */
export type Lane = <T>(change: (room: Room) => Promise<T>) => Promise<T>

export interface Room {
  /** The appliance has responded: another change may be sent. */
  sent: () => void
  /** The change shows: another one may be in doubt. */
  seen: () => void
}

/** How a row is applied. */
export interface Way {
  gateway: Connection
  deviceId: string
  /** Reads and sends. */
  operation: Operation
  /** Waits until what was sent shows: what is sent can still show after a stop. */
  waiting: Operation
  present: Present
  lane: Lane
}

/** Plans again with the present route, in turn with its other changes, and applies the plan. */
export async function apply(row: Row, way: Way): Promise<Ensured> {
  const { wanted, plan: first } = row
  const { gateway, deviceId, operation, present } = way
  const { before } = first
  if (!before && first.steps.length === 0) return planned(first)
  const applyTo = ({ id: routeId }: Route): Promise<Ensured> => {
    const address = { deviceId, routeId }
    return serialized(gateway, address, operation, () => changeRoute(address, row, way))
  }
  if (before) {
    const settled = !isInProgress(gateway, { deviceId, routeId: before.id }, before)
    return settled && first.steps.length === 0 ? planned(first) : applyTo(before)
  }
  // Other calls for a route of this name wait here, and then find the one that was created.
  return gateway.inTurn(`create ${deviceId} ${wanted.name}`, operation, async () => {
    const { found, ensured } = await inLaneOn(
      way,
      () => present.routes(row),
      async (routes, room) => {
        const route = findWanted(row, routes, operation)
        return {
          found: route,
          ensured: route ? undefined : await create(row, routes, way, room),
        }
      },
    )
    return ensured ?? applyTo(found!)
  })
}

/** Milliseconds. A row that had to wait longer to be sent reads again what is present. */
const LONGEST_WAIT = 1000

/**
 * Reads what is present and then, in the lane, works on it. What was read before a long
 * wait for the lane is read again.
 */
async function inLaneOn<Read, T>(
  { gateway: { clock }, lane }: Way,
  read: () => Promise<Read>,
  change: (present: Read, room: Room) => Promise<T>,
): Promise<T> {
  const first = await read()
  const readAt = clock.now()
  return lane(async (room) =>
    change(clock.now() - readAt > LONGEST_WAIT ? await read() : first, room),
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
  { wanted, options, allow, trace }: Row,
  /** The routes that existed before it. */
  older: RouteIndex,
  { gateway, deviceId, operation, waiting }: Way,
  room: Room,
): Promise<Ensured> {
  const one = plan(wanted, undefined, options)
  allow?.(undefined)
  if (one.problems.length > 0) throw invalidInput(one.problems, operation.name)
  const { fields } = one
  if (!fields) return planned(one)
  const timeout = options.waitTimeout
  trace.before = null
  const after = await countedCreate(gateway, () =>
    traced(trace, () =>
      seen(
        room,
        () => sendCreate(gateway, { deviceId, fields }, operation),
        () => awaitCreated(gateway, { deviceId, fields, older, timeout }, waiting),
      ),
    ),
  )
  rememberSecrets(gateway, { deviceId, routeId: after.id }, fields)
  trace.after = comparable(gateway, deviceId, after)
  return { ...planned(one), after }
}

export const planOn = (
  gateway: Connection,
  deviceId: string,
  { wanted, options }: Goal,
  route: Route | undefined,
): Plan => plan(wanted, route, options, route && comparable(gateway, deviceId, route))

async function changeRoute(address: RouteAddress, row: Row, way: Way): Promise<Ensured> {
  const { options } = row
  const { gateway, operation, present } = way
  const read = (): Promise<Route | undefined> =>
    present.route(address).catch(async (error: unknown) => {
      if (options.state !== 'absent' || !isNotFound(error)) throw error
      await awaitGone(gateway, address, options.waitTimeout, operation, { unsent: true })
      return undefined
    })
  return inLaneOn(way, read, (route, room) => changeFrom(route, address, row, way, room))
}

/** Carries out the steps from this route to the wanted one. */
async function changeFrom(
  route: Route | undefined,
  address: RouteAddress,
  row: Row,
  { gateway, deviceId, operation, waiting }: Way,
  room: Room,
): Promise<Ensured> {
  const { routeId } = address
  const { trace } = row
  const timeout = row.options.waitTimeout
  const one = planOn(gateway, deviceId, row, route)
  row.allow?.(route)
  refusePlans(gateway, [one], operation)
  if (!route) return planned(one)
  if (one.problems.length > 0) throw invalidInput(one.problems, operation.name)

  const until = (verdict: (now: Route) => Sentence | undefined): Promise<Route> =>
    awaitRoute(gateway, { deviceId, routeId, verdict, timeout }, waiting)

  const carryOut = async (step: EnsureAction): Promise<Route | null> => {
    switch (step) {
      case 'delete':
        await seen(
          room,
          () =>
            sendDelete(gateway, address, operation).catch((error: unknown) => {
              if (!isNotFound(error)) throw error
            }),
          () => awaitGone(gateway, address, timeout, waiting, { onMissing: room.seen }),
        )
        forgetRoute(gateway, address)
        return null
      case 'update': {
        const fields = one.fields!
        const updated = await seen(
          room,
          () => sendTracked(gateway, address, { fields, present: route }, operation),
          () => until((now) => remaining(planOn(gateway, deviceId, row, now))),
        )
        forgetUpdate(gateway, address)
        return updated
      }
      default:
        return seen(
          room,
          () =>
            sendCommand(gateway, { ...address, command: `${step as Command}-route` }, operation),
          () =>
            until((now) =>
              (step === 'start' ? isRunning : isStopped)(now)
                ? undefined
                : say(step === 'start' ? 'lastNotRunning' : 'lastNotStopped'),
            ),
        )
    }
  }

  let after: Route | null = route
  trace.before = comparable(gateway, deviceId, route)
  for (const step of one.steps) {
    after = await traced(trace, () => carryOut(step))
    trace.steps.push(step)
    trace.after = after && comparable(gateway, deviceId, after)
  }
  return { ...planned(one), after }
}

type Command = 'start' | 'stop'

/**
 * Sends a change and waits until it shows. After a lost response, a change that shows was applied;
 * the outcome of one that does not show remains unknown.
 */
async function seen<T>(
  room: Room,
  send: () => Promise<unknown>,
  show: () => Promise<T>,
): Promise<T> {
  let lost: GatewayError | undefined
  try {
    await send()
  } catch (error) {
    if (!mayHaveArrived(error)) throw error
    lost = error as GatewayError
  } finally {
    room.sent()
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

/** What an update still has to change; undefined when nothing. */
function remaining({ steps, diff }: Plan): Sentence | undefined {
  return steps.includes('update') ? stillDiffers(diff.map(({ path }) => path)) : undefined
}

export function planned({ steps, diff, unverified, before }: Plan): Ensured {
  const [only, ...others] = steps
  const action = only === undefined ? 'none' : others.length > 0 ? steps : only
  const doubt = unverified.length > 0 && { unverified }
  return { changed: steps.length > 0, action, diff, ...doubt, before, after: before }
}
