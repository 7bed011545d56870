// The rules of a failover, from top to bottom: what is known, who changed the source, how good it is,
// and only then what to do. docs/failover.md draws them.
import type { FailoverCause, Side } from '../model/failover'
import { otherOf } from '../model/failover-sides'
import {
  PENDING_MS,
  begin,
  doubled,
  endLoss,
  finish,
  isFresh,
  lose,
  reportFailure,
  rest,
  sendAgain,
  trialOf,
  type Run,
} from './decision'
import type { Change, Look, Waits } from './types'

/** A source that was bad for this share of the latest minute, in several failures, has failed too. */
const DEGRADED_SHARE = 0.3
const DEGRADED_PER_MS = 60_000
/** A side that was left for that is not chosen for the same reason before. */
const DEGRADED_REST_MS = 300_000
const LONGEST_SILENCE_S = 60
/** An answer may take so long. */
const RESPONSE_MS = 5000
/** A return to main that lasts so long was right; one that does not doubles the wait for the next. */
const RELAPSE_MS = 600_000
const LONGEST_WAIT_MS = 3_600_000
/** Later than this, somebody may well have stopped two routes on purpose. */
const STOPPED_BY_US_MS = 900_000
/** So late the route may still show a change that was given up. */
const LATE_MS = 120_000

type Known = Exclude<Look, { route: 'unknown' }>

/** One read of the route, and the one decision on it. */
export function onLook(run: Run, look: Look): void {
  const { memory, now } = run
  if (isGap(run)) memory.waits = {}
  memory.lookedAt = now
  hear(run, look)
  if (look.route === 'unknown') return unknown(run)
  if (isHalfApplied(run, look)) return

  noticeSource(run, look)
  const side = sideIn(run, look)
  if (side === undefined) return idle(run, look)
  // Whoever started it: it may take its time.
  if (memory.state === 'standby') newSource(run)
  const isGood = look.route === 'running' && look.good
  judge(run, side, isGood)
  const { change } = memory
  if (change) follow(run, change, look, isGood)
  if (memory.change) memory.state = 'switching'
  else if (isGood) onGood(run, side)
  else onBad(run, side)
}

/** Nobody has looked for long, or the clock was set back: as if nothing had been seen before. */
export function isGap({ memory, settings, now }: Run): boolean {
  const { lookedAt = now } = memory
  return now < lookedAt || now - lookedAt > Math.max(30_000, 3 * settings.pollEvery * 1000)
}

/** Our own change, of which the gateway shows one part already, or for which it restarts the route. */
function isHalfApplied({ memory: { change, sent }, settings, now }: Run, look: Known): boolean {
  if (settings.method !== 'source' || !change || change.arrivedAt !== undefined) return false
  if (now - (sent?.sentAt ?? change.at) >= PENDING_MS) return false
  if (look.route === 'stopped') return change.failure?.applied !== 'no'
  return look.inUse === 'other' && look.isPending === true
}

/** What the monitors show. A monitor that shows nothing says nothing. */
function hear({ memory, now }: Run, look: Look): void {
  for (const side of ['main', 'backup'] as const) {
    const good = look[side]
    if (good !== undefined) memory.statements[side] = said(memory.statements[side], good, now)
  }
}

/** What is said again and again counts from the first time, unless nothing was said for too long. */
export const said = (before: Run['memory']['statements'][Side], good: boolean, at: number) => ({
  good,
  at,
  since: before && before.good === good && isFresh(before, at) ? before.since : at,
})

/** A read without an answer neither counts nor clears. After the hold-off, nothing is known any more. */
export function unknown(run: Run): void {
  const { memory, settings, now } = run
  const { judgedAt, wasGood } = memory.waits
  if (judgedAt !== undefined && now - judgedAt <= oldAfterMs(settings)) return
  memory.state = 'unknown'
  delete memory.waits.seenSince
  if (wasGood === false) lose(run, 'unknown')
}

/** At least two reads; and no hold-off makes what is old look new. */
const oldAfterMs = ({ pollEvery, holdOff }: Run['settings']): number =>
  Math.max(2 * pollEvery, Math.min(holdOff, LONGEST_SILENCE_S)) * 1000

/** Longer than that, nobody waits for a read that neither answers nor fails. A timer may be early. */
export const silenceMs = (settings: Run['settings']): number =>
  Math.max(oldAfterMs(settings), settings.pollEvery * 1000 + RESPONSE_MS) + 100

/** A new source is our own switch that has arrived, or somebody else's. */
function noticeSource(run: Run, { inUse }: Known): void {
  const { memory, now } = run
  if (inUse === undefined) return
  const before = memory.inUse
  const { change, sent } = memory
  memory.inUse = inUse
  if (change && change.arrivedAt === undefined && change.to === inUse) return arrive(run, change)
  if (inUse === before || before === undefined) return
  const isLate = sent?.to === inUse && now - sent.sentAt < LATE_MS
  if (isLate) return arrive(run, sent)
  memory.manual = true
  delete memory.change
  delete memory.sent
  newSource(run)
  run.reports.push({ event: 'failover.taken-over', from: before, to: inUse, cause: 'manual' })
}

function arrive(run: Run, change: Change): void {
  const { memory, settings, now } = run
  const { from, cause, stays } = change
  memory.change = { ...change, arrivedAt: now }
  memory.manual = stays !== undefined
  delete memory.sent
  newSource(run)
  if (from !== 'other' && (cause === 'signal-fail' || cause === 'signal-degrade')) {
    // A side that was not good since it was chosen has failed; any other has its guard time.
    const again = now + settings.guard * 1000
    if (memory.home === from) memory.rests[from] = { failed: 0, since: now, again }
    else rest(run, from)
    if (cause === 'signal-degrade') memory.degraded[from] = now
  }
  // What was said before the switch does not count for the way back; a monitor says it again.
  const { main } = memory.statements
  if (from === 'main' && settings.restore === 'message') delete memory.statements.main
  else if (from === 'main' && main) main.since = now
  if (stays !== 'forced' || memory.held) return
  memory.held = true
  run.reports.push({ event: 'failover.held' })
}

/** All times of the former source end. The outage goes on. */
function newSource({ memory, now }: Run): void {
  const { goodAt, outageMs } = memory.waits
  memory.waits = {
    ...(goodAt !== undefined && { goodAt }),
    ...(outageMs !== undefined && { outageMs }),
    newSince: now,
  }
}

/** The side to judge; undefined while there is none to protect. */
function sideIn({ memory, settings, now }: Run, look: Known): Side | undefined {
  if (look.route === 'running') return look.inUse === 'other' ? undefined : look.inUse
  const { change, isBusy } = memory
  // One of two routes was stopped for the other, which was not seen to run: nobody else has stopped them.
  const isOurs =
    settings.method === 'routes' &&
    change !== undefined &&
    change.arrivedAt === undefined &&
    look.inUse === undefined &&
    now - change.at < STOPPED_BY_US_MS &&
    (isBusy || !change.isAccepted)
  return isOurs ? change.to : undefined
}

/** A stopped route, or another source: somebody wants it so. */
function idle(run: Run, look: Known): void {
  const { memory } = run
  delete memory.change
  memory.waits = {}
  memory.state = look.route === 'running' ? 'foreign' : 'standby'
  if (look.route === 'running' && look.differs) memory.differs = look.differs
  // What was reported ends when a side is good again; for how long nothing was on the air is not known.
  delete memory.loss?.overSince
  delete memory.loss?.goodAt
}

/** Keeps the times of the source in use: how long it has been good, or bad. */
function judge(run: Run, side: Side, isGood: boolean): void {
  const { memory, settings, now } = run
  const { waits } = memory
  const judgedAt = waits.judgedAt ?? now
  waits.judgedAt = now
  waits.seenSince ??= now
  const { wasGood, goodAt, outageMs = 0 } = waits
  waits.wasGood = isGood
  if (isGood) {
    // Since then the source was bad, or another one.
    if (!wasGood && goodAt !== undefined) waits.outageMs = outageMs + now - goodAt
    run.outageMs = waits.outageMs
    waits.goodAt = now
    for (const name of ['newSince', 'badSince', 'badLooks'] as const) delete waits[name]
    memory.home = side
    delete memory.rests[side]
    return
  }
  delete memory.loss?.overSince
  // A new source may take its time.
  if (waits.newSince !== undefined && now - waits.newSince < settings.settle * 1000) return
  waits.badSince ??= now
  waits.badLooks = (waits.badLooks ?? 0) + 1
  // An answer stands for no more than the time since the one before, or what is usual between two.
  const from = Math.max(judgedAt, now - settings.pollEvery * 1000)
  const bad = (waits.bad ?? []).filter(({ to }) => to > now - DEGRADED_PER_MS)
  const last = bad.at(-1)
  if (last && last.to === from) last.to = now
  else bad.push({ from, to: now })
  waits.bad = bad
}

/** Follows a change: sent until it shows, and then a trial until the new source was good once. */
function follow(run: Run, change: Change, look: Known, isGood: boolean): void {
  const { memory, settings, now } = run
  const { from, to, cause, at, arrivedAt, stays, trial } = change
  if (arrivedAt === undefined) {
    if (memory.isBusy) return
    // A person holds it now, it recovered by itself, or main is not known to be good any more.
    const isNeeded = cause === 'restore' ? isCalledGood(run, 'main') : !isGood
    // With neither of two routes on the air, one of them has to start.
    const isOver = look.route === 'running' && stays === undefined && (memory.held || !isNeeded)
    if (!isOver) {
      sendAgain(run, change, look)
      // Neither of two routes starts.
      if (look.route === 'stopped' && memory.change?.at !== at) lose(run, 'switch-failed')
      return
    }
    // An accepted one may show yet.
    if (change.isAccepted && change.again !== undefined && now < change.again) return
    delete memory.change
    // A trial that was good in the end.
    if (isGood && trial) finish(run, { ...change, from: to, to: from as Side, ...trial })
    return
  }
  // The outcomes of two routes come together: a command sent in response finds no switch in progress.
  if (memory.isBusy && settings.method === 'routes') return
  if (isGood) {
    if (cause === 'restore') {
      memory.restored = { at: now, relapses: memory.restored?.relapses ?? 0 }
    }
    return finish(run, change)
  }
  // Back home it is as it was before.
  if (cause === 'trial-failed') return void delete memory.change
  if (memory.isBusy || now === arrivedAt || now - arrivedAt < settings.settle * 1000) return
  const home = memory.home ?? 'main'
  if (stays !== undefined) return finish(run, change)
  rest(run, to, { isDistrusted: change.isByMonitor === true })
  delete memory.change
  if (cause === 'restore') {
    relapse(run)
    reportFailure(run, change)
  } else lose(run, memory.held ? 'held' : 'both-bad')
  if (!memory.held && home !== to) {
    begin(run, { from: to, to: home, cause: 'trial-failed', trial: trialOf(change) })
  }
}

/** A return to main was too early. */
function relapse({ memory, now }: Run): void {
  memory.restored = { at: now, relapses: (memory.restored?.relapses ?? 0) + 1 }
}

function onGood(run: Run, side: Side): void {
  const { memory, settings, now } = run
  const away = otherOf(side)
  const statement = memory.statements[away]
  const isAwayBad =
    isFresh(statement, now) && !statement.good && now - statement.since >= settings.holdOff * 1000
  if (side === 'main') {
    memory.state = 'normal'
    if (memory.restored && now - memory.restored.at >= RELAPSE_MS) delete memory.restored
  } else {
    memory.state = 'protecting'
    returnToMain(run)
  }
  const { loss } = memory
  const isOfBackup = loss?.reason === 'backup-bad'
  // On the backup it is no news that main is bad; on main the end of an outage comes first.
  if (isAwayBad && side === 'main' && (!loss || isOfBackup)) lose(run, 'backup-bad')
  // A monitor that says nothing does not say that it is good.
  else if (isOfBackup && side === 'main' && !isCalledGood(run, 'backup')) delete loss.overSince
  else endLoss(run)
}

const isCalledGood = ({ memory, now }: Run, side: Side): boolean => {
  const statement = memory.statements[side]
  return isFresh(statement, now) && statement.good
}

/** Main has to be good for the whole wait, and at this moment. */
function returnToMain(run: Run): void {
  const { memory, settings, now } = run
  const { main } = memory.statements
  if (settings.restore === 'off' || !main || !isCalledGood(run, 'main')) return
  if (memory.manual || memory.held) return
  memory.state = 'wait-to-restore'
  const { relapses = 0 } = memory.restored ?? {}
  const wait = doubled(settings.waitToRestore * 1000, relapses, LONGEST_WAIT_MS)
  run.due = Math.max(main.since + wait, memory.rests.main?.again ?? 0)
  const isSeen = settings.restore === 'message' || main.at === now
  if (now < run.due || !isSeen || memory.isBusy) return
  begin(run, { from: 'backup', to: 'main', cause: 'restore' })
}

function onBad(run: Run, side: Side): void {
  const { memory, settings, now } = run
  const { badSince } = memory.waits
  const to = otherOf(side)
  const cause = dueCause(run, to)
  memory.state = memory.loss ? 'no-protection' : 'hold-off'
  if (cause === undefined) {
    if (badSince !== undefined) run.due = badSince + settings.holdOff * 1000
    return
  }
  // The answer to a change that shows already is still to come.
  if (memory.isBusy && !memory.held) return
  memory.state = 'no-protection'
  if (memory.held) return lose(run, 'held')
  const statement = memory.statements[to]
  const known = isFresh(statement, now) ? statement : undefined
  // A monitor that says "bad" delays a trial; it never forbids one.
  if (known?.good === false && to !== memory.home && !memory.rests[to]?.failed) rest(run, to)
  const waiting = memory.rests[to]
  const isEnded =
    waiting && known?.good === true && !waiting.isDistrusted && known.since > waiting.since
  if (waiting && now < waiting.again && !isEnded) {
    run.due = waiting.again
    return lose(run, waiting.isRefused ? 'switch-failed' : 'both-bad')
  }
  if (side === 'main' && memory.restored && now - memory.restored.at < RELAPSE_MS) relapse(run)
  begin(run, {
    from: side,
    to,
    cause,
    ...(waiting && now < waiting.again && { isByMonitor: true }),
  })
}

/** Signal fail: bad for all of the hold-off. Signal degrade: bad too often in the latest minute. */
function dueCause({ memory, settings, now }: Run, to: Side): FailoverCause | undefined {
  const { badSince, badLooks = 0, bad = [] }: Waits = memory.waits
  if (badSince === undefined) return undefined
  if (badLooks >= 2 && now - badSince >= settings.holdOff * 1000) return 'signal-fail'
  // A single bad time, however long, is for the hold-off to judge.
  const isRepeated = bad.some((span) => span.to < badSince)
  const oldest = now - DEGRADED_PER_MS
  const badMs = bad.reduce((sum, span) => sum + span.to - Math.max(span.from, oldest), 0)
  const isDegraded = isRepeated && badMs >= DEGRADED_SHARE * DEGRADED_PER_MS
  return isDegraded && now >= (memory.degraded[to] ?? 0) + DEGRADED_REST_MS
    ? 'signal-degrade'
    : undefined
}
