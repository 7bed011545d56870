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

/** A clock for watches: waits are monotonic, reported times are those of the machine. */
export interface UnixClock extends Clock {
  /** A time of this clock as Unix ms, by the clock of the machine as it is set now; never a later one. */
  unix(at: number): number
}

export const REAL_TIME: UnixClock = {
  now: () => Math.floor(MONOTONIC.now()),
  after: (ms, callback) => MONOTONIC.after(ms, callback),
  unix: (at) => Math.floor(Date.now() - (MONOTONIC.now() - at)),
}

/** The time of the clock for a Unix time; not later than now, as the clock of another process may be ahead. */
export function fromUnix(clock: UnixClock, at: number): number {
  const now = clock.now()
  return Math.min(now, now + at - clock.unix(now))
}
