import { invalidInput, readOnlyError, type Finding } from '../../errors'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import { checkWanted, stateOfRow, type EnsureState } from '../../model/definition'
import { doubtsOfRoute } from '../../model/doubts'
import { pathUnder } from '../../model/json'
import { RouteIndex } from '../../model/route-index'
import type { Route } from '../../model/types'
import { setLatest } from '../../memory'
import { mapInSlices } from '../../slices'
import { groundsOf, stalePlan, usedPlan } from './approval'
import { planned, planOn, type Ensured } from './apply'
import { applyRows, type Apply, type EnsureFailure } from './bulk'
import { labelOf } from '../find'
import {
  collisions,
  duplicates,
  newRow,
  type ApplyOptions,
  type Goal,
  type Site,
  type Plan,
  type Row,
  type Wanted,
} from './plan'
import { findPortConflicts, listeningOf, mayOpenPorts } from './port-conflicts'
import { settledList } from './reads'
import { onMain } from '../owned'
import { noteShared } from '../shared'
import { planRemovals, removalFaults, type Remove } from './removals'
import { findEach, renameFinder } from './renames'
import { reportOf, type PlanReport } from './report'
import { runOf, type EnsureMemory } from './undo'

export interface EnsureRoutes extends Omit<ApplyOptions, 'state'>, Pick<Apply, 'onProgress'> {
  deviceId: string | (() => Promise<string>)
  state: EnsureState
  /** Plan only: nothing is written. */
  check?: boolean
  /** Nothing is written without the ID of a plan, and then exactly that plan. Renames are recognized. */
  approve?: boolean
  /** Of the plan that was approved. */
  planId?: string
  /** Delete routes that a list does not have; none by default. */
  remove?: Remove
  memory?: EnsureMemory
}

export interface EnsureResult {
  deviceId: string
  results: Ensured | Array<Ensured | EnsureFailure>
  routeId?: string
  /** With `check` or `approve`. */
  plan?: PlanReport
  /** False where the plan is all there is. */
  isApplied: boolean
}

/**
 * Writes only what is not as wanted, see docs/update-and-ensure.md. All faults are found before that.
 * @throws GatewayError `INVALID_INPUT` with every fault, `CONFLICT` when the approved plan no longer
 * fits; nothing was written then
 */
export async function ensureRoutes(
  gateway: Connection,
  input: unknown,
  options: EnsureRoutes,
  operation: Operation,
): Promise<EnsureResult> {
  const { check = false, approve = false, planId, memory } = options
  const isApplied = !check && !(approve && planId === undefined)
  if (gateway.readOnly && isApplied) throw readOnlyError()
  const isList = Array.isArray(input)
  if (!isList) operation.route = labelOf(input)
  const wanted = await checkedRows(input, options, operation)
  const deviceId =
    typeof options.deviceId === 'string' ? options.deviceId : await options.deviceId()
  const site = { gateway, deviceId }
  const { rows, problems } = await planRows(site, wanted, isList, options, operation)
  const plans = rows.map((row) => row.plan)

  const made = check || approve ? await groundsOf(site, rows) : undefined
  // What makes an approved plan impossible is a change since as well.
  if (isApplied && approve && made && planId !== made.id) {
    throw stalePlan(made.grounds, memory?.plans.get(planId!))
  }
  refuse(problems)
  const { usedPlans } = gateway.memory
  const plan = made && { id: made.id, ...(await reportOf(plans, gateway)) }
  if (!isApplied) {
    if (memory && made) setLatest(memory.plans, made.id, made.grounds, MOST_PLANS)
    if (made && approve && !check) usedPlans.delete(made.id)
    const results = await mapInSlices(plans, planned)
    return { deviceId, ...resultOf(isList ? results : results[0]!), plan, isApplied }
  }
  // Of two messages at the same time, one applies it.
  if (approve && usedPlans.has(planId!)) throw usedPlan()
  if (planId !== undefined) setLatest(usedPlans, planId, true)
  if (memory) memory.running++
  try {
    const results = await applyRows(rows, { ...options, ...site, isList }, operation)
    return { deviceId, ...resultOf(results), plan, isApplied }
  } finally {
    const run = runOf(deviceId, isList, rows)
    if (planId !== undefined) {
      if (run) setLatest(usedPlans, planId, true)
      else usedPlans.delete(planId)
    }
    if (memory) {
      memory.running--
      memory.lastRun = run ?? memory.lastRun
    }
  }
}

/** That can still be applied. */
const MOST_PLANS = 20

const resultOf = (results: EnsureResult['results']): Pick<EnsureResult, 'results' | 'routeId'> =>
  Array.isArray(results) ? { results } : { results, routeId: (results.after ?? results.before)?.id }

async function checkedRows(
  input: unknown,
  options: EnsureRoutes,
  operation: Operation,
): Promise<Wanted[]> {
  const { state, remove, check = false, approve = false } = options
  const isList = Array.isArray(input)
  const rows: readonly unknown[] = isList ? input : [input]
  const unknown: string[] = []
  const faults: Finding[] = []
  await mapInSlices(rows, (row, index) => {
    const path = pathIn(isList, index)
    for (const at of doubtsOfRoute(row).unknown) unknown.push(pathUnder(path, at))
    for (const fault of under(path, checkWanted(row, options))) faults.push(fault)
  })
  operation.unknownFields = unknown
  const removal = { isList, rows: rows.length, state, isSeenFirst: check || approve }
  refuse([...faults, ...(remove ? removalFaults(remove, removal) : [])])
  const wanted = rows as Wanted[]
  refuse(duplicates(wanted, (index) => pathIn(isList, index)))
  return wanted
}

const pathIn = (isList: boolean, index: number): string => (isList ? `[${index}]` : '')

async function planRows(
  site: Site,
  wanted: readonly Wanted[],
  isList: boolean,
  options: EnsureRoutes,
  operation: Operation,
): Promise<{ rows: Row[]; problems: Finding[] }> {
  const { gateway, deviceId } = site
  const pathOf = (index: number): string => pathIn(isList, index)
  const goals = wanted.map((row) => goalOf(row, options))
  const present = await settledList(site, goals, options.waitTimeout, operation)
  // A route on its backup is compared as it is on main.
  const home =
    gateway.memory.protections.size === 0
      ? present
      : new RouteIndex(present.all.map((route) => onMain(gateway, deviceId, route)))
  const { found, refused } = findEach(goals, home)
  const planFor = (goal: Goal, route: Route | undefined): Plan =>
    planOn(site, goal, present.byId(route?.id))
  const given = await mapInSlices(goals, (goal, index) => newRow(goal, planFor(goal, found[index])))
  await recognizeRenames(given, home, planFor, options.approve === true)

  const { removals, problems } = options.remove
    ? await planRemovals(
        options.remove,
        given,
        present.all,
        { ...options, state: 'absent' },
        planFor,
      )
    : { removals: [], problems: [] }
  const rows = [...given, ...removals]
  const all = rows.map((row) => row.plan)
  noteShared(all, present.all)
  const isChecked = options.validate !== false && all.some(mayOpenPorts)
  const listening = isChecked ? await mapInSlices(present.all, listeningOf) : []
  return {
    rows,
    problems: [
      ...given.flatMap(({ plan }, index) => under(pathOf(index), plan.problems)),
      ...refused.flatMap(({ index, problem }) =>
        under(pathOf(index), [{ path: 'renamedFrom', problem }]),
      ),
      ...collisions(all, present.all, pathOf),
      ...(isChecked ? findPortConflicts(all, listening, pathOf) : []),
      ...problems,
    ],
  }
}

function goalOf(row: Wanted, options: EnsureRoutes): Goal {
  if (options.state !== 'row') return { wanted: row, options: { ...options, state: options.state } }
  const { state: _, ...wanted } = row as Wanted & { state?: unknown }
  return { wanted, options: { ...options, state: stateOfRow(row)! } }
}

/** A row whose route only seems to have another name: planned as a rename, or else marked. */
async function recognizeRenames(
  rows: Row[],
  present: RouteIndex,
  planFor: (goal: Goal, route: Route) => Plan,
  isAsked: boolean,
): Promise<void> {
  const missing = rows.filter(
    ({ plan: { before }, options }) => !before && options.state !== 'absent',
  )
  if (missing.length === 0) return
  const meant = new Set(rows.map(({ plan: { before } }) => before?.id))
  const find = await renameFinder(present.all.filter(({ id }) => !meant.has(id)))
  const taken = new Set<Route>()
  await mapInSlices(missing, (row) => {
    // An empty former name says that it is a new route.
    if (row.wanted.renamedFrom !== undefined) return
    const route = find(row.wanted)
    if (!route || taken.has(route)) return
    taken.add(route)
    if (isAsked) {
      row.wanted = { ...row.wanted, renamedFrom: route.name }
      row.plan = planFor(row, route)
    } else row.plan = { ...row.plan, renameOf: route.name }
  })
}

const under = (path: string, problems: Finding[]): Finding[] =>
  path === '' ? problems : problems.map((one) => ({ ...one, path: pathUnder(path, one.path) }))

function refuse(problems: Finding[]): void {
  if (problems.length > 0) throw invalidInput(problems)
}
