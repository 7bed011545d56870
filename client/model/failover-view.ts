// How a failover is shown, in the status of its node and in the sidebar.
import { isLasting, type GatewayError } from '../errors'
import type { FailoverState, FailoverView } from './failover'
import type { Sign } from './health'

/** What there are words for: its state, unless its reason says more. */
type ViewKind =
  | FailoverState
  | 'alone'
  | 'recovered'
  | 'monitor-stopped'
  | 'monitor-missing'
  | 'differs'
  | 'both-bad'
  | 'switch-failed'
  | 'not-started'

export function kindOf({
  state = 'unknown',
  held,
  reason,
  differs,
  monitor,
}: Partial<FailoverView>): ViewKind {
  if (reason === 'not-started') return reason
  if (state === 'foreign' && differs) return 'differs'
  const isUp = state === 'normal' || state === 'protecting'
  if (!reason && !held && isUp && monitor) return `monitor-${monitor}`
  if (!reason || held) return state
  if (state === 'no-protection') {
    return reason === 'both-bad' || reason === 'switch-failed' ? reason : state
  }
  if (!isUp) return state
  return isOtherBad(reason) ? 'alone' : 'recovered'
}

/** The source that is not in use has failed. */
const isOtherBad = (reason: FailoverView['reason']): boolean =>
  reason === 'main-bad' || reason === 'backup-bad'

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

/** Held, nothing is done about a source that has failed. What does not protect never looks good. */
export function signOf(view: Partial<FailoverView>): Sign {
  const { state = 'unknown', held } = view
  const sign = held && state === 'hold-off' ? 'critical' : SIGNS[state]
  if (held && sign !== 'critical') return 'stopped'
  return sign === 'ok' && kindOf(view) !== state ? 'warning' : sign
}

/** What somebody should know of a failover, the worst first. */
const FACTS = {
  unprotected: (view: Partial<FailoverView>) => signOf(view) === 'critical',
  unknown: ({ state }: Partial<FailoverView>) => state === 'unknown',
  alone: ({ reason }: Partial<FailoverView>) => isOtherBad(reason),
  onBackup: ({ inUse }: Partial<FailoverView>) => inUse === 'backup',
  foreign: ({ state }: Partial<FailoverView>) => state === 'foreign',
  held: ({ held }: Partial<FailoverView>) => held === true,
}

export type FailoverFact = keyof typeof FACTS
export const FAILOVER_FACTS = Object.keys(FACTS) as FailoverFact[]

/** Of how many failovers somebody should know what. */
export function factCounts(
  views: Iterable<Partial<FailoverView>>,
): Partial<Record<FailoverFact, number>> {
  const counts: Partial<Record<FailoverFact, number>> = {}
  for (const view of views) {
    for (const fact of FAILOVER_FACTS) {
      if (FACTS[fact](view)) counts[fact] = (counts[fact] ?? 0) + 1
    }
  }
  return counts
}

/** In what the source differs from the side that it resembles more. */
export function differing({ differs }: Partial<FailoverView>): readonly string[] {
  const { main, backup } = differs ?? { main: [], backup: [] }
  return main.length <= backup.length ? main : backup
}

/** Whole minutes until the wait of its state ends, at least one. */
export const minutesLeft = ({ due = 0 }: Partial<FailoverView>, now: number): number =>
  Math.max(1, Math.ceil((due - now) / 60_000))

/** Unlike a poll, a look can find several routes of the name, or one that another failover protects. */
export const isLastingLook = (error: GatewayError): boolean =>
  isLasting(error) || error.code === 'CONFLICT'
