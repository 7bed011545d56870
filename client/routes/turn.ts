import type { Gateway } from '../gateway'
import type { Operation } from '../operation'
import { plainId } from '../model/match'
import type { RouteAddress } from './find'

/** Changes of one route take turns, whoever makes them; those of different routes run in parallel. */
export function inTurnOf<T>(
  gateway: Gateway,
  { deviceId, routeId }: RouteAddress,
  operation: Operation,
  change: () => Promise<T>,
): Promise<T> {
  return gateway.inTurn(`route ${deviceId} ${plainId(routeId)}`, operation, change)
}
