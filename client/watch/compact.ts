/**
 * A plain object in the least memory: most definitions of a fleet have the same few sets of names,
 * which are kept once, and the values are one text.
 */
export interface Compact {
  readonly names: readonly string[]
  /** JSON, an array in the order of the names. */
  readonly values: string
}

/**
 * The sets of names so far, by their JSON. Definitions have the members of the table in
 * `model/members`, so there are few; what is beyond is kept with its object.
 */
const shared = new Map<string, readonly string[]>()
const MOST_SHARED = 1000

export function compactObject(value: object): Compact {
  const names = Object.keys(value)
  // The sign for a secret would double the size of the text.
  const values = JSON.stringify(Object.values(value)).replaceAll('•', '\\u2022')
  // A copy: the text would otherwise keep the pieces that it was made of.
  return { names: sharedNames(names), values: Buffer.from(values).toString() }
}

export function expanded({ names, values }: Compact): Record<string, unknown> {
  const given = JSON.parse(values) as unknown[]
  return Object.fromEntries(names.map((name, index) => [name, given[index]]))
}

function sharedNames(names: readonly string[]): readonly string[] {
  const key = JSON.stringify(names)
  const known = shared.get(key)
  if (known) return known
  if (shared.size < MOST_SHARED) shared.set(key, names)
  return names
}
