import { invalidInput, readOnlyError, say, words, type Sentence } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { forCreate, toSent } from '../model/convert'
import { checkNewRoute } from '../model/definition'
import { RouteIndex } from '../model/route-index'
import type { Route, RouteFields, UpdateAnswer } from '../model/types'
import { incompleteList, isIncomplete, listRoutes, sendCreate } from '../api/routes'
import { labelOf } from './find'
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
  /** The new route, with `applied`. */
  route?: Route
}

/**
 * Creates a route (spec 4.1). The response contains no ID, and comes before the route exists; with
 * `applied` the new route is found in the list by its name.
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

  const fields: RouteFields = forCreate(toSent(definition as Route))
  fields.startRoute ??= startRoute
  const deviceId = typeof where.deviceId === 'string' ? where.deviceId : await where.deviceId()
  if (waitFor === 'accepted') {
    return { deviceId, answer: await sendCreate(gateway, { deviceId, fields }, operation) }
  }
  // Creates with the same name take turns: otherwise each would claim the first new route.
  return gateway.inTurn(`create ${deviceId} ${fields.name}`, operation, async () => {
    const present = await listRoutes(gateway, { deviceId }, operation)
    // An older route of this name that is not listed now would later be taken for the new one.
    if (isIncomplete(present)) throw incompleteList(present, words('The route was not created.'))
    const older = new RouteIndex(present.data)
    const answer = await sendCreate(gateway, { deviceId, fields }, operation)
    const route = await awaitCreated(
      gateway,
      { deviceId, fields, older, timeout: waitTimeout },
      operation,
    )
    rememberSecrets(gateway, { deviceId, routeId: route.id }, fields)
    return { deviceId, answer, route }
  })
}

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
