import { invalidInput, readOnlyError } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { checkUpdate, inventedFields, type CheckOptions, type UpdateMode } from '../model/check'
import { toSent } from '../model/convert'
import { changesFor, diffRoutes } from '../model/diff'
import { doubtsOfRoute } from '../model/doubts'
import { isSameId } from '../model/ids'
import type { Route, RouteFields, RoutePatch, UpdateAnswer } from '../model/types'
import type { RouteAddress } from './find'
import { comparable } from './known-secrets'
import { decidesOn, needsPresent, planKeep, planMerge, planReplace } from './merge'
import { withUnseen } from './base'
import { isUnseen, readStableRoute, sendFresh, serialized } from './unconfirmed'
import { refuseProtected } from './protected'
import { sharedOutputs, type PlannedChange } from './shared'
import { takeStep, updateStep, type Waiting } from './step'
import { stillDiffers } from './wait'

interface UpdateRoute extends Waiting {
  /** A function is called only once the patch has passed its checks. */
  address: RouteAddress | (() => Promise<RouteAddress>)
  /** What to change: `{name?, source?, destinations?}`, or a Route as read and edited. */
  patch: unknown
  mode: UpdateMode
  validate?: boolean
}

export interface Updated extends RouteAddress {
  answer: UpdateAnswer
  /** The changed route, with `applied`; secrets hidden. */
  route?: Route
  /** Paths of fields that nobody knows, and that were sent: newer firmware may. */
  unknownFields?: readonly string[]
}

/**
 * The appliance deletes every destination that an update leaves out: what a patch leaves out is read and
 * sent along. Updates take turns: each reads the route once the one before has shown.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is changed
 */
export const updateRoute = (
  gateway: Connection,
  update: UpdateRoute,
  operation: Operation,
): Promise<Updated> =>
  withPlan(gateway, update, operation, false, ({ target, fields, route }, sending) => {
    const verdict = (now: Route) =>
      stillDiffers(diffRoutes(fields, toSent(comparable(gateway, target.deviceId, now))))
    const step = updateStep(gateway, target, { fields, present: route }, verdict)
    return takeStep(gateway, step, update, operation, sending)
  })

/** What an update would change in the route as it is now, without secrets. Nothing is sent. */
export async function planUpdate(
  gateway: Connection,
  update: Omit<UpdateRoute, keyof Waiting>,
  operation: Operation,
): Promise<PlannedChange<'update'>> {
  const { plan } = await withPlan(gateway, update, operation, true, ({ fields, route, told }) => {
    const diff = changesFor(fields, toSent(told!))
    const steps: 'update'[] = diff.length > 0 ? ['update'] : []
    return Promise.resolve({ plan: { steps, diff, before: route!, fields } })
  })
  return plan
}

interface PlannedUpdate {
  target: RouteAddress
  fields: RouteFields
  route?: Route
  /** With what was sent and does not show yet, and the secrets that reads leave out. */
  told?: Route
}

/** Checks and plans an update, and hands over the plan in the turn of the route. */
async function withPlan<Done>(
  gateway: Connection,
  { address, patch, mode, validate }: Omit<UpdateRoute, keyof Waiting>,
  operation: Operation,
  /** The route is read even where the plan does not need it. */
  isReadAnyway: boolean,
  use: (planned: PlannedUpdate, sending: Operation) => Promise<Done>,
): Promise<RouteAddress & Done> {
  if (gateway.readOnly) throw readOnlyError()
  const given = checkUpdate(patch, mode, { validate })
  if (given.length > 0) throw invalidInput(given)
  const changes = patch as RoutePatch
  const at = typeof address === 'function' ? await address() : address
  const { deviceId, routeId } = at
  refuseOtherRoute(changes, routeId)

  return serialized(gateway, at, operation, async () => {
    const isDoubted = validate !== false && doubtsOfRoute(changes).faults.length > 0
    const isRead =
      isReadAnyway ||
      isDoubted ||
      needsPresent(changes, mode) ||
      gateway.protects !== undefined ||
      isUnseen(gateway, at)
    const read = async (): Promise<Route | undefined> => {
      const decides = decidesOn(changes, mode)
      const route = isRead ? await readStableRoute(gateway, at, operation, { decides }) : undefined
      operation.route = route?.name ?? operation.route
      return route
    }
    const refuseShared = sharedOutputs(gateway, at)
    const taken = await sendFresh(gateway, operation, read, async (route, sending) => {
      const present = route && withUnseen(gateway, deviceId, route)
      if (route && present) {
        refuseProtected(gateway, [route.name, present.name], sending)
      }
      const { fields, problems } = PLANS[mode](changes, present, { validate })
      const doubts = doubtsOfRoute(changes, present)
      const invented = present ? inventedFields(changes, present) : []
      const slips = validate === false ? [] : doubts.faults
      const faults = [...problems, ...invented, ...slips]
      if (faults.length > 0) throw invalidInput(faults)
      operation.unknownFields = doubts.unknown
      await refuseShared({ present, after: fields }, sending)
      // The appliance's own spelling of the ID, where the route was read.
      const target = { deviceId, routeId: route?.id ?? routeId }
      const told = present && comparable(gateway, deviceId, present)
      return use({ target, fields, route, told }, sending)
    })
    return { deviceId, routeId, ...taken }
  })
}

const PLANS = {
  keep: planKeep,
  merge: (patch: RoutePatch, present: Route | undefined, options: CheckOptions) =>
    planMerge(patch, present!, options),
  replace: planReplace,
}

/** Refuses a Route as read that is sent to another route: its IDs belong to the first one. */
function refuseOtherRoute({ id }: RoutePatch, routeId: string): void {
  if (id === undefined || id === null || isSameId(id, routeId)) return
  const problem = `is the ID of another route, but the route to update is ${routeId}; to apply the settings of another route, remove the IDs`
  throw invalidInput([{ path: 'id', problem }])
}
