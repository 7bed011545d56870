import { isObject, isText, own } from '../model/json'
import type { Measure, Threshold } from '../model/watch'
import type { Statistics } from '../api/statistics'
import { named, type Named, type Wordless, type WatchEvent } from './events'

type Level = 'low' | 'normal' | 'high'

/** What is measured at one place: a source or a destination. */
interface Place {
  route: Named
  destination?: Named
  threshold: Threshold
  level: Level
  /** The level that it may be changing to, and since when. */
  next?: { level: Level; since: number }
}

export interface Thresholds {
  /** Takes the statistics of a route that runs; returns what has passed a limit for long enough. */
  measured(statistics: Statistics, at: number): LimitEvent[]
  /** Takes the IDs of the routes that still run; returns what ends for all others. */
  running(routeIds: ReadonlySet<string>, at: number): LimitEvent[]
}

export type LimitEvent = Omit<Wordless<WatchEvent>, 'device'>

/** Finds measured values that pass their limits, or come back, for at least `holdMs`. */
export function createThresholds(thresholds: readonly Threshold[], holdMs: number): Thresholds {
  const places = new Map<string, Place>()

  function take(place: Place, value: number | null, at: number): LimitEvent[] {
    const level = levelOf(value, place.threshold, place.level)
    if (level === place.level) {
      place.next = undefined
      return []
    }
    const since = place.next?.since ?? at
    place.next = { level, since }
    if (at - since < holdMs) return []
    const before = place.level
    const { measure, of } = place.threshold
    place.level = level
    place.next = undefined
    const limit = place.threshold[level === 'normal' ? (before as 'low' | 'high') : level]
    return [
      {
        event: `statistics.${level}`,
        at: since,
        route: named(place.route),
        ...(place.destination && { destination: named(place.destination) }),
        measure,
        of,
        value,
        limit,
        before,
        after: level,
      },
    ]
  }

  /** Ends what was reported about places that are no longer measured. */
  function end(gone: (place: Place, key: string) => boolean, at: number): LimitEvent[] {
    const events: LimitEvent[] = []
    for (const [key, place] of places) {
      if (!gone(place, key)) continue
      events.push(...take(place, null, at))
      if (place.level === 'normal') places.delete(key)
    }
    return events
  }

  return {
    measured(statistics, at) {
      const { route } = statistics
      if (!isObject(route)) return []
      const measured = named(asNamed(route))
      const events: LimitEvent[] = []
      const there = new Set<string>()
      for (const [index, threshold] of thresholds.entries()) {
        for (const part of partsOf(route, threshold.of)) {
          const { id, name } = asNamed(part)
          let key = `${measured.id} ${index} ${id || name}`
          for (let same = 2; there.has(key); same++) key = `${key}#${same}`
          there.add(key)
          // A missing value means nothing, least of all that all is well.
          const value = valueOf(part, threshold.measure)
          if (value === null) continue
          const place = places.get(key) ?? { route: measured, threshold, level: 'normal' }
          place.route = measured
          if (threshold.of === 'destination') place.destination = { id, name }
          places.set(key, place)
          events.push(...take(place, value, at))
        }
      }
      const isGone = (place: Place, key: string): boolean =>
        place.route.id === measured.id && !there.has(key)
      return [...events, ...end(isGone, at)]
    },

    running: (routeIds, at) => end(({ route }) => !routeIds.has(route.id), at),
  }
}

function levelOf(value: number | null, { low, high, hysteresis }: Threshold, now: Level): Level {
  if (value === null) return 'normal'
  if (low !== undefined && value < low) return 'low'
  if (high !== undefined && value > high) return 'high'
  if (now === 'low' && value < low! + (hysteresis ?? low! / 10)) return 'low'
  if (now === 'high' && value > high! - (hysteresis ?? high! / 10)) return 'high'
  return 'normal'
}

const asNamed = (part: unknown): Named => ({
  id: textIn(part, 'id'),
  name: textIn(part, 'name'),
})

function textIn(part: unknown, name: string): string {
  const value = own(part, name)
  return isText(value) ? value : ''
}

function partsOf(route: object, of: Threshold['of']): unknown[] {
  if (of === 'source') return [own(route, 'source')].filter(isObject)
  const destinations = own(route, 'destinations')
  return Array.isArray(destinations) ? destinations.filter(isObject) : []
}

/**
 * The value of a source or destination. Where it has several connections or clients, the bitrate
 * is their sum when the whole has none, and the others are those of the worst.
 */
function valueOf(part: unknown, measure: Measure): number | null {
  const connections = connectionsOf(part)
  const numbers = (name: string, of: unknown[]): number[] =>
    of.map((one) => own(one, name)).filter((value) => typeof value === 'number')
  if (measure === 'bitrate') {
    const [whole] = numbers('bitrate', [part])
    if (whole) return whole
    const single = numbers('bitrate', clientsOf(part))
    return single.length > 0 ? single.reduce((sum, one) => sum + one, 0) : (whole ?? null)
  }
  const name = measure === 'roundTripTime' ? 'srtRoundTripTime' : 'srtPacketLossRate'
  const values = numbers(name, [part, ...clientsOf(part), ...connections])
  return values.length > 0 ? Math.max(...values) : null
}

const listIn = (part: unknown, name: string): unknown[] => {
  const list = own(part, name)
  return Array.isArray(list) ? list : []
}

const clientsOf = (part: unknown): unknown[] => listIn(part, 'clientStat')

const connectionsOf = (part: unknown): unknown[] =>
  [part, ...clientsOf(part)].flatMap((one) => listIn(one, 'connections'))
