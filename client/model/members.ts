import { isText, own, type JsonObject } from './json'

/**
 * One table for checks, conversion, comparison and forms. What is not in it is unknown, and passes. See
 * docs/project/interface.md#source and #destination.
 */
export interface Member {
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'list'
  /** Range of a number, or of the length of a text in characters. */
  min?: number
  max?: number
  whole?: true
  /** Text with a minimum length may also be empty. */
  mayBeEmpty?: true
  /** A number given as text is converted or passed; `written`: every number is sent as text. */
  asText?: 'converted' | 'passed' | 'written'
  /** The documented spellings of a choice. Any case is accepted. */
  oneOf?: readonly string[]
  /** Spellings that are accepted but not offered, in lower case, with their documented ones. */
  alsoSeen?: Readonly<Record<string, string>>
  /** Members of each object of a list. */
  of?: Members
  /** When a complete source or destination needs it. */
  required?: (part: JsonObject) => boolean
  /** When the appliance only shows it, and no request carries it. */
  readOnly?: (part: JsonObject) => boolean
  /** The name of this member in requests, where responses use another. */
  sentAs?: string
  /** Sent, never returned. */
  sentOnly?: true
  /** An IP address or a host name. */
  isAddress?: true
  secret?: true
  unit?: string
}

export type Members = Readonly<Record<string, Member>>
export type Direction = 'source' | 'destination'

const always = () => true
const unless = (free: (part: JsonObject) => boolean) => (part: JsonObject) => !free(part)

const text: Member = { kind: 'text' }
const address: Member = { kind: 'text', isAddress: true }
const flag: Member = { kind: 'boolean' }
const list: Member = { kind: 'list' }
// Firmware writes some numbers as text.
const amount: Member = { kind: 'number', min: 0, asText: 'converted' }
const shown: Member = { kind: 'text', readOnly: always }
const whole = (min: number, max: number): Member => ({
  kind: 'number',
  whole: true,
  min,
  max,
  asText: 'converted',
})
const choice = (...oneOf: string[]): Member => ({ kind: 'choice', oneOf })

const NAME: Member = { ...text, min: 1, max: 60, required: always }
const PORT = whole(1, 65535)

/** What an update never changes in a part, or what every part has. */
export const LASTING: ReadonlySet<string> = new Set(['id', 'name', 'protocol'])

/** Where a path leads. With redundancy these three move into the list of paths. */
export const PLACE = ['address', 'port', 'networkInterface'] as const
/** How packets of a path are sent; pipe-joined like the place when paths differ. */
export const TUNING = ['mtu', 'ttl', 'tos'] as const

/** The documented spelling of a choice given in any case; undefined for one that is not accepted. */
export function spellingOf({ oneOf = [], alsoSeen }: Member, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (oneOf.includes(value)) return value
  const lower = value.toLowerCase()
  const other = alsoSeen && Object.hasOwn(alsoSeen, lower) ? alsoSeen[lower] : undefined
  return oneOf.find((each) => each.toLowerCase() === lower) ?? other
}

const SRT_MODE = choice('caller', 'listener', 'rendezvous')
const GROUP_MODE = choice('none', 'broadcast', 'backup', 'any')
const RTMP_MODE = choice('PUBLISHER', 'CONSUMER')

/** True for an SRT source or destination over several network paths. */
export function isRedundant(part: JsonObject): boolean {
  const mode = own(part, 'srtGroupMode')
  return isText(mode) && spellingOf(GROUP_MODE, mode) !== 'none'
}

const hasRtpPaths = (part: JsonObject) => hasPaths(own(part, 'rtpNetworkBondingParams'))
const isListener = (part: JsonObject) => spellingOf(SRT_MODE, own(part, 'srtMode')) === 'listener'
const isPublisher = (part: JsonObject) =>
  spellingOf(RTMP_MODE, own(part, 'rtmpMode')) === 'PUBLISHER'

/** True for an SRT source or destination, in sent form, that waits for callers. */
export const isSrtListener = (part: JsonObject): boolean =>
  own(part, 'protocol') === 'srt' && isListener(part)

/** True for a list with at least one path. Responses and clients also use `""` for none. */
export const hasPaths = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > 0

const place = (required: (part: JsonObject) => boolean): Members => ({
  address: { ...address, required },
  port: { ...PORT, required },
  networkInterface: text,
})

const COMMON: Members = {
  id: text,
  name: NAME,
  labels: list,
  tags: list,
  state: shown,
  started: shown,
  summaryStatusCode: shown,
  summaryStatusDetails: shown,
  usedBandwidth: shown,
  elapsedTime: shown,
  networkAddress: shown,
  clientConnections: shown,
  pendingUpdates: shown,
  hasPendingDelete: shown,
}

const PACKETS: Members = {
  mtu: { ...whole(280, 1500), unit: 'bytes' },
  ttl: whole(1, 255),
  tos: whole(0, 255),
}

const SRT: Members = {
  ...place(unless(isRedundant)),
  // A new listener without an address is sent with that of all adapters.
  address: { ...address, required: unless((part) => isRedundant(part) || isListener(part)) },
  srtMode: SRT_MODE,
  mode: { ...text, sentAs: 'srtMode' },
  // SRT's own rule; the appliance documents none.
  srtPassPhrase: { ...text, min: 10, max: 79, mayBeEmpty: true, secret: true },
  srtLatency: { ...amount, unit: 'ms' },
  srtRcvBuf: { ...amount, unit: 'bytes' },
  srtStreamID: text,
  useFec: flag,
  useFEC: { ...flag, sentAs: 'useFec' },
  srtFecCols: amount,
  srtFecRows: amount,
  srtFecLayout: { ...choice('even', 'staircase'), alsoSeen: { saircase: 'staircase' } },
  srtFecArq: choice('never', 'onreq', 'always'),
  srtGroupMode: GROUP_MODE,
  srtNetworkBondingParams: { ...list, of: place(always), required: isRedundant },
}

// The vendor's example does not send these for a UDP source: docs/project/interface.md#updates.
const DECORATION: Members = {
  mode: shown,
  srtRcvBuf: shown,
  srtPassPhrase: shown,
  srtGroupMode: shown,
}

const SOURCE: Record<string, Members> = {
  udp: { ...place(always), ...DECORATION, sourceAddress: address },
  rtp: {
    ...place(unless(hasRtpPaths)),
    ...DECORATION,
    sourceAddress: address,
    retainHeader: flag,
    fec: choice('none', 'prompeg'),
    rtpReceiverClass: choice('low', 'moderate', 'high'),
    rtpNetworkBondingParams: { ...list, of: { ...place(always), sourceAddress: address } },
  },
  srt: SRT,
  rtmp: {
    ...place(unless(isPublisher)),
    ...DECORATION,
    address: {
      ...text,
      required: unless(isPublisher),
      // A publisher's address is only shown: it is the appliance itself.
      readOnly: (part) =>
        isPublisher(part) && /^127\.0\.0\.1(:\d+)?\/live/.test(String(own(part, 'address'))),
    },
    streamName: { ...text, required: always },
    rtmpMode: { ...RTMP_MODE, required: always },
  },
  rtsp: {
    ...place(always),
    // Whether the path of a stream belongs to it is not documented.
    address: { ...text, required: always },
    ...DECORATION,
    fec: choice('none', 'vf'),
    username: text,
    password: { ...text, secret: true },
  },
}

const UDP_DESTINATION: Members = {
  ...place(always),
  ...PACKETS,
  mode: shown,
  fec: choice('none', 'vf'),
  shaping: flag,
  maxBitrate: { ...amount, unit: 'kbit/s' },
  encryption: text,
}

const DESTINATION: Record<string, Members> = {
  udp: UDP_DESTINATION,
  rtp: {
    ...UDP_DESTINATION,
    retainHeader: flag,
    fec: choice('none', 'prompeg'),
    prompegFecLevel: choice('a', 'b'),
    prompegFecIsBlockAligned: flag,
    prompegFecColumns: whole(1, 20),
    prompegFecRows: whole(4, 20),
  },
  srt: {
    ...SRT,
    ...PACKETS,
    retainHeader: flag,
    shaping: flag,
    maxBitrate: UDP_DESTINATION.maxBitrate!,
    encryption: text,
    srtEncryption: choice('AES128', 'AES256', 'None'),
    srtOverhead: { ...amount, asText: 'written', unit: '%' },
    srtConnectionLimit: { ...amount, asText: 'passed' },
    srtNetworkBondingParams: {
      ...list,
      of: { ...place(always), ...PACKETS },
      required: isRedundant,
    },
  },
  hls: {
    mode: shown,
    address: shown,
    segmentDuration: { ...amount, asText: 'converted', unit: 's' },
    useEncryption: flag,
    segmentsPerKey: amount,
    multitrackSegmenter: flag,
  },
}

/** Protocols a source and a destination can have, as requests name them. */
export const PROTOCOLS: Record<Direction, readonly string[]> = {
  source: Object.keys(SOURCE),
  destination: Object.keys(DESTINATION),
}

export const PROTOCOL: Record<Direction, Member> = {
  source: { ...choice(...PROTOCOLS.source), required: always },
  destination: { ...choice(...PROTOCOLS.destination), required: always },
}

const TABLES: Record<Direction, Map<string, ReadonlyMap<string, Member>>> = {
  source: withCommon(SOURCE, { encryption: shown, protocol: PROTOCOL.source }),
  destination: withCommon(DESTINATION, {
    protocol: PROTOCOL.destination,
    action: { ...choice('start', 'stop', 'none'), sentOnly: true },
  }),
}

const ANY: Record<Direction, ReadonlyMap<string, Member>> = {
  source: united(TABLES.source),
  destination: united(TABLES.destination),
}

/** Returns the members for this protocol; only the common ones when it is not known. */
export function membersOf(direction: Direction, protocol: unknown): ReadonlyMap<string, Member> {
  const tables = TABLES[direction]
  return tables.get(typeof protocol === 'string' ? protocol : '') ?? tables.get('')!
}

/** Returns the members of all protocols together, for a patch that does not name its protocol. */
export const anyMembersOf = (direction: Direction): ReadonlyMap<string, Member> => ANY[direction]

export const ROUTE = { name: NAME, startRoute: flag } satisfies Members

/** What only the appliance sets in a route, besides its state. */
export const ONLY_READ = [
  'elapsedTime',
  'pendingUpdates',
  'hasPendingDelete',
  'summaryStatusCode',
  'summaryStatusDetails',
  'createdAt',
  'lastUpdateAt',
]

/** At the top level, as sent and as read. See docs/project/interface.md#route. */
export const ROUTE_NAMES: ReadonlySet<string> = new Set([
  'name',
  'startRoute',
  'source',
  'destinations',
  'id',
  'state',
  'label',
  'labels',
  'tags',
  ...ONLY_READ,
])

/** Names of members that contain a secret anywhere in the interface. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  'passcode',
  'sessionID',
  ...[...ANY.source, ...ANY.destination]
    .filter(([, member]) => member.secret)
    .map(([name]) => name),
])

/** Adds what every protocol has; the entry `''` is for protocols that are not known. */
function withCommon(table: Record<string, Members>, more: Members) {
  const common = { ...COMMON, ...more }
  const tables = Object.entries(table).map(
    ([protocol, members]) =>
      [protocol, new Map(Object.entries({ ...common, ...members }))] as const,
  )
  return new Map<string, ReadonlyMap<string, Member>>([
    ...tables,
    ['', new Map(Object.entries(common))],
  ])
}

/** One member per name: one that can be sent before one that is only shown; choices are joined. */
function united(tables: Map<string, ReadonlyMap<string, Member>>): ReadonlyMap<string, Member> {
  const all = new Map<string, Member>()
  for (const [name, member] of [...tables.values()].flatMap((table) => [...table])) {
    const other = all.get(name)
    if (!other || other.readOnly === always) all.set(name, member)
    else if (member.oneOf && other.oneOf)
      all.set(name, { ...other, oneOf: [...new Set([...other.oneOf, ...member.oneOf])] })
  }
  return all
}
