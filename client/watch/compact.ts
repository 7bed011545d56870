/** What many compact objects have in common, kept once. */
interface Common {
  readonly names: readonly string[]
}

/** In the least memory: a fleet has few sets of names, kept once, and the values are one text. */
export interface Compact<Kind extends Common = Common> {
  readonly kind: Kind
  /** JSON, an array in the order of the names. */
  readonly values: string
}

/**
 * What is shared so far, by its JSON. It begins again when it is full, so that a gateway that never says
 * the same twice takes nothing from the others for good.
 */
const known = new Map<string, unknown>()
const MOST_SHARED = 1000
/** In characters of JSON: words of a gateway may be of any length. */
const LONGEST_SHARED = 2000

/** @param more what is known of all objects of the kind: plain data */
export function compactObject<More extends object>(
  value: object,
  more: More,
): Compact<Common & More> {
  const kind = shared({ names: Object.keys(value), ...more })
  // The sign for a secret would double the size of the text.
  const values = JSON.stringify(Object.values(value)).replaceAll('•', '\\u2022')
  // A copy: the text would otherwise keep the pieces that it was made of.
  return { kind, values: Buffer.from(values).toString() }
}

export function expanded({ kind, values }: Compact): Record<string, unknown> {
  const given = JSON.parse(values) as unknown[]
  return Object.fromEntries(kind.names.map((name, index) => [name, given[index]]))
}

/** Returns the same object for equal plain data. */
export function shared<Data extends object>(data: Data): Data {
  const key = JSON.stringify(data)
  const found = known.get(key) as Data | undefined
  if (found) return found
  if (key.length > LONGEST_SHARED) return data
  if (known.size >= MOST_SHARED) known.clear()
  known.set(key, data)
  return data
}
