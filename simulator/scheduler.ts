/**
 * The work that the appliance has accepted but not done yet, by due time, with one timer for all of
 * it. Everything that reads the state calls `catchUp` first, so the timer only serves callers that
 * keep a reference and wait.
 */
export class Agenda {
  private readonly pending: Array<{ at: number; run: () => void }> = []
  private timer: NodeJS.Timeout | undefined
  private awake = false
  private waiting: Array<() => void> = []

  constructor(private readonly now: () => number) {}

  get length(): number {
    return this.pending.length
  }

  /** Calls `run` in `delay` ms; of two due at the same time, the one entered first goes first. */
  enter(delay: number, run: () => void): void {
    const at = this.now() + delay
    let place = this.pending.length
    while (place > 0 && (this.pending[place - 1]?.at ?? 0) > at) place--
    this.pending.splice(place, 0, { at, run })
    this.arm()
  }

  /** Does everything that is due. */
  catchUp(): void {
    const now = this.now()
    while (this.pending[0] && this.pending[0].at <= now) this.pending.shift()?.run()
    this.arm()
    if (this.pending.length === 0) this.release()
  }

  /** Resolves when nothing is pending, or when the appliance is put to sleep. */
  empty(): Promise<void> {
    this.catchUp()
    if (this.pending.length === 0 || !this.awake) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  wake(): void {
    this.awake = true
    this.arm()
  }

  /** Leaves no timer behind; pending work waits until `wake`. */
  sleep(): void {
    this.awake = false
    clearTimeout(this.timer)
    this.timer = undefined
    this.release()
  }

  private arm(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const next = this.pending[0]
    if (!next || !this.awake) return
    this.timer = setTimeout(() => this.catchUp(), Math.max(1, next.at - this.now()))
  }

  private release(): void {
    for (const resolve of this.waiting.splice(0)) resolve()
  }
}
