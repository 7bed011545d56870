import { badResponse, say, words } from '../errors'
import { booleanFrom } from './convert'
import { isSameId } from './ids'
import { isRunning as saysRunning, isStopped as saysStopped } from './health'
import { isObject, isText, textIn } from './json'
import type { Destination, Route } from './types'

/** While a change is under way. The content of `pendingUpdates` is not documented. */
export function isPending({ pendingUpdates, hasPendingDelete }: Route): boolean {
  if (isOn(hasPendingDelete)) return true
  if (typeof pendingUpdates !== 'object' || pendingUpdates === null) return isOn(pendingUpdates)
  return Object.values(pendingUpdates).some((value) => value !== null && value !== undefined)
}

/** Some firmware writes true and false as text. */
export const isOn = (value: unknown): boolean => booleanFrom(value) ?? Boolean(value)

export const isRunning = ({ state }: Route): boolean => saysRunning(textIn(state))

/** True for `idle` or `stopped`, which mean the same. An unknown state is neither. */
export const isStopped = ({ state }: Route): boolean => saysStopped(textIn(state))

/** Whether a route, or one of its destinations, runs; undefined for a destination it does not have. */
export function stateOf(
  route: Route,
  destinationId?: string,
): 'running' | 'stopped' | 'neither' | undefined {
  if (destinationId === undefined) {
    return isRunning(route) ? 'running' : isStopped(route) ? 'stopped' : 'neither'
  }
  const found = destinationIn(route, destinationId)
  return found && (isStarted(found) ? 'running' : 'stopped')
}

export const destinationIn = (
  { destinations }: Route,
  destinationId: string,
): Destination | undefined => (destinations ?? []).find(({ id }) => isSameId(id, destinationId))

const isStarted = ({ started, state }: Destination): boolean =>
  booleanFrom(started) ?? (state !== undefined && !STOPPED.has(String(state).toLowerCase()))

const STOPPED: ReadonlySet<string> = new Set(['disconnected', 'stopped', 'idle'])

/** What a route as read lacks of what every route has; undefined for a complete one. */
export function missingPart(route: Route): 'source' | 'destinations' | undefined {
  const { source, destinations } = route as { source: unknown; destinations: unknown }
  if (!isObject(source) || typeof source.protocol !== 'string') return 'source'
  // Some firmware writes an empty list as null.
  if (destinations === null) return undefined
  return Array.isArray(destinations) && destinations.every(isObject) ? undefined : 'destinations'
}

/** The path of that of the first destination without one; undefined where each has its ID. */
function missingId({ destinations }: Route): string | undefined {
  const at = (destinations ?? []).findIndex(({ id }) => !isText(id) && typeof id !== 'number')
  return at < 0 ? undefined : `destinations[${at}].id`
}

/**
 * A change planned on half a route would delete the other half. So would one on a destination without its
 * id: an update names by id what stays, and the gateway would make a new one in its place.
 * @throws GatewayError `BAD_RESPONSE`
 */
export function wholeRoute(route: Route): Route {
  const part = missingPart(route) ?? missingId(route)
  if (part === undefined)
    return route.destinations === null ? { ...route, destinations: [] } : route
  const said = say('incompleteRoute', { part })
  const advice = words('To set the whole route, give its name, source and destinations.')
  throw badResponse(part === 'destinations' ? [said, advice] : said)
}
