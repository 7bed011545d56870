import { startSimulator, type Simulator } from '../../simulator'
import { failure, helper, load, result, send, unload } from '../support/flow'

describe('how a node is told what to act on', () => {
  let simulator: Simulator
  let deviceId: string
  let route: { id: string; name: string }

  before(async () => {
    simulator = await startSimulator({ routes: 60 })
    deviceId = simulator.devices[0]!._id
    route = simulator.routes[40]!
  })
  after(() => simulator.stop())
  beforeEach(() => simulator.clearJournal())
  afterEach(() => unload())

  const routes: Array<[string, object, object]> = [
    ['msg.routeId', {}, { routeId: 'ID' }],
    ['msg.routeId that is a Route', {}, { routeId: { id: 'ID', name: 'other' } }],
    ['msg.routeId that is an object with a name', {}, { routeId: { name: 'NAME' } }],
    ['msg.routeName', {}, { routeName: 'NAME' }],
    ['an ID', { route: 'ID', routeType: 'id' }, {}],
    ['a name', { route: 'NAME', routeType: 'name' }, {}],
    [
      'another property',
      { route: 'payload.chosen', routeType: 'msg' },
      { payload: { chosen: 'ID' } },
    ],
    ['flow context', { route: 'chosen', routeType: 'flow' }, {}],
    ['global context', { route: 'chosen', routeType: 'global' }, {}],
    ['a store of the global context', { route: '#:(default)::chosen', routeType: 'global' }, {}],
    ['the environment', { route: 'TEST_ROUTE', routeType: 'env' }, {}],
    [
      'JSONata',
      { route: 'payload[name = "x"].ref', routeType: 'jsonata' },
      { payload: [{ name: 'x', ref: 'ID' }] },
    ],
  ]
  const filled = (value: object): Record<string, unknown> =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('"ID"', `"${route.id}"`)
        .replaceAll('"NAME"', `"${route.name}"`),
    ) as Record<string, unknown>

  for (const [what, properties, message] of routes) {
    it(`a route by ${what}`, async () => {
      process.env.TEST_ROUTE = route.id
      await load(simulator.url, { 'get-route': filled(properties) })
      const node = helper.getNode('get-route')
      node.context().flow.set('chosen', route.id)
      node.context().global.set('chosen', { id: route.id })
      const found = await result('get-route', filled(message))
      found.payload!.should.have.properties({ id: route.id, name: route.name })
      found.should.match({ routeId: route.id, deviceId })
      delete process.env.TEST_ROUTE
    })
  }

  const bad: Array<[string, object, object, RegExp]> = [
    [
      'nothing',
      {},
      {},
      /msg\.routeId is empty; it must be a route ID, or msg\.routeName the name of a route\./,
    ],
    ['a number', {}, { routeId: 5 }, /msg\.routeId/],
    ['an empty object', {}, { routeId: {} }, /msg\.routeId/],
    ['a path', {}, { routeId: '..' }, /msg\.routeId/],
    ['an empty other property', { route: 'payload.x', routeType: 'msg' }, {}, /msg\.payload\.x/],
    [
      'what is not there in a store',
      { route: '#:(default)::a.b', routeType: 'global' },
      {},
      /global\.a\.b is empty/,
    ],
    [
      'JSONata of another value',
      { route: '$number(x)', routeType: 'jsonata' },
      { x: {} },
      /jsonata/,
    ],
  ]
  for (const [what, properties, message, expected] of bad) {
    it(`refuses ${what} for a route before any call`, async () => {
      await load(simulator.url, { 'get-route': properties })
      const error = await failure('get-route', message as Record<string, unknown>)
      error.code.should.equal('INVALID_INPUT')
      error.message.should.match(expected)
      error.cause.problems!.should.have.length(1)
      simulator.journal.should.have.length(0)
    })
  }

  it('shows nothing of the message in what is wrong with JSONata', async () => {
    const properties = { route: 'payload.limit < payload.secret', routeType: 'jsonata' }
    await load(simulator.url, { 'get-route': properties })
    const secret = 'a passphrase that nobody sees'
    for (const payload of [
      { limit: 5, secret },
      { limit: secret, secret: 5 },
      { limit: [secret], secret },
    ]) {
      const { message } = await failure('get-route', { payload })
      message.should.match(/jsonata/i).and.not.containEql(secret)
    }
  })

  const faulty: Array<[what: string, properties: object, expected: RegExp]> = [
    ['an unresolved variable', { route: '${NO_SUCH}', routeType: 'id' }, /NO_SUCH is not set/],
    ['an unset variable', { route: 'NO_SUCH', routeType: 'env' }, /NO_SUCH is not set/],
    [
      'a variable that holds an unset one',
      { route: 'TEST_NESTED', routeType: 'env' },
      /NO_SUCH is not set/,
    ],
    ['no chosen ID', { route: '', routeType: 'id' }, /route/],
    ['faulty JSONata', { route: '((', routeType: 'jsonata' }, /jsonata/],
  ]
  for (const [what, properties, expected] of faulty) {
    it(`refuses ${what} in a property with CONFIG before any call`, async () => {
      process.env.TEST_NESTED = '${NO_SUCH}'
      await load(simulator.url, { 'get-route': properties })
      const error = await failure('get-route')
      delete process.env.TEST_NESTED
      error.code.should.equal('CONFIG')
      error.message.should.match(expected)
      simulator.journal.should.have.length(0)
    })
  }

  it('an unknown name is NOT_FOUND, one that fits several is CONFLICT with their IDs', async () => {
    await load(simulator.url)
    ;(await failure('get-route', { routeName: 'nobody' })).code.should.equal('NOT_FOUND')
    const twin = simulator.addRoute({
      name: route.name,
      source: { name: 'twin', protocol: 'udp', address: '239.9.9.9', port: 5000 },
    })
    const error = await failure('get-route', { routeName: route.name })
    error.code.should.equal('CONFLICT')
    for (const { id } of [route, twin]) error.message.should.match(new RegExp(id))
    simulator.removeRoute(twin.id)
  })

  it('a device by ID, by message, by a Device object', async () => {
    await load(simulator.url, {
      'get-device': {},
      'by-id': { type: 'media-gateway-get-device', device: deviceId, deviceType: 'id' },
      'by-flow': { type: 'media-gateway-get-device', device: 'd', deviceType: 'flow' },
    })
    helper.getNode('by-flow').context().flow.set('d', { _id: deviceId })
    for (const [node, message] of [
      ['get-device', { deviceId }],
      ['get-device', { deviceId: { _id: deviceId } }],
      ['by-id', { deviceId: 'not this one' }],
      ['by-flow', {}],
    ] as const) {
      const { payload } = await result(node, message)
      payload!.should.have.property('_id', deviceId)
    }
    simulator.journal.filter(({ path }) => path === '/api/devices').should.have.length(0)
  })

  it('the only device is looked up once, also for many messages at once', async () => {
    await load(simulator.url)
    await Promise.all(Array.from({ length: 50 }, () => send('get-device')))
    await result('list-routes')
    simulator.journal.filter(({ path }) => path === '/api/devices').should.have.length(1)
  })
})

describe('what comes out', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await startSimulator({ routes: 12, devices: 1 })
  })
  after(() => simulator.stop())
  afterEach(() => unload())

  it('split: one message for each route, with parts and routeId, all else kept', async () => {
    await load(simulator.url, { 'list-routes': { output: 'split' } })
    const { messages, done } = await send('list-routes', { kept: { deep: 1 } })
    done.should.equal(1)
    messages.should.have.length(12)
    messages.forEach((message, index) => {
      const { id, parts, kept } = { id: (message.payload as { id: string }).id, ...message } as {
        id: string
        parts: object
        kept: object
      }
      id.should.equal(simulator.routes[index]!.id)
      message.should.match({ routeId: id, deviceId: simulator.devices[0]!._id })
      parts.should.match({ type: 'array', count: 12, index })
      kept.should.deepEqual({ deep: 1 })
    })
    new Set(messages.map(({ parts }) => (parts as { id: string }).id)).size.should.equal(1)
  })

  it('split within a sequence: its parts are kept in those of each message, as split keeps them', async () => {
    await load(simulator.url, { 'list-routes': { output: 'split' } })
    const outer = { id: 'outer', type: 'array', count: 2, len: 1, index: 1 }
    const { messages } = await send('list-routes', { parts: outer })
    messages.should.have.length(12)
    for (const { parts } of messages) {
      parts!.should.match({ type: 'array', count: 12, parts: outer })
      parts!.should.not.have.property('id', 'outer')
    }
  })

  it('split of nothing sends nothing and is done', async () => {
    await load(simulator.url, { 'list-routes': { output: 'split', filter: 'no such name' } })
    const { messages, done, caught } = await send('list-routes')
    ;(caught === undefined).should.be.true()
    messages.should.have.length(0)
    done.should.equal(1)
  })

  it('split of the devices', async () => {
    await load(simulator.url, { 'list-devices': { output: 'split' } })
    const { deviceId, parts } = await result('list-devices')
    deviceId!.should.equal(simulator.devices[0]!._id)
    parts!.should.match({ count: 1, index: 0 })
  })

  it('routes: the list alone, filtered by name and state', async () => {
    const filter = simulator.routes[3]!.name.slice(1, 5).toUpperCase()
    await load(simulator.url, {
      'list-routes': { output: 'routes', filter },
      running: { type: 'media-gateway-list-routes', output: 'routes', state: 'running' },
      idle: { type: 'media-gateway-list-routes', output: 'routes', state: 'idle' },
    })
    const names = ((await result('list-routes')).payload as Array<{ name: string }>).map(
      (r) => r.name,
    )
    names.should.deepEqual(
      simulator.routes
        .map(({ name }) => name)
        .filter((name) => name.toUpperCase().includes(filter)),
    )
    names.length.should.be.within(1, 11)
    const running = (await result('running')).payload as unknown[]
    const idle = (await result('idle')).payload as unknown[]
    running.length.should.equal(simulator.routes.filter(({ state }) => state === 'running').length)
    ;(running.length + idle.length).should.equal(12)
    simulator.setOptions({ dialect: { stoppedState: 'stopped' } })
    ;((await result('idle')).payload as unknown[]).should.have.length(idle.length)
    simulator.setOptions({ dialect: { stoppedState: 'idle' } })
  })

  it('routes: a state that is unset or unknown is CONFIG, and nothing is sent', async () => {
    const list = { type: 'media-gateway-list-routes', output: 'definitions' }
    await load(simulator.url, {
      unset: { ...list, state: '${STATE_X}' },
      unknown: { ...list, state: 'runing' },
      number: { ...list, state: 5 },
      running: { ...list, state: ' Running' },
      stopped: { ...list, state: 'stopped' },
    })
    simulator.clearJournal()
    for (const node of ['unset', 'unknown', 'number']) {
      const { cause, message } = await failure(node)
      cause.code.should.equal('CONFIG')
      message.should.match(node === 'unset' ? /STATE_X/ : /state/)
    }
    simulator.journal.should.have.length(0)
    const [running, stopped] = await Promise.all(
      ['running', 'stopped'].map(
        async (node) => ((await result(node)).payload as unknown[]).length,
      ),
    )
    running!.should.equal(simulator.routes.filter(({ state }) => state === 'running').length)
    ;(running! + stopped!).should.equal(12)
  })

  it('hideSecrets hides pass phrases and pairing passcodes, otherwise they are as answered', async () => {
    const secret = simulator.routes.find(({ source }) => source.protocol === 'rtsp')!
    await load(simulator.url, {
      'hidden-device': { type: 'media-gateway-get-device', hideSecrets: true },
      'hidden-route': { type: 'media-gateway-get-route', hideSecrets: true },
      'shown-by-text': { type: 'media-gateway-get-route', hideSecrets: 'false' },
      unset: { type: 'media-gateway-get-route', hideSecrets: '${HIDE_X}' },
    })
    const message = { routeId: secret.id }
    for (const node of ['get-route', 'shown-by-text']) {
      const shown = JSON.stringify((await result(node, message)).payload)
      shown.should.not.match(/••••••/)
    }
    ;(await failure('unset', message)).code.should.equal('CONFIG')
    const hidden = (await result('hidden-route', message)).payload as {
      source: { password: string }
    }
    hidden.source.password.should.equal('••••••')
    const device = (await result('hidden-device')).payload as {
      config: { peers: Array<{ passcode: string }> }
    }
    device.config.peers[0]!.passcode.should.equal('••••••')
  })
})
