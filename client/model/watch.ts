import type { Problem } from '../errors'

/** What a watch can be set to, and the checks of it. The forms follow it too. See docs/watch.md. */

/** Every event of a watch that reports changes. */
export const EVENTS = [
  'appliance.unreachable',
  'appliance.reachable',
  'device.status',
  'device.firmware',
  'device.config',
  'peer.status',
  'fleet.engine-lost',
  'fleet.engine-back',
  'route.added',
  'route.removed',
  'route.renamed',
  'route.started',
  'route.stopped',
  'route.status',
  'route.changed',
  'source.status',
  'source.data-lost',
  'source.data',
  'destination.added',
  'destination.removed',
  'destination.started',
  'destination.stopped',
  'destination.status',
  'caller.joined',
  'caller.left',
  'statistics.low',
  'statistics.high',
  'statistics.normal',
] as const

export type EventName = (typeof EVENTS)[number]

export const LANGUAGES = ['en-US', 'de', 'ja'] as const

export type Language = (typeof LANGUAGES)[number]

/** The language of a tag such as `de-AT`; English where it is not one of {@link LANGUAGES}. */
export function languageOf(tag: unknown): Language {
  const [main = ''] = String(tag).toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.find((language) => language === main) ?? 'en-US'
}

/** The statistics on which a limit can be set. */
export const MEASURES = ['bitrate', 'roundTripTime', 'packetLoss'] as const

export type Measure = (typeof MEASURES)[number]

export const PLACES = ['source', 'destination'] as const

export interface Threshold {
  /** `bitrate` in Mbit/s, `roundTripTime` in ms, `packetLoss` as the appliance gives it. */
  measure: Measure
  /** Of the source, or of each destination. */
  of: (typeof PLACES)[number]
  /** `statistics.low` below it. */
  low?: number
  /** `statistics.high` above it. */
  high?: number
  /** How far back inside the limit a value has to be for `statistics.normal`; by default a tenth of the limit. */
  hysteresis?: number
}

/** The numbers of a limit; each may be left out or empty. */
export const NUMBERS = ['low', 'high', 'hysteresis'] as const

/** Returns the names in a list of events, which may be one text with commas if written by hand. */
export function eventsIn(saved: unknown): string[] {
  const names: unknown[] =
    typeof saved === 'string' ? saved.split(',') : Array.isArray(saved) ? saved : []
  return names.map((name) => String(name).trim()).filter((name) => name !== '')
}

export const isEvent = (name: string): name is EventName =>
  (EVENTS as readonly string[]).includes(name)

interface ThresholdFault {
  /** Which of its fields are to be corrected. */
  fields: ReadonlyArray<'measure' | 'of' | (typeof NUMBERS)[number]>
  /** The kind of fault; the code that reports it has the words. */
  key: 'unknown' | 'number' | 'noLimit' | 'order' | 'never'
}

/** Returns every fault of a limit as it was saved, with numbers that may be text. */
export function faultsOf(threshold: unknown): ThresholdFault[] {
  const { measure, of = 'source', ...rest } = (threshold ?? {}) as Record<string, unknown>
  const faults: ThresholdFault[] = []
  if (!MEASURES.includes(measure as Measure)) faults.push({ fields: ['measure'], key: 'unknown' })
  if (!PLACES.includes(of as never)) faults.push({ fields: ['of'], key: 'unknown' })
  const wrong = NUMBERS.filter((name) => !isBlank(rest[name]) && numberIn(rest[name]) === undefined)
  if (wrong.length > 0) return [...faults, { fields: wrong, key: 'number' }]
  const { low, high, hysteresis = 0 } = thresholdOf(rest)
  if (low === undefined && high === undefined) {
    return [...faults, { fields: ['low', 'high'], key: 'noLimit' }]
  }
  if (low !== undefined && high !== undefined) {
    if (low >= high) faults.push({ fields: ['low', 'high'], key: 'order' })
    // No value between the limits would be far enough inside of one of them.
    else if (hysteresis > high - low) faults.push({ fields: ['hysteresis'], key: 'never' })
  }
  // No value is below zero, so such an event would never occur, or never end.
  if (low === 0) faults.push({ fields: ['low'], key: 'never' })
  else if (low === undefined && high !== undefined && high > 0 && hysteresis >= high) {
    faults.push({ fields: ['hysteresis'], key: 'never' })
  }
  return faults
}

/** From which value on a measure that was low is normal again. */
export const lowEnd = ({ low = 0, high = Infinity, hysteresis }: Threshold): number =>
  low + (hysteresis ?? Math.min(low / 10, high - low))

/** Up to which value a measure that was high is normal again. */
export const highEnd = ({ low = 0, high = Infinity, hysteresis }: Threshold): number =>
  high - (hysteresis ?? Math.min(high / 10, high - low))

/** A limit without faults, as it was saved. */
export function thresholdOf(saved: object): Threshold {
  const { measure, of = 'source', low, high, hysteresis } = saved as Record<string, unknown>
  return {
    measure: measure as Measure,
    of: of as Threshold['of'],
    low: numberIn(low),
    high: numberIn(high),
    hysteresis: numberIn(hysteresis),
  }
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** A number from 0 on, which may be text. */
function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 && value < Infinity ? value : undefined
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}

/** Returns every fault of the limits of a watch, in words. */
export function thresholdFaults(value: unknown, path: string): Problem[] {
  if (!Array.isArray(value)) return [{ path, problem: 'must be a list' }]
  return value.flatMap((row: unknown, index) =>
    faultsOf(row).map(({ fields, key }) => {
      const which = fields.length > 1 ? '' : `.${fields[0]}`
      return { path: `${path}[${index}]${which}`, problem: WORDS[key] }
    }),
  )
}

const WORDS: Record<ThresholdFault['key'], string> = {
  unknown: `is not known; a measure is one of ${MEASURES.join(', ')}, and it is measured at ${PLACES.join(' or ')}`,
  number: 'must be a number from 0',
  noLimit: 'has neither low nor high',
  order: 'must have a low below its high',
  never: 'would never trigger its event, or never clear it',
}
