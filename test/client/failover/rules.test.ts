// The rules of the failover one by one, where a history does not show the one alone.
import { notProtecting } from '../../../client/failover/decision'
import type { Memory } from '../../../client/failover/types'
import { play, type Moment, type Span, type World } from './world'

const failed: Span[] = [[100, Infinity]]
const monitor = { restore: 'monitor' } as const

const momentsOf = (world: World): Moment[] => {
  const moments: Moment[] = []
  play(world, (moment) => moments.push(moment))
  return moments
}
const memoryAfter = (world: World): Memory => momentsOf(world).at(-1)!.after.memory
const actsOf = (world: World): string[] => play(world).acts

describe('the hold-off', () => {
  it('takes at least two reads that show the source bad', () => {
    actsOf({ seconds: 200, mainBad: failed, settings: { holdOff: 0 } }).should.eql(['102 backup'])
    const rare = { holdOff: 10, pollEvery: 30 }
    actsOf({ seconds: 200, mainBad: [[100, 130]], settings: rare }).should.eql([])
    actsOf({ seconds: 200, mainBad: failed, settings: rare }).should.eql(['150 backup'])
  })

  it('begins again with each good read, and after a time in which nobody looked', () => {
    actsOf({
      seconds: 125,
      mainBad: [
        [100, 108],
        [110, 118],
      ],
    }).should.eql([])
    actsOf({ seconds: 200, mainBad: failed, script: [{ at: 105, pause: 60 }] }).should.eql([
      '175 backup',
    ])
    actsOf({ seconds: 200, mainBad: failed, script: [{ at: 105, pause: 20 }] }).should.eql([
      '125 backup',
    ])
  })

  it('is neither ended nor begun by a read without an answer', () => {
    actsOf({ seconds: 200, mainBad: failed, away: [[102, 109]] }).should.eql(['110.4 backup'])
  })

  it('begins after the settling time when the route was stopped, and somebody has started it', () => {
    const script = [{ at: 50, person: 'stop' } as const, { at: 100, person: 'start' } as const]
    const firstWith = (settle: number): string | undefined =>
      actsOf({ seconds: 200, mainBad: [[60, Infinity]], settings: { settle }, script })[0]
    should(firstWith(6)).equal('116 backup')
    should(firstWith(30)).equal('140 backup')
  })

  it('says when it ends', () => {
    should(momentsOf({ seconds: 109, mainBad: failed }).at(-1)!.after.due).equal(1_700_000_110_000)
  })
})

describe('signal degrade', () => {
  const patient = { holdOff: 100 }
  const twice = (first: Span, second: Span): string[] =>
    actsOf({ seconds: 300, mainBad: [first, second], settings: patient })

  it('is a bad source for 30 % of a minute, in more than one failure', () => {
    twice([100, 110], [140, 148]).should.eql(['146 backup'])
    twice([100, 110], [140, 146]).should.eql([])
    twice([100, 110], [158, 166]).should.eql([])
    actsOf({ seconds: 300, mainBad: [[100, 150]], settings: patient }).should.eql([])
  })

  it('counts a bad read for no more than the time between two, however long nobody saw it', () => {
    const world: World = { seconds: 160, settings: patient, away: [[120, 138]] }
    const bad: Span[] = [
      [100, 104],
      [137, 142],
    ]
    actsOf({ ...world, mainBad: bad }).should.eql([])
  })

  it('does not lead back to a side that was left for it within five minutes', () => {
    const both: Span[] = []
    for (let at = 100; at < 1200; at += 16) both.push([at, at + 8])
    const acts = actsOf({ seconds: 1200, mainBad: both, backupBad: both })
    acts.map(parseFloat).should.eql([132, 436.5, 741, 1045.5])
  })
})

describe('a trial', () => {
  it('has the time to settle to be good once', () => {
    actsOf({ seconds: 400, mainBad: failed, connect: 9 }).should.eql(['110 backup'])
    actsOf({ seconds: 130, mainBad: failed, connect: 11 }).should.eql(['110 backup', '122.5 main'])
  })

  it('ends at the side that was good last, also one that was good for a moment', () => {
    const world: World = { seconds: 400, mainBad: failed, backupBad: [[150, Infinity]] }
    // Home is the backup now: main is tried, and left again.
    actsOf(world).slice(0, 3).should.eql(['110 backup', '160.5 main', '173 backup'])
    memoryAfter(world).home!.should.equal('backup')
  })

  it('is not ended for who holds it: it stays, and that is told', () => {
    const script = [{ at: 115, command: { action: 'hold' } }]
    const { acts, told } = play({ seconds: 400, mainBad: failed, backupBad: failed, script })
    acts.should.eql(['110 backup'])
    told.should.eql(['115 held', '123 unprotected'])
  })

  it('leaves no rest when the side was good', () => {
    const world: World = { seconds: 500, mainBad: failed, backupBad: [[0, 300]] }
    const during = momentsOf({ ...world, seconds: 250 }).at(-1)!.after.memory
    during.rests.backup!.failed.should.equal(3)
    should(memoryAfter(world).rests.backup).be.undefined()
  })

  it('comes at once when a monitor turns good, once', () => {
    const world: World = {
      seconds: 400,
      settings: monitor,
      mainBad: failed,
      backupBad: [[0, 180]],
      backup: 'honest',
    }
    actsOf(world).slice(0, 4).should.eql(['140 backup', '152.5 main', '181 backup'])
    const port: World = { ...world, backupBad: failed, backup: 'flapping' }
    memoryAfter({ ...port, seconds: 300 }).rests.backup!.isDistrusted!.should.be.true()
  })

  it('is not hurried by a monitor that called the side good all along', () => {
    const world: World = { seconds: 400, mainBad: failed, backupBad: failed, backup: 'true' }
    const trials = actsOf(world).filter((act) => act.endsWith('backup'))
    trials.map(parseFloat).should.eql([110, 153, 226, 359])
  })

  it('leaves a rest where a person has chosen a side that was never good', () => {
    const script = [{ at: 100, person: 'backup' as const }]
    const { rests } = memoryAfter({ seconds: 140, backupBad: [[0, Infinity]], script })
    rests.backup!.failed.should.equal(1)
  })

  it('waits for the guard where the side was left just now, and longer with a longer guard', () => {
    const soon: World = { seconds: 400, mainBad: [[100, 115]], backupBad: [[118, Infinity]] }
    actsOf(soon).should.eql(['110 backup', '142.5 main'])
    actsOf({ ...soon, settings: { guard: 90 } }).should.eql(['110 backup', '202.5 main'])
    const slow = actsOf({
      seconds: 2000,
      settings: { guard: 400 },
      mainBad: failed,
      backupBad: failed,
    })
    slow
      .map(parseFloat)
      .should.eql([110, 122.5, 523, 535.5, 936, 948.5, 1349, 1361.5, 1762, 1774.5])
  })
})

describe('the way back', () => {
  it('waits again when main was bad for one read', () => {
    const world: World = {
      seconds: 2000,
      settings: monitor,
      mainBad: [
        [100, 300],
        [590, 592],
      ],
    }
    actsOf(world).should.eql(['110 backup', '892.5 main'])
  })

  it('waits twice as long after each relapse within ten minutes, and forgets that later', () => {
    const mainBad: Span[] = [
      [100, 300],
      [500, 700],
      [1600, 1700],
    ]
    const world: World = { seconds: 3600, settings: { ...monitor, waitToRestore: 60 }, mainBad }
    actsOf(world)
      .filter((act) => act.endsWith('main'))
      .should.eql(['360.5 main', '821.5 main', '1760.5 main'])
  })

  it('needs a read that shows main good, or a message of the latest minute', () => {
    const of = (restore: 'monitor' | 'message', waitToRestore: number): string[] =>
      actsOf({
        seconds: 900,
        start: 'backup',
        settings: { restore, waitToRestore },
        main: 'true once',
      })
    of('monitor', 5).should.eql([])
    of('message', 90).should.eql([])
    of('message', 50).should.eql(['50 main'])
  })

  it('is no matter of a monitor that nobody asked for', () => {
    const world: World = { seconds: 2000, mainBad: [[100, 300]], main: 'true' }
    actsOf(world).should.eql(['110 backup'])
  })
})

describe('a loss of protection', () => {
  it('ends once the source was good for the guard, longer after each', () => {
    const mainBad: Span[] = [
      [100, 150],
      [300, 350],
      [600, 650],
    ]
    const { told } = play({ seconds: 1200, mainBad, backupBad: [[0, Infinity]] })
    told.should.eql([
      '122.5 unprotected',
      '181 protected',
      '323.5 unprotected',
      '410 protected',
      '622.5 unprotected',
      '771 protected',
    ])
  })

  it('of the backup ends when that was good for the guard, and not because nothing is said of it', () => {
    const backupBad: Span[] = [
      [100, 130],
      [140, 170],
      [180, 210],
    ]
    const { told } = play({ seconds: 400, backupBad, backup: 'honest' })
    told.should.eql(['110 unprotected', '240 protected'])
    play({ seconds: 400, backup: 'false once' }).told.should.eql(['10 unprotected'])
  })

  it('is shown with its reason, and not while the source is good', () => {
    const reasons: string[] = []
    for (const { now, after, input } of momentsOf({
      seconds: 200,
      mainBad: [[100, 140]],
      backupBad: failed,
    })) {
      const reason = notProtecting(after.memory, now) ?? 'none'
      if (input.kind === 'look' && reasons.at(-1) !== reason) reasons.push(reason)
    }
    reasons.should.eql(['none', 'both-bad', 'none'])
    const of = (world: Partial<World>): unknown => {
      const { now, after } = momentsOf({ seconds: 200, ...world }).at(-1)!
      return notProtecting(after.memory, now)
    }
    should(of({ away: [[100, 200]] })).equal('unknown')
    should(of({ script: [{ at: 100, person: 'other' }] })).equal('foreign')
    should(of({ script: [{ at: 100, person: 'stop' }] })).equal('stopped')
    should(of({ script: [{ at: 100, command: { action: 'hold' } }] })).equal('held')
    should(of({ backupBad: failed, backup: 'honest' })).equal('backup-bad')
    should(of({ mainBad: failed, settings: monitor })).equal('main-bad')
    should(of({ mainBad: failed, refused: 1 })).equal('switch-failed')
    const heldLoss = {
      mainBad: [[110, 190]],
      script: [{ at: 100, command: { action: 'hold' } }],
    } as Partial<World>
    should(of(heldLoss)).equal('held')
    const released = { at: 192, command: { action: 'release' } }
    should(of({ ...heldLoss, script: [...heldLoss.script!, released] })).be.undefined()
  })
})

describe('a route that shows a part of a switch', () => {
  const slow = { seconds: 200, mainBad: failed, apply: 20, settings: { holdOff: 4 } }

  it('is neither unknown nor in the hands of a person', () => {
    const { told, states } = play({ ...slow, half: 0.9 })
    told.should.eql(['128.5 switched'])
    states.should.not.containEql('unknown')
  })

  it('has the source of a person after half a minute, however long it is pending', () => {
    const script = [{ at: 105, person: 'other' } as const]
    const { told, states } = play({ ...slow, isPending: true, script })
    told.should.eql(['134.5 taken-over'])
    states.at(-1)!.should.equal('134.5 foreign')
  })
})
