// The same choices for the same seed, independent of the other streams of choices.

/** An independent stream of choices for a seed and a name. */
export function choices(seed, name) {
  let state = Buffer.from(`${seed} ${name}`).reduce((sum, byte) => (sum * 31 + byte) | 0, 7)
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (from, to) => from + Math.floor(fraction() * (to - from + 1))
  return {
    /** Both ends are included. */
    whole,
    chance: (share) => fraction() < share,
    one: (list) => list[whole(0, list.length - 1)],
  }
}
