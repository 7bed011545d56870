// The routes of an appliance as the sidebar has them, and which of them are shown.
import { isRunning, signOfRoute, type Stateful } from '../../editor/states'

/** The state of a device, as far as the sidebar shows it. */
export interface Snapshot {
  device: { id: string; name: string; statusCode?: string; status?: string; firmware?: string }
  routes: Route[]
}

export interface Route extends Stateful {
  id: string
  name: string
  source: Part
  destinations: Part[]
}

export interface Part extends Stateful {
  id?: string
  name?: string
  protocol?: string
  address?: string
  port?: number
}

export const FILTERS = ['all', 'running', 'idle', 'problem'] as const
export type Filter = (typeof FILTERS)[number]

const IS: Record<Filter, (route: Route) => boolean> = {
  all: () => true,
  running: isRunning,
  idle: (route) => !isRunning(route),
  problem: (route) => ['warn', 'error'].includes(signOfRoute(route)),
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

const names = new Intl.Collator(undefined, { numeric: true })

export const byName = (routes: readonly Route[]): Route[] =>
  [...routes].sort((one, other) => names.compare(one.name, other.name))
