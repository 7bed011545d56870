// The model of the route form: which fields a definition has, and what an edit makes of it. It
// needs no page.
import { isGiven, isObject, jsonIn, own, type JsonObject } from '../../../client/model/json'
import { partToSent, protocolOf } from '../../../client/model/convert'
import {
  anyMembersOf,
  hasPaths,
  isRedundant,
  membersOf,
  PLACE,
  PROTOCOLS,
  ROUTE,
  spellingOf,
} from '../../../client/model/members'
import type { Direction, Member } from '../../../client/model/members'
import type { UpdateMode } from '../../../client/model/check'
import { matcher } from '../../../client/model/ids'
import { isMasked } from '../../../client/model/secrets'

export interface FormField {
  /** As in the table of members. */
  name: string
  /** Its key in the definition, present or not: a Route as read has other names for some. */
  key: string
  member: Member
  value: unknown
  /** What the route has now, in the form of an update of a known route. */
  present: unknown
  required: boolean
}

/** Fields in the order in which they are shown, the usual ones apart from the rest. */
export interface FormFields {
  first: FormField[]
  more: FormField[]
  /** Members that no field shows. They stay as they are. */
  others: string[]
}

export interface PartUse {
  /** It changes an existing part, and may have only some of its members. */
  partial?: boolean
  /** It makes a new part, which has no ID yet. */
  isNew?: boolean
  /** It is a wanted state, in which commands have no place. */
  isState?: boolean
  /** The part of the route that it changes, in sent form, where that is known. */
  present?: JsonObject
}

/** A part, and the members that were taken out of it because they do not apply now. */
export interface Edited {
  part: JsonObject
  parked: readonly Parked[]
}

interface Parked {
  name: string
  key: string
  value: unknown
  /** The protocol that the part had. */
  protocol: unknown
}

const FIRST = [
  'name',
  'protocol',
  'srtMode',
  'rtmpMode',
  'srtGroupMode',
  ...PLACE,
  'srtNetworkBondingParams',
  'streamName',
  'srtLatency',
  'srtEncryption',
  'srtPassPhrase',
  'username',
  'password',
  'segmentDuration',
]
const LAST = ['labels', 'tags', 'encryption', 'action', 'id']

const ORDER_OF_ROUTE = ['id', ...Object.keys(ROUTE), 'source', 'destinations']

/** The fields of the route itself; except for the name, only those that have a value. */
export function routeFields(route: JsonObject, use: PartUse & { needsName?: boolean }): FormFields {
  const fields = Object.entries<Member>({ ...ROUTE, id: { kind: 'text' } })
    .map(([name, member]) => ({
      name,
      key: name,
      member,
      value: own(route, name),
      present: own(use.present, name),
      required: use.needsName === true,
    }))
    .filter(isPresentable)
    .filter(({ name, value }) => name === 'name' || value !== undefined)
  const shown = [...fields.map(({ key }) => key), ...partsIn(route)]
  return {
    first: fields.filter(({ name }) => name === 'name'),
    more: fields.filter(({ name }) => name !== 'name'),
    others: Object.keys(route).filter((key) => !shown.includes(key)),
  }
}

/** The parts with fields of their own: others only JSON can show. */
const partsIn = (route: JsonObject): string[] => [
  ...(isObject(own(route, 'source')) ? ['source'] : []),
  ...(Array.isArray(own(route, 'destinations')) ? ['destinations'] : []),
]

/** The fields of a source or destination: those that apply, and those that have a value. */
export function partFields(direction: Direction, part: JsonObject, use: PartUse = {}): FormFields {
  const sent = partToSent(direction, part)
  const applying = applyingNames(direction, part, use)
  const { present = {} } = use
  const fields = sendable(direction, part, use)
    .map(([name, member]) => {
      const key = keyOf(direction, part, name)
      const given = own(part, key)
      const value = name === 'protocol' && isGiven(given) ? protocolOf(direction, part) : given
      const required = !use.partial && member.required?.(sent) === true
      return { name, key, member, value, present: own(present, name), required }
    })
    .filter(isPresentable)
    .filter(({ name, value }) => applying.has(name) || value !== undefined)
  return arranged(fields, part)
}

export function pathFields(list: Member, path: JsonObject): FormFields {
  const fields = Object.entries(list.of ?? {})
    .map(([name, member]) => {
      const required = member.required?.(path) === true
      return { name, key: name, member, value: own(path, name), present: undefined, required }
    })
    .filter(isPresentable)
  return arranged(fields, path)
}

const isPresentable = ({ member, value }: FormField) =>
  member.of ? isListOfPaths(value) : textOf(member, value) !== undefined

function isListOfPaths(value: unknown): boolean {
  return !isGiven(value) || value === '' || (Array.isArray(value) && value.every(isObject))
}

function arranged(fields: FormField[], part: JsonObject): FormFields {
  const rank = ({ name }: FormField) =>
    FIRST.includes(name) ? FIRST.indexOf(name) : 100 + LAST.indexOf(name)
  const ordered = [...fields].sort((a, b) => rank(a) - rank(b))
  const keys = new Set(fields.map(({ key }) => key))
  return {
    first: ordered.filter(({ name }) => FIRST.includes(name)),
    more: ordered.filter(({ name }) => !FIRST.includes(name)),
    others: Object.keys(part).filter((key) => !keys.has(key)),
  }
}

/** The part after the change: what it leaves out stays as it is in the route. */
const whole = (part: JsonObject, { present }: PartUse): JsonObject =>
  present ? { ...present, ...part } : part

/** A part that does not name its protocol, and is not known, may belong to any. */
function membersFor(direction: Direction, part: JsonObject, { partial, ...use }: PartUse) {
  const protocol = protocolOf(direction, whole(part, use))
  if (partial && !isGiven(protocol)) return anyMembersOf(direction)
  return membersOf(direction, protocol)
}

/** The key under which the part has the member: its own name, or that of a Route as read. */
function keyOf(direction: Direction, part: JsonObject, name: string): string {
  if (isGiven(own(part, name))) return name
  const protocol = protocolOf(direction, part)
  if (!PROTOCOLS[direction].some((known) => known === protocol)) return name
  const other = [...membersOf(direction, protocol)].find(
    ([key, { sentAs }]) => sentAs === name && Object.hasOwn(part, key),
  )
  return other ? other[0] : name
}

function applyingNames(direction: Direction, part: JsonObject, use: PartUse): Set<string> {
  const sent = partToSent(direction, whole(part, use))
  const isOpen = use.partial === true && !isGiven(protocolOf(direction, whole(part, use)))
  return new Set(
    sendableNames(direction, part, use).filter((name) => {
      const applies = USES[name] ?? (isOpen ? undefined : APPLIES[name])
      return applies === undefined || applies(sent, use)
    }),
  )
}

const sendable = (direction: Direction, part: JsonObject, use: PartUse): [string, Member][] =>
  [...membersFor(direction, part, use)].filter(
    ([, member]) => member.sentAs === undefined && !member.readOnly?.(part),
  )

const sendableNames = (direction: Direction, part: JsonObject, use: PartUse): string[] =>
  sendable(direction, part, use).map(([name]) => name)

type Condition = (sent: JsonObject, use: PartUse) => boolean

/** True when another member has one of these values, or may: a partial part need not contain it. */
const when =
  (name: string, ...values: unknown[]): Condition =>
  (sent, { partial }) => {
    const value = own(sent, name)
    if (!isGiven(value)) return partial === true
    return values.includes(typeof value === 'string' ? value.toLowerCase() : value)
  }

const isCaller = when('srtMode', 'caller')
const usesFec = when('useFec', true)
const withFec: Condition = (sent, use) => isCaller(sent, use) && usesFec(sent, use)
const isPublisher = when('rtmpMode', 'publisher')
const onePlace: Condition = (sent) => !isRedundant(sent) && !isPublisher(sent, {})

/** Members that apply only at times. */
const APPLIES: Record<string, Condition> = {
  address: onePlace,
  port: onePlace,
  networkInterface: onePlace,
  srtGroupMode: (sent) => !when('srtMode', 'rendezvous')(sent, {}),
  srtNetworkBondingParams: isRedundant,
  srtStreamID: isCaller,
  useFec: isCaller,
  srtFecCols: withFec,
  srtFecRows: withFec,
  srtFecLayout: withFec,
  srtFecArq: withFec,
  srtConnectionLimit: when('srtMode', 'listener'),
  rtpReceiverClass: (sent) => hasPaths(own(sent, 'rtpNetworkBondingParams')),
  prompegFecLevel: when('fec', 'prompeg'),
  prompegFecIsBlockAligned: when('fec', 'prompeg'),
  prompegFecColumns: when('fec', 'prompeg'),
  prompegFecRows: when('fec', 'prompeg'),
  segmentsPerKey: when('useEncryption', true),
}

const USES: Record<string, Condition> = {
  id: (_, { isNew }) => !isNew,
  action: (_, { isState }) => !isState,
  // Seen in responses; what it means in a request is not documented.
  encryption: () => false,
}

/** The text in which a field shows a value; undefined when a field cannot show it. */
export function textOf({ kind, of }: Member, value: unknown): string | undefined {
  if (!isGiven(value)) return ''
  if (kind === 'list') {
    if (of) return undefined
    if (value === '') return ''
    const isPlain = Array.isArray(value) && value.every((item) => isListed(item))
    return isPlain ? value.join(', ') : undefined
  }
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

const isListed = (item: unknown): item is string =>
  typeof item === 'string' && item !== '' && item.trim() === item && !item.includes(',')

/** The value that a text in a field stands for; undefined when it is to be left out. */
export function valueOf(member: Member, typed: string, before: unknown): unknown {
  if (typed === textOf(member, before)) return before
  if (typed === '') return member.mayBeEmpty && isMasked(before) ? '' : undefined
  if (member.kind === 'number') {
    return numberOf(typed.trim(), member.asText !== 'converted' && typeof before !== 'number')
  }
  if (member.kind === 'boolean') return typed === 'true' || (typed === 'false' ? false : typed)
  if (member.kind !== 'list') return typed
  const items = typed.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}

/** What is not a number stays as it was typed; the checks report it. */
function numberOf(typed: string, asText: boolean): number | string | undefined {
  if (typed === '') return undefined
  const isNumber = /^-?\d+(\.\d+)?$/.test(typed) && Number.isFinite(Number(typed))
  return isNumber && !asText ? Number(typed) : typed
}

/** A copy with another value for a member, or without it; a new one goes to its place in the order. */
export function withMember(
  object: JsonObject,
  key: string,
  value: unknown,
  order: readonly string[] = ORDER_OF_ROUTE,
): JsonObject {
  const members = Object.entries(object)
  if (value === undefined) return Object.fromEntries(members.filter(([name]) => name !== key))
  if (Object.hasOwn(object, key))
    return Object.fromEntries(members.map(([name, old]) => [name, name === key ? value : old]))
  const later = order.slice(order.indexOf(key) + 1)
  const at = order.includes(key) ? members.findIndex(([name]) => later.includes(name)) : -1
  const added: [string, unknown] = [key, value]
  return Object.fromEntries(
    at < 0 ? [...members, added] : [...members.slice(0, at), added, ...members.slice(at)],
  )
}

/** A part after an edit of one field. What no longer applies is taken out, until it applies again. */
export function edit(
  direction: Direction,
  { part, parked }: Edited,
  { name, key }: Pick<FormField, 'name' | 'key'>,
  value: unknown,
  use: PartUse = {},
): Edited {
  let next = withPart(direction, part, key, value)
  const kept = [...parked]
  const protocol = protocolOf(direction, part)
  const applies = applyingNames(direction, next, use)
  const members = membersFor(direction, next, use)
  const isOther = name === 'protocol'
  // With another protocol all members are examined: one that stayed would be sent as unknown.
  const before = isOther ? sendableNames(direction, part, use) : applyingNames(direction, part, use)
  for (const other of before) {
    const otherKey = keyOf(direction, part, other)
    if (other === name || !Object.hasOwn(next, otherKey)) continue
    if (applies.has(other) && (!isOther || isOffered(members.get(other), next[otherKey]))) continue
    kept.push({ name: other, key: otherKey, value: next[otherKey], protocol })
    next = withPart(direction, next, otherKey, undefined)
  }
  if (isOther && own(next, 'mode') === 'hls') next = withMember(next, 'mode', undefined)
  if (name === 'srtGroupMode' && isRedundant(next)) next = withFirstPath(direction, next, kept)

  const present = protocolOf(direction, next)
  // A member that is put back may make others apply.
  for (;;) {
    const applying = applyingNames(direction, next, use)
    const at = kept.findIndex((one) => {
      if (one.name === name || Object.hasOwn(next, one.key)) return false
      const isBack = one.protocol === present
      return isOther ? isBack : isBack && applying.has(one.name)
    })
    if (at < 0) return { part: next, parked: kept }
    const [found] = kept.splice(at, 1)
    next = withPart(direction, next, found!.key, found!.value)
  }
}

/** False for a choice that another protocol has, and this one does not. */
function isOffered(member: Member | undefined, value: unknown): boolean {
  if (!member?.oneOf || typeof value !== 'string') return true
  return spellingOf(member, value) !== undefined
}

function withFirstPath(direction: Direction, part: JsonObject, parked: Parked[]): JsonObject {
  const list = 'srtNetworkBondingParams'
  const isPlace = (name: string) => PLACE.some((each) => each === name)
  const place = parked.filter(({ name, value }) => isPlace(name) && isGiven(value))
  const hasList = hasPaths(own(part, list)) || parked.some(({ name }) => name === list)
  if (hasList || place.length === 0) return part
  const path = Object.fromEntries(place.map(({ name, value }) => [name, value]))
  return withPart(direction, part, list, [path])
}

function withPart(direction: Direction, part: JsonObject, key: string, value: unknown): JsonObject {
  const order = [...new Set([...FIRST, ...anyMembersOf(direction).keys()])]
  return withMember(part, key, value, order)
}

/** The present destinations that an update with this definition removes from the route. */
export function removedDestinations<Destination>(
  definition: JsonObject,
  mode: UpdateMode,
  present: readonly Destination[],
): Destination[] {
  if (mode === 'merge') return []
  const given = own(definition, 'destinations')
  if (mode === 'keep' && !Array.isArray(given)) return []
  const find = matcher(present)
  const kept = new Set(Array.isArray(given) ? given.flatMap((entry) => find(entry)) : [])
  return present.filter((_, index) => !kept.has(index))
}

/** True for a value that a field shows as empty. */
export const isEmptyText = (value: unknown): boolean =>
  !isGiven(value) || value === '' || (Array.isArray(value) && value.length === 0)

/** The definition in a text; undefined when it is not a JSON object. */
export function parseDefinition(text: string): JsonObject | undefined {
  const value = text.trim() === '' ? {} : jsonIn(text)
  return isObject(value) ? value : undefined
}
