/**
 * What a failover can be set to, and the checks of it. The forms follow it too. The words are those
 * of protection switching (ITU-T G.808): hold-off, signal fail, signal degrade, guard, wait to
 * restore, lockout ("hold"), forced and manual switch.
 */
import { checkUpdate } from './check'
import {
  areDifferent,
  failoverFault as fault,
  fieldFaults,
  givenIn,
  missingFaults,
  SIDES,
  type Differs,
  type FailoverFault,
  type InUse,
  type Side,
  type Sides,
} from './failover-sides'
import type { Fault, Wanted } from './faults'
import { shownAs } from './given'
import { isSameId } from './ids'
import { isGiven, isObject, isText, own, type JsonObject } from './json'
import type { Range } from './ranges'
import { findHidden } from './secrets'
import { flagIn, numberIn } from './settings'

export {
  sideFaults,
  sourceInUse,
  withoutSecrets,
  type Differs,
  type InUse,
  type Side,
} from './failover-sides'

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
  'failover.unprotected',
  'failover.protected',
  'failover.taken-over',
  'failover.held',
  'failover.released',
  'failover.state',
] as const

export type FailoverEventName = (typeof FAILOVER_EVENTS)[number]

/** Why a source was changed. `trial-failed`: the one before it was not good, so back to the last good one. */
export const FAILOVER_CAUSES = [
  'signal-fail',
  'signal-degrade',
  'trial-failed',
  'restore',
  'manual',
] as const

export type FailoverCause = (typeof FAILOVER_CAUSES)[number]

/**
 * Why a route is not protected, as events report it. The source in use is good with `backup-bad`, as a
 * monitor says of the backup; otherwise it is bad, with `unknown` when the gateway showed it last.
 */
export const UNPROTECTED = ['held', 'both-bad', 'switch-failed', 'unknown', 'backup-bad'] as const

export type Unprotected = (typeof UNPROTECTED)[number]

/** Why a failover protects nothing at present, as statuses and metrics say it. */
export type NotProtecting = Unprotected | 'main-bad' | 'foreign' | 'stopped' | 'not-started'

/** How a failover is at present, as the editor sees it too. */
export interface FailoverView {
  state: FailoverState
  /** The source that was last seen. */
  inUse?: InUse
  held: boolean
  /** A person chose the source in use. */
  manual: boolean
  /** Why the route is not protected; absent while it is. */
  reason?: NotProtecting
  /** While the source is neither main nor backup: what differs. */
  differs?: Differs
  /** Why a monitor says nothing. */
  monitor?: 'stopped' | 'missing'
  /** When the wait of this state ends, unless something else happens; Unix ms. */
  due?: number
}

export const FAILOVER_ACTIONS = ['main', 'backup', 'hold', 'release', 'status'] as const

export type FailoverAction = (typeof FAILOVER_ACTIONS)[number]

export const FAILOVER_CHOICES = {
  method: ['source', 'routes'],
  failOn: ['status', 'noData'],
  restore: ['off', 'monitor', 'message'],
} as const

type Choices = typeof FAILOVER_CHOICES

/** The settings of a failover that are numbers: seconds. */
export const FAILOVER_RANGES = {
  holdOff: { least: 0, most: 3600 },
  settle: { least: 0, most: 600 },
  guard: { least: 1, most: 900 },
  waitToRestore: { least: 1, most: 86_400 },
  pollEvery: { least: 0.5, most: 60 },
} as const satisfies Record<string, Range>

/** A failover as it was set. */
export interface FailoverSettings extends Record<keyof typeof FAILOVER_RANGES, number> {
  /** `source`: the source of the route is changed. `routes`: one route is stopped, the other started. */
  method: Choices['method'][number]
  /** The fields of the source that differ; for `routes` the `id` or `name` of a route. */
  main: JsonObject
  backup: JsonObject
  /** Which source counts as bad: one that is not `ok`; also one without data. */
  failOn: Choices['failOn'][number]
  /** Who knows, while the backup is in use, whether main is good: nobody, a route, messages. */
  restore: Choices['restore'][number]
  /** The `id` or `name` of the route that receives main all the time. */
  monitor?: JsonObject
  /** The same for the backup: says that protection is lost before it is needed. */
  monitorBackup?: JsonObject
  hold: boolean
}

export const FAILOVER_DEFAULTS = {
  method: 'source',
  failOn: 'noData',
  holdOff: 10,
  settle: 10,
  guard: 30,
  restore: 'off',
  waitToRestore: 300,
  pollEvery: 2,
  hold: false,
} as const satisfies Partial<FailoverSettings>

/** Returns every fault of a failover as it was saved: numbers may be text, blank means the default. */
export function failoverFaults(saved: unknown): Array<FailoverFault | Fault> {
  const wrong = (path: string, wanted: Wanted): Fault => {
    const value = path === '' ? saved : own(saved, path)
    return { path, kind: 'wrong', given: shownAs(value), wanted }
  }
  if (!isObject(saved)) return [wrong('', { kind: 'object' })]
  const choices = Object.entries<readonly unknown[]>(FAILOVER_CHOICES).filter(
    ([path, known]) => !known.includes(valueOf(saved, path)),
  )
  const numbers = Object.entries<Range>(FAILOVER_RANGES).filter(
    ([path, range]) => numberIn(valueOf(saved, path), range) === undefined,
  )
  const isFlag = flagIn(valueOf(saved, 'hold')) !== undefined
  const needsMonitor = valueOf(saved, 'restore') === 'monitor' && !isRouteRef(own(saved, 'monitor'))
  return [
    ...choices.map(([path, known]) => wrong(path, { kind: 'choice', choices: known.join(', ') })),
    ...numbers.map(([path, { least, most }]) => wrong(path, { kind: 'number', least, most })),
    ...(isFlag ? [] : [wrong('hold', { kind: 'boolean' })]),
    ...(valueOf(saved, 'method') === 'routes' ? routesFaults(saved) : sourcesFaults(saved)),
    ...(needsMonitor ? [fault('monitor', { kind: 'monitor' })] : []),
  ]
}

/** The settings of a failover without faults, as they were saved. */
export function failoverSettings(saved: object): FailoverSettings {
  const isTwo = valueOf(saved, 'method') === 'routes'
  const sideIn = (name: Side): unknown =>
    isTwo ? own(saved, name) : givenIn(own(saved, name) as JsonObject)
  const monitors = (['monitor', 'monitorBackup'] as const).filter((name) =>
    isObject(own(saved, name)),
  )
  return Object.fromEntries([
    ...Object.keys(FAILOVER_CHOICES).map((name) => [name, valueOf(saved, name)]),
    ...Object.keys(FAILOVER_RANGES).map((name) => [name, Number(valueOf(saved, name))]),
    ...SIDES.map((name) => [name, sideIn(name)]),
    ...monitors.map((name) => [name, own(saved, name)]),
    ['hold', flagIn(valueOf(saved, 'hold'))],
  ]) as FailoverSettings
}

function valueOf(saved: object, name: string): unknown {
  const value = own(saved, name)
  return isGiven(value) && value !== '' ? value : own(FAILOVER_DEFAULTS, name)
}

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
  const faults = SIDES.flatMap((path) => sourceFaults(own(saved, path), path))
  if (faults.length > 0) return faults
  const sides = saved as Sides
  const missing = SIDES.flatMap((path) => missingFaults(sides, path))
  if (missing.length > 0) return missing
  return areDifferent(sides) ? [] : [fault('backup', { kind: 'sameSource' })]
}

function sourceFaults(side: unknown, path: Side): Array<FailoverFault | Fault> {
  const given = isObject(side) ? givenIn(side) : {}
  if (Object.keys(given).length === 0) return [fault(path, { kind: 'source' })]
  const faults = checkUpdate({ source: given }, 'merge').map((each) => ({
    ...each,
    path: each.path.replace(/^source/, path),
  }))
  const hidden = findHidden({ [path]: given }).map((at) => fault(at, { kind: 'hidden' }))
  return [...faults, ...fieldFaults(given, path), ...hidden]
}
