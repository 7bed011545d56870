// What a watch has reported as begun and not yet as ended.
import * as crypto from 'node:crypto'
import { isObject, type JsonObject } from '../model/json'
import { snapshotOf, type Named, type Snapshot, type Wordless } from './events'
import type { DeviceState } from './state'
import type { OpenLimit } from './thresholds'
import type { WatchOptions } from './subscription'

/** What a watch has reported as begun and not yet as ended. */
export interface Open {
  /** Since when the appliance is unreachable, Unix ms. */
  readonly unreachableSince?: number
  /** The routes whose sources receive nothing. */
  readonly noData?: readonly Named[]
  /** The limits that are passed. */
  readonly limits?: readonly OpenLimit[]
  /** The state that it has reported, where changes are on hold. */
  readonly told?: DeviceState
}

/** By the settings of the watches. */
export type OpenByWatch = ReadonlyMap<string, Open>

/** As another process gets it: plain data. */
export type ShownOpen = Omit<Open, 'told'> & { told?: Omit<Wordless<Snapshot>, 'event' | 'at'> }

/** The same for watches with the same settings, in whatever process: they report the same. */
export function settingsOf(options: WatchOptions): string {
  const { deviceId = '', events = [], route = null, holdFor = 0, thresholds = [] } = options
  const text = JSON.stringify([deviceId, [...events].sort(), route, holdFor, thresholds])
  return crypto.createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

export function shownOpen({ told, ...open }: Open): ShownOpen {
  if (!told) return open
  const { event: _, at: __, ...shown } = snapshotOf(told, 0, () => true)
  return { ...open, told: shown }
}

/** The same without `told`; undefined where there is none. */
export function withoutTold(
  shown: Readonly<Record<string, ShownOpen>>,
): Record<string, ShownOpen> | undefined {
  const entries = Object.entries(shown)
  if (entries.every(([, { told }]) => !told)) return undefined
  const short = entries.map(([watch, open]) => [watch, { ...open, told: undefined }] as const)
  const isOpen = (open: object): boolean => Object.values(open).some((one) => one !== undefined)
  return Object.fromEntries(short.filter(([, open]) => isOpen(open)))
}

/** Reads what another process shows; leaves out what is none of it. */
export function openIn(
  value: unknown,
  stateIn: (shown: unknown) => DeviceState | undefined,
): OpenByWatch {
  const found = new Map<string, Open>()
  for (const [watch, open] of Object.entries(isObject(value) ? value : {})) {
    if (!isObject(open)) continue
    const { unreachableSince, noData, limits, told } = open
    found.set(watch, {
      unreachableSince: isNumber(unreachableSince) ? unreachableSince : undefined,
      noData: listOf(noData, isNamed),
      limits: listOf(limits, isLimit),
      told: stateIn(told),
    })
  }
  return found
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

const listOf = <T>(value: unknown, fits: (item: unknown) => item is T): T[] | undefined =>
  Array.isArray(value) ? value.filter(fits) : undefined

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
