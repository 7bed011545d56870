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
    const away = distance(name, other)
    if (away >= least || away > most(other)) continue
    found = other
    least = away
  }
  return found
}

/** Number of letters to add, drop or change to get from one name to the other, ignoring case. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of from.toLowerCase().split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of to.toLowerCase().split('').entries()) {
      next.push(Math.min(row[j]! + (letter === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
