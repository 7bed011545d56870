import { isText } from './json'
import { grouped, normalizeId } from './ids'
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
    this.#byName ??= grouped(this.all, (route) => route.name)
    return this.#byName.get(name) ?? []
  }
}
