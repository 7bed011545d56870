// What watches know and have reported, saved for those that come after them.
import type { Connection } from '../connection/connection'
import { setLatest } from '../memory'
import { isOpenIncident, type OpenIncident } from '../model/incident'
import { isObject, isText, type JsonObject } from '../model/json'
import type { Direction } from '../model/members'
import type { DeviceConfiguration } from '../model/types'
import { isSame } from './compare'
import type { SavedData } from './data'
import { snapshotOf, type Named, type Snapshot, type Wordless } from './events'
import type { Held } from './held'
import { UNTOLD, deviceState, type DeviceState, type PartState, type RouteState } from './state'
import type { SavedLimit } from './thresholds'

/** What one watch has saved: the next one with the same settings goes on with it. */
export interface SavedWatch {
  /** All that a watch of incidents saves: those that it has reported as begun and not as ended. */
  readonly incidents?: readonly OpenIncident[]
  /** Since when the appliance is unreachable, Unix ms, and whether that was reported. */
  readonly away?: { readonly at: number; readonly isTold: boolean }
  readonly data?: SavedData
  /** By their places. */
  readonly limits?: ReadonlyMap<string, SavedLimit>
  /** The state that it has reported. */
  readonly told?: DeviceState
  /** The changes since then that are on hold. */
  readonly held?: ReadonlyMap<string, Held>
}

/** What was seen of a device. */
export interface SavedDevice {
  readonly state: DeviceState
  /** When it was seen, Unix ms. */
  readonly at: number
  /** When it was saved, by the clock; undefined where another process has saved it. */
  readonly savedAt?: number
}

/** What the watches of one gateway have saved. It holds plain data: no session and no socket. */
export interface Saved {
  /** By their IDs. */
  readonly devices: Map<string, SavedDevice>
  /** By the settings of the watches. */
  readonly watches: Map<string, SavedWatches>
}

/** What watches with the same settings have saved. */
interface SavedWatches {
  readonly list: readonly SavedWatch[]
  /** How many watches have gone on with it. */
  taken: number
  /** When it was saved, by the clock; undefined where another process has saved it. */
  savedAt?: number
}

/** How long what was saved is kept for a watch that goes on with it, in ms. */
export const SAVED_MS = 60_000
/** Of the settings of watches that have saved something. */
const MOST_SAVED = 1000

const newSaved = (): Saved => ({ devices: new Map(), watches: new Map() })

/** What was saved for the watches of a gateway. */
export interface SavedStore extends Saved {
  /** Another process has saved it. */
  readonly isForeign: boolean
  /** False while what another process has saved cannot be had: there may be more. */
  isComplete: boolean
  /** Fetches what another process has saved, where that has not been had yet. Never rejects. */
  fetch(): Promise<void> | undefined
}

/** Returns what was saved for the watches of the gateway. */
export function storeOf({ memory, saved }: Connection): SavedStore {
  const known = memory.saved as SavedStore | undefined
  if (known) return known
  let load = typeof saved === 'function' ? saved : undefined
  let loading: Promise<void> | undefined
  const given = load ? undefined : (saved as Saved | undefined)
  const store: SavedStore = {
    ...(given ?? newSaved()),
    isForeign: load !== undefined,
    isComplete: true,
    fetch: () => load && (loading ??= fetched(load)),
  }
  async function fetched(from: NonNullable<typeof load>): Promise<void> {
    try {
      const { devices, watches } = ((await from()) as Saved | undefined) ?? newSaved()
      for (const [id, device] of devices) store.devices.set(id, device)
      for (const [settings, one] of watches) {
        if (!store.watches.has(settings)) store.watches.set(settings, one)
      }
      load = undefined
      store.isComplete = true
    } catch {
      // Watches begin without what cannot be had.
      store.isComplete = false
    }
    loading = undefined
  }
  memory.saved = store
  return store
}

/** Saves what a watch knows, beside that of others with the same settings that end with it. */
export function saveWatch(
  { watches }: Saved,
  settings: string,
  watch: SavedWatch,
  now: number,
): void {
  const { list = [], taken = 0 } = watches.get(settings) ?? {}
  const others = taken > 0 ? [] : list
  setLatest(watches, settings, { list: [...others, watch], taken: 0, savedAt: now }, MOST_SAVED)
}

/**
 * Takes what one watch with these settings has saved. Another process saves one for all of them: the
 * last one is taken by every further watch.
 */
export function takeWatch({ watches }: Saved, settings: string): SavedWatch | undefined {
  const saved = watches.get(settings)
  return saved?.list[Math.min(saved.taken++, saved.list.length - 1)]
}

/**
 * Forgets what was saved a minute ago. What another process has saved counts from the first poll that
 * succeeds: as long as the appliance is away, it is no less true.
 */
export function dropOld({ devices, watches }: Saved, now: number): void {
  for (const entries of [devices, watches] as Array<Map<string, { savedAt?: number }>>) {
    for (const [key, { savedAt = now }] of entries) {
      if (now - savedAt >= SAVED_MS) entries.delete(key)
    }
  }
}

/** What a watch has reported as begun and not yet as ended: plain data, for another process. */
export interface Open {
  /** All that a watch of incidents has open, which may be none. */
  incidents?: readonly OpenIncident[]
  /** Since when the appliance is unreachable, Unix ms. */
  unreachableSince?: number
  /** The routes whose sources receive nothing. */
  noData?: Named[]
  /** The limits that are passed. */
  limits?: OpenLimit[]
  /** The state that was reported, where changes are on hold. */
  told?: Omit<Wordless<Snapshot>, 'event' | 'at'>
}

type OpenLimit = Omit<SavedLimit, 'held' | 'value'> & { place: string }

/** Returns what a watch has open; undefined where there is nothing. */
export function openIn(saved: SavedWatch): Open | undefined {
  const { incidents, away, data, limits, told, held } = saved
  if (incidents) return { incidents }
  const noData = [...(data?.sources.values() ?? [])]
    .filter(({ receives, isTold }) => receives === false && isTold)
    .map(({ route: { id, name } }) => ({ id, name }))
  const passed = [...(limits ?? [])]
    .filter(([, { level }]) => level !== 'normal')
    .map(([place, limit]) => ({
      place,
      ...limit,
      held: undefined,
      value: undefined,
    }))
  const open: Open = {
    ...(away?.isTold && { unreachableSince: away.at }),
    ...(noData.length > 0 && { noData }),
    ...(passed.length > 0 && { limits: passed }),
    ...(told && held && { told: shown(told) }),
  }
  return Object.keys(open).length > 0 ? open : undefined
}

function shown(state: DeviceState): Open['told'] {
  const { event: _, at: __, ...rest } = snapshotOf(state, 0, () => true)
  return rest
}

/** The same without `told`; undefined where there is none. */
export function withoutTold(
  open: Readonly<Record<string, Open>>,
): Record<string, Open> | undefined {
  const entries = Object.entries(open)
  if (entries.every(([, { told }]) => !told)) return undefined
  const short = entries.map(([watch, one]) => [watch, { ...one, told: undefined }] as const)
  const isOpen = (one: object): boolean => Object.values(one).some((value) => value !== undefined)
  return Object.fromEntries(short.filter(([, one]) => isOpen(one)))
}

/**
 * Reads the picture of an appliance that another process has left; undefined where it is none. What it
 * shows is read as if the appliance had sent it.
 */
export function savedIn(picture: unknown): Saved | undefined {
  if (!isObject(picture)) return undefined
  const saved = newSaved()
  const state = stateIn(picture.snapshot)
  const at = (picture.snapshot as { at?: unknown } | undefined)?.at
  if (state && isNumber(at)) saved.devices.set(state.id, { state, at })
  for (const [settings, open] of Object.entries(isObject(picture.open) ? picture.open : {})) {
    if (isObject(open)) saved.watches.set(settings, { list: [savedWatchIn(open)], taken: 0 })
  }
  return saved
}

function savedWatchIn(open: JsonObject): SavedWatch {
  const { incidents, unreachableSince: at, noData, limits, told } = open
  if (Array.isArray(incidents)) return { incidents: listOf(incidents, isOpenIncident) }
  const sources = listOf(noData, isNamed).map((route) => {
    return [route.id, { receives: false, isTold: true, route }] as const
  })
  const passed = listOf(limits, isLimit).map(({ place, ...limit }) => [place, limit] as const)
  const state = stateIn(told)
  return {
    away: isNumber(at) ? { at, isTold: true } : undefined,
    data: { sources: new Map(sources) },
    limits: new Map(passed),
    told: state,
    held: state && new Map(),
  }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

const listOf = <T>(value: unknown, fits: (item: unknown) => item is T): T[] =>
  Array.isArray(value) ? value.filter(fits) : []

const isNamed = (value: unknown): value is Named =>
  isObject(value) && typeof value.id === 'string' && typeof value.name === 'string'

const isLimit = (value: unknown): value is OpenLimit & JsonObject =>
  isObject(value) &&
  typeof value.place === 'string' &&
  Number.isInteger(value.limit) &&
  (value.level === 'low' || value.level === 'high') &&
  typeof value.isPolled === 'boolean' &&
  isNamed(value.route) &&
  (value.destination === undefined || isNamed(value.destination))

/** Its definitions have no digests of secrets: those of another process mean nothing here. */
function stateIn(snapshot: unknown): DeviceState | undefined {
  if (!isSnapshot(snapshot)) return undefined
  const { device, adapters, peers, routes } = snapshot
  const answer = {
    name: device.name,
    statusCode: device.statusCode,
    status: device.status,
    firmware: device.firmware,
    config: {
      settings: { networkAdapters: adapters },
      peers: peers.map((peer) => ({ ...peer, gatewayName: peer.name })),
    },
  }
  const arrived = routes.map(({ destinations, ...route }) => {
    // A route that has never arrived whole shows neither: then there may be destinations.
    const isUntold = destinations.length === 0 && !isText(route.source.protocol)
    return { ...route, destinations: isUntold ? undefined : destinations }
  })
  const state = deviceState(device.id, answer as unknown as DeviceConfiguration, { arrived })
  return withRoutes(state, (route) => withParts(route, withoutDigest))
}

interface Shown {
  device: JsonObject & { id: string }
  adapters: unknown[]
  peers: JsonObject[]
  routes: Array<JsonObject & { source: JsonObject; destinations: JsonObject[] }>
}

const isSnapshot = (value: unknown): value is Shown =>
  isObject(value) &&
  isObject(value.device) &&
  isText(value.device.id) &&
  Array.isArray(value.adapters) &&
  isListOf(value.peers, () => true) &&
  isListOf(
    value.routes,
    ({ id, name, source, destinations }) =>
      isText(id) &&
      typeof name === 'string' &&
      isObject(source) &&
      isListOf(destinations, () => true),
  )

const isListOf = (value: unknown, fits: (item: JsonObject) => boolean): boolean =>
  Array.isArray(value) && value.every((item: unknown) => isObject(item) && fits(item))

/**
 * Returns a saved state as this process would have known it: what it cannot tell of definitions, such
 * as their secrets, is as it is now.
 */
export function asKnownHere(saved: DeviceState, present: DeviceState): DeviceState {
  if (saved === present) return saved
  return withRoutes(saved, (route) => {
    const now = present.routes.get(route.id)
    if (!now) return route
    return withParts(route, (part, direction, key) => {
      const partNow = direction === 'source' ? now.source : now.destinations.get(key)
      const { definition = part.definition } = partNow ?? {}
      return isSame(direction, part.definition, definition) ? { ...part, definition } : part
    })
  })
}

const withoutDigest = <Part extends PartState>(part: Part): Part => ({
  ...part,
  definition: { ...part.definition, secrets: undefined },
})

type Change = <Part extends PartState>(part: Part, direction: Direction, key: string) => Part

const withRoutes = (
  state: DeviceState,
  change: (route: RouteState) => RouteState,
): DeviceState => ({
  ...state,
  routes: new Map([...state.routes].map(([id, route]) => [id, change(route)])),
})

/** What has not been told stays so. */
const withParts = (route: RouteState, change: Change): RouteState => ({
  ...route,
  source: route.source === UNTOLD.source ? route.source : change(route.source, 'source', ''),
  destinations:
    route.destinations === UNTOLD.destinations
      ? route.destinations
      : new Map(
          [...route.destinations].map(([key, one]) => [key, change(one, 'destination', key)]),
        ),
})
