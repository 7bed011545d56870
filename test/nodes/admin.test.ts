import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type * as Express from 'express'
import type { NodeAPI } from 'node-red'
import { until } from '../support/until'
import should from 'should'
import { openConnection } from '../../client/connection/connection'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { createObservers } from '../../nodes/gateway/admin/observers'
import { registerAdminRoutes } from '../../nodes/gateway/admin/routes'
import { startSimulator, type Simulator } from '../../simulator'
import { NodeRed, type Properties } from '../support/node-red'
import { ScriptedAppliance } from '../support/scripted-appliance'

const { hashSync } = require('bcryptjs') as { hashSync: (text: string, rounds: number) => string }

const express = createRequire(require.resolve('node-red'))('express') as typeof Express.default

interface Reply {
  status: number
  body: Properties
}

const PASSWORD = 'stored-password'
const PATHS = [
  'connection',
  'lookup',
  'definition',
  'plan',
  'state',
  'control',
  'failover',
  'callers',
  'appliances',
  'inventory',
]
/** To which a gateway that is not deployed is no failure. */
const PATIENT = ['state', 'appliances']

/** What the editor asks of the runtime, in a Node-RED with users. */
describe('the admin routes', () => {
  let nodeRed: NodeRed
  let simulator: Simulator
  const thief = new ScriptedAppliance(() => ({ text: '{}' }))
  const stolen = thief.calls
  const tokens: Record<string, string> = {}

  before(async () => {
    simulator = await startSimulator({ https: true, routes: 5, password: PASSWORD })
    await thief.start()
    process.env['MEDIA_GATEWAY_TEST_SECRET'] = 'from-the-environment'
    process.env['SRT_TEST_SET'] = 'the-passphrase-of-the-environment'
    nodeRed = new NodeRed()
    const user = (username: string, permissions: string | string[]): object => ({
      username,
      password: hashSync('secret', 4),
      permissions,
    })
    await nodeRed.start({
      logging: { console: { level: 'info', metrics: false, audit: true } },
      adminAuth: {
        type: 'credentials',
        users: [
          user('writer', '*'),
          user('reader', 'read'),
          user('flows', ['flows.read']),
          user('driver', ['media-gateway.read', 'media-gateway.write']),
        ],
      },
    })
    for (const name of ['writer', 'reader', 'flows', 'driver']) {
      const answer = await fetch(`${nodeRed.url}auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_id: 'node-red-admin',
          grant_type: 'password',
          scope: '',
          username: name,
          password: 'secret',
        }),
      })
      tokens[name] = ((await answer.json()) as { access_token: string }).access_token
    }
    await nodeRed.deploy(
      [
        { id: 'tab', type: 'tab', label: 'test' },
        {
          id: 'gateway',
          type: 'media-gateway',
          name: 'Studio',
          baseUrl: simulator.url,
          fingerprint: simulator.fingerprint,
          protectedRoutes: guarded().name,
          credentials: { username: 'haiadmin', password: PASSWORD },
        },
        { id: 'watch', z: 'tab', type: 'media-gateway-watch', gateway: 'gateway', wires: [[]] },
      ],
      tokens['writer'],
    )
    // A deploy is answered before the nodes are there.
    while ((await ask('state', { id: 'gateway' })).body['notDeployed']) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  after(async () => {
    delete process.env['MEDIA_GATEWAY_TEST_SECRET']
    delete process.env['SRT_TEST_SET']
    await nodeRed.stop()
    await thief.stop()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  async function ask(
    path: string,
    body?: unknown,
    user = 'writer',
    text = body === undefined ? undefined : JSON.stringify(body),
  ): Promise<Reply> {
    const token = tokens[user]
    const answer = await fetch(`${nodeRed.url}media-gateway/${path}`, {
      method: text === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: text,
    })
    const said = await answer.text()
    said.should.not.containEql(PASSWORD)
    said.should.not.match(/srtPassPhrase":"[^•"]/)
    // The others change nothing anyway.
    if (path !== 'control' && path !== 'failover') said.should.not.match(/Nothing was changed/)
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, body: isJson ? (JSON.parse(said) as Properties) : {} }
  }

  const saved = (): Properties => ({
    id: 'gateway',
    baseUrl: simulator.url,
    username: 'haiadmin',
    password: '__PWRD__',
    fingerprint: simulator.fingerprint,
  })
  const device = (): string => simulator.devices[0]!._id
  /** A protected route. */
  const guarded = () => simulator.routes.find(({ state }) => state === 'running')!

  describe('need a permission:', () => {
    const unsaved = { baseUrl: 'http://127.0.0.1:1', username: 'a', password: 'b' }
    const routes: Array<[path: string, body: unknown, reads: boolean]> = [
      ['connection', { connection: unsaved }, false],
      ['lookup', { connection: { id: 'gateway' } }, true],
      ['lookup', { connection: unsaved }, false],
      ['definition', { connection: { id: 'gateway' }, routeId: 'x' }, true],
      ['definition', { connection: unsaved, routeId: 'x' }, false],
      ['plan', { connection: { id: 'gateway' }, definition: {} }, false],
      ['gateways', undefined, true],
      ['state', { id: 'gateway' }, true],
      ['callers', { id: 'gateway' }, true],
      ['control', { id: 'gateway' }, false],
      ['failover', { id: 'gateway' }, false],
    ]
    for (const [path, body, reads] of routes) {
      const isOfForm = ['lookup', 'definition'].includes(path)
      const what = isOfForm ? (reads ? ', deployed' : ', unsaved') : ''
      it(`${path}${what}`, async () => {
        const statuses: Record<string, number> = {}
        for (const user of ['nobody', 'flows', 'reader', 'writer']) {
          statuses[user] = (await ask(path, body, user)).status
        }
        statuses['nobody']!.should.equal(401)
        statuses['flows']!.should.equal(401)
        should(statuses['reader'] === 401).equal(!reads)
        statuses['writer']!.should.not.equal(401)
      })
    }
  })

  it('an environment variable goes to a new address only for those who may deploy', async () => {
    const variable = '${MEDIA_GATEWAY_TEST_SECRET}'
    const elsewhere = { baseUrl: thief.url, username: 'x', password: variable }
    const definition = { name: 'A' }
    const body = { connection: elsewhere, routeId: 'x', definition, node: 'ensure-route' }
    for (const path of ['connection', 'lookup', 'definition', 'plan']) {
      stolen.length = 0
      const refused = await ask(path, body, 'driver')
      refused.status.should.equal(401)
      stolen.should.eql([])
      await ask(path, body, 'writer')
      stolen[0]!.text.should.containEql('from-the-environment')
    }
    const without = { connection: { ...elsewhere, password: 'typed' } }
    ;(await ask('connection', without, 'driver')).status.should.equal(200)
    stolen.length = 0
  })

  it('an inventory is read from elsewhere only for those who may deploy', async () => {
    const trust = { fingerprint: '' }
    const check = (inventoryType: string, inventory: string, user: string): Promise<Reply> =>
      ask('inventory', { connection: { ...saved(), ...trust, inventoryType, inventory } }, user)
    const row = { name: 'a', baseUrl: thief.url, password: '${MEDIA_GATEWAY_TEST_SECRET}' }
    const elsewhere: Array<[string, string]> = [
      ['file', '/etc/passwd'],
      ['env', 'MEDIA_GATEWAY_TEST_SECRET'],
      ['global', 'inventory'],
      ['json', JSON.stringify([row])],
      ['json', JSON.stringify([row]).replaceAll('$', '\\u0024')],
    ]
    for (const [type, inventory] of elsewhere) {
      for (const user of ['reader', 'driver', 'flows']) {
        const { status, body } = await check(type, inventory, user)
        ;[status, body].should.eql([401, {}])
      }
      const { body } = await check(type, inventory, 'writer')
      JSON.stringify(body).should.not.match(/from-the-environment|root:/)
    }
    const plain = JSON.stringify([{ name: 'a', baseUrl: thief.url }])
    ;(await check('json', plain, 'reader')).status.should.equal(401)
    ;(await check('json', plain, 'driver')).body.should.eql({
      appliances: 1,
      names: ['a'],
      faults: [],
    })
    // The stored password goes to no row of an inventory that is not deployed.
    const connection = { ...saved(), ...trust, inventoryType: 'json', inventory: plain }
    const { body } = await ask('lookup', { connection, appliance: 'a' })
    body.should.match({ code: 'CONFIG', passwordNeeded: true })
    stolen.should.have.length(0)
  })

  it('a definition that names variables is planned elsewhere only for those who may deploy', async () => {
    const definition = { name: 'A', source: { srtPassPhrase: '${SRT_A}' } }
    const connection = { baseUrl: thief.url, username: 'x', password: 'typed' }
    const refused = await ask('plan', { connection, definition }, 'driver')
    refused.status.should.equal(401)
    const allowed: Array<[body: Properties, user: string]> = [
      [{ connection, definition }, 'writer'],
      [{ connection, definition: { name: 'A' } }, 'driver'],
      [{ connection: saved(), definition }, 'driver'],
      [{ connection: { id: 'gateway' }, definition }, 'driver'],
    ]
    for (const [body, user] of allowed) (await ask('plan', body, user)).status.should.not.equal(401)
    stolen.length = 0
  })

  describe('connection', () => {
    it('reports a good one, reusing the live session of the same values', async () => {
      const { logins } = simulator
      const { status, body } = await ask('connection', { connection: saved() })
      status.should.equal(200)
      body.should.containDeep({
        ok: true,
        reused: true,
        user: { roles: ['Administrator'], isLicensed: true },
        devices: 1,
        device: { id: device(), name: 'Gateway 1', firmware: simulator.devices[0]!.firmware },
        routes: 5,
      })
      should(body['answerMs']).be.a.Number()
      simulator.logins.should.equal(Math.max(logins, 1))
    })

    it('opens a session of its own for other values, and logs out', async () => {
      const { logins, logouts } = simulator
      const connection = { ...saved(), username: 'operator', password: 'supervisor' }
      const { body } = await ask('connection', { connection })
      body.should.containDeep({ ok: true, reused: false, user: { roles: ['Operator'] } })
      simulator.logins.should.equal(logins + 1)
      simulator.logouts.should.equal(logouts + 1)
    })

    it('takes the stored password with the same fingerprint, however it is written', async () => {
      const { body } = await ask('connection', {
        connection: {
          ...saved(),
          timeout: 5000,
          fingerprint: simulator.fingerprint!.toLowerCase().replaceAll(':', ' '),
        },
      })
      body.should.containDeep({ ok: true, reused: false })
    })

    const failing: Record<string, [change: () => Properties, expected: object, says: RegExp]> = {
      'a wrong password': [() => ({ password: 'wrong' }), { code: 'LOGIN_REFUSED' }, /refused/],
      'an address where nobody listens': [
        () => ({ baseUrl: 'https://127.0.0.1:1', password: 'x' }),
        { code: 'UNAVAILABLE' },
        /127\.0\.0\.1|refused/,
      ],
      'no password': [() => ({ password: '' }), { code: 'CONFIG' }, /password is missing/],
      'a bad address': [
        () => ({ baseUrl: 'nonsense', password: 'x' }),
        { code: 'CONFIG' },
        /must begin with http/,
      ],
      'an unresolved variable': [
        () => ({ baseUrl: '${NOT_SET_ANYWHERE}', password: 'x' }),
        { code: 'CONFIG' },
        /NOT_SET_ANYWHERE/,
      ],
    }
    for (const [what, [change, expected, says]] of Object.entries(failing)) {
      it(`says what is wrong: ${what}`, async () => {
        const { status, body } = await ask('connection', {
          connection: { ...saved(), ...change() },
        })
        status.should.equal(200)
        body.should.containDeep({ ok: false, ...expected })
        String(body['message']).should.match(says)
      })
    }

    it('shows the certificate that is not trusted, and sends nothing', async () => {
      const calls = simulator.journal.length
      for (const fingerprint of ['', 'a1'.repeat(32)]) {
        // A user of its own: a test waits after a refused login.
        const connection = { ...saved(), fingerprint, username: 'another', password: PASSWORD }
        const { body } = await ask('connection', { connection })
        body.should.containDeep({
          ok: false,
          code: 'TLS',
          certificate: { fingerprint: simulator.fingerprint },
        })
        const { subject, validFrom, validTo } = body['certificate'] as Record<string, string>
        subject!.should.match(/CN=/)
        Date.parse(validFrom!).should.be.below(Date.now())
        Date.parse(validTo!).should.be.above(Date.now())
      }
      simulator.journal
        .slice(calls)
        .every(({ path }) => path.startsWith('/api/devices/'))
        .should.be.true()
    })
  })

  describe('give the stored password to nobody else:', () => {
    const thefts: Record<string, () => Properties> = {
      'another address': () => ({ baseUrl: thief.url }),
      'another address with a path': () => ({ baseUrl: `${thief.url}/x` }),
      'an address that begins like the stored one': () => ({
        baseUrl: `${simulator.url}@${thief.url.slice(7)}`,
      }),
      'another user': () => ({ username: 'operator' }),
      'a proxy': () => ({ proxy: 'thief-proxy' }),
      'a TLS configuration': () => ({ tls: 'trusting' }),
      'no fingerprint any more': () => ({ fingerprint: '' }),
      'another fingerprint': () => ({ fingerprint: 'a1'.repeat(32) }),
      'another fingerprint, in a variable': () => ({ fingerprint: '${FINGERPRINT}' }),
      'no password at all': () => ({ baseUrl: thief.url, password: undefined }),
    }
    for (const path of ['connection', 'lookup', 'definition', 'plan']) {
      for (const [what, change] of Object.entries(thefts)) {
        it(`${path}, ${what}`, async () => {
          const attempts = simulator.loginAttempts
          const { status, body } = await ask(path, {
            connection: { ...saved(), ...change() },
            routeId: 'x',
            definition: { name: 'A' },
            node: 'ensure-route',
          })
          status.should.equal(path === 'connection' ? 200 : 400)
          body.should.containDeep({ code: 'CONFIG', passwordNeeded: true })
          stolen.should.eql([])
          simulator.loginAttempts.should.equal(attempts)
        })
      }
    }

    it('not even by a node that is none, or another one', async () => {
      for (const id of ['watch', 'tab', 'missing', '__proto__']) {
        const { body } = await ask('connection', {
          connection: { ...saved(), id, baseUrl: thief.url },
        })
        body.should.containDeep({ ok: false, code: 'CONFIG' })
      }
      stolen.should.eql([])
    })
  })

  it('lookup gives devices, routes, destinations and adapters', async () => {
    const { status, body } = await ask('lookup', { connection: { id: 'gateway' } }, 'reader')
    status.should.equal(200)
    const [route] = simulator.routes
    body.should.containDeep({
      deviceId: device(),
      devices: [{ id: device(), name: 'Gateway 1', statusCode: 'ok', status: 'Online' }],
      routes: [
        {
          id: route!.id,
          name: route!.name,
          state: route!.state,
          source: { address: route!.source.address, port: route!.source.port },
        },
      ],
      adapters: simulator.devices[0]!.networkAdapters,
    })
    Object.keys((body['routes'] as object[])[0]!).should.eql([
      'id',
      'name',
      'state',
      'summaryStatusCode',
      'source',
      'destinations',
    ])
    const missing = await ask('lookup', { connection: { id: 'missing' } })
    missing.status.should.equal(404)
    missing.body.should.containDeep({ code: 'NOT_FOUND' })
  })

  it('lookup asks for the list of routes only where the configuration has none', async () => {
    const connection = { id: 'gateway' }
    const calls = async () => {
      const before = simulator.journal.length
      const { body } = await ask('lookup', { connection, deviceId: device() })
      ;(body['routes'] as object[]).should.have.length(simulator.routes.length)
      return simulator.journal
        .slice(before)
        .map(({ path }) => path.replace(/\?.*/, ''))
        .sort()
    }
    const configuration = `/api/devices/${device()}`
    ;(await calls()).should.eql(['/api/devices', configuration])
    const routes = simulator.devices[0]!.routes.splice(0)
    const none = await calls()
    simulator.devices[0]!.routes.push(...routes)
    none.should.eql(['/api/devices', configuration, `/api/gateway/${device()}/routes`].sort())
  })

  it('a failure says in values what its sentence names, and no secret', async () => {
    const place = { ...saved(), baseUrl: 'http://127.0.0.1:1', fingerprint: '', password: PASSWORD }
    const { body: refused } = await ask('lookup', { connection: place })
    refused.should.containDeep({
      code: 'UNAVAILABLE',
      sentences: [{ key: 'refused', values: { host: '127.0.0.1:1' } }],
      values: { host: '127.0.0.1:1', reason: 'ECONNREFUSED', applied: 'no' },
    })
    const { host } = new URL(simulator.url)
    const wrong = { ...saved(), password: 'a wrong password' }
    const { body: login } = await ask('connection', { connection: wrong })
    login.should.containDeep({
      code: 'LOGIN_REFUSED',
      sentences: [{ key: 'loginRefused', values: { host, status: 401 } }],
      values: { host, status: 401 },
    })
    JSON.stringify([refused, login]).should.not.match(new RegExp(`${PASSWORD}|a wrong password`))
    const { body: missing } = await ask('lookup', { connection: { id: 'missing' } })
    missing.should.eql({
      code: 'NOT_FOUND',
      message: 'This gateway is not deployed. Deploy it first.',
      sentences: [{ key: 'notDeployed', values: {} }],
      notDeployed: true,
    })
  })

  it('definition gives a route in sent form, its secrets hidden', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    route.source.srtPassPhrase = 'not-to-be-shown-at-all'
    const { body } = await ask('definition', {
      connection: { id: 'gateway' },
      routeId: route.id,
    })
    body['definition']!.should.containDeep({
      name: route.name,
      source: { protocol: 'srt', srtMode: route.source.srtMode, srtPassPhrase: '••••••' },
    })
    const missing = await ask('definition', { connection: { id: 'gateway' }, routeId: 'no' })
    missing.status.should.equal(404)
  })

  it('definition hides credentials and query of a URL', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    Object.assign(route.source, {
      unknown: 'rtsp://camera:its-password@203.0.113.7/one?key=CAMKEY',
    })
    const { body } = await ask('definition', { connection: { id: 'gateway' }, routeId: route.id })
    delete (route.source as { unknown?: string }).unknown
    const { source } = body['definition'] as { source: { unknown: string } }
    source.unknown.should.equal('rtsp://••••••@203.0.113.7/one?••••••')
  })

  it('hide the password of the account, wherever the appliance has written it', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    const { name } = route
    for (const written of [PASSWORD, Buffer.from(PASSWORD).toString('base64')]) {
      route.name = `Pass ${written} end`
      route.source.networkInterface = `operator:${written}`
      const connection = { id: 'gateway' }
      const planned = { node: 'ensure-route', connection }
      const replies = [
        await ask('definition', { connection, routeId: route.id }),
        await ask('lookup', { connection }),
        await ask('plan', { ...planned, definition: { id: route.id, source: { port: 5902 } } }),
        await ask('plan', { ...planned, definition: { name: route.name, sorce: {} } }),
      ]
      await until(async () => {
        const state = await ask('state', { id: 'gateway' })
        replies.push(state)
        return JSON.stringify(state.body).includes('Pass •••••• end')
      })
      route.name = name
      route.source.networkInterface = ''
      replies
        .map(({ status }) => status)
        .slice(0, 4)
        .should.eql([200, 200, 200, 400])
      for (const { body } of replies) JSON.stringify(body).should.not.containEql(written)
      JSON.stringify(replies[1]!.body).should.containEql('Pass •••••• end')
    }
    // The name of a member cannot be hidden.
    Object.assign(route.source, { [PASSWORD]: 'x' })
    const refused = await ask('definition', { connection: { id: 'gateway' }, routeId: route.id })
    Reflect.deleteProperty(route.source, PASSWORD)
    ;[refused.status, refused.body['code']].should.eql([502, 'BAD_RESPONSE'])
  })

  describe('plan', () => {
    const connection = { id: 'gateway' }
    const plan = (definition: unknown, more: Properties = {}): Promise<Reply> =>
      ask('plan', { node: 'ensure-route', connection, definition, state: 'present', ...more })
    const studio = (): Properties => ({
      name: 'Studio X',
      source: { name: 'in', protocol: 'srt', srtMode: 'listener', port: 5900 },
      destinations: [{ name: 'out', protocol: 'udp', address: '239.1.1.9', port: 6900 }],
    })
    let calls: number
    beforeEach(() => {
      calls = simulator.journal.length
    })
    afterEach(() => {
      const written = simulator.journal
        .slice(calls)
        .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/session'))
      written.should.eql([])
    })

    it('says what would be done, and writes nothing', async () => {
      const [route] = simulator.routes
      const rows = [
        { ...studio(), state: 'running' },
        { name: route!.name, source: { port: 5901 } },
      ]
      const { status, body } = await ask(
        'plan',
        { node: 'ensure-route', connection, definition: rows, state: 'row' },
        'driver',
      )
      status.should.equal(200)
      const text = String(body['text'])
      text.should.match(/^\+ "Studio X"/m)
      text.should.containEql(`~ ${JSON.stringify(route!.name)}`)
      text.should.match(/^ {4}source\.port: /m)
      body['summary']!.should.containDeep({ create: 1, update: 1, delete: 0 })
      body['unset']!.should.eql([])
    })

    it('says what an update would change, by the same checks as its run', async () => {
      const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      const given = { node: 'update-route', route: route.name, routeType: 'name', mode: 'merge' }
      const secret = { port: 5903, srtPassPhrase: 'the-given-passphrase' }
      const changed = await plan({ source: secret }, given)
      const text = String(changed.body['text'])
      text.should.startWith('0 to add, 1 to change, 0 to remove; 0 to start, 0 to stop.\n')
      text.should.containEql(`~ ${JSON.stringify(route.name)}  update`)
      text.should.containEql(`source.port: ${route.source.port} → 5903`)
      JSON.stringify(changed.body).should.not.containEql('the-given-passphrase')
      const same = await plan({ source: { port: route.source.port } }, given)
      String(same.body['text']).should.equal('Nothing to do.')
      const byId = { ...given, route: route.id, routeType: 'id', mode: 'replace' }
      const { name, source } = route
      const shorter = await plan({ name, source, destinations: [] }, byId)
      String(shorter.body['text']).should.match(/destinations\[0\]: .* → removed/)
      const faulty = await plan({ source: { port: 0 } }, given)
      faulty.body['code']!.should.equal('INVALID_INPUT')
      const unknown = await plan({ source: { port: 1 } }, { ...given, route: 'Nobody' })
      unknown.body['code']!.should.equal('NOT_FOUND')
      for (const wrong of [{ mode: 'x' }, { routeType: 'msg' }, { route: '' }, { node: 'x' }]) {
        const { status, body } = await plan({ source: { port: 1 } }, { ...given, ...wrong })
        ;[status, body['code']].should.eql([400, 'INVALID_INPUT'])
      }
    })

    it('says what a command would do, to the route or to a destination', async () => {
      const given = { node: 'control-route', routeType: 'name', target: 'route' }
      const [, running] = simulator.routes.filter(({ state }) => state === 'running')
      const idle = simulator.routes.find(({ state }) => state === 'idle')!
      const textOf = async (route: { name: string }, more: Properties): Promise<string> => {
        const { body } = await plan(undefined, { ...given, route: route.name, ...more })
        return String(body['text'] ?? body['code'])
      }
      ;(await textOf(guarded(), { action: 'stop' })).should.equal('READ_ONLY')
      const stop = await textOf(running!, { action: 'stop' })
      stop.should.match(/0 to start, 1 to stop\.\n~ ".*" {2}stop\n {4}state: running → stopped$/)
      const again = await textOf(running!, { action: 'restart' })
      again.should.match(/1 to start, 1 to stop\.\n~ ".*" {2}stop, start$/)
      const start = await textOf(idle, { action: 'restart' })
      start.should.match(/~ ".*" {2}start\n {4}state: stopped → running$/)
      const [out] = running!.destinations
      const of = { action: 'stop', target: 'destination', destinationType: 'name' }
      const part = await textOf(running!, { ...of, destination: out!.name })
      part.should.match(/destinations\[0\]\.state: running → stopped$/)
      ;(await textOf(running!, { ...of, destination: 'Nobody' })).should.equal('NOT_FOUND')
      const gone = { ...of, destination: 'gone', destinationType: 'id' }
      ;(await textOf(running!, gone)).should.equal('NOT_FOUND')
      ;(await textOf(running!, { action: 'sotp' })).should.equal('INVALID_INPUT')
    })

    it('plans the removal of stopped routes', async () => {
      const stopped = simulator.routes.find(({ state }) => state === 'idle')!
      const removal = { remove: 'pattern', removePattern: stopped.name, approve: true }
      const { status, body } = await plan([studio()], removal)
      status.should.equal(200)
      String(body['text']).should.containEql(`- ${JSON.stringify(stopped.name)}`)
      body['summary']!.should.containDeep({ create: 1, delete: 1 })
    })

    it('shows no secret, neither one that is given nor one that is stored', async () => {
      const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      const before = route.source.srtPassPhrase
      route.source.srtPassPhrase = 'the-stored-passphrase'
      const source = { srtPassPhrase: 'the-given-passphrase' }
      const { status, body } = await plan([{ name: route.name, source }])
      route.source.srtPassPhrase = before
      status.should.equal(200)
      String(body['text']).should.containEql('••••••')
      JSON.stringify(body).should.not.match(/the-(stored|given)-passphrase/)
    })

    it('takes secrets by name from the environment, and says which are not set', async () => {
      const named = (name: string): Properties => {
        const { source, ...route } = studio()
        const secret = { srtEncryption: 'AES128', srtPassPhrase: `\${${name}}` }
        return { ...route, source: { ...(source as Properties), ...secret } }
      }
      const set = await plan(named('SRT_TEST_SET'))
      const unset = await plan(named('SRT_TEST_UNSET'))
      const other = await plan(named('MEDIA_GATEWAY_TEST_SECRET'))
      set.body['unset']!.should.eql([])
      unset.body['unset']!.should.eql(['SRT_TEST_UNSET'])
      other.body['code']!.should.equal('INVALID_INPUT')
      JSON.stringify([set, unset, other]).should.not.match(/of-the-environment|xxxx|from-the-env/)
    })

    const refused: Record<string, [definition: unknown, more: Properties, says: RegExp]> = {
      'no definition': [undefined, {}, /./],
      'a fault in a row': [[{ name: 'A', source: { port: 0 } }], {}, /\[0\]\.source\.port/],
      'an unknown state': [
        { name: 'A' },
        { state: 'up' },
        /state is "up"; it must be one of present, /,
      ],
      'a limit that is none': [
        [{ name: 'A' }],
        { remove: 'pattern', removePattern: '*', removeAtMost: 0 },
        /removeAtMost is 0; it must be a whole number from 1 to 1000\./,
      ],
      'a pattern without names': [
        [{ name: 'A' }],
        { remove: 'pattern', removePattern: 7 },
        /removePattern/,
      ],
    }
    for (const [what, [definition, more, says]] of Object.entries(refused)) {
      it(`says why there is none: ${what}`, async () => {
        const { status, body } = await plan(definition, more)
        status.should.equal(400)
        body['code']!.should.equal('INVALID_INPUT')
        String(body['message']).should.match(says)
      })
    }
  })

  it('gateways lists what is deployed, without secrets', async () => {
    const { body } = await ask('gateways', undefined, 'reader')
    body.should.eql([{ id: 'gateway', name: 'Studio', address: simulator.url, readOnly: false }])
  })

  it('state says when a gateway is not deployed, which each deploy brings about', async () => {
    for (const id of ['missing', 'watch', '']) {
      const { status, body } = await ask('state', { id }, 'reader')
      status.should.equal(200)
      body.should.eql({ notDeployed: true })
    }
  })

  it('state shows what the shared poll knows, without a call of its own', async () => {
    let reply: Reply
    do {
      reply = await ask('state', { id: 'gateway' }, 'reader')
    } while (reply.body['snapshot'] === undefined)
    const calls = simulator.journal.length
    const { body } = await ask('state', { id: 'gateway' })
    body.should.containDeep({
      health: { known: { routes: 5 }, unreachable: false },
      snapshot: { event: 'snapshot', device: { id: device() } },
    })
    const again = await ask('state', { id: 'gateway', version: body['version'] })
    should(again.body['snapshot']).be.undefined()
    should(again.body['version']).equal(body['version'])
    simulator.journal.length.should.equal(calls)
  })

  it('control starts and stops a route', async () => {
    const route = simulator.routes.find(({ state }) => state === 'idle')!
    const body = { id: 'gateway', deviceId: device(), routeId: route.id, action: 'start' }
    ;(await ask('control', body)).body.should.eql({ ok: true })
    await simulator.settle()
    route.state.should.equal('running')
    ;(await ask('control', { ...body, action: 'stop' })).body.should.eql({ ok: true })
    const wrong = await ask('control', { ...body, action: 'delete' })
    wrong.status.should.equal(400)
    wrong.body.should.containDeep({
      code: 'INVALID_INPUT',
      message: 'action is "delete"; it must be one of start, stop, restart. Nothing was changed.',
    })
  })

  it('control refuses to stop or restart a protected route, as state has it, but starts it', async () => {
    const route = guarded()
    const { body: state } = await ask('state', { id: 'gateway' }, 'reader')
    state['protectedRoutes']!.should.eql([route.id])
    const target = { id: 'gateway', deviceId: device(), routeId: route.id }
    const destination = { destinationId: route.destinations[0]!.id }
    const calls = simulator.journal.filter(({ method }) => method === 'POST').length
    for (const action of ['stop', 'restart']) {
      for (const body of [target, { ...target, ...destination }]) {
        const refused = await ask('control', { ...body, action, confirmProtected: route.name })
        refused.status.should.equal(400)
        refused.body['code']!.should.equal('READ_ONLY')
        const sentences = refused.body['sentences'] as Array<{ key: string; values: object }>
        sentences.map(({ key }) => key).should.eql(['protected', 'unchanged', 'confirmProtected'])
        sentences[0]!.values.should.have.property('route', route.name)
      }
    }
    simulator.journal.filter(({ method }) => method === 'POST').should.have.length(calls)
    ;(await ask('control', { ...target, action: 'start' })).body.should.eql({ ok: true })
  })

  it('answers rubbish in words, and stays alive', async () => {
    for (const path of PATHS) {
      for (const body of [[], {}, { connection: 'x' }, { connection: { id: {} } }, { id: 7 }]) {
        const { status, body: answer } = await ask(path, body)
        ;[200, 400, 404].should.containEql(status)
        if (PATIENT.includes(path)) answer.should.eql({ notDeployed: true })
        else should(answer['code']).be.a.String()
      }
    }
  })

  it('a body that is nested too deep, or has too many values, is refused by each route, for each user', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    const odd: Record<string, string> = {
      'two thousand lists': nested(2000),
      'a hundred thousand lists': nested(100_000),
      'as many objects': `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
      'too many values': `[${'0,'.repeat(300_000)}0]`,
    }
    for (const [what, value] of Object.entries(odd)) {
      for (const path of PATHS) {
        for (const user of ['driver', 'writer']) {
          const connection = JSON.stringify({ baseUrl: 'http://127.0.0.1:1' })
          const text = `{"id":"gateway","connection":${connection},"definition":${value}}`
          const { status, body } = await ask(path, undefined, user, text)
          status.should.equal(400, `${path}, ${what}`)
          body.should.containDeep({ code: 'INVALID_INPUT' })
          String(body['message']).should.match(/nested too deep|too many values/)
        }
      }
    }
    const query = `?id[a][b][c]=1&connection[baseUrl]=${'x'.repeat(5000)}`
    ;(await ask(`gateways${query}`)).status.should.equal(200)
    nodeRed.output.should.not.match(/Uncaught/)
  })

  it('a device that the appliance does not list is polled for nobody', async () => {
    const calls = simulator.journal.length
    for (let number = 0; number < 25; number++) {
      const asked = await ask('state', { id: 'gateway', deviceId: `invented-${number}` }, 'reader')
      asked.status.should.equal(404)
      asked.body.should.containDeep({ code: 'NOT_FOUND', sentences: [{ key: 'deviceNotFound' }] })
    }
    simulator.journal
      .slice(calls)
      .some(({ path }) => path.includes('invented'))
      .should.be.false()
    ;(await ask('state', { id: 'gateway', deviceId: device() })).status.should.equal(200)
  })

  it('lookups of the same at the same time share their requests', async () => {
    const calls = simulator.journal.length
    const asked = Array.from({ length: 50 }, () =>
      ask('lookup', { connection: { id: 'gateway' }, deviceId: device() }, 'reader'),
    )
    for (const { status, body } of await Promise.all(asked)) {
      status.should.equal(200)
      body['deviceId']!.should.equal(device())
    }
    // One by one, they would be more than 50.
    simulator.journal.slice(calls).length.should.be.below(45)
  })

  it('a typed password is tried, also where it is the stored one', async () => {
    for (const path of ['lookup', 'connection']) {
      const { logins, logouts } = simulator
      const connection = { ...saved(), password: PASSWORD }
      ;(await ask(path, { connection }, 'driver')).status.should.equal(200)
      simulator.logins.should.equal(logins + 1)
      simulator.logouts.should.equal(logouts + 1)
    }
  })

  it('who changed or tested what is told to the audit log, without a secret', async () => {
    const route = simulator.routes.find(({ state }) => state === 'idle')!
    const place = { id: 'gateway', deviceId: device(), routeId: route.id }
    const nobody = { baseUrl: 'http://127.0.0.1:1', username: 'x', password: 'a-typed-password' }
    const definition = { name: 'A', source: { srtPassPhrase: 'a-typed-passphrase' } }
    await ask('control', { ...place, action: 'stop', note: 'a-typed-password' }, 'driver')
    await ask('control', { ...place, routeId: guarded().id, action: 'stop' }, 'driver')
    await ask('failover', { id: 'gateway', failoverId: 'none', action: 'backup' }, 'driver')
    await ask('connection', { connection: nobody }, 'driver')
    await ask('plan', { connection: { id: 'gateway' }, definition }, 'driver')
    await ask('lookup', { connection: { id: 'gateway' } }, 'driver')
    const { host } = new URL(simulator.url)
    const records = (): Properties[] =>
      [...nodeRed.output.matchAll(/\[audit\] (\{.*\})/g)]
        .map(([, json]) => JSON.parse(json!) as Properties)
        .filter(({ event }) => String(event).startsWith('media-gateway.'))
        .filter(({ user }) => (user as Properties)['username'] === 'driver')
        .slice(-5)
    await until(() => records().at(-1)?.['event'] === 'media-gateway.plan')
    const [stopped, refused, failover, tested, planned] = records()
    const about = { event: 'media-gateway.control', gateway: 'gateway', host, deviceId: device() }
    stopped!.should.containDeep({ ...about, routeId: route.id, action: 'stop', outcome: 'ok' })
    refused!.should.containDeep({ ...about, routeId: guarded().id, outcome: 'READ_ONLY' })
    failover!.should.containDeep({
      event: 'media-gateway.failover',
      failoverId: 'none',
      action: 'backup',
      outcome: 'NOT_FOUND',
    })
    tested!.should.containDeep({
      event: 'media-gateway.connection',
      host: '127.0.0.1:1',
      outcome: 'UNAVAILABLE',
    })
    planned!.should.containDeep({
      event: 'media-gateway.plan',
      gateway: 'gateway',
      outcome: 'INVALID_INPUT',
    })
    nodeRed.output.should.not.match(/a-typed-pass/)
  })

  describe('act on nothing but JSON that is sent to them:', () => {
    const route = (): string => simulator.routes.find(({ state }) => state === 'idle')!.id
    const start = (): Record<string, string> => ({
      id: 'gateway',
      deviceId: device(),
      routeId: route(),
      action: 'start',
    })
    /** What a web page elsewhere can have a browser send without asking first. */
    const forms: Record<string, () => [type: string | undefined, body: string]> = {
      'a form': () => [
        'application/x-www-form-urlencoded',
        new URLSearchParams(start()).toString(),
      ],
      'text that looks like JSON': () => ['text/plain', JSON.stringify(start())],
      'a multipart form': () => [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="id"\r\n\r\ngateway\r\n--x--\r\n`,
      ],
      'JSON that says it is text': () => [
        'text/plain; x=application/json',
        JSON.stringify(start()),
      ],
      'no type': () => ['', JSON.stringify(start())],
    }
    for (const path of PATHS) {
      for (const [what, form] of Object.entries(forms)) {
        it(`${path}, ${what}`, async () => {
          const [type, body] = form()
          const before = commands()
          const answer = await post(path, type!, body)
          answer.status.should.equal(415)
          commands().should.equal(before)
        })
      }

      it(`${path}, GET`, async () => {
        const query = new URLSearchParams(start()).toString()
        ;(await ask(`${path}?${query}`)).status.should.equal(404)
      })
    }

    it('a body beyond all measure', async () => {
      const body = JSON.stringify({ ...start(), more: 'x'.repeat(6_000_000) })
      ;(await post('control', 'application/json', body)).status.should.equal(413)
    })

    it('JSON that reaches for prototypes', async () => {
      const calls = commands()
      const texts = [
        `{"__proto__": ${JSON.stringify(start())}}`,
        `{"constructor": {"prototype": {"polluted": true}}, "__proto__": {"polluted": true}}`,
        `{"connection": {"__proto__": {"id": "gateway", "polluted": true}}, "id": "__proto__"}`,
        `{"connection": {"id": "constructor"}, "id": "constructor", "deviceId": "__proto__"}`,
      ]
      for (const path of PATHS) {
        for (const text of texts) {
          const { status, body } = await post(path, 'application/json', text)
          ;[200, 400, 404].should.containEql(status)
          if (PATIENT.includes(path)) body.should.eql({ notDeployed: true })
          else should(body['code']).be.a.String()
        }
      }
      commands().should.equal(calls)
      JSON.stringify((await ask('gateways')).body).should.not.match(/polluted/)
    })

    it('IDs that would lead to another place of the interface', async () => {
      const calls = simulator.journal.length
      for (const id of ['..', '.', 'x'.repeat(100_000)]) {
        const definition = { name: 'A' }
        const body = { ...start(), deviceId: id, definition, connection: { id: 'gateway' } }
        for (const path of ['lookup', 'definition', 'plan', 'control']) {
          const { status, body: answer } = await ask(path, body)
          answer.should.containDeep({ code: 'INVALID_INPUT' })
          status.should.equal(400)
        }
      }
      simulator.journal
        .slice(calls)
        .filter(({ path }) => path.includes('/..') || path.length > 1000)
        .should.be.empty()
    })

    const commands = (): number =>
      simulator.journal.filter(({ path }) => path.endsWith('/commands')).length

    async function post(path: string, type: string, body: string): Promise<Reply> {
      const answer = await fetch(`${nodeRed.url}media-gateway/${path}`, {
        method: 'POST',
        headers: {
          ...(type && { 'content-type': type }),
          authorization: `Bearer ${tokens['writer']}`,
        },
        // A text would get a type.
        body: Buffer.from(body),
      })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json')
      return { status: answer.status, body: isJson ? (JSON.parse(text) as Properties) : {} }
    }
  })

  // The last one: it deploys another flow.
  describe('gateways', () => {
    it('shows no password that somebody has put into an address', async () => {
      const baseUrl = 'http://somebody:in-the-address@127.0.0.1:1/x'
      const odd = { id: 'odd', type: 'media-gateway', name: '', baseUrl }
      const alone = { id: 'alone', type: 'tab', label: 'alone' }
      await nodeRed.deploy([alone, odd], tokens['writer'])
      let listed: Properties[]
      do listed = (await ask('gateways')).body as unknown as Properties[]
      while ((listed[0]?.['error'] as Properties | undefined)?.['code'] !== 'CONFIG')
      listed[0]!['address']!.should.equal('http://127.0.0.1:1/x')
      JSON.stringify(listed).should.not.match(/in-the-address/)
    })
  })
})

/** A Node-RED in which everything throws that a route may call. */
describe('a throw in a route', () => {
  const thrown = (): never => {
    throw new RangeError('Maximum call stack size exceeded: the-inside-of-node-red')
  }
  let server: Server

  before((done) => {
    const app = express()
    app.use(express.json())
    const permission = (_request: unknown, _response: unknown, next: () => void) =>
      void Promise.resolve().then(next)
    const RED = {
      httpAdmin: app,
      auth: { needsPermission: () => permission },
      nodes: { getNode: thrown, eachNode: thrown, getCredentials: thrown },
      util: { evaluateNodeProperty: thrown, getSetting: thrown },
      log: { audit: thrown },
    }
    registerAdminRoutes(RED as unknown as NodeAPI)
    server = app.listen(0, '127.0.0.1', done)
  })
  after((done) => {
    server.close(done)
    server.closeAllConnections()
  })

  for (const path of [...PATHS, 'gateways']) {
    it(`is a 400 with a sentence: ${path}`, async () => {
      const { port } = server.address() as AddressInfo
      const body = { id: 'a', connection: { id: 'a', baseUrl: '${ANY}' }, action: 'start' }
      const more = path === 'gateways' ? {} : { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`http://127.0.0.1:${port}/media-gateway/${path}`, {
        headers: { 'content-type': 'application/json' },
        ...more,
      })
      answer.status.should.equal(400)
      const text = await answer.text()
      text.should.not.containEql('the-inside')
      should((JSON.parse(text) as Properties)['message']).match(/\w+ \w+/)
    })
  }
})

describe('those who look at the sidebar', () => {
  it('are users of the gateway until they have not asked for a while', async () => {
    const simulator = await startSimulator()
    const gateway = openConnection({
      baseUrl: simulator.url,
      username: 'haiadmin',
      password: 'manager',
      pollInterval: 1000,
    })
    const users = new Set<object>()
    const node = {
      client: () => gateway,
      failovers: new Set(),
      register: (user: object) => users.add(user),
      deregister: (user: object) => users.delete(user),
    } as unknown as GatewayNode
    try {
      const observers = createObservers(300)
      const { version } = observers.state(node, {})
      const running = (): string[] => Object.keys(observers.state(node, { version }).figures ?? {})
      await until(() => running().length > 0)
      running().should.eql(
        simulator.routes.filter(({ state }) => state === 'running').map(({ id }) => id),
      )
      users.size.should.equal(1)
      while (users.size > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      // Who comes later begins a watch of their own.
      should(observers.state(node, { version }).version).not.equal(version)
      users.size.should.equal(1)
      // Who may only read must not be able to make polls without end.
      for (let number = 1; number < 20; number++)
        observers.state(node, { deviceId: `dev-${number}` })
      should(() => observers.state(node, { deviceId: 'dev-20' })).throw({ code: 'INVALID_INPUT' })
      users.size.should.equal(20)
      // Nor must they be able to lock anybody else out.
      const shown = observers.state(node, { deviceId: 'dev-20', user: 'somebody else' })
      shown.health.unreachable.should.be.false()
      users.size.should.equal(21)
      observers.state(node, { deviceId: 'dev-19' }).health.unreachable.should.be.false()
    } finally {
      await gateway.close()
      users.size.should.equal(0)
      simulator.openSessions.should.equal(0)
      await simulator.stop()
    }
  })
})
