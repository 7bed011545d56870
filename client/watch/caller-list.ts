// Who calls the listeners of routes: as statistics show it, and as watches know it.
import { readAllStatistics, readStatistics, type FailedStatistics } from '../api/statistics'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { isSameId } from '../model/ids'
import { own } from '../model/json'
import type { Named } from '../model/types'
import { isRouteOf } from './measuring/caller-book'
import { callersOf, type CallerFigures } from './measuring/callers'
import { listIn, namedIn } from './measuring/statistics'
import { knownBy } from './registry'

/** A caller that is connected: plain data, with addresses. */
export interface ListedCaller extends CallerFigures {
  /** As the config node has it; null where it has none. */
  name: string | null
  /** Since when a watch has seen it, Unix ms; null where none follows the callers. */
  since: number | null
  route: Named
  /** The one that it calls: an output, or the source of the route. */
  output?: Named
  source?: Named
}

interface CallersRead {
  callers: ListedCaller[]
  /** Of how many routes, and how many of these could not be read. */
  routes: number
  failed: number
}

/** Reads who calls a route, or all running routes without its ID. @throws GatewayError */
export async function listCallers(
  gateway: Connection,
  { deviceId, routeId }: { deviceId: string; routeId?: string },
  operation: Operation,
): Promise<CallersRead> {
  const read: ReadonlyArray<object | FailedStatistics> =
    routeId === undefined
      ? await readAllStatistics(gateway, deviceId, operation)
      : [await readStatistics(gateway, deviceId, { routeId }, operation)]
  const known = knownBy(gateway, deviceId)?.callers ?? []
  const callers = read.flatMap((statistics) => {
    const given = own(statistics, 'route')
    const route = namedIn(given)
    const source = own(given, 'source')
    const listeners = own(source, 'mode') === 'listener' ? [source] : []
    const outputs = listIn(given, 'destinations').filter(
      (part) => own(part, 'clientStat') !== undefined,
    )
    return [...listeners, ...outputs].flatMap((part) =>
      (callersOf(part) ?? []).map((caller): ListedCaller => {
        const called = namedIn(part)
        const isSource = part === source
        const place = { route, ...(isSource ? { source: called } : { destination: called }) }
        const seen = known.find(
          ({ address, port, place: of }) =>
            address === caller.address &&
            port === caller.port &&
            isSameId((of.destination ?? of.source)?.id, called.id),
        )
        return {
          ...caller,
          name: gateway.callers?.()?.nameOf(caller.address, place) ?? null,
          since: seen?.since ?? null,
          route,
          ...(isSource ? { source: called } : { output: called }),
        }
      }),
    )
  })
  const failed = read.filter((one) => 'error' in one).length
  return { callers: gateway.hide(callers), routes: read.length, failed }
}

/** A caller that has a name, at one route. */
export interface NamedCaller {
  name: string
  /** Undefined for one that is expected at any route, and is at none. */
  routeId?: string
  /** None while an expected one is away. */
  connections: number
}

/** The callers that have names, as far as a watch follows them; without addresses. */
export function namedCallers(gateway: Connection): NamedCaller[] | undefined {
  const { callers, state } = knownBy(gateway) ?? {}
  const book = gateway.callers?.()
  if (!callers || !state || !book) return undefined
  const found = new Map<string, NamedCaller>()
  const add = (name: string, routeId: string | undefined, connections: number): void => {
    const key = JSON.stringify([name, routeId])
    const before = found.get(key)?.connections ?? 0
    found.set(key, { name, routeId, connections: before + connections })
  }
  for (const { address, place } of callers) {
    const name = book.nameOf(address, place)
    if (name !== undefined) add(name, place.route.id, 1)
  }
  for (const { row, is } of book.expected) {
    if (callers.some(({ address, place }) => is(address, place))) continue
    const routes = [...state.routes.values()].filter((route) => isRouteOf(row, route))
    if (routes.length > 0) add(row.name, routes.length === 1 ? routes[0]!.id : undefined, 0)
  }
  return [...found.values()]
}

/** Who is expected at a route, and away; null while nothing is known of its callers. */
export function expectations(
  gateway: Connection,
  deviceId: string,
): (route: Named) => { number: number; away: string[] } | null {
  const { callers } = knownBy(gateway, deviceId) ?? {}
  const expected = gateway.callers?.()?.expected.filter(({ row }) => row.route !== '') ?? []
  return (route) => {
    if (!callers) return null
    const its = expected.filter(({ row }) => isRouteOf(row, route))
    const away = its.filter(({ is }) => !callers.some((one) => is(one.address, one.place)))
    return { number: its.length, away: away.map(({ row }) => row.name) }
  }
}
