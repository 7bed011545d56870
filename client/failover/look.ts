import { sourceInUse, type FailoverSettings, type Side } from '../model/failover'
import { sourceHealth } from '../model/health'
import { isObject, isText, own } from '../model/json'
import { isPending, isRunning, isStopped } from '../model/route-state'
import { numberIn } from '../model/settings'
import type { Route } from '../model/types'
import type { Look } from './types'

/** Of each side a route: of two protected routes, or the one that receives it all the time. */
type Routes = { [side in Side]?: Route }

/** One route whose source is changed, as main, or two of which one runs; `monitors` receive all the time. */
export function lookAt(
  settings: FailoverSettings,
  { main, ...other }: Routes,
  monitors: Routes = {},
): Look {
  const heard = heardFrom(settings, monitors)
  const isTwo = settings.method === 'routes'
  const { backup } = isTwo ? other : { backup: main }
  if (!isClear(main) || !isClear(backup)) return { route: 'unknown', ...heard }
  const isStill = isStopped(main) && isStopped(backup)
  if (isTwo && isStill) return { route: 'stopped', ...heard }
  const { inUse, differs } = isTwo ? runningOf(main, backup) : sourceInUse(settings, main)
  if (isStill) return { route: 'stopped', inUse, ...heard }
  const good = isGood(settings, inUse === 'backup' ? backup : main)
  if (good === undefined) return { route: 'unknown', ...heard }
  const waits = isPending(main) || isPending(backup)
  const more = { ...(waits && { isPending: true }), ...(differs && { differs }) }
  return { route: 'running', inUse, good, ...more, ...heard }
}

const runningOf = (main: Route, backup: Route): ReturnType<typeof sourceInUse> => ({
  inUse: isStopped(backup) ? 'main' : isStopped(main) ? 'backup' : 'other',
})

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
    bitrate: failOn === 'noData' || (bitrate ?? 0) > 0 ? bitrate : undefined,
  })
  return sign === 'unknown' ? undefined : sign === 'ok'
}
