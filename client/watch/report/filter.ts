import { isSameId } from '../../model/ids'
import { patternFilter } from '../../model/pattern'
import type { IncidentEvent } from '../../model/incident'
import type { EventName } from '../../model/watch'
import type { Named } from '../../model/types'

/** Which routes a watch is about: all of them when it is left out. */
export type RouteFilter =
  | { id: string }
  | { name: string }
  | { idOrName: string }
  /** `*` stands for any text, `?` for one character; upper and lower case do not matter. */
  | { pattern: string }

export function routeFilter(filter: RouteFilter | undefined): (route: Named) => boolean {
  if (!filter) return () => true
  if ('id' in filter) return ({ id }) => isSameId(id, filter.id)
  if ('idOrName' in filter) {
    return ({ id, name }) => isSameId(id, filter.idOrName) || name === filter.idOrName
  }
  if ('name' in filter) return ({ name }) => name === filter.name
  const fits = patternFilter(filter.pattern)
  return ({ name }) => fits(name)
}

/** All events when none is named. */
export function eventFilter(
  events: readonly EventName[] = [],
): (event: EventName | IncidentEvent) => boolean {
  if (events.length === 0) return () => true
  const wanted = new Set<string>(events)
  return (event) => wanted.has(event)
}
