// Main and backup as sources: what a switch sends of them, what it would lose, and what else can be wrong
// with them. The form asks too.
import type { Problem } from '../errors'
import { checkPart } from './check'
import { partToSent, protocolOf, withAddress } from './convert'
import { differs } from './diff'
import { doubtsIn } from './doubts'
import { wordsFrom, type Fault, type Words } from './faults'
import { isGiven, isObject, isText, membersIn, own, pathTo, type JsonObject } from './json'
import { anyMembersOf, isRedundant, LASTING, membersOf, PLACE, spellingOf } from './members'
import { HIDDEN, isSecret, secretsNotShown } from './secrets'
import type { Route, Source } from './types'

export const SIDES = ['main', 'backup'] as const

export type Side = (typeof SIDES)[number]

/** Which source a route has; `other` is one that is neither. */
export type InUse = Side | 'other'

/** The members in which the source of a route differs from each side. */
export type Differs = Readonly<Record<Side, readonly string[]>>

/** A fault with its kind and values, from which the editor makes its own words. */
export type FailoverFault = Problem & { reason: FailoverReason }

export type FailoverReason =
  | { kind: 'monitor' | 'route' | 'sameRoute' | 'source' | 'sameSource' | 'hidden' }
  /** A field that a switch to the `other` source and back would change. */
  | { kind: 'missing'; other: Side }
  /** A field that no source with this protocol is known to have. */
  | { kind: 'noField'; protocol: string }

export const failoverFault = (path: string, reason: FailoverReason): FailoverFault => ({
  path,
  problem: wordsFrom(SENTENCES, reason.kind, reason),
  reason,
})

const SENTENCES: Words<FailoverReason> = {
  monitor: 'is missing; restore = monitor needs the route that receives main all the time',
  route: 'must be a route, by its id or name',
  sameRoute: 'is the same route as main',
  source: 'must be an object with the fields of the source that differ',
  sameSource:
    'is the same as main, apart from secrets; the two must differ in a field that the gateway returns, such as address or port',
  hidden: 'is the sign for a hidden value; give the value itself',
  missing: ({ other }) => `is missing; a switch to ${other} and back would change it; add it`,
  noField: ({ protocol }) =>
    `is not a known field of a source with the protocol ${protocol}; correct its name, or remove it`,
}

export const otherOf = (side: Side): Side => (side === 'main' ? 'backup' : 'main')

export type Sides = Readonly<Record<Side, JsonObject>>

const ANY = anyMembersOf('source')

const membersFor = ({ protocol }: JsonObject): typeof ANY =>
  isText(protocol) ? membersOf('source', protocol) : ANY

const without = (part: JsonObject, isGone: (name: string, value: unknown) => boolean): JsonObject =>
  Object.fromEntries(membersIn(part).filter(([name, value]) => !isGone(name, value)))

const has = (part: JsonObject, name: string): boolean => Object.hasOwn(part, name)

/** A side as a switch can send it: null is an empty text, or nothing given where no text is. */
export function givenIn(side: JsonObject): JsonObject {
  const given = membersIn(side).flatMap(([name, value]): Array<[string, unknown]> => {
    const isLasting = LASTING.has(name)
    if (isGiven(value) && !(isLasting && value === '')) return [[name, value]]
    return !isLasting && ANY.get(name)?.kind === 'text' ? [[name, '']] : []
  })
  return Object.fromEntries(given)
}

/** In sent form. What the side does not give, protocol and mode among them, is as in `present`. */
const sentOf = (side: JsonObject, present: JsonObject): JsonObject =>
  partToSent('source', givenIn(side), { ...present, ...side })

/** The fields of a source that can be compared with what a gateway returns. */
export const withoutSecrets = (side: JsonObject): JsonObject => without(side, isSecret)

/** The source to which a switch would change nothing, or neither and why. Secrets do not count. */
export function sourceInUse(
  sides: Sides,
  { source }: Pick<Route, 'source'>,
): { inUse: InUse; differs?: Differs } {
  const [main, backup] = [differing(sides.main, source), differing(sides.backup, source)]
  if (main.length === 0) return { inUse: 'main' }
  return backup.length === 0 ? { inUse: 'backup' } : { inUse: 'other', differs: { main, backup } }
}

/** The members of a side, as it names them, in which this source is another one. */
function differing(side: JsonObject, source: JsonObject): string[] {
  const nameOf = (sent: string): string =>
    Object.keys(side).find((name) => name === sent || ANY.get(name)?.sentAs === sent) ?? sent
  return differencesOf(sentOf(side, source), partToSent('source', source)).map(nameOf)
}

/** The names of the members in which two sources in sent form differ, as far as `wanted` gives them. */
export function differencesOf(wanted: JsonObject, present: JsonObject): string[] {
  const members = membersFor(present)
  const meantBy = (part: JsonObject, name: string) => asMeant(own(part, name), name, members)
  return Object.keys(wanted).filter(
    (name) => !isSecret(name) && differs(meantBy(wanted, name), meantBy(present, name), name),
  )
}

/** As the gateway means it: an empty address is every adapter, and a host name has no case. */
function asMeant(value: unknown, name: string, members: typeof ANY): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => asMeant(one, name, members))
  if (isObject(value)) {
    return Object.fromEntries(
      membersIn(value).map(([inner, one]) => [inner, asMeant(one, inner, members)]),
    )
  }
  const member = members.get(name)
  if (typeof value !== 'string' || !member) return value
  if (!member.isAddress) return spellingOf(member, value) ?? value
  return value === '0.0.0.0' ? '' : value.toLowerCase()
}

/** True when a switch from one to the other would show: in a field that both give. */
export function areDifferent({ main, backup }: Sides): boolean {
  const other = sentOf(backup, main)
  return differencesOf(sentOf(main, backup), other).some((name) => has(other, name))
}

/** What differs, and secrets of its own. One that both sides share may have been rotated on the gateway. */
export function changesTo(sides: Sides, to: Side, from: InUse, source: Source): JsonObject {
  const now = partToSent('source', source)
  const wanted = sentOf(sides[to], now)
  const left = from === 'other' ? {} : sentOf(sides[from], now)
  const others = differencesOf(wanted, now)
  // Every adapter has an address to send.
  const { address } = withAddress({ ...now, ...wanted } as unknown as Source)
  const changes = without(wanted, (name, value) =>
    isSecret(name) ? own(left, name) === value : !others.includes(name),
  )
  return has(changes, 'address') ? { ...changes, address } : changes
}

/** What a switch to a side makes of a source. Another protocol keeps only what it knows. */
function switched(source: JsonObject, side: JsonObject): JsonObject {
  const given = sentOf(side, source)
  const isOther = isText(source.protocol) && source.protocol !== (given.protocol ?? source.protocol)
  const stays = isOther ? without(source, (name) => !membersFor(given).has(name)) : source
  const after = partToSent('source', { ...stays, ...given })
  const gone: readonly string[] = isRedundant(after) ? PLACE : ['srtNetworkBondingParams']
  return without(after, (name) => gone.includes(name))
}

/** The fields that a switch to the other side and back would change. `now` is the source, in sent form. */
export function missingFaults(sides: Sides, path: Side, now: JsonObject = {}): FailoverFault[] {
  const other = otherOf(path)
  const given = sentOf(sides[path], now)
  const before: JsonObject = { ...now, ...given }
  const after = switched(switched(before, sides[other]), sides[path])
  const members = membersFor(before)
  const missing = Object.keys({ ...before, ...after }).filter((name) => {
    if (name === 'id' || has(given, name)) return false
    // A member of another protocol is left over from it.
    if (ANY.has(name) && !members.has(name)) return false
    return !has(before, name) || differs(before[name], after[name], name)
  })
  return missing.map((name) => failoverFault(pathTo(path, name), { kind: 'missing', other }))
}

/** Slips, and members that no source with this protocol has. What nobody knows, a route may have. */
export function fieldFaults(
  side: JsonObject,
  path: Side,
  present?: Source,
): Array<FailoverFault | Fault> {
  const context = { ...present, ...side }
  const { faults, unknown } = doubtsIn('source', side, path, { context, present })
  const protocol = String(protocolOf('source', context))
  const none = unknown.filter((at) => present !== undefined || ANY.has(at.slice(path.length + 1)))
  return [...faults, ...none.map((at) => failoverFault(at, { kind: 'noField', protocol }))]
}

/** What only the present route can show to be wrong with main and backup. */
export function sideFaults(
  settings: Sides & { method: 'source' | 'routes' },
  { source }: Pick<Route, 'source'>,
): Array<FailoverFault | Fault> {
  if (settings.method === 'routes') return []
  const notShown = secretsNotShown(source, '').map((name) => [name, HIDDEN])
  const now: JsonObject = { ...partToSent('source', source), ...Object.fromEntries(notShown) }
  const isAlike = (part: JsonObject): boolean =>
    part.protocol === now.protocol && isRedundant(part) === isRedundant(now)
  return SIDES.flatMap((path) => {
    const [side, other] = [settings[path], otherOf(path)]
    // What the route would have with a source of another kind is not known.
    if (!isAlike({ ...now, ...sentOf(side, now) })) return []
    const left = switched(now, settings[other])
    return [
      ...fieldFaults(side, path, source),
      ...(isAlike(left) ? [] : checkPart('source', { name: other, ...left }, other)),
      ...missingFaults(settings, path, now),
    ]
  })
}
