// What the sidebar is given besides the state: what happened, what the routes carry, the failovers.
import should from 'should'
import { Stop, openConnection, type Connection } from '../../client/internal'
import { commandFailover } from '../../nodes/gateway/admin/failovers'
import { createLately } from '../../nodes/gateway/admin/lately'
import { createObservers, type ObservedState } from '../../nodes/gateway/admin/observers'
import { createRates } from '../../nodes/gateway/admin/rates'
import type { GatewayNode, ListedFailover } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { until } from '../support/until'

describe('what the sidebar is given', () => {
  let simulator: Simulator
  let connection: Connection
  const failovers = new Set<ListedFailover>()
  const node = {
    client: () => connection,
    failovers,
    register: () => undefined,
    deregister: () => undefined,
  } as unknown as GatewayNode

  beforeEach(async () => {
    failovers.clear()
    simulator = await startSimulator({ routes: 3, applyDelay: 0, settleDelay: 0 })
    connection = openConnection({
      baseUrl: simulator.url,
      username: 'haiadmin',
      password: 'manager',
      pollInterval: 1000,
    })
  })
  afterEach(async () => {
    await connection.close()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  async function first(ask: () => ObservedState): Promise<ObservedState> {
    let state = ask()
    await until(() => (state = ask()).snapshot !== undefined, 'the first poll')
    return state
  }

  it('says what happened, in the language of each editor, until the editor has it', async () => {
    const observers = createObservers(60_000)
    const ask = (version?: unknown, language?: string) =>
      observers.state(node, { version, language })
    const { version, lately } = await first(() => ask())
    should(lately).eql([])

    const [route] = simulator.routes
    route!.name = '<b>Renamed</b>'
    await until(() => (ask().lately ?? []).length > 0, 'the event')
    const english = ask(version, 'en-US')
    should(english.lately).have.length(1)
    should(english.lately![0])
      .have.property('text')
      .match(/was renamed.*<b>Renamed<\/b>/)
    should(ask(version, 'de-AT').lately![0])
      .have.property('text')
      .match(/umbenannt/)
    should(ask(english.version).lately).be.undefined()
    should(ask('rubbish').lately).have.length(1)
  })

  it('keeps what happened for the next who look, with the time in which nobody did', async () => {
    const observers = createObservers(50)
    await first(() => observers.state(node, {}))
    simulator.routes[0]!.name = 'Renamed'
    await until(() => (observers.state(node, {}).lately ?? []).length > 0, 'the event')
    const { version } = observers.state(node, {})
    // The lease ends: whoever comes next has a new version.
    await until(() => observers.state(node, { lookOn: true, version }).health.known === undefined)
    const [event, gap] = observers.state(node, {}).lately!
    should(event).have.property('text')
    should(gap).have.properties('from', 'at')
  })

  it('says what the running routes carry, once for each poll, and what they carried before', async () => {
    const observers = createObservers(60_000)
    await first(() => observers.state(node, {}))
    const { figures, figuresAt, rates, version } = observers.state(node, {})
    const running = simulator.routes.filter(({ state }) => state === 'running')
    Object.keys(figures!).should.eql(running.map(({ id }) => id))
    should(figures![running[0]!.id]!.source.bitrate).be.above(0)
    should(rates!.of[running[0]!.id]).have.length(1)
    const again = observers.state(node, { version, figuresAt })
    should(again.figures).be.undefined()
    should(again.rates).be.undefined()
    const calls = simulator.journal.length
    observers.state(node, {})
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
      command: (...action: unknown[]) => {
        said.push(action)
        return Promise.resolve()
      },
    } as ListedFailover
    failovers.add(failover)
    const begun = observers.state(node, { version })
    should(begun.failovers).eql([{ id: 'failover', name: 'A', routes: failover.routes() }])
    const status = { state: 'normal', inUse: 'main', held: false } as ListedFailover['status']
    Object.assign(failover, { status })
    const { failovers: listed, version: now } = observers.state(node, { version: begun.version })
    should(listed![0]).containEql({ state: 'normal', inUse: 'main', held: false })
    const same = observers.state(node, { version: now })
    should(same.failovers).be.undefined()
    should(same.version).equal(now)
    const calls = simulator.journal.length
    should(observers.state(node, { lookOn: true }).failovers).eql(listed)
    should(simulator.journal.length).equal(calls)

    await commandFailover(node, { failoverId: 'failover', action: 'backup' }, new Stop())
    said.should.eql([['backup']])
    const ask = (body: object) => commandFailover(node, body, new Stop())
    await should(ask({ failoverId: 'x', action: 'main' })).rejectedWith({ code: 'NOT_FOUND' })
    await should(ask({ failoverId: 'failover', action: 'reset' })).rejectedWith({
      code: 'INVALID_INPUT',
    })
    said.should.have.length(1)
  })
})

describe('what the sidebar remembers', () => {
  it('the last fifty events', () => {
    const lately = createLately()
    const event = (at: number) =>
      ({ event: 'route.started', at, route: { id: '1', name: `R${at}` }, device: {} }) as never
    lately.add([1, 2, 3].map(event), 'Studio')
    for (let at = 4; at <= 60; at++) lately.add([event(at)], 'Studio')
    const all = lately.list('en-US')
    all.should.have.length(50)
    all.map(({ at }) => at).should.eql(Array.from({ length: 50 }, (_, index) => index + 11))
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
