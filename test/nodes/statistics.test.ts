import { startSimulator, type RouteState, type Simulator } from '../../simulator'
import { failure, load, result, unload } from '../support/flow'

const statistics = (scope: string): object => ({ type: 'media-gateway-statistics', scope })

describe('statistics', () => {
  let simulator: Simulator
  let deviceId: string
  let running: RouteState

  before(async () => {
    simulator = await startSimulator({ routes: 24 })
    deviceId = simulator.devices[0]!._id
    running = simulator.routes.find(
      ({ state, destinations }) =>
        state === 'running' && destinations.some(({ srtMode }) => srtMode === 'listener'),
    )!
    await load(simulator.url, {
      route: statistics('route'),
      source: statistics('source'),
      destination: statistics('destination'),
      client: statistics('client'),
      all: statistics('all'),
      odd: statistics('weather'),
    })
    await result('list-devices')
  })
  after(async () => {
    await unload()
    await simulator.stop()
  })
  beforeEach(() => simulator.clearJournal())
  afterEach(() => {
    simulator.clearFaults()
    simulator.setOptions({ dialect: { numbersAsStrings: false, clientList: 'clientsStat' } })
  })

  const last = (): Simulator['journal'][number] => simulator.journal.at(-1)!
  const base = (): string => `/api/gateway/${deviceId}/statistics`

  it('of a route: GET /api/gateway/<device>/statistics?routeID', async () => {
    const { payload, routeId } = await result('route', { routeId: running.id })
    last().should.match({ method: 'GET', path: base(), query: { routeID: running.id } })
    payload!.should.match({ route: { id: running.id, name: running.name } })
    routeId!.should.equal(running.id)
  })

  it('of its source: with the ID of the source', async () => {
    const { payload } = await result('source', { routeId: running.id })
    const { id } = running.source
    last().query.should.deepEqual({ routeID: running.id, sourceID: id })
    payload!.should.match({ source: { id } })
  })

  it('of a destination, by ID or by name', async () => {
    const { id, name } = running.destinations[0]!
    for (const message of [{ destinationId: id }, { destinationName: name }]) {
      const { payload } = await result('destination', { routeId: running.id, ...message })
      last().query.should.deepEqual({ routeID: running.id, destinationID: id })
      payload!.should.match({ destination: { id } })
    }
  })

  it('of a client: GET .../statistics/client', async () => {
    const listener = running.destinations.find(({ srtMode }) => srtMode === 'listener')!
    const { payload } = await result('destination', {
      routeId: running.id,
      destinationId: listener.id,
    })
    const { clientStat } = (
      payload as { destination: { clientStat: Array<Record<string, unknown>> } }
    ).destination
    const { address, port } = clientStat[0]!
    const message = { routeId: running.id, destinationId: listener.id, clientAddress: address }
    const one = await result('client', { ...message, clientPort: port })
    last().path.should.equal(`${base()}/client`)
    last().query.should.deepEqual({
      routeID: running.id,
      destinationID: listener.id,
      clientAddress: address,
      clientPort: String(port),
    })
    one.payload!.should.have.properties('clientStat', 'clientsStat')
  })

  it('numbers are numbers, and the list of clients has both names, whatever the firmware does', async () => {
    const shapes = []
    for (const clientList of ['clientStat', 'clientsStat'] as const) {
      for (const numbersAsStrings of [false, true]) {
        simulator.setOptions({ dialect: { clientList, numbersAsStrings } })
        const { payload } = await result('route', { routeId: running.id })
        const { route } = payload as { route: Record<string, Record<string, unknown>> }
        route.source!.bitrate!.should.be.a.Number()
        const listeners = (route.destinations as unknown as Array<Record<string, unknown>>).filter(
          (destination) => destination.clientStat,
        )
        listeners.length.should.be.above(0)
        for (const { clientStat, clientsStat } of listeners)
          clientStat!.should.deepEqual(clientsStat)
        shapes.push(typesOf(route))
      }
    }
    for (const shape of shapes) shape.should.deepEqual(shapes[0])
  })

  it('all: every running route, in parallel, each once', async () => {
    const ids = simulator.routes.filter(({ state }) => state === 'running').map(({ id }) => id)
    const { payload } = await result('all')
    const answers = payload as Array<{ route: { id: string } }>
    answers.map(({ route }) => route.id).should.deepEqual(ids)
    simulator.journal.filter(({ path }) => path === base()).should.have.length(ids.length)
  })

  it('all: what cannot be read is told in its row; when nothing can, the message fails', async () => {
    simulator.fault({ kind: 'status', match: { path: base() }, times: 1 })
    const answers = (await result('all')).payload as Array<{ error?: { code: string } }>
    answers.filter(({ error }) => error?.code === 'UNAVAILABLE').should.have.length(1)
    answers.length.should.be.above(5)
    simulator.fault({ kind: 'status', match: { path: base() } })
    ;(await failure('all')).code.should.equal('UNAVAILABLE')
  })

  it('shows no secret that the gateway writes into it, nor in a list of devices', async () => {
    const source = { bitrate: 1, passcode: 'secret-one', url: 'rtsp://user:secret-two@192.0.2.1/x' }
    const [device] = simulator.devices
    const paired = Object.assign({}, device, { pairings: [source] })
    const answers = { [base()]: { source }, '/api/devices': [paired] }
    for (const [path, body] of Object.entries(answers)) {
      simulator.fault({ kind: 'status', status: 200, body, match: { path } })
    }
    for (const [node, message] of [
      ['route', { routeId: running.id }],
      ['all'],
      ['list-devices'],
    ] as const) {
      const { payload } = await result(node, message)
      JSON.stringify(payload)
        .should.not.match(/secret/)
        .and.match(/••••••.*rtsp:\/\/••••••@192/)
    }
  })

  it('bad input is refused before any call', async () => {
    const cases: Array<[string, object, RegExp]> = [
      ['route', {}, /msg\.routeId/],
      [
        'route',
        { routeId: 42 },
        /msg\.routeId is 42; it must be a route ID \(text\), or an object with id or name/,
      ],
      ['route', { routeName: ['Studio'] }, /msg\.routeName is a list; it must be text/],
      ['route', { routeId: 'x', deviceId: {} }, /msg\.deviceId is an object; .* with _id or id/],
      ['destination', { routeId: 'x' }, /msg\.destinationId/],
      ['client', { routeId: 'x', destinationId: 'y' }, /msg\.clientAddress is missing; it must be/],
      [
        'client',
        { routeId: 'x', destinationId: 'y', clientAddress: 5 },
        /msg\.clientAddress is 5; it must be/,
      ],
      [
        'client',
        { routeId: 'x', destinationId: 'y', clientAddress: 'z', clientPort: 0 },
        /clientPort is 0; it must be a port from 1 to 65535/,
      ],
      ['odd', { routeId: 'x' }, /scope/],
    ]
    for (const [node, message, expected] of cases) {
      const error = await failure(node, message as Record<string, unknown>)
      error.code.should.equal(node === 'odd' ? 'CONFIG' : 'INVALID_INPUT')
      error.message.should.match(expected)
    }
    simulator.journal.should.have.length(0)
  })
})

/** The names and types of all members, sorted. */
function typesOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((entry) => typesOf(entry, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`]
  return Object.entries(value)
    .flatMap(([name, member]) => typesOf(member, `${path}.${name}`))
    .sort()
}
