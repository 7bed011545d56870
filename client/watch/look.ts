import { GatewayError, badResponse } from '../errors'
import type { Gateway } from '../gateway'
import type { Operation } from '../operation'
import { isObject, isText, type JsonObject } from '../model/json'
import type { DeviceConfiguration, Route } from '../model/types'
import { getDevice } from '../operations/devices'
import { getRoute, lacking, lacksRoutes, listRoutes } from '../operations/routes'
import type { Clock } from './poller'
import { deviceState, type DeviceState, type Doubts, type RouteState } from './state'

/** What one look at a device brought. */
export interface Look {
  state: DeviceState
  /** The routes as the appliance answered them, with their secrets; undefined when some may be missing. */
  routes?: Route[]
  /** How often the appliance wants to be asked, in ms (facts 3.2). */
  suggestedMs?: number
}

/** How much of the list of routes is known. */
type Listed = 'all' | 'in part' | 'nothing'

/** What a device says of itself when it does not reach its own back end (facts 3.1). */
const AWAY: ReadonlySet<unknown> = new Set(['Offline', 'Never', 'Communication error'])

/** So many missing routes are asked for one by one. */
const ASKED = 4
/** How long missing routes that were not seen to be gone have to be missing, in ms. */
const SOME_MISSING_MS = 1000
/** And when all are missing: an appliance that restarts may have none for a while. */
const ALL_MISSING_MS = 10_000

/**
 * Looks at a device, again and again, normally with one call: the configuration of the device
 * holds all its routes (spec 2.5). What an answer leaves out, and what has become empty, is kept
 * as it was until it is certain. A route is gone when neither the configuration nor the list of
 * routes has it and the route itself is not found; without that last proof, and when all routes
 * are missing, only when a later look agrees.
 * @returns a function that looks once, given what is known from before, and throws GatewayError
 * when no usable answer came
 */
export function createLook(
  gateway: Gateway,
  deviceId: string,
  clock: Clock,
): (operation: Operation, known?: DeviceState) => Promise<Look> {
  /** In how many looks each route was missing, and since when. */
  let missing = new Map<string, { looks: number; since: number }>()
  let partial: ReadonlySet<string> = new Set()
  let emptied: ReadonlySet<string> = new Set()

  return async (operation, known) => {
    const device = await getDevice(gateway, deviceId, operation)
    const configured = routesIn(device, deviceId)
    const found = foundIn(configured ?? [])
    const isDoubtful =
      found.routes.size === 0 || found.isPartial || knownWithout(found, known).length > 0
    const listed = isDoubtful ? await addListed(found, configured, operation) : 'all'
    const isCertain = listed !== 'nothing' && !AWAY.has(device.status)
    const gone = isCertain ? await goneOf(found, known, listed, operation) : new Set()
    const kept = knownWithout(found, known).filter(([id]) => !gone.has(id))
    // A new route that did not come whole may do so at the next look.
    const arrived = [...found.routes].filter(
      ([id]) => !known || !found.partial.has(id) || known.routes.has(id) || partial.has(id),
    )
    partial = found.partial
    const doubts: Doubts = { before: emptied, now: new Set() }
    const routes = { arrived: arrived.map(([, route]) => route), kept }
    const state = deviceState(deviceId, device, routes, doubts, known)
    emptied = doubts.now
    const isWhole = kept.length === 0 && found.partial.size === 0
    return {
      state,
      routes: isWhole ? (routes.arrived as unknown as Route[]) : undefined,
      suggestedMs: suggestionOf(device),
    }
  }

  /** Adds what only the list of routes has, and answers how much of it came: it may not be needed. */
  async function addListed(
    found: Found,
    configured: unknown[] | undefined,
    operation: Operation,
  ): Promise<Listed> {
    try {
      const list = await listRoutes(gateway, { deviceId }, operation)
      if (lacksRoutes(list) && !configured?.length) throw lacking(list)
      const listed = foundIn(list.data)
      // The list may have routes in another form than the configuration, which is preferred.
      for (const [id, route] of listed.routes) {
        const isBetter = found.partial.has(id) && !listed.partial.has(id)
        if (found.routes.has(id) && !isBetter) continue
        found.routes.set(id, route)
        if (listed.partial.has(id)) found.partial.add(id)
        else found.partial.delete(id)
      }
      return lacksRoutes(list) ? 'in part' : 'all'
    } catch (error) {
      if (!configured?.length || isClosed(error)) throw error
      return 'nothing'
    }
  }

  /** Which of the absent routes are certainly gone. */
  async function goneOf(
    found: Found,
    known: DeviceState | undefined,
    listed: Listed,
    operation: Operation,
  ): Promise<Set<unknown>> {
    const gone = new Set<unknown>()
    const stillMissing: typeof missing = new Map()
    const several = (known?.routes.size ?? 0) > 1
    const isAll = found.routes.size === 0
    for (const [index, [id]] of knownWithout(found, known).entries()) {
      const there = index < ASKED ? await isThere(id, operation) : undefined
      if (there) continue
      const { looks, since } = missing.get(id) ?? { looks: 0, since: clock.now() }
      const least = isAll && several ? ALL_MISSING_MS : there === undefined ? SOME_MISSING_MS : 0
      const isProven = there === false && !isAll
      const isAgreed = listed === 'all' && looks > 0 && clock.now() - since >= least
      if (isProven || isAgreed) gone.add(id)
      else stillMissing.set(id, { looks: looks + 1, since })
    }
    missing = stillMissing
    return gone
  }

  /** Undefined when the answer tells neither: which one an unknown route gets is not known (facts 9.2). */
  async function isThere(routeId: string, operation: Operation): Promise<boolean | undefined> {
    try {
      await getRoute(gateway, { deviceId, routeId }, operation)
      return true
    } catch (error) {
      if (isClosed(error)) throw error
      return error instanceof GatewayError && error.code === 'NOT_FOUND' ? false : undefined
    }
  }
}

const isClosed = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'CLOSED'

/** The routes in the configuration of the device; undefined when they are not there. */
function routesIn({ _id, config }: DeviceConfiguration, deviceId: string): unknown[] | undefined {
  if (!isObject(config)) {
    throw badResponse('The appliance answered with a device without its configuration.')
  }
  if (_id !== undefined && _id !== deviceId) {
    throw badResponse('The appliance answered with another device than the one asked for.')
  }
  const { routes } = config as { routes?: unknown }
  return Array.isArray(routes) ? routes : undefined
}

interface Found {
  routes: Map<string, JsonObject>
  /** IDs of those that did not come whole. */
  partial: Set<string>
  /** Something did not come whole, a route or what should be one. */
  isPartial: boolean
}

function foundIn(routes: readonly unknown[]): Found {
  const found: Found = { routes: new Map(), partial: new Set(), isPartial: false }
  for (const route of routes) {
    if (!isObject(route) || !isText(route.id)) found.isPartial = true
    else {
      found.routes.set(route.id, route)
      if (!isWhole(route)) found.partial.add(route.id)
    }
  }
  found.isPartial ||= found.partial.size > 0
  return found
}

const isWhole = ({ source, destinations }: JsonObject): boolean =>
  isObject(source) &&
  isText(source.protocol) &&
  // Some write an empty list as null.
  (Array.isArray(destinations) || destinations === null)

function knownWithout({ routes }: Found, known?: DeviceState): Array<[string, RouteState]> {
  return known ? [...known.routes].filter(([id]) => !routes.has(id)) : []
}

function suggestionOf({ suggestedPollingInterval }: DeviceConfiguration): number | undefined {
  const ms = Number((suggestedPollingInterval as { ms?: unknown } | undefined)?.ms)
  return ms > 0 ? ms : undefined
}
