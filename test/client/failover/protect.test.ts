import should from 'should'
import { pause, until } from '../../support/until'
import { errorOf } from '../../support/errors'
import {
  addressOf,
  BACKUP,
  clock,
  connect,
  event,
  gateway,
  lastKept,
  looks,
  MAIN,
  namesOf,
  OTHER,
  protect,
  protecting,
  reaches,
  sharedReads as reads,
  setSource,
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
  const loseMain = (): void => simulator.failAddress(MAIN.address, 'disconnected')

  it('switches to backup when main is lost, and changes nothing else', async () => {
    const before = structuredClone(simulator.route('Studio A')!)
    const told = await protecting()
    loseMain()
    await tells(told, 'switched')
    await reaches(told, 'protecting')
    addressOf().should.equal(BACKUP.address)
    const { text, route, outageMs, durationMs, ...rest } = event(told, 'switched')
    rest.should.containEql({ from: 'main', to: 'backup', cause: 'signal-fail' })
    route.should.eql({ id: 'studio-a', name: 'Studio A' })
    text.should.match(/^Studio A: switched to backup, because .* \(outage: \d+ seconds?\)$/)
    outageMs!.should.be.within(1000, 60_000)
    durationMs!.should.be.within(1, 60_000)
    const after = simulator.route('Studio A')!
    after.name.should.equal(before.name)
    after.destinations
      .map(({ id, port }) => [id, port])
      .should.eql(before.destinations.map(({ id, port }) => [id, port]))
    after.source.should.containEql({ ...BACKUP, name: 'in', srtMode: 'caller' })
    updates().should.have.length(1)
  })

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

  it('keeps its hands off a source that somebody else has set', async () => {
    const told = await protecting()
    setSource(OTHER)
    loseMain()
    await tells(told, 'taken-over')
    await reaches(told, 'foreign')
    const { from, to, cause } = event(told, 'taken-over')
    ;[from, to, cause].should.eql(['main', 'other', 'manual'])
    await looks(5)
    writes().should.eql([])
    await told.protection.command('main')
    await tells(told, 'taken-over', 'switched')
    addressOf().should.equal(MAIN.address)
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

  it('sends a refused change again, soon, and reports it when no attempt was accepted', async () => {
    const told = await protecting()
    const end = simulator.fault({ kind: 'status', status: 400, match: { action: 'update' } })
    loseMain()
    await tells(told, 'failed')
    const { failure, text } = event(told, 'failed')
    failure!.should.containEql({ code: 'REJECTED', applied: 'no' })
    text.should.containEql('request rejected')
    told.failures.map(({ code }) => code).should.eql(['REJECTED'])
    updates().should.have.length(4)
    end()
    await until(() => namesOf(told).includes('switched'))
    updates().should.have.length(5)
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

  for (const kind of ['reset-after', 'truncate', 'empty'] as const) {
    it(`reads from the route what came of a change without a response (${kind})`, async () => {
      const told = await protecting()
      simulator.fault({ kind, match: { action: 'update' }, times: 1 })
      loseMain()
      await tells(told, 'switched')
      await reaches(told, 'protecting')
      updates().should.have.length(1)
      namesOf(told).should.eql(['switched'])
      told.failures.should.eql([])
      should(event(told, 'switched').failure).be.undefined()
    })
  }

  for (const status of [403, 409]) {
    it(`sends a change again, in the same session, that was refused once with ${status}`, async () => {
      const told = await protecting()
      simulator.fault({ kind: 'status', status, match: { action: 'update' }, times: 1 })
      loseMain()
      await tells(told, 'switched')
      updates().should.have.length(2)
      told.failures.should.eql([])
      simulator.logins.should.equal(1)
    })
  }

  it('obeys commands, and refuses those that it cannot obey', async () => {
    const told = await protecting()
    await told.protection.command('backup', true)
    await tells(told, 'held', 'switched')
    addressOf().should.equal(BACKUP.address)
    await until(() => told.statuses.at(-1)!.held)
    const held = await errorOf(told.protection.command('main'))
    held.code.should.equal('CONFLICT')
    const unknown = await errorOf(told.protection.command('go'))
    unknown.code.should.equal('INVALID_INPUT')
    unknown.cause.operation!.should.equal('failover')
    await told.protection.command('release')
    await told.protection.command('status')
    namesOf(told).should.eql(['held', 'switched', 'released'])
  })

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
