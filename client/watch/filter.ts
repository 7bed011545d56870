import { isSameId } from '../model/match'
import type { EventName } from '../model/watch'
import type { Named } from './events'

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
  const pattern = Array.from(filter.pattern.toLocaleLowerCase())
  return ({ name }) => fits(Array.from(name.toLocaleLowerCase()), pattern)
}

/** Whether a name fits a pattern, in time proportional to both lengths. */
function fits(name: string[], pattern: string[]): boolean {
  let at = 0
  let place = 0
  /** The latest `*`, and up to where the name was taken by it. */
  let star = -1
  let taken = 0
  while (at < name.length) {
    if (pattern[place] === '*') {
      star = place++
      taken = at
    } else if (pattern[place] === '?' || pattern[place] === name[at]) {
      place++
      at++
    } else if (star < 0) return false
    else {
      place = star + 1
      at = ++taken
    }
  }
  while (pattern[place] === '*') place++
  return place === pattern.length
}

/** All events when none is named. */
export function eventFilter(events: readonly EventName[] = []): (event: EventName) => boolean {
  const wanted = new Set(events)
  return wanted.size === 0 ? () => true : (event) => wanted.has(event)
}
