import { GatewayError, inDoubt } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import type { RouteIndex } from '../model/route-index'
import { isPending } from '../model/route-state'
import type { Route, RouteList } from '../model/types'
import { waitsFor, type Evidences, type Waiter } from './device-waits'

/** What a caller waits for. */
export interface Expectation<T> {
  deviceId: string
  /** The route that it is about; undefined while its ID is not known. */
  routeId?: string
  /**
   * Judges the route, or all routes where none is named. Returns the awaited result, or in words
   * what was seen instead.
   */
  judge: (
    routes: RouteIndex,
    evidence: Evidences,
    list?: RouteList,
  ) => Outcome<T> | Promise<Outcome<T>>
  /** Every poll lists all routes, which `judge` gets as `list`; one that fails ends the wait. */
  needsList?: boolean
  /** Milliseconds. */
  timeout: number
  /** No change was sent that could show. */
  unsent?: boolean
}

type Outcome<T> =
  | { seen: T }
  /** With `again`, another poll soon may decide it. */
  | { instead: string; again?: boolean }

/** The state that a route is to reach. */
export interface AwaitedRoute {
  deviceId: string
  /** Undefined for a route whose ID is not known: then `find` finds it. */
  routeId?: string
  find?: (routes: RouteIndex) => Route | undefined
  /** What is reported as seen while the route is missing, in words. */
  absence?: string
  /** What is seen instead, in words; undefined when the route is as awaited. */
  verdict: (route: Route) => string | undefined
  /** Milliseconds. */
  timeout: number
}

/**
 * Waits until no change of the route is pending and the verdict is good.
 * @returns the route as it is then
 * @throws GatewayError `NOT_CONFIRMED`, with what was seen last, when the time is up
 */
export function awaitRoute(
  gateway: Connection,
  { deviceId, routeId, find, absence = 'no such route', verdict, timeout }: AwaitedRoute,
  operation: Operation,
): Promise<Route> {
  const judge = (routes: RouteIndex): Outcome<Route> => {
    const route = find ? find(routes) : routes.byId(routeId)
    if (!route) return { instead: absence }
    if (isPending(route)) return { instead: 'the change still pending' }
    const instead = verdict(route)
    return instead === undefined ? { seen: route } : { instead }
  }
  return awaitChange(gateway, { deviceId, routeId, judge, timeout }, operation)
}

/**
 * Waits until the expectation is met. All waits for the same device share their polls.
 * @throws GatewayError `NOT_CONFIRMED`, with what was seen last, when the time is up
 */
export function awaitChange<T>(
  gateway: Connection,
  expectation: Expectation<T>,
  operation: Operation,
): Promise<T> {
  const { deviceId, routeId, needsList = false, timeout } = expectation
  // The change was accepted, but its outcome is not known.
  const doubted = (error: unknown): unknown =>
    error instanceof GatewayError && !expectation.unsent ? inDoubt(error) : error
  if (operation.stop?.stopped) return Promise.reject(doubted(stopped(operation)))
  return new Promise<T>((resolve, reject) => {
    let last = 'no answer came yet'
    const waiter: Waiter = {
      routeId,
      needsList,
      operation,
      async judge(routes, evidence, list) {
        try {
          const result = await expectation.judge(routes, evidence, list)
          if ('seen' in result) {
            end(() => resolve(result.seen))
            return 'seen'
          }
          last = result.instead
          return result.again ? 'again' : 'not yet'
        } catch (error) {
          waiter.missed(error)
          return 'not yet'
        }
      },
      missed(reason) {
        if (needsList) end(() => reject(reason))
        else last = reason instanceof Error ? reason.message : String(reason)
      },
      fail: (error) => end(() => reject(doubted(error))),
    }
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      unhook()
      waits.remove(waiter)
      settle()
    }
    const timer = setTimeout(() => waiter.fail(notConfirmed(expectation, last, operation)), timeout)
    const unhook =
      operation.stop?.onStop(() => waiter.fail(stopped(operation))) ?? (() => undefined)
    const waits = waitsFor(gateway, deviceId)
    waits.add(waiter)
  })
}

const stopped = ({ name }: Operation): GatewayError =>
  new GatewayError('CLOSED', 'The call was stopped while it waited for the change to show.', {
    operation: name,
  })

function notConfirmed(
  { timeout, unsent }: Expectation<unknown>,
  last: string,
  operation: Operation,
): GatewayError {
  const change = unsent
    ? 'No change was sent, and what is wanted did not show'
    : 'The appliance accepted the change, but it did not show'
  return new GatewayError(
    'NOT_CONFIRMED',
    `${change} within ${timeout / 1000} s. Seen last: ${last.replace(/\.$/, '')}.`,
    {
      operation: operation.name,
      statusCode: operation.statusCode,
      ...(unsent && { applied: 'no', retryable: true }),
    },
  )
}
