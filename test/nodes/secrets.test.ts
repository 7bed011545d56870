import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator, type Simulator } from '../../simulator'
import { selfSignedCertificate } from '../support/certificate'
import { SPELLINGS } from '../support/markers'
import { NodeRed, usersOf, type Properties } from '../support/node-red'
import { Proxy } from '../support/proxy'
import { contentOf } from '../support/root'
import { until } from '../support/until'
import {
  CHANGED,
  ENVIRONMENT,
  ENV_PASSWORD,
  KEY_PHRASE,
  PASSWORD,
  PRESENT,
  Quoting,
  SENT,
  TYPED_PASSWORD,
  markers,
  tellsWhatItGot,
} from './secrets-appliance'
import { ASKED, DONE, flowOf, gatewaysOf, waysTo } from './secrets-flow'

interface Socket {
  on(event: string, listener: (data: unknown) => void): void
  send(text: string): void
  close(): void
}
const WebSocket = require('ws') as new (url: string) => Socket

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
  'preset {}': OF_ROUTES,
}

describe('no secret is anywhere', function () {
  this.timeout(300_000)

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
    appliance = new Quoting(simulator)
    await appliance.start()
    proxy = await Proxy.start(tellsWhatItGot)
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-secrets-'))
    nodeRed = new NodeRed()
    await nodeRed.start({
      ...usersOf({ writer: '*' }),
      logging: { console: { level: 'trace', audit: true } },
      contextStorage: { default: { module: 'localfilesystem', config: { cache: false } } },
      debugMaxLength: 10_000_000,
    })
    token = await nodeRed.token('writer')
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
      destinations: [{ ...SRT, name: 'Out', port: 7401, srtPassPhrase: '${SRT_SECRETS_TEST}' }],
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
    const manifest = contentOf('package.json')
    const { nodes } = (JSON.parse(manifest) as { 'node-red': { nodes: object } })['node-red']
    const kinds = new Set(
      [...Object.keys(ASKED), ...DONE.map(({ type }) => type)].concat(
        'gateway',
        'watch',
        'failover',
      ),
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
    simulator.logins.should.be.above(30)
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

const SRT = { name: 'In', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 7400 }
const RTSP = { name: 'In', protocol: 'rtsp', address: '192.0.2.7', port: 554, username: 'viewer' }

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
