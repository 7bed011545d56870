import type { Destination, RouteFields } from './types'
import { isEmpty, isNone, isObject, isText, membersIn, own, pathTo, type JsonObject } from './json'
import { anyMembersOf } from './members'
import { isNumeric } from './convert'
import { HIDDEN, hideSecrets, isMasked, isSecret, keepsPresent } from './secrets'
import { isSameId, matcher } from './ids'

/** One value that differs between two routes. */
export interface Difference {
  path: string
  from: unknown
  to: unknown
}

/**
 * What has to change in `present` to match all that `wanted` gives, both in sent form. Spelling, the
 * order of destinations and masked secrets do not count. Paths count destinations as in `present`, new
 * ones after its last; secrets are hidden.
 */
export function diffRoutes(wanted: RouteFields, present: RouteFields): Difference[] {
  return comparison(wanted, present).differences
}

interface Comparison {
  differences: Difference[]
  /** Wanted secrets that the appliance masks: whether they are as wanted is not known. */
  masked: Difference[]
}

/** As {@link diffRoutes}, and with wanted secrets that the appliance masks. */
export function changesFor(wanted: RouteFields, present: RouteFields): Difference[] {
  const { differences, masked } = comparison(wanted, present)
  return [...differences, ...masked]
}

/** True for a wanted secret of which the appliance does not show whether it is there. */
export const cannotBeCompared = ({ path, from }: Difference): boolean =>
  from === undefined && isSecret(path.slice(path.lastIndexOf('.') + 1))

function comparison(wanted: RouteFields, present: RouteFields): Comparison {
  const found: Comparison = { differences: [], masked: [] }
  compare(wanted.name, present.name, 'name', 'name', found)
  compareMembers(wanted.source, present.source, 'source', found)
  if (wanted.destinations) {
    compareDestinations(wanted.destinations, present.destinations ?? [], found)
  }
  return found
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
        differences.push({ path, from: undefined, to: hideSecrets(destination) })
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
    const from = hideSecrets(present[index])
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
    if (!keepsPresent(wanted, present) && !isMasked(wanted)) {
      found.masked.push({ path, from: undefined, to: HIDDEN })
    }
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
      from: own(hideSecrets(from), name),
      to: own(hideSecrets(to), name),
    })
  }
}

/** A part may be called "none". */
const isNothing = (value: unknown, name: string): boolean =>
  isEmpty(value) || (name !== 'name' && isNone(value))

/**
 * True when each value that an update changes is as sent or has left its former value: others may change
 * by themselves. All in sent form; without `before`, each value has to be as sent.
 */
export function showsUpdate(
  sent: RouteFields,
  before: RouteFields | undefined,
  now: RouteFields,
): boolean {
  const [find, findNow] = [matcher(before?.destinations ?? []), matcher(now.destinations)]
  const left = new Set(now.destinations.keys())
  const shown = sent.destinations.every((destination) => {
    const present = findNow(destination).find((at) => left.has(at))
    const [former] = find(destination)
    // A new one has to be there; one that was there may have been removed since.
    if (present === undefined) return former !== undefined
    left.delete(present)
    const was = former === undefined ? undefined : before!.destinations[former]
    return (was === undefined && before) || showsPart(destination, was, now.destinations[present]!)
  })
  const isOfOthers = (at: number): boolean =>
    before !== undefined && find(now.destinations[at]).length === 0
  return (
    shown &&
    [...left].every(isOfOthers) &&
    showsPart(sent.source, before?.source, now.source) &&
    showsPart({ name: sent.name }, before && { name: before.name }, { name: now.name })
  )
}

function showsPart(sent: JsonObject, before: JsonObject | undefined, now: JsonObject): boolean {
  return membersIn(sent).every(([name, value]) => {
    if (value === undefined || MEMBERS.get(name)?.sentOnly) return true
    const [was, is] = [own(before, name), own(now, name)]
    if (isSecret(name) && (is === undefined || isMasked(is))) return true
    const hasLeft = before !== undefined && differs(was, is, name)
    return (
      hasLeft || !differs(value, is, name) || (before !== undefined && !differs(value, was, name))
    )
  })
}

export function differs(wanted: unknown, present: unknown, name: string): boolean {
  const found: Comparison = { differences: [], masked: [] }
  compare(wanted, present, name, '', found)
  return found.differences.length > 0
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

function isSame(wanted: unknown, present: unknown, name: string): boolean {
  if (isNothing(wanted, name) && isNothing(present, name)) return true
  if (keepsPresent(wanted, present)) return true
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
