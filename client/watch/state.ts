import { createHmac, randomBytes } from 'node:crypto'
import {
  booleanFrom,
  destinationToSent,
  isNumeric,
  protocolOf,
  sourceToSent,
} from '../model/convert'
import { PROTOCOLS, membersOf, spellingOf, type Direction, type Member } from '../model/members'
import { isEmpty, isObject, isText, membersIn, own, type JsonObject } from '../model/json'
import { HIDDEN, hideSecrets, isMasked } from '../model/secrets'
import type { DeviceConfiguration } from '../model/types'
import { secretsIn, withoutSecrets } from '../connection/redaction'

/**
 * What is known of a device: only what a watch compares (design 2.6), without counters, clocks,
 * secrets or members that the package does not know. States are never changed in place.
 */
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

/** How something is, as the appliance reports it. */
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
  readonly destinations: ReadonlyMap<string, DestinationState>
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

/** How a source or destination is set up, in sent form. */
export interface Definition {
  /** JSON with its members sorted by name, without empty ones, secrets hidden. */
  readonly json: string
  /** A digest, which differs when a secret was changed. */
  readonly secrets: string
  /** The same text for definitions that mean the same. */
  readonly trace: string
}

/** A route is running, as opposed to `idle` or `stopped`, which mean the same (facts 5.1). */
export const isRunning = ({ state }: Condition): boolean => state === 'running'

/** A list that has become empty counts when it is empty twice in a row. */
export interface UnconfirmedEmpty {
  before: ReadonlySet<string>
  now: Set<string>
}

const NO_DOUBTS: UnconfirmedEmpty = { before: new Set(), now: new Set() }

/**
 * Returns the state of a device from a response and, where that leaves something out, from what
 * was known before: an omission means nothing.
 */
export function deviceState(
  id: string,
  answer: DeviceConfiguration,
  routes: { arrived: readonly unknown[]; kept?: ReadonlyArray<[string, RouteState]> },
  doubts: UnconfirmedEmpty = NO_DOUBTS,
  known?: DeviceState,
): DeviceState {
  const { config } = answer as { config: unknown }
  const list = (value: unknown, of: string, before: number): unknown[] | undefined => {
    if (!Array.isArray(value)) return undefined
    return isBelieved(value, of, before, doubts) ? value : undefined
  }
  const adapters = list(
    own(own(config, 'settings'), 'networkAdapters'),
    'adapters',
    known && known.adapters !== '[]' ? 1 : 0,
  )
  const peers = list(own(config, 'peers'), 'peers', known?.peers.size ?? 0)
  const present = new Map(routes.kept)
  for (const route of routes.arrived.filter(isObject)) {
    const routeId = String(route.id)
    present.set(routeId, routeState(routeId, route, doubts, known?.routes.get(routeId)))
  }
  return unlessSame(known, {
    id,
    name: text(answer.name) ?? known?.name ?? '',
    condition: {
      code: word(answer.statusCode) ?? known?.condition.code,
      state: text(answer.status) ?? known?.condition.state,
      details: text(answer.statusDetails),
    },
    firmware: text(answer.firmware) ?? known?.firmware,
    adapters: adapters ? adaptersOf(adapters) : (known?.adapters ?? '[]'),
    peers: peers ? peersOf(peers, known?.peers) : (known?.peers ?? new Map()),
    routes: sameMap(known?.routes, present),
  })
}

/**
 * Returns the known one when the new one is equal. Usually nothing has changed, and what is shared
 * from poll to poll costs no more memory.
 */
function unlessSame<T extends { condition: Condition }>(known: T | undefined, present: T): T {
  if (!known) return present
  const { condition, ...others } = present
  const same =
    condition.code === known.condition.code &&
    condition.state === known.condition.state &&
    condition.details === known.condition.details &&
    Object.entries(others).every(([name, value]) => known[name as keyof T] === value)
  return same ? known : present
}

function sameMap<T>(
  known: ReadonlyMap<string, T> | undefined,
  present: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  if (known?.size !== present.size) return present
  for (const [key, value] of present) if (known.get(key) !== value) return present
  return known
}

function isBelieved(
  value: unknown[],
  of: string,
  before: number,
  doubts: UnconfirmedEmpty,
): boolean {
  if (value.length > 0 || before === 0) return true
  doubts.now.add(of)
  return doubts.before.has(of)
}

function adaptersOf(adapters: unknown[]): string {
  const read = adapters.map((adapter) => ({
    name: text(own(adapter, 'name')) ?? '',
    address: text(own(adapter, 'address')) ?? '',
  }))
  return JSON.stringify(read.sort((one, other) => (one.name < other.name ? -1 : 1)))
}

function peersOf(
  peers: unknown[],
  known?: ReadonlyMap<string, PeerState>,
): ReadonlyMap<string, PeerState> {
  const states = peers.filter(isObject).map((peer): PeerState => {
    const name = text(peer.gatewayName) ?? text(peer.address) ?? ''
    const details = text(peer.statusDetails)
    const id = text(peer.id) ?? name
    return unlessSame(known?.get(id), {
      id,
      name,
      condition: {
        code: undefined,
        state: text(peer.status),
        details: details && withoutSecrets(details, secretsIn(peer)),
      },
    })
  })
  return sameMap(known, new Map(states.map((state) => [state.id, state])))
}

function routeState(
  id: string,
  route: JsonObject,
  doubts: UnconfirmedEmpty,
  known?: RouteState,
): RouteState {
  const { source, destinations } = route
  // Some firmware writes an empty list as null.
  const given = destinations === null ? [] : destinations
  const listed = Array.isArray(given) ? (given as unknown[]) : undefined
  const knownSource = unlessUntold('source', known)
  const knownDestinations = unlessUntold('destinations', known)
  const before = knownDestinations?.size ?? 0
  const isGiven = listed && isBelieved(listed, `destinations of ${id}`, before, doubts)
  return unlessSame(known, {
    id,
    name: text(route.name) ?? known?.name ?? '',
    condition: conditionOf(route, [], known),
    source:
      isObject(source) && (isText(source.protocol) || knownSource)
        ? partState('source', source, knownSource)
        : (knownSource ?? UNTOLD.source),
    destinations: isGiven
      ? destinationsOf(listed, knownDestinations)
      : (knownDestinations ?? UNTOLD.destinations),
  })
}

/** Stands for what no response has contained yet. Its later arrival is not a change. */
export const UNTOLD: Pick<RouteState, 'source' | 'destinations'> = {
  source: { name: '', condition: {}, definition: { json: '{}', secrets: '', trace: '' } },
  destinations: new Map(),
}

const unlessUntold = <Name extends keyof typeof UNTOLD>(
  name: Name,
  known?: RouteState,
): RouteState[Name] | undefined => (known?.[name] === UNTOLD[name] ? undefined : known?.[name])

function destinationsOf(
  destinations: unknown[],
  known?: RouteState['destinations'],
): ReadonlyMap<string, DestinationState> {
  const states = new Map<string, DestinationState>()
  for (const destination of destinations.filter(isObject)) {
    const called = text(destination.id) ?? text(destination.name) ?? ''
    let key = called
    for (let same = 2; states.has(key); same++) key = `${called}#${same}`
    const before = known?.get(key)
    const state = {
      ...partState('destination', destination, before),
      key,
      started: booleanFrom(destination.started) ?? before?.started,
    }
    states.set(key, unlessSame(before, state))
  }
  return sameMap(known, states)
}

function partState(direction: Direction, part: JsonObject, known?: PartState): PartState {
  // An incomplete part shows nothing of its definition.
  const isWhole = isText(part.protocol) || !known
  const { definition, secrets } = isWhole
    ? definitionOf(direction, part, known?.definition)
    : { definition: known.definition, secrets: [] }
  return unlessSame(known, {
    id: text(part.id) ?? known?.id,
    name: text(part.name) ?? known?.name ?? '',
    condition: conditionOf(part, secrets, known),
    definition,
  })
}

function conditionOf(
  part: JsonObject,
  secrets: string[],
  known?: { condition: Condition },
): Condition {
  const details = text(part.summaryStatusDetails)
  return {
    code: word(part.summaryStatusCode) ?? known?.condition.code,
    state: word(part.state) ?? known?.condition.state,
    details: details && withoutSecrets(details, secrets),
  }
}

const text = (value: unknown): string | undefined => (isText(value) ? value : undefined)

/** A word of facts 3.1 or 5.1, in lower case as there: flows compare it. */
const word = (value: unknown): string | undefined => text(value)?.toLowerCase()

/**
 * Returns the definition of a source or destination; the known one where nothing was changed, which
 * is cheap to check and nearly always so. Also returns the secrets, to keep them out of texts.
 */
function definitionOf(
  direction: Direction,
  part: JsonObject,
  known?: Definition,
): { definition: Definition; secrets: string[] } {
  const protocol = protocolOf(direction, part)
  const secrets: string[] = []
  let isHiddenByFirmware = false
  const traces: string[] = []
  const seen = new Set<string>()
  for (const [name, member] of definingMembers(direction, protocol)) {
    const value = part[name]
    if (member.secret) {
      if (isMasked(value)) isHiddenByFirmware = true
      else if (isText(value)) secrets.push(value)
      continue
    }
    const canonical = canonicalOf(name === 'protocol' ? protocol : value, name, member)
    const sentName = member.sentAs ?? name
    if (canonical === '' || seen.has(sentName)) continue
    seen.add(sentName)
    traces.push(`${sentName}=${canonical}`)
  }
  // Joined, not concatenated piece by piece, which would keep the pieces in memory.
  const trace = traces.join('\n')
  const digest = isHiddenByFirmware ? (known?.secrets ?? '') : digestOf(secrets)
  if (known?.trace === trace && known.secrets === digest) return { definition: known, secrets }
  const json = JSON.stringify(viewOf(direction, protocol, part))
  return { definition: { json, secrets: digest, trace }, secrets }
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
  if (typeof value !== 'string' && typeof value !== 'number' && value !== true) return ''
  const plain = String(value).trim()
  if (kind === 'boolean') return plain === 'true' ? plain : ''
  if (kind === 'number') return isNumeric(plain) ? String(Number(plain) || '') : plain
  if (name === 'name') return plain
  const lower = plain.toLowerCase()
  if (lower === 'none') return ''
  if (kind !== 'choice') return plain
  return spellingOf(member as Member, plain)?.toLowerCase() ?? lower
}

function digestOf(secrets: string[]): string {
  if (secrets.length === 0) return ''
  return createHmac('sha256', KEY).update(secrets.join('\n')).digest('base64')
}

/** Makes the digests of secrets useless outside this process. */
const KEY = randomBytes(16)

/** What an event shows of a definition: known members sorted by name, without secrets. */
function viewOf(direction: Direction, protocol: unknown, part: JsonObject): object {
  const members = membersOf(direction, protocol)
  const sent =
    direction === 'source' ? sourceToSent(part as never) : destinationToSent(part as never)
  const shown = membersIn(sent)
    .filter(([name, value]) => name !== 'id' && members.has(name) && !isEmpty(value))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [name, shownValue(value, members.get(name)!)] as const)
  return hideSecrets(Object.fromEntries(shown))
}

function shownValue(value: unknown, { of }: Member): unknown {
  if (typeof value === 'string') return value.replace(/\/\/[^/@\s]*@/, `//${HIDDEN}@`)
  if (!Array.isArray(value)) return typeof value === 'object' ? undefined : value
  return value
    .filter((item) => (of ? isObject(item) : typeof item !== 'object'))
    .map((item: unknown) => {
      if (!of) return item
      const members = membersIn(item as JsonObject).filter(([name]) => Object.hasOwn(of, name))
      return Object.fromEntries(members)
    })
}

const defining = new Map<string, Array<[string, Member]>>()

/**
 * The members of a response that make up a definition. Only those of the table in `model/members`
 * count: one that the package does not know may be a counter.
 */
function definingMembers(direction: Direction, protocol: unknown): Array<[string, Member]> {
  const key = `${direction} ${isText(protocol) ? protocol : ''}`
  const found = defining.get(key)
  if (found) return found
  const members = [...membersOf(direction, protocol)].filter(
    ([name, { sentOnly, readOnly }]) => name !== 'id' && !sentOnly && !readOnly?.({}),
  )
  if (PROTOCOLS[direction].includes(String(protocol))) defining.set(key, members)
  return members
}
