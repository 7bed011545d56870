// Plain data in the least memory: a fleet has tens of thousands of parts.

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

/** Up to this many, a look through the list takes no longer than one in a table. */
const FEW = 8

interface Keyed {
  readonly key: string
}

/**
 * Returns the entries in the least memory: a `Map` has a table of its own, which for one or two
 * entries is several times their size, and a fleet has tens of thousands of such maps.
 */
export function compactMap<T extends Keyed>(
  entries: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  return entries.size > FEW ? entries : new FewEntries([...entries.values()])
}

class FewEntries<T extends Keyed> implements ReadonlyMap<string, T> {
  constructor(private readonly list: readonly T[]) {}

  get size(): number {
    return this.list.length
  }

  get(key: string): T | undefined {
    for (const one of this.list) if (one.key === key) return one
    return undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  *entries(): MapIterator<[string, T]> {
    for (const one of this.list) yield [one.key, one]
  }

  *keys(): MapIterator<string> {
    for (const { key } of this.list) yield key
  }

  *values(): MapIterator<T> {
    yield* this.list
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.entries()
  }

  forEach(call: (value: T, key: string, map: ReadonlyMap<string, T>) => void): void {
    for (const one of this.list) call(one, one.key, this)
  }
}
