// What a watch reports: events, and all that is known of a device.
import type { ErrorCode } from '../errors'
import type { Incident, IncidentEvent } from './incident'
import type { Named, NetworkAdapter } from './types'
import type { EventName } from './watch'

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

/** A route as an event or a snapshot shows it: its definition in sent form, and how it is. */
export interface RouteView extends Named {
  state?: string
  summaryStatusCode?: string
  source: Record<string, unknown>
  destinations: Array<Record<string, unknown>>
}

/** What a source or destination carries; what the gateway does not report is left out. */
export interface Figure {
  /** Mbit/s on the network: `usedBandwidth`. */
  bitrate?: number
  /** Connected clients of an SRT listener. */
  clients?: number
}

export interface RouteFigures {
  source: Figure
  /** In the order of the state. */
  destinations: Figure[]
}
