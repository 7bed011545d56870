// What the sentences on events and on incidents have in common.
import type { Wordless, WatchEvent } from '../../model/event'
import type { Named } from '../../model/types'
import type { Words } from './words'

export type Event = Wordless<WatchEvent>

/** Failures that mean that nothing got through; after others something has answered. */
const NOTHING_CAME: ReadonlySet<string> = new Set(['TIMEOUT', 'UNAVAILABLE'])

export function unreachable(event: Event, words: Words): string {
  const { code = 'UNAVAILABLE', detail } = event.reason ?? {}
  const why = found(words.reasons, detail ?? '') ?? found(words.reasons, code) ?? code
  const hasAnswered = !NOTHING_CAME.has(code) || (code === 'UNAVAILABLE' && detail === undefined)
  const gateway = gatewayOf(event, words)
  return hasAnswered ? words.unwatchable(gateway, why) : words.unreachable(gateway, why)
}

const UNITS: Readonly<Record<string, string>> = { bitrate: ' Mbit/s', roundTripTime: ' ms' }

/** @param level which limit was passed; undefined where none is any more */
export function statisticsText(
  event: Event,
  level: 'low' | 'high' | undefined,
  words: Words,
): string {
  const { measure = '', value, limit } = event
  const unit = found(UNITS, measure) ?? ''
  const withUnit = (number: string): string => number.replace('.', words.decimal) + unit
  const what = measuredText(event, words)
  const say = (sentence: string): string => `${routeOf(event)}: ${sentence}`
  if (typeof value !== 'number') return say(words.notMeasured(what))
  const shown = withUnit(rounded(value, limit))
  const passed = withUnit(String(limit))
  if (level === 'low') return say(words.below(what, shown, passed))
  if (level === 'high') return say(words.above(what, shown, passed))
  return say(words.normal(what, shown))
}

/** What is measured, and where. */
export function measuredText({ measure = '', of, destination }: Event, words: Words): string {
  const name = found(words.measures, measure) ?? measure
  return words.measured(name, of === 'destination' ? nameOf(destination) : undefined)
}

/** Three digits that count, or the whole part, or all digits where fewer would pass the limit. */
function rounded(value: number, limit = NaN): string {
  const short = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  const isSameSide = Math.sign(short - limit) === Math.sign(value - limit)
  return String(isSameSide || Number.isNaN(limit) ? short : value)
}

/** In the two largest units; undefined when it is not known. */
export function durationOf(ms: number | undefined, words: Words): string | undefined {
  if (ms === undefined || !(ms >= 0)) return undefined
  const { second, minute, hour, day } = words.durations
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return second(seconds)
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return minute(minutes)
  const both = (large: string, rest: number, small: (count: number) => string): string =>
    rest === 0 ? large : large + words.and + small(rest)
  if (minutes < 24 * 60) return both(hour(Math.floor(minutes / 60)), minutes % 60, minute)
  const hours = Math.round(minutes / 60)
  return both(day(Math.floor(hours / 24)), hours % 24, hour)
}

export const gatewayOf = ({ device }: Pick<Event, 'device'>, words: Words): string =>
  words.gateway(nameOf(device))

export const routeOf = ({ route }: Event): string => nameOf(route)

export const nameOf = (named: Named | undefined): string => clipped(named?.name || named?.id || '')

export const found = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

const LONGEST = 200

/** Names have at most 60 characters; other words of a gateway may be of any length. */
export function clipped(text: string): string {
  if (text.length <= LONGEST) return text
  const isHalf = /[\uD800-\uDBFF]/.test(text[LONGEST - 2]!)
  return `${text.slice(0, isHalf ? LONGEST - 2 : LONGEST - 1)}…`
}
