import * as fc from 'fast-check'
import { SLOTS, instanceFor, partsOf, slotOf } from '../../../client/fleet/slots'
import { partIn, partName } from '../../../client/model/share'

const names = Array.from({ length: 10_000 }, (_, index) => `appliance-${index}`)
const partIs =
  (partOf: (slot: number) => number, index: number) =>
  (name: string): boolean =>
    partOf(slotOf(name)) === index
const share = (index: number, of: number): Set<string> =>
  new Set(names.filter(partIs(partsOf(of), index)))

describe('shares of an inventory', () => {
  it('gives each appliance to exactly one of N instances, with shares that are alike', () => {
    for (const of of [1, 2, 3, 6]) {
      const shares = Array.from({ length: of }, (_, index) => share(index, of))
      const sizes = shares.map(({ size }) => size)
      sizes.reduce((sum, size) => sum + size).should.equal(names.length)
      new Set(shares.flatMap((one) => [...one])).size.should.equal(names.length)
      for (const size of sizes) size.should.be.within(0.6 * (10_000 / of), 1.4 * (10_000 / of))
    }
  })

  it('moves a quarter of the appliances from three to four instances, all of them to the new one', () => {
    const before = [0, 1, 2].map((index) => share(index, 3))
    const after = [0, 1, 2, 3].map((index) => share(index, 4))
    const moved = names.filter((name) => {
      const old = before.findIndex((one) => one.has(name))
      return !after[old]!.has(name)
    })
    moved.length.should.be.within(2000, 3000)
    for (const name of moved) after[3]!.has(name).should.be.true()
  })

  it('counts instances from 0 or from 1', () => {
    should(partIn('0/3')).deepEqual({ index: 0, of: 3 })
    should(partIn('3/3')).deepEqual({ index: 0, of: 3 })
    should(partIn(' 2 / 3 ')).deepEqual({ index: 2, of: 3 })
    for (const text of ['', '4/3', '-1/3', '1/0', '0/0', 'a/3', '1/3/5', '1.5/3', 'all']) {
      should(partIn(text)).be.undefined()
    }
  })

  it('names a part as the instances are counted, as far as one of them shows it', () => {
    for (const [index, given, name] of [
      [1, '2/3', '1/3'],
      [2, '0/3', '2/3'],
      [0, '0/3', '0/3'],
      [0, ' 3 / 3 ', '3/3'],
      [0, '1/3', '3/3 (or 0/3)'],
    ] as const) {
      partName({ index, of: 3 }, given).should.equal(name)
    }
  })

  it('hashes a name to the same slot in every version', () => {
    const known: Array<[string, number]> = [
      ['oslo', 140],
      ['Köln', 78],
      ['東京', 155],
    ]
    known.map(([name]) => [name, slotOf(name)]).should.deepEqual(known)
  })

  it('gives a slot to the same instance in whatever order they are listed', () => {
    const instances = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(instances, fc.nat(SLOTS - 1), (list, slot) => {
        const chosen = instanceFor(slot, list)
        should(instanceFor(slot, [...list].reverse())).equal(chosen)
        const others = list.filter((one) => one !== chosen)
        for (const gone of others) {
          should(
            instanceFor(
              slot,
              list.filter((one) => one !== gone),
            ),
          ).equal(chosen)
        }
      }),
    )
    should(instanceFor(1, [])).be.undefined()
  })
})
