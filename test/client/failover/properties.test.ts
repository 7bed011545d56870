// What holds in every world: random faults, commands, interventions and restarts.
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import 'should'
import { guardOf } from '../../../client/failover/memory'
import { failoverSettings, type FailoverSettings } from '../../../client/model/failover'
import { frozen } from '../../support/arbitraries'
import { play, type Span, type Step, type Story, type World } from './world'

/** Each world is half an hour or more of looks. */
const RUNS = { numRuns: 50 }

/** Until then anything happens; by then it has ended. */
const TROUBLE = 900

const half = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: least * 2, max: most * 2 }).map((steps) => steps / 2)

/** Spans of trouble, short and long ones. */
const spans = (most = 6): fc.Arbitrary<Span[]> =>
  fc.array(
    fc
      .tuple(half(0, TROUBLE - 1), fc.oneof(half(0.5, 12), half(1, 400)))
      .map(([from, length]): Span => [from, Math.min(from + length, TROUBLE)]),
    { maxLength: most },
  )

const command: fc.Arbitrary<Step> = fc
  .record(
    {
      action: fc.constantFrom('main', 'backup', 'hold', 'release', 'reset', 'status', 'nonsense'),
      hold: fc.boolean(),
    },
    { requiredKeys: ['action'] },
  )
  .map((one) => ({ command: one }))
const intervention: fc.Arbitrary<Step> = fc
  .constantFrom('main' as const, 'backup' as const, 'other' as const)
  .map((set) => ({ set }))
const report: fc.Arbitrary<Step> = fc.boolean().map((main) => ({ main }))
const restart = (...kinds: Array<'kept' | 'lost'>): fc.Arbitrary<Step> =>
  fc.constantFrom(...kinds).map((kind) => ({ restart: kind }))

const scriptOf = (...steps: fc.Arbitrary<Step>[]): fc.Arbitrary<Record<number, Step>> =>
  fc
    .array(fc.tuple(half(1, TROUBLE), fc.oneof(...steps)), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries) as Record<number, Step>)

/** Settings that make a source wait no longer than it needs to connect, below. */
const anySettings = fc.record({
  restore: fc.constantFrom('off' as const, 'monitor' as const, 'message' as const),
  holdOff: fc.constantFrom(0, 10, 20),
  settle: fc.constantFrom(5, 10, 20),
  guard: fc.constantFrom(5, 30),
  waitToRestore: fc.constantFrom(5, 60, 300),
  limit: fc.constantFrom(1, 4),
  limitPer: fc.constantFrom(60, 3600),
  lookEvery: fc.constantFrom(0.5, 2, 5),
})

const settingsOf = ({ settings }: World): FailoverSettings => failoverSettings(settings ?? {})

const faults = {
  settings: anySettings,
  mainBad: spans(),
  backupBad: spans(),
  away: spans(2),
  stopped: spans(1),
  monitorStopped: spans(2),
  refused: spans(2),
  lost: spans(2),
  change: half(0.5, 40),
  connect: half(0, 5),
}

const anyWorld: fc.Arbitrary<World> = fc.record({
  ...faults,
  script: scriptOf(command, intervention, report, restart('kept', 'lost')),
})

/** Every change that was asked for, with what was known. */
const actsOf = ({ decisions }: Story) =>
  decisions.flatMap((one) => (one.after.act ? [{ ...one, act: one.after.act }] : []))

const automatic = (story: Story) => actsOf(story).filter(({ act }) => act.cause !== 'manual')

describe('a failover, in every world', () => {
  it('never has two changes under way, and never asks for the source in use', () => {
    fc.assert(
      // A second change while one is under way throws.
      fc.property(anyWorld, (world) => {
        for (const { act, before, input } of actsOf(play(world, TROUBLE + 60))) {
          act.to.should.not.equal(act.from)
          if (input.kind === 'look') input.look.should.containEql({ inUse: act.from })
          before.isBusy.should.be.false()
        }
      }),
      RUNS,
    )
  })

  it('never switches by itself while unknown, held, foreign or standby', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        for (const { input, before, act } of automatic(play(world, TROUBLE + 60))) {
          input.should.containDeep({ kind: 'look', look: { route: 'running', inUse: act.from } })
          act.from.should.not.equal('other')
          before.held.should.be.false()
        }
      }),
      RUNS,
    )
  })

  it('never obeys a command while the source is not known, the route stopped, or a change under way', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        for (const { input, before } of actsOf(play(world, TROUBLE + 60))) {
          if (input.kind !== 'command') continue
          ;['unknown', 'standby', 'switching'].should.not.containEql(before.state)
          if (before.held) input.should.have.property('hold', true)
        }
      }),
      RUNS,
    )
  })

  it('keeps the guard between two switches, also over a restart', () => {
    fc.assert(
      fc.property(fc.record({ ...faults, script: scriptOf(restart('kept')) }), (world) => {
        const acts = automatic(play(world, TROUBLE + 60))
        const { guard } = settingsOf(world)
        for (const [index, { at }] of acts.entries()) {
          if (index > 0) (at - acts[index - 1]!.at).should.be.aboveOrEqual(guard)
        }
      }),
      RUNS,
    )
  })

  it('has a good source soon after the last fault, if there is one', () => {
    const last = fc.record({
      good: fc.constantFrom('main' as const, 'backup' as const, 'both' as const),
      inUse: fc.constantFrom('main' as const, 'backup' as const),
    })
    fc.assert(
      fc.property(anyWorld, last, (trouble, { good, inUse }) => {
        const forever: Span = [TROUBLE, Infinity]
        const world: World = {
          ...trouble,
          mainBad: [...trouble.mainBad!, ...(good === 'backup' ? [forever] : [])],
          backupBad: [...trouble.backupBad!, ...(good === 'main' ? [forever] : [])],
          script: {
            ...trouble.script,
            [TROUBLE]: { set: inUse },
            // A change that was asked for before may end later.
            [TROUBLE + 0.5]: { command: { action: 'release' } },
            [TROUBLE + 1]: { main: good !== 'backup' },
          },
        }
        const until = TROUBLE + 3000
        const story = play(world, until)
        const settings = settingsOf(world)
        const { holdOff, settle, lookEvery } = settings
        const present = story.decisions
          .filter(({ at }) => at >= TROUBLE)
          .map(({ after }) => guardOf(settings, after.memory))
        const change = 2 * world.change! + world.connect!
        const looks = 5 * lookEvery
        const soon = 30 + change + settle + holdOff + looks + Math.max(...present) / 1000
        const late = story.decisions.filter(
          ({ at, input }) => at > TROUBLE + soon && input.kind === 'look',
        )
        late.length.should.be.above(10)
        const switched = new Set(
          story.decisions.filter(({ after }) => after.act?.cause === 'restore').map(({ at }) => at),
        )
        // Each look by itself would take should most of the time of these tests.
        const bad = late.filter(({ at, input, after }) => {
          const look = input.kind === 'look' ? input.look : undefined
          const isGood = look?.route === 'running' && look.good
          // The way back to main is a change of a source that is good.
          const isBack = [...switched].some((began) => at >= began && at <= began + change + looks)
          return (!isBack && !isGood) || after.state === 'no-protection'
        })
        bad.should.eql([])
      }),
      RUNS,
    )
  })

  it('does not undo by restore what a person has set', () => {
    const world: fc.Arbitrary<World> = fc.record({
      settings: fc.constant({ restore: 'monitor' as const, waitToRestore: 20 }),
      away: spans(2),
      stopped: spans(1),
      script: scriptOf(
        intervention,
        restart('kept'),
        fc
          .record({
            action: fc.constantFrom('main', 'backup', 'hold', 'reset', 'status'),
            hold: fc.boolean(),
          })
          .map((one) => ({ command: one })),
      ),
    })
    fc.assert(
      fc.property(world, (one) => {
        const story = play(one, TROUBLE + 600)
        // Who has set the source before the first look that shows it, nobody can tell.
        const shown = story.decisions.find(
          ({ input }) => input.kind === 'look' && input.look.route !== 'unknown',
        )
        fc.pre(Object.keys(one.script ?? {}).every((at) => Number(at) > (shown?.at ?? Infinity)))
        automatic(story).should.eql([])
      }),
      RUNS,
    )
  })

  it('decides the same from a memory that was stored as JSON, and changes no memory', () => {
    fc.assert(
      fc.property(anyWorld, (world) => {
        const stored = play(world, TROUBLE + 60, (memory) =>
          frozen(JSON.parse(JSON.stringify(memory)) as typeof memory),
        )
        isDeepStrictEqual(stored, play(world, TROUBLE + 60)).should.be.true()
      }),
      RUNS,
    )
  })

  it('is only later after a restart: no switch before the waits have ended anew', () => {
    const world = fc.record(faults)
    fc.assert(
      fc.property(world, half(1, TROUBLE), (one, at) => {
        const story = play({ ...one, script: { [at]: { restart: 'kept' } } }, TROUBLE + 400)
        story.told.filter((event) => event.endsWith('taken-over')).should.eql([])
        const { waitToRestore, holdOff, degrade, degradePer } = settingsOf(one)
        const bad = Math.min(holdOff, (degrade * degradePer) / 100)
        for (const act of automatic(story).filter((each) => each.at >= at)) {
          const wait = act.act.cause === 'restore' ? waitToRestore : bad
          act.at.should.be.aboveOrEqual(at + wait)
        }
      }),
      RUNS,
    )
  })
})
