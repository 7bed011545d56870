import { GatewayError, inDoubt, say, thrownAs, words, type Sentence } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import type { Difference } from '../model/diff'
import type { RouteIndex } from '../model/route-index'
import { isPending } from '../model/route-state'
import type { Route, RouteList } from '../model/types'
import { unseenOf } from '../unseen'
import { waitsFor, type Evidences, type Waiter } from './wait-poller'

export interface Expectation<T> {
  deviceId: string
  /** The route that it is about; undefined while its ID is not known. */
  routeId?: string
  /** Judges the route, or all where none is named: the result, or what was seen instead. */
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
  | { instead: Sentence; again?: boolean }

interface AwaitedRoute extends Pick<Expectation<Route>, 'deviceId' | 'routeId' | 'timeout'> {
  /** Finds a route whose ID is not known. */
  find?: (routes: RouteIndex) => Route | undefined
  /** What is reported as seen while the route is missing. */
  absence?: Sentence
  /** What is seen instead; undefined when the route is as awaited. */
  verdict: (route: Route) => Sentence | undefined
  /** Something was under way before the change: that does not have to end. */
  wasPending?: boolean
}

/**
 * Waits until no change is pending and the verdict is good. @returns the route as it is then
 * @throws GatewayError `NOT_CONFIRMED`, with what was seen last, when the time is up
 */
export function awaitRoute(
  gateway: Connection,
  { find, absence = say('lastNoRoute'), verdict, wasPending, ...awaited }: AwaitedRoute,
  operation: Operation,
): Promise<Route> {
  const { deviceId, routeId } = awaited
  const judge = (routes: RouteIndex): Outcome<Route> => {
    const route = find ? find(routes) : routes.byId(routeId)
    if (!route) return { instead: absence }
    // What is read may be of before an earlier change, and look as this one would.
    const changes = unseenOf(gateway, { deviceId, routeId: route.id })
    if ((isPending(route) && !wasPending) || changes.some(({ earlier }) => earlier)) {
      return { instead: say('lastPending') }
    }
    const instead = verdict(route)
    return instead === undefined ? { seen: route } : { instead }
  }
  return awaitChange(gateway, { ...awaited, judge }, operation)
}

/**
 * All waits for a device share their polls.
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
  if (operation.stop?.stopped) return Promise.reject(doubted(stopped()))
  return new Promise<T>((resolve, reject) => {
    let last: readonly Sentence[] = [say('lastNothing')]
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
          last = [result.instead]
          return result.again ? 'again' : 'not yet'
        } catch (error) {
          waiter.missed(error)
          return 'not yet'
        }
      },
      missed(reason) {
        if (needsList) end(() => reject(reason))
        else last = reason instanceof GatewayError ? reason.sentences : [words(thrownAs(reason))]
      },
      fail: (error) => end(() => reject(doubted(error))),
    }
    const end = (settle: () => void): void => {
      cancel()
      unhook()
      waits.remove(waiter)
      settle()
    }
    const cancel = gateway.clock.after(timeout, () =>
      waiter.fail(notConfirmed(expectation, last, operation)),
    )
    const unhook = operation.stop?.onStop(() => waiter.fail(stopped())) ?? (() => undefined)
    const waits = waitsFor(gateway, deviceId)
    waits.add(waiter)
  })
}

const stopped = (): GatewayError => new GatewayError('CLOSED', say('stoppedWaiting'))

function notConfirmed(
  { timeout, unsent, routeId }: Expectation<unknown>,
  last: readonly Sentence[],
  operation: Operation,
): GatewayError {
  const time = timeout / 1000
  const said = unsent
    ? [say('notSettled', { time }), ...last]
    : [
        say('notConfirmed', { time }),
        ...last,
        say(routeId === undefined ? 'listFirst' : 'readFirst'),
      ]
  return new GatewayError('NOT_CONFIRMED', said, {
    statusCode: operation.statusCode,
    ...(unsent && { applied: 'no', retryable: true }),
  })
}

/** What an update still has to change; undefined when nothing. */
export function stillDiffers(differences: readonly Difference[]): Sentence | undefined {
  const paths = differences.map(({ path }) => path)
  if (paths.length === 0) return undefined
  return words('__paths__ still __have__.', {
    paths: paths.slice(0, 5).join(', '),
    have: paths.length > 1 ? 'have other values' : 'has another value',
  })
}
