import { normalizeId } from './model/ids'
import type { InUse } from './model/failover'
import type { JsonObject } from './model/json'
import type { RouteFields } from './model/types'

/** What is remembered about an appliance while its gateway is open: no module keeps state by gateway. */
export interface Memory extends Sent {
  /** The ID of the only device, looked up once. */
  onlyDevice?: Promise<string>
  /** The appliance refuses large pages. */
  refusesLargePages: boolean
  /** By device: how many routes it counts but does not list, however often they are read. */
  readonly unlisted: Map<string, number>
  /** By device: the latest list of all routes that callers share. Only `changes/` knows more of it. */
  readonly lists: Map<string, object>
  /** Firmware before 3.8, which has no commands for destinations. */
  lacksDestinationCommands: boolean
  /** By device, `''` for the only one: its poller for watches. Only `watch/` knows more of it. */
  readonly watches: Map<string, Running>
  /** What watches have saved for those that come after them. Only `watch/` knows more of it. */
  saved?: object
  /** By gateway and route, see `ownerKey`: the failover that protects it. */
  readonly protections: Protections
  /** By device, `''` for the only one: the reads that failovers share. Only `failover/` knows more of it. */
  readonly reads: Map<string, object>
  /** By device: its poller for waits until a change shows. Only `changes/` knows more about it. */
  readonly waits: Map<string, Running>
}

/** What was sent from here. A connection that takes the place of another one builds on it. */
export interface Sent {
  /** By route, or by the name of a new one: what was sent from here and does not show yet. */
  readonly unseen: Map<string, Map<string, Unseen>>
  /** By route: the secrets that were last written from here. */
  readonly writtenSecrets: Map<string, WrittenSecrets>
  /** IDs of plans that are being applied or have changed something: each is applied once. */
  readonly usedPlans: Map<string, true>
}

export interface RouteAddress {
  deviceId: string
  routeId: string
}

/** Returns a key: the same text for the same route. */
export const keyOf = ({ deviceId, routeId }: RouteAddress): string =>
  `${deviceId} ${normalizeId(routeId)}`

/** A failover, as others see it: what it has set in a route is not theirs to change. */
export interface Owner {
  /** What main or backup set, without secrets that both have. None where two routes are protected. */
  readonly members: readonly string[]
  /** These members as main has them, without secrets; one that main does not have is empty. */
  readonly main: JsonObject
  /** The source that was last seen; of two routes, absent while both are stopped. */
  readonly inUse?: InUse
  /** It stops the one route and starts the other. */
  readonly isTwo: boolean
  /** Of two routes, the ID of main. */
  readonly mainId?: string
}

/** By gateway and route, see `ownerKey`. Connections to one gateway may share it. */
export type Protections = Map<string, Owner>

/** The same text for the same route of the same gateway, through whichever connection. */
export const ownerKey = (gateway: string, address: RouteAddress): string =>
  `${gateway} ${keyOf(address)}`

export const ownerOf = (
  { address: gateway, memory }: { address: string; memory: Memory },
  address: RouteAddress,
): Owner | undefined => memory.protections.get(ownerKey(gateway, address))

/** A change that was sent from here and that no read has shown yet. */
export interface Unseen {
  kind: 'create' | 'update' | 'delete' | 'start' | 'stop'
  /** By the clock of the gateway. */
  sentAt: number
  /** False while it is not known whether it arrived. */
  accepted: boolean
  fields?: RouteFields
  /** The route as it was read before the update. */
  before?: RouteFields
  /** The destination that is started or stopped; undefined for the route. */
  destinationId?: string
  older?: { byId(id: string): object | undefined }
  /** The change before it, which had not shown either: until that shows, this one cannot. */
  earlier?: Unseen
  /** What the updates before it had sent that had not shown either, the latest last. */
  formers?: readonly RouteFields[]
  /** The read in which the appliance has shown that it is under way. Another kind may be older. */
  pendingIn?: ReadOf
  /** Something else was under way when it was sent: that its end shows says nothing of this one. */
  amongOthers?: boolean
  /** What has shown it, once anything has but a list: another kind of read may still be older. */
  seenIn?: Partial<Record<ReadOf, true>>
  /** The change before it, which was seen: a kind of read that has not shown that may be older than both. */
  follows?: Unseen
}

/** What was read: the route itself, the list of routes, or the configuration of the device. */
export type ReadOf = 'route' | 'list' | 'device'

/** By part. Firmware may leave them out or mask them: nothing else shows whether one is stored. */
type WrittenSecrets = ReadonlyMap<string, JsonObject>

/** Something that has timers or calls of its own, which the close of the gateway ends. */
export interface Running {
  end(): void
}

export const newSent = (): Sent => ({
  unseen: new Map(),
  writtenSecrets: new Map(),
  usedPlans: new Map(),
})

export const newMemory = (protections: Protections = new Map(), sent = newSent()): Memory => ({
  refusesLargePages: false,
  unlisted: new Map(),
  lists: new Map(),
  lacksDestinationCommands: false,
  unseen: sent.unseen,
  writtenSecrets: sent.writtenSecrets,
  usedPlans: sent.usedPlans,
  watches: new Map(),
  protections,
  reads: new Map(),
  waits: new Map(),
})

/** Routes that other clients delete are never forgotten one by one. */
const MOST_ROUTES = 10_000

/** Sets an entry and, when there are too many, drops the oldest. */
export function setLatest<T>(
  entries: Map<string, T>,
  key: string,
  value: T,
  most = MOST_ROUTES,
): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= most) return
  const [oldest] = entries.keys()
  entries.delete(oldest!)
}
