// Whatever happens to a gateway: what its incidents may be is said here without the code that makes them.
import 'should'
import * as fc from 'fast-check'
import type { WatchEvent } from '../../../client/model/event'
import { WELL, watched, type RouteWorld, type World } from './worlds'

const HOLD = 10_000
const ROUTES = ['a', 'b']

/** How one thing is: in trouble, well, or not to be known. An output may be covered by its route. */
type Sign = 'trouble' | 'well' | 'unknown' | 'covered'

const isFailing = ({ source }: RouteWorld): boolean =>
  source === 'disconnected' || source === 'no data'

/** What the things of a world are, by the beginnings of their keys. */
function signsOf({ answers, device, routes }: World, isUnreachable: boolean): Map<string, Sign> {
  const signs = new Map<string, Sign>()
  signs.set('gateway', answers ? 'well' : isUnreachable ? 'trouble' : 'unknown')
  signs.set('device', !answers ? 'unknown' : device === 'ok' ? 'well' : 'trouble')
  for (const [name, route] of Object.entries(routes)) {
    const isKnown = answers && device === 'ok'
    const runs = route.state === 'running'
    const ofRoute = runs && route.source !== 'ok' ? 'trouble' : 'well'
    const ofFar = runs && route.far === 'lost' ? 'trouble' : 'well'
    signs.set(`route ${name}`, isKnown ? ofRoute : 'unknown')
    const isCovered = runs && isFailing(route) && route.far !== 'absent'
    signs.set(`output ${name}`, !isKnown ? 'unknown' : isCovered ? 'covered' : ofFar)
  }
  return signs
}

const thingOf = ({ incident, route }: WatchEvent): string =>
  route ? `${incident!.kind} ${route.id}` : incident!.kind

interface Poll {
  at: number
  signs: Map<string, Sign>
}

interface Span {
  thing: string
  since: number
  until: number
}

const BASE = 1_700_000_000_000

/** Reads the events as incidents; what is not in their order fails here. */
function spansOf(events: readonly WatchEvent[]): Span[] {
  const spans = new Map<string, Span>()
  const begun = new Set<string>()
  for (const event of events) {
    const { id, since, until, durationMs } = event.incident!
    const thing = thingOf(event)
    if (event.event === 'incident.begun') {
      begun.has(id).should.be.false(`${thing} is begun twice`)
      begun.add(id)
      spans.set(id, { thing, since: since - BASE, until: Infinity })
      continue
    }
    const span = spans.get(id)
    if (!span) throw new Error(`${event.event} of ${thing}, which has not begun`)
    span.until.should.equal(Infinity, `${event.event} of ${thing}, which has ended`)
    span.since.should.equal(since - BASE)
    if (event.event !== 'incident.ended') continue
    span.until = until! - BASE
    durationMs!.should.equal(until! - since)
  }
  return [...spans.values()]
}

function play(worlds: readonly Step[], restarts: ReadonlySet<number> = new Set()) {
  const watch = watched({ holdFor: HOLD })
  const polls: Poll[] = []
  let at = 1000
  let away = { since: -1, misses: 0 }
  const look = (world: World): void => {
    watch.poll(world, at)
    if (world.answers) away = { since: -1, misses: 0 }
    else away = { since: away.misses === 0 ? at : away.since, misses: away.misses + 1 }
    const isUnreachable = away.misses >= 3 && at - away.since >= 30_000
    polls.push({ at, signs: signsOf(world, isUnreachable) })
  }
  for (const [index, { world, after }] of worlds.entries()) {
    at += after
    if (restarts.has(index)) {
      watch.restart()
      away = { since: -1, misses: 0 }
    }
    look(world)
  }
  // In the end all is well.
  for (let more = 0; more < 4; more++) {
    at += HOLD
    look({ answers: true, device: 'ok', routes: { a: WELL, b: WELL } })
  }
  watch.open.should.eql([])
  return { polls, events: watch.events, spans: spansOf(watch.events) }
}

interface Step {
  world: World
  /** Since the step before, in ms. */
  after: number
}

/** Mostly well: else there is hardly a time without trouble. */
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, ...others.map((one) => fc.constant(one)))

const anyRoute: fc.Arbitrary<RouteWorld> = fc.record({
  state: mostly('running', 'stopped', 'absent'),
  source: mostly('ok', 'disconnected', 'no data', 'warn'),
  far: mostly('ok', 'lost', 'off', 'absent'),
  near: fc.constantFrom('called', 'waiting'),
})

const anyWorld: fc.Arbitrary<World> = fc.record({
  answers: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  device: mostly('ok', 'offline', 'error'),
  routes: fc.record({ a: anyRoute, b: anyRoute }),
})

/** Worlds that last for some polls each. */
const anyHistory = (least: number, most: number): fc.Arbitrary<Step[]> =>
  fc
    .array(
      fc.tuple(
        anyWorld,
        fc.array(fc.integer({ min: 4000, max: 16_000 }), { minLength: least, maxLength: most }),
      ),
      { minLength: 1, maxLength: 14 },
    )
    .map((phases) => phases.flatMap(([world, times]) => times.map((after) => ({ world, after }))))

const signAt = (polls: readonly Poll[], thing: string, at: number): Sign | undefined =>
  polls.find((poll) => poll.at === at)?.signs.get(thing)

const THINGS = [
  'gateway',
  'device',
  ...ROUTES.flatMap((name) => [`route ${name}`, `output ${name}`]),
]

/** The longest times of trouble of a thing, through what nobody could know of it. */
function troublesOf(polls: readonly Poll[], thing: string): Array<[number, number]> {
  const found: Array<[number, number]> = []
  let current: [number, number] | undefined
  for (const { at, signs } of polls) {
    const sign = signs.get(thing)
    if (sign === 'trouble') {
      if (current) current[1] = at
      else found.push((current = [at, at]))
    } else if (sign !== 'unknown') current = undefined
  }
  return found
}

for (const seed of [27, Math.floor(Date.now() % 1e9)]) {
  describe(`incidents of any history (seed ${seed})`, () => {
    const check = (property: fc.IProperty<unknown>, numRuns = 100): void => {
      fc.assert(property, { seed, numRuns })
    }

    it('have every long trouble in exactly one, and nothing that was none', () => {
      check(
        fc.property(anyHistory(1, 6), (history) => {
          const { polls, spans } = play(history)
          for (const thing of THINGS) {
            const mine = spans.filter((span) => span.thing === thing)
            const troubles = troublesOf(polls, thing)
            for (const [since, until] of troubles) {
              if (thing === 'gateway' || until - since < HOLD) continue
              const around = mine.filter((span) => span.since <= since && span.until > until)
              around.should.have.length(1, `${thing} from ${since} to ${until}`)
            }
            // No storm: each has a trouble of its own that was long enough.
            for (const span of mine) {
              if (thing === 'gateway') continue
              troubles
                .some(([since, until]) => since === span.since && until - since >= HOLD)
                .should.be.true(`${thing} since ${span.since}`)
            }
          }
        }),
      )
    })

    it('have health between two of one thing, and at the end of each', () => {
      check(
        fc.property(anyHistory(1, 6), (history) => {
          const { polls, spans } = play(history)
          for (const { thing, since, until } of spans) {
            signAt(polls, thing, until)!.should.equal('well', `${thing} at ${until}`)
            const next = spans.find((one) => one.thing === thing && one.since > since)
            if (next) (next.since > until).should.be.true(`${thing} since ${next.since}`)
          }
        }),
      )
    })

    it('are the same ones with an outage of the gateway in the middle', () => {
      const answering = anyHistory(4, 6).map((steps) =>
        steps.map(({ world, after }) => ({ world: { ...world, answers: true }, after })),
      )
      const heard = (events: readonly WatchEvent[]): unknown[] =>
        THINGS.slice(1).map((thing) =>
          events
            .filter((event) => thingOf(event) === thing)
            .map(({ event, before, after }) => [event, before, after]),
        )
      check(
        fc.property(
          answering,
          fc.nat(),
          fc.integer({ min: 1, max: 12 }),
          (history, place, long) => {
            const at = place % history.length
            const { world } = history[at]!
            const outage = Array.from({ length: long }, () => ({
              world: { ...world, answers: false },
              after: 10_000,
            }))
            const cut = [...history.slice(0, at), ...outage, ...history.slice(at)]
            const [whole, broken] = [play(history), play(cut)]
            heard(broken.events).should.eql(heard(whole.events))
            const ofGateway = broken.spans.filter(({ thing }) => thing === 'gateway')
            ofGateway.should.have.length(long >= 4 ? 1 : 0)
          },
        ),
      )
    })

    it('are told once each and end, wherever the watch is started again', () => {
      check(
        fc.property(anyHistory(1, 6), fc.array(fc.nat(80)), (history, restarts) => {
          const { polls, spans } = play(history, new Set(restarts))
          for (const { thing, until } of spans) {
            signAt(polls, thing, until)!.should.equal('well', `${thing} at ${until}`)
          }
        }),
      )
    })

    it('are the same ones with restarts, where everything lasts', () => {
      const long = anyHistory(8, 10)
      check(
        fc.property(long, fc.array(fc.nat(14)), (history, phases) => {
          // At the end of a phase, once all that has begun with it was reported.
          const ends: number[] = []
          for (const [index, { world }] of history.entries()) {
            if (index > 0 && history[index - 1]!.world !== world) ends.push(index)
          }
          const restarts = new Set(phases.map((phase) => ends[phase] ?? -1))
          const told = (events: readonly WatchEvent[]): unknown[] =>
            events.map(({ event, incident, before, after }) => [
              event,
              incident!.id,
              incident!.until,
              before,
              after,
            ])
          told(play(history, restarts).events).should.eql(told(play(history).events))
        }),
        50,
      )
    })
  })
}
