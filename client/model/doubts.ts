/**
 * What was probably meant otherwise: slips in the names of members, and texts that are no address. What
 * the appliance itself returns is never one: newer firmware may know more than this table.
 */
import { shownAs } from './given'
import type { Fault } from './faults'
import { isObject, isText, itemsIn, membersIn, own, pathTo, type JsonObject } from './json'
import { anyMembersOf, membersOf, type Direction, type Member } from './members'
import { matcher } from './ids'
import { nearest } from './near'
import { protocolOf } from './convert'

interface Doubting {
  /** The whole part, as far as it is known: its protocol says which members there are. */
  context?: JsonObject
  /** The part as the appliance has it. */
  present?: JsonObject
  /** Newer firmware may have written it, and what it has is not at hand: only what nobody returns. */
  isAsRead?: boolean
}

/** Slips, and the paths of members that nobody knows. */
interface Doubts {
  faults: Fault[]
  unknown: string[]
}

/** The same of a whole route, or of a patch of one; `present` is that route as it was read. */
export function doubtsOfRoute(route: unknown, present?: unknown, isAsRead = false): Doubts {
  const found: Doubts = { faults: [], unknown: [] }
  const add = (direction: Direction, part: unknown, path: string, former: unknown): void => {
    if (!isObject(part)) return
    const known = isObject(former) ? former : undefined
    const context = known ? { ...known, ...part } : part
    const told = { context, present: known, isAsRead }
    const { faults, unknown } = doubtsIn(direction, part, path, told)
    for (const one of faults) found.faults.push(one)
    for (const one of unknown) found.unknown.push(one)
  }
  add('source', own(route, 'source'), 'source', own(present, 'source'))
  const given = own(route, 'destinations')
  if (given === undefined) return found
  const former = itemsIn(own(present, 'destinations'))
  const find = matcher(former)
  if (Array.isArray(given)) {
    given.forEach((part: unknown, index) =>
      add('destination', part, `destinations[${index}]`, former[find(part)[0] ?? -1]),
    )
  } else if (isObject(given)) {
    for (const [key, part] of membersIn(given)) {
      const at = find({ id: key })[0] ?? find({ name: key })[0] ?? -1
      add('destination', part, pathTo('destinations', key), former[at])
    }
  }
  return found
}

/** Returns the members that were probably meant otherwise, and the paths of those that nobody knows. */
export function doubtsIn(
  direction: Direction,
  part: JsonObject,
  path: string,
  { context = part, present, isAsRead = false }: Doubting = {},
): Doubts {
  const protocol = protocolOf(direction, context)
  const members = membersOf(direction, protocol)
  const all = members.size > membersOf(direction, '').size ? members : anyMembersOf(direction)
  const faults: Fault[] = []
  const unknown: string[] = []

  function examine(
    known: ReadonlyMap<string, Member>,
    given: JsonObject,
    at: string,
    former: readonly unknown[],
  ): void {
    let offered: Offered | undefined
    const offer = (): Offered => (offered ??= offeredOf(known))
    for (const [name, value] of membersIn(given)) {
      if (value === undefined || former.some((one) => isSame(own(one, name), value))) continue
      const here = pathTo(at, name)
      const member = known.get(name)
      const isThere = former.some((one) => isObject(one) && Object.hasOwn(one, name))
      const meant = isThere ? undefined : meantBy(name, value, known, direction, isAsRead, offer)
      if (meant !== undefined) faults.push({ path: here, kind: 'didYouMean', member: meant })
      else if (member?.isAddress && isText(value) && !areAddresses(value)) {
        faults.push({ path: here, kind: 'address', given: shownAs(value) })
      } else if (member?.of && Array.isArray(value)) {
        const formerItems = former.flatMap((one) => own(one, name) ?? [])
        const inside = new Map(Object.entries(member.of))
        for (const [index, item] of value.entries()) {
          if (isObject(item)) examine(inside, item, `${here}[${index}]`, formerItems)
        }
      } else if (!member && !isThere) {
        unknown.push(here)
      }
    }
  }
  examine(all, part, path, present ? [present] : [])
  return { faults, unknown }
}

const isSame = (one: unknown, other: unknown): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other)

/** What people call a member, {@link plain}. No firmware is known to return any of these names. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ['ip ipaddress addr host hostname url uri', 'address'],
    ['passphrase', 'srtPassPhrase password'],
    ['password key', 'srtPassPhrase'],
    ['latency', 'srtLatency'],
    ['streamid', 'srtStreamID'],
    ['overhead', 'srtOverhead'],
    ['interface nic iface', 'networkInterface'],
    ['enc', 'srtEncryption srtPassPhrase useEncryption'],
    ['bitrate', 'maxBitrate'],
  ].flatMap(([names = '', meant = '']) =>
    names.split(' ').map((name) => [name, meant.split(' ')] as const),
  ),
)

/** What firmware writes into members that it only shows. Anything else there is a wish. */
const SHOWN: Readonly<Record<string, { words: RegExp; meant: readonly string[] }>> = {
  mode: { words: /^(unicast|multicast|hls|)$/i, meant: ['srtMode', 'rtmpMode'] },
  encryption: {
    words: /^(none|srt|)$/i,
    meant: ['srtEncryption', 'srtPassPhrase', 'useEncryption'],
  },
  // Statistics show it of a source too, which has no choice: the sender's applies.
  srtEncryption: { words: /^/, meant: ['srtEncryption', 'srtPassPhrase'] },
}

function meantBy(
  name: string,
  value: unknown,
  known: ReadonlyMap<string, Member>,
  direction: Direction,
  isAsRead: boolean,
  offer: () => Offered,
): string | undefined {
  const member = known.get(name)
  const has = (other: string): boolean => known.has(other)
  const shown = Object.hasOwn(SHOWN, name) ? SHOWN[name] : undefined
  if (shown && !isAsRead && !member?.sentAs && typeof value === 'string') {
    return shown.words.test(value) ? undefined : shown.meant.find(has)
  }
  if (member || shown) return undefined
  const asked = plain(name)
  const meant = ALIASES.get(asked)?.find(has)
  // A member of another protocol is left over from it, and does no harm.
  if (meant !== undefined || isAsRead || anyMembersOf(direction).has(name)) return meant
  const near = nearest(asked, offer().keys(), (other) => (other.length < 6 ? 1 : 2))
  return near && offer().get(near)
}

/** The members that a slip may mean, by what people may have written for them. */
type Offered = ReadonlyMap<string, string>

function offeredOf(known: ReadonlyMap<string, Member>): Offered {
  const offered = new Map<string, string>()
  for (const [other, { readOnly, sentAs }] of known) {
    if (readOnly?.({}) !== true && !sentAs) offered.set(plain(other), other)
  }
  for (const [other, all] of USUAL) {
    const one = all.find((each) => known.has(each))
    if (one !== undefined) offered.set(plain(other), one)
  }
  return offered
}

/** Names of which a slip counts too. In shorter ones, another letter makes another word. */
const USUAL = [
  ...[...ALIASES].filter(([name]) => name.length > 5),
  ...Object.entries(SHOWN).map(([name, { meant }]) => [name, meant] as const),
]

/** A name without what people write differently in it. */
const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

// Of redundant paths, one may be without.
const areAddresses = (text: string): boolean =>
  text.split('|').every((one) => (one === '' && text.includes('|')) || isAddress(one))

export const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255)

/** True for an IP address or the name of a host. */
function isAddress(text: string): boolean {
  if (/^[\d.]+$/.test(text)) return isIpv4(text)
  if (text.includes(':')) return URL.canParse(`http://[${text.replace(/%[\w.-]+$/, '')}]`)
  const labels = text.replace(/\.$/, '').split('.')
  return text.length <= 253 && labels.every((one) => /^[\p{L}\p{N}_-]{1,63}$/u.test(one))
}
