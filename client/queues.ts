/** Runs at most so many tasks at once; the others wait in order. */
export interface Lanes {
  run<T>(task: () => Promise<T>): Promise<T>
  /** Fails all that wait, or all that have waited since then (ms). Those that run are left alone. */
  giveUp(reason: Error, since?: number): void
}

export function createLanes(width: number): Lanes {
  const waiting: Array<{ since: number; start: () => void; fail: (reason: Error) => void }> = []
  let running = 0

  return {
    async run(task) {
      if (running < width) running++
      else {
        await new Promise<void>((start, fail) => {
          waiting.push({ since: Date.now(), start, fail })
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
  run<T>(key: string, task: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    run(key, task) {
      const turn = (last.get(key) ?? Promise.resolve()).then(task)
      const over = turn.then(
        () => undefined,
        () => undefined,
      )
      last.set(key, over)
      void over.then(() => {
        if (last.get(key) === over) last.delete(key)
      })
      return turn
    },
  }
}
