import type { Difference } from '../../model/diff'
import { isObject, isText, membersIn } from '../../model/json'
import { secretsOfRouteNotShown } from '../../model/secrets'
import type { Connection } from '../../connection/connection'
import type { Plan } from './plan'

/** A plan to be read by people. Without secrets. */
export interface PlanReport {
  /** The same as long as neither what is wanted nor what is present has changed. */
  id: string
  /** How many routes each step is for. */
  summary: PlanSummary
  /** Several lines: each route with a step, its differences, and how many there are in all. */
  text: string
  /** A row for each route with a step. */
  table: PlanRow[]
}

export interface PlanSummary {
  create: number
  update: number
  delete: number
  start: number
  stop: number
}

export interface PlanRow {
  /** `+`, `~` or `-`. */
  sign: string
  route: string
  /** What is done, such as `stop, update`. */
  steps: string
  /** The differences in one line. */
  changes: string
}

/**
 * Reports plans without their ID.
 * @param protects says which routes need a confirmation by name
 */
export function reportOf(
  plans: readonly Plan[],
  { protects }: Pick<Connection, 'protects'>,
): Omit<PlanReport, 'id'> {
  const remarksOf = (one: Plan): string[] => [
    ...(isToConfirm(one, protects) ? ['protected: msg.confirmProtected must be its name'] : []),
    ...(one.steps.includes('delete') ? lossesOf(one) : []),
    ...differencesOf(one),
  ]
  const summary: PlanSummary = { create: 0, update: 0, delete: 0, start: 0, stop: 0 }
  for (const { steps } of plans) for (const step of steps) summary[step]++
  const changing = plans.filter(({ steps }) => steps.length > 0)
  const lines = changing.flatMap((one) => [
    `${signOf(one)} ${routeOf(one)}  ${doneTo(one)}`,
    ...remarksOf(one).map((line) => `    ${line}`),
  ])
  return {
    summary,
    text: [...lines, inAll(summary)].join('\n'),
    table: changing.map((one) => ({
      sign: signOf(one),
      route: routeOf(one),
      steps: doneTo(one),
      changes: remarksOf(one).join('; '),
    })),
  }
}

const isToConfirm = ({ before, steps }: Plan, protects: Connection['protects']): boolean =>
  before !== null && steps.some((step) => step !== 'start') && protects?.(before.name) === true

/** What an undo of the delete would need and nobody knows. */
function lossesOf({ before }: Plan): string[] {
  const paths = before ? secretsOfRouteNotShown(before) : []
  return paths.length > 0 ? [`cannot be taken back: ${paths.join(', ')} is hidden`] : []
}

function inAll({ create, update, delete: removed, start, stop }: PlanSummary): string {
  if (create + update + removed + start + stop === 0) return 'Nothing to do.'
  return `${create} to add, ${update} to change, ${removed} to remove; ${start} to start, ${stop} to stop.`
}

const signOf = ({ steps }: Plan): string =>
  steps.includes('create') ? '+' : steps.includes('delete') ? '-' : '~'

/** In quotes: a name may end in a space. */
const routeOf = ({ fields, before }: Plan): string => {
  const [now, then] = [before?.name, fields?.name].map((name) => name && JSON.stringify(name))
  return now && then && now !== then ? `${now} → ${then}` : (now ?? then ?? '""')
}

const doneTo = ({ steps, fields }: Plan): string =>
  steps.includes('create') && fields?.startRoute ? 'create and start' : steps.join(', ')

function differencesOf({ diff, steps, renameOf }: Plan): string[] {
  if (steps.includes('delete')) return []
  if (!steps.includes('create')) return diff.map(lineOf)
  const hint =
    renameOf === undefined ? [] : [`the same as ${JSON.stringify(renameOf)} except for its name`]
  return [...hint, ...diff.flatMap(({ to }) => partsOf(to))]
}

const lineOf = ({ path, from, to }: Difference): string =>
  from === undefined || from === null
    ? `${path}: ${shown(to)}`
    : `${path}: ${shown(from)} → ${to === undefined ? 'removed' : shown(to)}`

/** A new route: a line for its source, and one for each destination. */
function partsOf(route: unknown): string[] {
  if (!isObject(route)) return []
  const destinations: unknown[] = Array.isArray(route.destinations) ? route.destinations : []
  return [
    `source: ${shown(route.source)}`,
    ...destinations.map((each, index) => `destinations[${index}]: ${shown(each)}`),
  ]
}

function shown(value: unknown): string {
  if (isText(value)) return /^[\w.:/•@-]+$/.test(value) ? value : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'none'
  return membersIn(value)
    .filter(([, member]) => member !== undefined && member !== null && member !== '')
    .map(([name, member]) => `${name} ${shown(member)}`)
    .join(', ')
}
