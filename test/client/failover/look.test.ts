// What a failover sees in a route: which source is in use, and whether it is good.
import * as fc from 'fast-check'
import should from 'should'
import { lookAtRoutes, lookAtSource, sourceInUse } from '../../../client/failover/look'
import { failoverSettings, type FailoverSettings } from '../../../client/model/failover'
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
    sourceInUse(settingsWith(more), routeWith(source))

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

  it('is the whole source of any route, in any spelling, and no other one', () => {
    fc.assert(
      fc.property(
        arbitraryRoute.chain((route) => fc.tuple(fc.constant(route), respelled(route.source))),
        ([route, source]) => {
          const other = { ...source, name: `${source.name.slice(0, 50)} 2` }
          const settings = frozen(settingsWith({ main: { ...source }, backup: other }))
          sourceInUse(settings, frozen(route)).should.equal('main')
          const switched = { ...route, source: { ...route.source, name: other.name } }
          sourceInUse(settings, switched).should.equal('backup')
        },
      ),
    )
  })
})

describe('a look at a route', () => {
  it('shows the source in use, and whether it is good', () => {
    lookAtSource(settingsWith(), routeWith()).should.eql({
      route: 'running',
      inUse: 'main',
      good: true,
    })
    for (const summaryStatusCode of ['warn', 'error', 'unknown', 'WARN'] as never[]) {
      const look = lookAtSource(settingsWith(), routeWith({ summaryStatusCode }))
      look.should.containEql({ route: 'running', good: false })
    }
    lookAtSource(settingsWith(), routeWith({ summaryStatusCode: 'OK' as never })).should.containEql(
      {
        good: true,
      },
    )
  })

  it('shows nothing when something is missing that is needed', () => {
    const unknown = { route: 'unknown' }
    lookAtSource(settingsWith(), undefined).should.eql(unknown)
    const routes: unknown[] = [
      'text',
      {},
      routeWith({}, { source: undefined as never }),
      routeWith({}, { destinations: null as never }),
      routeWith({ protocol: undefined as never }),
      routeWith({ summaryStatusCode: undefined }),
      routeWith({}, { state: undefined }),
      routeWith({}, { state: 'starting' as never }),
    ]
    for (const route of routes) lookAtSource(settingsWith(), route as Route).should.eql(unknown)
  })

  for (const state of ['idle', 'stopped', 'Stopped'] as never[]) {
    it(`shows a route that is ${String(state)}, and its source`, () => {
      const route = routeWith({ ...backup, summaryStatusCode: undefined }, { state })
      lookAtSource(settingsWith(), route).should.eql({ route: 'stopped', inUse: 'backup' })
    })
  }

  it('counts a source without data as bad only when that was set', () => {
    const good = (failOn: FailoverSettings['failOn'], usedBandwidth: unknown): unknown => {
      const look = lookAtSource(settingsWith({ failOn, low: 2 }), routeWith({ usedBandwidth }))
      return look.route === 'running' && look.good
    }
    for (const [figure, status, noData, bitrate] of [
      ['0.000', true, false, false],
      [0, true, false, false],
      ['1.999', true, true, false],
      ['2.000', true, true, true],
      [2, true, true, true],
      // Not known: only the status counts.
      ['', true, true, true],
      [undefined, true, true, true],
      ['n/a', true, true, true],
    ] as const) {
      should([good('status', figure), good('noData', figure), good('bitrate', figure)]).eql(
        [status, noData, bitrate],
        String(figure),
      )
    }
    const broken = routeWith({ summaryStatusCode: 'error', usedBandwidth: '10.000' })
    for (const failOn of ['status', 'noData', 'bitrate'] as const) {
      const look = lookAtSource(settingsWith({ failOn, low: 2 }), broken)
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
      lookAtRoutes(settings, { main: one, backup: other })
    should(look(runs(), rests)).eql({ route: 'running', inUse: 'main', good: true })
    should(look(runs('warn'), rests)).eql({ route: 'running', inUse: 'main', good: false })
    should(look(rests, runs())).eql({ route: 'running', inUse: 'backup', good: true })
    should(look(rests, runs('error'))).eql({ route: 'running', inUse: 'backup', good: false })
    should(look(runs(), runs())).containEql({ route: 'running', inUse: 'other' })
    should(look(rests, rests)).eql({ route: 'stopped' })
  })

  it('shows nothing unless both are known', () => {
    for (const [one, other] of [
      [runs(), undefined],
      [undefined, runs()],
      [runs(), broken],
      [runs(), routeWith({}, { state: 'starting' as never })],
      [routeWith({ summaryStatusCode: undefined }), rests],
    ] as const) {
      lookAtRoutes(settings, { main: one, backup: other }).should.eql({ route: 'unknown' })
    }
  })
})

describe('the monitor', () => {
  const seen = (monitor?: Route, more: Partial<FailoverSettings> = {}): unknown =>
    (
      lookAtSource(settingsWith({ restore: 'monitor', ...more }), routeWith(), monitor) as {
        main?: boolean
      }
    ).main

  it('shows how main is while it runs', () => {
    should(seen(routeWith())).be.true()
    should(seen(routeWith({ summaryStatusCode: 'warn' }))).be.false()
    should(seen(routeWith({ usedBandwidth: '0.000' }), { failOn: 'noData' })).be.false()
  })

  it('shows nothing otherwise, or when it was not asked for', () => {
    should(seen(undefined)).be.undefined()
    should(seen(routeWith({}, { state: 'stopped' }))).be.undefined()
    should(seen(routeWith({ summaryStatusCode: undefined }))).be.undefined()
    should(seen(routeWith(), { restore: 'message' })).be.undefined()
    should(seen(routeWith(), { restore: 'off' })).be.undefined()
  })

  it('also counts while the route is stopped, and for two routes', () => {
    const settings = settingsWith({ restore: 'monitor' })
    const stopped = routeWith({}, { state: 'stopped' })
    lookAtSource(settings, stopped, routeWith()).should.containEql({ main: true })
    const two = { main: stopped, backup: routeWith() }
    lookAtRoutes(settings, two, routeWith()).should.containEql({ main: true })
  })
})
