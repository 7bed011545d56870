// What the sidebar asks of Node-RED.
import type { Snapshot } from './route'
import { text } from './text'

export interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: Failure
}

export interface Failure {
  code?: string
  message: string
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

/** The answer, or why there is none. */
export type Answer<T> = { answer: T } | { failure: Failure }

export const listGateways = (): Promise<Answer<ListedGateway[]>> => ask('GET', 'gateways')

export const askState = (question: StateQuestion): Promise<Answer<State | NotDeployed>> =>
  ask('POST', 'state', question)

export const askDevices = (id: string): Promise<Answer<{ devices: Device[] }>> =>
  ask('POST', 'lookup', { connection: { id } })

export const control = (id: string, command: Command): Promise<Answer<object>> =>
  ask('POST', 'control', { id, ...command }, CONTROL_TIMEOUT_MS)

export const mayControl = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

const TIMEOUT_MS = 15_000
/** An appliance may take its time, and a config node may allow it that. */
const CONTROL_TIMEOUT_MS = 120_000

function ask<T>(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  timeout = TIMEOUT_MS,
): Promise<Answer<T>> {
  return new Promise((resolve) => {
    $.ajax({
      url: `media-gateway/${path}`,
      method,
      dataType: 'json',
      cache: false,
      timeout,
      ...(body && { contentType: 'application/json', data: JSON.stringify(body) }),
      success: (answer) => resolve({ answer: answer as T }),
      error: (reply) => resolve({ failure: failureOf(reply) }),
    })
  })
}

function failureOf({ status, responseJSON }: EditorReply): Failure {
  const { code, message } = (responseJSON ?? {}) as Partial<Failure>
  if (message !== undefined) return { code, message }
  if (status === 0) return { message: text('fault.noNodeRed') }
  if (status === 401 || status === 403) return { message: text('fault.forbidden') }
  return { message: text('fault.status', { status }) }
}
