import { readOnlyError } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import type { UpdateAnswer } from '../model/types'
import { usableId } from '../api/endpoints'
import type { RouteAddress } from './find'
import { serialized } from './unconfirmed'
import { refuseIfProtected } from './protected'
import { sharedOutputs } from './shared'
import { deleteStep, takeStep, type Waiting } from './step'

/** @throws GatewayError `NOT_FOUND` when the appliance says that there is no such route */
export function deleteRoute(
  gateway: Connection,
  { deviceId, routeId, ...waiting }: RouteAddress & Waiting,
  operation: Operation,
): Promise<UpdateAnswer> {
  if (gateway.readOnly) throw readOnlyError()
  return serialized(gateway, { deviceId, routeId }, operation, async () => {
    const address = { deviceId, routeId: usableId(routeId) }
    await refuseIfProtected(gateway, address, operation)
    await sharedOutputs(gateway, address)({}, operation)
    const step = deleteStep(gateway, address)
    const { answer } = await takeStep(gateway, step, waiting, operation)
    return answer
  })
}
