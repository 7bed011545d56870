import type { ErrorCode } from '../errors'
import type { NetworkAdapter } from '../model/types'
import type { Incident, IncidentEvent } from '../model/incident'
import type { EventName } from '../model/watch'
import { expanded } from './compact'
import type { Change, RouteDefinition } from './compare'
import { eachRoute, routeFigures, type Figures, type RouteFigures } from './figures'
import type { Miss } from './poller'
import { isRunning } from './state'
import type { Condition, DestinationState, DeviceState, RouteState } from './state'

/** ID and name, as the appliance returns them. */
export interface Named {
  id: string
  name: string
}

/** An event on the appliance. Plain data without secrets; no other code keeps a reference to it. */
export interface WatchEvent {
  event: EventName | IncidentEvent
  /** With `incident.…`: the incident. */
  incident?: Incident
  /** What it is about in one sentence, in the language of the watch. For people: its words may change. */
  text: string
  /** When the value in `after` was first seen, Unix ms. */
  at: number
  /** The ID is empty until the appliance has sent it. */
  device: Named
  route?: Named
  /** With an incident of a route: its source. With `caller.…`: the one that is called. */
  source?: Named
  destination?: Named
  /** With `caller.…` and an incident of a caller: who it is. */
  caller?: EventCaller
  /** The pairing, with `peer.status`. */
  peer?: Named
  before: unknown
  after: unknown
  /** With an incident: the gateway's own word for what is wrong. */
  word?: string
  /** The appliance's own words on a status, where there are any. */
  details?: string
  /** With a status: the states of the connection or device behind it, null where not known. */
  states?: { before: string | null; after: string | null }
  /** Why the appliance counts as unreachable; `detail` as Node.js names it, such as `ECONNREFUSED`. */
  reason?: { code: ErrorCode; message: string; detail?: string }
  /** With `appliance.reachable` and `fleet.engine-back`: when the outage began, Unix ms, and how long it lasted. */
  since?: number
  outageMs?: number
  /** With `statistics.…` and an incident of a threshold: what was measured, and the limit that it passed. */
  measure?: string
  of?: 'source' | 'destination'
  /** Null when it is no longer measured because the route does not run. */
  value?: number | null
  limit?: number
}

/** Who has joined or left; of an expected one that is away, only its name is known. */
export interface EventCaller {
  address: string | null
  port: number | null
  /** As the list of callers has it; null where it has none. */
  name: string | null
  /** Since when it was there, Unix ms, and for how long; null while that is not known. */
  since: number | null
  durationMs: number | null
}

/** All that is known of a device: plain data without secrets, counters or clocks. Its routes have figures. */
export interface Snapshot {
  event: 'snapshot'
  /** How many of the routes are running, in one sentence. */
  text: string
  /** When it was seen, Unix ms. */
  at: number
  device: Named & { statusCode?: string; status?: string; firmware?: string }
  adapters: NetworkAdapter[]
  peers: Array<Named & { status?: string }>
  routes: RouteView[]
}

/** Before it is put into words. */
export type Wordless<Told extends WatchEvent | Snapshot> = Told extends unknown
  ? Omit<Told, 'text'>
  : never

/** Says what an event or a snapshot is about. Its words are loaded with the first: most starts have none. */
export const eventText: typeof import('./text/event-text').eventText = (event, language) =>
  (require('./text/event-text') as typeof import('./text/event-text')).eventText(event, language)

/** A route as an event or a snapshot shows it: its definition in sent form, and how it is. */
export interface RouteView extends Named {
  state?: string
  summaryStatusCode?: string
  source: Record<string, unknown>
  destinations: Array<Record<string, unknown>>
}

/** Returns the name of the event for a change. */
export function eventNameOf(change: Change): EventName {
  switch (change.of) {
    case 'route':
      return change.to ? 'route.added' : 'route.removed'
    case 'route.name':
      return 'route.renamed'
    case 'route.definition':
      return 'route.changed'
    case 'route.state':
      return isRunning(change.to) ? 'route.started' : 'route.stopped'
    case 'destination':
      return change.to ? 'destination.added' : 'destination.removed'
    case 'destination.started':
      return change.to ? 'destination.started' : 'destination.stopped'
    default:
      return change.of
  }
}

/** Returns the same text for changes to the same value, which is what `after` shows of it. */
export function valueOf(change: Change): string {
  switch (change.of) {
    case 'route':
    case 'destination':
      return change.to ? 'there' : 'gone'
    case 'route.definition': {
      const { source, destinations } = change.to
      const traces = [source, ...destinations.values()].map(({ trace, secrets }) => [
        trace,
        secrets,
      ])
      return JSON.stringify([...destinations.keys(), traces])
    }
    case 'route.state':
      return String(change.to.state)
    case 'device.status':
    case 'peer.status':
    case 'route.status':
    case 'source.status':
    case 'destination.status': {
      const { from = {}, to = {} } = change
      return String(to[newsOf(from, to)])
    }
    default:
      return String(change.to)
  }
}

/** What of a condition is shown: the state behind the code only when the code is the same. */
const newsOf = (from: Condition, to: Condition): 'state' | 'code' =>
  from.code === to.code ? 'state' : 'code'

/** Turns a change into an event. */
export function eventOf(
  change: Change,
  at: number,
  { id, name }: DeviceState,
): Wordless<WatchEvent> {
  const common = { at, device: { id, name } }
  const route = 'route' in change ? { route: named(change.route) } : {}
  const destination =
    'destination' in change
      ? { destination: { id: change.destination.id ?? '', name: change.destination.name } }
      : {}
  const event = eventNameOf(change)
  const make = (before: unknown, after: unknown, more: object = {}): Wordless<WatchEvent> => ({
    event,
    ...common,
    ...route,
    ...destination,
    ...more,
    before: before ?? null,
    after: after ?? null,
  })
  const status = (
    from: Condition = {},
    to: Condition = {},
    more: object = {},
  ): Wordless<WatchEvent> => {
    const told = newsOf(from, to)
    const states = { before: from.state ?? null, after: to.state ?? null }
    const details = to.details && { details: to.details }
    return make(from[told], to[told], { ...more, ...details, states })
  }

  switch (change.of) {
    case 'device.firmware':
    case 'route.name':
    case 'destination.started':
      return make(change.from, change.to)
    case 'device.status':
    case 'route.status':
    case 'source.status':
    case 'destination.status':
      return status(change.from, change.to)
    case 'peer.status':
      return status(change.from, change.to, { peer: named(change.peer) })
    case 'device.config':
      return make(JSON.parse(change.from), JSON.parse(change.to))
    case 'route':
      return make(change.from && routeView(change.from), change.to && routeView(change.to))
    case 'route.definition':
      return make(definitionView(change.from), definitionView(change.to))
    case 'route.state':
      return make(change.from.state, change.to.state)
    default:
      return make(
        change.from && destinationView(change.from),
        change.to && destinationView(change.to),
      )
  }
}

/** Returns the whole state, with only the wanted routes and, where given, their figures. */
export function snapshotOf(
  { id, name, condition, firmware, adapters, peers, routes }: DeviceState,
  at: number,
  wants: (route: Named) => boolean,
  figures?: Figures,
): Wordless<Snapshot> {
  const views: RouteView[] = []
  eachRoute({ routes }, (route, place) => {
    if (!wants(route)) return
    views.push(routeView(route, figures && routeFigures(route, place, figures)))
  })
  return {
    event: 'snapshot',
    at,
    device: { id, name, statusCode: condition.code, status: condition.state, firmware },
    adapters: JSON.parse(adapters) as NetworkAdapter[],
    peers: [...peers.values()].map((peer) => ({ ...named(peer), status: peer.condition.state })),
    routes: views,
  }
}

export const named = ({ id, name }: Named): Named => ({ id, name })

function routeView(
  { id, name, condition, source, destinations }: RouteState,
  figures?: RouteFigures,
): RouteView {
  const { code, state } = condition
  return {
    id,
    name,
    state,
    summaryStatusCode: code,
    source: {
      ...(source.id !== undefined && { id: source.id }),
      ...expanded(source.definition),
      state: source.condition.state,
      summaryStatusCode: source.condition.code,
      ...figures?.source,
    },
    destinations: [...destinations.values()].map((destination, index) => {
      return { ...destinationView(destination), ...figures?.destinations[index] }
    }),
  }
}

function destinationView({ id, definition, started, condition }: DestinationState) {
  return {
    ...(id !== undefined && { id }),
    ...expanded(definition),
    started,
    state: condition.state,
    summaryStatusCode: condition.code,
  }
}

function definitionView({ source, destinations }: RouteDefinition): object {
  return {
    source: expanded(source),
    destinations: [...destinations].map(([key, of]) => {
      const definition = expanded(of)
      const name = String(definition.name)
      const isNamed = key === name || key.startsWith(`${name}#`)
      return isNamed ? definition : { id: key, ...definition }
    }),
  }
}

/** Why a gateway counts as unreachable, as events show it. */
export function reasonOf({ error }: Miss): NonNullable<WatchEvent['reason']> {
  const { code, message, cause } = error
  return { code, message, ...(cause.reason ? { detail: cause.reason } : undefined) }
}
