import { isText } from './json'
import { normalizeId } from './ids'
import type { Route } from './types'

/** The routes of a list. Each search takes constant time, however many there are. */
export class RouteIndex {
  #byId?: Map<string, Route>
  #byName?: Map<string, Route[]>

  constructor(readonly all: readonly Route[]) {}

  byId(id: unknown): Route | undefined {
    if (!isText(id)) return undefined
    // Of routes with the same ID the first counts.
    this.#byId ??= new Map(this.all.toReversed().map((route) => [normalizeId(route.id), route]))
    return this.#byId.get(normalizeId(id))
  }

  byName(name: string): readonly Route[] {
    this.#byName ??= grouped(this.all)
    return this.#byName.get(name) ?? []
  }
}

function grouped(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>()
  for (const route of routes) {
    const others = groups.get(route.name)
    if (others) others.push(route)
    else groups.set(route.name, [route])
  }
  return groups
}
