import * as crypto from 'node:crypto'
import { isLasting, type GatewayError } from '../../errors'
import type { OpenIncident, Report } from '../../model/incident'
import type { EventName, Language, Threshold } from '../../model/watch'
import type { Statistics } from '../../api/statistics'
import { createChangeReporter } from './change-reporter'
import type { Snapshot, Wordless, WatchEvent } from '../../model/event'
import type { Named } from '../../model/types'
import { snapshotOf } from './events'
import { turnsOf, type Figures } from '../measuring/figures'
import { eventFilter, routeFilter, type RouteFilter } from './filter'
import { NOTHING_KNOWN, countsOf, type Counts } from './counts'
import { createIncidentReporter } from './incident-reporter'
import { fromUnix, type UnixClock } from '../../clock'
import type { Miss } from '../../poller'
import type { Beginning, Reporting, Visit } from './reporter'
import type { SavedWatch } from '../saved'
import type { DeviceState } from '../state'
import { eventText } from '../text/event-text'

/** What one watch wants to know. */
export interface WatchOptions {
  /** By default the appliance's only device. */
  deviceId?: string
  /** Incidents, or all single changes; default `changes`. */
  report?: Report
  /** Incidents only: a pattern of the names of routes for which `stopped` is an incident. */
  mustRun?: string
  /** Incidents only: those that are open. By default those of an equal watch that has just ended. */
  open?: readonly OpenIncident[]
  /** Incidents only: those that are open now, after each change of them. */
  onOpen?: (open: readonly OpenIncident[]) => void
  /** Changes only. By default all events. */
  events?: readonly EventName[]
  /** By default all routes. Events that are not about a route are reported in any case. */
  route?: RouteFilter
  /** Milliseconds that a change, or an incident and its end, must last; default 0, with incidents 10,000. */
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
  onHealth?: (health: WatchHealth) => void
  /** A failure that does not pass by itself: reported once, until a poll succeeds again. */
  onFailure?: (error: GatewayError) => void
  /** @internal Of the node: it goes on with what itself has reported, not with that of another one. */
  id?: string
}

/** How a watch sees its routes, and how well it knows them. */
export interface WatchHealth {
  /** Undefined while nothing is known. */
  known?: Counts & {
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

/** One watch: turns what is read into what it reports. After its end it reports nothing. */
export type Subscription = ReturnType<typeof createSubscription>

/** What costs requests: reported where it is asked for, or callers have names. */
const CALLERS: readonly EventName[] = ['caller.joined', 'caller.left']

/** How long an incident, and its end, must last by default, in ms. */
const INCIDENT_HOLD_MS = 10_000

export function createSubscription(
  options: WatchOptions,
  clock: UnixClock,
  /** What a text calls a gateway whose device is not known yet. */
  gatewayName = '',
  /** It has told something between two polls. */
  onLate: () => void = () => undefined,
  /** The names of callers, where any are set. */
  book?: Reporting['book'],
) {
  const { report, thresholds = [], language } = options
  const ofIncidents = report === 'incidents'
  const { holdFor = ofIncidents ? INCIDENT_HOLD_MS : 0 } = options
  const wantsEvent = ofIncidents ? () => true : eventFilter(options.events)
  const wantsRoute = routeFilter(options.route)
  const hasChosen = (options.events ?? []).length > 0
  const wantsCallers = hasChosen ? CALLERS.some(wantsEvent) : book !== undefined
  const isDone = (): boolean => isOver
  const reporting: Reporting = { clock, holdFor, wantsRoute, device, book, tell, isOver: isDone }
  const reporter = ofIncidents
    ? createIncidentReporter({ ...options, thresholds }, reporting)
    : createChangeReporter({ wantsEvent, thresholds, wantsCallers }, reporting)
  /** The device at its latest poll. */
  let latest: DeviceState | undefined
  let counts = NOTHING_KNOWN
  /** The turns of the figures at which the reporter has last visited all routes. */
  let countedAt: number | undefined
  let seenAt = 0
  let away: Away | undefined
  /** What was saved, until something is known here. */
  let restored: { watch: SavedWatch; device?: Named } | undefined
  let isRestored = false
  let isOver = false
  let key: string | undefined
  /** The lasting failures that were reported. */
  const lasting: { look?: string; statistics?: string } = {}

  /** One that moves over from another poller of the same device keeps what it knows. */
  function begin(known: {
    state?: DeviceState
    figures?: Figures
    seenAt: number
    away?: Miss
  }): void {
    const { state } = known
    if (state) takeOver(state, state, known.seenAt, known.figures)
    if (known.away) return unreachable(known.away)
    if (!state) return
    reachable()
    tellHealth()
  }

  /** Begins with the device. @param known as it was when this was saved, or else as it is */
  function takeOver(known: DeviceState, present: DeviceState, at: number, figures?: Figures): void {
    if (latest?.id === present.id) return
    const state = reporter.begin(known, present)
    const shown = state === present ? figures : undefined
    latest = state
    restored = undefined
    seenAt = at
    counts = count(state, shown)
    countedAt = undefined
    if (!options.onSnapshot || isOver) return
    const { event, ...all } = snapshotOf(state, clock.unix(at), wantsRoute, figures, present)
    options.onSnapshot({ event, text: eventText({ event, ...all }, language), ...all })
  }

  function seen(state: DeviceState, at: number, figures: Figures): void {
    lasting.look = undefined
    const turns = turnsOf(figures)
    const isSame = state === latest && turns === countedAt
    takeOver(state, state, at, figures)
    reachable()
    latest = state
    seenAt = at
    countedAt = turns
    reporter.polled({ state, isSame, at, figures }, (visit) => {
      counts = count(state, figures, visit)
    })
    tellHealth()
  }

  function missed(miss: Miss): void {
    fail('look', miss.error)
    tellHealth(miss)
  }

  function fail(what: 'look' | 'statistics', error: GatewayError): void {
    if (isOver || !isLasting(error) || lasting[what] === error.code) return
    lasting[what] = error.code
    options.onFailure?.(error)
  }

  function unreachable(miss: Miss): void {
    // A watch before this one has reported it.
    if (away) return tellHealth(miss)
    const { since } = miss
    const at = clock.unix(since)
    const now: Away = { since, at, isTold: false }
    away = now
    const say = (): void => {
      now.isTold = true
      reporter.away({ ...miss, at })
    }
    const left = since + holdFor - clock.now()
    if (left <= 0) say()
    else {
      now.cancel = clock.after(left, () => {
        say()
        onLate()
      })
    }
    tellHealth(miss)
  }

  function reachable(): void {
    const ended = away
    away = undefined
    ended?.cancel?.()
    if (ended?.isTold) reporter.back(ended)
  }

  function device(): Named {
    const { id = options.deviceId ?? '', name = '' } = latest ?? restored?.device ?? {}
    return { id, name }
  }

  function save(): SavedWatch {
    const saved = reporter.save()
    const { at, isTold } = away ?? {}
    // One that was reported is among the incidents, or has ended there.
    if (ofIncidents && isTold) return saved
    return {
      ...saved,
      away: at === undefined ? restored?.watch.away : { at, isTold: isTold === true },
    }
  }

  /** As far as it has not begun itself. @param known the name of the device there */
  function restore(watch: SavedWatch, known?: Named): void {
    isRestored = true
    if (!latest) restored = { watch, device: known }
    reporter.restore(watch)
    const at = watch.away?.isTold ? watch.away.at : reporter.restoredOutage?.()
    if (at === undefined || away) return
    away = { since: fromUnix(clock, at), at, isTold: true }
  }

  function tell(events: Wordless<WatchEvent>[]): void {
    const wanted = isOver ? [] : events.filter(({ event }) => wantsEvent(event))
    if (wanted.length > 0) options.onEvents(wanted.map(inWords))
  }

  function inWords({ event, ...facts }: Wordless<WatchEvent>): WatchEvent {
    const { device: found } = facts
    const called = found.name ? found : { ...found, name: gatewayName }
    const text = eventText({ event, ...facts, device: called }, language)
    return { event, text, ...facts }
  }

  function tellHealth(miss?: Miss): void {
    if (isOver) return
    const known = latest && { ...counts, seenAt: clock.unix(seenAt) }
    const trouble = miss && { failure: miss.error, since: clock.unix(miss.since) }
    options.onHealth?.({ known, ...trouble, unreachable: away !== undefined })
  }

  function count(state: DeviceState, shown?: Figures, visit?: Visit): Counts {
    return countsOf(state, shown, options.route && wantsRoute, visit)
  }

  // No getters, see `life/device`.
  return {
    /** The device that it names; undefined for the only one. */
    deviceId: options.deviceId,
    /** It was given what an earlier watch has left open. */
    isGiven: ofIncidents && options.open !== undefined,
    /** The same for watches with the same settings, in whatever process; with its ID, where it has one. */
    key: () => (key ??= [settingsOf(options), ...(options.id ? [options.id] : [])].join(' ')),
    isRestored: () => isRestored,
    /** Since when the appliance was unreachable by what was restored, Unix ms. */
    restoredOutage: () => restored?.watch.away?.at ?? reporter.restoredOutage?.(),
    begin,
    save,
    restore,
    takeOver,
    seen,
    missed,
    /** A poll has no response yet, and may still get one. */
    overdue: (miss: Miss): void => tellHealth(miss),
    unreachable,
    reachable,
    /** @param isDue the statistics for limits, which are always wanted, were not read just now */
    measures: (isDue: boolean) => reporter.lacking(isDue),
    measured(statistics: readonly Statistics[], at: number): void {
      lasting.statistics = undefined
      reporter.measured(statistics, at)
    },
    /** Who is connected, where it follows that. */
    callers: reporter.callers,
    failed: (error: GatewayError) => fail('statistics', error),
    /** What is watched has left; the end comes next. */
    removed: () => reporter.removed?.(),
    end(): void {
      isOver = true
      away?.cancel?.()
    },
  }
}

interface Away extends Beginning {
  isTold: boolean
  cancel?: () => void
}

/** The same for watches with the same settings, in whatever process: they report the same. */
export function settingsOf(options: WatchOptions): string {
  const { deviceId = '', events = [], route = null, holdFor = 0, thresholds = [] } = options
  const { report, mustRun = '' } = options
  const text = JSON.stringify(
    report === 'incidents'
      ? [deviceId, report, mustRun, route, options.holdFor ?? INCIDENT_HOLD_MS, thresholds]
      : [deviceId, [...events].sort(), route, holdFor, thresholds],
  )
  return crypto.createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
