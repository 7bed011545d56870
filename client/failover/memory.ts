import { isObject, own, type JsonObject } from '../model/json'
import { withoutSecrets, type FailoverSettings } from '../model/failover'
import type { Change, Memory } from './types'

/**
 * The memory to start with, from the one that was kept, if any. Who chose the source, the hold, the
 * switches and the guard are kept; what is in use is read from the gateway, and all waits begin
 * anew. `saved` may be anything: it was stored elsewhere.
 */
export function startedMemory(settings: FailoverSettings, saved: unknown, now: number): Memory {
  const subject = subjectOf(settings)
  const fresh: Memory = {
    subject,
    hold: settings.hold,
    held: settings.hold,
    manual: false,
    switches: [],
    limited: false,
    slowed: 0,
    guardUntil: now,
    isReported: false,
    state: 'unknown',
    isBusy: false,
    waits: {},
  }
  if (!isMemory(saved)) return fresh
  const held = saved.hold === settings.hold ? saved.held : settings.hold
  if (saved.subject !== subject) return { ...fresh, held }
  const { inUse, manual, switches, limited, slowed, guardUntil, isReported } = saved
  const { change, late, halfway } = saved
  return inThePast(
    {
      ...fresh,
      held,
      manual,
      switches,
      limited,
      slowed,
      guardUntil,
      isReported,
      ...(inUse && { inUse }),
      ...(change && { change }),
      ...(late && { late }),
      ...(halfway && { halfway }),
    },
    settings,
    now,
  )
}

const FORGOTTEN_BY_RESTART = ['state', 'lookedAt', 'isBusy', 'mainIsGood', 'waits'] as const
const FORGOTTEN: ReadonlySet<string> = new Set(FORGOTTEN_BY_RESTART)

/** What a failover must still know after a restart. */
export type KeptMemory = Omit<Memory, (typeof FORGOTTEN_BY_RESTART)[number]>

export function keptOf(memory: Memory): KeptMemory {
  const entries = Object.entries(memory).filter(([name]) => !FORGOTTEN.has(name))
  return Object.fromEntries(entries) as unknown as KeptMemory
}

/** The system clock may have been set back: what lies in the future would block for as long. */
function inThePast(memory: Memory, settings: FailoverSettings, now: number): Memory {
  const past = (change?: Change): object | undefined =>
    change && {
      ...change,
      at: Math.min(change.at, now),
      ...(change.arrivedAt !== undefined && { arrivedAt: Math.min(change.arrivedAt, now) }),
    }
  const { change, late } = memory
  return {
    ...memory,
    switches: memory.switches.map((at) => Math.min(at, now)),
    guardUntil: Math.min(memory.guardUntil, now + guardOf(settings, memory)),
    ...(change && { change: past(change) as Change }),
    ...(late && { late: past(late) as Change }),
  }
}

/** The guard stops doubling here. */
const LONGEST_GUARD_MS = 900_000

/** How long nothing is switched by itself after a switch, in ms. */
export const guardOf = ({ guard }: FailoverSettings, { slowed }: Memory): number =>
  Math.min(guard * 1000 * 2 ** slowed, LONGEST_GUARD_MS)

/** What the memory is about, without secrets: another source of the same route is another matter. */
function subjectOf({ method, main, backup }: FailoverSettings): string {
  const sorted = (side: JsonObject): unknown[] =>
    Object.entries(withoutSecrets(side)).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([method, sorted(main), sorted(backup)])
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
const isAbsentOr =
  (...known: unknown[]) =>
  (value: unknown): boolean =>
    value === undefined || known.includes(value)
const isSide = (value: unknown): boolean => value === 'main' || value === 'backup'

function isMemory(saved: unknown): saved is Memory {
  if (!isObject(saved)) return false
  const { inUse, switches, change, late, halfway } = saved
  return (
    typeof saved.subject === 'string' &&
    [saved.hold, saved.held, saved.manual, saved.limited, saved.isReported].every(isFlag) &&
    [saved.slowed, saved.guardUntil].every(isTime) &&
    Array.isArray(switches) &&
    switches.every(isTime) &&
    isAbsentOr('main', 'backup', 'other')(inUse) &&
    isAbsentOr('main', 'backup')(halfway) &&
    [change, late].every((one) => one === undefined || isChange(one))
  )
}

const CAUSES: readonly unknown[] = ['signal-fail', 'signal-degrade', 'restore', 'manual']

const isChange = (saved: unknown): boolean =>
  isTime(own(saved, 'at')) &&
  isSide(own(saved, 'to')) &&
  (own(saved, 'from') === 'other' || isSide(own(saved, 'from'))) &&
  CAUSES.includes(own(saved, 'cause')) &&
  isAbsentOr('manual', 'forced')(own(saved, 'stays')) &&
  (own(saved, 'arrivedAt') === undefined || isTime(own(saved, 'arrivedAt')))
