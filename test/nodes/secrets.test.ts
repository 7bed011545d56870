import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import 'should'
import { startSimulator, type Simulator } from '../../simulator'
import { selfSignedCertificate } from '../support/certificate'
import { Markers, SPELLINGS } from '../support/markers'
import { NodeRed, type Properties } from '../support/node-red'
import { Proxy } from '../support/proxy'
import { root } from '../support/root'
import { until } from '../support/until'

const { hashSync } = require('bcryptjs') as { hashSync: (text: string, rounds: number) => string }

interface Socket {
  on(event: string, listener: (data: unknown) => void): void
  send(text: string): void
  close(): void
}
const WebSocket = require('ws') as new (url: string) => Socket

const markers = new Markers()
const PASSWORD = markers.make('password')
const ENV_PASSWORD = markers.make('password from the environment')
const WRONG_PASSWORD = markers.make('wrong password')
const TYPED_PASSWORD = markers.make('typed password')
const PROXY_PASSWORD = markers.make('proxy password')
const KEY_PHRASE = markers.make('pass phrase of the key', { plain: true })
const WRONG_PHRASE = markers.make('wrong pass phrase of the key', { plain: true })
/** What the appliance has of its own, and answers to who may read it. */
const PRESENT = {
  srt: markers.make('present srtPassPhrase'),
  rtsp: markers.make('present RTSP password'),
  passcode: markers.make('present passcode'),
}
/** What messages bring. */
const SENT = {
  srt: markers.make('sent srtPassPhrase'),
  rtsp: markers.make('sent RTSP password'),
  preset: markers.make('sent preset passphrase'),
  broken: markers.make('passphrase of a broken definition'),
  environment: markers.make('passphrase from the environment'),
}
const CHANGED = markers.make('changed srtPassPhrase')
const ENVIRONMENT = {
  SECRETS_TEST_USER: 'operator',
  SECRETS_TEST_PASSWORD: ENV_PASSWORD,
  SECRETS_TEST_PHRASE: SENT.environment,
}

/** How an appliance, or what stands before it, can misbehave with what it was sent. */
const MANNERS: Record<string, (quote: Quote, response: http.ServerResponse) => void> = {
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
const STAGES: Record<string, (method: string, path: string) => boolean> = {
  login: (method, path) => method === 'POST' && path === '/api/session',
  calls: (_, path) => path !== '/api/session',
  writes: (method, path) => method === 'POST' && path !== '/api/session',
}

/** What each kind of node is asked to do where all goes wrong. */
const ASKED: Record<string, { properties: Properties; writes?: true }> = {
  session: { properties: { action: 'start' } },
  'list-devices': { properties: {} },
  'get-device': { properties: {} },
  'list-routes': { properties: {} },
  'get-route': { properties: {} },
  'create-route': { properties: {}, writes: true },
  'update-route': { properties: { mode: 'replace' }, writes: true },
  'delete-route': { properties: {}, writes: true },
  'control-route': { properties: { action: 'start' }, writes: true },
  'ensure-route': { properties: { waitTimeout: 0.5 }, writes: true },
  statistics: { properties: {} },
  preset: { properties: { action: 'import' }, writes: true },
}

/** What is done where all is well; the last ones change what the others read. */
const DONE: Array<{ type: string; properties: Properties; last?: true }> = [
  { type: 'session', properties: { action: 'info' } },
  { type: 'list-devices', properties: {} },
  { type: 'get-device', properties: { hideSecrets: true } },
  { type: 'get-device', properties: {} },
  { type: 'list-routes', properties: { output: 'routes' } },
  { type: 'get-route', properties: { hideSecrets: true } },
  { type: 'get-route', properties: {} },
  { type: 'create-route', properties: { waitFor: 'accepted' } },
  { type: 'create-route', properties: { waitFor: 'applied' } },
  {
    type: 'create-route',
    properties: {
      definitionType: 'jsonata',
      definition:
        '{"name": "From the environment", "source": {"name": "in", "protocol": "srt", "srtMode": "listener", "address": "0.0.0.0", "port": 7500, "srtPassPhrase": $env("SECRETS_TEST_PHRASE")}}',
    },
  },
  { type: 'update-route', properties: { mode: 'merge', waitFor: 'accepted' } },
  { type: 'update-route', properties: { mode: 'merge', waitFor: 'applied' } },
  { type: 'control-route', properties: { action: 'restart' } },
  { type: 'ensure-route', properties: { check: true } },
  { type: 'ensure-route', properties: {} },
  { type: 'statistics', properties: { scope: 'all' } },
  { type: 'preset', properties: { hideSecrets: true } },
  { type: 'preset', properties: {} },
  { type: 'delete-route', properties: {} },
  { type: 'preset', properties: { action: 'import' }, last: true },
  { type: 'session', properties: { action: 'end' }, last: true },
]

/**
 * The results that hold what the appliance answered, by node and properties (docs/security.md).
 * Secrets are in these results, and in the messages that brought them; nowhere else.
 */
const OF_ROUTES = /srtPassPhrase$|RTSP password$|passphrase/
const MAY_HOLD: Record<string, RegExp> = {
  'session {"action":"info"}': /^session ID$/,
  'session {}': /^session ID$/,
  'get-device {}': /^present passcode$|srtPassPhrase$|RTSP password$|passphrase/,
  'list-routes {"output":"routes"}': OF_ROUTES,
  'list-routes {}': OF_ROUTES,
  'get-route {}': OF_ROUTES,
  'create-route {"waitFor":"applied"}': OF_ROUTES,
  'update-route {"mode":"merge","waitFor":"applied"}': OF_ROUTES,
  'ensure-route {"check":true}': OF_ROUTES,
  'ensure-route {}': OF_ROUTES,
  'preset {}': OF_ROUTES,
}

describe('no secret is anywhere', function () {
  this.timeout(120_000)

  let simulator: Simulator
  let secure: Simulator
  let appliance: Quoting
  let proxy: Proxy
  let nodeRed: NodeRed
  let comms: Socket | undefined
  let token: string
  let folder: string
  let deviceId: string
  let gateways: Properties[]
  let flow: Properties[]
  const heard: string[] = []
  /** Bodies and headers of all that the admin routes answered. */
  const answered: string[] = []

  before(async () => {
    Object.assign(process.env, ENVIRONMENT)
    const users = [
      { username: 'haiadmin', password: PASSWORD, role: 'Administrator' as const },
      { username: 'operator', password: ENV_PASSWORD, role: 'Operator' as const },
      { username: 'typed', password: TYPED_PASSWORD, role: 'Administrator' as const },
    ]
    const sessionPrefix = markers.make('session ID', { plain: true })
    const appearance = { users, sessionPrefix, maxSessions: 10_000, lockoutAfter: 0, routes: 8 }
    simulator = await startSimulator({ ...appearance, pollingInterval: 1000 })
    const { key, cert } = await selfSignedCertificate()
    secure = await startSimulator({ ...appearance, https: { key, cert } })
    for (const { devices } of [simulator, secure]) {
      devices[0]!.pairings[0]!.passcode = PRESENT.passcode
      for (const { source } of devices[0]!.routes) {
        if (source.protocol === 'srt') source.srtPassPhrase = PRESENT.srt
        if (source.protocol === 'rtsp') source.password = PRESENT.rtsp
      }
    }
    deviceId = simulator.devices[0]!._id
    appliance = await Quoting.start(simulator)
    proxy = await Proxy.start(tellsWhatItGot)
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-secrets-'))
    nodeRed = new NodeRed()
    await nodeRed.start({
      adminAuth: {
        type: 'credentials',
        users: [{ username: 'writer', password: hashSync('secret', 4), permissions: '*' }],
      },
      logging: { console: { level: 'trace', audit: true } },
      contextStorage: { default: { module: 'localfilesystem', config: { cache: false } } },
      debugMaxLength: 10_000_000,
    })
    token = await tokenOf(nodeRed.url)
    comms = await listen(nodeRed.url, token, heard)
    const locked = createPrivateKey(key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: KEY_PHRASE,
    })
    gateways = gatewaysOf(simulator, secure, appliance)
    flow = flowOf(gateways, folder, deviceId)
    flow.push(...waysTo({ key: String(locked), cert }, proxy))
    await nodeRed.deploy(flow, token)
    await until(() => heard.join('').includes('watch-good'), 'the flow runs', 60_000)
  })

  after(async () => {
    comms?.close()
    await nodeRed.stop()
    await appliance.stop()
    await proxy.stop()
    await simulator.stop()
    await secure.stop()
    rmSync(folder, { recursive: true, force: true })
    for (const name of Object.keys(ENVIRONMENT)) delete process.env[name]
  })

  /** The whole lines of a file that Node-RED may be writing to. */
  const lines = (file: string): string[] => {
    try {
      return readFileSync(join(folder, file), 'utf8').split('\n').slice(0, -1).filter(Boolean)
    } catch {
      return []
    }
  }

  async function send(messages: Record<string, object>): Promise<void> {
    const asked = flow.filter(({ from }) => Object.hasOwn(messages, String(from)))
    const answer = await fetch(`${nodeRed.url}go`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(messages),
    })
    answer.status.should.equal(200)
    const open = (): string[] => {
      const failed = lines('caught').map((line) => (JSON.parse(line) as Caught).error.source.id)
      const ended = new Set([...lines('done'), ...failed])
      return asked.map(({ id }) => String(id)).filter((id) => !ended.has(id))
    }
    await until(
      () => open().length === 0,
      () => `every message has its end: ${open().join(', ')}`,
      60_000,
    )
  }

  const ask = async (path: string, body?: unknown): Promise<void> => {
    answered.push(await got(path, body))
  }

  /** What an admin route returns. */
  async function got(path: string, body?: unknown): Promise<string> {
    const answer = await fetch(`${nodeRed.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const headers = JSON.stringify([...answer.headers])
    return `${path} ${answer.status} ${headers} ${await answer.text()}`
  }

  /** What each message brings; `of` is where it goes. */
  function messageFor(of: string, type: string): object {
    const named = (kind: string): string | undefined =>
      simulator.routes.find(({ source }) => source.protocol === kind)?.id
    const routeId = named('srt')
    const definition = {
      name: `New ${of}`,
      source: { ...SRT, srtPassPhrase: SENT.srt },
      destinations: [{ ...SRT, name: 'Out', port: 7401, srtPassPhrase: SENT.srt }],
    }
    switch (type) {
      case 'create-route':
        return { payload: definition }
      case 'update-route':
        return {
          routeId: simulator.routes.filter(({ source }) => source.protocol === 'srt')[1]?.id,
          payload: of.startsWith('asked') ? definition : { source: { srtPassPhrase: SENT.srt } },
        }
      case 'ensure-route':
        return { payload: { ...definition, name: simulator.route(routeId!)!.name } }
      case 'delete-route':
        return { routeId: simulator.routes.at(-1)!.id }
      case 'preset': {
        const source = { ...RTSP, password: SENT.rtsp }
        const routes = [{ ...definition, source: { ...SRT, srtPassPhrase: SENT.preset } }]
        const payload = { preset_version: '1.0', routes: [...routes, { name: 'R', source }] }
        return { payload, confirm: true }
      }
      default:
        return { routeId }
    }
  }

  it('with every kind of node, every admin route and every failure', async () => {
    const manifest = readFileSync(join(root, 'package.json'), 'utf8')
    const { nodes } = (JSON.parse(manifest) as { 'node-red': { nodes: object } })['node-red']
    const kinds = new Set(
      [...Object.keys(ASKED), ...DONE.map(({ type }) => type)].concat('gateway', 'watch'),
    )
    ;[...kinds].sort().should.eql(Object.keys(nodes).sort())

    const goodOnes = DONE.map((one, index) => ({ ...one, from: `done ${index}` }))
    for (const one of goodOnes) {
      await send({ [one.from]: messageFor(one.from, one.type) })
      if (one.type === 'statistics') await simulator.settle()
    }
    const asked = Object.keys(ASKED).map((type) => [
      `asked ${type}`,
      messageFor(`asked ${type}`, type),
    ])
    await send(Object.fromEntries(asked) as Record<string, object>)
    await send({
      environment: {},
      'broken json': {},
      'broken expression': { payload: { source: { srtPassPhrase: SENT.broken } } },
    })

    for (const { source } of simulator.routes) {
      if (source.protocol === 'srt') source.srtPassPhrase = CHANGED
    }
    const routeId = simulator.routes[0]!.id
    await Promise.all(
      gateways.flatMap(({ id, credentials, ...form }) => {
        const { username } = credentials as { username: string }
        const typed = { ...form, username: 'typed', password: TYPED_PASSWORD }
        const saved = { id, ...form, username, password: '__PWRD__' }
        const control = ask('media-gateway/control', { id, deviceId, routeId, action: 'start' })
        // The others read, and there nothing goes wrong with that.
        if (String(id).startsWith('writes-')) return [control]
        return [
          control,
          ask('media-gateway/state', { id, deviceId }),
          ...[{ id }, saved, typed].map((connection) =>
            ask('media-gateway/connection', { connection }),
          ),
          ...[{ id }, typed].flatMap((connection) => [
            ask('media-gateway/lookup', { connection, deviceId }),
            ask('media-gateway/definition', { connection, deviceId, routeId }),
          ]),
        ]
      }),
    )
    await until(
      () => lines('events').some((line) => line.includes('route.changed')),
      'the change of a passphrase is told',
      60_000,
    )
    // What an event says of an outage, half a minute later, is what the state says of a failed look.
    await until(
      async () => (await got('media-gateway/state', { id: 'calls-plain' })).includes(FAILED_LOOK),
      'a failed look',
      60_000,
    )
    await ask('media-gateway/state', { id: 'calls-plain' })
    answered.at(-1)!.should.containEql(FAILED_LOOK)
    await ask('media-gateway/gateways')
    await ask('flows')
    await ask('nodes')
    // It has to have come so far that there was something to leak.
    appliance.quoted.should.be.above(200)
    simulator.logins.should.be.above(50)
    proxy.opened.should.be.above(0)
    secure.logins.should.be.above(0)
    const codes = new Set(lines('caught').map((line) => (JSON.parse(line) as Caught).error.code))
    for (const code of CODES) codes.should.containEql(code)

    lines('caught')
      .filter((line) => (JSON.parse(line) as Caught).error.source.id === 'broken-json')
      .forEach((line) => line.should.match(/cannot be evaluated/).and.not.match(/oh dear/))

    const found = lines('results').map((line) => {
      const { from, ...result } = JSON.parse(line) as { from: string }
      const one = goodOnes.find((each) => each.from === from)
      const what = one ? `${one.type} ${JSON.stringify(one.properties)}` : from
      // Here and there one succeeds that was asked where most fail.
      const allowed = MAY_HOLD[what] ?? MAY_HOLD[from.replace(/^asked (.*)$/, '$1 {}')]
      const names = markers.in(JSON.stringify(result))
      if (one && allowed) names.length.should.be.above(0, `${what} holds none`)
      return names.filter((name) => !allowed?.test(name)).map((name) => `${what}: ${name}`)
    })
    found.flat().should.eql([])
    searched().should.eql({})
  })

  it('and this is seen where one is', async () => {
    for (const spell of Object.values(SPELLINGS)) {
      markers.in(`before ${spell(PASSWORD)} after`).should.eql(['password'])
      markers.in(spell(`haiadmin:${PASSWORD}`)).should.eql(['password'])
    }
    // The search took long: a connection that has been closed meanwhile is noticed now.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const response = await fetch(`${nodeRed.url}plant`, { method: 'POST', body: SENT.srt })
    response.status.should.equal(200)
    answered.push(await response.text())
    const planted = ['sent srtPassPhrase']
    const everywhere = {
      output: planted,
      'messages of the editor': planted,
      'Catch nodes': planted,
      'Status nodes': planted,
      events: planted,
      'admin routes': planted,
      'user folder': planted,
    }
    await until(
      () => JSON.stringify(searched()) === JSON.stringify(everywhere),
      () => `what was planted is found everywhere: ${JSON.stringify(searched())}`,
      60_000,
    )
  })

  /** The secrets in all that came out, by where they are. */
  function searched(): Record<string, string[]> {
    const places: Record<string, string> = {
      output: nodeRed.output,
      'messages of the editor': heard.join('\n'),
      'Catch nodes': lines('caught').join('\n'),
      'Status nodes': lines('statuses').join('\n'),
      events: lines('events').join('\n'),
      'admin routes': answered.join('\n'),
      'user folder': filesIn(nodeRed.userDir),
    }
    const found = Object.entries(places).map(([place, text]) => [place, markers.in(text)])
    return Object.fromEntries(found.filter(([, names]) => names!.length > 0)) as Record<
      string,
      string[]
    >
  }
})

const FAILED_LOOK = '"failure":{"code"'

interface Caught {
  error: { code: string; source: { id: string } }
}

/** Failures that have to come about in such a run. */
const CODES = [
  'CONFIG',
  'INVALID_INPUT',
  'LOGIN_REFUSED',
  'FORBIDDEN',
  'CONFLICT',
  'REJECTED',
  'UNAVAILABLE',
  'TIMEOUT',
  'TLS',
  'BAD_RESPONSE',
  'OUTCOME_UNKNOWN',
]

const SRT = {
  name: 'In',
  protocol: 'srt',
  srtMode: 'listener',
  address: '0.0.0.0',
  port: 7400,
}
const RTSP = {
  name: 'In',
  protocol: 'rtsp',
  address: '192.0.2.7',
  port: 554,
  username: 'viewer',
}

/** One for each stage and manner, and one for each way in which TLS, proxy or login go wrong. */
function gatewaysOf(simulator: Simulator, secure: Simulator, appliance: Quoting): Properties[] {
  const gateway = (id: string, properties: Properties, credentials?: Properties): Properties => ({
    id,
    type: 'media-gateway',
    name: `Gateway ${id}`,
    timeout: 20_000,
    concurrency: 30,
    pollInterval: 1,
    ...properties,
    credentials: { username: 'haiadmin', password: PASSWORD, ...credentials },
  })
  const quoting = Object.keys(STAGES).flatMap((stage) =>
    Object.keys(MANNERS)
      // What is read brings no secret that could be spelled in so many ways.
      .filter((manner) => stage !== 'calls' || manner === 'plain' || !(manner in SPELLINGS))
      .map((manner) =>
        gateway(`${stage}-${manner}`, {
          baseUrl: `${appliance.url}/${stage}/${manner}`,
          timeout: manner === 'hang' ? 300 : 20_000,
        }),
      ),
  )
  const variables = {
    username: '${SECRETS_TEST_USER}',
    password: '${SECRETS_TEST_PASSWORD}',
  }
  const { fingerprint } = secure
  return [
    gateway('good', { baseUrl: simulator.url, timeout: 10_000 }),
    ...quoting,
    gateway('environment', { baseUrl: simulator.url }, variables),
    gateway('wrong', { baseUrl: simulator.url }, { password: WRONG_PASSWORD }),
    gateway('away', { baseUrl: 'http://127.0.0.1:1' }),
    gateway('secure', { baseUrl: secure.url, fingerprint, tls: 'tls', proxy: 'proxy' }),
    gateway('untrusted', { baseUrl: secure.url }),
    gateway('changed', { baseUrl: secure.url, fingerprint: 'AB'.repeat(32), proxy: 'proxy' }),
    gateway('wrong-key', { baseUrl: secure.url, fingerprint, tls: 'wrong-tls' }),
    gateway('refused-way', { baseUrl: secure.url, fingerprint, proxy: 'wrong-proxy' }),
  ]
}

/** TLS configurations and proxies, right and wrong. */
function waysTo({ key, cert }: { key: string; cert: string }, proxy: Proxy): Properties[] {
  const tls = (id: string, passphrase: string): Properties => ({
    id,
    type: 'tls-config',
    name: `The ${id}`,
    cert: '',
    key: '',
    ca: '',
    verifyservercert: true,
    credentials: { certdata: cert, keydata: key, passphrase },
  })
  const through = (id: string, username: string): Properties => ({
    id,
    type: 'http proxy',
    name: `The ${id}`,
    url: proxy.url,
    noproxy: [],
    credentials: { username, password: PROXY_PASSWORD },
  })
  return [
    tls('tls', KEY_PHRASE),
    tls('wrong-tls', WRONG_PHRASE),
    through('proxy', 'known'),
    through('wrong-proxy', 'unknown'),
  ]
}

const WATCHED = ['good', 'login-plain', 'calls-plain', 'calls-reset', 'wrong', 'secure', 'changed']

/** Whether this kind of node is asked on this gateway: only where it can make a difference. */
function meets(gateway: string, type: string, writes = false): boolean {
  if (gateway === 'good' || gateway === 'environment') return false
  if (gateway.startsWith('writes-')) return writes
  // All fail at the same login.
  return !gateway.startsWith('login-') || gateway === 'login-plain' || type === 'create-route'
}

/** Every kind of node on every gateway; what becomes of each message is written to files. */
function flowOf(gateways: Properties[], folder: string, deviceId: string): Properties[] {
  const node = (id: string, type: string, more: Properties): Properties => ({
    id,
    z: 'tab',
    x: 0,
    y: 0,
    type,
    name: '',
    wires: [],
    ...more,
  })
  const action = (id: string, type: string, from: string, more: Properties): Properties =>
    node(id, `media-gateway-${type}`, {
      from,
      device: deviceId,
      deviceType: 'id',
      wires: [['result']],
      ...more,
    })
  const done = DONE.map(({ type, properties }, index) =>
    action(`done-${index}`, type, `done ${index}`, { gateway: 'good', ...properties }),
  )
  const asked = gateways.flatMap(({ id: gateway }) =>
    Object.entries(ASKED)
      .filter(([type, { writes }]) => meets(String(gateway), type, writes))
      .map(([type, { properties }]) =>
        action(`${String(gateway)} ${type}`, type, `asked ${type}`, { gateway, ...properties }),
      ),
  )
  const broken = [
    action('broken-json', 'create-route', 'broken json', {
      gateway: 'good',
      definitionType: 'json',
      definition: '{"source": {"srtPassPhrase": oh dear}}',
    }),
    action('broken-expression', 'create-route', 'broken expression', {
      gateway: 'good',
      definitionType: 'jsonata',
      definition: '$number(payload.source.srtPassPhrase)',
    }),
    action('environment-list', 'list-devices', 'environment', { gateway: 'environment' }),
  ]
  const watches = WATCHED.map((gateway) =>
    node(`watch-${gateway}`, 'media-gateway-watch', {
      gateway,
      initial: 'snapshot',
      wires: [['event']],
    }),
  )
  const actions = [...done, ...asked, ...broken]
  const names = [...new Set(actions.map(({ from }) => String(from)))]
  const writesTo = (file: string): Properties =>
    node(file, 'file', {
      filename: join(folder, file),
      filenameType: 'str',
      appendNewline: true,
      overwriteFile: 'false',
    })
  const does = (id: string, func: string, wires: string[][]): Properties =>
    node(id, 'function', {
      func,
      outputs: wires.length,
      wires,
    })
  return [
    { id: 'tab', type: 'tab', label: 'secrets' },
    ...gateways,
    ...actions,
    ...watches,
    node('go', 'http in', { url: '/go', method: 'post', wires: [['send']] }),
    does(
      'send',
      `node.send([{ req: msg.req, res: msg.res, payload: {} }])
       const names = ${JSON.stringify(names)}
       return [null, ...names.map((from) => msg.payload[from] && { ...msg.payload[from], from })]`,
      [
        ['gone'],
        ...names.map((name) =>
          actions.filter(({ from }) => from === name).map(({ id }) => String(id)),
        ),
      ],
    ),
    node('gone', 'http response', {}),
    // The message itself arrives as it was: what it brought is in its payload.
    does('result', 'return { payload: JSON.stringify(msg) }', [['results']]),
    writesTo('results'),
    node('complete', 'complete', { scope: actions.map(({ id }) => id), wires: [['end']] }),
    does('end', 'return { payload: msg.complete.source.id }', [['done']]),
    writesTo('done'),
    node('catch', 'catch', { scope: null, wires: [['failure', 'debug']] }),
    does(
      'failure',
      `const { payload, ...rest } = msg
       rest.inspected = util.inspect(msg.error, { depth: Infinity, showHidden: true })
       return { payload: JSON.stringify(rest) }`,
      [['caught']],
    ),
    writesTo('caught'),
    node('debug', 'debug', {
      active: true,
      tosidebar: true,
      console: true,
      complete: 'error',
      targetType: 'msg',
    }),
    node('status', 'status', { scope: null, wires: [['state']] }),
    does('state', 'return { payload: JSON.stringify(msg) }', [['statuses']]),
    writesTo('statuses'),
    does('event', 'return { payload: JSON.stringify(msg) }', [['events']]),
    writesTo('events'),
    node('plant-in', 'http in', { url: '/plant', method: 'post', wires: [['plant']] }),
    does(
      'plant',
      `const text = String(msg.payload)
       context.set('planted', text)
       node.status({ text })
       node.error(text, { topic: 'planted' })
       node.send([{ ...msg, payload: text }, { topic: text }])`,
      [['gone'], ['event']],
    ),
  ]
}

/** Stands before the simulator, and answers some calls with all that they were sent. */
class Quoting {
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
function tellsWhatItGot({ headers }: http.IncomingMessage): string | undefined {
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

async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: 'node-red-admin',
      grant_type: 'password',
      scope: '',
      username: 'writer',
      password: 'secret',
    }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** Listens as the editor does. */
async function listen(url: string, token: string, heard: string[]): Promise<Socket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}comms`)
  socket.on('message', (data) => heard.push(String(data)))
  await new Promise((opened) => socket.on('open', opened))
  socket.send(JSON.stringify({ auth: token }))
  await until(() => heard.join('').includes('"auth":"ok"'), 'the editor is let in')
  socket.send(JSON.stringify({ subscribe: 'status/#' }))
  return socket
}

/**
 * The content of all files in a folder, except what is linked in: this package with all its
 * packages is, and the recursive `readdir` of some versions of Node.js follows the link.
 */
function filesIn(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesIn(path)
      return entry.isFile() ? readFileSync(path, 'utf8') : ''
    })
    .join('\n')
}
