// The failovers that protect a route: what the sidebar says of them, and what it offers.
import { differing, FAILOVER_FACTS, kindOf } from '../../../client/model/failover-view'
import { minutesLeft, signOf, type factCounts } from '../../../client/model/failover-view'
import type { Sign } from '../../editor/states'
import type { Failover, FailoverAction } from '../../wire'
import { text } from './text'

/** Those of a route. IDs are the same in any case. */
export const failoversFor = (all: readonly Failover[], deviceId: string, routeId: string) =>
  all.filter(({ routes }) =>
    routes.some((route) => isSame(route.routeId, routeId) && isSame(route.deviceId, deviceId)),
  )

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** They have not found their route, or the gateway no longer has it. */
export function withoutRoute(
  all: readonly Failover[],
  device: { id: string },
  routes: readonly { id: string }[],
): Failover[] {
  const placed = new Set(routes.flatMap(({ id }) => failoversFor(all, device.id, id)))
  const isHere = ({ deviceId }: { deviceId: string }) => isSame(deviceId, device.id)
  return all.filter((one) => !placed.has(one) && one.routes.every(isHere))
}

/**
 * What a failover says of itself: its sign, and words of which the brief ones are a word or two.
 * @param now Unix ms, by the clock of Node-RED
 */
export function markOf(failover: Failover, now: number) {
  const { state = 'unknown', inUse = 'other', held, manual, due = now } = failover
  const kind = kindOf(failover)
  const values = {
    side: text(`failover.side.${inUse}`),
    other: text(`failover.side.${inUse === 'backup' ? 'main' : 'backup'}`),
    minutes: minutesLeft({ due }, now),
    members: differing(failover).join(', '),
  }
  const ofHold = (word: string): string => (held ? text('failover.held', { state: word }) : word)
  const word = text(`failover.words.${kind}`, values)
  const isChosen = manual && inUse !== 'other' && state !== 'unknown'
  const isBrief = kind === 'not-started' || kind === 'alone'
  return {
    sign: signOf(failover),
    brief: ofHold(text(`failover.brief.${isBrief ? kind : state}`, values)),
    words: ofHold(isChosen ? text('failover.manual', { state: word }) : word),
  }
}

/** What does not know its route is trouble, as soon as it has tried. */
export const troubleOfFailover = (failover: Failover): Sign =>
  failover.state === 'unknown' ? 'warning' : signOf(failover)

/** Of how many somebody should know what, in words, the worst first. */
export const factsOfFailovers = (counts: ReturnType<typeof factCounts>): string[] =>
  FAILOVER_FACTS.filter((fact) => counts[fact]).map((fact) =>
    text(`failover.fact.${fact}`, { number: counts[fact]! }),
  )

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
