import { GatewayError } from '../../../client/errors'
import { createOpenMemory, type OpenMemory } from '../../../client/watch/takeover'
import type { ShareMemory } from '../../../client/fleet/nats/fenced-records'
import { Stop } from '../../../client/stop'
import { pause } from '../../support/until'

const away = (): GatewayError => new GatewayError('UNAVAILABLE', 'no answer')
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('what former owners have left open', () => {
  const names = Array.from({ length: 2000 }, (_, index) => `site-${index}`)
  let logged: string[]
  let unwanted: Set<string>
  let asked: string[]
  beforeEach(() => {
    logged = []
    unwanted = new Set()
    asked = []
  })

  type Reading = (appliance: string) => ReturnType<OpenMemory['read']>
  const reading = (answer: (appliance: string) => Promise<unknown>): Reading => {
    const memory: ShareMemory = {
      async read(of, appliance) {
        of.should.equal('watch')
        asked.push(appliance)
        return (await answer(appliance)) as { token: number } | undefined
      },
      write: () => Promise.resolve(true),
    }
    const open = createOpenMemory(memory, {
      log: (level, text) => logged.push(`${level}: ${text}`),
      stop: new Stop(),
      pauseMs: 1,
    })
    return (appliance) => open.read(appliance, () => !unwanted.has(appliance))
  }
  const of = (appliance: string): unknown => ({ memory: { [appliance]: {} }, token: 1 })
  const settled = async (reads: Array<ReturnType<OpenMemory['read']>>): Promise<string[]> =>
    (await Promise.allSettled(reads)).map((one) =>
      'value' in one ? [...one.value.watches.keys()].join() : 'rejected',
    )

  it('on 2,000 appliances is read once each, at most 32 at a time, however long it takes', async () => {
    let underWay = 0
    let most = 0
    const read = reading(async (appliance) => {
      most = Math.max(most, ++underWay)
      await soon()
      underWay--
      return of(appliance)
    })
    ;(await settled(names.map(read))).should.eql(names)
    asked.should.eql(names)
    most.should.equal(32)
    logged.should.eql([])
  })

  it('is tried three times, and not waited for where the engine answers none', async () => {
    let isAway = true
    // The reads that are under way end at the same moment, however slow the machine is.
    let round: Promise<void> | undefined
    const read = reading(async () => {
      round ??= pause(50).then(() => (round = undefined))
      await round
      if (isAway) throw away()
      return undefined
    })
    const all = await settled(names.map(read))
    all.every((one) => one === 'rejected').should.be.true()
    asked.should.have.length(3 * 32)
    logged.should.have.length(1)
    logged[0]!.should.match(/^warn: .*among them of "site-\d+": no answer/)
    // Those that are taken later are asked for again.
    isAway = false
    ;(await settled([read('site-1')])).should.eql([''])
    asked.should.have.length(3 * 32 + 1)
  })

  it('is not given up for one failure, nor asked for again when nobody wants it any more', async () => {
    const read = reading(async (appliance) => {
      await soon()
      if (asked.length < 3) throw away()
      return of(appliance)
    })
    ;(await settled([read('site-1')])).should.eql(['site-1'])
    asked.should.eql(['site-1', 'site-1', 'site-1'])
    asked.length = 0
    const late = settled([read('site-2')])
    unwanted.add('site-2')
    ;(await late).should.eql(['rejected'])
    asked.should.eql(['site-2'])
    should(logged).eql([])
  })

  it('that cannot be read keeps no other from being read', async () => {
    const read = reading(async (appliance) => {
      await soon()
      // Others have been answered while this one was waited for.
      if (appliance === 'site-7') await soon()
      if (appliance === 'site-7') throw away()
      return of(appliance)
    })
    const found = await settled(names.map(read))
    found.filter((one) => one === 'rejected').should.have.length(1)
    found[7]!.should.equal('rejected')
    logged.should.have.length(1)
  })
})
