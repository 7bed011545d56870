// What is known of the routes of an appliance, and how it is told apart.

/** As far as the sidebar shows it. */
export interface Snapshot {
  device: { id: string; name: string; statusCode?: string; status?: string; firmware?: string }
  routes: Route[]
}

export interface Route {
  id: string
  name: string
  state?: string
  summaryStatusCode?: string
  source: Part
  destinations: Destination[]
}

export interface Part {
  id?: string
  name?: string
  protocol?: string
  address?: string
  port?: number
  state?: string
  summaryStatusCode?: string
}

export interface Destination extends Part {
  started?: boolean
}

/** How something is, at a glance. */
export type Tone = 'ok' | 'warn' | 'error' | 'unknown' | 'off'

/** `off` is what does not run and has nothing wrong with it. */
export function toneOf({ summaryStatusCode: code }: Part, runs: boolean): Tone {
  if (code === 'warn' || code === 'error') return code
  if (!runs) return 'off'
  return code === 'ok' ? 'ok' : 'unknown'
}

export const isRunning = ({ state }: Route): boolean => state === 'running'

export const isOn = ({ started }: Destination): boolean => started !== false

export const isConnected = ({ state }: Part): boolean => state === 'connected'

export const FILTERS = ['all', 'running', 'idle', 'problem'] as const
export type Filter = (typeof FILTERS)[number]

const IS: Record<Filter, (route: Route) => boolean> = {
  all: () => true,
  running: isRunning,
  idle: (route) => !isRunning(route),
  problem: (route) => ['warn', 'error'].includes(toneOf(route, isRunning(route))),
}

/** The routes in which the words are found, in name or ID. */
export function chosen(routes: readonly Route[], words: string, filter: Filter): Route[] {
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
