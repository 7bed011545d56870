import type { GatewayError } from './errors'

/**
 * Tells any number of waiting calls to stop. It does what an AbortSignal does, but
 * thousands may wait on one without the leak warning that Node.js gives for signals.
 */
export class Stop {
  readonly #listeners = new Set<() => void>()
  #stopped = false

  get stopped(): boolean {
    return this.#stopped
  }

  /** Stops all that listen, once and for good. */
  now(): void {
    if (this.#stopped) return
    this.#stopped = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  /** Calls the listener at the stop, or at once when that is past. Returns how to remove it. */
  onStop(listener: () => void): () => void {
    if (this.#stopped) {
      listener()
      return () => undefined
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** KeyedMutex signals into stops. */
export interface Stops {
  /** A stop that comes with the signal, and how to give it back. */
  of(signal: AbortSignal | undefined): { stop?: Stop; release: () => void }
}

interface Shared {
  stop: Stop
  calls: number
  abort: () => void
}

/** Adds one listener to each signal, however many calls share it: Node.js warns of many. */
export function createStops(): Stops {
  const used = new Map<AbortSignal, Shared>()

  function listen(signal: AbortSignal): Shared {
    const stop = new Stop()
    const abort = (): void => stop.now()
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    return { stop, calls: 0, abort }
  }

  return {
    of(signal) {
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

/** Ends with the promise or, when the stop comes first, with the error. */
export function untilStopped<T>(
  work: Promise<T>,
  stop: Stop | undefined,
  error: () => GatewayError,
): Promise<T> {
  if (!stop) return work
  return new Promise((resolve, reject) => {
    const unhook = stop.onStop(() => reject(error()))
    work.then(
      (result) => {
        unhook()
        resolve(result)
      },
      (reason: Error) => {
        unhook()
        reject(reason)
      },
    )
  })
}

/** Waits for the work, but no longer than `ms` milliseconds. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}
