import { GatewayError, invalidInput } from '../errors'
import {
  FAILOVER_ACTIONS,
  type FailoverAction,
  type FailoverSettings,
  type Side,
} from '../model/failover'
import { begin, begun, ended, other, type Run } from './run'
import { isGap, looked } from './rules'
import type { Decision, Failure, Input, Memory } from './types'

/**
 * What a failover does next. A pure function: the same settings, memory, input and time (Unix ms)
 * give the same decision, and nothing is waited for here. `startedMemory` is what it begins with.
 * @throws GatewayError for a command that cannot be obeyed: `INVALID_INPUT`, `CONFLICT`, and
 * `UNAVAILABLE` while the source in use is not known. Nothing has changed then.
 */
export function decide(
  settings: FailoverSettings,
  memory: Memory,
  input: Input,
  now: number,
): Decision {
  const run = begun(settings, memory, now)
  switch (input.kind) {
    case 'look':
      looked(run, input.look)
      break
    case 'command':
      obey(run, input.action, input.hold)
      break
    case 'outcome':
      learn(run, input.failure)
      break
    case 'main':
      believe(run, input.good)
  }
  return ended(run, memory.state)
}

/** How a change went, for the look that follows: what the route shows decides. */
function learn(run: Run, failure?: Failure): void {
  const { memory, now } = run
  const { change } = memory
  memory.isBusy = false
  run.next = now
  if (change) memory.change = { ...change, ...(failure ? { failure } : { isSent: true }) }
}

/** A probe reports how main is. */
function believe(run: Run, good: unknown): void {
  const { settings, memory, now } = run
  if (typeof good !== 'boolean') refuseInput('msg.main', 'must be true or false')
  if (settings.restore !== 'message') {
    refuseInput('msg.main', 'is only read with restore = message')
  }
  memory.mainIsGood = good
  // Also when it is good again before the next look.
  if (!good) delete memory.waits.mainGoodSince
  run.next = now
}

function obey(run: Run, action: unknown, hold: unknown): void {
  if (!FAILOVER_ACTIONS.some((known) => known === action)) {
    refuseInput('msg.action', `must be one of ${FAILOVER_ACTIONS.join(', ')}`)
  }
  if (hold !== undefined && typeof hold !== 'boolean') {
    refuseInput('msg.hold', 'must be true or false')
  }
  OBEY[action as FailoverAction](run, hold === true)
  // Every command has an answer: the state, where nothing else is to be reported.
  if (run.reports.length === 0 && !run.act) run.reports.push({ event: 'failover.state' })
  run.next = run.now
}

const OBEY: Record<FailoverAction, (run: Run, hold: boolean) => void> = {
  main: (run, hold) => choose(run, 'main', hold),
  backup: (run, hold) => choose(run, 'backup', hold),
  status: () => {},

  hold({ memory, reports }) {
    if (memory.held) return
    memory.held = true
    reports.push({ event: 'failover.held' })
  },

  release({ memory, reports }) {
    if (!memory.held && !memory.manual && !memory.change?.stays) return
    memory.held = false
    memory.manual = false
    // The same for what a switch in progress would set.
    delete memory.change?.stays
    reports.push({ event: 'failover.released' })
  },

  reset({ memory, reports, now }) {
    const wasLimited = memory.limited
    memory.switches = []
    memory.limited = false
    memory.slowed = 0
    memory.guardUntil = now
    if (wasLimited) reports.push({ event: 'failover.limit-over' })
  },
}

/** A person chooses a source: now, whatever the guard. With `hold` it stays, whatever happens. */
function choose(run: Run, to: Side, hold: boolean): void {
  const { memory, reports } = run
  const { inUse, halfway, state } = memory
  if (state === 'unknown' || isGap(run)) {
    throw new GatewayError(
      'UNAVAILABLE',
      `Nothing was switched to ${to}: the source in use is not known, since the gateway does not show it at the moment.`,
    )
  }
  if (state === 'standby') {
    refuse(to, 'the route is stopped. Start the route, then send the message again.')
  }
  if (memory.change || memory.isBusy) {
    refuse(to, 'a switch is in progress. Send the message again when it has finished.')
  }
  if (memory.held && !hold) {
    refuse(to, 'the failover is held. Send msg.action = release first, or add msg.hold = true.')
  }
  if (inUse !== to || halfway) {
    const from = inUse === to ? other(to) : inUse!
    begin(run, { from, to, cause: 'manual', stays: hold ? 'forced' : 'manual' })
    return
  }
  memory.manual = true
  if (!hold || memory.held) return
  memory.held = true
  reports.push({ event: 'failover.held' })
}

function refuse(to: Side, why: string): never {
  throw new GatewayError('CONFLICT', `Nothing was switched to ${to}: ${why}`)
}

function refuseInput(path: string, problem: string): never {
  throw invalidInput([{ path, problem }])
}
