import { destinationToSent, sourceToSent } from '../../model/convert'
import { normalizeId } from '../../model/ids'
import { isEmpty, isObject, isText, membersIn, type JsonObject } from '../../model/json'
import { membersOf, type Direction } from '../../model/members'
import { isRunning, isStopped } from '../../model/route-state'
import type { Destination, Route } from '../../model/types'

/**
 * A route as a text that stays the same until its definition changes, or it starts or stops. Only
 * known members count: one that the package does not know may be a counter. Contains secrets.
 */
export function imprintOf(route: Route): string {
  const destinations = route.destinations.map((one): [string, unknown] => [
    identityOf(one),
    partOf('destination', destinationToSent(one)),
  ])
  return JSON.stringify([
    route.name,
    isRunning(route) ? 'running' : isStopped(route) ? 'stopped' : null,
    partOf('source', sourceToSent(route.source)),
    destinations.sort(([one], [other]) => (one < other ? -1 : 1)),
  ])
}

const identityOf = ({ id, name }: Destination): string =>
  isText(id) ? normalizeId(id) : String(name)

function partOf(direction: Direction, part: JsonObject): unknown {
  const members = membersOf(direction, part.protocol)
  return sorted(
    membersIn(part).filter(
      ([name, value]) =>
        name !== 'id' && members.has(name) && !members.get(name)!.sentOnly && !isEmpty(value),
    ),
  )
}

const sorted = (members: [string, unknown][]): unknown =>
  members
    .map(([name, value]): [string, unknown] => [name, plain(value)])
    .sort(([one], [other]) => (one < other ? -1 : 1))

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return isObject(value) ? sorted(membersIn(value)) : value
}

/** A value as JSON in which the order of members does not count. */
export const stableText = (value: unknown): string => JSON.stringify(plain(value) ?? null)
