import { errorOf, thrownBy } from '../../support/errors'
import { listenersOf } from '../../support/listeners'
import { pause, until } from '../../support/until'
import type { GatewayError } from '../../../client/errors'
import type { SavedMemory } from '../../../client/failover/memory'
import {
  addressOf,
  BACKUP,
  connect,
  event,
  gateway,
  lastKept,
  looks,
  loseMain,
  MAIN,
  namesOf,
  pending,
  protect,
  protecting,
  reaches,
  readsOf,
  simulator,
  start,
  stateOf,
  takeTurn,
  tells,
  updates,
  writes,
} from './support'
import { afterThisTest } from '../../support/hooks'

const lists = (): number => simulator.journal.filter(({ path }) => path.endsWith('/routes')).length
const STUDIO = { route: { name: 'Studio A' } }

describe('a failover', () => {
  beforeEach(() => start())
  describe('that is closed', () => {
    it('sends nothing any more, and leaves no timer and no listener', async () => {
      const listeners = listenersOf(gateway.closing)
      const told = await protecting()
      await told.protection.close()
      pending.size.should.equal(0)
      listeners().should.equal(0)
      // A request that was on its way may still arrive.
      await pause(100)
      const calls = simulator.journal.length
      await pause(200)
      simulator.journal.length.should.equal(calls)
      const refused = await errorOf(told.protection.command('backup'))
      refused.code.should.equal('CLOSED')
      await errorOf(told.protection.main(true))
    })

    it('with the connection ends too', async () => {
      const told = await protecting()
      const statuses = told.statuses.length
      await gateway.close()
      pending.size.should.equal(0)
      told.statuses.should.have.length(statuses)
      const refused = await errorOf(told.protection.command('status'))
      refused.code.should.equal('CLOSED')
      thrownBy(() => protect()).code.should.equal('CLOSED')
    })

    it('in a hold-off keeps that only then: a source that flaps is not worth a write', async () => {
      const told = await protecting({ holdOff: 3600 })
      loseMain()
      await reaches(told, 'hold-off')
      told.kept.filter(({ reported }) => reported === 'hold-off').should.eql([])
      await told.protection.close()
      lastKept(told).reported!.should.equal('hold-off')
    })

    it('while it looks drops what it sees', async () => {
      const told = await protecting()
      simulator.fault({ kind: 'hang', match: { path: /^\/api\/devices\/[^/]+$/ }, times: 1 })
      const calls = simulator.journal.length
      await until(() => simulator.journal.length > calls)
      const events = told.events.length
      await told.protection.close()
      told.events.should.have.length(events)
      pending.size.should.equal(0)
    })

    it('before its switch was sent does not send it, and says so after the restart', async () => {
      const told = await protecting()
      const release = takeTurn()
      loseMain()
      await reaches(told, 'switching')
      lastKept(told).change!.to.should.equal('backup')
      await told.protection.close()
      await release()
      writes().should.eql([])
      lastKept(told).change!.failure!.should.containEql({ code: 'CLOSED', applied: 'no' })
      const again = protect({}, { memory: JSON.parse(JSON.stringify(lastKept(told))) })
      await tells(again, 'switched')
      updates().should.have.length(1)
    })

    it('during its switch knows after the restart that it was its own', async () => {
      const told = await protecting({ restore: 'monitor', monitor: { id: 'monitor' } })
      simulator.fault({ kind: 'latency', ms: 800, match: { action: 'update' }, times: 1 })
      loseMain()
      await until(() => updates().length === 1)
      await told.protection.close()
      const kept = lastKept(told)
      kept.change!.failure!.should.containEql({ code: 'CLOSED', applied: 'maybe' })
      await until(() => addressOf() === BACKUP.address)
      const again = protect(
        { restore: 'monitor', monitor: { id: 'monitor' } },
        { memory: JSON.parse(JSON.stringify(kept)) },
      )
      await tells(again, 'switched')
      event(again, 'switched').should.containEql({ from: 'main', to: 'backup' })
      should(lastKept(again).change).be.undefined()
      // Its own switch is undone when main is good; that of somebody else would not be.
      simulator.failAddress(MAIN.address, 'ok')
      await tells(again, 'switched', 'switched')
      addressOf().should.equal(MAIN.address)
    })

    it('leaves its route to another one', async () => {
      const told = await protecting()
      const second = protect({}, STUDIO)
      await until(() => second.failures.length > 0)
      await looks(3)
      second.failures.map(({ code }) => code).should.eql(['CONFLICT'])
      second.failures[0]!.message.should.containEql('Another failover already protects')
      stateOf(second)!.should.equal('unknown')
      await told.protection.close()
      await reaches(second, 'normal')
    })
  })

  describe('finds its route', () => {
    it('by its name, without a request of its own', async () => {
      const told = await protecting({}, STUDIO)
      await looks(4)
      lists().should.equal(0)
      readsOf('studio-a').should.equal(0)
      event(told, 'state').route.should.eql({ id: 'studio-a', name: 'Studio A' })
    })

    it('by its ID from then on, although another one has the name', async () => {
      const told = await protecting({}, STUDIO)
      simulator.renameRoute('Studio A', 'Studio A ')
      simulator.renameRoute('Studio A backup', 'Studio A')
      await looks(3)
      loseMain()
      await tells(told, 'switched')
      event(told, 'switched').route.should.eql({ id: 'studio-a', name: 'Studio A ' })
      addressOf('Studio A ').should.equal(BACKUP.address)
      told.failures.should.eql([])
    })

    it('by its name again when the ID has gone, and reports which one it protects now', async () => {
      const told = await protecting({}, STUDIO)
      simulator.renameRoute('Studio A', 'elsewhere')
      simulator.renameRoute('Studio A backup', 'Studio A')
      simulator.removeRoute('studio-a')
      await reaches(told, 'standby')
      lists().should.equal(1)
      await until(() => told.events.at(-1)!.route.id === 'studio-a-2')
      ;[...gateway.memory.protections.keys()].join().should.endWith(' studio-a-2')
      told.failures.should.eql([])
    })

    it('when it is there, without a list for each look', async () => {
      const begun = performance.now()
      // One in 10 s, in a time ten times as fast.
      const most = (): number => 1 + (performance.now() - begun) / 1000
      const told = protect({}, { route: { name: 'Later' } })
      await until(() => told.failures.length > 0)
      await looks(4)
      told.failures.map(({ code }) => code).should.eql(['NOT_FOUND'])
      told.failures[0]!.message.should.containEql('"Later"')
      lists().should.be.within(1, most())
      // Again after a while, and again not for each look.
      await until(() => lists() >= 2)
      await looks(4)
      lists().should.be.within(2, most())
      const listed = lists()
      simulator.renameRoute('Studio A', 'Later')
      await reaches(told, 'normal')
      lists().should.equal(listed)
      should(told.statuses.at(-1)!.failure).be.undefined()
    })

    it('not when several have its name, and reports that once', async () => {
      simulator.renameRoute('Monitor', 'Studio A')
      const told = protect({}, STUDIO)
      await until(() => told.failures.length > 0)
      await pause(200)
      told.failures.map(({ code }) => code).should.eql(['CONFLICT'])
      told.failures[0]!.message.should.containEql('studio-a, monitor')
      told.statuses.map(({ state }) => state).should.eql(['unknown'])
      gateway.memory.protections.size.should.equal(0)
    })

    it('not when it is gone', async () => {
      const told = await protecting()
      simulator.removeRoute('studio-a')
      await reaches(told, 'unknown')
      await pause(100)
      told.failures.map(({ code }) => code).should.eql(['NOT_FOUND'])
    })

    it('although its monitor is gone, of which it then knows nothing', async () => {
      const told = await protecting({ restore: 'monitor', monitor: { name: 'Monitor' } })
      simulator.removeRoute('monitor')
      await until(() => told.failures.length > 0)
      told.failures[0]!.message.should.containEql('Monitor')
      loseMain()
      await tells(told, 'switched')
      simulator.failAddress(MAIN.address, 'ok')
      await looks(10)
      namesOf(told).should.eql(['switched'])
    })
  })

  describe('does not start', () => {
    it('with faults in its settings, all of which it names', () => {
      const refused = thrownBy(() => protect({ main: {}, guard: 0 }))
      refused.code.should.equal('CONFIG')
      refused.cause.problems!.map(({ path }) => path).should.eql(['guard', 'main'])
      thrownBy(() => protect({}, { route: undefined })).cause.problems![0]!.path.should.equal(
        'route',
      )
    })

    it('on a gateway that is read-only', async () => {
      await gateway.close()
      connect({ readOnly: true })
      const refused = thrownBy(() => protect())
      refused.code.should.equal('READ_ONLY')
      refused.cause.operation!.should.equal('failover')
    })

    it('for a user who may not change routes', async () => {
      await gateway.close()
      connect({ username: 'user', password: 'public' })
      const told = protect()
      await until(() => told.failures.length > 0)
      await looks(3)
      told.failures.map(({ code }) => code).should.eql(['FORBIDDEN'])
      told.failures[0]!.message.should.containEql('Observer').and.not.containEql('__')
      stateOf(told)!.should.equal('unknown')
      writes().should.eql([])
    })
  })

  it('reports a refused login once, however long the next one is held back', async () => {
    await gateway.close()
    connect({ password: 'wrong' })
    const told = protect()
    await until(() => told.failures.length > 0)
    await pause(200)
    told.failures.map(({ code }) => code).should.eql(['LOGIN_REFUSED'])
    told.statuses.should.have.length(1)
    simulator.loginAttempts.should.equal(1)
    readsOf('studio-a').should.equal(0)
  })

  it('says why a switch has failed whose answers came before the restart', async () => {
    const told = await protecting()
    simulator.fault({ kind: 'status', status: 400, match: { action: 'update' } })
    loseMain()
    await until(() => lastKept(told).change?.failure !== undefined)
    const { change, ...memory } = lastKept(told) as SavedMemory
    await told.protection.close()
    const last = { ...change, sends: 4 }
    const again = protect({}, { memory: { ...memory, change: last } })
    await until(() => again.failures.length > 0)
    const [{ code, cause, message }] = again.failures as [GatewayError]
    const { failure } = event(again, 'failed')
    failure!.should.containEql({ code: 'REJECTED', applied: 'no' })
    ;[code, cause.applied].should.eql([failure!.code, failure!.applied])
    message.should.endWith(failure!.message)
  })

  for (const hours of [1, -1]) {
    it(`follows a system time that is set by ${hours} h, and waits no longer for it`, async () => {
      const real = Date.now
      const told = await protecting({ restore: 'message', waitToRestore: 60 })
      const about = (at: number): void => void Math.abs(at - Date.now()).should.be.below(120_000)
      about(event(told, 'state').at)
      afterThisTest(() => (Date.now = real))
      Date.now = () => real() + hours * 3_600_000
      loseMain()
      await tells(told, 'switched')
      const { at, outageMs } = event(told, 'switched')
      about(at)
      outageMs!.should.be.within(1, 60_000)
      await told.protection.main(true)
      await reaches(told, 'wait-to-restore')
      about(told.statuses.at(-1)!.due!)
      await told.protection.close()
      // After a restart the same times are as long ago.
      const { rests, ahead } = lastKept(told) as SavedMemory
      about(rests.main!.since + ahead)
    })
  }
})
