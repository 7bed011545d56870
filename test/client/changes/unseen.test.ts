import { openGateway, type Gateway } from '../../../client'
import { own } from '../../../client/model/json'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { ROUTE as NEW } from '../connection/support'
import { FakeTime } from '../../support/fake-time'
import { liveInOwnTime } from '../../support/own-time'
import { until } from '../../support/until'
import { endEach } from '../../support/connect'

/** An appliance that accepts at once, carries out late, and does not show that it will. */
describe('a change that does not show yet', function () {
  this.timeout(60_000)

  let simulator: Simulator
  let gateway: Gateway
  let time: FakeTime
  /** How far the clock of the appliance is set forward, ms. */
  let moved: number

  beforeEach(async () => {
    moved = 0
    liveInOwnTime(10)
    simulator = await startSimulator({
      routes: 2,
      now: () => Date.now() + moved,
      dialect: { pendingChanges: false, pendingRouteCreates: false },
    })
    time = new FakeTime({ runs: true })
    const account = { username: 'haiadmin', password: 'manager' }
    gateway = openGateway({ baseUrl: simulator.url, ...account, clock: time })
    await gateway.devices.list()
  })
  afterEach(() => endEach(gateway, simulator))

  const running = () => ({ id: simulator.routes.find(({ state }) => state === 'running')!.id })
  const destinations = (id: string) => simulator.route(id)!.destinations
  const updates = (): number =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).length
  const output = (name: string, port: number) => ({
    name,
    protocol: 'udp',
    address: '239.9.9.9',
    port,
  })
  it('is kept by the next merge: an appliance that takes 8 s loses no destination', async () => {
    const route = running()
    const before = destinations(route.id).map(({ id }) => id)
    simulator.setOptions({ applyDelay: 8000 })
    await gateway.routes.update(route, { destinations: [output('New out', 7001)] })
    await gateway.routes.update(route, { source: { name: 'other in' } })
    await simulator.settle()
    simulator.route(route.id)!.source.name.should.equal('other in')
    const now = destinations(route.id)
    now.map(({ name }) => name).should.containEql('New out')
    now.map(({ id }) => id).should.containDeep(before)
  })

  it('is built on where it only changes values, without a wait for each', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 9000 })
    await gateway.routes.update(route, { name: 'renamed' })
    const begun = time.now()
    await gateway.routes.update(route, { source: { name: 'other in' } })
    updates().should.equal(2)
    // It was given the time to show, which would have been better to build on.
    ;(time.now() - begun).should.be.within(5000, 30_000)
    await simulator.settle()
    simulator.route(route.id)!.should.match({ name: 'renamed', source: { name: 'other in' } })
  })

  it('takes a pass phrase away, whatever is changed before that shows', async () => {
    const srt = { protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 5999 }
    const source = {
      ...NEW.source,
      ...srt,
      srtPassPhrase: 'a-pass-phrase',
      srtEncryption: 'aes128',
    }
    const { route } = await gateway.routes.create(
      { ...NEW, source, destinations: [] },
      { waitFor: 'applied' },
    )
    const { id } = route!
    should(simulator.route(id)!.source.srtPassPhrase).equal('a-pass-phrase')
    simulator.setOptions({ applyDelay: 20_000 })
    await gateway.routes.update({ id }, { source: { srtPassPhrase: null } })
    await gateway.routes.update({ id }, { name: 'renamed' })
    await gateway.routes.update({ id }, { source: { name: 'other in' } })
    await simulator.settle()
    simulator.route(id)!.should.match({ name: 'renamed', source: { name: 'other in' } })
    should(simulator.route(id)!.source.srtPassPhrase).not.be.ok()
  })

  it('is not undone because the firmware has a counter that the package does not know', async () => {
    const route = running()
    const source = simulator.route(route.id)!.source as Record<string, unknown>
    const count = setInterval(() => {
      const now = simulator.route(route.id)!.source as Record<string, unknown>
      now.packetsSeen = Number(now.packetsSeen ?? 0) + 1
    }, 5)
    try {
      source.packetsSeen = 1
      simulator.setOptions({ applyDelay: 1500 })
      const [first] = destinations(route.id)
      await gateway.routes.update(route, { source: { name: 'A' } })
      await gateway.routes.update(route, { destinations: [{ id: first!.id, name: 'B' }] })
      await simulator.settle()
      simulator.route(route.id)!.source.name.should.equal('A')
      destinations(route.id)[0]!.name.should.equal('B')
    } finally {
      clearInterval(count)
    }
  })

  it('is not taken for one of another client elsewhere in the route', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.update(route, { name: 'renamed' })
    simulator.route(route.id)!.source.name = 'by another client'
    await gateway.routes.update(route, { source: { srtLatency: 500 } })
    await simulator.settle()
    simulator.route(route.id)!.name.should.equal('renamed')
  })

  /** Sends an update that only changes a value, and is lost: it does not arrive, and counts as unseen. */
  async function lost(id: string): Promise<void> {
    const [first] = destinations(id)
    simulator.fault({ kind: 'reset', times: 1, match: { action: 'update' } })
    const patch = { destinations: [{ id: first!.id, name: 'renamed' }] }
    const error = await errorOf(gateway.routes.update({ id }, patch))
    error.code.should.equal('OUTCOME_UNKNOWN')
  }

  it('does not undo what others have done meanwhile', async () => {
    const { id } = running()
    await lost(id)
    const route = simulator.route(id)!
    route.destinations.push({ ...route.destinations[0]!, id: 'on-air', name: 'on air', port: 7009 })
    Object.assign(route.source, { port: 5555 })
    await gateway.routes.update({ id }, { destinations: [{ name: 'on air', port: 7010 }] })
    await gateway.routes.update({ id }, { name: 'other' })
    await simulator.settle()
    simulator.route(id)!.should.match({ name: 'other', source: { port: 5555 } })
    destinations(id)[0]!.name.should.equal('renamed')
    should(destinations(id).at(-1)).match({ id: 'on-air', name: 'on air', port: 7010 })
  })

  it('does not bring back a destination that others have removed', async () => {
    const { id } = running()
    simulator
      .route(id)!
      .destinations.push({ ...destinations(id)[0]!, id: 'off-air', name: 'off air', port: 7009 })
    await lost(id)
    simulator.route(id)!.destinations.pop()
    await gateway.routes.update({ id }, { name: 'other' })
    await simulator.settle()
    destinations(id)
      .map(({ name }) => name)
      .should.not.containEql('off air')
    destinations(id)[0]!.name.should.equal('renamed')
  })

  it('is kept where the next but one goes back to the former value', async () => {
    const { id } = running()
    const former = simulator.route(id)!.source.name
    simulator.setOptions({ applyDelay: 9000 })
    await gateway.routes.update({ id }, { source: { name: 'other in' } })
    await gateway.routes.update({ id }, { name: 'renamed', source: { name: former } })
    await gateway.routes.update(
      { id },
      { destinations: [{ id: destinations(id)[0]!.id, port: 7011 }] },
    )
    await simulator.settle()
    simulator.route(id)!.should.match({ name: 'renamed', source: { name: former } })
  })

  it('counts for ensure: a route that was stopped is started', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.stop(route)
    const done = await gateway.routes.ensure(route, { state: 'started' })
    await simulator.settle()
    should(done).match({ changed: true })
    simulator.route(route.id)!.state.should.equal('running')
  })

  it('counts for a plan of ensure', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.stop(route)
    const { results } = await gateway.routes.plan(route, { state: 'started' })
    should(results[0]).match({ changed: true, action: 'start' })
  })

  it('is waited for before a stop is confirmed: the state before the start says nothing', async () => {
    const route = running()
    await gateway.routes.stop(route, { waitFor: 'applied' })
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.start(route)
    await gateway.routes.stop(route, { waitFor: 'applied' })
    const state = simulator.route(route.id)!.state
    await simulator.settle()
    state.should.equal('idle')
    simulator.route(route.id)!.state.should.equal('idle')
  })

  it('is waited for before the opposite is sent to be confirmed, for 5 s', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 20_000 })
    await gateway.routes.stop(route)
    const begun = time.now()
    const started = gateway.routes.start(route, { waitFor: 'applied', waitTimeout: 60_000 })
    const isSent = (): boolean =>
      simulator.journal.some(({ body }) => own(body, 'command') === 'start-route')
    await until(isSent)
    ;(time.now() - begun).should.be.aboveOrEqual(5000)
    await simulator.settle()
    await started
    simulator.route(route.id)!.state.should.equal('running')
  })

  it('is given up once it is old: a stop that no read has shown keeps no start from being confirmed', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 0, settleDelay: 0 })
    await gateway.routes.stop(route)
    await gateway.routes.start(route)
    await gateway.routes.start(route, { waitFor: 'applied', waitTimeout: 15_000 })
    const begun = performance.now()
    const done = await gateway.routes.ensure(route, { state: 'started' })
    should(done).match({ action: 'none' })
    ;(performance.now() - begun).should.be.below(10_000)
  })

  it('is waited for before an update back to the former values is confirmed', async () => {
    const route = running()
    const whole = await gateway.routes.get(route)
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.update(route, { name: 'renamed' })
    await gateway.routes.update(route, whole, { mode: 'replace', waitFor: 'applied' })
    const shown = simulator.route(route.id)!.name
    await simulator.settle()
    shown.should.equal(whole.name)
    simulator.route(route.id)!.name.should.equal(whole.name)
  })

  it('is not made twice: create, then ensure', async () => {
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.create(NEW as never)
    const done = await gateway.routes.ensure(NEW as never)
    await simulator.settle()
    should(done).match({ action: 'none' })
    simulator.routes.filter(({ name }) => name === 'New').should.have.length(1)
  })

  it('is not made twice: a rename, then ensure of the new name', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.update(route, { name: 'New' })
    await gateway.routes.ensure(NEW as never)
    await simulator.settle()
    simulator.routes.filter(({ name }) => name === 'New').should.have.length(1)
    simulator.routes.should.have.length(2)
  })

  it('is waited for where a route is named: a delete finds the one that has the name by then', async () => {
    const [first, second] = simulator.routes.map(({ id, name }) => ({ id, name }))
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.update({ id: first!.id }, { name: 'old' })
    await gateway.routes.update({ id: second!.id }, { name: first!.name })
    await gateway.routes.delete({ name: first!.name })
    await simulator.settle()
    simulator.routes
      .map(({ id, name }) => ({ id, name }))
      .should.eql([{ id: first!.id, name: 'old' }])
  })

  it('is sent again by the former name, where a rename may not have arrived', async () => {
    const { id } = running()
    const { name } = simulator.route(id)!
    simulator.fault({ kind: 'reset', times: 1, match: { action: 'update' } })
    await errorOf(gateway.routes.update({ id }, { name: 'renamed' }))
    await gateway.routes.update({ name }, { name: 'renamed' })
    await simulator.settle()
    simulator.route(id)!.name.should.equal('renamed')
  })

  it('is not taken for the route of a later create with the same name', async () => {
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.create(NEW as never)
    const second = { ...NEW, source: { ...NEW.source, port: 5001 } }
    const { route } = await gateway.routes.create(second as never, { waitFor: 'applied' })
    route!.source.port!.should.equal(5001)
  })

  it('is not there any more for ensure: delete, then ensure present', async () => {
    const { id, name } = simulator.route(running().id)!
    const { source, destinations: outputs } = await gateway.routes.get({ id })
    simulator.setOptions({ applyDelay: 1500 })
    await gateway.routes.delete({ id })
    const done = await gateway.routes.ensure({ name, source, destinations: outputs } as never)
    await simulator.settle()
    should(done).match({ action: 'create' })
    simulator.routes.filter((route) => route.name === name).should.have.length(1)
  })

  it('that adds a destination and does not show at all stops the next one before it is sent', async () => {
    const route = running()
    simulator.setOptions({ applyDelay: 45_000 })
    await gateway.routes.update(route, { destinations: [output('New out', 7001)] })
    const looks = simulator.journal.length
    const failing = errorOf(gateway.routes.update(route, { source: { name: 'other in' } }))
    // It waits for the earlier one to show, for half a minute.
    await until(() => simulator.journal.length > looks + 1)
    time.skip(31_000)
    const error = await failing
    error.should.match({ code: 'NOT_CONFIRMED', cause: { applied: 'no', retryable: true } })
    updates().should.equal(1)
  })

  describe('and adds a destination, however long ago,', () => {
    const NEW_OUT = { destinations: [output('New out', 7001)] }
    const OTHER = { source: { name: 'other in' } }
    /** Milliseconds after which it is overdue. */
    const isAnswered: Record<string, [boolean, number]> = {
      'although it was accepted': [true, 121_000],
      'and whether it arrived is not known': [false, 31_000],
    }
    const names = (id: string): string[] =>
      destinations(id)
        .map(({ name }) => name)
        .sort()

    for (const [which, [answered, age]] of Object.entries(isAnswered)) {
      /** Sends an update that adds a destination. It shows at `settle`. */
      async function added(
        applyDelay: number,
      ): Promise<{ id: string; name: string; before: string[] }> {
        const { id } = running()
        const before = names(id)
        simulator.setOptions({ applyDelay })
        if (!answered)
          simulator.fault({ kind: 'reset-after', times: 1, match: { action: 'update' } })
        await gateway.routes.update({ id }, NEW_OUT).catch(({ code }: { code: string }) => {
          code.should.equal('OUTCOME_UNKNOWN')
        })
        time.skip(age)
        return { id, name: simulator.route(id)!.name, before }
      }

      const losing: Record<string, (route: { id: string; name: string }) => Promise<unknown>> = {
        merge: ({ id }) => gateway.routes.update({ id }, OTHER),
        'merge of another destination': ({ id }) =>
          gateway.routes.update({ id }, { destinations: [output('Other out', 7002)] }),
        ensure: ({ name }) => gateway.routes.ensure({ name, ...OTHER }),
        'ensure of a list': async ({ name }) => {
          const [first] = await gateway.routes.ensure([{ name, ...OTHER }])
          const { error } = first as unknown as { error: { message: string } }
          throw Object.assign(new Error(error.message), error)
        },
      }
      for (const [what, change] of Object.entries(losing)) {
        it(`${which}, is not lost to a later ${what}`, async () => {
          const route = await added(600_000)
          for (const later of [0, 3_600_000]) {
            time.skip(later)
            const error = await errorOf(change(route))
            error.should.match({ code: 'NOT_CONFIRMED', cause: { applied: 'no' } })
            error.message.should.match(/“New out”.*Send the earlier update again/)
          }
          updates().should.equal(1)
          moved += 600_000
          await simulator.settle()
          simulator.setOptions({ applyDelay: 30 })
          await gateway.routes.update({ id: route.id }, OTHER, { waitFor: 'applied' })
          names(route.id).should.eql([...route.before, 'New out'].sort())
        })
      }

      const deciding: Record<
        string,
        [(route: { id: string; name: string }) => Promise<unknown>, boolean]
      > = {
        'the same update again': [({ id }) => gateway.routes.update({ id }, NEW_OUT), true],
        'an update that removes it': [
          ({ id }) => gateway.routes.update({ id }, { destinations: { 'New out': null } }),
          false,
        ],
        'the whole list': [
          async ({ id }) => {
            const { destinations: whole } = await gateway.routes.get({ id })
            return gateway.routes.update({ id }, { destinations: whole }, { mode: 'keep' })
          },
          false,
        ],
        'ensure with it': [({ name }) => gateway.routes.ensure({ name, ...NEW_OUT }), true],
        'ensure of a state': [
          ({ id }) => gateway.routes.ensure({ id }, { state: 'stopped' }),
          true,
        ],
        'ensure of its absence': [
          async ({ id, name }) => {
            await gateway.routes.ensure({ id }, { state: 'absent' })
            await gateway.routes.create({ ...NEW, name } as never, { waitFor: 'applied' })
          },
          false,
        ],
      }
      for (const [what, [change, remains]] of Object.entries(answered ? {} : deciding)) {
        it(`${which}, ends with ${what}`, async () => {
          const route = await added(1500)
          await change(route)
          await simulator.settle()
          const { id } = simulator.routes.find(({ name }) => name === route.name)!
          await gateway.routes.update({ id }, OTHER, { waitFor: 'applied' })
          names(id).includes('New out').should.equal(remains)
        })
      }
    }
  })

  it('is forgotten where the appliance has refused it', async () => {
    const route = running()
    simulator.fault({ kind: 'status', status: 400, match: { action: 'update' }, times: 1 })
    await errorOf(gateway.routes.update(route, { name: 'refused' }))
    const begun = performance.now()
    await gateway.routes.update(route, { source: { name: 'other in' } })
    ;(performance.now() - begun).should.be.below(10_000)
    await simulator.settle()
    simulator.route(route.id)!.name.should.not.equal('refused')
  })

  it('of an appliance that stores another value is over once the former one has gone', async () => {
    const route = running()
    await gateway.routes.update(route, { name: 'renamed' })
    await until(() => simulator.route(route.id)!.name === 'renamed')
    simulator.route(route.id)!.name = 'RENAMED'
    const begun = performance.now()
    await gateway.routes.update(route, { source: { name: 'other in' } })
    ;(performance.now() - begun).should.be.below(10_000)
    await simulator.settle()
    simulator.route(route.id)!.name.should.equal('RENAMED')
  })
})
