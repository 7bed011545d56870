import type { NodeDef } from 'node-red'
import { DETAILS, type Detail } from '../../client/metrics/render'
import type { RouteFilter } from '../../client/watch/report/filter'
import { RANGES } from '../../client/model/ranges'
import { appliancesIn, type Wanted } from '../runtime/appliances'
import { choiceProperty, numberProperty, refused, refuseUnresolved } from '../runtime/properties'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

export type Config = NodeDef & SavedOf<typeof manifest>

export interface Settings {
  of: 'all' | 'one'
  detail: Detail
  /** Of an inventory. */
  wants: Wanted
  statistics?: { everyMs: number; route?: RouteFilter }
}

/** @throws GatewayError `CONFIG` that names the property and what is wrong */
export function settingsOf(config: Config): Settings {
  const detail = choiceProperty('detail', config.detail || 'routes', DETAILS)
  const seconds = numberProperty('statistics', config.statistics, RANGES.statistics)
  // Nothing of them would be written.
  const isRead = seconds !== undefined && detail !== 'totals'
  return {
    of: choiceProperty('gateways', config.gateways, ['all', 'one']),
    detail,
    wants: appliancesIn(config),
    statistics: isRead ? { everyMs: 1000 * seconds, route: routeOf(config) } : undefined,
  }
}

function routeOf({ route = '', routeType }: Config): RouteFilter | undefined {
  refuseUnresolved('route', route)
  const type = routeType || (route === '' ? 'all' : 'pattern')
  if (choiceProperty('routeType', type, ['all', 'pattern']) === 'all') return undefined
  if (route === '') {
    throw refused('route', 'is empty; choose all routes, or enter a pattern', 'missing')
  }
  return { pattern: route }
}
