import should from 'should'
import { GatewayError } from '../../../client/internal'
import { createPictures } from '../../../client/fleet/pictures'

const away = (): GatewayError => new GatewayError('UNAVAILABLE', 'no answer')
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the pictures of former owners', () => {
  const names = Array.from({ length: 2000 }, (_, index) => `site-${index}`)
  let failures: Array<[number, string]>
  const onFailure = (count: number, { message }: Error): void => {
    failures.push([count, message])
  }
  beforeEach(() => {
    failures = []
  })

  it('of 2,000 appliances are each read once, at most 32 at a time, however long it takes', async () => {
    const asked: string[] = []
    let underWay = 0
    let most = 0
    const read = createPictures(
      {
        async read(appliance) {
          asked.push(appliance)
          most = Math.max(most, ++underWay)
          await soon()
          underWay--
          return { picture: { of: appliance }, token: 1 }
        },
      },
      onFailure,
    )
    const found = await Promise.all(names.map(read))
    found.should.eql(names.map((of) => ({ of })))
    asked.should.eql(names)
    most.should.equal(32)
    failures.should.eql([])
  })

  it('are not waited for where the engine answers none, which is said once', async () => {
    let asked = 0
    let isAway = true
    const read = createPictures(
      {
        async read() {
          asked++
          await soon()
          if (isAway) throw away()
          return undefined
        },
      },
      onFailure,
    )
    const found = await Promise.all(names.map(read))
    found.every((picture) => picture === undefined).should.be.true()
    asked.should.equal(32)
    await soon()
    failures.should.eql([[2000, 'no answer']])
    // Those that are taken later are asked for again.
    isAway = false
    should(await read('site-1')).be.undefined()
    asked.should.equal(33)
    await soon()
    failures.should.have.length(1)
  })

  it('that cannot be read keep no others from being read', async () => {
    const read = createPictures(
      {
        async read(appliance) {
          await soon()
          // Others have been answered while this one was waited for.
          if (appliance === 'site-7') await soon()
          if (appliance === 'site-7') throw away()
          return { picture: { of: appliance }, token: 1 }
        },
      },
      onFailure,
    )
    const found = await Promise.all(names.map(read))
    found.filter((picture) => picture === undefined).should.have.length(1)
    should(found[7]).be.undefined()
    await soon()
    failures.should.eql([[1, 'no answer']])
  })
})
