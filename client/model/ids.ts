import { isObject, isText, own } from './json'
import type { Named } from './types'

/**
 * Finds a destination by its id or else its name: no index, one, or several where names repeat. Each
 * search takes constant time.
 */
export function matcher(destinations: readonly unknown[]): (entry: unknown) => readonly number[] {
  const byId = indexed(destinations, 'id', normalizeId)
  const byName = indexed(destinations, 'name')
  return (entry) => {
    const id = own(entry, 'id')
    const name = own(entry, 'name')
    if (isText(id)) return byId.get(normalizeId(id)) ?? []
    return isText(name) ? (byName.get(name) ?? []) : []
  }
}

const indexed = (
  destinations: readonly unknown[],
  member: string,
  keyOf = (value: string): string => value,
): Map<string, number[]> =>
  grouped(destinations.keys(), (index) => {
    const value = own(destinations[index], member)
    return isText(value) ? keyOf(value) : undefined
  })

/** Where a key was seen first; undefined for one that is new here. */
export function seenAt<Key>(first: Map<Key, number>, key: Key, at: number): number | undefined {
  const earlier = first.get(key)
  if (earlier === undefined) first.set(key, at)
  return earlier
}

/** Items by their keys, in their order. One without a key is left out. */
export function grouped<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key | undefined,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === undefined) continue
    const others = groups.get(key)
    if (others) others.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The form of the ids of routes and their parts: docs/project/interface.md#conventions. */
export const isUuid = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)

/** An id in the form for comparison: some appliances accept a UUID in either case. */
export const normalizeId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id)

/** Whether two ids mean the same route, source or destination. */
export const isSameId = (one: unknown, other: unknown): boolean =>
  isText(one) &&
  isText(other) &&
  one.length === other.length &&
  normalizeId(one) === normalizeId(other)

export const isNamed = (value: unknown): value is Named =>
  isObject(value) && typeof value.id === 'string' && typeof value.name === 'string'

/** With an empty ID where something has none. */
export const named = ({ id = '', name }: { id?: string; name: string }): Named => ({ id, name })
