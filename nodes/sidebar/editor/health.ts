// How well an appliance is known, and the sign for it.
import type { Failure } from '../../editor/failures'
import type { Sign } from '../../editor/states'
import type { State } from './api'
import { markOf, type Failover } from './failover'

export type Health =
  'reachable' | 'stale' | 'unreachable' | 'asking' | 'fault' | 'closed' | 'elsewhere'

const SIGNS: Record<Health, Sign> = {
  reachable: 'ok',
  stale: 'warn',
  unreachable: 'error',
  asking: 'unknown',
  fault: 'error',
  closed: 'off',
  elsewhere: 'off',
}

/**
 * A closed panel has no rows: its sign stands for them.
 * @param failovers those that no row shows
 */
export function signOfHealth(
  health: Health,
  state: State | undefined,
  failovers: readonly Failover[],
): Sign {
  const signs = [signOfRoutes(health, state), ...failovers.map((one) => markOf(one, 0).sign)]
  return (['error', 'warn'] as const).find((sign) => signs.includes(sign)) ?? signs[0]!
}

function signOfRoutes(health: Health, state: State | undefined): Sign {
  if (health !== 'reachable') return SIGNS[health]
  const { warnings = 0, errors = 0 } = state?.health.known ?? {}
  if (errors > 0) return 'error'
  return warnings > 0 ? 'warn' : 'ok'
}

/** A screen reader announces changes between these. */
export const SPOKEN: ReadonlySet<Health> = new Set(['reachable', 'stale', 'unreachable', 'fault'])

/** By code: the words may contain a number that keeps changing. */
export const keyOf = (fault: Failure | undefined): string | undefined =>
  fault?.code ?? fault?.message
