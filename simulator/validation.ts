import { isObject, Refusal } from './http'
import {
  hasAddress,
  isRedundant,
  mergedDefinition,
  STRING_NUMBERS,
  type DestinationState,
  type RouteSpec,
  type RouteState,
  type SentDestination,
  type SentSource,
} from './model'

/**
 * Checks the fields of a create, see docs/project/interface.md#source and #destination. Throws a
 * `Refusal` with status 400 naming the first fault. The 400 is our choice: the real status is not
 * public. `startRoute` may be left out, as one client does: nothing public forbids it.
 */
export function checkedCreate(fields: unknown): RouteSpec {
  const sent = checkedFields(fields)
  const start: unknown = sent.startRoute
  if (isGiven(start) && typeof start !== 'boolean') refuse('startRoute must be true or false')
  return checkedSpec(sent)
}

/** Checks a route as sent, from a preset or a program. */
export function checkedSpec(fields: unknown): RouteSpec {
  const sent = checkedFields(fields)
  checkPart('source', sent.source, SOURCES)
  checkDestinations(sent, undefined)
  return sent
}

/** Checks the fields of an update to `route`. Throws like `checkedCreate`. */
export function checkedUpdate(fields: unknown, route: RouteState): RouteSpec {
  const sent = checkedFields(fields)
  if (!sent.source.id) refuse('source.id is required')
  if (sent.source.id !== route.source.id) refuse('source.id cannot be changed')
  checkPart('source', sent.source, SOURCES, route.source)
  const isDangling = (each: unknown) => isObject(each) && dangling.has(each.id)
  const dangling = new Set<unknown>(route.danglingIds)
  const danglingIds = sent.destinations?.filter(isDangling).map(({ id = '' }) => id)
  sent.destinations = sent.destinations?.filter((each) => !isDangling(each))
  checkDestinations(sent, route)
  return { ...sent, danglingIds }
}

/** A copy, so that the journal keeps what was sent. */
function checkedFields(fields: unknown): RouteSpec {
  checkMembers(fields)
  return structuredClone(fields)
}

function checkMembers(fields: unknown): asserts fields is RouteSpec {
  if (!isObject(fields)) refuse('fields is required')
  checkName('name', fields.name)
  if (!isObject(fields.source)) refuse('source is required')
  if (fields.destinations !== undefined && !Array.isArray(fields.destinations)) {
    refuse('destinations must be an array')
  }
}

function checkDestinations(sent: RouteSpec, route: RouteState | undefined): void {
  const names = new Set<string>()
  const ids = new Set<string>()
  sent.destinations?.forEach((destination, place) => {
    const path = `destinations[${place}]`
    if (!isObject(destination)) refuse(`${path} must be an object`)
    const stored = route && storedDestination(path, destination, route)
    if (stored && ids.has(stored.id)) refuse(`${path}.id is used twice`)
    if (stored) ids.add(stored.id)
    checkPart(path, destination, DESTINATIONS, stored)
    // Statistics find a destination by its name within the route. Whether names have to be unique
    // beyond that is unknown.
    if (names.has(destination.name)) refuse(`${path}.name is used twice`)
    names.add(destination.name)
  })
}

/** The stored destination that an update refers to; without an ID it is a new one. */
function storedDestination(
  path: string,
  sent: SentDestination,
  route: RouteState,
): DestinationState | undefined {
  if (sent.id === undefined || sent.id === null || sent.id === '') return undefined
  const stored = route.destinations.find((known) => known.id === sent.id)
  if (!stored) refuse(`${path}.id ${sent.id} is not a destination of the route`)
  return stored
}

/** Returns what a member must be, worded for a sentence, or undefined if it is valid. */
type Rule = (value: unknown) => string | undefined
type Rules = Readonly<Record<string, Rule>>

const text: Rule = (value) => (typeof value === 'string' ? undefined : 'a string')
const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'true or false')
const list: Rule = (value) => (Array.isArray(value) ? undefined : 'a list')
const amount: Rule = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'a number of at least 0'
/** A number written as text. */
const digits: Rule = (value) =>
  typeof value === 'string' && /^\d*(\.\d+)?$/.test(value) ? undefined : 'a number as text'

const whole =
  (low: number, high: number): Rule =>
  (value) => {
    const fits =
      typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
    return fits ? undefined : `a whole number from ${low} to ${high}`
  }

/** Empty text stands for none of them: clients send it for what they do not set. */
const choice =
  (...values: string[]): Rule =>
  (value) =>
    value === '' || values.some((each) => each === value)
      ? undefined
      : `one of ${values.join(', ')}`

const cipher: Rule = (value) =>
  typeof value === 'string' && /^(aes128|aes256|none|)$/i.test(value)
    ? undefined
    : 'one of AES128, AES256, None'

const PORT = whole(1, 65_535)
const PLACE: Rules = { address: text, port: PORT, networkInterface: text }
const PACKETS: Rules = { mtu: whole(280, 1500), ttl: whole(1, 255), tos: whole(0, 255) }
const COMMON: Rules = { labels: list, tags: list }

const SRT: Rules = {
  ...COMMON,
  ...PLACE,
  srtMode: choice('caller', 'listener', 'rendezvous'),
  srtPassPhrase: text,
  srtLatency: amount,
  srtRcvBuf: amount,
  srtStreamID: text,
  useFec: flag,
  srtFecCols: amount,
  srtFecRows: amount,
  // The vendor's tables of requests have the second spelling.
  srtFecLayout: choice('even', 'staircase', 'saircase'),
  srtFecArq: choice('never', 'onreq', 'always'),
  srtGroupMode: choice('none', 'broadcast', 'backup', 'any'),
  srtNetworkBondingParams: list,
}

const SOURCES: Readonly<Record<string, Rules>> = {
  udp: { ...COMMON, ...PLACE, sourceAddress: text },
  rtp: {
    ...COMMON,
    ...PLACE,
    sourceAddress: text,
    retainHeader: flag,
    fec: choice('none', 'prompeg'),
    rtpReceiverClass: choice('low', 'moderate', 'high'),
    rtpNetworkBondingParams: list,
  },
  srt: SRT,
  rtmp: { ...COMMON, ...PLACE, streamName: text, rtmpMode: choice('PUBLISHER', 'CONSUMER') },
  rtsp: { ...COMMON, ...PLACE, fec: choice('none', 'vf'), username: text, password: text },
}

const DESTINATION: Rules = { ...COMMON, action: choice('start', 'stop', 'none') }
const STREAM: Rules = {
  ...DESTINATION,
  ...PLACE,
  ...PACKETS,
  fec: choice('none', 'vf'),
  shaping: flag,
  maxBitrate: amount,
}

const DESTINATIONS: Readonly<Record<string, Rules>> = {
  udp: STREAM,
  rtp: {
    ...STREAM,
    retainHeader: flag,
    fec: choice('none', 'prompeg'),
    prompegFecLevel: choice('a', 'b'),
    prompegFecIsBlockAligned: flag,
    prompegFecColumns: whole(1, 20),
    prompegFecRows: whole(4, 20),
  },
  srt: {
    ...DESTINATION,
    ...SRT,
    ...PACKETS,
    retainHeader: flag,
    shaping: flag,
    maxBitrate: amount,
    srtEncryption: cipher,
    srtOverhead: digits,
    srtConnectionLimit: amount,
  },
  hls: {
    ...DESTINATION,
    segmentDuration: amount,
    useEncryption: flag,
    segmentsPerKey: amount,
    multitrackSegmenter: flag,
  },
}

/** The names of all fields that a source or destination may have in a request. */
export const FIELDS: ReadonlySet<string> = new Set(
  [SOURCES, DESTINATIONS].flatMap(Object.values).flatMap(Object.keys),
)

/** `stored` is the part that the update keeps, if there is one. */
function checkPart(
  path: string,
  sent: SentDestination,
  protocols: Readonly<Record<string, Rules>>,
  stored?: SentSource,
): void {
  checkName(`${path}.name`, sent.name)
  tidy(sent)
  const part = mergedDefinition(sent, stored)
  const { protocol } = part
  if (!isGiven(protocol)) refuse(`${path}.protocol is required`)
  const rules = Object.hasOwn(protocols, protocol) ? protocols[protocol] : undefined
  if (!rules) refuse(`${path}.protocol ${protocol} is not known`)
  if (protocol === 'rtmp') {
    demand(path, part, 'rtmpMode')
    demand(path, part, 'streamName')
  }
  const isPlaced = hasAddress(part)
  if (isPlaced) {
    // Required even where the rest keeps its stored value: docs/project/interface.md#commands.
    demand(path, sent, 'address')
    demand(path, sent, 'port')
  } else if (isRedundant(part)) {
    checkNotJoined(path, sent)
  }
  // Where a part has no address of its own, one that is sent is ignored.
  for (const [name, rule] of Object.entries(rules)) {
    if (!isPlaced && Object.hasOwn(PLACE, name)) continue
    // A recorded gateway may have values that are not documented.
    if (sent[name] !== stored?.[name]) check(`${path}.${name}`, rule, sent[name])
  }
  if (isRedundant(part)) checkRedundancy(path, part)
  if (protocol === 'rtp' && Array.isArray(part.rtpNetworkBondingParams)) {
    checkPaths(`${path}.rtpNetworkBondingParams`, part.rtpNetworkBondingParams)
  }
}

function check(path: string, rule: Rule, value: unknown): void {
  const expected = isGiven(value) ? rule(value) : undefined
  if (expected) refuse(`${path} must be ${expected}`)
}

function checkRedundancy(path: string, part: SentSource): void {
  const paths = part.srtNetworkBondingParams
  if (!Array.isArray(paths) || paths.length === 0) {
    refuse(`${path}.srtNetworkBondingParams is required`)
  }
  checkPaths(`${path}.srtNetworkBondingParams`, paths)
}

function checkPaths(path: string, paths: unknown[]): void {
  paths.forEach((each, place) => {
    const where = `${path}[${place}]`
    if (!isObject(each)) refuse(`${where} must be an object`)
    demand(where, each, 'address')
    demand(where, each, 'port')
    for (const [name, rule] of Object.entries({ ...PLACE, ...PACKETS })) {
      check(`${where}.${name}`, rule, each[name])
    }
  })
}

/** Refuses the joined form of responses in a request, though redundancy makes it needless. */
function checkNotJoined(path: string, sent: SentSource): void {
  for (const name of Object.keys(PLACE)) {
    const value = sent[name]
    if (typeof value === 'string' && value.includes('|')) {
      refuse(`${path}.${name} must be a single one`)
    }
  }
}

function checkName(path: string, name: unknown): void {
  if (name === undefined || name === null) refuse(`${path} is required`)
  if (typeof name !== 'string' || name.length < 1 || name.length > 60) {
    refuse(`${path} must have 1 to 60 characters`)
  }
}

function demand(path: string, part: Record<string, unknown>, name: string): void {
  if (!isGiven(part[name]) || part[name] === '') refuse(`${path}.${name} is required`)
}

function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}

/**
 * Converts what a client may send in another form to the stored form: what a response gives as a
 * string may come back as one, and clients send empty text for unset values. Changes
 * `sent`, which is a copy.
 */
export function tidy(sent: SentSource): void {
  for (const name of [...STRING_NUMBERS, 'segmentDuration']) {
    const value = sent[name]
    if (typeof value === 'string' && /^\d+$/.test(value)) sent[name] = Number(value)
  }
  for (const name of ['srtMode', 'srtNetworkBondingParams', 'rtpNetworkBondingParams']) {
    if (sent[name] === '') delete sent[name]
  }
  if (sent.srtFecLayout === 'saircase') sent.srtFecLayout = 'staircase'
}

function refuse(problem: string): never {
  throw new Refusal(400, 'postUpdates', `${problem}.`)
}
