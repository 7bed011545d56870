import { toSent } from '../../model/convert'
import type { Route, RouteFields } from '../../model/types'
import { plan, type Wanted } from './plan'

/**
 * Returns a function that finds the route which is probably meant by a row whose name is not there:
 * the only one among those left over that is the same in all but its name.
 */
export function renameFinder(leftOver: readonly Route[]): (wanted: Wanted) => Route | undefined {
  const byPlace = new Map<string, Route[]>()
  for (const route of leftOver) {
    const place = placeOf(toSent(route))
    byPlace.set(place, [...(byPlace.get(place) ?? []), route])
  }
  return (wanted) => {
    if (!wanted.source || !Array.isArray(wanted.destinations)) return undefined
    const alike = (byPlace.get(placeOf(toSent(wanted as Route))) ?? []).filter((route) =>
      isSameButName(wanted, route),
    )
    return alike.length === 1 ? alike[0] : undefined
  }
}

/** So that not every route is compared with every row. */
const placeOf = ({ source, destinations }: RouteFields): string =>
  [source.protocol, source.address, source.port, destinations.length].join('|')

function isSameButName(wanted: Wanted, route: Route): boolean {
  const { id: _, ...fields } = wanted
  const options = { state: 'present', exact: true } as const
  const { steps, problems } = plan({ ...fields, name: route.name }, route, options)
  return steps.length === 0 && problems.length === 0
}
