// What the editor and the runtime say to each other: the JSON of the admin routes, each type once.
import type { Applied, ErrorCode } from '../client/errors'
import type { RouteFigures, RouteView, Snapshot, Wordless } from '../client/model/event'
import type { FailoverAction as Obeyed, FailoverView } from '../client/model/failover'
import type { FailoverFact } from '../client/model/failover-view'
import type { Sign } from '../client/model/health'
import type { Severity } from '../client/model/incident'
import type { RateHistory } from '../client/model/rates'
import type { Certificate, Mistake } from '../client/model/settings'
import type { Values } from '../client/sentences'

/** What each admin route takes and answers; a request that fails is answered with a `Failure`. */
export interface Requests {
  connection: { body: OfForm; answer: ConnectionReport }
  connections: { body: OfForm & { offset: number }; answer: InventoryReport }
  report: { body: OfForm; answer: MadeReport }
  inventory: { body: OfForm; answer: CheckedInventory }
  lookup: { body: OfForm & { deviceId?: string; language?: string }; answer: Lookup }
  definition: { body: OfForm & OfRoute; answer: { definition: unknown } }
  plan: { body: OfForm & PlanQuestion & { deviceId?: string }; answer: Planned }
  gateways: { body: Record<string, never>; answer: ListedGateway[] }
  /** Each deploy takes a gateway away for a moment, which is no failure. */
  appliances: { body: FleetQuestion; answer: FleetList | { notDeployed: true } }
  /** `elsewhere`: another instance of Node-RED works for it. */
  state: {
    body: StateQuestion
    answer: ApplianceState | { notDeployed: true } | { elsewhere: true }
  }
  callers: { body: Place & OfRoute; answer: { callers: readonly Caller[] } }
  control: { body: Place & Command; answer: { ok: true } }
  failover: { body: Place & { failoverId: string; action: FailoverAction }; answer: { ok: true } }
}

export type Path = keyof Requests

/** A body as it arrives: anything may be in its members. */
export type Received<Body> = Partial<Record<keyof Body, unknown>>

/** The values of a config node on which it depends how its appliances are reached. */
export const CONNECTION = [
  'baseUrl',
  'username',
  'password',
  'fingerprint',
  'tls',
  'proxy',
  'timeout',
  'inventory',
  'inventoryType',
  'inventoryHosts',
  'secretPrefix',
] as const

/** How to reach an appliance: as a config node is deployed, or as its values are in the editor. */
export type Connection = { id: string } & Partial<Record<(typeof CONNECTION)[number], unknown>>

/** Of a request that also works with values that are not deployed yet. */
export interface OfForm {
  connection: Connection
  appliance?: string
}

interface OfRoute {
  deviceId?: string
  routeId: string
}

/** An appliance, by its deployed config node and, where that has an inventory, by its name there. */
export interface Place {
  id: string
  appliance?: string
}

/** Why something failed. The editor has the same sentences in its own language. */
export interface Failure {
  code: ErrorCode
  message: string
  /** The message, sentence by sentence. */
  sentences: Said[]
  /** What is known of the attempt, where a gateway was involved. None of it is a secret. */
  values?: {
    host: string
    status?: number
    /** Why a connection failed, such as `ECONNREFUSED`. */
    reason?: string
    says?: string
    applied: Applied
  }
  /** The stored password may not be sent as the form says: it has to be typed again. */
  passwordNeeded?: boolean
  /** There is no such gateway in the flows that run. */
  notDeployed?: boolean
}

/** A sentence of the catalog with its values, none of which is a secret; or its text. */
export type Said = { key: string; values: Values } | { text: string }

/** How something is, in words: the same in lamps, events and the editor. */
export interface HealthText {
  sign: Sign
  /** The reason first, and the gateway's own word after it; in the language of the editor. */
  text: string
  /** Without the gateway's own word, where there is one. */
  brief?: string
}

/** What the polls of an appliance have shown. */
export interface KnownAppliance {
  ageMs: number
  /** A poll that was due got no response: the state may have changed. */
  isOld: boolean
  routes: number
  running: number
  /** Routes that are critical or have a warning. */
  problems: number
  worst?: HealthText & { route: string }
  /** Of the device, unless it is well. With `unknown`, what is known of the routes is old. */
  device?: HealthText
}

export interface ApplianceHealth {
  known?: KnownAppliance
  failure?: Failure
  unreachable: boolean
}

export interface MadeReport {
  name: string
  file: string
  failure?: Failure
}

/** What a test of a connection found out before it ended. */
export interface ConnectionReport extends Partial<Failure> {
  ok: boolean
  /** The session was the deployed one. */
  reused: boolean
  /** What the appliance shows, when it is not trusted. */
  certificate?: Certificate
  /** In the URL, where another one does better. */
  mistake?: Mistake
  user?: { name: string; roles: string[]; isLicensed: boolean | null }
  devices?: number
  device?: { id: string; name: string; firmware: string; status: string; statusCode: string }
  routes?: number
  /** For one response. */
  answerMs?: number
}

export interface FormAppliance {
  name: string
  address: string
  /** The one that is trusted there. */
  fingerprint?: string
}

export interface TestedAppliance extends ConnectionReport, FormAppliance {}

/** A part of the appliances of an inventory, tested, in their order. */
export interface InventoryReport {
  total: number
  results: TestedAppliance[]
}

/** An inventory that may not be deployed yet. */
export interface CheckedInventory {
  appliances: number
  /** The first of them. */
  names: string[]
  faults: Failure[]
  /** Columns and members that nobody reads. */
  ignored?: string[]
}

/** What the appliance says of a route, a source or a destination. Firmware spells it in any case. */
export interface Stateful {
  state?: string
  summaryStatusCode?: string
  /** Destinations only. */
  started?: boolean
}

/** A caller of a listener: an output, or the source of the route. */
export interface Caller {
  readonly address: string
  readonly port: number | null
  /** As the list of callers of the config node has it. */
  readonly name: string | null
  /** Mbit/s. */
  readonly bitrate: number | null
  /** Percent. */
  readonly packetLoss: number | null
  /** Milliseconds. */
  readonly roundTripTime: number | null
  readonly output?: { id: string }
}

export interface Lookup {
  devices: { id: string; name: string; statusCode: string; status: string }[]
  /** The device that was asked for, or the only one. */
  deviceId?: string
  routes?: FoundRoute[]
  adapters?: { name: string; address: string }[]
  /** The user of the gateway may only look. */
  mayChange?: false
}

/** Where a source or a destination is, as far as that is one address. */
export interface Addressed {
  protocol?: string
  address?: string
  port?: number
}

export interface FoundRoute extends Pick<Stateful, 'state'> {
  health: HealthText
  id: string
  name: string
  source: Addressed
  destinations: FoundDestination[]
}

export interface FoundDestination extends Pick<Stateful, 'state' | 'started'>, Addressed {
  health: HealthText
  id?: string
  name: string
}

/** The properties on which a plan depends, besides the definition. */
export const PLANNING = [
  'route',
  'routeType',
  'mode',
  'action',
  'target',
  'destination',
  'destinationType',
  'state',
  'exact',
  'validate',
  'remove',
  'removePattern',
  'removeAtMost',
  'approve',
] as const

/** What a plan depends on: the node that would do it, and its properties. */
export type PlanQuestion = {
  node: 'ensure-route' | 'update-route' | 'control-route'
  definition?: unknown
} & Partial<Record<(typeof PLANNING)[number], unknown>>

export interface Planned {
  text: string
  /** How many routes each step is for. */
  summary: Record<'create' | 'update' | 'delete' | 'start' | 'stop', number>
  /** The variables for secrets that have no value in the environment of the process. */
  unset: string[]
  /** The user of the gateway may only look: the change would be refused. */
  mayChange?: false
}

/** A config node of the flows that run. */
export interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: Failure
  /** Of a config node that stands for many appliances. `owned`: this instance works for so many. */
  inventory?: { appliances: number; owned: number; faults: Failure[] }
}

export interface FleetQuestion {
  id: string
  search?: string
  trouble?: boolean
  /** At most 2,000, and by default 50. */
  limit?: number
  /** The language of the editor, such as `de-AT`. */
  language?: string
}

/** The first appliances of an inventory that runs; `found`: so many fit the search. */
export interface FleetList {
  total: number
  found: number
  rows: FleetRow[]
  /** Why none of them is worked for, such as a lost lease: nobody knows then who works for what. */
  error?: Failure
}

export interface FleetRow {
  name: string
  address: string
  /** This instance of Node-RED works for it. */
  owned: boolean
  /** Absent where nobody polls it. */
  health?: ApplianceHealth
  /** How many of its failovers have something that somebody should know. */
  failovers?: Partial<Record<FailoverFact, number>>
}

/** A failover node. What it has not found out yet is absent. */
export interface Failover extends Partial<FailoverView> {
  id: string
  name: string
  /** The protected routes, as far as they have been found; main first. */
  routes: { deviceId: string; routeId: string }[]
  /** Why the latest look does not show everything. */
  failure?: Failure
}

/** What the sidebar may have a failover do. The others are for flows. */
export type FailoverAction = Exclude<Obeyed, 'status'>

export interface Command {
  deviceId: string
  routeId: string
  destinationId?: string
  action: 'start' | 'stop' | 'restart'
}

export interface StateQuestion extends Place {
  deviceId?: string
  /** The version that the editor has. */
  version?: number
  /** When the figures that the editor has were read. */
  figuresAt?: number
  /** Only how the gateway is, as far as that is known already. */
  lookOn?: boolean
  /** With `lookOn`: the gateway is polled for this. */
  poll?: boolean
  /** The language of the editor, such as `de-AT`. */
  language?: string
}

export interface ApplianceState {
  /** Changes with the state and with how the routes are; undefined with `lookOn`. */
  version?: number
  health: ApplianceHealth
  /** Whether the user of the gateway may start and stop; true while the roles are not known. */
  mayControl: boolean
  snapshot?: ShownSnapshot
  /** With the state or with `lookOn`. */
  failovers?: Failover[]
  /** By the clock of Node-RED, Unix ms. */
  now: number
  /** What happened lately, oldest first, with the state. */
  lately?: Happening[]
  /** By route, where the editor has not those of the latest poll; no part of the version. */
  figures?: Record<string, RouteFigures>
  /** When that was read, Unix ms. */
  figuresAt?: number
  /** What their sources received before, where the editor has no version. */
  rates?: RateHistory
}

export interface ShownSnapshot extends Omit<Wordless<Snapshot>, 'routes'> {
  routes: ShownRoute[]
}

export interface ShownRoute extends Omit<RouteView, 'source' | 'destinations'> {
  health: HealthText
  /** Only a flow that confirms it may change or stop it. */
  isProtected: boolean
  source: Part
  destinations: Part[]
}

export interface Part extends Stateful, Addressed {
  health: HealthText
  id?: string
  name?: string
}

/** An incident, or a time in which nobody watched. */
export type Happening = ShownIncident | Gap

export interface ShownIncident {
  severity: Severity
  /** When it was first seen, Unix ms, and first seen to be over. */
  since: number
  until: number | null
  /** One sentence, in the language of the editor. It may contain words of the appliance. */
  text: string
}

/** A time in which nobody watched for the sidebar: what happened then is not known. */
export interface Gap {
  /** Its begin and its end, Unix ms. */
  from: number
  at: number
}
