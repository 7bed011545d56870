import type { Finding } from '../../errors'
import { patternFilter } from '../../model/pattern'
import { isStopped } from '../../model/route-state'
import type { Route } from '../../model/types'
import { mapInSlices } from '../../slices'
import { whyKept } from '../owned'
import { newRow, type ApplyOptions, type Goal, type Plan, type Row } from './plan'

/** Which routes are removed that a list does not have. */
export interface Remove {
  /** Of their names: `*` stands for any text, `?` for one character. */
  pattern: string
  /** More than so many are refused; default 3. */
  atMost?: number
}

/** What speaks against removing anything, whatever is present. */
export function removalFaults(
  remove: Remove,
  { isList, rows, state, isSeenFirst }: RemovalFor,
): Finding[] {
  const faults: Finding[] = []
  const add = (path: string, problem: string): void => void faults.push({ path, problem })
  if (remove.pattern.trim() === '') {
    add('removePattern', 'is empty; it must match the names of the routes that may be removed')
  }
  if (!isList || rows === 0) {
    add('remove', 'needs a list with at least one route: all that are to stay')
  }
  if (state === 'absent') {
    add('remove', 'is not possible with the desired state absent')
  }
  if (!isSeenFirst) {
    add('remove', 'needs a plan that a person approves: make one first, and apply it by its ID')
  }
  return faults
}

interface RemovalFor {
  isList: boolean
  rows: number
  state: string
  /** The plan is shown before it is applied. */
  isSeenFirst: boolean
}

/** A route on the air is never removed: it is stopped in one run, and removed in another. */
export async function planRemovals(
  remove: Remove,
  rows: readonly Row[],
  present: readonly Route[],
  options: ApplyOptions,
  planFor: (goal: Goal, route: Route) => Plan,
): Promise<{ removals: Row[]; problems: Finding[] }> {
  const { atMost = 3 } = remove
  const fits = patternFilter(remove.pattern)
  const kept = new Set(rows.map(({ plan: { before } }) => before?.id))
  const surplus = present.filter(
    ({ id, name, hasPendingDelete }) => !kept.has(id) && !hasPendingDelete && fits(String(name)),
  )
  const problems: Finding[] = surplus
    .filter((route) => !isStopped(route))
    .map(({ name }) => ({
      path: 'remove',
      problem: `would delete ${JSON.stringify(name)}, which is not stopped; stop it first, or add it to the list`,
    }))
  const removals = await mapInSlices(surplus, (route) => {
    const goal = { wanted: { id: route.id, name: route.name }, options }
    return newRow(goal, planFor(goal, route))
  })
  surplus.forEach((route, index) => {
    // A failover protects it.
    if (removals[index]!.plan.problems.length === 0) return
    problems.push({ path: 'remove', problem: `${whyKept(route)}, or add it to the list` })
  })
  if (surplus.length > atMost) {
    const names = surplus.map(({ name }) => JSON.stringify(name)).join(', ')
    const problem = `is ${atMost}, but ${surplus.length} routes would be deleted: ${names}`
    problems.push({ path: 'removeAtMost', problem })
  }
  return { removals, problems }
}
