import type { Change } from './compare'
import type { Named } from '../../model/types'
import type { DeviceState } from '../state'

type RouteChange = Extract<Change, { of: 'route' }>

/**
 * Finds renames that make a route appear or disappear for a watch of chosen routes.
 * @param known what the watch has reported so far
 * @returns by the ID of the route, what its new name means to the watch
 */
export function passagesIn(
  changes: readonly Change[],
  known: DeviceState,
  wantsRoute: (route: Named) => boolean,
): ReadonlyMap<string, RouteChange> {
  const passages = new Map<string, RouteChange>()
  for (const change of changes) {
    if (change.of !== 'route.name') continue
    const { id } = change.route
    const before = known.routes.get(id)!
    const fitted = wantsRoute(before)
    if (fitted === wantsRoute(change.route)) continue
    const passage = fitted
      ? { route: before, from: before, to: undefined }
      : { route: change.route, from: undefined, to: change.route }
    passages.set(id, { of: 'route', ...passage })
  }
  return passages
}

/** Sorts into the documented order: renamed routes among those that were removed and added. */
export function inOrder<T extends { change: Change; passage?: RouteChange }>(told: T[]): T[] {
  const rank = ({ change, passage }: T): number => {
    if (!('route' in change)) return 0
    const there = passage ?? (change.of === 'route' ? change : undefined)
    if (!there) return 3
    return there.to ? 2 : 1
  }
  const idOf = ({ change }: T): string => ('route' in change ? change.route.id : '')
  return told.toSorted((one, other) => {
    const order = rank(one) - rank(other)
    if (order !== 0 || rank(one) === 0 || idOf(one) === idOf(other)) return order
    return idOf(one) < idOf(other) ? -1 : 1
  })
}
