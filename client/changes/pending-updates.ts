import { GatewayError, mayHaveArrived } from '../errors'
import type { Gateway } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { toSent } from '../model/convert'
import type { Route, RouteFields, UpdateAnswer } from '../model/types'
import { getRoute, sendUpdate } from '../api/routes'
import { keyOf, type RouteAddress } from './find'
import { covers, differs } from '../model/diff'
import { isPending, wholeRoute } from '../model/route-state'
import { forgetSecrets, rememberSecrets, setLatest, withWritten } from './known-secrets'

/** An update that the appliance may have accepted and that was not seen applied yet. */
interface UnseenUpdate {
  fields: RouteFields
  before?: RouteFields
}

const unseenByGateway = new WeakMap<Gateway, Map<string, UnseenUpdate>>()

function unseenUpdates(gateway: Gateway): Map<string, UnseenUpdate> {
  const known = unseenByGateway.get(gateway) ?? new Map<string, UnseenUpdate>()
  unseenByGateway.set(gateway, known)
  return known
}

/** Sends an update, and remembers it until it was seen. `present` is the route that it was planned on. */
export async function sendRemembered(
  gateway: Gateway,
  address: RouteAddress,
  { fields, present }: { fields: RouteFields; present?: Route },
  operation: Operation,
): Promise<UpdateAnswer> {
  const unseen = unseenUpdates(gateway)
  setLatest(unseen, keyOf(address), { fields, before: present && toSent(present) })
  try {
    const answer = await sendUpdate(gateway, { ...address, fields }, operation)
    rememberSecrets(gateway, address, fields)
    return answer
  } catch (error) {
    if (mayHaveArrived(error)) forgetSecrets(gateway, address)
    else unseen.delete(keyOf(address))
    throw error
  }
}

/** To be called when the update of a route was seen applied. */
export function forgetUpdate(gateway: Gateway, address: RouteAddress): void {
  unseenUpdates(gateway).delete(keyOf(address))
}

/** To be called when the route is deleted. */
export function forgetRoute(gateway: Gateway, address: RouteAddress): void {
  forgetUpdate(gateway, address)
  forgetSecrets(gateway, address)
}

/** Whether an update of the route is under way, as far as is known here. */
export function isUnderWay(gateway: Gateway, address: RouteAddress, route: Route): boolean {
  const unseen = unseenUpdates(gateway).get(keyOf(address))
  return (
    isPending(route) ||
    (unseen !== undefined && !hasShown(unseen, withWritten(gateway, address.deviceId, route)))
  )
}

/** An answer that is not a route ends the change before it has begun, and the user is to know that. */
function unreadable(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'BAD_RESPONSE') throw error
  throw new GatewayError(error.code, `${error.message} The change was not sent.`, error.cause)
}

const SETTLE_MS = 30_000
const GRACE_MS = 5_000

/**
 * The route, read when no earlier update is under way any more: a change that is
 * planned on values about to be replaced would undo them.
 * @throws GatewayError `NOT_CONFIRMED` when the earlier update does not end
 */
export async function settledRoute(
  gateway: Gateway,
  address: RouteAddress,
  operation: Operation,
): Promise<Route> {
  const look = async (waited: number): Promise<Route | undefined> => {
    const route = wholeRoute(await getRoute(gateway, address, operation).catch(unreadable))
    // Firmware may store a value in another form than it was sent in, and such an update
    // never shows as sent. With nothing pending it is over all the same.
    const over = !isUnderWay(gateway, address, route) || (!isPending(route) && waited > GRACE_MS)
    if (!over) return undefined
    forgetUpdate(gateway, address)
    return route
  }
  return whenSettled(gateway, look, SETTLE_MS, operation)
}

const LONGEST_PAUSE = 1000

/**
 * Looks until an earlier change has come to its end: what there is then. `look` gets the
 * milliseconds since the first one, and answers undefined while the change is under way.
 * @throws GatewayError `NOT_CONFIRMED` when that lasts longer than `patience`, ms
 */
export async function whenSettled<T>(
  gateway: Gateway,
  look: (waited: number) => Promise<T | undefined>,
  patience: number,
  operation: Operation,
): Promise<T> {
  const startedAt = gateway.clock.now()
  let pauseMs = 50
  for (;;) {
    const settled = await look(gateway.clock.now() - startedAt)
    if (settled !== undefined) return settled
    if (gateway.clock.now() - startedAt > patience) {
      throw new GatewayError(
        'NOT_CONFIRMED',
        'An earlier change is still under way on the appliance. The new one was not sent, so as not to undo or repeat it.',
        { operation: operation.name, retryable: true, applied: 'no' },
      )
    }
    await gateway.pause(pauseMs, operation.stop)
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE)
  }
}

function hasShown({ fields, before }: UnseenUpdate, route: Route): boolean {
  if (covers(route, fields)) return true
  return before !== undefined && differs(before, toSent(route)).length > 0
}
