// The failovers that protect a route: what the sidebar says of them, and what it offers.
import type { FailoverState, InUse } from '../../../client/model/failover'
import type { Failure } from '../../editor/failures'
import type { Sign } from '../../editor/states'
import { text } from './text'

/** A failover node, as Node-RED describes it. What it has not found out yet is absent. */
export interface Failover {
  id: string
  name: string
  routes: { deviceId: string; routeId: string }[]
  state?: FailoverState
  inUse?: InUse
  held?: boolean
  /** Nothing is switched, only reported. */
  dryRun?: boolean
  /** When the wait of its state ends, Unix ms. */
  due?: number
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

/** @param now Unix ms, by the clock of Node-RED */
export function markOf(failover: Failover, now: number): FailoverMark {
  const { state = 'unknown', inUse = 'other', held, dryRun, due = now } = failover
  const side = text(`failover.side.${inUse}`)
  const minutes = Math.max(1, Math.ceil((due - now) / MINUTE_MS))
  const say = (form: 'brief' | 'words'): string => {
    const word = text(`failover.${form}.${state}`, { side, minutes })
    const ofHold = held ? text('failover.held', { state: word }) : word
    return dryRun ? text('failover.dryRun', { state: ofHold }) : ofHold
  }
  // Held, nothing is done about a source that has failed. What does not protect never looks good.
  const sign = held && state === 'hold-off' ? 'error' : SIGNS[state]
  const isIdle = (held || dryRun) && sign !== 'error'
  return { sign: isIdle ? 'off' : sign, brief: say('brief'), words: say('words') }
}

const SIGNS: Record<FailoverState, Sign> = {
  normal: 'ok',
  protecting: 'warn',
  'wait-to-restore': 'warn',
  'hold-off': 'warn',
  'no-protection': 'error',
  switching: 'warn',
  foreign: 'warn',
  standby: 'off',
  unknown: 'unknown',
}

/** What somebody should know of several, the worst first. */
export const FAILOVER_FACTS = ['unprotected', 'onBackup', 'foreign', 'held'] as const
export type FailoverFact = (typeof FAILOVER_FACTS)[number]

const APPLIES: Record<FailoverFact, (failover: Failover) => boolean> = {
  unprotected: (failover) => markOf(failover, 0).sign === 'error',
  onBackup: ({ inUse }) => inUse === 'backup',
  foreign: ({ state }) => state === 'foreign',
  held: ({ held }) => held === true,
}

/** How many have something that somebody should know, in words. */
export const factsOfFailovers = (all: readonly Failover[]): string[] =>
  FAILOVER_FACTS.flatMap((fact) => {
    const number = all.filter(APPLIES[fact]).length
    return number > 0 ? [text(`failover.fact.${fact}`, { number })] : []
  })

/** What a user may have it do now. */
export function actionsOf({ state = 'unknown', inUse, held }: Failover): FailoverAction[] {
  const actions: FailoverAction[] = []
  const canSwitch = !['unknown', 'standby', 'switching'].includes(state)
  if (canSwitch && inUse !== 'main') actions.push('main')
  if (canSwitch && inUse !== 'backup') actions.push('backup')
  return [...actions, held ? 'release' : 'hold']
}

/** An action that may change at once what is on the air. */
export const changesAir = ({ state }: Failover, action: FailoverAction): boolean =>
  action === 'main' || action === 'backup' || (action === 'release' && state !== 'normal')
