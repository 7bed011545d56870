import { invalidInput, readOnlyError } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { forCreate, toSent } from '../model/convert'
import { checkNewRoute } from '../model/definition'
import type { Route, RouteFields, UpdateAnswer } from '../model/types'
import { lacking, lacksRoutes, listRoutes, sendCreate } from '../api/routes'
import { confirm } from './wait'
import { isPending, isRunning } from '../model/route-state'
import { rememberSecrets } from './known-secrets'

/** How long a change is followed. */
export interface Waiting {
  /** `accepted`: until the appliance's answer. `applied`: until the change shows. */
  waitFor: 'accepted' | 'applied'
  /** Milliseconds, for `applied`. */
  waitTimeout: number
}

export interface CreateRoute extends Waiting {
  /** May be a way to find it out, used only once the definition was found in order. */
  deviceId: string | (() => Promise<string>)
  /** A route in sent form, or a Route as read, which is copied. */
  definition: unknown
  /** Used where the definition does not say. */
  startRoute: boolean
  /** False leaves the insides of source and destinations to the appliance. */
  validate?: boolean
}

export interface Created {
  deviceId: string
  answer: UpdateAnswer
  /** The new route, with `applied`. */
  route?: Route
}

/**
 * Creates a route (spec 4.1). The answer of the appliance holds no ID, and comes before
 * the route is there; with `applied` the new route is found in the list by its name.
 * @throws GatewayError `INVALID_INPUT` with every fault before anything is sent
 */
export async function createRoute(
  gateway: Connection,
  { definition, startRoute, validate, waitFor, waitTimeout, ...where }: CreateRoute,
  operation: Operation,
): Promise<Created> {
  if (gateway.readOnly) throw readOnlyError(operation)
  const problems = checkNewRoute(definition, { validate })
  if (problems.length > 0) throw invalidInput(problems, operation.name)

  const fields: RouteFields = forCreate(toSent(definition as Route))
  fields.startRoute ??= startRoute
  const deviceId = typeof where.deviceId === 'string' ? where.deviceId : await where.deviceId()
  if (waitFor === 'accepted') {
    return { deviceId, answer: await sendCreate(gateway, { deviceId, fields }, operation) }
  }
  // Two creates with one name take turns, or both would claim the first new route.
  return gateway.inTurn(`create ${deviceId} ${fields.name}`, operation, async () => {
    const present = await listRoutes(gateway, { deviceId }, operation)
    // An older route of this name that is not listed now would be taken for the new one later.
    if (lacksRoutes(present)) throw lacking(present, ' The route was not created.')
    const older = new Set(present.data.map(({ id }) => id))
    const answer = await sendCreate(gateway, { deviceId, fields }, operation)
    const route = await confirmCreated(
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
  /** IDs of the routes that are not it. */
  older: ReadonlySet<string>
  /** Milliseconds. */
  timeout: number
}

/** Waits until the new route shows, and runs if it was to be started: the answer to a create has no ID. */
export function confirmCreated(
  gateway: Connection,
  { deviceId, fields, older, timeout }: NewRoute,
  operation: Operation,
): Promise<Route> {
  const look = (routes: Route[]): { seen: Route } | { instead: string } => {
    const created = routes.find(({ id, name }) => name === fields.name && !older.has(id))
    if (!created) return { instead: `no new route with the name "${fields.name}"` }
    if (isPending(created)) return { instead: 'the new route, with updates pending' }
    if (fields.startRoute && !isRunning(created)) {
      return { instead: `the new route in state ${String(created.state)}` }
    }
    return { seen: created }
  }
  return confirm(gateway, { deviceId, look, timeout }, operation)
}
