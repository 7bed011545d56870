import type { FailoverSettings, FailoverState, Side } from '../model/failover'
import type { Act, Blocked, Change, Decision, FailoverEvent, Memory } from './types'
import { guardOf } from './memory'

/** One decision in the making: a copy of the memory to change, and what is to be reported. */
export interface Run {
  readonly settings: FailoverSettings
  readonly now: number
  readonly memory: Memory
  readonly reports: Report[]
  act?: Act
  next?: number
  due?: number
  /** Whether main is good, as far as is known. */
  main?: boolean
  /** The outage that ended with this look. */
  outageMs?: number
}

/** What is particular to one event. */
type Report = Pick<FailoverEvent, 'event'> &
  Partial<Pick<FailoverEvent, 'from' | 'to' | 'cause' | 'durationMs' | 'reason' | 'failure'>>

export const begun = (settings: FailoverSettings, memory: Memory, now: number): Run => ({
  settings,
  now,
  memory: copyOf(memory),
  reports: [],
})

/** Of all that a decision may change. */
function copyOf(memory: Memory): Memory {
  const { change, switches, waits } = memory
  const bad = waits.bad?.map((span) => ({ ...span }))
  return {
    ...memory,
    switches: [...switches],
    waits: { ...waits, ...(bad && { bad }) },
    ...(change && { change: { ...change } }),
  }
}

/** The decision. Every event has the state in which it all ends. */
export function ended(run: Run, before: FailoverState): Decision {
  const { settings, memory, now, reports, act, next, due, outageMs = null } = run
  const { state, held, switches } = memory
  if (reports.length === 0 && state !== before) reports.push({ event: 'failover.state' })
  const common = {
    at: now,
    state,
    from: null,
    to: null,
    cause: null,
    outageMs,
    durationMs: null,
    switches: switches.length,
    held,
    dryRun: settings.dryRun,
  }
  return {
    memory,
    state,
    events: reports.map((report) => ({ ...common, ...report })),
    ...(act && { act }),
    ...(next !== undefined && { next }),
    ...(due !== undefined && { due }),
  }
}

export const other = (side: Side): Side => (side === 'main' ? 'backup' : 'main')

/** Resets all times, and switches nothing. */
export function rest(run: Run, state: FailoverState): void {
  run.memory.waits = {}
  run.memory.state = state
  // A stop or another source ends what was reported; not to know does not.
  if (state !== 'unknown') run.memory.isReported = false
}

/** Asks for a switch. A dry run counts it as made, except that the source stays as it is. */
export function begin(run: Run, wanted: Omit<Change, 'at'>): void {
  const { settings, memory, now } = run
  const change: Change = { ...wanted, at: now }
  const { from, to, cause } = change
  if (settings.dryRun) {
    const { goodAt, isOut } = memory.waits
    memory.waits = { ...(goodAt !== undefined && { goodAt }), ...(isOut && { isOut }) }
    run.reports.push({ event: 'failover.switched', from, to, cause })
    count(run, change)
    return
  }
  memory.change = change
  memory.isBusy = true
  memory.state = 'switching'
  run.act = { from, to, cause }
}

/** A switch that was seen: it counts, and the guard begins with its decision. */
export function count(run: Run, { cause, at }: Change): void {
  const { settings, memory } = run
  if (cause !== 'manual') {
    if (memory.limited) memory.slowed++
    memory.switches.push(at)
    if (!memory.limited && memory.switches.length >= settings.limit) {
      memory.limited = true
      run.reports.push({ event: 'failover.limit' })
    }
  }
  memory.guardUntil = Math.max(memory.guardUntil, at + guardOf(settings, memory))
}

/** Why no switch may be made by itself now; undefined when one may. */
export function blocked({ memory, main, now }: Run, to: Side): Blocked | undefined {
  if (memory.held) return 'held'
  if (memory.isBusy) return 'switching'
  if (to === 'main' && main === false) return 'main-bad'
  return now < memory.guardUntil ? 'guard' : undefined
}
