import * as fc from 'fast-check'
import should from 'should'
import {
  EVENTS,
  knownSnapshot,
  newOperation,
  savedIn,
  type Connection,
  type DeviceConfiguration,
  type RouteView,
  type Snapshot,
  type WatchEvent,
  type WatchOptions,
} from '../../../client/internal'
import { pollNow } from '../../../client/watch/device-watch'
import { settingsOf } from '../../../client/watch/subscription'
import type { RouteState } from '../../../simulator'
import { until } from '../../support/until'
import { device as anyDevice } from './states'
import {
  callsFor,
  closeAll,
  device,
  deviceId,
  eventsOf,
  gateway,
  look,
  namesOf,
  open,
  passTime,
  picture,
  polls,
  running,
  simulator,
  start,
  takeOver,
  watch,
  watching,
  type Told,
} from './support'

const seen = ({ health }: Told): boolean => health.some(({ known }) => known !== undefined)

/** Watches, changes something while nobody does, and watches on as another process. */
async function meanwhile(
  change: () => unknown,
  options: Partial<WatchOptions> = {},
  handed: (snapshot: Snapshot) => unknown = (snapshot) => snapshot,
): Promise<Told> {
  const first = await watching()
  const snapshot = picture()
  first.end()
  await change()
  await takeOver(() => handed(snapshot))
  const told = watch(options)
  await until(() => seen(told), 'the first poll')
  return told
}

/** The only event of a change that nobody saw. */
async function only(change: () => unknown): Promise<WatchEvent> {
  const begun = Date.now()
  const { events } = await meanwhile(change)
  namesOf(events).should.have.length(1)
  const [event] = events
  event!.device.should.eql({ id: deviceId, name: 'Gateway 1' })
  event!.at.should.be.within(begun, Date.now())
  return event!
}

describe('a watch that begins with what another process has seen', () => {
  afterEach(closeAll)

  describe('tells what has changed meanwhile:', () => {
    let route: RouteState

    beforeEach(async () => {
      await start({ routes: 8 })
      route = running()
    })

    it('nothing, where nothing has', async () => {
      const { source } = simulator.routes.find((one) => one.source.protocol === 'srt')!
      source.srtPassPhrase = 'first-pass-phrase'
      const told = await meanwhile(() => undefined)
      await look()
      told.events.should.eql([])
      told.failures.should.eql([])
    })

    it('with the requests of any other first poll', async () => {
      await meanwhile(() => {
        route.summaryStatusCode = 'error'
      })
      polls().should.equal(2)
      callsFor(`/api/gateway/${deviceId}/routes`).should.equal(0)
    })

    it('a route that failed', async () => {
      const event = await only(() =>
        Object.assign(route, { summaryStatusCode: 'error', summaryStatusDetails: 'No licence' }),
      )
      event.should.containDeep({
        event: 'route.status',
        text: `${route.name} has an error, running (No licence)`,
        route: { id: route.id, name: route.name },
        before: 'ok',
        after: 'error',
        details: 'No licence',
        states: { before: 'running', after: 'running' },
      })
    })

    it('a route that stopped, with its source and destinations', async () => {
      const { events } = await meanwhile(() => simulator.stopRoute(route.id))
      const [stopped, status, source, ...others] = namesOf(events)
      const first = [stopped, status, source]
      first.should.eql(['route.stopped', 'route.status', 'source.status'])
      new Set(others).should.eql(new Set(['destination.status']))
      events[0]!.should.containDeep({ before: 'running', after: 'idle' })
    })

    it('a route that was added', async () => {
      const event = await only(() =>
        simulator.addRoute({
          name: 'New',
          source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
        }),
      )
      const { id } = simulator.route('New')!
      event.should.containDeep({ event: 'route.added', route: { id, name: 'New' } })
      event.after!.should.containDeep({ id, source: { port: 5000 } })
    })

    it('a route that was removed, with what was known of it', async () => {
      const { id, name } = route
      const event = await only(() => simulator.removeRoute(id))
      event.should.containDeep({ event: 'route.removed', route: { id, name } })
      should(event.after).be.null()
      const before = event.before as RouteView
      before.should.containDeep({ id, name, state: 'running', source: { name: route.source.name } })
      before.destinations.map((one) => one.id).should.eql(route.destinations.map((one) => one.id))
      callsFor(`/api/gateway/${deviceId}/routes/${id}`).should.equal(2)
    })

    it('a route that was renamed', async () => {
      const { id, name } = route
      const event = await only(() => simulator.renameRoute(id, 'Other name'))
      event.should.containDeep({ event: 'route.renamed', route: { id }, before: name })
      event.after!.should.equal('Other name')
    })

    it('a source that lost its connection', async () => {
      const event = await only(() => Object.assign(route.source, { state: 'disconnected' }))
      event.should.containDeep({ event: 'source.status', after: 'disconnected' })
    })

    it('a destination that failed, was stopped, was removed or is new', async () => {
      const [one, two] = route.destinations as [RouteState['destinations'][0], typeof route.source]
      const other = simulator.routes.find((each) => each !== route && each.destinations.length > 0)!
      const [gone] = other.destinations as [RouteState['destinations'][0]]
      const { events } = await meanwhile(() => {
        one.summaryStatusCode = 'error'
        two.started = false
        other.destinations.splice(0, 1, { ...gone, id: 'new one', name: 'New' })
      })
      const told = events.map(({ event, destination }) => [event, destination!.id] as const)
      told
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .should.eql([
          ['destination.added', 'new one'],
          ['destination.removed', gone.id],
          ['destination.status', one.id],
          ['destination.stopped', two.id],
        ])
    })

    it('the device: its status, firmware, adapters and pairings', async () => {
      const { events } = await meanwhile(() => {
        Object.assign(device(), { statusCode: 'error', firmware: '9' })
        device().networkAdapters[0]!.address = '192.0.2.99'
        device().pairings[0]!.status = 'poll timeout'
      })
      namesOf(events).should.eql([
        'device.status',
        'device.firmware',
        'device.config',
        'peer.status',
      ])
      events[3]!.should.containDeep({ before: 'accepted', after: 'poll timeout' })
    })

    it('a source that has another port, and one that has another protocol', async () => {
      const other = simulator.routes.find(({ id }) => id !== route.id)!
      const { events } = await meanwhile(() => {
        route.source.port = 7777
        Object.assign(other.source, { protocol: 'rtsp', address: 'rtsp://host/x' })
      })
      const changed = events.filter(({ event }) => event === 'route.changed')
      new Set(changed.map((one) => one.route!.id)).should.eql(new Set([route.id, other.id]))
      const event = changed.find((one) => one.route!.id === route.id)!
      event.after!.should.containDeep({ source: { port: 7777 } })
      event.before!.should.not.containDeep({ source: { port: 7777 } })
    })

    it('no secret that was changed: no other process knows it', async () => {
      const { source } = simulator.routes.find((one) => one.source.protocol === 'srt')!
      source.srtPassPhrase = 'first-pass-phrase'
      const told = await meanwhile(() => (source.srtPassPhrase = 'second-pass-phrase'))
      told.events.should.eql([])
      // One that is changed from now on is told.
      await eventsOf(told, () => (source.srtPassPhrase = 'third-pass-phrase'))
      namesOf(told.events).should.eql(['route.changed'])
      JSON.stringify(told).should.not.containEql('pass-phrase')
    })

    it('no member that only one of both shows: another release may know others', async () => {
      const told = await meanwhile(
        () => undefined,
        {},
        (snapshot) => {
          for (const { source } of snapshot.routes) {
            delete source.srtLatency
            delete source.networkInterface
            Object.assign(source, { memberOfNextYear: 1 })
          }
          return snapshot
        },
      )
      told.events.should.eql([])
    })

    it('what changes from now on, as any watch', async () => {
      const told = await meanwhile(() => (route.summaryStatusCode = 'error'))
      const events = await eventsOf(told, () => (route.summaryStatusCode = 'ok'))
      events.should.have.length(1)
      events[0]!.should.containDeep({ event: 'route.status', before: 'error', after: 'ok' })
    })
  })

  describe('takes nothing for removed', () => {
    it('that is only missing from an answer, nor what it shows then for changed', async () => {
      await start({ routes: 4 })
      const { id, source } = simulator.routes.find((one) => one.source.protocol === 'srt')!
      source.srtPassPhrase = 'never-changed-pass-phrase'
      const path = `/api/devices/${deviceId}`
      const whole = async (): Promise<DeviceConfiguration> =>
        (await gateway.call({ method: 'GET', path }, newOperation('test'))) as DeviceConfiguration
      const told = await meanwhile(async () => {
        const configuration = await whole()
        const routes = configuration.config.routes.filter((one) => one.id !== id)
        const body = { ...configuration, config: { ...configuration.config, routes } }
        simulator.fault({ kind: 'status', status: 200, body, match: { path } })
        const list = { data: routes, numPages: 1, numResults: routes.length }
        const match = { path: `/api/gateway/${deviceId}/routes` }
        simulator.fault({ kind: 'status', status: 200, body: list, match })
      })
      await look()
      simulator.clearFaults()
      await look()
      told.events.should.eql([])
      await eventsOf(told, () => simulator.removeRoute(id))
      told.events.map(({ event, route }) => [event, route!.id]).should.eql([['route.removed', id]])
    })
  })

  describe('follows what the watch is set to:', () => {
    beforeEach(() => start({ routes: 8 }))

    it('a snapshot of what was handed over, with its time, then what has changed since', async () => {
      const { id } = running()
      const order: string[] = []
      let handed: Snapshot | undefined
      const told = await meanwhile(
        () => simulator.stopRoute(id),
        {
          onSnapshot: (snapshot) => {
            order.push('snapshot')
            handed = snapshot
          },
          onEvents: (events) => order.push(...namesOf(events)),
        },
        (snapshot) => ({ ...snapshot, at: 1_700_000_000_000 }),
      )
      order.slice(0, 2).should.eql(['snapshot', 'route.stopped'])
      handed!.at.should.equal(1_700_000_000_000)
      handed!.routes.find((one) => one.id === id)!.state!.should.equal('running')
      handed!.routes.should.have.length(8)
      order.filter((one) => one === 'snapshot').should.have.length(1)
      const late = watch()
      late.snapshots[0]!.routes.find((one) => one.id === id)!.state!.should.equal('idle')
      late.events.should.eql([])
      // What its status shows is what is known now.
      told.health.should.have.length(1)
      told.health[0]!.known!.seenAt.should.be.above(1_700_000_000_000)
    })

    it('chosen events and routes', async () => {
      const [one, two] = simulator.routes.filter(({ state }) => state === 'running')
      const told = await meanwhile(
        () => {
          for (const { id } of [one!, two!]) simulator.stopRoute(id)
        },
        { events: ['route.stopped'], route: { id: two!.id } },
      )
      told.events
        .map(({ event, route }) => [event, route!.id])
        .should.eql([['route.stopped', two!.id]])
    })

    it('a pattern that the new name no longer fits: the route is removed from it', async () => {
      const route = running()
      simulator.renameRoute(route.id, 'Sport 1')
      const told = await meanwhile(() => simulator.renameRoute(route.id, 'News 1'), {
        route: { pattern: 'Sport*' },
      })
      namesOf(told.events).should.eql(['route.renamed', 'route.removed'])
    })

    it('a hold-off, from when it was seen here', async () => {
      const route = running()
      const { source } = simulator.routes.find((one) => one.source.protocol === 'srt')!
      source.srtPassPhrase = 'first-pass-phrase'
      const told = await meanwhile(() => (route.summaryStatusCode = 'error'), { holdFor: 60_000 })
      const seenAt = told.health.at(-1)!.known!.seenAt
      told.events.should.eql([])
      // A secret that is changed now was known before.
      source.srtPassPhrase = 'second-pass-phrase'
      passTime(59_000)
      await look()
      told.events.should.eql([])
      passTime(2000)
      await look()
      namesOf(told.events).should.eql(['route.status'])
      told.events[0]!.at.should.equal(seenAt)
      passTime(60_000)
      await look()
      namesOf(told.events).should.eql(['route.status', 'route.changed'])
    })

    it('a hold-off: what is as before again is not told', async () => {
      const route = running()
      const told = await meanwhile(() => (route.summaryStatusCode = 'error'), { holdFor: 60_000 })
      route.summaryStatusCode = 'ok'
      passTime(61_000)
      await look()
      await look()
      told.events.should.eql([])
    })

    it('every watch that is there at the first poll, and none twice', async () => {
      const { id } = running()
      const first = await watching()
      const snapshot = picture()
      first.end()
      simulator.stopRoute(id)
      let asked = 0
      await takeOver(() => {
        asked++
        return snapshot
      })
      const watches = [watch(), watch({ deviceId }), watch({ events: ['route.stopped'] })]
      await until(() => watches.every(seen))
      for (const { events, snapshots } of watches) {
        namesOf(events)
          .filter((name) => name === 'route.stopped')
          .should.have.length(1)
        snapshots.should.have.length(1)
      }
      // The next one after all have ended begins like any other.
      for (const { end } of watches) end()
      passTime(3000)
      await gateway.pause(2100)
      const later = await watching()
      later.events.should.eql([])
      later.snapshots[0]!.routes.find((one) => one.id === id)!.state!.should.equal('idle')
      asked.should.equal(1)
    })
  })

  describe('waits for the appliance:', () => {
    it('what changed during an outage is told at its end', async () => {
      await start({ routes: 4 })
      const first = await watching()
      const snapshot = picture()
      first.end()
      const { id } = running()
      simulator.stopRoute(id)
      simulator.fault({ kind: 'status', status: 500, match: { path: `/api/devices/${deviceId}` } })
      await takeOver(() => snapshot)
      const told = watch()
      await until(() => told.health.length > 0)
      for (let polled = 0; polled < 4; polled++) {
        await look().catch(() => undefined)
        passTime(10_000)
      }
      namesOf(told.events).should.eql(['appliance.unreachable'])
      told.snapshots.should.eql([])
      simulator.clearFaults()
      await look()
      namesOf(told.events)
        .slice(0, 3)
        .should.eql(['appliance.unreachable', 'appliance.reachable', 'route.stopped'])
    })
  })

  describe('begins as any other, with the present state and no event,', () => {
    beforeEach(() => start({ routes: 4 }))

    const useless: Record<string, (snapshot: Snapshot) => unknown> = {
      'where there is nothing': () => undefined,
      'where it is null': () => null,
      'where it is a text': () => 'garbage',
      'where it is a list': () => [],
      'where it is empty': () => ({}),
      'where it cannot be read': () => {
        throw new Error('The engine is away')
      },
      'where it is of another device': (snapshot) => ({
        ...snapshot,
        device: { ...snapshot.device, id: 'another' },
      }),
      'where it has no time': (snapshot) => ({ ...snapshot, at: undefined }),
      'where its routes are no list': (snapshot) => ({ ...snapshot, routes: {} }),
      'where a route is null': (snapshot) => ({ ...snapshot, routes: [null, ...snapshot.routes] }),
      'where a route has no ID': (snapshot) => ({ ...snapshot, routes: [{ name: 'one' }] }),
      'where a destination is a text': (snapshot) => ({
        ...snapshot,
        routes: snapshot.routes.map((route) => ({ ...route, destinations: ['one'] })),
      }),
      'where pairings are left out': (snapshot) => ({ ...snapshot, peers: undefined }),
    }
    for (const [what, handed] of Object.entries(useless)) {
      it(what, async () => {
        const { id } = running()
        const told = await meanwhile(() => simulator.stopRoute(id), {}, handed)
        await look()
        told.events.should.eql([])
        told.snapshots.should.have.length(1)
        const [snapshot] = told.snapshots
        snapshot!.routes.find((one) => one.id === id)!.state!.should.equal('idle')
        told.health.every(({ failure }) => failure === undefined).should.be.true()
      })
    }

    it('and a close does not wait for it', async () => {
      await takeOver(() => new Promise(() => undefined))
      const told = watch()
      const calls = simulator.journal.length
      await gateway.close()
      simulator.journal.length.should.equal(calls)
      told.health.should.eql([])
    })

    it('a watch that is taken away and comes back while it is waited for has it all the same', async () => {
      const first = await watching()
      const snapshot = picture()
      first.end()
      const { id } = running()
      simulator.stopRoute(id)
      let answer: (value: unknown) => void = () => undefined
      await takeOver(() => new Promise((resolve) => (answer = resolve)))
      watch().end()
      const told = watch()
      await gateway.pause(100)
      answer(snapshot)
      await until(() => seen(told))
      namesOf(told.events)[0]!.should.equal('route.stopped')
    })
  })

  describe('tells the same as one process that has seen both states', () => {
    // Bit rates are not handed over: what they were may be long ago.
    const events = EVENTS.filter((event) => !event.startsWith('source.data'))
    /** Everything but definitions, of which a snapshot does not tell all. */
    const comparable = (told: WatchEvent[]): unknown =>
      told
        .filter(({ event }) => event !== 'route.changed')
        .map((event) => JSON.parse(JSON.stringify({ ...event, at: 0 })) as unknown)
    const changed = (told: WatchEvent[]): string[] =>
      told.filter(({ event }) => event === 'route.changed').map(({ route }) => route!.id)

    /** Polls until what is missing is known to be gone. */
    async function settle(of: Connection): Promise<void> {
      for (let polled = 0; polled < 3; polled++) {
        await pollNow(of, deviceId)!()
        passTime(11_000)
      }
    }

    function show(configuration: DeviceConfiguration): void {
      const { routes } = configuration.config
      const at = (path: string, body: unknown): unknown =>
        simulator.fault({ kind: 'status', status: 200, body, match: { path } })
      simulator.clearFaults()
      at(`/api/devices/${deviceId}`, { ...configuration, _id: deviceId })
      at(`/api/gateway/${deviceId}/routes`, {
        data: routes,
        numPages: 1,
        numResults: routes.length,
      })
    }

    async function both(
      before: DeviceConfiguration,
      after: DeviceConfiguration,
    ): Promise<[WatchEvent[], WatchEvent[]]> {
      show(before)
      const one = open()
      let two: Connection | undefined
      try {
        const whole = watch({ events }, one)
        await until(() => seen(whole))
        const handed = JSON.parse(JSON.stringify(knownSnapshot(one))) as unknown
        show(after)
        await settle(one)
        two = open({ saved: async () => savedIn({ snapshot: handed }) })
        const second = watch({ events }, two)
        await until(() => seen(second))
        await settle(two)
        return [whole.events, second.events]
      } finally {
        await Promise.all([one.close(), two?.close()])
      }
    }

    it('for any two states', async () => {
      await start({ routes: 0 })
      await fc.assert(
        fc.asyncProperty(anyDevice, anyDevice, async (before, after) => {
          const [whole, second] = await both(before, after)
          should(comparable(second)).deepEqual(comparable(whole))
          // Of definitions it tells no more than is so.
          const known = new Set(changed(whole))
          changed(second)
            .filter((id) => !known.has(id))
            .should.eql([])
        }),
        { numRuns: 40 },
      )
    })

    it('nothing for one and the same state', async () => {
      await start({ routes: 0 })
      await fc.assert(
        fc.asyncProperty(anyDevice, async (state) => {
          const [whole, second] = await both(state, state)
          whole.should.eql([])
          second.should.eql([])
        }),
        { numRuns: 20 },
      )
    })

    it('and fails at nothing that may be handed over', async () => {
      await start({ routes: 2 })
      const first = await watching()
      const snapshot = picture()
      first.end()
      const settings = settingsOf({ onEvents: () => undefined })
      const odd = fc.letrec((tie) => ({
        value: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 })),
      })).value
      const paths: Array<(value: unknown) => unknown> = [
        (value) => value,
        (value) => ({ snapshot: value, open: value }),
        (value) => ({ open: { [settings]: value } }),
        (value) => ({ open: { [settings]: { unreachableSince: value, noData: value } } }),
        (value) => ({ open: { [settings]: { told: value, limits: [value], noData: [value] } } }),
        (value) => ({ snapshot: { ...snapshot, device: value } }),
        (value) => ({ snapshot: { ...snapshot, device: { ...snapshot.device, status: value } } }),
        (value) => ({ snapshot: { ...snapshot, adapters: [value] } }),
        (value) => ({ snapshot: { ...snapshot, peers: [value] } }),
        (value) => ({ snapshot: { ...snapshot, routes: [value] } }),
        (value) => ({
          snapshot: { ...snapshot, routes: [{ ...snapshot.routes[0], source: value }] },
        }),
        (value) => ({
          snapshot: { ...snapshot, routes: [{ ...snapshot.routes[0], destinations: [value] }] },
        }),
        (value) => ({
          snapshot: {
            ...snapshot,
            routes: [{ ...snapshot.routes[0], source: { protocol: 'srt', port: value } }],
          },
        }),
      ]
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...paths), odd, async (path, value) => {
          const other = open({ saved: async () => savedIn(path(value)) })
          const told = watch({}, other)
          try {
            await until(() => told.health.length > 0)
            should(told.health[0]!.failure).be.undefined()
            told.snapshots.should.have.length(1)
          } finally {
            await other.close()
          }
        }),
        { numRuns: 60 },
      )
    })
  })
})
