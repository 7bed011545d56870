// Shared outputs: one destination can belong to several routes. Nobody knows what the gateway does to
// the others when one route loses or changes it, so that has to be confirmed.
import { incompleteList, isIncomplete } from '../api/routes'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { GatewayError, say, words } from '../errors'
import { toSent } from '../model/convert'
import { changesFor, type Difference } from '../model/diff'
import { grouped, isSameId, normalizeId } from '../model/ids'
import { isText, own } from '../model/json'
import type { Destination, Route, RouteFields, RouteList } from '../model/types'
import type { RouteAddress } from './find'
import { nextList } from './shared-list'

/** The names of the other routes that have this destination. */
type Sharers = (destinationId: string, routeId: string) => string[]

function sharersIn(routes: readonly Route[]): Sharers {
  const held = routes.flatMap((route) =>
    destinationsOf(route).map((destination) => ({ id: idOf(destination), route })),
  )
  const holders = grouped(held, ({ id }) => id)
  return (destinationId, routeId) =>
    (holders.get(normalizeId(destinationId)) ?? [])
      .filter(({ route }) => !isSameId(route.id, routeId))
      .map(({ route }) => route.name)
}

/** The shared outputs that a route would lose or change, each with the other routes that have it. */
const sharedLosses = (before: Route, after: RouteFields | undefined, sharers: Sharers): string[] =>
  destinationsOf(before).flatMap((destination) => {
    const { id, name } = destination
    const others = idOf(destination) === undefined ? [] : sharers(String(id), before.id)
    // Hardly any is shared, and comparing takes longer.
    if (others.length === 0 || !isTouched(destination, after)) return []
    const names = others.map((other) => JSON.stringify(other)).join(', ')
    return [`${JSON.stringify(name ?? id)} (also of ${names})`]
  })

/** A route would lose it, or give it other values. */
function isTouched(destination: Destination, after: RouteFields | undefined): boolean {
  if (idOf(destination) === undefined) return false
  const kept = after?.destinations.find(({ id }) => isSameId(id, destination.id))
  return !kept || changesFor(alone(kept), toSent(alone(destination))).length > 0
}

const alone = (destination: Destination): RouteFields =>
  ({ name: '', source: {}, destinations: [destination] }) as unknown as RouteFields

const destinationsOf = ({ destinations }: Route): Destination[] =>
  Array.isArray(destinations) ? destinations : []

/** Undefined for a mere ID too: a route can hold that of an output that no longer exists. */
function idOf(destination: unknown): string | undefined {
  const id = own(destination, 'id')
  return isText(id) && isText(own(destination, 'protocol')) ? normalizeId(id) : undefined
}

export interface Planned {
  readonly steps: readonly string[]
  readonly before: Route | null
  readonly fields?: RouteFields
  /** Outputs that other routes share and that it would remove or change. */
  shared?: string[]
}

/** The plan of a change of one present route, to be reported. */
export interface PlannedChange<Step extends string> extends Planned {
  steps: Step[]
  before: Route
  diff: Difference[]
}

/** Notes in the plans which shared outputs they would take from routes that stay. */
export function noteShared(plans: readonly Planned[], present: readonly Route[]): void {
  const deleted = new Set(plans.flatMap((one) => (isDelete(one) ? [one.before?.id] : [])))
  const sharers = sharersIn(present.filter(({ id }) => !deleted.has(id)))
  for (const one of plans) {
    if (!one.before || !(isDelete(one) || one.steps.includes('update'))) continue
    const losses = sharedLosses(one.before, isDelete(one) ? undefined : one.fields, sharers)
    if (losses.length > 0) one.shared = losses
  }
}

const isDelete = ({ steps }: Planned): boolean => steps.includes('delete')

/** Unless that is confirmed. @throws GatewayError `CONFLICT` */
function refuseSharedLosses(losses: readonly string[], operation: Operation): void {
  if (losses.length === 0 || operation.confirmsShared) return
  const more = losses.length > 5 ? `; and ${losses.length - 5} more` : ''
  const outputs = losses.slice(0, 5).join('; ') + more
  const said = { ...say('shared', { outputs }), news: 'shared' as const }
  throw new GatewayError('CONFLICT', [said, say('unchanged'), say('confirmShared')], {
    applied: 'no',
  })
}

export const refuseSharedPlans = (plans: readonly Planned[], operation: Operation): void =>
  refuseSharedLosses(
    plans.flatMap(({ shared = [] }) => shared),
    operation,
  )

/**
 * Refuses the same for a change that has no list: routes are listed, unless no output can be lost.
 * @throws GatewayError `BAD_RESPONSE` too, when not all routes are listed
 */
export function sharedOutputs(
  gateway: Connection,
  { deviceId, routeId }: RouteAddress,
): (change: { present?: Route; after?: RouteFields }, operation: Operation) => Promise<void> {
  // Read once: a change that has to be planned again for its age would be too old each time.
  let routes: Promise<RouteList> | undefined
  return async ({ present, after }, operation) => {
    const losesNothing = (of: Route): boolean =>
      !destinationsOf(of).some((one) => isTouched(one, after))
    if (operation.confirmsShared || (present && losesNothing(present))) return
    routes ??= nextList(gateway, deviceId, operation)
    const list = await routes
    const before = present ?? list.data.find(({ id }) => isSameId(id, routeId))
    if (before) refuseSharedLosses(sharedLosses(before, after, sharersIn(list.data)), operation)
    if (isIncomplete(list)) {
      throw incompleteList(list, UNCERTAIN, say('unchanged'), say('confirmShared'))
    }
  }
}

const UNCERTAIN = words('It is uncertain whether a route that is not listed shares an output.')
