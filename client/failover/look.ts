import { planMerge } from '../changes/merge'
import { toSent } from '../model/convert'
import { diffRoutes } from '../model/diff'
import { isObject, isText, own, type JsonObject } from '../model/json'
import { withoutSecrets, type FailoverSettings, type InUse } from '../model/failover'
import { isRunning, isStopped } from '../model/route-state'
import { numberIn } from '../model/settings'
import type { Route } from '../model/types'
import type { Look } from './types'

/** What a route shows whose source is changed; `monitor` is the route that receives main. */
export function lookAtSource(settings: FailoverSettings, route?: Route, monitor?: Route): Look {
  if (!isWhole(route)) return UNKNOWN
  const inUse = sourceInUse(settings, route)
  const main = mainOf(settings, monitor)
  if (isStopped(route)) return { route: 'stopped', inUse, ...main }
  const good = isGood(settings, route)
  if (!isRunning(route) || good === undefined) return UNKNOWN
  return { route: 'running', inUse, good, ...main }
}

/** What two routes show of which one runs. */
export function lookAtRoutes(
  settings: FailoverSettings,
  routes: { main?: Route; backup?: Route },
  monitor?: Route,
): Look {
  const sides = [routes.main, routes.backup]
  if (!sides.every((route) => isWhole(route) && (isRunning(route) || isStopped(route)))) {
    return UNKNOWN
  }
  const [main, backup] = sides as [Route, Route]
  const known = mainOf(settings, monitor)
  if (isStopped(main) && isStopped(backup)) return { route: 'stopped', ...known }
  const inUse = isStopped(backup) ? 'main' : isStopped(main) ? 'backup' : 'other'
  const good = isGood(settings, inUse === 'backup' ? backup : main)
  return good === undefined ? UNKNOWN : { route: 'running', inUse, good, ...known }
}

const UNKNOWN: Look = { route: 'unknown' }

const isWhole = (route: Route | undefined): route is Route =>
  isObject(route) && isText(own(route.source, 'protocol')) && Array.isArray(route.destinations)

/**
 * Which source the route has: the one to which an update would change nothing. Spelling does not
 * count, nor do secrets: a gateway may hide them.
 */
export function sourceInUse({ main, backup }: FailoverSettings, route: Route): InUse {
  if (hasSource(route, main)) return 'main'
  return hasSource(route, backup) ? 'backup' : 'other'
}

function hasSource(route: Route, side: JsonObject): boolean {
  const { fields, problems } = planMerge({ source: withoutSecrets(side) }, route)
  return problems.length === 0 && diffRoutes(fields, toSent(route)).length === 0
}

/** Whether the source of a running route is good; undefined when the route does not show it. */
function isGood({ failOn, low = 0 }: FailoverSettings, { source }: Route): boolean | undefined {
  const { summaryStatusCode } = source
  if (!isText(summaryStatusCode)) return undefined
  if (summaryStatusCode.toLowerCase() !== 'ok') return false
  // A figure that is missing says nothing against a source.
  const mbps = numberIn(source.usedBandwidth, { least: 0, most: Infinity })
  if (failOn === 'status' || mbps === undefined) return true
  return mbps > 0 && (failOn === 'noData' || mbps >= low)
}

/** What the monitor knows of main: nothing unless it runs. */
function mainOf(settings: FailoverSettings, monitor?: Route): { main?: boolean } {
  if (settings.restore !== 'monitor' || !isWhole(monitor) || !isRunning(monitor)) return {}
  const main = isGood(settings, monitor)
  return main === undefined ? {} : { main }
}
