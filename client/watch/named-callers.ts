import type { Connection } from '../connection/connection'
import { knownBy } from './registry'
import type { Named } from '../model/types'
import { isRouteOf } from './measuring/caller-book'

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

/**
 * Says who is expected at a route by its name or ID, and away by what a watch knows; null while nothing
 * is known of its callers.
 */
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
