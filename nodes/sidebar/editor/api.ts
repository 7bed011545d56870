// What the sidebar asks of Node-RED. Each of these throws a RequestError.
import { ask } from '../../editor/ask'
import type { Failure } from '../../editor/failures'
import type { Snapshot } from './route'

export interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: Failure
}

/** Until the next deploy there is nothing to know of a gateway that none has. */
export interface NotDeployed {
  notDeployed: true
}

export interface State {
  /** Not given where only what is known anyway was asked for. */
  version?: number
  health: {
    known?: Known
    failure?: Failure
    unreachable: boolean
  }
  /** False when the user of the gateway is known to be one that may only look. */
  mayControl: boolean
  snapshot?: Snapshot
}

export interface Known {
  ageMs: number
  /** It may be otherwise by now. */
  isOld: boolean
  routes: number
  running: number
  warnings: number
  errors: number
}

export interface StateQuestion {
  id: string
  deviceId?: string
  /** The version that is here. */
  version?: number
  /** Only what is known anyway: the appliance is not polled for this. */
  lookOn?: boolean
}

export interface Command {
  deviceId: string
  routeId: string
  destinationId?: string
  action: 'start' | 'stop'
}

export interface Device {
  id: string
  name: string
}

export const listGateways = (): Promise<ListedGateway[]> => ask('gateways', undefined, TIMEOUT_MS)

export const askState = (question: StateQuestion): Promise<State | NotDeployed> =>
  ask('state', question, TIMEOUT_MS)

export const askDevices = (id: string): Promise<{ devices: Device[] }> =>
  ask('lookup', { connection: { id } }, TIMEOUT_MS)

export const control = (id: string, command: Command): Promise<object> =>
  ask('control', { id, ...command }, CONTROL_TIMEOUT_MS)

export const mayControl = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

const TIMEOUT_MS = 15_000
/** An appliance may take its time, and a config node may allow it that. */
const CONTROL_TIMEOUT_MS = 120_000
