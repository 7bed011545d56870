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
export const diffRoutes = (wanted: RouteFields, present: RouteFields): Difference[] =>
  differencesIn(compareRoutes(wanted, present), false)

/** As {@link diffRoutes}, and with wanted secrets that the appliance masks. */
export function changesFor(wanted: RouteFields, present: RouteFields): Difference[] {
  const found = compareRoutes(wanted, present)
  return [...differencesIn(found, false), ...differencesIn(found, true)]
}

/** True for a wanted secret of which the appliance does not show whether it is there. */
export const cannotBeCompared = ({ path, from }: Difference): boolean =>
  from === undefined && isSecret(path.slice(path.lastIndexOf('.') + 1))

/** Most members are alike. */
const NONE: readonly Found[] = []

interface Found {
  difference: Difference
  /** A wanted secret that the appliance masks: whether it is as wanted is not known. */
  isHidden?: true
}

const differencesIn = (found: readonly Found[], areHidden: boolean): Difference[] =>
  found.filter(({ isHidden = false }) => isHidden === areHidden).map(({ difference }) => difference)

const compareRoutes = (wanted: RouteFields, present: RouteFields): readonly Found[] => [
  ...compare(wanted.name, present.name, 'name', 'name'),
  ...compareMembers(wanted.source, present.source, 'source'),
  ...compareDestinations(wanted.destinations, present.destinations),
]

function compareDestinations(
  wanted: readonly Destination[],
  present: readonly Destination[],
): readonly Found[] {
  const left = new Set(present.keys())
  const find = matcher(present)
  const added: Destination[] = []
  const pairs: [Destination, number][] = []
  // Ids first: a destination that is matched by its id cannot be matched by name as well.
  for (const hasId of [true, false]) {
    for (const destination of wanted.filter(({ id }) => isText(id) === hasId)) {
      const index = find(destination).find((at) => left.has(at))
      if (index === undefined) added.push(destination)
      else {
        left.delete(index)
        pairs.push([destination, index])
      }
    }
  }
  const whole = (at: number, from: unknown, to: unknown): Found => ({
    difference: { path: `destinations[${at}]`, from: hideSecrets(from), to: hideSecrets(to) },
  })
  return [
    ...added.map((one, index) => whole(present.length + index, undefined, one)),
    ...pairs.flatMap(([one, at]) => compareMembers(one, present[at]!, `destinations[${at}]`)),
    ...Array.from(left, (at) => whole(at, present[at], undefined)),
  ]
}

// Serves sources too, which have no further members that are only sent.
const MEMBERS = anyMembersOf('destination')

function compareMembers(wanted: JsonObject, present: JsonObject, path: string): readonly Found[] {
  let found: Found[] | undefined
  for (const [name, value] of membersIn(wanted)) {
    // What is never returned cannot be compared.
    if (value === undefined || MEMBERS.get(name)?.sentOnly) continue
    const more = compare(value, own(present, name), name, pathTo(path, name))
    if (more.length === 0) continue
    found ??= []
    for (const one of more) found.push(one)
  }
  return found ?? NONE
}

function compare(wanted: unknown, present: unknown, name: string, path: string): readonly Found[] {
  if (isSecret(name) && isMasked(present)) {
    if (keepsPresent(wanted, present) || isMasked(wanted)) return NONE
    return [{ difference: { path, from: undefined, to: HIDDEN }, isHidden: true }]
  }
  if (isSame(wanted, present, name)) return NONE
  if (isObject(wanted) && isObject(present)) return compareMembers(wanted, present, path)
  const areLists =
    Array.isArray(wanted) && Array.isArray(present) && wanted.length === present.length
  if (areLists && wanted.some(isNested)) {
    return wanted.flatMap((item, at) => compare(item, present[at], name, `${path}[${at}]`))
  }
  const shown = (value: unknown): unknown => own(hideSecrets({ [name]: value }), name)
  return [{ difference: { path, from: shown(present), to: shown(wanted) } }]
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

export const differs = (wanted: unknown, present: unknown, name: string): boolean =>
  compare(wanted, present, name, '').some(({ isHidden }) => !isHidden)

/** The same, and true for a wanted secret that the appliance masks. */
export const mayDiffer = (wanted: unknown, present: unknown, name: string): boolean =>
  compare(wanted, present, name, '').length > 0

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
