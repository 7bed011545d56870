import type { Connection } from '../../../client/internal'
import { isOld, knownBy } from '../../../client/watch/device-watch'
import { isRunning, type RouteState } from '../../../client/watch/state'
import { failureOf, type Failure } from './failure'

/** How an appliance is, as far as its polls have shown. */
export interface ShownHealth {
  known?: {
    /** How old it is, in ms. */
    ageMs: number
    /** A poll that was due got no response: the state may have changed. */
    isOld: boolean
    routes: number
    running: number
    warnings: number
    errors: number
  }
  failure?: Failure
  unreachable: boolean
}

/** @returns undefined where nobody polls it */
export function healthOf(
  gateway: Connection,
  { deviceId, host = '', now = Date.now() }: { deviceId?: string; host?: string; now?: number },
): ShownHealth | undefined {
  const known = knownBy(gateway, deviceId)
  if (!known) return undefined
  const { state, seenAt, failure, unreachable } = known
  const age = { ageMs: Math.max(0, now - seenAt), isOld: isOld(known, now) }
  return {
    known: state && Object.assign(age, countsOf(state.routes.values())),
    failure: failure && failureOf(failure, host),
    unreachable,
  }
}

function countsOf(all: Iterable<RouteState>) {
  const counts = { routes: 0, running: 0, warnings: 0, errors: 0 }
  for (const { condition } of all) {
    counts.routes++
    if (isRunning(condition)) counts.running++
    if (condition.code === 'warn') counts.warnings++
    if (condition.code === 'error') counts.errors++
  }
  return counts
}
