import { checkCreate, checkUpdate, faultOf, type CheckOptions, type UpdateMode } from './check'
import { doubtsOfRoute } from './doubts'
import type { Fault, Wanted } from './faults'
import { givenAs } from './given'
import { isGiven, isObject, isText, own, pathUnder } from './json'
import type { Member } from './members'
import { findHidden, withSecretsFrom } from './secrets'

/** What the definition of a route is for. */
export type Use =
  { kind: 'create' } | { kind: 'update'; mode: UpdateMode } | { kind: 'ensure'; state: string }

/** The choices of ensure: one state for all routes, or the one that each row gives. */
export const ENSURE_STATES = ['present', 'started', 'stopped', 'absent', 'row'] as const
export type EnsureState = (typeof ENSURE_STATES)[number]

/** How a route is to be: there, running or not; running; not running; not there. */
export type WantedState = Exclude<EnsureState, 'row'>

/** The state that a row gives, in the words of the appliance or of ensure; `present` for none. */
export function stateOfRow(row: unknown): WantedState | undefined {
  const state = own(row, 'state')
  if (!isGiven(state) || state === '') return 'present'
  const word = typeof state === 'string' ? state.trim().toLowerCase() : ''
  return Object.hasOwn(STATES_OF_ROWS, word) ? STATES_OF_ROWS[word] : undefined
}

const STATE_OF_ROW: Member = { kind: 'choice', oneOf: ['running', 'stopped'] }

const STATES_OF_ROWS: Record<string, WantedState> = {
  running: 'started',
  started: 'started',
  idle: 'stopped',
  stopped: 'stopped',
}

interface DefinitionOptions extends CheckOptions {
  /** How the names of variables for secrets begin; `''`: not known. Without it, none may stand there. */
  secretPrefix?: string
}

/** Returns every fault that a definition shows before it is sent, without a call. */
export function checkDefinition(
  definition: unknown,
  use: Use,
  { secretPrefix, ...options }: DefinitionOptions,
): Fault[] {
  const faultsOf = (filled: unknown): Fault[] => checkFilled(filled, use, options)
  if (secretPrefix === undefined) return faultsOf(definition)
  return faultsWithNames(definition, secretPrefix, faultsOf)
}

/** Fits wherever a secret fits: what a variable holds is not known yet. */
export const STAND_IN = 'x'.repeat(10)

/** The faults of a definition that may give secrets by name. With no known prefix, any name fits. */
export function faultsWithNames<Found extends object>(
  definition: unknown,
  prefix: string,
  faultsOf: (definition: unknown) => Found[],
): Found[] {
  const filled = withSecretsFrom(definition, { prefix, lookUp: () => STAND_IN }).definition
  const isVariable = (fault: Found): boolean => 'kind' in fault && fault.kind === 'variable'
  return faultsOf(filled).flatMap((fault) => {
    if (!isVariable(fault)) return [fault]
    return prefix === '' ? [] : [{ ...fault, prefix }]
  })
}

function checkFilled(definition: unknown, use: Use, options: CheckOptions): Fault[] {
  if (use.kind === 'create') return checkNewRoute(definition, options)
  const slips = (row: unknown): Fault[] =>
    options.validate === false ? [] : doubtsOfRoute(row).faults
  if (use.kind === 'update') {
    return [...checkUpdate(definition, use.mode, options), ...slips(definition)]
  }
  const wanted = { state: use.state, ...options }
  const faultsOf = (row: unknown): Fault[] => [
    ...checkWanted(row, wanted),
    ...(use.state === 'absent' ? [] : slips(row)),
  ]
  if (!Array.isArray(definition)) return faultsOf(definition)
  return definition.flatMap((row, index) =>
    faultsOf(row).map((fault) => ({ ...fault, path: pathUnder(`[${index}]`, fault.path) })),
  )
}

/** Returns every fault of a route to create. A hidden value is one: there is no value to keep. */
export function checkNewRoute(definition: unknown, options: CheckOptions): Fault[] {
  const problems = checkCreate(definition, options)
  if (problems.length > 0) return problems
  return findHidden(definition).map((path) => ({ path, kind: 'hidden' }))
}

/** Returns every fault of one row of ensure; whether it suffices for a create shows later. */
export function checkWanted(
  row: unknown,
  { state, validate }: { state: string; validate?: boolean },
): Fault[] {
  const problems = checkUpdate(withoutOrders(row, state), 'merge', { validate })
  const refuse = (path: string, wanted: Wanted): unknown =>
    problems.push({ path, kind: 'wrong', given: givenAs(own(row, path)), wanted })
  // A route to be absent need only be identified, whatever else is wrong with it.
  const counting = state === 'absent' ? problems.filter(tellsWhich) : problems
  if (counting.length === 0 && !isText(own(row, 'id')) && !isText(own(row, 'name'))) {
    problems.push({ path: '', kind: 'whichRoute' })
  }
  const destinations = own(row, 'destinations')
  if (Array.isArray(destinations)) {
    destinations.forEach((destination, index) => {
      const action = own(destination, 'action')
      if (!isGiven(action) || action === 'none') return
      problems.push({ path: `destinations[${index}].action`, kind: 'action' })
    })
  } else if (destinations !== undefined) refuse('destinations', { kind: 'wantedDestinations' })
  const start = own(row, 'startRoute')
  if (start !== undefined && typeof start !== 'boolean') refuse('startRoute', { kind: 'boolean' })
  const former = own(row, 'renamedFrom')
  if (isGiven(former) && typeof former !== 'string') {
    problems.push(faultOf({ kind: 'text' }, former, 'renamedFrom'))
  }
  if (state === 'row' && stateOfRow(row) === undefined) {
    problems.push(faultOf(STATE_OF_ROW, own(row, 'state'), 'state'))
  }
  return state === 'absent' ? problems.filter(tellsWhich) : problems
}

const tellsWhich = ({ path }: Fault): boolean => ['', 'name', 'state'].includes(path)

/** The row without what it says to ensure, and not about the route. */
function withoutOrders(row: unknown, state: string): unknown {
  if (!isObject(row)) return row
  const { startRoute: _start, renamedFrom: _name, ...rest } = row
  if (state !== 'row') return rest
  const { state: _state, ...definition } = rest
  return definition
}
