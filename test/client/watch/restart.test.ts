import type { Snapshot } from '../../../client/model/event'
import { savedBy } from '../../../client/watch/registry'
import type { WatchOptions } from '../../../client/watch/report/subscription'
import { until } from '../../support/until'
import {
  device,
  gateway,
  isSeen,
  look,
  namesOf,
  passTime,
  reopen,
  running,
  simulator,
  start,
  watch,
  watching,
  type Told,
} from './support'

/** Closes the gateway and goes on with another connection, which has what the watches have saved. */
async function restart(): Promise<void> {
  const { closing } = gateway
  let saved: object | undefined
  const former = gateway
  closing.onStop(() => (saved = savedBy(former)))
  await gateway.close()
  reopen({ saved })
}

async function again(options: Partial<WatchOptions> = {}): Promise<Told> {
  const told = watch(options)
  await until(() => isSeen(told))
  return told
}

describe('a watch that begins again with what was saved', () => {
  beforeEach(() => start({ routes: 8 }))
  it('reports a secret that was changed meanwhile', async () => {
    const route = simulator.routes.find(({ source }) => source.protocol === 'srt')!
    route.source.srtPassPhrase = 'first-pass-phrase'
    await watching()
    await restart()
    route.source.srtPassPhrase = 'other-pass-phrase'
    namesOf((await again()).events).should.eql(['route.changed'])
  })

  it('reports what has changed meanwhile also with other settings', async () => {
    const { name } = running()
    await watching()
    await restart()
    simulator.renameRoute(running().id, 'Renamed')
    const told = await again({ events: ['route.renamed', 'route.changed'] })
    namesOf(told.events).should.eql(['route.renamed'])
    const [{ routes }] = told.snapshots as [Snapshot]
    routes.filter((route) => route.name === name).should.have.length(1)
  })

  it('goes on with its own, beside one with the same settings', async () => {
    const options: Partial<WatchOptions> = { events: ['source.data-lost', 'source.data'] }
    const early = await watching(options)
    const { name } = running()
    simulator.fail(name, { source: 'no-data' })
    await until(async () => {
      passTime(3000)
      await look()
      return early.events.length > 0
    })
    const late = watch(options)
    await look()
    late.events.should.eql([])
    await restart()
    const [first, second] = [watch(options), watch(options)]
    await until(() => isSeen(first) && isSeen(second))
    simulator.fail(name, { source: 'ok' })
    await until(async () => {
      await look()
      return first.events.length > 0
    })
    namesOf(first.events).should.eql(['source.data'])
    second.events.should.eql([])
  })

  it('reports what others have seen since it ended', async () => {
    const staying = await watching()
    const told = await watching({ events: ['route.renamed', 'device.firmware'] })
    told.end()
    simulator.renameRoute(running().id, 'Renamed')
    await look()
    namesOf(staying.events).should.eql(['route.renamed'])
    const next = watch({ events: ['route.renamed', 'device.firmware'] })
    device().firmware = '9'
    await look()
    namesOf(next.events).should.eql(['device.firmware', 'route.renamed'])
    namesOf(staying.events).should.eql(['route.renamed', 'device.firmware'])
  })

  it('knows nothing of one that ended a minute before', async () => {
    for (const [wait, expected] of [
      [59_000, ['route.renamed']],
      [60_000, []],
    ] as const) {
      const told = await watching()
      told.end()
      simulator.renameRoute(running().id, `Renamed ${wait}`)
      passTime(wait)
      const next = await again()
      namesOf(next.events).should.eql(expected)
      next.end()
    }
  })

  it('keeps what was saved of a gateway that it never reached', async () => {
    await watching({ holdFor: 1 })
    simulator.renameRoute(running().id, 'Renamed')
    await restart()
    simulator.fault({ kind: 'status', status: 500, match: { path: /^\/api\/devices\/./ } })
    const away = watch({ holdFor: 1 })
    await until(() => away.health.length > 0)
    should(away.health[0]!.known).be.undefined()
    await restart()
    simulator.clearFaults()
    const told = await again({ holdFor: 1 })
    passTime(10)
    await look()
    namesOf(told.events).should.eql(['route.renamed'])
  })

  it('reports nothing when its listener closes the gateway, and all of it later', async () => {
    const told: Told = await watching({
      onEvents: (events) => {
        told.events.push(...events)
        void gateway.close()
      },
    })
    simulator.renameRoute(running().id, 'Renamed')
    const { health } = told
    health.length = 0
    await look().catch(() => undefined)
    namesOf(told.events).should.eql(['route.renamed'])
    health.should.eql([])
  })
})
