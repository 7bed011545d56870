// The sidebar's requests to Node-RED. Each of these throws a RequestError.
import { ask } from '../../editor/ask'
import type { Failure } from '../../editor/failures'
import type { KnownAppliance, ListedAppliance, ListedAppliances } from '../../editor/inventory'
import { textsOf } from '../../editor/text'
import type { Action } from './commands'
import type { Failover, FailoverAction, FailoverFact } from './failover'
import type { Happening } from './lately'
import type { Figures, RateHistory } from './rates'
import type { ToldSnapshot } from './route'

export interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: Failure
  /** Of a config node that stands for many appliances. */
  inventory?: ListedInventory
  /** One appliance of such a node: its name. */
  appliance?: string
}

export interface ListedInventory {
  appliances: number
  /** This instance of Node-RED works for so many. */
  owned: number
  /** What is wrong with the inventory; the other rows work. */
  faults: Failure[]
}

/** An appliance, by its config node and, where that has an inventory, by its name there. */
export interface Place {
  id: string
  appliance?: string
}

export interface FleetRow extends ListedAppliance {
  address: string
  owned: boolean
  polled: boolean
  /** How many of its failovers have something that somebody should know. */
  failovers?: FailoverCounts
}

export type FailoverCounts = Partial<Record<FailoverFact, number>>

export interface FleetQuestion {
  id: string
  /** A part of the name. */
  search?: string
  /** Only those in trouble. */
  trouble?: boolean
  limit: number
}

/** Another instance of Node-RED works for it. */
export interface Elsewhere {
  elsewhere: true
}

/** No running flow has this gateway. */
export interface NotDeployed {
  notDeployed: true
}

export interface State {
  /** Undefined with `lookOn`. */
  version?: number
  health: {
    known?: Known
    failure?: Failure
    unreachable: boolean
  }
  /** False when the user of the gateway is known to be an Observer. */
  mayControl: boolean
  /** Without what the sidebar adds. */
  snapshot?: ToldSnapshot
  /** With the snapshot, and with `lookOn`. */
  failovers?: Failover[]
  /** With the snapshot: the IDs of the routes that are protected from changes. */
  protectedRoutes?: string[]
  /** By the clock of Node-RED, Unix ms. */
  now: number
  /** What the running routes carry, where that is news. */
  figures?: Record<string, Figures>
  figuresAt?: number
  /** Without a version: what they received before. */
  rates?: RateHistory
  lately?: Happening[]
}

export interface Known extends KnownAppliance {
  ageMs: number
}

export interface StateQuestion extends Place {
  deviceId?: string
  /** The version that is shown. */
  version?: number
  /** When the figures that are shown were read. */
  figuresAt?: number
  /** Only how the gateway is, as far as that is known already. */
  lookOn?: boolean
  /** With `lookOn`: the gateway is polled for this. */
  poll?: boolean
}

export interface Command {
  deviceId: string
  routeId: string
  destinationId?: string
  action: Action
}

export interface Device {
  id: string
  name: string
}

export const listGateways = (): Promise<ListedGateway[]> => ask('gateways', undefined, TIMEOUT_MS)

export const listAppliances = (question: FleetQuestion): Promise<ListedAppliances<FleetRow>> =>
  ask('appliances', { offset: 0, ...question, language: language() }, TIMEOUT_MS)

const language = (): string => textsOf('watch')('locale')

export const askState = (question: StateQuestion): Promise<State | NotDeployed | Elsewhere> =>
  ask('state', { ...question, language: language() }, TIMEOUT_MS)

export const askDevices = ({ id, appliance }: Place): Promise<{ devices: Device[] }> =>
  ask('lookup', { connection: { id }, appliance }, TIMEOUT_MS)

/** A caller of a listener: an output, or the source of the route. */
export interface Caller {
  address: string
  port: number | null
  name: string | null
  bitrate: number | null
  packetLoss: number | null
  roundTripTime: number | null
  output?: { id: string }
}

export const askCallers = (
  place: Place,
  deviceId: string | undefined,
  routeId: string,
): Promise<{ callers: Caller[] }> =>
  ask('callers', { ...placeOf(place), deviceId, routeId }, TIMEOUT_MS)

export const control = (place: Place, command: Command): Promise<object> =>
  ask('control', { ...placeOf(place), ...command }, CONTROL_TIMEOUT_MS)

export const commandFailover = (
  place: Place,
  failoverId: string,
  action: FailoverAction,
): Promise<object> => ask('failover', { ...placeOf(place), failoverId, action }, CONTROL_TIMEOUT_MS)

const placeOf = ({ id, appliance }: Place): Place => ({ id, appliance })

export const mayControl = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

const TIMEOUT_MS = 15_000
/** An appliance may be slow, and the timeout of a config node may allow for it. */
const CONTROL_TIMEOUT_MS = 120_000
