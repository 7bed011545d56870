/** What many compact objects have in common, kept once. */
interface Common {
  readonly names: readonly string[]
}

/**
 * A plain object in the least memory: most definitions of a fleet have the same few sets of names,
 * which are kept once, and the values are one text.
 */
export interface Compact<Kind extends Common = Common> {
  readonly kind: Kind
  /** JSON, an array in the order of the names. */
  readonly values: string
}

/**
 * The kinds so far, by their JSON. Definitions have the members of the table in `model/members`, so
 * there are few; what is beyond is kept with its object.
 */
const shared = new Map<string, Common>()
const MOST_SHARED = 1000

/** @param more what is known of all objects of the kind: plain data */
export function compactObject<More extends object>(
  value: object,
  more: More,
): Compact<Common & More> {
  const kind = sharedKind({ names: Object.keys(value), ...more })
  // The sign for a secret would double the size of the text.
  const values = JSON.stringify(Object.values(value)).replaceAll('•', '\\u2022')
  // A copy: the text would otherwise keep the pieces that it was made of.
  return { kind, values: Buffer.from(values).toString() }
}

export function expanded({ kind, values }: Compact): Record<string, unknown> {
  const given = JSON.parse(values) as unknown[]
  return Object.fromEntries(kind.names.map((name, index) => [name, given[index]]))
}

function sharedKind<Kind extends Common>(kind: Kind): Kind {
  const key = JSON.stringify(kind)
  const known = shared.get(key) as Kind | undefined
  if (known) return known
  if (shared.size < MOST_SHARED) shared.set(key, kind)
  return kind
}
