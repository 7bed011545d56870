import { MONOTONIC, type Clock } from './clock'
import type { GatewayError } from './errors'
import { LinkedSet } from './linked-set'

/** Like an AbortSignal, on which thousands may wait without the leak warning of Node.js. */
export class Stop {
  readonly #listeners = new LinkedSet<() => void>()
  #stopped = false

  get stopped(): boolean {
    return this.#stopped
  }

  /** Calls all listeners, once and for good. */
  now(): void {
    if (this.#stopped) return
    this.#stopped = true
    let listener: (() => void) | undefined
    while ((listener = this.#listeners.takeFirst())) listener()
  }

  /** Calls the listener at the stop, or at once if stopped. Returns a function that removes it. */
  onStop(listener: () => void): () => void {
    if (this.#stopped) {
      listener()
      return () => undefined
    }
    const link = this.#listeners.add(listener)
    return () => link.remove()
  }
}

/** Returns a stop that comes so many milliseconds after another one, unless it is ended before. */
export function stopAfter(
  first: Stop | undefined,
  ms: number,
  clock: Clock,
): { stop: Stop; end: () => void } {
  const stop = new Stop()
  let cancel = (): void => undefined
  const unhook = first?.onStop(() => {
    cancel = clock.after(ms, () => stop.now())
  })
  return {
    stop,
    end() {
      unhook?.()
      cancel()
    },
  }
}

/** Adds one listener to each signal, however many calls share it: Node.js warns of many. */
export function createStops() {
  const used = new Map<AbortSignal, ReturnType<typeof listen>>()

  function listen(signal: AbortSignal) {
    const stop = new Stop()
    const abort = (): void => stop.now()
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    return { stop, calls: 0, abort }
  }

  return {
    /** Returns a stop that follows the signal, and a function that releases it. */
    of(signal: AbortSignal | undefined): { stop?: Stop; release: () => void } {
      if (!signal) return { release: () => undefined }
      const shared = used.get(signal) ?? listen(signal)
      used.set(signal, shared)
      shared.calls++
      return {
        stop: shared.stop,
        release() {
          if (--shared.calls > 0) return
          used.delete(signal)
          signal.removeEventListener('abort', shared.abort)
        },
      }
    },
  }
}

/** Settles as the promise does or, when the stop comes first, rejects with the error. */
export function untilStopped<T>(
  work: Promise<T>,
  stop: Stop | undefined,
  error: () => GatewayError,
): Promise<T> {
  if (!stop) return work
  return new Promise((resolve, reject) => {
    const unhook = stop.onStop(() => reject(error()))
    void work.then(resolve, reject).finally(unhook)
  })
}

/** Settles as the work does, but rejects when that takes longer. What comes later is ignored. */
export async function inTime<T>(
  ms: number,
  work: Promise<T>,
  late: () => Error,
  clock: Pick<Clock, 'after'> = MONOTONIC,
): Promise<T> {
  let cancel = (): void => undefined
  const limit = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(ms, () => reject(late()))
  })
  return Promise.race([work, limit]).finally(() => cancel())
}

/** Waits for the work, but no longer than `ms` milliseconds; rejects as it does. */
export async function within(
  ms: number,
  work: Promise<unknown>,
  clock: Pick<Clock, 'after'> = MONOTONIC,
): Promise<void> {
  let cancel = (): void => undefined
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([work, limit]).finally(() => cancel())
}

/** Waits for so many milliseconds, or until the stop. */
export function pause(ms: number, stop: Stop): Promise<void> {
  return new Promise((resolve) => {
    let unhook: () => void = () => undefined
    const done = (): void => {
      clearTimeout(timer)
      unhook()
      resolve()
    }
    const timer = setTimeout(done, ms)
    unhook = stop.onStop(done)
  })
}
