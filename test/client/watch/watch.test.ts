import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import should from 'should'
import {
  EVENTS,
  controlRoute,
  newOperation,
  openConnection,
  watchDevice,
  type Connection,
  type Health,
  type GatewayError,
  type RouteView,
  type Snapshot,
  type WatchEvent,
  type WatchOptions,
} from '../../../client/internal'
import { REAL_TIME, type Clock } from '../../../client/watch/poller'
import { pollNow } from '../../../client/watch/device-watch'
import {
  startSimulator,
  type RouteState,
  type Simulator,
  type SimulatorOptions,
} from '../../../simulator'
import { until } from '../../support/until'

/** What one watch was told. */
interface Told {
  events: WatchEvent[]
  snapshots: Snapshot[]
  health: Health[]
  failures: GatewayError[]
  end: () => void
}

/** Design 2.6, against the simulator. */
describe('watching', () => {
  let simulator: Simulator
  let gateway: Connection
  let deviceId: string
  let log: string[]
  /** How far the clock of the watches is ahead, in ms. */
  let skew = 0
  /** What the timers that have not run out yet wait, in ms. */
  const pending = new Set<{ ms: number }>()
  const clock: Clock = {
    now: () => Date.now() + skew,
    unix: (at) => at,
    after(ms, callback) {
      const timer = { ms }
      pending.add(timer)
      const cancel = REAL_TIME.after(ms, () => {
        pending.delete(timer)
        callback()
      })
      return () => {
        pending.delete(timer)
        cancel()
      }
    },
  }

  async function start(options: SimulatorOptions = {}, more: object = {}): Promise<void> {
    simulator = await startSimulator({
      applyDelay: 0,
      settleDelay: 0,
      pollingInterval: 3_600_000,
      ...options,
    })
    log = []
    skew = 0
    gateway = openConnection({
      baseUrl: simulator.url,
      username: 'haiadmin',
      password: 'manager',
      timeout: 500,
      log: (level, text) => log.push(`${level} ${text}`),
      ...more,
    })
    deviceId = simulator.devices[0]!._id
  }

  afterEach(async () => {
    await gateway.close()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  function watch(options: Partial<WatchOptions> = {}): Told {
    const told: Told = { events: [], snapshots: [], health: [], failures: [], end: () => undefined }
    told.end = watchDevice(
      gateway,
      {
        onEvents: (events) => told.events.push(...events),
        onSnapshot: (snapshot) => told.snapshots.push(snapshot),
        onHealth: (health) => told.health.push(health),
        onFailure: (error) => told.failures.push(error),
        ...options,
      },
      clock,
    )
    return told
  }

  /** Watches from a first look on. */
  async function watching(options: Partial<WatchOptions> = {}): Promise<Told> {
    const told = watch(options)
    await until(() => told.snapshots.length > 0)
    return told
  }

  const look = async (): Promise<unknown> => pollNow(gateway, deviceId)!()
  const namesOf = (events: WatchEvent[]): string[] => events.map(({ event }) => event)

  /** Makes a change, looks twice, and answers the events. */
  async function eventsOf(told: Told, change: () => unknown): Promise<WatchEvent[]> {
    told.events.length = 0
    await change()
    await look()
    await look()
    return [...told.events]
  }

  const running = (): RouteState =>
    simulator.routes.find(
      ({ state, destinations }) => state === 'running' && destinations.length > 1,
    )!
  const idle = (): RouteState => simulator.routes.find(({ state }) => state === 'idle')!
  const device = (): Simulator['devices'][0] => simulator.devices[0]!
  const callsFor = (path: string): number =>
    simulator.journal.filter((call) => call.path === path).length
  const polls = (): number => callsFor(`/api/devices/${deviceId}`)

  describe('tells each event once, with what was before and after:', () => {
    let told: Told
    let route: RouteState

    beforeEach(async () => {
      await start({ routes: 16 })
      route = running()
      told = await watching()
    })

    /** The only event of a change. */
    async function only(change: () => unknown): Promise<WatchEvent> {
      const events = await eventsOf(told, change)
      namesOf(events).should.have.length(1)
      const [event] = events
      event!.device.should.eql({ id: deviceId, name: 'Gateway 1' })
      event!.at.should.be.within(Date.now() - 2000, Date.now())
      return event!
    }

    it('nothing, while counters, clocks, details and the order of routes change', async () => {
      const events = await eventsOf(told, async () => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        simulator.routes.reverse()
        route.summaryStatusDetails = 'running since 12:00:07'
        Object.assign(device(), { lastConnection: '<2m', pendingSync: true })
        Object.assign(route.source, { lastConnectedAt: Date.now(), counterOfNewFirmware: 7 })
      })
      events.should.eql([])
    })

    it('route.added and route.removed', async () => {
      const added = await only(() =>
        simulator.addRoute({
          name: 'New',
          source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
          destinations: [{ name: 'New out', protocol: 'udp', address: '239.1.1.2', port: 5001 }],
        }),
      )
      const { id } = simulator.route('New')!
      added.should.containDeep({ event: 'route.added', route: { id, name: 'New' } })
      should(added.before).be.null()
      const view = added.after as RouteView
      view.should.containDeep({ id, name: 'New', state: 'idle', source: { port: 5000 } })
      view.destinations[0]!.should.containDeep({ name: 'New out', port: 5001 })

      const removed = await only(() => simulator.removeRoute('New'))
      removed.should.containDeep({ event: 'route.removed', route: { id, name: 'New' } })
      removed.before!.should.eql(view)
      should(removed.after).be.null()
    })

    it('route.renamed, told by its ID', async () => {
      const { id, name } = route
      const event = await only(() => simulator.renameRoute(id, 'Other name'))
      event.event.should.equal('route.renamed')
      event.should.containDeep({
        route: { id, name: 'Other name' },
        before: name,
        after: 'Other name',
      })
    })

    it('route.started and route.stopped, and the status of what belongs to it', async () => {
      const { id, name, destinations } = idle()
      const states = destinations.map(() => 'destination.status')
      const events = await eventsOf(told, async () => {
        simulator.startRoute(id)
        await simulator.settle()
      })
      namesOf(events).should.eql(['route.started', 'route.status', 'source.status', ...states])
      for (const event of events) event.route!.should.eql({ id, name })
      events[0]!.should.containDeep({ before: 'idle', after: 'running' })
      events[1]!.should.containDeep({ before: 'unknown', after: 'ok', details: 'running' })
      events[2]!.should.containDeep({ before: 'unknown', after: 'ok' })

      const back = await eventsOf(told, () => simulator.stopRoute(id))
      namesOf(back).should.eql(['route.stopped', 'route.status', 'source.status', ...states])
      back[0]!.should.containDeep({ before: 'running', after: 'idle' })
    })

    it('route.status', async () => {
      const event = await only(() => {
        Object.assign(route, { summaryStatusCode: 'error', summaryStatusDetails: 'No licence' })
      })
      event.should.containDeep({
        event: 'route.status',
        before: 'ok',
        after: 'error',
        details: 'No licence',
      })
    })

    it('source.status: the code, or where it stays the same the state', async () => {
      const byCode = await only(() => {
        Object.assign(route.source, { summaryStatusCode: 'warn', state: 'connecting' })
      })
      byCode.should.containDeep({ event: 'source.status', before: 'ok', after: 'warn' })
      const byState = await only(() => Object.assign(route.source, { state: 'disconnected' }))
      byState.should.containDeep({
        event: 'source.status',
        before: 'connecting',
        after: 'disconnected',
      })
    })

    it('destination.status, .stopped and .started', async () => {
      const [{ id, name }] = route.destinations as [RouteState['destinations'][0]]
      const destination = route.destinations[0]!
      const status = await only(() => Object.assign(destination, { summaryStatusCode: 'error' }))
      status.should.containDeep({
        event: 'destination.status',
        destination: { id, name },
        before: 'ok',
        after: 'error',
      })
      const stopped = await only(() => Object.assign(destination, { started: false }))
      stopped.should.containDeep({
        event: 'destination.stopped',
        destination: { id, name },
        before: true,
        after: false,
      })
      // Some firmware writes values as text.
      const started = await only(() => Object.assign(destination, { started: 'true' }))
      started.event.should.equal('destination.started')
      started.after!.should.be.true()
    })

    it('destination.added and .removed', async () => {
      const [removed] = route.destinations.splice(0, 1)
      const event = await only(() => undefined)
      event.should.containDeep({
        event: 'destination.removed',
        destination: { id: removed!.id, name: removed!.name },
        before: { id: removed!.id },
      })
      const added = await only(() => route.destinations.push(removed!))
      added.should.containDeep({ event: 'destination.added', after: { id: removed!.id } })
    })

    it('route.changed, with both definitions and without secrets', async () => {
      const event = await only(() => Object.assign(route.source, { port: 7777 }))
      event.should.containDeep({
        event: 'route.changed',
        route: { id: route.id },
        after: { source: { port: 7777 } },
      })
      event.before!.should.not.containDeep({ source: { port: 7777 } })
      ;(event.after as RouteView).destinations.should.have.length(route.destinations.length)
    })

    it('a new pass phrase as route.changed, which tells neither', async () => {
      const secret = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      secret.source.srtPassPhrase = 'first-pass-phrase'
      await eventsOf(told, () => undefined)
      const event = await only(() => {
        secret.source.srtPassPhrase = 'second-pass-phrase'
      })
      event.event.should.equal('route.changed')
      JSON.stringify(told).should.not.containEql('pass-phrase')
      event.after!.should.containDeep({ source: { srtPassPhrase: '••••••' } })
    })

    it('no secret, wherever it stands', async () => {
      const [one] = simulator.routes.filter(({ source }) => source.protocol === 'srt')
      Object.assign(one!.source, {
        srtGroupMode: 'broadcast',
        srtPassPhrase: 'not-to-be-told-0',
        srtNetworkBondingParams: [
          { address: '192.0.2.1', port: 5000, srtPassPhrase: 'not-to-be-told-1', count: 1 },
          { address: '192.0.2.2', port: 5000 },
        ],
        labels: ['a', { password: 'not-to-be-told-2' }],
        summaryStatusDetails: 'bad pass phrase not-to-be-told-0',
      })
      one!.source.summaryStatusCode = 'error'
      Object.assign(device().networkAdapters[0]!, { name: { password: 'not-to-be-told-3' } })
      const rtsp = simulator.routes.find((each) => each !== one)!
      Object.assign(rtsp.source, { protocol: 'rtsp', address: 'rtsp://u:not-to-be-told-4@host/x' })
      const events = await eventsOf(told, () => undefined)
      namesOf(events).should.containEql('route.changed')
      const late = watch()
      JSON.stringify([told.events, told.snapshots, late.snapshots]).should.not.containEql(
        'not-to-be',
      )
    })

    it('device.status, device.firmware and device.config', async () => {
      const status = await only(() =>
        Object.assign(device(), { statusCode: 'error', statusDetails: 'Disk full' }),
      )
      status.should.containDeep({
        event: 'device.status',
        before: 'ok',
        after: 'error',
        details: 'Disk full',
      })
      const state = await only(() => Object.assign(device(), { status: 'Device error' }))
      state.should.containDeep({
        event: 'device.status',
        before: 'Online',
        after: 'Device error',
      })
      const { firmware } = device()
      const updated = await only(() => Object.assign(device(), { firmware: '6.0' }))
      updated.should.containDeep({ event: 'device.firmware', before: firmware, after: '6.0' })
      const before = structuredClone(device().networkAdapters)
      const config = await only(() => {
        device().networkAdapters[0]!.address = '192.0.2.99'
      })
      config.event.should.equal('device.config')
      config.before!.should.eql(before)
      config.after!.should.eql(device().networkAdapters)
    })

    it('peer.status, also of a pairing that comes or goes', async () => {
      const [pairing] = device().pairings
      const peer = { id: pairing!.id, name: pairing!.gatewayName }
      const status = await only(() => Object.assign(pairing!, { status: 'poll timeout' }))
      status.should.containDeep({
        event: 'peer.status',
        peer,
        before: 'accepted',
        after: 'poll timeout',
      })
      const gone = await only(() => device().pairings.splice(0, 1))
      gone.should.containDeep({ event: 'peer.status', peer, before: 'poll timeout' })
      should(gone.after).be.null()
      JSON.stringify(told).should.not.containEql('invented-passcode')
    })

    it('several at once in the documented order', async () => {
      const [first, second] = [...simulator.routes]
        .filter(({ state }) => state === 'running')
        .sort((a, b) => (a.id < b.id ? -1 : 1))
      const events = await eventsOf(told, () => {
        simulator.addRoute({
          name: 'A',
          source: { name: 'A in', protocol: 'udp', address: '239.9.9.9', port: 1 },
        })
        Object.assign(second!, { name: 'Second', summaryStatusCode: 'error' })
        Object.assign(first!.source, { summaryStatusCode: 'error' })
        simulator.removeRoute(idle().id)
        Object.assign(device(), { firmware: '7', statusCode: 'warn' })
      })
      namesOf(events).should.eql([
        'device.status',
        'device.firmware',
        'route.removed',
        'route.added',
        'source.status',
        'route.renamed',
        'route.status',
      ])
    })

    it('every event that there is, here or below', () => {
      const text = readFileSync(__filename, 'utf8')
      EVENTS.filter((event) => !text.includes(`'${event}'`)).should.eql([])
    })
  })

  describe('chooses', () => {
    it('events, and routes by ID, name, pattern, or either; the appliance itself always', async () => {
      await start({ routes: 6 })
      const [route, other] = simulator.routes as [RouteState, RouteState]
      Object.assign(route, { name: 'Sport (1) in' })
      Object.assign(other, { name: 'News 1' })
      const all = await watching()
      const watches = {
        byId: await watching({ route: { id: route.id } }),
        byName: await watching({ route: { name: 'Sport (1) in' } }),
        byPattern: await watching({ route: { pattern: 'sport (?)*' } }),
        byEither: await watching({ route: { idOrName: 'Sport (1) in' } }),
      }
      const firmware = await watching({ events: ['device.firmware'] })
      await eventsOf(all, () => {
        for (const each of simulator.routes) each.summaryStatusCode = 'error'
        device().firmware = '9'
      })
      namesOf(all.events).should.have.length(7)
      for (const [how, told] of Object.entries(watches)) {
        namesOf(told.events).should.eql(['device.firmware', 'route.status'], how)
        told.events[1]!.route!.id.should.equal(route.id)
        told.snapshots[0]!.routes.map(({ id }) => id).should.eql([route.id])
      }
      namesOf(firmware.events).should.eql(['device.firmware'])
    })

    it('a route that is renamed away by its old name, and once more when it comes back', async () => {
      await start({ routes: 2 })
      const { id, name } = simulator.routes[0]!
      const told = await watching({ route: { name } })
      const events = await eventsOf(told, () => simulator.renameRoute(id, 'Gone'))
      namesOf(events).should.eql(['route.renamed', 'route.removed'])
      const back = await eventsOf(told, () => simulator.renameRoute(id, name))
      namesOf(back).should.eql(['route.added', 'route.renamed'])
      back[0]!.after!.should.containDeep({ id, name })
    })
  })

  describe('holds', () => {
    it('a change until it has lasted, and forgets one that reverts', async () => {
      await start({ routes: 4 })
      const route = simulator.routes[0]!
      const told = await watching({ holdFor: 5000 })
      const seen = Date.now()
      Object.assign(route, { summaryStatusCode: 'error' })
      await look()
      skew += 4000
      await look()
      told.events.should.eql([])
      Object.assign(route, { summaryStatusCode: 'ok' })
      await look()
      skew += 9000
      await look()
      told.events.should.eql([])

      const since = seen + skew
      Object.assign(route, { summaryStatusCode: 'warn' })
      await look()
      skew += 3000
      Object.assign(route, { summaryStatusCode: 'error' })
      await look()
      skew += 3000
      await look()
      await look()
      namesOf(told.events).should.eql(['route.status'])
      told.events[0]!.should.containDeep({ before: 'ok', after: 'error' })
      // Since when it is an error, and not since it was no longer ok.
      told.events[0]!.at.should.be.within(since + 3000, since + 4000)
    })

    it('a route that goes and comes back', async () => {
      await start({ routes: 4 })
      const told = await watching({ holdFor: 5000 })
      const [route] = simulator.routes as [RouteState]
      device().remove(route.id)
      await look()
      skew += 1000
      await look()
      device().add(route)
      skew += 9000
      await look()
      await look()
      told.events.should.eql([])
    })

    it('one change while others pass', async () => {
      await start({ routes: 4 })
      const told = await watching({ holdFor: 2000 })
      const [one, two] = simulator.routes as [RouteState, RouteState]
      one.summaryStatusCode = 'error'
      await look()
      skew += 1500
      two.summaryStatusCode = 'error'
      await look()
      skew += 1000
      await look()
      told.events.map(({ route }) => route!.id).should.eql([one.id])
      skew += 1500
      await look()
      told.events.map(({ route }) => route!.id).should.eql([one.id, two.id])
    })
  })

  describe('shares', () => {
    for (const count of [1, 10, 100]) {
      it(`the calls of ${count} watches`, async () => {
        await start({ routes: 4 })
        const first = await watching()
        const others = Array.from({ length: count - 1 }, () => watch())
        const journal = simulator.journal.length
        for (let polled = 0; polled < 3; polled++) await look()
        simulator.journal.length.should.equal(journal + 3)
        simulator.logins.should.equal(1)
        await eventsOf(first, () => Object.assign(device(), { firmware: '9' }))
        for (const told of [first, ...others]) namesOf(told.events).should.eql(['device.firmware'])
      })
    }

    it('the present state with a late watch, without a call', async () => {
      await start({ routes: 4 })
      await watching()
      const calls = simulator.journal.length
      const late = watch()
      late.snapshots.should.have.length(1)
      const [snapshot] = late.snapshots as [Snapshot]
      snapshot.device.should.eql({
        id: deviceId,
        name: 'Gateway 1',
        statusCode: 'ok',
        status: 'Online',
        firmware: device().firmware,
      })
      snapshot.adapters.should.eql(device().networkAdapters)
      snapshot.peers.should.eql([
        { id: device().pairings[0]!.id, name: 'Gateway 1', status: 'accepted' },
      ])
      snapshot.routes.map(({ name }) => name).should.eql(simulator.routes.map(({ name }) => name))
      simulator.journal.length.should.equal(calls)
    })

    it('one poll between a watch of the only device and one that names it', async () => {
      await start({ routes: 4 })
      const named = await watching({ deviceId })
      const only = await watching()
      const late = await watching({ deviceId })
      const before = polls()
      await eventsOf(named, () => Object.assign(device(), { firmware: '9' }))
      polls().should.equal(before + 2)
      for (const told of [named, only, late]) namesOf(told.events).should.eql(['device.firmware'])
    })

    it('no events between watches: what one changes in them the others do not see', async () => {
      await start({ routes: 4 })
      const one = await watching()
      const two = await watching()
      await eventsOf(one, () => Object.assign(simulator.routes[0]!.source, { port: 4242 }))
      Object.assign(one.events[0]!.after as object, { source: 'changed' })
      two.events[0]!.after!.should.containDeep({ source: { port: 4242 } })
    })

    it('its polls with those that wait for several routes', async () => {
      await start({ routes: 8, applyDelay: 100 })
      await watching()
      const [one, two] = simulator.routes.filter(({ state }) => state === 'idle')
      const before = polls()
      const operation = newOperation('control-route')
      const wait = { deviceId, action: 'start', waitFor: 'applied', waitTimeout: 5000 } as const
      await Promise.all(
        [one, two].map((route) =>
          controlRoute(gateway, { ...wait, routeId: route!.id }, operation),
        ),
      )
      callsFor(`/api/gateway/${deviceId}/routes`).should.equal(0)
      polls().should.be.above(before)
    })

    it('what a wait for one route has seen, at once', async () => {
      await start({ routes: 4, applyDelay: 100 })
      const told = await watching()
      const { id } = idle()
      const before = polls()
      await controlRoute(
        gateway,
        { deviceId, routeId: id, action: 'start', waitFor: 'applied', waitTimeout: 5000 },
        newOperation('control-route'),
      )
      await until(() => namesOf(told.events).includes('route.started'))
      polls().should.equal(before + 1)
    })

    it('no wait with an answer that is slow, or not as the wait needs it', async () => {
      await start({ routes: 4 })
      await watching()
      const { id } = idle()
      simulator.fault({ kind: 'hang', match: { path: `/api/devices/${deviceId}` } })
      const { route } = await controlRoute(
        gateway,
        { deviceId, routeId: id, action: 'start', waitFor: 'applied', waitTimeout: 2000 },
        newOperation('control-route'),
      )
      route!.state!.should.equal('running')
    })

    it('waits end as they do without a watch, when the watch ends meanwhile', async () => {
      await start({ routes: 4, applyDelay: 300 })
      const told = await watching()
      const { id } = idle()
      const control = controlRoute(
        gateway,
        { deviceId, routeId: id, action: 'start', waitFor: 'applied', waitTimeout: 5000 },
        newOperation('control-route'),
      )
      await new Promise((resolve) => setTimeout(resolve, 30))
      told.end()
      const { route } = await control
      route!.state!.should.equal('running')
    })

    it('nothing when nobody is left: no poll, no timer; and goes on where it stood', async () => {
      await start({ routes: 4 }, { pollInterval: 1000 })
      const told = await watching()
      told.end()
      should(pollNow(gateway, deviceId)).be.undefined()
      const lingering = [...pending].map(({ ms }) => ms)
      lingering.should.eql([2000], 'only that which forgets what is known')

      simulator.routes[0]!.name = 'Renamed meanwhile'
      const again = watch()
      again.snapshots.should.have.length(1)
      await until(() => again.events.length > 0)
      namesOf(again.events).should.eql(['route.renamed'])
    })

    it('nothing with a watch whose receiver throws at once', async () => {
      await start({ routes: 4 }, { pollInterval: 1000 })
      const first = await watching()
      const broken = watch({
        onSnapshot: () => {
          throw new Error('broken')
        },
      })
      broken.end()
      first.end()
      should(pollNow(gateway, deviceId)).be.undefined()
    })

    it('nothing with a watch whose receiver throws', async () => {
      await start({ routes: 4 })
      const told = await watching()
      watch({
        onEvents: () => {
          throw new Error('broken')
        },
      })
      await eventsOf(told, () => Object.assign(device(), { firmware: '9' }))
      await eventsOf(told, () => Object.assign(device(), { firmware: '10' }))
      namesOf(told.events).should.eql(['device.firmware'])
      log.should.eql(
        Array.from({ length: 2 }, () => 'warn A watch failed on what it was given: Error: broken'),
      )
    })
  })

  describe('never takes a fault for a removal:', () => {
    const configuration = (): string => `/api/devices/${deviceId}`
    const list = (): string => `/api/gateway/${deviceId}/routes`

    async function answers(change: (body: Record<string, unknown>) => void): Promise<void> {
      const { payload } = { payload: await rawDevice() }
      change(payload)
      simulator.fault({
        kind: 'status',
        status: 200,
        body: payload,
        match: { path: configuration() },
      })
    }
    const rawDevice = async (): Promise<Record<string, unknown>> =>
      (await gateway.call(
        { method: 'GET', path: configuration() },
        newOperation('test'),
      )) as Record<string, unknown>

    const faults: Record<string, (config: Record<string, unknown>) => void> = {
      'no routes in the configuration': (config) => (config.routes = []),
      'half of the routes in the configuration': (config) =>
        (config.routes as unknown[]).splice(0, 4),
      'no list of routes': (config) => delete config.routes,
      'routes that are no list': (config) => (config.routes = 'none'),
      'routes without sources': (config) =>
        (config.routes as RouteState[]).forEach(
          (route) => delete (route as { source?: unknown }).source,
        ),
      'routes without destinations': (config) =>
        (config.routes as RouteState[]).forEach(
          (route) => delete (route as { destinations?: unknown }).destinations,
        ),
      'pairings and adapters left out': (config) => {
        delete config.peers
        delete config.calypsos
        delete config.settings
      },
    }
    for (const [what, change] of Object.entries(faults)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((body) => change(body.config as Record<string, unknown>))
        for (let polled = 0; polled < 3; polled++) await look()
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
      })
    }

    const empty = { data: [], numPages: 1, numResults: 0 }
    const lists: Record<string, () => void> = {
      'an empty list too, while each route answers': () => answer(list(), empty),
      'an empty list too, and no route is found, for some seconds': () => {
        answer(list(), empty)
        simulator.fault({ kind: 'status', status: 404, match: { path: `${list()}/*` } })
      },
      'an empty list too, and the routes answer with other errors': () => {
        answer(list(), empty)
        simulator.fault({ kind: 'status', status: 400, match: { path: `${list()}/*` } })
      },
    }
    const answer = (path: string, body: unknown): unknown =>
      simulator.fault({ kind: 'status', status: 200, body, match: { path } })
    for (const [what, fault] of Object.entries(lists)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((body) => ((body.config as Record<string, unknown>).routes = []))
        fault()
        for (let polled = 0; polled < 5; polled++) {
          await look()
          skew += 1500
        }
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
      })
    }

    const unusable: Record<string, () => void> = {
      'a list that is shorter than it says': () => answer(list(), { ...empty, numResults: 8 }),
      'a list that cannot be read': () =>
        simulator.fault({ kind: 'html', match: { path: list() } }),
    }
    for (const [what, fault] of Object.entries(unusable)) {
      it(what, async () => {
        await start({ routes: 8 })
        const told = await watching()
        await answers((body) => ((body.config as Record<string, unknown>).routes = []))
        fault()
        for (let polled = 0; polled < 3; polled++) await look().catch(() => undefined)
        told.health.at(-1)!.failure!.code.should.equal('BAD_RESPONSE')
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
      })
    }

    it('one route that is really gone, while the list is cut short', async () => {
      await start({ routes: 8 })
      const told = await watching()
      const gone = simulator.routes[2]!
      simulator.removeRoute(gone.id)
      await answers((body) => (body.config as { routes: unknown[] }).routes.splice(0, 2))
      answer(list(), empty)
      await look()
      await look()
      simulator.clearFaults()
      await look()
      told.events
        .map(({ event, route }) => [event, route!.id])
        .should.eql([['route.removed', gone.id]])
    })

    it('a route that firmware answers with another error than 404: when two looks agree', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const gone = simulator.routes[0]!
      simulator.removeRoute(gone.id)
      simulator.routes[0]!.summaryStatusCode = 'error'
      simulator.fault({ kind: 'status', status: 400, match: { path: `${list()}/*` } })
      await look()
      namesOf(told.events).should.eql(['route.status'])
      skew += 1000
      await look()
      namesOf(told.events).should.eql(['route.status', 'route.removed'])
    })

    it('one that is being deleted and still answers, which hinders nothing else', async () => {
      await start({ routes: 4 })
      const told = await watching()
      await answers((body) => {
        const { routes } = body.config as { routes: RouteState[] }
        routes.shift()
        routes[0]!.summaryStatusCode = 'error'
      })
      answer(list(), { ...empty, data: [] })
      await look()
      await look()
      namesOf(told.events).should.eql(['route.status'])
      told.health.every(({ failure }) => failure === undefined).should.be.true()
    })

    const emptied: Record<string, [(body: Record<string, unknown>) => void, string]> = {
      'no destinations for one look': [
        (body) => ((body.config as { routes: RouteState[] }).routes[0]!.destinations = []),
        'destination.removed',
      ],
      'no pairings for one look': [
        (body) => Object.assign(body.config as object, { peers: [], calypsos: [] }),
        'peer.status',
      ],
      'no adapters for one look': [
        (body) => Object.assign(body.config as object, { settings: { networkAdapters: [] } }),
        'device.config',
      ],
    }
    for (const [what, [change, event]] of Object.entries(emptied)) {
      it(`${what}; two looks count`, async () => {
        await start({ routes: 4 })
        const told = await watching()
        await answers(change)
        await look()
        simulator.clearFaults()
        await look()
        told.events.should.eql([])
        await answers(change)
        await look()
        await look()
        new Set(namesOf(told.events)).should.eql(new Set([event]))
      })
    }

    it('a list in another form than the configuration, when another route is removed', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const { data } = (await gateway.call(
        { method: 'GET', path: `${list()}?page=1&pageSize=500` },
        newOperation('test'),
      )) as { data: Array<{ id: string; source: object }> }
      const gone = simulator.routes[0]!
      simulator.removeRoute(gone.id)
      const others = data
        .filter(({ id }) => id !== gone.id)
        .map((one) => ({
          ...one,
          source: { ...one.source, labels: ['x'], networkInterface: 'eth9' },
        }))
      answer(list(), { ...empty, data: others, numResults: others.length })
      await look()
      await look()
      namesOf(told.events).should.eql(['route.removed'])
    })

    it('a device that is offline, whose own status is told all the same', async () => {
      await start({ routes: 4 })
      const told = await watching()
      const routes = simulator.routes.splice(0, 3)
      Object.assign(device(), { statusCode: 'error', status: 'Communication error' })
      await look()
      await look()
      namesOf(told.events).should.eql(['device.status'])
      simulator.routes.push(...routes)
      Object.assign(device(), { statusCode: 'ok', status: 'Online' })
      await look()
      namesOf(told.events).should.eql(['device.status', 'device.status'])
    })

    it('all routes removed for real: told when they are gone for ten seconds', async () => {
      await start({ routes: 3 })
      const told = await watching()
      while (simulator.routes.length > 0) simulator.removeRoute(simulator.routes[0]!.id)
      await look()
      skew += 5000
      await look()
      told.events.should.eql([])
      skew += 5000
      await look()
      await look()
      namesOf(told.events).should.eql(['route.removed', 'route.removed', 'route.removed'])
    })

    it('a configuration without routes in it, on firmware that only lists them', async () => {
      await start({ routes: 8 })
      const raw = { payload: undefined as unknown }
      const told = watch()
      await until(() => told.snapshots.length > 0)
      raw.payload = await rawDevice()
      ;(raw.payload as { config: { routes: unknown } }).config.routes = []
      simulator.fault({
        kind: 'status',
        status: 200,
        body: raw.payload,
        match: { path: configuration() },
      })
      const late = watch()
      await eventsOf(told, () => simulator.renameRoute(simulator.routes[0]!.id, 'Renamed'))
      namesOf(told.events).should.eql(['route.renamed'])
      namesOf(late.events).should.eql(['route.renamed'])
    })
  })

  describe('when the appliance is away', () => {
    const OUTAGE = 30_000
    let told: Told

    async function miss(times: number, each = 10_000): Promise<void> {
      for (let missed = 0; missed < times; missed++) {
        await look().catch(() => undefined)
        skew += each
      }
    }

    const outages: Record<string, { strike: () => unknown; mend: () => unknown; code: string }> = {
      'is stopped and started again': {
        strike: async () => simulator.stop(),
        mend: async () => simulator.start(),
        code: 'UNAVAILABLE',
      },
      hangs: {
        strike: () => simulator.fault({ kind: 'hang' }),
        mend: () => simulator.clearFaults(),
        code: 'TIMEOUT',
      },
      'answers pages instead of data': {
        strike: () => simulator.fault({ kind: 'html' }),
        mend: () => simulator.clearFaults(),
        code: 'BAD_RESPONSE',
      },
      'answers something else': {
        strike: () => simulator.fault({ kind: 'array' }),
        mend: () => simulator.clearFaults(),
        code: 'BAD_RESPONSE',
      },
      'answers half of it': {
        strike: () => simulator.fault({ kind: 'truncate' }),
        mend: () => simulator.clearFaults(),
        code: 'BAD_RESPONSE',
      },
      'has errors': {
        strike: () => simulator.fault({ kind: 'status', status: 500 }),
        mend: () => simulator.clearFaults(),
        code: 'UNAVAILABLE',
      },
    }
    for (const [what, { strike, mend, code }] of Object.entries(outages)) {
      it(`${what}: one unreachable, one reachable, what changed meanwhile once`, async () => {
        // Only where none comes, an answer need not be waited for long.
        await start({ routes: 8 }, { timeout: what === 'hangs' ? 100 : 2000 })
        told = await watching()
        await strike()
        await miss(3)
        told.events.should.eql([])
        told.health.at(-1)!.should.containDeep({ unreachable: false, known: { routes: 8 } })
        await miss(3)
        namesOf(told.events).should.eql(['appliance.unreachable'])
        told.events[0]!.should.containDeep({
          device: { id: deviceId, name: 'Gateway 1' },
          before: 'reachable',
          after: 'unreachable',
        })
        told.events[0]!.reason!.should.containDeep({ code })
        told.health.at(-1)!.unreachable.should.be.true()

        simulator.renameRoute(simulator.routes[0]!.id, 'Renamed meanwhile')
        simulator.dropSessions()
        await mend()
        await miss(3)
        namesOf(told.events).should.eql([
          'appliance.unreachable',
          'appliance.reachable',
          'route.renamed',
        ])
        const [left, back] = told.events as [WatchEvent, WatchEvent]
        back.since!.should.equal(left.at)
        back.outageMs!.should.be.within(OUTAGE, 3 * OUTAGE)
        log.filter((line) => line.startsWith('warn')).should.have.length(1)
        log.filter((line) => line.startsWith('info')).should.have.length(1)
      })
    }

    it('a short gap is told to nobody', async () => {
      await start({ routes: 4 }, { timeout: 100 })
      told = await watching()
      simulator.fault({ kind: 'hang' })
      await miss(2)
      simulator.clearFaults()
      skew += OUTAGE
      await miss(2)
      told.events.should.eql([])
      log.should.eql([])
    })

    it('an outage that is shorter than the hold is told to nobody', async () => {
      await start({ routes: 4 }, { timeout: 100 })
      told = await watching({ holdFor: 120_000 })
      const other = await watching()
      simulator.fault({ kind: 'hang' })
      await miss(5)
      simulator.clearFaults()
      await miss(1)
      told.events.should.eql([])
      namesOf(other.events).should.eql(['appliance.unreachable', 'appliance.reachable'])
    })

    it('watches that turn out to be of the same device are each told once', async () => {
      await start({ routes: 4 }, { timeout: 100 })
      await simulator.stop()
      const only = watch()
      const named = watch({ deviceId })
      const missBoth = async (): Promise<void> => {
        for (const each of [pollNow(gateway, deviceId), pollNow(gateway, '')]) {
          await each?.().catch(() => undefined)
        }
        skew += 10_000
      }
      for (let missed = 0; missed < 6; missed++) await missBoth()
      await simulator.start()
      for (let tries = 0; only.snapshots.length + named.snapshots.length < 2; tries++) {
        if (tries > 100) throw new Error('no snapshot came')
        await missBoth()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      for (const each of [only, named]) {
        namesOf(each.events).should.eql(['appliance.unreachable', 'appliance.reachable'])
        each.health.at(-1)!.unreachable.should.be.false()
      }
      log.filter((line) => line.startsWith('info')).should.have.length(1)
    })

    it('a watch that comes meanwhile is told so', async () => {
      await start({ routes: 4 }, { timeout: 500 })
      told = await watching()
      simulator.fault({ kind: 'hang' })
      await miss(5)
      const late = watch()
      namesOf(late.events).should.eql(['appliance.unreachable'])
      late.snapshots.should.have.length(1)
      simulator.clearFaults()
      await look()
      namesOf(late.events).should.eql(['appliance.unreachable', 'appliance.reachable'])
    })

    it('from the start: unreachable, then reachable and the snapshot', async () => {
      await start({ routes: 4 }, { timeout: 100 })
      simulator.fault({ kind: 'status', status: 503 })
      told = watch({ deviceId })
      await until(() => told.health.length > 0)
      should(told.health[0]!.known).be.undefined()
      await miss(5)
      namesOf(told.events).should.eql(['appliance.unreachable'])
      simulator.clearFaults()
      for (let tries = 0; told.snapshots.length === 0 && tries < 100; tries++) {
        await look().catch(() => new Promise((resolve) => setTimeout(resolve, 100)))
      }
      namesOf(told.events).should.eql(['appliance.unreachable', 'appliance.reachable'])
      told.snapshots.should.have.length(1)
    })

    it('refused credentials: one login however many polls, told once at once', async () => {
      await start({ routes: 4, password: 'another' })
      told = watch({ deviceId })
      await until(() => told.failures.length > 0)
      await miss(5)
      told.failures.map(({ code }) => code).should.eql(['LOGIN_REFUSED'])
      simulator.loginAttempts.should.equal(1)
      namesOf(told.events).should.eql(['appliance.unreachable'])
      log.should.have.length(1)
    })

    it('too many sessions: held with backoff, not a login for each poll', async () => {
      await start({ routes: 4, maxSessions: 0 })
      told = watch({ deviceId })
      await until(() => told.health.length > 0)
      await miss(10, 10)
      simulator.loginAttempts.should.be.below(3)
      told.health.at(-1)!.failure!.code.should.equal('TOO_MANY_SESSIONS')
    })

    it("a session that is lost is nobody's affair", async () => {
      await start({ routes: 4 })
      told = await watching()
      simulator.dropSessions()
      await look()
      simulator.dropSessions()
      await look()
      told.events.should.eql([])
      told.health.every(({ failure }) => failure === undefined).should.be.true()
      simulator.logins.should.equal(3)
      log.should.eql([])
    })

    it('several devices and none named: told once', async () => {
      await start({ routes: 4, devices: 2 })
      told = watch()
      await until(() => told.failures.length > 0)
      told.failures[0]!.code.should.equal('INVALID_INPUT')
      told.failures[0]!.message.should.containEql(deviceId)
    })

    it('a device that is not there: told once, and watched when it comes', async () => {
      await start({ routes: 4 })
      told = watch({ deviceId: 'missing' })
      await until(() => told.failures.length > 0)
      told.failures.map(({ code }) => code).should.eql(['NOT_FOUND'])
    })
  })

  describe('statistics', () => {
    const statistics = (): number => callsFor(`/api/gateway/${deviceId}/statistics`)

    /** What the source of a route carries, from now on. */
    function carries(route: RouteState, bitrate: number | string, more: object = {}): void {
      simulator.clearFaults()
      simulator.fault({
        kind: 'status',
        status: 200,
        body: {
          collectedAt: Date.now(),
          route: {
            id: route.id,
            name: route.name,
            state: 'running',
            source: { id: route.source.id, name: route.source.name, bitrate, ...more },
            destinations: [],
          },
        },
        match: { path: `/api/gateway/${deviceId}/statistics` },
      })
    }

    /** A regular poll, with which statistics are read. */
    async function poll(told: Told): Promise<void> {
      const known = told.health.length
      const read = statistics()
      await until(() => told.health.length > known && statistics() > read)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }

    it('low, normal beyond the hysteresis, high; each once', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      carries(route, 5)
      const told = await watching({
        route: { id: route.id },
        thresholds: [{ measure: 'bitrate', of: 'source', low: 2, high: 9, hysteresis: 1 }],
      })
      const source = { route: { id: route.id, name: route.name }, measure: 'bitrate', of: 'source' }
      await until(() => statistics() > 0)
      for (const [bitrate, expected] of [
        ['1.5', { event: 'statistics.low', before: 'normal', after: 'low', value: 1.5, limit: 2 }],
        [2.5, undefined],
        [3.5, { event: 'statistics.normal', before: 'low', after: 'normal', value: 3.5, limit: 2 }],
        [9.5, { event: 'statistics.high', before: 'normal', after: 'high', value: 9.5, limit: 9 }],
      ] as const) {
        told.events.length = 0
        carries(route, bitrate)
        await poll(told)
        told.events.should.have.length(expected ? 1 : 0)
        if (expected) told.events[0]!.should.containDeep({ ...source, ...expected })
      }
      statistics().should.be.belowOrEqual(polls())
    })

    it('reads only running routes that are asked for, once for all watches', async () => {
      await start({ routes: 12 })
      const thresholds = [{ measure: 'bitrate', of: 'destination', low: 0.1 }] as const
      const [one, two] = simulator.routes.filter(({ state }) => state === 'running')
      watch({ route: { id: one!.id }, thresholds })
      watch({ route: { id: one!.id }, thresholds })
      watch({ route: { id: idle().id }, thresholds })
      watch({ route: { id: two!.id }, thresholds, events: ['route.added'] })
      const told = await watching()
      await until(() => statistics() > 0)
      await new Promise((resolve) => setTimeout(resolve, 50))
      simulator.journal
        .filter(({ path }) => path.endsWith('/statistics'))
        .map(({ query }) => query.routeID)
        .should.eql([one!.id])
      told.events.should.eql([])
    })

    it('a route that stops while it is low: normal, with no value', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      carries(route, 0.5)
      const told = await watching({
        events: ['statistics.low', 'statistics.normal'],
        thresholds: [{ measure: 'bitrate', of: 'source', low: 2 }],
        route: { id: route.id },
      })
      await until(() => told.events.length > 0)
      namesOf(told.events).should.eql(['statistics.low'])
      simulator.stopRoute(route.id)
      await look()
      namesOf(told.events).should.eql(['statistics.low', 'statistics.normal'])
      should(told.events[1]!.value).be.null()
    })

    it('a route that is renamed out of the pattern while it is low: normal, with no value', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      simulator.renameRoute(route.id, 'Studio A')
      carries(route, 0.5)
      const told = await watching({
        events: ['route.removed', 'statistics.low', 'statistics.normal'],
        thresholds: [{ measure: 'bitrate', of: 'source', low: 2 }],
        route: { pattern: 'Studio*' },
      })
      await until(() => told.events.length > 0)
      simulator.renameRoute(route.id, 'News')
      await look()
      namesOf(told.events).should.eql(['statistics.low', 'route.removed', 'statistics.normal'])
      should(told.events[2]!.value).be.null()
    })

    it('tells the worst of several connections, and nothing where there is no such measure', async () => {
      await start({ routes: 6 })
      const route = running()
      carries(route, 5, {
        srtRoundTripTime: 20,
        srtPacketLossRate: 0,
        connections: [{ srtRoundTripTime: 300, srtPacketLossRate: 4 }, { srtRoundTripTime: 20 }],
      })
      const told = await watching({
        route: { id: route.id },
        thresholds: [
          { measure: 'roundTripTime', of: 'source', high: 200 },
          { measure: 'packetLoss', of: 'source', high: 2 },
          { measure: 'packetLoss', of: 'destination', high: 2 },
        ],
      })
      await until(() => told.events.length >= 2)
      told.events
        .map(({ event, measure, value }) => [event, measure, value])
        .should.eql([
          ['statistics.high', 'roundTripTime', 300],
          ['statistics.high', 'packetLoss', 4],
        ])
    })

    it('a value that is left out says nothing', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      carries(route, 0.5)
      const told = await watching({
        thresholds: [{ measure: 'bitrate', of: 'source', low: 2 }],
        route: { id: route.id },
      })
      await until(() => told.events.length > 0)
      carries(route, '')
      await poll(told)
      carries(route, 0.5)
      await poll(told)
      namesOf(told.events).should.eql(['statistics.low'])
    })

    it('are read also while somebody waits all the time', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      await watching({ thresholds: [{ measure: 'bitrate', of: 'source', low: 0.001 }] })
      await until(() => statistics() > 0)
      const read = statistics()
      for (let looks = 0; looks < 30; looks++) {
        await look()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      statistics().should.be.above(read)
    })

    it('that cannot be read are told once, and change nothing', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      simulator.fault({
        kind: 'status',
        status: 403,
        match: { path: `/api/gateway/${deviceId}/statistics` },
      })
      const told = await watching({
        thresholds: [{ measure: 'bitrate', of: 'source', low: 2 }],
      })
      await until(() => told.failures.length > 0)
      await look()
      told.failures.map(({ code }) => code).should.eql(['FORBIDDEN'])
      told.events.should.eql([])
    })
  })

  it('keeps no more after hundreds of polls, failed and not', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const heap = (): number => {
      simulator.clearJournal()
      collect()
      return process.memoryUsage().heapUsed
    }
    await start({ routes: 30 })
    const told = await watching({ holdFor: 60_000 })
    const round = async (): Promise<void> => {
      for (let polled = 0; polled < 150; polled++) {
        simulator.clearFaults()
        simulator.routes[polled % 30]!.name = `Name ${polled}`
        if (polled % 3 === 1) simulator.fault({ kind: 'array' })
        await look().catch(() => undefined)
        skew += 20_000
      }
      told.events.length = 0
      told.health.length = 0
    }
    await round()
    const before = heap()
    await round()
    await round()
    ;(heap() - before).should.be.below(1_000_000)
  }).timeout(60_000)

  it('ends with the gateway: no poll, no timer, no session', async () => {
    await start({ routes: 4 }, { pollInterval: 1000 })
    const told = await watching()
    pending.size.should.equal(1)
    await gateway.close()
    pending.size.should.equal(0)
    told.events.should.eql([])
    should(() => watch()).throw({ code: 'CLOSED' })
  })
})
