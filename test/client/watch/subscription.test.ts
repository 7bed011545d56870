import * as fc from 'fast-check'
import { GatewayError } from '../../../client/errors'
import type { DeviceConfiguration } from '../../../client/model/types'
import type { RouteView, Snapshot, WatchEvent } from '../../../client/model/event'
import {
  createSubscription,
  type WatchOptions,
  type Subscription,
} from '../../../client/watch/report/subscription'
import { figuresOf, type Figures } from '../../../client/watch/measuring/figures'
import { openOf, savedIn } from '../../../client/watch/saved'
import type { DeviceState } from '../../../client/watch/state'
import { stateFrom } from './states'

interface Destination {
  id: string
  started: boolean
  code: string
}

/** A route as small as it can be, with what may change of it. */
interface Small {
  id: string
  name: string
  runs: boolean
  code: string
  sourceCode: string
  port: number
  /** Of the source, in Mbit/s. */
  bitrate: number
  destinations: Destination[]
}

const CODES = ['ok', 'warn', 'error', 'unknown']

const small: fc.Arbitrary<Small> = fc.record({
  id: fc.constantFrom('1', '2', '3', '4'),
  name: fc.constantFrom('Studio A', 'Studio B', 'News', 'Sport'),
  runs: fc.boolean(),
  code: fc.constantFrom(...CODES),
  sourceCode: fc.constantFrom(...CODES),
  port: fc.constantFrom(5000, 5001),
  bitrate: fc.constantFrom(0, 5, 9),
  destinations: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      started: fc.boolean(),
      code: fc.constantFrom(...CODES),
    }),
    { selector: ({ id }) => id, maxLength: 3 },
  ),
})
const world = fc.uniqueArray(small, { selector: ({ id }) => id, maxLength: 4 })

const one = (more: Partial<Small> = {}): Small => ({
  id: '1',
  name: 'Studio A',
  runs: true,
  code: 'ok',
  sourceCode: 'ok',
  port: 5000,
  bitrate: 5,
  destinations: [],
  ...more,
})

function stateOf(routes: Small[], known?: DeviceState): DeviceState {
  const arrived = routes.map(({ id, name, runs, code, sourceCode, port, destinations }) => ({
    id,
    name,
    state: runs ? 'running' : 'idle',
    summaryStatusCode: code,
    source: {
      name: 'in',
      protocol: 'udp',
      port,
      state: 'connected',
      summaryStatusCode: sourceCode,
    },
    destinations: destinations.map(({ id: to, started, code: its }) => ({
      id: to,
      name: to,
      protocol: 'udp',
      started,
      summaryStatusCode: its,
    })),
  }))
  const answer = { _id: 'D', name: 'D', config: { routes: arrived } }
  // What has become empty is believed at once.
  const doubts = { before: { has: () => true } as never, now: new Set<string>() }
  return stateFrom(answer as unknown as DeviceConfiguration, { id: 'D', doubts, known })
}

function figuresFor(routes: Small[], state: DeviceState): Figures {
  const sent = routes.map(
    ({ id, bitrate }) => [id, { source: { usedBandwidth: bitrate } }] as const,
  )
  return figuresOf(state, new Map(sent))
}

/**
 * How a watch begins again with what it has saved. `here`: in the same process. `elsewhere`: in another
 * one, where it arrives as JSON. `beside`: while another watch of the device goes on.
 */
const RESTARTS = ['here', 'elsewhere', 'beside'] as const

/** A watch that is shown one world after the other, with a second between them. */
function following(options: Partial<WatchOptions> = {}): {
  events: WatchEvent[]
  names: () => string[]
  snapshot: () => Snapshot
  show: (routes: Small[], later?: number) => WatchEvent[]
  /** Ends the watch; it begins again when the next world is shown. */
  restart: (how: (typeof RESTARTS)[number]) => void
} {
  const events: WatchEvent[] = []
  let snapshot: Snapshot | undefined
  let now = 0
  let state: DeviceState | undefined
  let begin = (_present: DeviceState, _figures: Figures): void => undefined
  const create = (): Subscription =>
    createSubscription(
      {
        onEvents: (each) => events.push(...each),
        onSnapshot: (shown) => (snapshot = shown),
        ...options,
      },
      { now: () => now, unix: (at) => at, after: () => () => undefined },
    )
  let subscription = create()
  return {
    events,
    names: () => events.map(({ event, route }) => `${event} ${route?.id}`),
    snapshot: () => snapshot!,
    show(routes, later = 1000) {
      now += later
      const known = state
      const present = stateOf(routes, known)
      const figures = figuresFor(routes, present)
      events.length = 0
      begin(present, figures)
      begin = () => undefined
      state = present
      subscription.seen(present, now, figures)
      return [...events]
    },
    restart(how) {
      const saved = subscription.save()
      subscription.end()
      subscription = create()
      if (how === 'elsewhere') {
        const arrived = savedIn(JSON.parse(JSON.stringify({ watch: openOf(saved) })))
        const [watch] = arrived.watches.get('watch')?.list ?? []
        state = undefined
        if (watch) subscription.restore(watch)
        return
      }
      subscription.restore(saved, state)
      begin = (present, figures) => {
        if (how === 'beside') {
          state = present
          return subscription.begin({ state: present, figures, seenAt: now })
        }
        subscription.takeOver(state!, present, now, figures)
      }
    },
  }
}

/** What a flow keeps by the IDs of the routes that it was told of. */
class Table {
  routes: Map<string, RouteView>
  /** The routes whose sources have lost their data. */
  readonly lost = new Set<string>()
  /** The limits that are passed, by the routes. */
  readonly passed = new Map<string, string>()

  constructor(snapshot: Snapshot) {
    this.routes = this.begin(snapshot)
  }

  /** Begins with another snapshot, and keeps what is open. */
  begin({ routes }: Snapshot): Map<string, RouteView> {
    return (this.routes = new Map(routes.map((route) => [route.id, structuredClone(route)])))
  }

  take({ event, route, destination, before, after }: WatchEvent): void {
    const { id } = route!
    if (event === 'source.data-lost') {
      this.lost.has(id).should.be.false()
      this.lost.add(id)
      return
    }
    if (event === 'source.data') {
      this.lost.delete(id).should.be.true()
      return
    }
    if (event.startsWith('statistics.')) {
      should(this.passed.get(id) ?? 'normal').equal(before)
      should(after).not.equal(before)
      this.passed.set(id, after as string)
      return
    }
    const known = this.routes.get(id)
    if (event === 'route.added') {
      should(known).be.undefined()
      ;(after as RouteView).id.should.equal(id)
      this.routes.set(id, structuredClone(after as RouteView))
      return
    }
    should(known).be.ok()
    const places = known!.destinations as unknown as Array<
      Destination & { summaryStatusCode: string }
    >
    const place = places.find((each) => each.id === destination?.id)
    switch (event) {
      case 'route.removed':
        ;(before as RouteView).name.should.equal(route!.name)
        this.routes.delete(id)
        break
      case 'route.renamed':
        // A route that was added just before has its new name already.
        ;[before, after].should.containEql(known!.name)
        known!.name = after as string
        break
      case 'route.started':
      case 'route.stopped':
        known!.state!.should.equal(before)
        known!.state = after as string
        break
      case 'route.status':
        known!.summaryStatusCode!.should.equal(before)
        known!.summaryStatusCode = after as string
        break
      case 'source.status':
        known!.source['summaryStatusCode'] = after
        break
      case 'route.changed':
        known!.source['port'] = (after as RouteView).source['port']
        break
      case 'destination.added':
        should(place).be.undefined()
        places.push(structuredClone(after) as never)
        break
      case 'destination.removed':
        places.splice(places.indexOf(place!), 1)
        break
      case 'destination.status':
        place!.summaryStatusCode = after as string
        break
      default:
        ;['destination.started', 'destination.stopped'].should.containEql(event)
        place!.started = after as boolean
    }
  }

  /** All but `started`, which goes with the route where both change. */
  get meaning(): unknown {
    return meaningOf([...this.routes.values()])
  }
}

const meaningOf = (routes: RouteView[]): unknown =>
  routes
    .map(({ id, name, state, summaryStatusCode, source, destinations }) => ({
      id,
      name,
      state,
      summaryStatusCode,
      source: [source['port'], source['summaryStatusCode']],
      destinations: destinations
        .map((each) => `${String(each['id'])} ${String(each['summaryStatusCode'])}`)
        .sort(),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))

const filters: Array<WatchOptions['route']> = [
  undefined,
  { pattern: 'Studio*' },
  { name: 'Studio A' },
  { idOrName: '2' },
]

describe('a gateway that has never responded', () => {
  it('is called by the name of its connection in the text, and by nothing in the event', () => {
    const events: WatchEvent[] = []
    const clock = { now: () => 0, unix: (at: number) => at, after: () => () => undefined }
    const options = { onEvents: (each: WatchEvent[]) => void events.push(...each) }
    const subscription = createSubscription(options, clock, 'Stadium')
    subscription.unreachable({ error: new GatewayError('TIMEOUT', 'none'), since: 0 })
    events[0]!.text.should.equal('Gateway Stadium cannot be reached: no response in time')
    events[0]!.device.should.eql({ id: '', name: '' })
  })
})

describe('what a watch tells', () => {
  it('leads from its snapshot to the present one, and never names a route that it did not tell of', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...filters),
        fc.constantFrom(0, 2000),
        fc.array(world, { minLength: 1, maxLength: 6 }),
        (route, holdFor, worlds) => {
          const watch = following({ route, holdFor })
          watch.show(worlds[0]!)
          const table = new Table(watch.snapshot())
          for (const each of worlds.slice(1))
            for (const event of watch.show(each)) table.take(event)
          const last = worlds.at(-1)!
          // Whatever is held has lasted by then.
          for (let looks = 0; looks < 2; looks++) {
            for (const event of watch.show(last, 5000)) table.take(event)
          }
          const late = following({ route })
          late.show(last)
          should(table.meaning).deepEqual(meaningOf(late.snapshot().routes))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is the same with ends and new beginnings in between: nothing is lost, and nothing told twice', () => {
    const step = fc.record({ world, restart: fc.option(fc.constantFrom(...RESTARTS)) })
    fc.assert(
      fc.property(
        fc.constantFrom(...filters),
        fc.constantFrom(0, 2000),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        (route, holdFor, steps) => {
          const thresholds = [
            { measure: 'bitrate', of: 'source', low: 3, high: 7, hysteresis: 0 },
          ] as const
          const watch = following({ route, holdFor, thresholds })
          const first = watch.show(steps[0]!.world)
          const table = new Table(watch.snapshot())
          const take = (events: WatchEvent[]): void => events.forEach((each) => table.take(each))
          take(first)
          for (const { world: each, restart } of steps.slice(1)) {
            if (restart) {
              watch.restart(restart)
              const toldBefore = table.meaning
              const events = watch.show(each)
              // Another process knows only what was open.
              if (restart === 'elsewhere') table.begin(watch.snapshot())
              else should(meaningOf(watch.snapshot().routes)).deepEqual(toldBefore)
              take(events)
            } else take(watch.show(each))
          }
          const last = steps.at(-1)!.world
          for (let polls = 0; polls < 3; polls++) take(watch.show(last, 6000))
          const late = following({ route })
          late.show(last)
          const present = late.snapshot().routes
          should(table.meaning).deepEqual(meaningOf(present))
          for (const { id, runs, bitrate } of last) {
            const isShown = runs && present.some((each) => each.id === id)
            const level = bitrate < 3 ? 'low' : bitrate > 7 ? 'high' : 'normal'
            should(table.passed.get(id) ?? 'normal').equal(isShown ? level : 'normal')
            if (!isShown || bitrate > 0) table.lost.has(id).should.be.false()
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  describe('of a route that is renamed', () => {
    for (const [what, route] of Object.entries({
      'a pattern': { pattern: 'Studio*' },
      'an exact name': { name: 'Studio A' },
    })) {
      it(`into ${what}: added as it is now, then renamed, and nothing else of it`, () => {
        const watch = following({ route })
        watch.show([one({ name: 'News' })])
        watch.snapshot().routes.should.eql([])
        const destinations = [{ id: 'a', started: true, code: 'ok' }]
        const [added, renamed] = watch.show([one({ code: 'error', destinations })])
        watch.names().should.eql(['route.added 1', 'route.renamed 1'])
        added!.route!.should.eql({ id: '1', name: 'Studio A' })
        should(added!.before).be.null()
        added!.after!.should.containDeep({ id: '1', name: 'Studio A', summaryStatusCode: 'error' })
        renamed!.should.containDeep({ before: 'News', after: 'Studio A' })
      })

      it(`out of ${what}: renamed, then removed as it was known, and nothing else of it`, () => {
        const watch = following({ route })
        watch.show([one()])
        const [renamed, removed] = watch.show([one({ name: 'News', code: 'error', runs: false })])
        watch.names().should.eql(['route.renamed 1', 'route.removed 1'])
        renamed!.should.containDeep({ route: { name: 'News' }, before: 'Studio A', after: 'News' })
        removed!.route!.should.eql({ id: '1', name: 'Studio A' })
        removed!.before!.should.containDeep({ name: 'Studio A', summaryStatusCode: 'ok' })
        should(removed!.after).be.null()
        watch.show([one({ name: 'News', code: 'warn' })]).should.eql([])
      })
    }

    it('within the pattern: only renamed, beside what else is new', () => {
      const watch = following({ route: { pattern: 'Studio*' } })
      watch.show([one()])
      watch.show([one({ name: 'Studio B', code: 'error' })])
      watch.names().should.eql(['route.renamed 1', 'route.status 1'])
    })

    it('outside of it, or of any name with no route chosen: nothing, and only renamed', () => {
      const watch = following({ route: { pattern: 'Studio*' } })
      watch.show([one({ name: 'News' })])
      watch.show([one({ name: 'Sport' })]).should.eql([])
      const all = following()
      all.show([one({ name: 'News' })])
      all.show([one()])
      all.names().should.eql(['route.renamed 1'])
    })

    it('while another takes its name: it goes before the other comes', () => {
      const watch = following({ route: { name: 'Studio A' } })
      watch.show([one({ id: '2' }), one({ id: '1', name: 'News' })])
      watch.show([one({ id: '2', name: 'Sport' }), one({ id: '1' })])
      watch
        .names()
        .should.eql(['route.renamed 2', 'route.removed 2', 'route.added 1', 'route.renamed 1'])
    })

    it('among those that were removed and added, by their IDs', () => {
      const watch = following({ route: { pattern: 'Studio*' } })
      watch.show([
        one({ id: '1' }),
        one({ id: '2' }),
        one({ id: '3' }),
        one({ id: '5', name: 'x' }),
      ])
      watch.show([
        one({ id: '2', name: 'x' }),
        one({ id: '3', code: 'error' }),
        one({ id: '4' }),
        one({ id: '5' }),
        one({ id: '6' }),
      ])
      watch
        .names()
        .should.eql([
          'route.removed 1',
          'route.renamed 2',
          'route.removed 2',
          'route.added 4',
          'route.added 5',
          'route.renamed 5',
          'route.added 6',
          'route.status 3',
        ])
    })

    it('only as the chosen events say', () => {
      for (const [events, into, out] of [
        [['route.added', 'route.removed'], ['route.added 1'], ['route.removed 1']],
        [['route.renamed'], ['route.renamed 1'], ['route.renamed 1']],
        [['route.status'], [], []],
      ] as const) {
        for (const holdFor of [0, 1]) {
          const watch = following({ events, holdFor, route: { pattern: 'Studio*' } })
          watch.show([one({ name: 'News' })])
          watch.show([one({ code: 'error' })])
          const came = watch.names()
          watch.show([one({ code: 'error' })])
          ;[...came, ...watch.names()].should.eql(into)
          watch.show([one({ name: 'News' })])
          const went = watch.names()
          watch.show([one({ name: 'News' })])
          ;[...went, ...watch.names()].should.eql(out)
        }
      }
    })

    it('when the new name has lasted; until then it counts by the old one', () => {
      const watch = following({ route: { pattern: 'Studio*' }, holdFor: 10_000 })
      watch.show([one()])
      watch.show([one({ code: 'error' })])
      watch.show([one({ code: 'error', name: 'News' })], 5000)
      watch.names().should.eql([])
      watch.show([one({ code: 'error', name: 'News' })], 5000)
      watch.names().should.eql(['route.status 1'])
      watch.show([one({ code: 'warn', name: 'News' })], 5000)
      watch.names().should.eql(['route.renamed 1', 'route.removed 1'])

      watch.show([one({ code: 'warn' })])
      watch.show([one({ code: 'ok' })], 9000)
      watch.names().should.eql([])
      watch.show([one({ code: 'ok' })])
      watch.names().should.eql(['route.added 1', 'route.renamed 1'])
    })

    it('never, when the new name did not last', () => {
      for (const [name, other] of [
        ['Studio A', 'News'],
        ['News', 'Studio A'],
      ] as const) {
        const watch = following({ route: { pattern: 'Studio*' }, holdFor: 5000 })
        watch.show([one({ name })])
        watch.show([one({ name: other })]).should.eql([])
        watch.show([one({ name })]).should.eql([])
        watch.show([one({ name })], 9000).should.eql([])
      }
    })

    it('and then removed, as removed once, counted from the rename', () => {
      const watch = following({ route: { pattern: 'Studio*' }, holdFor: 5000 })
      watch.show([one()])
      const [since] = [2000]
      watch.show([one({ name: 'News' })])
      watch.show([])
      const [removed] = watch.show([], 4000)
      watch.names().should.eql(['route.removed 1'])
      removed!.at.should.equal(since)
    })
  })

  describe('of a held change', () => {
    it('is since when its value is as it is told, with the first value that is told', () => {
      const watch = following({ holdFor: 20_000 })
      watch.show([one()])
      watch.show([one({ code: 'warn' })])
      watch.show([one({ code: 'error' })], 19_000)
      const [event] = watch.show([one({ code: 'error' })])
      event!.should.containDeep({ event: 'route.status', before: 'ok', after: 'error', at: 21_000 })
    })

    it('is since it began where the value stayed the same, whatever else changed', () => {
      const watch = following({ holdFor: 20_000 })
      watch.show([one()])
      watch.show([one({ code: 'error' })])
      watch.show([one({ code: 'error', port: 5001 })], 19_000)
      const events = watch.show([one({ code: 'error', port: 5001 })])
      events.map(({ event, at }) => [event, at]).should.eql([['route.status', 2000]])
    })

    it('is since it began again where it was over in between', () => {
      const watch = following({ holdFor: 5000 })
      watch.show([one()])
      watch.show([one({ code: 'error' })])
      watch.show([one()], 3000)
      watch.show([one({ code: 'error' })])
      watch.show([one({ code: 'error' })], 3000).should.eql([])
      const [event] = watch.show([one({ code: 'error' })], 2000)
      event!.should.containDeep({ event: 'route.status', after: 'error', at: 6000 })
    })
  })

  describe('of the destinations of a route that starts or stops', () => {
    const out = (id: string, started: boolean): Destination => ({ id, started, code: 'ok' })
    const with2 = (runs: boolean, ...started: [boolean, boolean]): Small[] => [
      one({ runs, destinations: [out('a', started[0]), out('b', started[1])] }),
    ]
    for (const holdFor of [0, 2000]) {
      const how = holdFor ? ', also when it is held' : ''
      it(`is nothing: the one event is that of the route${how}`, () => {
        const watch = following({ holdFor })
        watch.show(with2(true, true, true))
        for (const [next, events] of [
          [with2(false, false, false), ['route.stopped 1']],
          [with2(true, true, true), ['route.started 1']],
          // One stays off.
          [with2(true, true, false), ['destination.stopped 1']],
          [with2(false, false, false), ['route.stopped 1']],
          [with2(true, true, false), ['route.started 1']],
        ] as const) {
          const seen = [next, next].flatMap((each) => {
            watch.show(each, 2000)
            return watch.names()
          })
          seen.should.eql(events)
          watch.show(next, 9000).should.eql([])
        }
      })
    }

    it('is what the route does not explain', () => {
      const watch = following()
      watch.show(with2(true, false, true))
      // Destinations that stay as they are, as some firmware has them, are no event either.
      watch.show(with2(false, true, true))
      watch.names().should.eql(['route.stopped 1', 'destination.started 1'])
    })

    it('is each change of its own while the route runs, and while it does not', () => {
      for (const runs of [true, false]) {
        const watch = following()
        watch.show(with2(runs, true, true))
        watch.show(with2(runs, false, true))
        watch.names().should.eql(['destination.stopped 1'])
        watch.show(with2(runs, true, true))
        watch.names().should.eql(['destination.started 1'])
      }
    })
  })
})
