/** Slips of the pen in names: the name that was probably meant. */

/** The nearest name, ignoring case. @param most letters to change; default half of the known name's */
export function nearest(
  name: string,
  known: Iterable<string>,
  most: (known: string) => number = (other) => Math.min(other.length / 2, name.length - 1),
): string | undefined {
  if (name.length > 40) return undefined
  let found: string | undefined
  let least = Infinity
  for (const other of known) {
    // A longer or shorter name is at least as far away as the lengths differ: most are ruled out here.
    if (Math.abs(name.length - other.length) > most(other)) continue
    const away = distance(name, other)
    if (away >= least || away > most(other)) continue
    found = other
    least = away
  }
  return found
}

/** Number of letters to add, drop, change or swap with the next one, ignoring case. */
function distance(from: string, to: string): number {
  const [one, other] = [from.toLowerCase(), to.toLowerCase()]
  let former: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const isSwapped = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j]
      const swapped = isSwapped ? former[j - 1]! + 1 : Infinity
      const changed = row[j]! + (one[i] === other[j] ? 0 : 1)
      next.push(Math.min(changed, row[j + 1]! + 1, next[j]! + 1, swapped))
    }
    former = row
    row = next
  }
  return row[other.length]!
}
