/** Returns a whole number from 0, below the limit. */
export type Random = (below: number) => number

/** A reproducible sequence (mulberry32). */
export function randomNumbers(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) % below
  }
}
