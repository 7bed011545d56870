// What a failover does in histories that people have had, with the numbers: seconds off the air with
// it, without it, and for an oracle. Reads every 2 s, a change takes 2 s, a source 3 s to connect.
import { every } from './histories'
import { oracle, play, type Span, type World } from './world'

const always: Span[] = [[0, Infinity]]
const failed: Span[] = [[100, Infinity]]
const monitor = { restore: 'monitor' } as const
const message = { restore: 'message' } as const
const routes = { method: 'routes' as const, main: { name: 'Main' }, backup: { name: 'Backup' } }
const HOURS = 3600

/** Seconds off the air, in tenths: with the failover, without it, of the oracle. */
function figures(world: World): [number, number, number] {
  const { off, without } = play(world)
  return [off, without, oracle(world)].map((each) => Math.round(each * 10) / 10) as [
    number,
    number,
    number,
  ]
}

describe('a failover', () => {
  it('takes the backup when main fails, and says how long that was', () => {
    const world: World = { seconds: 1000, mainBad: failed }
    const { acts, told, states, events } = play(world)
    acts.should.eql(['110 backup'])
    told.should.eql(['116.5 switched'])
    states.should.eql(['0 normal', '100 hold-off', '110 switching', '116.5 protecting'])
    figures(world).should.eql([15, 900, 17])
    events
      .find(({ event }) => event === 'failover.switched')!
      .should.eql({
        event: 'failover.switched',
        at: 116_500,
        state: 'protecting',
        from: 'main',
        to: 'backup',
        cause: 'signal-fail',
        outageMs: 18_500,
        durationMs: 2500,
        held: false,
      })
  })

  it('does nothing when main fails for less than the hold-off, or is never bad', () => {
    play({ seconds: 1000, mainBad: [[100, 108]] }).told.should.eql([])
    const { acts, told } = play({ seconds: 2 * HOURS, backupBad: always, backup: 'silent' })
    ;[...acts, ...told].should.eql([])
  })

  describe('with a dead backup', () => {
    const dead = { seconds: 2 * HOURS, backupBad: always }

    it('is 16 s a trial worse than none, not 3,265 s', () => {
      const world: World = { ...dead, mainBad: every(300, 12) }
      // 14 trials: the change and the time to settle, the way back and its connection.
      play(world).acts.should.have.length(28)
      figures(world).should.eql([505, 288, 288])
      // The time to settle and two changes, each with its connection, are what a trial may cost.
      ;(505 - 288).should.be.belowOrEqual((28 / 2) * (10 + 2 * (2 + 3)))
      figures({ ...dead, mainBad: every(600, 12) }).should.eql([330, 144, 144])
      const [off, without] = figures({ ...dead, mainBad: every(16, 8) })
      ;[off, without].should.eql([3752, 3552])
    })

    it('tries it after half a minute, 1, 2, 4 minutes, then every 5, and tells of it once', () => {
      const { acts, told } = play({ ...dead, mainBad: failed })
      const trials = acts.filter((act) => act.endsWith('backup')).map(parseFloat)
      trials.slice(0, 6).should.eql([110, 153, 226, 359, 612, 925])
      trials.filter((at) => at < HOURS).should.have.length(14)
      told.should.eql(['122.5 unprotected', '3724 unprotected'])
    })

    it('says so before it is needed, as a monitor shows it, and when an outage ends', () => {
      const world: World = {
        seconds: 1000,
        mainBad: [[300, 400]],
        backupBad: [[100, 600]],
        backup: 'honest',
      }
      const { told, events } = play(world)
      told.should.eql([
        '110 unprotected',
        '310 unprotected',
        '431 protected',
        '433 unprotected',
        '661 protected',
      ])
      events
        .filter(({ event }) => event === 'failover.unprotected' || event === 'failover.protected')
        .map(({ reason, outageMs }) => [reason, outageMs])
        .should.eql([
          ['backup-bad', null],
          ['both-bad', null],
          ['both-bad', 103_000],
          ['backup-bad', null],
          ['backup-bad', null],
        ])
    })
  })

  describe('of which both sides come and go', () => {
    it('tells little of it: 24 messages in two hours, not 400', () => {
      const world: World = { seconds: 2 * HOURS, mainBad: every(16, 8), backupBad: every(16, 8) }
      play(world).told.should.have.length(24)
      figures(world).should.eql([3552, 3552, 3552])
      const held = play({ ...world, script: [{ at: 50, command: { action: 'hold' } }] })
      held.told.should.eql(['50 held', '132 unprotected', '3732 unprotected'])
      const dead = play({ ...world, backupBad: always })
      dead.told.should.eql(['144.5 unprotected', '3748 unprotected'])
    })

    it('leaves a main that is bad for a third of a minute, though no failure lasts', () => {
      const world: World = { seconds: 2 * HOURS, mainBad: every(16, 8) }
      const { acts, events } = play(world)
      acts.should.eql(['132 backup'])
      events
        .find(({ event }) => event === 'failover.switched')!
        .cause!.should.equal('signal-degrade')
      figures(world).should.eql([21, 3552, 3552])
    })
  })

  describe('of which reads fail', () => {
    it('switches with 40 and with 50 % of them, and with those that hang', () => {
      for (const [failing, hanging, most] of [
        [0.25, 0, 30],
        [0.4, 0, 45],
        [0.5, 0, 60],
        [0.5, 0.5, 160],
      ] as const) {
        const all = Array.from({ length: 40 }, (_, seed) => {
          const { off, acts } = play({ seconds: 600, seed, mainBad: failed, failing, hanging })
          acts.should.have.length(1)
          return off
        }).sort((one, other) => one - other)
        all[20]!.should.be.belowOrEqual(hanging ? 40 : 22)
        all.at(-1)!.should.be.belowOrEqual(most)
      }
    })

    it('tells that protection is lost when it last saw a bad source, and nothing else', () => {
      const seen = play({ seconds: 600, mainBad: failed, away: [[106, 160]] })
      seen.told.should.eql(['114.5 unprotected', '167.1 switched', '197.1 protected'])
      seen.events
        .find(({ event }) => event === 'failover.unprotected')!
        .reason!.should.equal('unknown')
      const unseen = play({ seconds: 600, mainBad: [[120, Infinity]], away: [[100, 160]] })
      unseen.acts.should.eql(['170.9 backup'])
      unseen.told.should.eql(['177.4 switched'])
    })
  })

  describe('and what is said of main', () => {
    it('true once, then silence: no blind return', () => {
      for (const settings of [message, monitor]) {
        play({ seconds: 2 * HOURS, settings, mainBad: failed, main: 'true once' }).acts.should.eql([
          '110 backup',
        ])
      }
    })

    it('false once, or for ever: no latch on a dead backup', () => {
      const world = {
        seconds: 2 * HOURS,
        mainBad: [[100, 600]] as Span[],
        backupBad: [[400, Infinity]] as Span[],
      }
      for (const main of ['false once', 'false', 'silent'] as const) {
        const { acts, off } = play({ ...world, settings: message, main })
        parseFloat(acts.at(-1)!).should.be.within(600, 661)
        off.should.be.within(262, 281)
      }
    })

    it('good: main again after the wait, and at once if the backup fails', () => {
      const world: World = { seconds: 2000, settings: monitor, mainBad: [[100, 300]] }
      play(world).acts.should.eql(['110 backup', '600.5 main'])
      play({ ...world, backupBad: [[400, 1000]] }).acts.should.eql(['110 backup', '410.5 main'])
      play({ ...world, settings: { restore: 'off' } }).acts.should.eql(['110 backup'])
      play({ ...world, settings: message }).acts.should.eql(['110 backup', '600 main'])
    })

    it('good all along, while the port of the route is dead: after the wait, which doubles, told once', () => {
      const settings = { ...monitor, waitToRestore: 60 }
      const { acts, told } = play({ seconds: HOURS, settings, portBad: failed })
      const returns = acts.filter((act) => act.endsWith('main')).map(parseFloat)
      returns.should.eql([172.5, 307.5, 562.5, 1057.5, 2032.5])
      told.should.eql(['116.5 switched', '185 failed'])
      const probed = play({
        seconds: 300,
        settings: { ...settings, ...message },
        portBad: failed,
        main: 'true',
      })
      probed.acts.slice(0, 2).should.eql(['110 backup', '175 main'])
    })

    it('good for a moment, again and again: a trial of it once, then no more than without', () => {
      const { acts } = play({
        seconds: 2 * HOURS,
        settings: monitor,
        mainBad: failed,
        backupBad: failed,
        main: 'flapping',
        backup: 'flapping',
      })
      const trials = acts.filter((act) => act.endsWith('backup')).map(parseFloat)
      trials.slice(0, 5).should.eql([120, 193, 326, 579, 892])
    })

    it('bad while a refused return is to be sent again: no return', () => {
      const world: World = {
        seconds: 400,
        start: 'backup',
        settings: { ...monitor, waitToRestore: 60 },
        mainBad: [[61, 400]],
        refused: 1,
      }
      play(world).acts.should.eql(['60 main'])
    })
  })

  describe('whose switch', () => {
    const world: World = { seconds: 300, mainBad: failed, trouble: [[0, 112]] }

    it('is refused, lost, or forgotten by the gateway: sent again after 2, 4, 8 s', () => {
      play({ ...world, refused: 1 }).acts.should.eql(['110 backup', '112.5 backup'])
      play({ ...world, ignored: 1 }).acts.should.eql(['110 backup', '112.5 backup'])
      play({ ...world, lost: 1 }).acts.should.eql(['110 backup', '122 backup'])
      play({ ...world, lost: 1 }).off.should.equal(27)
      const refused = play({ seconds: 2 * HOURS, mainBad: failed, refused: 1 })
      refused.acts
        .slice(0, 5)
        .should.eql(['110', '112.5', '117', '125.5', '164'].map((at) => `${at} backup`))
      refused.told.should.eql(['134 failed', '134 unprotected', '3752 failed', '3752 unprotected'])
    })

    it('has no answer, takes 8 s, or is one of many changes that never end: made once', () => {
      for (const more of [{ unanswered: 1 }, { apply: 8 }, { isPending: true }]) {
        play({ seconds: 300, mainBad: failed, ...more }).acts.should.eql(['110 backup'])
      }
    })

    it('shows before its answer, and is not good: the way back waits for the answer', () => {
      const settings = { settle: 5 }
      const late: World = {
        seconds: 140,
        mainBad: failed,
        backupBad: always,
        apply: 0.5,
        unanswered: 1,
        settings,
      }
      const { acts, faults } = play(late)
      acts.slice(0, 2).should.eql(['110 backup', '120 main'])
      faults.should.eql([])
    })

    it('shows with another failure before its answer: still the hold-off, and said so', () => {
      const settings = { holdOff: 0, guard: 10, pollEvery: 0.5 }
      const bad = {
        mainBad: [
          [45, 47],
          [68.7, 80],
        ] as Span[],
        backupBad: [[61.9, 66.8]] as Span[],
      }
      const { states } = play({ seconds: 72, settings, ...bad, unanswered: 1 })
      states.slice(-2).should.eql(['67.5 normal', '69 hold-off'])
    })
  })

  describe('of two routes', () => {
    const world: World = { seconds: 600, settings: routes, mainBad: failed }

    it('switches like one, waits for a slow start, and repeats one that failed', () => {
      play(world).told.should.eql(['116.5 switched'])
      const slow = play({ ...world, apply: 8 })
      // It may have been lost: after 5 s it is sent once more.
      slow.acts.should.eql(['110 backup', '117.2 backup'])
      slow.states.should.eql(['0 normal', '100 hold-off', '110 switching', '122.4 protecting'])
      const half = play({ ...world, noStart: 1, trouble: [[0, 115]] })
      half.acts.should.eql(['110 backup', '112.5 backup', '117 backup'])
    })

    it('of which neither starts: tries one, then the other, and tells it', () => {
      const { acts, told } = play({ ...world, noStart: 1 })
      acts
        .slice(0, 6)
        .should.eql([
          '110 backup',
          '112.5 backup',
          '117 backup',
          '125.5 backup',
          '134 main',
          '136.5 main',
        ])
      told.should.eql(['134 failed', '134 unprotected'])
    })

    it('of which a person stops the new one, or both: nothing is started', () => {
      for (const at of [112.3, 113, 118]) {
        const { acts, states, told } = play({
          ...world,
          backupBad: always,
          script: [{ at, person: 'stop' }],
        })
        acts.should.eql(['110 backup'])
        states.at(-1)!.should.match(/ standby$/)
        told.should.eql([])
      }
    })
  })

  it('does not fight a person', () => {
    const set = (person: 'other' | 'backup' | 'stop', more: Partial<World> = {}): string[] =>
      play({ seconds: 2 * HOURS, settings: monitor, script: [{ at: 100, person }], ...more }).acts
    set('other', { mainBad: failed }).should.eql([])
    set('backup').should.eql([])
    set('stop', { mainBad: failed }).should.eql([])
    // Chosen by a person, and bad: then it protects.
    set('backup', { backupBad: [[500, Infinity]] }).should.eql(['510 main'])
    // An old form that is saved before the switch shows is as a lost switch; after that it counts.
    const saved = (at: number): string[] =>
      play({ seconds: 300, mainBad: failed, script: [{ at, person: 'main' }] }).acts
    saved(112.2).should.eql(['110 backup', '112.5 backup'])
    saved(113).should.eql(['110 backup', '134.5 backup'])
  })

  it('repeats what it told after 1, 2, 4 hours', () => {
    const world: World = {
      seconds: 9 * HOURS,
      mainBad: failed,
      script: [{ at: 50, command: { action: 'hold' } }],
    }
    play(world).told.should.eql([
      '50 held',
      ...[110, 3710, 7310, 14_510, 28_910].map((at) => `${at} unprotected`),
    ])
  })
})
