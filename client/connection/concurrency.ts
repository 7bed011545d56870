import { MONOTONIC, type Clock } from '../clock'
import { closedError } from '../errors'
import { LinkedSet } from '../linked-set'
import type { Stop } from '../stop'

/** A task in the background waits until no other task does. One that is first waits for none. */
export type Rank = 'first' | 'background'

export type Semaphore = ReturnType<typeof createSemaphore>

/** Runs at most `limit` tasks concurrently, and one that is first besides; the rest wait in FIFO order. */
export function createSemaphore(limit: number, clock: Clock = MONOTONIC) {
  type Waiting = { since: number; start: () => void; fail: (reason: Error) => void }
  const first: Waiting[] = []
  const waiting: Waiting[] = []
  const inBackground: Waiting[] = []
  let running = 0

  return {
    async run<T>(task: () => Promise<T>, rank?: Rank): Promise<T> {
      if (running < (rank === 'first' ? limit + 1 : limit)) running++
      else {
        await new Promise<void>((start, fail) => {
          const queue = rank === 'first' ? first : rank === 'background' ? inBackground : waiting
          queue.push({ since: clock.now(), start, fail })
        })
      }
      try {
        return await task()
      } finally {
        const isFull = running > limit
        const next =
          first.shift() ?? (isFull ? undefined : (waiting.shift() ?? inBackground.shift()))
        if (next) next.start()
        else running--
      }
    },
    /**
     * Rejects all queued tasks, or those queued at `since` or earlier (ms of the clock). Running
     * tasks are left alone.
     */
    rejectQueued(reason: Error, since = Infinity): void {
      for (const queue of [first, waiting, inBackground]) {
        const later = queue.findIndex((one) => one.since > since)
        for (const { fail } of queue.splice(0, later < 0 ? queue.length : later)) fail(reason)
      }
    },
  }
}

/** Serializes tasks that share a key (first come, first served). */
export function createKeyedMutex(clock: Clock = MONOTONIC) {
  const last = new Map<string, Promise<void>>()
  const waiting = new LinkedSet<{ since: number; fail: (reason: Error) => void }>()

  function inOrder(key: string, task: () => Promise<void>): void {
    const over = (last.get(key) ?? Promise.resolve()).then(task)
    last.set(key, over)
    void over.then(() => {
      if (last.get(key) === over) last.delete(key)
    })
  }

  return {
    /** A stop ends only the wait for a turn: a task that has begun settles by itself. */
    run: <T>(key: string, task: () => Promise<T>, stop?: Stop): Promise<T> =>
      new Promise((resolve, reject) => {
        const unhook: Array<() => void> = []
        let failed = false
        const leave = (): void => {
          link.remove()
          for (const each of unhook) each()
        }
        function fail(reason: Error): void {
          failed = true
          leave()
          reject(reason)
        }
        const link = waiting.add({ since: clock.now(), fail })
        if (stop) unhook.push(stop.onStop(() => fail(closedError())))
        inOrder(key, async () => {
          leave()
          if (!failed) await task().then(resolve, reject)
        })
      }),
    /** Rejects the tasks queued at `since` or earlier (ms of the clock). Running tasks are left alone. */
    rejectQueued(reason: Error, since: number): void {
      for (const one of waiting.all()) if (one.since <= since) one.fail(reason)
    },
  }
}
