// The account of `npm --prefix tools run fleet`, with journals made by hand that have each fault in them: a fleet that
// breaks a promise cannot pass.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Account as FleetAccount, Given, Received } from '../support/fleet'
import { root } from '../support/root'

type Command = Given & { through: string; sentAt: number }
interface Evidence {
  names: string[]
  records: Received[]
  events: Array<{ at: number; kind: string; client: string }>
  commands: Command[]
  until: number
  lifetime: number
  lost?: string[]
}
type Account = FleetAccount & {
  doubles: Array<{ lateWrites: number }>
  commands: { details: object[] }
}

const UNTIL = 100_000
const END = 101_000
const EVERY = 1000

/** What a life does with an appliance from its login on. It polls every second until `to`. */
function life(
  client: string,
  appliance: string,
  from: number,
  to: number,
  { logsOut = true, session = `${client} ${appliance} ${from}` } = {},
): Received[] {
  const entry = (kind: Received['kind'], at: number): Received => ({
    at,
    appliance,
    client,
    session,
    kind,
  })
  const polls: Received[] = []
  for (let at = from + 10; at < to; at += EVERY) polls.push(entry('poll', at))
  return [entry('login', from), ...polls, ...(logsOut ? [entry('logout', to)] : [])]
}

function write(client: string, appliance: string, at: number, command: number, from = 0): Received {
  const session = `${client} ${appliance} ${from}`
  return { at, appliance, client, session, kind: 'write', command }
}

const command = (number: number, more: Partial<Command> = {}): Command => ({
  number,
  appliance: 'x',
  isOnce: true,
  through: 'one.1',
  sentAt: 5000,
  code: 'ok',
  ...more,
})

describe('the account of a fleet', () => {
  let accountOf: (evidence: Evidence) => Account
  let brokenPromises: (account: Account, options: { ttlMs: number }) => string[]

  before(async () => {
    const file = pathToFileURL(join(root, 'tools/fleet/account.mjs')).href
    const module = (await import(file)) as {
      accountOf: typeof accountOf
      brokenPromises: typeof brokenPromises
    }
    accountOf = module.accountOf
    brokenPromises = module.brokenPromises
  })

  /** The account of some evidence, and the promises that it breaks with a TTL of 15 s. */
  function judged(given: Partial<Evidence>): { account: Account; broken: string[] } {
    const { records = [] } = given
    const account = accountOf({
      names: [...new Set(records.map(({ appliance }) => appliance))],
      records,
      events: [],
      commands: [],
      until: UNTIL,
      lifetime: 900_000,
      ...given,
    })
    return { account, broken: brokenPromises(account, { ttlMs: 15_000 }) }
  }

  /** Two appliances of two instances, of which the second is killed at 50 s. */
  const killed = (takenAt: number, more: Received[] = []): Partial<Evidence> => ({
    records: [
      ...life('one.1', 'x', 0, END),
      ...life('two.1', 'y', 0, 50_000, { logsOut: false }),
      ...life('one.1', 'y', takenAt, END),
      ...more,
    ],
    events: [{ at: 50_000, kind: 'kill', client: 'two.1' }],
  })

  it('is clean for a fleet that keeps its promises', () => {
    const { account, broken } = judged({
      ...killed(66_000, [write('one.1', 'x', 5100, 1)]),
      commands: [command(1)],
    })
    broken.should.eql([])
    account.clients['one.1']!.should.eql({ appliances: 2, polls: 136, logins: 2 })
    account.clients['two.1']!.should.eql({ appliances: 1, polls: 50, logins: 1 })
    account.sessions.should.eql({ most: 2, left: 0, expiring: 1 })
    account.commands.should.containEql({ sent: 1, carriedOut: 1, codes: { ok: 1 } })
  })

  it('tells what a kill moved, when it was taken over, and what the others had of it', () => {
    const [kill] = judged(killed(66_000)).account.events
    kill!.should.containEql({ kind: 'kill', client: 'two.1', moved: 1, missing: 0, staying: 1 })
    // The first poll comes 10 ms after the login, the last one was at 49.01 s.
    kill!.takenAfter.should.eql({ median: 16_010, longest: 16_010 })
    kill!.pause.should.eql({ median: 17_000, longest: 17_000 })
    kill!.stayingLongest.should.equal(1000)
  })

  it('does not hide a pause of the others', () => {
    const { records, ...rest } = killed(66_000)
    const without = records!.filter(
      ({ appliance, at }) => appliance !== 'x' || at < 52_000 || at > 61_000,
    )
    judged({ ...rest, records: without }).account.events[0]!.stayingLongest.should.equal(10_000)
    const silent = records!.filter(({ appliance, at }) => appliance !== 'x' || at < 52_000)
    judged({ ...rest, records: silent }).account.events[0]!.stayingLongest.should.equal(48_990)
  })

  it('tells the pause of an appliance that moved to an instance that joins', () => {
    const { account, broken } = judged({
      records: [
        ...life('one.1', 'x', 0, END),
        ...life('one.1', 'y', 0, 60_000),
        ...life('two.2', 'y', 60_300, END),
      ],
      events: [{ at: 40_000, kind: 'join', client: 'two.2' }],
    })
    broken.should.eql([])
    account.events[0]!.should.containEql({ moved: 1, missing: 0, staying: 1 })
    account.events[0]!.takenAfter.longest.should.equal(20_310)
    account.events[0]!.pause.longest.should.equal(1300)
  })

  it('keeps events apart: neither a move nor its pause is counted with another one', () => {
    const { events } = judged({
      records: [
        ...life('one.1', 'x', 0, 60_000),
        ...life('two.1', 'x', 75_000, END),
        ...life('three.1', 'y', 0, 30_000, { logsOut: false }),
        ...life('two.1', 'y', 46_000, END),
      ],
      events: [
        { at: 30_000, kind: 'kill', client: 'three.1' },
        { at: 60_000, kind: 'leave', client: 'one.1' },
      ],
    }).account
    events.map(({ moved }) => moved).should.eql([1, 1])
    events.map(({ stayingLongest }) => stayingLongest).should.eql([1000, 1000])
    events.map(({ pause }) => pause.longest).should.eql([17_000, 16_000])
    events.map(({ takenAfter }) => takenAfter.longest).should.eql([16_010, 15_010])
  })

  const both = [...life('one.1', 'x', 0, END), ...life('one.1', 'y', 0, END)]
  const commanded = (writes: Received[], ...commands: Command[]): Partial<Evidence> => ({
    records: [...both, ...writes],
    commands,
  })
  const late = (more: object): Received[] => [
    { at: 70_000, appliance: 'y', client: 'two.1', session: 'two.1 y 0', kind: 'poll', ...more },
  ]
  const open = life('one.1', 'x', 0, END, { logsOut: false })
  const expired = [
    ...life('one.1', 'x', 0, 50_000, { logsOut: false }),
    ...life('one.1', 'x', 60_000, END),
  ]
  const twice = [write('one.1', 'x', 5100, 1), write('one.1', 'x', 5200, 1)]
  const repeated = [write('two.1', 'y', 49_900, 1), write('one.1', 'y', 67_000, 1, 66_000)]
  const denied = command(1, { code: 'UNAVAILABLE', applied: 'no' })
  const inDoubt = command(1, { code: 'OUTCOME_UNKNOWN', applied: 'maybe' })
  const orphaned = killed(66_000).records!.filter(
    ({ appliance, client }) => appliance === 'x' || client === 'two.1',
  )
  const LEFT = '1 sessions of living instances were left open.'
  const TWICE = '1 command carried out twice: 1.'

  /** What is done, and which promises that breaks. */
  const CASES: Array<[what: string, done: Partial<Evidence>, broken: string[] | RegExp]> = [
    ['a takeover within the TTL and 10 s', killed(74_900), []],
    [
      'a later one',
      killed(75_100),
      ['The takeover from two.1 lasted 25.1 s: more than the TTL and 10 s.'],
    ],
    ['one after the end has begun', killed(100_500), /polled by nobody after its kill/],
    [
      'one that never comes, and an appliance that nobody polls',
      { records: orphaned, events: killed(0).events!, names: ['x', 'y', 'z'] },
      [
        '1 appliance never polled: z.',
        '1 appliances of two.1 were polled by nobody after its kill.',
      ],
    ],
    [
      'two instances that poll an appliance at the same time',
      killed(66_000, late({})),
      [
        'y: two.1 made 1 requests up to 4000 ms after one.1 had begun, 0 of them writes after a write.',
      ],
    ],
    [
      'a single write of a former owner after one of the new one',
      killed(66_000, [
        write('one.1', 'y', 67_000, 1, 66_000),
        write('two.1', 'y', 67_001, 2),
        write('two.1', 'y', 49_500, 3),
      ]),
      /y: two\.1 made 1 requests up to 1001 ms .* 1 of them writes after a write/,
    ],
    [
      'a request with an old session, which the appliance did not know any more',
      killed(66_000, late({ client: undefined, kind: 'read' })),
      /^y: two\.1 made 1 requests/,
    ],
    [
      'an appliance that comes back to an instance, with another session',
      {
        records: [
          ...life('one.1', 'x', 0, 30_000),
          ...life('two.1', 'x', 30_000, 60_000),
          ...life('one.1', 'x', 60_000, END),
        ],
      },
      [],
    ],
    [
      'two sessions of one instance on an appliance at the same time',
      { records: [...life('one.1', 'x', 0, END), ...life('one.1', 'x', 40_000, 50_000)] },
      ['1 time one instance had two sessions on an appliance: x.'],
    ],
    ['a command that was carried out twice', commanded(twice, command(1)), [TWICE]],
    [
      'such a command that need not be carried out once',
      commanded(twice, command(1, { isOnce: false })),
      [TWICE],
    ],
    [
      'one that was repeated for an instance that was killed',
      { ...killed(66_000, repeated), commands: [command(1, { appliance: 'y' })] },
      [TWICE],
    ],
    [
      'one that was answered, and not carried out',
      commanded([], command(1)),
      ['1 command answered, and not carried out: 1.'],
    ],
    [
      'and the opposite',
      commanded([write('one.1', 'x', 5100, 1)], denied),
      ['1 command carried out, and said not to be: 1.'],
    ],
    ['one that was denied', commanded([], denied), []],
    ['one in doubt that was carried out', commanded([write('one.1', 'x', 5100, 1)], inDoubt), []],
    ['one in doubt that was not', commanded([], inDoubt), []],
    [
      'one without an answer',
      commanded([], command(1, { code: undefined })),
      ['1 command never answered: 1.'],
    ],
    [
      'one that was given to an instance that is gone',
      { ...killed(66_000), commands: [command(1, { code: undefined, through: 'two.1' })] },
      [],
    ],
    [
      'one that reached another appliance',
      commanded([write('one.1', 'y', 5100, 1)], command(1)),
      ['1 command carried out on another appliance: 1.'],
    ],
    ['a session that a living instance has left', { records: open }, [LEFT]],
    [
      'appliances that nobody polls after a kill, and not the session that it left',
      { records: open, events: [{ at: 100_500, kind: 'kill', client: 'one.1' }], until: 100_400 },
      ['1 appliances of one.1 were polled by nobody after its kill.'],
    ],
    ['that of one that had lost its lease', { records: open, lost: ['one.1'] }, []],
    ['where another life had lost it', { records: open, lost: ['one.2'] }, [LEFT]],
    ['one that has expired', { records: expired, lifetime: 20_000 }, []],
    ['one that has not', { records: expired }, [LEFT]],
    [
      'a third one on an appliance',
      {
        records: [
          ...life('a', 'x', 100, 150, { logsOut: false }),
          ...life('b', 'x', 200, 250, { logsOut: false }),
          ...life('one.1', 'x', 2000, END),
        ],
        events: ['a', 'b'].map((client) => ({ at: 1000, kind: 'kill', client })),
      },
      /An appliance had 3 sessions at once\.$/,
    ],
  ]
  for (const [what, done, broken] of CASES) {
    const isBroken = broken instanceof RegExp || broken.length > 0
    it(`${isBroken ? 'fails' : 'accepts'} ${what}`, () => {
      const found = judged(done).broken
      if (broken instanceof RegExp) should(found.join('\n')).match(broken)
      else should(found).eql(broken)
    })
  }

  it('counts what became of the commands', () => {
    judged(commanded([], inDoubt)).account.commands.should.containEql({
      unknown: 1,
      codes: { OUTCOME_UNKNOWN: 1 },
    })
    judged({
      ...killed(66_000),
      commands: [command(1, { code: undefined, through: 'two.1' })],
    }).account.commands.should.containEql({ senderGone: 1 })
    judged(commanded(twice, command(1))).account.commands.details.should.containDeep([
      { number: 1, code: 'ok', writes: [{ at: 5100, client: 'one.1' }, { at: 5200 }] },
    ])
  })
})

describe('what the account keeps of a request', () => {
  type RecordOf = (call: object) => { kind: string; session?: string; command?: number }
  let recordOf: RecordOf
  before(async () => {
    const file = pathToFileURL(join(root, 'tools/fleet/record.mjs')).href
    recordOf = ((await import(file)) as { recordOf: RecordOf }).recordOf
  })

  const post = { method: 'POST', path: '/api/devices/d/updates', status: 200, applied: true }

  it('is its kind', () => {
    const kind = (method: string, path: string, status = 200): string =>
      recordOf({ method, path, status }).kind
    kind('POST', '/api/session').should.equal('login')
    kind('DELETE', '/api/session').should.equal('logout')
    kind('GET', '/api/session').should.equal('read')
    kind('GET', '/api/devices/d').should.equal('poll')
    kind('GET', '/api/devices/d', 401).should.equal('read')
    kind('GET', '/api/devices').should.equal('read')
    kind('POST', '/api/devices/d/commands').should.equal('write')
  })

  it('is its session, known to the appliance or not', () => {
    recordOf({ ...post, session: 's', cookie: 's' }).session!.should.equal('s')
    recordOf({ ...post, cookie: 'old' }).session!.should.equal('old')
  })

  it('is the number of its command, if the appliance has accepted it', () => {
    const create = { ...post, body: { action: 'create', fields: { name: 'Command 12' } } }
    const update = {
      ...post,
      body: { fields: { name: 'Studio A', source: { name: 'Command 7' } } },
    }
    should(recordOf(create).command).equal(12)
    should(recordOf(update).command).equal(7)
    should(recordOf({ ...create, applied: false }).command).be.undefined()
    should(recordOf({ ...post, body: { fields: { name: 'Command 1b' } } }).command).be.undefined()
    should(recordOf(post).command).be.undefined()
  })
})
