import * as fc from 'fast-check'
import { startSimulator } from '../../simulator'
import { good, ScriptedAppliance, type Answer, type Reply } from '../support/scripted-appliance'
import { editedText, edits, textOf, wholeText, type Edit } from './strange-values'

/**
 * An appliance that responds as instructed, and otherwise like a good one. It has lanes, each with a
 * port and a path of its own, so that several gateways can be tried at once without affecting each
 * other.
 */
export class StrangeAppliance {
  readonly #lanes = new Map<string, Lane>()
  readonly #servers: ScriptedAppliance[] = []
  #answers!: GoodAnswers

  constructor(private readonly names: readonly string[]) {}

  async start(): Promise<void> {
    this.#answers = await goodAnswers()
    for (const name of this.names) {
      const server = new ScriptedAppliance((call) => {
        // Each lane has a list of its own.
        server.calls.length = 0
        const lane = this.lane(name)
        const url = call.url.slice(name.length + 1)
        lane.calls.push(`${call.method} ${url}`)
        const strange = lane.answers.shift()
        const usual = this.#goodAnswer(call.method, url, lane.round) ?? good(call)
        return strange ? strangeReply(strange, usual, this.#answers) : usual
      })
      await server.start()
      this.#servers.push(server)
      this.#lanes.set(name, { url: `${server.url}/${name}`, calls: [], answers: [], round: 0 })
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  lane(name: string): Lane {
    return this.#lanes.get(name)!
  }

  /** A route as a good appliance returns it. */
  get route(): Record<string, unknown> {
    return this.#answers.route as Record<string, unknown>
  }

  get preset(): unknown {
    return this.#answers.preset
  }

  /** What must not appear in any error or line of the log. */
  get secrets(): string[] {
    return [PASSWORD, this.#answers.sessionId]
  }

  /** Those of the routes, which may be in results, but not in events. */
  get passPhrases(): string[] {
    const found = JSON.stringify(this.#answers).matchAll(/"srtPassPhrase":"([^"]+)"/g)
    return [...found].map(([, passPhrase]) => passPhrase!)
  }

  #goodAnswer(method: string, url: string, round: number): Answer | undefined {
    const [place = '', query = ''] = url.split('?')
    const known = this.#answers
    if (place === '/api/session') {
      if (method === 'POST') return { body: known.login, headers: { 'set-cookie': known.cookie } }
      if (method === 'DELETE') return { body: known.logout }
      return { body: { ...(known.session as object), expireAt: Date.now() + 900_000 } }
    }
    if (place === '/api/devices') return { body: known.devices }
    const [, kind, device = '', what = ''] =
      /^\/api\/(devices|gateway)\/([^/]+)(.*)$/.exec(place) ?? []
    const _id = decodeURIComponent(device)
    if (kind === 'devices') {
      if (what === '/updates') return { body: known.update }
      if (what === '/commands') return { body: known.command }
      if (what === '') return { body: { ...(known.device as object), _id } }
    }
    if (kind === 'gateway') {
      if (what === '/routes') return { body: inRound(known.routes, round) }
      if (what === '/statistics') return { body: known.statistics }
      if (what === '/statistics/client') return { body: known.clientStatistics }
      if (what === '/system/preset')
        return { body: method === 'GET' ? known.preset : known.imported }
      const [, route] = /^\/routes\/([^/]+)$/.exec(what) ?? []
      if (route && !query) {
        const { name, ...rest } = known.route as RouteAsRead
        // Another name in each round, so that no update of an earlier one counts as under way.
        return { body: { ...rest, id: decodeURIComponent(route), name: `${name} ${round}` } }
      }
    }
    return undefined
  }
}

/** One gateway's part of the appliance. */
export interface Lane {
  url: string
  /** Method and path with its query, of every call. */
  calls: string[]
  /** The responses to the next calls; good ones follow after them. */
  answers: StrangeAnswer[]
  /** The listed routes have other IDs in each round, so nothing is known of them yet. */
  round: number
}

/** How a response differs from the good one. */
export interface StrangeAnswer {
  status?: number
  /** Raw lines. */
  headers: string[]
  type: string
  body: { edits: Edit[] } | { text: string } | { asOf: string }
  framing: Framing
}

export const FRAMINGS = [
  'length',
  'close',
  'chunked',
  'early hints',
  'byte order mark',
  'too short',
  'too long',
  'two lengths',
  'garbage',
  'hang up',
  'silence',
] as const

export type Framing = (typeof FRAMINGS)[number]

export const USERNAME = 'fuzz'
export const PASSWORD = 'secret-password-4711'

/** The simulator's response to each call of the interface. */
type GoodAnswers = Record<string, unknown> & {
  cookie: string
  sessionId: string
  routes: RouteListAsRead
}

export const ANSWER_NAMES = [
  'login',
  'session',
  'devices',
  'device',
  'routes',
  'route',
  'statistics',
  'clientStatistics',
  'preset',
  'update',
  'command',
  'imported',
  'logout',
] as const

async function goodAnswers(): Promise<GoodAnswers> {
  const simulator = await startSimulator({
    username: USERNAME,
    password: PASSWORD,
    routes: 6,
    journalSize: 0,
  })
  let cookie = ''
  const ask = async (path: string, body?: unknown, method = body ? 'POST' : 'GET') => {
    const type = body instanceof FormData ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(simulator.url + path, {
      method,
      headers: { cookie, ...type },
      body: body instanceof FormData ? body : body && JSON.stringify(body),
    } as RequestInit)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    cookie ||= answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    return (await answer.json()) as unknown
  }
  try {
    const login = await ask('/api/session', { username: USERNAME, password: PASSWORD })
    const device = simulator.devices[0]!._id
    const at = `/api/gateway/${device}`
    const routes = (await ask(`${at}/routes?page=1`)) as RouteListAsRead
    const route = routes.data.find(
      ({ state, destinations }) => state === 'running' && destinations.length > 0,
    )!
    const { id } = route
    const [destination] = route.destinations
    const preset = await ask(`${at}/system/preset`)
    const form = new FormData()
    form.append('file', new Blob([JSON.stringify(preset)]), 'preset.hmg')
    const updates = `/api/devices/${device}/updates`
    return {
      login,
      cookie,
      sessionId: cookie.split('=')[1]!,
      session: await ask('/api/session'),
      devices: await ask('/api/devices'),
      device: await ask(`/api/devices/${device}`),
      routes,
      route,
      statistics: await ask(
        `${at}/statistics?routeID=${id}&destinationID=${String(destination!.id)}`,
      ),
      clientStatistics: { route: { id, name: 'x' }, clientStat: [], collectedAt: 1 },
      preset,
      imported: await ask(`${at}/system/preset`, form),
      update: await ask(updates, {
        action: 'delete',
        deviceID: device,
        elementType: 'route',
        elementID: simulator.routes[5]?.id ?? id,
      }).catch(() => ({ status: 'ok' })),
      command: [{ status: 'ok', elementID: id }],
      logout: await ask('/api/session', undefined, 'DELETE'),
    }
  } finally {
    await simulator.stop()
  }
}

function inRound(list: RouteListAsRead, round: number): RouteListAsRead {
  return { ...list, data: list.data.map((route) => ({ ...route, id: `${route.id}-${round}` })) }
}

interface RouteListAsRead {
  data: RouteAsRead[]
}

interface RouteAsRead {
  id: string
  name: string
  state: string
  destinations: Array<Record<string, unknown>>
}

function strangeReply(
  { status, headers, type, body, framing }: StrangeAnswer,
  usual: Answer,
  known: GoodAnswers,
): Reply {
  if (framing === 'silence') return framing
  if (framing === 'hang up') return 'cut'
  if (framing === 'garbage') return { raw: '\0\u00ff nothing like HTTP\r\n\r\n' }
  const valid = 'asOf' in body ? known[body.asOf] : usual.body
  const text =
    'text' in body
      ? textOf(body.text)
      : 'edits' in body
        ? editedText(valid, body.edits)
        : JSON.stringify(valid)
  const bytes = Buffer.from(framing === 'byte order mark' ? `\uFEFF${text}` : text)
  const cookie = usual.headers?.['set-cookie']
  const lines = [
    `HTTP/1.1 ${status ?? usual.status ?? 200} Whatever`,
    `content-type: ${type}`,
    ...(cookie ? [`set-cookie: ${String(cookie)}`] : []),
    ...headers,
    ...lengthOf(framing, bytes.length),
    'connection: close',
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const parts = framing === 'chunked' ? chunked(bytes) : [bytes]
  const before =
    framing === 'early hints'
      ? [Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n')]
      : []
  return { raw: Buffer.concat([...before, head, ...parts]) }
}

function lengthOf(framing: Framing, length: number): string[] {
  switch (framing) {
    case 'close':
      return []
    case 'chunked':
      return ['transfer-encoding: chunked']
    case 'too short':
      return [`content-length: ${length + 10}`]
    case 'too long':
      return [`content-length: ${Math.max(0, length - 1)}`]
    case 'two lengths':
      return [`content-length: ${length}`, `content-length: ${length + 1}`]
    default:
      return [`content-length: ${length}`]
  }
}

function chunked(bytes: Buffer): Buffer[] {
  const half = bytes.length >> 1
  const parts = [bytes.subarray(0, half), bytes.subarray(half)].filter(({ length }) => length > 0)
  return [
    ...parts.flatMap((part) => [
      Buffer.from(`${part.length.toString(16)}\r\n`),
      part,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('0\r\n\r\n'),
  ]
}

/** Most of them are nearly good: those get furthest. */
export const strangeAnswer: fc.Arbitrary<StrangeAnswer> = fc.record({
  status: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    fc.constantFrom(101, 199, 200, 201, 204, 205, 206, 226, 299, 300, 301, 302, 304, 307, 308),
    fc.constantFrom(400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 418, 422, 429, 431, 451),
    fc.constantFrom(500, 501, 502, 503, 504, 507, 511, 599, 600, 700, 999),
  ),
  headers: fc.array(
    fc.constantFrom(
      'set-cookie: ',
      'set-cookie: sessionID=',
      'set-cookie: sessionID=\u0001; Path=/',
      'set-cookie: __proto__=polluted; Domain=com',
      'set-cookie: =; ;;; Path=/other; Expires=never; Max-Age=1e400',
      `set-cookie: a=${'x'.repeat(5000)}`,
      'set-cookie: sessionID=gone; Max-Age=0',
      'retry-after: 1e400',
      'retry-after: -1',
      'retry-after: Wed, 21 Oct 2015 07:28:00 GMT',
      'retry-after: \u00ff',
      'location: //',
      'location: http://127.0.0.1:1/elsewhere',
      'location: \u00ff\u00fe',
      'date: yesterday',
      'date: Thu, 01 Jan 1970 00:00:00 GMT',
      'content-encoding: gzip',
      'content-encoding: br',
      'content-encoding: nonsense',
      '__proto__: polluted',
      'constructor: a',
      'x-odd: \u0080',
    ),
    { maxLength: 2 },
  ),
  type: fc.constantFrom(
    'application/json',
    'application/json',
    'text/html',
    'image/png',
    'application/json; charset=utf-16',
    '',
  ),
  body: fc.oneof(
    { weight: 6, arbitrary: edits.map((changes) => ({ edits: changes })) },
    { weight: 2, arbitrary: wholeText.map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.constantFrom(...ANSWER_NAMES).map((asOf) => ({ asOf })) },
  ),
  framing: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('length' as const, 'chunked' as const) },
    fc.constantFrom(...FRAMINGS),
  ),
})

/** A good response among strange ones gets an operation further. */
export const GOOD: StrangeAnswer = {
  headers: [],
  type: 'application/json',
  body: { edits: [] },
  framing: 'length',
}
