// The rules of the failover, one by one, each with what would happen without it.
import should from 'should'
import type { FailoverEvent } from '../../../client/failover/types'
import { play, type Span, type World } from './world'

/** Long enough for anything to happen. */
const long = 4 * 3600
const monitor = { restore: 'monitor' } as const
const failed: Span[] = [[100, Infinity]]
const manual = (action: 'main' | 'backup', hold?: boolean) => ({ command: { action, hold } })

const last = (events: FailoverEvent[], name: string): FailoverEvent =>
  events.findLast(({ event }) => event === `failover.${name}`)!

describe('the hold-off', () => {
  it('takes at least two looks', () => {
    play({ mainBad: failed, settings: { holdOff: 0 } }, 300).acts.should.eql(['102 backup'])
    const rare = { holdOff: 10, lookEvery: 30, degradePer: 90 }
    play({ mainBad: [[100, 130]], settings: rare }, 300).acts.should.eql([])
    play({ mainBad: failed, settings: rare }, 300).acts.should.eql(['150 backup'])
  })

  it('begins anew with each good look', () => {
    play(
      {
        mainBad: [
          [100, 108],
          [110, 118],
        ],
      },
      300,
    ).acts.should.eql([])
  })

  for (const [what, world] of [
    ['the gateway was away', { away: [[106, 107]] }],
    ['the route was stopped', { stopped: [[106, 107]] }],
    ['another source was there', { script: { 105.5: { set: 'other' }, 106.5: { set: 'main' } } }],
    ['nobody looked for long', { script: { 105.5: { pause: 42.5 } } }],
  ] as Array<[string, World]>) {
    it(`begins anew after ${what}`, () => {
      const { acts } = play({ mainBad: failed, connect: 0, settings: { settle: 0 }, ...world }, 300)
      const begins = world.script?.[105.5]?.pause ? 148 : 108
      acts.should.eql([`${begins + 10} backup`])
    })
  }

  it('goes on while a look is only late, or there are two at a time', () => {
    const late = (pause: number): string[] =>
      play({ mainBad: failed, script: { 104.5: { pause } } }, 300).acts
    late(20).should.eql(['124.5 backup'])
    // The look before is that at 104.
    late(29.5).should.eql(['134 backup'])
    late(30).should.eql(['144.5 backup'])
    const rare = { lookEvery: 20 }
    play(
      { mainBad: failed, settings: rare, script: { 100.5: { pause: 59.5 } } },
      300,
    ).acts.should.eql(['160 backup'])
    play({ mainBad: failed, script: { 104.5: { pause: 0 } } }, 300).acts.should.eql([
      '110.5 backup',
    ])
  })

  it('shows when it ends', () => {
    const { decisions } = play({ mainBad: failed }, 109)
    decisions.at(-1)!.after.due!.should.equal(110_000)
    const settling = play({ mainBad: failed, script: { 104: { set: 'backup' } } }, 106)
    should(settling.decisions.at(-1)!.after.due).be.undefined()
  })
})

describe('signal degrade', () => {
  const twice = (first: Span, second: Span): World => ({ mainBad: [first, second] })
  const patient = { holdOff: 100 }

  it('is the share of the latest time that was bad', () => {
    // 10 s and 8 s of 60 s are 30 %.
    play({ ...twice([100, 110], [140, 148]), settings: patient }, 300).acts.should.eql([
      '146 backup',
    ])
    play({ ...twice([100, 110], [140, 146]), settings: patient }, 300).acts.should.eql([])
  })

  it('forgets what is longer ago', () => {
    play({ ...twice([100, 110], [158, 166]), settings: patient }, 300).acts.should.eql([])
  })

  it('can be off', () => {
    const settings = { ...patient, degrade: 0 }
    play({ ...twice([100, 140], [142, 180]), settings }, 300).acts.should.eql([])
  })

  it('is not for one long failure, which the hold-off judges', () => {
    play({ mainBad: [[100, 150]], settings: patient }, 300).acts.should.eql([])
  })

  it('counts no time that is not known', () => {
    const world = { ...twice([100, 110], [140, 148]), settings: patient }
    play({ ...world, away: [[120, 121]] }, 300).acts.should.eql([])
    // 18 s between two looks, of which 2 s are known.
    const late = { ...twice([100, 104], [108, 126]), settings: patient }
    play({ ...late, script: { 106.5: { pause: 18 } } }, 300).acts.should.eql([])
    play(late, 300).acts.should.eql(['120 backup'])
  })

  it('says nothing about the source that comes next', () => {
    const world: World = { mainBad: failed, backupBad: [[150, 152]] }
    play(world, 400).acts.should.eql(['110 backup'])
  })
})

describe('the time to settle', () => {
  it('is for a new source to connect', () => {
    const { acts, states, events } = play({ mainBad: failed, connect: 9 }, 400)
    acts.should.eql(['110 backup'])
    states.slice(2).should.eql(['110 switching', '122 protecting'])
    last(events, 'switched').outageMs!.should.equal(24_000)
  })

  it('ends: then the hold-off begins, and what was switched is reported without an outage', () => {
    const { events, states } = play({ mainBad: failed, backupBad: failed }, 139)
    states.slice(2).should.eql(['110 switching', '122 hold-off', '132 no-protection'])
    should(last(events, 'switched')).containDeep({ at: 122_000, outageMs: null, durationMs: 2000 })
  })

  it('is also for a source that somebody has set', () => {
    const world: World = { script: { 100: { set: 'backup' } }, connect: 18 }
    play(world, 400).acts.should.eql([])
    play({ ...world, settings: { settle: 0 } }, 112).acts.should.eql(['110 main'])
  })

  it('is not for a source that was there before', () => {
    play({ mainBad: [[0, Infinity]] }, 300).acts.should.eql(['10 backup'])
  })
})

describe('the way back', () => {
  it('waits from the switch on, though main was good for long: the fault is not its feed', () => {
    const world: World = { settings: monitor, portBad: [[100, Infinity]] }
    play(world, 420).acts.should.eql(['110 backup', '412 main'])
  })

  it('waits anew when main was bad for one look', () => {
    const world: World = {
      settings: monitor,
      mainBad: [
        [100, 300],
        [590, 592],
      ],
    }
    play(world, 2000).acts.should.eql(['110 backup', '892 main'])
  })

  it('waits anew after the gateway was away', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]], away: [[400, 401]] }
    play(world, 2000).acts.should.eql(['110 backup', '702 main'])
  })

  it('does not wait when the backup fails: main is known to be good', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]], backupBad: [[400, 1000]] }
    const { acts, events } = play(world, 450)
    acts.should.eql(['110 backup', '410 main'])
    last(events, 'switched').cause!.should.equal('signal-fail')
  })

  it('shows when it ends', () => {
    const { decisions } = play({ settings: monitor, mainBad: [[100, 300]] }, 400)
    decisions.at(-1)!.after.due!.should.equal(600_000)
  })

  it('is no matter of a monitor or a message that nobody asked for', () => {
    const world: World = { mainBad: [[100, 300]], script: { 400: { main: true } } }
    const { acts, errors } = play(world, 2000)
    acts.should.eql(['110 backup'])
    errors.should.eql([{ at: 400, code: 'INVALID_INPUT' }])
  })

  it('is open after the backup was left by hand and taken because main failed', () => {
    const world: World = {
      settings: monitor,
      script: { 50: manual('backup'), 100: manual('main') },
      mainBad: [[200, 300]],
    }
    play(world, 2000).acts.should.eql(['50 backup', '100 main', '210 backup', '600 main'])
  })
})

describe('the guard', () => {
  it('comes after each switch, also one by hand, but holds up no command', () => {
    const world: World = { mainBad: failed, script: { 120: manual('main'), 128: manual('main') } }
    const { acts } = play(world, 300)
    // Main is bad: the backup again 30 s after main was chosen.
    acts.should.eql(['110 backup', '120 main', '150 backup'])
  })

  it('is reported once as the reason that there is no protection, with its end', () => {
    const { events, decisions } = play({ mainBad: failed, backupBad: failed }, 139)
    last(events, 'no-protection').should.containDeep({
      reason: 'guard',
      from: 'backup',
      to: 'main',
    })
    decisions.at(-1)!.after.due!.should.equal(140_000)
  })

  it('holds up the way back too', () => {
    const settings = { ...monitor, waitToRestore: 1, guard: 200 }
    play({ settings, portBad: failed }, 320).acts.should.eql(['110 backup', '310 main'])
  })

  it('doubles up to 15 minutes, and never beyond', () => {
    const both = { mainBad: failed, backupBad: failed }
    const slow = play({ ...both, settings: { guard: 900, limit: 1 } }, 4000)
    slow.acts.map((act) => parseInt(act, 10)).should.eql([110, 1010, 1910, 2810, 3710])
  })
})

describe('the limit', () => {
  const slowly = (until: number): Span[] => {
    const spans: Span[] = []
    for (let at = 100; at < until; at += 300) spans.push([at, at + 100])
    return spans
  }
  const flapping: World = { settings: { ...monitor, waitToRestore: 60 }, mainBad: slowly(800) }

  it('ends by itself, and the way back is open again', () => {
    const { acts, told } = play(flapping, 5000)
    acts.slice(0, 5).should.eql(['110', '260', '410', '560', '710'].map(withSides))
    // Two switches are left an hour after the third; the source was good all the time.
    const limits = told.filter((one) => one.includes('limit'))
    limits.slice(0, 3).should.eql(['562 limit', '3860 limit-over', '3862 limit'])
    acts.slice(5).should.eql(['3860 main'])
  })

  it('does not end before the source was good for as long as the guard', () => {
    const settings = { limit: 1, limitPer: 60, guard: 300 }
    const limits = (backupBad: Span[]): string[] =>
      play({ settings, mainBad: failed, backupBad }, 1000).told.filter((one) =>
        one.includes('limit'),
      )
    // Of the latest 60 s no switch is left from 170 on.
    limits([]).should.eql(['112 limit', '416 limit-over'])
    limits([[300, 302]]).should.eql(['112 limit', '602 limit-over'])
  })

  it('leaves nothing of the longer guard when it has ended', () => {
    const bad: Span[] = [
      [100, 400],
      [2000, 2100],
    ]
    const settings = { limit: 1, limitPer: 60 }
    const { acts } = play({ settings, mainBad: bad, backupBad: bad }, 2100)
    acts.map((act) => parseInt(act, 10)).should.eql([110, 140, 200, 320, 2010, 2040])
  })

  it('does not stop protection', () => {
    const world: World = { ...flapping, backupBad: [[900, 2000]] }
    play(world, 1000).acts.at(-1)!.should.equal('910 main')
  })

  it('counts no switch by hand, and no failure', () => {
    const script = Object.fromEntries(
      [0, 1, 2, 3, 4, 5, 6, 7].map((each) => [
        100 + each * 40,
        manual(each % 2 === 0 ? 'backup' : 'main'),
      ]),
    )
    const { acts, told, events } = play({ script }, 1000)
    acts.should.have.length(8)
    told.filter((one) => one.includes('limit')).should.eql([])
    events.at(-1)!.switches.should.equal(0)
    const refused = play({ mainBad: failed, refused: [[0, long]] }, 2000)
    refused.events.at(-1)!.switches.should.equal(0)
    // As often at the end as at the beginning.
    refused.acts.should.have.length(Math.ceil((2000 - 110) / 32))
  })

  it('is given up by reset, and so is the guard', () => {
    const both: World = { mainBad: failed, backupBad: failed }
    const script = { 700: { command: { action: 'reset' } } }
    const { acts, told } = play({ ...both, script }, 789)
    acts.slice(-5).should.eql(['410 backup', '650 main', '700 backup', '730 main', '760 backup'])
    told.should.containEql('700 limit-over')
  })
})

const withSides = (at: string, index: number): string =>
  `${at} ${index % 2 === 0 ? 'backup' : 'main'}`

describe('a switch', () => {
  it('that is lost has failed after 30 s, and is tried again after the guard', () => {
    const { acts, told, events } = play({ mainBad: failed, lost: [[0, 120]] }, 300)
    acts.should.eql(['110 backup', '170 backup'])
    told.should.eql(['140 failed', '140 no-protection', '176 switched'])
    last(events, 'failed').should.containDeep({ durationMs: 30_000, failure: { applied: 'maybe' } })
  })

  it('that may be lost, but shows, was made', () => {
    const { acts, told } = play({ mainBad: failed, unanswered: [[0, long]] }, 300)
    acts.should.eql(['110 backup'])
    told.should.eql(['116 switched'])
    const slow = play({ mainBad: failed, change: 25 }, 300)
    slow.acts.should.eql(['110 backup'])
    slow.told.should.eql(['139 switched'])
  })

  it('that shows after it was given up is ours, and not made twice', () => {
    const { acts, told, events } = play({ mainBad: failed, change: 40 }, 400)
    acts.should.eql(['110 backup'])
    told.should.eql(['140 failed', '140 no-protection', '154 switched'])
    last(events, 'switched').should.containDeep({ cause: 'signal-fail', switches: 1 })
  })

  it("that shows long after it was given up is somebody else's", () => {
    const slow: World = { mainBad: failed, change: 75 }
    play(slow, 172).told.should.eql(['140 failed', '140 no-protection'])
    play(slow, 300).told.slice(2).should.eql(['185 taken-over'])
  })

  it('that was given up does not make ours what somebody sets after another source', () => {
    const given = (script: World['script']): string[] =>
      play({ mainBad: failed, lost: [[0, 120]], script }, 170).told.slice(2)
    given({ 144: { set: 'other' } }).should.eql(['144 taken-over'])
    given({ 144: { set: 'backup' } }).should.eql(['148 switched'])
    const both = { 144: { set: 'other' }, 148: { set: 'backup' } } as const
    given(both).should.eql(['144 taken-over', '148 taken-over'])
    const again = { 150: { set: 'main' }, 154: { set: 'backup' } } as const
    given({ 144: { set: 'backup' }, ...again }).should.eql([
      '148 switched',
      '150 taken-over',
      '154 taken-over',
    ])
  })

  it('that fails on a route that somebody has stopped leaves it alone', () => {
    const { told, states } = play({ mainBad: failed, lost: [[0, 120]], stopped: [[115, 999]] }, 900)
    told.should.eql(['140 failed'])
    states.slice(2).should.eql(['110 switching', '140 standby'])
  })

  it('between good sources is an outage of no more than from look to look', () => {
    const { events } = play({ script: { 50: manual('backup') }, connect: 0 }, 100)
    last(events, 'switched').outageMs!.should.equal(2000)
  })

  it('is not followed by another one before its outcome is known', () => {
    const slow: World = { mainBad: failed, change: 100, settings: { guard: 1 } }
    const { acts, events } = play(slow, 209)
    acts.should.eql(['110 backup'])
    last(events, 'failed').at.should.equal(140_000)
    last(events, 'no-protection').reason!.should.equal('switching')
    const lost = play({ ...slow, lost: [[0, 300]] }, 215)
    lost.acts.should.eql(['110 backup', '210 backup'])
  })

  it('that is refused may be followed by what somebody else does', () => {
    const world: World = {
      mainBad: failed,
      refused: [[0, 120]],
      script: { 116: { set: 'backup' } },
    }
    play(world, 130).told.should.eql(['112 failed', '112 no-protection', '116 taken-over'])
  })

  it('is over when somebody replaces its source', () => {
    const world: World = { mainBad: failed, script: { 113: { set: 'other' } } }
    const { told, states } = play(world, 300)
    told.should.eql(['114 switched', '114 taken-over'])
    states.at(-1)!.should.equal('114 foreign')
  })

  it('that was not needed leaves the outage that there was', () => {
    const { events } = play({ mainBad: [[100, 107]] }, 200)
    events
      .map(({ state, outageMs }) => [state, outageMs])
      .should.eql([
        ['normal', null],
        ['hold-off', null],
        ['normal', 10_000],
      ])
  })

  it('is made with nothing known of the gateway before: no time is claimed', () => {
    const { events } = play({ mainBad: [[0, Infinity]] }, 100)
    should(last(events, 'switched').outageMs).be.null()
    const away = play({ mainBad: failed, away: [[104, 106]] }, 200)
    should(last(away.events, 'switched').outageMs).be.null()
  })
})

describe('a dry run', () => {
  it('decides the same, reports it, and changes nothing', () => {
    const world: World = { mainBad: failed, backupBad: failed }
    const { acts, told, events, decisions } = play({ ...world, settings: { dryRun: true } }, 700)
    acts.should.eql([])
    told
      .filter((one) => one.endsWith('switched'))
      .should.eql([110, 140, 170, 200, 230, 290, 410, 650].map((at) => `${at} switched`))
    told.should.containEql('200 limit')
    events.every(({ dryRun }) => dryRun).should.be.true()
    last(events, 'switched').should.containDeep({ from: 'main', to: 'backup', durationMs: null })
    decisions.at(-1)!.after.memory.inUse!.should.equal('main')
  })

  it('reports the way back once for each wait', () => {
    const settings = { ...monitor, dryRun: true }
    const { told, acts, events } = play({ settings, inUse: 'backup' }, 700)
    acts.should.eql([])
    told.should.eql(['300 switched', '602 switched'])
    last(events, 'switched').state.should.equal('protecting')
    events.filter(({ outageMs }) => outageMs !== null).should.eql([])
  })

  it('measures the outage that there was', () => {
    const { events } = play({ settings: { dryRun: true }, mainBad: [[100, 150]] }, 200)
    last(events, 'state').should.containDeep({ at: 150_000, state: 'normal', outageMs: 52_000 })
  })

  it('obeys no command either, but answers it', () => {
    const { told, acts } = play(
      { settings: { dryRun: true }, script: { 50: manual('backup') } },
      99,
    )
    acts.should.eql([])
    told.should.eql(['50 switched'])
  })
})

describe('two routes', () => {
  const routes = {
    method: 'routes' as const,
    main: { name: 'Main' },
    backup: { name: 'Backup' },
  }

  it('are switched like two sources, with neither running in between', () => {
    const { acts, told } = play({ settings: routes, mainBad: failed }, 300)
    acts.should.eql(['110 backup'])
    told.should.eql(['116 switched'])
  })

  it('of which the first cannot be stopped: nobody has taken over', () => {
    const { acts, told } = play({ settings: routes, mainBad: failed, refused: [[0, 120]] }, 300)
    acts.should.eql(['110 backup', '142 backup'])
    told.should.eql(['112 failed', '112 no-protection', '148 switched'])
  })

  it('of which neither runs since the second did not start: tries the other, then again', () => {
    const world: World = { settings: routes, mainBad: failed, noStart: [[0, 160]] }
    const { acts, told, states } = play(world, 400)
    acts.should.eql(['110 backup', '142 main', '174 backup'])
    told.should.eql(['112 failed', '112 no-protection', '144 failed', '180 switched'])
    states.should.not.containEql('112 standby')
  })

  it('of which neither runs: tries the backup again while main is known to be bad', () => {
    const settings = { ...routes, ...monitor, monitor: { name: 'Monitor' } }
    const world: World = { settings, mainBad: failed, noStart: [[0, 120]] }
    play(world, 400).acts.should.eql(['110 backup', '142 backup'])
  })

  it('of which somebody starts one after a failed switch: that one is in use', () => {
    const world: World = { settings: routes, mainBad: failed, noStart: [[0, 120]] }
    const { told, states } = play({ ...world, script: { 120: { set: 'backup' } } }, 300)
    told.should.eql(['112 failed', '112 no-protection', '120 taken-over'])
    states.at(-1)!.should.equal('124 protecting')
  })

  it('of which somebody has stopped both: nothing', () => {
    const world: World = { settings: routes, mainBad: failed, stopped: [[90, Infinity]] }
    play(world, 1000).acts.should.eql([])
  })
})
