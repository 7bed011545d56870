import { errorOf } from '../../support/errors'
import { pause, until } from '../../support/until'
import {
  addressOf,
  BACKUP,
  clock,
  connect,
  event,
  gateway,
  lastKept,
  looks,
  loseMain,
  namesOf,
  OTHER,
  protect,
  protecting,
  reaches,
  sharedReads as reads,
  simulator,
  start,
  stateOf,
  takeTurn,
  tells,
  updates,
  writes,
} from './support'

describe('a failover of a source', () => {
  beforeEach(() => start())

  it('switches nothing while the gateway is away, and begins its waits again after that', async () => {
    const told = await protecting()
    loseMain()
    simulator.failDevice('away')
    await reaches(told, 'unknown')
    told.statuses.at(-1)!.failure!.code.should.equal('UNAVAILABLE')
    await pause(200)
    namesOf(told).should.eql([])
    told.failures.should.eql([])
    const refused = await errorOf(told.protection.command('backup'))
    refused.code.should.equal('UNAVAILABLE')
    simulator.failDevice('ok')
    await tells(told, 'switched')
    updates().should.have.length(1)
  })

  it('does not wait for a read that takes long to say that nothing is known', async () => {
    await gateway.close()
    // Of the clock, five minutes.
    connect({ timeout: 30_000 })
    const told = await protecting({ holdOff: 20 })
    loseMain()
    await reaches(told, 'hold-off')
    simulator.fault({ kind: 'hang', match: { path: /^\/api\/devices\/[^/]+$/ } })
    await tells(told, 'unprotected')
    event(told, 'unprotected').should.containEql({ reason: 'unknown', state: 'unknown' })
    told.statuses.at(-1)!.failure!.message.should.containEql('did not respond within 20 s')
  })

  it('calls no gateway silent that answers, though nothing can be said of the source', async () => {
    const told = await protecting()
    const at = clock.now()
    Object.defineProperty(simulator.route('Studio A')!, 'state', { get: () => 'starting' })
    await reaches(told, 'unknown')
    await until(() => clock.now() - at > 15_000)
    for (const { failure } of told.statuses) should(failure).be.undefined()
  })

  it('waits for an answer once more after the process was held up', async () => {
    await gateway.close()
    const isSilence = (ms: number): boolean => ms > 20_000 && ms < 20_200
    const late = (ms: number): number => (isSilence(ms) ? ms + 3000 : ms)
    const after: typeof clock.after = (ms, call) => clock.after(late(ms), call)
    connect({ timeout: 30_000, clock: { ...clock, after } })
    const told = await protecting({ holdOff: 20 })
    loseMain()
    await reaches(told, 'hold-off')
    simulator.fault({ kind: 'hang', match: { path: /^\/api\/devices\/[^/]+$/ } })
    const badAt = clock.now()
    await tells(told, 'unprotected')
    ;(clock.now() - badAt).should.be.above(26_000)
  })

  it('switches although another change of the route never ends', async () => {
    Object.defineProperty(simulator.route('Studio A')!, 'pendingUpdates', {
      get: () => ({ name: 'Studio A' }),
      set() {},
    })
    const told = await protecting()
    loseMain()
    await tells(told, 'switched')
    event(told, 'switched').durationMs!.should.be.below(12_000)
    await looks(4)
    updates().should.have.length(1)
    told.failures.should.eql([])
  })

  it('gives up a switch that does not get its turn in time', async () => {
    const told = await protecting()
    const release = takeTurn()
    loseMain()
    await until(() => lastKept(told).change?.failure !== undefined)
    lastKept(told).change!.failure!.should.containEql({ code: 'TIMEOUT', applied: 'no' })
    writes().should.eql([])
    await release()
    await tells(told, 'switched')
    updates().should.have.length(1)
  })

  it('says of a return to main that was not good that it was made, and goes back', async () => {
    // The monitor receives something else, which is good.
    simulator.route('Monitor')!.source.address = OTHER.address
    const told = await protecting({ restore: 'monitor', monitor: { name: 'Monitor' } })
    loseMain()
    await tells(told, 'switched', 'failed')
    event(told, 'failed').should.containEql({ to: 'main', cause: 'restore', reason: 'not-good' })
    const [error] = told.failures
    error!.code.should.equal('NOT_CONFIRMED')
    error!.cause.applied.should.equal('yes')
    error!.message.should.containEql('main did not become good in time')
    await until(() => addressOf() === BACKUP.address)
  })

  for (const [what, fault, sent] of [
    ['reads from the route what came of a change without a response', { kind: 'reset-after' }, 1],
    ['sends a change again that was refused once', { kind: 'status', status: 403 }, 2],
    ['sends a change again that met another one', { kind: 'status', status: 409 }, 2],
  ] as const) {
    it(`${what}, in the same session`, async () => {
      const told = await protecting()
      simulator.fault({ ...fault, match: { action: 'update' }, times: 1 })
      loseMain()
      await tells(told, 'switched')
      await reaches(told, 'protecting')
      updates().should.have.length(sent)
      namesOf(told).should.eql(['switched'])
      told.failures.should.eql([])
      should(event(told, 'switched').failure).be.undefined()
      simulator.logins.should.equal(1)
    })
  }

  it('decides on a command from a listener only after the decision that it listens to', async () => {
    const order: string[] = []
    const told = await protecting(
      {},
      {
        onEvents(events) {
          order.push(...events.map(({ event: name }) => `begin ${name}`))
          if (events[0]!.event === 'failover.held') void told.protection.command('release')
          order.push(...events.map(({ event: name }) => `end ${name}`))
        },
        onMemory: () => {
          throw new Error('a fault of the caller')
        },
      },
    )
    order.length = 0
    await told.protection.command('hold')
    await until(() => order.length >= 4)
    order.should.eql([
      'begin failover.held',
      'end failover.held',
      'begin failover.released',
      'end failover.released',
    ])
    stateOf(told)!.should.equal('normal')
  })

  it('looks at once after a command, but not once for each of many', async () => {
    const told = await protecting({ pollEvery: 60 })
    simulator.clearJournal()
    const begun = performance.now()
    for (let sent = 0; sent < 20; sent++) {
      await told.protection.command('status')
      await pause(10)
    }
    // Every 500 ms, in a time ten times as fast.
    const most = (performance.now() - begun) / 50 + 1
    reads().should.be.within(1, most)
  })

  it('looks at once after a switch was sent', async () => {
    const told = await protecting({ pollEvery: 60 })
    const release = takeTurn()
    const before = reads()
    await told.protection.command('backup')
    await until(() => reads() > before, 'the look after the command')
    const begun = performance.now()
    const sent = reads()
    await release()
    await until(() => reads() > sent, 'the look after the switch')
    // The next look that is due would come after six seconds.
    should(performance.now() - begun).be.below(3000)
  })

  it('reports each state once', async () => {
    const told = protect()
    await reaches(told, 'normal')
    await looks(5)
    told.statuses.should.have.length(1)
    told.events
      .map(({ event: name, state }) => [name, state])
      .should.eql([['failover.state', 'normal']])
    // The system time runs slower than this clock.
    const known = told.kept.map((kept) => JSON.stringify({ ...kept, ahead: 0 }))
    new Set(known).size.should.equal(1)
  })
})
