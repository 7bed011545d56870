// What is read for a report: little, with one login, and with the end of the session in any case.
import { Stop } from '../../../client/stop'
import { factsIn } from '../../../client/doctor/facts'
import { accountOf, linesOf, reportOf } from '../../../client/doctor/account'
import type { Reading } from '../../../client/doctor/read'
import {
  DIALECTS,
  startSimulator,
  type Fault,
  type Simulator,
  type SimulatorOptions,
} from '../../../simulator'
import { FakeTime } from '../../support/fake-time'
import { good, ScriptedAppliance } from '../../support/scripted-appliance'
import { until } from '../../support/until'
import { CLEAN, readingOf, received } from './support'
import { afterThisTest } from '../../support/hooks'

describe('the reading of a report', () => {
  let simulator: Simulator
  afterEach(() => simulator?.stop())

  const start = async (options: SimulatorOptions = {}): Promise<void> => {
    simulator = await startSimulator(options)
  }
  const verdicts = (reading: Reading): Record<string, string> =>
    Object.fromEntries(factsIn(reading).map(({ name, verdict }) => [name, verdict]))

  const variants: Array<[string, SimulatorOptions]> = [
    ['field', { dialect: 'field' }],
    ['no routes', { routes: 0 }],
    ['many routes', { routes: 700 }],
    ['no devices', { devices: 0 }],
    ['several devices', { devices: 3, routes: 50 }],
    ...Object.entries(DIALECTS).flatMap(([name, values]) =>
      values
        .slice(1)
        .map((value): [string, SimulatorOptions] => [
          `${name} ${value}`,
          { dialect: { [name]: value } },
        ]),
    ),
  ]
  for (const [what, options] of variants) {
    it(`is complete with ${what}, and says the same when it is safe to send`, async () => {
      await start(options)
      const { reading, failure } = await readingOf(simulator)
      should(failure).be.undefined()
      received(simulator).should.eql(CLEAN)
      const now = Date.now()
      const { answers, account, facts } = reportOf(reading, now)
      facts
        .map(({ name, verdict }) => [name, verdict])
        .should.eql(Object.entries(verdicts(reading)))
      facts
        .filter(({ verdict }) => verdict === 'contradicted')
        .map(({ name }) => name)
        .should.eql(CONTRADICTED[what] ?? [])
      const real = accountOf(reading, now)
      for (const count of ['routes', 'health', 'sources', 'outputs', 'answers'] as const) {
        should(account[count]).eql(real[count])
      }
      for (const list of ['withoutCallers', 'shared', 'portClashes', 'refused'] as const) {
        account[list].length.should.equal(real[list].length)
      }
      answers.length.should.equal(reading.answers.length)
    })
  }

  /** What these variants do differently from the page. */
  const CONTRADICTED: Record<string, string[]> = {
    'no devices': ['one-device'],
    'several devices': ['one-device'],
    'startedWhileIdle true': ['route-idle-not-started'],
    'numbersAsStrings true': [
      'destination-connection-limit-is-number',
      'statistics-collected-at-is-number',
    ],
    'cookie none': ['login-sets-cookie'],
    'paging false': ['list-page-size', 'list-pages-differ'],
  }

  const faults: Array<[string, Fault, object]> = [
    ['one response 503', { kind: 'status', status: 503, times: 1, after: 4 }, {}],
    ['503 for each list', { kind: 'status', status: 503, match: { path: '*/routes*' } }, {}],
    ['errors for all statistics', { kind: 'status', match: { path: '*/statistics*' } }, {}],
    ['a lost session', { kind: 'session-drop', times: 1, after: 5 }, {}],
    ['pages instead of data', { kind: 'html', match: { path: '*/routes*' } }, {}],
    ['cut connections', { kind: 'reset-after', match: { path: '*/routes*' } }, {}],
    ['half responses', { kind: 'truncate', match: { path: '/api/devices/*' } }, {}],
    ['a redirect', { kind: 'redirect', times: 1, after: 6 }, {}],
    ['arrays for objects', { kind: 'array', match: { path: '/api/devices*' } }, {}],
    ['too many requests', { kind: 'too-many', match: { path: '*/routes/*' } }, {}],
  ]
  for (const [what, fault] of faults) {
    it(`ends its only session with ${what}`, async () => {
      await start()
      simulator.fault(fault)
      await readingOf(simulator, { timeout: 2000 }).catch(() => undefined)
      simulator.clearFaults()
      received(simulator).should.eql({ ...CLEAN, openSessions: simulator.openSessions })
      simulator.logouts.should.equal(what === 'a lost session' ? 0 : 1)
      simulator.openSessions.should.equal(0)
    })
  }

  it('stops at a limit, however many routes there are and whatever fails', async () => {
    await start({ routes: 40 })
    simulator.fault({ kind: 'status', status: 503, match: { path: '*/statistics*' } })
    const { reading } = await readingOf(simulator)
    received(simulator).should.eql(CLEAN)
    reading.answers.length.should.be.belowOrEqual(60)
  })

  it('ends its session when it is stopped', async () => {
    await start()
    simulator.fault({ kind: 'hang', match: { path: '*/statistics*' } })
    const stop = new Stop()
    const read = readingOf(simulator, {}, stop)
    await until(() => simulator.journal.some(({ path }) => path.endsWith('/statistics')))
    stop.now()
    await should(read).be.rejectedWith({ code: 'CLOSED' })
    received(simulator).should.eql(CLEAN)
  })

  it('ends in time, with what was read by then', async () => {
    await start()
    simulator.fault({ kind: 'hang', match: { path: '*/statistics*' } })
    const clock = new FakeTime({ runs: true, at: Date.now() })
    const read = readingOf(simulator, { clock, timeout: 600_000 })
    await until(() => simulator.journal.some(({ path }) => path.endsWith('/statistics')))
    clock.skip(50_000)
    const { reading, failure } = await read
    should(failure).have.property('code', 'TIMEOUT')
    should(accountOf(reading, Date.now()).routes).equal(8)
    received(simulator).should.eql(CLEAN)
  })

  it('sends a wrong password once', async () => {
    await start()
    await should(readingOf(simulator, { password: 'wrong' })).be.rejectedWith({
      code: 'LOGIN_REFUSED',
    })
    simulator.journal
      .map(({ method, path }) => `${method} ${path}`)
      .should.eql(['POST /api/session'])
  })

  for (const [username, password] of [
    ['user', 'public'],
    ['operator', 'supervisor'],
  ] as const) {
    it(`is enough for ${username}, and shows what a role may not do`, async () => {
      await start()
      const { reading, failure } = await readingOf(simulator, { username, password })
      should(failure).be.undefined()
      received(simulator).should.eql(CLEAN)
      const fact = factsIn(reading).find(({ name }) => name === 'unknown-wrong-role-status')
      should(fact).have.properties({ verdict: 'confirmed', seen: '403' })
    })
  }

  it('ends its session where a refusal looks like the end of it', async () => {
    await start()
    simulator.fault({ kind: 'status', status: 401, match: { path: '*/preset' } })
    await readingOf(simulator, { username: 'user', password: 'public' })
    received(simulator).should.eql(CLEAN)
    simulator.logouts.should.equal(1)
  })

  it('knows a gateway as it was seen in the field', async () => {
    await start({ dialect: 'field' })
    const found = verdicts((await readingOf(simulator)).reading)
    found.should.containEql({
      'route-state-idle': 'could not test',
      'route-state-stopped': 'confirmed',
      'field-uncalled-listener-is-warn': 'confirmed',
      'field-output-in-two-routes': 'confirmed',
      'field-output-gone': 'confirmed',
      'destination-names-repeat': 'confirmed',
    })
  })

  it('never reads the passwords of an Administrator in a preset', async () => {
    await start()
    await readingOf(simulator)
    simulator.journal.filter(({ path }) => path.endsWith('/preset')).should.eql([])
  })

  it('finds what is wrong in an installation', async () => {
    const listener = (name: string, port: number) => ({
      name,
      protocol: 'srt',
      srtMode: 'listener',
      address: '0.0.0.0',
      port,
    })
    const source = (name: string) => ({ name, protocol: 'udp', address: '239.1.1.1', port: 5000 })
    const shared = { ...listener('Both', 7100), id: '5a0e0000-0000-4000-a000-000000000001' }
    await start({
      routes: [
        {
          name: 'A',
          startRoute: true,
          callers: 0,
          source: source('A in'),
          destinations: [listener('A out', 7000)],
        },
        {
          name: 'B',
          startRoute: true,
          callers: 0,
          source: source('B in'),
          destinations: [listener('B out', 7000), shared],
        },
        { name: 'C', startRoute: true, callers: 1, source: source('C in'), destinations: [shared] },
        {
          name: 'D',
          startRoute: true,
          callers: 2,
          source: source('D in'),
          destinations: [listener('D out', 7200)],
        },
      ],
    })
    await simulator.settle()
    const account = accountOf((await readingOf(simulator)).reading, Date.now())
    account.shared.should.eql([{ output: 'Both', routes: ['B', 'C'] }])
    const uncalled = account.withoutCallers.map(({ output }) => output)
    uncalled.should.containDeep(['A out', 'B out'])
    uncalled.should.not.containEql('D out')
    account.portClashes.join('\n').should.match(/route "A".*7000.*route "B"/)
  })

  it('names no clash of ports of two devices', async () => {
    simulator = await startSimulator({ devices: 2, routes: 3 })
    const { reading } = await readingOf(simulator)
    accountOf(reading, Date.now()).portClashes.should.eql([])
  })

  it('says by how much the clocks differ', async () => {
    const ahead = new ScriptedAppliance((call) => {
      const reply = good(call)
      const date = new Date(Date.now() + 3_600_000).toUTCString()
      return { ...reply, headers: { ...reply.headers, date } }
    })
    await ahead.start()
    afterThisTest(() => ahead.stop())
    const { reading } = await readingOf(ahead)
    should(reading.measured.clockSeconds).be.within(3540, 3660)
    const lines = linesOf(accountOf(reading, Date.now()), [])
    lines.join('\n').should.match(/Clock: 3\d\d\d s ahead of the clock here/)
  })

  it('takes fields that have the names of methods', async () => {
    const trap = { toString: 1, valueOf: 'x' }
    const trapping = new ScriptedAppliance(({ path }) => {
      if (path.endsWith('/routes'))
        return { body: { data: [{ id: 'R', name: trap }], numResults: trap } }
      return path.startsWith('/api/devices/') ? { body: { _id: trap, config: trap } } : undefined
    })
    await trapping.start()
    afterThisTest(() => trapping.stop())
    const { reading } = await readingOf(trapping)
    const report = reportOf(reading, 0)
    linesOf(accountOf(reading, 0), report.facts).length.should.be.above(5)
    trapping.calls.at(-1)!.what.should.equal('DELETE /api/session')
  })

  it('takes whatever a gateway answers', async () => {
    await start({ routes: 4 })
    const { reading } = await readingOf(simulator)
    const strange: unknown[] = [null, 7, 'x', '', [], {}, true, [null], [[]], [{}], { id: 1 }]
    let seed = 7
    const random = (most: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % most
    }
    /** One value at random, at any depth, becomes another. */
    const changed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null || random(8) === 0) {
        return strange[random(strange.length)]
      }
      const names = Object.keys(value)
      if (names.length === 0) return value
      const name = names[random(names.length)]!
      const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
      copy[name] = changed(copy[name])
      return copy
    }
    for (let round = 0; round < 80; round++) {
      const answers = reading.answers.map((one) => ({ ...one, body: changed(changed(one.body)) }))
      const report = reportOf({ ...reading, answers }, 0)
      linesOf(accountOf({ ...reading, answers }, 0), report.facts).length.should.be.above(5)
    }
  })
})
