import { MONOTONIC } from '../../clock'

/** The first few begin at once, the others one after the other. @returns how long each has to wait, in ms */
export function createPace({ atOnce, everyMs }: { atOnce: number; everyMs: number }): () => number {
  /** The time slot of the latest one, in ms; the slots of the first few have passed already. */
  let latest = -Infinity
  return () => {
    const now = MONOTONIC.now()
    latest = Math.max(latest, now - atOnce * everyMs) + everyMs
    return Math.max(0, latest - now)
  }
}
