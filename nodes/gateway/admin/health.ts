import type { Connection } from '../../../client/connection/connection'
import type { Language } from '../../../client/model/watch'
import {
  healthOfWhole,
  partsHealth,
  isTrouble,
  sourceHealth,
  STOPPED,
  deviceHealth,
  type Health,
} from '../../../client/model/health'
import { isOld, type Known } from '../../../client/watch/life/device'
import { knownBy } from '../../../client/watch/registry'
import { eachRoute, type Figures } from '../../../client/watch/measuring/figures'
import { signsOfState, type WholeSigns } from '../../../client/watch/health'
import type { DeviceState } from '../../../client/watch/state'
import { healthText } from '../../../client/watch/text/health-text'
import { countsOf } from '../../../client/watch/report/counts'
import type { ApplianceHealth, HealthText } from '../../wire'
import { failureOf } from './failure'

export interface RouteHealth {
  route: Health
  source: Health
  /** In the order of the state. */
  destinations: Health[]
}

/** @returns undefined where nobody polls it */
export function healthOf(
  gateway: Connection,
  about: { deviceId?: string; host?: string; language?: Language; now?: number },
): ApplianceHealth | undefined {
  const { deviceId, host = '', language, now = Date.now() } = about
  const known = knownBy(gateway, deviceId)
  if (!known) return undefined
  const { state, figures, seenAt, failure, unreachable } = known
  const age = { ageMs: Math.max(0, now - seenAt), isOld: isOld(known, now) }
  return {
    known: state && { ...age, ...shownCounts(state, figures, language) },
    failure: failure && failureOf(failure, host),
    unreachable,
  }
}

export const shown = (health: Health, language?: Language): HealthText => {
  const text = healthText(health, language)
  const brief = healthText(health, language, true)
  return { sign: health.sign, text, ...(brief !== text && { brief }) }
}

function shownCounts(state: DeviceState, figures?: Figures, language?: Language) {
  const { routes, running, problems, worst, device } = countsOf(state, figures)
  // While the device is away, nothing of them is known.
  const isKnown = device.sign !== 'unknown'
  const isWrong = isKnown && worst && isTrouble(worst.health)
  return {
    routes,
    running,
    problems: isKnown ? problems : 0,
    worst: isWrong ? { ...shown(worst.health, language), route: worst.route.name } : undefined,
    device: device.sign === 'ok' ? undefined : shown(device, language),
  }
}

/** Of each route. */
export function healthsOf({ state, figures }: Known): RouteHealth[] {
  const healths: RouteHealth[] = []
  if (!state) return healths
  const device = deviceHealth(state.condition.code, state.condition.state)
  eachRoute(state, (route, at) => {
    healths.push(healthOfEach(signsOfState(route, at, figures), device))
  })
  return healths
}

/** Of a route and its parts, each by itself. While the device is away, nothing of them is known. */
export function healthOfEach(signs: WholeSigns, device: Health): RouteHealth {
  const { source = {}, outputs } = signs
  if (device.sign === 'unknown') {
    return { route: device, source: device, destinations: outputs.map(() => device) }
  }
  const parts = partsHealth(signs)
  const route = healthOfWhole(parts)
  const isStopped = route.sign === 'stopped'
  // Where nothing can be said of the outputs, each shows in gray what is wrong with the route.
  const consequence: Health = isStopped ? STOPPED : { ...parts.own, sign: 'unknown' }
  return {
    route,
    source: isStopped ? STOPPED : sourceHealth(source),
    destinations: outputs.map(({ started }, index) =>
      started === false ? STOPPED : (parts.outputs[index] ?? consequence),
    ),
  }
}
