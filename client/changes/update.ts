import { invalidInput, readOnlyError, words, type Sentence } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { checkUpdate, type CheckOptions } from '../model/check'
import { toSent } from '../model/convert'
import { isSameId } from '../model/ids'
import type { Route, RouteFields, RoutePatch, UpdateAnswer } from '../model/types'
import { awaitRoute, stillDiffers } from './wait'
import type { Waiting } from './create'
import { covers, diffRoutes } from '../model/diff'
import type { RouteAddress } from './find'
import { needsPresent, planKeep, planMerge, planReplace } from './merge'
import { forgetUpdate, readStableRoute, sendTracked, serialized } from './pending'
import { refuseProtected } from './protected'
import { comparable } from './known-secrets'

export type UpdateMode = 'keep' | 'merge' | 'replace'

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
  /** The changed route, with `applied`. */
  route?: Route
}

/**
 * Updates a route (spec 4.2). The appliance deletes every destination that an update
 * leaves out, so what the patch leaves out is read first and sent along (design 2.3).
 * Updates of one route take turns: each reads the route once the one before has shown.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is changed
 */
export async function updateRoute(
  gateway: Connection,
  { address, patch, mode, validate, allow, waitFor, waitTimeout }: UpdateRoute,
  operation: Operation,
): Promise<Updated> {
  if (gateway.readOnly) throw readOnlyError(operation)
  if (!Object.hasOwn(PLANS, mode)) {
    const problem = 'must be one of "keep", "merge" and "replace"'
    throw invalidInput([{ path: 'mode', problem }], operation.name)
  }
  const problems = checkUpdate(patch, mode, { validate })
  if (problems.length > 0) throw invalidInput(problems, operation.name)
  const changes = patch as RoutePatch
  const at = typeof address === 'function' ? await address() : address
  const { deviceId, routeId } = at
  refuseOtherRoute(changes, routeId, operation)

  return serialized(gateway, at, operation, async () => {
    const isRead = needsPresent(changes, mode) || gateway.protects !== undefined
    const present = isRead ? await readStableRoute(gateway, at, operation) : undefined
    if (present) {
      operation.route = present.name
      refuseProtected(gateway, [present.name], operation)
      allow?.(present)
    }
    const { fields, problems: unplannable } = PLANS[mode](changes, present, { validate })
    if (unplannable.length > 0) throw invalidInput(unplannable, operation.name)

    // The appliance's own spelling of the ID, where the route was read.
    const target = { deviceId, routeId: present?.id ?? routeId }
    const answer = await sendTracked(gateway, target, { fields, present }, operation)
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
    forgetUpdate(gateway, at)
    return { deviceId, routeId, answer, route }
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
