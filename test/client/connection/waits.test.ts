import { listDevices } from '../../../client/api/devices'
import { Operation } from '../../../client/connection/operation'
import { sessionInformation } from '../../../client/api/session'
import { watchDevice } from '../../../client/watch/registry'
import type { Connection } from '../../../client/connection/connection'
import type { GatewayError } from '../../../client/errors'
import type { WatchEvent } from '../../../client/model/event'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { freePort } from '../../support/ports'
import { liveInOwnTime } from '../../support/own-time'
import { ScriptedAppliance } from '../../support/scripted-appliance'
import { until } from '../../support/until'
import { aheadBy, connectTo } from './support'

/** How long no login is tried, by a clock that is moved. */
describe('the waits between logins', () => {
  const SECOND = 1000
  const MINUTE = 60 * SECOND
  const DAY = 24 * 60 * MINUTE

  let moved: number
  let gateway: Connection
  let stop: () => Promise<void>
  const clock = aheadBy(() => moved)
  const wallClock = Date.now

  beforeEach(() => {
    moved = 0
  })
  afterEach(async () => {
    Date.now = wallClock
    await gateway.close()
    await stop()
  })

  async function simulate(options = {}): Promise<Simulator> {
    const simulator = await startSimulator(options)
    stop = () => simulator.stop()
    gateway = connectTo(simulator, { clock })
    return simulator
  }

  const call = (): Promise<unknown> => listDevices(gateway, new Operation('list-devices'))
  const failure = (): Promise<GatewayError> => errorOf(call())

  /** Asserts that the next login is tried after so long, and not before. */
  async function nextLoginIsAfter(ms: number, attempts: () => number): Promise<void> {
    const before = attempts()
    moved += ms - 5 * SECOND
    for (let calls = 0; calls < 3; calls++) await failure()
    attempts().should.equal(before, `less than ${ms / SECOND} s`)
    moved += 5 * SECOND
    await failure()
    attempts().should.equal(before + 1, `after ${ms / SECOND} s`)
  }

  it('after refused credentials that had worked are 1, 5, 15 and then 60 minutes, and 1 again after a success', async () => {
    const simulator = await simulate()
    const attempts = (): number =>
      simulator.journal.filter(({ method, path }) => method === 'POST' && path === '/api/session')
        .length
    for (let rounds = 0; rounds < 2; rounds++) {
      await call()
      simulator.dropSessions()
      const match = { method: 'POST', path: '/api/session' }
      const allow = simulator.fault({ kind: 'status', status: 401, match })
      ;(await failure()).code.should.equal('LOGIN_REFUSED')
      for (const minutes of [1, 5, 15, 60, 60, 60]) {
        await nextLoginIsAfter(minutes * MINUTE, attempts)
      }
      allow()
      moved += 60 * MINUTE
    }
    await call()
  })

  it('never end for a password that has not worked, however long', async () => {
    const simulator = await simulate({ password: 'another' })
    for (let days = 0; days < 5; days++) {
      ;(await failure()).code.should.equal('LOGIN_REFUSED')
      moved += DAY
    }
    simulator.loginAttempts.should.equal(1)
  })

  it('double up to a minute while the appliance is away', async () => {
    const simulator = await simulate({ port: await freePort() })
    await simulator.stop()
    await failure()
    for (const seconds of [0.5, 1, 2, 4, 8, 16, 32, 60, 60]) {
      const said = /Next attempt in (\d+) s/.exec((await failure()).message)
      Number(said![1]).should.be.within(1, Math.ceil(seconds * 1.2))
      moved += seconds * 1.2 * SECOND
      await failure()
    }
  })

  for (const days of [-1, 1]) {
    it(`do not change when the clock of the machine is set ${days < 0 ? 'back' : 'forth'} by a day`, async () => {
      const simulator = await simulate({ sessionLifetime: 10 * MINUTE })
      await sessionInformation(gateway, new Operation('session'))
      Date.now = () => wallClock() + days * DAY
      simulator.clearJournal()
      await call()
      simulator.journal.map(({ path }) => path).should.eql(['/api/devices'])
      Date.now = wallClock

      simulator.dropSessions()
      simulator.fault({ kind: 'status', status: 401, match: { path: '/api/session' } })
      await failure()
      const { length } = simulator.journal
      Date.now = () => wallClock() + days * DAY
      ;(await failure()).message.should.match(/Next attempt in (5\d|60) s/)
      simulator.journal.length.should.equal(length)
      moved += MINUTE
      await failure()
      simulator.journal.length.should.equal(length + 1)
    })
  }

  describe('that the appliance asks for (Retry-After)', () => {
    /** As its own clock says, which is a year ahead. */
    const now = (): number => Date.now() + 365 * DAY
    const httpDate = (at: number): string => new Date(at).toUTCString()

    const asked: Record<string, [retryAfter: () => string, seconds: number]> = {
      'in seconds': [() => '70', 70],
      'as a date by its own clock': [() => httpDate(now() + 90 * SECOND), 90],
      'of a day': [() => '86400', 300],
      'until a date next year': [() => httpDate(now() + 365 * DAY), 300],
    }
    for (const status of [429, 503]) {
      for (const [what, [retryAfter, seconds]] of Object.entries(asked)) {
        it(`${status}, ${what}: ${seconds} s`, async () => {
          const attempts = await refusing(status, retryAfter)
          await failure()
          await nextLoginIsAfter(seconds * SECOND + SECOND, attempts)
        })
      }
    }

    const useless = ['0', '-5', 'soon', '', httpDate(0)]
    for (const value of useless) {
      it(`means nothing as "${value}": a second, as without`, async () => {
        const attempts = await refusing(429, () => value)
        await failure()
        moved += 1.2 * SECOND
        await failure()
        attempts().should.equal(2)
      })
    }

    it('means nothing for refused credentials', async () => {
      const attempts = await refusing(401, () => '1')
      await failure()
      moved += DAY
      await failure()
      attempts().should.equal(1)
    })

    /** Answers each login with this status; 503 is tried three times in each attempt. */
    async function refusing(status: number, retryAfter: () => string): Promise<() => number> {
      const appliance = new ScriptedAppliance(() => ({
        status,
        headers: { date: httpDate(now()), 'retry-after': retryAfter() },
        text: '{}',
      }))
      await appliance.start()
      stop = () => appliance.stop()
      gateway = connectTo(appliance, { clock })
      return () => appliance.calls.length / (status === 503 ? 3 : 1)
    }
  })
})

describe('a watch', () => {
  const DAY = 24 * 3_600_000
  let wallClock: () => number
  beforeEach(() => {
    liveInOwnTime()
    wallClock = Date.now
  })
  afterEach(() => {
    Date.now = wallClock
  })

  for (const days of [-1, 1]) {
    it(`goes on, and holds as long as it says, when the clock of the machine is set ${days < 0 ? 'back' : 'forth'} by a day`, async () => {
      const simulator = await startSimulator({ routes: 1, now: wallClock })
      const [route] = simulator.routes
      const gateway = connectTo(simulator, { pollInterval: 1000 })
      const events: WatchEvent[] = []
      const seen: number[] = []
      const end = watchDevice(gateway, {
        events: ['route.renamed'],
        holdFor: 1500,
        onEvents: (each) => events.push(...each),
        onHealth: ({ known }) => known && seen.push(known.seenAt),
      })
      try {
        await until(() => seen.length > 1)
        Date.now = () => wallClock() + days * DAY
        route!.name = 'Another name'
        const changedAt = wallClock()
        await until(() => events.length > 0)
        const heldMs = wallClock() - changedAt
        heldMs.should.be.above(1400)
        // When it was seen, by the clock as it is set now, and not when it was told.
        const { at } = events[0]!
        at.should.be.within(changedAt + days * DAY - 1500, Date.now() - 1400)
        seen.at(-1)!.should.be.within(at - 1500, Date.now())
      } finally {
        end()
        await gateway.close()
        await simulator.stop()
      }
    })
  }
})
