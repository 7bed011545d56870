import { ENSURE_STATES } from '../../../client/model/definition'
import { ensureRoutes, type EnsureRoutes } from '../../../client/changes/ensure/ensure'
import {
  findDestination,
  findRoute,
  type RouteAddress,
  type Target,
} from '../../../client/changes/find'
import { invalidInput, type GatewayError } from '../../../client/errors'
import { newOperation, type Operation } from '../../../client/connection/operation'
import { onlyDevice } from '../../../client/api/devices'
import { planControl, type ControlAction } from '../../../client/changes/control'
import { planUpdate } from '../../../client/changes/update'
import { reportOf, type PlanReport } from '../../../client/changes/ensure/report'
import { withSecretsFrom } from '../../../client/model/secrets'
import type { Connection } from '../../../client/connection/connection'
import type { Remove } from '../../../client/changes/ensure/removals'
import { mayAct } from '../../../client/connection/roles'
import { UPDATE_MODES } from '../../../client/model/check'
import type { Wanted } from '../../../client/model/faults'
import { shownAs } from '../../../client/model/given'
import { RANGES } from '../../../client/model/ranges'
import { numberIn } from '../../../client/model/settings'
import type { Planned, PlanQuestion, Received, Requests } from '../../wire'
import { textOf } from './answers'

/** Milliseconds that earlier changes may take to show. */
const LONGEST = 10_000

/**
 * Plans what a node would do on the gateway as it is now, with the code that its runs use, and writes
 * nothing.
 * @throws GatewayError `INVALID_INPUT` with every reason why it would do nothing
 */
export async function planNow(
  gateway: Connection,
  { node, deviceId, definition: given, ...form }: Received<Requests['plan']['body']>,
  secretPrefix: string,
): Promise<Planned> {
  const name = choiceOf('node', node, NODES)
  const operation = newOperation(name)
  const { definition, unset } = withSecrets(given, secretPrefix)
  const device = textOf(deviceId)
  const asked = {
    ...form,
    definition,
    device: () => (device ? Promise.resolve(device) : onlyDevice(gateway, operation)),
  }
  const { text, summary } = await PLANS[name](gateway, asked, operation)
  const mayChange = mayAct(gateway.session.roles(), 'Operator')
  return { text, summary, unset, ...(!mayChange && { mayChange }) }
}

const ACTIONS: readonly ControlAction[] = ['start', 'stop', 'restart']
const NODES = ['ensure-route', 'update-route', 'control-route'] as const
type PlannedNode = (typeof NODES)[number]

interface Asked extends Received<Omit<PlanQuestion, 'node'>> {
  /** The device that the form names, or the only one. */
  device: () => Promise<string>
}

const PLANS: Record<
  PlannedNode,
  (gateway: Connection, asked: Asked, operation: Operation) => Promise<Omit<PlanReport, 'id'>>
> = {
  async 'ensure-route'(gateway, { device, definition, ...form }, operation) {
    const options: EnsureRoutes = {
      deviceId: device,
      state: choiceOf('state', form.state || 'present', ENSURE_STATES),
      check: true,
      exact: form.exact === true,
      validate: form.validate !== false,
      remove: removeIn(form),
      approve: form.approve === true,
      waitTimeout: LONGEST,
    }
    const { plan } = await ensureRoutes(gateway, definition, options, operation)
    // A dry run always reports its plan.
    return plan!
  },

  async 'update-route'(gateway, asked, operation) {
    const update = {
      address: () => addressOf(gateway, asked, operation),
      patch: asked.definition,
      mode: choiceOf('mode', asked.mode, UPDATE_MODES),
      validate: asked.validate !== false,
    }
    return reportOf([await planUpdate(gateway, update, operation)], gateway)
  },

  async 'control-route'(gateway, asked, operation) {
    const action = choiceOf('action', asked.action, ACTIONS)
    const isRoute = choiceOf('target', asked.target, ['route', 'destination']) === 'route'
    const target = isRoute ? undefined : targetOf('destination', asked)
    const address = await addressOf(gateway, asked, operation)
    const destinationId = target && (await findDestination(gateway, address, target, operation))
    const control = { ...address, action, destinationId }
    return reportOf([await planControl(gateway, control, operation)], gateway)
  },
}

async function addressOf(
  gateway: Connection,
  asked: Asked,
  operation: Operation,
): Promise<RouteAddress> {
  const target = targetOf('route', asked)
  const deviceId = await asked.device()
  return { deviceId, routeId: await findRoute(gateway, deviceId, target, operation) }
}

/** The route or the destination that a form names by its ID or its name. */
function targetOf(kind: 'route' | 'destination', asked: Asked): Target {
  const value = textOf(asked[kind])
  if (value === undefined) throw invalidInput([{ path: kind, problem: 'is missing' }])
  const type = choiceOf(`${kind}Type`, asked[`${kind}Type`], ['id', 'name'])
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

/** Fits wherever a secret fits. */
const STAND_IN = 'x'.repeat(10)

function choiceOf<Choice extends string>(
  path: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const known = choices.find((each) => each === value)
  if (known !== undefined) return known
  throw wrong(path, value, { kind: 'choice', choices: choices.join(', ') })
}

function removeIn({
  remove,
  removePattern,
  removeAtMost,
}: Received<PlanQuestion>): Remove | undefined {
  if (remove !== 'pattern') return undefined
  const pattern = typeof removePattern === 'string' ? removePattern : ''
  const isEmpty = removeAtMost === undefined || removeAtMost === null || removeAtMost === ''
  const range = RANGES.removeAtMost
  if (isEmpty) return { pattern }
  const atMost = numberIn(removeAtMost, range)
  if (atMost !== undefined) return { pattern, atMost }
  throw wrong('removeAtMost', removeAtMost, { kind: 'whole', ...range })
}

const wrong = (path: string, value: unknown, wanted: Wanted): GatewayError =>
  invalidInput([{ path, kind: 'wrong', given: shownAs(value), wanted }])
