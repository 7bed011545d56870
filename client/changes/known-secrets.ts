import type { Connection } from '../connection/connection'
import { isGiven, isObject, isText, membersIn, own, type JsonObject } from '../model/json'
import { normalizeId } from '../model/ids'
import { isMasked, isSecret } from '../model/secrets'
import { setLatest } from '../memory'
import type { Route, RouteFields } from '../model/types'
import { keyOf, type RouteAddress } from './find'

const SOURCE = 'source'
const byId = (destination: unknown): string => `id ${normalizeId(String(own(destination, 'id')))}`
const byName = (destination: unknown): string => `name ${String(own(destination, 'name'))}`

/** Call when the appliance has accepted these fields. */
export function rememberSecrets(
  gateway: Connection,
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
  setLatest(gateway.memory.writtenSecrets, keyOf(address), new Map(parts))
}

/** Call when the stored secrets may no longer match those of the appliance. */
export function forgetSecrets(gateway: Connection, address: RouteAddress): void {
  gateway.memory.writtenSecrets.delete(keyOf(address))
}

export function forgetSecretsOf({ memory }: Connection, deviceId: string): void {
  for (const key of memory.writtenSecrets.keys()) {
    if (key.startsWith(`${deviceId} `)) memory.writtenSecrets.delete(key)
  }
}

/**
 * With the secrets that were written from here, where reads lack them. For comparison only: they may
 * have been changed since.
 */
export function comparable(gateway: Connection, deviceId: string, route: Route): Route {
  const written = gateway.memory.writtenSecrets.get(keyOf({ deviceId, routeId: route.id }))
  if (!written || !Array.isArray(route.destinations)) return route
  return {
    ...route,
    source: completed(route.source, written.get(SOURCE)),
    destinations: route.destinations.map((destination) =>
      // A destination that was new when it was written had no ID yet.
      completed(destination, written.get(byId(destination)) ?? written.get(byName(destination))),
    ),
  }
}

const secretsOf = (part: JsonObject): JsonObject =>
  // An empty one was written too: the appliance may mask that as well.
  Object.fromEntries(membersIn(part).filter(([name, value]) => isSecret(name) && isGiven(value)))

function completed<T extends JsonObject>(part: T, secrets: JsonObject = {}): T {
  if (!isObject(part)) return part
  const hidden = membersIn(secrets).filter(
    ([name]) => part[name] === undefined || isMasked(part[name]),
  )
  return { ...part, ...Object.fromEntries(hidden) }
}
