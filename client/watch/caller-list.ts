// Who calls the listeners of routes: as statistics show it, and as watches know it.
import { readAllStatistics, readStatistics, type FailedStatistics } from '../api/statistics'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { isSameId } from '../model/ids'
import { own } from '../model/json'
import type { Named } from '../model/types'
import { deviceHealth } from '../model/health'
import { isRouteOf } from './measuring/caller-book'
import { callersOf, type CallerFigures, type Callers } from './measuring/callers'
import { listIn, namedIn } from './measuring/statistics'
import { knownBy } from './registry'
import { awaitedIn, isRead } from './report/expected-callers'

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
  const known = together(knownBy(gateway, deviceId)?.callers ?? []).present()
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

/** The callers that have names, as far as watches know them; without addresses. */
export function namedCallers(gateway: Connection): NamedCaller[] | undefined {
  const { callers: watches = [], state } = knownBy(gateway) ?? {}
  const book = gateway.callers?.()
  if (watches.length === 0 || !state || !book) return undefined
  const { code, state: status } = state.condition
  if (deviceHealth(code, status).sign === 'unknown') return undefined
  const callers = together(watches)
  const found = new Map<string, NamedCaller>()
  const add = (name: string, routeId: string | undefined, connections: number): void => {
    const key = JSON.stringify([name, routeId])
    const before = found.get(key)?.connections ?? 0
    found.set(key, { name, routeId, connections: before + connections })
  }
  for (const { address, place } of callers.present()) {
    const name = isRead(callers, place) ? book.nameOf(address, place) : undefined
    if (name !== undefined) add(name, place.route.id, 1)
  }
  for (const { expected, route, standing } of awaitedIn(state, book, callers, () => true)) {
    if (standing === 'away') add(expected.row.name, route?.id, 0)
  }
  return [...found.values()]
}

/** Who is expected at a route, and away; null while that is not known. */
export function expectations(
  gateway: Connection,
  deviceId: string,
): (route: Named) => { number: number; away: string[] } | null {
  const { callers = [], state } = knownBy(gateway, deviceId) ?? {}
  if (callers.length === 0 || !state) return () => null
  const awaited = awaitedIn(state, gateway.callers?.(), together(callers), () => true)
  const ofRoutes = awaited.filter(
    ({ expected, standing }) => expected.row.route !== '' && standing !== 'stopped',
  )
  return (route) => {
    const its = ofRoutes.filter(({ expected }) => isRouteOf(expected.row, route))
    if (its.some(({ standing }) => standing === 'unknown')) return null
    const away = its.filter(({ standing }) => standing === 'away')
    return { number: its.length, away: away.map(({ expected }) => expected.row.name) }
  }
}

/** Of several watches, which may follow some routes only: of each route, what one that knows it knows. */
function together(watches: readonly Callers[]): Callers {
  return {
    listsOf(route, output) {
      const found = watches.map((one) => one.listsOf(route, output))
      return (['read', 'unlisted'] as const).find((each) => found.includes(each)) ?? 'unread'
    },
    present() {
      const lists = watches.map((one) => ({ one, list: one.present() }))
      const chosen = new Map<string, Callers>()
      for (const { one, list } of lists) {
        for (const { place } of list) {
          const { route } = place
          if (chosen.has(route.id)) continue
          chosen.set(route.id, watches.find((each) => each.listsOf(route, '') !== 'unread') ?? one)
        }
      }
      return lists.flatMap(({ one, list }) =>
        list.filter(({ place }) => chosen.get(place.route.id) === one),
      )
    },
  }
}
