import { getRoute, listRoutes } from '../api/routes'
import { Operation } from '../connection/operation'
import { GatewayError, closedError, hasCode, reported } from '../errors'
import type { Connection } from '../connection/connection'
import { RouteIndex } from '../model/route-index'
import type { Route, RouteList } from '../model/types'
import { untilStopped, within } from '../stop'
import { readLate, type ReadTogether } from '../unseen'

interface SharedList {
  hasBegun: boolean
  read: Promise<RouteList>
  /** Has its requests. */
  made: Operation
}

/** Milliseconds after which the next list does not wait for the one before it. */
const LONG_MS = 1000

/**
 * All callers share the next list that begins: one that has begun may be older than what they have seen.
 * So a thousand changes at once cost a few lists.
 */
export async function nextList(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<RouteList> {
  const lists = gateway.memory.lists as Map<string, SharedList>
  const latest = lists.get(deviceId)
  const shared = latest && !latest.hasBegun ? latest : listAfter(latest, gateway, deviceId)
  lists.set(deviceId, shared)
  try {
    return await untilStopped(shared.read, operation.stop, closedError)
  } catch (error) {
    throw error instanceof GatewayError ? reported(error, operation, gateway.identity) : error
  } finally {
    // Each caller has waited for its requests.
    operation.requests += shared.made.requests
    operation.statusCode = shared.made.statusCode ?? operation.statusCode
  }
}

function listAfter(
  latest: SharedList | undefined,
  gateway: Connection,
  deviceId: string,
): SharedList {
  const lists = gateway.memory.lists as Map<string, SharedList>
  const made = new Operation('list-routes')
  const read = async (): Promise<RouteList> => {
    await (latest &&
      within(
        LONG_MS,
        latest.read.catch(() => undefined),
      ))
    own.hasBegun = true
    try {
      return await presentList(gateway, deviceId, made)
    } finally {
      if (lists.get(deviceId) === own) lists.delete(deviceId)
    }
  }
  const own: SharedList = { hasBegun: false, made, read: read() }
  return own
}

/** All routes, none of them older than what was seen of it. */
export async function presentList(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<RouteList> {
  const list = await listRoutes(gateway, { deviceId }, operation)
  const read = { routes: new RouteIndex(list.data), readOf: 'list' } as const
  const { all } = await presentRoutes(gateway, deviceId, read, operation)
  return { ...list, data: [...all] }
}

/**
 * Reads those routes by themselves that were read together as they were before a change that was seen.
 * @param unread where it is given, what could not be read stays in it with the error, by its ID
 */
export async function presentRoutes(
  gateway: Connection,
  deviceId: string,
  read: ReadTogether,
  operation: Operation,
  unread?: Map<string, unknown>,
): Promise<RouteIndex> {
  const { routes } = read
  const late = readLate(gateway, deviceId, read)
  if (late.length === 0) return routes
  const readOne = async (route: Route): Promise<[Route, Route]> => {
    const reading = getRoute(gateway, { deviceId, routeId: route.id }, operation)
    const present = await reading.catch((error: unknown) => {
      // It is on its way out of the list, too.
      if (hasCode(error, 'NOT_FOUND')) return route
      if (!unread || hasCode(error, 'CLOSED')) throw error
      unread.set(route.id, error)
      return route
    })
    return [route, present]
  }
  const present = new Map(await Promise.all(late.map(readOne)))
  return new RouteIndex(routes.all.map((route) => present.get(route) ?? route))
}
