import type { Clock } from '../../clock'

/** The timers of one owner, which end together. */
export interface Timers {
  /** Calls back after `ms` milliseconds; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
  /** Settles as the work does, or rejects after `ms` milliseconds. */
  answered<T>(ms: number, work: Promise<T>): Promise<T>
  /** Resolves when the work has settled, or after `ms` milliseconds. */
  settled(ms: number, work: Promise<unknown>): Promise<void>
  /** Cancels all. What waits for one of them waits for ever. */
  stop(): void
}

export function createTimers(clock: Clock): Timers {
  const cancels = new Set<() => void>()

  function after(ms: number, callback: () => void): () => void {
    const cancel = clock.after(Math.max(0, ms), () => {
      cancels.delete(off)
      callback()
    })
    const off = (): void => {
      cancels.delete(off)
      cancel()
    }
    cancels.add(off)
    return off
  }

  async function answered<T>(ms: number, work: Promise<T>): Promise<T> {
    let cancel: (() => void) | undefined
    const late = new Promise<never>((_resolve, reject) => {
      cancel = after(ms, () => reject(new Error('The engine does not respond.')))
    })
    return await Promise.race([work, late]).finally(() => cancel!())
  }

  return {
    after,
    answered,
    settled: (ms, work) => answered(ms, work).then(nothing, nothing),
    stop() {
      for (const cancel of cancels) cancel()
    },
  }
}

const nothing = (): void => undefined
