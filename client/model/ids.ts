import { isObject, isText, own } from './json'
import type { Named } from './types'

/**
 * Finds an entry among destinations: by its id when it has one, else by its
 * name. Returns indexes: none, one, or several where names repeat. Each search
 * takes constant time.
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

function indexed(
  destinations: readonly unknown[],
  member: string,
  keyOf = (value: string): string => value,
): Map<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, destination] of destinations.entries()) {
    const value = own(destination, member)
    if (!isText(value)) continue
    const others = indexes.get(keyOf(value))
    if (others) others.push(index)
    else indexes.set(keyOf(value), [index])
  }
  return indexes
}

/**
 * The form of the ids of routes, sources and destinations. See
 * docs/project/interface.md#conventions.
 */
export const isUuid = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)

/** An id in the form for comparison: some appliances accept a UUID in either case. */
export const normalizeId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id)

/** Whether two ids mean the same route, source or destination. */
export const isSameId = (one: unknown, other: unknown): boolean =>
  isText(one) && isText(other) && normalizeId(one) === normalizeId(other)

export const isNamed = (value: unknown): value is Named =>
  isObject(value) && typeof value.id === 'string' && typeof value.name === 'string'

/** ID and name of something that has more. */
export const named = ({ id, name }: Named): Named => ({ id, name })
