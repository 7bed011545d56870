import type { RouteFigures } from '../../../client/model/event'
import type { RateHistory } from '../../wire'

export type Rates = ReturnType<typeof createRates>

/** As much as the sidebar shows. */
const SPAN_MS = 300_000
const LEAST_MS = 4500

export function createRates() {
  let polls: Array<{ at: number; of: ReadonlyMap<string, number> }> = []

  return {
    /** Takes a poll. One that follows another closely is left out. */
    add(at: number, figures: Readonly<Record<string, RouteFigures>>): void {
      if (at - (polls.at(-1)?.at ?? 0) < LEAST_MS) return
      const of = new Map<string, number>()
      for (const [id, { source }] of Object.entries(figures)) {
        if (source.bitrate !== undefined) of.set(id, source.bitrate)
      }
      polls = [...polls.filter((poll) => at - poll.at < SPAN_MS), { at, of }]
    },
    history(): RateHistory {
      const ids = new Set(polls.flatMap(({ of }) => [...of.keys()]))
      const rates = [...ids].map((id) => [id, polls.map(({ of }) => of.get(id) ?? null)] as const)
      return { at: polls.map(({ at }) => at), of: Object.fromEntries(rates) }
    },
  }
}
