import { isGiven, isObject, isText, itemsIn, membersIn, own, pathTo, type JsonObject } from './json'
import {
  anyMembersOf,
  hasPaths,
  isRedundant,
  LASTING,
  membersOf,
  PROTOCOLS,
  ROUTE,
  ROUTE_NAMES,
  spellingOf,
  type Direction,
  type Member,
  type Members,
} from './members'
import { excerpt, givenAs } from './given'
import { isBooleanText, isNumeric, isRouteAsRead, partToSent, protocolOf } from './convert'
import type { Fault, Given, Reason, Wanted } from './faults'
import { doubtsOfRoute } from './doubts'
import { nearest } from './near'
import { isSameId, normalizeId, seenAt } from './ids'
import { findVariables, isMasked } from './secrets'

/** `validate: false` leaves the check of source and destinations to the appliance. */
export interface CheckOptions {
  validate?: boolean
}

/** How an update treats what the patch leaves out, see docs/update-and-ensure.md. */
export const UPDATE_MODES = ['keep', 'merge', 'replace'] as const
export type UpdateMode = (typeof UPDATE_MODES)[number]

/** Returns every fault of a route to create, as sent or as read. */
export function checkCreate(input: unknown, options: CheckOptions = {}): Fault[] {
  return checkRoute(input, (route) => [
    ...checkValue(ROUTE.startRoute, own(route, 'startRoute'), () => 'startRoute'),
    ...checkName(route, options),
    ...checkSource(route, options),
    ...(isGiven(own(route, 'destinations')) ? checkDestinations(route, options) : []),
    ...(options.validate === false ? [] : checkNew(route)),
  ])
}

/** Returns every fault of an update in this mode, in sent form or as a Route read and edited. */
export function checkUpdate(input: unknown, mode: UpdateMode, options: CheckOptions = {}): Fault[] {
  return checkRoute(input, (route) => [...refuseStart(route), ...CHECK_MODE[mode](route, options)])
}

/** What a new route must not have, and one that is there may: nobody sees a blank at the end of a name. */
function checkNew(route: JsonObject): Fault[] {
  const isRead = isRouteAsRead(route)
  const names: Array<[path: string, name: unknown]> = [
    ['name', own(route, 'name')],
    ...itemsIn(own(route, 'destinations')).map((one, index): [string, unknown] => [
      `destinations[${index}].name`,
      own(one, 'name'),
    ]),
  ]
  const blanks = names.filter(([, name]) => isText(name) && name !== name.trim())
  return [
    ...(isRead ? [] : blanks.map(([path]): Fault => ({ path, kind: 'blanks' }))),
    ...doubtsOfRoute(route, undefined, isRead).faults,
  ]
}

const CHECK_MODE: Record<UpdateMode, (route: JsonObject, options: CheckOptions) => Fault[]> = {
  keep(route, options) {
    const given = PARTS.filter((name) => own(route, name) !== undefined)
    if (given.length === 0) return [{ path: '', kind: 'nothingGiven' }]
    return given.flatMap((name) => CHECK_PART[name](route, options))
  },
  replace: (route, options) => [
    ...checkName(route, options),
    ...checkSource(route, options),
    ...(own(route, 'destinations') !== undefined ? checkDestinations(route, options) : []),
  ],
  merge: (route, options) => [
    ...(own(route, 'name') !== undefined ? checkName(route, options) : []),
    ...(own(route, 'source') !== undefined ? checkSource(route, options, checkPatch) : []),
    ...checkDestinationPatches(own(route, 'destinations'), options),
  ],
}

export const PARTS = ['name', 'source', 'destinations'] as const
const CHECK_PART = { name: checkName, source: checkSource, destinations: checkDestinations }

function checkRoute(input: unknown, inside: (route: JsonObject) => Fault[]): Fault[] {
  if (!isObject(input)) return [notARoute(input, '')]
  const faults = [
    ...checkNames(input),
    ...refuseState(input),
    ...inside(input),
    ...findVariables(input).map((path): Fault => ({ path, kind: 'variable' })),
  ]
  // Joined texts are checked path by path, which would report a fault once for each path.
  return [...new Map(faults.map((each) => [JSON.stringify(each), each])).values()]
}

const checkNames = (route: JsonObject): Fault[] =>
  isRouteAsRead(route) ? [] : otherNames(route).map(refusedName)

const otherNames = (route: JsonObject): string[] =>
  Object.keys(route).filter((name) => !ROUTE_NAMES.has(name))

const refusedName = (name: string): Fault => ({ path: pathTo('', name), ...suggestion(name) })

/** True for a Route as read with fields that only the present route can explain. */
export const hasNewerFields = (route: JsonObject): boolean =>
  isRouteAsRead(route) && otherNames(route).length > 0

/** What newer firmware returns, a Route as read may have: the present route has it, too. */
export const inventedFields = (route: JsonObject, present: object): Fault[] =>
  isRouteAsRead(route)
    ? otherNames(route)
        .filter((name) => !Object.hasOwn(present, name))
        .map(refusedName)
    : []

// Written by hand, a state is a wish, and must not be ignored silently.
function refuseState(route: JsonObject): Fault[] {
  const state = own(route, 'state')
  if (!isGiven(state) || state === '' || isRouteAsRead(route)) return []
  return [{ path: 'state', kind: 'state' }]
}

// In a Route as read, an earlier step of the flow has put it there, and it is harmless.
function refuseStart(route: JsonObject): Fault[] {
  if (!isGiven(own(route, 'startRoute')) || isRouteAsRead(route)) return []
  return [{ path: 'startRoute', kind: 'startRoute' }]
}

function checkName(route: JsonObject, { validate = true }: CheckOptions): Fault[] {
  const name = own(route, 'name')
  if (!isText(name)) return [faultOf(ROUTE.name, name, 'name')]
  return validate ? checkValue(ROUTE.name, name, () => 'name') : []
}

function checkSource(
  route: JsonObject,
  { validate = true }: CheckOptions,
  check: CheckOne = checkPart,
): Fault[] {
  const source = own(route, 'source')
  if (!isObject(source)) return [notAnObject('source', source)]
  return validate ? check('source', source, 'source') : []
}

type CheckOne = (direction: Direction, part: JsonObject, path: string) => Fault[]

function checkDestinations(route: JsonObject, options: CheckOptions): Fault[] {
  const destinations = own(route, 'destinations')
  if (Array.isArray(destinations)) return checkEach(destinations, options, checkPart)
  return [unfit('destinations', givenAs(destinations), { kind: 'destinations' })]
}

function checkEach(
  destinations: readonly unknown[],
  { validate = true }: CheckOptions,
  check: CheckOne,
  saysWhich: (destination: JsonObject) => boolean = () => true,
): Fault[] {
  // Holes in the list must be found too.
  const problems = Array.from<unknown>(destinations).flatMap((destination, index): Fault[] => {
    const path = `destinations[${index}]`
    if (!isObject(destination)) return [notAnObject(path, destination)]
    const faults = validate ? check('destination', destination, path) : []
    return saysWhich(destination) ? faults : [{ path, kind: 'whichDestination' }, ...faults]
  })
  return validate ? [...problems, ...checkRepeats(destinations)] : problems
}

function checkDestinationPatches(destinations: unknown, options: CheckOptions): Fault[] {
  if (!isGiven(destinations)) return []
  if (Array.isArray(destinations)) {
    return checkEach(
      destinations,
      options,
      checkPatch,
      (patch) => isText(own(patch, 'id')) || isText(own(patch, 'name')),
    )
  }
  if (isObject(destinations)) {
    return membersIn(destinations).flatMap(([key, patch]) => {
      const path = pathTo('destinations', key)
      if (patch === null) return []
      if (!isObject(patch)) return [notAnObject(path, patch)]
      return options.validate === false ? [] : checkPatch('destination', patch, path)
    })
  }
  return [unfit('destinations', givenAs(destinations), { kind: 'destinationPatches' })]
}

/** Returns every fault of a whole source or destination, in read or sent form. */
export function checkPart(direction: Direction, part: JsonObject, path: string): Fault[] {
  const sent = partToSent(direction, part)
  return [...membersOf(direction, sent.protocol)].flatMap(([name, member]) => {
    const at = (below: string) => pathAsGiven(direction, part, path, name, below)
    return checkMember(member, own(sent, name), sent, at)
  })
}

/** Faults of a member of a whole part or path; `at` says where the user wrote it. */
function checkMember(member: Member, value: unknown, whole: JsonObject, at: PathTo): Fault[] {
  const isMissing = !isGiven(value) || value === '' || (member.of && !hasPaths(value))
  const isFault = isMissing && member.required?.(whole)
  return isFault ? [faultOf(member, value, at(''))] : checkValue(member, value, at)
}

type PathTo = (below: string) => string

/**
 * Returns every fault of some members of a part. `context` is the whole part, where that is known;
 * without it a value passes when one of the protocols accepts it.
 */
export function checkPatch(
  direction: Direction,
  patch: JsonObject,
  path: string,
  context: JsonObject = patch,
): Fault[] {
  const protocol = protocolOf(direction, context) ?? (isRedundant(context) ? 'srt' : undefined)
  const isKnown = PROTOCOLS[direction].some((known) => known === protocol)
  const sent = isKnown ? partToSent(direction, patch, { ...context, protocol }) : patch
  const members = isKnown ? membersOf(direction, protocol) : anyMembersOf(direction)
  return membersIn(sent).flatMap(([name, value]) => {
    const member = members.get(name)
    if (!member || (!isKnown && (member.sentAs || member.readOnly))) return []
    const at = (below = '') => pathAsGiven(direction, patch, path, name, below)
    if (value === null && LASTING.has(name)) return [{ path: at(), kind: 'lasting' }]
    return checkValue(member, value, at)
  })
}

/** The path at which the user wrote the member that is called `name` in sent form. */
function pathAsGiven(
  direction: Direction,
  part: JsonObject,
  path: string,
  name: string,
  below = '',
): string {
  if (name === 'srtNetworkBondingParams' && below && !hasPaths(own(part, name)))
    return path + below.replace(/^\[\d+\]/, '')
  if (Object.hasOwn(part, name)) return pathTo(path, name) + below
  const members = anyMembersOf(direction)
  const given = Object.keys(part).find((key) => members.get(key)?.sentAs === name)
  return pathTo(path, given ?? name) + below
}

function checkRepeats(destinations: readonly unknown[]): Fault[] {
  return ['id', 'name'].flatMap((name) => {
    const first = new Map<string, number>()
    return destinations.flatMap((destination, index) => {
      const value = own(destination, name)
      if (!isText(value)) return []
      const key = name === 'id' ? normalizeId(value) : value
      const other = seenAt(first, key, index)
      // Destinations with the same name differ by their IDs, as on the appliance.
      const [id, otherId] = [destination, destinations[other ?? index]].map((one) => own(one, 'id'))
      const areTold = isText(id) && isText(otherId) && !isSameId(id, otherId)
      if (other === undefined || areTold) return []
      const path = `destinations[${index}].${name}`
      const place = { other: `destinations[${other}]`, row: other + 1 }
      return [{ path, kind: 'repeated' as const, member: name, ...place }]
    })
  })
}

function checkValue(member: Member, value: unknown, at: PathTo): Fault[] {
  if (!isGiven(value) || IS_FINE[member.kind](member, value)) {
    return member.of && Array.isArray(value) ? checkList(member.of, value, at) : []
  }
  return [faultOf(member, value, at(''))]
}

function checkList(of: Members, items: readonly unknown[], at: PathTo): Fault[] {
  return items.flatMap((item, index) => {
    if (!isObject(item)) return [notAnObject(at(`[${index}]`), item)]
    return Object.entries(of).flatMap(([name, member]) => {
      const path = at(`[${index}].${name}`)
      return checkMember(member, own(item, name), item, () => path)
    })
  })
}

const IS_FINE: Record<Member['kind'], (member: Member, value: unknown) => boolean> = {
  boolean: (_, value) => typeof value === 'boolean' || isBooleanText(value),
  list: (_, value) => Array.isArray(value) || value === '',
  choice: (member, value) =>
    value === '' ? !member.required : spellingOf(member, value) !== undefined,
  number(member, value) {
    if (member.asText && isNumeric(value)) return isInRange(member, Number(value))
    if (member.asText && value === '') return true
    return typeof value === 'number' && Number.isFinite(value) && isInRange(member, value)
  },
  text(member, value) {
    if (typeof value !== 'string') return false
    const passes = (value === '' && member.mayBeEmpty) || (member.secret && isMasked(value))
    return passes || isInRange(member, value.length)
  },
}

function isInRange({ min = -Infinity, max = Infinity, whole }: Member, value: number): boolean {
  return value >= min && value <= max && (!whole || Number.isInteger(value))
}

export function faultOf(member: Member, value: unknown, path: string): Fault {
  return unfit(
    path,
    isGiven(value) ? shown(member, value) : givenAs(value),
    WANTED[member.kind](member),
  )
}

export const notARoute = (value: unknown, path: string): Fault =>
  unfit(path, givenAs(value), { kind: 'route' })

const notAnObject = (path: string, value: unknown): Fault =>
  unfit(path, givenAs(value), { kind: 'object' })

const unfit = (path: string, given: Given, wanted: Wanted): Fault => ({
  path,
  kind: NOTHING.has(given.kind) ? 'missing' : 'wrong',
  given,
  wanted,
})

const NOTHING: ReadonlySet<string> = new Set(['missing', 'null', 'empty', 'emptyList'])

function shown(member: Member, value: unknown): Given {
  if (value === '') return { kind: 'empty' }
  if (member.secret && typeof value === 'number') return { kind: 'hiddenNumber' }
  if (typeof value !== 'string') return givenAs(value)
  if (member.secret) return { kind: 'hiddenText', length: value.length }
  if (member.kind !== 'text') return { kind: 'value', shown: excerpt(value) }
  return { kind: 'longText', shown: excerpt(value), length: value.length }
}

const WANTED: Record<Member['kind'], (member: Member) => Wanted> = {
  boolean: () => ({ kind: 'boolean' }),
  list: ({ of }) => ({ kind: of ? 'paths' : 'list' }),
  choice: ({ oneOf = [] }) => ({ kind: 'choice', choices: oneOf.join(', ') }),
  number({ min: least = 0, max: most, whole }) {
    if (most === undefined) return { kind: 'atLeast', least }
    return { kind: whole ? 'whole' : 'number', least, most }
  },
  text({ min: least = 0, max: most, mayBeEmpty }) {
    if (most === undefined) return { kind: 'text' }
    return { kind: 'length', least, most, orEmpty: mayBeEmpty }
  },
}

function suggestion(name: string): Reason {
  const member = nearest(name, ROUTE_NAMES)
  return member === undefined ? { kind: 'unknown' } : { kind: 'didYouMean', member }
}
