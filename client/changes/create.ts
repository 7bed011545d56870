import { invalidInput, readOnlyError, say, words, type Sentence } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { forCreate, toSent } from '../model/convert'
import { checkNewRoute } from '../model/definition'
import { doubtsOfRoute } from '../model/doubts'
import { RouteIndex } from '../model/route-index'
import { shownRoute } from '../model/secrets'
import type { Route, RouteFields, RouteList, UpdateAnswer } from '../model/types'
import { incompleteList, isIncomplete, listRoutes, sendCreate } from '../api/routes'
import { isNameUnseen } from '../unseen'
import { labelOf } from './find'
import { SETTLE_MS, pollUntil, sendUnseen } from './pending'
import { awaitRoute } from './wait'
import { isRunning } from '../model/route-state'
import { rememberSecrets } from './known-secrets'

/** How long to wait for a change. */
export interface Waiting {
  /** `accepted`: until the appliance's response. `applied`: until the change shows. */
  waitFor: 'accepted' | 'applied'
  /** Milliseconds, for `applied`. */
  waitTimeout: number
}

export interface CreateRoute extends Waiting {
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
 * Creates a route, see docs/project/interface.md#updates. The response has no ID and comes before
 * the route exists; with `applied` the new route is found in the list by its name.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is sent
 */
export async function createRoute(
  gateway: Connection,
  { definition, startRoute, validate, waitFor, waitTimeout, ...where }: CreateRoute,
  operation: Operation,
): Promise<Created> {
  if (gateway.readOnly) throw readOnlyError(operation)
  operation.route = labelOf(definition)
  const problems = checkNewRoute(definition, { validate })
  if (problems.length > 0) throw invalidInput(problems, operation.name)

  operation.unknownFields = doubtsOfRoute(definition).unknown
  const fields: RouteFields = forCreate(toSent(definition as Route))
  fields.startRoute ??= startRoute
  const deviceId = typeof where.deviceId === 'string' ? where.deviceId : await where.deviceId()
  const place = { deviceId, name: fields.name }
  const send = (older?: RouteIndex): Promise<UpdateAnswer> =>
    sendUnseen(gateway, place, newRoute(older), () =>
      sendCreate(gateway, { deviceId, fields }, operation),
    )
  if (waitFor === 'accepted') return { deviceId, answer: await send() }
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
    const older = new RouteIndex(present.data)
    const answer = await send(older)
    const route = await awaitCreated(
      gateway,
      { deviceId, fields, older, timeout: waitTimeout },
      operation,
    )
    rememberSecrets(gateway, { deviceId, routeId: route.id }, fields)
    return { deviceId, answer, route: shownRoute(route) }
  })
}

/** A create, for the memory of what does not show yet. */
export const newRoute = (older?: RouteIndex) =>
  ({
    kind: 'create',
    older: older && { has: (id: string) => older.byId(id) !== undefined },
  }) as const

export interface NewRoute {
  deviceId: string
  fields: RouteFields
  /** The routes that existed before it. */
  older: RouteIndex
  /** Milliseconds. */
  timeout: number
}

/** Waits until the new route, found by its name, shows, and runs if it was to be started. */
export function awaitCreated(
  gateway: Connection,
  { deviceId, fields, older, timeout }: NewRoute,
  operation: Operation,
): Promise<Route> {
  const find = (routes: RouteIndex): Route | undefined =>
    routes.byName(fields.name).find(({ id }) => !older.byId(id))
  const verdict = (created: Route): Sentence | undefined =>
    fields.startRoute && !isRunning(created) ? say('lastNotRunning') : undefined
  const absence = words('There is no new route with this name.')
  return awaitRoute(gateway, { deviceId, find, absence, verdict, timeout }, operation)
}
