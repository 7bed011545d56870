import { readStatisticsOf, type Statistics } from '../../api/statistics'
import type { Clock } from '../../clock'
import type { Connection } from '../../connection/connection'
import { Operation } from '../../connection/operation'
import { hasCode } from '../../errors'
import { itemsIn, objectsIn, own, textIn } from '../../model/json'
import type { Named } from '../../model/types'
import type { Measure, Threshold } from '../../model/watch'
import type { Stop } from '../../stop'
import type { RouteState } from '../state'
import { numberIn } from './figures'

/** Of this part of the interval, readings of statistics for limits are at least apart. */
const APART = 0.8
/** How many times in a row the statistics of a route may be missing: a route that has just gone has none. */
const UNFOUND = 2

/**
 * The statistics that are wanted after a poll; undefined where none are, or a slow reading is under way.
 * `wanted` gets whether those for limits were not read just now.
 */
export function createStatisticsReader(
  gateway: Connection,
  { clock, interval, stop }: { clock: Clock; interval: () => number; stop: Stop },
) {
  let isReading = false
  let readAt = -Infinity
  let unfound = 0

  return async (
    deviceId: string,
    wanted: (isDue: boolean) => ReadonlyMap<string, RouteState>,
  ): Promise<Statistics[] | undefined> => {
    const isDue = clock.now() - readAt > APART * interval()
    const routes = wanted(isDue)
    if (isReading || routes.size === 0) return undefined
    isReading = true
    if (isDue) readAt = clock.now()
    const operation = new Operation('watch', { stop, brief: true })
    try {
      const read = await readStatisticsOf(gateway, deviceId, [...routes.values()], operation)
      unfound = 0
      return read.filter((one): one is Statistics => !('error' in one))
    } catch (error) {
      if (hasCode(error, 'NOT_FOUND') && unfound++ < UNFOUND) return undefined
      throw error
    } finally {
      isReading = false
    }
  }
}

export const partsOf = (route: unknown, of: Threshold['of']): unknown[] =>
  objectsIn(of === 'source' ? [own(route, 'source')] : own(route, 'destinations'))

export const namedIn = (part: unknown): Named => ({
  id: textIn(own(part, 'id')) ?? '',
  name: textIn(own(part, 'name')) ?? '',
})

/** Of several connections or clients, the bitrate is their sum when the whole has none, others the worst. */
export function valueOf(part: unknown, measure: Measure): number {
  const numbers = (name: string, of: unknown[]): number[] =>
    of.map((one) => numberIn(own(one, name))).filter((value) => !Number.isNaN(value))
  if (measure === 'bitrate') {
    const [whole] = numbers('bitrate', [part])
    if (whole) return whole
    const single = numbers('bitrate', clientsOf(part))
    return single.length > 0 ? single.reduce((sum, one) => sum + one, 0) : (whole ?? NaN)
  }
  const all = [part, ...clientsOf(part), ...connectionsOf(part)]
  const values =
    measure === 'roundTripTime'
      ? numbers('srtRoundTripTime', all)
      : numbers('srtPacketLossRate', all).filter((percent) => percent <= 100)
  return values.length > 0 ? Math.max(...values) : NaN
}

export const listIn = (part: unknown, name: string): unknown[] => itemsIn(own(part, name))

export const clientsOf = (part: unknown): unknown[] => listIn(part, 'clientStat')

export const connectionsOf = (part: unknown): unknown[] =>
  [part, ...clientsOf(part)].flatMap((one) => listIn(one, 'connections'))
