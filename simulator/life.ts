import type { Appliance } from './appliance'
import { inventedCaller } from './callers'
import { GOOD, WORDS } from './lines'
import { isListener, type Caller, type DestinationState, type RouteState } from './model'
import { randomNumbers } from './random'
import { Agenda } from './scheduler'

/** What happens on its own: it depends on the seed and the routes alone. */
export interface LifeOptions {
  seed: number
  /** How many times faster than usual; 1 if not given. */
  pace?: number
}

/** What has happened to a far end, and when. */
export interface LifeEvent {
  /** Unix time, ms. */
  at: number
  kind: 'source.lost' | 'source.back' | 'caller.joined' | 'caller.left'
  /** ID of the route; of a shared output, of one that has it. */
  route: string
  /** With `source.lost`. */
  condition?: 'disconnected' | 'no-data'
  /** ID of the output that is called, and who calls. */
  output?: string
  caller?: Caller
}

/**
 * Callers that come and go, and sources that drop and return, by chance. What really happened is in
 * its journal: alarms can be judged by it.
 */
export class Life {
  readonly journal: LifeEvent[] = []
  private readonly agenda: Agenda
  private readonly plan: Iterator<LifeEvent>
  private readonly begun: number

  constructor(
    private readonly appliance: Appliance,
    routes: readonly RouteState[],
    options: LifeOptions,
  ) {
    this.agenda = new Agenda(appliance.now)
    this.begun = appliance.now()
    this.plan = planOf(routes, appliance, options)
    this.expectNext()
  }

  /** Lets happen what is due. */
  catchUp(): void {
    this.agenda.catchUp()
  }

  wake(): void {
    this.agenda.wake()
  }

  sleep(): void {
    this.agenda.sleep()
  }

  private expectNext(): void {
    const { value: event, done } = this.plan.next()
    if (done) return
    const { now } = this.appliance
    this.agenda.enter(this.begun + event.at - now(), () => {
      if (this.happens(event)) this.journal.push({ ...event, at: now() })
      this.expectNext()
    })
  }

  /** Returns false if somebody removed what it is about, or did the same before. */
  private happens(event: LifeEvent): boolean {
    const { appliance } = this
    const routes = appliance.devices.flatMap((device) => device.routes)
    const route = routes.find(({ id }) => id === event.route)
    if (!route) return false
    const { caller } = event
    if (!caller) {
      const line = event.condition ? WORDS[event.condition] : GOOD
      appliance.changeFarEnds((lines) => lines.set(route.source, line ?? GOOD))
      return true
    }
    const output = route.destinations.find(({ id }) => id === event.output)
    if (!output) return false
    const present = appliance.callers.of(output)
    const others = present.filter(({ label }) => label !== caller.label)
    const joins = event.kind === 'caller.joined'
    if (joins === others.length < present.length) return false
    appliance.changeFarEnds((_, callers) => {
      callers.set(output, joins ? [...present, caller] : others)
    })
    return true
  }
}

/** How long something is so on average, ms. */
const MEANS = {
  source: { there: 20 * 60_000, away: 30_000 },
  caller: { there: 5 * 60_000, away: 10 * 60_000 },
}
/** Who may call an output. */
const AFFILIATES = 3

/** Something that is there, and away, and there again. */
interface Actor {
  isThere: boolean
  /** When that changes, ms from the beginning. */
  at: number
  means: { there: number; away: number }
  event: (isThere: boolean) => Omit<LifeEvent, 'at'>
}

/** What will happen, in order and without end; `at` counts from the beginning. */
function* planOf(
  routes: readonly RouteState[],
  { callers }: Appliance,
  { seed, pace = 1 }: LifeOptions,
): Generator<LifeEvent, void> {
  const random = randomNumbers(seed)
  const lasting = ({ isThere, means }: Pick<Actor, 'isThere' | 'means'>) =>
    (-Math.log((random(1_000_000) + 1) / 1_000_001) * means[isThere ? 'there' : 'away']) / pace
  const begin = (actor: Omit<Actor, 'at'>): Actor => ({ ...actor, at: lasting(actor) })

  const sources = routes.map((route) =>
    begin({
      isThere: true,
      means: MEANS.source,
      event: (isBack) =>
        isBack
          ? { kind: 'source.back', route: route.id }
          : {
              kind: 'source.lost',
              route: route.id,
              condition: random(3) > 0 ? 'disconnected' : 'no-data',
            },
    }),
  )
  const outputs = new Map<string, [RouteState, DestinationState]>()
  for (const route of routes) {
    for (const output of route.destinations.filter(isListener)) {
      outputs.set(output.id, [route, output])
    }
  }
  const affiliates = [...outputs.values()].flatMap(([route, output]) =>
    Array.from({ length: AFFILIATES }, (_, place) => {
      const caller = inventedCaller(output, place)
      return begin({
        isThere: callers.of(output).some(({ label }) => label === caller.label),
        means: MEANS.caller,
        event: (joins) => ({
          kind: joins ? 'caller.joined' : 'caller.left',
          route: route.id,
          output: output.id,
          caller,
        }),
      })
    }),
  )
  const actors = [...sources, ...affiliates]
  while (actors.length > 0) {
    const actor = actors.reduce((first, each) => (each.at < first.at ? each : first))
    const { at } = actor
    actor.isThere = !actor.isThere
    yield { at, ...actor.event(actor.isThere) }
    actor.at += lasting(actor)
  }
}
