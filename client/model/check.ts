import type { Problem } from '../errors'
import { isGiven, isObject, isText, membersIn, own, pathTo } from './json'
import type { JsonObject } from './json'
import {
  anyMembersOf,
  hasPaths,
  isRedundant,
  membersOf,
  PROTOCOLS,
  ROUTE,
  ROUTE_NAMES,
  spellingOf,
} from './members'
import type { Direction, Member, Members } from './members'
import { isBooleanText, isNumeric, partToSent, protocolOf } from './convert'
import { isSameId, plainId } from './ids'
import { findVariables, isMasked } from './secrets'

/** `validate: false` leaves all inside source and destinations to the appliance (design 2.3). */
export interface CheckOptions {
  validate?: boolean
}

/** How an update treats what it is not given (design 2.3). */
export type UpdateMode = 'keep' | 'merge' | 'replace'

/** Every fault of a route to create, given as sent or as read (design 2.3, facts 4.3 and 5). */
export function checkCreate(input: unknown, options: CheckOptions = {}): Problem[] {
  return checkRoute(input, (route) => [
    ...checkStart(route),
    ...checkName(route, options),
    ...checkSource(route, options),
    ...(isGiven(own(route, 'destinations')) ? checkDestinations(route, options) : []),
  ])
}

/** Every fault of an update in this mode, given as sent or as a Route read and edited (design 2.3, facts 4.4 and 5). */
export function checkUpdate(
  input: unknown,
  mode: UpdateMode,
  options: CheckOptions = {},
): Problem[] {
  return checkRoute(input, (route) => [...refuseStart(route), ...CHECK_MODE[mode](route, options)])
}

const CHECK_MODE: Record<UpdateMode, (route: JsonObject, options: CheckOptions) => Problem[]> = {
  keep(route, options) {
    const given = PARTS.filter((name) => own(route, name) !== undefined)
    if (given.length === 0) return [{ path: '', problem: NOTHING_GIVEN }]
    return given.flatMap((name) => CHECK_PART[name](route, options))
  },
  replace: (route, options) => [
    ...checkName(route, options),
    ...checkSource(route, options),
    ...(own(route, 'destinations') !== undefined ? checkDestinations(route, options) : []),
  ],
  merge: (route, options) => [
    ...(own(route, 'name') !== undefined ? checkName(route, options) : []),
    ...checkSourcePatch(route, options),
    ...checkDestinationPatches(own(route, 'destinations'), options),
  ],
}

const PARTS = ['name', 'source', 'destinations'] as const
const CHECK_PART = { name: checkName, source: checkSource, destinations: checkDestinations }
const NOTHING_GIVEN = 'has none of name, source and destinations; give at least one of them'

function checkRoute(input: unknown, inside: (route: JsonObject) => Problem[]): Problem[] {
  if (!isObject(input)) {
    const problem = `is ${sortOf(input)}; it must be an object with name, source and destinations`
    return [{ path: '', problem }]
  }
  const problems = [
    ...checkNames(input),
    ...refuseState(input),
    ...inside(input),
    ...refuseVariables(input),
  ]
  // Joined texts are checked path by path, and would be reported as often.
  return [...new Map(problems.map((one) => [`${one.path} ${one.problem}`, one])).values()]
}

function checkNames(route: JsonObject): Problem[] {
  return Object.keys(route)
    .filter((name) => !ROUTE_NAMES.has(name))
    .map((name) => ({ path: pathTo('', name), problem: `is not known here; ${suggestion(name)}` }))
}

function checkStart(route: JsonObject): Problem[] {
  return faultsOf(ROUTE.startRoute, own(route, 'startRoute'), 'startRoute')
}

/** True for a Route as read: beside its state it has what only the appliance can have given. */
function isAsRead(route: JsonObject): boolean {
  const destinations = own(route, 'destinations')
  const has = (part: unknown, names: readonly string[]): boolean =>
    names.some((name) => isGiven(own(part, name)))
  return (
    has(route, ONLY_READ) ||
    has(own(route, 'source'), ['id', ...ONLY_READ_OF_PARTS]) ||
    (Array.isArray(destinations) && destinations.some((one) => has(one, ONLY_READ_OF_PARTS)))
  )
}

const ONLY_READ_OF_PARTS = ['state', 'started', 'summaryStatusCode']

const ONLY_READ = [
  'elapsedTime',
  'pendingUpdates',
  'hasPendingDelete',
  'summaryStatusCode',
  'summaryStatusDetails',
  'createdAt',
  'lastUpdateAt',
]

// Written by hand it is a wish, and is not to be ignored in silence.
function refuseState(route: JsonObject): Problem[] {
  const state = own(route, 'state')
  if (!isGiven(state) || state === '' || isAsRead(route)) return []
  const problem =
    'cannot be set by a definition; use startRoute for a new route, control route for an existing one, or the wanted state of ensure route'
  return [{ path: 'state', problem }]
}

function refuseVariables(route: JsonObject): Problem[] {
  const problem =
    'contains ${…}, which is not replaced here and would be sent as the secret itself; give the secret'
  return findVariables(route).map((path) => ({ path, problem }))
}

// In a Route as read it was put there by an earlier step of the flow, and is harmless.
function refuseStart(route: JsonObject): Problem[] {
  if (!isGiven(own(route, 'startRoute')) || isAsRead(route)) return []
  const problem = 'is for creating a route only; start or stop an existing route by its own command'
  return [{ path: 'startRoute', problem }]
}

function checkName(route: JsonObject, { validate = true }: CheckOptions): Problem[] {
  const member = ROUTE.name
  const name = own(route, 'name')
  if (!isText(name)) return [{ path: 'name', problem: fault(member, name) }]
  return validate ? faultsOf(member, name, 'name') : []
}

function checkSource(route: JsonObject, { validate = true }: CheckOptions): Problem[] {
  const source = own(route, 'source')
  if (!isObject(source)) return [notAnObject('source', source)]
  return validate ? checkPart('source', source, 'source') : []
}

function checkDestinations(route: JsonObject, { validate = true }: CheckOptions): Problem[] {
  const destinations = own(route, 'destinations')
  if (!Array.isArray(destinations)) {
    const problem = `is ${sortOf(destinations)}; it must be a list of objects ([] for no destinations)`
    return [{ path: 'destinations', problem }]
  }
  // A hole in the list is to be found too.
  const problems = Array.from<unknown>(destinations).flatMap((destination, index) => {
    const path = `destinations[${index}]`
    if (!isObject(destination)) return [notAnObject(path, destination)]
    return validate ? checkPart('destination', destination, path) : []
  })
  return validate ? [...problems, ...checkRepeats(destinations)] : problems
}

function checkSourcePatch(route: JsonObject, { validate = true }: CheckOptions): Problem[] {
  const source = own(route, 'source')
  if (source === undefined) return []
  if (!isObject(source)) return [notAnObject('source', source)]
  return validate ? checkPatch('source', source, 'source') : []
}

function checkDestinationPatches(
  destinations: unknown,
  { validate = true }: CheckOptions,
): Problem[] {
  if (!isGiven(destinations)) return []
  if (Array.isArray(destinations)) {
    const problems = Array.from<unknown>(destinations).flatMap((patch, index) => {
      const path = `destinations[${index}]`
      if (!isObject(patch)) return [notAnObject(path, patch)]
      return [
        ...(isText(own(patch, 'id')) || isText(own(patch, 'name'))
          ? []
          : [{ path, problem: NO_IDENTITY }]),
        ...(validate ? checkPatch('destination', patch, path) : []),
      ]
    })
    return validate ? [...problems, ...checkRepeats(destinations)] : problems
  }
  if (isObject(destinations)) {
    return membersIn(destinations).flatMap(([key, patch]) => {
      const path = pathTo('destinations', key)
      if (patch === null) return []
      if (!isObject(patch)) return [notAnObject(path, patch)]
      return validate ? checkPatch('destination', patch, path) : []
    })
  }
  const problem = `is ${sortOf(destinations)}; it must be a list of objects, or an object with one member per destination`
  return [{ path: 'destinations', problem }]
}

/** The sentence for a destination of a merge that cannot be found. */
export const NO_IDENTITY = 'has neither id nor name; one of them tells which destination is meant'

/** Every fault of a whole source or destination at this JSON path, in read or in sent form (facts 5.2, 5.3). */
export function checkPart(direction: Direction, part: JsonObject, path: string): Problem[] {
  const sent = partToSent(direction, part)
  return [...membersOf(direction, sent.protocol)].flatMap(([name, member]) => {
    const value = own(sent, name)
    const isMissing = !isGiven(value) || value === '' || (member.of && !hasPaths(value))
    if (isMissing && member.required?.(sent))
      return [{ path: pathAsGiven(direction, part, path, name), problem: fault(member, value) }]
    return faultsOf(member, value, path, (below) => pathAsGiven(direction, part, path, name, below))
  })
}

/**
 * Every fault of some members of a source or destination. `context` is the
 * whole it belongs to where that is known; without it a value passes when one
 * of the protocols takes it.
 */
export function checkPatch(
  direction: Direction,
  patch: JsonObject,
  path: string,
  context: JsonObject = patch,
): Problem[] {
  const protocol = protocolOf(direction, context) ?? (isRedundant(context) ? 'srt' : undefined)
  const isKnown = PROTOCOLS[direction].some((known) => known === protocol)
  const sent = isKnown ? partToSent(direction, patch, { ...context, protocol }) : patch
  const members = isKnown ? membersOf(direction, protocol) : anyMembersOf(direction)
  return membersIn(sent).flatMap(([name, value]) => {
    const member = members.get(name)
    if (!member || (!isKnown && (member.sentAs || member.readOnly))) return []
    const at = (below = '') => pathAsGiven(direction, patch, path, name, below)
    if (value === null && LASTING.has(name))
      return [{ path: at(), problem: 'is null; this member cannot be removed' }]
    return faultsOf(member, value, path, at)
  })
}

const LASTING: ReadonlySet<string> = new Set(['id', 'name', 'protocol'])

/** Where the user wrote what stands at `name` in the sent form. */
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

function checkRepeats(destinations: readonly unknown[]): Problem[] {
  return ['id', 'name'].flatMap((name) => {
    const first = new Map<string, number>()
    return destinations.flatMap((destination, index) => {
      const value = own(destination, name)
      if (!isText(value)) return []
      const key = name === 'id' ? plainId(value) : value
      const other = first.get(key)
      if (other === undefined) first.set(key, index)
      // An appliance that has two of one name tells them by their ids, and so can we.
      const [id, otherId] = [destination, destinations[other ?? index]].map((one) => own(one, 'id'))
      const areTold = isText(id) && isText(otherId) && !isSameId(id, otherId)
      if (other === undefined || areTold) return []
      const problem = `is the ${name} of destinations[${other}] too; each destination has its own`
      return [{ path: `destinations[${index}].${name}`, problem }]
    })
  })
}

/** Faults of one value; `at` says where the user wrote it. */
function faultsOf(
  member: Member,
  value: unknown,
  path: string,
  at: (below: string) => string = () => path,
): Problem[] {
  if (!isGiven(value) || IS_FINE[member.kind](member, value)) {
    return member.of && Array.isArray(value) ? checkList(member.of, value, at) : []
  }
  return [{ path: at(''), problem: fault(member, value) }]
}

function checkList(
  of: Members,
  items: readonly unknown[],
  at: (below: string) => string,
): Problem[] {
  return items.flatMap((item, index) => {
    if (!isObject(item)) return [notAnObject(at(`[${index}]`), item)]
    return Object.entries(of).flatMap(([name, member]) => {
      const value = own(item, name)
      const path = at(`[${index}].${name}`)
      if ((!isGiven(value) || value === '') && member.required?.(item))
        return [{ path, problem: fault(member, value) }]
      return faultsOf(member, value, path)
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

/** What is wrong and what is expected, in a sentence without secrets. */
function fault(member: Member, value: unknown): string {
  return `is ${isGiven(value) ? shown(member, value) : sortOf(value)}; it must be ${EXPECTED[member.kind](member)}`
}

function shown(member: Member, value: unknown): string {
  if (value === '') return 'empty'
  if (member.secret && typeof value === 'number') return 'a number'
  if (typeof value !== 'string') return sortOf(value)
  if (member.secret) return `text of ${value.length} characters`
  if (member.kind === 'text') return `${excerpt(value)} (${value.length} characters)`
  return excerpt(value)
}

const excerpt = (value: string) =>
  JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)

const EXPECTED: Record<Member['kind'], (member: Member) => string> = {
  boolean: () => 'true or false',
  list: ({ of }) => (of ? 'a list of objects, one for each path' : 'a list'),
  choice: ({ oneOf = [] }) => `one of ${oneOf.join(', ')}`,
  number: (member) => `${member.whole ? 'a whole number' : 'a number'}${range(member)}`,
  text({ min, max, mayBeEmpty }) {
    const length = max === undefined ? '' : ` of ${min ?? 0} to ${max} characters`
    return `text${length}${mayBeEmpty ? ', or empty' : ''}`
  },
}

function range({ min, max }: Member): string {
  if (max !== undefined) return ` from ${min ?? 0} to ${max}`
  return min === undefined ? '' : ` of at least ${min}`
}

function notAnObject(path: string, value: unknown): Problem {
  return { path, problem: `is ${sortOf(value)}; it must be an object` }
}

/** What sort of thing came, in words: never the content of a text. */
function sortOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isObject(value)) return 'an object'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
    case 'boolean':
    case 'bigint':
      return excerpt(String(value)).slice(1, -1)
    case 'object':
      return 'no plain object'
    default:
      return `a ${typeof value}`
  }
}

function suggestion(name: string): string {
  const near = [...ROUTE_NAMES]
    .map((other) => ({ other, distance: name.length > 30 ? Infinity : distance(name, other) }))
    .sort((a, b) => a.distance - b.distance)[0]
  const isNear = near && near.distance < name.length && near.distance <= near.other.length / 2
  if (isNear) return `did you mean ${near.other}?`
  return 'a route has name, source and destinations'
}

/** Number of letters to add, drop or change to get from one name to the other, without regard to case. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of from.toLowerCase().split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of to.toLowerCase().split('').entries()) {
      next.push(Math.min(row[j]! + (letter === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
