import type { FailoverCause, FailoverSettings, InUse, Side } from '../model/failover'
import { guardOf } from './memory'
import { begin, blocked, count, other, rest, type Run } from './run'
import type { Change, Look, Waits } from './types'

/** A switch that the route has not shown by then has failed. For as long again it may still show. */
const CHANGE_MS = 30_000
/** Later than this, somebody may well have stopped two routes on purpose. */
const STOPPED_BY_US_MS = 900_000

/**
 * One look, and the one decision on what is seen in it. From top to bottom: what is not known, who
 * changed the source, how good it is, a change under way, and only then what to do.
 */
export function looked(run: Run, look: Look): void {
  const { memory, settings, now } = run
  run.next = now + settings.lookEvery * 1000
  if (isGap(run)) memory.waits = {}
  memory.lookedAt = now
  forgetOldSwitches(run)

  if (look.route === 'unknown') return rest(run, 'unknown')
  noticeSource(run, look.inUse)
  giveUp(run, look)
  noticeMain(run, look.main)
  const side = sideIn(run, look)
  const isGood = look.route === 'running' && look.good
  if (side) judge(run, isGood)
  const isSettling = side !== undefined && !isGood && isSettlingIn(run)
  if (memory.change?.arrivedAt !== undefined && !isSettling) finish(run, memory.change)

  if (memory.change) memory.state = 'switching'
  else if (!side) rest(run, look.route === 'running' ? 'foreign' : 'standby')
  else if (isGood) onGood(run, side)
  else onBad(run, side)
}

/** Nobody has looked for long, or the clock was set back: as if the route had not been known. */
export function isGap({ memory, settings, now }: Run): boolean {
  const { lookedAt = now } = memory
  return now < lookedAt || now - lookedAt > Math.max(30_000, 3 * settings.lookEvery * 1000)
}

function forgetOldSwitches({ memory, settings, now }: Run): void {
  const oldest = now - settings.limitPer * 1000
  memory.switches = memory.switches.filter((at) => at > oldest)
}

/** A new source is our own switch that has arrived, or somebody else's. */
function noticeSource(run: Run, inUse: InUse | undefined): void {
  const { memory, now } = run
  if (inUse === undefined) return
  const isFirst = memory.inUse === undefined
  const from = memory.halfway ? null : (memory.inUse ?? null)
  delete memory.halfway
  if (inUse === from) return
  memory.inUse = inUse
  const ours = ownChange(run, inUse)
  if (ours) arrive(run, ours)
  else if (isFirst) return
  else takenOver(run, from, inUse)
  const { goodAt } = memory.waits
  memory.waits = { ...(goodAt !== undefined && { goodAt }), isOut: true, newSince: now }
}

/** The change of ours that this source is the result of, perhaps late. */
function ownChange({ memory, now }: Run, inUse: InUse): Change | undefined {
  const { change, late } = memory
  if (change && change.arrivedAt === undefined && change.to === inUse) return change
  return late?.to === inUse && now - late.at < 2 * CHANGE_MS ? late : undefined
}

function arrive(run: Run, change: Change): void {
  const { memory, now } = run
  memory.change = { ...change, arrivedAt: now }
  delete memory.late
  memory.manual = change.stays !== undefined
  count(run, change)
  if (change.stays !== 'forced' || memory.held) return
  memory.held = true
  run.reports.push({ event: 'failover.held' })
}

/** Whoever did it: `restore` does not undo it. */
function takenOver(run: Run, from: InUse | null, to: InUse): void {
  const { memory } = run
  if (memory.change?.arrivedAt !== undefined) finish(run, memory.change)
  memory.manual = true
  delete memory.late
  run.reports.push({ event: 'failover.taken-over', from, to, cause: 'manual' })
}

/** Main, while it is not in use, is good for as long as it has been known to be. */
function noticeMain(run: Run, monitored: boolean | undefined): void {
  const { restore } = run.settings
  const { waits, mainIsGood } = run.memory
  run.main = restore === 'message' ? mainIsGood : restore === 'monitor' ? monitored : undefined
  if (run.main) waits.mainGoodSince ??= run.now
  else delete waits.mainGoodSince
}

/** The side to judge: undefined while there is none to protect. */
function sideIn({ memory }: Run, look: Exclude<Look, { route: 'unknown' }>): Side | undefined {
  if (look.route === 'stopped') return memory.halfway
  return look.inUse === 'other' ? undefined : look.inUse
}

/** Keeps the times of the source in use: how long it has been good, or bad. */
function judge(run: Run, isGood: boolean): void {
  const { settings, now } = run
  const { waits } = run.memory
  const judgedAt = waits.judgedAt ?? now
  waits.judgedAt = now
  if (isGood) {
    if (waits.isOut && waits.goodAt !== undefined) run.outageMs = now - waits.goodAt
    waits.goodAt = now
    waits.goodSince ??= now
    for (const name of ['isOut', 'newSince', 'badSince', 'badLooks'] as const) delete waits[name]
    run.memory.isReported = false
    return
  }
  waits.isOut = true
  delete waits.goodSince
  // A new source may take its time.
  if (waits.newSince !== undefined && now - waits.newSince < settings.settle * 1000) return
  waits.badSince ??= now
  waits.badLooks = (waits.badLooks ?? 0) + 1
  // A look stands for no more than the time since the one before, or what is usual between two.
  const from = Math.max(judgedAt, now - settings.lookEvery * 1000)
  const oldest = now - settings.degradePer * 1000
  const bad = (waits.bad ?? []).filter(({ to }) => to > oldest)
  const last = bad.at(-1)
  if (last && last.to === from) last.to = now
  else bad.push({ from, to: now })
  waits.bad = bad
}

/** A change that failed, or does not show in time. It does not count, but the guard begins. */
function giveUp(run: Run, look: Look): void {
  const { memory, settings, now } = run
  const { change } = memory
  if (!change || change.arrivedAt !== undefined) return
  const { from, to, cause, at, failure } = change
  const isCertain = failure !== undefined && failure.applied !== 'maybe'
  const isOff = settings.method === 'routes' && look.route === 'stopped'
  // A close or a crash came in the middle: with neither route on the air, nothing is to wait for.
  const isCutOff =
    isOff && !memory.isBusy && !change.isSent && (!failure || failure.code === 'CLOSED')
  if (!isCertain && !isCutOff && now - at < CHANGE_MS) return
  delete memory.change
  if (!isCutOff) memory.guardUntil = now + guardOf(settings, memory)
  if (!isCertain) memory.late = change
  // One route was stopped and the other did not start: nobody else has stopped them.
  if (isOff && now - at < STOPPED_BY_US_MS) memory.halfway = isCutOff ? other(to) : to
  const report = { event: 'failover.failed', from, to, cause, durationMs: now - at } as const
  run.reports.push({ ...report, ...(failure && { failure }) })
}

/** A new source may take its time. */
const isSettlingIn = ({ memory: { change }, settings, now }: Run): boolean =>
  change?.arrivedAt !== undefined && now - change.arrivedAt < settings.settle * 1000

/** The new source is good, or has had its time. */
function finish(run: Run, { from, to, cause, at, arrivedAt = at }: Change): void {
  delete run.memory.change
  run.reports.push({ event: 'failover.switched', from, to, cause, durationMs: arrivedAt - at })
}

function onGood(run: Run, side: Side): void {
  const { memory, settings, now } = run
  endLimit(run)
  if (side === 'main') {
    memory.state = 'normal'
    return
  }
  const { mainGoodSince } = memory.waits
  const mayRestore =
    mainGoodSince !== undefined && !memory.manual && !memory.held && !memory.limited
  if (!mayRestore) {
    memory.state = 'protecting'
    return
  }
  memory.state = 'wait-to-restore'
  run.due = Math.max(mainGoodSince + settings.waitToRestore * 1000, memory.guardUntil)
  if (now < run.due || blocked(run, 'main')) return
  memory.state = 'protecting'
  begin(run, { from: 'backup', to: 'main', cause: 'restore' })
}

/** The limit ends when few switches are left and the source was good for as long as the guard. */
function endLimit({ memory, settings, now, reports }: Run): void {
  const { goodSince } = memory.waits
  if (!memory.limited || memory.switches.length >= settings.limit) return
  if (goodSince === undefined || now - goodSince < guardOf(settings, memory)) return
  memory.limited = false
  memory.slowed = 0
  reports.push({ event: 'failover.limit-over' })
}

function onBad(run: Run, side: Side): void {
  const { memory, settings } = run
  const { badSince } = memory.waits
  const cause = dueCause(settings, memory.waits, run.now)
  memory.state = 'hold-off'
  if (cause === undefined) {
    if (badSince !== undefined) run.due = badSince + settings.holdOff * 1000
    return
  }
  // With neither of two routes on the air, one that may start is better than none.
  const isStuck = memory.halfway === 'backup' && run.main === false
  const to = isStuck ? side : other(side)
  const reason = blocked(run, to)
  if (reason === undefined) return begin(run, { from: other(to), to, cause })
  memory.state = 'no-protection'
  if (reason === 'guard') run.due = memory.guardUntil
  if (memory.isReported) return
  memory.isReported = true
  run.reports.push({ event: 'failover.no-protection', from: side, to, cause, reason })
}

/** Signal fail: bad for all of the hold-off. Signal degrade: bad too often in the latest time. */
function dueCause(
  { holdOff, degrade, degradePer }: FailoverSettings,
  { badSince, badLooks = 0, bad = [] }: Waits,
  now: number,
): FailoverCause | undefined {
  if (badSince === undefined) return undefined
  if (badLooks >= 2 && now - badSince >= holdOff * 1000) return 'signal-fail'
  if (degrade === 0) return undefined
  // A single bad time, however long, is for the hold-off to judge.
  const isRepeated = bad.some(({ to }) => to < badSince)
  const oldest = now - degradePer * 1000
  const badMs = bad.reduce((sum, { from, to }) => sum + to - Math.max(from, oldest), 0)
  return isRepeated && badMs >= degrade * 10 * degradePer ? 'signal-degrade' : undefined
}
