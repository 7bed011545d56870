// What fails on the way to a source or destination, and what then shows of it everywhere.
import type { LineCondition, RouteSpec, Simulator } from '../../simulator'
import { loggedIn, simulate, type Json } from './support'

const MAIN = '192.0.2.7'
const BACKUP = '192.0.2.8'

const source = (name: string, address: string) => ({
  name,
  protocol: 'srt',
  srtMode: 'caller',
  address,
  port: 5000,
})

const STUDIO: RouteSpec = {
  name: 'Studio A',
  startRoute: true,
  source: source('In', MAIN),
  destinations: [
    { name: 'Air', protocol: 'udp', address: '239.1.1.1', port: 6000 },
    { name: 'Partners', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 6002 },
    { name: 'Cloud', protocol: 'srt', srtMode: 'caller', address: '198.51.100.4', port: 6004 },
    { name: 'Reserve', protocol: 'udp', address: '239.1.1.2', port: 6000, action: 'stop' },
  ],
}

describe('failures of the simulator', () => {
  let simulator: Simulator
  let now = 1_000_000
  let send: Awaited<ReturnType<typeof loggedIn>>['send']

  const begin = async (routes: RouteSpec[]): Promise<void> => {
    simulator = await simulate({ routes, now: () => now })
    ;({ send } = await loggedIn(simulator))
  }
  const answer = (method: string, path: string, body?: object) => send(method, path, { body })
  async function call(method: string, path: string, body?: object): Promise<Json> {
    const { status, json } = await answer(method, path, body)
    should(status).equal(200, JSON.stringify(json))
    return json
  }

  const device = () => simulator.devices[0]!._id
  /** Lets time pass, until everything has connected that can. */
  const pass = (ms = 1000) => {
    for (let past = 0; past < ms; past += 10) {
      now += 10
      void simulator.devices
    }
  }
  const read = async (name = 'Studio A'): Promise<Json> =>
    call('GET', `/api/gateway/${device()}/routes/${simulator.route(name)!.id}`)
  const statistics = async (name = 'Studio A'): Promise<Json> =>
    (await call('GET', `/api/gateway/${device()}/statistics?routeID=${simulator.route(name)!.id}`))
      .route
  const states = ({ source: of, destinations }: Json) => [
    of.state,
    ...destinations.map(({ state }: Json) => state),
  ]
  const UP = ['connected', 'connected', 'connected', 'connected', 'disconnected']
  const DOWN = ['disconnected', 'disconnected', 'disconnected', 'disconnected', 'disconnected']

  it('a source that fails takes everything behind it down, and all of it comes back', async () => {
    await begin([STUDIO])
    states(await read()).should.eql(UP)
    simulator.fail('Studio A', { source: 'disconnected' })

    const failed = await read()
    states(failed).should.eql(DOWN)
    failed.should.containEql({
      state: 'running',
      summaryStatusCode: 'warn',
      summaryStatusDetails: 'Source In disconnected',
    })
    for (const part of [failed.source, ...failed.destinations]) {
      part.usedBandwidth.should.equal('0.000')
    }
    failed.destinations.map(({ started }: Json) => started).should.eql([true, true, true, false])
    failed.destinations[0].summaryStatusDetails.should.equal('disconnected from stream 239.1.1.1')
    failed.destinations[1].clientConnections.should.equal(0)
    const before = await statistics()
    before.source.should.containEql({ bitrate: 0, signalLosses: 1, srtRoundTripTime: 0 })
    before.source.connections.should.eql([])
    before.destinations[1].clientsStat.should.eql([])
    before.destinations[2].connections.should.eql([])
    pass()
    const still = await statistics()
    states(await read()).should.eql(DOWN)
    // Nothing comes: nothing is counted.
    should(still.source.numPackets).equal(before.source.numPackets)
    await simulator.settle()

    simulator.fail('Studio A', { source: 'ok' })
    states(await read()).should.eql(DOWN)
    pass()
    const back = await read()
    states(back).should.eql(UP)
    back.should.containEql({ summaryStatusCode: 'ok', summaryStatusDetails: 'running' })
    pass()
    const after = await statistics()
    after.source.numPackets.should.be.above(still.source.numPackets)
    after.source.signalLosses.should.equal(1)
  })

  it('a source may also be left trying to connect', async () => {
    await begin([STUDIO])
    simulator.fail('Studio A', { source: 'connecting' })
    pass()
    const failed = await read()
    states(failed).should.eql(['connecting', ...DOWN.slice(1)])
    failed.summaryStatusDetails.should.equal('Source In connecting')
  })

  it('a source without data stays connected, and carries 0.000', async () => {
    await begin([STUDIO])
    simulator.fail('Studio A', { source: 'no-data' })
    const silent = await read()
    states(silent).should.eql(UP)
    silent.should.containEql({
      summaryStatusCode: 'warn',
      summaryStatusDetails: 'Source In no data',
    })
    silent.source.should.containEql({ summaryStatusCode: 'warn', usedBandwidth: '0.000' })
    const counted = await statistics()
    counted.source.should.containEql({ bitrate: 0, usedBandwidth: 0, signalLosses: 1 })
    counted.source.connections.should.have.length(1)
    counted.destinations[0].should.containEql({ bitrate: 0, signalLosses: 1 })
    counted.destinations[1].clientsStat[0].bitrate.should.equal(0)
    simulator.fail('Studio A', { source: 'ok' })
    ;(await read()).summaryStatusCode.should.equal('ok')
    ;(await statistics()).source.bitrate.should.be.above(0)
  })

  it('a bit rate that is down, loss, and a long way: in all figures, and in the destinations', async () => {
    await begin([STUDIO])
    pass()
    const good = await statistics()
    simulator.fail('Studio A', { source: { bitrate: 0.5, loss: 7, rtt: 400 } })
    pass(10_000)
    const bad = await statistics()
    bad.source.bitrate.should.be.within(0.4, 0.5)
    for (const { bitrate } of bad.destinations.slice(0, 3)) bitrate.should.be.within(0.1, 2)
    for (const figures of [bad.source, bad.source.connections[0]]) {
      figures.srtPacketLossRate.should.be.within(6, 8)
      figures.srtRoundTripTime.should.be.within(350, 450)
    }
    const lost = bad.source.srtNumLostPackages - good.source.srtNumLostPackages
    const sent = bad.source.numPackets - good.source.numPackets
    should(Math.round((100 * lost) / sent)).equal(7)
    ;(await read()).should.containEql({ summaryStatusCode: 'ok' })
    Number((await read()).source.usedBandwidth).should.be.within(0.5, 0.6)

    simulator.fail('Studio A', { source: 'ok', destinations: { Cloud: { loss: 20 } } })
    pass(10_000)
    const after = await statistics()
    // No counter ever goes back.
    after.source.srtNumLostPackages.should.be.above(bad.source.srtNumLostPackages)
    after.source.srtPacketLossRate.should.be.below(1)
    after.destinations[2].connections[0].srtPacketLossRate.should.be.within(18, 22)
    after.destinations[1].srtPacketLossRate.should.be.below(1)
  })

  it('a destination fails on its own, by its name or ID', async () => {
    await begin([STUDIO])
    const { id } = simulator.route('Studio A')!.destinations[2]!
    for (const which of ['Cloud', id]) {
      simulator.fail('Studio A', { destinations: { [which]: 'disconnected' } })
      const failed = await read()
      states(failed).should.eql([...UP.slice(0, 3), 'disconnected', 'disconnected'])
      failed.should.containEql({
        summaryStatusCode: 'warn',
        summaryStatusDetails: 'Destination Cloud disconnected',
      })
      failed.destinations[2].should.containEql({ started: true, usedBandwidth: '0.000' })
      simulator.fail('Studio A', { destinations: { [which]: 'ok' } })
      pass()
      states(await read()).should.eql(UP)
    }
  })

  it('a failed source stays so over a stop and a start, until it is restored', async () => {
    await begin([STUDIO])
    simulator.fail('Studio A', { source: 'disconnected' })
    simulator.stopRoute('Studio A')
    ;(await read()).source.should.containEql({
      usedBandwidth: '0.0',
      summaryStatusCode: 'unknown',
      summaryStatusDetails: 'stopped',
    })
    simulator.startRoute('Studio A')
    pass()
    states(await read()).should.eql(DOWN)
    simulator.restore()
    pass()
    states(await read()).should.eql(UP)
  })

  const moveTo = async (address: string): Promise<void> => {
    const { id, name, source: of, destinations } = await read()
    await call('POST', `/api/devices/${device()}/updates`, {
      action: 'update',
      deviceID: device(),
      elementType: 'route',
      elementID: id,
      fields: { name, source: { ...source('In', address), id: of.id }, destinations },
    })
    pass()
  }

  it('failover: another address has a good source, and going back finds the failed one', async () => {
    const monitor = { name: 'Monitor', startRoute: true, source: source('Probe', MAIN) }
    await begin([STUDIO, monitor])
    simulator.fail('Studio A', { source: 'disconnected' })
    // Whoever else looks at that far end sees the same.
    ;(await read('Monitor')).source.state.should.equal('disconnected')
    await moveTo(BACKUP)
    states(await read()).should.eql(UP)
    await moveTo(MAIN)
    states(await read()).should.eql(DOWN)
    await moveTo(BACKUP)
    // By its name the route gets its source back, wherever that failed.
    simulator.fail('Studio A', { source: 'ok' })
    pass()
    ;(await read('Monitor')).source.state.should.equal('connected')
    await moveTo(MAIN)
    states(await read()).should.eql(UP)
  })

  it('an address fails on every route, or one port of it', async () => {
    await begin([STUDIO])
    simulator.failAddress(BACKUP, 'disconnected')
    simulator.failAddress(`${MAIN}:5001`, 'disconnected')
    states(await read()).should.eql(UP)
    await moveTo(BACKUP)
    states(await read()).should.eql(DOWN)
    // The address was not failed by the name of the route.
    simulator.fail('Studio A', { source: 'ok' })
    pass()
    states(await read()).should.eql(DOWN)
    simulator.failAddress(BACKUP, 'ok')
    pass()
    states(await read()).should.eql(UP)
    simulator.failAddress('198.51.100.4:6004', 'disconnected')
    states(await read())[3].should.equal('disconnected')
  })

  it('what has no address of a far end fails for itself', async () => {
    const listener = (name: string): RouteSpec => ({
      name,
      startRoute: true,
      source: { name: 'In', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 5000 },
    })
    const publisher: RouteSpec = {
      name: 'Publisher',
      startRoute: true,
      source: { name: 'In', protocol: 'rtmp', rtmpMode: 'PUBLISHER', streamName: 'a' },
      destinations: [{ name: 'Web', protocol: 'hls' }],
    }
    await begin([listener('One'), listener('Two'), publisher])
    simulator.fail('One', { source: 'disconnected' })
    simulator.fail('Publisher', { destinations: { Web: 'disconnected' } })
    const seen = await Promise.all(['One', 'Two', 'Publisher'].map((name) => read(name)))
    seen.map(states).should.eql([['disconnected'], ['connected'], ['connected', 'disconnected']])
  })

  it('of two paths one may fail: the connection is gone, and the source goes on', async () => {
    const paths = [MAIN, BACKUP].map((address) => ({ address, port: 5000 }))
    const { address: _address, port: _port, ...rest } = source('In', MAIN)
    const bonded = { ...rest, srtGroupMode: 'broadcast', srtNetworkBondingParams: paths }
    await begin([{ ...STUDIO, source: bonded }])
    simulator.failAddress(MAIN, 'disconnected')
    states(await read()).should.eql(UP)
    const peers = async () =>
      (await statistics()).source.connections.map(({ address }: Json) => address)
    ;(await peers()).should.eql([BACKUP])
    simulator.failAddress(BACKUP, { loss: 30 })
    ;(await statistics()).source.srtPacketLossRate.should.be.above(20)
    simulator.failAddress(BACKUP, 'disconnected')
    states(await read()).should.eql(DOWN)
    simulator.restore()
    pass()
    ;(await peers()).should.eql([MAIN, BACKUP])
  })

  it('a route that is created or started meets the failure too', async () => {
    await begin([])
    simulator.failAddress(MAIN, 'disconnected')
    simulator.addRoute(STUDIO)
    states(await read()).should.eql(DOWN)
    simulator.restore()
    simulator.removeRoute('Studio A')
    simulator.failAddress(MAIN, 'disconnected')
    simulator.addRoute({ ...STUDIO, startRoute: false })
    simulator.startRoute('Studio A')
    pass()
    states(await read()).should.eql(DOWN)
  })

  it('a device is offline, or away with all its connections', async () => {
    await begin([STUDIO])
    simulator.failDevice('offline')
    const since = now
    now += 5000
    const [offline] = await call('GET', '/api/devices')
    offline.should.containEql({ statusCode: 'error', status: 'Offline', lastConnectedAt: since })
    simulator.failDevice('ok')
    const [online] = await call('GET', '/api/devices')
    online.should.containEql({ statusCode: 'ok', status: 'Online', lastConnectedAt: now })

    simulator.clearJournal()
    simulator.failDevice('away')
    await answer('GET', '/api/devices').should.be.rejected()
    simulator.journal.should.eql([])
    await answer('GET', '/simulator').should.be.fulfilled()
    simulator.restore()
    await call('GET', '/api/devices')
  })

  it('all of it goes by the calls of the simulator, outside the journal', async () => {
    await begin([STUDIO])
    simulator.clearJournal()
    const failed = await call('POST', '/simulator/routes/Studio%20A', {
      source: 'no-data',
      destinations: { Cloud: { loss: 5, rtt: 400 } },
    })
    failed.should.eql({
      device: 'ok',
      lines: [
        { place: '198.51.100.4:6004', loss: 5, rtt: 400 },
        { place: `${MAIN}:5000`, data: false },
      ],
    })
    await call('POST', `/simulator/addresses/${BACKUP}:5000`, { line: 'disconnected' })
    await call('POST', '/simulator/device', { state: 'away' })
    const { failures } = await call('GET', '/simulator')
    failures.device.should.equal('away')
    failures.lines.should.have.length(3)
    should(await call('DELETE', '/simulator/failures')).eql({ device: 'ok', lines: [] })
    simulator.journal.should.eql([])

    const refused: Array<[string, object, RegExp]> = [
      ['routes/None', { source: 'ok' }, /no route None/],
      ['routes/Studio%20A', {}, /source or destinations/],
      ['routes/Studio%20A', { sauce: 'ok' }, /source or destinations/],
      ['routes/Studio%20A', { source: 'broken' }, /disconnected, connecting, no-data/],
      ['routes/Studio%20A', { source: { loss: 101 } }, /loss \(0 to 100\)/],
      ['routes/Studio%20A', { source: {} }, /bitrate/],
      ['routes/Studio%20A', { destinations: { None: 'ok' } }, /no destination None/],
      ['routes/Studio%20A', { destinations: [] }, /destinations/],
      ['addresses/192.0.2.1', { source: 'ok' }, /line/],
      ['device', { state: 'broken' }, /ok, offline, away/],
    ]
    for (const [path, body, reason] of refused) {
      const { status, json } = await answer('POST', `/simulator/${path}`, body)
      should(status).equal(400, path)
      json.error.message.should.match(reason)
    }
    for (const [body, status, reason] of [
      ['{"state": "offline"}', 200, /"device":"offline"/],
      ['{"state": "ok"}', 200, /"device":"ok"/],
      ['{state: ok}', 400, /The body is not JSON/],
    ] as const) {
      // As by curl -d.
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const response = await fetch(`${simulator.url}/simulator/device`, {
        method: 'POST',
        headers,
        body,
      })
      should(response.status).equal(status)
      should(await response.text()).match(reason)
    }
    // Nothing of a refused call is done.
    await answer('POST', '/simulator/routes/Studio%20A', {
      source: 'disconnected',
      destinations: { None: 'ok' },
    })
    states(await read()).should.eql(UP)
  })

  it('says what a condition is', async () => {
    await begin([STUDIO])
    const wrong: unknown[] = [
      '',
      'stopped',
      null,
      5,
      [],
      { loss: '5' },
      { state: 'x' },
      { rtt: -1 },
    ]
    for (const each of wrong) {
      should(() => simulator.failAddress(MAIN, each as LineCondition)).throw(/^A line is ok,/)
    }
  })
})
