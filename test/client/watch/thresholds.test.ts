import should from 'should'
import type { RouteState } from '../../../simulator'
import { until } from '../../support/until'
import {
  callsFor,
  closeAll,
  deviceId,
  idle,
  look,
  namesOf,
  polls,
  running,
  simulator,
  start,
  watch,
  watching,
  type Told,
} from './support'

/** Design 2.6, against the simulator. */
describe('watching', () => {
  afterEach(closeAll)

  describe('statistics', () => {
    const statistics = (): number => callsFor(`/api/gateway/${deviceId}/statistics`)

    /** The round-trip time of the source of a route, from now on. */
    function carries(
      route: RouteState,
      srtRoundTripTime: number | string,
      more: object = {},
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
            state: 'running',
            source: { id: route.source.id, name: route.source.name, srtRoundTripTime, ...more },
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
        await poll(told)
        told.events.should.have.length(expected ? 1 : 0)
        if (expected) told.events[0]!.should.containDeep({ ...source, ...expected })
      }
      statistics().should.be.belowOrEqual(polls())
    })

    it('reads only running routes that are asked for, once for all watches', async () => {
      await start({ routes: 12 })
      const thresholds = [{ measure: 'roundTripTime', of: 'destination', low: 0.1 }] as const
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
        thresholds: [{ measure: 'roundTripTime', of: 'source', low: 2 }],
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
        thresholds: [{ measure: 'roundTripTime', of: 'source', low: 2 }],
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
      const told = await watching({
        thresholds: [{ measure: 'roundTripTime', of: 'source', low: 2 }],
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
      await watching({ thresholds: [{ measure: 'roundTripTime', of: 'source', low: 0.001 }] })
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
        thresholds: [{ measure: 'roundTripTime', of: 'source', low: 2 }],
      })
      await until(() => told.failures.length > 0)
      await look()
      told.failures.map(({ code }) => code).should.eql(['FORBIDDEN'])
      told.events.should.eql([])
    })
  })
})
