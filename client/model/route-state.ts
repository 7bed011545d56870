import { badResponse, say, words } from '../errors'
import { isObject } from './json'
import type { Route } from './types'

/**
 * True while an update, a start, a stop or a delete is under way (facts 5.1). The content of
 * `pendingUpdates` is not documented.
 */
export function isPending({ pendingUpdates, hasPendingDelete }: Route): boolean {
  if (hasPendingDelete) return true
  if (typeof pendingUpdates !== 'object' || pendingUpdates === null) return Boolean(pendingUpdates)
  return Object.values(pendingUpdates).some((value) => value !== null && value !== undefined)
}

/** True for `running` (facts 5.1), in any case. */
export const isRunning = ({ state }: Route): boolean => wordOf(state) === 'running'

/** True for `idle` or `stopped`, which mean the same (facts 5.1). An unknown state is neither. */
export const isStopped = ({ state }: Route): boolean =>
  wordOf(state) === 'idle' || wordOf(state) === 'stopped'

// A state that some firmware writes as "Running" must not count as stopped.
const wordOf = (state: unknown): unknown =>
  typeof state === 'string' ? state.trim().toLowerCase() : state

/** What a route as read lacks of what every route has; undefined for a complete one. */
export function missingPart(route: Route): 'source' | 'destinations' | undefined {
  const { source, destinations } = route as { source: unknown; destinations: unknown }
  if (!isObject(source) || typeof source.protocol !== 'string') return 'source'
  return Array.isArray(destinations) && destinations.every(isObject) ? undefined : 'destinations'
}

const ADVICE = 'To set the whole route, give its name, source and destinations.'

/**
 * Returns the route if it is complete. A change planned on half a route would delete the other
 * half.
 * @throws GatewayError `BAD_RESPONSE`
 */
export function wholeRoute(route: Route): Route {
  const part = missingPart(route)
  if (part === undefined) return route
  const said = say('incompleteRoute', { part })
  throw badResponse(part === 'destinations' ? [said, words(ADVICE)] : said)
}
