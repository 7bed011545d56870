import type { RouteFigures } from './event'

export type Rates = ReturnType<typeof createRates>

/** What the sources of the routes have received lately. */
export interface RateHistory {
  /** When it was read, Unix ms by the clock of the server. */
  at: number[]
  /** By route, Mbit/s at each of these times; null where that is not known. */
  of: Record<string, (number | null)[]>
}

export const SPAN_MS = 300_000
/** Closer points would not be seen. */
const LEAST_MS = 4500

export function createRates() {
  let polls: Array<{ at: number; of: ReadonlyMap<string, number | null> }> = []

  return {
    polls: () => polls,
    /** Takes a poll. One that follows another closely is left out. */
    add(at: number, figures: Readonly<Record<string, RouteFigures>>): void {
      if (at - (polls.at(-1)?.at ?? 0) < LEAST_MS) return
      const rates = Object.entries(figures).map(([id, { source }]) => [id, source.bitrate] as const)
      const of = new Map(rates.flatMap(([id, rate]) => (rate === undefined ? [] : [[id, rate]])))
      polls = [...polls.filter((poll) => at - poll.at < SPAN_MS), { at, of }]
    },
    history(): RateHistory {
      const ids = new Set(polls.flatMap(({ of }) => [...of.keys()]))
      const rates = [...ids].map((id) => [id, polls.map(({ of }) => of.get(id) ?? null)] as const)
      return { at: polls.map(({ at }) => at), of: Object.fromEntries(rates) }
    },
    begin({ at, of }: RateHistory): void {
      const all = Object.entries(of)
      polls = at.map((when, index) => ({
        at: when,
        of: new Map(all.map(([id, rates]) => [id, rates[index] ?? null])),
      }))
    },
  }
}
