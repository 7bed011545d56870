import { GatewayError } from '../errors'
import type { EventName, Threshold } from '../model/watch'
import type { FailedStatistics, Statistics } from '../operations/statistics'
import { applied, compare, keyOf, type Change } from './compare'
import {
  eventNameOf,
  eventOf,
  snapshotOf,
  type Named,
  type Snapshot,
  type WatchEvent,
} from './events'
import { eventFilter, routeFilter, type RouteFilter } from './filter'
import { createLimits } from './limits'
import type { Clock, Miss } from './poller'
import { isRunning, type DeviceState, type RouteState } from './state'

/** What one watch wants to be told. */
export interface WatchOptions {
  /** By default the appliance's only device. */
  deviceId?: string
  /** By default all events. */
  events?: readonly EventName[]
  /** By default all routes. Events that are about no route come all the same. */
  route?: RouteFilter
  /** A change counts when it has lasted so many ms. */
  holdFor?: number
  /** Limits on statistics, which are read only for routes that run and that the watch is about. */
  thresholds?: readonly Threshold[]
  /** What one look brought, in a fixed order. */
  onEvents: (events: WatchEvent[]) => void
  /** The whole state, once, before the first event that a look brings. */
  onSnapshot?: (snapshot: Snapshot) => void
  /** After each look: what is known, and how well. */
  onHealth?: (health: Health) => void
  /** A failure that does not pass by itself: told once, until a look succeeds again. */
  onFailure?: (error: GatewayError) => void
}

/** How well a watch knows the routes that it is about. */
export interface Health {
  /** Undefined while nothing is known. */
  known?: {
    routes: number
    running: number
    /** Unix ms. */
    seenAt: number
  }
  /** Why the latest look failed. */
  failure?: GatewayError
  /** It counts as unreachable. */
  unreachable: boolean
}

/** One watch: turns what is seen into what it is told. */
export interface Follower {
  /** The device that it names; undefined for the only one. */
  readonly deviceId?: string
  /** The state as far as it is known when the watch begins. */
  begin(known: { state?: DeviceState; seenAt: number; away?: Miss }): void
  /** A look succeeded. `changes` are those since the state before. */
  seen(state: DeviceState, changes: readonly Change[], at: number): void
  missed(miss: Miss): void
  unreachable(miss: Miss): void
  reachable(outage: { since: number; outageMs: number }): void
  /** Routes whose statistics are wanted. */
  measures(state: DeviceState): RouteState[]
  measured(statistics: ReadonlyArray<Statistics | FailedStatistics>, at: number): void
  failed(error: GatewayError): void
  end(): void
}

/** Errors that waiting does not heal. */
const LASTING: ReadonlySet<string> = new Set([
  'CONFIG',
  'INVALID_INPUT',
  'LOGIN_REFUSED',
  'FORBIDDEN',
  'NOT_FOUND',
  'TLS',
])

export function createFollower(options: WatchOptions, clock: Clock): Follower {
  const { holdFor = 0, thresholds = [] } = options
  const wantsEvent = eventFilter(options.events)
  const wantsRoute = routeFilter(options.route)
  const limits =
    thresholds.length > 0 && STATISTICS.some(wantsEvent)
      ? createLimits(thresholds, holdFor)
      : undefined
  /** The state as the flow knows it: behind the present one by the changes that are held. */
  let told: DeviceState | undefined
  /** Since when each held change shows. */
  let held = new Map<string, number>()
  let counts = { routes: 0, running: 0 }
  let seenAt = 0
  let away: { miss: Miss; isTold: boolean; cancel?: () => void } | undefined
  /** The lasting failures that were told. */
  const lasting: { look?: string; statistics?: string } = {}

  // A watch that comes from another poller of the same device begins anew, knowing what it knows.
  function begin(known: Parameters<Follower['begin']>[0]): void {
    if (away && !known.away) {
      const { since } = away.miss
      reachable({ since, outageMs: clock.now() - since })
    }
    if (known.state && told?.id !== known.state.id) start(known.state, known.seenAt)
    if (known.away && !away) unreachable(known.away)
    else if (known.state) tellHealth(known.away?.error)
  }

  function start(state: DeviceState, at: number): void {
    const isAnother = told?.id !== state.id
    told = state
    held = new Map()
    seenAt = at
    counts = count(state)
    if (isAnother) options.onSnapshot?.(snapshotOf(state, at, wantsRoute))
  }

  function seen(state: DeviceState, changes: readonly Change[], at: number): void {
    lasting.look = undefined
    if (told?.id !== state.id) start(state, at)
    else {
      if (changes.length > 0) counts = count(state)
      seenAt = at
      tell(due(state, changes, at).map(([change, since]) => eventOf(change, since, state)))
      if (limits) tellLimits(limits.running(runningIn(state), at))
    }
    tellHealth()
  }

  /** The changes that have lasted long enough, and since when. */
  function due(
    state: DeviceState,
    changes: readonly Change[],
    at: number,
  ): Array<[Change, number]> {
    if (holdFor === 0) {
      told = state
      return changes.filter(wants).map((change) => [change, at])
    }
    if (held.size === 0 && changes.length === 0) return []
    const dueNow: Array<[Change, number]> = []
    const settled: Change[] = []
    const stillHeld = new Map<string, number>()
    for (const change of compare(told!, state)) {
      const key = keyOf(change)
      const since = held.get(key) ?? at
      if (!wants(change)) settled.push(change)
      else if (at - since >= holdFor) {
        settled.push(change)
        dueNow.push([change, since])
      } else stillHeld.set(key, since)
    }
    held = stillHeld
    told = held.size === 0 ? state : applied(told!, settled)
    return dueNow
  }

  function wants(change: Change): boolean {
    if (!wantsEvent(eventNameOf(change))) return false
    if (!('route' in change)) return true
    if (wantsRoute(change.route)) return true
    return change.of === 'route.name' && wantsRoute({ ...change.route, name: change.from })
  }

  function missed(miss: Miss): void {
    fail('look', miss.error)
    tellHealth(miss.error)
  }

  function fail(what: 'look' | 'statistics', error: GatewayError): void {
    if (!LASTING.has(error.code) || lasting[what] === error.code) return
    lasting[what] = error.code
    options.onFailure?.(error)
  }

  function unreachable(miss: Miss): void {
    const { error, since } = miss
    const { code, message } = error
    const now = { miss, isTold: false, cancel: undefined as (() => void) | undefined }
    away = now
    const say = (): void => {
      now.isTold = true
      tell([
        {
          event: 'appliance.unreachable',
          at: since,
          device: device(),
          reason: { code, message },
          before: 'reachable',
          after: 'unreachable',
        },
      ])
    }
    const left = since + holdFor - clock.now()
    if (left > 0) now.cancel = clock.after(left, say)
    else say()
    tellHealth(error)
  }

  function reachable({ since, outageMs }: { since: number; outageMs: number }): void {
    const ended = away
    away = undefined
    ended?.cancel?.()
    if (!ended?.isTold) return
    tell([
      {
        event: 'appliance.reachable',
        at: clock.now(),
        device: device(),
        since,
        outageMs,
        before: 'unreachable',
        after: 'reachable',
      },
    ])
  }

  const device = (): Named => ({ id: told?.id ?? options.deviceId ?? '', name: told?.name ?? '' })

  function tell(events: WatchEvent[]): void {
    const wanted = events.filter(({ event }) => wantsEvent(event))
    if (wanted.length > 0) options.onEvents(wanted)
  }

  const tellLimits = (events: ReturnType<NonNullable<typeof limits>['running']>): void =>
    tell(events.map((event) => ({ ...event, device: device() })))

  function tellHealth(failure?: GatewayError): void {
    const known = told && { ...counts, seenAt }
    options.onHealth?.({ known, failure, unreachable: away !== undefined })
  }

  function count({ routes }: DeviceState): typeof counts {
    const wanted = options.route ? [...routes.values()].filter(wantsRoute) : [...routes.values()]
    const running = wanted.filter(({ condition }) => isRunning(condition)).length
    return { routes: wanted.length, running }
  }

  function measures({ routes }: DeviceState): RouteState[] {
    if (!limits) return []
    return [...routes.values()].filter((route) => isRunning(route.condition) && wantsRoute(route))
  }

  return {
    deviceId: options.deviceId,
    begin,
    seen,
    missed,
    unreachable,
    reachable,
    measures,
    measured(statistics, at) {
      if (!limits || !told) return
      lasting.statistics = undefined
      for (const one of statistics) {
        const route = one.route as Named | undefined
        if (!route || 'error' in one || !wantsRoute(route)) continue
        tellLimits(limits.measured(one, at))
      }
    },
    failed: (error) => fail('statistics', error),
    end() {
      away?.cancel?.()
    },
  }

  function runningIn(state: DeviceState): Set<string> {
    return new Set(measures(state).map(({ id }) => id))
  }
}

const STATISTICS: readonly EventName[] = ['statistics.low', 'statistics.high', 'statistics.normal']
