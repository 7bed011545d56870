import { badResponse, failureOf, reported, say, type ErrorCause, type ErrorCode } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { createSemaphore } from '../connection/concurrency'
import { isObject } from '../model/json'
import { isRunning } from '../model/route-state'
import type { Named } from '../model/types'
import { listRoutes } from './routes'
import { requestTo } from './endpoints'
import { expectObject } from './shapes'

/** What statistics are about. IDs as in the route; a client is identified by its address. */
export type StatisticsOf =
  | { routeId: string }
  | { routeId: string; sourceId: string }
  | { routeId: string; destinationId: string }
  | { routeId: string; destinationId: string; clientAddress: string; clientPort?: number }

/** With numbers converted from text, see docs/project/interface.md#statistics. */
export type Statistics = Record<string, unknown> & { collectedAt?: number }

/** Replaces the statistics of a route that could not be read. */
export interface FailedStatistics {
  route: Named
  error: { code: ErrorCode; message: string; cause: ErrorCause }
}

/** GET /api/gateway/{device}/statistics, and /statistics/client. */
export async function readStatistics(
  gateway: Connection,
  deviceId: string,
  of: StatisticsOf,
  operation: Operation,
): Promise<Statistics> {
  const query = new URLSearchParams({ routeID: of.routeId })
  if ('sourceId' in of) query.set('sourceID', of.sourceId)
  if ('destinationId' in of) query.set('destinationID', of.destinationId)
  const ofClient = 'clientAddress' in of
  if (ofClient) {
    query.set('clientAddress', of.clientAddress)
    if (of.clientPort !== undefined) query.set('clientPort', String(of.clientPort))
  }
  const endpoint = ofClient ? 'readClientStatistics' : 'readStatistics'
  const content = { query, what: { kind: 'statistics', id: of.routeId } } as const
  const body = await gateway.call(requestTo(endpoint, { device: deviceId }, content), operation)
  const statistics = normalised(expectObject<Statistics>(body, 'statistics')) as Statistics
  if (statistics.clientStat === undefined && !PARTS.some((part) => isObject(statistics[part]))) {
    throw badResponse(say('noStatistics'))
  }
  return statistics
}

/** Each response but that about a client contains one of these, which shows what it is about. */
const PARTS = ['route', 'source', 'destination']

/**
 * Returns the statistics of every running route, read in parallel as far as the gateway allows.
 * A route that has gone meanwhile is left out; one that cannot be read has an entry with the error.
 * @throws GatewayError when none could be read
 */
export async function readAllStatistics(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<Array<Statistics | FailedStatistics>> {
  const { data } = await listRoutes(gateway, { deviceId, certain: false }, operation)
  return readStatisticsOf(gateway, deviceId, data.filter(isRunning), operation)
}

/** As {@link readAllStatistics}, for these routes. */
export async function readStatisticsOf(
  gateway: Connection,
  deviceId: string,
  routes: ReadonlyArray<{ id: string; name: string }>,
  operation: Operation,
): Promise<Array<Statistics | FailedStatistics>> {
  const failures: unknown[] = []
  const inBackground = operation.under({ background: true })
  const read = async ({ id, name }: Named): Promise<Statistics | FailedStatistics | undefined> => {
    try {
      return await readStatistics(gateway, deviceId, { routeId: id }, inBackground)
    } catch (error) {
      const failure = failureOf(error)
      failures.push(failure)
      if (failure.code === 'NOT_FOUND') return undefined
      const about = { name: operation.name, route: name }
      const { code, message, cause } = reported(failure, about, gateway.identity)
      return { route: { id, name }, error: { code, message, cause } }
    }
  }
  // No more are queued than run at a time, and commands go first: they wait for one response at
  // most, not for hundreds.
  const semaphore = createSemaphore(gateway.concurrency)
  const answers = await Promise.all(routes.map((route) => semaphore.run(() => read(route))))
  if (failures.length > 0 && failures.length === routes.length) throw failures[0]
  return answers.filter((answer) => answer !== undefined)
}

/** Members that are text even when they look like a number. */
const TEXT: ReadonlySet<string> = new Set(
  `id name label address localAddress networkInterface streamName srtStreamID srtVersion
  SRTPeerVersion`.split(/\s+/),
)

// Firmware sends some numbers as text, and the list of clients under two names.
function normalised(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    return !TEXT.has(name) && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
  }
  if (Array.isArray(value)) return value.map((entry) => normalised(entry, name))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([member, inside]): [string, unknown] => [
    member,
    normalised(inside, member),
  ])
  const result = Object.fromEntries(members)
  const clients = result.clientStat ?? result.clientsStat
  return clients === undefined ? result : { ...result, clientStat: clients, clientsStat: clients }
}
