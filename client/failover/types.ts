import type { Applied } from '../errors'
import type {
  FailoverCause,
  FailoverEventName,
  FailoverState,
  InUse,
  Side,
} from '../model/failover'

/** What one look at the protected route shows. */
export type Look =
  /** No answer, or one that does not show what is needed. */
  | { route: 'unknown' }
  /** `inUse` is absent when neither of two routes runs. */
  | { route: 'stopped'; inUse?: InUse; main?: boolean }
  /** `main`: whether the monitor receives main well; absent when that is not known. */
  | { route: 'running'; inUse: InUse; good: boolean; main?: boolean }

/** Why a change was not made, or may not have been. */
export interface Failure {
  code: string
  message: string
  applied: Applied
}

/** What can happen to a failover. */
export type Input =
  | { kind: 'look'; look: Look }
  /** `msg.action`, with `msg.hold`. */
  | { kind: 'command'; action: unknown; hold?: unknown }
  /** The change that was asked for has been sent, or has failed. Once for each `act`. */
  | { kind: 'outcome'; failure?: Failure }
  /** `msg.main`: a probe says whether main is good. */
  | { kind: 'main'; good: unknown }

/** A change of source, from the decision until the new source is good or has had its time. */
export interface Change {
  from: InUse
  to: Side
  cause: FailoverCause
  at: number
  /** What a person asked for: `restore` leaves the new source, or nothing at all replaces it. */
  stays?: 'manual' | 'forced'
  /** When the route was first seen with the new source. */
  arrivedAt?: number
  failure?: Failure
  /** The gateway has accepted all of it. */
  isSent?: boolean
}

/** Times that run only while the route is known. When it is not, all of them are reset. */
export interface Waits {
  /** The latest look that showed how good the source in use is. */
  judgedAt?: number
  /** The latest good one. */
  goodAt?: number
  goodSince?: number
  /** Since a good look the source was bad, or another one. */
  isOut?: boolean
  /** Since when the source in use is a new one, until it is good. */
  newSince?: number
  badSince?: number
  badLooks?: number
  /** Bad times of the latest `degradePer` seconds. */
  bad?: Array<{ from: number; to: number }>
  mainGoodSince?: number
}

/** All that a failover remembers: plain JSON without secrets. All times are Unix ms. */
export interface Memory {
  /** What it protects; all but `held` is forgotten when that is something else. */
  subject: string
  /** The setting `hold` that `held` began with: a new setting counts, an old one does not. */
  hold: boolean
  held: boolean
  /** The source that was last seen; absent before the first look. */
  inUse?: InUse
  /** A person has chosen the source in use: `restore` leaves it. */
  manual: boolean
  /** When the automatic switches of the latest `limitPer` seconds were made. */
  switches: number[]
  /** The limit has been reached, and no good time has ended that yet. */
  limited: boolean
  /** How often the guard has been doubled. */
  slowed: number
  guardUntil: number
  change?: Change
  /** A change that did not show in time, and still may. */
  late?: Change
  /** Neither of two routes runs, since the start of this one failed. */
  halfway?: Side
  /** `no-protection` has been reported since the latest good look. */
  isReported: boolean

  // A restart forgets what follows.
  state: FailoverState
  /** The latest look at all. */
  lookedAt?: number
  /** A change was asked for, and its outcome is still to come. */
  isBusy: boolean
  /** What the probe last said about main. */
  mainIsGood?: boolean
  waits: Waits
}

/** What a failover reports. The node adds the text and the route. */
export interface FailoverEvent {
  event: FailoverEventName
  /** Unix ms. */
  at: number
  state: FailoverState
  from: InUse | null
  to: InUse | null
  cause: FailoverCause | null
  /** From the last good look to the first one after it, in the report of that one. */
  outageMs: number | null
  /** From the decision until the route had the new source, or until it was given up. */
  durationMs: number | null
  /** Automatic switches in the latest `limitPer` seconds. */
  switches: number
  held: boolean
  dryRun: boolean
  /** Why there is no protection. */
  reason?: Blocked
  /** Why a switch failed; absent when the route did not show it in time. */
  failure?: Failure
}

/** Why a switch that is due is not made. */
export type Blocked = 'held' | 'switching' | 'main-bad' | 'guard'

/** A change to make now. Its outcome must follow as an input, whatever it is. */
export interface Act {
  from: InUse
  to: Side
  cause: FailoverCause
}

/** What follows from an input. */
export interface Decision {
  memory: Memory
  state: FailoverState
  act?: Act
  events: FailoverEvent[]
  /** When to look next; absent when the planned look stands. */
  next?: number
  /** When the wait of this state ends, unless something else happens. */
  due?: number
}
