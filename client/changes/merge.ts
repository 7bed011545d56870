import type { Destination, Route, RouteFields, RoutePatch, Source } from '../model/types'
import type { Fault } from '../model/faults'
import {
  isEmpty,
  isGiven,
  isObject,
  isText,
  itemsIn,
  membersIn,
  own,
  pathTo,
  type JsonObject,
} from '../model/json'
import { hasPaths, isRedundant, LASTING, membersOf, PLACE, type Direction } from '../model/members'
import { partToSent, protocolOf, toSent, withAddress } from '../model/convert'
import {
  checkPart,
  checkPatch,
  hasNewerFields,
  PARTS,
  type CheckOptions,
  type UpdateMode,
} from '../model/check'
import { findHidden, keepHidden, restored, withoutMasks } from '../model/secrets'
import { differs } from '../model/diff'
import { isSameId, isUuid, matcher, normalizeId } from '../model/ids'

/** What an update will send, and the problems found. With any problem nothing may be sent. */
export interface Plan {
  fields: RouteFields
  problems: Fault[]
}

/** True when an update cannot be planned without the present route, which is then read first. */
export function needsPresent(patch: RoutePatch, mode: UpdateMode): boolean {
  if (mode === 'merge' || hasNewerFields(patch)) return true
  if (PARTS.some((name) => findHidden(own(patch, name)).length > 0)) return true
  const { source, destinations } = toSent(patch as Route)
  const parts = isGiven(own(patch, 'source')) ? [source, ...destinations] : destinations
  if (parts.some(takesOver)) return true
  return mode === 'keep' && !PARTS.every((name) => isGiven(own(patch, name)))
}

/** Whether an update says itself what becomes of a destination, by its name. */
export function decidesOn(patch: RoutePatch, mode: UpdateMode): (one: Destination) => boolean {
  const given = own(patch, 'destinations')
  if (mode !== 'merge') return () => mode === 'replace' || isGiven(given)
  if (given === null) return () => true
  const named = Array.isArray(given)
    ? given.map((one) => own(one, 'name'))
    : membersIn(isObject(given) ? given : {}).flatMap(([key, one]) => [key, own(one, 'name')])
  return ({ name }) => named.includes(name)
}

/** True for a part that lacks what an update must carry, or whose id may be spelled differently. */
function takesOver(part: Source | Destination): boolean {
  return !isText(part.id) || part.id !== normalizeId(part.id) || withAddress(part) !== part
}

/** Mode `keep`: what the patch gives is sent as given, with the present IDs; what it leaves out stays. */
export function planKeep(patch: RoutePatch, present?: Route): Plan {
  const before = present && toSent(present)
  const given = Object.fromEntries(PARTS.map((name) => [name, own(patch, name) ?? before?.[name]]))
  const missing = before ? [] : PARTS.filter((name) => !isGiven(own(patch, name)))
  const { fields, problems } = planReplace(given, present)
  return {
    fields,
    problems: [...missing.map((path): Fault => ({ path, kind: 'notRead' })), ...problems],
  }
}

/**
 * Mode `replace`: exactly what the patch gives. An update has to carry the IDs of source and destinations
 * that stay: those that the patch leaves out are taken from the present route, by name.
 */
export function planReplace(patch: RoutePatch, present?: Route): Plan {
  const { name, source, destinations } = toSent(patch as Route)
  if (!present) return keepHidden({ name, source, destinations }, present)
  const before = toSent(present)
  const problems: Fault[] = []
  const isOther = isText(source.id) && !isSameId(source.id, before.source.id)
  const fields = {
    name,
    source: isOther ? withAddress(source) : inPlaceOf(source, before.source),
    destinations: inPlaces(destinations, before.destinations, problems),
  }
  const kept = keepHidden(fields, present)
  return { ...kept, problems: [...problems, ...kept.problems] }
}

/** Returns the part with the id, as the appliance spells it, of the part that it replaces. */
function inPlaceOf<Part extends Source | Destination>(part: Part, present: Part): Part {
  const placed = withAddress(part, present)
  return isText(present.id) && placed.id !== present.id ? { ...placed, id: present.id } : placed
}

function inPlaces(
  destinations: Destination[],
  before: Destination[],
  problems: Fault[],
): Destination[] {
  const find = matcher(before)
  // A destination that is matched by its id cannot be matched by name as well.
  const taken = new Set(destinations.filter(({ id }) => isText(id)).flatMap(find))
  return destinations.map((destination, index) => {
    const found = find(destination)
    const isNamed = !isText(destination.id)
    const free = isNamed ? found.filter((at) => !taken.has(at)) : found
    const [at] = free
    if (at === undefined) return withAddress(destination)
    if (isNamed && free.length > 1)
      problems.push(severalFit(`destinations[${index}]`, free, before))
    taken.add(at)
    return inPlaceOf(destination, before[at]!)
  })
}

const severalFit = (path: string, found: readonly number[], before: Destination[]): Fault => ({
  path,
  kind: 'severalFit',
  ids: found.map((at) => String(before[at]?.id)).join(', '),
})

/**
 * Mode `merge`: only what the patch gives changes, at any depth. null removes a destination, or a pass
 * phrase (sent as `''`). Any other member that an update leaves out keeps its value: null is refused.
 */
export function planMerge(patch: RoutePatch, present: Route, options: MergeOptions = {}): Plan {
  const before = toSent(present)
  const { validate = true, pathsAreWhole = false } = options
  const merging: Merging = { problems: [], validate, pathsAreWhole }
  const source = own(patch, 'source')
  const { name } = patch
  const fields: RouteFields = {
    name: isText(name)
      ? (restored(name, before.name, 'name', merging.problems) as string)
      : before.name,
    source: isObject(source)
      ? (mergePart(merging, 'source', before.source, source, 'source') as Source)
      : before.source,
    destinations: mergeDestinations(merging, before.destinations, own(patch, 'destinations')),
  }
  return { fields: withoutMasks(fields), problems: merging.problems }
}

interface MergeOptions extends CheckOptions {
  /** A path has nothing that the patch leaves out: one side of a failover inherits none of the other. */
  pathsAreWhole?: boolean
}

interface Merging extends Required<MergeOptions> {
  problems: Fault[]
}

function mergePart(
  merging: Merging,
  direction: Direction,
  before: JsonObject,
  patch: JsonObject,
  path: string,
): JsonObject {
  const { problems, validate } = merging
  const protocol = isGiven(own(patch, 'protocol')) ? protocolOf(direction, patch) : before.protocol
  const context = { ...before, ...patch, protocol }
  const isOther = protocol !== before.protocol
  const wanted = identified(partToSent(direction, patch, context))
  const base = isOther ? carriedOver(direction, before, protocol) : before

  if (isText(patch.id) && !isSameId(patch.id, before.id)) {
    const kind = direction === 'source' ? 'otherSource' : 'otherDestination'
    problems.push({ path: pathTo(path, 'id'), kind })
  }

  const merged = mergeMembers(merging, base, wanted, path)
  const isSwitched = isRedundant(before) !== isRedundant(merged)
  if (isSwitched && isRedundant(before) && !isGiven(wanted.srtNetworkBondingParams))
    delete merged.srtNetworkBondingParams
  if (protocol === 'srt' && isRedundant(merged) && !hasPaths(wanted.srtNetworkBondingParams))
    problems.push(...refusePlace(wanted, path))

  const sent = partToSent(direction, merged)
  for (const one of lastingNulls(direction, patch, wanted, sent, path)) problems.push(one)
  if (!validate) return sent
  const isNew = isOther || isSwitched
  const faults = isNew
    ? checkPart(direction, sent, path)
    : checkPatch(direction, patch, path, context)
  for (const one of faults) problems.push(one)
  return sent
}

/** The patch without its id, which cannot change, and without an empty name or protocol. */
function identified(wanted: JsonObject): JsonObject {
  return Object.fromEntries(
    membersIn(wanted).filter(
      ([name, value]) => name !== 'id' && (isText(value) || !LASTING.has(name)),
    ),
  )
}

/** What a part keeps when its protocol changes: all but the members that only the old one has. */
function carriedOver(direction: Direction, before: JsonObject, protocol: unknown): JsonObject {
  const old = membersOf(direction, before.protocol)
  const now = membersOf(direction, protocol)
  const kept = membersIn(before).filter(([name]) => !old.has(name) || now.has(name))
  return Object.fromEntries(kept)
}

/** Faults for members that the patch sets to null but that keep a value in `sent`. */
function lastingNulls(
  direction: Direction,
  patch: JsonObject,
  /** The patch in sent form, which has the value of a member with two names. */
  wanted: JsonObject,
  sent: JsonObject,
  path: string,
): Fault[] {
  const members = membersOf(direction, sent.protocol)
  return membersIn(patch).flatMap(([name, value]) => {
    const sentName = members.get(name)?.sentAs ?? name
    if (LASTING.has(name) || (value === null && isGiven(own(wanted, sentName)))) return []
    return nullsOver(value, own(sent, sentName), pathTo(path, name))
  })
}

function nullsOver(wanted: unknown, kept: unknown, path: string): Fault[] {
  if (wanted === null) return isEmpty(kept) ? [] : [{ path, kind: 'notEmptied' }]
  if (Array.isArray(wanted)) {
    const items = itemsIn(kept)
    return wanted.flatMap((item, index) => nullsOver(item, items[index], `${path}[${index}]`))
  }
  if (!isObject(wanted) || !isObject(kept)) return []
  return membersIn(wanted).flatMap(([name, value]) =>
    nullsOver(value, own(kept, name), pathTo(path, name)),
  )
}

/** With redundancy a part has no place of its own: the paths have theirs, and it would be lost. */
function refusePlace(wanted: JsonObject, path: string): Fault[] {
  const placed = PLACE.filter((name) => isText(wanted[name]) || typeof wanted[name] === 'number')
  return placed.map((name) => ({ path: pathTo(path, name), kind: 'redundancy' }))
}

function mergeMembers(
  merging: Merging,
  base: JsonObject,
  wanted: JsonObject,
  path: string,
): JsonObject {
  const merged = new Map(membersIn(base))
  for (const [name, value] of membersIn(wanted)) {
    const present = merged.get(name)
    if (value === null) {
      // There may be one that the appliance does not return.
      const isUntold = present === undefined && base.protocol === 'srt'
      if (name === 'srtPassPhrase' && (isGiven(present) || isUntold)) merged.set(name, '')
    } else if (isObject(value)) {
      const under = isObject(present) ? present : {}
      merged.set(name, mergeMembers(merging, under, value, pathTo(path, name)))
    } else if (PATH_LISTS.has(name) && Array.isArray(value) && !merging.pathsAreWhole) {
      merged.set(name, mergePaths(merging, itemsIn(present), value, pathTo(path, name)))
    } else if (value !== undefined) {
      const kept = restored(value, present, pathTo(path, name), merging.problems, name)
      if (kept !== undefined) merged.set(name, kept)
    }
  }
  return Object.fromEntries(merged)
}

const PATH_LISTS: ReadonlySet<string> = new Set([
  'srtNetworkBondingParams',
  'rtpNetworkBondingParams',
])

/**
 * The appliance takes a list of paths as a whole: what an item leaves out is that of the path with the
 * same address and port, or else, in a list of the same length, of the next that no other item means.
 */
function mergePaths(
  merging: Merging,
  present: readonly unknown[],
  wanted: readonly unknown[],
  path: string,
): unknown[] {
  const left = new Set(present.keys())
  const take = (at: number | undefined): unknown => {
    if (at === undefined) return undefined
    left.delete(at)
    return present[at]
  }
  const same = wanted.map((one) => take([...left].find((at) => isSamePlace(one, present[at]))))
  return wanted.map((one, index) => {
    const isReplaced = same[index] === undefined && wanted.length === present.length
    const base = isReplaced ? take([...left][0]) : same[index]
    const at = `${path}[${index}]`
    if (!isObject(one)) return restored(one, base, at, merging.problems)
    return mergeMembers(merging, isObject(base) ? base : {}, one, at)
  })
}

const isSamePlace = (one: unknown, other: unknown): boolean =>
  ['address', 'port'].every((name) => !differs(own(one, name), own(other, name), name))

/** One destination that a merge names; `patch` is null to remove it. */
interface DestinationPatch {
  path: string
  found: readonly number[]
  /** Why it cannot be a new one: it was given by id, which must then exist. */
  refusal?: Fault
  patch: JsonObject | null
}

function mergeDestinations(
  merging: Merging,
  before: Destination[],
  patches: unknown,
): Destination[] {
  if (patches === undefined) return before
  if (patches === null) return []
  const { problems } = merging
  const merged = new Map<number, JsonObject>(before.entries())
  const added: JsonObject[] = []
  const namedAt = new Map<number, string>()
  const renamed: { name: unknown; path: string }[] = []

  for (const { path, found, refusal, patch } of destinationPatches(before, patches)) {
    const [index, ...others] = found
    const present = index === undefined ? undefined : before[index]
    if (others.length > 0) {
      problems.push(severalFit(path, found, before))
    } else if (index === undefined || !present) {
      if (refusal) problems.push(refusal)
      if (refusal || patch === null) continue
      const destination = newDestination(merging, patch, path, before)
      added.push(destination)
      renamed.push({ name: destination.name, path })
    } else if (namedAt.has(index)) {
      problems.push({ path, kind: 'sameDestination', other: namedAt.get(index)! })
    } else {
      namedAt.set(index, path)
      if (patch === null) {
        merged.delete(index)
        continue
      }
      const destination = mergePart(merging, 'destination', present, patch, path)
      merged.set(index, destination)
      if (destination.name !== present.name) renamed.push({ name: destination.name, path })
    }
  }

  const destinations = [...merged.values(), ...added] as Destination[]
  const find = matcher(destinations.map(({ name }) => ({ name })))
  for (const { name, path } of renamed) {
    if (find({ name }).length > 1) problems.push({ path: pathTo(path, 'name'), kind: 'sameName' })
  }
  return destinations
}

function destinationPatches(before: Destination[], patches: unknown): DestinationPatch[] {
  const find = matcher(before)
  if (Array.isArray(patches)) {
    return patches.flatMap((patch: unknown, index) => {
      if (!isObject(patch)) return []
      const path = `destinations[${index}]`
      const refusal = isText(patch.id)
        ? { path: `${path}.id`, kind: 'noSuchDestination' as const }
        : isText(patch.name)
          ? undefined
          : { path, kind: 'whichDestination' as const }
      return [{ path, found: find(patch), refusal, patch }]
    })
  }
  if (!isObject(patches)) return []
  return membersIn(patches).flatMap(([key, value]) => {
    if (value !== null && !isObject(value)) return []
    const withId = find({ id: key })
    const found = withId.length > 0 ? withId : find({ name: key })
    const isNew = value && found.length === 0 && !isText(value.name)
    const patch = isNew ? { ...value, name: key } : value
    const path = pathTo('destinations', key)
    // A name of this form is certainly meant as an id.
    const refusal = isUuid(key) ? { path, kind: 'noSuchDestination' as const } : undefined
    return [{ path, found, refusal, patch }]
  })
}

function newDestination(
  merging: Merging,
  patch: JsonObject,
  path: string,
  before: readonly Destination[],
): JsonObject {
  const { problems, validate } = merging
  const given = mergeMembers(merging, {}, partToSent('destination', patch), path)
  const destination = withAddress(given as unknown as Destination)
  const faults = validate ? checkPart('destination', destination, path) : []
  if (faults.length > 0) {
    problems.push({ path, kind: 'incomplete', names: namesOf(before) })
    for (const one of faults) problems.push(one)
  }
  return destination
}

/** The names of up to five destinations, in words. */
function namesOf(destinations: readonly Destination[]): string {
  const names = destinations.slice(0, 5).map((one) => JSON.stringify(String(one.name).slice(0, 60)))
  if (destinations.length > names.length) names.push('…')
  return names.join(', ') || 'none'
}
