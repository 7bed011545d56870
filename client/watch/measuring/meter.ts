import type { Statistics } from '../../api/statistics'
import type { WatchEvent, Wordless } from '../../model/event'
import type { Named } from '../../model/types'
import type { DeviceState, RouteState } from '../state'
import type { Figures } from './figures'

/** Measures something by polls and statistics. Returns what has changed for long enough. */
export interface Meter<Saved> {
  /** Takes a poll. Routes that are not wanted count as gone. */
  polled(
    state: DeviceState,
    figures: Figures,
    wants: (route: Named) => boolean,
    at: number,
  ): MeasuredEvent[]
  /** Returns the routes of which the latest poll did not show enough: their statistics are needed. */
  lacking(): readonly RouteState[]
  /** Takes the statistics of such a route. Those of other routes mean nothing. */
  measured(statistics: Statistics, at: number): MeasuredEvent[]
  save(): Saved
  /** Goes on with what was saved; what was reported here since counts more. */
  restore(saved: Saved): void
}

/** Its time is by the clock. */
export type MeasuredEvent = Omit<Wordless<WatchEvent>, 'device'>

/** A value that differs from the reported one, but has not lasted long enough. */
export interface Held<Value = string> {
  /** Since when the value differs, by the clock. */
  readonly since: number
  readonly value: Value
  /** Since when it has been this value, by the clock. */
  readonly at: number
}

/** Returns how long a value has differed, with what was known of that before. */
export function held<Value>(
  before: Held<Value> | undefined,
  value: Value,
  at: number,
): Held<Value> {
  if (!before) return { since: at, value, at }
  return before.value === value ? before : { since: before.since, value, at }
}
