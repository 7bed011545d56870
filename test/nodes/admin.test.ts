import type { Properties } from '../support/node-red'
import { ScriptedAppliance } from '../support/scripted-appliance'
import { until } from '../support/until'
import {
  ask,
  device,
  guarded,
  nodeRed,
  PASSWORD,
  PATHS,
  PATIENT,
  type Reply,
  saved,
  simulator,
  stageAdmin,
  tokens,
} from './admin-stage'

/** What the editor asks of the runtime, in a Node-RED with users. */
describe('the admin routes', () => {
  const thief = new ScriptedAppliance(() => ({ text: '{}' }))
  const stolen = thief.calls

  stageAdmin()
  before(() => thief.start())
  after(() => thief.stop())

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

  it('a form that is not deployed has the variables that count everywhere', async () => {
    const variables = { baseUrl: '${GATEWAY_OF_ALL}', username: 'haiadmin', password: PASSWORD }
    const connection = { ...variables, fingerprint: simulator.fingerprint }
    const { body } = await ask('connection', { connection })
    body.should.match({ ok: true, reused: false })
    const inventoryType = 'env'
    const read = await ask('inventory', {
      connection: { inventoryType, inventory: 'SITES_OF_ALL' },
    })
    read.body.should.match({ names: ['Oslo'] })
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

    it('says what is wrong, as where nobody listens', async () => {
      const connection = { ...saved(), baseUrl: 'https://127.0.0.1:1', password: 'x' }
      const { status, body } = await ask('connection', { connection })
      status.should.equal(200)
      body.should.containDeep({ ok: false, code: 'UNAVAILABLE' })
      String(body['message']).should.match(/127\.0\.0\.1|refused/)
    })

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
      'health',
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

  it('a failure says in values what its sentences name, and no secret', async () => {
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
      message: 'This gateway is not running. Deploy it, or start the flows.',
      sentences: [{ key: 'notDeployed', values: {} }],
      notDeployed: true,
    })
  })

  it('definition gives a route in sent form, its secrets hidden', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    route.source.srtPassPhrase = 'not-to-be-shown-at-all'
    const { body } = await ask('definition', { connection: { id: 'gateway' }, routeId: route.id })
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
      const shown = { id: 'gateway', deviceId: device(), routeId: guarded().id, action: 'start' }
      ;(await ask('control', shown)).body.should.eql({ ok: true })
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
          const before = changes()
          const answer = await post(path, type!, body)
          answer.status.should.equal(415)
          changes().should.equal(before)
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

    it('a body of more levels or values than any form has', async () => {
      const calls = changes()
      for (const [more, problem] of [
        ['['.repeat(60) + ']'.repeat(60), /nested too deep/],
        [`[${'0,'.repeat(260_000)}0]`, /values/],
      ] as const) {
        const text = JSON.stringify({ ...start(), more: '?' }).replace('"?"', more)
        for (const path of PATHS) {
          const { status, body } = await post(path, 'application/json', text)
          status.should.equal(400)
          body.should.containEql({ code: 'INVALID_INPUT' })
          JSON.stringify(body).should.match(problem)
        }
      }
      changes().should.equal(calls)
    })

    it('JSON that reaches for prototypes', async () => {
      const calls = changes()
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
      changes().should.equal(calls)
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

    const changes = (): number =>
      simulator.journal.filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
        .length

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
