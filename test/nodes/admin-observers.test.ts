// What the sidebar is given besides the state: what happened, what the routes carry, the failovers.
import { Stop } from '../../client/stop'
import type { Connection } from '../../client/connection/connection'
import { commandFailover } from '../../nodes/gateway/admin/failovers'
import { createLately } from '../../nodes/gateway/admin/lately'
import { lookUp } from '../../nodes/gateway/admin/lookup'
import { createObservers } from '../../nodes/gateway/admin/observers'
import { createRates } from '../../client/model/rates'
import type { ApplianceState, Gap, ShownIncident } from '../../nodes/wire'
import { soleFleet } from '../../nodes/gateway/sole-fleet'
import type { GatewayNode, ListedFailover } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { liveInOwnTime } from '../support/own-time'
import { keepBusy, turnsDuring } from '../support/turns'
import { until } from '../support/until'
import { connectTo } from '../support/connect'

describe('what the sidebar is given', () => {
  let simulator: Simulator
  let connection: Connection
  let users = 0
  const failovers = new Set<ListedFailover>()
  const node = {
    client: () => connection,
    failovers,
    register: () => users++,
    deregister: () => users--,
  } as unknown as GatewayNode

  beforeEach(async () => {
    liveInOwnTime(10)
    failovers.clear()
    simulator = await startSimulator({ routes: 3, applyDelay: 0, settleDelay: 0 })
    connection = connectTo(simulator, { pollInterval: 1000 })
  })
  afterEach(async () => {
    await connection.close()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  async function first(ask: () => Promise<ApplianceState>): Promise<ApplianceState> {
    let state = await ask()
    await until(async () => (state = await ask()).snapshot !== undefined, 'the first poll')
    return state
  }

  const onAir = () => simulator.routes.find(({ state }) => state === 'running')!

  /** An observer without a hold, and the first it has to say. */
  async function watching(leaseMs = 60_000) {
    const observers = createObservers(leaseMs, Date.now, 0)
    const ask = (version?: unknown, language?: string) =>
      observers.state(node, { version, language })
    return { observers, ask, known: await first(() => ask()) }
  }

  it('says what is wrong, in the language of each editor, until the editor has it', async () => {
    const { ask, known } = await watching()
    should(known.lately).eql([])

    const route = onAir()
    route.name = '<b>Renamed</b>'
    simulator.fail(route.name, { source: 'disconnected' })
    await until(async () => ((await ask()).lately ?? []).length > 0, 'the incident')
    const english = await ask(known.version, 'en-US')
    should(english.lately).have.length(1)
    should(english.lately![0]).containEql({ severity: 'critical', until: null })
    should(english.lately![0])
      .have.property('text')
      .match(/<b>Renamed<\/b>: no source/)
    should((await ask(known.version, 'de-AT')).lately![0])
      .have.property('text')
      .match(/keine Quelle/)
    should((await ask(english.version)).lately).be.undefined()
    should((await ask('rubbish')).lately).have.length(1)

    simulator.fail(route.name, { source: 'ok' })
    const ended = async () => ((await ask()).lately![0] as ShownIncident).until
    await until(async () => (await ended()) !== null, 'the end')
    should((await ask()).lately).have.length(1)
    should(await ended()).be.above(((await ask()).lately![0] as ShownIncident).since)
  })

  it('keeps what is wrong for the next who look, with the time in which nobody did', async () => {
    // So long that it does not end by itself where the machine is busy.
    const { observers, ask } = await watching(1000)
    simulator.fail(onAir().name, { source: 'disconnected' })
    await until(async () => ((await ask()).lately ?? []).length > 0, 'the incident')
    const { version, lately } = await ask()
    const gone = async () =>
      (await observers.state(node, { lookOn: true, version })).health.known === undefined
    // The lease ends: whoever comes next has a new version.
    await until(gone)
    const left = Date.now()
    // Who only looks at how it is hears nothing of what happens.
    await observers.state(node, { lookOn: true, poll: true })
    await until(() => users === 0, 'the end of that')
    const [incident, gap] = (await ask()).lately!
    should(incident).eql(lately![0])
    should(gap).have.properties('from', 'at')
    should((gap as Gap).from).be.belowOrEqual(left)
    // The next watch goes on with it: it does not begin a second time.
    await first(() => ask())
    should((await ask()).lately).have.length(2)
    simulator.fail(onAir().name, { source: 'ok' })
    await until(async () => ((await ask()).lately![0] as ShownIncident).until !== null, 'the end')
    should((await ask()).lately).have.length(2)
  })

  it('says how each route and each of its parts is, with a new version when that changes', async () => {
    const { ask, known } = await watching()
    const { id, name } = onAir()
    const shown = (state: ApplianceState) => state.snapshot!.routes.find((one) => one.id === id)!
    should(shown(known).health).containEql({ sign: 'ok', text: 'OK' })
    simulator.fail(name, { source: 'no-data' })
    let state = known
    await until(async () => {
      state = await ask(known.version, 'de')
      return state.snapshot !== undefined && shown(state).health.sign === 'critical'
    }, 'the data to stop')
    should(shown(state).health).containEql({ text: 'keine Daten' })
    should(shown(state).source.health.sign).equal('critical')
    for (const { health } of shown(state).destinations) {
      should(health).containEql({ sign: 'unknown', text: 'keine Daten' })
    }
    // A dialog, which needs no watch, says the same.
    const picked = (await lookUp(connection, undefined, 'de')).routes!.find((one) => one.id === id)!
    should(picked.health).eql(shown(state).health)
    should(picked.destinations.map((one) => one.health)).eql(
      shown(state).destinations.map((one) => one.health),
    )
    should(state.health.known).containEql({ problems: 1 })
    should(state.health.known!.worst).containEql({ route: name, sign: 'critical' })

    simulator.stopRoute(name)
    await until(async () => shown(await ask()).health.sign === 'stopped', 'the stop')
    const { source, destinations } = shown(await ask())
    for (const { health } of [source, ...destinations]) should(health.sign).equal('stopped')
  })

  it('knows nothing of the routes while the device is offline', async () => {
    const { ask, known } = await watching()
    simulator.fail(onAir().name, { source: 'disconnected' })
    await until(async () => (await ask()).health.known!.problems === 1, 'the problem')
    simulator.failDevice('offline')
    await until(
      async () => (await ask()).health.known!.device !== undefined,
      'the device to be offline',
    )
    const { health, snapshot } = await ask(known.version)
    should(health.known!.device).containEql({ sign: 'unknown', text: 'device offline' })
    should(health.known).containEql({ problems: 0, worst: undefined })
    for (const { health: one, source } of snapshot!.routes) {
      should([one.sign, one.text, source.health.sign]).eql(['unknown', 'device offline', 'unknown'])
    }
    for (const one of (await lookUp(connection, undefined, 'en-US')).routes!) {
      should(one.health).containEql({ sign: 'unknown', text: 'device offline' })
    }
  })

  it('lets others run while it makes a state of thousands of routes', async () => {
    await connection.close()
    await simulator.stop()
    simulator = await startSimulator({ routes: 40 })
    connection = connectTo(simulator, { pollInterval: 1000 })
    // As long as it takes with many more of them.
    const takeTwoMs = (): boolean => {
      keepBusy(2)
      return false
    }
    const busy = Object.assign(Object.create(connection), { protects: takeTwoMs }) as Connection
    const slow = { ...node, client: () => busy } as unknown as GatewayNode
    const observers = createObservers(60_000)
    await first(() => observers.state(slow, {}))
    const { result, turns } = await turnsDuring(() => observers.state(slow, {}))
    should(result.snapshot!.routes).have.length(40)
    turns.should.be.above(4)
  })

  it('polls a gateway once for somebody who only looks at how it is', async () => {
    const observers = createObservers(60_000)
    const look = (poll: boolean) => observers.state(node, { lookOn: true, poll })
    should((await look(false)).health.known).be.undefined()
    should(simulator.journal).eql([])
    const answer = await look(true)
    should([answer.snapshot, answer.rates, answer.version]).eql([undefined, undefined, undefined])
    await until(async () => (await look(false)).health.known !== undefined, 'the poll')
    should((await look(false)).health.known).containEql({ routes: 3, problems: 0 })
    await until(async () => (await look(false)).health.known === undefined, 'the end of the lease')
    // What happened was not listed for it, so there is no gap in the list.
    simulator.fail(onAir().name, { source: 'disconnected' })
    const { lately } = await first(() => observers.state(node, {}))
    should(lately).eql([])
  })

  it('says what the running routes carry, once for each poll, and what they carried before', async () => {
    const observers = createObservers(60_000)
    await first(() => observers.state(node, {}))
    const { figures, figuresAt, rates, version } = await observers.state(node, {})
    const running = simulator.routes.filter(({ state }) => state === 'running')
    Object.keys(figures!).should.eql(running.map(({ id }) => id))
    should(figures![running[0]!.id]!.source.bitrate).be.above(0)
    should(rates!.of[running[0]!.id]).have.length(1)
    const again = await observers.state(node, { version, figuresAt })
    should(again.figures).be.undefined()
    should(again.rates).be.undefined()
    const calls = simulator.journal.length
    await observers.state(node, {})
    simulator.journal.length.should.equal(calls)
  })

  it('has the failovers, and a new version when one of them changes', async () => {
    const observers = createObservers(60_000)
    const { version } = await first(() => observers.state(node, {}))
    const said: unknown[] = []
    const failover = {
      id: 'failover',
      name: 'A',
      switches: {},
      routes: () => [{ deviceId: simulator.devices[0]!._id, routeId: simulator.routes[0]!.id }],
      obey: (message: unknown) => {
        said.push(message)
        return Promise.resolve()
      },
    } as ListedFailover
    failovers.add(failover)
    const begun = await observers.state(node, { version })
    should(begun.failovers).eql([{ id: 'failover', name: 'A', routes: failover.routes() }])
    const status = { state: 'normal', inUse: 'main', held: false } as ListedFailover['status']
    Object.assign(failover, { status })
    const { failovers: listed, version: now } = await observers.state(node, {
      version: begun.version,
    })
    should(listed![0]).containEql({ state: 'normal', inUse: 'main', held: false })
    const same = await observers.state(node, { version: now })
    should(same.failovers).be.undefined()
    should(same.version).equal(now)
    const calls = simulator.journal.length
    should((await observers.state(node, { lookOn: true })).failovers).eql(listed)
    should(simulator.journal.length).equal(calls)

    await commandFailover(
      node,
      { failoverId: 'failover', action: 'backup' },
      new Stop(),
      soleFleet(node),
    )
    said.should.eql([{ action: 'backup' }])
    const ask = (body: object) => commandFailover(node, body, new Stop(), soleFleet(node))
    await should(ask({ failoverId: 'x', action: 'main' })).rejectedWith({ code: 'NOT_FOUND' })
    await should(ask({ failoverId: 'failover', action: 'reset' })).rejectedWith({
      code: 'INVALID_INPUT',
    })
    said.should.have.length(1)
  })
})

describe('what the sidebar remembers', () => {
  const incident = (id: number, more: object = {}) =>
    ({
      event: 'incident.begun',
      incident: { id: `i${id}`, severity: 'critical', since: id, until: null, ...more },
      route: { id: '1', name: `R${id}` },
      device: {},
    }) as never

  it('the last fifty incidents that have ended, and all that have not', () => {
    const lately = createLately()
    lately.add([incident(1), incident(2), incident(3)], 'Studio')
    for (let id = 4; id <= 60; id++) lately.add([incident(id, { until: id + 1 })], 'Studio')
    const all = lately.list('en-US') as ShownIncident[]
    all
      .map(({ since }) => since)
      .should.eql([1, 2, 3, ...Array.from({ length: 50 }, (_, index) => index + 11)])
  })

  it('an incident once, as it is now', () => {
    const lately = createLately()
    lately.add([incident(1, { severity: 'warning' }), incident(2)], 'Studio')
    lately.add([incident(1)], 'Studio')
    lately.add([incident(1, { until: 9 })], 'Studio')
    const all = lately.list('en-US') as ShownIncident[]
    all
      .map((one) => [one.severity, one.since, one.until])
      .should.eql([
        ['critical', 1, 9],
        ['critical', 2, null],
      ])
  })

  it('five minutes of bitrates, a point for every few seconds', () => {
    const rates = createRates()
    const figures = (bitrate?: number) => ({
      a: { source: bitrate === undefined ? {} : { bitrate }, destinations: [] },
    })
    for (let at = 0; at <= 600_000; at += 1000)
      rates.add(1e12 + at, figures(at === 600_000 ? 7 : 5))
    const { at, of } = rates.history()
    at.length.should.equal(60)
    at[0]!.should.be.above(1e12 + 300_000)
    of['a']!.slice(0, -1).should.matchEach(5)
    should(of['a']!.at(-1)).equal(7)
    rates.add(1e12 + 605_000, figures())
    should(rates.history().of['a']!.at(-1)).be.null()
  })
})
