import {
  ENSURE_STATES,
  ensureRoutes,
  invalidInput,
  newOperation,
  onlyDevice,
  withSecretsFrom,
  type Connection,
  type EnsureRoutes,
  type EnsureState,
  type GatewayError,
  type Remove,
} from '../../../client/internal'
import type { Wanted } from '../../../client/model/faults'
import { shownAs } from '../../../client/model/given'
import { RANGES } from '../../../client/model/ranges'
import { numberIn } from '../../../client/model/settings'
import type { Planned, PlanQuestion, Received, Requests } from '../../wire'

/** Milliseconds that earlier changes may take to show. */
const LONGEST = 10_000

/**
 * Plans what ensure route would do on the gateway as it is now, and writes nothing.
 * @throws GatewayError `INVALID_INPUT` with every reason why it would do nothing
 */
export async function planNow(
  gateway: Connection,
  { deviceId, definition: given, ...form }: Received<Requests['plan']['body']>,
  secretPrefix: string,
): Promise<Planned> {
  const { definition, unset } = withSecrets(given, secretPrefix)
  const operation = newOperation('ensure-route')
  const device = typeof deviceId === 'string' && deviceId !== '' ? deviceId : undefined
  const options: EnsureRoutes = {
    deviceId: device ?? (() => onlyDevice(gateway, operation)),
    state: stateIn(form),
    check: true,
    exact: form.exact === true,
    validate: form.validate !== false,
    remove: removeIn(form),
    approve: form.approve === true,
    waitTimeout: LONGEST,
  }
  const { plan } = await ensureRoutes(gateway, definition, options, operation)
  // A dry run always reports its plan.
  const { text, summary } = plan!
  return { text, summary, unset }
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

function stateIn({ state }: Received<PlanQuestion>): EnsureState {
  const known = ENSURE_STATES.find((each) => each === (state || 'present'))
  if (known !== undefined) return known
  throw wrong('state', state, { kind: 'choice', choices: ENSURE_STATES.join(', ') })
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
