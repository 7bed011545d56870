// Random histories of instances and their engine, each with its own clock.
import * as fc from 'fast-check'
import { BEAT, TTL, World, type Instance } from './ownership-world'

describe('the ownership of slots in whatever may happen', function () {
  this.timeout(120_000)
  const nothing = (): void => undefined
  interface Fault {
    world: World
    one: Instance
    writes: number
  }
  /** Each begins something and returns what ends it. */
  const FAULTS = {
    cut: ({ one }) => {
      one.cut()
      return () => one.mend()
    },
    freeze: ({ one }) => {
      one.freeze()
      return () => one.thaw()
    },
    kill: ({ world, one }) => {
      one.kill()
      return () => void world.start(one.name, { rate: one.rate })
    },
    leave: ({ one }) => {
      if (!one.isLeaving) void one.leave()
      return nothing
    },
    join: ({ world, one }) => {
      if (world.alive.length < 5) world.start(`j${world.instances.length}`, { rate: one.rate })
      return nothing
    },
    stuck: ({ one }) => {
      one.stopping = undefined
      return () => {
        one.stopping = 20
      }
    },
    lossy: ({ world }) => {
      world.loss = 0.4
      return () => {
        world.loss = 0
      }
    },
    slow: ({ world }) => {
      world.longest = 1500
      return () => {
        world.longest = 200
      }
    },
    outage: ({ world }) => {
      world.stopEngine()
      return () => world.startEngine()
    },
    wipe: ({ world }) => {
      world.restartEngine(() => world.engine.wipe())
      return nothing
    },
    rollback: ({ world, writes }) => {
      world.restartEngine(() => world.engine.lose(writes))
      return nothing
    },
    silentWipe: ({ world }) => {
      world.engine.loseQuietly(() => world.engine.wipe())
      return nothing
    },
    silentRollback: ({ world, writes }) => {
      world.engine.loseQuietly(() => world.engine.lose(writes))
      return nothing
    },
    expire: ({ world, writes }) => {
      world.engine.expire(writes % 2 === 0)
      return nothing
    },
  } satisfies Record<string, (fault: Fault) => () => void>

  const step = fc.record({
    kind: fc.constantFrom(...(Object.keys(FAULTS) as Array<keyof typeof FAULTS>)),
    who: fc.nat(4),
    /** How long it lasts, and how long after the last one it begins, in TTL. */
    lasts: fc.double({ min: 0, max: 2.5, noNaN: true }),
    after: fc.double({ min: 0, max: 1, noNaN: true }),
    writes: fc.integer({ min: 1, max: 60 }),
  })
  // No two of them differ by more than 5 %.
  const rate = fc.double({ min: 0.976, max: 1.024, noNaN: true })
  const schedule = fc.record({
    seed: fc.integer(),
    rates: fc.array(rate, { minLength: 2, maxLength: 5 }),
    steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  })

  it('never lets two instances send for a slot, and settles within a TTL and 10 s after the last fault', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async ({ seed, rates, steps }) => {
        const world = new World({ slots: 12, seed })
        world.longest = 200
        world.repeats = 0.1
        rates.forEach((each, index) => world.start(`i${index}`, { rate: each }))
        await world.time.pass(TTL + BEAT)
        let ended = 0
        for (const { kind, who, lasts, after, writes } of steps) {
          await world.time.pass(after * TTL)
          if (world.alive.length === 0) world.start('next')
          const one = world.alive[who % world.alive.length]!
          world.time.later(lasts * TTL, FAULTS[kind]({ world, one, writes }))
          ended = Math.max(ended, world.time.now + lasts * TTL)
        }
        await world.time.pass(ended - world.time.now)
        if (world.alive.every(({ isLeaving }) => isLeaving)) world.start('last')
        // Nobody is told of a silent loss: who finds it late begins a new life late.
        const isSilent = steps.some(({ kind }) => kind.startsWith('silent'))
        await world.time.pass(TTL + 10_000 + (isSilent ? TTL : 0))
        world.doubles.should.eql([])
        world.instances.flatMap(({ wrong }) => wrong).should.eql([])
        world.owners().should.eql(world.wanted())
        world.isSettled().should.be.true()
        for (const { ownership } of world.alive) ownership.state().phase.should.equal('member')
      }),
      { numRuns: Number(process.env['OWNERSHIP_RUNS'] ?? 150), seed: 19 },
    )
  })
})
