import { REAL_TIME, type UnixClock } from '../../client/clock'

interface Timer {
  at: number
  ms: number
  callback: () => void
  cancel?: () => void
}

/** A clock that a test sets forward: what is due by then runs, one timer after the other. */
export class FakeTime implements UnixClock {
  #now: number
  readonly #runs: boolean
  readonly #began = REAL_TIME.now()
  readonly #timers = new Set<Timer>()
  timersAtMost = 0

  /** @param runs real time passes too */
  constructor({ runs = false, at = 1_000_000 } = {}) {
    this.#runs = runs
    this.#now = at
  }

  now = (): number => this.#now + (this.#runs ? REAL_TIME.now() - this.#began : 0)

  unix = (at: number): number => at

  after = (ms: number, callback: () => void): (() => void) => {
    const timer: Timer = { at: this.now() + ms, ms, callback }
    this.#timers.add(timer)
    this.timersAtMost = Math.max(this.timersAtMost, this.#timers.size)
    if (this.#runs) timer.cancel = REAL_TIME.after(ms, () => this.#run(timer))
    return () => this.#remove(timer)
  }

  get timers(): number {
    return this.#timers.size
  }

  #remove(timer: Timer): void {
    timer.cancel?.()
    this.#timers.delete(timer)
  }

  #run(timer: Timer): void {
    this.#remove(timer)
    this.#now += Math.max(0, timer.at - this.now())
    timer.callback()
  }

  #next(end: number): Timer | undefined {
    const [first] = [...this.#timers].sort((one, other) => one.at - other.at)
    return first && first.at <= end ? first : undefined
  }

  /** Sets the time forward. */
  skip(ms: number): void {
    const end = this.now() + ms
    for (let next = this.#next(end); next; next = this.#next(end)) this.#run(next)
    this.#now += Math.max(0, end - this.now())
  }

  /** Sets the time forward, and lets what each timer has begun settle before the next one runs. */
  async pass(ms: number): Promise<void> {
    const end = this.now() + ms
    await settled()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#run(next)
      await settled()
    }
    this.#now += Math.max(0, end - this.now())
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
