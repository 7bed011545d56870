/**
 * What a failover can be set to, and the checks of it. The forms follow it too. The words are those
 * of protection switching (ITU-T G.808): hold-off, signal fail, signal degrade, guard, wait to
 * restore, lockout ("hold"), forced and manual switch.
 */
import { checkUpdate } from './check'
import { isGiven, isObject, isText, membersIn, own, pathTo, type JsonObject } from './json'
import { anyMembersOf, membersOf, spellingOf } from './members'
import { booleanFrom, partToSent, protocolOf } from './convert'
import { diffRoutes } from './diff'
import { failoverFault as fault, type FailoverFault } from './failover-faults'
import type { Fault } from './faults'
import { findHidden, isSecret } from './secrets'
import { isSameId } from './ids'
import type { Range } from './ranges'
import { numberIn } from './settings'
import type { Source } from './types'

/** The two sources of a protected route. */
export type Side = 'main' | 'backup'

/** Which source a route has; `other` is one that is neither. */
export type InUse = Side | 'other'

/** Every state of a failover. */
export const FAILOVER_STATES = [
  'unknown',
  'standby',
  'foreign',
  'normal',
  'hold-off',
  'switching',
  'protecting',
  'wait-to-restore',
  'no-protection',
] as const

export type FailoverState = (typeof FAILOVER_STATES)[number]

/** Every event of a failover: the topic of its message. */
export const FAILOVER_EVENTS = [
  'failover.switched',
  'failover.failed',
  'failover.no-protection',
  'failover.taken-over',
  'failover.held',
  'failover.released',
  'failover.limit',
  'failover.limit-over',
  'failover.state',
] as const

export type FailoverEventName = (typeof FAILOVER_EVENTS)[number]

/** Why a source was changed. */
export type FailoverCause = 'signal-fail' | 'signal-degrade' | 'restore' | 'manual'

/** What a message can ask for. */
export const FAILOVER_ACTIONS = ['main', 'backup', 'hold', 'release', 'reset', 'status'] as const

export type FailoverAction = (typeof FAILOVER_ACTIONS)[number]

export const FAILOVER_CHOICES = {
  method: ['source', 'routes'],
  failOn: ['status', 'noData', 'bitrate'],
  restore: ['off', 'monitor', 'message'],
} as const

type Choices = typeof FAILOVER_CHOICES

/** The settings of a failover that are numbers: seconds, except `degrade` (%) and `limit`. */
export const FAILOVER_RANGES = {
  holdOff: { least: 0, most: 3600 },
  degrade: { least: 0, most: 100 },
  degradePer: { least: 10, most: 600 },
  settle: { least: 0, most: 600 },
  guard: { least: 1, most: 900 },
  waitToRestore: { least: 1, most: 86_400 },
  limit: { least: 1, most: 100, whole: true },
  limitPer: { least: 60, most: 86_400 },
  lookEvery: { least: 0.5, most: 60 },
} as const satisfies Record<string, Range>

type Numbers = Record<keyof typeof FAILOVER_RANGES, number>

/** A failover as it was set. */
export interface FailoverSettings extends Numbers {
  /** `source`: the source of the route is changed. `routes`: one route is stopped, the other started. */
  method: Choices['method'][number]
  /** The fields of the source that differ; for `routes` the `id` or `name` of a route. */
  main: JsonObject
  backup: JsonObject
  /** Which source counts as bad: not `ok`; also one without data; also one below `low`. */
  failOn: Choices['failOn'][number]
  /** Mbit/s, with `failOn` = `bitrate`. */
  low?: number
  /** Who knows, while the backup is in use, whether main is good: nobody, a route, messages. */
  restore: Choices['restore'][number]
  /** The `id` or `name` of the route that receives main all the time. */
  monitor?: JsonObject
  dryRun: boolean
  /** Held at the start. */
  hold: boolean
}

export const FAILOVER_DEFAULTS = {
  method: 'source',
  failOn: 'status',
  holdOff: 10,
  degrade: 30,
  degradePer: 60,
  settle: 10,
  guard: 30,
  restore: 'off',
  waitToRestore: 300,
  limit: 4,
  limitPer: 3600,
  lookEvery: 2,
  dryRun: false,
  hold: false,
} as const satisfies Partial<FailoverSettings>

/** Returns every fault of a failover as it was saved: numbers may be text, blank means the default. */
export function failoverFaults(saved: unknown): Array<FailoverFault | Fault> {
  if (!isObject(saved)) return [fault('', { kind: 'settings' })]
  const sides = valueOf(saved, 'method') === 'routes' ? routesFaults(saved) : sourcesFaults(saved)
  const needsMonitor = valueOf(saved, 'restore') === 'monitor' && !isRouteRef(own(saved, 'monitor'))
  return [
    ...choiceFaults(saved),
    ...numberFaults(saved),
    ...flagFaults(saved),
    ...sides,
    ...(needsMonitor ? [fault('monitor', { kind: 'monitor' })] : []),
  ]
}

/** The settings of a failover without faults, as they were saved. */
export function failoverSettings(saved: object): FailoverSettings {
  const numbers = Object.keys(FAILOVER_RANGES).map((name) => [name, Number(valueOf(saved, name))])
  const { main, backup, monitor, low } = saved as Record<string, unknown>
  return {
    ...(Object.fromEntries(numbers) as unknown as Numbers),
    method: valueOf(saved, 'method') as FailoverSettings['method'],
    failOn: valueOf(saved, 'failOn') as FailoverSettings['failOn'],
    restore: valueOf(saved, 'restore') as FailoverSettings['restore'],
    main: main as JsonObject,
    backup: backup as JsonObject,
    ...(valueOf(saved, 'failOn') === 'bitrate' && { low: Number(low) }),
    ...(isObject(monitor) && { monitor }),
    dryRun: booleanFrom(valueOf(saved, 'dryRun')) === true,
    hold: booleanFrom(valueOf(saved, 'hold')) === true,
  }
}

const isBlank = (value: unknown): boolean => !isGiven(value) || value === ''

function valueOf(saved: object, name: string): unknown {
  const value = own(saved, name)
  return isBlank(value) ? own(FAILOVER_DEFAULTS, name) : value
}

function choiceFaults(saved: object): FailoverFault[] {
  return Object.entries(FAILOVER_CHOICES).flatMap(([path, choices]) =>
    (choices as readonly unknown[]).includes(valueOf(saved, path))
      ? []
      : [fault(path, { kind: 'choice', choices: choices.join(', ') })],
  )
}

function numberFaults(saved: object): FailoverFault[] {
  const faults: FailoverFault[] = []
  for (const [path, range] of Object.entries<Range>(FAILOVER_RANGES)) {
    if (numberIn(valueOf(saved, path), range) !== undefined) continue
    const { least, most, whole } = range
    faults.push(fault(path, { kind: whole ? 'wholeNumber' : 'number', least, most }))
  }
  const [degrade, per, every] = ['degrade', 'degradePer', 'lookEvery'].map((name) =>
    Number(valueOf(saved, name)),
  ) as [number, number, number]
  // With fewer looks the share could never be reached, and nobody would know.
  if (degrade > 0 && per < 3 * every) faults.push(fault('degradePer', { kind: 'degradePer' }))
  if (valueOf(saved, 'failOn') === 'bitrate') {
    const low = numberIn(own(saved, 'low'), { least: 0, most: Infinity })
    if (!low) faults.push(fault('low', { kind: 'low' }))
  }
  return faults
}

const flagFaults = (saved: object): FailoverFault[] =>
  ['dryRun', 'hold']
    .filter((path) => booleanFrom(valueOf(saved, path)) === undefined)
    .map((path) => fault(path, { kind: 'flag' }))

const SIDES = ['main', 'backup'] as const

const isRouteRef = (value: unknown): boolean =>
  isText(own(value, 'id')) || isText(own(value, 'name'))

function routesFaults(saved: object): FailoverFault[] {
  const missing = SIDES.filter((path) => !isRouteRef(own(saved, path)))
  if (missing.length > 0) return missing.map((path) => fault(path, { kind: 'route' }))
  const [main, backup] = SIDES.map((side) => own(saved, side))
  const isSame =
    isSameId(own(main, 'id'), own(backup, 'id')) ||
    (isText(own(main, 'name')) && own(main, 'name') === own(backup, 'name'))
  return isSame ? [fault('backup', { kind: 'sameRoute' })] : []
}

function sourcesFaults(saved: object): Array<FailoverFault | Fault> {
  const faults = SIDES.flatMap((side) => sourceFaults(own(saved, side), side))
  if (faults.length > 0) return faults
  const [main, backup] = SIDES.map((side) => own(saved, side)) as [Source, Source]
  const missing = [...missingFaults(main, backup, 'main'), ...missingFaults(backup, main, 'backup')]
  if (missing.length > 0) return missing
  return differ(main, backup) ? [] : [fault('backup', { kind: 'sameSource' })]
}

function sourceFaults(side: unknown, path: Side): Array<FailoverFault | Fault> {
  if (!isObject(side) || membersIn(side).length === 0) return [fault(path, { kind: 'source' })]
  const faults = checkUpdate({ source: side }, 'merge').map((each) => ({
    ...each,
    path: each.path.replace(/^source/, path),
  }))
  const hidden = findHidden(side).map((at) => fault(`${path}.${at}`, { kind: 'hidden' }))
  return [...faults, ...hidden]
}

/**
 * A switch changes only what is given. A field that only one side gives would keep its value after
 * the switch back: a passphrase of the backup, and main could not connect.
 */
function missingFaults(side: Source, other: Source, path: Side): FailoverFault[] {
  const given = sent(side, other)
  const missing = Object.keys(sent(other, side)).filter(
    (name) => name !== 'id' && !Object.hasOwn(given, name) && mayHave(side, name),
  )
  const from = path === 'main' ? 'backup' : 'main'
  return missing.map((name) =>
    fault(pathTo(path, name), { kind: 'missing', side: path, other: from }),
  )
}

/** False for a field that goes with the protocol of the other source. */
function mayHave(side: Source, name: string): boolean {
  const all = anyMembersOf('source')
  const protocol = protocolOf('source', side)
  const member = (isText(protocol) ? membersOf('source', protocol) : all).get(name)
  return member ? !member.readOnly?.(side) : !all.has(name)
}

/** True when one of the fields that both give tells them apart. */
function differ(main: Source, backup: Source): boolean {
  const [one, other] = [withoutSecrets(sent(main, backup)), withoutSecrets(sent(backup, main))]
  const shared = Object.keys(one).filter((name) => Object.hasOwn(other, name))
  const picked = (of: JsonObject): Source =>
    Object.fromEntries(shared.map((name) => [name, of[name]])) as unknown as Source
  const fields = { name: '', destinations: [] }
  const differences = diffRoutes(
    { ...fields, source: picked(one) },
    { ...fields, source: picked(other) },
  )
  return differences.length > 0
}

/** In sent form; the other side has the protocol, where this one does not give it. */
function sent(side: Source, other: Source): JsonObject {
  const members = anyMembersOf('source')
  const fields = membersIn(partToSent('source', side, { ...other, ...side }))
  // Without a protocol the choices still have the spelling that was given.
  return Object.fromEntries(
    fields.map(([name, value]) => [name, spellingOf(members.get(name) ?? TEXT, value) ?? value]),
  )
}

const TEXT = { kind: 'text' } as const

/** The fields of a source that can be compared with what a gateway returns. */
export function withoutSecrets(side: JsonObject): JsonObject {
  return Object.fromEntries(membersIn(side).filter(([name]) => !isSecret(name)))
}
