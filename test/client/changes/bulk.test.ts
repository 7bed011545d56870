// More rows in one ensure than are sent at once, many times over: few calls, and as safe as one row.
import { MONOTONIC, type Clock } from '../../../client/clock'
import { Stop } from '../../../client/stop'
import type { EnsureFailure } from '../../../client/changes/ensure/bulk'
import { ensureRoutes } from '../../../client/changes/ensure/ensure'
import { listDevices } from '../../../client/api/devices'
import { Operation } from '../../../client/connection/operation'
import { watchDevice } from '../../../client/watch/registry'
import type { Connection, GatewayOptions } from '../../../client/connection/connection'
import type { Ensured } from '../../../client/changes/ensure/apply'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { freePort } from '../../support/ports'
import { liveInOwnTime } from '../../support/own-time'
import { until } from '../../support/until'
import { connectTo } from '../connection/support'

/** Rows that may be sent and not seen yet. */
const MOST_SENT = 128
/** So many that rows wait for others. */
const ROWS = 200
/** How long a stop waits for what was sent to show, ms. */
const GRACE = 1200
/** What is there already. */
const OTHERS = 20
/**
 * What the lists for planning and for the polls may take. There are about 40; on a busy machine it
 * takes longer, so there are more polls.
 */
const MOST_LISTS = ROWS / 2

const rows = (port = 5000, count = ROWS): Array<{ name: string }> =>
  Array.from({ length: count }, (_, index) => ({
    name: `Bulk ${index}`,
    source: { name: 'in', protocol: 'udp', address: '239.2.2.2', port },
    destinations: [{ name: 'out', protocol: 'udp', address: '192.0.2.8', port: 8000 + index }],
  }))

describe('ensure with hundreds of rows', function () {
  this.timeout(60_000)

  let simulator: Simulator
  let gateway: Connection
  let deviceId: string
  let operation: Operation

  beforeEach(async () => {
    liveInOwnTime()
    simulator = await startSimulator({
      port: await freePort(),
      routes: OTHERS,
      latency: 5,
      applyDelay: 20,
      settleDelay: 10,
    })
    gateway = connectTo(simulator)
    deviceId = simulator.devices[0]!._id
  })
  afterEach(async () => {
    await gateway.close()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  type State = 'present' | 'absent'
  type Result = Ensured | EnsureFailure
  const ensure = async (
    wanted: unknown[],
    state: State = 'present',
    more: {
      waitTimeout?: number
      stop?: Stop
      onProgress?: (done: number, of: number) => void
    } = {},
  ): Promise<Result[]> => {
    const { stop, ...options } = more
    operation = new Operation('ensure-route', { stop })
    const all = { deviceId, state, waitTimeout: 20_000, ...options }
    return (await ensureRoutes(gateway, wanted, all, operation)).results as Result[]
  }
  const writes = (): number =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).length
  const lists = (): number =>
    simulator.journal.filter(({ path }) => path.endsWith('/routes')).length
  const named = (name: string): number =>
    simulator.routes.filter((route) => route.name === name).length
  const twice = (): string[] =>
    rows()
      .map(({ name }) => name)
      .filter((name) => named(name) > 1)

  it('makes one call for each row, and few lists: created, changed and deleted', async () => {
    for (const [wanted, state] of [
      [rows(), 'present'],
      [rows(6000), 'present'],
      [rows().map(({ name }) => ({ name })), 'absent'],
    ] as const) {
      simulator.clearJournal()
      const seen: number[] = []
      const results = await ensure(wanted, state, { onProgress: (done) => seen.push(done) })
      should(results.filter((row) => 'error' in row)).eql([])
      results.every(({ changed }) => changed).should.be.true()
      seen.should.eql(wanted.map((_, index) => index + 1))
      writes().should.equal(ROWS)
      lists().should.be.below(MOST_LISTS)
      // On a busy machine a plan may be too old: then the route is read alone.
      simulator.journal.length.should.be.below(2 * ROWS + MOST_LISTS)
      const sessions = simulator.journal.filter(({ path }) => path === '/api/session').length
      // Sent again: where a kept connection ends just then, or a busy machine has let the plan grow old.
      const arrived = simulator.journal.length - sessions
      operation.requests.should.be.within(arrived, arrived + 20)

      const again = await ensure(wanted, state)
      again.some(({ changed }) => changed).should.be.false()
      writes().should.equal(ROWS)
    }
    simulator.routes.should.have.length(OTHERS)
    simulator.logins.should.equal(1)
  })

  it('goes on where the list takes longer than a plan may be old', async () => {
    simulator.setOptions({ latency: 100 })
    simulator.fault({ kind: 'latency', ms: 400, match: { method: 'GET', path: '*/routes' } })
    for (const port of [5000, 6000]) {
      simulator.clearJournal()
      const results = await ensure(rows(port, 150))
      should(results.filter((row) => 'error' in row)).eql([])
      writes().should.equal(150)
      // Not one for each eight rows that are sent at a time.
      lists().should.be.below(150 / 8)
    }
  })

  it('keeps neither commands nor watches waiting', async () => {
    gateway = await reopened({ pollInterval: 1000 })
    const missed: unknown[] = []
    const end = watchDevice(gateway, {
      deviceId,
      onEvents: () => undefined,
      onHealth: ({ failure }) => failure && missed.push(failure),
    })
    const work = ensure(rows())
    await until(() => writes() > ROWS / 6)
    // Not even behind the writes that are ready to be sent.
    const before = writes()
    await listDevices(gateway, new Operation('list-devices'))
    ;(writes() - before).should.be.below(3 * gateway.concurrency)
    await work
    end()
    missed.should.eql([])
  })

  it('reads the device for a watch beside it no more often than the watch does', async () => {
    gateway = await reopened({ pollInterval: 3_600_000 })
    const end = watchDevice(gateway, { deviceId, onEvents: () => undefined })
    await ensure(rows())
    end()
    const reads = simulator.journal.filter(({ path }) => path === `/api/devices/${deviceId}`)
    // The last few rows wait for their own, and are reported at once.
    reads.length.should.be.below(lists() - 2)
  })

  it('looks up what a lost answer has done, and creates no route twice', async () => {
    const lost = { match: { action: 'create' }, times: 2 } as const
    simulator.fault({ kind: 'reset-after', ...lost })
    const results = await ensure(rows())
    should(results.filter((row) => 'error' in row)).eql([])
    writes().should.equal(ROWS)
    should(twice()).eql([])
  })

  it('notices what somebody else has created meanwhile', async () => {
    const [{ source, destinations }] = rows(7000, 1) as [Parameters<Simulator['addRoute']>[0]]
    // What was planned more than a second before it is sent is planned again.
    simulator.setOptions({ latency: 80 })
    const stop = simulator.onCall(() => {
      if (writes() < ROWS / 6) return
      stop()
      simulator.addRoute({ name: `Bulk ${ROWS - 1}`, source, destinations })
    })
    const results = await ensure(rows())
    results[ROWS - 1]!.action.should.equal('update')
    should(twice()).eql([])
  })

  it('a row that fails has its error, the others are done', async () => {
    const body = { error: { type: 'Invalid', message: 'not this one' } }
    simulator.fault({ kind: 'status', status: 400, body, match: { action: 'create' }, times: 3 })
    const results = await ensure(rows())
    const failed = results.filter((row) => 'error' in row)
    failed
      .map(({ error, changed }) => [error.code, changed])
      .should.eql(failed.map(() => ['REJECTED', false]))
    failed.should.have.length(3)
    simulator.routes.should.have.length(OTHERS + ROWS - 3)
  })

  it('goes on, after a stop, where it ended: what was sent was seen', async () => {
    // The time after the stop is long enough for what was sent to show, however busy the machine is.
    const after: Clock['after'] = (ms, callback) =>
      MONOTONIC.after(ms === GRACE ? 10_000 : ms, callback)
    gateway = await reopened({ clock: { ...MONOTONIC, after } })
    const stop = new Stop()
    const work = errorOf(ensure(rows(), 'present', { stop }))
    await until(() => writes() > ROWS / 3)
    stop.now()
    const error = await work
    error.should.match({ code: 'CLOSED', cause: { applied: 'yes', problems: [] } })
    const sent = writes()
    sent.should.be.below(ROWS)
    await simulator.settle()
    simulator.routes.should.have.length(OTHERS + sent)
    const results = await ensure(rows())
    should(results.filter((row) => 'error' in row)).eql([])
    writes().should.equal(ROWS)
    should(twice()).eql([])
  })

  it('names, when it is stopped, each row that was sent and does not show', async () => {
    simulator.setOptions({ applyDelay: 60_000 })
    const stop = new Stop()
    const work = errorOf(ensure(rows(), 'present', { stop }))
    await until(() => writes() >= MOST_SENT)
    stop.now()
    const error = await work
    error.should.match({ code: 'CLOSED', cause: { applied: 'maybe' } })
    const { problems = [] } = error.cause
    writes().should.equal(MOST_SENT)
    problems.should.have.length(MOST_SENT)
    error.message.should.containEql('Sent, but not confirmed: "Bulk 0", "Bulk 1"')
    problems[0]!.path.should.equal('[0]')
    problems[0]!.problem.should.startWith('"Bulk 0" was sent')
  })

  it('takes its time to see what was sent when its gateway closes, but not long', async () => {
    const work = errorOf(ensure(rows()))
    await until(() => writes() > ROWS / 3)
    const began = performance.now()
    await gateway.close()
    ;(performance.now() - began).should.be.below(6000)
    const { code, cause } = await work
    code.should.equal('CLOSED')
    const sent = writes()
    await simulator.settle()
    simulator.routes.should.have.length(OTHERS + sent)
    cause.problems!.length.should.be.below(sent)
  })

  it('sends no more when nothing responds to those before, and says so of each row', async () => {
    simulator.fault({ kind: 'reset', match: { action: 'create' } })
    const results = await ensure(rows(), 'present', { waitTimeout: 4000 })
    const { host } = new URL(simulator.url)
    const unsent = results.filter((row) => 'error' in row && row.error.cause.applied === 'no')
    unsent.length.should.be.above(ROWS / 4).and.equal(ROWS - writes())
    for (const { error, changed } of unsent as EnsureFailure[]) {
      changed.should.be.false()
      error.cause.should.match({ code: 'UNAVAILABLE', gateway: { id: '', name: host } })
      error.message.should.match(
        /^Route "Bulk \d+": Nothing was sent for this route, because \S+ did not respond to the routes before it\./,
      )
    }
  })

  it('ends soon when the appliance is gone, with the rows that were not sent', async () => {
    const work = ensure(rows(), 'present', { waitTimeout: 3000 })
    await until(() => writes() > ROWS / 6)
    await simulator.stop()
    const began = performance.now()
    const results = await work
    ;(performance.now() - began).should.be.below(15_000)
    const failed = results.filter((row) => 'error' in row)
    const unsent = failed.filter(({ error }) => error.cause.applied === 'no')
    unsent.length.should.be.above(ROWS / 3)
    unsent.every(({ changed }) => !changed).should.be.true()
    await simulator.start()
    await simulator.settle()
    const there = rows().filter(({ name }) => named(name) === 1)
    // Nothing that is there is said to be not.
    for (const { name } of there) {
      const index = Number(name.slice('Bulk '.length))
      results[index]!.changed.should.be.true()
    }
  })

  async function reopened(options: Partial<GatewayOptions>): Promise<Connection> {
    await gateway.close()
    return connectTo(simulator, options)
  }
})
