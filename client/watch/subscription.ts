import { GatewayError, isLasting } from '../errors'
import type { EventName, Language, Threshold } from '../model/watch'
import type { FailedStatistics, Statistics } from '../api/statistics'
import { applied, compare, keyOf, type Change } from './compare'
import {
  eventNameOf,
  eventOf,
  snapshotOf,
  valueOf,
  type Named,
  type Snapshot,
  type Wordless,
  type WatchEvent,
} from './events'
import { createDataWatch } from './data'
import { settingsOf, type Open } from './open'
import type { Figures } from './figures'
import { eventFilter, routeFilter, type RouteFilter } from './filter'
import { createThresholds } from './thresholds'
import type { Clock, Miss } from './poller'
import { inOrder, passagesIn } from './scope'
import { isRunning, type DeviceState, type RouteState } from './state'
import { eventText } from './text/event-text'

/** What one watch wants to know. */
export interface WatchOptions {
  /** By default the appliance's only device. */
  deviceId?: string
  /** By default all events. */
  events?: readonly EventName[]
  /** By default all routes. Events that are not about a route are reported in any case. */
  route?: RouteFilter
  /** Milliseconds that a change must last; default 0. */
  holdFor?: number
  /** Limits on bitrates, which polls show, and on other statistics, which are read for running routes. */
  thresholds?: readonly Threshold[]
  /** The language of the texts of events and snapshot; default `en-US`. */
  language?: Language
  /** The events of one poll, in a fixed order. */
  onEvents: (events: WatchEvent[]) => void
  /** The whole state, once, before the first event. */
  onSnapshot?: (snapshot: Snapshot) => void
  /** After each poll: what is known, and how well. */
  onHealth?: (health: Health) => void
  /** A failure that does not pass by itself: reported once, until a poll succeeds again. */
  onFailure?: (error: GatewayError) => void
  /**
   * After each poll and each reading of statistics, once all watches of the device have been told, and
   * after what one of them has told between two polls.
   */
  onTold?: () => void
}

/** How well a watch knows its routes. */
export interface Health {
  /** Undefined while nothing is known. */
  known?: {
    routes: number
    running: number
    /** Unix ms. */
    seenAt: number
  }
  /** Why the latest poll failed. */
  failure?: GatewayError
  /** Since when polls have failed, in Unix ms. */
  since?: number
  /** The appliance counts as unreachable. */
  unreachable: boolean
}

/** One watch: turns what is read into what it reports. */
export interface Subscription {
  /** The device that it names; undefined for the only one. */
  readonly deviceId?: string
  /** The state as far as it is known when the watch starts. */
  begin(known: { state?: DeviceState; figures?: Figures; seenAt: number; away?: Miss }): void
  /** The same for watches with the same settings, in whatever process. */
  readonly settings: string
  /** What it has reported as begun and not yet as ended; undefined where there is nothing. */
  open(): Open | undefined
  /**
   * Goes on with what the same watch of another process has reported as begun.
   * @param device its name there
   */
  resume(open: Open, device?: Named): void
  /** What another process has seen, or has reported, before the first poll, which follows. */
  takeOver(state: DeviceState, at: number): void
  /** A poll succeeded. `changes` are those since the state before. */
  seen(state: DeviceState, changes: readonly Change[], at: number, figures: Figures): void
  missed(miss: Miss): void
  unreachable(miss: Miss): void
  reachable(): void
  /** Routes whose statistics are wanted, as of the latest poll. */
  measures(): readonly RouteState[]
  measured(statistics: ReadonlyArray<Statistics | FailedStatistics>, at: number): void
  failed(error: GatewayError): void
  /** All watches of the device have been told. */
  settled(): void
  end(): void
}

/** A change that has not lasted long enough. */
interface Held {
  /** Since when there is a change, by the clock. */
  since: number
  /** The new value, and since when it has been that. */
  value: string
  at: number
}

const NONE_HELD: ReadonlyMap<string, Held> = new Map()

export function createSubscription(
  options: WatchOptions,
  clock: Clock,
  /** What a text calls a gateway whose device is not known yet. */
  gatewayName = '',
  /** It has told something between two polls. */
  onLate: () => void = () => undefined,
): Subscription {
  const { holdFor = 0, thresholds = [] } = options
  const wantsEvent = eventFilter(options.events)
  const wantsRoute = routeFilter(options.route)
  const limits =
    thresholds.length > 0 && STATISTICS.some(wantsEvent)
      ? createThresholds(thresholds, holdFor)
      : undefined
  const data = DATA.some(wantsEvent) ? createDataWatch(holdFor) : undefined
  /** The last state reported to the flow; lags the current one by the changes on hold. */
  let told: DeviceState | undefined
  /** The changes on hold, by their keys. */
  let held = NONE_HELD
  let counts = { routes: 0, running: 0 }
  let seenAt = 0
  /** An outage: since when, by the clock and as it is reported. */
  let away: { since: number; at: number; isTold: boolean; cancel?: () => void } | undefined
  /** What another process knew, until this one knows something. */
  let former: { device?: Named; told?: DeviceState } | undefined
  /** What was told is not the state before the latest changes. */
  let isBehind = false
  let settings: string | undefined
  /** The lasting failures that were reported. */
  const lasting: { look?: string; statistics?: string } = {}

  // A watch that moves over from another poller of the same device keeps what it knows.
  function begin(known: Parameters<Subscription['begin']>[0]): void {
    if (known.state && told?.id !== known.state.id) {
      start(known.state, known.seenAt, known.figures)
    }
    if (known.state && !known.away) reachable()
    if (known.away && !away) unreachable(known.away)
    else if (known.state) tellHealth(known.away)
  }

  function start(state: DeviceState, at: number, figures?: Figures): void {
    const isAnother = told?.id !== state.id
    told = state
    former = undefined
    held = NONE_HELD
    seenAt = at
    counts = count(state)
    if (!isAnother || !options.onSnapshot) return
    const { event, ...all } = snapshotOf(state, clock.unix(at), wantsRoute, figures)
    options.onSnapshot({ event, text: eventText({ event, ...all }, options.language), ...all })
  }

  function seen(
    state: DeviceState,
    changes: readonly Change[],
    at: number,
    figures: Figures,
  ): void {
    lasting.look = undefined
    const isNew = told?.id !== state.id
    if (isNew) start(state, at, figures)
    reachable()
    if (!isNew) {
      if (changes.length > 0 || isBehind) counts = count(state)
      seenAt = at
      tell(due(state, changes, at))
    }
    if (data) tellMeasured(data.polled(state, figures, wantsRoute, at))
    if (limits) tellMeasured(limits.polled(state, figures, wantsRoute, at))
    tellHealth()
  }

  /** Returns the events of changes that have lasted long enough. */
  function due(state: DeviceState, latest: readonly Change[], at: number): Wordless<WatchEvent>[] {
    const known = told!
    told = state
    if (held.size === 0 && latest.length === 0 && !isBehind) return []
    isBehind = false
    const changes = holdFor === 0 ? latest : compare(known, state)
    const passages = options.route ? passagesIn(changes, known, wantsRoute) : NO_PASSAGES
    const dueNow: Array<{ change: Change; at: number; passage?: Change & { of: 'route' } }> = []
    const settled: Change[] = []
    const stillHeld = new Map<string, Held>()
    const left = new Set<string>()
    for (const change of changes) {
      const id = 'route' in change ? change.route.id : ''
      const passage = passages.get(id)
      const renamed = change.of === 'route.name' ? passage : undefined
      // Other changes of a route are part of the route that appears, or no longer of interest.
      if (passage && !renamed && (passage.to || left.has(id))) {
        settled.push(change)
        continue
      }
      const steps = renamed ? stepsOf(change, renamed) : [change]
      const wanted = steps.filter((step) => wants(step, known))
      const entries = wanted.map((step) => [keyOf(step), heldSince(step, at)] as const)
      const isHeld = entries.some(([, { since }]) => at - since < holdFor)
      if (isHeld) for (const [key, entry] of entries) stillHeld.set(key, entry)
      else {
        settled.push(change)
        if (renamed?.from) left.add(id)
        for (const [index, step] of wanted.entries()) {
          dueNow.push({ change: step, at: entries[index]![1].at, passage: renamed })
        }
      }
    }
    held = stillHeld.size > 0 ? stillHeld : NONE_HELD
    if (held.size > 0) told = applied(known, settled)
    const ordered = passages.size > 0 ? inOrder(dueNow) : dueNow
    return ordered.map((one) => eventOf(one.change, clock.unix(one.at), state))
  }

  function heldSince(change: Change, at: number): Held {
    const before = held.get(keyOf(change))
    const value = holdFor === 0 ? '' : valueOf(change)
    if (!before) return { since: at, value, at }
    return before.value === value ? before : { since: before.since, value, at }
  }

  function wants(change: Change, known: DeviceState): boolean {
    if (!wantsEvent(eventNameOf(change))) return false
    if (!('route' in change)) return true
    return wantsRoute(known.routes.get(change.route.id) ?? change.route) || wantsRoute(change.route)
  }

  function missed(miss: Miss): void {
    fail('look', miss.error)
    tellHealth(miss)
  }

  function fail(what: 'look' | 'statistics', error: GatewayError): void {
    if (!isLasting(error) || lasting[what] === error.code) return
    lasting[what] = error.code
    options.onFailure?.(error)
  }

  function unreachable(miss: Miss): void {
    // Another process has reported it.
    if (away) return tellHealth(miss)
    const { error, since } = miss
    const { code, message, cause } = error
    const detail = cause.reason ? { detail: cause.reason } : undefined
    const at = clock.unix(since)
    const now = { since, at, isTold: false, cancel: undefined as (() => void) | undefined }
    away = now
    const say = (): void => {
      now.isTold = true
      tell([
        {
          event: 'appliance.unreachable',
          at,
          device: device(),
          reason: { code, message, ...detail },
          before: 'reachable',
          after: 'unreachable',
        },
      ])
    }
    const left = since + holdFor - clock.now()
    const sayLate = (): void => {
      say()
      onLate()
    }
    if (left > 0) now.cancel = clock.after(left, sayLate)
    else say()
    tellHealth(miss)
  }

  function reachable(): void {
    const ended = away
    away = undefined
    ended?.cancel?.()
    if (!ended?.isTold) return
    tell([
      {
        event: 'appliance.reachable',
        at: clock.unix(clock.now()),
        device: device(),
        since: ended.at,
        outageMs: clock.now() - ended.since,
        before: 'unreachable',
        after: 'reachable',
      },
    ])
  }

  function device(): Named {
    const { id = options.deviceId ?? '', name = '' } = told ?? former?.device ?? {}
    return { id, name }
  }

  function open(): Open | undefined {
    const noData = data?.open() ?? []
    const passed = limits?.open() ?? []
    const lagging = held.size > 0 ? told : former?.told
    const found: Open = {
      ...(away?.isTold && { unreachableSince: away.at }),
      ...(noData.length > 0 && { noData }),
      ...(passed.length > 0 && { limits: passed }),
      ...(lagging && { told: lagging }),
    }
    return Object.keys(found).length > 0 ? found : undefined
  }

  function resume(begun: Open, known?: Named): void {
    const { unreachableSince: at, noData = [], limits: passed = [] } = begun
    if (!told) former = { device: known, told: begun.told }
    data?.resume(noData)
    limits?.resume(passed)
    if (at === undefined || away) return
    const now = clock.now()
    // The clock of the other process may be ahead.
    away = { since: Math.min(now, now + at - clock.unix(now)), at, isTold: true }
  }

  function tell(events: Wordless<WatchEvent>[]): void {
    const wanted = events.filter(({ event }) => wantsEvent(event))
    if (wanted.length > 0) options.onEvents(wanted.map(inWords))
  }

  function inWords({ event, ...facts }: Wordless<WatchEvent>): WatchEvent {
    const { device: found } = facts
    const called = found.name ? found : { ...found, name: gatewayName }
    const text = eventText({ event, ...facts, device: called }, options.language)
    return { event, text, ...facts }
  }

  const tellMeasured = (events: readonly Omit<Wordless<WatchEvent>, 'device'>[]): void =>
    tell(events.map((event) => ({ ...event, at: clock.unix(event.at), device: device() })))

  function tellHealth(miss?: Miss): void {
    const { routes, running } = counts
    const known = told && { routes, running, seenAt: clock.unix(seenAt) }
    const trouble = miss && { failure: miss.error, since: clock.unix(miss.since) }
    options.onHealth?.({ known, ...trouble, unreachable: away !== undefined })
  }

  function count({ routes }: DeviceState): typeof counts {
    const wanted = options.route ? [...routes.values()].filter(wantsRoute) : [...routes.values()]
    const running = wanted.filter(({ condition }) => isRunning(condition)).length
    return { routes: wanted.length, running }
  }

  return {
    deviceId: options.deviceId,
    get settings() {
      return (settings ??= settingsOf(options))
    },
    begin,
    open,
    resume,
    takeOver(state, at) {
      if (told?.id === state.id) return
      start(state, at)
      isBehind = true
    },
    seen,
    missed,
    unreachable,
    reachable,
    measures: () => limits?.lacking() ?? [],
    measured(statistics, at) {
      if (!limits || !told) return
      lasting.statistics = undefined
      for (const one of statistics) {
        const route = one.route as Named | undefined
        if (!route || 'error' in one || !wantsRoute(route)) continue
        tellMeasured(limits.measured(one, at))
      }
    },
    failed: (error) => fail('statistics', error),
    settled: () => options.onTold?.(),
    end() {
      away?.cancel?.()
    },
  }
}

/** A rename that makes a route appear or disappear: a flow gets no event about a route that it does not know. */
const stepsOf = (name: Change, passage: Change & { of: 'route' }): Change[] =>
  passage.to ? [passage, name] : [name, passage]

const NO_PASSAGES: ReturnType<typeof passagesIn> = new Map()

const DATA: readonly EventName[] = ['source.data', 'source.data-lost']
const STATISTICS: readonly EventName[] = ['statistics.low', 'statistics.high', 'statistics.normal']
