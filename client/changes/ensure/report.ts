import { cannotBeCompared, type Difference } from '../../model/diff'
import { isObject, itemsIn } from '../../model/json'
import { legible, shown } from '../../model/legible'
import { secretsOfRouteNotShown } from '../../model/secrets'
import type { Connection } from '../../connection/connection'
import { mapInSlices } from '../../slices'
import type { Plan as WholePlan } from './plan'

/** A plan as people and programs read it. A plan with problems is refused before it gets here. */
type Plan = Omit<WholePlan, 'problems'>

/** A plan to be read by people. Without secrets. */
export interface PlanReport {
  /** The same as long as neither what is wanted nor what is present has changed. */
  id: string
  /** How many routes each step is for. */
  summary: PlanSummary
  /** How many there are; each route with a step and its differences; each that is only left to a failover. */
  text: string
  /** A row for each route with a step, in the order of the text. */
  table: PlanRow[]
}

export type PlanSummary = Record<WholePlan['steps'][number], number>

export interface PlanRow {
  /** `+`, `~` or `-`. */
  sign: string
  route: string
  /** What is done, such as `stop, update`. */
  steps: string
  /** The differences in one line. */
  changes: string
}

/** What takes something away comes first, so that nobody overlooks it. */
export async function reportOf(
  plans: readonly Plan[],
  { protects }: Pick<Connection, 'protects'>,
): Promise<Omit<PlanReport, 'id'>> {
  const summary: PlanSummary = { create: 0, update: 0, delete: 0, start: 0, stop: 0 }
  for (const { steps } of plans) for (const step of steps) summary[step]++
  const changing = plans
    .filter(({ steps }) => steps.length > 0)
    .sort((one, other) => weightOf(one) - weightOf(other))
  const rows = await mapInSlices(changing, (one) => ({
    sign: one.steps.includes('create') ? '+' : one.steps.includes('delete') ? '-' : '~',
    route: legible(routeOf(one)),
    steps: doneTo(one),
    remarks: [
      ...(isToConfirm(one, protects) ? ['protected: confirmProtected must be its name'] : []),
      ...(one.shared ?? []).map((of) => `shared: ${of}; confirmShared must be true`),
      ...(one.steps.includes('delete') ? lossesOf(one) : []),
      ...differencesOf(one),
      ...leftOf(one),
    ].map(legible),
  }))
  const lines = rows.flatMap(({ sign, route, steps, remarks }) => [
    `${sign} ${route}  ${steps}`,
    ...remarks.map((remark) => `    ${remark}`),
  ])
  for (const one of plans) {
    if (one.left && one.steps.length === 0) {
      lines.push(`= ${legible(routeOf(one))}`, ...leftOf(one).map((remark) => `    ${remark}`))
    }
  }
  return {
    summary,
    text: [inAll(summary), ...lines].join('\n'),
    table: rows.map(({ remarks, ...row }) => ({ ...row, changes: remarks.join('; ') })),
  }
}

/** Deletions come first, then stops, then renames. */
function weightOf({ steps, fields, before }: Plan): number {
  if (steps.includes('delete')) return 0
  if (steps.includes('stop')) return 1
  return before && fields && fields.name !== before.name ? 2 : 3
}

const isToConfirm = ({ before, steps }: Plan, protects: Connection['protects']): boolean =>
  before !== null && steps.some((step) => step !== 'start') && protects?.(before.name) === true

/** What an undo of the delete would need and nobody knows. */
function lossesOf({ before }: Plan): string[] {
  const paths = before ? secretsOfRouteNotShown(before) : []
  return paths.length > 0 ? [`cannot be undone: ${paths.join(', ')} is hidden`] : []
}

function inAll({ create, update, delete: removed, start, stop }: PlanSummary): string {
  if (create + update + removed + start + stop === 0) return 'Nothing to do.'
  return `${create} to add, ${update} to change, ${removed} to remove; ${start} to start, ${stop} to stop.`
}

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

const leftOf = ({ left = [] }: Plan): string[] => left.map(({ text }) => legible(text))

function lineOf(difference: Difference): string {
  const { path, from, to } = difference
  if (cannotBeCompared(difference)) return `${path}: cannot be compared, will be written`
  if (from === undefined || from === null) return `${path}: ${shown(to)}`
  return `${path}: ${shown(from)} → ${to === undefined ? 'removed' : shown(to)}`
}

/** A new route: a line for its source, and one for each destination. */
function partsOf(route: unknown): string[] {
  if (!isObject(route)) return []
  return [
    `source: ${shown(route.source)}`,
    ...itemsIn(route.destinations).map((each, index) => `destinations[${index}]: ${shown(each)}`),
  ]
}
