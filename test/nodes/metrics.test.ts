import {
  startSimulator,
  type RouteSpec,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator'
import {
  failure,
  flowOf,
  deployFlows,
  helper,
  load,
  redeploy,
  result,
  send,
  unload,
  type FlowOptions,
} from '../support/flow'
import { samplesIn, valuesOf, type Sample } from '../support/metrics'
import { liveInOwnTime } from '../support/own-time'
import { until } from '../support/until'

const runtime = require('@node-red/util') as { events: NodeJS.EventEmitter }

const metrics = (more: object = {}): object => ({ type: 'media-gateway-metrics', ...more })

/** The node, in a real Node-RED. What it writes is tested in `test/client/metrics/`. */
describe('metrics', () => {
  let simulator: Simulator
  let other: Simulator | undefined

  beforeEach(() => liveInOwnTime(10))
  async function start(
    nodes: Record<string, object>,
    more: FlowOptions = {},
    appliance: SimulatorOptions = {},
  ): Promise<void> {
    simulator = await startSimulator({ routes: 6, applyDelay: 0, settleDelay: 0, ...appliance })
    await load(simulator.url, nodes, {
      ...more,
      gateway: { name: 'oslo', pollInterval: 1, ...more.gateway },
    })
  }

  /** A second gateway on an appliance of its own. */
  async function startOther(): Promise<object> {
    other = await startSimulator({ routes: 2 })
    return { id: 'gateway-2', type: 'media-gateway', baseUrl: other.url, pollInterval: 1 }
  }
  const account = { username: 'haiadmin', password: 'manager' }

  afterEach(async () => {
    simulator.clearFaults()
    await unload()
    for (const one of [simulator, other]) {
      if (!one) continue
      await until(() => one.openSessions === 0 && one.openSockets === 0)
      await one.stop()
    }
    other = undefined
  })

  async function scrape(id = 'metrics', gateway?: unknown): Promise<Sample[]> {
    const message = await result(id, { req: { query: { gateway } } })
    message['statusCode']!.should.equal(200)
    return samplesIn(message.payload as string)
  }

  /** Waits until a sample has this value. */
  const shows = (name: string, value: number, labels = {}, id = 'metrics'): Promise<void> =>
    until(async () => valuesOf(await scrape(id), name, labels).includes(value), `${name} ${value}`)

  const calls = (path: RegExp): number =>
    simulator.journal.filter((call) => path.test(call.path)).length
  const polls = (): number => calls(/^\/api\/devices\/[^/]+$/)

  it('writes what polls have shown, and makes no request for it', async () => {
    await start({ metrics: metrics() })
    await shows('up', 1, { gateway: 'oslo' })
    const samples = await scrape()
    valuesOf(samples, 'route_running').should.have.length(6)
    const running = simulator.routes.filter(({ state }) => state === 'running').length
    valuesOf(samples, 'route_running').filter(Boolean).should.have.length(running)
    valuesOf(samples, 'logins_total', { result: 'ok' }).should.eql([1])
    valuesOf(samples, 'requests_total', { result: 'rejected' }).should.eql([0])

    simulator.clearJournal()
    for (let times = 0; times < 20; times++) await scrape()
    simulator.journal.length.should.equal(polls())
    const { payload, ...message } = await result('metrics', { topic: 'kept' })
    message['headers']!.should.eql({ 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    message['topic']!.should.equal('kept')
    payload!.should.be.a.String()
  })

  it('writes whether a failover protects, its state, and its switches by cause', async () => {
    const route: RouteSpec = {
      name: 'Studio A',
      startRoute: true,
      source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      destinations: [],
    }
    const failover = {
      type: 'media-gateway-failover',
      route: 'Studio A',
      routeType: 'name',
      main: '{"address":"239.1.1.1"}',
      mainType: 'json',
      backup: '{"address":"239.1.1.2"}',
      backupType: 'json',
      configVersion: 2,
      pollEvery: 0.5,
      holdOff: '0.5',
      settle: 2,
      guard: 1,
    }
    const lost = { ...failover, route: 'Studio B' }
    const faulty = { ...failover, route: 'Studio C', main: '{}' }
    await start({ metrics: metrics(), failover, lost, faulty }, {}, { routes: [route] })
    const labels = { gateway: 'oslo', route_id: simulator.route('Studio A')!.id }
    const are = async (name: string, wanted: Record<string, number>): Promise<boolean> => {
      const label = name === 'failover_state' ? 'state' : 'cause'
      const found = (await scrape())
        .filter((one) => one.name === `media_gateway_${name}` && one.value !== 0)
        .map(({ labels: { [label]: of, ...others }, value }) => [of, value, others])
      const expected = Object.entries(wanted).map(([of, value]) => [of, value, labels])
      return JSON.stringify(found) === JSON.stringify(expected)
    }
    const become = (state: string, switches: Record<string, number>): Promise<void> =>
      until(
        async () =>
          (await are('failover_state', { [state]: 1 })) &&
          (await are('failover_switches_total', switches)),
        `${state} ${JSON.stringify(switches)}`,
      )
    const protects = async (reason: string): Promise<void> => {
      const value = reason === 'none' ? 1 : 0
      const isSo = async (): Promise<boolean> => {
        const found = valuesOf(await scrape(), 'failover_protects', { ...labels, reason })
        return found.length === 1 && found[0] === value
      }
      await until(isSo, `protects ${reason}`)
    }
    await become('normal', {})
    await protects('none')
    for (const [node, reason] of [
      ['lost', 'unknown'],
      ['faulty', 'not-started'],
    ] as const) {
      const its = { gateway: 'oslo', node, reason }
      valuesOf(await scrape(), 'failover_protects', its).should.eql([0])
    }
    valuesOf(await scrape(), 'failover_protects').should.have.length(3)
    await send('failover', { action: 'hold' })
    await protects('held')
    await send('failover', { action: 'release' })
    await protects('none')
    valuesOf(await scrape(), 'failover_switches_total').should.eql([0, 0, 0, 0, 0])
    simulator.failAddress('239.1.1.1', 'disconnected')
    await become('protecting', { 'signal-fail': 1 })
    simulator.failAddress('239.1.1.1', 'ok')
    await send('failover', { action: 'main' })
    await become('normal', { 'signal-fail': 1, manual: 1 })
    simulator.route('Studio A')!.source.address!.should.equal('239.1.1.1')
    simulator.route('Studio A')!.source.address = '239.1.1.3'
    await protects('foreign')
    simulator.stopRoute('Studio A')
    await protects('stopped')
    // It looks by itself, also while no poll is successful.
    simulator.fault({ kind: 'status', status: 500 })
    await protects('unknown')
    valuesOf(await scrape(), 'failover_protects').should.eql([0, 0, 0])
    simulator.clearFaults()
  })

  it('writes how routes are, and which incidents are open', async function () {
    // An incident begins and ends after ten seconds.
    this.timeout(60_000)
    const name = 'Studio A'
    const source = { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 }
    const route: RouteSpec = { name, startRoute: true, source, destinations: [] }
    await start({ metrics: metrics() }, {}, { routes: [route] })
    const labels = { gateway: 'oslo', route_id: simulator.route(name)!.id }
    const open = async (): Promise<string[]> =>
      (await scrape()).flatMap(({ name: of, labels: { severity, kind }, value }) =>
        of.endsWith('_incidents_open') && value > 0 ? [`${value} ${severity} ${kind}`] : [],
      )
    const opens = (...wanted: string[]): Promise<void> =>
      until(async () => (await open()).join() === wanted.join(), wanted.join(), 20_000)
    await shows('route_health', 1, { ...labels, sign: 'ok' })
    valuesOf(await scrape(), 'incidents_open').should.eql([0, 0, 0, 0, 0, 0])

    simulator.failAddress('239.1.1.1', 'disconnected')
    await shows('route_health', 1, { ...labels, sign: 'critical' })
    const why = { ...labels, sign: 'critical', reason: 'no-source' }
    valuesOf(await scrape(), 'route_health_info', why).should.eql([1])
    valuesOf(await scrape(), 'routes', { sign: 'critical' }).should.eql([1])
    await opens('1 critical route')

    simulator.failAddress('239.1.1.1', 'ok')
    await shows('route_health', 1, { ...labels, sign: 'ok' })
    await opens()
    valuesOf(await scrape(), 'route_health_info').should.eql([])
  })

  it('ends a message that cannot be copied for a second wire as it came, and says so', async () => {
    await start({ metrics: metrics({ wires: [['out', 'caught']] }) })
    const odd = {
      get name(): string {
        throw new Error('cannot be copied')
      },
    }
    const message = { payload: 'as it came', other: odd }
    const { done, error } = await send('metrics', message)
    done.should.equal(1)
    error!.message.should.match(/the message could not be sent on \(cannot be copied\)/)
    message.payload.should.equal('as it came')
  })

  it('shares the poll of a watch', async () => {
    await start({ metrics: metrics(), watch: {} })
    await shows('up', 1)
    const [sum] = [() => polls()]
    const before = sum()
    await until(async () => {
      const [count = 0] = valuesOf(await scrape(), 'poll_duration_seconds_count')
      return count >= 3
    })
    sum().should.be.belowOrEqual(before + 3)
  })

  it('writes no route while polls fail: none looks as if it were running', async () => {
    await start({ metrics: metrics() })
    await shows('up', 1)
    simulator.fault({ kind: 'status', status: 500 })
    await shows('up', 0)
    const samples = await scrape()
    samples.filter(({ labels }) => 'route_id' in labels).should.eql([])
    valuesOf(samples, 'routes').should.eql([])
    valuesOf(samples, 'last_poll_timestamp_seconds').should.have.length(1)
    valuesOf(samples, 'requests_total', { result: 'rejected' })[0]!.should.be.above(0)
    simulator.clearFaults()
    await shows('up', 1)
    valuesOf(await scrape(), 'route_running').should.have.length(6)
  })

  it('writes no route while a poll that is due gets no response', async () => {
    await start({ metrics: metrics() }, { gateway: { timeout: 60_000 } })
    await shows('up', 1)
    simulator.fault({ kind: 'hang', match: { path: /\/api\/devices\// } })
    await until(async () => valuesOf(await scrape(), 'up').includes(0), 'the end of its data', 9000)
    valuesOf(await scrape(), 'route_running').should.eql([])
  })

  describe('with several gateways', () => {
    it('writes all of them, or those that the query names', async () => {
      const second = await startOther()
      await start(
        { metrics: metrics(), only: metrics({ gateways: 'one' }) },
        { others: [second], accounts: { 'gateway-2': account } },
      )
      const { host } = new URL(other!.url)
      await shows('up', 1, { gateway: 'oslo' })
      await shows('up', 1, { gateway: host })
      valuesOf(await scrape('metrics'), 'route_running').should.have.length(8)
      valuesOf(await scrape('metrics', host), 'route_running').should.have.length(2)
      valuesOf(await scrape('metrics', ['oslo', host]), 'up').should.eql([1, 1])
      valuesOf(await scrape('metrics', ''), 'up').should.eql([1, 1])
      valuesOf(await scrape('only'), 'route_running').should.have.length(6)

      const missing = await result('metrics', { req: { query: { gateway: 'bergen' } } })
      missing['statusCode']!.should.equal(404)
      missing['headers']!.should.eql({ 'content-type': 'text/plain; charset=utf-8' })
      missing.payload!.should.match(/^There is no gateway "bergen"\. .*\n$/)
    })

    it('gives two of the same name different labels, and the first one keeps its own', async () => {
      const second = { ...(await startOther()), name: 'oslo', credentials: account }
      await start({ metrics: metrics() })
      await shows('up', 1, { gateway: 'oslo' })
      const settings = { gateway: { name: 'oslo', pollInterval: 1 }, others: [second] }
      const routesOf = async (gateway: string): Promise<number> =>
        valuesOf(await scrape(), 'route_running', { gateway }).length
      for (const deployed of ['nodes', 'full'] as const) {
        await redeploy(simulator.url, { metrics: metrics() }, settings, deployed)
        await until(async () => (await routesOf('oslo (gateway-2)')) === 2, 'the second one')
        await until(async () => (await routesOf('oslo')) === 6, 'the first one')
        valuesOf(await scrape('metrics', 'oslo'), 'route_running').should.have.length(6)
      }
    })

    it('takes up what a deploy adds, and drops what it removes, without a restart', async () => {
      const second = await startOther()
      let shown = ''
      const listen = ({ id, status }: { id: string; status: { text?: string } }): void => {
        if (id === 'metrics') shown = status.text ?? ''
      }
      runtime.events.on('node-status', listen)
      await start({ metrics: metrics() })
      await shows('up', 1)
      const { flow } = flowOf(
        simulator.url,
        { metrics: metrics() },
        { gateway: { name: 'oslo', pollInterval: 1 } },
      )
      const node = helper.getNode('metrics')
      await deployFlows([...flow, { ...second, credentials: account }], 'nodes')
      helper.getNode('metrics').should.equal(node)
      const { host } = new URL(other!.url)
      await shows('up', 1, { gateway: host })
      await until(() => shown.endsWith(', 2 gateways'))
      await deployFlows(flow, 'nodes')
      await until(async () => valuesOf(await scrape(), 'up').length === 1)
      await until(() => shown.endsWith(', 1 gateway'))
      runtime.events.off('node-status', listen)
      other!.openSessions.should.equal(0)
    })

    it('is not green before each of them was polled', async () => {
      const second = await startOther()
      other!.fault({ kind: 'hang' })
      const shown: Array<{ fill?: string; text?: string }> = []
      const listen = ({ id, status }: { id: string; status: (typeof shown)[0] }): void => {
        if (id === 'metrics') shown.push(status)
      }
      runtime.events.on('node-status', listen)
      await start({ metrics: metrics() }, { others: [second], accounts: { 'gateway-2': account } })
      await until(() => shown.length > 0)
      runtime.events.off('node-status', listen)
      should(shown[0]).eql({ fill: 'grey', shape: 'ring', text: '6 routes, 1 gateway' })
      other!.clearFaults()
    })

    it('keeps on with the others when one cannot work', async () => {
      const broken = { id: 'gateway-2', type: 'media-gateway', name: 'broken', baseUrl: 'nonsense' }
      await start({ metrics: metrics() }, { others: [broken], accounts: { 'gateway-2': account } })
      await shows('up', 1, { gateway: 'oslo' })
      valuesOf(await scrape(), 'up', { gateway: 'broken' }).should.eql([0])
    })
  })

  describe('with statistics', () => {
    const reads = (): string[] =>
      simulator.journal
        .filter(({ path }) => path.endsWith('/statistics'))
        .map(({ query }) => String((query as { routeID?: string }).routeID))

    it('reads those of running routes that fit the pattern, again and again', async () => {
      simulator = await startSimulator({ routes: 12 })
      const running = simulator.routes.filter(({ state }) => state === 'running')
      const first = running.find(({ source }) => source.protocol === 'srt')
      const second = running.find((route) => route !== first)
      simulator.renameRoute(first!.id, 'Sport 1')
      await load(
        simulator.url,
        { metrics: metrics({ statistics: '1', route: 'sport*' }) },
        { gateway: { pollInterval: 1 } },
      )
      await until(() => reads().length >= 2, 'a second reading')
      new Set(reads()).should.eql(new Set([first!.id]))
      const samples = await scrape()
      const name = 'source_srt_round_trip_time_seconds'
      valuesOf(samples, name, { route_id: first!.id }).should.have.length(1)
      valuesOf(samples, name, { route_id: second!.id }).should.eql([])
      const [seconds] = valuesOf(samples, name)
      seconds!.should.be.within(0.0001, 5)
    })

    it('never has two readings under way, and ends them with the node', async () => {
      await start({ metrics: metrics({ statistics: 1 }) }, { gateway: { timeout: 60_000 } })
      simulator.fault({ kind: 'hang', match: { path: /\/statistics$/ } })
      await until(() => reads().length > 0, 'a reading')
      const before = polls()
      await until(() => polls() >= before + 2, 'two more polls')
      const all = simulator.routes.filter(({ state }) => state === 'running').length
      reads().length.should.be.belowOrEqual(all)
    })

    const figures = async (): Promise<number[]> =>
      valuesOf(await scrape(), 'source_srt_round_trip_time_seconds')

    it('writes none that are older than three readings', async () => {
      await start({ metrics: metrics({ statistics: 1 }) }, { gateway: { timeout: 60_000 } })
      await until(async () => (await figures()).length > 0, 'figures')
      simulator.fault({ kind: 'hang', match: { path: /\/statistics$/ } })
      await until(async () => (await figures()).length === 0, 'no figures', 7000)
    })

    it('writes none after a reading that has failed', async () => {
      await start({ metrics: metrics({ statistics: 3 }) })
      await until(async () => (await figures()).length > 0, 'figures')
      simulator.fault({ kind: 'html', match: { path: /\/statistics$/ } })
      const begun = performance.now()
      await until(async () => (await figures()).length === 0, 'no figures')
      // The next reading comes after three seconds; figures that are only old go after six at least.
      const took = performance.now() - begun
      took.should.be.below(5500)
    })

    it('reads none for totals', async () => {
      await start({ metrics: metrics({ detail: 'totals', statistics: 1 }) })
      await shows('up', 1)
      const before = polls()
      await until(() => polls() >= before + 2, 'two more polls')
      reads().should.eql([])
      const samples = await scrape()
      valuesOf(samples, 'routes').should.have.length(6)
      valuesOf(samples, 'route_running').should.eql([])
    })
  })

  const mistakes: Array<[what: string, says: RegExp, node: object]> = [
    ['no gateway chosen', /no gateway/, { gateways: 'one', gateway: '' }],
    ['an unknown detail', /detail is "all"; it must be/, { detail: 'all' }],
    [
      'a time that is none',
      /statistics is "soon"; allowed are numbers from 1/,
      { statistics: 'soon' },
    ],
    ['an empty pattern', /route is empty/, { statistics: 5, routeType: 'pattern' }],
    ['an unresolved variable', /NOT_SET_ANYWHERE/, { statistics: '${NOT_SET_ANYWHERE}' }],
    ['a fault of one gateway', /detail is "all"/, { gateways: 'one', detail: 'all' }],
  ]
  for (const [what, says, node] of mistakes) {
    it(`with ${what} fails each message with CONFIG`, async () => {
      await start({ metrics: metrics(node) })
      const error = await failure('metrics')
      error.code.should.equal('CONFIG')
      error.message.should.match(says)
      error.cause.operation!.should.equal('metrics')
      const isOfOne = what.endsWith('of one gateway')
      should(error.cause.gateway).eql(isOfOne ? { id: 'gateway', name: 'oslo' } : undefined)
      polls().should.equal(0)
    })
  }

  it('says under the node how many routes and gateways it knows, and why it knows none', async () => {
    let shown: { fill?: string; text?: string } = {}
    const listen = ({ id, status }: { id: string; status: typeof shown }): void => {
      if (id === 'metrics') shown = status
    }
    runtime.events.on('node-status', listen)
    await start({ metrics: metrics() }, {}, { routes: 1 })
    simulator.addRoute({
      name: 'Late',
      source: { name: 'Late in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
    })
    await until(() => shown.text === '2 routes, 1 gateway')
    shown.fill!.should.equal('green')
    simulator.failDevice('offline')
    await until(() => shown.text === 'device offline')
    shown.fill!.should.equal('red')
    simulator.failDevice('ok')
    await until(() => shown.fill === 'green')
    simulator.fault({ kind: 'status', status: 500 })
    await until(() => shown.fill === 'red' && /500/.test(shown.text!))
    runtime.events.off('node-status', listen)
  })
})
