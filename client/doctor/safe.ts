import { isIP } from 'node:net'
import { isUuid, normalizeId } from '../model/ids'
import { isObject, isText, membersIn, pathTo } from '../model/json'
import { anyMembersOf, SECRET_NAMES, type Member } from '../model/members'
import type { Answered } from './read'

/** How the value of a documented field becomes safe. */
type Kind =
  | 'number'
  | 'boolean'
  | 'words'
  | 'name'
  | 'id'
  | 'address'
  | 'version'
  | 'duration'
  | 'secret'
  | 'part'

/**
 * Documented fields keep numbers and words of the interface. Names, IDs and addresses become pseudonyms,
 * the same for the same. Of all other fields, name and type stay.
 */
export function safeAnswers(answers: readonly Answered[]): Answered[] {
  const pseudonyms = createPseudonyms()
  const copy = (): Answered[] =>
    answers.map(({ method, path, status, body }) => ({
      method,
      path: safePath(path, pseudonyms),
      status,
      body: safeValue(body, 'part', '', pseudonyms),
    }))
  // The name of an unknown field may be a value that only a later answer shows as one.
  copy()
  return copy()
}

function safeValue(value: unknown, kind: Kind, parent: string, to: Pseudonyms): unknown {
  if (value === null || value === '' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((each) => safeValue(each, kind, parent, to))
  if (isObject(value)) {
    if (kind !== 'part') return typeOf(value)
    const members = membersIn(value).map(([name, member]): [string, unknown] => {
      const known = KINDS.get(name)
      if (known === undefined) return [to.member(name), typeOf(member)]
      return [name, safeValue(member, known, known === 'part' ? name : parent, to)]
    })
    return Object.fromEntries(members)
  }
  if (kind === 'part' || kind === 'boolean') return typeOf(value)
  if (typeof value === 'number') {
    return kind === 'number' ? value : SAFE[kind](String(value), to, parent)
  }
  return isText(value) ? SAFE[kind](value, to, parent) : null
}

const typeOf = (value: unknown): string | null => {
  if (value === null) return null
  return `<${Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value}>`
}

const SAFE: Record<Exclude<Kind, 'part' | 'boolean'>, Safe> = {
  number: (text) => (/^-?\d{1,16}(\.\d{1,9})?(\|\d{1,5})*$/.test(text) ? text : '<text>'),
  version: (text) =>
    /^\d{1,9}(\.\d{1,9}){1,4}(-\d{1,9})?$/.test(text) && isIP(text) === 0 ? text : '<text>',
  duration: (text) => (/^(\d{1,6}:\d\d:\d\d|<?\d{1,4}[smhdwy])$/.test(text) ? text : '<text>'),
  words: (text) => wordsOnly(text),
  // Long enough for a passphrase, and no mask: a mask would say that the gateway hides it.
  secret: () => 'secret-removed',
  id: (text, to) => to.id(text),
  name: (text, to, parent) =>
    text
      .split('|')
      .map((each) => to.name(each, LABELS[parent] ?? 'Name'))
      .join('|'),
  address: (text, to) =>
    text
      .split('|')
      .map((each) => safeAddress(each, to))
      .join('|'),
}
type Safe = (text: string, to: Pseudonyms, parent: string) => string

/** By the field that has them. */
const LABELS: Record<string, string> = {
  data: 'Route',
  routes: 'Route',
  route: 'Route',
  source: 'Source',
  destination: 'Output',
  destinations: 'Output',
  networkAdapters: 'Interface',
  clientStat: 'Caller',
  clientsStat: 'Caller',
}

/** A text with a sign in place of each word that is not one of the interface. */
export const wordsOnly = (text: string): string =>
  text
    .replace(/[^\s.,:;()'"<>-]+/g, (word) => (WORDS.has(word.toLowerCase()) ? word : '…'))
    .replace(/…[\s.,:;'"<>…-]*…/g, '…')

/** `127.0.0.1/live`, `rtmp://host:1935/app`, `/hls/…/index.m3u8`; without credentials and query. */
function safeAddress(text: string, to: Pseudonyms): string {
  if (isIP(text) > 0) return to.address(text)
  const bare = text.slice(text.lastIndexOf('@') + 1).split('?')[0]!
  return bare
    .split(COLONS)
    .map((part, place) => {
      if (place % 2 === 0) return safePieces(part, to)
      return isIP(part) > 0 ? to.address(part) : to.host(part)
    })
    .join('')
}

/** An IPv6 address, or else not an address with a port. Each run of its characters is tried once. */
const COLONS = /(?<![\da-f.:])([\da-f.]*(?::[\da-f.]*){2,})/i

function safePieces(text: string, to: Pseudonyms): string {
  const pieces = text.split(/([:/&=[\]\s]+)/)
  return pieces
    .map((piece, place) => {
      if (place % 2 === 1 || piece === '' || ADDRESS_WORDS.has(piece)) return piece
      // A port; any other number may be a secret.
      if (/^\]?:$/.test(pieces[place - 1] ?? '') && /^\d{1,5}$/.test(piece)) return piece
      if (isIP(piece) > 0) return to.address(piece)
      return isUuid(piece) ? to.id(piece) : to.host(piece)
    })
    .join('')
}

const ADDRESS_WORDS = new Set(['hls', 'live', 'index.m3u8', 'rtmp', 'rtsp', 'srt', 'udp', 'rtp'])

function safePath(path: string, to: Pseudonyms): string {
  const [pathname = '', query] = path.split('?', 2)
  const safe = pathname
    .split('/')
    .map((each) => (PATH_WORDS.has(each) ? each : encodeURIComponent(to.id(decoded(each)))))
    .join('/')
  if (query === undefined) return safe
  const values = [...new URLSearchParams(query)].map(([name, value]): [string, string] => [
    name,
    /^page(Size)?$/.test(name) ? value : to.id(value),
  ])
  return `${safe}?${new URLSearchParams(values)}`
}

const PATH_WORDS = new Set(
  ' api session devices gateway routes statistics client system preset'.split(' '),
)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

type Pseudonyms = ReturnType<typeof createPseudonyms>

function createPseudonyms() {
  const known = new Map<string, string>()
  const counts = new Map<string, number>()
  const taken = (text: string, series: string, pseudonym: (number: number) => string): string => {
    const before = known.get(text)
    if (before !== undefined) return before
    const number = (counts.get(series) ?? 0) + 1
    counts.set(series, number)
    const made = pseudonym(number)
    known.set(text, made)
    return made
  }

  function address(text: string): string {
    if (UNSPECIFIC.test(text)) return text
    const isV6 = isIP(text) === 6
    const isMany = isV6 ? /^ff/i.test(text) : /^(22[4-9]|23\d)\./.test(text)
    return taken(text.toLowerCase(), `address ${isV6} ${isMany}`, (number) => {
      if (isV6) return `${isMany ? 'ff0e' : '2001'}:db8::${number.toString(16)}`
      return isMany ? multicast(number) : unicast(number)
    })
  }

  function id(text: string): string {
    if (isUuid(text)) {
      return taken(normalizeId(text), 'uuid', (number) => {
        return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
      })
    }
    if (!/^[\w-]{22}$/.test(text)) return taken(text, 'id', (number) => `id-${number}`)
    return taken(text, 'short', (number) => `pseudonym-${String(number).padStart(12, '0')}`)
  }

  const host = (text: string): string =>
    text === 'localhost' ? text : taken(text, 'host', (number) => `host-${number}.example`)

  function name(text: string, label: string): string {
    const stem = text.trim()
    const begin = text.indexOf(stem)
    const [lead, trail] = [text.slice(0, begin), text.slice(begin + stem.length)]
    if (stem === '' || INTERFACE.test(stem) || ROLES.has(stem)) return text
    if (isIP(stem) > 0) return lead + address(stem) + trail
    if (isUuid(stem)) return lead + id(stem) + trail
    if (/^[\w-]+(\.[\w-]+)+$/.test(stem)) return lead + host(stem) + trail
    const [, user, domain] = /^([^\s@]+)@([\w.-]+)$/.exec(stem) ?? []
    if (user && domain) return `${name(user, 'User')}@${host(domain)}`.replaceAll(' ', '-')
    const pseudonym = taken(stem, label, (number) => `${label} ${number}`)
    // The package refuses longer ones.
    return lead + (stem.length > 60 ? pseudonym.padEnd(61, '.') : pseudonym) + trail
  }

  /** The name of an unknown field, unless it may be a value. */
  function member(text: string): string {
    const isPlain = /^_?[a-z][A-Za-z_]{0,39}$/.test(text) && !known.has(text)
    return isPlain ? text : taken(`member ${text}`, 'member', (number) => `field${number}`)
  }

  return { name, id, address, host, member }
}

const UNSPECIFIC = /^(0\.0\.0\.0|127\.0\.0\.1|255\.255\.255\.255|::1?)$/
const INTERFACE =
  /^(lo|(eth|eno|ens|bond|br|team|wlan)\d{1,4}|enp\d{1,3}s\d{1,3}(f\d)?)([.:]\d{1,4})?$/
const ROLES = new Set(['Administrator', 'Operator', 'Observer'])

/** The ranges for documentation, then private ones. */
function unicast(number: number): string {
  const range = ['192.0.2', '198.51.100', '203.0.113'][Math.floor((number - 1) / 254)]
  const host = ((number - 1) % 254) + 1
  return range ? `${range}.${host}` : `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}

const multicast = (number: number): string =>
  number <= 254
    ? `233.252.0.${number}`
    : `239.${192 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`

/** The fields in an answer that docs/project/interface.md does not name, such as `source.colour`. */
export function unknownFields(body: unknown, parent = ''): string[] {
  if (Array.isArray(body)) return body.flatMap((each) => unknownFields(each, parent))
  if (!isObject(body)) return []
  return membersIn(body).flatMap(([name, value]) => {
    const kind = KINDS.get(name)
    if (kind === undefined) return [pathTo(parent, name)]
    return kind === 'part' ? unknownFields(value, name) : []
  })
}

/** A line is a kind and the fields of docs/project/interface.md that are of it. */
const NAMED = `
part response error config settings networkAdapters peers calypsos routes gateway
part suggestedPollingInterval data source destinations destination route connections clientStat
part clientsStat srtNetworkBondingParams rtpNetworkBondingParams
secret sessionID passcode srtPassPhrase password
id id _id
name name displayName email gatewayName label labels tags serialNumber username streamName
name srtStreamID networkInterface
address address ip networkAddress sourceAddress proxyAddress localAddress
version firmware preset_version product_version srtVersion SRTPeerVersion
duration elapsedTime elapsedRunningTime lastConnection
words type message roles status statusCode statusDetails state summaryStatusCode mode srtMode
words summaryStatusDetails protocol encryption srtEncryption srtFec srtDecryptionState
words srtPeerDecryptionState srtGroupMemberStatus
boolean isLicensed hasAdminError pendingSync started hasPendingDelete
number startAt expireAt lastLoginDate numLoginFailures lastConnectedAt lastConfigReadAt
number lastAcceptedUpdate port httpPort httpsPort proxyHttpPort proxyHttpsPort localPort ms
number numPages numResults numActiveOutputConnections pendingRouteCreates createdAt lastUpdateAt
number usedBandwidth clientConnections collectedAt bitrate sendRate numPackets signalLosses
number fecLostPackets fecRecoveredPackets fecUnrecoveredPackets fecReorderedPackets
number srtRoundTripTime srtBufferLevel srtNegotiatedLatency srtLatency srtPacketLossRate
number srtNumSkippedPackets srtRetransmitRate srtMaxBandwidth srtEstimatedBandwidth
number srtCurrentBandwidth srtNumLostPackages srtNumLostPackets srtDroppedPackets srtRejectedCount
number srtNumPackets srtDroppedPacketsDiff srtSkippedPackets srtSkippedPacketsDiff srtFecPacketLoss
number srtFecRecoveredPackets srtFecTotalPacketLoss srtFecTotalRecoveredPackets
number srtGroupMemberWeight
`

const OF_MEMBER: Record<Member['kind'], Kind> = {
  number: 'number',
  boolean: 'boolean',
  choice: 'words',
  text: 'words',
  list: 'part',
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...[...anyMembersOf('source'), ...anyMembersOf('destination')].map(
    ([name, { kind }]): [string, Kind] => [name, OF_MEMBER[kind]],
  ),
  ...NAMED.trim()
    .split('\n')
    .flatMap((line) => {
      const [kind, ...names] = line.split(' ')
      return names.map((name): [string, Kind] => [name, kind as Kind])
    }),
  ...[...SECRET_NAMES].map((name): [string, Kind] => [name, 'secret']),
])

/** Those of the interface, in its states, its statuses and its messages. */
const WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by does for from has have in is it its no not of on or the there this to
  with warn ok error unknown online offline never device communication idle running stopped
  disconnected connecting connection established connected caller listener rendezvous unicast
  multicast hls http udp rtp srt rtmp rtsp none broadcast backup any balance aes128 aes256 active
  initializing inactive passphrase invalid even staircase saircase onreq always publisher consumer
  low moderate high prompeg vf b off pair pending timeout denied poll accepted pairing gateway session
  sessionauthorization administrator operator observer request route source destination output
  input stream data logged out user username password wrong exist exists expired maximum number
  concurrent sessions reached operation authorized roles such resource account locked needs
  content supported started postsystempreset`.split(/\s+/),
)
