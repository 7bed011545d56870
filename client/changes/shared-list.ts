import { listRoutes } from '../api/routes'
import { Operation } from '../connection/operation'
import { GatewayError, closedError, reported } from '../errors'
import type { Connection } from '../connection/connection'
import type { RouteList } from '../model/types'
import { untilStopped, within } from '../stop'

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
      return await listRoutes(gateway, { deviceId }, made)
    } finally {
      if (lists.get(deviceId) === own) lists.delete(deviceId)
    }
  }
  const own: SharedList = { hasBegun: false, made, read: read() }
  return own
}
