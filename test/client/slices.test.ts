import { mapInSlices, newSlice } from '../../client/slices'
import { keepBusy, turnsDuring } from '../support/turns'

describe('a list that is mapped in slices', () => {
  it('has all results in their order', async () => {
    const items = Array.from({ length: 1000 }, (_, index) => index)
    const results = await mapInSlices(items, (item, index) => [item, index])
    results.should.eql(items.map((item) => [item, item]))
    should(await mapInSlices([], () => 0)).eql([])
  })

  it('lets others run in between', async () => {
    const items = Array.from({ length: 20 })
    const { turns } = await turnsDuring(() => mapInSlices(items, () => keepBusy(5)))
    turns.should.be.above(5).and.below(25)
  })

  it('does so too between many short lists of one piece of work', async () => {
    const slice = newSlice()
    const { turns } = await turnsDuring(async () => {
      for (let list = 0; list < 100; list++) await mapInSlices([1], () => keepBusy(2), slice)
    })
    turns.should.be.above(10)
  })

  it('ends with the error of an item', async () => {
    const fail = (): never => {
      throw new Error('item')
    }
    await mapInSlices([1], fail).should.be.rejectedWith('item')
  })
})
