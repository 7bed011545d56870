import { isObject, Refusal } from './exchange'
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
 * The fields of a create, checked (facts 4.3 and 5). Throws a `Refusal` with status 400 naming the
 * first fault. That validation answers 400 is our choice: the status is not public.
 */
export function checkedCreate(fields: unknown): RouteSpec {
  const sent = checkedFields(fields)
  if (typeof sent.startRoute !== 'boolean') refuse('startRoute is required')
  return checkedSpec(sent)
}

/** A route as sent, checked, as a preset or a program gives it: `startRoute` may be left out. */
export function checkedSpec(fields: unknown): RouteSpec {
  const sent = checkedFields(fields)
  checkPart('source', sent.source, SOURCE)
  checkDestinations(sent, undefined)
  return sent
}

/** The fields of an update to `route`, checked (facts 4.4). Throws as `checkedCreate`. */
export function checkedUpdate(fields: unknown, route: RouteState): RouteSpec {
  const sent = checkedFields(fields)
  if (!sent.source.id) refuse('source.id is required')
  if (sent.source.id !== route.source.id) refuse('source.id cannot be changed')
  checkPart('source', sent.source, SOURCE, route.source)
  checkDestinations(sent, route)
  return sent
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
    checkPart(path, destination, DESTINATION, stored)
    // Statistics find a destination by its name within the route. Whether names have to be unique
    // beyond that is unknown.
    if (names.has(destination.name)) refuse(`${path}.name is used twice`)
    names.add(destination.name)
  })
}

/** The destination an update means; without an id it is a new one. */
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

interface PartRules {
  protocols: readonly string[]
  ranges: Record<string, readonly [number, number]>
  choices: Record<string, readonly string[]>
}

const SRT_CHOICES = {
  srtMode: ['caller', 'listener', 'rendezvous'],
  srtGroupMode: ['none', 'broadcast', 'backup', 'any'],
  srtFecLayout: ['even', 'staircase'],
  srtFecArq: ['never', 'onreq', 'always'],
}

const SOURCE: PartRules = {
  protocols: ['udp', 'rtp', 'srt', 'rtmp', 'rtsp'],
  ranges: { port: [1, 65_535] },
  choices: {
    ...SRT_CHOICES,
    rtmpMode: ['PUBLISHER', 'CONSUMER'],
    fec: ['none', 'prompeg', 'vf'],
    rtpReceiverClass: ['low', 'moderate', 'high'],
  },
}

const DESTINATION: PartRules = {
  protocols: ['udp', 'rtp', 'srt', 'hls'],
  ranges: {
    port: [1, 65_535],
    mtu: [280, 1500],
    ttl: [1, 255],
    tos: [0, 255],
    prompegFecColumns: [1, 20],
    prompegFecRows: [4, 20],
  },
  choices: {
    ...SRT_CHOICES,
    action: ['start', 'stop', 'none'],
    fec: ['none', 'prompeg', 'vf'],
    prompegFecLevel: ['a', 'b'],
  },
}

/** `stored` is the part that the update keeps, if there is one. */
function checkPart(
  path: string,
  sent: SentDestination,
  rules: PartRules,
  stored?: SentSource,
): void {
  checkName(`${path}.name`, sent.name)
  numbersFromStrings(sent)
  const part = mergedDefinition(sent, stored)
  if (!rules.protocols.includes(part.protocol ?? '')) {
    refuse(
      part.protocol === undefined
        ? `${path}.protocol is required`
        : `${path}.protocol ${part.protocol} is not known`,
    )
  }
  checkNotJoined(path, sent)
  if (part.protocol === 'srt') checkSrt(path, sent, part)
  if (part.protocol === 'rtmp') {
    demand(path, part, 'rtmpMode')
    demand(path, part, 'streamName')
  }
  if (hasAddress(part)) {
    // Required even where the rest keeps its stored value (facts 4.7).
    demand(path, sent, 'address')
    demand(path, sent, 'port')
    checkAddress(path, sent)
  }
  for (const [name, [low, high]] of Object.entries(rules.ranges)) {
    checkRange(
      `${path}.${name}`,
      name === 'port' && !hasAddress(part) ? null : sent[name],
      low,
      high,
    )
  }
  for (const [name, values] of Object.entries(rules.choices)) {
    const value = sent[name]
    if (value !== undefined && value !== null && !values.some((each) => each === value)) {
      refuse(`${path}.${name} must be one of ${values.join(', ')}`)
    }
  }
}

function checkSrt(path: string, sent: SentSource, part: SentSource): void {
  // An answer's `mode` is not a request's `srtMode`, and must not pass for it by way of the stored value.
  if (sent.srtMode === undefined && sent.mode !== undefined) refuse(`${path}.srtMode is required`)
  demand(path, part, 'srtMode')
  checkText(`${path}.srtPassPhrase`, part.srtPassPhrase)
  checkText(`${path}.srtOverhead`, part.srtOverhead)
  const cipher = part.srtEncryption
  if (cipher && !/^(aes128|aes256|none)$/i.test(text(cipher))) {
    refuse(`${path}.srtEncryption must be one of AES128, AES256, None`)
  }
  if (!isRedundant(part)) return
  if (part.srtMode === 'rendezvous') refuse(`${path}.srtGroupMode needs a caller or a listener`)
  const paths = part.srtNetworkBondingParams
  if (!Array.isArray(paths) || paths.length === 0) {
    refuse(`${path}.srtNetworkBondingParams is required`)
  }
  paths.forEach((each, place) => {
    const where = `${path}.srtNetworkBondingParams[${place}]`
    if (!isObject(each)) refuse(`${where} must be an object`)
    checkAddress(where, each)
    demand(where, each, 'port')
    checkRange(`${where}.port`, each.port, 1, 65_535)
  })
}

function checkAddress(path: string, sent: Record<string, unknown>): void {
  if (typeof sent.address !== 'string' || sent.address === '') {
    refuse(`${path}.address must be an address`)
  }
}

/** The joined form of answers is refused in a request, even where redundancy makes it needless. */
function checkNotJoined(path: string, sent: SentSource): void {
  for (const name of ['address', 'port', 'networkInterface']) {
    if (text(sent[name]).includes('|')) refuse(`${path}.${name} must be a single one`)
  }
}

function checkName(path: string, name: unknown): void {
  if (name === undefined || name === null) refuse(`${path} is required`)
  if (typeof name !== 'string' || name.length < 1 || name.length > 60) {
    refuse(`${path} must have 1 to 60 characters`)
  }
}

function checkText(path: string, value: unknown): void {
  if (value !== undefined && value !== null && typeof value !== 'string') {
    refuse(`${path} must be a string`)
  }
}

function checkRange(path: string, value: unknown, low: number, high: number): void {
  if (value === undefined || value === null) return
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
  if (!fits) refuse(`${path} must be a whole number from ${low} to ${high}`)
}

function demand(path: string, part: Record<string, unknown>, name: string): void {
  if (part[name] === undefined || part[name] === null) refuse(`${path}.${name} is required`)
}

/** What an answer gives as a string may come back as one. Changes `sent`, which is a copy. */
function numbersFromStrings(sent: SentSource): void {
  for (const name of [...STRING_NUMBERS, 'segmentDuration']) {
    const value = sent[name]
    if (typeof value === 'string' && /^\d+$/.test(value)) sent[name] = Number(value)
  }
}

/** A value as text for a comparison; what is no text or number matches nothing. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function refuse(problem: string): never {
  throw new Refusal(400, 'postUpdates', `${problem}.`)
}
