import { named, normalizeId } from '../../model/ids'
import { isObject } from '../../model/json'
import { isRunning as saysRunning } from '../../model/route-state'
import type { Named, Route } from '../../model/types'
import { highEnd, lowEnd, type Threshold } from '../../model/watch'
import { held, type Held, type MeasuredEvent, type Meter } from './meter'
import { namedIn, partsOf, valueOf } from './statistics'
import { eachRoute, placeOf, type Figures } from './figures'
import { isRunning, type RouteState } from '../state'

type Level = 'low' | 'normal' | 'high'

/** What is measured at one place, a source or a destination, and which limit it has passed. */
export interface SavedLimit {
  /** The same text for the same place and limit. */
  readonly place: string
  readonly route: Named
  readonly destination?: Named
  /** Which of the limits. */
  readonly limit: number
  /** As it was reported. */
  readonly level: Level
  /** The latest poll shows its value, so that of statistics does not count. */
  readonly isPolled: boolean
  /** The level that it has now, on hold. */
  readonly held?: Held<Level>
  /** Its latest value; null where it is not measured any more. */
  readonly value?: number | null
}

export interface Thresholds extends Meter<readonly SavedLimit[]> {
  places(): Iterable<SavedLimit>
  /** @param routeId only of this route */
  passed(routeId?: string): readonly SavedLimit[]
}

/**
 * Finds measured values that pass their limits, or come back, for at least `holdMs`.
 * @param firstLevel the level that a place begins with: within the hysteresis, a value alone does not tell
 */
export function createThresholds(
  thresholds: readonly Threshold[],
  holdMs: number,
  firstLevel: (place: SavedLimit) => Level = () => 'normal',
): Thresholds {
  /** By the IDs of the routes, and within one by their own keys. */
  const places = new Map<string, Map<string, Place>>()
  const isAlwaysLacking = thresholds.some(({ measure }) => measure !== 'bitrate')
  /** By their IDs in one form. */
  let lacking: ReadonlyMap<string, RouteState> = new Map()

  function* all(): Generator<Place> {
    for (const its of places.values()) yield* its.values()
  }

  function placesOf(routeId: string): Map<string, Place> {
    const known = places.get(routeId)
    if (known) return known
    const its = new Map<string, Place>()
    places.set(routeId, its)
    return its
  }

  function take(place: Place, value: number | null, at: number): MeasuredEvent[] {
    const threshold = thresholds[place.limit]!
    const before = place.level
    const level = levelOf(value, threshold, before)
    place.value = value
    place.held = level === before ? undefined : held(place.held, level, at)
    if (!place.held || at - place.held.since < holdMs) return []
    const since = place.held.at
    place.level = level
    place.held = undefined
    return [
      {
        event: `statistics.${level}`,
        at: since,
        route: named(place.route),
        ...(place.destination && { destination: named(place.destination) }),
        measure: threshold.measure,
        of: threshold.of,
        value,
        limit: threshold[level === 'normal' ? (before as 'low' | 'high') : level],
        before,
        after: level,
      },
    ]
  }

  /** Ends what was reported about places of a route that are no longer measured. */
  function end(
    its: Map<string, Place>,
    gone: (place: Place, key: string) => boolean,
    at: number,
  ): MeasuredEvent[] {
    const events: MeasuredEvent[] = []
    for (const [key, place] of its) {
      if (!gone(place, key)) continue
      events.push(...take(place, null, at))
      if (place.level === 'normal') its.delete(key)
    }
    return events
  }

  /** Takes the values at the parts of a route, from a poll or from statistics. */
  function takeAll(
    { route, index, parts, isPoll }: Values,
    at: number,
  ): { events: MeasuredEvent[]; hasGaps: boolean } {
    const threshold = thresholds[index]!
    const events: MeasuredEvent[] = []
    const there = new Set<string>()
    const its = placesOf(route.id)
    for (const { id, name, value } of parts) {
      const called = limitPlace(route, index, threshold.of === 'source' ? '' : id || name)
      let key = called
      for (let same = 2; there.has(key); same++) key = `${called}#${same}`
      there.add(key)
      const known = its.get(key)
      if (known && isPoll) known.isPolled = !Number.isNaN(value)
      // A missing value means nothing, least of all that all is well.
      if (Number.isNaN(value) || (known?.isPolled && !isPoll)) continue
      const place: Place = known ?? {
        place: key,
        route,
        limit: index,
        level: 'normal',
        isPolled: isPoll,
      }
      if (!known) place.level = firstLevel(place)
      place.route = route
      if (threshold.of === 'destination') place.destination = { id, name }
      its.set(key, place)
      events.push(...take(place, value, at))
    }
    const hasGaps = parts.some(({ value }) => Number.isNaN(value))
    const isGone = (place: Place, key: string): boolean =>
      place.limit === index && !there.has(key) && (place.isPolled ? isPoll : !isPoll || !hasGaps)
    return { events: [...events, ...end(its, isGone, at)], hasGaps }
  }

  return {
    polled(state, figures, wants, at) {
      const events: MeasuredEvent[] = []
      const running = new Set<string>()
      const needed = new Map<string, RouteState>()
      eachRoute(state, (route, start) => {
        if (!isRunning(route.condition) || !wants(route)) return
        running.add(route.id)
        let isLacking = isAlwaysLacking
        for (const [index, { measure, of }] of thresholds.entries()) {
          if (measure !== 'bitrate') continue
          const parts = (of === 'source' ? sourceIn : destinationsIn)(route, start, figures)
          const taken = takeAll({ route: named(route), index, parts, isPoll: true }, at)
          isLacking ||= taken.hasGaps
          events.push(...taken.events)
        }
        if (isLacking) needed.set(normalizeId(route.id), route)
      })
      lacking = needed
      for (const [routeId, its] of places) {
        if (running.has(routeId)) continue
        events.push(...end(its, () => true, at))
        if (its.size === 0) places.delete(routeId)
      }
      return events
    },

    lacking: () => [...lacking.values()],
    places: all,

    passed(routeId) {
      const some = routeId === undefined ? all() : (places.get(routeId)?.values() ?? [])
      return [...some].filter(({ level }) => level !== 'normal')
    },

    measured(statistics, at) {
      const { route: given } = statistics
      if (!isObject(given) || !saysRunning(given as Route)) return []
      const { id } = namedIn(given)
      const known = lacking.get(normalizeId(id))
      if (!known) return []
      const route = named(known)
      return thresholds.flatMap(({ measure, of }, index) => {
        const parts = partsOf(given, of).map((part) => {
          return { ...namedIn(part), value: valueOf(part, measure) }
        })
        return takeAll({ route, index, parts, isPoll: false }, at).events
      })
    },

    save: () => [...all()].map((place) => ({ ...place })),

    restore(saved) {
      for (const one of saved) {
        const { [one.limit]: threshold } = thresholds
        const isLimit = one.level === 'normal' || threshold?.[one.level] !== undefined
        const its = placesOf(one.route.id)
        const isTold = (its.get(one.place)?.level ?? 'normal') !== 'normal'
        if (threshold && isLimit && !isTold) its.set(one.place, { ...one })
      }
    },
  }
}

/** @param part the ID or name of the destination; empty for the source */
export const limitPlace = (route: { id: string }, limit: number, part: string): string =>
  `${route.id} ${limit} ${part}`

type Place = { -readonly [Name in keyof SavedLimit]: SavedLimit[Name] }

interface Values {
  route: Named
  /** That of the limit. */
  index: number
  parts: readonly Part[]
  isPoll: boolean
}

/** A source or destination, and its value: NaN where there is none. */
interface Part extends Named {
  value: number
}

function sourceIn({ source }: RouteState, at: number, figures: Figures): Part[] {
  return [{ ...named(source), value: figures[at]! }]
}

function destinationsIn({ destinations }: RouteState, at: number, figures: Figures): Part[] {
  return destinations.map(({ id = '', name }, index) => {
    const place = placeOf(at, index)
    const [bitrate = NaN, clients = NaN] = [figures[place], figures[place + 1]]
    // Statistics may count what the clients of a listener get, where the listener itself has nothing.
    return { id, name, value: bitrate === 0 && clients > 0 ? NaN : bitrate }
  })
}

function levelOf(value: number | null, threshold: Threshold, now: Level): Level {
  const { low, high } = threshold
  if (value === null) return 'normal'
  if (low !== undefined && value < low) return 'low'
  if (high !== undefined && value > high) return 'high'
  if (now === 'low' && value < lowEnd(threshold)) return 'low'
  if (now === 'high' && value > highEnd(threshold)) return 'high'
  return 'normal'
}
