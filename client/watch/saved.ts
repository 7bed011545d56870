// What watches know and have reported, saved for those that come after them.
import type { Connection } from '../connection/connection'
import { setLatest } from '../memory'
import { isNamed, named } from '../model/ids'
import { isOpenIncident, type OpenIncident } from '../model/incident'
import { isObject, type JsonObject } from '../model/json'
import type { FormerOutage } from '../poller'
import type { SavedCallers } from './measuring/callers'
import type { SavedData } from './measuring/data'
import type { Named } from '../model/types'
import type { Held } from './measuring/meter'
import type { DeviceState } from './state'
import type { SavedLimit } from './measuring/thresholds'

/** What one watch has saved: the next one with the same settings goes on with it. */
export interface SavedWatch {
  /** Those that a watch of incidents has reported as begun and not as ended. */
  readonly incidents?: readonly OpenIncident[]
  /** What a watch of incidents has seen, with what is on hold; by the clock of this process. */
  readonly troubles?: ReadonlyMap<string, SavedTrouble>
  /** Since when the appliance is unreachable, Unix ms, and whether that was reported, except as an incident. */
  readonly away?: { readonly at: number; readonly isTold: boolean }
  readonly data?: SavedData
  readonly callers?: SavedCallers
  readonly limits?: readonly SavedLimit[]
  /** The state that it has reported. */
  readonly told?: DeviceState
  /** The changes since then that are on hold. */
  readonly held?: ReadonlyMap<string, Held>
}

/** What is in trouble, or was until a moment ago. */
export interface SavedTrouble {
  /** As reported, or before that as it was seen last. */
  trouble: Trouble
  /** Since when, by the clock. */
  readonly since: number
  /** Undefined until it was reported. */
  begun?: { id: string; at: number }
  /** Another severity or reason, on hold. */
  other?: Held
  /** Since when it is over, by the clock, on hold. */
  overSince?: number
}

export interface Trouble extends Omit<OpenIncident, 'id' | 'since' | 'until' | 'durationMs'> {
  /** Since when, by the clock; by default since this is first seen. */
  seenSince?: number
  /** What the gateway says of it; reported, but not kept. */
  details?: string
}

export interface SavedDevice {
  readonly state: DeviceState
  /** When it was seen, Unix ms. */
  readonly at: number
  /** When it was saved, by the clock. */
  readonly savedAt: number
}

/** What the watches of one gateway have saved. It holds plain data: no session and no socket. */
export interface Saved {
  readonly devices: Map<string, SavedDevice>
  /** By the settings of the watches and, of nodes, their IDs: see `key` of a subscription. */
  readonly watches: Map<string, SavedWatches>
  /** Failed polls that were no outage yet, by the device that is configured or ''. */
  readonly misses: Map<string, FormerOutage & { savedAt: number }>
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

export const newSaved = (): Saved => ({
  devices: new Map(),
  watches: new Map(),
  misses: new Map(),
})

export interface SavedStore extends Saved {
  /** Another process has saved it. */
  readonly isForeign: boolean
  /** False while what another process has saved cannot be had: there may be more. */
  isComplete: boolean
  /** Fetches what another process has saved, where that has not been had yet. Never rejects. */
  fetch(): Promise<void> | undefined
}

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
      const { watches } = ((await from()) as Saved | undefined) ?? newSaved()
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
export function saveWatch({ watches }: Saved, key: string, watch: SavedWatch, now: number): void {
  const settings = settingsIn(key)
  const { list = [], taken = 0 } = watches.get(key) ?? {}
  // A node has only one, and has gone on with what another process has left.
  if (key !== settings) watches.delete(settings)
  const others = taken > 0 || key !== settings ? [] : list
  setLatest(watches, key, { list: [...others, watch], taken: 0, savedAt: now }, MOST_SAVED)
}

const settingsIn = (key: string): string => key.split(' ', 1)[0]!

/** What the node has saved, or else a watch with these settings: the last one is taken by all further ones. */
export function takeWatch({ watches }: Saved, key: string): SavedWatch | undefined {
  const saved = watches.get(key) ?? watches.get(settingsIn(key))
  return saved?.list[Math.min(saved.taken++, saved.list.length - 1)]
}

/** After a minute. What another process has saved is no less true while the appliance is away. */
export function dropOld({ devices, watches, misses }: Saved, now: number): void {
  for (const entries of [devices, watches, misses] as Array<Map<string, { savedAt?: number }>>) {
    for (const [key, { savedAt = now }] of entries) {
      if (now - savedAt >= SAVED_MS) entries.delete(key)
    }
  }
}

/** What a watch has reported as begun and not yet as ended: plain data, for another process. */
export interface Open {
  /** All that a watch of incidents has open. */
  incidents?: readonly OpenIncident[]
  /** Since when the appliance is unreachable, Unix ms. */
  unreachableSince?: number
  /** The routes whose sources receive nothing. */
  noData?: Named[]
  /** The limits that are passed. */
  limits?: OpenLimit[]
}

type OpenLimit = Omit<SavedLimit, 'held' | 'value'>

/** By the settings of watches. @param but without those that have one of these */
export function openIn({ watches }: Saved, but?: Saved): Record<string, Open> {
  const others = new Set([...(but?.watches.keys() ?? [])].map(settingsIn))
  const found: Record<string, Open> = {}
  for (const [key, { list }] of watches) {
    const settings = settingsIn(key)
    const open = list.map(openOf).find((one) => one !== undefined)
    if (open && !others.has(settings)) found[settings] ??= open
  }
  return found
}

/** Returns what a watch has open; undefined where there is nothing. */
export function openOf(saved: SavedWatch): Open | undefined {
  const { incidents, away, data, limits } = saved
  if (incidents) return incidents.length > 0 ? { incidents } : undefined
  const noData = (data?.sources ?? [])
    .filter(({ receives, isTold }) => receives === false && isTold)
    .map(({ route }) => named(route))
  const passed = (limits ?? [])
    .filter(({ level }) => level !== 'normal')
    .map((limit) => ({ ...limit, held: undefined, value: undefined }))
  const open: Open = {
    ...(away?.isTold && { unreachableSince: away.at }),
    ...(noData.length > 0 && { noData }),
    ...(passed.length > 0 && { limits: passed }),
  }
  return Object.keys(open).length > 0 ? open : undefined
}

/** Reads what another process has left open, by the settings of its watches. */
export function savedIn(open: unknown): Saved {
  const saved = newSaved()
  for (const [settings, one] of Object.entries(isObject(open) ? open : {})) {
    if (isObject(one)) saved.watches.set(settings, { list: [savedWatchIn(one)], taken: 0 })
  }
  return saved
}

function savedWatchIn(open: JsonObject): SavedWatch {
  const { incidents, unreachableSince: at, noData, limits } = open
  if (Array.isArray(incidents)) return { incidents: listOf(incidents, isOpenIncident) }
  const sources = listOf(noData, isNamed).map((route) => {
    return { receives: false, isTold: true, route }
  })
  return {
    away: Number.isFinite(at) ? { at: at as number, isTold: true } : undefined,
    data: { sources },
    limits: listOf(limits, isLimit),
  }
}

const listOf = <T>(value: unknown, fits: (item: unknown) => item is T): T[] =>
  Array.isArray(value) ? value.filter(fits) : []

const isLimit = (value: unknown): value is OpenLimit & JsonObject =>
  isObject(value) &&
  typeof value.place === 'string' &&
  Number.isInteger(value.limit) &&
  (value.level === 'low' || value.level === 'high') &&
  typeof value.isPolled === 'boolean' &&
  isNamed(value.route) &&
  (value.destination === undefined || isNamed(value.destination))
