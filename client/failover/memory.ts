import { ERROR_CODES } from '../errors'
import { isObject, own, type JsonObject } from '../model/json'
import {
  FAILOVER_CAUSES,
  FAILOVER_STATES,
  UNPROTECTED,
  withoutSecrets,
  type FailoverSettings,
} from '../model/failover'
import type { KeptMemory, Memory } from './types'

export interface Beginning {
  settings: FailoverSettings
  /** The gateway and the route, as they are set: another route is another matter. */
  route: string
  /** Node-RED has started since: `hold` counts again. A deploy is no start. */
  isStart?: boolean
  now: number
}

/** As it is stored: with how far the clock of the machine was ahead of its times, in ms. */
export type SavedMemory = KeptMemory & { ahead: number }

/**
 * The memory to start with, from the one that was kept, if any. Who chose the source, the hold, the
 * trials and what was reported are kept; what is in use is read from the gateway, and all times of
 * the source in use begin again. `saved` may be anything: it was stored elsewhere.
 */
export function startedMemory(
  { settings, route, isStart, now }: Beginning,
  saved: unknown,
): Memory {
  const { hold } = settings
  const subject = subjectOf(settings, route)
  const fresh: Memory = {
    subject,
    hold,
    held: hold,
    manual: false,
    rests: {},
    degraded: {},
    losses: { count: 0, endedAt: 0 },
    state: 'unknown',
    isBusy: false,
    statements: {},
    waits: {},
  }
  let kept: KeptMemory
  try {
    const ahead = checked('number', own(saved, 'ahead'), { ahead: 0, now }) as number
    kept = checked(KEPT, saved, { ahead, now }) as KeptMemory
  } catch {
    return fresh
  }
  const isHoldNew = kept.hold !== hold || (isStart === true && hold)
  const held = isHoldNew ? hold : kept.held
  if (kept.subject !== subject) return { ...fresh, held }
  const waits = wasBad(kept) ? { judgedAt: now, wasGood: false } : {}
  // A start says the state once more: who was told may have forgotten it.
  return { ...fresh, ...kept, ...(isStart && { reported: undefined }), waits, hold, held }
}

/** The last answer before the end showed that the source in use is bad. */
const wasBad = ({ reported, change }: KeptMemory): boolean =>
  change ? change.cause !== 'restore' && change.cause !== 'manual' : reported === 'hold-off'

/** The type of a value, its choices, the time of something past or to come; or what is in it. */
type Shape = string | { readonly [name: string]: Shape }

const SIDE = 'main|backup'
const IN_USE = `${SIDE}|other`
const MARKS = { 'isDistrusted?': 'boolean', 'isRefused?': 'boolean' }
const REST = { failed: 'number', since: 'past', again: 'future', ...MARKS }
const REPORTED = { since: 'past', told: 'number' }
const FAILURE = { code: ERROR_CODES.join('|'), message: 'string', applied: 'yes|no|maybe' }
const CHANGE = {
  from: IN_USE,
  to: SIDE,
  cause: FAILOVER_CAUSES.join('|'),
  at: 'past',
  'stays?': 'manual|forced',
  'isByMonitor?': 'boolean',
  sends: 'number',
  'again?': 'future',
  'arrivedAt?': 'past',
  'trial?': { cause: FAILOVER_CAUSES.join('|'), at: 'past', 'arrivedAt?': 'past' },
  'isAccepted?': 'boolean',
  'failure?': FAILURE,
}

/** What is kept. Members with `?` may be absent; `*` stands for any number of them. */
const KEPT: { readonly [name in keyof KeptMemory as name | `${name}?`]?: Shape } = {
  subject: 'string',
  hold: 'boolean',
  held: 'boolean',
  'inUse?': IN_USE,
  manual: 'boolean',
  'home?': SIDE,
  rests: { 'main?': REST, 'backup?': REST },
  degraded: { 'main?': 'past', 'backup?': 'past' },
  'change?': CHANGE,
  'sent?': { ...CHANGE, sentAt: 'past' },
  'restored?': { at: 'past', relapses: 'number' },
  'loss?': { reason: UNPROTECTED.join('|'), ...REPORTED, 'goodAt?': 'past', 'overSince?': 'past' },
  losses: { count: 'number', endedAt: 'past' },
  'reported?': FAILOVER_STATES.join('|'),
  'failed?': { '*': REPORTED },
}

export function keptOf(memory: KeptMemory): KeptMemory {
  const isKept = (name: string): boolean => name in KEPT || `${name}?` in KEPT
  return Object.fromEntries(
    Object.entries(memory).filter(([name]) => isKept(name)),
  ) as unknown as KeptMemory
}

/** With times by the present clock, none further ahead than what may be waited for. @throws when damaged */
function checked(shape: Shape, value: unknown, clock: { ahead: number; now: number }): unknown {
  if (typeof shape === 'object') {
    if (!isObject(value)) throw new TypeError('damaged')
    const { '*': ofEach } = shape
    const wanted = ofEach
      ? Object.keys(value).map((name) => [name, ofEach] as const)
      : Object.entries(shape)
    const members = wanted.flatMap(([member, each]) => {
      const name = member.replace('?', '')
      const given = own(value, name)
      return given === undefined && name !== member ? [] : [[name, checked(each, given, clock)]]
    })
    return Object.fromEntries(members) as unknown
  }
  const isTime = shape === 'past' || shape === 'future'
  const type = isTime ? 'number' : shape
  const isChoice = type.split('|').some((choice) => choice === value)
  const isRight = type.includes('|') ? isChoice : typeof value === type
  if (!isRight || (type === 'number' && !Number.isFinite(value))) throw new TypeError('damaged')
  const latest = shape === 'past' ? clock.now : clock.now + LONGEST_MS
  return isTime ? Math.min((value as number) + clock.ahead, latest) : value
}

const LONGEST_MS = 900_000

/** Without secrets: another source of the same route is another matter. */
function subjectOf({ method, main, backup }: FailoverSettings, route: string): string {
  const sorted = (side: JsonObject): unknown[] =>
    Object.entries(withoutSecrets(side)).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([method, route, sorted(main), sorted(backup)])
}
