/** Routes as a file: each in the form that is sent, without what only this appliance knows. */
import { badResponse, say } from '../errors'
import { toSent, withoutIdentity } from './convert'
import { grouped } from './ids'
import { isGiven, membersIn, type JsonObject } from './json'
import { membersOf, PLACE, type Direction } from './members'
import { isRunning, isStopped, missingPart } from './route-state'
import { findSecrets, hideSecrets, isSecret, mapSecrets, SECRET_PREFIX } from './secrets'
import type { Route, RouteFields } from './types'

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

/**
 * Sorted by name, in the order of the code units: it is the same everywhere.
 * @throws GatewayError `BAD_RESPONSE` for a route that came without its source or destinations
 */
export function definitionsOf(
  routes: readonly Route[],
  {
    secrets = 'hidden',
    prefix = SECRET_PREFIX,
    only = () => true,
    hide = hideSecrets,
  }: DefinitionsOptions = {},
): Definition[] {
  const whole = [...routes].sort(byNameAndId).map(complete)
  const present = whole.map(definitionOf)
  const hidden = hide(present)
  const shown = secrets === 'names' ? withNames(hidden, prefix) : hidden
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
  const known = [...membersOf(direction, part.protocol).keys()]
  const order = [...FIRST, ...known.filter((name) => !LAST.includes(name))]
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)
  const members = membersIn(part)
    .filter(([name, value]) => isGiven(value) && (value !== '' || isSecret(name)))
    .sort(([one], [other]) => rank(one) - rank(other) || compared(one, other))
  return Object.fromEntries(members) as Part
}

interface Place {
  /** The names of its route and its part, as words of a variable's name. Empty: nothing is left. */
  words: string[]
  /** What tells it from others with the same words; each item tells more than the ones before. */
  identity: unknown[]
}

function withNames(definitions: Definition[], prefix: string): Definition[] {
  const names = uniqueNames(definitions.flatMap(secretPlaces), prefix)[Symbol.iterator]()
  return mapSecrets(definitions, () => `\${${names.next().value!}}`)
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
  const told = numbered(places)
  const exactness = told.map(({ words: parts }) => (parts.includes('') ? 1 : 0))
  for (;;) {
    const names = told.map((place, index) => nameOf(place, exactness[index]!))
    const uses = grouped(names, (name) => name)
    if (uses.size === names.length) return names
    names.forEach((name, index) => {
      if (uses.get(name)!.length > 1) exactness[index]!++
    })
  }
}

/** Places with the same names get different numbers, in their order. */
function numbered(places: readonly Place[]): Place[] {
  const twins = new Map<string, number>()
  return places.map(({ words: parts, identity }) => {
    const key = JSON.stringify(identity)
    const number = twins.get(key) ?? 0
    twins.set(key, number + 1)
    return { words: parts, identity: [...identity, number] }
  })
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
