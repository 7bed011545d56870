// What the sentences on events and on incidents have in common.
import type { Wordless, WatchEvent } from '../../model/event'
import type { Named } from '../../model/types'
import { clipped, titled, type Words } from './words'

export type Event = Wordless<WatchEvent>

/** Failures that mean that nothing got through; after others something has answered. */
const NOTHING_CAME: ReadonlySet<string> = new Set(['TIMEOUT', 'UNAVAILABLE'])

export function unreachable(event: Event, words: Words): string {
  const { code = 'UNAVAILABLE', detail } = event.reason ?? {}
  const why = words.find('failure', detail ?? '') ?? words.find('failure', code) ?? code
  const hasAnswered = !NOTHING_CAME.has(code) || (code === 'UNAVAILABLE' && detail === undefined)
  const gateway = gatewayOf(event, words)
  return words.say(hasAnswered ? 'unwatchable' : 'unreachable', { gateway, why })
}

const UNITS: Readonly<Record<string, string>> = { bitrate: ' Mbit/s', roundTripTime: ' ms' }

/** @param level which limit was passed; `normal` where none is any more */
export function statistics(event: Event, level: 'low' | 'high' | 'normal', words: Words): string {
  const { measure = '', value, limit } = event
  const unit = Object.hasOwn(UNITS, measure) ? UNITS[measure]! : ''
  const withUnit = (number: string): string => number.replace('.', words.say('decimal')) + unit
  const isMeasured = typeof value === 'number'
  const sentence = words.say(isMeasured ? level : 'notMeasured', {
    what: measured(event, words),
    value: isMeasured ? withUnit(rounded(value, limit)) : undefined,
    limit: withUnit(String(limit)),
  })
  return `${routeOf(event)}: ${sentence}`
}

export function measured(
  { measure: given = '', of, destination }: Pick<Event, 'measure' | 'of' | 'destination'>,
  { say, find }: Words,
): string {
  const measure = find('measure', given) ?? given
  return of === 'destination'
    ? say('measured.destination', { measure, name: nameOf(destination) })
    : say('measured.source', { measure })
}

/** Three digits that count, or the whole part, or all digits where fewer would pass the limit. */
function rounded(value: number, limit = NaN): string {
  const short = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  const isSameSide = Math.sign(short - limit) === Math.sign(value - limit)
  return String(isSameSide || Number.isNaN(limit) ? short : value)
}

export function gatewayOf({ device }: Pick<Event, 'device'>, words: Words): string {
  const name = nameOf(device)
  return name ? titled('gateway', name, words) : words.say('gateway.none')
}

export const routeOf = ({ route }: Event): string => nameOf(route)

export const nameOf = (named: Named | undefined): string => clipped(named?.name || named?.id || '')
