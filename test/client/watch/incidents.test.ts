// What a watch reports as incidents: one thing that went wrong, from its beginning to its end.
import { openBy, savedBy } from '../../../client/watch/registry'
import type { OpenIncident } from '../../../client/model/incident'
import type { WatchEvent } from '../../../client/model/event'
import type { WatchHealth, WatchOptions } from '../../../client/watch/report/subscription'
import type { RouteState } from '../../../simulator'
import { until } from '../../support/until'
import {
  away,
  gateway,
  isSeen,
  look,
  miss,
  passTime,
  time,
  reopen,
  running,
  simulator,
  start,
  takeOver,
  watch,
  watching,
  type Told,
} from './support'
import type { Reason } from '../../../client/model/health'
import type { UnixClock } from '../../../client/clock'
import { createIncidents, type Sight, type Step } from '../../../client/watch/report/incidents'
import { WELL, watched, type RouteWorld, type Watched, type World } from './worlds'

const HOLD = 10_000

/** What was reported, in short; of an end, what it is now. */
const short = ({ event, incident, after, destination, route }: WatchEvent): string => {
  const of = destination?.name ?? route?.name ?? incident!.kind
  const what =
    event === 'incident.ended' ? String(after) : `${incident!.severity} ${incident!.reason}`
  return `${event.slice('incident.'.length)} ${of}: ${what}`
}

describe('an incident', () => {
  let now: number
  let of: Watched

  /** Polls every five seconds for as long as that is so, and returns what was reported. */
  function lasts(ms: number, route: Partial<RouteWorld>, more: Partial<World> = {}): string[] {
    const before = of.events.length
    const routes = { a: { ...WELL, ...route }, b: WELL }
    for (const end = now + ms; now < end;) {
      now += 5000
      of.poll({ answers: true, device: 'ok', routes, ...more }, now)
    }
    return of.events.slice(before).map(short)
  }

  const begin = (options: Partial<WatchOptions> = {}): void => {
    now = 0
    of = watched(options)
    lasts(5000, {}).should.eql([])
  }

  beforeEach(() => begin())

  it('begins after ten seconds and ends after ten, with the times when both were first seen', () => {
    lasts(10_000, { source: 'disconnected' }).should.eql([])
    lasts(10_000, { source: 'disconnected' }).should.eql(['begun Route a: critical no-source'])
    lasts(10_000, {}).should.eql([])
    lasts(60_000, {}).should.eql(['ended Route a: ok'])
    const [begun, ended] = of.events
    begun!.should.containDeep({
      text: 'Route a: no source (disconnected)',
      before: 'ok',
      after: 'critical',
      device: { id: 'device', name: 'Gateway' },
      route: { id: 'a', name: 'Route a' },
      source: { id: 'a in', name: 'a in' },
      word: 'disconnected',
    })
    begun!.at.should.equal(1_700_000_010_000)
    begun!.incident!.should.eql({
      id: begun!.incident!.id,
      severity: 'critical',
      kind: 'route',
      reason: 'no-source',
      since: 1_700_000_010_000,
      until: null,
      durationMs: null,
    })
    ended!.should.containDeep({
      text: 'Route a: OK again after 20 seconds (no source)',
      at: 1_700_000_030_000,
      before: 'critical',
      after: 'ok',
    })
    ended!.incident!.should.eql({
      ...begun!.incident,
      until: 1_700_000_030_000,
      durationMs: 20_000,
    })
  })

  it('changes with its reason and its severity, after the hold', () => {
    lasts(15_000, { source: 'disconnected' }).should.have.length(1)
    lasts(5000, { source: 'no data' }).should.eql([])
    lasts(20_000, { source: 'disconnected' }).should.eql([])
    lasts(10_000, { source: 'no data' }).should.eql([])
    lasts(20_000, { source: 'no data' }).should.eql(['changed Route a: critical no-data'])
    lasts(15_000, { source: 'warn' }).should.eql(['changed Route a: warning source-warning'])
    const [begun, one, other] = of.events
    one!.text.should.equal('Route a: now no data')
    one!.should.containDeep({ before: 'critical', after: 'critical' })
    other!.should.containDeep({ before: 'critical', after: 'warning' })
    other!.incident!.id.should.equal(begun!.incident!.id)
    lasts(15_000, {}).should.eql(['ended Route a: ok'])
    of.events.at(-1)!.incident!.reason.should.equal('source-warning')
  })

  it('of a source without data lasts while its bit rate is missing, and stops with the route', () => {
    for (const [last, end] of [
      [{}, 'ok'],
      [{ state: 'stopped', bitrate: NaN }, 'stopped'],
    ] as const) {
      begin()
      lasts(15_000, { source: 'no data' }).should.eql(['begun Route a: critical no-data'])
      lasts(60_000, { bitrate: NaN }).should.eql([])
      lasts(15_000, last).should.eql([`ended Route a: ${end}`])
      of.events.at(-1)!.incident!.durationMs!.should.equal(75_000)
    }
    begin()
    lasts(15_000, { source: 'disconnected' }).should.have.length(1)
    lasts(15_000, { bitrate: NaN }).should.eql(['ended Route a: ok'])
  })

  it('is that of the route, and its outputs have none meanwhile', () => {
    lasts(5000, { far: 'lost' }).should.eql([])
    lasts(60_000, { far: 'lost', source: 'disconnected' }).should.eql([
      'begun Route a: critical no-source',
    ])
    lasts(10_000, { far: 'lost' }).should.eql([])
    // From when the route was well.
    lasts(5000, { far: 'lost' }).should.eql(['ended Route a: ok', 'begun far: warning output-lost'])
    lasts(60_000, { far: 'lost', source: 'disconnected' }).should.eql([
      'begun Route a: critical no-source',
    ])
    lasts(15_000, {}).should.eql(['ended far: ok', 'ended Route a: ok'])
  })

  it('of an output begins beside a warning of the route', () => {
    lasts(15_000, { source: 'warn', far: 'lost' }).should.eql([
      'begun Route a: warning source-warning',
      'begun far: warning output-lost',
    ])
    const [, ofOutput] = of.events
    ofOutput!.text.should.equal('Route a: output “far” lost (disconnected)')
    ofOutput!.destination!.should.eql({ id: 'a far', name: 'far' })
  })

  it('is no listener that nobody calls, also after a caller has left', () => {
    lasts(60_000, { near: 'waiting' }).should.eql([])
    lasts(60_000, { near: 'called' }).should.eql([])
    lasts(60_000, { near: 'waiting' }).should.eql([])
  })

  for (const [what, route] of [
    ['stops with its route', { state: 'stopped' }],
    ['stops with its output', { far: 'off' }],
  ] as const) {
    it(what, () => {
      lasts(15_000, { far: 'lost' }).should.eql(['begun far: warning output-lost'])
      lasts(15_000, { far: 'lost', ...route }).should.eql(['ended far: stopped'])
      of.events.at(-1)!.text.should.equal('Route a: stopped (output “far” lost for 15 seconds)')
    })
  }

  for (const [what, route] of [
    ['its route', { state: 'absent' }],
    ['its output', { far: 'absent' }],
  ] as const) {
    it(`ends with the removal of ${what}, also while the source is lost`, () => {
      lasts(15_000, { far: 'lost' }).should.eql(['begun far: warning output-lost'])
      const lost = { far: 'lost', source: 'disconnected' } as const
      lasts(15_000, { ...lost, ...route }).should.containEql('ended far: removed')
      of.events
        .find(({ event }) => event === 'incident.ended')!
        .text.should.equal('Route a: no longer watched (output “far” lost for 15 seconds)')
    })
  }

  it('of a route ends with a stop, which is none', () => {
    lasts(15_000, { source: 'disconnected' }).should.have.length(1)
    lasts(60_000, { state: 'stopped' }).should.eql(['ended Route a: stopped'])
    of.events.at(-1)!.text.should.equal('Route a was stopped: no source for 15 seconds')
    lasts(60_000, {}).should.eql([])
  })

  it('of a route that must run is also its stop', () => {
    begin({ mustRun: 'ROUTE ?' })
    lasts(15_000, { state: 'stopped' }).should.eql(['begun Route a: critical not-running'])
    of.events[0]!.text.should.equal('Route a: not running')
    lasts(15_000, { source: 'disconnected' }).should.eql(['changed Route a: critical no-source'])
    lasts(15_000, { state: 'stopped' }).should.eql(['changed Route a: critical not-running'])
    lasts(15_000, { state: 'absent' }).should.eql(['ended Route a: removed'])
  })

  it('of the device is the only one while it is away, and freezes what is below', () => {
    lasts(15_000, { source: 'disconnected' }).should.have.length(1)
    lasts(60_000, { far: 'lost' }, { device: 'offline' }).should.eql([
      'begun device: critical device-away',
    ])
    of.events.at(-1)!.text.should.equal('Gateway: device offline')
    lasts(15_000, {}, { device: 'error' }).should.eql(['changed device: critical device-error'])
    lasts(15_000, { source: 'disconnected' }).should.eql(['ended device: ok'])
    lasts(15_000, {}).should.eql(['ended Route a: ok'])
  })

  it('that is not known to last goes on being held', () => {
    lasts(5000, { source: 'disconnected' }).should.eql([])
    lasts(60_000, {}, { device: 'offline' }).should.have.length(1)
    lasts(5000, { source: 'disconnected' }).should.eql(['begun Route a: critical no-source'])
    of.events.at(-1)!.incident!.since.should.equal(1_700_000_010_000)
  })

  it('of the gateway begins as an outage does, and ends with the polls', () => {
    const silent = { answers: false }
    lasts(30_000, {}, silent).should.eql([])
    lasts(60_000, {}, silent).should.eql(['begun gateway: critical gateway-away'])
    const [begun] = of.events
    begun!.should.containDeep({
      text: 'Gateway cannot be watched: not available',
      reason: { code: 'UNAVAILABLE', message: 'away' },
    })
    begun!.at.should.equal(1_700_000_010_000)
    lasts(10_000, {}).should.eql([])
    lasts(10_000, {}).should.eql(['ended gateway: ok'])
    const [, ended] = of.events
    ended!.incident!.durationMs!.should.equal(90_000)
    ended!.text.should.equal(
      'Gateway: OK again after 1 minute and 30 seconds (gateway unreachable)',
    )
  })

  it('of the gateway is held for as long as all others', () => {
    begin({ holdFor: 60_000 })
    lasts(60_000, {}, { answers: false }).should.eql([])
    lasts(5000, {}, { answers: false }).should.eql(['begun gateway: critical gateway-away'])
    lasts(60_000, {}).should.eql([])
    lasts(5000, {}).should.eql(['ended gateway: ok'])
    lasts(55_000, {}, { answers: false }).should.eql([])
    lasts(90_000, {}).should.eql([])
  })

  it('of a threshold is part of that of its route, and ends with the route', () => {
    begin({ thresholds: [{ measure: 'bitrate', of: 'source', low: 6 }] })
    lasts(10_000, {}).should.eql([
      'begun Route a: warning threshold',
      'begun Route b: warning threshold',
    ])
    const [begun] = of.events
    begun!.should.containDeep({
      text: 'Route a: bit rate of the source 5 Mbit/s, below 6 Mbit/s',
      measure: 'bitrate',
      of: 'source',
      value: 5,
      limit: 6,
    })
    lasts(60_000, { source: 'no data' }).should.eql(['begun Route a: critical no-data'])
    lasts(15_000, {}).should.eql(['ended Route a: ok'])
    lasts(60_000, { state: 'stopped' }).should.eql(['ended Route a: stopped'])
    const ended = of.events.at(-1)!
    ended.text.should.match(/^Route a: stopped \(bit rate of the source: threshold passed for /)
    // The value is that of the end: a route that is stopped has none.
    ended.should.have.properties({ value: null, limit: 6 })
  })

  it('of one of several limits ends with the value of its own', () => {
    const output = { measure: 'bitrate', of: 'destination', low: 1 } as const
    begin({
      route: { id: 'a' },
      thresholds: [output, { measure: 'bitrate', of: 'source', low: 6 }],
    })
    lasts(15_000, { bitrate: 4 }).should.eql(['begun Route a: warning threshold'])
    lasts(15_000, { bitrate: 7 }).should.eql(['ended Route a: ok'])
    of.events.map(({ value }) => value).should.eql([4, 7])
  })

  it('of a high limit ends where the low one is passed without a poll between', () => {
    begin({ thresholds: [{ measure: 'bitrate', of: 'source', low: 3, high: 8 }] })
    lasts(15_000, { bitrate: 9 }).should.eql(['begun Route a: warning threshold'])
    lasts(30_000, { bitrate: 1 }).should.eql([
      'ended Route a: ok',
      'begun Route a: warning threshold',
    ])
    of.events
      .slice(1)
      .map(({ limit }) => limit)
      .should.eql([8, 3])
    lasts(30_000, {}).should.eql(['ended Route a: ok'])
    of.open.should.eql([])
  })

  it('is none of a route that waits for callers, which is counted apart', () => {
    const seen: WatchHealth[] = []
    begin({ onHealth: (health) => seen.push(health) })
    lasts(5000, { near: 'waiting' }).should.eql([])
    seen
      .at(-1)!
      .should.containDeep({
        known: {
          routes: 2,
          running: 2,
          problems: 0,
          waiting: 1,
          worst: { route: { id: 'a' }, health: { sign: 'waiting', output: 'near' } },
        },
      })
  })

  it('of a threshold is none of an output that nobody calls', () => {
    begin({ thresholds: [{ measure: 'bitrate', of: 'destination', low: 3, high: 4 }] })
    lasts(60_000, { near: 'waiting' }).should.eql(['begun near: warning threshold'])
    const [{ route }] = of.events as [WatchEvent]
    route!.name.should.equal('Route b')
  })

  describe('that is open', () => {
    it('is plain data, by which another watch goes on', () => {
      lasts(15_000, { source: 'disconnected', far: 'lost' })
      const [open, ...others] = of.open
      others.should.eql([])
      open!.should.eql({
        ...of.events[0]!.incident,
        key: '["route","device","a"]',
        device: { id: 'device', name: 'Gateway' },
        route: { id: 'a', name: 'Route a' },
        source: { id: 'a in', name: 'a in' },
        word: 'disconnected',
      })
      of.restart()
      lasts(60_000, { source: 'disconnected' }).should.eql([])
      lasts(15_000, {}).should.eql(['ended Route a: ok'])
      of.events[1]!.incident!.id.should.equal(of.events[0]!.incident!.id)
      of.events[1]!.incident!.durationMs!.should.equal(75_000)
      of.open.should.eql([])
    })

    it('ends where it is no longer watched, whatever else is', () => {
      begin({ thresholds: [{ measure: 'bitrate', of: 'source', low: 6 }] })
      lasts(15_000, { far: 'lost' }).should.have.length(3)
      of.restart({ route: { name: 'Route b' } })
      lasts(15_000, { far: 'lost' }).should.eql(['ended Route a: removed', 'ended far: removed'])
      of.restart({ thresholds: [{ measure: 'bitrate', of: 'source', low: 3 }] })
      lasts(15_000, {}).should.eql(['ended Route b: removed'])
      of.open.should.eql([])
    })

    it('goes on where a value is back inside its threshold, but not by the hysteresis', () => {
      for (const [limit, inside, back] of [
        [{ low: 6 }, 6.3, 6.6],
        [{ high: 4 }, 3.7, 3.6],
      ] as const) {
        begin({ route: { id: 'a' }, thresholds: [{ measure: 'bitrate', of: 'source', ...limit }] })
        lasts(15_000, {}).should.eql(['begun Route a: warning threshold'])
        lasts(15_000, { bitrate: inside }).should.eql([])
        of.restart()
        lasts(60_000, { bitrate: inside }).should.eql([])
        lasts(15_000, { bitrate: back }).should.eql(['ended Route a: ok'])
        lasts(60_000, { bitrate: inside }).should.eql([])
      }
    })

    it('counts less than what was reported here, and began no later than now', () => {
      const clock = { now: () => HOLD, unix: (at: number) => at } as UnixClock
      const incidents = createIncidents(HOLD, clock)
      const trouble = {
        key: 'k',
        kind: 'route',
        severity: 'critical',
        reason: 'no-source',
        device: { id: 'd', name: 'D' },
      } as const
      const lost: Sight = { troubles: new Map([['k', trouble]]), standing: () => 'ok' }
      const well: Sight = { ...lost, troubles: new Map() }
      incidents.take(lost, 0)
      const [{ incident: begun }] = incidents.take(lost, HOLD) as [Step]
      const given = { ...trouble, id: 'x', since: 9e9, until: null, durationMs: null }
      incidents.restore([given, { ...given, key: 'other', id: 'y' }])
      incidents.take(well, HOLD)
      const ends = incidents.take(well, 2 * HOLD).map(({ incident }) => incident)
      ends
        .map(({ id, durationMs }) => [id, durationMs])
        .should.eql([
          [begun.id, HOLD],
          ['y', 0],
        ])
      incidents.isQuiet().should.be.true()
    })

    describe('taken one by one', () => {
      const clock = { now: () => 60_000, unix: (at: number) => at } as UnixClock
      const severity = 'critical'
      const trouble = { key: 'k', kind: 'route', severity, device: { id: 'd', name: 'D' } } as const
      const sight = (reason?: Reason): Sight => ({
        troubles: new Map(reason && [['k', { ...trouble, reason }]]),
        standing: () => 'ok',
      })

      it('changed when its reason was first seen, once it differs for long enough', () => {
        const incidents = createIncidents(HOLD, clock)
        for (const at of [0, HOLD]) incidents.take(sight('no-source'), at)
        incidents.take(sight('no-data'), 20_000).should.eql([])
        incidents.take(sight('source-error'), 25_000).should.eql([])
        const [changed] = incidents.take(sight('source-error'), 30_000)
        changed!.should.containDeep({ event: 'incident.changed', at: 25_000 })
      })

      it('ends without a hold, when it was first seen to be over, where what it is about has left', () => {
        const incidents = createIncidents(HOLD, clock)
        for (const at of [0, HOLD]) incidents.take(sight('no-source'), at)
        incidents.take(sight(), 20_000).should.eql([])
        const [ended] = incidents.endAll()
        ended!.should.containDeep({ at: 20_000, after: 'removed' })
      })
    })

    it('ends where the gateway is another one', () => {
      lasts(15_000, { source: 'disconnected' })
      const [open] = of.open
      const device = { id: 'other', name: 'Other' }
      of.restart({ open: [{ ...open!, key: '["route","other","a"]', device }] })
      lasts(15_000, { source: 'disconnected' }).should.eql([
        'ended Route a: removed',
        'begun Route a: critical no-source',
      ])
    })
  })
})

describe('a watch that reports incidents', () => {
  beforeEach(() => start({ routes: 4 }))
  const incidents: Partial<WatchOptions> = { report: 'incidents' }

  /** Polls until all that is now has lasted. */
  async function lasting(): Promise<void> {
    for (const ms of [0, 1000, HOLD, HOLD]) {
      passTime(ms)
      await look()
    }
  }

  /** Begins with a lost source. */
  async function losing(options: Partial<WatchOptions> = {}): Promise<Told & { name: string }> {
    const told = await watching({ ...incidents, ...options })
    const { name } = running()
    simulator.fail(name, { source: 'disconnected' })
    await lasting()
    told.events.map(short).should.eql([`begun ${name}: critical no-source`])
    return { ...told, name }
  }

  it('counts what is a trouble only to it', async () => {
    const plain = await watching()
    const { name } = running()
    const must = await watching({
      ...incidents,
      mustRun: name,
      thresholds: [{ measure: 'bitrate', of: 'source', low: 1000 }],
    })
    simulator.stopRoute(name)
    await look()
    await look()
    plain.health.at(-1)!.known!.problems.should.equal(0)
    const { problems, running: count, worst } = must.health.at(-1)!.known!
    problems.should.equal(count + 1)
    worst!.should.containDeep({ route: { name }, health: { reason: 'not-running' } })
  })

  const isSrt = ({ state, source }: RouteState): boolean =>
    state === 'running' && source.protocol === 'srt'

  it('takes statistics for its thresholds', async () => {
    await gateway.close()
    reopen({ pollInterval: 1000 })
    const told = await watching({
      ...incidents,
      route: { id: simulator.routes.find(isSrt)!.id },
      thresholds: [{ measure: 'roundTripTime', of: 'source', high: 0.001 }],
    })
    await until(() => {
      passTime(1000)
      return told.events.length > 0
    })
    const { event, incident, measure, limit } = told.events[0]!
    const { kind, severity } = incident!
    should([event, kind, severity, measure, limit]).eql([
      'incident.begun',
      'threshold',
      'warning',
      'roundTripTime',
      0.001,
    ])
  })

  async function redeploy(): Promise<void> {
    const former = gateway
    let saved: object | undefined
    former.closing.onStop(() => (saved = savedBy(former)))
    await former.close()
    reopen({ saved })
  }

  it('counts the polls that failed before a Full deploy, and not those before an answer', async () => {
    await watching(incidents)
    away()
    await miss(2)
    await redeploy()
    const next = watch(incidents)
    await until(() => next.health.length > 0)
    next.events.should.eql([])
    passTime(11_000)
    next.events.map(short).should.eql(['begun gateway: critical gateway-away'])
    const { at, incident } = next.events[0]!
    ;(at - incident!.since).should.be.within(0, 1000)
    ;(time.unix(time.now()) - incident!.since).should.be.within(30_000, 33_000)

    simulator.clearFaults()
    await lasting()
    away()
    await miss(2)
    simulator.clearFaults()
    await look()
    await redeploy()
    away()
    const last = watch(incidents)
    await until(() => last.health.length > 0)
    passTime(11_000)
    last.events.should.eql([])
  })

  it('goes on with an outage that is on hold over a Full deploy', async () => {
    const held = { ...incidents, holdFor: 100_000 }
    const told = await watching(held)
    away()
    await miss(5)
    told.health.at(-1)!.unreachable.should.be.true()
    for (let times = 0; times < 3; times++) {
      await redeploy()
      should(openBy(gateway)).eql({})
      const next = watch({ ...held, open: [] })
      await until(() => next.health.length > 0)
      passTime(10_000)
      next.events.should.eql([])
    }
    await redeploy()
    const last = watch({ ...held, open: [] })
    await until(() => last.health.length > 0)
    passTime(21_000)
    last.events.map(short).should.eql(['begun gateway: critical gateway-away'])
    ;(time.unix(time.now()) - last.events[0]!.incident!.since).should.be.within(100_000, 120_000)
  })

  it('takes nothing for open that is none', async () => {
    const { name } = await losing()
    const [[settings, { incidents: list = [] }]] = Object.entries(openBy(gateway)!) as [
      [string, { incidents?: readonly OpenIncident[] }],
    ]
    const wrong = [null, 'x', { ...list[0], since: 'then' }, { ...list[0], kind: 'weather' }]
    await takeOver({ [settings]: { incidents: [...wrong, ...list] } })
    const next = watch(incidents)
    await until(() => isSeen(next))
    simulator.fail(name, { source: 'ok' })
    await lasting()
    next.events.map(short).should.eql([`ended ${name}: ok`])
  })

  it('goes on with what its owner has kept rather than with what was saved here', async () => {
    const { name, end, events } = await losing()
    end()
    const next = watch({ ...incidents, open: [] })
    await until(() => isSeen(next))
    await lasting()
    next.events.map(short).should.eql([`begun ${name}: critical no-source`])
    next.events[0]!.incident!.id.should.not.equal(events[0]!.incident!.id)
    next.end()
    const last = watch(incidents)
    await until(() => isSeen(last))
    await lasting()
    last.events.should.eql([])
  })
})
