import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { controlRoute } from '../../../client/changes/control'
import { Operation } from '../../../client/connection/operation'
import type { Snapshot } from '../../../client/model/event'
import { isOld } from '../../../client/watch/life/device'
import { knownBy, pollNow, snapshotOfKnown } from '../../../client/watch/registry'
import { pause, until } from '../../support/until'
import {
  callsFor,
  device,
  deviceId,
  eventsOf,
  gateway,
  idle,
  log,
  look,
  namesOf,
  passTime,
  polls,
  simulator,
  start,
  time,
  watch,
  watching,
  type Told,
} from './support'

/** Starts a route, and waits until that shows. */
const starts = (routeId: string, waitTimeout = 5000) =>
  controlRoute(
    gateway,
    { deviceId, routeId, action: 'start', waitFor: 'applied', waitTimeout },
    new Operation('control-route'),
  )

/** The only device becomes another one: it is for the watch that follows it, not for the one that names the former. */
async function partAtAnother(only: Told, named: Told): Promise<void> {
  Object.assign(device(), { _id: 'AnotherDevice' })
  await until(() => {
    passTime(3_600_000)
    return only.snapshots.length > 1
  })
  only.snapshots[1]!.device.id.should.equal('AnotherDevice')
  await until(() => named.health.at(-1)!.failure !== undefined)
  named.snapshots.map((snapshot) => snapshot.device.id).should.eql([deviceId])
}

describe('watching', () => {
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
      const { text: _, ...wordless } = snapshot
      snapshotOfKnown(knownBy(gateway)!)!.should.eql(wordless)
      simulator.journal.length.should.equal(calls)
    })

    it('what is known with a time by which it is old, twice as long after a slow poll', async () => {
      await start({ routes: 4 })
      await watching()
      const late = (): number => {
        const known = knownBy(gateway)!
        isOld(known, known.dueBy).should.be.false()
        isOld(known, known.dueBy + 1).should.be.true()
        return known.dueBy - known.seenAt - 1.05 * 3_600_000
      }
      late().should.be.approximately(5000, 1)
      const { firmware } = device()
      let tookMs = 0
      Object.defineProperty(device(), 'firmware', {
        enumerable: true,
        get() {
          passTime(20_000)
          tookMs += 20_000
          return firmware
        },
      })
      const before = gateway.counters.polls.seconds
      await look()
      tookMs.should.be.above(0)
      ;(gateway.counters.polls.seconds - before).should.be.approximately(tookMs / 1000, 1)
      late().should.be.approximately(2 * tookMs, 1000)
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

    it('what is known, also after a watch that ended while its device was looked up', async () => {
      await start({ routes: 4 })
      let isAsked = false
      let found: (id: string) => void = () => undefined
      const lookUp = new Promise<string>((resolve) => (found = resolve))
      Object.defineProperty(gateway.memory, 'onlyDevice', {
        get() {
          isAsked = true
          return lookUp
        },
      })
      const former = watch()
      await until(() => isAsked)
      former.end()
      const next = watch()
      found(deviceId)
      await until(() => next.snapshots.length > 0)
      should(knownBy(gateway)).not.be.undefined()
      next.end()
      should(knownBy(gateway)).be.undefined()
    })

    it('nothing of a new device with a watch that names the one before', async () => {
      await start({ routes: 4 })
      const only = await watching()
      const named = await watching({ deviceId })
      await partAtAnother(only, named)
    })

    it('nothing of a new device that is watched already with a watch that names the one before', async () => {
      await start({ routes: 4 })
      const only = await watching()
      const named = await watching({ deviceId })
      const other = watch({ deviceId: 'AnotherDevice' })
      await until(() => other.health.at(-1)?.failure !== undefined)
      await partAtAnother(only, named)
    })

    it('no poll when the only device is another one, and no watch is left that follows it', async () => {
      await start({ routes: 4 })
      const only = await watching()
      const named = await watching({ deviceId })
      only.end()
      Object.assign(device(), { _id: 'AnotherDevice' })
      await until(() => {
        passTime(3_600_000)
        return named.health.at(-1)!.unreachable
      })
      callsFor('/api/devices/AnotherDevice').should.equal(0)
      named.end()
      time.timers.should.equal(0)
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
      await Promise.all([one, two].map((route) => starts(route!.id)))
      callsFor(`/api/gateway/${deviceId}/routes`).should.equal(0)
      polls().should.be.above(before)
    })

    it('what a wait for one route has seen, at once', async () => {
      await start({ routes: 4, applyDelay: 100 })
      const told = await watching()
      const { id } = idle()
      const before = polls()
      await starts(id)
      await until(() => namesOf(told.events).includes('route.started'))
      polls().should.equal(before + 1)
    })

    it('no wait with an answer that is slow, or not as the wait needs it', async () => {
      await start({ routes: 4 })
      await watching()
      const { id } = idle()
      simulator.fault({ kind: 'hang', match: { path: `/api/devices/${deviceId}` } })
      const { route } = await starts(id, 2000)
      route!.state!.should.equal('running')
    })

    it('waits end as they do without a watch, when the watch ends meanwhile', async () => {
      await start({ routes: 4, applyDelay: 300 })
      const told = await watching()
      const { id } = idle()
      const control = starts(id)
      await pause(30)
      told.end()
      const { route } = await control
      route!.state!.should.equal('running')
    })

    it('nothing when nobody is left: no poll, no timer; and goes on where it stood', async () => {
      await start({ routes: 4 }, { pollInterval: 1000 })
      const told = await watching()
      told.end()
      should(pollNow(gateway, deviceId)).be.undefined()
      time.timers.should.equal(0)

      simulator.routes[0]!.name = 'Renamed meanwhile'
      const again = watch()
      await until(() => again.events.length > 0)
      again.snapshots.should.have.length(1)
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

  it('keeps no more after many polls, failed and not', async () => {
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
      for (let polled = 0; polled < 60; polled++) {
        simulator.clearFaults()
        simulator.routes[polled % 30]!.name = `Name ${polled}`
        if (polled % 3 === 1) simulator.fault({ kind: 'array' })
        await look().catch(() => undefined)
        passTime(20_000)
      }
      told.events.length = 0
      told.health.length = 0
    }
    await round()
    const before = heap()
    await round()
    await round()
    ;(heap() - before).should.be.below(400_000)
  }).timeout(300_000)

  it('ends with the gateway: no poll, no timer, no session', async () => {
    await start({ routes: 4 }, { pollInterval: 1000 })
    const told = await watching()
    time.timers.should.equal(2, 'the next poll, and when it is overdue')
    await gateway.close()
    time.timers.should.equal(0)
    told.events.should.eql([])
    should(() => watch()).throw({ code: 'CLOSED' })
  })
})
