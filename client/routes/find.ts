import { GatewayError } from '../errors'
import type { Gateway } from '../gateway'
import type { Operation } from '../operation'
import type { Destination, Route } from '../model/types'
import { getRoute, listRoutes } from '../operations/routes'

/** Where a route is. */
export interface RouteAddress {
  deviceId: string
  routeId: string
}

/** What tells a route or a destination: its ID, or else its exact name. */
export type Target = { id: string } | { name: string }

/**
 * The ID of the route that is meant. A name is looked up on every page.
 * @throws GatewayError `NOT_FOUND` for an unknown name, `CONFLICT` with the IDs for one that fits several
 */
export async function findRoute(
  gateway: Gateway,
  deviceId: string,
  target: Target,
  operation: Operation,
): Promise<string> {
  if ('id' in target) return target.id
  const { data } = await listRoutes(gateway, { deviceId }, operation)
  return theOne('route', target.name, data, operation).id
}

/** The ID of the destination of a route that is meant. A name is looked up in the route. */
export async function findDestination(
  gateway: Gateway,
  address: RouteAddress,
  target: Target,
  operation: Operation,
): Promise<string> {
  if ('id' in target) return target.id
  const { destinations } = await getRoute(gateway, address, operation)
  return theOne('destination', target.name, destinations ?? [], operation).id
}

/** The one route or destination with this name. */
function theOne<T extends Route | Destination>(
  kind: 'route' | 'destination',
  name: string,
  among: T[],
  operation: Operation,
): T & { id: string } {
  const found = among.filter((candidate) => candidate.name === name)
  const [only, ...others] = found
  if (!only) {
    throw new GatewayError('NOT_FOUND', `There is no ${kind} with the name "${name}".`, {
      operation: operation.name,
    })
  }
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(', ')
    throw new GatewayError(
      'CONFLICT',
      `${found.length} ${kind}s have the name "${name}". Choose one by its ID: ${ids}`,
      { operation: operation.name },
    )
  }
  return only as T & { id: string }
}
