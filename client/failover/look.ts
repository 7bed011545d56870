import { sourceInUse, type FailoverSettings, type Side } from '../model/failover'
import { sourceHealth } from '../model/health'
import { isObject, isText, own } from '../model/json'
import { isPending, isRunning, isStopped } from '../model/route-state'
import { numberIn } from '../model/settings'
import type { Route } from '../model/types'
import type { Look } from './types'

/** Of each side a route: of two protected routes, or the one that receives it all the time. */
type Routes = { [side in Side]?: Route }

const UNKNOWN = { route: 'unknown' } as const
const PENDING = { isPending: true } as const

/** What a route shows whose source is changed. */
export function lookAtSource(
  settings: FailoverSettings,
  route?: Route,
  monitors: Routes = {},
): Look {
  const heard = heardFrom(settings, monitors)
  if (!isClear(route)) return { ...UNKNOWN, ...heard }
  const { inUse, differs } = sourceInUse(settings, route)
  if (isStopped(route)) return { route: 'stopped', inUse, ...heard }
  const good = isGood(settings, route)
  if (good === undefined) return { ...UNKNOWN, ...heard }
  const more = { ...(isPending(route) && PENDING), ...(differs && { differs }) }
  return { route: 'running', inUse, good, ...more, ...heard }
}

/** What two routes show of which one runs. */
export function lookAtRoutes(
  settings: FailoverSettings,
  { main, backup }: Routes,
  monitors: Routes = {},
): Look {
  const heard = heardFrom(settings, monitors)
  if (!isClear(main) || !isClear(backup)) return { ...UNKNOWN, ...heard }
  if (isStopped(main) && isStopped(backup)) return { route: 'stopped', ...heard }
  const inUse = isStopped(backup) ? 'main' : isStopped(main) ? 'backup' : 'other'
  const good = isGood(settings, inUse === 'backup' ? backup : main)
  if (good === undefined) return { ...UNKNOWN, ...heard }
  const more = (isPending(main) || isPending(backup)) && PENDING
  return { route: 'running', inUse, good, ...more, ...heard }
}

/** What the monitors know of main and backup: nothing unless they run. */
function heardFrom(settings: FailoverSettings, { main, backup }: Routes): Pick<Look, Side> {
  const hear = (side: Side, monitor?: Route): Pick<Look, Side> => {
    const good = isClear(monitor) && isRunning(monitor) ? isGood(settings, monitor) : undefined
    return good === undefined ? {} : { [side]: good }
  }
  return { ...(settings.restore === 'monitor' && hear('main', main)), ...hear('backup', backup) }
}

const isClear = (route: Route | undefined): route is Route =>
  isObject(route) &&
  isText(own(route.source, 'protocol')) &&
  Array.isArray(route.destinations) &&
  (isRunning(route) || isStopped(route))

/** Whether the source of a running route is good; undefined when the route does not show it. */
function isGood({ failOn }: FailoverSettings, { source }: Route): boolean | undefined {
  const { state, summaryStatusCode: code, usedBandwidth } = source
  // A figure that is missing says nothing against a source.
  const bitrate = numberIn(usedBandwidth, { least: 0, most: Infinity })
  const { sign } = sourceHealth({
    state: isText(state) ? state : undefined,
    code: isText(code) ? code : undefined,
    bitrate: failOn === 'noData' ? bitrate : undefined,
  })
  return sign === 'unknown' ? undefined : sign === 'ok'
}
