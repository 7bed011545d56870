import * as fc from 'fast-check'
import { LinkedSet, type Link } from '../../client/linked-set'

describe('a linked set', () => {
  it('holds what was added and not taken out, in order', () => {
    const steps = fc.array(fc.oneof(fc.constant('add'), fc.constant('first'), fc.nat(20)))
    fc.assert(
      fc.property(steps, (todo) => {
        const set = new LinkedSet<number>()
        const links: Link[] = []
        let model: number[] = []
        for (const step of todo) {
          if (step === 'add') {
            model.push(links.length)
            links.push(set.add(links.length))
          } else if (step === 'first') should(set.takeFirst()).equal(model.shift())
          else {
            model = model.filter((each) => each !== step)
            // Also what has been taken out before, which has no effect.
            links[Number(step)]?.remove()
          }
          should(set.all()).eql(model)
          should(set.isEmpty).equal(model.length === 0)
        }
      }),
    )
  })
})
