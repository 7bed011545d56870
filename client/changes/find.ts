import { GatewayError, badResponse, say } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { isText, own } from '../model/json'
import type { Destination, Route, RouteList } from '../model/types'
import { getRoute, incompleteList, isIncomplete } from '../api/routes'
import { expectArray } from '../api/shapes'
import type { RouteAddress } from '../memory'
import { isNameChanging } from '../unseen'
import { nextList } from './shared-list'
import { pollUntil, SETTLE_MS } from './unconfirmed'

export { keyOf, type RouteAddress } from '../memory'

/** What names a route in an error: its name, or else its ID. */
export const labelOf = (route: unknown): string | undefined =>
  [own(route, 'name'), own(route, 'id')].find(isText)

/** What identifies a route or a destination: its ID, or else its exact name. */
export type Target = { id: string } | { name: string }

/** A route as read has both an ID and a name: its ID counts. */
function partsOf(target: Target): { id?: string; name: string } {
  const { id, name } = target as { id?: unknown; name?: unknown }
  return { ...(typeof id === 'string' && { id }), name: String(name) }
}

/**
 * A name is looked up on every page. For a change, only once the renames from here show: until then the
 * list may have another route under this name.
 * @throws GatewayError `NOT_FOUND`, `CONFLICT` with several IDs, or `NOT_CONFIRMED` for such a rename
 */
export async function findRoute(
  gateway: Connection,
  deviceId: string,
  target: Target,
  operation: Operation,
): Promise<string> {
  const { id, name } = partsOf(target)
  operation.route = id ?? name
  if (id !== undefined) return id
  const read = async (): Promise<RouteList | undefined> => {
    const listed = await nextList(gateway, deviceId, operation)
    const isUncertain = operation.changes && isNameChanging(gateway, deviceId, name, listed.data)
    return isUncertain ? undefined : listed
  }
  const list = await pollUntil(gateway, read, SETTLE_MS, operation)
  const isThere = list.data.some((route) => route.name === name)
  if (!isThere && isIncomplete(list)) {
    throw incompleteList(list, say('uncertainRoute', { route: excerpt(name) }))
  }
  return idOfTheOne('route', name, list.data)
}

export async function findDestination(
  gateway: Connection,
  address: RouteAddress,
  target: Target,
  operation: Operation,
): Promise<string> {
  const { id, name } = partsOf(target)
  if (id !== undefined) return id
  const { destinations } = await getRoute(gateway, address, operation)
  const list = expectArray<Destination>(destinations ?? [], 'route.destinations')
  return idOfTheOne('destination', name, list)
}

/** @throws GatewayError `BAD_RESPONSE` when the route came without one */
export async function findSource(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
): Promise<string> {
  const { source } = await getRoute(gateway, address, operation)
  return idIn(source, 'source')
}

function idOfTheOne(kind: Kind, name: string, among: Array<Route | Destination>): string {
  const named = among.filter((candidate) => candidate.name === name)
  const found = theOnly(named, kind)
  if (found) return idIn(found, kind)
  const said =
    kind === 'route'
      ? say('routeNotFound', { route: excerpt(name) })
      : say('destinationNotInRoute', { id: excerpt(name) })
  throw new GatewayError('NOT_FOUND', [said, say('checkName')])
}

type Kind = 'route' | 'destination'

/** @throws GatewayError `CONFLICT` when several have the name */
export function theOnly<One extends Route | Destination>(
  found: readonly One[],
  kind: Kind,
): One | undefined {
  const [only, ...others] = found
  if (!only || others.length === 0) return only
  const said = say(kind === 'route' ? 'routesSameName' : 'destinationsSameName', {
    count: found.length,
    name: excerpt(String(only.name)),
    ids: found.map(({ id }) => id).join(', '),
  })
  throw new GatewayError('CONFLICT', { ...said, news: 'sameName' })
}

function idIn(part: unknown, what: string): string {
  const id = own(part, 'id')
  if (isText(id)) return id
  throw badResponse(say('partWithoutId', { what }))
}

const excerpt = (name: string): string => (name.length > 200 ? `${name.slice(0, 200)}…` : name)
