// What is read for a report: little, with one login, and with the end of the session in any case.
import should from 'should'
import { Stop } from '../../../client/internal'
import { factsIn } from '../../../client/doctor/facts'
import { accountOf, reportOf } from '../../../client/doctor/account'
import type { Reading } from '../../../client/doctor/read'
import {
  DIALECTS,
  startSimulator,
  type Fault,
  type Simulator,
  type SimulatorOptions,
} from '../../../simulator'
import { until } from '../../support/until'
import { CLEAN, readingOf, received } from './support'

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
    ['several devices', { devices: 3 }],
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
      const { answers, account, facts } = reportOf(reading, '1.2.3', now)
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
      ],
    })
    const account = accountOf((await readingOf(simulator)).reading, Date.now())
    account.shared.should.eql([{ output: 'Both', routes: ['B', 'C'] }])
    account.withoutCallers.map(({ output }) => output).should.containDeep(['A out', 'B out'])
    account.portClashes.join('\n').should.match(/route "A".*7000.*route "B"/)
  })

  it('says by how much the clocks differ', async () => {
    await start({ now: () => Date.now() })
    const { measured } = (await readingOf(simulator)).reading
    should(Math.abs(measured.clockSeconds ?? NaN)).be.belowOrEqual(2)
    should(measured.cookie).equal('session')
  })
})
