import { readOnlyError } from '../errors'
import type { Gateway } from '../gateway'
import type { Operation } from '../operation'
import { isSameId } from '../model/match'
import type { Route, UpdateAnswer } from '../model/types'
import { sendDelete } from '../operations/routes'
import { confirm } from './confirm'
import type { Waiting } from './create'
import type { RouteAddress } from './find'
import { forgetRoute } from './settled'
import { inTurnOf } from './turn'

/**
 * Deletes a route (facts 4.5). With `applied` the answer comes when the route is gone.
 * @throws GatewayError `NOT_FOUND` when the appliance says that there is no such route
 */
export function deleteRoute(
  gateway: Gateway,
  { deviceId, routeId, waitFor, waitTimeout }: RouteAddress & Waiting,
  operation: Operation,
): Promise<UpdateAnswer> {
  if (gateway.readOnly) throw readOnlyError(operation)
  return inTurnOf(gateway, { deviceId, routeId }, operation, async () => {
    const answer = await sendDelete(gateway, { deviceId, routeId }, operation)
    forgetRoute(gateway, { deviceId, routeId })
    if (waitFor === 'applied') {
      await confirmGone(gateway, { deviceId, routeId }, waitTimeout, operation)
    }
    return answer
  })
}

/** Waits until the route is no longer there. */
export function confirmGone(
  gateway: Gateway,
  { deviceId, routeId }: RouteAddress,
  timeout: number,
  operation: Operation,
): Promise<true> {
  const look = (routes: Route[]): { seen: true } | { instead: string } => {
    const route = routes.find(({ id }) => isSameId(id, routeId))
    if (!route) return { seen: true }
    return {
      instead: route.hasPendingDelete ? 'the delete still pending' : 'the route still there',
    }
  }
  return confirm(gateway, { deviceId, routeId, look, timeout }, operation)
}
