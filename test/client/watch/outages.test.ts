import type { WatchEvent } from '../../../client/model/event'
import { pollNow } from '../../../client/watch/registry'
import { freePort } from '../../support/ports'
import { until } from '../../support/until'
import {
  away,
  deviceId,
  gateway,
  log,
  look,
  miss,
  namesOf,
  passTime,
  simulator,
  start,
  time,
  watch,
  watching,
  type Told,
} from './support'

describe('watching', () => {
  describe('when the appliance is away', () => {
    const OUTAGE = 30_000
    let told: Told

    describe('and a poll hangs, with a timeout of a minute,', () => {
      beforeEach(() => start({ pollingInterval: 10_000 }, { timeout: 60_000 }))

      it('tells 5 s after it was due that nothing is known, and no event', async () => {
        told = await watching()
        await until(() => told.health.length > 0)
        const { known } = told.health.at(-1)!
        simulator.fault({ kind: 'hang', match: { path: `/api/devices/${deviceId}` } })
        passTime(10_600)
        passTime(5_000)
        const { failure, since, unreachable } = told.health.at(-1)!
        failure!.should.match({ code: 'TIMEOUT', message: /did not respond within 5 s/ })
        should(since).be.within(known!.seenAt + 9_000, known!.seenAt + 11_000)
        should(unreachable).be.false()
        told.events.should.eql([])
        simulator.clearFaults()
      })
    })

    const outages: Record<string, { strike: () => unknown; mend?: () => unknown; code: string }> = {
      'is stopped and started again': {
        strike: async () => simulator.stop(),
        mend: async () => simulator.start(),
        code: 'UNAVAILABLE',
      },
      hangs: { strike: () => simulator.fault({ kind: 'hang' }), code: 'TIMEOUT' },
      'answers pages instead of data': {
        strike: () => simulator.fault({ kind: 'html' }),
        code: 'BAD_RESPONSE',
      },
      'answers something else': {
        strike: () => simulator.fault({ kind: 'array' }),
        code: 'BAD_RESPONSE',
      },
      'answers half of it': {
        strike: () => simulator.fault({ kind: 'truncate' }),
        code: 'BAD_RESPONSE',
      },
      'has errors': {
        strike: () => simulator.fault({ kind: 'status', status: 500 }),
        code: 'UNAVAILABLE',
      },
    }
    for (const [what, { strike, mend = () => simulator.clearFaults(), code }] of Object.entries(
      outages,
    )) {
      it(`${what}: one unreachable, one reachable, what changed meanwhile once`, async () => {
        // Only where none comes, an answer need not be waited for long.
        await start(
          { port: await freePort(), routes: 8 },
          { timeout: what === 'hangs' ? 1500 : 5000 },
        )
        told = await watching()
        await strike()
        await miss(3, 7000)
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
      await start({ routes: 4 })
      told = await watching()
      away()
      await miss(2)
      simulator.clearFaults()
      passTime(OUTAGE)
      await miss(2)
      told.events.should.eql([])
      log.should.eql([])
    })

    it('an outage that is shorter than the hold is told to nobody', async () => {
      await start({ routes: 4 })
      told = await watching({ holdFor: 120_000 })
      const other = await watching()
      away()
      await miss(5)
      simulator.clearFaults()
      await miss(1)
      passTime(120_000)
      told.events.should.eql([])
      namesOf(other.events).should.eql(['appliance.unreachable', 'appliance.reachable'])
    })

    it('an outage that lasts as long as the hold is told then, and not after the end of the watch', async () => {
      await start({ routes: 4 })
      told = await watching({ holdFor: 120_000 })
      const ended = await watching({ holdFor: 120_000 })
      away()
      await miss(11)
      told.events.should.eql([])
      ended.end()
      await miss(1)
      namesOf(told.events).should.eql(['appliance.unreachable'])
      ended.events.should.eql([])
    })

    it('an outage on hold ends with the gateway: nothing is told, and no timer is left', async () => {
      await start({ routes: 4 })
      told = await watching({ holdFor: 120_000 })
      away()
      await miss(5)
      time.timers.should.equal(2, 'the next poll and the end of the hold')
      const { health } = told
      health.length = 0
      await gateway.close()
      time.timers.should.equal(0)
      passTime(120_000)
      told.events.should.eql([])
      health.should.eql([])
    })

    it('an outage whose watch has ended is over in the log when the others are', async () => {
      await start({ routes: 4 })
      told = await watching()
      away()
      await miss(5)
      gateway.outages.failed('another', 'TIMEOUT', 'Another one.')
      told.end()
      gateway.outages.recovered('another')
      log.at(-1)!.should.equal('info The gateway responds again.')
    })

    it('a code is in the log once in each outage, and again in the next', async () => {
      await start({ routes: 4 })
      const logged = (code: string): number => log.filter((line) => line.endsWith(code)).length
      for (const outage of [1, 2]) {
        for (const source of ['one', 'other'])
          gateway.outages.failed(source, 'TIMEOUT', 'No answer.')
        logged('No answer.').should.equal(outage)
        for (const source of ['one', 'other']) gateway.outages.recovered(source)
        logged('The gateway responds again.').should.equal(outage)
      }
    })

    it('watches that turn out to be of the same device are each told once', async () => {
      await start({ port: await freePort(), routes: 4 })
      await simulator.stop()
      const only = watch()
      const named = watch({ deviceId })
      const missBoth = async (): Promise<void> => {
        for (const each of [pollNow(gateway, deviceId), pollNow(gateway, '')]) {
          await each?.().catch(() => undefined)
        }
        passTime(10_000)
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
      await start({ routes: 4 })
      told = await watching()
      away()
      await miss(5)
      const late = watch()
      namesOf(late.events).should.eql(['appliance.unreachable'])
      late.snapshots.should.have.length(1)
      simulator.clearFaults()
      await look()
      namesOf(late.events).should.eql(['appliance.unreachable', 'appliance.reachable'])
    })

    it('from the start: unreachable, then reachable and the snapshot', async () => {
      await start({ routes: 4 })
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
})
