import { badResponse } from '../errors'
import { isObject } from './json'
import type { Route } from './types'

/** An update, a start, a stop or a delete is under way (facts 5.1). What the member holds is not documented. */
export function isPending({ pendingUpdates, hasPendingDelete }: Route): boolean {
  if (hasPendingDelete) return true
  if (typeof pendingUpdates !== 'object' || pendingUpdates === null) return Boolean(pendingUpdates)
  return Object.values(pendingUpdates).some((value) => value !== null && value !== undefined)
}

/** `running` (facts 5.1), in whatever case. */
export const isRunning = ({ state }: Route): boolean => wordOf(state) === 'running'

/** `idle` or `stopped`, which mean the same (facts 5.1). A state that is neither known nor given is not that. */
export const isStopped = ({ state }: Route): boolean =>
  wordOf(state) === 'idle' || wordOf(state) === 'stopped'

// What is "Running" to one firmware must not be stopped to us.
const wordOf = (state: unknown): unknown =>
  typeof state === 'string' ? state.trim().toLowerCase() : state

/**
 * The route, when all of it came. A change that is planned on half a route would delete the other half.
 * @throws GatewayError `BAD_RESPONSE`
 */
export function wholeRoute(route: Route): Route {
  const refuse = (what: string, advice = ''): never => {
    throw badResponse(
      `The appliance answered ${what}. The change was not sent, so as not to lose a part of the route.${advice}`,
    )
  }
  const { source, destinations } = route as { source: unknown; destinations: unknown }
  if (!isObject(source) || typeof source.protocol !== 'string') {
    refuse('with a route without its source')
  }
  if (!Array.isArray(destinations) || !destinations.every(isObject)) {
    const advice = ' To set the whole route, give its name, source and destinations.'
    refuse('with a route without its list of destinations', advice)
  }
  return route
}
