import { sourceToSent } from '../../model/convert'
import { cannotBeCompared } from '../../model/diff'
import { grouped } from '../../model/ids'
import { isText, itemsIn } from '../../model/json'
import type { RouteIndex } from '../../model/route-index'
import type { Route } from '../../model/types'
import { mapInSlices } from '../../slices'
import { theOnly } from '../find'
import { findWanted, plan, type Goal, type PlanOptions, type Wanted } from './plan'

/** Finds the only route left over that is the same as a row in all but its name. */
export async function renameFinder(
  leftOver: readonly Route[],
): Promise<(wanted: Wanted) => Route | undefined> {
  const places = await mapInSlices(leftOver, placeOf)
  const byPlace = grouped(leftOver.keys(), (index) => places[index])
  return (wanted) => {
    if (!wanted.source || !Array.isArray(wanted.destinations)) return undefined
    const alike = (byPlace.get(placeOf(wanted as Route)) ?? [])
      .map((index) => leftOver[index]!)
      .filter((route) => isSameButName(wanted, route))
    return alike.length === 1 ? alike[0] : undefined
  }
}

/** So that not every route is compared with every row. */
function placeOf({ source, destinations }: Route): string {
  const { protocol, address, port } = sourceToSent(source)
  return [protocol, address, port, itemsIn(destinations).length].join('|')
}

function isSameButName(wanted: Wanted, route: Route): boolean {
  const { id: _, ...fields } = wanted
  return fits({ ...fields, name: route.name }, { exact: true }, route)
}

/** True when the route needs no change that shows, except to start or stop. */
function fits(wanted: Wanted, options: Omit<PlanOptions, 'state'>, route: Route): boolean {
  const { diff, problems } = plan(wanted, route, { ...options, state: 'present' })
  return diff.every(cannotBeCompared) && problems.length === 0
}

/**
 * `renamedFrom` is an order also where both names are there, so that names can be exchanged: the former
 * name counts, unless the row is fulfilled, or a row keeps that route under its name.
 * @returns with the orders that would leave two routes with one name, or are not clear
 */
export function findEach(
  goals: readonly Goal[],
  present: RouteIndex,
): { found: Array<Route | undefined>; refused: Array<{ index: number; problem: string }> } {
  const found = goals.map((goal) => findWanted(goal, present))
  const orders = new Map<number, Route>()
  goals.forEach((goal, index) => {
    const { name, renamedFrom, source } = goal.wanted
    const here = found[index]
    const isOpen = here?.name === name && renamedFrom !== name && !present.byId(goal.wanted.id)
    if (!here || !isOpen || !isText(renamedFrom) || goal.options.state === 'absent') return
    if (source && fits(goal.wanted, goal.options, here)) return
    const former = theOnly(present.byName(renamedFrom), 'route')
    if (former) orders.set(index, former)
  })
  const kept = new Set<string>()
  const leaving = new Set<string>()
  goals.forEach(({ wanted: { name } }, index) => {
    const here = found[index]
    if (here && !orders.has(index))
      ((name ?? here.name) === here.name ? kept : leaving).add(here.id)
  })
  for (let left = -1; left !== orders.size;) {
    left = orders.size
    for (const [index, { id }] of orders) {
      if (!kept.has(id)) continue
      orders.delete(index)
      kept.add(found[index]!.id)
    }
  }
  const byFormer = new Map([...orders].map(([index, { id }]) => [id, index]))
  const refused = [...orders].flatMap(([index, former]) => {
    const { wanted, options } = goals[index]!
    const [from, to] = [former.name, wanted.name].map((name) => JSON.stringify(name))
    const already = 'if it was renamed already, remove renamedFrom'
    const here = found[index]!
    if (!leaving.has(here.id) && !byFormer.has(here.id)) {
      const problem = `is ${from}, but ${to} exists as well: renaming ${from} to ${to} needs two runs, the first one for ${to}; ${already}`
      return [{ index, problem }]
    }
    const isUnclear =
      isExchange(index, byFormer, found) && !fits({ ...wanted, name: former.name }, options, former)
    if (!isUnclear) return []
    const problem = `is ${from}, but ${to} differs in more than its name: exchange the names in one run, and change the rest in another; ${already}`
    return [{ index, problem }]
  })
  for (const [index, former] of orders) found[index] = former
  return { found, refused }
}

/** True when the last of those who give way to each other takes the name of the first. */
function isExchange(
  first: number,
  byFormer: ReadonlyMap<string, number>,
  found: ReadonlyArray<Route | undefined>,
): boolean {
  let next = byFormer.get(found[first]!.id)
  for (let steps = 0; next !== undefined && next !== first; steps++) {
    if (steps > byFormer.size) return false
    next = byFormer.get(found[next]!.id)
  }
  return next === first
}
