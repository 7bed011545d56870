// What is wrong with a device, its routes, their outputs and callers, and with what is measured.
import type { CallerBook } from '../../model/callers'
import {
  NOT_RUNNING,
  deviceHealth,
  isTrouble,
  type Health,
  type Reason,
  type RouteHealth,
} from '../../model/health'
import { named } from '../../model/ids'
import type { IncidentKind } from '../../model/incident'
import type { Named } from '../../model/types'
import type { Threshold } from '../../model/watch'
import { isRouteOf } from '../measuring/caller-book'
import { limitPlace, type SavedLimit } from '../measuring/thresholds'
import { UNTOLD, type DeviceState, type RouteState } from '../state'
import type { Awaited } from './expected-callers'
import type { Trouble } from '../saved'
import type { Sight, Standing } from './incidents'

export interface View {
  readonly state: DeviceState
  /** The watched routes, as far as they matter, by their IDs. */
  readonly seen: ReadonlyMap<string, Seen>
  readonly awaited: readonly Awaited[]
  /** The names of callers, as far as they have been read; absent where none are set. */
  readonly book?: () => CallerBook | undefined
  readonly thresholds: readonly Threshold[]
  readonly passed: readonly SavedLimit[]
  /** What is measured, by the key of its trouble. */
  readonly limitOf: (key: string) => SavedLimit | undefined
}

export interface Seen {
  readonly route: RouteState
  readonly health: RouteHealth
  /** Of its source, Mbit/s; NaN where it is not known. */
  readonly bitrate: number
}

export function sightOf(view: View): Sight {
  // Nobody can call a route whose source is lost.
  const awaited = view.awaited.map((one) =>
    isCovered(one, view) ? { ...one, standing: 'covered' as const } : one,
  )
  const whole = { ...view, awaited }
  return { troubles: troublesIn(whole), standing: (trouble) => standingIn(whole, trouble) }
}

function isCovered({ expected, standing }: Awaited, { seen }: View): boolean {
  if (standing !== 'away') return false
  const of = [...seen.values()].filter(({ route }) => isRouteOf(expected.row, route))
  return of.length > 0 && of.every((found) => standingOf(found) === 'covered')
}

function troublesIn({ state, seen, awaited, passed, thresholds }: View): Map<string, Trouble> {
  const troubles = new Map<string, Trouble>()
  const { id, condition } = state
  const device = named(state)
  const add = (trouble: Omit<Trouble, 'device'>): unknown =>
    troubles.set(trouble.key, { ...trouble, device })
  const ofDevice = deviceHealth(condition.code, condition.state)
  if (ofDevice.reason !== undefined) {
    // Nobody can see what an offline device still serves.
    const severity = ofDevice.sign === 'warning' ? 'warning' : 'critical'
    add({ ...whatOf('device', ofDevice, [id]), severity, details: condition.details })
  }
  if (ofDevice.sign === 'unknown') return troubles
  for (const { route, health } of seen.values()) {
    const { own, outputs } = health
    const ofRoute = { route: named(route) }
    if (isTrouble(own)) {
      const part = OF_SOURCE.has(own.reason) ? route.source : undefined
      add({
        ...whatOf('route', own, [id, route.id]),
        ...ofRoute,
        ...(part && { source: named(part) }),
        details: (part ?? route).condition.details,
      })
    }
    if (!outputs.some(isTrouble)) continue
    for (const [index, part] of route.destinations.entries()) {
      const output = outputs[index]!
      if (!isTrouble(output)) continue
      add({
        ...whatOf('output', output, [id, route.id, part.key]),
        ...ofRoute,
        destination: named(part),
        details: part.condition.details,
      })
    }
  }
  for (const { expected, route, destination, standing } of awaited) {
    if (standing !== 'away') continue
    add({
      ...whatOf('caller', CALLER_AWAY, [id, expected.key]),
      ...(route && { route: named(route) }),
      ...(destination && { destination }),
      caller: expected.row.name,
    })
  }
  for (const one of passed) {
    const found = seen.get(one.route.id)
    if (!found || !counts(one, found)) continue
    const threshold = thresholds[one.limit]!
    const level = one.level as 'low' | 'high'
    add({
      ...whatOf('threshold', PASSED, []),
      key: limitKey(id, one, threshold, level),
      route: named(found.route),
      ...(one.destination && { destination: named(one.destination) }),
      measure: threshold.measure,
      of: threshold.of,
      value: one.value ?? undefined,
      limit: threshold[level],
    })
  }
  return troubles
}

/** How something is that is in no trouble by the view. */
function standingIn(
  { state, seen, awaited, book, thresholds, limitOf }: View,
  of: Trouble,
): Standing {
  const { kind, device: before, route, key } = of
  if (before.id !== state.id && (before.id !== '' || kind !== 'gateway')) return 'removed'
  if (kind === 'gateway' || kind === 'device') return 'ok'
  if (deviceHealth(state.condition.code, state.condition.state).sign === 'unknown') return 'unknown'
  if (kind === 'caller') {
    if (!book) return 'removed'
    // What is not known of the list of callers ends nothing.
    if (!book()) return 'unknown'
    const one = awaited.find(({ expected }) => keyOf('caller', [state.id, expected.key]) === key)
    return one && one.standing !== 'away' ? one.standing : 'removed'
  }
  const found = seen.get(route?.id ?? '')
  if (!found) return 'removed'
  if (kind === 'route') {
    const standing = standingOf(found)
    // Without its bit rate, nobody knows whether the source has data again.
    const isUnknown = of.reason === 'no-data' && Number.isNaN(found.bitrate)
    return standing === 'ok' && isUnknown ? 'unknown' : standing
  }
  if (kind === 'output') {
    const index = found.route.destinations.findIndex(
      (each) => keyOf('output', [state.id, found.route.id, each.key]) === key,
    )
    return standingOfOutput(found, index)
  }
  if (!thresholds.some((threshold) => isOf(threshold, of))) return 'removed'
  const standing = standingOf(found, of.destination)
  if (standing !== 'ok') return standing
  return limitOf(key) ? 'ok' : 'unknown'
}

const isOf = ({ measure, of, low, high }: Threshold, trouble: Trouble): boolean =>
  measure === trouble.measure &&
  of === trouble.of &&
  (low === trouble.limit || high === trouble.limit)

/** All that is measured, by the keys of the troubles that it may be. */
export function limitsByKey(
  deviceId: string,
  places: Iterable<SavedLimit>,
  thresholds: readonly Threshold[],
): ReadonlyMap<string, SavedLimit> {
  const found = new Map<string, SavedLimit>()
  for (const one of places) {
    // What is passed is among the troubles: of a value below one limit, the other one is over.
    for (const level of ['low', 'high'] as const) {
      const key = limitKey(deviceId, one, thresholds[one.limit]!, level)
      if (!found.has(key)) found.set(key, one)
    }
  }
  return found
}

export function limitKey(
  deviceId: string,
  { place, route, limit }: SavedLimit,
  threshold: Threshold,
  level: 'low' | 'high',
): string {
  const part = place.slice(limitPlace(route, limit, '').length)
  const { measure, of, [level]: value } = threshold
  return keyOf('threshold', [deviceId, route.id, of, part, measure, level, value])
}

const OF_SOURCE: ReadonlySet<Reason | undefined> = new Set([
  'no-source',
  'no-data',
  'source-error',
  'source-warning',
])

export const CALLER_AWAY: Health = Object.freeze({ sign: 'warning', reason: 'caller-away' })
export const PASSED: Health = Object.freeze({ sign: 'warning', reason: 'threshold' })

export const keyOf = (kind: IncidentKind, of: readonly unknown[]): string =>
  JSON.stringify([kind, ...of])

function whatOf(
  kind: IncidentKind,
  { sign, reason, word }: Health,
  of: readonly string[],
): Pick<Trouble, 'key' | 'kind' | 'severity' | 'reason' | 'word'> {
  const severity = sign === 'critical' ? 'critical' : 'warning'
  const key = keyOf(kind, of)
  return { key, kind, severity, reason: reason!, ...(word !== undefined && { word }) }
}

/** What is measured where nothing can flow, or for nobody, says nothing. */
export const counts = ({ destination }: SavedLimit, found: Seen): boolean =>
  standingOf(found, destination) === 'ok' &&
  (!destination || found.health.outputs[placeIn(found, destination)]?.sign === 'ok')

/** How a route, or a destination of it, is that is in no trouble itself. */
function standingOf(found: Seen, destination?: Named): Standing {
  if (destination) return standingOfOutput(found, placeIn(found, destination))
  const { own } = found.health
  if (own === NOT_RUNNING || own.sign === 'stopped') return 'stopped'
  if (own.sign === 'critical') return 'covered'
  return own.sign === 'unknown' ? 'unknown' : 'ok'
}

const placeIn = ({ route }: Seen, { id: wanted, name: called }: Named): number =>
  route.destinations.findIndex(
    ({ id = '', name }) => id === wanted && (id !== '' || name === called),
  )

function standingOfOutput({ route, health }: Seen, index: number): Standing {
  const { own, outputs } = health
  if (own === NOT_RUNNING || own.sign === 'stopped') return 'stopped'
  if (index === -1) return route.destinations === UNTOLD.destinations ? 'unknown' : 'removed'
  const { [index]: output } = outputs
  if (!output) return own.sign === 'critical' ? 'covered' : 'unknown'
  if (isTrouble(output)) return 'covered'
  return output.sign === 'stopped' ? 'stopped' : 'ok'
}
