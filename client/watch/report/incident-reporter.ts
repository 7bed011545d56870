import {
  NOT_RUNNING,
  deviceHealth,
  isTrouble,
  type Health,
  type Reason,
  type RouteHealth,
} from '../../model/health'
import type { IncidentKind, OpenIncident } from '../../model/incident'
import type { CallerRow, ExpectedCaller } from '../../model/callers'
import { patternFilter } from '../../model/pattern'
import type { Threshold } from '../../model/watch'
import type { EventCaller, WatchEvent, Wordless } from '../../model/event'
import type { Named } from '../../model/types'
import { named } from '../../model/ids'
import { reasonOf } from './events'
import { isCalled, isRouteOf } from '../measuring/caller-book'
import { createIncidents, type Sight, type Standing, type Step, type Trouble } from './incidents'
import type { Outage, Reporter, Reporting } from './reporter'
import { UNTOLD, isRunning, type DeviceState, type RouteState } from '../state'
import { createThresholds, limitPlace, type SavedLimit } from '../measuring/thresholds'

export interface IncidentOptions {
  mustRun?: string
  thresholds: readonly Threshold[]
  open?: readonly OpenIncident[]
  onOpen?: (open: readonly OpenIncident[]) => void
}

/** What follows callers is loaded with the first names of callers. */
const newCallerWatch: typeof import('../measuring/callers').createCallerWatch = (...of) =>
  (require('../measuring/callers') as typeof import('../measuring/callers')).createCallerWatch(
    ...of,
  )

/** Reports incidents: what is wrong, not what has changed. */
export function createIncidentReporter(
  { mustRun, thresholds, open, onOpen }: IncidentOptions,
  { clock, holdFor, wantsRoute, device, book, tell }: Reporting,
): Reporter {
  const unix = (at: number): number => clock.unix(at)
  const incidents = createIncidents(holdFor, unix)
  // Its own hold would only add to that of the incidents.
  const limits = thresholds.length > 0 ? createThresholds(thresholds, 0) : undefined
  const callers = book && newCallerWatch(0, unix, book)
  const mustNotStop = mustRun ? patternFilter(mustRun) : undefined
  /** The routes of the present poll, as far as they matter. */
  let seen: Map<string, Seen> | undefined
  /** The limits that are passed at the present poll, by their places. */
  let passed: ReadonlyArray<readonly [string, SavedLimit]> = NONE_PASSED
  /** The state of the present poll. */
  let latest: DeviceState | undefined
  /** The expected callers by the present poll. */
  let awaited: readonly Awaited[] = NONE_AWAITED
  /** What is measured, by the keys of its troubles, once it is needed: a thousand may end at once. */
  let limitsByKey: ReadonlyMap<string, SavedLimit> | undefined
  /** What an earlier watch has left open, until something is seen or another one is known to have gone on. */
  let given = open

  function takeGiven(): void {
    if (given) incidents.restore(given, clock.now())
    given = undefined
  }

  const openNow = (): readonly OpenIncident[] => given ?? incidents.open()

  function takeSeen(state: DeviceState, at: number): void {
    awaited = awaited.map((one) => (isCovered(one) ? { ...one, standing: 'covered' } : one))
    take({ troubles: troublesIn(state), standing: standingIn(state) }, at)
  }

  function take(sight: Sight, at: number, reason?: WatchEvent['reason']): void {
    limitsByKey = undefined
    report(incidents.take(sight, at), reason)
  }

  function report(steps: readonly Step[], reason?: WatchEvent['reason']): void {
    if (steps.length === 0) return
    tell(steps.map((step) => eventOf(step, reason)))
    onOpen?.(incidents.open())
  }

  function eventOf(
    { event, at, incident, trouble, ...signs }: Step,
    reason?: WatchEvent['reason'],
  ) {
    const {
      device: seenOf,
      route,
      source,
      destination,
      word,
      details,
      caller,
      measure,
      of,
      limit,
    } = trouble
    const about: Wordless<WatchEvent> = {
      event,
      at,
      incident,
      device: seenOf.id === '' ? device() : seenOf,
      ...signs,
    }
    // It may have been renamed since.
    if (route) about.route = named(seen?.get(route.id)?.route ?? route)
    if (source) about.source = source
    if (destination) about.destination = destination
    if (word !== undefined) about.word = word
    if (caller !== undefined) about.caller = callerNamed(caller)
    if (details !== undefined && event !== 'incident.ended') about.details = details
    if (reason) about.reason = reason
    if (measure === undefined) return about
    const value = event === 'incident.ended' ? (limitOf(trouble)?.value ?? null) : trouble.value
    return { ...about, measure, of, value, limit }
  }

  function limitOf({ key }: Trouble): SavedLimit | undefined {
    limitsByKey ??= limitsNow()
    return limitsByKey.get(key)
  }

  function limitsNow(): Map<string, SavedLimit> {
    const found = new Map<string, SavedLimit>()
    for (const [place, one] of limits?.places ?? []) {
      const threshold = thresholds[one.limit]!
      const of = one.level === 'normal' ? (['low', 'high'] as const) : [one.level]
      for (const level of of) {
        const key = limitKey(device().id, one, place, threshold, level)
        if (!found.has(key)) found.set(key, one)
      }
    }
    return found
  }

  function troublesIn(state: DeviceState): Map<string, Trouble> {
    const troubles = new Map<string, Trouble>()
    const add = (trouble: Trouble): unknown => troubles.set(trouble.key, trouble)
    const { id, condition } = state
    const whole = { device: named(state) }
    const ofDevice = deviceHealth(condition.code, condition.state)
    if (ofDevice.reason !== undefined) {
      // Nobody can see what an offline device still serves.
      const severity = ofDevice.sign === 'warning' ? 'warning' : 'critical'
      const { details } = condition
      add({ ...whole, ...whatOf('device', ofDevice, [id]), severity, details })
    }
    if (ofDevice.sign === 'unknown') return troubles
    for (const { route, health } of seen?.values() ?? []) {
      const { own, outputs } = health
      const ofRoute = { ...whole, route: named(route) }
      if (isTrouble(own)) {
        const part = OF_SOURCE.has(own.reason) ? route.source : undefined
        add({
          ...ofRoute,
          ...whatOf('route', own, [id, route.id]),
          ...(part && { source: { id: part.id ?? '', name: part.name } }),
          details: (part ?? route).condition.details,
        })
      }
      if (outputs.some(isTrouble)) {
        let index = 0
        for (const [key, { id: partId = '', name, condition: at }] of route.destinations) {
          const output = outputs[index++]!
          if (!isTrouble(output)) continue
          add({
            ...ofRoute,
            ...whatOf('output', output, [id, route.id, key]),
            destination: { id: partId, name },
            details: at.details,
          })
        }
      }
    }
    for (const { expected, route, destination, standing } of awaited) {
      if (standing !== 'away') continue
      add({
        ...whole,
        ...whatOf('caller', CALLER_AWAY, [id, expected.key]),
        ...(route && { route: named(route) }),
        ...(destination && { destination }),
        caller: expected.row.name,
      })
    }
    for (const [place, one] of passed) {
      const found = seen?.get(one.route.id)
      if (!found || !counts(one, found)) continue
      const threshold = thresholds[one.limit]!
      const { measure, of } = threshold
      const level = one.level as 'low' | 'high'
      add({
        ...whole,
        key: limitKey(id, one, place, threshold, level),
        kind: 'threshold',
        severity: 'warning',
        reason: 'threshold',
        route: named(found.route),
        ...(one.destination && { destination: named(one.destination) }),
        measure,
        of,
        value: one.value ?? undefined,
        limit: threshold[level],
      })
    }
    return troubles
  }

  const standingIn =
    (state: DeviceState) =>
    (trouble: Trouble): Standing => {
      const { kind, device: before, route, key } = trouble
      if (before.id !== state.id && (before.id !== '' || kind !== 'gateway')) return 'removed'
      if (kind === 'gateway' || kind === 'device') return 'ok'
      if (deviceHealth(state.condition.code, state.condition.state).sign === 'unknown') {
        return 'unknown'
      }
      if (kind === 'caller') return standingOfCaller(key, state)
      const found = seen?.get(route?.id ?? '')
      if (!found) return 'removed'
      if (kind === 'route') return standingOf(found)
      if (kind === 'output') {
        const index = [...found.route.destinations.keys()].findIndex(
          (each) => keyOf('output', [state.id, found.route.id, each]) === key,
        )
        return standingOfOutput(found, index)
      }
      if (!thresholds.some((threshold) => isOf(threshold, trouble))) return 'removed'
      const standing = standingOf(found, trouble.destination)
      if (standing !== 'ok') return standing
      return limitOf(trouble) ? 'ok' : 'unknown'
    }

  /** What is not known of the list of callers ends nothing. */
  function standingOfCaller(key: string, state: DeviceState): Standing {
    if (!book) return 'removed'
    if (!book()) return 'unknown'
    const found = awaited.find(({ expected }) => keyOf('caller', [state.id, expected.key]) === key)
    return found && found.standing !== 'away' ? found.standing : 'removed'
  }

  /** How each expected caller is, without what follows from the trouble of a route. */
  function awaitedIn(state: DeviceState): Awaited[] {
    const expected = book?.()?.expected ?? []
    if (expected.length === 0) return []
    const routes = [...state.routes.values()].filter(wantsRoute)
    const present = callers!.present()
    return expected.flatMap((one): Awaited[] => {
      const { row } = one
      const its = routes.filter((route) => isRouteOf(row, route))
      if (its.length === 0) return []
      const [route] = its.length === 1 ? its : []
      const isRunningNow = its.some(({ condition }) => isRunning(condition))
      const say = (standing: Awaited['standing']): Awaited[] => [
        { expected: one, route, destination: outputOf(row, route), standing },
      ]
      if (present.some(({ address, place }) => one.is(address, place))) return say('ok')
      if (!isRunningNow) return say(row.expected === 'always' ? 'away' : 'stopped')
      return say(its.every((each) => callers!.isKnown(each)) ? 'away' : 'unknown')
    })
  }

  /** Nobody can call a route whose source is lost. */
  function isCovered({ expected, standing }: Awaited): boolean {
    const of = [...(seen?.values() ?? [])].filter(({ route }) => isRouteOf(expected.row, route))
    return (
      standing === 'away' && of.length > 0 && of.every((found) => standingOf(found) === 'covered')
    )
  }

  return {
    wantsChanges: false,
    look({ state, figures, at }) {
      takeGiven()
      seen = undefined
      latest = state
      callers?.polled(state, figures, wantsRoute, at)
      awaited = callers ? awaitedIn(state) : NONE_AWAITED
      if (!limits) return
      limits.polled(state, figures, wantsRoute, at)
      const found = [...limits.places].filter(([, { level }]) => level !== 'normal')
      passed = found.length > 0 ? found : NONE_PASSED
    },
    visit(route, parts) {
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
      const found = { route, health }
      seen ??= new Map()
      seen.set(route.id, found)
      const isPassed = passed.some(([, one]) => one.route.id === route.id && counts(one, found))
      if (isTrouble(own) || outputs.some(isTrouble)) return health
      if (isPassed) return { own: PASSED, outputs }
      const away = awaited.find((one) => one.route?.id === route.id && one.standing === 'away')
      return away ? { own: awayOf(away.expected.row.name), outputs } : health
    },
    isSteady: () => limits === undefined && awaited.length === 0 && incidents.isQuiet(),
    begin: (known) => known,
    polled({ state, at }) {
      const { code, state: status } = state.condition
      const isQuiet = !seen && incidents.isQuiet() && !deviceHealth(code, status).reason
      if (!isQuiet) takeSeen(state, at)
    },
    away(outage) {
      takeGiven()
      take(outageOf(outage), clock.now(), reasonOf(outage))
    },
    // That it is over, the poll shows that follows.
    back: () => undefined,
    restoredOutage: () => openNow().find(({ kind }) => kind === 'gateway')?.since,
    removed() {
      takeGiven()
      report(incidents.endAll(clock.now()))
    },
    lacking: (isDue) => [
      ...((isDue && limits?.lacking()) || []),
      ...(callers?.lacking() ?? []).filter((route) =>
        awaited.some(({ expected }) => isRouteOf(expected.row, route)),
      ),
    ],
    measured(statistics, at) {
      for (const one of statistics) {
        if ('error' in one) continue
        limits?.measured(one, at)
        callers?.measured(one, at)
      }
      if (awaited.length === 0 || !latest) return
      awaited = awaitedIn(latest)
      takeSeen(latest, at)
    },
    callers: callers && (() => callers.present()),
    save: () => ({ incidents: openNow() }),
    restore({ incidents: saved }) {
      if (!saved) return
      given = undefined
      incidents.restore(saved, clock.now())
      onOpen?.(incidents.open())
    },
  }

  function outageOf({ since }: Outage): Sight {
    const trouble: Trouble = {
      key: keyOf('gateway', []),
      kind: 'gateway',
      severity: 'critical',
      reason: 'gateway-away',
      device: device(),
      seenSince: since,
    }
    return { troubles: new Map([[trouble.key, trouble]]), standing: () => 'unknown' }
  }
}

/** An expected caller, and how it is; with its route where that is one. */
interface Awaited {
  expected: ExpectedCaller
  route?: Named
  destination?: Named
  standing: Standing | 'away'
}

const NONE_AWAITED: readonly Awaited[] = []
const CALLER_AWAY: Health = Object.freeze({ sign: 'warning', reason: 'caller-away' })
const awayOf = (name: string): Health => ({ ...CALLER_AWAY, output: name })

const callerNamed = (name: string): EventCaller => {
  return { address: null, port: null, name, since: null, durationMs: null }
}

/** The output that a row names. */
function outputOf({ output }: CallerRow, route: RouteState | undefined): Named | undefined {
  const found = [...(output && route ? route.destinations.values() : [])].find((each) =>
    isCalled(each, output),
  )
  return found && { id: found.id ?? '', name: found.name }
}

/** A watched route, and how it is. */
interface Seen {
  route: RouteState
  health: RouteHealth
}

const NONE_PASSED: ReadonlyArray<readonly [string, SavedLimit]> = []
const PASSED: Health = Object.freeze({ sign: 'warning', reason: 'threshold' })

const OF_SOURCE: ReadonlySet<Reason | undefined> = new Set([
  'no-source',
  'no-data',
  'source-error',
  'source-warning',
])

const keyOf = (kind: IncidentKind, of: readonly unknown[]): string => JSON.stringify([kind, ...of])

function limitKey(
  deviceId: string,
  { route, limit }: SavedLimit,
  place: string,
  threshold: Threshold,
  level: 'low' | 'high',
): string {
  const part = place.slice(limitPlace(route, limit, '').length)
  const { measure, of, [level]: value } = threshold
  return keyOf('threshold', [deviceId, route.id, of, part, measure, level, value])
}

const isOf = ({ measure, of, low, high }: Threshold, trouble: Trouble): boolean =>
  measure === trouble.measure &&
  of === trouble.of &&
  (low === trouble.limit || high === trouble.limit)

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
const counts = ({ destination }: SavedLimit, found: Seen): boolean =>
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
  [...route.destinations.values()].findIndex(
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
