import type { Destination, Route, RouteFields } from './types'
import { isEmpty, isObject, isText, membersIn, own, pathTo } from './json'
import type { JsonObject } from './json'
import { anyMembersOf } from './members'
import { isNumeric, toSent } from './convert'
import { HIDDEN, isMasked, isSecret, shownWithoutSecrets } from './secrets'
import { isSameId, matcher } from './ids'

/** One value that differs between two routes. */
export interface Difference {
  path: string
  from: unknown
  to: unknown
}

/**
 * Returns what has to change in `present` to match all that `wanted` gives, both in sent form.
 * Numbers may be text; null, `''`, `[]` and absent are equal; the order of destinations does not
 * count. Destinations of `present` that `wanted` does not have are differences. Paths count
 * destinations as in `present`, new ones after its last; secrets are hidden.
 */
export function diffRoutes(wanted: RouteFields, present: RouteFields): Difference[] {
  return comparison(wanted, present).differences
}

export interface Comparison {
  differences: Difference[]
  /** Paths of secrets that the appliance masks: whether they are as wanted is not known. */
  unverified: string[]
}

/** As {@link diffRoutes}, with what could not be compared. */
export function comparison(wanted: RouteFields, present: RouteFields): Comparison {
  const found: Comparison = { differences: [], unverified: [] }
  compare(wanted.name, present.name, 'name', 'name', found)
  compareMembers(wanted.source, present.source, 'source', found)
  if (wanted.destinations) {
    compareDestinations(wanted.destinations, present.destinations ?? [], found)
  }
  return found
}

/** True when all of `wanted` (sent form) shows in `present` (as read): every member, and exactly its destinations. */
export function covers(present: Route, wanted: RouteFields): boolean {
  return diffRoutes(wanted, toSent(present)).length === 0
}

function compareDestinations(
  wanted: readonly Destination[],
  present: readonly Destination[],
  found: Comparison,
): void {
  const { differences } = found
  const left = new Set(present.keys())
  const find = matcher(present)
  const pairs: [Destination, number][] = []
  let added = present.length
  // Ids first: a destination that is matched by its id cannot be matched by name as well.
  for (const hasId of [true, false]) {
    for (const destination of wanted.filter(({ id }) => isText(id) === hasId)) {
      const index = find(destination).find((at) => left.has(at))
      if (index === undefined) {
        const path = `destinations[${added++}]`
        differences.push({ path, from: undefined, to: shownWithoutSecrets(destination) })
      } else {
        left.delete(index)
        pairs.push([destination, index])
      }
    }
  }
  for (const [destination, index] of pairs) {
    const path = `destinations[${index}]`
    compareMembers(destination, present[index]!, path, found)
  }
  for (const index of left) {
    const from = shownWithoutSecrets(present[index])
    differences.push({ path: `destinations[${index}]`, from, to: undefined })
  }
}

// Serves sources too, which have no further members that are only sent.
const MEMBERS = anyMembersOf('destination')

function compareMembers(
  wanted: JsonObject,
  present: JsonObject,
  path: string,
  found: Comparison,
): void {
  for (const [name, value] of membersIn(wanted ?? {})) {
    // What is never returned cannot be compared.
    if (value === undefined || MEMBERS.get(name)?.sentOnly) continue
    compare(value, own(present, name), name, pathTo(path, name), found)
  }
}

function compare(
  wanted: unknown,
  present: unknown,
  name: string,
  path: string,
  found: Comparison,
): void {
  if (isSecret(name) && isMasked(present)) {
    // It counts as equal, but that is not certain.
    if (wanted !== HIDDEN && !isMasked(wanted)) found.unverified.push(path)
    return
  }
  if (isSame(wanted, present, name)) return
  if (isObject(wanted) && isObject(present)) {
    compareMembers(wanted, present, path, found)
  } else if (
    Array.isArray(wanted) &&
    Array.isArray(present) &&
    wanted.length === present.length &&
    wanted.some(isNested)
  ) {
    for (const [index, item] of wanted.entries())
      compare(item, present[index], name, `${path}[${index}]`, found)
  } else {
    const { from, to } = { from: { [name]: present }, to: { [name]: wanted } }
    found.differences.push({
      path,
      from: own(shownWithoutSecrets(from), name),
      to: own(shownWithoutSecrets(to), name),
    })
  }
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

function isSame(wanted: unknown, present: unknown, name: string): boolean {
  if (isEmpty(wanted) && isEmpty(present)) return true
  if (isSecret(name) && wanted === HIDDEN) return true
  if (wanted === present) return true
  if (name === 'id' && isSameId(wanted, present)) return true
  if (typeof wanted === 'number' && isNumeric(present)) return wanted === Number(present)
  if (typeof present === 'number' && isNumeric(wanted)) return present === Number(wanted)
  return (
    Array.isArray(wanted) &&
    Array.isArray(present) &&
    !wanted.some(isNested) &&
    JSON.stringify(wanted) === JSON.stringify(present)
  )
}
