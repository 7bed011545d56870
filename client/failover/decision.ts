import type {
  FailoverSettings,
  FailoverState,
  NotProtecting,
  Side,
  Unprotected,
} from '../model/failover'
import { otherOf } from '../model/failover-sides'
import type {
  Act,
  Change,
  Decision,
  FailoverEvent,
  Look,
  Loss,
  Memory,
  Rest,
  Statement,
  Trial,
} from './types'

/** One decision in the making: a copy of the memory to change, and what is to be reported. */
export interface Run {
  readonly settings: FailoverSettings
  readonly now: number
  readonly memory: Memory
  readonly reports: Report[]
  act?: Act
  due?: number
  /** The outage that is over, where a look shows the source in use good. */
  outageMs?: number
}

type Report = Pick<FailoverEvent, 'event'> &
  Partial<
    Pick<FailoverEvent, 'from' | 'to' | 'cause' | 'durationMs' | 'outageMs' | 'reason' | 'failure'>
  >

/** Plain data, many times as fast as by structuredClone: the proof makes millions of decisions. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  const copy = Object.assign({}, value) as Record<string, unknown>
  for (const name in copy) {
    if (typeof copy[name] === 'object') copy[name] = copyOf(copy[name])
  }
  return copy as T
}

/** The decision. Every event has the state in which it all ends. */
export function ended(run: Run, before: Memory): Decision {
  const { memory, now, reports, act, due, outageMs } = run
  const { state, held, differs } = memory
  if (state !== 'foreign') delete memory.differs
  const isKnown = state === before.state || state === before.reported
  if (reports.length === 0 && !isKnown && !isOfLoss(memory, before)) {
    reports.push({ event: 'failover.state' })
  }
  if (reports.length > 0) memory.reported = state
  // One event tells it, and none that answers a command.
  const isSwitch = ({ event }: Report): boolean => event === 'failover.switched'
  const teller = outageMs === undefined ? undefined : (reports.find(isSwitch) ?? reports[0])
  if (teller || !memory.change) delete memory.waits.outageMs
  const common = {
    at: now,
    state,
    from: null,
    to: null,
    cause: null,
    outageMs: null,
    durationMs: null,
    held,
    ...(state === 'foreign' && differs && { differs }),
  }
  return {
    memory,
    events: reports.map((one) => ({ ...common, ...(one === teller && { outageMs }), ...one })),
    ...(act && { act }),
    ...(due !== undefined && { due }),
  }
}

/** While trials go on, what was reported still holds. */
function isOfLoss({ state, loss }: Memory, before: Memory): boolean {
  if (!before.loss || !loss || loss.reason === 'backup-bad') return false
  return ![state, before.reported].some((each) => each !== undefined && IDLE.includes(each))
}

const IDLE: readonly FailoverState[] = ['unknown', 'standby', 'foreign']

const HOUR_MS = 3_600_000

/** Whether what was reported once is due again: after 1, 2, 4 hours, and so on. */
const isDueAgain = ({ since, told }: Pick<Loss, 'since' | 'told'>, now: number): boolean =>
  now - since >= HOUR_MS * 2 ** (told - 1)

/** What a monitor or a probe said counts for so long. */
const FRESH_MS = 60_000

export const isFresh = (statement: Statement | undefined, now: number): statement is Statement =>
  statement !== undefined && now - statement.at <= FRESH_MS

/** Why the route is not protected; undefined while it is. */
export function notProtecting(memory: Memory, now: number): NotProtecting | undefined {
  const { state, held, loss, inUse, statements, waits } = memory
  if (state === 'unknown') return 'unknown'
  if (state === 'foreign') return 'foreign'
  if (state === 'standby') return 'stopped'
  if (held) return 'held'
  // Released and good, it protects again, although its all-clear is still to come.
  if (loss && !(loss.reason === 'held' && waits.wasGood)) return loss.reason
  if (inUse !== 'main' && inUse !== 'backup') return undefined
  const away = otherOf(inUse)
  const statement = statements[away]
  return isFresh(statement, now) && !statement.good ? `${away}-bad` : undefined
}

/** A failed trial is repeated after the guard, then less and less often. What did not arrive risked nothing. */
export function rest(
  { memory, settings, now }: Run,
  side: Side,
  why: Pick<Rest, 'isDistrusted' | 'isRefused'> = {},
): void {
  const before = memory.rests[side]
  const failed = (before?.failed ?? 0) + (why.isRefused ? 0 : 1)
  const wait = doubled(settings.guard * 1000, failed - 1, LONGEST_REST_MS)
  const isDistrusted = (before?.isDistrusted ?? false) || why.isDistrusted === true
  memory.rests[side] = { failed, since: now, again: now + wait, ...why, isDistrusted }
}

const LONGEST_REST_MS = 300_000

/** A wait that is doubled so many times, up to the longest one; never less than it is undoubled. */
export const doubled = (ms: number, times: number, longest: number): number =>
  Math.max(ms, Math.min(longest, ms * 2 ** Math.min(20, times)))

export function begin(
  run: Run,
  wanted: Pick<Change, 'from' | 'to' | 'cause' | 'stays' | 'isByMonitor' | 'trial'>,
): void {
  run.memory.change = { ...wanted, at: run.now, sends: 0 }
  send(run, run.memory.change)
}

export const trialOf = ({ cause, at, arrivedAt }: Change): Trial => ({
  cause,
  at,
  ...(arrivedAt !== undefined && { arrivedAt }),
})

function send(run: Run, change: Change, isHalfway = false): void {
  const { memory, now } = run
  const { from, to, cause } = change
  change.sends++
  for (const name of ['failure', 'again', 'isAccepted'] as const) delete change[name]
  memory.sent = { ...change, sentAt: now }
  memory.change = change
  memory.isBusy = true
  memory.state = 'switching'
  run.act = { from, to, cause, ...(isHalfway && { isHalfway }) }
}

/** How long after each time a switch is sent again, in ms, while the route shows the old source. */
const AGAIN_MS = [2000, 4000, 8000] as const
/** A change may take so long to show. */
export const PENDING_MS = 30_000

/** When a switch that has just been sent, or has failed, is due once more. */
export const againAt = ({ sends }: Change, now: number): number =>
  now + (AGAIN_MS[sends - 1] ?? AGAIN_MS[2])

/** The route still shows the old source: to set the new one twice does no harm. */
export function sendAgain(
  run: Run,
  change: Change,
  look: Exclude<Look, { route: 'unknown' }>,
): void {
  const { memory, now } = run
  const { again = now, sends, at, isAccepted } = change
  const isHalfway = look.route === 'stopped'
  if (now < again) return
  if (look.route === 'running' && look.isPending && isAccepted && now - at < PENDING_MS) return
  if (sends <= AGAIN_MS.length) return send(run, change, isHalfway)
  reportFailure(run, change)
  const { to } = change
  const wasRefused = memory.rests[to]?.isRefused === true
  rest(run, to, { isRefused: true })
  if (!isHalfway) return void delete memory.change
  // One of two routes was stopped, and the other does not start: the first one may. Then one after
  // the other, each once.
  const trial = change.trial ?? trialOf(change)
  const back: Change = {
    from: to,
    to: otherOf(to),
    cause: 'trial-failed',
    at: now,
    trial,
    sends: 0,
  }
  if (!wasRefused) return send(run, back, true)
  memory.change = { ...back, sends: AGAIN_MS.length, again: now + run.settings.guard * 1000 }
}

/** The new source is good, or has had its time. */
export function finish(run: Run, { from, to, cause, at, arrivedAt = at }: Change): void {
  delete run.memory.change
  // Who was not told of a trial does not have to be told of its end.
  if (cause === 'trial-failed') return
  delete run.memory.failed
  run.reports.push({ event: 'failover.switched', from, to, cause, durationMs: arrivedAt - at })
}

/** A switch that failed, the same one only after hours. Without a failure, the route did not show it. */
export function reportFailure(run: Run, { from, to, cause, at, failure, arrivedAt }: Change): void {
  const { memory, now } = run
  const code = arrivedAt === undefined ? (failure?.code ?? 'NOT_CONFIRMED') : 'not-good'
  const before = memory.failed?.[code]
  if (before && !isDueAgain(before, now)) return
  const { since = now, told = 0 } = before ?? {}
  memory.failed = { ...memory.failed, [code]: { since, told: told + 1 } }
  run.reports.push({
    event: 'failover.failed',
    from,
    to,
    cause,
    durationMs: now - at,
    // A change that shows has not failed, whatever its answer was.
    ...(arrivedAt !== undefined ? { reason: 'not-good' } : failure && { failure }),
  })
}

/** The all-clear takes no longer to come, however often it was wrong. */
const LONGEST_CLEAR_MS = 600_000

/** There is no protection now: reported once, after 1, 2, 4 hours and so on, and when it is over. */
export function lose(run: Run, reason: Unprotected): void {
  const { memory, now } = run
  const { loss, losses, waits } = memory
  // The backup may have been lost before main is: then nothing is on the air, which is more.
  const isMore = loss?.reason === 'backup-bad' && reason !== 'backup-bad'
  if (loss) delete loss.overSince
  if (loss && !isMore) {
    loss.reason = reason
    if (!isDueAgain(loss, now)) return
    loss.told++
  } else {
    const { goodAt } = waits
    const isOnAir = reason === 'backup-bad'
    memory.loss = {
      reason,
      since: now,
      told: 1,
      ...(!isOnAir && goodAt !== undefined && { goodAt }),
    }
    if (!loss) {
      const isSoon = now - losses.endedAt < HOUR_MS
      memory.losses = { count: isSoon ? losses.count + 1 : 0, endedAt: losses.endedAt }
    }
  }
  run.reports.push({ event: 'failover.unprotected', from: memory.inUse ?? null, reason })
}

/** The source in use is good: the loss is over once that was seen for long enough, longer after each one. */
export function endLoss(run: Run): void {
  const { memory, settings, now } = run
  const { loss, losses, waits } = memory
  if (!loss) return
  loss.overSince ??= now
  const wait = doubled(settings.guard * 1000, losses.count, LONGEST_CLEAR_MS)
  if (now - Math.max(loss.overSince, waits.seenSince ?? now) < wait) return
  delete memory.loss
  memory.losses = { ...losses, endedAt: now }
  const { goodAt, overSince, reason } = loss
  run.reports.push({
    event: 'failover.protected',
    from: memory.inUse ?? null,
    reason,
    outageMs: goodAt === undefined ? null : overSince - goodAt,
  })
}
