import type { Clock } from './clock'
import { GatewayError, closedError, say, thrownAs } from './errors'

export interface Miss {
  error: GatewayError
  /** When the first one of this outage began, by the clock. */
  since: number
}

/** An outage that began before the first poll. */
export interface FormerOutage {
  /** By the clock. */
  since: number
  /** How many polls have failed; more do not count than make it an outage. */
  misses: number
}

export interface PollerOptions<Answer> {
  /** Makes one poll. Polls never overlap. */
  ask: () => Promise<Answer>
  /** Current ms from poll to poll. */
  interval: () => number
  onAnswer: (answer: Answer) => void
  onMiss?: (miss: Miss) => void
  /** What a first poll that fails goes on with. */
  formerOutage?: () => FormerOutage | undefined
  /** Called once per outage, after three failed polls and 30 s. */
  onUnreachable?: (miss: Miss) => void
  /** The first success after that. Called before `onAnswer`. */
  onReachable?: (outage: { since: number; outageMs: number }) => void
  /** Whether the waits grow after the latest failure; by default they do. */
  backsOff?: () => boolean
  /** Returns how long the first poll has to wait, in ms. By default it begins at once. */
  firstWait?: () => number
  clock: Clock
  /** From 0 to 1: spreads the polls of many pollers. By default nothing is spread. */
  random?: () => number
}

export type Poller<Answer> = ReturnType<typeof createPoller<Answer>>

const MISSES = 3
const OUTAGE_MS = 30_000
const LONGEST_WAIT = 60_000

/**
 * At regular times, which a late poll does not move. While the appliance is unreachable the waits grow to
 * a minute.
 */
export function createPoller<Answer>(options: PollerOptions<Answer>) {
  const { ask, interval, clock, random = () => 0.5 } = options
  let running = false
  let due = 0
  let polls = 0
  let cancelNext: (() => void) | undefined
  let underWay: Promise<unknown> | undefined
  let wanted: Promise<Answer> | undefined
  let misses = 0
  let outage: Miss | undefined
  let isUnreachable = false
  let cancelDeclaration: (() => void) | undefined

  /** Starts, or resumes. */
  function start(): void {
    if (running) return
    running = true
    if (due === 0) due = clock.now() + (options.firstWait?.() ?? 0)
    schedule()
  }

  /** Stops every timer; the result of a poll in progress is dropped. */
  function stop(): void {
    running = false
    cancelNext?.()
    cancelDeclaration?.()
    cancelDeclaration = undefined
  }

  function schedule(): void {
    cancelNext?.()
    if (!running || underWay) return
    // Jitter moves one poll, not the times of the later ones.
    const jitter = polls === 0 ? 0 : (random() - 0.5) * 0.1 * interval()
    cancelNext = clock.after(Math.max(0, due - clock.now() + jitter), () => {
      poll(false).catch(() => undefined)
    })
  }

  function poll(asked: boolean): Promise<Answer> {
    cancelNext?.()
    const begun = clock.now()
    const answered = once(begun)
    underWay = answered
      .catch(() => undefined)
      .then(() => {
        underWay = undefined
        setDue(asked ? clock.now() : due)
        schedule()
      })
    return answered
  }

  async function once(begun: number): Promise<Answer> {
    try {
      const answer = await ask()
      if (!running) throw closedError()
      hit(answer)
      return answer
    } catch (error) {
      if (running) miss(error, begun)
      throw error
    }
  }

  function hit(answer: Answer): void {
    misses = 0
    cancelDeclaration?.()
    cancelDeclaration = undefined
    const ended = isUnreachable ? outage : undefined
    isUnreachable = false
    outage = undefined
    if (ended) options.onReachable?.({ since: ended.since, outageMs: clock.now() - ended.since })
    // Who was told may have stopped it.
    if (running) options.onAnswer(answer)
  }

  function miss(reason: unknown, begun: number): void {
    const error =
      reason instanceof GatewayError
        ? reason
        : new GatewayError('BAD_RESPONSE', say('notProcessed', { reason: thrownAs(reason) }))
    if (error.code === 'CLOSED') return
    misses++
    const former = outage ? undefined : options.formerOutage?.()
    if (former) misses = Math.min(misses + former.misses, MISSES)
    outage = { error, since: outage?.since ?? former?.since ?? begun }
    options.onMiss?.(outage)
    if (!running) return
    if (isUnreachable || misses < MISSES) return
    const left = outage.since + OUTAGE_MS - clock.now()
    if (left <= 0) declare()
    else cancelDeclaration ??= clock.after(left, declare)
  }

  function declare(): void {
    cancelDeclaration?.()
    cancelDeclaration = undefined
    if (!outage || isUnreachable) return
    isUnreachable = true
    options.onUnreachable?.(outage)
  }

  function setDue(from: number): void {
    polls++
    const now = clock.now()
    const ms = interval()
    if (isUnreachable && (options.backsOff?.() ?? true)) {
      const wait = Math.min(ms * 2 ** Math.min(misses - MISSES, 10), Math.max(ms, LONGEST_WAIT))
      // Never more than a minute, including the jitter of the poll itself.
      due = now + wait * (0.75 + 0.2 * random())
      return
    }
    // Pollers that began at the same moment spread over the interval after their first poll.
    due = from + (polls === 1 && options.random ? ms * (0.5 + 0.5 * random()) : ms)
    if (due <= now) due += Math.ceil((now - due) / ms) * ms
  }

  /** Concurrent callers share one result. @throws GatewayError as the poll does; `CLOSED` when stopped */
  async function askNow(): Promise<Answer> {
    if (!running) throw closedError()
    wanted ??= (async () => {
      await underWay
      wanted = undefined
      if (!running) throw closedError()
      return poll(true)
    })()
    return wanted
  }

  return {
    start,
    stop,
    askNow,
    /** The failed polls that are no outage yet; undefined where there are none. */
    missed: (): FormerOutage | undefined =>
      outage && !isUnreachable ? { since: outage.since, misses } : undefined,
  }
}
