import { sendCommand } from '../api/commands'
import { sendCreate, sendDelete } from '../api/routes'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { GatewayError, invalidInput, mayHaveArrived, say, type Sentence } from '../errors'
import type { Difference } from '../model/diff'
import type { RouteIndex } from '../model/route-index'
import { isRunning, isStopped } from '../model/route-state'
import type { Route } from '../model/types'
import { awaitCreated } from './create'
import { awaitGone } from './delete'
import { comparable, rememberSecrets } from './known-secrets'
import { forgetRoute, forgetUpdate, isInProgress, sendTracked, serialized } from './pending'
import {
  findWanted,
  plan,
  type ApplyOptions,
  type EnsureAction,
  type Plan,
  type Wanted,
} from './plan'
import type { Present } from './present'
import { refusePlans } from './protected'
import { awaitRoute, stillDiffers } from './wait'

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
export interface Row {
  wanted: Wanted
  plan: Plan
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
  options: ApplyOptions
  /** Reads and sends. */
  operation: Operation
  /** Waits until what was sent shows: what is sent can still show after a stop. */
  waiting: Operation
  present: Present
  lane: Lane
  /** Receives the steps that are carried out. */
  steps: EnsureAction[]
}

/** Plans again with the present route, in turn with its other changes, and applies the plan. */
export async function apply({ wanted, plan: first }: Row, way: Way): Promise<Ensured> {
  const { gateway, deviceId, options, operation, present } = way
  const { before } = first
  if (!before && first.steps.length === 0) return planned(first)
  const applyTo = ({ id: routeId }: Route): Promise<Ensured> => {
    const address = { deviceId, routeId }
    return serialized(gateway, address, operation, () => changeRoute(address, wanted, way))
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
      async (routes, room) => {
        const route = findWanted(wanted, routes, options, operation)
        return {
          found: route,
          ensured: route ? undefined : await create(wanted, routes, way, room),
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
  wanted: Wanted,
  /** The routes that existed before it. */
  older: RouteIndex,
  { gateway, deviceId, options, operation, waiting }: Way,
  room: Room,
): Promise<Ensured> {
  const one = plan(wanted, undefined, options)
  if (one.problems.length > 0) throw invalidInput(one.problems, operation.name)
  const { fields } = one
  if (!fields) return planned(one)
  const timeout = options.waitTimeout
  const after = await countedCreate(gateway, () =>
    seen(
      room,
      () => sendCreate(gateway, { deviceId, fields }, operation),
      () => awaitCreated(gateway, { deviceId, fields, older, timeout }, waiting),
    ),
  )
  rememberSecrets(gateway, { deviceId, routeId: after.id }, fields)
  return { ...planned(one), after }
}

export const planOn = (
  gateway: Connection,
  deviceId: string,
  wanted: Wanted,
  route: Route | undefined,
  options: ApplyOptions,
): Plan => plan(wanted, route, options, route && comparable(gateway, deviceId, route))

async function changeRoute(
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
  return inLaneOn(way, read, (route, room) => changeFrom(route, address, wanted, way, room))
}

/** Carries out the steps from this route to the wanted one. */
async function changeFrom(
  route: Route | undefined,
  address: { deviceId: string; routeId: string },
  wanted: Wanted,
  { gateway, deviceId, options, operation, waiting, steps }: Way,
  room: Room,
): Promise<Ensured> {
  const { routeId } = address
  const timeout = options.waitTimeout
  const one = planOn(gateway, deviceId, wanted, route, options)
  refusePlans(gateway, [one], operation)
  if (!route) return planned(one)
  if (one.problems.length > 0) throw invalidInput(one.problems, operation.name)

  const until = (verdict: (now: Route) => Sentence | undefined): Promise<Route> =>
    awaitRoute(gateway, { deviceId, routeId, verdict, timeout }, waiting)

  let after: Route | null = route
  for (const step of one.steps) {
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
        after = null
        break
      case 'update': {
        const fields = one.fields!
        after = await seen(
          room,
          () => sendTracked(gateway, address, { fields, present: route }, operation),
          () => until((now) => remaining(planOn(gateway, deviceId, wanted, now, options))),
        )
        forgetUpdate(gateway, address)
        break
      }
      case 'start':
      case 'stop':
        after = await seen(
          room,
          () => sendCommand(gateway, { ...address, command: `${step}-route` }, operation),
          () =>
            until((now) =>
              (step === 'start' ? isRunning : isStopped)(now)
                ? undefined
                : say(step === 'start' ? 'lastNotRunning' : 'lastNotStopped'),
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
