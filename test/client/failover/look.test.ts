// What a failover sees in a route: which source is in use, and whether it is good.
import * as fc from 'fast-check'
import { lookAt } from '../../../client/failover/look'
import {
  failoverSettings,
  sourceInUse,
  type FailoverSettings,
} from '../../../client/model/failover'
import type { Route, Source } from '../../../client/model/types'
import { arbitraryRoute, frozen, respelled } from '../../support/arbitraries'

const main = { address: '239.1.1.1', port: 5000 }
const backup = { address: '239.1.1.2', port: 5000 }
const settingsWith = (more: Partial<FailoverSettings> = {}): FailoverSettings =>
  failoverSettings({ main, backup, ...more })

const routeWith = (source: Partial<Source> = {}, more: Partial<Route> = {}): Route => ({
  id: 'route',
  name: 'Studio A',
  state: 'running',
  source: {
    id: 'source',
    name: 'in',
    protocol: 'udp',
    networkInterface: '',
    summaryStatusCode: 'ok',
    usedBandwidth: '10.216',
    ...main,
    ...source,
  },
  destinations: [],
  ...more,
})

describe('the source in use', () => {
  const inUse = (source: Partial<Source>, more?: Partial<FailoverSettings>): string =>
    sourceInUse(settingsWith(more), routeWith(source)).inUse

  it('is the one whose fields the route has, or another one', () => {
    inUse({}).should.equal('main')
    inUse(backup).should.equal('backup')
    inUse({ address: '239.1.1.3' }).should.equal('other')
    inUse({ ...backup, port: 5001 }).should.equal('other')
  })

  it('is found whether numbers are text, and choices in capitals', () => {
    inUse({ port: '5000' }).should.equal('main')
    inUse({ protocol: 'UDP' }).should.equal('main')
    const srt = { protocol: 'srt', mode: 'CALLER', srtLatency: '125' }
    const caller = { address: '239.1.1.1', srtMode: 'Caller', srtLatency: 125 }
    inUse(srt, { main: caller, backup: { ...caller, address: '192.0.2.9' } }).should.equal('main')
    const listener = { ...caller, srtMode: 'listener' }
    inUse(srt, { main: listener, backup: caller }).should.equal('backup')
  })

  it('may have another protocol', () => {
    const rtp = { protocol: 'rtp', ...backup }
    inUse({}, { backup: rtp, main: { protocol: 'udp', ...main } }).should.equal('main')
    inUse(rtp, { backup: rtp, main: { protocol: 'udp', ...main } }).should.equal('backup')
    inUse({ ...rtp, protocol: 'udp' }, { backup: rtp }).should.equal('other')
  })

  it('does not depend on secrets, which a gateway may hide', () => {
    const srt = { protocol: 'srt', mode: 'caller', srtPassPhrase: '******' }
    const sides = {
      main: { ...main, srtPassPhrase: 'first-passphrase' },
      backup: { ...backup, srtPassPhrase: 'second-passphrase' },
    }
    inUse(srt, sides).should.equal('main')
    inUse({ ...srt, srtPassPhrase: 'another-passphrase' }, sides).should.equal('main')
    inUse({ ...srt, ...backup, srtPassPhrase: 'first-passphrase' }, sides).should.equal('backup')
  })

  it('is found as the gateway means an address, and what is not there', () => {
    const every = { networkInterface: '', address: '0.0.0.0', port: 5000 }
    const spare = { networkInterface: 'eth1', address: '192.0.2.9', port: 5000 }
    for (const address of ['', '0.0.0.0', undefined]) {
      inUse({ address }, { main: every, backup: spare }).should.equal('main')
      const blank = { ...every, address: '' }
      inUse({ address, networkInterface: undefined }, { main: blank, backup: spare }).should.equal(
        'main',
      )
    }
    const named = { networkInterface: null, address: 'Feed.Example.com' }
    inUse({ address: 'feed.example.COM' }, { main: named, backup: spare }).should.equal('main')
    inUse({ address: 'feed.example.org' }, { main: named, backup: spare }).should.equal('other')
    inUse({ ...named, networkInterface: 'eth2' }, { main: named, backup: spare }).should.equal(
      'other',
    )
  })

  it('keeps the case of what is no host: of a path in an RTSP address', () => {
    const rtsp = { protocol: 'rtsp', address: 'camera/One' }
    inUse(rtsp, { main: { address: 'camera/One' } }).should.equal('main')
    inUse(rtsp, { main: { address: 'camera/one' } }).should.equal('other')
  })

  it('compares the addresses of each path of a redundant source', () => {
    const path = (address: string): object => ({ address, port: 5000, networkInterface: '' })
    const bonded = {
      srtGroupMode: 'broadcast',
      srtNetworkBondingParams: [path('Feed.Example.com'), path('192.0.2.2')],
    }
    const source = (second: string): Partial<Source> => ({
      protocol: 'srt',
      srtGroupMode: 'broadcast',
      address: `feed.example.com|${second}`,
      port: '5000|5000',
    })
    inUse(source('192.0.2.2'), { main: bonded }).should.equal('main')
    const { differs } = sourceInUse(settingsWith({ main: bonded }), routeWith(source('192.0.2.3')))
    differs!.main.should.eql(['srtNetworkBondingParams'])
  })

  it('says which fields differ, with their names in the settings and without secrets', () => {
    const sides = {
      main: {
        ...main,
        networkInterface: 'eth1',
        mode: 'caller',
        srtPassPhrase: 'first-passphrase',
      },
      backup: {
        ...backup,
        networkInterface: '',
        mode: 'caller',
        srtPassPhrase: 'other-passphrase',
      },
    }
    const route = routeWith({
      ...main,
      protocol: 'srt',
      mode: 'listener',
      srtPassPhrase: 'third-passphrase',
    })
    sourceInUse(settingsWith(sides), route).should.eql({
      inUse: 'other',
      differs: { main: ['mode', 'networkInterface'], backup: ['mode', 'address'] },
    })
    const onMain = routeWith({ ...main, networkInterface: 'eth1', protocol: 'srt', mode: 'caller' })
    sourceInUse(settingsWith(sides), onMain).should.eql({ inUse: 'main' })
  })

  it('is the whole source of any route, in any spelling, and no other one', () => {
    fc.assert(
      fc.property(
        arbitraryRoute.chain((route) => fc.tuple(fc.constant(route), respelled(route.source))),
        ([route, source]) => {
          const other = { ...source, name: `${source.name.slice(0, 50)} 2` }
          const settings = frozen(settingsWith({ main: { ...source }, backup: other }))
          sourceInUse(settings, frozen(route)).should.eql({ inUse: 'main' })
          const switched = { ...route, source: { ...route.source, name: other.name } }
          sourceInUse(settings, switched).inUse.should.equal('backup')
        },
      ),
    )
  })
})

describe('a look at a route', () => {
  it('shows the source in use, and whether it is good', () => {
    lookAt(settingsWith(), { main: routeWith() }).should.eql({
      route: 'running',
      inUse: 'main',
      good: true,
    })
    for (const summaryStatusCode of ['warn', 'error', 'WARN'] as never[]) {
      const look = lookAt(settingsWith(), { main: routeWith({ summaryStatusCode }) })
      look.should.containEql({ route: 'running', good: false })
    }
    lookAt(settingsWith(), {
      main: routeWith({ summaryStatusCode: 'OK' as never }),
    }).should.containEql({ good: true })
  })

  it('judges the source by the one rule of health: by its state too', () => {
    const good = (state: unknown, summaryStatusCode?: unknown): unknown => {
      const look = lookAt(settingsWith(), {
        main: routeWith({ state, summaryStatusCode } as never),
      })
      return look.route === 'running' ? look.good : look.route
    }
    good('disconnected', 'ok')!.should.be.false()
    good('Connecting')!.should.be.false()
    good('connected', 'ok')!.should.be.true()
    good('connected', 'warn')!.should.be.false()
    good('connection established', 'unknown')!.should.be.true()
    good('connected')!.should.be.true()
    good(undefined, 'unknown')!.should.equal('unknown')
  })

  it('shows nothing when something is missing that is needed', () => {
    const unknown = { route: 'unknown' }
    lookAt(settingsWith(), { main: undefined }).should.eql(unknown)
    const routes: unknown[] = [
      'text',
      {},
      routeWith({}, { source: undefined as never }),
      routeWith({}, { destinations: null as never }),
      routeWith({ protocol: undefined as never }),
      routeWith({ summaryStatusCode: undefined }),
      routeWith({ summaryStatusCode: 'unknown' }),
      routeWith({}, { state: undefined }),
      routeWith({}, { state: 'starting' as never }),
    ]
    for (const route of routes) lookAt(settingsWith(), { main: route as Route }).should.eql(unknown)
  })

  for (const state of ['idle', 'stopped', 'Stopped'] as never[]) {
    it(`shows a route that is ${String(state)}, and its source`, () => {
      const route = routeWith({ ...backup, summaryStatusCode: undefined }, { state })
      lookAt(settingsWith(), { main: route }).should.eql({ route: 'stopped', inUse: 'backup' })
    })
  }

  it('names what differs while the source is another one, and a change that is under way', () => {
    const look = lookAt(settingsWith(), { main: routeWith({ address: '239.1.1.3' }) })
    look.should.eql({
      route: 'running',
      inUse: 'other',
      good: true,
      differs: { main: ['address'], backup: ['address'] },
    })
    const pending = routeWith({}, { pendingUpdates: { source: {} } })
    lookAt(settingsWith(), { main: pending }).should.containEql({ inUse: 'main', isPending: true })
    for (const pendingUpdates of [null, {}, false, 'false'] as never[]) {
      lookAt(settingsWith(), { main: routeWith({}, { pendingUpdates }) }).should.not.have.property(
        'isPending',
      )
    }
  })

  it('counts a source without data as bad only when that was set', () => {
    const good = (failOn: FailoverSettings['failOn'], usedBandwidth: unknown): unknown => {
      const look = lookAt(settingsWith({ failOn }), { main: routeWith({ usedBandwidth }) })
      return look.route === 'running' && look.good
    }
    for (const [figure, status, noData] of [
      ['0.000', true, false],
      [0, true, false],
      ['0.001', true, true],
      [2, true, true],
      // Not known: only the status counts.
      ['', true, true],
      [undefined, true, true],
      ['n/a', true, true],
    ] as const) {
      should([good('status', figure), good('noData', figure)]).eql([status, noData], String(figure))
    }
    const broken = routeWith({ summaryStatusCode: 'error', usedBandwidth: '10.000' })
    for (const failOn of ['status', 'noData'] as const) {
      const look = lookAt(settingsWith({ failOn }), { main: broken })
      look.should.containEql({ good: false })
    }
  })
})

describe('a look at two routes', () => {
  const settings = settingsWith({ method: 'routes', main: { id: 'a' }, backup: { id: 'b' } })
  const runs = (summaryStatusCode: Source['summaryStatusCode'] = 'ok'): Route =>
    routeWith({ summaryStatusCode })
  const rests = routeWith({ summaryStatusCode: undefined }, { state: 'idle' })
  const broken = routeWith({}, { source: undefined as never })

  it('shows which one runs, and whether its source is good', () => {
    const look = (one?: Route, other?: Route): unknown =>
      lookAt(settings, { main: one, backup: other })
    should(look(runs(), rests)).eql({ route: 'running', inUse: 'main', good: true })
    should(look(runs('warn'), rests)).eql({ route: 'running', inUse: 'main', good: false })
    should(look(rests, runs())).eql({ route: 'running', inUse: 'backup', good: true })
    should(look(rests, runs('error'))).eql({ route: 'running', inUse: 'backup', good: false })
    should(look(runs(), runs())).containEql({ route: 'running', inUse: 'other' })
    should(look(rests, rests)).eql({ route: 'stopped' })
  })

  it('shows a change of either that is under way', () => {
    const pendingUpdates = { action: 'stop' }
    const pending = { ...rests, pendingUpdates }
    lookAt(settings, { main: runs(), backup: pending }).should.containEql({ isPending: true })
    const leaving = { ...runs(), pendingUpdates }
    lookAt(settings, { main: leaving, backup: rests }).should.containEql({ isPending: true })
  })

  it('shows nothing unless both are known', () => {
    for (const [one, other] of [
      [runs(), undefined],
      [undefined, runs()],
      [runs(), broken],
      [runs(), routeWith({}, { state: 'starting' as never })],
      [routeWith({ summaryStatusCode: undefined }), rests],
    ] as const) {
      lookAt(settings, { main: one, backup: other }).should.eql({ route: 'unknown' })
    }
  })
})

describe('the monitors', () => {
  type Monitors = Parameters<typeof lookAt>[2]
  const seen = (monitors: Monitors, more: Partial<FailoverSettings> = {}): unknown => {
    const settings = settingsWith({ restore: 'monitor', ...more })
    const look = lookAt(settings, { main: routeWith() }, monitors)
    return [look.main, look.backup]
  }
  const bad = routeWith({ summaryStatusCode: 'warn' })

  it('show how main and backup are while they run', () => {
    should(seen({ main: routeWith(), backup: bad })).eql([true, false])
    should(seen({ main: bad, backup: routeWith() })).eql([false, true])
    const silent = routeWith({ usedBandwidth: '0.000' })
    should(seen({ main: silent })).eql([false, undefined])
    should(seen({ main: silent }, { failOn: 'status' })).eql([true, undefined])
    const untold = {
      state: 'handshaking',
      summaryStatusCode: 'unknown',
      usedBandwidth: '5.000',
    } as const
    for (const failOn of ['status', 'noData'] as const) {
      should(seen({ main: routeWith(untold) }, { failOn })).eql([true, undefined])
    }
  })

  it('show nothing otherwise; the one of main only when it was asked for', () => {
    const nothing = [undefined, undefined]
    for (const one of [
      undefined,
      routeWith({}, { state: 'stopped' }),
      routeWith({ summaryStatusCode: undefined }),
    ]) {
      should(seen({ main: one, backup: one })).eql(nothing)
    }
    for (const restore of ['message', 'off'] as const) {
      should(seen({ main: routeWith(), backup: bad }, { restore })).eql([undefined, false])
    }
  })

  it('also count while the route is stopped or not known, and for two routes', () => {
    const settings = settingsWith({ restore: 'monitor' })
    const stopped = routeWith({}, { state: 'stopped' })
    const monitors = { main: routeWith(), backup: bad }
    const heard = { main: true, backup: false }
    lookAt(settings, { main: stopped }, monitors).should.containEql(heard)
    lookAt(settings, { main: undefined }, monitors).should.eql({ route: 'unknown', ...heard })
    const two = { main: stopped, backup: routeWith() }
    lookAt(settings, two, monitors).should.containEql(heard)
    lookAt(settings, {}, monitors).should.eql({ route: 'unknown', ...heard })
  })
})
