// The secrets of secrets.test.ts, and an appliance and a proxy that tell what they were sent.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Simulator } from '../../simulator'
import { Markers, SPELLINGS } from '../support/markers'

export const markers = new Markers()
export const PASSWORD = markers.make('password')
export const ENV_PASSWORD = markers.make('password from the environment')
export const WRONG_PASSWORD = markers.make('wrong password')
export const TYPED_PASSWORD = markers.make('typed password')
export const PROXY_PASSWORD = markers.make('proxy password')
export const KEY_PHRASE = markers.make('pass phrase of the key', { plain: true })
export const WRONG_PHRASE = markers.make('wrong pass phrase of the key', { plain: true })
/** What the appliance has of its own, and answers to who may read it. */
export const PRESENT = {
  srt: markers.make('present srtPassPhrase'),
  rtsp: markers.make('present RTSP password'),
  passcode: markers.make('present passcode'),
}
/** What messages bring. */
export const SENT = {
  srt: markers.make('sent srtPassPhrase'),
  rtsp: markers.make('sent RTSP password'),
  preset: markers.make('sent preset passphrase'),
  broken: markers.make('passphrase of a broken definition'),
  environment: markers.make('passphrase from the environment'),
}
export const CHANGED = markers.make('changed srtPassPhrase')
export const ENVIRONMENT = {
  SECRETS_TEST_USER: 'operator',
  SECRETS_TEST_PASSWORD: ENV_PASSWORD,
  SECRETS_TEST_PHRASE: SENT.environment,
}

/** How an appliance, or what stands before it, can misbehave with what it was sent. */
export const MANNERS: Record<string, (quote: Quote, response: http.ServerResponse) => void> = {
  ...Object.fromEntries(
    Object.entries(SPELLINGS).map(([name, spell]) => [
      name,
      ({ secrets, all }: Quote, response: http.ServerResponse): void => {
        const message = [...secrets, all].map((text) => spell(text).slice(0, 4000)).join(' ')
        // Whole values in base64 or hex; nobody could find them in a body that is one long number.
        const short = secrets.map(spell).join(' ')
        const says = /base64|hex/.test(name) ? short : message
        refuse(response, 400, { type: says, message: says })
      },
    ]),
  ),
  failed: ({ all }, response) => refuse(response, 500, { type: 'Internal', message: all }),
  forbidden: ({ all }, response) => refuse(response, 403, { type: all, message: all }),
  text: ({ all }, response) => {
    response.writeHead(409, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: all }))
  },
  page: ({ all }, response) => {
    response.writeHead(500, { 'content-type': 'text/html', 'x-said': encodeURIComponent(all) })
    response.end(`<!doctype html><title>Error</title><pre>${all}</pre>`)
  },
  redirect: ({ all }, response) => {
    const location = `http://127.0.0.1:1/login?of=${encodeURIComponent(all)}#${encodeURIComponent(all)}`
    response.writeHead(302, { location }).end()
  },
  broken: ({ all }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"said": ${JSON.stringify(all)}`)
  },
  hang: () => undefined,
  reset: (_, response) => void response.destroy(),
}

interface Quote {
  /** Each secret of the call, and what is known of its session. */
  secrets: string[]
  /** The call as a whole. */
  all: string
}

/** Which calls are answered in that manner: `/<stage>/<manner>` is the beginning of the path. */
export const STAGES: Record<string, (method: string, path: string) => boolean> = {
  login: (method, path) => method === 'POST' && path === '/api/session',
  calls: (_, path) => path !== '/api/session',
  writes: (method, path) => method === 'POST' && path !== '/api/session',
}

/** Stands before the simulator, and answers some calls with all that they were sent. */
export class Quoting {
  quoted = 0
  url = ''
  /** By the session that it opened. */
  private readonly passwords = new Map<string, string>()
  private readonly server = http.createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy())
  })

  private constructor(private readonly simulator: Simulator) {}

  static async start(simulator: Simulator): Promise<Quoting> {
    const quoting = new Quoting(simulator)
    quoting.url = `http://127.0.0.1:${await portOf(quoting.server)}`
    return quoting
  }

  stop(): Promise<void> {
    return closed(this.server)
  }

  private async answer(
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const { method = '', headers } = request
    const [, stage = '', manner = '', ...rest] = request.url!.split('/')
    const path = `/${rest.join('/')}`
    const body = Buffer.concat(await request.toArray())
    if (STAGES[stage]!(method, path)) {
      this.quoted++
      const cookie = headers.cookie ?? ''
      const text = body.toString()
      const sent = Object.values(SENT).filter((one) => text.includes(escaped(one)))
      const session = cookie.replace('sessionID=', '')
      const password = path === '/api/session' ? passwordIn(text) : this.passwords.get(session)!
      const secrets = [session, password, ...sent].filter(Boolean)
      const all = `haiadmin:${password} ${cookie} ${text}`
      return MANNERS[manner]!({ secrets, all }, response)
    }
    const to = new URL(path, this.simulator.url)
    const onward = http.request(to, { method, headers, agent: false })
    onward.on('error', () => response.destroy())
    onward.on('response', (answer) => {
      const session = /sessionID=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1]
      if (session) this.passwords.set(session, passwordIn(body.toString()))
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    onward.end(body)
  }
}

const passwordIn = (login: string): string => (JSON.parse(login) as { password: string }).password

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

function refuse(response: http.ServerResponse, status: number, error: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error }))
}

/** A proxy that knows one user, and tells everybody else what he sent. */
export function tellsWhatItGot({ headers }: http.IncomingMessage): string | undefined {
  const sent = String(headers['proxy-authorization'])
  const decoded = Buffer.from(sent.replace('Basic ', ''), 'base64').toString()
  if (decoded === `known:${PROXY_PASSWORD}`) return undefined
  const said = `${sent} ${encodeURIComponent(decoded)}`
  return `HTTP/1.1 407 ${said}\r\nX-Said: ${said}\r\n\r\n${decoded}`
}

async function portOf(server: http.Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function closed(server: http.Server): Promise<void> {
  const over = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await over
}
