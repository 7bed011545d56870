// The rules of the failover, by what happens to a route. Looks every 2 s, a change takes 2 s, a
// source 3 s to connect; all times in seconds.
import 'should'
import { play, type Span, type World } from './world'

const FOREVER = Infinity
const monitor = { restore: 'monitor' } as const
/** Long enough for anything to happen. */
const long = 4 * 3600

/** Bad for so long, good for so long, from 100 on. */
function flapping(bad: number, good: number, until = long): Span[] {
  const spans: Span[] = []
  for (let at = 100; at < until; at += bad + good) spans.push([at, at + bad])
  return spans
}

/** Those of the reports that are of this event. */
const of = (event: string, told: string[]): string[] =>
  told.filter((one) => one.endsWith(` ${event}`))

describe('a failover whose main source', () => {
  it('1. fails: takes the backup after the hold-off', () => {
    const { acts, told, bad, states, events } = play({ mainBad: [[100, FOREVER]] }, 1000)
    acts.should.eql(['110 backup'])
    told.should.eql(['116 switched'])
    bad.should.equal(15)
    states.should.eql(['0 normal', '100 hold-off', '110 switching', '116 protecting'])
    events
      .find(({ event }) => event === 'failover.switched')!
      .should.eql({
        event: 'failover.switched',
        at: 116_000,
        state: 'protecting',
        from: 'main',
        to: 'backup',
        cause: 'signal-fail',
        outageMs: 18_000,
        durationMs: 2000,
        switches: 1,
        held: false,
        dryRun: false,
      })
  })

  it('2. fails for less than the hold-off: nothing', () => {
    const { acts, told, states } = play({ mainBad: [[100, 108]] }, 1000)
    acts.should.eql([])
    told.should.eql([])
    states.should.eql(['0 normal', '100 hold-off', '108 normal'])
  })

  it('3. fails and comes back, with a monitor: main again once it was good for long', () => {
    const { acts, states } = play({ settings: monitor, mainBad: [[100, 300]] }, 2000)
    acts.should.eql(['110 backup', '600 main'])
    states.should.containDeep(['116 protecting', '300 wait-to-restore', '606 normal'])
  })

  it('4. fails and comes back, with restore off: stays with the backup', () => {
    play({ mainBad: [[100, 300]] }, long).acts.should.eql(['110 backup'])
  })

  it('5. comes and goes every minute, with a monitor: one switch', () => {
    const { acts } = play({ settings: monitor, mainBad: flapping(60, 60) }, 7200)
    acts.should.eql(['110 backup'])
  })

  it('6. comes and goes every 8 s: the backup, though no failure lasts for the hold-off', () => {
    const { acts, events } = play({ mainBad: flapping(8, 8) }, 1000)
    acts.should.eql(['132 backup'])
    events.find(({ event }) => event === 'failover.switched')!.cause!.should.equal('signal-degrade')
  })

  it('7. fails like the backup, as the monitor reports: stays, and main at once when it is good', () => {
    const world: World = {
      settings: monitor,
      mainBad: [[100, 800]],
      backupBad: [[0, FOREVER]],
    }
    const { acts, told } = play(world, 2000)
    acts.should.eql(['110 backup', '800 main'])
    told.should.eql(['122 switched', '132 no-protection', '806 switched'])
  })

  it('8. fails like the backup, and nothing is known: tries the other ever more slowly', () => {
    const world: World = { mainBad: [[100, FOREVER]], backupBad: [[0, FOREVER]] }
    const { acts, told } = play(world, 7000)
    acts
      .map((act) => Number(act.split(' ')[0]))
      .should.eql([
        110, 140, 170, 200, 230, 290, 410, 650, 1130, 2030, 2930, 3830, 4730, 5630, 6530,
      ])
    of('limit', told).should.eql(['202 limit'])
    of('no-protection', told).should.eql(['132 no-protection'])
    of('limit-over', told).should.eql([])
  })

  it('9. fails while the gateway is away: the hold-off begins when it is back', () => {
    const { acts, states } = play({ away: [[100, 200]], mainBad: [[120, FOREVER]] }, 1000)
    acts.should.eql(['210 backup'])
    states.slice(0, 3).should.eql(['0 normal', '100 unknown', '200 hold-off'])
  })

  it('10. is good while the gateway is away for a moment: nothing', () => {
    const { acts, told } = play({ away: [[100, 103]] }, 1000)
    acts.should.eql([])
    told.should.eql([])
  })

  it('11. fails while the route is stopped: nothing', () => {
    const { acts, states } = play({ stopped: [[90, FOREVER]], mainBad: [[100, FOREVER]] }, long)
    acts.should.eql([])
    states.should.eql(['0 normal', '90 standby'])
  })

  it('12. is bad when the route is started again: the backup 10 s after the start', () => {
    play({ stopped: [[90, 500]], mainBad: [[100, FOREVER]] }, 1000).acts.should.eql(['510 backup'])
  })

  it('13. is replaced by a third source: hands off', () => {
    const world: World = { script: { 100: { set: 'other' } }, mainBad: [[100, FOREVER]] }
    const { acts, told, states } = play(world, long)
    acts.should.eql([])
    told.should.eql(['100 taken-over'])
    states.should.eql(['0 normal', '100 foreign'])
  })

  it('14. is replaced by the backup, by somebody: no way back by itself', () => {
    const { acts, told } = play({ settings: monitor, script: { 100: { set: 'backup' } } }, long)
    acts.should.eql([])
    told.should.eql(['100 taken-over'])
  })

  it('15. is replaced by the backup, by somebody, and that fails: main', () => {
    const world: World = { script: { 100: { set: 'backup' } }, backupBad: [[500, FOREVER]] }
    play({ ...world, settings: monitor }, 2000).acts.should.eql(['510 main'])
    play(world, 2000).acts.should.eql(['510 main'])
  })

  it('16. fails while it is held: nothing, but it is reported', () => {
    const world: World = {
      script: { 50: { command: { action: 'hold' } } },
      mainBad: [[100, FOREVER]],
    }
    const { acts, told, events } = play(world, long)
    acts.should.eql([])
    told.should.eql(['50 held', '110 no-protection'])
    events.at(-1)!.should.containDeep({ reason: 'held', held: true, state: 'no-protection' })
  })

  it('17. fails while it is held, and is released: the backup at once', () => {
    const world: World = {
      script: { 50: { command: { action: 'hold' } }, 301: { command: { action: 'release' } } },
      mainBad: [[100, FOREVER]],
    }
    const { acts, told } = play(world, 1000)
    acts.should.eql(['301 backup'])
    told.should.eql(['50 held', '110 no-protection', '301 released', '307 switched'])
  })

  it('18. is left for a forced backup, which fails: stays', () => {
    const world: World = {
      settings: monitor,
      script: { 50: { command: { action: 'backup', hold: true } } },
      backupBad: [[100, FOREVER]],
    }
    const { acts, told } = play(world, long)
    acts.should.eql(['50 backup'])
    told.should.eql(['52 held', '56 switched', '110 no-protection'])
  })

  it('19. is left by hand: stays with the backup until it is released', () => {
    const world: World = {
      settings: monitor,
      script: { 50: { command: { action: 'backup' } }, 700: { command: { action: 'release' } } },
    }
    play(world, 2000).acts.should.eql(['50 backup', '700 main'])
    play({ ...world, script: { 50: { command: { action: 'backup' } } } }, long).acts.should.eql([
      '50 backup',
    ])
  })

  it('20. comes and goes slowly: four switches, then the backup for good', () => {
    const world: World = {
      settings: { ...monitor, waitToRestore: 60 },
      mainBad: flapping(100, 200),
    }
    const { acts, told } = play(world, 3600)
    acts.should.eql(['110 backup', '260 main', '410 backup', '560 main', '710 backup'])
    told.filter((one) => one.includes('limit')).should.eql(['562 limit'])
  })

  it('21. fails, and the gateway refuses each change: again after each guard', () => {
    const world: World = { mainBad: [[100, FOREVER]], refused: [[0, FOREVER]] }
    const { acts, told, events } = play(world, 300)
    acts.should.eql(['110', '142', '174', '206', '238', '270'].map((at) => `${at} backup`))
    of('failed', told).should.have.length(6)
    told.should.have.length(7)
    events
      .find(({ event }) => event === 'failover.failed')!
      .should.containDeep({ from: 'main', to: 'backup', failure: { code: 'REJECTED' } })
  })

  it('22. is replaced by the backup before a restart: main again, the wait begins anew', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]] }
    const { acts, told } = play({ ...world, script: { 400: { restart: 'kept' } } }, 2000)
    acts.should.eql(['110 backup', '700 main'])
    of('taken-over', told).should.eql([])
  })

  it('22. is left by hand before a restart: still by hand', () => {
    const script = { 50: { command: { action: 'backup' } }, 400: { restart: 'kept' } } as const
    play({ settings: monitor, script }, long).acts.should.eql(['50 backup'])
  })

  it('23. is replaced by the backup before a restart that forgets all: the same by itself', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]] }
    const { acts, told } = play({ ...world, script: { 400: { restart: 'lost' } } }, 2000)
    acts.should.eql(['110 backup', '700 main'])
    of('taken-over', told).should.eql([])
  })

  for (const restart of ['kept', 'lost'] as const) {
    it(`24. fails before a restart with the memory ${restart}: the hold-off begins anew`, () => {
      const { acts } = play({ mainBad: [[100, FOREVER]], script: { 106: { restart } } }, 1000)
      acts.should.eql(['116 backup'])
    })
  }

  it('25. may be good again, but nobody knows: no blind try', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]], monitorStopped: [[0, long]] }
    play(world, long).acts.should.eql(['110 backup'])
    play({ settings: { restore: 'message' }, mainBad: [[100, 300]] }, long).acts.should.eql([
      '110 backup',
    ])
  })

  it('26. is good again, but the monitor stops before the wait has ended: no way back', () => {
    const world: World = { settings: monitor, mainBad: [[100, 300]], monitorStopped: [[590, long]] }
    play(world, 7200).acts.should.eql(['110 backup'])
  })

  it('27. is good again, as a message reports: main once it was good for long', () => {
    const world: World = {
      settings: { restore: 'message' },
      mainBad: [[100, 300]],
      script: { 400: { main: true } },
    }
    play(world, 2000).acts.should.eql(['110 backup', '700 main'])
    const script = { 400: { main: true }, 500: { main: false }, 500.5: { main: true } }
    play({ ...world, script }, 2000).acts.should.eql(['110 backup', '800.5 main'])
  })

  it('28. is to be left by a command while the gateway is away: refused, and not kept', () => {
    const world: World = { away: [[100, 200]], script: { 150: { command: { action: 'backup' } } } }
    const { acts, told, errors } = play(world, 1000)
    acts.should.eql([])
    told.should.eql([])
    errors.should.eql([{ at: 150, code: 'UNAVAILABLE' }])
  })
})
