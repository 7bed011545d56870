import type { Applied, ErrorCode } from '../errors'
import type {
  Differs,
  FailoverCause,
  FailoverEventName,
  FailoverState,
  InUse,
  Side,
  Unprotected,
} from '../model/failover'

type Sides<T> = { [side in Side]?: T }

/** What one read shows of the protected route, and whether the monitors receive main and backup well. */
export type Look = Sides<boolean> &
  (
    | { route: 'unknown' }
    /** `inUse` is absent when neither of two routes runs. */
    | { route: 'stopped'; inUse?: InUse }
    | {
        route: 'running'
        inUse: InUse
        good: boolean
        /** A change that the gateway has accepted does not show yet. */
        isPending?: boolean
        differs?: Differs
      }
  )

/** Why a change was not made, or may not have been. */
export type Failure = { code: ErrorCode; message: string; applied: Applied }

export type Input =
  | { kind: 'look'; look: Look }
  /** No answer for as long as `silenceMs`, whatever the reads do that are under way. */
  | { kind: 'silence' }
  /** `msg.action`, with `msg.hold`. */
  | { kind: 'command'; action: unknown; hold?: unknown }
  /** The change that was asked for has been sent, or has failed. Once for each `act`. */
  | { kind: 'outcome'; failure?: Failure }
  /** `msg.main`: a probe says whether main is good. */
  | { kind: 'main'; good: unknown }

/** What a change that takes a trial back must still know of it. */
export type Trial = Pick<Change, 'cause' | 'at' | 'arrivedAt'>

/** Under way until the route shows it, and then until the new source is good or has had its time. */
export interface Change {
  from: InUse
  to: Side
  cause: FailoverCause
  at: number
  /** What a person asked for: nothing returns from the new source, or nothing at all replaces it. */
  stays?: 'manual' | 'forced'
  /** Of a way back: the trial that has failed. */
  trial?: Trial
  /** A monitor that turned good has ended the wait for this trial. */
  isByMonitor?: boolean
  /** How often it has been sent, and when it may be sent again. */
  sends: number
  again?: number
  /** The gateway has accepted the latest one. */
  isAccepted?: boolean
  failure?: Failure
  /** When the route was first seen with the new source. */
  arrivedAt?: number
}

/** Why the source that is not in use has to wait before it is tried. */
export interface Rest {
  /** Trials in a row in which it was not good. */
  failed: number
  since: number
  /** It is not tried before. */
  again: number
  /** Its latest trial was made because of a monitor, in vain: until it was good, no monitor ends the wait. */
  isDistrusted?: boolean
  /** Its latest trial did not reach the route. */
  isRefused?: boolean
}

/** What a monitor or a probe said about a source. */
export interface Statement {
  good: boolean
  /** When it was said last, and since when it has been the same. */
  at: number
  since: number
}

/** Times of the source in use. A read without an answer leaves them as they are. */
export interface Waits {
  /** The latest answer, and the latest good one. */
  judgedAt?: number
  wasGood?: boolean
  goodAt?: number
  /**
   * How long, since a good answer, the source was bad or another one, until that is reported or the change
   * that was under way has ended.
   */
  outageMs?: number
  /** Since when what is known of the source in use has no gap. */
  seenSince?: number
  /** Since when the source in use is a new one, until it is good. */
  newSince?: number
  badSince?: number
  badLooks?: number
  /** Bad times of the latest minute. */
  bad?: Array<{ from: number; to: number }>
}

/** What was reported, and how often. */
interface Reported {
  since: number
  told: number
}

/** A loss of protection that was reported, until its end is. */
export interface Loss extends Reported {
  reason: Unprotected
  /** The last good answer before it, if the source in use was lost. */
  goodAt?: number
  /** Since when it seems to be over. */
  overSince?: number
}

/** What a failover must still know after a restart: plain JSON without secrets. All times are Unix ms. */
export interface KeptMemory {
  /** What it protects; all but `held` is forgotten when that is something else. */
  subject: string
  /** The setting `hold` that `held` began with: a new setting counts, an old one does not. */
  hold: boolean
  held: boolean
  /** The source that was last seen; absent before the first answer. */
  inUse?: InUse
  /** A person has chosen the source in use: nothing returns from it by itself. */
  manual: boolean
  /** The side that was good last: where a failed trial ends. */
  home?: Side
  rests: Sides<Rest>
  /** When a side was left because it had failed again and again. */
  degraded: Sides<number>
  change?: Change
  /** The latest change that was sent, as of then: the route may show it later. */
  sent?: Change & { sentAt: number }
  /** The latest return to main, and how many in a row had to be undone soon. */
  restored?: { at: number; relapses: number }
  loss?: Loss
  /** How many losses there were, each soon after the one before, and when the latest ended. */
  losses: { count: number; endedAt: number }
  /** The state of the latest event. */
  reported?: FailoverState
  /** By code: the failures of switches, until one succeeds. */
  failed?: { readonly [code: string]: Reported }
}

/** All that a failover remembers. */
export interface Memory extends KeptMemory {
  state: FailoverState
  /** The latest read at all. */
  lookedAt?: number
  /** A change was asked for, and its outcome is still to come. */
  isBusy: boolean
  statements: Sides<Statement>
  waits: Waits
  differs?: Differs
}

/** What a failover reports. The node adds the text and the route. All times are ms. */
export interface FailoverEvent {
  event: FailoverEventName
  at: number
  state: FailoverState
  from: InUse | null
  to: InUse | null
  cause: FailoverCause | null
  /** From the last good answer to the first one after it. */
  outageMs: number | null
  /** From the decision until the route had the new source, or until it was given up. */
  durationMs: number | null
  held: boolean
  /** Why there is no protection, or what is over; of `failover.failed` when the new source was not good. */
  reason?: Unprotected | 'not-good'
  differs?: Differs
  /** Why a switch failed; absent when the route did not show it in time. */
  failure?: Failure
}

/** A change to make now. Its outcome must follow as an input, whatever it is. */
export interface Act extends Pick<Change, 'from' | 'to' | 'cause'> {
  /** Of two routes, neither runs: one was stopped for the other. */
  isHalfway?: boolean
}

export interface Decision {
  memory: Memory
  act?: Act
  events: FailoverEvent[]
  /** When the wait of this state ends, unless something else happens. */
  due?: number
}
