import { createPace } from '../../../client/watch/life/stagger'

describe('the pace of first polls', () => {
  it('lets a few begin at once, and the others one after the other', () => {
    const wait = createPace({ atOnce: 3, everyMs: 10_000 })
    const waits = [1, 2, 3, 4, 5].map(() => Math.round(wait() / 10_000))
    waits.should.deepEqual([0, 0, 0, 1, 2])
  })

  it('lets none wait that comes alone', () => {
    const wait = createPace({ atOnce: 1, everyMs: 10_000 })
    wait().should.be.below(1)
    wait().should.be.above(9000)
    createPace({ atOnce: 1, everyMs: 10_000 })().should.be.below(1)
  })
})
