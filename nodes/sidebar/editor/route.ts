// The routes of an appliance as the sidebar has them, which of them are shown, and in which order.
import { SIGNS, type Sign } from '../../../client/model/health'
import { byName } from '../../editor/address'
import { isRunning } from '../../editor/states'
import type { Failover, ShownRoute, ShownSnapshot } from '../../wire'
import { failoversFor, troubleOfFailover, withoutRoute } from './failover'

/** The state of a device, as far as the sidebar shows it. */
export interface Snapshot extends Pick<ShownSnapshot, 'device'> {
  failovers: Failover[]
  routes: Route[]
}

export interface Route extends ShownRoute {
  /** Those that keep it on the air. */
  failovers: Failover[]
}

/** What Node-RED says of the routes, each with its failovers. */
export const withFailovers = (
  { device, routes }: ShownSnapshot,
  failovers: readonly Failover[] = [],
): Snapshot => ({
  device,
  failovers: withoutRoute(failovers, device, routes),
  routes: routes.map((route) => ({
    ...route,
    failovers: failoversFor(failovers, device.id, route.id),
  })),
})

export const FILTERS = ['all', 'running', 'idle', 'problem'] as const
export type Filter = (typeof FILTERS)[number]

const IS: Record<Filter, (route: Route) => boolean> = {
  all: () => true,
  running: isRunning,
  idle: (route) => !isRunning(route),
  problem: (route) => ['critical', 'warning'].includes(signOf(route)),
}

/** The routes that pass the filter and have the words in their name or ID. */
export function matchingRoutes(routes: readonly Route[], words: string, filter: Filter): Route[] {
  const wanted = words.trim().toLowerCase()
  return routes.filter(
    (route) =>
      IS[filter](route) &&
      (route.name.toLowerCase().includes(wanted) || route.id.toLowerCase().includes(wanted)),
  )
}

/** The first one is the default. */
export const ORDERS = ['trouble', 'name'] as const
export type Order = (typeof ORDERS)[number]

export function sorted(routes: readonly Route[], order: Order): Route[] {
  const byTrouble = (one: Route, other: Route): number => rankOf(one) - rankOf(other)
  return [...routes].sort(
    (one, other) => (order === 'trouble' && byTrouble(one, other)) || byName(one, other),
  )
}

function signOf({ health, failovers }: Route): Sign {
  const signs = [health.sign, ...failovers.map(troubleOfFailover)]
  return SIGNS.find((sign) => signs.includes(sign))!
}

/** The worst first. Callers who come and go change no order. */
const rankOf = (route: Route): number =>
  Math.min(SIGNS.indexOf(signOf(route)), SIGNS.indexOf('waiting'))
