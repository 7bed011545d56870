import { createHmac, randomBytes } from 'node:crypto'
import { destinationToSent, protocolOf, sourceToSent } from '../model/convert'
import { PROTOCOLS, membersOf, type Direction, type Member } from '../model/fields'
import { isEmpty, isObject, isText, membersIn, own, type JsonObject } from '../model/json'
import { HIDDEN, isSecret } from '../model/secrets'
import type { DeviceConfiguration } from '../model/types'

/**
 * What is known of a device: only what a watch compares (design 2.6). Counters, clocks and
 * members that the package does not know are not in it, and no secret is. States are never
 * changed in place.
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

/** How something is, by the appliance's own account. */
export interface Condition {
  /** `ok`, `warn`, `error`, `unknown`. */
  readonly code?: string
  /** Of a connection, or of a device: `connected`, `Online` … */
  readonly state?: string
  /** Words for people; told, but not compared. */
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
  /** What it is told by: its ID or, where firmware gives none, its name. */
  readonly key: string
  readonly started?: boolean
}

/** How a source or destination is set up, in sent form. */
export interface Definition {
  /** JSON with its members in the order of their names, without what is empty, secrets hidden. */
  readonly json: string
  /** What tells that a secret was changed. */
  readonly secrets: string
  /** What it was made from, to tell quickly that nothing was changed. */
  readonly trace: string
}

/** A route is running, as opposed to `idle` or `stopped`, which mean the same (facts 5.1). */
export const isRunning = ({ state }: Condition): boolean => state === 'running'

/**
 * The state of a device from what it answered and, as far as it left something out, from what
 * was known before: what an answer leaves out says nothing.
 */
export function deviceState(
  id: string,
  answer: DeviceConfiguration,
  routes: readonly unknown[],
  known?: DeviceState,
): DeviceState {
  const { config } = answer as { config: unknown }
  const adapters = own(own(config, 'settings'), 'networkAdapters')
  const peers = own(config, 'peers')
  return {
    id,
    name: text(answer.name) ?? known?.name ?? '',
    condition: {
      code: text(answer.statusCode) ?? known?.condition.code,
      state: text(answer.status) ?? known?.condition.state,
      details: text(answer.statusDetails),
    },
    firmware: text(answer.firmware) ?? known?.firmware,
    adapters: Array.isArray(adapters)
      ? JSON.stringify(adapters.map(adapterOf))
      : (known?.adapters ?? '[]'),
    peers: Array.isArray(peers) ? peersOf(peers) : (known?.peers ?? new Map()),
    routes: new Map(
      routes.filter(isObject).map((route) => {
        const routeId = String(route.id)
        return [routeId, routeState(routeId, route, known?.routes.get(routeId))]
      }),
    ),
  }
}

const adapterOf = (adapter: unknown): unknown =>
  isObject(adapter) ? { name: own(adapter, 'name'), address: own(adapter, 'address') } : adapter

function peersOf(peers: unknown[]): Map<string, PeerState> {
  const states = peers.filter(isObject).map((peer): PeerState => {
    const name = text(peer.gatewayName) ?? text(peer.address) ?? ''
    return {
      id: text(peer.id) ?? name,
      name,
      condition: { state: text(peer.status), details: text(peer.statusDetails) },
    }
  })
  return new Map(states.map((state) => [state.id, state]))
}

function routeState(id: string, route: JsonObject, known?: RouteState): RouteState {
  const name = text(route.name) ?? known?.name ?? ''
  const { source, destinations } = route
  return {
    id,
    name,
    condition: conditionOf(route, known),
    source: isObject(source)
      ? partState('source', source, known?.source)
      : (known?.source ?? { name: '', condition: {}, definition: UNKNOWN }),
    destinations: Array.isArray(destinations)
      ? destinationsOf(destinations, known)
      : (known?.destinations ?? new Map()),
  }
}

const UNKNOWN: Definition = { json: '{}', secrets: '', trace: '' }

function destinationsOf(
  destinations: unknown[],
  known?: RouteState,
): Map<string, DestinationState> {
  const states = destinations.filter(isObject).map((destination): DestinationState => {
    const key = text(destination.id) ?? text(destination.name) ?? ''
    const before = known?.destinations.get(key)
    const { started } = destination
    return {
      ...partState('destination', destination, before),
      key,
      started: typeof started === 'boolean' ? started : before?.started,
    }
  })
  return new Map(states.map((state) => [state.key, state]))
}

function partState(direction: Direction, part: JsonObject, known?: PartState): PartState {
  return {
    id: text(part.id),
    name: text(part.name) ?? known?.name ?? '',
    condition: conditionOf(part, known),
    definition: definitionOf(direction, part, known?.definition),
  }
}

function conditionOf(part: JsonObject, known?: { condition: Condition }): Condition {
  return {
    code: text(part.summaryStatusCode) ?? known?.condition.code,
    state: text(part.state) ?? known?.condition.state,
    details: text(part.summaryStatusDetails),
  }
}

const text = (value: unknown): string | undefined => (isText(value) ? value : undefined)

/**
 * The definition of a source or destination; the known one where nothing was changed, which is
 * cheap to tell and nearly always so.
 */
function definitionOf(direction: Direction, part: JsonObject, known?: Definition): Definition {
  const protocol = protocolOf(direction, part)
  const members = definingMembers(direction, protocol)
  let trace = ''
  let secrets = ''
  for (const [name, { secret }] of members) {
    const value = part[name]
    if (secret && isText(value)) secrets += `${name}=${value}\n`
    else trace += `${JSON.stringify(value)}\n`
  }
  if (secrets !== '') secrets = createHmac('sha256', KEY).update(secrets).digest('base64')
  if (known?.trace === trace && known.secrets === secrets) return known

  const sent =
    direction === 'source' ? sourceToSent(part as never) : destinationToSent(part as never)
  const shown = membersIn(sent)
    .filter(([name, value]) => membersOf(direction, protocol).has(name) && !isEmpty(value))
    .filter(([name]) => name !== 'id')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [name, isSecret(name) ? HIDDEN : value] as const)
  return { json: JSON.stringify(Object.fromEntries(shown)), secrets, trace }
}

/** So that what is kept of a secret says nothing elsewhere. */
const KEY = randomBytes(16)

const defining = new Map<string, Array<[string, Member]>>()

/**
 * The members of an answer that make up a definition. Only those of the table in `model/fields`
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
