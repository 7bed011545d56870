import { badResponse, hasCode, say } from '../../errors'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import { deviceHealth } from '../../model/health'
import { isSameId, normalizeId } from '../../model/ids'
import { isObject, isText, itemsIn, own, textIn, type JsonObject } from '../../model/json'
import type { DeviceConfiguration, Route } from '../../model/types'
import { getDevice } from '../../api/devices'
import { incompleteList, isIncomplete, listRoutes } from '../../api/routes'
import { askItself, judgeMissing } from './missing-routes'
import type { UnixClock } from '../../clock'
import { mapInSlices } from '../../slices'
import {
  deviceState,
  routeState,
  type DeviceState,
  type RouteState,
  type UnconfirmedEmpty,
} from '../state'

export interface Reading {
  state: DeviceState
  /** The routes as the appliance sent them, with their secrets; undefined when some may be missing. */
  routes?: Route[]
  /** The routes that arrived, as the appliance sent them, by their IDs. */
  sent: ReadonlyMap<string, JsonObject>
  /** How often the appliance wants to be polled, in ms. */
  suggestedMs?: number
}

type Listed = 'all' | 'in part' | 'nothing'

/** The device does not reach its own back end. See docs/project/interface.md#device. */
const isAway = ({ status }: DeviceConfiguration): boolean =>
  deviceHealth(undefined, textIn(status)).reason === 'device-away'

/** How many missing routes are read one by one. */
const ASKED = 4
/** So many routes take a few ms. */
const MANY = 100
/** How soon a route that was not found is read once more, in ms. */
const SECOND_LOOK_MS = 200
/** How long all routes have to be missing, in ms: an appliance that restarts may have none for a while. */
const ALL_MISSING_MS = 10_000

/**
 * Normally one call: the configuration has all routes. What a response leaves out, or has emptied, stays
 * until it is certain. A missing route is looked up in the list and by itself.
 * @returns a function that reads once, given what is known, and throws GatewayError
 */
export function createReader(
  gateway: Connection,
  deviceId: string,
  clock: UnixClock,
): (operation: Operation, known?: DeviceState) => Promise<Reading> {
  let missing: ReadonlyMap<string, number> = NONE_MISSING
  let partial = NONE
  let emptied = NONE

  return async (operation, known) => {
    const device = await getDevice(gateway, deviceId, operation)
    const configured = routesIn(device, deviceId)
    const found = foundIn(configured ?? [])
    respell(found, knownWithout(found, known))
    const isDoubtful =
      found.routes.size === 0 || found.isPartial || knownWithout(found, known).length > 0
    const listed = isDoubtful ? await addListed(found, configured, operation, known) : 'all'
    const isCertain = listed !== 'nothing' && !isAway(device)
    const gone = isCertain ? await goneOf(found, known, listed, operation) : new Set<string>()
    const kept = knownWithout(found, known).filter(([id]) => !gone.has(id))
    // A new route that arrived incomplete is left for the next poll.
    const arrived: JsonObject[] = []
    for (const [id, route] of found.routes) {
      const isExpected = !known || !found.partial.has(id) || known.routes.has(id) || partial.has(id)
      if (isExpected) arrived.push(route)
    }
    partial = unlessEmpty(found.partial)
    const doubts: UnconfirmedEmpty = { before: emptied, now: new Set() }
    const stateOf = (route: JsonObject) => routeState(route, doubts, known, gateway.hide)
    // Of thousands of routes, this lets everything else run in between.
    const read = arrived.length > MANY ? await mapInSlices(arrived, stateOf) : arrived.map(stateOf)
    const state = deviceState(deviceId, device, kept.concat(read), doubts, known, gateway.hide)
    emptied = unlessEmpty(doubts.now)
    const isWhole = kept.length === 0 && found.partial.size === 0
    return {
      state,
      sent: found.routes,
      routes: isWhole ? (arrived as unknown as Route[]) : undefined,
      suggestedMs: suggestionOf(device),
    }
  }

  /** Adds what only the list of routes has; returns how much arrived: it may not be needed. */
  async function addListed(
    found: Found,
    configured: unknown[] | undefined,
    operation: Operation,
    known?: DeviceState,
  ): Promise<Listed> {
    try {
      const list = await listRoutes(gateway, { deviceId }, operation)
      if (isIncomplete(list) && !configured?.length) throw incompleteList(list)
      const listed = foundIn(list.data)
      respell(listed, [...knownWithout(listed, known), ...found.routes])
      // The list may have routes in another form than the configuration, which is preferred.
      for (const [id, route] of listed.routes) {
        const isBetter = found.partial.has(id) && !listed.partial.has(id)
        if (found.routes.has(id) && !isBetter) continue
        found.routes.set(id, route)
        if (listed.partial.has(id)) found.partial.add(id)
        else found.partial.delete(id)
      }
      return isIncomplete(list) ? 'in part' : 'all'
    } catch (error) {
      if (!configured?.length || hasCode(error, 'CLOSED')) throw error
      return 'nothing'
    }
  }

  async function goneOf(
    found: Found,
    known: DeviceState | undefined,
    listed: Listed,
    operation: Operation,
  ): Promise<ReadonlySet<string>> {
    const absent = knownWithout(found, known).map(([id]) => id)
    if (absent.length === 0) {
      missing = NONE_MISSING
      return NONE
    }
    const several = (known?.routes.size ?? 0) > 1
    const least = found.routes.size === 0 && several ? ALL_MISSING_MS : 0
    const first = await judge(absent, listed === 'all', missing, least, operation)
    const suspected = [...first.missing.keys()].filter((id) => !missing.has(id))
    const stillMissing = first.missing
    missing = stillMissing
    if (suspected.length === 0 || least > 0) return first.gone
    // The second read follows at once, so that a removal is reported in its place among the events.
    await gateway.pause(SECOND_LOOK_MS, operation.stop)
    const list = await listRoutes(gateway, { deviceId }, operation).catch(unlessClosed)
    const listedNow = new Set(list?.data.map(({ id }) => normalizeId(String(id))))
    const unlisted = suspected.filter((id) => !listedNow.has(normalizeId(id)))
    const isComplete = list !== undefined && !isIncomplete(list)
    const second = await judge(unlisted, isComplete, missing, least, operation)
    for (const id of suspected) if (!second.missing.has(id)) stillMissing.delete(id)
    return new Set([...first.gone, ...second.gone])
  }

  /** Judges absent routes by the list and, for the first few, by a read of the route itself. */
  async function judge(
    absent: string[],
    isUnlisted: boolean,
    since: ReadonlyMap<string, number>,
    least: number,
    operation: Operation,
  ): Promise<{ gone: ReadonlySet<string>; missing: Map<string, number> }> {
    const gone = new Set<string>()
    const stillMissing = new Map<string, number>()
    for (const [index, routeId] of absent.entries()) {
      const isAsked = isUnlisted && index < ASKED
      const address = { deviceId, routeId }
      const itself = isAsked ? await askItself(gateway, address, operation) : 'unclear'
      const evidence = { isUnlisted, itself } as const
      const verdict = judgeMissing(evidence, since.get(routeId), clock.now(), least)
      if (verdict === 'gone') gone.add(routeId)
      else if (verdict !== undefined) stillMissing.set(routeId, verdict)
    }
    return { gone, missing: stillMissing }
  }
}

const NONE: ReadonlySet<string> = new Set()
const NONE_MISSING: ReadonlyMap<string, number> = new Map()

/** What is kept until the next poll would reach the old generation; usually there is nothing. */
const unlessEmpty = (ids: ReadonlySet<string>): ReadonlySet<string> => (ids.size > 0 ? ids : NONE)

function unlessClosed(error: unknown): undefined {
  if (hasCode(error, 'CLOSED')) throw error
}

/** The routes in the configuration of the device; undefined when they are missing. */
function routesIn({ _id, config }: DeviceConfiguration, deviceId: string): unknown[] | undefined {
  if (!isObject(config)) {
    throw badResponse(
      say('unexpected', { what: 'device.config', came: typeof config, expected: 'object' }),
    )
  }
  if (_id !== undefined && _id !== deviceId) throw badResponse(say('otherDevice'))
  const { routes } = config as { routes?: unknown }
  return Array.isArray(routes) ? routes : undefined
}

interface Found {
  routes: Map<string, JsonObject>
  /** IDs of routes that arrived incomplete. */
  partial: Set<string>
  /** An entry arrived incomplete: a route, or what should be one. */
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

/**
 * A UUID is the same in either case: a route, and its destinations, keep the IDs that are known. Otherwise
 * a list, or firmware, that spells them in another way would show each route twice.
 */
function respell(
  found: Found,
  known: ReadonlyArray<[string, Pick<RouteState, 'destinations'> | JsonObject]>,
): void {
  if (known.length === 0) return
  const byId = new Map(known.map(([id, route]) => [normalizeId(id), { id, route }]))
  for (const [id, sent] of found.routes) {
    const same = byId.get(normalizeId(id))
    if (!same || same.id === id || found.routes.has(same.id)) continue
    const its = itemsIn(same.route.destinations)
    const destinations = Array.isArray(sent.destinations)
      ? sent.destinations.map((each: unknown) => {
          const before = its.find((one) => isSameId(own(one, 'id'), own(each, 'id')))
          return before ? { ...(each as JsonObject), id: own(before, 'id') } : each
        })
      : sent.destinations
    found.routes.delete(id)
    found.routes.set(same.id, { ...sent, id: same.id, destinations })
    if (found.partial.delete(id)) found.partial.add(same.id)
  }
}

const isWhole = ({ source, destinations }: JsonObject): boolean =>
  isObject(source) &&
  isText(source.protocol) &&
  // Some firmware writes an empty list as null.
  (Array.isArray(destinations) || destinations === null)

function knownWithout({ routes }: Found, known?: DeviceState): Array<[string, RouteState]> {
  const missing: Array<[string, RouteState]> = []
  for (const entry of known?.routes ?? []) if (!routes.has(entry[0])) missing.push(entry)
  return missing
}

function suggestionOf({ suggestedPollingInterval }: DeviceConfiguration): number | undefined {
  const ms = Number((suggestedPollingInterval as { ms?: unknown } | undefined)?.ms)
  return ms > 0 ? ms : undefined
}
