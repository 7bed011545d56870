import type { Destination, Route, RouteFields, Source } from './types'
import { isGiven, isObject, isText, itemsIn, membersIn, own, type JsonObject } from './json'
import {
  hasPaths,
  isRedundant,
  isSrtListener,
  membersOf,
  ONLY_READ,
  PLACE,
  PROTOCOL,
  spellingOf,
  TUNING,
  type Direction,
  type Member,
  type Members,
} from './members'

/**
 * From the form in which the appliance returns a route to the one in which it accepts it, with choices in
 * their documented spelling: docs/project/interface.md#updates. Idempotent; unknown members pass.
 */
export function toSent(route: Route | RouteFields): RouteFields {
  const destinations: unknown = route.destinations
  return {
    name: route.name,
    ...(isGiven(own(route, 'startRoute')) && { startRoute: booleanFrom(route.startRoute) }),
    source: sourceToSent(route.source),
    destinations: Array.isArray(destinations) ? destinations.map(destinationToSent) : [],
  }
}

export const sourceToSent = (source: Source): Source => partToSent('source', source) as Source

export const destinationToSent = (destination: Destination): Destination =>
  partToSent('destination', destination) as Destination

/** Returns a copy for a new route: without the ids of source and destinations. */
export function forCreate(fields: RouteFields): RouteFields {
  return {
    ...fields,
    source: withAddress(withoutIdentity(fields.source)),
    destinations: fields.destinations.map((one) => withAddress(withoutIdentity(one))),
  }
}

/**
 * The appliance demands an address even of an SRT listener: every adapter, or where the replaced one
 * listened. One that has no address on the appliance gets none.
 */
export function withAddress<Part extends Source | Destination>(part: Part, present?: Part): Part {
  const lacksAddress = isSrtListener(part) && !isRedundant(part) && !isText(part.address)
  if (!lacksAddress) return part
  const listens = present !== undefined && isSrtListener(present) && !isRedundant(present)
  const address = listens ? present.address : '0.0.0.0'
  return isText(address) ? { ...part, address } : part
}

/** Returns a copy without what ties it to the appliance: its id, and the action that means none. */
export function withoutIdentity<Part extends Source | Destination>(part: Part): Part {
  const members = membersIn(part).filter(
    ([name, value]) => name !== 'id' && !(name === 'action' && value === 'none'),
  )
  return Object.fromEntries(members) as Part
}

/** A part in sent form. It may have only some of its members; then `context` is the whole one. */
export function partToSent(
  direction: Direction,
  part: JsonObject,
  context: JsonObject = part,
): JsonObject {
  if (!isObject(part)) return {}
  const protocol = protocolOf(direction, context)
  const members = membersOf(direction, protocol)
  const isRenamed = ([name]: [string, unknown]) => members.get(name)?.sentAs !== undefined
  const given = membersIn(part)
  const sent: JsonObject = {}
  // Renamed ones first: the name of the sent form wins where a route as read has both.
  for (const [name, value] of [...given.filter(isRenamed), ...given.filter((m) => !isRenamed(m))]) {
    const member = members.get(name)
    const sentName = member?.sentAs ?? name
    if (member?.readOnly?.(context)) continue
    // An empty number means nothing given; left out, it stays as it is.
    if (value === '' && member?.asText === 'converted') continue
    if (!isGiven(value) && Object.hasOwn(sent, sentName)) continue
    const sentAs = members.get(sentName) ?? member
    sent[sentName] = name === 'protocol' && isGiven(value) ? protocol : asSent(value, sentAs)
  }
  return protocol === 'srt' && isRedundant(sent) ? withPaths(sent, isPartAsRead(part)) : sent
}

/** The protocol as requests spell it: HLS destinations are read as `http`. */
export function protocolOf(direction: Direction, part: JsonObject): unknown {
  const protocol = own(part, 'protocol')
  const spelled = spellingOf(PROTOCOL[direction], protocol)
  if (spelled !== undefined || direction === 'source') return spelled ?? protocol
  const mode = own(part, 'mode')
  const isHls = isWord(protocol, 'http') && (!isGiven(mode) || isWord(mode, 'hls'))
  return isHls ? 'hls' : protocol
}

const isWord = (value: unknown, word: string): boolean =>
  typeof value === 'string' && value.toLowerCase() === word

function asSent(value: unknown, member: Member | undefined): unknown {
  if (member?.asText === 'converted') return numberFrom(value)
  if (member?.kind === 'choice') return spellingOf(member, value) ?? value
  if (member?.asText === 'written' && typeof value === 'number') return String(value)
  if (member?.kind === 'boolean' && isBooleanText(value)) return value === 'true'
  if (member?.of && Array.isArray(value)) {
    const { of } = member
    return value.map((item) => (isObject(item) ? pathAsSent(item, of) : item))
  }
  return value
}

function pathAsSent(path: JsonObject, of: Members): JsonObject {
  const memberOf = (name: string) => (Object.hasOwn(of, name) ? of[name] : undefined)
  const members = membersIn(path).map(([name, value]) => [name, asSent(value, memberOf(name))])
  return Object.fromEntries(members) as JsonObject
}

/** True for a source or destination as read: it has what only the appliance sets. */
export const isPartAsRead = (part: unknown): boolean =>
  ['state', 'started', 'summaryStatusCode'].some((name) => isGiven(own(part, name)))

/** True for a Route as read: besides its state it has members that only the appliance sets. */
export function isRouteAsRead(route: JsonObject): boolean {
  const has = (part: unknown, names: readonly string[]): boolean =>
    names.some((name) => isGiven(own(part, name)))
  return (
    has(route, ONLY_READ) ||
    isText(own(own(route, 'source'), 'id')) ||
    [own(route, 'source'), ...itemsIn(own(route, 'destinations'))].some(isPartAsRead)
  )
}

/**
 * Responses join the values of all paths by `|`; requests list the paths, and have no other place. With
 * one path nothing is joined. In a request, one place may be a mistake.
 */
function withPaths(part: JsonObject, isRead: boolean): JsonObject {
  const carried = hasPaths(part.srtNetworkBondingParams) ? part.srtNetworkBondingParams : undefined
  const isPlace = isRead ? isGiven : isJoined
  if (!carried && !PLACE.some((name) => isPlace(part[name]))) return part

  // Values that all paths share stay where they are, except for the place, which moves.
  const moved: string[] = [
    ...PLACE.filter((name) => isGiven(part[name])),
    ...TUNING.filter((name) => isJoined(part[name])),
  ]
  const spread = moved
    .filter((name) => !carried || TUNING.some((tuning) => tuning === name))
    .map((name) => ({ name, values: isJoined(part[name]) ? part[name].split('|') : [part[name]] }))
  const paths = carried ?? emptyPaths(Math.max(...spread.map(({ values }) => values.length)))

  const rest = membersIn(part).filter(([name]) => !moved.includes(name))
  return {
    ...Object.fromEntries(rest),
    srtNetworkBondingParams: paths.map((path, index) => {
      if (!isObject(path)) return path
      const missing = spread
        .map(({ name, values }) => [name, values.length > 1 ? values[index] : values[0]] as const)
        .filter(([name, value]) => isGiven(value) && !Object.hasOwn(path, name))
        .map(([name, value]) => [name, IS_TEXT.has(name) ? value : numberFrom(value)])
      return { ...path, ...Object.fromEntries(missing) }
    }),
  }
}

const IS_TEXT: ReadonlySet<string> = new Set(['address', 'networkInterface'])

const emptyPaths = (count: number): unknown[] => Array.from({ length: count }, () => ({}))

const isJoined = (value: unknown): value is string =>
  typeof value === 'string' && value.includes('|')

const numberFrom = (value: unknown): unknown => (isNumeric(value) ? Number(value) : value)

/** Firmware that writes numbers as text may do so with true and false as well. */
export const isBooleanText = (value: unknown): value is 'true' | 'false' =>
  value === 'true' || value === 'false'

/** Reads true or false, also as text; undefined for anything else. */
export const booleanFrom = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' || isBooleanText(value) ? String(value) === 'true' : undefined

export const isNumeric = (value: unknown): value is string =>
  typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value)
