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
