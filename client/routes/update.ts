import { GatewayError, invalidInput } from '../errors'
import { readOnlyError, type Gateway, type Operation } from '../gateway'
import { checkUpdate, type CheckOptions } from '../model/check'
import { toSent } from '../model/convert'
import type { Route, RouteFields, RoutePatch, UpdateAnswer } from '../model/types'
import { getRoute, sendUpdate } from '../operations/routes'
import { confirm } from './confirm'
import type { Waiting } from './create'
import type { RouteAddress } from './find'
import { covers, differs, needsPresent, planKeep, planMerge, planReplace } from './merge'
import { isPending } from './state'

export type UpdateMode = 'keep' | 'merge' | 'replace'

export interface UpdateRoute extends Waiting {
  /** May be a way to find it out, which is gone only after the patch was found in order. */
  address: RouteAddress | (() => Promise<RouteAddress>)
  /** What to change: `{name?, source?, destinations?}`, or a Route as read and edited. */
  patch: unknown
  mode: UpdateMode
  validate?: boolean
}

export interface Updated extends RouteAddress {
  answer: UpdateAnswer
  /** The changed route, with `applied`. */
  route?: Route
}

/**
 * Updates a route (spec 4.2). The appliance deletes every destination that an update
 * leaves out, so what the patch does not say is read first and sent along (design 2.3).
 * Updates of one route take turns, and each reads after the one before has shown.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is changed
 */
export async function updateRoute(
  gateway: Gateway,
  { address, patch, mode, validate, waitFor, waitTimeout }: UpdateRoute,
  operation: Operation,
): Promise<Updated> {
  if (gateway.readOnly) throw readOnlyError(operation)
  if (!Object.hasOwn(PLANS, mode)) {
    const problem = 'one of "keep", "merge" and "replace" is expected'
    throw invalidInput([{ path: 'mode', problem }], operation.name)
  }
  const problems = checkUpdate(patch, mode, { validate })
  if (problems.length > 0) throw invalidInput(problems, operation.name)
  const changes = patch as RoutePatch
  const { deviceId, routeId } = typeof address === 'function' ? await address() : address
  refuseOtherRoute(changes, routeId, operation)

  return gateway.inTurn(`route ${deviceId} ${routeId}`, operation, async () => {
    const unseen = unseenUpdates(gateway)
    const key = `${deviceId} ${routeId}`
    const present = needsPresent(changes, mode)
      ? await settledRoute(gateway, deviceId, routeId, unseen.get(key), operation)
      : undefined
    unseen.delete(key)
    const { fields, problems: unplannable } = PLANS[mode](changes, present, { validate })
    if (unplannable.length > 0) throw invalidInput(unplannable, operation.name)

    unseen.set(key, { fields, before: present && toSent(present) })
    const answer = await sendUpdate(gateway, { deviceId, routeId, fields }, operation).catch(
      (error: GatewayError) => {
        if (!MAY_HAVE_ARRIVED.has(error.code)) unseen.delete(key)
        throw error
      },
    )
    if (waitFor === 'accepted') return { deviceId, routeId, answer }

    const look = ([route]: Route[]): { seen: Route } | { instead: string } => {
      if (!route) return { instead: 'no such route' }
      if (isPending(route)) return { instead: 'the update still pending' }
      return covers(route, fields) ? { seen: route } : { instead: difference(fields, route) }
    }
    const route = await confirm(
      gateway,
      {
        deviceId,
        routeId,
        look: (routes) => look(routes.filter(({ id }) => id === routeId)),
        timeout: waitTimeout,
      },
      operation,
    )
    unseen.delete(key)
    return { deviceId, routeId, answer, route }
  })
}

const PLANS = {
  keep: planKeep,
  merge: (patch: RoutePatch, present: Route | undefined, options: CheckOptions) =>
    planMerge(patch, present!, options),
  replace: planReplace,
}

/** A Route that was read as one and is sent to another would bring IDs along that are not its own. */
function refuseOtherRoute({ id }: RoutePatch, routeId: string, { name }: Operation): void {
  if (id === undefined || id === routeId) return
  throw invalidInput(
    [
      {
        path: 'id',
        problem: `is another ID, but the route to update is ${routeId}; to apply the settings of another route, remove the IDs`,
      },
    ],
    name,
  )
}

/** A failed update that the next one on the same route has to reckon with all the same. */
const MAY_HAVE_ARRIVED: ReadonlySet<string> = new Set(['OUTCOME_UNKNOWN', 'BAD_RESPONSE', 'CLOSED'])

/** An update that the appliance may have accepted and that was not seen applied yet. */
interface UnseenUpdate {
  fields: RouteFields
  before?: RouteFields
}

const unseenByGateway = new WeakMap<Gateway, Map<string, UnseenUpdate>>()

function unseenUpdates(gateway: Gateway): Map<string, UnseenUpdate> {
  const known = unseenByGateway.get(gateway) ?? new Map<string, UnseenUpdate>()
  unseenByGateway.set(gateway, known)
  return known
}

const SETTLE_MS = 30_000
const GRACE_MS = 5_000

/**
 * The route, read when no earlier update is under way any more: a change that is
 * planned on values about to be replaced would undo them.
 * @throws GatewayError `NOT_CONFIRMED` when the earlier update does not end
 */
async function settledRoute(
  gateway: Gateway,
  deviceId: string,
  routeId: string,
  unseen: UnseenUpdate | undefined,
  operation: Operation,
): Promise<Route> {
  const startedAt = Date.now()
  let pauseMs = 50
  for (;;) {
    const route = await getRoute(gateway, { deviceId, routeId }, operation)
    const waited = Date.now() - startedAt
    // Firmware may store a value in another form than it was sent in, and such an update
    // never shows as sent. With nothing pending it is over all the same.
    if (!isPending(route) && (!unseen || hasShown(unseen, route) || waited > GRACE_MS)) return route
    if (waited > SETTLE_MS) {
      throw new GatewayError(
        'NOT_CONFIRMED',
        'An earlier change of this route is still pending. Nothing was sent, so as not to undo it.',
        { operation: operation.name, retryable: true },
      )
    }
    await gateway.pause(pauseMs, operation.stop)
    pauseMs = Math.min(pauseMs * 1.5, 1000)
  }
}

function hasShown({ fields, before }: UnseenUpdate, route: Route): boolean {
  if (covers(route, fields)) return true
  return before !== undefined && differs(before, toSent(route)).length > 0
}

function difference(fields: RouteFields, route: Route): string {
  const paths = differs(fields, toSent(route)).map(({ path }) => path)
  return paths.length > 0 ? `other values in ${paths.slice(0, 5).join(', ')}` : 'the former route'
}
