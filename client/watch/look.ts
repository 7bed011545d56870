import { GatewayError, badResponse } from '../errors'
import type { Gateway } from '../gateway'
import type { Operation } from '../operation'
import { isObject, isText } from '../model/json'
import type { DeviceConfiguration, Route } from '../model/types'
import { getDevice } from '../operations/devices'
import { getRoute, listRoutes } from '../operations/routes'
import { deviceState, type DeviceState } from './state'

/** What one look at a device brought. */
export interface Look {
  state: DeviceState
  /** The routes as the appliance answered them, with their secrets; undefined when some may be missing. */
  routes?: Route[]
  /** How often the appliance wants to be asked, in ms (facts 3.2). */
  suggestedMs?: number
}

/** What a device says of itself when it does not reach its own back end (facts 3.1). */
const AWAY: ReadonlySet<unknown> = new Set(['Offline', 'Never', 'Communication error'])

/**
 * Looks at a device, again and again, normally with one call: the configuration of the device
 * holds all its routes (spec 2.5). A route that is missing there is believed to be gone only when
 * the list of routes and the route itself say so too, and the device is online; that all are
 * gone, only when two looks in a row agree.
 * @returns a function that looks once, given what is known from before, and throws GatewayError when no whole answer came
 */
export function createLook(
  gateway: Gateway,
  deviceId: string,
): (operation: Operation, known?: DeviceState) => Promise<Look> {
  /** The latest look found no route where there had been some. */
  let foundNone = false

  return async (operation, known) => {
    const foundNoneBefore = foundNone
    foundNone = false
    const device = await getDevice(gateway, deviceId, operation)
    const configured = routesIn(device, deviceId)
    const unsure = configured === undefined || missingFrom(configured, known) !== undefined
    const routes = unique(unsure ? await listedRoutes(gateway, deviceId, operation) : configured)
    const missing = missingFrom(routes, known)
    const suggestedMs = suggestionOf(device)
    const present = deviceState(deviceId, device, routes, known)
    if (missing !== undefined && AWAY.has(device.status)) {
      const kept = new Map([...known!.routes, ...present.routes])
      return { state: { ...present, routes: kept }, suggestedMs }
    }
    if (missing !== undefined) await refuseIfStillThere(missing, operation)
    foundNone = missing !== undefined && routes.length === 0
    if (foundNone && !foundNoneBefore) {
      throw badResponse(
        'The appliance has no route any more. This counts when the next look agrees.',
      )
    }
    return { state: present, routes, suggestedMs }
  }

  async function refuseIfStillThere(routeId: string, operation: Operation): Promise<void> {
    try {
      await getRoute(gateway, { deviceId, routeId }, operation)
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'NOT_FOUND') return
      throw error
    }
    throw badResponse('The appliance leaves out a route that it has: the answer does not count.')
  }
}

/** The routes in the configuration of the device; undefined when they are not there, or not whole. */
function routesIn({ _id, config }: DeviceConfiguration, deviceId: string): Route[] | undefined {
  if (!isObject(config)) {
    throw badResponse('The appliance answered with a device without its configuration.')
  }
  if (_id !== undefined && _id !== deviceId) {
    throw badResponse('The appliance answered with another device than the one asked for.')
  }
  const { routes } = config as { routes?: unknown }
  const whole = Array.isArray(routes) && routes.length > 0 && routes.every(isWhole)
  return whole ? (routes as Route[]) : undefined
}

const isWhole = (route: unknown): boolean =>
  isObject(route) && isText(route.id) && isObject(route.source) && Array.isArray(route.destinations)

/** The first of the known routes that is not among these. */
function missingFrom(routes: readonly Route[], known?: DeviceState): string | undefined {
  if (!known) return undefined
  const there = new Set(routes.map(({ id }) => id))
  for (const id of known.routes.keys()) if (!there.has(id)) return id
  return undefined
}

/** @throws GatewayError `BAD_RESPONSE` when the list is not complete by its own account */
async function listedRoutes(
  gateway: Gateway,
  deviceId: string,
  operation: Operation,
): Promise<Route[]> {
  const { data, numResults } = await listRoutes(gateway, { deviceId }, operation)
  if (Number(numResults) > data.length) {
    throw badResponse(`The appliance has ${numResults} routes, and lists ${data.length} of them.`)
  }
  return data
}

const unique = (routes: Route[]): Route[] => [
  ...new Map(routes.map((route) => [route.id, route])).values(),
]

function suggestionOf({ suggestedPollingInterval }: DeviceConfiguration): number | undefined {
  const ms = Number((suggestedPollingInterval as { ms?: unknown } | undefined)?.ms)
  return ms > 0 ? ms : undefined
}
