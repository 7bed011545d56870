import * as crypto from 'node:crypto'
import { booleanFrom, isNumeric, partToSent, protocolOf } from '../model/convert'
import { PROTOCOLS, membersOf, spellingOf, type Direction, type Member } from '../model/members'
import {
  isEmpty,
  isNone,
  isObject,
  isText,
  membersIn,
  own,
  textIn,
  type JsonObject,
} from '../model/json'
import { hideSecrets, isMasked } from '../model/secrets'
import type { DeviceConfiguration } from '../model/types'
import { secretsIn, withoutSecrets } from '../connection/redaction'
import { compactObject, shared, type Compact } from './compact'

/** Only what a watch compares: no counters, clocks, secrets or unknown members. Never changed in place. */
export interface DeviceState {
  readonly id: string
  readonly name: string
  readonly condition: Condition
  readonly firmware?: string
  /** JSON. */
  readonly adapters: string
  readonly peers: ReadonlyMap<string, PeerState>
  readonly routes: ReadonlyMap<string, RouteState>
}

export interface Condition {
  /** `ok`, `warn`, `error`, `unknown`. */
  readonly code?: string
  /** Of a connection, or of a device: `connected`, `Online` … */
  readonly state?: string
  /** Words for people; reported, but not compared. */
  readonly details?: string
}

export interface PeerState {
  readonly id: string
  readonly name: string
  readonly condition: Condition
}

export interface RouteState {
  readonly id: string
  readonly name: string
  /** `condition.state` is `idle`, `stopped` or `running`. */
  readonly condition: Condition
  readonly source: PartState
  readonly destinations: readonly DestinationState[]
}

/** A source, or what a destination has in common with one. */
export interface PartState {
  readonly id?: string
  readonly name: string
  readonly condition: Condition
  readonly definition: Definition
}

export interface DestinationState extends PartState {
  /** Its ID or, where firmware has none, its name, numbered where several have the same. */
  readonly key: string
  readonly started?: boolean
}

/** In sent form: members sorted by name, without empty ones, secrets hidden. */
export interface Definition extends Compact<DefinitionKind> {
  /** A digest, which differs when a secret was changed. */
  readonly secrets: string
  /** A digest, which is the same for definitions that mean the same. */
  readonly trace: string
}

/** What the values also say, where they would have to be searched for it. */
interface DefinitionKind {
  readonly names: readonly string[]
  /** Empty while it is not known. */
  readonly protocol: string
  /** An SRT listener: others call it. */
  readonly isListener: boolean
}

/** A route is running, as opposed to `idle` or `stopped`, which mean the same. */
export const isRunning = ({ state }: Condition): boolean => state === 'running'

/** A list that has become empty counts when it is empty twice in a row. */
export interface UnconfirmedEmpty {
  before: ReadonlySet<string>
  now: Set<string>
}

const NO_DOUBTS: UnconfirmedEmpty = { before: new Set(), now: new Set() }

/**
 * An omission in a response means nothing: what was known stays.
 * @param routes all that the device has now, see `routeState`
 * @param hide returns a copy without what must not be shown
 */
export function deviceState(
  id: string,
  answer: DeviceConfiguration,
  routes: ReadonlyArray<[string, RouteState]>,
  doubts: UnconfirmedEmpty = NO_DOUBTS,
  known?: DeviceState,
  hide: Hide = hideSecrets,
): DeviceState {
  const { config } = answer as { config: unknown }
  const adapters = believed(
    own(own(config, 'settings'), 'networkAdapters'),
    'adapters',
    known && known.adapters !== '[]' ? 1 : 0,
    doubts,
  )
  const peers = believed(own(config, 'peers'), 'peers', known?.peers.size ?? 0, doubts)
  const name = nameOf(answer.name, known?.name, hide)
  const condition = conditionAs(
    known?.condition,
    word(answer.statusCode),
    textIn(answer.status),
    detailsOf(answer.statusDetails, NO_SECRETS, hide, known?.condition),
  )
  const firmware = textIn(answer.firmware) ?? known?.firmware
  const adaptersNow = adapters ? adaptersOf(adapters) : (known?.adapters ?? '[]')
  const peersNow = peers ? peersOf(peers, hide, known?.peers) : (known?.peers ?? NO_PEERS)
  const routesNow = sameMap(known?.routes, new Map(routes))
  const isSame =
    name === known?.name &&
    condition === known.condition &&
    firmware === known.firmware &&
    adaptersNow === known.adapters &&
    peersNow === known.peers &&
    routesNow === known.routes
  if (isSame) return known
  return {
    id,
    name,
    condition,
    firmware,
    adapters: adaptersNow,
    peers: peersNow,
    routes: routesNow,
  }
}

/*
 * Usually nothing has changed. Then every function below returns the known part, and makes no new
 * one to compare: V8 allocates an object straight in the old generation when most of those made on
 * the same line have lasted, as those of the first poll do, and what it refers to follows it there.
 */

/** Returns what may be shown of a value: the appliance may have written the password into any text. */
type Hide = <T>(value: T) => T

/** Code and state stay where they are not given. Returns the known condition when it is equal. */
function conditionAs(
  known: Condition | undefined,
  code = known?.code,
  state = known?.state,
  details: string | undefined,
): Condition {
  const isSame = known?.code === code && known?.state === state && known?.details === details
  if (known && isSame) return known
  return shared({ code, state, details })
}

function sameMap<T>(
  known: ReadonlyMap<string, T> | undefined,
  present: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  if (known?.size !== present.size) return present
  for (const [key, value] of present) if (known.get(key) !== value) return present
  return known
}

/** Returns the list where it counts. @param before how many were known */
function believed(
  value: unknown,
  of: string,
  before: number,
  doubts: UnconfirmedEmpty,
): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined
  if (value.length > 0 || before === 0) return value
  doubts.now.add(of)
  return doubts.before.has(of) ? value : undefined
}

function adaptersOf(adapters: unknown[]): string {
  const read = adapters.map((adapter) => ({
    name: textIn(own(adapter, 'name')) ?? '',
    address: textIn(own(adapter, 'address')) ?? '',
  }))
  const keyOf = ({ name, address }: (typeof read)[0]): string => JSON.stringify([name, address])
  return JSON.stringify(read.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)))
}

function peersOf(
  peers: unknown[],
  hide: Hide,
  known?: ReadonlyMap<string, PeerState>,
): ReadonlyMap<string, PeerState> {
  const states = peers.filter(isObject).map((peer): PeerState => {
    const called = textIn(peer.gatewayName) ?? textIn(peer.address) ?? ''
    const id = textIn(peer.id) ?? called
    const before = known?.get(id)
    const name = nameOf(called, before?.name, hide)
    const condition = conditionAs(
      before?.condition,
      undefined,
      textIn(peer.status),
      detailsOf(peer.statusDetails, secretsIn(peer), hide),
    )
    if (before?.name === name && before.condition === condition) return before
    return { id, name, condition }
  })
  if (states.length === 0) return NO_PEERS
  return sameMap(known, new Map(states.map((state) => [state.id, state])))
}

const NO_PEERS: ReadonlyMap<string, PeerState> = new Map()

/** A route of a response, with its ID. @param device as it was known */
export function routeState(
  route: JsonObject,
  doubts: UnconfirmedEmpty = NO_DOUBTS,
  device?: DeviceState,
  hide: Hide = hideSecrets,
): [string, RouteState] {
  const id = String(route.id)
  const known = device?.routes.get(id)
  const { source, destinations } = route
  // Some firmware writes an empty list as null.
  const given = destinations === null ? [] : destinations
  const knownSource = unlessUntold('source', known)
  const knownDestinations = unlessUntold('destinations', known)
  const before = knownDestinations?.length ?? 0
  const listed = believed(given, `destinations of ${id}`, before, doubts)
  const condition = conditionOf(route, NO_SECRETS, hide, known)
  const name = nameOf(route.name, known?.name, hide)
  const sourceNow =
    isObject(source) && (isText(source.protocol) || knownSource)
      ? partState('source', source, hide, knownSource)
      : (knownSource ?? UNTOLD.source)
  const destinationsNow = listed
    ? destinationsOf(listed, hide, knownDestinations)
    : (knownDestinations ?? UNTOLD.destinations)
  const isSame =
    name === known?.name &&
    condition === known.condition &&
    sourceNow === known.source &&
    destinationsNow === known.destinations
  if (isSame) return [id, known]
  return [id, { id, name, condition, source: sourceNow, destinations: destinationsNow }]
}

/** Stands for what no response has contained yet. Its later arrival is not a change. */
export const UNTOLD: Pick<RouteState, 'source' | 'destinations'> = {
  source: {
    name: '',
    condition: {},
    definition: {
      kind: { names: [], protocol: '', isListener: false },
      values: '[]',
      secrets: '',
      trace: '',
    },
  },
  destinations: [],
}

const unlessUntold = <Name extends keyof typeof UNTOLD>(
  name: Name,
  known?: RouteState,
): RouteState[Name] | undefined => (known?.[name] === UNTOLD[name] ? undefined : known?.[name])

function destinationsOf(
  destinations: unknown[],
  hide: Hide,
  known?: RouteState['destinations'],
): RouteState['destinations'] {
  const states = [...destinationsByKey(destinations)].map(([key, destination], index) => {
    const inPlace = known?.[index]
    const before = inPlace?.key === key ? inPlace : known?.find((one) => one.key === key)
    const part = partState('destination', destination, hide, before)
    const started = booleanFrom(destination.started) ?? before?.started
    if (before && part === before && started === before.started) return before
    const { id, name, condition, definition } = part
    return { id, name, condition, definition, key, started }
  })
  // Another order says nothing.
  const isKnown = (one: DestinationState, at: number): boolean =>
    one === known?.[at] || known?.includes(one) === true
  const isSame = known?.length === states.length && states.every(isKnown)
  // A copy: a list that has grown has room for more.
  return isSame ? known : states.slice()
}

/** Destinations as they were sent, by the keys of the state. */
export function destinationsByKey(destinations: unknown[]): ReadonlyMap<string, JsonObject> {
  const keyed = new Map<string, JsonObject>()
  for (const destination of destinations) {
    if (!isObject(destination)) continue
    const called = nameOrId(destination)
    let key = called
    for (let same = 2; keyed.has(key); same++) key = `${called}#${same}`
    keyed.set(key, destination)
  }
  return keyed
}

export const nameOrId = (part: unknown): string =>
  textIn(own(part, 'id')) ?? textIn(own(part, 'name')) ?? ''

function partState(
  direction: Direction,
  part: JsonObject,
  hide: Hide,
  known?: PartState,
): PartState {
  // An incomplete part shows nothing of its definition.
  const isWhole = isText(part.protocol) || !known
  const { definition, secrets } = isWhole
    ? definitionOf(direction, part, hide, known?.definition)
    : { definition: known.definition, secrets: NO_SECRETS }
  const isRedefined = definition !== known?.definition
  const id = textIn(part.id) ?? known?.id
  const name = nameOf(part.name, known?.name, hide)
  const condition = conditionOf(part, secrets, hide, known, isRedefined)
  const isSame = id === known?.id && name === known?.name && condition === known.condition
  return known && isSame && !isRedefined ? known : { id, name, condition, definition }
}

const NO_SECRETS: readonly string[] = []

/** `isRedefined`: its secrets may be others than those that are hidden in the known details. */
function conditionOf(
  part: JsonObject,
  secrets: readonly string[],
  hide: Hide,
  known?: { condition: Condition },
  isRedefined = true,
): Condition {
  const before = known?.condition
  const shown = isRedefined ? undefined : before
  const details = detailsOf(part.summaryStatusDetails, secrets, hide, shown)
  return conditionAs(before, word(part.summaryStatusCode), word(part.state), details)
}

/** @param shown has no secret, so what it says needs no search */
function detailsOf(
  given: unknown,
  secrets: readonly string[],
  hide: Hide,
  shown?: Condition,
): string | undefined {
  const details = textIn(given)
  if (details === undefined || details === shown?.details) return details
  return hide(withoutSecrets(details, secrets))
}

/** The name as it may be shown. The known one has been searched for secrets. */
function nameOf(given: unknown, known = '', hide: Hide): string {
  const name = textIn(given)
  return name === undefined || name === known ? known : hide({ name }).name
}

/** A state or a status, in lower case: flows compare it. */
const word = (value: unknown): string | undefined => textIn(value)?.toLowerCase()

/** The known one where nothing was changed, which is cheap to check; with its secrets, to keep them out. */
function definitionOf(
  direction: Direction,
  part: JsonObject,
  hide: Hide,
  known?: Definition,
): { definition: Definition; secrets: readonly string[] } {
  const protocol = protocolOf(direction, part)
  let secrets = NO_SECRETS
  let isHiddenByFirmware = false
  let traced = ''
  for (const { sentName, readFrom } of definingMembers(direction, protocol)) {
    for (const [name, member] of readFrom) {
      const value = name === 'protocol' ? protocol : part[name]
      // Most members of the table.
      if (value === undefined) continue
      if (member.secret) {
        if (isMasked(value)) isHiddenByFirmware = true
        else if (isText(value)) secrets = [...secrets, value]
        continue
      }
      const canonical = canonicalOf(value, name, member)
      if (canonical === '') continue
      traced += `${sentName}=${canonical}\n`
      break
    }
  }
  const trace = digestOf(traced)
  const digest = isHiddenByFirmware ? (known?.secrets ?? '') : digestOf(secrets.join('\n'))
  if (known?.trace === trace && known.secrets === digest) return { definition: known, secrets }
  const { kind, values } = compactObject(hide(viewOf(direction, protocol, part)), {
    protocol: textIn(protocol) ?? '',
    isListener: word(part.mode ?? part.srtMode) === 'listener',
  })
  return { definition: { kind, values, secrets: digest, trace }, secrets }
}

/** Returns the same text for values that mean the same; empty for those that mean nothing. */
function canonicalOf(value: unknown, name: string, member: Partial<Member>): string {
  const { kind, of } = member
  if (isEmpty(value)) return ''
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => {
      if (!isObject(item) || !of) return isText(item) ? item : ''
      const members = Object.entries(of).map(
        ([inside, each]) => `${inside}:${canonicalOf(item[inside], inside, each)}`,
      )
      return members.join(',')
    })
    return (of ? items : items.sort()).join(';')
  }
  if (kind === 'number' && typeof value === 'number') return String(value)
  if (typeof value !== 'string' && typeof value !== 'number' && value !== true) return ''
  const plain = String(value).trim()
  if (kind === 'boolean') return plain === 'true' ? plain : ''
  if (kind === 'number') return isNumeric(plain) ? String(Number(plain) || '') : plain
  if (name === 'name') return plain
  if (isNone(plain)) return ''
  if (kind !== 'choice') return plain
  return (spellingOf(member as Member, plain) ?? plain).toLowerCase()
}

const DIGEST_BYTES = 16

/** Returns a digest of the text; empty for an empty one. */
const digestOf = (content: string): string =>
  content === '' ? '' : hash(KEY + content).toString('latin1', 0, DIGEST_BYTES)

/** Makes the digests of secrets useless outside this process. */
const KEY = crypto.randomBytes(16).toString('hex')

// Node.js before 20.12 has no digest without an object for each.
const hash: (content: string) => Buffer =
  'hash' in crypto
    ? (content) => crypto.hash('sha256', content, 'buffer')
    : (content) => crypto.createHash('sha256').update(content).digest()

/** What an event shows of a definition: known members sorted by name. */
function viewOf(direction: Direction, protocol: unknown, part: JsonObject): object {
  const members = membersOf(direction, protocol)
  const shown = membersIn(partToSent(direction, part))
    .filter(([name, value]) => name !== 'id' && members.has(name) && !isEmpty(value))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [name, shownValue(value, members.get(name)!)] as const)
  return Object.fromEntries(shown)
}

function shownValue(value: unknown, { of }: Member): unknown {
  if (!Array.isArray(value)) return typeof value === 'object' ? undefined : value
  return value
    .filter((item) => (of ? isObject(item) : typeof item !== 'object'))
    .map((item: unknown) => {
      if (!of) return item
      const members = membersIn(item as JsonObject).filter(([name]) => Object.hasOwn(of, name))
      return Object.fromEntries(members)
    })
}

/** A member of a definition, by its name as sent. The first that means something counts. */
interface Defining {
  sentName: string
  readFrom: Array<[name: string, member: Member]>
}

const defining = new Map<string, Defining[]>()

/** Only those of the table in `model/members`: another one may be a counter. */
function definingMembers(direction: Direction, protocol: unknown): Defining[] {
  const key = `${direction} ${isText(protocol) ? protocol : ''}`
  const found = defining.get(key)
  if (found) return found
  const members: Defining[] = []
  for (const [name, member] of membersOf(direction, protocol)) {
    if (name === 'id' || member.sentOnly || member.readOnly?.({})) continue
    const sentName = member.sentAs ?? name
    const same = members.find((one) => one.sentName === sentName)
    if (same) same.readFrom.push([name, member])
    else members.push({ sentName, readFrom: [[name, member]] })
  }
  if (PROTOCOLS[direction].includes(String(protocol))) defining.set(key, members)
  return members
}
