import { compare, heldBack, keyOf, type Change } from './compare'
import { createDataWatch } from '../measuring/data'
import type { Wordless, WatchEvent } from '../../model/event'
import { eventNameOf, eventOf, reasonOf, valueOf } from './events'
import { held, type Held, type MeasuredEvent } from '../measuring/meter'
import type { EventName, Threshold } from '../../model/watch'
import type { IncidentEvent } from '../../model/incident'
import type { Reporter, Reporting } from './reporter'
import type { DeviceState } from '../state'
import { createCallerWatch } from '../measuring/callers'
import { createThresholds } from '../measuring/thresholds'

export interface ChangeOptions {
  wantsEvent: (event: EventName | IncidentEvent) => boolean
  thresholds: readonly Threshold[]
  /** It reports who joins and leaves, which takes requests. */
  wantsCallers: boolean
}

const NONE_HELD: ReadonlyMap<string, Held> = new Map()

export function createChangeReporter(
  { wantsEvent, thresholds, wantsCallers }: ChangeOptions,
  { clock, holdFor, wantsRoute, device, book, tell, isOver }: Reporting,
): Reporter {
  const hasLimits = thresholds.length > 0 && STATISTICS.some(wantsEvent)
  const limits = hasLimits ? createThresholds(thresholds, holdFor) : undefined
  const data = DATA.some(wantsEvent) ? createDataWatch(holdFor) : undefined
  const callers = wantsCallers ? createCallerWatch(holdFor, clock, book) : undefined
  const meters = [data, limits, callers].filter((meter) => meter !== undefined)
  /** The last state reported to the flow, also by an earlier watch; lags the current one by what is on hold. */
  let told: DeviceState | undefined
  /** The changes on hold, by their keys. */
  let holding = NONE_HELD

  function due(state: DeviceState, at: number): Wordless<WatchEvent>[] {
    const known = told!
    told = state
    const changes = compare(known, state)
    if (changes.length === 0) {
      holding = NONE_HELD
      return []
    }
    const dueNow: Due[] = []
    const kept = new Set<string>()
    const stillHeld = new Map<string, Held>()
    /** Its other changes are part of the route that has appeared, or no longer of interest. */
    let passed: string | undefined
    for (const change of changes) {
      const id = 'route' in change ? change.route.id : ''
      if (id === passed) continue
      // The first change of a route.
      const passage = change.of === 'route.name' ? passageOf(change, known) : undefined
      const steps = passage ? stepsOf(change, passage) : [change]
      const wanted = steps
        .filter((step) => wants(step, known))
        .map((step) => ({ change: step, passage, hold: heldSince(step, at) }))
      if (wanted.some(({ hold }) => at - hold.since < holdFor)) {
        kept.add(keyOf(change))
        for (const { change: step, hold } of wanted) stillHeld.set(keyOf(step), hold)
      } else {
        if (passage) passed = id
        dueNow.push(...wanted)
      }
    }
    holding = stillHeld.size > 0 ? stillHeld : NONE_HELD
    if (kept.size > 0) told = heldBack(known, state, (key) => kept.has(key))
    const ordered = dueNow.some(({ passage }) => passage) ? inOrder(dueNow) : dueNow
    return ordered.map(({ change, hold }) => eventOf(change, clock.unix(hold.at), state))
  }

  /** A rename that makes a route appear or disappear for a watch of chosen routes. */
  function passageOf({ route }: RouteRename, known: DeviceState): RouteChange | undefined {
    const before = known.routes.get(route.id)!
    const fitted = wantsRoute(before)
    if (fitted === wantsRoute(route)) return undefined
    return fitted
      ? { of: 'route', route: before, from: before, to: undefined }
      : { of: 'route', route, from: undefined, to: route }
  }

  const heldSince = (change: Change, at: number): Held =>
    held(holding.get(keyOf(change)), holdFor === 0 ? '' : valueOf(change), at)

  function wants(change: Change, known: DeviceState): boolean {
    if (!wantsEvent(eventNameOf(change))) return false
    if (!('route' in change)) return true
    return wantsRoute(known.routes.get(change.route.id) ?? change.route) || wantsRoute(change.route)
  }

  const tellMeasured = (events: readonly MeasuredEvent[]): void =>
    tell(events.map((event) => ({ ...event, at: clock.unix(event.at), device: device() })))

  return {
    // Begins with the state that was reported before this was saved, or else with that of the device.
    begin(known, present) {
      if (told?.id === present.id) return told
      holding = NONE_HELD
      return (told = known)
    },
    polled({ state, isSame, at, figures }, visitRoutes) {
      if (!isSame) visitRoutes()
      tell(due(state, at))
      // A listener may end the watch; the next one reports the rest.
      for (const meter of meters) {
        if (!isOver()) tellMeasured(meter.polled(state, figures, wantsRoute, at))
      }
    },
    away(outage) {
      tell([
        {
          event: 'appliance.unreachable',
          at: outage.at,
          device: device(),
          reason: reasonOf(outage),
          before: 'reachable',
          after: 'unreachable',
        },
      ])
    },
    back({ at, since }) {
      // The times agree, also where the clock of the machine was set meanwhile.
      const outageMs = Math.round(clock.now() - since)
      tell([
        {
          event: 'appliance.reachable',
          at: at + outageMs,
          device: device(),
          since: at,
          outageMs,
          before: 'unreachable',
          after: 'reachable',
        },
      ])
    },
    lacking: (isDue) => [...((isDue && limits?.lacking()) || []), ...(callers?.lacking() ?? [])],
    measured(statistics, at) {
      for (const one of statistics) {
        for (const meter of meters) tellMeasured(meter.measured(one, at))
      }
    },
    callers,
    save: () => ({
      data: data?.save(),
      limits: limits?.save(),
      callers: callers?.save(),
      told,
      held: holding.size > 0 ? holding : undefined,
    }),
    restore(saved) {
      if (!told) {
        told = saved.told
        holding = saved.held ?? NONE_HELD
      }
      if (saved.data) data?.restore(saved.data)
      if (saved.limits) limits?.restore(saved.limits)
      if (saved.callers) callers?.restore(saved.callers)
    },
  }
}

type RouteChange = Extract<Change, { of: 'route' }>
type RouteRename = Extract<Change, { of: 'route.name' }>

interface Due {
  change: Change
  hold: Held
  /** Of a rename, and of what it comes with. */
  passage?: RouteChange
}

/** A rename that makes a route appear or disappear: a flow gets no event about a route that it does not know. */
const stepsOf = (name: Change, passage: RouteChange): Change[] =>
  passage.to ? [passage, name] : [name, passage]

/** Sorts into the documented order: renamed routes among those that were removed and added. */
function inOrder(due: readonly Due[]): Due[] {
  const rank = ({ change, passage }: Due): number => {
    if (!('route' in change)) return 0
    const there = passage ?? (change.of === 'route' ? change : undefined)
    if (!there) return 3
    return there.to ? 2 : 1
  }
  const idOf = ({ change }: Due): string => ('route' in change ? change.route.id : '')
  const byId = (one: string, other: string): number => Number(one > other) - Number(one < other)
  return due.toSorted((one, other) => rank(one) - rank(other) || byId(idOf(one), idOf(other)))
}

const DATA: readonly EventName[] = ['source.data', 'source.data-lost']
const STATISTICS: readonly EventName[] = ['statistics.low', 'statistics.high', 'statistics.normal']
