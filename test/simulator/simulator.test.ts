import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { PeerCertificate } from 'node:tls'
import should from 'should'
import {
  generateRoutes,
  startSimulator,
  type Fault,
  type RouteSpec,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator'
import { testCertificate } from '../../simulator/certificate'
import { isForeground } from '../../simulator/terminal'
import { root } from '../support/root'
import { until } from '../support/until'

/** What answers hold is looked at freely here: the shape is what the tests are about. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: Json
}

interface Sending {
  body?: unknown
  raw?: string | Buffer
  type?: string
  cookie?: string
  signal?: AbortSignal
  agent?: Agent
}

const opened: Simulator[] = []
const children: ChildProcessWithoutNullStreams[] = []

async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ applyDelay: 20, settleDelay: 10, ...options })
  opened.push(simulator)
  return simulator
}

/** A simulator that leaves what it accepts pending until `apply`, however slow the machine is. */
async function simulatePending(options: SimulatorOptions = {}) {
  const applyDelay = 60_000
  let passed = 0
  const simulator = await simulate({ ...options, applyDelay, now: () => Date.now() + passed })
  const apply = () => {
    passed += applyDelay
    return simulator.settle()
  }
  return { simulator, apply }
}

/** One call on a connection of its own; rejects when the connection fails before the answer ends. */
function call(url: string, method: string, path: string, sending: Sending = {}): Promise<Answer> {
  const { body, raw, cookie, signal, agent } = sending
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = sending.type ?? (content === undefined ? undefined : 'application/json')
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${url}${path}`,
      {
        method,
        agent: agent ?? false,
        signal,
        headers: { ...(type && { 'Content-Type': type }), ...(cookie && { Cookie: cookie }) },
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

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ADMINISTRATOR = { username: 'haiadmin', password: 'manager' }
const OPERATOR = { username: 'operator', password: 'supervisor' }
const OBSERVER = { username: 'user', password: 'public' }

/** Calls with the session of an account. */
async function loggedIn(simulator: Simulator, account = ADMINISTRATOR) {
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
function routeOf(simulator: Simulator, name: string) {
  const route = simulator.route(name)
  if (!route) throw new Error(`There is no route ${name}.`)
  return route
}

/** Plain order, for what is compared as a set. */
function byText(left: unknown, right: unknown): number {
  return String(left) < String(right) ? -1 : 1
}

const STUDIO: RouteSpec = {
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
function sendable(read: Json): Json {
  const part = ({ mode, ...rest }: Json) =>
    rest.protocol === 'srt' ? { ...rest, srtMode: mode } : rest
  return {
    name: read.name,
    source: part(read.source),
    destinations: read.destinations.map(part),
  }
}

describe('simulator', () => {
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await Promise.all(opened.splice(0).map((simulator) => simulator.stop()))
  })

  describe('sessions', () => {
    it('opens, describes and ends a session', async () => {
      let now = 1_700_000_000_000
      const simulator = await simulate({ now: () => now })
      const login = await call(simulator.url, 'POST', '/api/session', { body: ADMINISTRATOR })
      const { response } = login.json
      Object.keys(login.json).should.eql(['response'])
      response.type.should.equal('Session')
      response.message.should.be.a.String()
      response.lastLoginDate.should.be.a.Number()
      response.numLoginFailures.should.equal(0)
      should(login.headers['set-cookie']).eql([`sessionID=${response.sessionID}; Path=/; HttpOnly`])

      const cookie = `sessionID=${response.sessionID}`
      now += 60_000
      const information = await call(simulator.url, 'GET', '/api/session', { cookie })
      information.json.should.eql({
        sessionID: response.sessionID,
        displayName: 'Administrator',
        email: 'haiadmin@localhost',
        roles: ['Administrator'],
        startAt: 1_700_000_000_000,
        expireAt: now + 15 * 60_000,
        lastLoginDate: response.lastLoginDate,
        numLoginFailures: 0,
        isLicensed: true,
      })

      simulator.openSessions.should.equal(1)
      const end = await call(simulator.url, 'DELETE', '/api/session', { cookie })
      end.json.type.should.equal('Session')
      Object.keys(end.json).should.eql(['type', 'message'])
      simulator.openSessions.should.equal(0)
      simulator.logouts.should.equal(1)
      const after = await call(simulator.url, 'GET', '/api/session', { cookie })
      after.status.should.equal(401)
      after.json.error.type.should.equal('Session')
    })

    it('wants a session for everything else', async () => {
      const simulator = await simulate()
      for (const path of ['/api/devices', '/api/session', '/api/nothing']) {
        const { status, json } = await call(simulator.url, 'GET', path)
        status.should.equal(401)
        json.error.message.should.be.a.String()
      }
      const stale = await call(simulator.url, 'GET', '/api/devices', { cookie: 'sessionID=stale' })
      stale.status.should.equal(401)
    })

    it('expires sessions by its clock, later when they slide', async () => {
      let now = 0
      for (const sliding of [true, false]) {
        const simulator = await simulate({
          now: () => now,
          sessionLifetime: 1000,
          slidingSessions: sliding,
        })
        const { get } = await loggedIn(simulator)
        now += 900
        ;(await get('/api/devices')).status.should.equal(200)
        now += 900
        ;(await get('/api/devices')).status.should.equal(sliding ? 200 : 401)
        now += 1000
        simulator.openSessions.should.equal(0)
        ;(await get('/api/devices')).status.should.equal(401)
      }
    })

    it('shows a dead session as 401, as 404 or as a redirect', async () => {
      const simulator = await simulate()
      for (const expiredStatus of [401, 404, 'redirect'] as const) {
        simulator.setOptions({ dialect: { expiredStatus } })
        const { get } = await loggedIn(simulator)
        simulator.dropSessions()
        const answer = await get('/api/devices')
        answer.status.should.equal(expiredStatus === 'redirect' ? 302 : expiredStatus)
        if (expiredStatus === 'redirect') should(answer.headers.location).equal('/login')
        else answer.json.error.type.should.equal('Session')
      }
      const page = await call(simulator.url, 'GET', '/login')
      should(page.headers['content-type']).startWith('text/html')
    })

    it('counts wrong passwords and locks the account, even for the right one', async () => {
      let now = 0
      const simulator = await simulate({ lockoutAfter: 3, lockoutDuration: 1000, now: () => now })
      const attempt = (password: string) =>
        call(simulator.url, 'POST', '/api/session', { body: { username: 'haiadmin', password } })
      ;(await attempt('wrong')).status.should.equal(401)
      ;(await attempt('wrong')).json.error.message.should.match(/wrong/)
      const right = (await attempt('manager')).json.response
      right.numLoginFailures.should.equal(2)
      const cookie = `sessionID=${right.sessionID}`
      const information = async () =>
        (await call(simulator.url, 'GET', '/api/session', { cookie })).json
      const { lastLoginDate, numLoginFailures } = right
      ;(await information()).should.containEql({ lastLoginDate, numLoginFailures })
      simulator.setOptions({ dialect: { loginHistory: 'null' } })
      const none = { lastLoginDate: null, numLoginFailures: null }
      ;(await information()).should.containEql(none)

      for (let times = 0; times < 3; times++) await attempt('wrong')
      const locked = await attempt('manager')
      locked.status.should.equal(401)
      locked.json.error.message.should.match(/locked/)
      now += 1001
      ;(await attempt('manager')).json.response.numLoginFailures.should.equal(3)
      ;(await attempt('manager')).json.response.numLoginFailures.should.equal(0)
      simulator.loginAttempts.should.equal(9)
      simulator.logins.should.equal(3)

      simulator.setOptions({ dialect: { wrongPasswordStatus: 404 } })
      ;(await attempt('wrong')).status.should.equal(404)
    })

    it('refuses a login that lacks a member or is no JSON', async () => {
      const simulator = await simulate()
      const half = await call(simulator.url, 'POST', '/api/session', { body: { username: 'user' } })
      half.status.should.equal(400)
      const form = { raw: 'username=user', type: 'application/x-www-form-urlencoded' }
      ;(await call(simulator.url, 'POST', '/api/session', form)).status.should.equal(415)
    })

    it('answers 429 beyond the number of sessions', async () => {
      const simulator = await simulate({ maxSessions: 2 })
      const first = await loggedIn(simulator)
      await loggedIn(simulator)
      const third = await call(simulator.url, 'POST', '/api/session', { body: ADMINISTRATOR })
      third.status.should.equal(429)
      third.json.error.message.should.be.a.String()
      await first.send('DELETE', '/api/session')
      await loggedIn(simulator)
      simulator.openSessions.should.equal(2)
    })

    it('sets the cookie as the dialect says', async () => {
      const simulator = await simulate({ dialect: { cookie: 'secure' } })
      const secure = await call(simulator.url, 'POST', '/api/session', { body: OBSERVER })
      should(secure.headers['set-cookie']?.[0]).match(/; Secure; Domain=/)
      simulator.setOptions({ dialect: { cookie: 'none' } })
      const none = await call(simulator.url, 'POST', '/api/session', { body: OBSERVER })
      should(none.headers['set-cookie']).be.undefined()
      none.json.response.sessionID.should.be.a.String()
    })

    it('holds to the rights of the roles', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const elementID = routeOf(simulator, 'Studio A').id
      const status = async (account: typeof OBSERVER) => {
        const session = await loggedIn(simulator, account)
        const start = { command: 'start-route', parameters: { routeID: elementID } }
        return [
          await session.get(session.routes),
          await session.post('commands', start),
          await session.update('delete', { elementID: 'none' }),
          await session.get(`/api/gateway/${session.device}/system/preset`),
        ].map((answer) => answer.status)
      }
      ;(await status(OBSERVER)).should.eql([200, 403, 403, 403])
      ;(await status(OPERATOR)).should.eql([200, 200, 404, 403])
      ;(await status(ADMINISTRATOR)).should.eql([200, 200, 404, 200])

      simulator.setOptions({ dialect: { forbiddenStatus: 401 } })
      const observer = await loggedIn(simulator, OBSERVER)
      const refused = await observer.update('create', {})
      refused.status.should.equal(401)
      refused.json.error.type.should.equal('SessionAuthorization')
      refused.json.error.message.should.match(/Observer/)
    })

    it('takes an account of the options', async () => {
      const simulator = await simulate({ username: 'chief', password: 'invented' })
      await loggedIn(simulator, { username: 'chief', password: 'invented' })
      await loggedIn(simulator, OBSERVER)
      const usual = await call(simulator.url, 'POST', '/api/session', { body: ADMINISTRATOR })
      usual.status.should.equal(401)
    })
  })

  describe('devices and routes', () => {
    it('lists devices and reads the configuration of one', async () => {
      const simulator = await simulate({ devices: 2, routes: 3, pollingInterval: 4000 })
      const { get, device } = await loggedIn(simulator)
      const devices = (await get('/api/devices')).json
      devices.length.should.equal(2)
      Object.keys(devices[0]).should.eql([
        '_id',
        'type',
        'ip',
        'name',
        'lastConnectedAt',
        'statusCode',
        'status',
        'statusDetails',
        'serialNumber',
        'firmware',
        'hasAdminError',
        'pendingSync',
        'lastConnection',
      ])
      devices[0]._id.should.match(/^[\w-]{22}$/)

      const configuration = (await get(`/api/devices/${device}`)).json
      configuration.config.routes.length.should.equal(3)
      configuration.config.settings.networkAdapters[0].should.have.keys('name', 'address')
      configuration.config.peers[0].should.have.keys('passcode', 'status', 'proxyHttpsPort')
      configuration.gateway.should.eql({ port: 1080 })
      configuration.suggestedPollingInterval.should.eql({ ms: 4000 })
      configuration.should.have.keys('lastConfigReadAt', 'lastAcceptedUpdate', 'pendingSync')

      simulator.setOptions({ dialect: { pairings: 'calypsos' } })
      Object.assign(simulator.devices[0] ?? {}, { statusCode: 'warn' })
      const changed = (await get(`/api/devices/${device}`)).json
      changed.statusCode.should.equal('warn')
      changed.config.should.have.key('calypsos')
      changed.config.should.not.have.key('peers')

      ;(await get('/api/devices/unknown')).status.should.equal(404)
    })

    it('pages the list, and clamps the page size', async () => {
      const simulator = await simulate({ routes: 30, maxPageSize: 20 })
      const { get, routes } = await loggedIn(simulator)
      const names = (answer: Answer) => answer.json.data.map((route: Json) => route.name)
      const all = simulator.routes.map(({ name }) => name)

      const byDefault = await get(routes)
      names(byDefault).should.eql(all.slice(0, 20))
      simulator.setOptions({ maxPageSize: 500 })
      names(await get(routes)).should.eql(all.slice(0, 25))
      const second = await get(`${routes}?page=2&pageSize=12`)
      names(second).should.eql(all.slice(12, 24))
      second.json.numPages.should.equal(3)
      second.json.numResults.should.equal(30)
      second.json.pendingRouteCreates.should.equal(0)
      second.json.numActiveOutputConnections.should.be.above(0)
      names(await get(`${routes}?page=4&pageSize=12`)).should.eql([])
      ;(await get(`${routes}?page=0`)).status.should.equal(400)

      simulator.setOptions({ dialect: { paging: false, pendingRouteCreates: false } })
      const whole = await get(`${routes}?page=2&pageSize=12`)
      names(whole).should.eql(all)
      whole.json.numPages.should.equal(1)
      whole.json.should.not.have.key('pendingRouteCreates')
    })

    it('generates the same routes over every protocol and mode', () => {
      const routes = generateRoutes(28)
      routes.should.eql(generateRoutes(28))
      routes.slice(0, 8).should.eql(generateRoutes(8))
      routes.should.not.eql(generateRoutes(28, 2))
      new Set(routes.map(({ name }) => name)).size.should.equal(28)
      const sources = routes.map(({ source }) => source)
      const destinations = routes.flatMap((route) => route.destinations ?? [])
      const values = (parts: RouteSpec['source'][], field: string) =>
        [...new Set(parts.map((part) => part[field]))]
          .filter((value) => value !== undefined)
          .sort(byText)
      values(sources.slice(0, 8), 'protocol').should.eql(['rtmp', 'rtp', 'rtsp', 'srt', 'udp'])
      values(sources, 'srtMode').should.eql(['caller', 'listener', 'rendezvous'])
      values(sources, 'rtmpMode').should.eql(['CONSUMER', 'PUBLISHER'])
      values(sources, 'srtGroupMode').should.containEql('broadcast')
      values(sources, 'fec').should.containEql('prompeg')
      values(destinations, 'protocol').should.eql(['hls', 'rtp', 'srt', 'udp'])
      should(routes.some((route) => route.destinations?.length === 0)).be.true()
      const running = routes.filter(({ startRoute }) => startRoute).length
      running.should.be.within(7, 21)
      JSON.stringify(routes)
        .match(/\d+\.\d+\.\d+\.\d+/g)
        ?.filter((ip) => !/^(192\.0\.2|198\.51\.100|203\.0\.113|239\.\d+\.\d+|0\.0\.0)\./.test(ip))
        .should.eql([])
    })

    it('reads a route differently from how it is sent', async () => {
      const simulator = await simulate({ routes: 14 })
      const { get, routes } = await loggedIn(simulator)
      const reads: Json[] = (await get(routes)).json.data
      const source = (test: (each: Json) => boolean) =>
        reads.map((route) => route.source).find(test)
      const destination = (test: (each: Json) => boolean) =>
        reads.flatMap((route) => route.destinations).find(test)

      const srt = source((each) => each.protocol === 'srt' && each.srtPassPhrase)
      srt.mode.should.equal('listener')
      srt.encryption.should.equal('srt')
      for (const route of reads) should(route.source.srtMode).be.undefined()
      const udp = source((each) => each.protocol === 'udp' && each.address.startsWith('239.'))
      udp.mode.should.equal('multicast')
      udp.should.containEql({ srtRcvBuf: 10_240_000, srtGroupMode: 'none', srtPassPhrase: null })
      udp.usedBandwidth.should.match(/^\d+\.\d{3}$/)
      udp.should.not.have.key('networkAddress')
      const publisher = source((each) => each.rtmpMode === 'PUBLISHER')
      publisher.should.containEql({ address: '127.0.0.1/live', port: 1935 })
      source((each) => each.protocol === 'rtsp').password.should.match(/^invented/)
      const redundant = source((each) => each.srtGroupMode === 'broadcast')
      redundant.port.should.match(/^\d+\|\d+$/)
      redundant.networkInterface.should.equal('eth0|eth1')
      redundant.srtNetworkBondingParams.length.should.equal(2)
      const hls = destination((each) => each.mode === 'hls')
      hls.protocol.should.equal('http')
      hls.segmentDuration.should.equal('6')
      hls.address.should.match(/^\/hls\//)
      const listener = destination((each) => each.mode === 'listener')
      listener.clientConnections.should.be.a.Number()
      listener.srtOverhead.should.equal('25')
      const plain = source((each) => each.protocol === 'srt' && !each.srtPassPhrase)
      plain.srtPassPhrase.should.equal('')
      for (const each of reads.flatMap((route) => route.destinations)) {
        should(each.networkAddress).be.null()
        if (each.protocol !== 'srt') continue
        each.should.not.have.key('encryption')
        each.should.have.keys('srtPassPhrase', 'retainHeader')
        if (each.mode === 'caller') each.useFec.should.be.a.Boolean()
      }
      hls.should.not.have.key('port')

      simulator.setOptions({
        dialect: { bondingInResponse: false, numbersAsStrings: true, hlsPort: true },
      })
      const others: Json[] = (await get(routes)).json.data
      const joined = others.find((route) => route.source.srtGroupMode === 'broadcast')
      joined.source.should.not.have.key('srtNetworkBondingParams')
      joined.source.srtLatency.should.equal('500')
      const all = others.flatMap((route) => route.destinations)
      all.find((each) => each.mode === 'hls').port.should.equal(0)
    })

    it('answers one route, or an error body', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { get, routes } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      const one = await get(`${routes}/${id}`)
      one.json.should.eql(simulator.readForm('Studio A'))
      one.json.state.should.equal('idle')
      one.json.summaryStatusCode.should.equal('unknown')
      one.json.summaryStatusDetails.should.equal('idle')
      // As recorded: only the details say that it was stopped.
      for (const part of [one.json.source, ...one.json.destinations]) {
        part.should.containEql({
          state: 'disconnected',
          usedBandwidth: '0.0',
          summaryStatusCode: 'unknown',
          summaryStatusDetails: 'stopped',
        })
      }
      one.json.destinations.map((each: Json) => each.started).should.eql([false, false])
      simulator.setOptions({ dialect: { startedWhileIdle: true } })
      const promised = (await get(`${routes}/${id}`)).json.destinations
      promised.map((each: Json) => each.started).should.eql([true, true])
      simulator.setOptions({ dialect: { stoppedState: 'stopped' } })
      ;(await get(`${routes}/${id}`)).json.state.should.equal('stopped')
      const unknown = await get(`${routes}/none`)
      unknown.status.should.equal(404)
      unknown.json.error.should.have.keys('type', 'message')
    })

    it('shows what somebody else changes', async () => {
      const simulator = await simulate({ routes: [] })
      const { get, routes } = await loggedIn(simulator)
      const names = async () => (await get(routes)).json.data.map(({ name }: Json) => name)
      simulator.addRoute({ ...STUDIO, startRoute: true }).state.should.equal('running')
      simulator.renameRoute('Studio A', 'Studio B')
      ;(await names()).should.eql(['Studio B'])
      routeOf(simulator, 'Studio B').source.state = 'connecting'
      ;(await get(routes)).json.data[0].source.state.should.equal('connecting')
      simulator.removeRoute('Studio B')
      ;(await names()).should.eql([])
      should(() => simulator.removeRoute('Studio B')).throw(/no route/)
    })

    it('knows paths and methods', async () => {
      const simulator = await simulate()
      const { get, send } = await loggedIn(simulator)
      ;(await get('/api/routes')).status.should.equal(404)
      const put = await send('PUT', '/api/session')
      put.status.should.equal(405)
      should(put.headers.allow).equal('POST, GET, DELETE')
      put.json.error.message.should.match(/PUT/)
    })
  })

  describe('updates and commands', () => {
    it('creates a route later, with ids of its own', async () => {
      const simulator = await simulate({ routes: [] })
      const { update, get, routes } = await loggedIn(simulator)
      const sent = {
        ...STUDIO,
        startRoute: true,
        source: { ...STUDIO.source, id: '' },
      }
      const accepted = await update('create', { fields: sent })
      accepted.status.should.equal(200)
      Object.keys(accepted.json).should.eql(['status'])
      const before = (await get(routes)).json
      before.data.should.eql([])
      before.pendingRouteCreates.should.equal(1)

      await simulator.settle()
      const after = (await get(routes)).json
      after.pendingRouteCreates.should.equal(0)
      const [route] = after.data
      route.id.should.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      route.source.id.should.have.length(36)
      route.state.should.equal('running')
      route.summaryStatusCode.should.equal('ok')
      route.destinations.map((each: Json) => each.state).should.eql(['connected', 'connected'])
      route.destinations[0].ttl.should.equal(32)
    })

    it('refuses what is incomplete or out of range, with the reason', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { update, post } = await loggedIn(simulator)
      const fields = { ...STUDIO, startRoute: false }
      const [one, two] = STUDIO.destinations ?? []
      const refusals: Array<[object, RegExp]> = [
        [{}, /fields/],
        [{ fields: { ...fields, name: '' } }, /name/],
        [{ fields: { ...fields, name: 'x'.repeat(61) } }, /name/],
        [{ fields: { ...fields, startRoute: 'yes' } }, /startRoute/],
        [{ fields: { ...fields, source: undefined } }, /source/],
        [{ fields: { ...fields, source: { ...STUDIO.source, port: 65_536 } } }, /source\.port/],
        [{ fields: { ...fields, source: { ...STUDIO.source, port: '5001' } } }, /source\.port/],
        [
          { fields: { ...fields, source: { ...STUDIO.source, address: undefined } } },
          /source\.address is required/,
        ],
        [{ fields: { ...fields, source: { ...STUDIO.source, port: '1|2' } } }, /port/],
        [
          {
            fields: {
              ...fields,
              source: { ...STUDIO.source, srtGroupMode: 'backup', address: 'a|b', port: undefined },
            },
          },
          /single/,
        ],
        [{ fields: { ...fields, source: { ...STUDIO.source, protocol: 'hls' } } }, /protocol/],
        [{ fields: { ...fields, destinations: 'none' } }, /array/],
        [{ fields: { ...fields, destinations: [{ ...one, mtu: 279 }] } }, /\[0\]\.mtu/],
        [{ fields: { ...fields, destinations: [one, { ...two, ttl: 0 }] } }, /\[1\]\.ttl/],
        [{ fields: { ...fields, destinations: [{ ...one, tos: 256 }] } }, /\[0\]\.tos/],
        [{ fields: { ...fields, destinations: [{ ...one, protocol: 'http' }] } }, /protocol/],
        [{ fields: { ...fields, destinations: [{ ...two, srtOverhead: 25 }] } }, /srtOverhead/],
        [{ fields: { ...fields, destinations: [one, one] } }, /name is used twice/],
      ]
      for (const [rest, reason] of refusals) {
        const { status, json } = await update('create', rest)
        status.should.equal(400)
        json.error.message.should.match(reason)
      }
      ;(await update('change', {})).status.should.equal(400)
      ;(await update('update', { fields })).status.should.equal(400)
      ;(await update('update', { fields, elementID: 'none' })).status.should.equal(404)
      ;(await post('updates', { action: 'create', fields })).status.should.equal(400)
      ;(await post('updates', { deviceID: 'other' })).status.should.equal(400)
      ;(await post('updates', {}, { type: 'text/plain' })).status.should.equal(415)
      ;(await post('updates', {}, { raw: '{"half' })).status.should.equal(400)
      await simulator.settle()
      simulator.routes.length.should.equal(1)
    })

    it('replaces on update: what is left out of the destinations is gone', async () => {
      const { simulator, apply } = await simulatePending({ routes: [STUDIO] })
      const { update, get, routes } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      const read = (await get(`${routes}/${id}`)).json
      const [one] = sendable(read).destinations
      const added = { name: 'Three', protocol: 'rtp', address: '192.0.2.9', port: 7000 }
      const fields = {
        name: 'Studio A2',
        source: { id: read.source.id, name: 'In', address: '0.0.0.0', port: 5009 },
        destinations: [{ ...one, ttl: 40 }, added],
      }
      ;(await update('update', { elementID: id, fields })).json.should.have.keys('status')
      const waiting = (await get(`${routes}/${id}`)).json
      waiting.pendingUpdates.name.should.equal('Studio A2')
      waiting.name.should.equal('Studio A')

      await apply()
      const after = (await get(`${routes}/${id}`)).json
      after.should.not.have.key('pendingUpdates')
      after.name.should.equal('Studio A2')
      after.source.port.should.equal(5009)
      after.source.srtPassPhrase.should.equal('invented-passphrase')
      after.destinations.map((each: Json) => each.name).should.eql(['One', 'Three'])
      after.destinations[0].id.should.equal(one.id)
      after.destinations[0].ttl.should.equal(40)
      after.destinations[1].id.should.not.equal(read.destinations[1].id)

      const { destinations: _, ...without } = fields
      await update('update', { elementID: id, fields: without })
      await apply()
      routeOf(simulator, id).destinations.should.eql([])
    })

    it('wants the ids of the source and of known destinations', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { update } = await loggedIn(simulator)
      const route = routeOf(simulator, 'Studio A')
      const attempt = async (source: object, destinations: object[]) => {
        const fields = { name: 'Studio A', source: { ...STUDIO.source, ...source }, destinations }
        const { status, json } = await update('update', { elementID: route.id, fields })
        status.should.equal(400)
        return json.error.message
      }
      ;(await attempt({}, [])).should.match(/source\.id is required/)
      ;(await attempt({ id: 'other' }, [])).should.match(/source\.id cannot be changed/)
      const unknown = { ...STUDIO.destinations?.[0], id: 'unknown' }
      ;(await attempt({ id: route.source.id }, [unknown])).should.match(/destinations\[0\]\.id/)
    })

    it('takes back what it reads, and nothing changes', async () => {
      const simulator = await simulate({ routes: 14 })
      simulator.setOptions({ dialect: { numbersAsStrings: true } })
      const { update, get, routes } = await loggedIn(simulator)
      const stable = async () => {
        const { data } = (await get(`${routes}?pageSize=14`)).json
        return JSON.parse(
          JSON.stringify(data, (name, value) =>
            ['elapsedTime', 'usedBandwidth'].includes(name) ? undefined : value,
          ),
        )
      }
      const before: Json[] = await stable()
      const plain = before.filter((route) => route.source.srtGroupMode === 'none')
      plain.length.should.equal(13)
      for (const route of plain) {
        const fields = sendable(route)
        for (const destination of fields.destinations) {
          if (destination.protocol === 'http') destination.protocol = 'hls'
        }
        const answer = await update('update', { elementID: route.id, fields })
        answer.text.should.startWith('{"status"')
      }
      // Applied, but not reconnected: what has not changed is not interrupted.
      await pause(25)
      await until(() => simulator.routes.every((route) => !route.pendingUpdates), 'updates')
      ;(await stable()).should.eql(before)
    })

    it('deletes a route later', async () => {
      const { simulator, apply } = await simulatePending({ routes: [STUDIO] })
      const { update, get, routes } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      await update('delete', { elementID: id })
      const going = (await get(routes)).json
      going.data[0].hasPendingDelete.should.be.true()
      await apply()
      ;(await get(routes)).json.data.should.eql([])
      ;(await get(`${routes}/${id}`)).status.should.equal(404)
      ;(await update('delete', { elementID: id })).status.should.equal(404)
    })

    it('starts and stops a route step by step', async () => {
      let now = 1_000_000
      const simulator = await simulate({
        routes: [STUDIO],
        applyDelay: 100,
        settleDelay: 100,
        now: () => now,
      })
      const { post, get, routes } = await loggedIn(simulator)
      const { id: routeID } = routeOf(simulator, 'Studio A')
      const read = async (after = 0) => {
        now += after
        return (await get(`${routes}/${routeID}`)).json
      }
      const accepted = await post('commands', { command: 'start-route', parameters: { routeID } })
      accepted.json.length.should.equal(1)
      const [queued] = accepted.json
      queued._id.should.match(/^[\w-]{22}$/)
      queued.should.containEql({
        action: 'command',
        command: 'start-route',
        parameters: { routeID },
        createdAt: 1_000_000,
        completedAt: 0,
        result: null,
        state: 'pending',
      })
      const waiting = await read()
      waiting.state.should.equal('idle')
      waiting.pendingUpdates.should.eql({ state: 'running' })

      const seen: Json[] = []
      for (let step = 0; step < 5; step++) {
        const { source, destinations, ...route } = await read(100)
        route.state.should.equal('running')
        seen.push([source.state, destinations[0].state, route.summaryStatusCode])
      }
      seen.should.eql([
        ['disconnected', 'disconnected', 'warn'],
        ['connecting', 'disconnected', 'warn'],
        ['connected', 'disconnected', 'warn'],
        ['connected', 'connecting', 'warn'],
        ['connected', 'connected', 'ok'],
      ])
      const running = await read(60_000)
      running.elapsedTime.should.equal('00:01:00')
      running.source.usedBandwidth.should.not.equal('0.000')

      await post('commands', { command: 'stop-route', parameters: { routeID } })
      const stopped = await read(100)
      stopped.state.should.equal('idle')
      stopped.destinations[0].should.containEql({ state: 'disconnected', started: false })
      stopped.elapsedTime.should.equal(running.elapsedTime)
      ;(await read(60_000)).elapsedTime.should.equal(running.elapsedTime)
    })

    it('names the source while it connects', async () => {
      const simulator = await simulate({ routes: [STUDIO], settleDelay: 10_000 })
      simulator.startRoute('Studio A')
      const read: Json = simulator.readForm('Studio A')
      read.summaryStatusDetails.should.equal('Source In disconnected')
      read.destinations[0].summaryStatusDetails.should.equal('disconnected from stream 239.1.1.1')
      simulator.stopRoute('Studio A')
      routeOf(simulator, 'Studio A').state.should.equal('idle')
    })

    it('starts and stops a destination by a command, if it knows it', async () => {
      const simulator = await simulate({ routes: [{ ...STUDIO, startRoute: true }] })
      const { post, get, routes } = await loggedIn(simulator)
      const route = routeOf(simulator, 'Studio A')
      const destinationID = route.destinations[0]?.id ?? ''
      const parameters = { routeID: route.id, destinationID }
      const destination = async () => {
        await simulator.settle()
        const read = (await get(`${routes}/${route.id}`)).json
        return [read.destinations[0].started, read.destinations[0].state, read.summaryStatusCode]
      }
      await post('commands', { command: 'stop-destination', parameters })
      ;(await destination()).should.eql([false, 'disconnected', 'ok'])
      await post('commands', { command: 'start-destination', parameters })
      ;(await destination()).should.eql([true, 'connected', 'ok'])

      const none = { ...parameters, destinationID: 'none' }
      const gone = await post('commands', { command: 'stop-destination', parameters: none })
      gone.status.should.equal(404)
      const unknown = await post('commands', { command: 'dance', parameters })
      unknown.status.should.equal(400)
      simulator.setOptions({ dialect: { destinationCommands: false } })
      const old = await post('commands', { command: 'stop-destination', parameters })
      old.status.should.equal(400)
      old.json.error.message.should.match(/stop-destination/)
    })

    it('shows a destination of an idle route as started once the route runs', async () => {
      for (const startedWhileIdle of [false, true]) {
        const [one, two] = STUDIO.destinations ?? []
        const simulator = await simulate({
          routes: [{ ...STUDIO, destinations: [{ ...one!, action: 'stop' }, two!] }],
          dialect: { startedWhileIdle },
        })
        const { post } = await loggedIn(simulator)
        const route = routeOf(simulator, 'Studio A')
        const started = () => {
          const read: Json = simulator.readForm('Studio A')
          return read.destinations.map((each: Json) => each.started)
        }
        const start = async () => {
          const parameters = { routeID: route.id, destinationID: route.destinations[0]?.id }
          await post('commands', { command: 'start-destination', parameters })
          await simulator.settle()
        }
        started().should.eql([false, startedWhileIdle])
        // What was stopped by itself stays so when the route starts.
        simulator.startRoute('Studio A')
        await simulator.settle()
        started().should.eql([false, true])
        simulator.stopRoute('Studio A')
        await start()
        started().should.eql([startedWhileIdle, startedWhileIdle])
        simulator.startRoute('Studio A')
        await simulator.settle()
        started().should.eql([true, true])
      }
    })

    it('starts and stops a destination by an update', async () => {
      const simulator = await simulate({ routes: [{ ...STUDIO, startRoute: true }] })
      const { update } = await loggedIn(simulator)
      const route = routeOf(simulator, 'Studio A')
      const act = async (action: string) => {
        const fields = sendable(simulator.readForm('Studio A'))
        fields.destinations[1].action = action
        ;(await update('update', { elementID: route.id, fields })).status.should.equal(200)
        await simulator.settle()
        return route.destinations.map(({ started, state }) => [started, state])
      }
      ;(await act('stop')).should.eql([
        [true, 'connected'],
        [false, 'disconnected'],
      ])
      ;(await act('start'))[1]?.should.eql([true, 'connected'])
      simulator.readForm('Studio A').should.not.have.propertyByPath('destinations', '1', 'action')
    })
  })

  describe('statistics', () => {
    it('moves while a route runs', async () => {
      let now = 1_000_000
      const simulator = await simulate({
        routes: [{ ...STUDIO, startRoute: true }],
        now: () => now,
      })
      const { get, device } = await loggedIn(simulator)
      const { id } = routeOf(simulator, 'Studio A')
      const collect = async (after: number) => {
        now += after
        return (await get(`/api/gateway/${device}/statistics?routeID=${id}`)).json
      }
      const first = await collect(10_000)
      const second = await collect(1234)
      second.collectedAt.should.equal(1_011_234)
      second.route.elapsedRunningTime.should.equal('00:00:11')
      second.route.source.numPackets.should.be.above(first.route.source.numPackets)
      second.route.source.bitrate.should.not.equal(first.route.source.bitrate)
      second.route.source.should.have.keys('srtNumLostPackages', 'srtRoundTripTime', 'connections')
      second.route.destinations.map((each: Json) => each.name).should.eql(['One', 'Two'])

      simulator.stopRoute('Studio A')
      const idle = await collect(60_000)
      idle.route.elapsedRunningTime.should.equal('')
      idle.route.source.bitrate.should.equal(0)
      idle.route.source.usedBandwidth.should.equal(0)
      idle.route.source.numPackets.should.equal(second.route.source.numPackets)
    })

    it('answers for a source, a destination and its clients', async () => {
      const simulator = await simulate({ routes: [{ ...STUDIO, startRoute: true }] })
      const { get, device } = await loggedIn(simulator)
      const { id, source, destinations } = routeOf(simulator, 'Studio A')
      const path = `/api/gateway/${device}/statistics`
      const ofSource = await get(`${path}?routeID=${id}&sourceID=${source.id}`)
      ofSource.json.should.have.keys('collectedAt', 'source')
      const byName = (await get(`${path}?routeID=${id}&destinationName=Two`)).json.destination
      byName.id.should.equal(destinations[1]?.id)
      byName.clientsStat.length.should.be.within(1, 3)
      const clients = `${path}/client?routeID=${id}&destinationID=${byName.id}&clientAddress=`
      const client = (await get(clients + byName.clientsStat[0].address)).json
      client.clientStat[0].label.should.equal(byName.clientsStat[0].label)
      ;(await get(`${clients}192.0.2.1`)).json.clientStat.should.eql([])

      simulator.setOptions({
        dialect: { clientList: 'clientStat', clientAnswer: 'clientsStat', numbersAsStrings: true },
      })
      ;(await get(`${clients}192.0.2.1`)).json.clientsStat.should.eql([])
      const strings = (await get(`${path}?routeID=${id}&destinationID=${byName.id}`)).json
      strings.destination.clientStat.should.be.an.Array()
      strings.destination.bitrate.should.be.a.String()
      ;(await get(path)).status.should.equal(400)
      ;(await get(`${path}?routeID=none`)).status.should.equal(404)
      ;(await get(`${path}?routeID=${id}&destinationID=none`)).status.should.equal(404)
    })
  })

  describe('presets', () => {
    const upload = (content: string, field = 'file') => ({
      type: 'multipart/form-data; boundary=line',
      raw: `--line\r\nContent-Disposition: form-data; name="note"\r\n\r\nno file\r\n--line\r\nContent-Disposition: form-data; name="${field}"; filename="a.hmg"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--line--\r\n`,
    })

    it('exports routes as sent, and imports them in place of all', async () => {
      const { simulator, apply } = await simulatePending({ routes: 5 })
      const { get, send, device } = await loggedIn(simulator)
      const path = `/api/gateway/${device}/system/preset`
      const exported = await get(path)
      should(exported.headers['content-disposition']).match(/^attachment; filename=/)
      exported.json.preset_version.should.equal('1.0')
      exported.json.product_version.should.be.a.String()
      exported.json.routes.length.should.equal(5)
      exported.text.should.not.match(/"(id|state|started|summaryStatusCode|mode)":/)

      const ids = simulator.routes.map(({ id }) => id)
      simulator.addRoute(STUDIO)
      const imported = await send('POST', path, upload(exported.text, 'whatever'))
      imported.status.should.equal(200, imported.text)
      imported.json.type.should.equal('postSystemPreset')
      imported.json.pendingCreation.should.eql(exported.json.routes.map(({ name }: Json) => name))
      should(simulator.journal.at(-1)?.multipart).containEql({
        field: 'whatever',
        filename: 'a.hmg',
        content: exported.text,
      })
      simulator.routes.length.should.equal(6)
      await apply()
      simulator.routes.length.should.equal(5)
      simulator.routes.filter(({ id }) => ids.includes(id)).should.eql([])
      ;(await get(path)).json.should.eql(exported.json)
    })

    it('refuses what is no preset', async () => {
      const simulator = await simulate({ routes: 2 })
      const { send, device } = await loggedIn(simulator)
      const path = `/api/gateway/${device}/system/preset`
      ;(await send('POST', path, { body: { routes: [] } })).status.should.equal(415)
      ;(await send('POST', path, upload('not json'))).status.should.equal(400)
      ;(await send('POST', path, upload('{"routes":[{}]}'))).status.should.equal(400)
      const empty = { type: 'multipart/form-data; boundary=line', raw: '--line--\r\n' }
      ;(await send('POST', path, empty)).status.should.equal(400)
      await simulator.settle()
      simulator.routes.length.should.equal(2)
    })
  })

  describe('faults', () => {
    /** Sends a create struck by a fault, and tells what came of it. */
    async function struck(fault: Fault, millis = 2000) {
      const simulator = await simulate({ routes: [] })
      const session = await loggedIn(simulator)
      simulator.fault({ match: { action: 'create' }, ...fault })
      const outcome = session
        .post(
          'updates',
          {
            action: 'create',
            elementType: 'route',
            fields: { ...STUDIO, startRoute: false },
          },
          { signal: AbortSignal.timeout(millis) },
        )
        .then(
          (answer) => ({ answer, error: undefined }),
          (error: NodeJS.ErrnoException) => ({ answer: undefined, error: error.code }),
        )
      const { answer, error } = await outcome
      const entry = simulator.journal.at(-1)
      should(entry?.fault).equal(fault.kind)
      await simulator.settle()
      const created = simulator.routes.length === 1
      should(entry?.applied).equal(created)
      should(entry?.status).equal(error === undefined ? answer?.status : entry?.status)
      return { simulator, session, answer, error, created, entry }
    }

    it('latency: a late answer', async () => {
      const before = performance.now()
      const { answer, created } = await struck({ kind: 'latency', ms: 80 })
      should(performance.now() - before).be.above(79)
      should(answer?.status).equal(200)
      created.should.be.true()
    })

    it('hang and hang-after: no answer', async () => {
      for (const kind of ['hang', 'hang-after'] as const) {
        const { error, created, entry } = await struck({ kind }, 100)
        should(error).equal('ABORT_ERR')
        created.should.equal(kind === 'hang-after')
        should(entry?.status).be.undefined()
      }
    })

    it('reset and reset-after: the connection is cut', async () => {
      for (const kind of ['reset', 'reset-after'] as const) {
        const { error, created, entry } = await struck({ kind })
        should(error).equal('ECONNRESET')
        created.should.equal(kind === 'reset-after')
        should(entry?.status).be.undefined()
      }
    })

    it('truncate: the connection is cut halfway', async () => {
      const { simulator, error, created } = await struck({ kind: 'truncate' })
      should(error).equal('ECONNRESET')
      created.should.be.true()
      simulator.clearFaults()
      const whole = await call(simulator.url, 'GET', '/login')
      simulator.fault({ kind: 'truncate' })
      const text = await rawAnswer(simulator, '/login')
      text.should.match(new RegExp(`Content-Length: ${whole.text.length}\r\n`))
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      body.should.equal(whole.text.slice(0, Math.floor(whole.text.length / 2)))
    })

    it('html: a page', async () => {
      const { answer, created } = await struck({ kind: 'html' })
      should(answer?.status).equal(200)
      should(answer?.headers['content-type']).startWith('text/html')
      created.should.be.false()
    })

    it('status: an error', async () => {
      const usual = await struck({ kind: 'status' })
      should(usual.answer?.status).equal(500)
      usual.answer?.json.error.should.have.keys('type', 'message')
      usual.created.should.be.false()
      const own = await struck({ kind: 'status', status: 503, body: { busy: true } })
      should(own.answer?.status).equal(503)
      own.answer?.json.should.eql({ busy: true })
    })

    it('too-many: 429 with Retry-After', async () => {
      const { answer, created } = await struck({ kind: 'too-many', ms: 2500 })
      should(answer?.status).equal(429)
      should(answer?.headers['retry-after']).equal('3')
      created.should.be.false()
    })

    it('session-drop: shows as expired', async () => {
      const { simulator, answer, created } = await struck({ kind: 'session-drop' })
      should(answer?.status).equal(401)
      created.should.be.false()
      simulator.openSessions.should.equal(0)
    })

    it('redirect: to the login page', async () => {
      const { answer, created } = await struck({ kind: 'redirect' })
      should(answer?.status).equal(302)
      should(answer?.headers.location).equal('/login')
      created.should.be.false()
    })

    it('giant: as long as asked, and over when the client leaves', async () => {
      const { answer, created } = await struck({ kind: 'giant', bytes: 1_000_000 })
      answer?.json.data[0].should.have.length(1_000_000)
      created.should.be.false()

      const simulator = await simulate()
      simulator.fault({ kind: 'giant' })
      const before = process.memoryUsage().rss
      const sent = httpRequest(`${simulator.url}/api/devices`, { agent: false })
      sent.on('error', () => {})
      sent.end()
      const [response] = await once(sent, 'response')
      response.on('error', () => {})
      await once(response, 'readable')
      await pause(100)
      should(process.memoryUsage().rss - before).be.below(100 * 1024 * 1024)
      sent.destroy()
      await until(() => simulator.openSockets === 0, 'the socket to be gone')
    })

    it('content-type, array, invalid-json, empty: acted on, wrongly answered', async () => {
      const plain = await struck({ kind: 'content-type' })
      should(plain.answer?.headers['content-type']).equal('text/plain')
      plain.answer?.json.should.have.key('status')
      const array = await struck({ kind: 'array' })
      array.answer?.json.should.eql([])
      const invalid = await struck({ kind: 'invalid-json' })
      should(invalid.answer?.text).startWith('{"status"')
      should(invalid.answer?.json).be.undefined()
      const empty = await struck({ kind: 'empty' })
      should(empty.answer?.status).equal(200)
      should(empty.answer?.text).equal('')
      for (const each of [plain, array, invalid, empty]) each.created.should.be.true()

      array.simulator.fault({ kind: 'array', match: { path: '/api/devices' } })
      ;(await array.session.get('/api/devices')).json.should.eql({})
    })

    it('strikes as often, as late and where it is told', async () => {
      const simulator = await simulate({
        faults: [{ kind: 'status', status: 502, after: 1, times: 2, match: { method: 'get' } }],
      })
      const { get, send, device } = await loggedIn(simulator)
      const status = async (path: string) => (await get(path)).status
      const seen = []
      for (let times = 0; times < 4; times++) seen.push(await status('/api/devices'))
      seen.should.eql([200, 502, 502, 200])

      const remove = simulator.fault({ kind: 'status', match: { path: '/api/gateway/*/routes' } })
      ;(await status('/api/devices')).should.equal(200)
      ;(await status(`/api/gateway/${device}/routes?page=1`)).should.equal(500)
      ;(await status(`/api/gateway/${device}/routes/none`)).should.equal(404)
      remove()
      ;(await status(`/api/gateway/${device}/routes`)).should.equal(200)

      simulator.fault({ kind: 'status', match: { path: /devices$/g } })
      simulator.fault({ kind: 'latency', ms: 30 })
      const before = performance.now()
      ;(await status('/api/devices')).should.equal(500)
      ;(await status('/api/devices')).should.equal(500)
      should(performance.now() - before).be.above(58)
      should(simulator.journal.at(-1)?.fault).equal('status+latency')
      ;(await send('DELETE', '/api/session')).status.should.equal(200)
      const nonsense: Json = { kind: 'nonsense' }
      should(() => simulator.fault(nonsense)).throw(/kind/)
    })
  })

  describe('journal and control', () => {
    it('keeps what was received', async () => {
      let now = 5000
      const simulator = await simulate({ now: () => now })
      const { cookie, get, update } = await loggedIn(simulator)
      simulator.clearJournal()
      now = 6000
      await get('/api/devices?a=b%20c')
      await update('nonsense', {})
      simulator.journal.length.should.equal(2)
      const [read, write] = simulator.journal
      const session = cookie.split('=')[1]
      should(read).containEql({
        at: 6000,
        method: 'GET',
        path: '/api/devices',
        url: '/api/devices?a=b%20c',
        query: { a: 'b c' },
        cookie: session,
        session,
        user: 'haiadmin',
        status: 200,
        applied: true,
      })
      should(write).containEql({ status: 400, applied: false })
      should(write?.body).containEql({ action: 'nonsense' })
      should(write?.rawBody.toString()).match(/^\{"deviceID"/)
    })

    it('keeps only as many calls as it is told', async () => {
      const simulator = await simulate({ journalSize: 10 })
      for (let place = 0; place < 25; place++) await call(simulator.url, 'GET', `/${place}`)
      simulator.journal.length.should.be.within(10, 11)
      should(simulator.journal.at(-1)?.path).equal('/24')
    })

    it('is controlled from outside, without a session and outside the journal', async () => {
      const simulator = await simulate({ routes: 3 })
      const { get } = await loggedIn(simulator)
      const control = (method: string, path: string, sending?: Sending) =>
        call(simulator.url, method, `/simulator${path}`, sending)
      const state = (await control('GET', '')).json
      state.should.containEql({ openSessions: 1, logins: 1, loginAttempts: 1, faults: [] })
      state.devices[0].routes.should.equal(3)

      const added = await control('POST', '/faults', { body: { kind: 'status', status: 503 } })
      added.status.should.equal(201)
      ;(await get('/api/devices')).status.should.equal(503)
      ;(await control('GET', '')).json.faults[0].should.containEql({ kind: 'status', struck: 1 })
      const wrong = await control('POST', '/faults', { body: { kind: 'nonsense' } })
      wrong.status.should.equal(400)
      wrong.json.error.message.should.match(/hang-after/)
      await control('DELETE', '/faults')
      ;(await get('/api/devices')).status.should.equal(200)

      await control('POST', '/sessions/drop')
      ;(await get('/api/devices')).status.should.equal(401)
      const journal = (await control('GET', '/journal')).json
      journal.map((each: Json) => each.status).should.eql([200, 503, 200, 401])
      ;(await control('GET', '/nothing')).status.should.equal(404)
      simulator.journal.length.should.equal(4)
    })
  })

  describe('network', () => {
    it('leaves no socket when it stops, and comes back on the same port', async () => {
      const simulator = await simulate({ routes: [STUDIO], latency: 0 })
      const agent = new Agent({ keepAlive: true })
      await call(simulator.url, 'GET', '/login', { agent })
      simulator.fault({ kind: 'hang', match: { path: '/hangs' } })
      const hanging = call(simulator.url, 'GET', '/hangs').catch(({ code }) => code)
      simulator.setOptions({ latency: 60_000 })
      const late = call(simulator.url, 'GET', '/late').catch(({ code }) => code)
      await until(() => simulator.journal.length === 3, 'three calls')
      simulator.openSockets.should.equal(3)
      const { port } = simulator

      await simulator.stop()
      simulator.openSockets.should.equal(0)
      should(await hanging).equal('ECONNRESET')
      should(await late).equal('ECONNRESET')
      await call(simulator.url, 'GET', '/').should.be.rejectedWith(/ECONNREFUSED/)
      await simulator.stop()

      simulator.setOptions({ latency: 0 })
      await simulator.start()
      simulator.port.should.equal(port)
      ;(await call(simulator.url, 'GET', '/login')).status.should.equal(200)
      agent.destroy()
    })

    it('leaves no timer when it stops', async () => {
      const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout')
      // Mocha's own timer starts after the first turn of a test.
      await pause(0)
      const before = timers().length
      const simulator = await simulate({ routes: [STUDIO], applyDelay: 60_000 })
      const { update, get } = await loggedIn(simulator)
      await update('delete', { elementID: routeOf(simulator, 'Studio A').id })
      simulator.fault({ kind: 'latency', ms: 60_000 })
      const late = get('/api/devices').catch(() => {})
      await until(() => simulator.journal.length === 3, 'three calls')
      const settled = simulator.settle()
      timers().length.should.equal(before + 2)
      await simulator.stop()
      await Promise.all([late, settled])
      timers().length.should.equal(before)
      simulator.routes.length.should.equal(1)
    })

    it('keeps sessions over a stop and loses them at a restart; keeps its routes', async () => {
      const simulator = await simulate({ routes: [STUDIO] })
      const { get, update } = await loggedIn(simulator)
      await update('delete', { elementID: routeOf(simulator, 'Studio A').id })
      await simulator.stop()
      await pause(40)
      await simulator.start()
      ;(await get('/api/devices')).status.should.equal(200)
      simulator.routes.should.eql([])
      simulator.addRoute(STUDIO)
      await simulator.restart()
      simulator.openSessions.should.equal(0)
      ;(await get('/api/devices')).status.should.equal(401)
      simulator.routes.length.should.equal(1)
    })

    it('rejects when its port is taken', async () => {
      const { port } = await simulate()
      await startSimulator({ port }).should.be.rejectedWith(/EADDRINUSE/)
    })

    it('keeps connections alive', async () => {
      const simulator = await simulate()
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const { cookie } = await loggedIn(simulator)
      for (let times = 0; times < 3; times++) {
        await call(simulator.url, 'GET', '/api/devices', { cookie, agent })
        await until(() => simulator.openSockets === 1, 'one socket')
      }
      agent.destroy()
      await until(() => simulator.openSockets === 0, 'no socket')
    })

    it('speaks https with a certificate of its own', async () => {
      const simulator = await simulate({ https: true })
      simulator.url.should.startWith('https://127.0.0.1:')
      const answer = await new Promise<{ status?: number; certificate: PeerCertificate }>(
        (resolve, reject) => {
          httpsRequest(
            `${simulator.url}/login`,
            { agent: false, ca: testCertificate().cert },
            (response) => {
              const socket: Json = response.socket
              const certificate: PeerCertificate = socket.getPeerCertificate()
              response.resume().on('end', () => {
                resolve({ status: response.statusCode, certificate })
              })
            },
          )
            .on('error', reject)
            .end()
        },
      )
      should(answer.status).equal(200)
      should(simulator.fingerprint).equal(answer.certificate.fingerprint256)
      should(answer.certificate.subjectaltname).equal(
        'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
      )
      await simulator.stop()
      simulator.openSockets.should.equal(0)
    })
  })

  describe('command', function () {
    this.timeout(20_000)

    function run(...args: string[]) {
      const child = spawn(process.execPath, [join(root, 'dist/simulator/command.js'), ...args])
      children.push(child)
      const output = { out: '', err: '' }
      child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()))
      child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()))
      const ended = once(child, 'close').then(([code]) => ({ code: Number(code), ...output }))
      return { child, output, ended }
    }

    it('explains itself', async () => {
      const { code, out, err } = await run('--help').ended
      code.should.equal(0)
      for (const word of [
        '--port',
        '--fault',
        'hang-after',
        'expiredStatus',
        '/simulator/faults',
        '--fail',
        '/simulator/routes/NAME',
      ]) {
        out.should.containEql(word)
      }
      err.should.equal('')
    })

    it('reads what is typed only in the foreground: in the background the system would stop it', () => {
      isForeground('42 (node) S 7 42 7 34816 42 4194304 1').should.be.true()
      isForeground('42 (node) S 7 42 7 34816 7 4194304 1').should.be.false()
      isForeground('42 (a) b (c) S 7 42 7 34816 7 4194304 1').should.be.false()
    })

    it('refuses bad arguments with a sentence and code 2', async () => {
      const wrong: Array<[string[], RegExp]> = [
        [['--nonsense'], /--nonsense/],
        [['--port', '70000'], /--port takes a whole number from 0 to 65535, not "70000"/],
        [['--routes', 'many'], /--routes/],
        [['--fault', 'nonsense'], /kind/],
        [['--fault', 'hang:GET:?'], /cannot make out "\?"/],
        [['--fail', 'nonsense', '--port', '0'], /--fail: "nonsense" is not WHAT=STATE/],
        [['--fail', 'Nowhere=ok', '--port', '0'], /--fail: The simulator has no route Nowhere/],
        [['--fail', 'Studio A=broken', '--port', '0'], /--fail: A line is ok, disconnected/],
        [['--fail', 'device=broken', '--port', '0'], /--fail: A device is ok, offline, away/],
        [['--dialect', 'cookie=sweet'], /standard or secure or none/],
        [['--dialect', 'nonsense=1'], /knows no "nonsense"/],
        [['extra'], /extra/],
      ]
      const results = await Promise.all(wrong.map(([args]) => run(...args).ended))
      results.forEach(({ code, out, err }, place) => {
        code.should.equal(2)
        out.should.equal('')
        err.should.match(wrong[place]?.[1] ?? /^$/)
        err.should.not.match(/\n {4}at /)
      })
    })

    it('tells when its port is in use, with code 1', async () => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const address = taken.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const { code, err } = await run('--port', String(port)).ended
      taken.close()
      code.should.equal(1)
      err.should.match(new RegExp(`^Port ${port} of 127.0.0.1 is in use\\.`))
      err.should.not.match(/\n {4}at /)
    })

    it('runs as told, shows each call, and stops on a signal with code 0', async () => {
      for (const [signal, quiet] of [
        ['SIGTERM', false],
        ['SIGINT', true],
      ] as const) {
        const { child, output, ended } = run(
          ...`--port 0 --routes 3 --user chief --password invented ${quiet ? '--quiet' : ''}`
            .trim()
            .split(' '),
          '--fault=status=503:GET:/api/devices:1',
          '--dialect=cookie=none',
        )
        await until(() => output.out.includes('Ctrl-C'), 'the command to start')
        output.out.should.match(/user chief, password invented/)
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.out)?.[0] ?? ''
        const account = { username: 'chief', password: 'invented' }
        const login = await call(url, 'POST', '/api/session', { body: account })
        should(login.headers['set-cookie']).be.undefined()
        const cookie = `sessionID=${login.json.response.sessionID}`
        ;(await call(url, 'GET', '/api/devices', { cookie })).status.should.equal(503)
        ;(await call(url, 'GET', '/api/devices', { cookie })).status.should.equal(200)
        const agent = new Agent({ keepAlive: true })
        ;(await call(url, 'GET', '/simulator', { agent })).json.calls.should.equal(3)
        child.kill(signal)
        const { code, out, err } = await ended
        agent.destroy()
        code.should.equal(0)
        err.should.equal('')
        out.includes('GET /api/devices 503 (fault status)').should.equal(!quiet)
        out.includes('GET /api/devices 200 (chief)').should.equal(!quiet)
      }
    })

    it('fails what it is told, at the start and while it runs', async () => {
      const { child, output, ended } = run(
        '--port=0',
        '--quiet',
        '--fail=Studio A=loss=5,rtt=400',
        '--fail=@192.0.2.7:5000=no-data',
        '--fail=device=offline',
      )
      await until(() => output.out.includes('Ctrl-C'), 'the command to start')
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.out)?.[0] ?? ''
      const failures = async () => (await call(url, 'GET', '/simulator')).json.failures
      const { device, lines } = await failures()
      should(device).equal('offline')
      lines.should.match([
        { place: /^239\.\S+:\d+$/, loss: 5, rtt: 400 },
        { place: '192.0.2.7:5000', data: false },
      ])
      const type = async (line: string, done: string) => {
        child.stdin.write(`${line}\n`)
        await until(() => (output.out + output.err).includes(done), done)
      }
      await type('restore Studio A', 'Done: restore Studio A')
      ;(await failures()).lines.length.should.equal(1)
      await type('fail Studio A/Studio A out=disconnected', 'Done: fail Studio A/')
      ;(await failures()).lines[1].state.should.equal('disconnected')
      await type('fail Nowhere=ok', 'no route Nowhere')
      await type('dance', 'fail WHAT=STATE')
      await type('restore', 'Done: restore\n')
      should(await failures()).eql({ device: 'ok', lines: [] })
      child.stdin.end()
      child.kill('SIGTERM')
      ;(await ended).code.should.equal(0)
    })

    it('prints the fingerprint with --https', async () => {
      const { child, output, ended } = run('--https', '--port', '0')
      await until(() => output.out.includes('Ctrl-C'), 'the command to start')
      output.out.should.match(/https:\/\/127\.0\.0\.1:\d+/)
      output.out.should.match(/([0-9A-F]{2}:){31}[0-9A-F]{2}/)
      child.kill('SIGTERM')
      ;(await ended).code.should.equal(0)
    })
  })
})

/** Everything that comes over the wire until the connection ends. */
async function rawAnswer(simulator: Simulator, path: string): Promise<string> {
  const socket = connect(simulator.port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => {})
  await once(socket, 'close')
  return text
}
