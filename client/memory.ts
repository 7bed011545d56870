import type { JsonObject } from './model/json'
import type { RouteFields } from './model/types'

/**
 * Everything that is remembered about an appliance from one call to the next, for as long as its
 * gateway is open. This is the only place: no module keeps state by gateway.
 */
export interface Memory {
  /** The ID of the only device, looked up once. */
  onlyDevice?: Promise<string>
  /** The appliance refuses large pages. */
  refusesLargePages: boolean
  /** By device: how many routes it counts but does not list, however often they are read. */
  readonly unlisted: Map<string, number>
  /** Firmware before 3.8, which has no commands for destinations (facts 4.7). */
  lacksDestinationCommands: boolean
  /** The number of creates that were sent from here and do not show yet. */
  unseenCreates: number
  /** By route: the latest update that was sent from here and has not been seen applied yet. */
  readonly unseenUpdates: Map<string, UnseenUpdate>
  /** By route: the secrets that were last written from here. */
  readonly writtenSecrets: Map<string, WrittenSecrets>
  /** By device, `''` for the only one: its poller for watches. Only `watch/` knows more of it. */
  readonly watches: Map<string, Running>
  /** What another process has seen of a device, once it was asked for. Only `watch/` knows more of it. */
  handedOver?: Promise<object | undefined>
  /** It could not be had so far. */
  lacksHandedOver: boolean
  /** By route: the failover that protects it. Only `failover/` knows more of it. */
  readonly protections: Map<string, object>
  /** By device: its poller for waits until a change shows. Only `changes/` knows more about it. */
  readonly waits: Map<string, Running>
}

/** An update that the appliance may have accepted. */
export interface UnseenUpdate {
  fields: RouteFields
  /** The route that it was planned on. */
  before?: RouteFields
}

/**
 * The secrets of the source and of each destination. Firmware may leave them out of its responses,
 * or mask them (not documented): then nothing else shows whether a wanted one is stored.
 */
export type WrittenSecrets = ReadonlyMap<string, JsonObject>

/** Something that has timers or calls of its own, which the close of the gateway ends. */
export interface Running {
  end(): void
}

export const newMemory = (): Memory => ({
  lacksHandedOver: false,
  refusesLargePages: false,
  unlisted: new Map(),
  lacksDestinationCommands: false,
  unseenCreates: 0,
  unseenUpdates: new Map(),
  writtenSecrets: new Map(),
  watches: new Map(),
  protections: new Map(),
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
