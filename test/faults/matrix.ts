import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../simulator'
import { variants } from './nodes'
import { EXTENTS, FAULTS, expected, isStart, placesOf, type Extent, type Place } from './rules'
import { run, type Observed, type Trial } from './run'

/** One cell: a node, a fault, and the first call that it strikes. */
export interface Cell extends Trial {
  name: string
  faultName: string
  extent: Extent
  /** What the struck call is for, if nothing has gone wrong before it. */
  place: Place
  /** The same without a fault. */
  usual: Observed
}

/** What a cell has shown, and what is wrong with it. */
export interface Judged {
  name: string
  node: string
  faultName: string
  place: Place
  outcomes: string[]
  problems: string[]
}

/** Runs every variant of every node without a fault, and makes every cell from its calls. */
export async function allCells(): Promise<Cell[]> {
  const trials = variants().flatMap((variant) =>
    [false, true].map((warm): Trial => ({ variant, warm })),
  )
  const usual = await run(trials)
  return trials.flatMap((trial, index) => {
    const one = usual[index]!
    const wrong = [...one.problems, ...(one.outcome === 'ok' ? [] : [one.outcome, one.message])]
    if (wrong.length > 0) throw new Error(`${nameOf(trial)} without a fault: ${wrong.join(', ')}`)
    return placesOf(one.calls).flatMap((place, after) =>
      FAULTS.flatMap(({ name, fault }) =>
        EXTENTS.map((extent): Cell => ({
          ...trial,
          name: `${nameOf(trial)}: ${name} ${extent} at call ${after + 1}, ${place}`,
          faultName: name,
          extent,
          place,
          usual: one,
          fault: { ...fault, after, ...(extent === 'once' && { times: 1 }) },
        })),
      ),
    )
  })
}

export async function judge(cells: Cell[]): Promise<Judged[]> {
  const observed = await run(cells)
  return cells.map((cell, index) => ({
    name: cell.name,
    node: cell.variant.node,
    faultName: cell.faultName,
    place: cell.place,
    outcomes: [observed[index]!.outcome],
    problems: problemsOf(cell, observed[index]!),
  }))
}

function problemsOf(cell: Cell, observed: Observed): string[] {
  const { variant, extent, usual } = cell
  const { calls, outcome, isPartial } = observed
  const problems = [...observed.problems]
  if (!calls.some(({ fault }) => fault)) return [...problems, 'the fault struck no call']
  const wanted = expected({ variant, extent, fault: cell.fault!, calls, usual: usual.calls })
  if (outcome !== wanted.outcome) {
    problems.push(`${outcome}, not ${wanted.outcome}: ${observed.message}`)
  }
  if (!wanted.otherResult) problems.push(...untold(observed, usual))
  if (
    outcome === 'ok' &&
    !wanted.otherResult &&
    !isDeepStrictEqual(shapeOf(observed.payload), shapeOf(usual.payload))
  ) {
    problems.push(`another result: ${JSON.stringify(observed.payload).slice(0, 200)}`)
  }
  if (isPartial && !Array.isArray(observed.payload)) problems.push('a part of what is not a list')
  for (const body of repeatedWrites(calls)) problems.push(`written twice: ${body}`)
  const logins = calls.filter(isLogin)
  const refused = logins.filter(({ status = 0 }) => status >= 400 && status < 500)
  if (refused.length > 1) problems.push(`${refused.length} refused logins`)
  const most = usual.calls.filter(isLogin).length
  const renewed = renews(calls) ? 1 : 0
  if (extent === 'once' && cell.place !== 'login' && logins.length > most + renewed) {
    problems.push(`${logins.length} logins`)
  }
  return problems
}

/** What changed on the appliance without being reported, or was reported but did not change. */
function untold(
  { outcome, isUnchanged, message, retryable, applied, routes, isPartial }: Observed,
  usual: Observed,
): string[] {
  if (outcome === 'ok') {
    return isDeepStrictEqual(routes, usual.routes) ? [] : ['the appliance is not as it should be']
  }
  const problems: string[] = []
  // In a bulk, the error is that of one row.
  if (!isPartial && !isUnchanged && applied === 'no') problems.push('changed, and applied says no')
  // After a restart whose start lost its response, the route may be as it was before.
  const isBack = /: the restart failed after \d+ attempts? to start it/.test(message)
  if (!isPartial && isUnchanged && applied === 'yes' && !isBack)
    problems.push('unchanged, and applied says yes')
  if (applied !== 'no' && retryable) problems.push('retryable, though it may be applied')
  if (applied === 'no' && /may or may not/.test(message))
    problems.push('in doubt, and applied says no')
  return problems
}

/** Writes that reached the appliance twice and may have been applied twice. */
function repeatedWrites(calls: Call[]): string[] {
  const mayBeApplied = calls.filter(
    // Starting what already runs does no harm: a restart repeats it until it is accepted.
    (call) => call.method === 'POST' && !isLogin(call) && !isRefusal(call) && !isStart(call),
  )
  const bodies = mayBeApplied.map(({ rawBody, body }) =>
    // The boundary of a form differs each time.
    body === undefined ? 'a file' : rawBody.toString(),
  )
  return [...new Set(bodies.filter((body, index) => bodies.indexOf(body) !== index))]
}

const isRefusal = ({ status = 0 }: Call): boolean => status >= 300 && status < 500
const isLogin = ({ method, path }: Call): boolean => method === 'POST' && path === '/api/session'
/** The appliance said that the session is gone, or showed a page, such as that of a login, where it was asked. */
const renews = (calls: Call[]): boolean =>
  calls.some(({ method, path, status = 0, fault }) => {
    if (method === 'POST' && path === '/api/session') return false
    const isAbout = path === '/api/session'
    return status === 401 || (isAbout && ([302, 404].includes(status) || fault === 'html'))
  })

/** Names and kinds of the members, two levels deep. */
function shapeOf(value: unknown, depth = 2): unknown {
  if (value === null || typeof value !== 'object') return typeof value
  if (Array.isArray(value))
    return depth === 0 ? 'list' : value.map((one) => shapeOf(one, depth - 1))
  if (depth === 0) return 'object'
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inside]): [string, unknown] => [name, shapeOf(inside, depth - 1)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

export const nameOf = ({ variant, warm }: Trial): string =>
  `${variant.node}${variant.label ? ` (${variant.label})` : ''}, ${warm ? 'warm' : 'cold'}`
