// Who calls an SRT listener output, and what shows of it: in routes, statistics and rates.
import type { CallersCondition, RouteSpec, SimulatorOptions } from '../../simulator'
import { call, loggedIn, routeOf, simulate, STUDIO, type Json } from './support'

const NEWS: RouteSpec = {
  name: 'News',
  startRoute: true,
  source: { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [
    { name: 'Air', protocol: 'udp', address: '239.1.1.2', port: 6000 },
    { name: 'Partners', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 7000 },
  ],
}
const QUIET: RouteSpec = { ...NEWS, callers: 0 }
const WAITING = { state: 'disconnected', summaryStatusCode: 'warn', clientConnections: 0 }

describe('callers of the simulator', () => {
  async function begin(routes: RouteSpec[], options: SimulatorOptions = {}) {
    const clock = { now: 1_000_000 }
    const simulator = await simulate({ routes, now: () => clock.now, ...options })
    const { get, update, post, routes: path, device } = await loggedIn(simulator)
    /** In steps in which everything connects that can. */
    const pass = (ms = 1000) => {
      for (let past = 0; past < ms; past += 10) {
        clock.now += 10
        void simulator.devices
      }
    }
    const read = async (name = 'News'): Promise<Json> =>
      (await get(`${path}/${routeOf(simulator, name).id}`)).json
    const statistics = async (name = 'News'): Promise<Json> => {
      const { id } = routeOf(simulator, name)
      return (await get(`/api/gateway/${device}/statistics?routeID=${id}`)).json.route
    }
    const clients = async () => (await statistics()).destinations[1].clientsStat
    return { simulator, clock, pass, read, statistics, clients, update, post, get, path }
  }

  it('a route that a client creates has none, and waits in warn until somebody calls', async () => {
    const { simulator, pass, read, update } = await begin([])
    // What only a sample may say is nothing in a request.
    await update('create', { fields: { ...NEWS, callers: 2, danglingIds: ['gone'] } })
    pass()
    const waiting = await read()
    waiting.should.containEql({
      state: 'running',
      summaryStatusCode: 'warn',
      summaryStatusDetails: 'Destination Partners disconnected',
    })
    waiting.source.should.containEql({ state: 'connected', summaryStatusCode: 'ok' })
    waiting.destinations.should.have.length(2)
    waiting.destinations[1].should.containEql({ ...WAITING, started: true, usedBandwidth: '0.000' })

    simulator.setCallers('News', { Partners: 1 })
    pass()
    const called = await read()
    called.should.containEql({ summaryStatusCode: 'ok', summaryStatusDetails: 'running' })
    called.destinations[1].should.containEql({ state: 'connected', clientConnections: 1 })
    called.destinations[1].summaryStatusCode.should.equal('ok')

    simulator.setCallers('News', { Partners: 0 })
    const left = await read()
    left.summaryStatusCode.should.equal('warn')
    left.destinations[1].should.containEql(WAITING)
    // The signal has not been lost: nobody wants it.
    routeOf(simulator, 'News').destinations[1]!.signalLosses.should.equal(0)
  })

  it('an output that an update adds has none; the callers of one that stays stay', async () => {
    const { simulator, pass, read, update } = await begin([{ ...NEWS, callers: 2 }])
    const { id, source, destinations } = await read()
    const added = { ...NEWS.destinations![1], name: 'More', port: 7001 }
    const fields = {
      name: 'News',
      source,
      destinations: [{ ...destinations[1], srtMode: 'listener' }, added],
    }
    await update('update', { elementID: id, fields })
    pass()
    const changed = await read()
    changed.destinations[0].should.containEql({ state: 'connected', clientConnections: 2 })
    changed.destinations[1].should.containEql(WAITING)
    changed.summaryStatusCode.should.equal('warn')
    simulator.callers.map(({ output }) => output).should.eql(['Partners', 'Partners'])
  })

  it('samples have callers unless they say otherwise', async () => {
    const { read } = await begin([NEWS, { ...QUIET, name: 'Quiet' }])
    ;(await read()).should.containEql({ summaryStatusCode: 'ok' })
    ;(await read()).destinations[1].clientConnections.should.be.within(1, 3)
    ;(await read('Quiet')).should.containEql({ summaryStatusCode: 'warn' })
    ;(await read('Quiet')).destinations[1].should.containEql(WAITING)
  })

  it('each is in the statistics, under its name, with its own figures since it joined', async () => {
    const { simulator, clock, pass, statistics, clients } = await begin([QUIET])
    const one = { label: 'North', address: '203.0.113.7', port: 40_001 }
    const other = { label: 'South', address: '203.0.113.8', port: 40_002 }
    simulator.setCallers('News', { Partners: [one] })
    pass(10_000)
    simulator.setCallers('News', { Partners: [one, other] })
    pass(5000)
    const both = await clients()
    both.should.match([one, other])
    const [early, late] = both.map(({ connections }: Json) => connections[0].srtNumPackets)
    late.should.be.above(0)
    ;(early / late).should.be.within(2.5, 3.5)
    const { source, destinations } = await statistics()
    should(both[0].bitrate).equal(source.bitrate)
    should(both[0].connections[0].srtCurrentBandwidth).equal(both[0].usedBandwidth)
    // Rounding may swallow one.
    destinations[1].numPackets.should.be.within(early + late, early + late + 2)
    simulator.callers.should.match([
      { route: 'News', output: 'Partners', ...one },
      { ...other, joinedAt: clock.now - 5000 },
    ])

    simulator.setCallers('News', { Partners: [other] })
    const [left] = await clients()
    left.should.containEql({ label: 'South' })
    should(left.connections[0].srtNumPackets).equal(late)
  })

  it('an output sends what the source receives, to each caller; nothing without either', async () => {
    const { simulator, pass, read, statistics } = await begin([{ ...NEWS, callers: 3 }])
    const used = async (): Promise<number[]> => {
      const { source, destinations } = await read()
      return [source, ...destinations].map(({ usedBandwidth }: Json) => Number(usedBandwidth))
    }
    for (let moment = 0; moment < 5; moment++) {
      pass(330)
      const [received, air, partners] = await used()
      received!.should.be.above(1)
      air!.should.equal(received!)
      partners!.should.be.approximately(3 * received!, 0.002)
    }
    const { source, destinations } = await statistics()
    should(destinations[0].numPackets).equal(source.numPackets)
    destinations[1].numPackets.should.be.approximately(3 * source.numPackets, 3)

    simulator.fail('News', { source: { bitrate: 1 } })
    const [low, lowAir, lowPartners] = await used()
    low!.should.be.within(0.9, 1.03)
    lowAir!.should.equal(low!)
    lowPartners!.should.be.approximately(3 * low!, 0.002)
    simulator.fail('News', { source: 'ok', destinations: { Air: { bitrate: 0.5 } } })
    ;(await used())[1]!.should.be.within(0.5, 0.52)
    simulator.setCallers('News', { Partners: 0 })
    ;(await used())[2]!.should.equal(0)
    simulator.setCallers('News', { Partners: 1 })
    pass()
    simulator.fail('News', { source: 'no-data' })
    ;(await used()).should.eql([0, 0, 0])
  })

  it('they go on calling a stopped route, or one without source, and connect again', async () => {
    const { simulator, clock, pass, read, clients } = await begin([{ ...NEWS, callers: 1 }])
    const away: Array<[() => void, () => void]> = [
      [() => simulator.stopRoute('News'), () => simulator.startRoute('News')],
      [
        () => simulator.fail('News', { source: 'disconnected' }),
        () => simulator.fail('News', { source: 'ok' }),
      ],
    ]
    for (const [down, up] of away) {
      pass()
      const before = (await clients())[0].connections[0].srtNumPackets
      down()
      ;(await read()).destinations[1].clientConnections.should.equal(0)
      ;(await clients()).should.eql([])
      should(simulator.callers[0]!.joinedAt).be.null()
      clock.now += 60_000
      up()
      const begun = clock.now
      pass(100)
      ;(await read()).destinations[1].clientConnections.should.equal(1)
      // A new connection.
      simulator.callers[0]!.joinedAt!.should.be.above(begun)
      ;(await clients())[0].connections[0].srtNumPackets.should.be.below(before)
    }
  })

  it('whoever stays is not interrupted when another joins or leaves', async () => {
    const { simulator, clock, pass, read } = await begin([{ ...NEWS, callers: 2 }])
    const [first] = simulator.callers
    for (const count of [3, 1, 5]) {
      clock.now += 1000
      simulator.setCallers('News', { Partners: count })
      ;(await read()).destinations[1].should.containEql({
        state: 'connected',
        clientConnections: count,
      })
      simulator.callers.should.have.length(count)
      simulator.callers[0]!.should.eql(first)
    }
    const places = simulator.callers.map(({ address, port }) => `${address}:${port}`)
    new Set(places).size.should.equal(5)
    pass()
  })

  it('who reconnects comes from another port, as a new connection', async () => {
    const { simulator, pass, clients } = await begin([{ ...NEWS, callers: 2 }])
    pass(5000)
    const before = await clients()
    simulator.setCallers('News', { Partners: 'reconnect' })
    const after = await clients()
    after.should.have.length(2)
    for (const [place, one] of after.entries()) {
      one.address.should.equal(before[place].address)
      one.port.should.not.equal(before[place].port)
      one.connections[0].srtNumPackets.should.equal(0)
    }
  })

  it('one may lose packets on its own line, without being interrupted', async () => {
    const { simulator, pass, clients } = await begin([{ ...NEWS, callers: 2 }])
    pass(5000)
    const [bad, good] = simulator.callers.map(({ address, port, label }) => {
      return { address, port, label }
    })
    simulator.setCallers('News', { Partners: [{ ...bad, loss: 8, rtt: 400 }, good!] })
    const counts = async () =>
      (await clients()).map(({ connections: [one] }: Json) => ({
        lost: one.srtNumLostPackets as number,
        rate: one.srtPacketLossRate as number,
        rtt: one.srtRoundTripTime as number,
      }))
    const [atFirst] = await counts()
    atFirst.lost.should.be.above(0)
    pass(5000)
    const [one, other] = await counts()
    one.lost.should.be.above(20 * other.lost)
    one.rate.should.be.within(7, 9)
    one.rtt.should.be.within(350, 450)
    other.rate.should.be.below(0.1)
    simulator.setCallers('News', { Partners: [bad!, good!] })
    ;(await counts())[0].rate.should.be.below(0.1)
  })

  it('a source in listener mode has one caller, the usual one or one that is set, or none', async () => {
    const source = { name: 'In', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 1 }
    const { simulator, pass, read, statistics } = await begin([{ ...NEWS, source }])
    const from = async () =>
      (await statistics()).source.connections.map(({ address, port }: Json) => [address, port])
    ;(await from()).should.eql([['198.51.100.10', 1]])
    simulator.setCallers('News', { In: [{ address: '203.0.113.9', port: 40_001 }] })
    ;(await from()).should.eql([['203.0.113.9', 40_001]])
    simulator.setCallers('News', { In: 'reconnect' })
    ;(await from())[0][1].should.not.equal(40_001)
    simulator.setCallers('News', { In: 0 })
    pass()
    ;(await from()).should.eql([])
    ;(await read()).source.should.containEql({ state: 'disconnected' })
    simulator.setCallers('News', { In: 1 })
    pass()
    ;(await from()).should.have.length(1)
    ;(await read()).source.should.containEql({ state: 'connected' }).and.not.have.property('caller')
  })

  it('an output that two routes share has its callers in both', async () => {
    const shared = { ...NEWS.destinations![1]!, id: 'shared' }
    const route = (name: string, callers: CallersCondition): RouteSpec => ({
      ...NEWS,
      name,
      destinations: [shared],
      callers,
    })
    const { simulator, pass, read } = await begin([route('News', 1), route('Reserve', 1)])
    const both = async () => [await read(), await read('Reserve')]
    for (const { summaryStatusCode, destinations } of await both()) {
      summaryStatusCode.should.equal('ok')
      destinations[0].should.containEql({ id: 'shared', clientConnections: 1 })
    }
    simulator.setCallers('Reserve', { Partners: 0 })
    for (const { destinations } of await both()) destinations[0].should.containEql(WAITING)
    simulator.setCallers('News', { shared: 2 })
    pass()
    for (const { destinations } of await both()) destinations[0].clientConnections.should.equal(2)
    // The route that is stopped no longer serves them.
    simulator.stopRoute('News')
    const [news, reserve] = await both()
    news.destinations[0].clientConnections.should.equal(0)
    reserve.destinations[0].clientConnections.should.equal(2)
  })

  it('the ID of an output that is gone stays until an update leaves it out', async () => {
    const { pass, read, update } = await begin([{ ...NEWS, danglingIds: ['gone'] }])
    const ids = async () => (await read()).destinations.map(({ id }: Json) => id)
    const { id, source, destinations, summaryStatusCode } = await read()
    summaryStatusCode.should.equal('ok')
    should(destinations[2]).eql({ id: 'gone' })
    const [air] = destinations
    const fields = { name: 'News', source, destinations: [air, { id: 'gone' }] }
    await update('update', { elementID: id, fields })
    pass()
    ;(await ids()).should.eql([air.id, 'gone'])
    await update('update', { elementID: id, fields: { ...fields, destinations: [air] } })
    pass()
    ;(await ids()).should.eql([air.id])
    const refused = await update('update', { elementID: id, fields })
    refused.status.should.equal(400)
    refused.json.error.message.should.match(/name is required|not a destination/)
  })

  it('come and go by the calls of the simulator, outside the journal', async () => {
    const { simulator, pass, read } = await begin([QUIET, STUDIO])
    simulator.clearJournal()
    const set = (name: string, body: unknown) =>
      call(simulator.url, 'POST', `/simulator/callers/${name}`, { body })
    const joined = await set('News', { Partners: [{ label: 'North', address: '203.0.113.7' }] })
    joined.status.should.equal(200)
    joined.json[0].should.containEql({ route: 'News', label: 'North', joinedAt: null })
    pass()
    const list = (await call(simulator.url, 'GET', '/simulator/callers')).json
    list.should.eql(JSON.parse(JSON.stringify(simulator.callers)))
    list[0].should.containEql({ label: 'North', address: '203.0.113.7' })
    list[0].joinedAt.should.be.a.Number()
    // A listener of a route that is stopped is called too.
    list.filter(({ route }: Json) => route === 'Studio A').length.should.be.above(0)
    simulator.journal.should.eql([])

    const refused: Array<[string, unknown, RegExp]> = [
      ['None', { Partners: 1 }, /no route None/],
      ['News', { None: 1 }, /no SRT listener None/],
      ['News', { Air: 1 }, /no SRT listener Air/],
      ['News', { Partners: -1 }, /from 0 to 1000/],
      ['News', { Partners: 1.5 }, /from 0 to 1000/],
      ['News', { Partners: 1001 }, /from 0 to 1000/],
      ['News', { Partners: 'many' }, /a list of/],
      ['News', { Partners: [{ name: 'North' }] }, /a list of/],
      ['News', { Partners: [{ address: 'north' }] }, /a list of/],
      ['News', { Partners: [{ port: 0 }] }, /a list of/],
      ['News', { Partners: [{ loss: 101 }] }, /a list of/],
      [
        'News',
        {
          Partners: [
            { port: 1, address: '::1' },
            { port: 1, address: '::1' },
          ],
        },
        /same/,
      ],
      ['News', [], /JSON object/],
    ]
    for (const [name, body, reason] of refused) {
      const { status, json } = await set(name, body)
      should(status).equal(400, JSON.stringify(body))
      json.error.message.should.match(reason)
    }
    ;(await read()).destinations[1].clientConnections.should.equal(1)
  })
})
