import { ENSURE_STATES, STAND_IN } from '../../../client/model/definition'
import { findRoute, type Target } from '../../../client/changes/find'
import { invalidInput } from '../../../client/errors'
import { Operation } from '../../../client/connection/operation'
import { onlyDevice } from '../../../client/api/devices'
import type { ControlAction } from '../../../client/changes/control'
import type { PlanReport } from '../../../client/changes/ensure/report'
import { withSecretsFrom } from '../../../client/model/secrets'
import type { Connection } from '../../../client/connection/connection'
import type { Remove } from '../../../client/changes/ensure/removals'
import { mayAct } from '../../../client/connection/roles'
import { UPDATE_MODES } from '../../../client/model/check'
import { shownAs } from '../../../client/model/given'
import { RANGES } from '../../../client/model/ranges'
import { numberIn } from '../../../client/model/settings'
import { OPERATIONS, type Inputs, type PlannedRow } from '../../../client/operations'
import { choiceFrom } from '../../runtime/parameters'
import { flagProperty } from '../../runtime/properties'
import type { Planned, PlanQuestion, Received, Requests } from '../../wire'
import { textOf } from './answers'

/** Milliseconds that earlier changes may take to show. */
const LONGEST = 10_000

/**
 * Plans with the code that the runs use, and writes nothing.
 * @throws GatewayError `INVALID_INPUT`; `CONFIG` for what is no flag
 */
export async function planNow(
  gateway: Connection,
  { node, deviceId: named, definition: given, ...form }: Received<Requests['plan']['body']>,
  secretPrefix: string,
): Promise<Planned> {
  const name = choiceFrom('node', node, NODES)
  const operation = new Operation(name)
  const { definition, unset } = withSecrets(given, secretPrefix)
  const device = async (): Promise<string> => textOf(named) ?? onlyDevice(gateway, operation)
  const inputs: Inputs = {
    device,
    async route() {
      const target = targetOf('route', form)
      const deviceId = await device()
      return { deviceId, routeId: await findRoute(gateway, deviceId, target, operation) }
    },
    definition: () => Promise.resolve(definition),
  }
  const planOf: PlanOf = ({ plan }, how) => plan(gateway, inputs, how, operation)
  const { text, summary } = await PLANS[name](form, planOf)
  const mayChange = mayAct(gateway.session.roles(), 'Operator')
  return { text, summary, unset, ...(!mayChange && { mayChange }) }
}

type Form = Received<Omit<PlanQuestion, 'node' | 'definition'>>
type Report = Omit<PlanReport, 'id'>
type PlanOf = <How>(row: Pick<PlannedRow<How, unknown>, 'plan'>, how: How) => Promise<Report>

export const ACTIONS: readonly ControlAction[] = ['start', 'stop', 'restart']
const NODES = ['ensure-route', 'update-route', 'control-route'] as const

const PLANS: Record<(typeof NODES)[number], (form: Form, planOf: PlanOf) => Promise<Report>> = {
  'ensure-route': (form, planOf) =>
    planOf(OPERATIONS.ensure, {
      state: choiceFrom('state', form.state || 'present', ENSURE_STATES),
      exact: flagProperty('exact', form.exact),
      validate: flagProperty('validate', form.validate, true),
      remove: removeIn(form),
      approve: flagProperty('approve', form.approve),
      waitTimeout: LONGEST,
    }),

  'update-route': (form, planOf) =>
    planOf(OPERATIONS.updateRoute, {
      mode: choiceFrom('mode', form.mode, UPDATE_MODES),
      validate: flagProperty('validate', form.validate, true),
    }),

  'control-route': (form, planOf) => {
    const action = choiceFrom('action', form.action, ACTIONS)
    const isRoute = choiceFrom('target', form.target, ['route', 'destination']) === 'route'
    const destination = isRoute ? undefined : targetOf('destination', form)
    return planOf(OPERATIONS[action], { destination })
  },
}

function targetOf(kind: 'route' | 'destination', form: Form): Target {
  const value = textOf(form[kind])
  if (value === undefined) throw invalidInput([{ path: kind, problem: 'is missing' }])
  const type = choiceFrom(`${kind}Type`, form[`${kind}Type`], ['id', 'name'])
  return type === 'id' ? { id: value } : { name: value }
}

/**
 * Puts in the secrets that are given by name, from the environment of the process: a flow that is not
 * deployed has none of its own. What is not set there counts as another secret than the present one.
 */
function withSecrets(given: unknown, prefix: string): { definition: unknown; unset: string[] } {
  const unset = new Set<string>()
  const lookUp = (variable: string): string => {
    const value = process.env[variable]
    if (value) return value
    unset.add(variable)
    return STAND_IN
  }
  const { definition } = withSecretsFrom(given, { prefix, lookUp })
  return { definition, unset: [...unset] }
}

function removeIn({ remove, removePattern, removeAtMost }: Form): Remove | undefined {
  if (remove !== 'pattern') return undefined
  const pattern = typeof removePattern === 'string' ? removePattern : ''
  const isEmpty = removeAtMost === undefined || removeAtMost === null || removeAtMost === ''
  const range = RANGES.removeAtMost
  if (isEmpty) return { pattern }
  const atMost = numberIn(removeAtMost, range)
  if (atMost !== undefined) return { pattern, atMost }
  const wanted = { kind: 'whole', ...range } as const
  const given = shownAs(removeAtMost)
  throw invalidInput([{ path: 'removeAtMost', kind: 'wrong', given, wanted }])
}
