import { getDevice } from '../api/devices'
import { listRoutes } from '../api/routes'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import {
  deviceHealth,
  isRunning,
  isStopped,
  routeHealth,
  type Reason,
  type Sign,
} from '../model/health'
import type { Device, Route } from '../model/types'
import type { Language } from '../model/watch'
import { mapInSlices } from '../slices'
import { expectations } from './caller-list'
import { signsOfRoute } from './health'
import { healthText } from './text/health-text'

/** How a route is, for a table or a panel: plain data without secrets. */
export interface HealthRow {
  id: string
  name: string
  sign: Sign
  /** Null with `ok` and `stopped`. */
  reason: Reason | null
  /** Sign and reason in words, such as `no source (disconnected)`. */
  text: string
  /** Null where it is not known. */
  running: boolean | null
  /** Received by the source, Mbit/s; null where it is not known. */
  in: number | null
  /** Sent by the started outputs whose rate is known, Mbit/s; null without any. */
  out: number | null
  /** Connected callers of the started listener outputs; null where none is known. */
  callers: number | null
  /** Only with names of callers: how many are expected at the route, and who of them is away. */
  expected?: { number: number; away: string[] } | null
}

export interface ListHealth {
  deviceId: string
  page?: number
  pageSize?: number
  /** Default: all routes. */
  only?: (route: Route) => boolean
  language?: Language
}

/**
 * The device is read after the list: of one that went offline in between, nothing looks like now.
 * @throws GatewayError
 */
export async function listHealth(
  gateway: Connection,
  { deviceId, page, pageSize, only, language }: ListHealth,
  operation: Operation,
): Promise<HealthRow[]> {
  const { data } = await listRoutes(gateway, { deviceId, page, pageSize }, operation)
  const device = await getDevice(gateway, deviceId, operation)
  const expectedAt = gateway.callers && expectations(gateway, deviceId)
  return mapInSlices(only ? data.filter(only) : data, (route) => {
    const row = healthRow(device, route, language)
    return gateway.hide(expectedAt ? { ...row, expected: expectedAt(row) } : row)
  })
}

/** How a route is. Of one of a device whose own health is not known, nothing is known. */
export function healthRow(
  { statusCode, status }: Pick<Device, 'statusCode' | 'status'>,
  route: Route,
  language?: Language,
): HealthRow {
  const ofDevice = deviceHealth(statusCode, status)
  const isKnown = ofDevice.sign !== 'unknown'
  const { id, name } = route
  const signs = signsOfRoute(route)
  const health = isKnown ? routeHealth(signs) : ofDevice
  const row = {
    id,
    name: typeof name === 'string' ? name : '',
    sign: health.sign,
    reason: health.reason ?? null,
    text: healthText(health, language),
  }
  if (!isKnown) return { ...row, running: null, in: null, out: null, callers: null }
  const started = signs.outputs.filter((each) => each.started !== false)
  return {
    ...row,
    running: isRunning(signs.state) ? true : isStopped(signs.state) ? false : null,
    in: sumOf([signs.source?.bitrate]),
    out: sumOf(started.map(({ bitrate }) => bitrate)),
    callers: sumOf(started.map(({ isListener, clients }) => (isListener ? clients : NaN))),
  }
}

/** The sum of the numbers that are known; null without any. */
function sumOf(numbers: Array<number | undefined>): number | null {
  const known = numbers.filter((each): each is number => Number.isFinite(each))
  return known.length > 0 ? known.reduce((sum, each) => sum + each) : null
}
