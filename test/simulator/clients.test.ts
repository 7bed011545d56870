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
    const part = { id: '', protocol: 'srt', srtMode: 'caller', address: '192.0.2.7' }
    await create({
      name: 'Caller',
      startRoute: true,
      source: { ...part, name: 'In', port: 5001, srtNetworkBondingParams: '' },
      destinations: [{ ...part, name: 'Out', port: 6001, srtNetworkBondingParams: '' }],
    })
    await simulator.settle()
    // It lists again and finds the new route by its name.
    const [{ id }] = simulator.routes as [Simulator['routes'][number]]
    const { route } = (await call(
      'GET',
      `/api/gateway/${device}/statistics?routeID=${id}`,
    )) as StatisticsOfRoute
    const [{ bitrate, connections }] = route.destinations as [Json & { connections: Json[] }]
    should(connections[0]!['bitrate']).equal(bitrate)
    connections[0]!.should.have.properties('label', 'signalLosses', 'srtVersion', 'SRTPeerVersion')
    // Its model has text here.
    route.source.connections[0]!.srtFec!.should.be.a.String()
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
  route: { source: Json & { connections: Json[] }; destinations: Json[] }
}
