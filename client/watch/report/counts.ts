import { deviceHealth, healthOfWhole, isTrouble, isWorse, type Health } from '../../model/health'
import { named } from '../../model/ids'
import type { Named } from '../../model/types'
import { partsOfState } from '../health'
import { eachRoute, type Figures } from '../measuring/figures'
import { isRunning, type DeviceState } from '../state'
import type { Visit } from './reporter'

export interface Counts {
  routes: number
  running: number
  /** Routes that are critical or have a warning. */
  problems: number
  /** Running routes that wait for callers. */
  waiting: number
  /** Of the device; with `unknown`, what is known of the routes is old. */
  device: Health
  /** The worst of the routes; undefined without any. */
  worst?: { route: Named; health: Health }
}

export const NOTHING_KNOWN: Counts = {
  routes: 0,
  running: 0,
  problems: 0,
  waiting: 0,
  device: deviceHealth(undefined, undefined),
}

/** @param wants by default all routes; @param visit says how a route is to a watch */
export function countsOf(
  state: DeviceState,
  figures?: Figures,
  wants?: (route: Named) => boolean,
  visit?: Visit,
): Counts {
  const { code, state: status } = state.condition
  const found = { ...NOTHING_KNOWN, device: deviceHealth(code, status) }
  let worst: Counts['worst']
  eachRoute(state, (route, at) => {
    if (wants && !wants(route)) return
    found.routes++
    if (isRunning(route.condition)) found.running++
    const parts = partsOfState(route, at, figures)
    const health = healthOfWhole(visit ? visit(route, parts, figures?.[at] ?? NaN) : parts)
    if (isTrouble(health)) found.problems++
    if (health.sign === 'waiting') found.waiting++
    if (!worst || isWorse(health, worst.health)) worst = { route, health }
  })
  if (!worst) return found
  const { route, health } = worst
  return { ...found, worst: { route: named(route), health } }
}
