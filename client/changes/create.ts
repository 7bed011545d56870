import { invalidInput, readOnlyError, words } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { forCreate, toSent } from '../model/convert'
import { checkNewRoute } from '../model/definition'
import { doubtsOfRoute } from '../model/doubts'
import { RouteIndex } from '../model/route-index'
import type { Route, RouteFields, RouteList, UpdateAnswer } from '../model/types'
import { incompleteList, isIncomplete, listRoutes } from '../api/routes'
import { isNameUnseen } from '../unseen'
import { labelOf } from './find'
import { SETTLE_MS, pollUntil } from './unconfirmed'
import { createStep, takeStep, type Waiting } from './step'

interface CreateRoute extends Waiting {
  /** A function is called only once the definition has passed its checks. */
  deviceId: string | (() => Promise<string>)
  /** A route in sent form, or a Route as read, which is copied. */
  definition: unknown
  /** Used where the definition has no `startRoute`. */
  startRoute: boolean
  /** False leaves the check of source and destinations to the appliance. */
  validate?: boolean
}

export interface Created {
  deviceId: string
  answer: UpdateAnswer
  /** The new route, with `applied`; secrets hidden. */
  route?: Route
  /** Paths of fields that nobody knows, and that were sent: newer firmware may. */
  unknownFields?: readonly string[]
}

/**
 * The response has no ID and comes before the route exists: with `applied` it is found by its name.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is sent
 */
export async function createRoute(
  gateway: Connection,
  { definition, startRoute, validate, deviceId: where, ...waiting }: CreateRoute,
  operation: Operation,
): Promise<Created> {
  if (gateway.readOnly) throw readOnlyError()
  operation.route = labelOf(definition)
  const problems = checkNewRoute(definition, { validate })
  if (problems.length > 0) throw invalidInput(problems)

  operation.unknownFields = doubtsOfRoute(definition).unknown
  const fields: RouteFields = forCreate(toSent(definition as Route))
  fields.startRoute ??= startRoute
  const deviceId = typeof where === 'string' ? where : await where()
  const take = (older?: RouteIndex) =>
    takeStep(gateway, createStep(gateway, deviceId, fields, older), waiting, operation)
  if (waiting.waitFor === 'accepted') return { deviceId, ...(await take()) }
  // Creates with the same name take turns: otherwise each would claim the first new route.
  return gateway.inTurn(`create ${deviceId} ${fields.name}`, operation, async () => {
    // An earlier one would be taken for this one.
    const settled = async (): Promise<RouteList | undefined> => {
      const list = await listRoutes(gateway, { deviceId }, operation)
      return isNameUnseen(gateway, deviceId, fields.name) ? undefined : list
    }
    const present = await pollUntil(gateway, settled, SETTLE_MS, operation)
    // An older route of this name that is not listed now would later be taken for the new one.
    if (isIncomplete(present)) throw incompleteList(present, words('The route was not created.'))
    return { deviceId, ...(await take(new RouteIndex(present.data))) }
  })
}
