// One switch of the source of a simulated route: what is sent, what stays, and how long it may take.
import * as fc from 'fast-check'
import { planMerge } from '../../../client/changes/merge'
import { updateRoute } from '../../../client/changes/update'
import { makeSwitch } from '../../../client/failover/switch'
import { Operation } from '../../../client/connection/operation'
import { partToSent, toSent } from '../../../client/model/convert'
import {
  failoverFaults,
  failoverSettings,
  sideFaults,
  sourceInUse,
  type InUse,
  type Side,
} from '../../../client/model/failover'
import { changesTo, differencesOf } from '../../../client/model/failover-sides'
import { isEmpty } from '../../../client/model/json'
import { membersOf } from '../../../client/model/members'
import type { Route, Source } from '../../../client/model/types'
import { arbitraryRoute, frozen } from '../../support/arbitraries'
import { errorOf } from '../../support/errors'
import { until } from '../../support/until'
import {
  addressOf,
  BACKUP,
  event,
  gateway,
  looks,
  MAIN,
  namesOf,
  OTHER,
  protect,
  protecting,
  reaches,
  readsOf,
  SECRET,
  setSource,
  simulator,
  start,
  takeTurn,
  tells,
  updates,
} from './support'

type Sides = Partial<Record<Side, object>>

const addressIn = (): { deviceId: string; routeId: string } => ({
  deviceId: simulator.devices[0]!._id,
  routeId: 'studio-a',
})

const send = (from: InUse, to: Side, sides: Sides = {}): Promise<void> =>
  makeSwitch(
    gateway,
    {
      settings: failoverSettings({ main: MAIN, backup: BACKUP, ...sides }),
      act: { from, to, cause: 'manual' },
      addressOf: addressIn,
    },
    new Operation('failover'),
  )

const bodies = (): Array<{ source: Source; destinations: object[] }> =>
  updates().map(({ body }) => (body as { fields: never }).fields)
const shown = (): Route => simulator.readForm('studio-a') as Route
const update = (patch: object): Promise<unknown> =>
  updateRoute(
    gateway,
    { address: addressIn(), patch, mode: 'merge', waitFor: 'accepted', waitTimeout: 0 },
    new Operation('update-route'),
  )
/** Accepted, and never carried out, as long as a test lasts. */
const neverApplied = (dialect: object = { pendingChanges: false }): void =>
  simulator.setOptions({ applyDelay: 60_000, dialect })

describe('a switch of a source', () => {
  beforeEach(() => start())
  it('changes what differs, and nothing else of the route', async () => {
    setSource({ networkInterface: 'eth1', srtLatency: 999, futureField: 'kept' })
    const { source: before, destinations } = shown()
    const sides = {
      main: { ...MAIN, networkInterface: 'eth1' },
      backup: { ...BACKUP, networkInterface: '' },
    }
    await send('main', 'backup', sides)
    const [sent] = bodies()
    sent!.source.should.containEql({
      ...BACKUP,
      networkInterface: '',
      srtLatency: 999,
      futureField: 'kept',
      srtMode: 'caller',
      id: before.id,
    })
    sent!.destinations.map((one) => (one as Route).id).should.eql(destinations.map(({ id }) => id))
    await simulator.settle()
    await send('backup', 'main', sides)
    await simulator.settle()
    const volatile = {
      state: '',
      summaryStatusCode: '',
      summaryStatusDetails: '',
      usedBandwidth: '',
    }
    ;({ ...shown().source, ...volatile }).should.eql({ ...before, ...volatile })
  })

  it('leaves the spelling of what is the same', async () => {
    const named = { address: 'Feed.Example.com', port: '5000' }
    setSource({ address: 'feed.example.com' })
    await send('main', 'backup', { main: named, backup: { ...named, port: 5001 } })
    bodies()[0]!.source.should.containEql({ address: 'feed.example.com', port: 5001 })
  })

  it('gives a listener the address of every adapter', async () => {
    const sides = {
      main: { ...MAIN, srtMode: 'caller' },
      backup: { ...BACKUP, srtMode: 'listener', address: '' },
    }
    await send('main', 'backup', sides)
    bodies()[0]!.source.should.containEql({ srtMode: 'listener', address: '0.0.0.0' })
    await simulator.settle()
    await send('backup', 'main', sides)
    bodies()[1]!.source.should.containEql({ srtMode: 'caller', address: MAIN.address })
  })

  describe('keeps a passphrase', () => {
    const rotated = `${SECRET} rotated`
    const { srtPassPhrase: _, ...main } = MAIN
    const { srtPassPhrase: _other, ...backup } = BACKUP
    const shared = { srtPassPhrase: `${SECRET} both` }

    for (const [title, sides] of [
      ['that neither side gives', { main, backup }],
      [
        'that both give, and that was rotated',
        { main: { ...main, ...shared }, backup: { ...backup, ...shared } },
      ],
    ] as const) {
      it(title, async () => {
        setSource({ srtPassPhrase: rotated })
        await send('main', 'backup', sides)
        await simulator.settle()
        await send('backup', 'main', sides)
        await simulator.settle()
        bodies()
          .map(({ source }) => source.srtPassPhrase)
          .should.eql([rotated, rotated])
        addressOf().should.equal(MAIN.address)
      })
    }

    it('that the gateway masks, by not sending it', async () => {
      setSource({ srtPassPhrase: '********' })
      await send('main', 'backup', {
        main: { ...main, ...shared },
        backup: { ...backup, ...shared },
      })
      bodies()[0]!.source.should.not.have.property('srtPassPhrase')
    })

    it('but sets its own one, and one that a third source does not have', async () => {
      await send('main', 'backup')
      bodies()[0]!.source.srtPassPhrase!.should.equal(BACKUP.srtPassPhrase)
      await simulator.settle()
      setSource({ ...OTHER, srtPassPhrase: '' })
      await send('other', 'main', {
        main: { ...main, ...shared },
        backup: { ...backup, ...shared },
      })
      bodies()[1]!.source.srtPassPhrase!.should.equal(shared.srtPassPhrase)
    })
  })

  describe('to another protocol', () => {
    const udp = { protocol: 'udp', address: '239.1.1.1', port: 6000 }
    const srt = {
      protocol: 'srt',
      srtMode: 'caller',
      srtEncryption: 'AES128',
      srtLatency: 999,
      srtRcvBuf: 10_240_000,
      ...MAIN,
    }

    it('and back loses nothing', async () => {
      setSource({ srtLatency: 999 })
      const { source: before } = shown()
      await send('main', 'backup', { main: srt, backup: udp })
      bodies()[0]!.source.should.containEql(udp).and.not.have.properties('srtMode', 'srtLatency')
      await simulator.settle()
      shown().source.protocol.should.equal('udp')
      await send('backup', 'main', { main: srt, backup: udp })
      bodies()[1]!.source.should.containEql(srt)
      await simulator.settle()
      const { mode, srtLatency, srtPassPhrase, address } = shown().source
      ;({ mode, srtLatency, srtPassPhrase, address }).should.eql({
        mode: before.mode,
        srtLatency: 999,
        srtPassPhrase: MAIN.srtPassPhrase,
        address: MAIN.address,
      })
    })

    it('is refused at the first read, with the name of each field that would be lost', async () => {
      setSource({ srtLatency: 999 })
      const main = { protocol: 'srt', address: MAIN.address, port: MAIN.port }
      const told = protect({ main, backup: udp })
      await until(() => told.failures.length > 0)
      await looks(2)
      const [failure, ...others] = told.failures
      others.should.eql([])
      failure!.code.should.equal('CONFIG')
      failure!.message.should
        .match(/^Main and backup do not suit route "Studio A" on \S+\. 1\. main\./)
        .and.match(/ main\.srtLatency is missing; a switch to backup and back would change it/)
      failure!.cause
        .problems!.map(({ path }) => path)
        .sort()
        .should.eql(
          ['srtEncryption', 'srtLatency', 'srtMode', 'srtPassPhrase', 'srtRcvBuf'].map(
            (name) => `main.${name}`,
          ),
        )
      told.statuses.at(-1)!.should.containEql({ state: 'unknown' })
      simulator.failAddress(MAIN.address, 'disconnected')
      await looks(8)
      updates().should.eql([])
    })

    it('is not refused for what the gateway itself adds later', async () => {
      setSource({ srtLatency: 999 })
      const told = await protecting({ main: srt, backup: udp })
      simulator.failAddress(MAIN.address, 'disconnected')
      await tells(told, 'switched')
      setSource({ sourceAddress: '192.0.2.99' })
      await looks(2)
      const again = { memory: JSON.parse(JSON.stringify(told.kept.at(-1))) as unknown }
      await told.protection.close()
      const later = protect({ main: srt, backup: udp }, again)
      await reaches(later, 'protecting')
      told.failures.concat(later.failures).should.eql([])
    })
  })

  describe('that is sent again', () => {
    it('goes out, although the first one was accepted and does not show', async () => {
      neverApplied()
      await send('main', 'backup')
      await send('main', 'backup')
      const [first, second, ...others] = bodies()
      others.should.eql([])
      second!.should.eql(first)
    })

    it('goes out at once, and after one that may not have arrived', async () => {
      neverApplied()
      simulator.fault({ kind: 'reset', match: { action: 'update' }, times: 1 })
      ;(await errorOf(send('main', 'backup'))).cause.applied.should.equal('maybe')
      const before = [updates().length, readsOf('studio-a')]
      await send('main', 'backup')
      // An earlier change of another is waited for, and read for.
      ;[updates().length, readsOf('studio-a')].should.eql(before.map((count) => count + 1))
    })

    it('sends nothing when the route has the source by now', async () => {
      await send('main', 'backup')
      await simulator.settle()
      await send('main', 'backup')
      updates().should.have.length(1)
    })

    it('is made by a failover, while the route shows the old source', async () => {
      const told = await protecting()
      neverApplied()
      simulator.failAddress(MAIN.address, 'disconnected')
      await until(() => updates().length === 1)
      simulator.setOptions({ applyDelay: 10 })
      await tells(told, 'switched')
      updates().should.have.length(2)
      namesOf(told).should.eql(['switched'])
      addressOf().should.equal(BACKUP.address)
    })
  })

  describe('beside other changes', () => {
    it('builds on one that does not show yet', async () => {
      neverApplied()
      await update({ source: { srtLatency: 777 }, destinations: { one: { port: 6100 } } })
      await send('main', 'backup')
      const sent = bodies()[1]!
      sent.source.should.containEql({ address: BACKUP.address, srtLatency: 777 })
      sent.destinations[0]!.should.containEql({ port: 6100 })
    })

    it('sends nothing after a third source, shown or not', async () => {
      neverApplied()
      await update({ source: OTHER })
      const refused = await errorOf(send('main', 'backup'))
      refused.should.containEql({ code: 'CONFLICT' })
      setSource(OTHER)
      ;(await errorOf(send('main', 'backup'))).code.should.equal('CONFLICT')
      updates().should.have.length(1)
    })

    it('sends nothing to a stopped route', async () => {
      simulator.stopRoute('Studio A')
      ;(await errorOf(send('main', 'backup'))).code.should.equal('CONFLICT')
      updates().should.eql([])
    })

    it('waits for its turn, and then looks again', async () => {
      const release = takeTurn()
      const sent = errorOf(send('main', 'backup'))
      setSource(OTHER)
      await release()
      ;(await sent).code.should.equal('CONFLICT')
      updates().should.eql([])
    })

    /** Something that the gateway says is under way: until it was read so often. */
    const stuck = (reads = Infinity): void => {
      const route = simulator.route('Studio A')!
      const most = readsOf('studio-a') + reads
      Object.defineProperty(route, 'pendingUpdates', {
        get: () => (readsOf('studio-a') < most ? { stuck: true } : undefined),
        set() {},
        configurable: true,
      })
    }

    it('waits for one of somebody else that is under way', async () => {
      stuck(3)
      await send('main', 'backup')
      readsOf('studio-a').should.equal(3)
      updates().should.have.length(1)
    })

    it('is held up by an old pendingUpdates only so long, and sent in one go', async () => {
      const told = await protecting()
      stuck()
      simulator.failAddress(MAIN.address, 'disconnected')
      await tells(told, 'switched')
      should(event(told, 'switched').failure).be.undefined()
      updates().should.have.length(1)
      namesOf(told).should.eql(['switched'])
    })

    it('leaves a destination of somebody else, while the one before shows and is under way', async () => {
      stuck()
      await send('main', 'backup')
      await simulator.settle()
      const { destinations } = simulator.route('Studio A')!
      destinations.push({ ...destinations[0]!, id: 'third', name: 'three', port: 6002 })
      await send('backup', 'main')
      bodies()[1]!.destinations.should.have.length(3)
      await simulator.settle()
      addressOf().should.equal(MAIN.address)
    })
  })
})

describe('a switch between any two sources', () => {
  /** The gateway keeps what an update leaves out, and of another protocol what that one has. */
  const stored = (present: Source, sent: Source, known: readonly Source[]): Source => {
    if (present.protocol === sent.protocol) return { ...present, ...sent }
    const has = (name: string): boolean =>
      membersOf('source', sent.protocol).has(name) ||
      known.some(
        (one) => partToSent('source', one).protocol === sent.protocol && Object.hasOwn(one, name),
      )
    const kept = Object.entries(sent).filter(([name]) => has(name))
    return Object.fromEntries(kept) as unknown as Source
  }

  it('loses nothing on the way there and back, unless that was refused by name', function () {
    this.timeout(300_000)
    const count = { refused: 0, same: 0, other: 0 }
    const most = fc.infiniteStream(fc.integer({ min: 0, max: 19 }))
    fc.assert(
      fc.property(arbitraryRoute, arbitraryRoute, most, (route, { source: spare }, dice) => {
        const picked = (source: Source): object =>
          Object.fromEntries(
            Object.entries(partToSent('source', source)).filter(
              ([name]) => name !== 'id' && (name === 'protocol' || dice.next().value !== 0),
            ),
          )
        const saved = { main: picked(route.source), backup: picked(spare) }
        if (failoverFaults(saved).length > 0) return
        const settings = frozen(failoverSettings(saved))
        const faults = sideFaults(settings, route)
        if (faults.length > 0) {
          count.refused++
          return
        }
        const { source } = toSent(route)
        const before = frozen({ ...route, source })
        const switched = (present: Route, to: Side): Route => {
          const from = to === 'main' ? 'backup' : 'main'
          const patch = { source: changesTo(settings, to, from, present.source) }
          const { fields, problems } = planMerge(patch, present)
          problems.should.eql([])
          return {
            ...present,
            source: stored(present.source, fields.source, [route.source, spare]),
          }
        }
        const away = switched(before, 'backup')
        sourceInUse(settings, away).inUse.should.equal('backup')
        const back = switched(away, 'main')
        const values = Object.entries(source).filter(([, value]) => !isEmpty(value))
        differencesOf(Object.fromEntries(values), back.source).should.eql([])
        should(back.source.srtPassPhrase || null).equal(source.srtPassPhrase || null)
        count[spare.protocol === route.source.protocol ? 'same' : 'other']++
      }),
      { numRuns: 1000 },
    )
    for (const each of Object.values(count)) each.should.be.above(5, JSON.stringify(count))
  })
})
