/** Routes as a file: each in the form that is sent, without what only this appliance knows. */
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { badResponse, invalidInput, say, words } from '../errors'
import { toSent, withoutIdentity } from '../model/convert'
import { grouped } from '../model/ids'
import { isGiven, membersIn, type JsonObject } from '../model/json'
import { membersOf, PLACE, type Direction } from '../model/members'
import { isRunning, isStopped, missingPart } from '../model/route-state'
import {
  findSecrets,
  hideSecrets,
  isSecret,
  isSecretPrefix,
  mapSecrets,
  SECRET_PREFIX,
} from '../model/secrets'
import type { Route, RouteFields } from '../model/types'
import { incompleteList, isIncomplete, listRoutes } from '../api/routes'
import { mapInSlices } from '../slices'
import { onMain } from './owned'

/** A route of a file. Its name says which route it is. */
export interface Definition extends RouteFields {
  /** How the route is; absent where it is neither. */
  state?: 'running' | 'stopped'
}

export interface DefinitionsOptions {
  /** `hidden` (default): the sign `••••••`; `names`: `${NAME}` with the name of an environment variable. */
  secrets?: 'hidden' | 'names'
  /** With which these names begin; default `SRT_`. */
  prefix?: string
  /** Which routes are wanted. The names of secrets depend on all routes, also on the others. */
  only?: (route: Route) => boolean
  /** @internal Hides secrets, as of {@link hideSecrets}. */
  hide?: <T>(value: T) => T
}

export interface ListDefinitions extends DefinitionsOptions {
  /** A function is called only once the options have passed their checks. */
  deviceId: string | (() => Promise<string>)
}

/**
 * Sorted by name; of what a failover owns, main's.
 * @throws GatewayError `BAD_RESPONSE` when any is missing or incomplete: in a file that counts as deleted
 */
export async function listDefinitions(
  gateway: Connection,
  { deviceId: where, ...options }: ListDefinitions,
  operation: Operation,
): Promise<{ deviceId: string; answer: Definition[] }> {
  const { prefix } = options
  if (prefix !== undefined && !isSecretPrefix(prefix)) {
    const problem = 'must be at least two letters, digits or underscores, not a digit first'
    throw invalidInput([{ path: 'prefix', problem }])
  }
  const deviceId = typeof where === 'string' ? where : await where()
  const list = await listRoutes(gateway, { deviceId }, operation)
  if (isIncomplete(list)) {
    throw incompleteList(list, words('Definitions that lack routes are not returned.'))
  }
  const routes = list.data.map((route) => onMain(gateway, deviceId, route))
  return { deviceId, answer: await definitionsOf(routes, { ...options, hide: gateway.hide }) }
}

/**
 * Sorted by name, in the order of the code units: it is the same everywhere.
 * @throws GatewayError `BAD_RESPONSE` for a route that came without its source or destinations
 */
export async function definitionsOf(
  routes: readonly Route[],
  {
    secrets = 'hidden',
    prefix = SECRET_PREFIX,
    only = () => true,
    hide = hideSecrets,
  }: DefinitionsOptions = {},
): Promise<Definition[]> {
  const whole = [...routes].sort(byNameAndId).map(complete)
  const hidden = await mapInSlices(whole, (route) => hide(definitionOf(route)))
  const shown = secrets === 'names' ? await withNames(hidden, prefix) : hidden
  return shown.filter((_, index) => only(whole[index]!))
}

const byNameAndId = (one: Route, other: Route): number =>
  compared(String(one.name), String(other.name)) || compared(String(one.id), String(other.id))

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function complete(route: Route): Route {
  const part = missingPart(route)
  if (part === undefined) return route
  const { name } = route
  throw badResponse(
    say('definitionUnknown', {
      name: String(name).slice(0, 200),
      part,
    }),
  )
}

function definitionOf(route: Route): Definition {
  const { name, source, destinations } = toSent(route)
  const state = isRunning(route) ? 'running' : isStopped(route) ? 'stopped' : undefined
  return {
    name,
    ...(state && { state }),
    source: arranged('source', withoutIdentity(source)),
    destinations: destinations
      .map((one) => arranged('destination', withoutIdentity(one)))
      // Of one that no longer exists, a route has the ID only.
      .filter((one) => Object.keys(one).length > 0),
  }
}

const FIRST = ['name', 'protocol', 'srtMode', 'rtmpMode', ...PLACE]
const LAST = ['labels', 'tags']

/** In an order that people read and that never changes. An empty passphrase says that there is none. */
function arranged<Part extends JsonObject>(direction: Direction, part: Part): Part {
  const given = new Map(
    membersIn(part).filter(([name, value]) => isGiven(value) && (value !== '' || isSecret(name))),
  )
  const known = [...FIRST, ...membersOf(direction, part.protocol).keys()]
  const first = known.filter((name) => given.has(name) && !LAST.includes(name))
  const members: JsonObject = {}
  const names = new Set([...first, ...[...given.keys()].sort()])
  for (const name of names) members[name] = given.get(name)
  return members as Part
}

interface Place {
  /** The names of its route and its part, as words of a variable's name. Empty: nothing is left. */
  words: string[]
  /** What tells it from others with the same words; each item tells more than the ones before. */
  identity: unknown[]
}

async function withNames(definitions: Definition[], prefix: string): Promise<Definition[]> {
  const places = await mapInSlices(definitions, secretPlaces)
  const names = uniqueNames(places.flat(), prefix)[Symbol.iterator]()
  return mapInSlices(definitions, (one) => mapSecrets(one, () => `\${${names.next().value!}}`))
}

/** The secrets of a definition, in the order of {@link mapSecrets}. */
function secretPlaces(definition: Definition): Place[] {
  const { name, source, destinations } = definition
  const placesIn = (part: JsonObject, word: unknown, exact: unknown[]): Place[] =>
    findSecrets(part).map((path) => ({
      words: [asWord(name), asWord(word)],
      identity: [[name, ...exact, path], part, definition],
    }))
  return [
    ...placesIn(source, 'source', []),
    ...destinations.flatMap((one) => placesIn(one, one.name, [one.name])),
  ]
}

const asWord = (name: unknown): string =>
  String(name)
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')

/**
 * From the names of route and part, with a hash where these do not say which is meant. A number that
 * counts would mean another secret with one route more.
 */
function uniqueNames(places: readonly Place[], prefix: string): string[] {
  const nameOf = ({ words: parts, identity }: Place, exactness: number): string => {
    const said = parts.filter((part) => part !== '')
    if (exactness > 0) said.push(hashOf([...identity.slice(0, exactness), exactness]))
    return prefix + said.join('_')
  }
  const exactness = places.map(({ words: parts }) => (parts.includes('') ? 1 : 0))
  for (;;) {
    const names = places.map((place, index) => nameOf(place, exactness[index]!))
    const uses = grouped(names.keys(), (index) => names[index])
    if (uses.size === names.length) return names
    for (const same of uses.values()) {
      if (same.length === 1) continue
      for (const [number, index] of same.entries()) {
        const { identity } = places[index]!
        // Of places that are alike in everything else, only their order tells which is which.
        if (exactness[index] === identity.length) identity.push(number)
        exactness[index]!++
      }
    }
  }
}

/** FNV-1a of 32 bits, in hexadecimal. It keeps names apart, and protects nothing. */
function hashOf(value: unknown): string {
  let hash = 0x811c9dc5
  const text = JSON.stringify(value)
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).toUpperCase().padStart(8, '0')
}
