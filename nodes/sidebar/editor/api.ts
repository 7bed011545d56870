// The sidebar's requests to Node-RED. Each of these throws a RequestError.
import { ask } from '../../editor/ask'
import type { Failure } from '../../editor/failures'
import { textsOf } from '../../editor/text'
import type { Action } from './commands'
import type { Failover, FailoverAction } from './failover'
import type { Happening } from './lately'
import type { Figures, RateHistory } from './rates'
import type { ToldSnapshot } from './route'

export interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: Failure
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

export interface Known {
  ageMs: number
  /** It is out of date. */
  isOld: boolean
  routes: number
  running: number
  warnings: number
  errors: number
}

export interface StateQuestion {
  id: string
  deviceId?: string
  /** The version that is shown. */
  version?: number
  /** When the figures that are shown were read. */
  figuresAt?: number
  /** Only what is already known; the appliance is not polled for this. */
  lookOn?: boolean
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

export const askState = (question: StateQuestion): Promise<State | NotDeployed> =>
  ask('state', { ...question, language: textsOf('watch')('locale') }, TIMEOUT_MS)

export const askDevices = (id: string): Promise<{ devices: Device[] }> =>
  ask('lookup', { connection: { id } }, TIMEOUT_MS)

export const control = (id: string, command: Command): Promise<object> =>
  ask('control', { id, ...command }, CONTROL_TIMEOUT_MS)

export const commandFailover = (
  id: string,
  failoverId: string,
  action: FailoverAction,
): Promise<object> => ask('failover', { id, failoverId, action }, CONTROL_TIMEOUT_MS)

export const mayControl = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

const TIMEOUT_MS = 15_000
/** An appliance may be slow, and the timeout of a config node may allow for it. */
const CONTROL_TIMEOUT_MS = 120_000
