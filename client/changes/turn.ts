import type { Gateway } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { keyOf, type RouteAddress } from './find'

/** Changes of one route take turns, whoever makes them; those of different routes run in parallel. */
export function inTurnOf<T>(
  gateway: Gateway,
  address: RouteAddress,
  operation: Operation,
  change: () => Promise<T>,
): Promise<T> {
  return gateway.inTurn(`route ${keyOf(address)}`, operation, change)
}
