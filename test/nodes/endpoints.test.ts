import type { Route } from '../../client/model/types'
import { startSimulator, type Simulator } from '../../simulator'
import { load, result, unload } from '../support/flow'

/** What is sent to each endpoint that was asked for, and that its response comes through unchanged. */
describe('the endpoints of the interface', () => {
  let simulator: Simulator
  let device: string
  let route: Route

  before(async () => {
    simulator = await startSimulator({ routes: 4 })
    device = simulator.devices[0]!._id
    route = simulator.readForm(simulator.routes[0]!.id) as Route
  })
  after(() => simulator.stop())
  beforeEach(() => load(simulator.url))
  afterEach(async () => {
    await unload()
    await simulator.settle()
  })

  /** Calls beside the login, and the question for the roles that comes before the first write. */
  const calls = (about = ''): Simulator['journal'] =>
    simulator.journal.filter(
      ({ method, path }) => path !== '/api/session' || (about === path && method !== 'POST'),
    )

  const only = (about?: string): Simulator['journal'][number] => {
    calls(about).should.have.length(1)
    return calls(about)[0]!
  }

  beforeEach(() => simulator.clearJournal())

  it('1: POST /api/session with user and password, and the cookie from then on', async () => {
    await result('list-devices')
    const [login, call] = simulator.journal
    login!.should.match({ method: 'POST', path: '/api/session', status: 200 })
    login!.body!.should.deepEqual({ username: 'haiadmin', password: 'manager' })
    String(login!.headers['content-type']).should.equal('application/json')
    ;(login!.headers.cookie === undefined).should.be.true()
    String(call!.headers.cookie).should.match(/^sessionID=[^;]+$/)
  })

  it('2: GET /api/session', async () => {
    const { payload } = await result('session')
    // Once after the login, and once because the node asks.
    calls('/api/session').should.match([{ method: 'GET' }, { method: 'GET' }])
    payload!.should.have.properties({ displayName: 'Administrator', isLicensed: true })
    payload!.should.have.properties('sessionID', 'roles', 'startAt', 'expireAt')
  })

  it('3: DELETE /api/session', async () => {
    await result('session')
    simulator.clearJournal()
    await reload({ session: { action: 'end' } })
    await result('list-devices')
    simulator.clearJournal()
    const { payload } = await result('session')
    only('/api/session').should.match({ method: 'DELETE', path: '/api/session', status: 200 })
    payload!.should.have.properties({ type: 'Session' })
    simulator.openSessions.should.equal(0)
  })

  const reload = async (nodes: Record<string, object>): Promise<void> => {
    await unload()
    simulator.clearJournal()
    await load(simulator.url, nodes)
  }

  it('4: GET /api/devices', async () => {
    const { payload } = await result('list-devices')
    only().should.match({ method: 'GET', path: '/api/devices', query: {} })
    const [found] = payload as Array<Record<string, unknown>>
    found!.should.have.properties({ _id: device, type: 'gateway', statusCode: 'ok' })
  })

  it('5: GET /api/devices/<device>, with the pairings under config.peers', async () => {
    for (const pairings of ['peers', 'calypsos'] as const) {
      simulator.setOptions({ dialect: { pairings } })
      simulator.clearJournal()
      const { payload, deviceId } = await result('get-device', { deviceId: device })
      const call = simulator.journal.at(-1)!
      call.should.match({ method: 'GET', path: `/api/devices/${device}` })
      deviceId!.should.equal(device)
      const { config } = payload as { config: { peers: unknown[]; routes: unknown[] } }
      config.peers.length.should.be.above(0)
      config.peers[0]!.should.have.properties('id', 'gatewayName', 'passcode', 'status')
      config.should.not.have.property('calypsos')
      config.routes.should.have.length(4)
    }
    simulator.setOptions({ dialect: { pairings: 'peers' } })
  })

  it('6: GET /api/gateway/<device>/routes', async () => {
    const { payload } = await result('list-routes', { deviceId: device })
    only().should.match({ method: 'GET', path: `/api/gateway/${device}/routes` })
    payload!.should.have.properties('numPages', 'numActiveOutputConnections', 'pendingRouteCreates')
    payload!.should.have.property('numResults', 4)
    const { data } = payload as { data: Route[] }
    data.map(({ id }) => id).should.deepEqual(simulator.routes.map(({ id }) => id))
  })

  it('7: GET /api/gateway/<device>/routes/<route>', async () => {
    const message = await result('get-route', { deviceId: device, routeId: route.id, kept: 1 })
    only().should.match({ method: 'GET', path: `/api/gateway/${device}/routes/${route.id}` })
    message.payload!.should.have.properties({ id: route.id, name: route.name })
    message.should.match({ deviceId: device, routeId: route.id, kept: 1 })
    message.gateway!.should.match({
      operation: 'get-route',
      deviceId: device,
      routeId: route.id,
      statusCode: 200,
      requests: 1,
    })
    message.gateway!.durationMs!.should.be.a.Number()
  })

  it('8: POST /api/devices/<device>/updates, create', async () => {
    const source = { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5000, later: 'kept' }
    const destinations = [{ name: 'Out', protocol: 'udp', address: '192.0.2.9', port: 6000 }]
    const payload = { name: 'New', source, destinations }
    const message = await result('create-route', { deviceId: device, payload })
    const call = only()
    call.should.match({ method: 'POST', path: `/api/devices/${device}/updates` })
    String(call.headers['content-type']).should.equal('application/json')
    call.body!.should.deepEqual({
      action: 'create',
      deviceID: device,
      elementType: 'route',
      fields: { name: 'New', startRoute: false, source, destinations },
    })
    Object.keys(message.payload as object).should.deepEqual(['status'])
  })

  it('9: POST /api/devices/<device>/updates, update', async () => {
    const { id } = (simulator.readForm(simulator.routes[1]!.id) as Route).source
    const source = { id, name: 'In 9', protocol: 'udp', address: '239.1.1.2', port: 5009 }
    const payload = { name: 'Changed', source, destinations: [] }
    const routeId = simulator.routes[1]!.id
    const message = await result('update-route', { deviceId: device, routeId, payload })
    // It takes destinations away: the list says whether another route shares one.
    const [list, call] = calls() as [Simulator['journal'][number], Simulator['journal'][number]]
    calls().should.have.length(2)
    list.should.match({ method: 'GET', path: `/api/gateway/${device}/routes` })
    call.should.match({ method: 'POST', path: `/api/devices/${device}/updates` })
    call.body!.should.deepEqual({
      action: 'update',
      deviceID: device,
      elementType: 'route',
      elementID: routeId,
      fields: payload,
    })
    Object.keys(message.payload as object).should.deepEqual(['status'])
    message.routeId!.should.equal(routeId)
  })

  it('encodes IDs into paths', async () => {
    const odd = 'a/b c?d#e'
    await result('get-route', { deviceId: device, routeId: odd }).catch(() => undefined)
    calls()[0]!.url.should.equal(`/api/gateway/${device}/routes/${encodeURIComponent(odd)}`)
  })
})
