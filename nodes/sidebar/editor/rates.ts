// What the routes carry, in Mbit/s: now, and in the last minutes.
import type { Figure, RouteFigures } from '../../../client/model/event'
import { createRates as createPolls, SPAN_MS, type RateHistory } from '../../../client/model/rates'
import { language } from '../../editor/text'
import { text } from './text'

export type Rates = ReturnType<typeof createRates>

export const WIDTH = 44
export const HEIGHT = 14
/** Between two points that are further apart, nothing is known. */
const GAP_MS = 90_000

export function createRates() {
  let past = createPolls()
  let latest: Readonly<Record<string, RouteFigures>> = {}

  return {
    begin: (history: RateHistory): void => past.begin(history),
    add(at: number, figures: Readonly<Record<string, RouteFigures>>): void {
      latest = figures
      past.add(at, figures)
    },
    now: (routeId: string): RouteFigures | undefined =>
      Object.hasOwn(latest, routeId) ? latest[routeId] : undefined,
    /** A line through the last minutes, for an svg path of `WIDTH` by `HEIGHT`; empty for none. */
    path(routeId: string, now: number): string {
      // A steady bitrate is a line below the top.
      const most = 1.25 * Math.max(...past.polls().map(({ of }) => of.get(routeId) ?? 0), 0.001)
      let path = ''
      let before = -Infinity
      for (const { at, of } of past.polls()) {
        const rate = of.get(routeId) ?? null
        const x = WIDTH * (1 - (now - at) / SPAN_MS)
        if (rate === null || x < 0) continue
        const y = 1 + (HEIGHT - 2) * (1 - rate / most)
        path += `${at - before > GAP_MS ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
        before = at
      }
      return path
    },
    clear(): void {
      past = createPolls()
      latest = {}
    },
  }
}

let digits: Intl.NumberFormat | undefined

/** Three digits that count. */
function numberOf(rate: number | undefined): string {
  digits ??= new Intl.NumberFormat(language(), { maximumSignificantDigits: 3 })
  return rate === undefined ? '–' : digits.format(rate)
}

/** What a route receives and sends in all; empty where nothing of it is known. */
export function rateOfRoute({ source, destinations }: RouteFigures): string {
  const sent = destinations.flatMap(({ bitrate }) => (bitrate === undefined ? [] : [bitrate]))
  if (source.bitrate === undefined && sent.length === 0) return ''
  const out = sent.length === 0 ? undefined : sent.reduce((sum, rate) => sum + rate, 0)
  return text('rate.route', { in: numberOf(source.bitrate), out: numberOf(out) })
}

/** What a route receives; empty where that is not known. */
export const rateOfSource = ({ source: { bitrate } }: RouteFigures): string =>
  bitrate === undefined ? '' : text('rate.source', { rate: numberOf(bitrate) })

export function rateOfPart({ bitrate, clients }: Figure = {}): string {
  const words = []
  if (bitrate !== undefined) words.push(text('rate.part', { rate: numberOf(bitrate) }))
  if (clients !== undefined) words.push(text('rate.clients', { clients }))
  return words.join(' · ')
}
