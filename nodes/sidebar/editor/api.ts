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
  version: number
  health: {
    known?: { seenAt: number }
    failure?: Failure
    unreachable: boolean
  }
  snapshot?: Snapshot
  /** How old the data were when the answer was given, ms: by the clock of the server. */
  ageMs?: number
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

export async function askState(
  id: string,
  deviceId: string | undefined,
  version: number | undefined,
): Promise<Answer<State | NotDeployed>> {
  const asked = { id, deviceId, version }
  return ask<State | NotDeployed>('POST', 'state', asked, (state, date) => {
    const known = 'health' in state ? state.health.known : undefined
    return known ? { ...state, ageMs: Math.max(0, (date ?? Date.now()) - known.seenAt) } : state
  })
}

export const askDevices = (id: string): Promise<Answer<{ devices: Device[] }>> =>
  ask('POST', 'lookup', { connection: { id } })

export const control = (id: string, command: Command): Promise<Answer<object>> =>
  ask('POST', 'control', { id, ...command }, undefined, CONTROL_TIMEOUT_MS)

export const mayControl = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

const TIMEOUT_MS = 15_000
/** An appliance may take its time, and a config node may allow it that. */
const CONTROL_TIMEOUT_MS = 120_000

/** `finish` is given when the answer was made, Unix ms, by the clock of the server. */
function ask<T>(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  finish: (answer: T, date: number | undefined) => T = (answer) => answer,
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
      success: (answer, _, reply) => {
        const date = Date.parse(reply.getResponseHeader('Date') ?? '')
        resolve({ answer: finish(answer as T, Number.isNaN(date) ? undefined : date) })
      },
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
