import { GatewayError, hasCode, restated, say } from '../errors'
import type { Connection } from '../connection/connection'
import { LateConnection } from '../connection/faults'
import { OutdatedPlan, type Operation } from '../connection/operation'
import type { Destination, Route } from '../model/types'
import { getRoute } from '../api/routes'
import { keyOf, type RouteAddress, type Unseen } from '../memory'
import { isPending, wholeRoute } from '../model/route-state'
import { addsDestination, overdueOf, unseenOf } from '../unseen'

/** Changes of one route run first come, first served; those of different routes in parallel. */
export function serialized<T>(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
  change: () => Promise<T>,
): Promise<T> {
  return gateway.inTurn(`route ${keyOf(address)}`, operation, change)
}

/** How often the session may end, or an attempt fail, before a change is sent. */
const MOST_FAILURES = 3

/** A change that does not go out within a second of what it was planned on is planned again. */
export async function sendFresh<Read, T>(
  gateway: Connection,
  operation: Operation,
  read: () => Promise<Read>,
  /** Sends within an operation that knows when the plan was read. */
  send: (present: Read, sending: Operation) => Promise<T>,
  /** What was read already, and when. */
  first?: { present: Read; at: number },
): Promise<T> {
  let known = first
  let reusesConnection = false
  for (let failures = 0; ;) {
    const present = known ? known.present : await read()
    const plannedAt = known?.at ?? gateway.clock.now()
    try {
      return await send(present, operation.under({ plannedAt, reusesConnection }))
    } catch (error) {
      known = undefined
      if (!(error instanceof OutdatedPlan)) throw error
      // One that only waited behind other changes is planned again however often that takes.
      reusesConnection ||= error.fault instanceof LateConnection
      const hasFailed = error.afterLogin || error.fault !== undefined
      if (hasFailed && ++failures === MOST_FAILURES) throw error.fault ?? endedSessions()
    }
  }
}

const endedSessions = (): GatewayError =>
  new GatewayError('UNAVAILABLE', say('sessionEnded'), { retryable: true, applied: 'no' })

/** True when a change of the definition of a route, or of its state, is known to be in progress. */
export function isInProgress(
  gateway: Connection,
  address: RouteAddress,
  route: Route,
  ofState = false,
): boolean {
  return isPending(route) || isUnseen(gateway, address, ofState)
}

/** True when a change of the definition of a route, or of its state, does not show yet. */
export const isUnseen = (gateway: Connection, address: RouteAddress, ofState = false): boolean =>
  unseenOf(gateway, address).some(
    ({ kind, destinationId }) =>
      kind === 'update' || kind === 'delete' || (ofState && destinationId === undefined),
  )

/** A response that is not a route ends a change before it is sent, and the error has to say so. */
function unreadable(error: unknown): never {
  if (!hasCode(error, 'BAD_RESPONSE')) throw error
  throw restated(error, [...error.sentences, say('notSent')])
}

/** Milliseconds for an earlier change to end. */
export const SETTLE_MS = 30_000
/** Milliseconds to give an earlier change that the next one can build on. */
export const PACE_MS = 5_000

/** What is known of the next change of a route. */
interface NextChange {
  /** It depends on the state of the route, too. */
  ofState?: boolean
  /** Whether it can be planned on this route while an earlier one does not show. */
  isReady?: (route: Route, waited: number) => boolean
  /** True for a destination of which it says itself what becomes of it. */
  decides?: (one: Destination) => boolean
}

/**
 * Reads the route once no earlier change of it is in progress. For one that the next can be planned on
 * it waits only so long, see `withUnseen`: firmware may store another value than the one sent.
 * @throws GatewayError `NOT_CONFIRMED` when an earlier change does not end that cannot be built on
 */
export async function readStableRoute(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
  { ofState, isReady = isPaced, decides = () => false }: NextChange = {},
): Promise<Route> {
  let wasNull = false
  const read = async (waited: number): Promise<Route | undefined> => {
    const answer = await getRoute(gateway, address, operation).catch(unreadable)
    const route = wholeRoute(answer)
    // Some firmware writes an empty list as null; that it is empty is believed the second time.
    const isNull = answer.destinations === null
    if (isNull && !wasNull) {
      wasNull = true
      return undefined
    }
    const overdue = overdueOf(gateway, address, route).filter((one) => !decides(one))
    if (overdue.length > 0) throw missingDestinations(overdue)
    if (!isInProgress(gateway, address, route, ofState)) return route
    const isBase = !unseenOf(gateway, address).some(cannotBeBuiltOn)
    return isBase && isReady(route, waited) ? route : undefined
  }
  return pollUntil(gateway, read, SETTLE_MS, operation)
}

const isPaced = (route: Route, waited: number): boolean => !isPending(route) && waited > PACE_MS

const cannotBeBuiltOn = (one: Unseen): boolean => one.kind === 'delete' || addsDestination(one)

/** Nobody but who sent the earlier update can say whether these destinations are still wanted. */
const missingDestinations = (destinations: readonly Destination[]): GatewayError =>
  new GatewayError(
    'NOT_CONFIRMED',
    say('missingDestinations', {
      outputs: destinations.map((one) => `“${String(one.name)}”`).join(', '),
    }),
    { retryable: true, applied: 'no' },
  )

const LONGEST_PAUSE = 1000

/**
 * @param read takes the ms since the first poll; returns undefined while a change is in progress
 * @param patience milliseconds
 * @throws GatewayError `NOT_CONFIRMED` when the change takes longer
 */
export async function pollUntil<T>(
  gateway: Connection,
  read: (waited: number) => Promise<T | undefined>,
  patience: number,
  operation: Operation,
): Promise<T> {
  const startedAt = gateway.clock.now()
  let pauseMs = 50
  for (;;) {
    const result = await read(gateway.clock.now() - startedAt)
    if (result !== undefined) return result
    if (gateway.clock.now() - startedAt > patience) {
      throw new GatewayError(
        'NOT_CONFIRMED',
        say('earlierChange', { time: Math.round(patience / 1000) }),
        { retryable: true, applied: 'no' },
      )
    }
    await gateway.pause(pauseMs, operation.stop)
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE)
  }
}
