// What the watches of one process have reported as begun, those of the next one report as ended.
import { openBy } from '../../../client/watch/registry'
import { savedIn } from '../../../client/watch/saved'
import type { WatchOptions } from '../../../client/watch/report/subscription'
import { until } from '../../support/until'
import {
  away,
  deviceId,
  gateway,
  isSeen,
  look,
  miss,
  namesOf,
  passTime,
  reopen,
  running,
  simulator,
  start,
  takeOver,
  watch,
  watching,
  type Told,
} from './support'

const UNREACHABLE = 'appliance.unreachable'
const REACHABLE = 'appliance.reachable'
const opened = (): NonNullable<ReturnType<typeof openBy>> =>
  JSON.parse(JSON.stringify(openBy(gateway))) as NonNullable<ReturnType<typeof openBy>>

/** Goes on as another process, with what this one knows. */
async function handOver(options: Partial<WatchOptions> = {}, open: unknown = opened()) {
  await takeOver(open)
  return watch(options)
}

const back = (): void => simulator.clearFaults()

/** The first poll of a watch, failed or not. */
const first = (told: Told): Promise<void> => until(() => told.health.length > 0, 'the first poll')

describe('what one process has reported as begun, the next one', () => {
  beforeEach(() => start({ routes: 8 }))
  describe('of an outage', () => {
    /** Watches until the appliance is called unreachable. */
    async function outage(options: Partial<WatchOptions> = {}): Promise<Told> {
      const told = await watching(options)
      away()
      await miss(5)
      namesOf(told.events).should.eql([UNREACHABLE])
      return told
    }

    it('reports as ended, with its true beginning', async () => {
      const before = await outage()
      back()
      const told = await handOver()
      await until(() => isSeen(told))
      told.snapshots.should.have.length(1)
      const [reachable] = told.events
      reachable!.should.containDeep({
        event: REACHABLE,
        device: { id: deviceId, name: 'Gateway 1' },
        since: before.events[0]!.at,
        before: 'unreachable',
        after: 'reachable',
      })
      reachable!.outageMs!.should.equal(reachable!.at - reachable!.since!)
      reachable!.outageMs!.should.be.within(50_000, 60_000)
      opened().should.eql({})
      await look()
      namesOf(told.events)
        .filter((name) => name === REACHABLE)
        .should.have.length(1)
    })

    it('is not what one that was removed has left: another one has reported the end', async () => {
      const removed = await watching()
      await outage()
      namesOf(removed.events).should.eql([UNREACHABLE])
      removed.end()
      Object.keys(opened()).should.have.length(1)
      back()
      await look()
      opened().should.eql({})
    })

    it('goes on calling it unreachable, without a second report, however many owners follow', async () => {
      const before = await outage({ deviceId })
      const open = opened()
      let told = await handOver({ deviceId })
      for (let owners = 0; owners < 2; owners++) {
        await first(told)
        told.health[0]!.should.containDeep({ unreachable: true, since: before.events[0]!.at })
        await miss(5)
        told.events.should.eql([])
        opened().should.eql(open)
        const present = opened()
        await takeOver(present)
        told = watch({ deviceId })
      }
      await first(told)
      back()
      await look()
      namesOf(told.events).should.eql([REACHABLE])
      told.events[0]!.should.containDeep({ device: { id: deviceId }, since: before.events[0]!.at })
      opened().should.eql({})
    })

    it('which was not reported, knows nothing of', async () => {
      await watching()
      away()
      await miss(2)
      opened().should.eql({})
      back()
      const told = await handOver()
      await until(() => isSeen(told))
      told.events.should.eql([])
    })

    it('reports it to no watch that has not reported it, as one that holds longer', async () => {
      const held = await watching({ holdFor: 120_000 })
      await outage()
      held.events.should.eql([])
      back()
      const told = await handOver({ holdFor: 120_000 })
      const other = watch({ events: [UNREACHABLE, REACHABLE] })
      await until(() => isSeen(told) && isSeen(other))
      told.events.should.eql([])
      other.events.should.eql([])
    })

    it('reports it at the end of a hold that is longer, with its true beginning', async () => {
      const before = await outage({ deviceId })
      const open = opened()
      await takeOver(open)
      const plain = watch({ deviceId })
      const held = watch({ deviceId, holdFor: 51_000 })
      await first(plain)
      await until(() => held.events.length > 0)
      plain.events.should.eql([])
      namesOf(held.events).should.eql([UNREACHABLE])
      held.events[0]!.at.should.equal(before.events[0]!.at)
      back()
      await look()
      for (const { events } of [plain, held]) namesOf(events).at(-1)!.should.equal(REACHABLE)
    })

    it('reports as ended where nobody has ever seen the device', async () => {
      away()
      const before = watch({ deviceId })
      await first(before)
      await miss(5)
      namesOf(before.events).should.eql([UNREACHABLE])
      const open = opened()
      await takeOver(open)
      back()
      const told = watch({ deviceId })
      await until(() => isSeen(told))
      namesOf(told.events).should.eql([REACHABLE])
      told.events[0]!.since!.should.equal(before.events[0]!.at)
    })

    it('shows at once to a watch that comes back, also where nobody has ever seen the device', async () => {
      away()
      watch({ deviceId, events: ['route.added'] })
      const before = watch({ deviceId })
      await first(before)
      await miss(5)
      before.end()
      const told = watch({ deviceId })
      told.health.map(({ unreachable }) => unreachable).should.eql([true])
      told.events.should.eql([])
    })

    it('that began in the future, by a clock that is ahead, takes for one that began now', async () => {
      await outage()
      const [[settings] = ['']] = Object.entries(opened())
      back()
      const told = await handOver({}, { [settings]: { unreachableSince: Date.now() + 9e6 } })
      await until(() => isSeen(told))
      namesOf(told.events).should.eql([REACHABLE])
      told.events[0]!.outageMs!.should.be.within(0, 10_000)
    })

    it('which a watch has reported that ends before the takeover, reports as ended', async () => {
      const other = await watching({ events: [UNREACHABLE, REACHABLE] })
      const before = await outage()
      before.end()
      other.end()
      const staying = watch({ events: ['route.added'] })
      Object.keys(opened()).should.have.length(2)
      staying.end()
      back()
      const open = opened()
      await takeOver(open)
      const told = watch()
      await until(() => isSeen(told))
      namesOf(told.events).should.eql([REACHABLE])
    })

    it('reports as ended to a watch that comes after the first poll', async () => {
      await outage()
      back()
      const other = await handOver({ events: ['route.added'] })
      await until(() => isSeen(other))
      Object.keys(opened()).should.have.length(1)
      const late = watch()
      namesOf(late.events).should.eql([REACHABLE])
      opened().should.eql({})
      // Others with the same settings begin a moment later; what one has reported is not repeated.
      const another = watch()
      namesOf(another.events).should.eql([REACHABLE])
      another.end()
      watch().events.should.eql([])
    })

    it('reports as ended to each of several equal watches, at the first poll', async () => {
      const before = await outage()
      back()
      const told = await handOver()
      const others = [watch(), watch()]
      await until(() => [told, ...others].every(isSeen))
      for (const { events } of [told, ...others]) {
        namesOf(events).should.eql([REACHABLE])
        events[0]!.since!.should.equal(before.events[0]!.at)
      }
      opened().should.eql({})
    })

    it('goes on calling it unreachable in each of several equal watches', async () => {
      await outage({ deviceId })
      const open = opened()
      const told = await handOver({ deviceId })
      const others = [watch({ deviceId })]
      await first(told)
      others.push(watch({ deviceId }))
      await miss(5)
      const all = [told, ...others]
      for (const { events } of all) events.should.eql([])
      opened().should.eql(open)
      back()
      await look()
      for (const { events } of all) namesOf(events).should.eql([REACHABLE])
      opened().should.eql({})
    })

    it('that no watch goes on with, forgets a minute after the first poll that succeeds', async () => {
      await outage({ deviceId })
      const open = opened()
      const other = await handOver({ deviceId, events: ['route.added'] })
      await first(other)
      await miss(12)
      // As long as the appliance is away, it is no less true.
      opened().should.containEql(open)
      back()
      await look()
      passTime(50_000)
      opened().should.eql(open)
      passTime(10_000)
      opened().should.eql({})
      watch({ deviceId }).events.should.eql([])
    })

    it('reports once, also where its own watches end at once after that', async () => {
      await outage({ id: 'node' })
      back()
      const told = await handOver({ id: 'node' })
      await until(() => isSeen(told))
      namesOf(told.events).should.eql([REACHABLE])
      told.end()
      opened().should.eql({})
    })

    it('of a watch that was deleted is forgotten a minute later', async () => {
      const deleted = await outage()
      const staying = watch({ events: ['route.added'] })
      deleted.end()
      passTime(59_000)
      Object.keys(opened()).should.have.length(2)
      passTime(1000)
      Object.keys(opened()).should.have.length(1)
      staying.end()
    })

    it('which the end of a hold has reported, is open at once', async () => {
      const shown: object[] = []
      await gateway.close()
      reopen({ onWatched: () => shown.push(opened()) })
      await watching({ events: ['route.added'] })
      const held = watch({ holdFor: 58_000 })
      away()
      await miss(5)
      held.events.should.eql([])
      shown.length = 0
      passTime(8000)
      held.events.should.have.length(1)
      const [{ at } = { at: 0 }] = held.events
      const both = { unreachableSince: at }
      shown.map((open) => Object.values(open)).should.eql([[both, both]])
    })

    it('that cannot be learned at first, goes on with when it can', async () => {
      const before = await outage()
      const open = opened()
      let asked = 0
      let isAway = true
      await gateway.close()
      const saved = async (): Promise<object | undefined> => {
        asked++
        if (isAway) throw new Error('no answer')
        return savedIn(open)
      }
      reopen({ saved })
      back()
      const told = watch()
      await until(() => isSeen(told))
      should(openBy(gateway)).be.undefined()
      await look()
      asked.should.equal(2)
      told.events.should.eql([])
      isAway = false
      await look()
      await look()
      namesOf(told.events).should.eql([REACHABLE])
      told.events[0]!.since!.should.equal(before.events[0]!.at)
      opened().should.eql({})
      await look()
      asked.should.equal(3)
    })
  })

  describe('of sources without data and of limits', () => {
    const options: Partial<WatchOptions> = {
      events: [
        'statistics.low',
        'statistics.normal',
        'source.data-lost',
        'source.data',
        'route.stopped',
      ],
      thresholds: [{ measure: 'bitrate', of: 'source', low: 0.5 }],
    }
    let name: string

    /** Polls until there are as many events. */
    async function events(told: Told, count: number): Promise<string[]> {
      await until(async () => {
        passTime(3000)
        await look()
        return told.events.length >= count
      })
      await look()
      return namesOf(told.events)
    }

    beforeEach(async () => {
      ;({ name } = running())
      const told = await watching({ ...options, route: { name } })
      simulator.fail(name, { source: 'no-data' })
      ;(await events(told, 2)).should.eql(['statistics.low', 'source.data-lost'])
    })

    it('reports as ended what has ended meanwhile, at the first poll', async () => {
      simulator.fail(name, { source: 'ok' })
      const told = await handOver({ ...options, route: { name } })
      await until(() => isSeen(told))
      namesOf(told.events).should.eql(['source.data', 'statistics.normal'])
      told.events[0]!.should.containDeep({ route: { name }, before: false, after: true })
      told.events[1]!.should.containDeep({ route: { name }, limit: 0.5, before: 'low' })
      opened().should.eql({})
    })

    it('reports as ended what ends later, and nothing a second time', async () => {
      const open = opened()
      const told = await handOver({ ...options, route: { name } })
      await until(() => isSeen(told))
      for (let polled = 0; polled < 3; polled++) {
        passTime(6000)
        await look()
      }
      told.events.should.eql([])
      opened().should.eql(open)
      simulator.fail(name, { source: 'ok' })
      ;(await events(told, 2)).should.eql(['source.data', 'statistics.normal'])
      opened().should.eql({})
    })

    it('reports as ended what a stop has ended', async () => {
      const { id } = simulator.route(name)!
      simulator.stopRoute(id)
      const told = await handOver({ ...options, route: { name } })
      await until(() => isSeen(told))
      namesOf(told.events).should.eql(['source.data', 'statistics.normal'])
      should(told.events[0]!.after).be.null()
      should(told.events[1]!.value).be.null()
      opened().should.eql({})
    })

    it('reports as ended where the route is gone', async () => {
      const { id } = simulator.route(name)!
      simulator.removeRoute(id)
      const told = await handOver({ ...options, route: { name } })
      await until(() => isSeen(told))
      ;(await events(told, 2)).should.eql(['source.data', 'statistics.normal'])
      told.events[0]!.route!.should.eql({ id, name })
    })

    it('reports nothing to a watch with another limit, or of other routes', async () => {
      simulator.fail(name, { source: 'ok' })
      const thresholds = [{ measure: 'bitrate', of: 'source', low: 0.4 }] as const
      const told = await handOver({ ...options, thresholds, route: { name } })
      const other = watch({ ...options, route: { name: `${name} ` } })
      await until(() => isSeen(told) && isSeen(other))
      for (let polled = 0; polled < 3; polled++) {
        passTime(6000)
        await look()
      }
      namesOf([...told.events, ...other.events]).should.eql([])
    })
  })

  it('knows nothing else of: it begins with the present state, as any other', async () => {
    const route = running()
    await watching()
    const held = await watching({ holdFor: 60_000 })
    route.summaryStatusCode = 'error'
    await look()
    held.events.should.eql([])
    opened().should.eql({})
    const { id } = running()
    simulator.stopRoute(id)
    const told = await handOver({ holdFor: 60_000 })
    const plain = watch()
    await until(() => isSeen(told) && isSeen(plain))
    passTime(60_000)
    await look()
    for (const { events, snapshots } of [told, plain]) {
      events.should.eql([])
      snapshots[0]!.routes.find((one) => one.id === id)!.state!.should.equal('idle')
    }
  })

  const useless: Record<string, unknown> = {
    'is not there': undefined,
    'is null': null,
    'is a text': 'garbage',
    'is a list': [],
    'has a text for a watch': { watch: 'garbage' },
  }
  for (const [what, open] of Object.entries(useless)) {
    it(`does without where it ${what}`, async () => {
      await takeOver(open)
      const told = watch()
      await until(() => isSeen(told))
      told.events.should.eql([])
      told.snapshots.should.have.length(1)
      told.health.every(({ failure }) => failure === undefined).should.be.true()
    })
  }

  it('waits for, but not with a close', async () => {
    await takeOver(new Promise(() => undefined))
    const told = watch()
    const calls = simulator.journal.length
    await gateway.close()
    simulator.journal.length.should.equal(calls)
    told.health.should.eql([])
  })

  it('goes on with all the same when it is taken away and comes back meanwhile', async () => {
    let answer: (value: unknown) => void = () => undefined
    await watching()
    away()
    await miss(5)
    const open = opened()
    back()
    await takeOver(new Promise((resolve) => (answer = resolve)))
    watch().end()
    const told = watch()
    await gateway.pause(100)
    answer(open)
    await until(() => isSeen(told))
    namesOf(told.events).should.eql([REACHABLE])
  })
})
