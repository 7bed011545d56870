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
