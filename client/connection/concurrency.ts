import { MONOTONIC, type Clock } from '../clock'
import { closedError } from '../errors'
import type { Stop } from '../stop'

/** Runs at most so many tasks at once; the others wait in order. */
export interface Lanes {
  run<T>(task: () => Promise<T>): Promise<T>
  /** Fails all that wait, or all that have waited since then (ms of the clock). Those that run are left alone. */
  giveUp(reason: Error, since?: number): void
}

export function createLanes(width: number, clock: Clock = MONOTONIC): Lanes {
  const waiting: Array<{ since: number; start: () => void; fail: (reason: Error) => void }> = []
  let running = 0

  return {
    async run(task) {
      if (running < width) running++
      else {
        await new Promise<void>((start, fail) => {
          waiting.push({ since: clock.now(), start, fail })
        })
      }
      try {
        return await task()
      } finally {
        const next = waiting.shift()
        if (next) next.start()
        else running--
      }
    },
    giveUp(reason, since = Infinity) {
      // They wait in the order in which they came.
      const later = waiting.findIndex((one) => one.since > since)
      for (const { fail } of waiting.splice(0, later < 0 ? waiting.length : later)) fail(reason)
    },
  }
}

/** Runs tasks with the same key one behind the other, in the order in which they came. */
export interface Turns {
  /** A stop ends only the waiting: a task that has begun tells by itself how it ended. */
  run<T>(key: string, task: () => Promise<T>, stop?: Stop): Promise<T>
  /** Fails all that have waited since then (ms of the clock). Those that run are left alone. */
  giveUp(reason: Error, since: number): void
}

export function createTurns(clock: Clock = MONOTONIC): Turns {
  const last = new Map<string, Promise<void>>()
  const waiting = new Set<{ since: number; fail: (reason: Error) => void }>()

  function inOrder(key: string, task: () => Promise<void>): void {
    const over = (last.get(key) ?? Promise.resolve()).then(task)
    last.set(key, over)
    void over.then(() => {
      if (last.get(key) === over) last.delete(key)
    })
  }

  return {
    run: (key, task, stop) =>
      new Promise((resolve, reject) => {
        const one = { since: clock.now(), fail }
        const unhook: Array<() => void> = []
        let failed = false
        const leave = (): void => {
          waiting.delete(one)
          for (const each of unhook) each()
        }
        function fail(reason: Error): void {
          failed = true
          leave()
          reject(reason)
        }
        waiting.add(one)
        if (stop) unhook.push(stop.onStop(() => fail(closedError())))
        inOrder(key, async () => {
          leave()
          if (!failed) await task().then(resolve, reject)
        })
      }),
    giveUp(reason, since) {
      for (const one of waiting) if (one.since <= since) one.fail(reason)
    },
  }
}
