import { isNumeric } from '../../model/convert'
import type { Figure, RouteFigures } from '../../model/event'
import { isText, own, type JsonObject } from '../../model/json'
import { destinationsByKey, nameOrId, type DeviceState, type RouteState } from '../state'

/**
 * The figures of a device at its latest poll, in the order of its state, NaN where there is none: for each
 * route the bitrate of its source, then bitrate and clients of each destination, then for the route, its
 * source and each destination 1 where the gateway gave a status, else 0. Last is {@link turnsOf}.
 */
export type Figures = Float64Array

/**
 * @param sent the routes as the appliance sent them, by their IDs; the state may have more
 * @param former is filled again where it has the right length
 */
export function figuresOf(
  state: DeviceState,
  sent: ReadonlyMap<string, JsonObject>,
  former?: Figures,
): Figures {
  let length = 1
  for (const { destinations } of state.routes.values()) length += lengthOf(destinations.length)
  const figures = former?.length === length ? former : new Float64Array(length)
  eachRoute(state, (route, at) => fill(figures, at, route, sent.get(route.id)))
  return figures
}

/** How often a figure became zero, positive or unknown: without that, the health of routes stays the same. */
export const turnsOf = (figures: Figures): number => figures[figures.length - 1]!

/** Calls with each route and where its figures begin. */
export function eachRoute(
  { routes }: Pick<DeviceState, 'routes'>,
  visit: (route: RouteState, at: number) => void,
): void {
  let at = 0
  for (const route of routes.values()) {
    visit(route, at)
    at += lengthOf(route.destinations.length)
  }
}

const lengthOf = (destinations: number): number => 3 + 3 * destinations

/** Where the bitrate of a destination is, after which come its clients. */
export const placeOf = (at: number, destination: number): number => at + 1 + 2 * destination

/** Where it stands whether the latest poll had the status of a route, then of its source and destinations. */
export const givenOf = (at: number, { destinations }: Pick<RouteState, 'destinations'>): number =>
  placeOf(at, destinations.length)

export function routeFigures(route: RouteState, at: number, figures: Figures): RouteFigures {
  const destinations = route.destinations.map((_, index) =>
    figureOf(figures[placeOf(at, index)], figures[placeOf(at, index) + 1]),
  )
  return { source: figureOf(figures[at]), destinations }
}

function figureOf(bitrate = NaN, clients = NaN): Figure {
  const figure: Figure = {}
  if (!Number.isNaN(bitrate)) figure.bitrate = bitrate
  if (!Number.isNaN(clients)) figure.clients = clients
  return figure
}

function fill(figures: Figures, at: number, route: RouteState, sent?: JsonObject): void {
  put(figures, at, numberIn(own(sent?.source, 'usedBandwidth')))
  const listed = Array.isArray(sent?.destinations) ? (sent.destinations as unknown[]) : []
  let byKey: ReadonlyMap<string, JsonObject> | undefined
  let given = givenOf(at, route)
  put(figures, given++, statusIn(sent))
  put(figures, given++, statusIn(sent?.source))
  for (const [index, { key }] of route.destinations.entries()) {
    // The order is nearly always that of the state, and every name occurs once.
    if (!byKey && nameOrId(listed[index]) !== key) byKey = destinationsByKey(listed)
    const destination = byKey ? byKey.get(key) : listed[index]
    const place = placeOf(at, index)
    put(figures, place, numberIn(own(destination, 'usedBandwidth')))
    put(figures, place + 1, numberIn(own(destination, 'clientConnections')))
    put(figures, given++, statusIn(destination))
  }
}

function put(figures: Figures, at: number, value: number): void {
  const before = figures[at]!
  const hasTurned = value > 0 !== before > 0 || Number.isNaN(value) !== Number.isNaN(before)
  if (hasTurned) figures[figures.length - 1]!++
  figures[at] = value
}

const statusIn = (part: unknown): number => Number(isText(own(part, 'summaryStatusCode')))

/** Returns a number from 0, which firmware may write as text; NaN for anything else. */
export function numberIn(value: unknown): number {
  const number = typeof value === 'number' || isNumeric(value) ? Number(value) : NaN
  return number >= 0 && number < Infinity ? number : NaN
}
