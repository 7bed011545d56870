// An appliance that answers as a test says, and where that says nothing, as a good one would.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { newOperation, openConnection, type Connection } from '../../client/internal'

export interface Call {
  method: string
  path: string
  query?: URLSearchParams
  cookie?: string
  body?: { fields?: Record<string, unknown> }
}
export type Reply =
  { status?: number; headers?: Record<string, string>; body?: unknown; text?: string } | 'cut'

const LOGIN: Reply = {
  headers: { 'set-cookie': 'sessionID=secret-session-1; Path=/' },
  body: { response: { type: 'Session', sessionID: 'secret-session-1' } },
}
const usual = ({ method, path }: Call): Reply => {
  if (path === '/api/session' && method === 'POST') return LOGIN
  if (path === '/api/session' && method === 'GET') return { body: { roles: ['Administrator'] } }
  if (path === '/api/session') return { body: { type: 'Session', message: 'bye' } }
  if (path === '/api/devices') return { body: [{ _id: 'D' }] }
  return { status: 404, body: { error: { type: 'x', message: 'no such thing' } } }
}

/** Firmware that differs where the facts are silent: nothing may be lost, repeated or leaked. */
export interface OddAppliance {
  server: http.Server
  /** A connection to it. */
  gateway: Connection
  /** What it was asked. */
  calls: Call[]
  /** What the connection has logged. */
  logged: string[]
  /** Closes both. */
  end: () => Promise<void>
}

export async function startOdd(reply: (call: Call) => Reply | undefined): Promise<OddAppliance> {
  const calls: Call[] = []
  const logged: string[] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const call: Call = {
        method: request.method!,
        path: request.url!.split('?')[0]!,
        query: new URL(request.url!, 'http://appliance').searchParams,
        cookie: request.headers.cookie,
        body: text ? (JSON.parse(text) as Call['body']) : undefined,
      }
      calls.push(call)
      const answer = reply(call) ?? usual(call)
      if (answer === 'cut') return request.socket.destroy()
      response.writeHead(answer.status ?? 200, answer.headers)
      const { body, text: written = '' } = answer
      return response.end(body === undefined ? written : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const gateway = openConnection({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username: 'user',
    password: 'secret-password',
    timeout: 500,
    log: (_, text) => logged.push(text),
  })
  const end = async (): Promise<void> => {
    await gateway.close()
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  }
  return { server, gateway, calls, logged, end }
}

/** Another connection to it; the test closes it. */
export function connectTo(server: http.Server): Connection {
  return openConnection({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username: 'user',
    password: 'secret-password',
  })
}

export const op = (): ReturnType<typeof newOperation> => newOperation('test')
export const logins = (calls: Call[]): number =>
  calls.filter(({ method, path }) => method === 'POST' && path === '/api/session').length
export const updates = (calls: Call[]): Call[] =>
  calls.filter(({ path }) => path.endsWith('/updates'))
