import type { Fault, RouteState } from '../../../simulator'
import { until } from '../../support/until'
import {
  callsFor,
  deviceId,
  idle,
  look,
  namesOf,
  passTime,
  polls,
  running,
  simulator,
  start,
  watch,
  watching,
} from './support'

describe('watching', () => {
  describe('statistics', () => {
    const statistics = (): number => callsFor(`/api/gateway/${deviceId}/statistics`)

    /** The round-trip time of the source of a route, from now on. */
    function carries(
      route: RouteState,
      srtRoundTripTime: number | string,
      more: object = {},
      state = 'running',
    ): void {
      simulator.clearFaults()
      simulator.fault({
        kind: 'status',
        status: 200,
        body: {
          collectedAt: Date.now(),
          route: {
            id: route.id,
            name: route.name,
            state,
            source: { id: route.source.id, name: route.source.name, srtRoundTripTime, ...more },
            destinations: [],
          },
        },
        match: { path: `/api/gateway/${deviceId}/statistics` },
      })
    }

    /** Polls until what is read from now on has been taken: the next reading waits for the one before. */
    async function poll(times = 1): Promise<void> {
      const known = statistics()
      await until(() => {
        passTime(1000)
        return statistics() > known + times
      })
    }

    const LOW = { thresholds: [{ measure: 'roundTripTime', of: 'source', low: 2 }] } as const
    const refuses = (fault: Fault): unknown =>
      simulator.fault({ ...fault, match: { path: `/api/gateway/${deviceId}/statistics` } })

    it('low, normal beyond the hysteresis, high; each once', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      carries(route, 5)
      const told = await watching({
        route: { id: route.id },
        thresholds: [{ measure: 'roundTripTime', of: 'source', low: 2, high: 9, hysteresis: 1 }],
      })
      const source = {
        route: { id: route.id, name: route.name },
        measure: 'roundTripTime',
        of: 'source',
      }
      await until(() => statistics() > 0)
      for (const [value, expected] of [
        ['1.5', { event: 'statistics.low', before: 'normal', after: 'low', value: 1.5, limit: 2 }],
        [2.5, undefined],
        [3.5, { event: 'statistics.normal', before: 'low', after: 'normal', value: 3.5, limit: 2 }],
        [9.5, { event: 'statistics.high', before: 'normal', after: 'high', value: 9.5, limit: 9 }],
      ] as const) {
        told.events.length = 0
        carries(route, value)
        await poll()
        told.events.should.have.length(expected ? 1 : 0)
        if (expected) told.events[0]!.should.containDeep({ ...source, ...expected })
      }
      statistics().should.be.belowOrEqual(polls())
    })

    it('reads only running routes that are asked for, once for all watches', async () => {
      await start({ routes: 12 }, { pollInterval: 1000 })
      const thresholds = [{ measure: 'roundTripTime', of: 'destination', low: 0.1 }] as const
      const [one, two] = simulator.routes.filter(({ state }) => state === 'running')
      watch({ route: { id: one!.id }, thresholds })
      watch({ route: { id: one!.id }, thresholds })
      watch({ route: { id: idle().id }, thresholds })
      watch({ route: { id: two!.id }, thresholds, events: ['route.added'] })
      const told = await watching()
      await poll(3)
      const read = simulator.journal.filter(({ path }) => path.endsWith('/statistics'))
      new Set(read.map(({ query }) => query.routeID)).should.eql(new Set([one!.id]))
      read.length.should.be.belowOrEqual(polls())
      told.events.should.eql([])
    })

    it('that say that a route does not run, which the poll has not seen yet, mean nothing', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      carries(route, 5)
      const told = await watching({ route: { id: route.id }, ...LOW })
      await until(() => statistics() > 0)
      for (const state of ['idle', 'stopped', '']) {
        carries(route, 0, {}, state)
        await poll()
        told.events.should.eql([])
      }
      carries(route, 0, {}, 'Running')
      await poll()
      namesOf(told.events).should.eql(['statistics.low'])
    })

    it('a route that stops while it is low: normal, with no value', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      const route = running()
      carries(route, 0.5)
      const told = await watching({
        events: ['statistics.low', 'statistics.normal'],
        ...LOW,
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
        ...LOW,
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
      carries(route, 20, {
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
      const told = await watching({ route: { id: route.id }, ...LOW })
      await until(() => told.events.length > 0)
      carries(route, '')
      await poll()
      carries(route, 0.5)
      await poll()
      namesOf(told.events).should.eql(['statistics.low'])
    })

    it('are read also while somebody waits all the time', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      await watching({ thresholds: [{ measure: 'roundTripTime', of: 'source', low: 0.001 }] })
      await until(() => statistics() > 0)
      const read = statistics()
      for (let looks = 0; looks < 30; looks++) {
        await look()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      statistics().should.be.above(read)
    })

    it('that are slow are not read a second time meanwhile', async () => {
      await start({ routes: 6 }, { timeout: 60_000 })
      const { id } = running()
      refuses({ kind: 'hang' })
      await watching({ route: { id }, ...LOW })
      await until(() => statistics() === 1)
      for (let polled = 0; polled < 3; polled++) {
        passTime(3_600_000)
        await look()
      }
      statistics().should.equal(1)
    })

    it('that are not found are told with the third time: their route may be gone', async () => {
      await start({ routes: 6 })
      const { id } = running()
      refuses({ kind: 'status', status: 404 })
      const told = await watching({ route: { id }, ...LOW })
      await until(() => {
        passTime(3_600_000)
        return told.failures.length > 0
      })
      statistics().should.be.aboveOrEqual(3)
      told.failures.map(({ code }) => code).should.eql(['NOT_FOUND'])
    })

    it('that cannot be read are told once, and change nothing', async () => {
      await start({ routes: 6 }, { pollInterval: 1000 })
      refuses({ kind: 'status', status: 403 })
      const told = await watching(LOW)
      await until(() => told.failures.length > 0)
      await poll(2)
      told.failures.map(({ code }) => code).should.eql(['FORBIDDEN'])
      told.events.should.eql([])
    })
  })
})
