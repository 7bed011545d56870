import { isText, own } from './json'

/**
 * Finds an entry among destinations: by its id when it has one, else by its
 * name. Answers indexes: none, one, or several where names repeat. Each search
 * takes constant time.
 */
export function matcher(destinations: readonly unknown[]): (entry: unknown) => readonly number[] {
  const byId = indexed(destinations, 'id')
  const byName = indexed(destinations, 'name')
  return (entry) => {
    const id = own(entry, 'id')
    const name = own(entry, 'name')
    if (isText(id)) return byId.get(id) ?? []
    return isText(name) ? (byName.get(name) ?? []) : []
  }
}

function indexed(destinations: readonly unknown[], member: string): Map<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, destination] of destinations.entries()) {
    const value = own(destination, member)
    if (!isText(value)) continue
    const others = indexes.get(value)
    if (others) others.push(index)
    else indexes.set(value, [index])
  }
  return indexes
}
