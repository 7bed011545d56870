import { readOnlyError, say, words } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import type { UpdateAnswer } from '../model/types'
import { usableId } from '../api/endpoints'
import { sendDelete } from '../api/routes'
import { judgeMissing } from '../watch/gone'
import { awaitChange, type Expectation } from './wait'
import type { Waiting } from './create'
import type { RouteAddress } from './find'
import { isOn } from '../model/route-state'
import { forgetRoute, sendUnseen, serialized } from './pending'
import { refuseIfProtected } from './protected'
import { sharedOutputs } from './shared'

/**
 * Deletes a route. With `applied`, returns once the route is gone, see `watch/gone`.
 * @throws GatewayError `NOT_FOUND` when the appliance says that there is no such route
 */
export function deleteRoute(
  gateway: Connection,
  { deviceId, routeId, waitFor, waitTimeout }: RouteAddress & Waiting,
  operation: Operation,
): Promise<UpdateAnswer> {
  if (gateway.readOnly) throw readOnlyError(operation)
  return serialized(gateway, { deviceId, routeId }, operation, async () => {
    const address = { deviceId, routeId: usableId(routeId) }
    await refuseIfProtected(gateway, address, operation)
    await sharedOutputs(gateway, address)({}, operation)
    const answer = await sendUnseen(gateway, address, { kind: 'delete' }, () =>
      sendDelete(gateway, address, operation),
    )
    if (waitFor === 'applied') {
      await awaitGone(gateway, address, waitTimeout, operation)
      forgetRoute(gateway, address)
    }
    return answer
  })
}

/**
 * Waits until the route is certainly gone.
 * @param options.unsent true when no change was sent because the route was not found
 * @param options.onMissing called when a poll shows the first time that it is missing
 */
export function awaitGone(
  gateway: Connection,
  { deviceId, routeId }: RouteAddress,
  timeout: number,
  operation: Operation,
  { unsent = false, onMissing }: { unsent?: boolean; onMissing?: () => void } = {},
): Promise<true> {
  let missingSince: number | undefined
  const judge: Expectation<true>['judge'] = async (routes, evidence) => {
    const route = routes.byId(routeId)
    if (route) {
      missingSince = undefined
      return {
        instead: isOn(route.hasPendingDelete)
          ? say('lastPending')
          : words('The route still exists.'),
      }
    }
    const found = await evidence(routeId)
    const verdict = judgeMissing(found, missingSince, gateway.clock.now())
    if (verdict === 'gone') return { seen: true }
    const again = missingSince === undefined && verdict !== undefined
    missingSince = verdict
    if (verdict !== undefined) onMissing?.()
    if (found.itself === 'there') return { instead: words('The route is still listed.') }
    return {
      again,
      instead: words(
        found.isUnlisted
          ? 'The route is missing, which one more poll has to confirm.'
          : 'The route is missing from a list that may not be complete.',
      ),
    }
  }
  return awaitChange(gateway, { deviceId, routeId, judge, timeout, unsent }, operation)
}
