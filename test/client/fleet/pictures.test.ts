import should from 'should'
import { GatewayError } from '../../../client/internal'
import { createPictures, type PictureOptions } from '../../../client/fleet/pictures'
import { Stop } from '../../../client/stop'
import { pause } from '../../support/until'

const away = (): GatewayError => new GatewayError('UNAVAILABLE', 'no answer')
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the pictures of former owners', () => {
  const names = Array.from({ length: 2000 }, (_, index) => `site-${index}`)
  let failures: string[]
  let unwanted: Set<string>
  let found: Set<string>
  const options: PictureOptions = {
    isWanted: (name) => !unwanted.has(name),
    onSuccess: (name) => void found.add(name),
    onFailure: (name, { message }) => void failures.push(`${name}: ${message}`),
    stop: new Stop(),
    pauseMs: 1,
  }
  const settled = async (reads: Array<Promise<unknown>>): Promise<unknown[]> =>
    (await Promise.allSettled(reads)).map((one) => ('value' in one ? one.value : 'rejected'))
  beforeEach(() => {
    failures = []
    unwanted = new Set()
    found = new Set()
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
      options,
    )
    const pictures = await Promise.all(names.map(read))
    pictures.should.eql(names.map((of) => ({ of })))
    found.size.should.equal(2000)
    asked.should.eql(names)
    most.should.equal(32)
    failures.should.eql([])
  })

  it('are tried three times, and not waited for where the engine answers none', async () => {
    let asked = 0
    let isAway = true
    const read = createPictures(
      {
        async read() {
          asked++
          await pause(100)
          if (isAway) throw away()
          return undefined
        },
      },
      options,
    )
    const all = await settled(names.map(read))
    all.every((one) => one === 'rejected').should.be.true()
    asked.should.equal(3 * 32)
    failures.should.have.length(2000)
    failures[0]!.should.match(/^site-\d+: no answer$/)
    // Those that are taken later are asked for again.
    isAway = false
    should(await read('site-1')).be.undefined()
    asked.should.equal(3 * 32 + 1)
    ;[...found].should.eql(['site-1'])
  })

  it('are not given up for one failure, nor asked for again when nobody wants them any more', async () => {
    const asked: string[] = []
    const read = createPictures(
      {
        async read(appliance) {
          asked.push(appliance)
          await soon()
          if (asked.length < 3) throw away()
          return { picture: { of: appliance }, token: 1 }
        },
      },
      options,
    )
    should(await read('site-1')).eql({ of: 'site-1' })
    asked.should.eql(['site-1', 'site-1', 'site-1'])
    asked.length = 0
    const late = settled([read('site-2')])
    unwanted.add('site-2')
    ;(await late).should.eql(['rejected'])
    asked.should.eql(['site-2'])
    failures.should.eql([])
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
      options,
    )
    const pictures = await settled(names.map(read))
    pictures.filter((picture) => picture === 'rejected').should.have.length(1)
    should(pictures[7]).equal('rejected')
    failures.should.eql(['site-7: no answer'])
  })
})
