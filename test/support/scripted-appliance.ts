import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Certificate } from '../../simulator'

export interface Call {
  method: string
  /** Path and query, as they came. */
  url: string
  path: string
  /** Method and path. */
  what: string
  query: URLSearchParams
  headers: http.IncomingHttpHeaders
  /** What was sent, as it came. */
  text: string
  /** What was sent, if that is JSON. */
  body?: { fields?: Record<string, unknown> }
  socket: Socket
}

/** `cut` closes the connection, `silence` leaves it open, and `raw` need not be HTTP. */
export type Reply = Answer | { raw: string | Buffer } | 'cut' | 'silence'

export interface Answer {
  status?: number
  headers?: http.OutgoingHttpHeaders
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is. */
  text?: string | Buffer
}

/** What to reply to a call; where it returns nothing, a good appliance replies. */
export type Script = (call: Call) => Reply | undefined | Promise<Reply | undefined>

/** An appliance that responds as a test says. */
export class ScriptedAppliance {
  readonly calls: Call[] = []
  url = ''
  readonly #scheme: string
  readonly #server: http.Server

  constructor(
    public reply: Script = () => undefined,
    certificate?: Certificate,
  ) {
    this.#scheme = certificate ? 'https' : 'http'
    const receive: http.RequestListener = (...both) => void this.#receive(...both)
    this.#server = certificate
      ? https.createServer(certificate, receive)
      : http.createServer(receive)
  }

  async start(port?: number): Promise<void> {
    this.url = `${this.#scheme}://127.0.0.1:${await listen(this.#server, port)}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await closed(this.#server)
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const sent = await text(request).catch(() => undefined)
    // The caller hung up.
    if (sent === undefined) return
    const call = callOf(request, sent)
    this.calls.push(call)
    const reply = (await this.reply(call)) ?? good(call)
    if (reply === 'silence') return
    if (reply === 'cut') request.socket.destroy()
    else if ('raw' in reply) request.socket.end(reply.raw)
    else {
      const { status = 200, headers, body, text: written } = reply
      if (body !== undefined) response.setHeader('content-type', 'application/json')
      response.writeHead(status, headers).end(body === undefined ? written : JSON.stringify(body))
    }
  }
}

function callOf(request: http.IncomingMessage, sent: string): Call {
  const { method = '', url = '', headers, socket } = request
  const [path = '', query] = url.split('?')
  return {
    method,
    url,
    path,
    what: `${method} ${path}`,
    query: new URLSearchParams(query),
    headers,
    text: sent,
    body: /json/.test(headers['content-type'] ?? '') ? (JSON.parse(sent) as object) : undefined,
    socket,
  }
}

export const LOGIN = {
  headers: { 'set-cookie': ['sessionID=secret-session-1; Path=/'] },
  body: { response: { type: 'Session', sessionID: 'secret-session-1' } },
}

/** The response of a good appliance with one device and nothing else; its address may have a path. */
export function good({ method, path }: Call): Answer {
  if (path.endsWith('/api/session')) {
    if (method === 'POST') return LOGIN
    if (method === 'GET') return { body: { roles: ['Administrator'] } }
    return { body: { type: 'Session', message: 'bye' } }
  }
  if (path.endsWith('/api/devices')) return { body: [{ _id: 'D' }] }
  return { status: 404, body: { error: { type: 'x', message: 'no such thing' } } }
}

/** Lets another server reply, at this address. */
export function passOn({ method, headers, text: sent }: Call, to: string): Promise<Answer | 'cut'> {
  return new Promise((resolve) => {
    const onward = http.request(to, { method, headers, agent: false }, (response) => {
      text(response).then(
        (written) =>
          resolve({ status: response.statusCode, headers: response.headers, text: written }),
        () => resolve('cut'),
      )
    })
    onward.on('error', () => resolve('cut'))
    onward.end(sent)
  })
}

/** Listens on a free port, unless one is given, and returns it. */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export const closed = (server: Server): Promise<unknown> =>
  new Promise((resolve) => server.close(resolve))
