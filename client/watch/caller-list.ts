// Who calls the listeners of routes, as their statistics show it: for tables, panels and the sidebar.
import { readAllStatistics, readStatistics, type FailedStatistics } from '../api/statistics'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { own } from '../model/json'
import { callersOf, type CallerFigures } from './measuring/callers'
import { knownBy } from './registry'
import type { Named } from '../model/types'
import { listIn } from './measuring/thresholds'

/** A caller that is connected: plain data, with addresses. */
export interface ListedCaller extends CallerFigures {
  /** As the config node has it; null where it has none. */
  name: string | null
  /** Since when a watch has seen it, Unix ms; null where none follows the callers. */
  since: number | null
  route: Named
  /** The one that it calls: an output, or the source of the route. */
  output?: Named
  source?: Named
}

export interface CallersRead {
  callers: ListedCaller[]
  /** Of how many routes, and how many of these could not be read. */
  routes: number
  failed: number
}

/**
 * Reads who calls a route, or all running routes without its ID.
 * @throws GatewayError
 */
export async function listCallers(
  gateway: Connection,
  { deviceId, routeId }: { deviceId: string; routeId?: string },
  operation: Operation,
): Promise<CallersRead> {
  const read: ReadonlyArray<object | FailedStatistics> =
    routeId === undefined
      ? await readAllStatistics(gateway, deviceId, operation)
      : [await readStatistics(gateway, deviceId, { routeId }, operation)]
  const known = knownBy(gateway, deviceId)?.callers ?? []
  const callers = read.flatMap((statistics) => {
    const given = own(statistics, 'route')
    const route = namedIn(given)
    const source = own(given, 'source')
    const parts: Array<readonly [part: unknown, place: Pick<ListedCaller, 'output' | 'source'>]> = [
      ...(own(source, 'mode') === 'listener'
        ? [[source, { source: namedIn(source) }] as const]
        : []),
      ...listIn(given, 'destinations')
        .filter((part) => own(part, 'clientStat') !== undefined)
        .map((part) => [part, { output: namedIn(part) }] as const),
    ]
    return parts.flatMap(([part, { output, source: called }]) =>
      (callersOf(part) ?? []).map((caller): ListedCaller => {
        const place = { route, ...(output ? { destination: output } : { source: called }) }
        const { id } = (output ?? called)!
        const seen = known.find(
          ({ address, port, place: of }) =>
            address === caller.address &&
            port === caller.port &&
            (of.destination ?? of.source)?.id === id,
        )
        return {
          ...caller,
          name: gateway.callers?.()?.nameOf(caller.address, place) ?? null,
          since: seen?.since ?? null,
          route,
          ...(output ? { output } : { source: called }),
        }
      }),
    )
  })
  const failed = read.filter((one) => 'error' in one).length
  return { callers: gateway.hide(callers), routes: read.length, failed }
}

const namedIn = (part: unknown): Named => ({ id: textIn(part, 'id'), name: textIn(part, 'name') })

function textIn(part: unknown, name: string): string {
  const value = own(part, name)
  return typeof value === 'string' ? value : ''
}
