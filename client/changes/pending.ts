import { GatewayError, mayHaveArrived, restated, say } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { setLatest, type UnseenUpdate } from '../memory'
import { toSent } from '../model/convert'
import type { Route, RouteFields, UpdateAnswer } from '../model/types'
import { getRoute, sendUpdate } from '../api/routes'
import { keyOf, type RouteAddress } from './find'
import { covers, diffRoutes } from '../model/diff'
import { isPending, wholeRoute } from '../model/route-state'
import { comparable, forgetSecrets, rememberSecrets } from './known-secrets'

/**
 * Serializes the changes of one route across all callers: first come, first served. Changes of
 * different routes run in parallel.
 */
export function serialized<T>(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
  change: () => Promise<T>,
): Promise<T> {
  return gateway.inTurn(`route ${keyOf(address)}`, operation, change)
}

/** Sends an update and remembers it until it is seen applied. `present`: the route it changes. */
export async function sendTracked(
  gateway: Connection,
  address: RouteAddress,
  { fields, present }: { fields: RouteFields; present?: Route },
  operation: Operation,
): Promise<UpdateAnswer> {
  const { unseenUpdates } = gateway.memory
  setLatest(unseenUpdates, keyOf(address), { fields, before: present && toSent(present) })
  try {
    const answer = await sendUpdate(gateway, { ...address, fields }, operation)
    rememberSecrets(gateway, address, fields)
    return answer
  } catch (error) {
    if (mayHaveArrived(error)) forgetSecrets(gateway, address)
    else unseenUpdates.delete(keyOf(address))
    throw error
  }
}

/** Call when the update of a route has been seen applied. */
export function forgetUpdate(gateway: Connection, address: RouteAddress): void {
  gateway.memory.unseenUpdates.delete(keyOf(address))
}

/** Call when the route has been deleted. */
export function forgetRoute(gateway: Connection, address: RouteAddress): void {
  forgetUpdate(gateway, address)
  forgetSecrets(gateway, address)
}

/** True when an update of the route is known to be in progress. */
export function isInProgress(gateway: Connection, address: RouteAddress, route: Route): boolean {
  const unseen = gateway.memory.unseenUpdates.get(keyOf(address))
  return (
    isPending(route) ||
    (unseen !== undefined && !isVisible(unseen, comparable(gateway, address.deviceId, route)))
  )
}

/** A response that is not a route ends a change before it is sent, and the error has to say so. */
function unreadable(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'BAD_RESPONSE') throw error
  throw restated(error, [...error.sentences, say('notSent')])
}

const SETTLE_MS = 30_000
const GRACE_MS = 5_000

/**
 * Reads the route once no earlier update of it is in progress: a change that is planned on values
 * about to be replaced would undo them.
 * @throws GatewayError `NOT_CONFIRMED` when the earlier update does not end
 */
export async function readStableRoute(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
): Promise<Route> {
  const read = async (waited: number): Promise<Route | undefined> => {
    const route = wholeRoute(await getRoute(gateway, address, operation).catch(unreadable))
    // Firmware may store a value in a form other than the one sent: such an update never shows as
    // sent. With nothing pending it is over all the same.
    const over = !isInProgress(gateway, address, route) || (!isPending(route) && waited > GRACE_MS)
    if (!over) return undefined
    forgetUpdate(gateway, address)
    return route
  }
  return pollUntil(gateway, read, SETTLE_MS, operation)
}

const LONGEST_PAUSE = 1000

/**
 * Polls until an earlier change has completed, and returns what was read then.
 * @param read takes the milliseconds since the first poll; returns undefined while the change is in
 * progress
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
        { operation: operation.name, retryable: true, applied: 'no' },
      )
    }
    await gateway.pause(pauseMs, operation.stop)
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE)
  }
}

function isVisible({ fields, before }: UnseenUpdate, route: Route): boolean {
  if (covers(route, fields)) return true
  return before !== undefined && diffRoutes(before, toSent(route)).length > 0
}
