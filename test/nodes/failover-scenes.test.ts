// What goes wrong around a failover, in a real Node-RED: all scenes are played at the same time, each
// with its own gateway. Held nodes, monitors, refused switches and two config nodes are in failover.test.
import should from 'should'
import { DEFAULTS } from '../../client/model/ranges'
import type { Simulator } from '../../simulator'
import { definitionOf } from '../../simulator/model'
import { until } from '../support/until'
import {
  BACKUP,
  destinations,
  endStages,
  MAIN,
  SECRET,
  srt,
  startStages,
  type Stage,
} from './failover-stage'
import { only, Plays } from './failover-plays'

const plays = new Plays()
const { scene } = plays

const READ = { method: 'GET', path: /^\/api\/devices\/[^/]+$/ }
const isRead = (method: string, path: string): boolean => method === 'GET' && READ.path.test(path)

/** Longer than `until` allows: many answers come late, one after the other. */
const LONG_MS = 60_000

const definition = (simulator: Simulator): object =>
  structuredClone(definitionOf(simulator.route('studio-a')!.source))

scene('goes home at once when the backup is dead', only({ holdOff: 1 }), async (stage) => {
  stage.fail(BACKUP)
  await stage.reaches('normal')
  stage.fail(MAIN)
  await until(
    () => stage.source === BACKUP.address,
    () => stage.account(),
  )
  stage.mend(MAIN)
  await stage.tells('unprotected', 'protected')
  stage.event('unprotected').should.match({ reason: 'both-bad', from: 'backup' })
  const { outageMs } = stage.event('protected')
  // The hold-off, the trial, and what two changes and a slow machine take.
  outageMs!.should.be.within(2000, 10_000)
  await stage.looks(4)
  should(stage.source).equal(MAIN.address)
  stage.updates.should.have.length(2)
  stage.names.should.eql(['unprotected', 'protected'])
  stage.caught.should.have.length(0)
})

const UDP = { protocol: 'udp', address: '192.0.2.2', port: 5000 }

scene(
  'refuses a backup of another protocol that would lose members of main, by name',
  only({ main: JSON.stringify({ protocol: 'srt', ...MAIN }), backup: JSON.stringify(UDP) }),
  async (stage) => {
    await until(
      () => stage.caught.length > 0,
      () => stage.account(),
    )
    const { error } = stage.caught[0]!
    error.code.should.equal('CONFIG')
    const paths = (error.cause.problems ?? []).map(({ path }) => path)
    paths.should.containDeep(['main.srtMode', 'main.srtEncryption'])
    stage.status.fill!.should.equal('red')
    stage.fail(MAIN)
    await stage.looks(4)
    stage.updates.should.have.length(0)
    stage.caught.should.have.length(1)
  },
)

const WHOLE = {
  protocol: 'srt',
  srtMode: 'caller',
  srtEncryption: 'AES128',
  srtLatency: 350,
  srtOverhead: '30',
  srtRcvBuf: 8_192_000,
  networkInterface: 'eth1',
  mtu: 1400,
}
const wholeMain = srt({ ...WHOLE, ...MAIN })

scene(
  'loses no member on the way to a backup of another protocol and back',
  {
    properties: {
      main: JSON.stringify({ ...WHOLE, ...MAIN }),
      backup: JSON.stringify({ ...UDP, networkInterface: 'eth0', mtu: 1316 }),
    },
    simulator: {
      routes: [
        {
          id: 'studio-a',
          name: 'Studio A',
          startRoute: true,
          source: wholeMain,
          destinations: destinations(6000),
        },
      ] as never,
    },
  },
  async (stage) => {
    await stage.reaches('normal')
    const before = definition(stage.simulator)
    before.should.match({ ...WHOLE, ...MAIN })
    stage.fail(MAIN)
    await stage.tells('switched')
    definition(stage.simulator).should.match(UDP)
    definition(stage.simulator).should.not.have.property('srtLatency')
    stage.mend(MAIN)
    await stage.send({ action: 'main' })
    await stage.tells('switched', 'switched')
    definition(stage.simulator).should.eql(before)
    // What the gateway has is what was sent to it.
    const { fields } = stage.updates[1]!.body as { fields: { source: object } }
    fields.source.should.match({ ...WHOLE, ...MAIN })
  },
)

scene('switches while every second read fails', only({ holdOff: 2 }), async (stage) => {
  await stage.reaches('normal')
  const { simulator } = stage
  const failNext = (): void => {
    simulator.fault({ kind: 'invalid-json', match: READ, times: 1, after: 1 })
  }
  simulator.onCall(({ method, path, fault }) => {
    if (isRead(method, path) && fault) failNext()
  })
  failNext()
  stage.fail(MAIN)
  await stage.tells('switched')
  stage.event('switched').should.match({ cause: 'signal-fail', to: 'backup' })
  const reads = simulator.journal.filter(({ method, path }) => isRead(method, path))
  reads.filter(({ fault }) => fault).length.should.be.above(1)
  stage.updates.should.have.length(1)
})

scene(
  'says that it knows nothing while reads hang, and switches when one is answered',
  { properties: { holdOff: 1 }, gateway: { timeout: 2000 } },
  async (stage) => {
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.reaches('hold-off')
    const answered = stage.simulator.fault({ kind: 'hang', match: { method: 'GET' } })
    await stage.tells('unprotected')
    stage.event('unprotected').should.match({ reason: 'unknown', state: 'unknown' })
    stage.status.fill!.should.not.equal('green')
    answered()
    await until(
      () => stage.names.includes('switched'),
      () => stage.account(),
    )
    stage.names.slice(0, 2).should.eql(['unprotected', 'switched'])
    await stage.tells('unprotected', 'switched', 'protected')
    stage.updates.should.have.length(1)
    stage.caught.should.have.length(0)
  },
)

scene(
  'does not return for what a probe said before main failed',
  only({ restore: 'message', waitToRestore: 1 }),
  async (stage) => {
    await stage.reaches('normal')
    ;(await stage.refusal({ main: true })).should.equal('accepted')
    stage.fail(MAIN)
    await stage.tells('switched')
    await stage.looks(6)
    stage.events.map(({ state }) => state).should.not.containEql('wait-to-restore')
    stage.updates.should.have.length(1)
    ;(await stage.refusal({ main: true })).should.equal('accepted')
    await stage.reaches('wait-to-restore')
  },
)

scene(
  'returns from a dead backup although a probe has said once that main is bad',
  only({ restore: 'message', waitToRestore: 600 }),
  async (stage) => {
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.tells('switched')
    ;(await stage.refusal({ main: false })).should.equal('accepted')
    stage.mend(MAIN)
    stage.fail(BACKUP)
    await until(
      () => stage.source === MAIN.address,
      () => stage.account(),
    )
    await until(
      () => stage.names.filter((name) => name === 'switched').length === 2,
      () => stage.account(),
    )
    stage.updates.should.have.length(2)
    // While the probe counted, there was no protection.
    stage.names.should.containDeepOrdered(['switched', 'switched'])
  },
)

for (const [how, monitor, monitorType] of [
  ['by its name', 'Studio A', 'name'],
  ['by its ID', 'studio-a', 'id'],
] as const) {
  scene(
    `refuses the protected route as its own monitor (${how})`,
    only({ restore: 'monitor', monitor, monitorType }),
    async (stage) => {
      await until(
        () => stage.caught.length > 0,
        () => stage.account(),
      )
      stage.caught[0]!.error.should.match({
        code: 'INVALID_INPUT',
        message: /monitor.*is the protected route itself/,
      })
      stage.status.fill!.should.equal('red')
      stage.fail(MAIN)
      // By its name that is known before anything is read.
      if (monitorType === 'id') await stage.looks(4)
      else stage.simulator.journal.should.have.length(0)
      stage.updates.should.have.length(0)
      stage.caught.should.have.length(1)
    },
  )
}

scene(
  'refuses a member that is nearly a known one, and says which',
  only({
    main: JSON.stringify({ ...MAIN, latency: 200 }),
    backup: JSON.stringify({ ...BACKUP, latency: 200 }),
  }),
  async (stage) => {
    await until(
      () => stage.caught.length > 0,
      () => stage.account(),
    )
    const { error } = stage.caught[0]!
    error.code.should.equal('CONFIG')
    error.message.should.match(/field main\.latency\. Did you mean srtLatency\?/)
    stage.status.fill!.should.equal('red')
    stage.simulator.journal.should.have.length(0)
    stage.caught.should.have.length(1)
  },
)

const NAMED = { address: 'Main.Example.COM', port: 5000, networkInterface: 'eth0' }

scene(
  'knows an address in another case, and names the member that a person has changed',
  {
    properties: {
      main: JSON.stringify(NAMED),
      backup: JSON.stringify({ ...NAMED, address: 'backup.example.com' }),
    },
    simulator: {
      routes: [
        {
          id: 'studio-a',
          name: 'Studio A',
          startRoute: true,
          source: srt({ ...NAMED, address: 'main.example.com', srtPassPhrase: `${SECRET} 3` }),
          destinations: [],
        },
      ] as never,
    },
  },
  async (stage) => {
    await stage.reaches('normal')
    stage.setSource({ networkInterface: 'eth1' })
    await stage.tells('taken-over')
    stage.event('taken-over').should.match({
      state: 'foreign',
      differs: { main: ['networkInterface'] },
    })
    stage.status.should.match({ fill: 'grey', text: 'other source: networkInterface differs' })
    stage.setSource({ networkInterface: 'eth0' })
    await stage.reaches('normal')
    stage.updates.should.have.length(0)
  },
)

/** A person whose form was opened earlier saves it. */
async function saveForm({ simulator, updates }: Stage, source: object): Promise<void> {
  const ask = async (path: string, method: string, body?: unknown, cookie = '') => {
    const answer = await fetch(`${simulator.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    answer.ok.should.be.true()
    return answer
  }
  const account = { username: 'haiadmin', password: 'manager' }
  const login = await ask('/api/session', 'POST', account)
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  const [{ path, body }] = updates as [(typeof updates)[0]]
  const { fields, ...rest } = body as { fields: { source: object } }
  const form = { ...rest, fields: { ...fields, source: { ...fields.source, ...source } } }
  await ask(path, 'POST', form, cookie)
  await ask('/api/session', 'DELETE', undefined, cookie)
}

scene(
  'sends a switch again over which an old form was saved, and leaves what is saved later',
  // Longer than a busy machine takes to save the form: meanwhile no read is answered.
  only({ restore: 'monitor', monitor: 'Monitor', holdOff: 6 }),
  async (stage) => {
    const { simulator } = stage
    await stage.reaches('normal')
    let saved: Promise<void> | undefined
    const unhook = simulator.onCall(({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/updates')) return
      unhook()
      // No read shows the switch before the form has replaced it.
      const shown = simulator.fault({ kind: 'invalid-json', match: READ })
      saved = saveForm(stage, MAIN)
        .then(() => simulator.settle())
        .then(shown)
    })
    stage.fail(MAIN)
    await stage.tells('switched')
    await saved
    // The switch, the form, and the switch again.
    stage.updates.should.have.length(3)
    should(stage.source).equal(BACKUP.address)

    stage.mend(MAIN)
    await stage.tells('switched', 'switched')
    stage.events.filter(({ cause }) => cause === 'restore').should.have.length(1)
    await saveForm(stage, BACKUP)
    await stage.tells('switched', 'switched', 'taken-over')
    stage.event('taken-over').should.match({ from: 'main', to: 'backup', cause: 'manual' })
    // Main is good for longer than the wait, and a person wants the backup.
    await stage.looks(6)
    should(stage.source).equal(BACKUP.address)
    stage.updates.should.have.length(5)
    stage.caught.should.have.length(0)
  },
)

scene('is not held up by a change that never ends', only({ holdOff: 1 }), async (stage) => {
  await stage.reaches('normal')
  Object.defineProperty(stage.simulator.route('studio-a')!, 'pendingUpdates', {
    get: () => ({ name: 'Studio A' }),
    set() {},
  })
  stage.fail(MAIN)
  await stage.tells('switched')
  stage.event('switched').durationMs!.should.be.below(12_000)
  await stage.looks(4)
  stage.updates.should.have.length(1)
  stage.caught.should.have.length(0)
})

scene('does not believe a device that is offline', {}, async (stage) => {
  await stage.reaches('normal')
  stage.simulator.failDevice('offline')
  await stage.reaches('unknown')
  await stage.shows('^source unknown: ')
  stage.status.fill!.should.not.equal('green')
  stage.fail(MAIN)
  await stage.looks(4)
  stage.updates.should.have.length(0)
  stage.simulator.failDevice('ok')
  await stage.tells('switched')
  stage.updates.should.have.length(1)
})

const MANY = 100
const many = Array.from({ length: MANY }, (_, index) => `route-${index + 1}`)

scene(
  'of a hundred shares its reads, holds up no command, and switches with all others',
  {
    properties: { route: many[0], routeType: 'id', pollEvery: 2, settle: 10, holdOff: 1 },
    others: {
      ...Object.fromEntries(
        many
          .slice(1)
          .map((route) => [
            `of-${route}`,
            { route, routeType: 'id', pollEvery: 2, settle: 10, holdOff: 1 },
          ]),
      ),
      'stops-one': {
        type: 'media-gateway-control-route',
        route: 'free',
        routeType: 'id',
        action: 'stop',
        target: 'route',
        waitFor: 'accepted',
        wires: [[]],
      },
    },
    simulator: {
      latency: 200,
      routes: [...many, 'free'].map((id) => ({
        id,
        name: id,
        startRoute: true,
        source: srt(MAIN),
        destinations: [],
      })) as never,
    },
  },
  async (stage) => {
    const { simulator } = stage
    const { journal } = simulator
    const readsFrom = (place: number): number =>
      journal.slice(place).filter(({ method, path }) => isRead(method, path)).length
    const states = (): number => stage.events.filter(({ state }) => state === 'normal').length
    await until(
      () => states() === MANY,
      () => `${MANY} in state normal, not ${states()}`,
      LONG_MS,
    )
    // Each look is one call for all of them.
    const begun = journal.length
    const startedAt = performance.now()
    await until(() => readsFrom(begun) === 3, '3 reads')
    journal.slice(begun).should.have.length(3)
    ;(performance.now() - startedAt).should.be.above(3500)

    const stopped = async (): Promise<number> => {
      const before = journal.length
      await stage.send({}, 'stops-one')
      const at = journal.findIndex(
        ({ path }, place) => place >= before && path.endsWith('/commands'),
      )
      return at - before
    }
    ;(await stopped()).should.be.within(0, 2)
    stage.fail(MAIN)
    await until(() => stage.updates.length > 0, 'an update', LONG_MS)
    // Those on their way, and those that take their places before the message is delivered: on a busy
    // machine all eight at once. Behind the other failovers, it would be nearly all.
    ;(await stopped()).should.be.within(0, 3 * DEFAULTS.concurrency)
    const isAll = (): boolean =>
      many.every((id) => simulator.route(id)!.source.address === BACKUP.address)
    await until(isAll, 'all on the backup', LONG_MS)
    await until(() => stage.names.length >= MANY, 'all switched', LONG_MS)
    stage.names.should.eql(many.map(() => 'switched'))
    stage.updates.should.have.length(MANY)
  },
)

describe('a failover while all goes wrong', function () {
  this.timeout(90_000)

  plays.test()
})

describe('a failover whose machine has its clock set', function () {
  this.timeout(60_000)
  const { now } = Date
  const HOUR_MS = 3_600_000
  const set = (ms: number): void => void (Date.now = () => now() + ms)
  afterEach(async () => {
    Date.now = now
    await endStages()
  })

  it('waits as long as without that, and its events have the new time', async () => {
    const [stage] = (await startStages({
      clock: {
        properties: { holdOff: 3, restore: 'monitor', monitor: 'Monitor', waitToRestore: 3 },
      },
    })) as [Stage]
    const isNow = ({ at }: { at: number }): void =>
      void (Date.now() - at).should.be.within(-5000, 30_000)
    await stage.reaches('normal')
    stage.fail(MAIN)
    await stage.reaches('hold-off')
    set(HOUR_MS)
    // A wait that was over at once would leave no time for these.
    await stage.looks(2)
    stage.updates.should.have.length(0)
    await stage.tells('switched')
    const switched = stage.event('switched')
    switched.outageMs!.should.be.within(2900, 30_000)
    isNow(switched)

    stage.mend(MAIN)
    await stage.reaches('wait-to-restore')
    set(-HOUR_MS)
    await stage.looks(2)
    stage.updates.should.have.length(1)
    await stage.tells('switched', 'switched')
    isNow(stage.events.findLast(({ event }) => event === 'failover.switched')!)
    stage.updates.should.have.length(2)
    stage.simulator.logins.should.equal(1)
    stage.caught.should.have.length(0)
  })
})
