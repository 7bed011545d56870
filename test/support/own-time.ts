// Time as this process has it: what a busy machine takes from it does not count. Then time limits that
// work in this process has, say something about that work. It may pass faster, where a test would wait.
import timers from 'node:timers/promises'
import { afterThisTest } from './hooks'

const EACH_MS = 5
/** A longer time without a turn was that of other processes. */
const MOST_MS = 10

const clock = performance.now.bind(performance)
/** While it is its own. */
let speed: number | undefined
/** What has run in a process may remember a time of it: its clock is never set back, ms. */
let ahead = 0

/** Until the test ends. Network timers of Node.js are not affected. @param times as fast */
export const liveInOwnTime = (times = 1): void => afterThisTest(beginOwnTime(times))

/** The same for longer than a test: until the returned function is called. */
export function beginOwnTime(times = 1): () => void {
  if (speed === times) return () => undefined
  if (speed !== undefined) throw new Error(`Time passes ${speed} times as fast already.`)
  speed = times
  const real = { after: globalThis.setTimeout, pause: timers.setTimeout, date: Date.now }
  let last = clock()
  let own = last + ahead
  const ofDates = Date.now() - own
  const now = (): number => {
    const at = clock()
    own += Math.min(at - last, MOST_MS) * times
    last = at
    return own
  }
  const after = (task: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
    const due = now() + ms
    const timer = real.after(
      () => {
        if (now() < due) timer.refresh()
        else task(...values)
      },
      Math.min(ms, EACH_MS) / times,
    )
    return timer
  }
  performance.now = now
  Date.now = () => Math.floor(ofDates + now())
  globalThis.setTimeout = Object.assign(after, real.after)
  timers.setTimeout = <T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<T>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        reject(signal!.reason as Error)
      }
      const timer = after(() => {
        signal?.removeEventListener('abort', stop)
        resolve(value as T)
      }, ms)
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })
  const ticks = setInterval(now, EACH_MS / times).unref()

  return () => {
    speed = undefined
    clearInterval(ticks)
    ahead = Math.max(ahead, now() - clock())
    performance.now = () => clock() + ahead
    Date.now = real.date
    globalThis.setTimeout = real.after
    timers.setTimeout = real.pause
  }
}
