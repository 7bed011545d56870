import { invalidInput, readOnlyError, words, type Sentence } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { checkUpdate, type CheckOptions, type UpdateMode } from '../model/check'
import { toSent } from '../model/convert'
import { doubtsOfRoute } from '../model/doubts'
import { isSameId } from '../model/ids'
import type { Route, RouteFields, RoutePatch, UpdateAnswer } from '../model/types'
import { awaitRoute, stillDiffers } from './wait'
import type { Waiting } from './create'
import { covers, diffRoutes } from '../model/diff'
import type { RouteAddress } from './find'
import { decidesOn, needsPresent, planKeep, planMerge, planReplace } from './merge'
import { forgetUnseen, withUnseen } from '../unseen'
import { isUnseen, readStableRoute, sendFresh, sendTracked, serialized } from './pending'
import { refuseProtected } from './protected'
import { sharedOutputs } from './shared'
import { comparable } from './known-secrets'
import { shownRoute } from '../model/secrets'

export type { UpdateMode }

export interface UpdateRoute extends Waiting {
  /** A function is called only once the patch has passed its checks. */
  address: RouteAddress | (() => Promise<RouteAddress>)
  /** What to change: `{name?, source?, destinations?}`, or a Route as read and edited. */
  patch: unknown
  mode: UpdateMode
  validate?: boolean
  /** Sees the route as it was read, before anything is sent; it may throw, and nothing is sent. */
  allow?: (present: Route) => void
}

export interface Updated extends RouteAddress {
  answer: UpdateAnswer
  /** The changed route, with `applied`; secrets hidden. */
  route?: Route
  /** Paths of fields that nobody knows, and that were sent: newer firmware may. */
  unknownFields?: readonly string[]
}

/**
 * Updates a route. The appliance deletes every destination that an update leaves out, see
 * docs/project/interface.md#updates, so what the patch leaves out is read first and sent along.
 * Updates of one route take turns: each reads the route once the one before has shown.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is changed
 */
export async function updateRoute(
  gateway: Connection,
  { address, patch, mode, validate, allow, waitFor, waitTimeout }: UpdateRoute,
  operation: Operation,
): Promise<Updated> {
  if (gateway.readOnly) throw readOnlyError(operation)
  const given = checkUpdate(patch, mode, { validate })
  if (given.length > 0) throw invalidInput(given, operation.name)
  const changes = patch as RoutePatch
  const at = typeof address === 'function' ? await address() : address
  const { deviceId, routeId } = at
  refuseOtherRoute(changes, routeId, operation)

  return serialized(gateway, at, operation, async () => {
    const isDoubted = validate !== false && doubtsOfRoute(changes).faults.length > 0
    const isRead =
      isDoubted ||
      needsPresent(changes, mode) ||
      gateway.protects !== undefined ||
      isUnseen(gateway, at)
    const read = async (): Promise<Route | undefined> => {
      const decides = decidesOn(changes, mode)
      const route = isRead
        ? await readStableRoute(gateway, at, operation, false, undefined, decides)
        : undefined
      operation.route = route?.name ?? operation.route
      return route
    }
    const refuseShared = sharedOutputs(gateway, at)
    const { fields, answer } = await sendFresh(gateway, operation, read, async (route, sending) => {
      const present = route && withUnseen(gateway, deviceId, route)
      if (route && present) {
        refuseProtected(gateway, [route.name, present.name], sending)
        allow?.(present)
      }
      const { fields: planned, problems } = PLANS[mode](changes, present, { validate })
      const doubts = doubtsOfRoute(changes, present)
      const faults = validate === false ? problems : [...problems, ...doubts.faults]
      if (faults.length > 0) throw invalidInput(faults, operation.name)
      operation.unknownFields = doubts.unknown
      await refuseShared({ present, after: planned }, sending)
      // The appliance's own spelling of the ID, where the route was read.
      const target = { deviceId, routeId: route?.id ?? routeId }
      const update = { fields: planned, present: route }
      return { fields: planned, answer: await sendTracked(gateway, target, update, sending) }
    })
    if (waitFor === 'accepted') return { deviceId, routeId, answer }

    const verdict = (changed: Route): Sentence | undefined => {
      const known = comparable(gateway, deviceId, changed)
      return covers(known, fields) ? undefined : difference(fields, known)
    }
    const route = await awaitRoute(
      gateway,
      { deviceId, routeId, verdict, timeout: waitTimeout },
      operation,
    )
    forgetUnseen(gateway, at, 'update')
    return { deviceId, routeId, answer, route: shownRoute(route) }
  })
}

const PLANS = {
  keep: planKeep,
  merge: (patch: RoutePatch, present: Route | undefined, options: CheckOptions) =>
    planMerge(patch, present!, options),
  replace: planReplace,
}

/** Refuses a Route as read that is sent to another route: its IDs belong to the first one. */
function refuseOtherRoute({ id }: RoutePatch, routeId: string, { name }: Operation): void {
  if (id === undefined || id === null || isSameId(id, routeId)) return
  throw invalidInput(
    [
      {
        path: 'id',
        problem: `is the ID of another route, but the route to update is ${routeId}; to apply the settings of another route, remove the IDs`,
      },
    ],
    name,
  )
}

function difference(fields: RouteFields, route: Route): Sentence {
  const paths = diffRoutes(fields, toSent(route)).map(({ path }) => path)
  return paths.length > 0 ? stillDiffers(paths) : words('The route still has its former values.')
}
