/** Time for waits and durations, so that tests can move it. */
export interface Clock {
  /** Milliseconds from an arbitrary point: only the difference of two values means something. */
  now(): number
  /** Calls back after `ms` milliseconds; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
}

/** Not affected when the system time is set: a wait lasts as long as it says. */
export const MONOTONIC: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** How long a response may take, in ms, before what is known counts as old. */
export const RESPONSE_MS = 5000
/** A timer that is so late has found the process held up. */
const HELD_UP_MS = 1000

/** Tells when nothing has come for as long as was expected; not where only this process was held up. */
export function createSilence(clock: Clock, onSilence: () => void) {
  let cancel: (() => void) | undefined
  function expect(ms: number): void {
    cancel?.()
    const at = clock.now() + ms
    cancel = clock.after(ms, () => {
      // What has come meanwhile is not read yet.
      if (clock.now() - at > HELD_UP_MS) expect(RESPONSE_MS)
      else onSilence()
    })
  }
  return { expect, end: (): void => cancel?.() }
}

/** A clock for watches: waits are monotonic, reported times are those of the machine. */
export interface UnixClock extends Clock {
  /**
   * A time of this clock as Unix ms, by the clock of the machine as it is set now; at most 2 ms off. The
   * same time gives the same number until that clock is set.
   */
  unix(at: number): number
}

export const REAL_TIME: UnixClock = {
  now: () => Math.floor(MONOTONIC.now()),
  after: (ms, callback) => MONOTONIC.after(ms, callback),
  unix: (at) => Math.floor(offsetNow() + at),
}

/** From the monotonic clock to the Unix time. */
let offset = NaN
/** As much as two measurements of it may differ, in ms: `Date.now` leaves out a part of one. */
const TOLERATED_MS = 2

function offsetNow(): number {
  let highest = -Infinity
  // Other processes may run between the two: then it is measured too low.
  for (let times = 0; times < 3; times++) {
    const measured = Date.now() - MONOTONIC.now()
    if (Math.abs(measured - offset) < TOLERATED_MS) return offset
    highest = Math.max(highest, measured)
  }
  return (offset = highest)
}

/** The time of the clock for a Unix time; not later than now, as the clock of another process may be ahead. */
export function fromUnix(clock: UnixClock, at: number): number {
  const now = clock.now()
  return Math.min(now, now + at - clock.unix(now))
}
