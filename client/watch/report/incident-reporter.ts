import { NOT_RUNNING, deviceHealth, isTrouble, type RouteHealth } from '../../model/health'
import type { EventCaller, WatchEvent, Wordless } from '../../model/event'
import { named } from '../../model/ids'
import type { OpenIncident } from '../../model/incident'
import { patternFilter } from '../../model/pattern'
import type { Threshold } from '../../model/watch'
import { isRouteOf } from '../measuring/caller-book'
import { createCallerWatch } from '../measuring/callers'
import { createThresholds, type SavedLimit } from '../measuring/thresholds'
import type { DeviceState, RouteState } from '../state'
import { reasonOf } from './events'
import { NONE_AWAITED, awaitedIn } from './expected-callers'
import { createIncidents, type Sight, type Step } from './incidents'
import type { Outage, Reporter, Reporting } from './reporter'
import {
  CALLER_AWAY,
  PASSED,
  counts,
  keyOf,
  limitKey,
  limitsByKey,
  sightOf,
  type Seen,
} from './troubles'

interface IncidentOptions {
  mustRun?: string
  thresholds: readonly Threshold[]
  open?: readonly OpenIncident[]
  onOpen?: (open: readonly OpenIncident[]) => void
}

export function createIncidentReporter(
  { mustRun, thresholds, open, onOpen }: IncidentOptions,
  { clock, holdFor, wantsRoute, device, book, tell }: Reporting,
): Reporter {
  const incidents = createIncidents(holdFor, clock)
  if (open) incidents.restore(open)
  // Its own hold would only add to that of the incidents.
  const limits = thresholds.length > 0 ? createThresholds(thresholds, 0, firstLevel) : undefined
  const callers = book && createCallerWatch(0, clock, book)
  const mustNotStop = mustRun ? patternFilter(mustRun) : undefined
  let latest: DeviceState | undefined
  let seen = NONE_SEEN
  let passed = NONE_PASSED
  let awaited = NONE_AWAITED
  /** What is measured, by the keys of its troubles, once it is needed: a thousand may end at once. */
  let measured: ReadonlyMap<string, SavedLimit> | undefined

  function takeView(state: DeviceState, at: number): void {
    take(sightOf({ state, seen, awaited, book, thresholds, passed, limitOf }), at)
  }

  function take(sight: Sight, at: number, reason?: WatchEvent['reason']): void {
    measured = undefined
    report(incidents.take(sight, at), reason)
  }

  /** A value that an earlier watch reported stays in trouble until it is back by the hysteresis. */
  function firstLevel(one: SavedLimit): SavedLimit['level'] {
    const lasting = (['low', 'high'] as const).find((level) =>
      incidents.lasts(limitKey(device().id, one, thresholds[one.limit]!, level)),
    )
    return lasting ?? 'normal'
  }

  function limitOf(key: string): SavedLimit | undefined {
    measured ??= limitsByKey(device().id, limits?.places() ?? [], thresholds)
    return measured.get(key)
  }

  function passedNow(): readonly SavedLimit[] {
    const found = limits?.passed() ?? NONE_PASSED
    return found.length > 0 ? found : NONE_PASSED
  }

  function report(steps: readonly Step[], reason?: WatchEvent['reason']): void {
    if (steps.length === 0) return
    tell(steps.map((step) => eventOf(step, reason)))
    onOpen?.(incidents.open())
  }

  function eventOf(
    { event, at, incident, trouble, before, after }: Step,
    reason?: WatchEvent['reason'],
  ): Wordless<WatchEvent> {
    const { key, device: of, route, source, destination, word, caller, measure } = trouble
    const hasEnded = event === 'incident.ended'
    const details = hasEnded ? undefined : trouble.details
    const present = route && (seen.get(route.id)?.route ?? route)
    return {
      event,
      at,
      incident,
      device: of.id === '' ? device() : of,
      before,
      after,
      // It may have been renamed since.
      ...(present && { route: named(present) }),
      ...(source && { source }),
      ...(destination && { destination }),
      ...(word !== undefined && { word }),
      ...(caller !== undefined && { caller: callerNamed(caller) }),
      ...(details !== undefined && { details }),
      ...(reason && { reason }),
      ...(measure !== undefined && {
        measure,
        of: trouble.of,
        value: hasEnded ? (limitOf(key)?.value ?? null) : trouble.value,
        limit: trouble.limit,
      }),
    }
  }

  /** Keeps the route where it matters; returns how it is to this watch. */
  function visit(route: RouteState, parts: RouteHealth, bitrate: number): RouteHealth {
    const { own, outputs } = parts
    const isDown = own.sign === 'stopped' && mustNotStop?.(route.name)
    const health = isDown ? { own: NOT_RUNNING, outputs } : parts
    const matters =
      limits !== undefined ||
      awaited.length > 0 ||
      !incidents.isQuiet() ||
      isTrouble(health.own) ||
      outputs.some(isTrouble)
    if (!matters) return health
    const found: Seen = { route, health, bitrate }
    if (seen === NONE_SEEN) seen = new Map()
    seen.set(route.id, found)
    if (isTrouble(own) || outputs.some(isTrouble)) return health
    if (passed.length > 0 && limits!.passed(route.id).some((one) => counts(one, found))) {
      return { own: PASSED, outputs }
    }
    const away = awaited.find((one) => one.route?.id === route.id && one.standing === 'away')
    return away ? { own: { ...CALLER_AWAY, output: away.expected.row.name }, outputs } : health
  }

  return {
    begin: (known) => known,
    polled({ state, figures, at, isSame }, visitRoutes) {
      seen = NONE_SEEN
      latest = state
      callers?.polled(state, figures, wantsRoute, at)
      awaited = callers ? awaitedIn(state, book?.(), callers, wantsRoute) : NONE_AWAITED
      limits?.polled(state, figures, wantsRoute, at)
      passed = passedNow()
      const isSteady = isSame && !limits && awaited.length === 0 && incidents.isQuiet()
      if (!isSteady) visitRoutes(visit)
      const { code, state: status } = state.condition
      const isQuiet =
        seen === NONE_SEEN && incidents.isQuiet() && !deviceHealth(code, status).reason
      if (!isQuiet) takeView(state, at)
    },
    // The watch has held it, and says it once: its timer may have come a little early.
    away(outage) {
      const at = Math.max(clock.now(), outage.since + holdFor)
      take(outageOf(outage), at, reasonOf(outage))
    },
    // That it is over, the poll shows that follows.
    back: () => undefined,
    restoredOutage: () => incidents.open().find(({ kind }) => kind === 'gateway')?.since,
    removed: () => report(incidents.endAll()),
    lacking: (isDue) => [
      ...((isDue && limits?.lacking()) || []),
      ...(callers?.lacking() ?? []).filter((route) =>
        awaited.some(({ expected }) => isRouteOf(expected.row, route)),
      ),
    ],
    measured(statistics, at) {
      for (const one of statistics) {
        limits?.measured(one, at)
        callers?.measured(one, at)
      }
      if (awaited.length === 0 || !latest || !callers) return
      awaited = awaitedIn(latest, book?.(), callers, wantsRoute)
      passed = passedNow()
      takeView(latest, at)
    },
    callers,
    save: () => ({ incidents: incidents.open(), troubles: incidents.save() }),
    restore({ incidents: saved, troubles }) {
      if (saved) incidents.restore(saved)
      if (troubles) incidents.goOn(troubles)
      if (saved) onOpen?.(incidents.open())
    },
  }

  function outageOf({ since }: Outage): Sight {
    const key = keyOf('gateway', [])
    const signs = { kind: 'gateway', severity: 'critical', reason: 'gateway-away' } as const
    const trouble = { key, ...signs, device: device(), seenSince: since }
    return { troubles: new Map([[key, trouble]]), standing: () => 'unknown' }
  }
}

const NONE_SEEN: Map<string, Seen> = new Map()
const NONE_PASSED: readonly SavedLimit[] = []

const callerNamed = (name: string): EventCaller => {
  return { address: null, port: null, name, since: null, durationMs: null }
}
