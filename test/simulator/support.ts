// Simulators that are called as a client would, without one.
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import {
  startSimulator,
  type RouteSpec,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator'
import { afterThisTest } from '../support/hooks'

/** What answers hold is looked at freely here: the shape is what the tests are about. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Json
}

export interface Sending {
  body?: unknown
  raw?: string | Buffer
  type?: string
  cookie?: string
  signal?: AbortSignal
  agent?: Agent
  headers?: Record<string, string>
}

/** Starts a simulator for this test. */
export async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ applyDelay: 20, settleDelay: 10, ...options })
  afterThisTest(() => simulator.stop())
  return simulator
}

/** One call on a connection of its own; rejects when the connection fails before the answer ends. */
export function call(
  url: string,
  method: string,
  path: string,
  sending: Sending = {},
): Promise<Answer> {
  const { body, raw, cookie, signal, agent, headers } = sending
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = sending.type ?? (content === undefined ? undefined : 'application/json')
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${url}${path}`,
      {
        method,
        agent: agent ?? false,
        signal,
        headers: {
          ...(type && { 'Content-Type': type }),
          ...(cookie && { Cookie: cookie }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: parsed(text),
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(content)
  })
}

export function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const ADMINISTRATOR = { username: 'haiadmin', password: 'manager' }
export const OPERATOR = { username: 'operator', password: 'supervisor' }
export const OBSERVER = { username: 'user', password: 'public' }

/** Calls with the session of an account. */
export async function loggedIn(simulator: Simulator, account = ADMINISTRATOR) {
  const answer = await call(simulator.url, 'POST', '/api/session', { body: account })
  answer.status.should.equal(200)
  const cookie = `sessionID=${answer.json.response.sessionID}`
  const send = (method: string, path: string, sending: Sending = {}) =>
    call(simulator.url, method, path, { cookie, ...sending })
  const device = simulator.devices[0]?._id ?? ''
  return {
    cookie,
    device,
    get: (path: string) => send('GET', path),
    send,
    routes: `/api/gateway/${device}/routes`,
    post: (kind: 'updates' | 'commands', body: object, sending: Sending = {}) =>
      send('POST', `/api/devices/${device}/${kind}`, {
        body: { deviceID: device, ...body },
        ...sending,
      }),
    update: (action: string, rest: object) =>
      send('POST', `/api/devices/${device}/updates`, {
        body: { deviceID: device, elementType: 'route', action, ...rest },
      }),
  }
}

/** A route of the simulator that the test knows to be there. */
export function routeOf(simulator: Simulator, name: string) {
  const route = simulator.route(name)
  if (!route) throw new Error(`There is no route ${name}.`)
  return route
}

/** Plain order, for what is compared as a set. */
export function byText(left: unknown, right: unknown): number {
  return String(left) < String(right) ? -1 : 1
}

export const STUDIO: RouteSpec = {
  name: 'Studio A',
  source: {
    name: 'In',
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: 5001,
    srtLatency: 250,
    srtPassPhrase: 'invented-passphrase',
  },
  destinations: [
    { name: 'One', protocol: 'udp', address: '239.1.1.1', port: 6000, ttl: 32 },
    { name: 'Two', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 6002 },
  ],
}

/** A route's read form turned into what a client may send: by hand, independently of any client. */
export function sendable(read: Json): Json {
  const part = ({ mode, ...rest }: Json) =>
    rest.protocol === 'srt' ? { ...rest, srtMode: mode } : rest
  return { name: read.name, source: part(read.source), destinations: read.destinations.map(part) }
}

/** Everything that comes over the wire until the connection ends. */
export async function rawAnswer(simulator: Simulator, path: string): Promise<string> {
  const socket = connect(simulator.port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => {})
  await once(socket, 'close')
  return text
}
