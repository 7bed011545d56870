/** As plain data, see docs/project/interface.md. Times are Unix ms. Members that grow are left open. */

export type SummaryStatusCode = 'warn' | 'error' | 'ok' | 'unknown'

/** `idle` in legacy responses, `stopped` from 4.2 on. */
export type RouteState = 'idle' | 'running' | 'stopped'

/** Who is logged in, and until when. */
export interface SessionInformation {
  sessionID: string
  displayName: string
  email: string
  /** `Administrator`, `Operator`, `Observer`. */
  roles: string[]
  startAt: number
  expireAt: number
  lastLoginDate: number | null
  numLoginFailures: number | null
  isLicensed: boolean
}

/** Response to a logout. */
export interface SessionDeletion {
  type: string
  message: string
}

export interface Named {
  id: string
  name: string
}

export interface Device {
  _id: string
  type: string
  ip: string
  name: string
  lastConnectedAt: number
  statusCode: 'warn' | 'error' | 'ok' | 'unknown'
  /** `Online`, `Device error`, `Offline`, `Never`, `Communication error`. */
  status: string
  statusDetails: string
  serialNumber: string | null
  firmware: string
  hasAdminError: boolean
  pendingSync: boolean
  /** Elapsed time as short text, such as `<1m`. */
  lastConnection: string
}

/** A network adapter; `name` is what `networkInterface` of a source or destination takes. */
export interface NetworkAdapter {
  name: string
  address: string
}

/** A pairing with the vendor's media platform. */
export interface Pairing {
  id: string
  gatewayName: string
  address: string
  httpPort: number
  httpsPort: number
  /** Secret. */
  passcode: string
  lastConnectedAt: number
  /** `accepted`, `pair pending`, `pairing error`, `poll timeout` … */
  status: string
  statusDetails: string
  proxyAddress: string
  proxyHttpPort: number
  proxyHttpsPort: number
  lastConnection: string
}

/** A device with its routes, adapters and pairings. */
export interface DeviceConfiguration extends Device {
  lastConfigReadAt: number
  config: {
    routes: Route[]
    settings: { networkAdapters: NetworkAdapter[] }
    peers: Pairing[]
    /** The name that some firmware has for `peers`. */
    calypsos?: Pairing[]
  }
  lastAcceptedUpdate: number
  gateway: { port: number }
  suggestedPollingInterval: { ms: number }
}

/** What sources and destinations have in common. */
interface Part {
  id?: string
  name: string
  protocol: string
  address?: string
  /** A pipe-joined text in responses with path redundancy. */
  port?: number | string
  networkInterface?: string
  /** SRT: `caller`, `listener`, `rendezvous`, in responses. HLS: `hls`. Others: `unicast`, `multicast`. */
  mode?: string
  /** SRT: the same as `mode`, in requests. */
  srtMode?: string
  /** Secret. */
  srtPassPhrase?: string | null
  srtGroupMode?: string
  srtNetworkBondingParams?: NetworkPath[] | string
  state?: string
  summaryStatusCode?: SummaryStatusCode
  summaryStatusDetails?: string
  [member: string]: unknown
}

/** One path of a redundant SRT source or destination. */
export interface NetworkPath {
  address: string
  port: number
  networkInterface?: string
  [member: string]: unknown
}

/** Where a route receives from; read and sent forms differ, see `convert`. */
export interface Source extends Part {}

/** Where a route sends to; read and sent forms differ, see `convert`. */
export interface Destination extends Part {
  started?: boolean
  /** Requests only. */
  action?: 'start' | 'stop' | 'none'
}

/** A route as the appliance sends it. */
export interface Route {
  id: string
  name: string
  source: Source
  destinations: Destination[]
  /** `H…H:MM:SS`, hours unbounded; may be empty. */
  elapsedTime?: string
  state?: RouteState
  /** Present only while a change is under way. */
  pendingUpdates?: unknown
  hasPendingDelete?: boolean
  summaryStatusCode?: SummaryStatusCode
  summaryStatusDetails?: string
  [member: string]: unknown
}

export interface RouteList {
  data: Route[]
  numPages: number
  numResults: number
  numActiveOutputConnections: number
  pendingRouteCreates?: number
}

/** A route as create and update send it. */
export interface RouteFields {
  name: string
  /** Create only. */
  startRoute?: boolean
  source: Source
  destinations: Destination[]
}

/** What a flow wants changed in a route: part of {@link RouteFields}, or a Route as read and edited. */
export interface RoutePatch {
  name?: string
  source?: Partial<Source>
  /** In a merge also keyed by id or name, where null removes; null removes all. */
  destinations?: Partial<Destination>[] | Record<string, Partial<Destination> | null> | null
  [member: string]: unknown
}

/** Response to create, update and delete: a success text, no ID. */
export interface UpdateAnswer {
  status: string
}

export interface QueuedCommand {
  _id: string
  action: string
  command: string
  parameters: Record<string, unknown>
  deviceID: string
  createdAt: number
  /** 0 while pending. */
  completedAt: number
  result: unknown
  state: string
}

/** Response to start and stop: one item per queued command. */
export type CommandAnswer = QueuedCommand[]
