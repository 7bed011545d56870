// What a failover knows after a restart.
import * as fc from 'fast-check'
import 'should'
import { decide } from '../../../client/failover/decide'
import { startedMemory } from '../../../client/failover/memory'
import type { Decision, Memory } from '../../../client/failover/types'
import { failoverSettings, type FailoverSettings } from '../../../client/model/failover'
import { play, type Span, type World } from './world'

const sides = { main: { address: '192.0.2.1' }, backup: { address: '192.0.2.2' } }
const settingsWith = (more: Partial<FailoverSettings> = {}): FailoverSettings =>
  failoverSettings({ ...sides, ...more })
const failed: Span[] = [[100, Infinity]]

/** The memory at the end of a world. */
const memoryAfter = (world: World, until: number): Memory =>
  play(world, until).decisions.at(-1)!.after.memory

const see = (
  settings: FailoverSettings,
  memory: Memory,
  at: number,
  inUse: 'main' | 'backup' = 'main',
): Decision =>
  decide(settings, memory, { kind: 'look', look: { route: 'running', inUse, good: true } }, at)

describe('the memory of a failover', () => {
  it('keeps switches, guard and limit over a restart', () => {
    const world: World = { mainBad: failed, backupBad: failed }
    const { acts } = play({ ...world, script: { 300: { restart: 'kept' } } }, 1200)
    const without = play(world, 1200)
    acts.should.eql(without.acts)
    const { acts: lost } = play({ ...world, script: { 300: { restart: 'lost' } } }, 1200)
    lost.should.not.eql(without.acts)
  })

  it('knows a switch that was in progress: it is ours', () => {
    const world: World = { mainBad: failed, script: { 111: { restart: 'kept' } } }
    const { acts, told, states } = play(world, 300)
    acts.should.eql(['110 backup'])
    told.should.eql(['115 switched'])
    states.should.containDeep(['110 switching', '115 protecting'])
    states.should.have.length(4)
    const gone = play({ ...world, lost: [[0, 120]] }, 300)
    gone.acts.should.eql(['110 backup', '171 backup'])
    gone.told.slice(0, 1).should.eql(['141 failed'])
  })

  it('knows a switch that was given up, and may still show', () => {
    const world: World = { mainBad: failed, change: 40, script: { 145: { restart: 'kept' } } }
    play(world, 300).told.should.eql(['140 failed', '140 no-protection', '153 switched'])
  })

  describe('of two routes, between the stop of the one and the start of the other', () => {
    const settings = failoverSettings({
      method: 'routes',
      main: { name: 'A' },
      backup: { name: 'B' },
    })
    const changing: Memory = {
      ...startedMemory(settings, undefined, 0),
      inUse: 'main',
      change: { from: 'main', to: 'backup', cause: 'signal-fail', at: 100_000 },
    }
    /** The route is off the air; looks every 2 s after a restart, until something is done. */
    const actAfter = (restart: number): { act?: string; seconds: number; told: string[] } => {
      let memory = startedMemory(settings, changing, restart)
      const told: string[] = []
      for (let at = restart; at < restart + 300_000; at += 2000) {
        const decision = decide(settings, memory, { kind: 'look', look: { route: 'stopped' } }, at)
        told.push(...decision.events.map(({ event }) => event.replace('failover.', '')))
        const { act } = decision
        if (act) return { act: act.to, seconds: (at - restart) / 1000, told }
        ;({ memory } = decision)
      }
      return { seconds: Infinity, told }
    }

    it('starts the other one after the hold-off: nobody else will', () => {
      const { act, seconds, told } = actAfter(105_000)
      act!.should.equal('backup')
      seconds.should.equal(10)
      told[0]!.should.equal('failed')
    })

    it('starts nothing that may have been stopped on purpose since then', () => {
      actAfter(1_100_000).seconds.should.equal(Infinity)
    })
  })

  it('knows that neither of two routes runs since the one did not start', () => {
    const settings = { method: 'routes', main: { name: 'A' }, backup: { name: 'B' } } as const
    const world: World = { settings, mainBad: failed, noStart: [[0, 120]] }
    const { acts } = play({ ...world, script: { 125: { restart: 'kept' } } }, 300)
    acts.slice(0, 2).should.eql(['110 backup', '143 main'])
  })

  it('knows what somebody changed in between', () => {
    const kept = memoryAfter({}, 100)
    const settings = settingsWith()
    const { events } = see(settings, startedMemory(settings, kept, 200_000), 200_000, 'backup')
    events.map(({ event }) => event).should.eql(['failover.taken-over'])
  })

  it('does not know of a report that nobody has had', () => {
    const { told } = play({ settings: { hold: true }, mainBad: [[0, Infinity]] }, 100)
    told.should.eql(['10 no-protection'])
  })

  it('is held as it was, unless the setting is another one', () => {
    const released = memoryAfter(
      { settings: { hold: true }, script: { 50: { command: { action: 'release' } } } },
      60,
    )
    const heldAfter = (hold: boolean, kept: unknown): boolean =>
      startedMemory(settingsWith({ hold }), kept, 0).held
    heldAfter(true, undefined).should.be.true()
    heldAfter(false, undefined).should.be.false()
    heldAfter(true, released).should.be.false()
    const held = memoryAfter({ script: { 50: { command: { action: 'hold' } } } }, 60)
    heldAfter(false, held).should.be.true()
    heldAfter(true, held).should.be.true()
    heldAfter(true, memoryAfter({}, 60)).should.be.true()
    heldAfter(false, memoryAfter({ settings: { hold: true } }, 60)).should.be.false()
  })

  it('is for the sources that were set: with others it is no change by somebody', () => {
    const held = memoryAfter(
      { mainBad: failed, script: { 150: { command: { action: 'hold' } } } },
      200,
    )
    const other = settingsWith({ backup: { address: '192.0.2.3' } })
    const started = startedMemory(other, held, 300_000)
    started.held.should.be.true()
    started.switches.should.eql([])
    see(other, started, 300_000, 'main')
      .events.map(({ event }) => event)
      .should.eql(['failover.state'])
    // The order of the fields and a secret do not make another source.
    const same = settingsWith({ backup: { srtPassPhrase: 'a-new-passphrase', ...sides.backup } })
    startedMemory(same, held, 300_000).switches.should.eql([110_000])
  })

  it('has no secret in it', () => {
    const secret = 'never-shown-passphrase'
    const settings = {
      main: { ...sides.main, srtPassPhrase: secret },
      backup: { ...sides.backup, srtPassPhrase: secret },
    }
    JSON.stringify(memoryAfter({ settings, mainBad: failed }, 111)).should.not.containEql(secret)
  })

  it('survives a clock that was set back: nothing is blocked for longer than the guard', () => {
    const kept = memoryAfter({ mainBad: failed, refused: [[0, Infinity]] }, 4000)
    const settings = settingsWith()
    const started = startedMemory(settings, kept, 1000)
    started.guardUntil.should.be.belowOrEqual(1000 + 30_000)
    const during = memoryAfter({ mainBad: failed }, 111)
    startedMemory(settings, during, 1000).change!.at.should.equal(1000)
    const arrived = memoryAfter({ mainBad: failed }, 115)
    startedMemory(settings, arrived, 1000).change!.arrivedAt!.should.equal(1000)
    const late = memoryAfter({ mainBad: failed, lost: [[0, 120]] }, 145)
    startedMemory(settings, late, 1000).late!.at.should.equal(1000)
    const switched = memoryAfter({ mainBad: failed }, 200)
    startedMemory(settings, switched, 1000).switches.should.eql([1000])
  })

  it('begins its waits anew when the clock is set back while it runs', () => {
    const settings = settingsWith()
    let memory = startedMemory(settings, undefined, 0)
    const bad = { kind: 'look', look: { route: 'running', inUse: 'main', good: false } } as const
    for (const at of [50_000, 52_000, 10_000, 12_000, 18_000]) {
      const { act, memory: next } = decide(settings, memory, bad, at)
      memory = next
      ;(act === undefined).should.be.true(String(at))
    }
    decide(settings, memory, bad, 20_000).act!.to.should.equal('backup')
  })

  it('is the same as none when it is damaged', () => {
    const settings = settingsWith()
    const fresh = startedMemory(settings, undefined, 5000)
    const kept = memoryAfter({ mainBad: failed }, 111)
    startedMemory(settings, kept, 200_000).should.have.property('change')
    const damaged: unknown[] = [
      null,
      'text',
      [],
      {},
      { ...kept, switches: 'many' },
      { ...kept, switches: [1, 'two'] },
      { ...kept, guardUntil: null },
      { ...kept, slowed: -1 },
      { ...kept, inUse: 'third' },
      { ...kept, halfway: 'other' },
      { ...kept, held: 'false' },
      { ...kept, change: { ...kept.change, to: 'other' } },
      { ...kept, change: { ...kept.change, at: undefined } },
      { ...kept, change: { ...kept.change, from: 'third' } },
      { ...kept, change: { ...kept.change, cause: 'boredom' } },
      { ...kept, change: { ...kept.change, stays: 'long' } },
      { ...kept, change: { ...kept.change, arrivedAt: 'soon' } },
      { ...kept, late: {} },
    ]
    const foreign = { ...kept, change: { ...kept.change, from: 'other' } }
    startedMemory(settings, foreign, 200_000).should.have.property('change')
    for (const one of damaged) startedMemory(settings, one, 5000).should.eql(fresh)
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        startedMemory(settings, value, 5000).should.eql(fresh)
      }),
    )
  })

  it('does not grow: flapping for long leaves little', () => {
    const flapping: Span[] = []
    for (let at = 100; at < 4000; at += 3) flapping.push([at, at + 1.5])
    const settings = { lookEvery: 0.5, degradePer: 600, holdOff: 60, limitPer: 86_400 }
    const world: World = { settings, mainBad: flapping, backupBad: flapping }
    const { decisions } = play(world, 4000)
    const longest = Math.max(...decisions.map(({ after }) => JSON.stringify(after.memory).length))
    longest.should.be.below(15_000)
  })
})
