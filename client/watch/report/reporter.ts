import type { Statistics } from '../../api/statistics'
import type { CallerBook } from '../../model/callers'
import type { RouteHealth } from '../../model/health'
import type { Callers } from '../measuring/callers'
import type { WatchEvent, Wordless } from '../../model/event'
import type { Named } from '../../model/types'
import type { Figures } from '../measuring/figures'
import type { UnixClock } from '../../clock'
import type { Miss } from '../../poller'
import type { SavedWatch } from '../saved'
import type { DeviceState, RouteState } from '../state'

export interface Reporter {
  /** @param known as earlier polls have shown it. @returns the state to begin with, which a snapshot shows */
  begin(known: DeviceState, present: DeviceState): DeviceState
  /** @param visitRoutes visits each watched route; not needed where all are as before */
  polled(poll: Poll, visitRoutes: (visit?: Visit) => void): void
  /** The gateway counts as unreachable, for as long as the watch holds. */
  away(outage: Outage): void
  /** It was, and is reachable again. */
  back(outage: Beginning): void
  /** What is watched has left: what is open ends. */
  removed?: () => void
  /** Since when it was unreachable by what was restored, Unix ms. */
  restoredOutage?: () => number | undefined
  /** As `Subscription.measures`. */
  lacking(isDue: boolean): readonly RouteState[]
  measured(statistics: readonly Statistics[], at: number): void
  /** Who is connected, where it follows that. */
  callers?: Callers
  save(): SavedWatch
  /** Goes on with what was saved; what was reported here counts more. */
  restore(saved: SavedWatch): void
}

/** Returns how a route is to this watch. @param bitrate that of its source; NaN where it is not known */
export type Visit = (route: RouteState, health: RouteHealth, bitrate: number) => RouteHealth

export interface Poll {
  state: DeviceState
  /** All routes are as at the poll before. */
  isSame: boolean
  at: number
  figures: Figures
}

/** When an outage of the gateway began. */
export interface Beginning {
  /** By the clock. */
  since: number
  /** Unix ms. */
  at: number
}

export type Outage = Beginning & Miss

export interface Reporting {
  clock: UnixClock
  holdFor: number
  wantsRoute: (route: Named) => boolean
  /** The device, as far as it is known. */
  device: () => Named
  /** The names of callers, as far as they have been read; absent where none are set. */
  book?: () => CallerBook | undefined
  tell: (events: Array<Wordless<WatchEvent>>) => void
  /** The watch has ended, maybe by its own listener. */
  isOver: () => boolean
}
