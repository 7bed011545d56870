// One read of the device for all failovers of a gateway, and none that a command waits for.
import { controlRoute } from '../../../client/changes/control'
import { Operation } from '../../../client/connection/operation'
import { MONOTONIC } from '../../../client/clock'
import { DEFAULTS } from '../../../client/model/ranges'
import { sharedReads as readsOf } from '../../../client/failover/shared-read'
import { until } from '../../support/until'
import {
  BACKUP,
  connect,
  gateway,
  looks,
  MAIN,
  namesOf,
  protect,
  reaches,
  sharedReads,
  simulator,
  start,
  stateOf,
  tells,
  updates,
  type Told,
} from './support'

const COUNT = 100
const nameOf = (index: number): string => `Route ${index}`

const routeOf = (id: string, name: string, port: number) => ({
  id,
  name,
  startRoute: true,
  source: { name: 'in', protocol: 'srt', srtMode: 'caller', ...MAIN, port },
  destinations: [],
})
const ROUTES = Array.from({ length: COUNT }, (_, index) =>
  routeOf(`route-${index}`, nameOf(index), 5000 + index),
)
const ALL = [...ROUTES, routeOf('free', 'Free', 4999)]

const protectAll = (): Told[] =>
  ROUTES.map(({ id, source }) => {
    const { port } = source
    const settings = { main: { ...MAIN, port }, backup: { ...BACKUP, port }, pollEvery: 2 }
    return protect(settings, { route: { id } })
  })

const paths = (): string[] => [
  ...new Set(simulator.journal.map(({ method, path }) => `${method} ${path}`)),
]

describe('the reads of failovers', () => {
  describe('of a hundred routes', function () {
    this.timeout(240_000)

    // The clock is that of the test: 200 ms for each response are those of a slow gateway.
    beforeEach(async () => {
      await start({ routes: ALL as never, latency: 200 }, {}, 2)
      await gateway.close()
      connect({ clock: MONOTONIC })
    })

    it('are one for all, every 2 s, and never two at a time', async () => {
      const all = protectAll()
      await until(() => all.every((told) => stateOf(told) === 'normal'))
      simulator.clearJournal()
      const seen: number[] = []
      let most = 0
      let underWay = 0
      const end = simulator.onCall(() => {
        most = Math.max(most, ++underWay)
        seen.push(performance.now())
        setTimeout(() => underWay--, 150)
      })
      await looks(4)
      end()
      paths().should.eql([`GET /api/devices/${simulator.devices[0]!._id}`])
      most.should.equal(1)
      const spans = seen.slice(1).map((at, index) => at - seen[index]!)
      // Late on a busy machine; never early.
      spans.forEach((span) => span.should.be.within(1800, 3000))
    })

    it('let a stop through at once', async () => {
      const all = protectAll()
      await until(() => all.every((told) => stateOf(told) === 'normal'))
      const deviceId = simulator.devices[0]!._id
      const reads = (): number => simulator.journal.filter(({ method }) => method === 'GET').length
      const stop = async (routeId: string): Promise<{ ms: number; others: number }> => {
        const [begun, before] = [performance.now(), reads()]
        const operation = new Operation('test')
        await controlRoute(
          gateway,
          { deviceId, routeId, action: 'stop', waitFor: 'applied', waitTimeout: 10_000 },
          operation,
        )
        const { requests, writes } = operation
        return { ms: performance.now() - begun, others: reads() - before - (requests - writes) }
      }
      const busy = await stop('route-0')
      await Promise.all(all.map(({ protection }) => protection.close()))
      const idle = await stop('route-1')
      idle.others.should.equal(0)
      // The shared read, each 2 s.
      busy.others.should.be.belowOrEqual(1 + busy.ms / 1800)
      // Two waits for another response would take 400 ms more.
      busy.ms.should.be.below(idle.ms + 400)
    })

    it('hold up no stop while all switch, each of them once', async () => {
      const all = protectAll()
      await until(() => all.every((told) => stateOf(told) === 'normal'))
      simulator.failAddress(MAIN.address, 'disconnected')
      await until(() => updates().length > 0, 'an update', 60_000)
      const before = simulator.journal.length
      const deviceId = simulator.devices[0]!._id
      const what = { deviceId, routeId: 'free', action: 'stop', waitFor: 'accepted' } as const
      await controlRoute(gateway, { ...what, waitTimeout: 10_000 }, new Operation('test'))
      const calls = simulator.journal.slice(before)
      // Those on their way, and those that took their places: behind all, it would be a hundred.
      calls
        .findIndex(({ path }) => path.endsWith('/commands'))
        .should.be.within(0, 3 * DEFAULTS.concurrency)
      await until(() => all.every((told) => namesOf(told).length > 0), 'all switched', 60_000)
      for (const told of all) namesOf(told).should.eql(['switched'])
      updates().should.have.length(COUNT)
    })

    it('show each its own route', async () => {
      const all = protectAll()
      await until(() => all.every((told) => stateOf(told) === 'normal'))
      simulator.route(nameOf(7))!.source.address = '192.0.2.99'
      await reaches(all[7]!, 'foreign')
      all.filter((told) => stateOf(told) !== 'normal').should.have.length(1)
    })
  })

  describe('of a few routes', () => {
    beforeEach(() => start())

    it('come as often as the one asks for that asks for the most', async () => {
      const slow = protect({ pollEvery: 60 })
      await reaches(slow, 'normal')
      await protect({ pollEvery: 0.5 }, { route: { id: 'monitor' } }).protection.command('status')
      simulator.failAddress(MAIN.address, 'disconnected')
      await tells(slow, 'switched')
    })

    it('have the monitor too', async () => {
      const told = protect({
        restore: 'monitor',
        monitor: { name: 'Monitor' },
        monitorBackup: { id: 'studio-a-2' },
      })
      simulator.startRoute('studio-a-2')
      await reaches(told, 'normal')
      simulator.clearJournal()
      await looks(4)
      paths().should.eql([`GET /api/devices/${simulator.devices[0]!._id}`])
    })

    it('are shown to each in a turn of its own: hundreds at once would block everything else', async () => {
      const order: string[] = []
      const reads = readsOf(gateway)
      const leave = ['first', 'second'].map((name) =>
        reads.join({
          everyMs: 60_000,
          see() {
            order.push(name)
            setImmediate(() => order.push('others'))
          },
        }),
      )
      await until(() => order.length === 4)
      order.should.eql(['first', 'others', 'second', 'others'])
      leave.forEach((each) => each())
    })

    it('end with the last one', async () => {
      const [one, other] = [protect(), protect({}, { route: { id: 'monitor' } })]
      await reaches(one, 'normal')
      await one.protection.close()
      await looks(2)
      await other.protection.close()
      gateway.memory.reads.size.should.equal(0)
      const before = sharedReads()
      const again = protect()
      await reaches(again, 'normal')
      sharedReads().should.be.above(before)
    })

    it('are one for those that name the only device, and those that do not', async () => {
      const one = protect()
      await reaches(one, 'normal')
      const other = protect({}, { deviceId: simulator.devices[0]!._id, route: { id: 'monitor' } })
      await reaches(other, 'normal')
      gateway.memory.reads.size.should.equal(1)
    })
  })
})
