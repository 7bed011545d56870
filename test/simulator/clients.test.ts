// What other clients of the interface send, as far as that is public: the bodies follow what was
// observed of them, and none of their code is here. The simulator takes what a real one takes.
import type { Simulator, SimulatorOptions } from '../../simulator'
import { loggedIn, simulate } from './support'

type Json = Record<string, unknown>

describe('other clients against the simulator', () => {
  let simulator: Simulator
  let client: Awaited<ReturnType<typeof loggedIn>>
  let device: string

  const begin = async (options: SimulatorOptions = {}): Promise<void> => {
    simulator = await simulate({ applyDelay: 5, settleDelay: 5, ...options })
    client = await loggedIn(simulator)
    ;({ device } = client)
  }
  /** The answer of a call that succeeds. */
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const { status, json } = await client.send(method, path, { body })
    should(status).equal(200, JSON.stringify(json))
    return json
  }

  const create = async (fields: Json): Promise<void> =>
    void (await client.update('create', { fields })).status.should.equal(200)

  it('DotNet_Tev: empty ids and empty text for no paths, and the statistics of such a route', async () => {
    await begin({ routes: [] })
    for (const [name, srtMode, address] of [
      ['Listener', 'listener', '0.0.0.0'],
      ['Caller', 'caller', '192.0.2.7'],
    ] as const) {
      await create({
        name,
        startRoute: true,
        source: {
          id: '',
          name: `${name} in`,
          protocol: 'srt',
          srtMode,
          address,
          port: 5001,
          networkInterface: '',
          srtPassPhrase: '',
          srtLatency: 250,
          srtGroupMode: 'none',
          srtNetworkBondingParams: '',
        },
        destinations: [
          {
            id: '',
            name: `${name} out`,
            protocol: 'srt',
            srtMode,
            address,
            port: 6001,
            srtEncryption: 'none',
            srtNetworkBondingParams: '',
          },
        ],
      })
    }
    await simulator.settle()
    // It lists again and finds the new route by its name.
    const list = (await call('GET', `/api/gateway/${device}/routes?page=1&pageSize=500`)) as {
      data: Array<{ name: string; id: string; source: Json }>
    }
    list.data.map(({ name }) => name).should.eql(['Listener', 'Caller'])
    for (const { id, source } of list.data) {
      source.should.not.have.property('srtNetworkBondingParams')
      const { route } = (await call(
        'GET',
        `/api/gateway/${device}/statistics?routeID=${id}`,
      )) as StatisticsOfRoute
      route.source.connections.should.have.length(1)
      // Its model has text here.
      route.source.connections[0]!.srtFec!.should.be.a.String()
      await call(
        'GET',
        `/api/gateway/${device}/statistics?routeID=${id}&sourceID=${String(source.id)}`,
      )
    }
  })

  it('Go SDK, version 2: a create without startRoute and srtMode is an idle route', async () => {
    await begin({ routes: [] })
    await create({
      name: 'Minimal',
      source: { name: 'In', protocol: 'srt', address: '0.0.0.0', port: 5001 },
      destinations: [],
    })
    await simulator.settle()
    const read = simulator.readForm('Minimal') as { state: string; source: Json }
    read.state.should.equal('idle')
    // What a part without a mode becomes is not public: here a listener.
    read.source.should.have.properties({ mode: 'listener', srtPassPhrase: '' })
  })

  it('Go SDK, version 1: start and stop are not updates', async () => {
    await begin()
    const { id } = simulator.routes[0]!
    const stop = { command: 'stop-route', Parameters: { routeID: id } }
    const { status } = await client.post('updates', stop)
    status.should.equal(400)
    simulator.route(id)!.state.should.equal('running')
  })

  it('AVISPL adapter: asks for its session, then for all routes, and counts on a port of HLS by dialect', async () => {
    await begin({ routes: 14, dialect: { hlsPort: true } })
    const session = (await call('GET', '/api/session')) as Json
    session.should.not.have.property('error')
    const devices = (await call('GET', '/api/devices')) as Array<{ _id: string }>
    const { data } = (await call(
      'GET',
      `/api/gateway/${devices[0]!._id}/routes?page=1&pageSize=500`,
    )) as { data: Array<{ destinations: Json[] }> }
    const destinations = data.flatMap((route) => route.destinations)
    destinations.filter(({ mode }) => mode === 'hls').length.should.be.above(0)
    for (const each of destinations) if ('address' in each) each.should.have.property('port')
    ;((await call('DELETE', '/api/session')) as Json).type!.should.equal('Session')
  })

  it('streampilot: sums bit rates of connections and of clients, and finds them by ID', async () => {
    await begin({ routes: 14 })
    const callers = simulator.routes.filter(({ state }) => state === 'running')
    let sums = 0
    for (const { id } of callers) {
      const { route } = (await call(
        'GET',
        `/api/gateway/${device}/statistics?routeID=${id}`,
      )) as StatisticsOfRoute
      for (const { bitrate, connections, clientsStat } of route.destinations) {
        const parts = connections ?? clientsStat
        if (!parts || parts.length === 0) continue
        const sum = parts.reduce((total, part) => total + Number(part.bitrate), 0)
        // Each is rounded by itself.
        should(sum).be.aboveOrEqual(Number(bitrate) - 0.001 * parts.length)
        if (connections) {
          connections[0]!.should.have.properties(
            'label',
            'usedBandwidth',
            'signalLosses',
            'srtVersion',
            'SRTPeerVersion',
          )
        }
        sums += Number(sum > 0)
      }
    }
    sums.should.be.above(2)
  })

  it('an exporter: two slashes in a path are one, as on the box', async () => {
    await begin()
    const { id } = simulator.routes[0]!
    const statistics = (await call(
      'GET',
      `/api/gateway/${device}//statistics?routeID=${id}`,
    )) as StatisticsOfRoute
    const { bitrate, usedBandwidth, srtBufferLevel, srtLatency } = statistics.route.source
    Number(usedBandwidth).should.be.above(Number(bitrate))
    should(srtBufferLevel).equal(srtLatency)
    const path = simulator.journal.at(-1)!.path
    path.should.containEql('//')
  })

  it('takes the spelling of its own tables, and disregards what answers only show', async () => {
    await begin({ routes: 14 })
    const route = simulator.routes.find(({ source }) => source.srtMode === 'caller')!
    const read = simulator.readForm(route.id) as {
      name: string
      source: Json
      destinations: Json[]
    }
    const before = JSON.stringify({ ...read.source, usedBandwidth: '' })
    // With `mode`, without `srtMode`.
    const fields = { ...read, source: { ...read.source, srtFecLayout: 'saircase' } }
    const { status, json } = await client.update('update', { elementID: route.id, fields })
    status.should.equal(200, JSON.stringify(json))
    await simulator.settle()
    const after = simulator.readForm(route.id) as { source: Json }
    JSON.stringify({ ...after.source, usedBandwidth: '' }).should.equal(before)
  })
})

interface StatisticsOfRoute {
  route: {
    source: Json & { connections: Json[] }
    destinations: Array<{ bitrate: number; connections?: Json[]; clientsStat?: Json[] }>
  }
}
