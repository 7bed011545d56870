import { hooks } from '@node-red/util'
import type { GatewayError } from '../../client/errors'
import type { Snapshot, WatchEvent } from '../../client/model/event'
import type { Simulator, SimulatorOptions } from '../../simulator'
import { deployFlows, flowOf, helper, load, simulated, type FlowOptions } from '../support/flow'
import { until } from '../support/until'

const runtime = require('@node-red/util') as { events: NodeJS.EventEmitter }

interface Received {
  to: string
  topic?: string
  payload: Omit<WatchEvent, 'event'> & Omit<Snapshot, 'event'> & { event: string }
  deviceId?: string
  routeId?: string
  error?: GatewayError & { source: { id: string } }
}

const watch = (more: object = {}): object => ({ type: 'media-gateway-watch', ...more })

/** The node, in a real Node-RED. What its events say is tested in `test/client/watch/`. */
describe('watch', () => {
  let simulator: Simulator
  let deviceId: string
  let received: Received[]
  let options: FlowOptions

  async function start(
    nodes: Record<string, object>,
    more: FlowOptions = {},
    appliance: SimulatorOptions = {},
  ): Promise<void> {
    simulator = await simulated({ routes: 6, applyDelay: 0, settleDelay: 0, ...appliance })
    deviceId = simulator.devices[0]!._id
    options = { ...more, gateway: { pollInterval: 1, ...more.gateway } }
    await load(simulator.url, nodes, options)
  }

  beforeEach(() => {
    received = []
    hooks.add('onReceive.watchtest', ({ msg, destination }: Receipt) => {
      received.push({ ...(msg as unknown as Received), to: destination.id })
    })
  })
  afterEach(() => hooks.remove('*.watchtest'))

  interface Receipt {
    msg: object
    destination: { id: string }
  }

  const to = (id: string): Received[] => received.filter((message) => message.to === id)
  const out = (): Received[] => to('out')
  const topics = (): Array<string | undefined> => out().map(({ topic }) => topic)
  const polls = (): number =>
    simulator.journal.filter(({ path }) => path === `/api/devices/${deviceId}`).length
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

  const polled = (times: number): Promise<void> => {
    const wanted = polls() + times
    return until(() => polls() >= wanted)
  }

  it('sends one message for each event: topic, payload, deviceId and routeId', async () => {
    await start({ watch: watch({ initial: 'snapshot' }) })
    await until(() => out().length > 0)
    const [first] = out()
    first!.topic!.should.equal('snapshot')
    first!.deviceId!.should.equal(deviceId)
    first!.payload.routes.should.have.length(6)
    should(first!.routeId).be.undefined()

    const route = simulator.routes[0]!
    simulator.renameRoute(route.id, 'Other')
    simulator.devices[0]!.firmware = '9'
    await until(() => out().length > 2)
    topics().should.eql(['snapshot', 'device.firmware', 'route.renamed'])
    const event = out()[2]!
    event.payload.event.should.equal('route.renamed')
    event.payload.route!.should.eql({ id: route.id, name: 'Other' })
    event.routeId!.should.equal(route.id)
    event.deviceId!.should.equal(deviceId)
  })

  it('says in its language what an event is about, by default in English', async () => {
    await start({
      english: watch({ initial: 'snapshot' }),
      german: watch({ initial: 'snapshot', language: 'de' }),
    })
    const texts = (event: string): string[] =>
      out().flatMap(({ topic, payload }) => (topic === event ? [payload.text] : []))
    await until(() => texts('snapshot').length === 2)
    texts('snapshot')
      .sort()
      .should.eql(['Gateway 1: 4 of 6 routes running', 'Gateway 1: 4 von 6 Routen in Betrieb'])

    const { id, name } = simulator.routes.find(({ state }) => state === 'running')!
    simulator.stopRoute(id)
    await until(() => texts('route.stopped').length === 2)
    texts('route.stopped')
      .sort()
      .should.eql([`${name} is stopped`, `${name} ist gestoppt`])
  })

  it('without a snapshot begins in silence', async () => {
    await start({ watch: watch() })
    await polled(2)
    received.should.eql([])
  })

  it('takes its filters from its properties, also from the environment', async () => {
    process.env['WATCHED_ROUTE'] = 'Sport 1'
    simulator = await simulated({ routes: 6 })
    simulator.renameRoute(simulator.routes[0]!.id, 'Sport 1')
    const { url } = simulator
    deviceId = simulator.devices[0]!._id
    const each = { initial: 'snapshot', device: deviceId, deviceType: 'id' }
    const nodes = {
      'by-pattern': watch({ ...each, routeType: 'pattern', route: 'sport *' }),
      'by-name': watch({ ...each, routeType: 'name', route: '${WATCHED_ROUTE}' }),
      'by-env': watch({ ...each, routeType: 'env', route: 'WATCHED_ROUTE' }),
      'by-id': watch({ ...each, routeType: 'id', route: simulator.routes[0]!.id }),
      bare: watch({ ...each, route: 'Sport 1' }),
    }
    const wired = Object.entries(nodes).map(([id, node]) => [
      id,
      { ...node, id, type: 'media-gateway-watch', wires: [['out']] },
    ])
    await load(url, Object.fromEntries(wired) as Record<string, object>, {
      gateway: { pollInterval: 1 },
    })
    await until(() => out().length === 5)
    for (const { payload } of out()) {
      payload.routes.map(({ name }) => name).should.eql(['Sport 1'])
    }
    delete process.env['WATCHED_ROUTE']
  })

  it('holds and measures as its properties say', async () => {
    await start({
      held: watch({ holdFor: '60', events: ['route.status'] }),
      now: watch({
        events: 'route.status, statistics.low',
        thresholds: [{ measure: 'bitrate', of: 'source', low: '9999', high: '' }],
      }),
    })
    await polled(1)
    const route = simulator.routes.find(({ state }) => state === 'running')!
    route.summaryStatusCode = 'error'
    await until(() => topics().includes('route.status') && topics().includes('statistics.low'))
    topics()
      .filter((topic) => topic === 'route.status')
      .should.have.length(1)
    const low = out().find(({ topic }) => topic === 'statistics.low')!
    low.payload.should.containDeep({ measure: 'bitrate', of: 'source', limit: 9999, after: 'low' })
    should(low.routeId).be.a.String()
  })

  const mistakes: Array<[what: string, says: RegExp, node: object, gateway?: object]> = [
    ['no gateway', /This node has no gateway/, { gateway: '' }],
    ['an address that is none', /URL must begin with http/, {}, { baseUrl: 'nonsense' }],
    [
      'an unresolved variable',
      /NOT_SET_ANYWHERE/,
      { routeType: 'name', route: '${NOT_SET_ANYWHERE}' },
    ],
    [
      'a time between polls that is none',
      /\(pollInterval\) is 0\.2; allowed are numbers from 1/,
      {},
      { pollInterval: 0.2 },
    ],
    ['an unknown event', /route\.exploded/, { events: ['route.exploded'] }],
    ['a route filter without a value', /route is empty/, { routeType: 'name', route: '' }],
    [
      'a device without a value',
      /device is empty; it must be a device ID\. Correct this, and deploy\.$/,
      { deviceType: 'id', device: '' },
    ],
    [
      'a time to hold that is none',
      /holdFor is "soon"; allowed are numbers from 0/,
      { holdFor: 'soon' },
    ],
    [
      'thresholds that are wrong',
      /thresholds\[0\]\.measure.*thresholds\[0\]\.of.*thresholds\[0\] must have a low below.*thresholds\[1\]\.low.*thresholds\[2\] has neither low nor high/,
      {
        thresholds: [
          { measure: 'jitter', of: 'both', low: 5, high: 4 },
          { measure: 'bitrate', of: 'source', low: 'x' },
          { measure: 'bitrate', of: 'source' },
        ],
      },
    ],
    ['an unknown report', /report.*is "x"; it must be one of changes, incidents/, { report: 'x' }],
    ['a number for the report', /report.*is 7/, { report: 7 }],
    ['an unresolved report', /REPORT/, { report: '${REPORT}' }],
    [
      'a number of routes that must run',
      /mustRun.*must be a name pattern, as text/,
      { report: 'incidents', mustRun: 7 },
    ],
    ['a list of patterns', /mustRun/, { report: 'incidents', mustRun: ['News*'] }],
    ['an unresolved pattern', /MUST_RUN/, { report: 'incidents', mustRun: '${MUST_RUN}' }],
  ]
  it('each mistake in its settings: one error at the Catch node, no call, no event', async () => {
    const idOf = (what: string): string => `gateway with ${what}`
    const wrong = mistakes.filter(([, , , gateway]) => gateway)
    await start(
      Object.fromEntries(
        mistakes.map(([what, , node, gateway]) => [
          what,
          watch({ gateway: gateway ? idOf(what) : 'gateway', ...node }),
        ]),
      ),
      {
        others: wrong.map(([what, , , gateway]) => ({
          id: idOf(what),
          type: 'media-gateway',
          baseUrl: 'http://127.0.0.1:1',
          ...gateway,
        })),
        accounts: Object.fromEntries(
          wrong.map(([what]) => [idOf(what), { username: 'haiadmin', password: 'manager' }]),
        ),
      },
    )
    await until(() => to('caught').length >= mistakes.length)
    await pause(50)
    to('caught').should.have.length(mistakes.length)
    for (const [what, says] of mistakes) {
      const { error } = to('caught').find((one) => one.error!.source.id === what)!
      error!.code.should.equal('CONFIG', what)
      error!.message.should.match(says)
      error!.cause.should.containDeep({ operation: 'watch' })
    }
    simulator.journal.should.have.length(0)
    out().should.eql([])
  })

  it('a redeploy of one watch disturbs neither the others nor the poll', async () => {
    const nodes = { one: watch(), two: watch({ wires: [] }) }
    await start(nodes)
    await polled(1)
    const calls = simulator.journal.length
    for (const name of ['a', 'b', 'c']) {
      const { flow } = flowOf(simulator.url, { ...nodes, two: watch({ name, wires: [] }) }, options)
      await deployFlows(flow, 'nodes')
    }
    simulator.devices[0]!.firmware = '9'
    await until(() => out().length > 0)
    await polled(1)
    topics().should.eql(['device.firmware'])
    simulator.logins.should.equal(1)
    simulator.journal
      .slice(calls)
      .every(({ path }) => path === `/api/devices/${deviceId}`)
      .should.be.true()
  })

  it('full redeploys leave no poll, timer or listener behind', async () => {
    const nodes = { one: watch(), two: watch() }
    await start(nodes)
    await polled(1)
    const listeners = (): number => runtime.events.listenerCount('flows:started')
    const before = listeners()
    for (let deploys = 0; deploys < 5; deploys++) {
      await deployFlows(flowOf(simulator.url, nodes, options).flow, 'full')
    }
    listeners().should.equal(before)
    await polled(1)
    await until(() => simulator.openSessions === 1)
    await polled(1)
    const from = Date.now()
    await polled(3)
    // Six polls left behind would need half a second for that.
    ;(Date.now() - from).should.be.above(1800)
  })

  it('does not begin when its node is closed before its settings are read', async () => {
    let isClosed = false
    const close = (): void => {
      // Its node begins in this turn, and reads its settings in the next ones.
      queueMicrotask(() => {
        isClosed = true
        void (helper.getNode('watch') as unknown as { close(): Promise<void> }).close()
      })
    }
    runtime.events.once('flows:started', close)
    await start({ watch: watch() })
    isClosed.should.be.true()
    await pause(300)
    polls().should.equal(0)
  })

  interface Shown {
    fill: string
    shape: string
    text: string
  }

  /** The dots under a node, from now on. */
  function dotsOf(id: string): Shown[] {
    const shown: Shown[] = []
    const node = helper.getNode(id) as unknown as NodeJS.EventEmitter
    node.on('call:status', ({ args }: { args: [Shown] }) => {
      shown.push(args[0])
    })
    return shown
  }

  for (const [routeType, route] of [
    ['name', 'Arena 9'],
    ['pattern', 'arena ?'],
    ['id', 'aaaaaaaa-0000-4000-8000-000000000001'],
  ] as const) {
    it(`shows in yellow that no route fits its ${routeType}, until one does`, async () => {
      await start({ watch: watch({ routeType, route }), every: watch() })
      const dots = dotsOf('watch')
      const others = dotsOf('every')
      await until(() => dots.length > 0)
      dots[0]!.should.eql({ fill: 'yellow', shape: 'ring', text: 'no route matches' })
      const [one] = simulator.routes
      Object.assign(one!, routeType === 'id' ? { id: route } : { name: 'Arena 9' })
      await until(() => dots.at(-1)!.fill === 'green')
      others.every(({ fill }) => fill === 'green').should.be.true()
    })
  }

  it('leaves no status behind for the node that a deploy puts in its place', async () => {
    await start({ watch: watch() })
    const dots = dotsOf('watch')
    await until(() => dots.length > 0)
    await (helper.getNode('watch') as unknown as { close(): Promise<void> }).close()
    await until(() => Object.keys(dots.at(-1)!).length === 0)
  })

  it('shows no route in green where every route is watched', async () => {
    await start({ watch: watch() }, {}, { routes: 0 })
    const dots = dotsOf('watch')
    await until(() => dots.length > 0)
    dots[0]!.should.match({ fill: 'green', text: /^0 of 0 running/ })
  })

  it('shows how many routes run and when it looked, and that it is stale', async () => {
    await start({ watch: watch() }, { gateway: { timeout: 3000 } })
    const shown = dotsOf('watch')
    await until(() => shown.length > 0)
    const running = simulator.routes.filter(({ state }) => state === 'running').length
    shown[0]!.fill.should.equal('green')
    shown[0]!.text.should.match(new RegExp(`^${running} of 6 running \\d\\d:\\d\\d:\\d\\d$`))
    simulator.fault({ kind: 'hang' })
    await until(() => shown.at(-1)!.fill === 'yellow')
    shown.at(-1)!.text.should.match(/^no data since \d\d:\d\d:\d\d: no response$/)
    simulator.clearFaults()
    await until(() => shown.at(-1)!.fill === 'green')
  })
})
