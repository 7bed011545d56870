import type { Gateway } from '../connection/connection'
import { isObject, isText, membersIn, own, type JsonObject } from '../model/json'
import { plainId } from '../model/ids'
import { isMasked, isSecret } from '../model/secrets'
import type { Route, RouteFields } from '../model/types'
import { keyOf, type RouteAddress } from './find'

/**
 * The secrets that were written from here, of the source and of each destination. Firmware may
 * leave them out of what it answers, or mask them (whether any does is not documented): then
 * nothing else tells whether a wanted one is there.
 */
type WrittenSecrets = ReadonlyMap<string, JsonObject>

const writtenByGateway = new WeakMap<Gateway, Map<string, WrittenSecrets>>()

const SOURCE = 'source'
const byId = (destination: unknown): string => `id ${plainId(String(own(destination, 'id')))}`
const byName = (destination: unknown): string => `name ${String(own(destination, 'name'))}`

/** To be called when the appliance has accepted these fields. */
export function rememberSecrets(
  gateway: Gateway,
  address: RouteAddress,
  { source, destinations }: RouteFields,
): void {
  const parts = [
    [SOURCE, secretsOf(source)] as const,
    ...destinations.map(
      (one) => [isText(one.id) ? byId(one) : byName(one), secretsOf(one)] as const,
    ),
  ].filter(([, secrets]) => Object.keys(secrets).length > 0)
  if (parts.length === 0) return forgetSecrets(gateway, address)
  const known = writtenByGateway.get(gateway) ?? new Map<string, WrittenSecrets>()
  writtenByGateway.set(gateway, known)
  setLatest(known, keyOf(address), new Map(parts))
}

/** Routes that somebody else deletes are never forgotten one by one. */
const MOST_ROUTES = 10_000

/** Sets an entry, and drops the oldest one of too many. */
export function setLatest<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= MOST_ROUTES) return
  const [oldest] = entries.keys()
  entries.delete(oldest!)
}

/** To be called when it is not certain any more what the appliance has. */
export function forgetSecrets(gateway: Gateway, address: RouteAddress): void {
  writtenByGateway.get(gateway)?.delete(keyOf(address))
}

/**
 * The route as read, with the secrets that were written where the answer does not tell them. For
 * comparing only: somebody else may have changed them since.
 */
export function withWritten(gateway: Gateway, deviceId: string, route: Route): Route {
  const written = writtenByGateway.get(gateway)?.get(keyOf({ deviceId, routeId: route.id }))
  if (!written || !Array.isArray(route.destinations)) return route
  return {
    ...route,
    source: completed(route.source, written.get(SOURCE)),
    destinations: route.destinations.map((destination) =>
      // One that was new when it was written had no id yet.
      completed(destination, written.get(byId(destination)) ?? written.get(byName(destination))),
    ),
  }
}

const secretsOf = (part: JsonObject): JsonObject =>
  Object.fromEntries(membersIn(part).filter(([name, value]) => isSecret(name) && isText(value)))

function completed<T extends JsonObject>(part: T, secrets: JsonObject = {}): T {
  if (!isObject(part)) return part
  const untold = membersIn(secrets).filter(
    ([name]) => part[name] === undefined || isMasked(part[name]),
  )
  return { ...part, ...Object.fromEntries(untold) }
}
