// Protected routes: what would change, stop or delete one has to be confirmed by its name.
import { getRoute, incompleteList, isIncomplete } from '../api/routes'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { protectedError, say } from '../errors'
import { unseenOf } from '../unseen'
import type { RouteAddress } from './find'
import { presentList } from './shared-list'
import type { Planned } from './shared'

/**
 * The one decision: each protected route has to be confirmed by its exact, present name.
 * @throws GatewayError `READ_ONLY`
 */
export function refuseProtected(
  { protects }: Connection,
  names: readonly string[],
  operation: Operation,
): void {
  if (!protects) return
  const found = [...new Set(names.filter(protects))]
  if (found.every((name) => operation.confirmed.has(name))) return
  throw protectedError(found)
}

/** Refuses plans, as above. A protected route may be created and started. */
export function refusePlans(
  gateway: Connection,
  plans: readonly Planned[],
  operation: Operation,
): void {
  const names = plans.flatMap(({ before, steps }) =>
    before && steps.some((step) => step !== 'start') ? [before.name] : [],
  )
  refuseProtected(gateway, names, operation)
}

/** Refuses as above, for a change that does not read the route: it is read, if any is protected. */
export async function refuseIfProtected(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
): Promise<void> {
  if (!gateway.protects) return
  const route = await getRoute(gateway, address, operation)
  operation.route = route.name
  // Also by the name that it is being given.
  const names = unseenOf(gateway, address).flatMap(({ fields }) => fields?.name ?? [])
  refuseProtected(gateway, [route.name, ...names], operation)
}

/** The same for what replaces all routes of a device. @throws GatewayError `BAD_RESPONSE` too */
export async function refuseIfAnyProtected(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<void> {
  if (!gateway.protects) return
  const list = await presentList(gateway, deviceId, operation)
  const names = list.data.map(({ name }) => name)
  refuseProtected(gateway, names, operation)
  if (isIncomplete(list)) throw incompleteList(list, UNCERTAIN)
}

const UNCERTAIN = say('uncertainProtected')
