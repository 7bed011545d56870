import { GatewayError, invalidInput, say } from '../errors'
import { booleanFrom } from '../model/convert'
import type { Wanted } from '../model/faults'
import { shownAs } from '../model/given'
import { isText } from '../model/json'
import {
  FAILOVER_ACTIONS,
  type FailoverAction,
  type FailoverSettings,
  type Side,
} from '../model/failover'
import { againAt, begin, copyOf, ended, finish, type Run } from './decision'
import { isGap, onLook, said, unknown } from './rules'
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
  const run: Run = { settings, now, memory: copyOf(memory), reports: [] }
  switch (input.kind) {
    case 'look':
      onLook(run, input.look)
      break
    case 'silence':
      unknown(run)
      break
    case 'command':
      obey(run, input.action, input.hold)
      break
    case 'outcome':
      onOutcome(run, input.failure)
      break
    case 'main':
      onProbe(run, input.good)
  }
  return ended(run, memory)
}

function onOutcome(run: Run, failure?: Failure): void {
  const { memory, now } = run
  const { change } = memory
  memory.isBusy = false
  if (!change) return
  change.again = againAt(change, now)
  if (failure) change.failure = failure
  else change.isAccepted = true
}

function onProbe(run: Run, given: unknown): void {
  const { settings, memory, now } = run
  const good = booleanFrom(given)
  if (good === undefined) refuseInput('msg.main', given, FLAG)
  if (settings.restore !== 'message') {
    const problem = `is only read with restore = message; here it is ${settings.restore}`
    throw invalidInput([{ path: 'msg.main', problem }])
  }
  memory.statements.main = said(memory.statements.main, good, now)
}

function obey(run: Run, given: unknown, hold: unknown): void {
  const action = FAILOVER_ACTIONS.find(
    (known) => isText(given) && known === given.trim().toLowerCase(),
  )
  if (!action) {
    refuseInput('msg.action', given, { kind: 'choice', choices: FAILOVER_ACTIONS.join(', ') })
  }
  const isHeld = hold === undefined ? false : booleanFrom(hold)
  if (isHeld === undefined) refuseInput('msg.hold', hold, FLAG)
  OBEY[action](run, isHeld)
  // Every command has an answer: the state, where nothing else is to be reported.
  if (run.reports.length === 0 && !run.act) run.reports.push({ event: 'failover.state' })
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
    // What a switch would set that shows only now.
    delete memory.sent?.stays
    if (!memory.held && !memory.manual && !memory.change?.stays) return
    memory.held = false
    memory.manual = false
    delete memory.change?.stays
    reports.push({ event: 'failover.released' })
  },
}

/** A person chooses a source: now, whatever the guard. With `hold` it stays, whatever happens. */
function choose(run: Run, to: Side, hold: boolean): void {
  const { memory, reports } = run
  const { inUse, state, change } = memory
  if (inUse === undefined || state === 'unknown' || isGap(run)) {
    throw new GatewayError('UNAVAILABLE', say('switchUnknown', { to }))
  }
  if (state === 'standby') {
    refuse('switchStopped', to)
  }
  if (memory.isBusy || (change && change.arrivedAt === undefined)) {
    refuse('switchBusy', to)
  }
  if (memory.held && !hold) {
    refuse('switchHeld', to)
  }
  const stays = hold ? 'forced' : 'manual'
  if (inUse !== to) {
    // What a person chose before has been made; a trial was not good yet.
    if (change?.stays) finish(run, change)
    begin(run, { from: inUse, to, cause: 'manual', stays })
    return
  }
  // A trial of it is theirs now: it stays, good or not.
  if (change) change.stays = stays
  memory.manual = true
  if (!hold || memory.held) return
  memory.held = true
  reports.push({ event: 'failover.held' })
}

function refuse(why: 'switchStopped' | 'switchBusy' | 'switchHeld', to: Side): never {
  throw new GatewayError('CONFLICT', say(why, { to }))
}

const FLAG: Wanted = { kind: 'boolean' }

function refuseInput(path: string, value: unknown, wanted: Wanted): never {
  throw invalidInput([{ path, kind: 'wrong', given: shownAs(value), wanted }])
}
