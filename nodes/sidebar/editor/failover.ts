// The failovers that protect a route: what the sidebar says of them, and what it offers.
import type { FailoverState, FailoverView, NotProtecting } from '../../../client/model/failover'
import type { Failure } from '../../editor/failures'
import type { Sign } from '../../editor/states'
import { text } from './text'

/** A failover node, as Node-RED describes it. What it has not found out yet is absent. */
export interface Failover extends Partial<FailoverView> {
  id: string
  name: string
  routes: { deviceId: string; routeId: string }[]
  /** Why it does not know everything. */
  failure?: Failure
}

export type FailoverAction = 'main' | 'backup' | 'hold' | 'release'

/** What it says of itself. */
export interface FailoverMark {
  sign: Sign
  /** In a word or two. */
  brief: string
  words: string
}

const MINUTE_MS = 60_000

/** Those of a route. IDs are the same in any case. */
export function failoversFor(
  all: readonly Failover[],
  deviceId: string,
  routeId: string,
): Failover[] {
  const is = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
  return all.filter(({ routes }) =>
    routes.some((route) => is(route.routeId, routeId) && is(route.deviceId, deviceId)),
  )
}

/**
 * Those that no route shows: they have not found theirs, or the gateway no longer has it.
 * @param device whose routes are shown
 */
export function withoutRoute(
  all: readonly Failover[],
  device: { id: string },
  routes: readonly { id: string }[],
): Failover[] {
  const placed = new Set(routes.flatMap(({ id }) => failoversFor(all, device.id, id)))
  return all.filter(
    (one) =>
      !placed.has(one) &&
      one.routes.every(({ deviceId }) => deviceId.toLowerCase() === device.id.toLowerCase()),
  )
}

/** @param now Unix ms, by the clock of Node-RED */
export function markOf(failover: Failover, now: number): FailoverMark {
  const { state = 'unknown', inUse = 'other', held, manual, due = now } = failover
  const kind = kindOf(failover)
  const values = {
    side: text(`failover.side.${inUse}`),
    other: text(`failover.side.${inUse === 'backup' ? 'main' : 'backup'}`),
    minutes: Math.max(1, Math.ceil((due - now) / MINUTE_MS)),
    members: membersOf(failover),
  }
  const ofHold = (word: string): string => (held ? text('failover.held', { state: word }) : word)
  const word = text(`failover.words.${kind}`, values)
  const isChosen = manual && inUse !== 'other' && state !== 'unknown'
  // Held, nothing is done about a source that has failed. What does not protect never looks good.
  const sign = held && state === 'hold-off' ? 'critical' : SIGNS[state]
  const isIdle = held && sign !== 'critical'
  const isAlone = kind === 'alone' || kind === 'recovered'
  return {
    sign: isIdle ? 'stopped' : isAlone ? 'warning' : sign,
    brief: ofHold(text(`failover.brief.${isBrief(kind) ? kind : state}`, values)),
    words: ofHold(isChosen ? text('failover.manual', { state: word }) : word),
  }
}

/** Which words there are for it: its state, unless its reason says more. */
function kindOf({ state = 'unknown', held, reason, differs }: Failover): string {
  if (reason === 'not-started') return reason
  if (state === 'foreign' && differs) return 'differs'
  if (!reason || held) return state
  if (state === 'no-protection') return reason === 'unknown' ? state : reason
  if (state !== 'normal' && state !== 'protecting') return state
  return isLost(reason) ? 'alone' : 'recovered'
}

const isBrief = (kind: string): boolean => kind === 'not-started' || kind === 'alone'

/** The source that is not in use has failed. */
const isLost = (reason?: NotProtecting): boolean => reason === 'main-bad' || reason === 'backup-bad'

/** In what the source differs from the side that it resembles more. */
function membersOf({ differs }: Failover): string {
  if (!differs) return ''
  const { main, backup } = differs
  return (main.length <= backup.length ? main : backup).join(', ')
}

const SIGNS: Record<FailoverState, Sign> = {
  normal: 'ok',
  protecting: 'warning',
  'wait-to-restore': 'warning',
  'hold-off': 'warning',
  'no-protection': 'critical',
  switching: 'warning',
  foreign: 'warning',
  standby: 'stopped',
  unknown: 'unknown',
}

/** What somebody should know of several, the worst first. */
const FACTS = {
  unprotected: (failover) => markOf(failover, 0).sign === 'critical',
  unknown: ({ state }) => state === 'unknown',
  alone: ({ reason }) => isLost(reason),
  onBackup: ({ inUse }) => inUse === 'backup',
  foreign: ({ state }) => state === 'foreign',
  held: ({ held }) => held === true,
} satisfies Record<string, (failover: Failover) => boolean>

export type FailoverFact = keyof typeof FACTS
export const FAILOVER_FACTS = Object.keys(FACTS) as FailoverFact[]

/** What does not know its route is trouble, as soon as it has tried. */
export function troubleOfFailover(failover: Failover): Sign {
  const { sign } = markOf(failover, 0)
  return failover.state === 'unknown' ? 'warning' : sign
}

/** How many have something that somebody should know, in words. */
export const factsOfFailovers = (all: readonly Failover[]): string[] =>
  FAILOVER_FACTS.flatMap((fact) => {
    const number = all.filter(FACTS[fact]).length
    return number > 0 ? [text(`failover.fact.${fact}`, { number })] : []
  })

/** What a user may have it do now. A held one is released first; so is a source that a person chose. */
export function actionsOf(failover: Failover): FailoverAction[] {
  const { state = 'unknown', inUse, held, manual, reason } = failover
  if (reason === 'not-started') return []
  if (held) return ['release']
  const actions: FailoverAction[] = []
  const canSwitch = !['unknown', 'standby', 'switching'].includes(state)
  if (canSwitch && inUse !== 'main') actions.push('main')
  if (canSwitch && inUse !== 'backup') actions.push('backup')
  return [...actions, 'hold', ...(manual ? (['release'] as const) : [])]
}

/** An action that may change at once what is on the air. */
export const changesAir = ({ state }: Failover, action: FailoverAction): boolean =>
  action === 'main' || action === 'backup' || (action === 'release' && state !== 'normal')
