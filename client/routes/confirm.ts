import { GatewayError, inDoubt } from '../errors'
import type { Gateway } from '../gateway'
import { newOperation, type Operation } from '../operation'
import type { Route } from '../model/types'
import { getRoute, listRoutes } from '../operations/routes'
import { sharedLook } from '../watch/watch'

/** What a caller waits to see. */
export interface Expectation<T> {
  deviceId: string
  /** The route that it is about; undefined while it has no known ID. */
  routeId?: string
  /**
   * Looks at the route, or at all routes where none is named. Answers what was waited
   * for, or in words what is there instead.
   */
  look: (routes: Route[]) => { seen: T } | { instead: string }
  /** Milliseconds. */
  timeout: number
}

interface Waiter {
  routeId?: string
  operation: Operation
  /** True when it has seen what it waited for. */
  look(routes: Route[]): boolean
  /** A poll brought no answer, for this reason. */
  missed(reason: string): void
  fail(error: unknown): void
}

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 2000

/** One loop for each device, on only while somebody waits. */
const loops = new WeakMap<Gateway, Map<string, Set<Waiter>>>()

/**
 * Polls until the expectation is met. All that wait for the same device share the polls.
 * @throws GatewayError `NOT_CONFIRMED`, with what was seen last, when the time is up
 */
export function confirm<T>(
  gateway: Gateway,
  expectation: Expectation<T>,
  operation: Operation,
): Promise<T> {
  const { deviceId, routeId, timeout } = expectation
  const devices = loops.get(gateway) ?? new Map<string, Set<Waiter>>()
  loops.set(gateway, devices)

  if (operation.stop?.stopped) return Promise.reject(inDoubt(stopped(operation)))
  return new Promise<T>((resolve, reject) => {
    let last = 'no answer came yet'
    const waiter: Waiter = {
      routeId,
      operation,
      look(routes) {
        try {
          const result = expectation.look(routes)
          if ('seen' in result) {
            end(() => resolve(result.seen))
            return true
          }
          last = result.instead
        } catch (error) {
          waiter.missed(error instanceof Error ? error.message : String(error))
        }
        return false
      },
      missed(reason) {
        last = reason
      },
      // The change was accepted: what becomes of it is not known.
      fail: (error) => end(() => reject(error instanceof GatewayError ? inDoubt(error) : error)),
    }
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      unhook()
      devices.get(deviceId)?.delete(waiter)
      settle()
    }
    const timer = setTimeout(() => waiter.fail(notConfirmed(timeout, last, operation)), timeout)
    const unhook =
      operation.stop?.onStop(() => waiter.fail(stopped(operation))) ?? (() => undefined)

    const waiters = devices.get(deviceId)
    if (waiters) waiters.add(waiter)
    else {
      const first = new Set([waiter])
      devices.set(deviceId, first)
      void poll(gateway, deviceId, first, devices)
    }
  })
}

async function poll(
  gateway: Gateway,
  deviceId: string,
  waiters: Set<Waiter>,
  devices: Map<string, Set<Waiter>>,
): Promise<void> {
  let pauseMs = FIRST_PAUSE
  let known = 0
  while (waiters.size > 0) {
    const asked = [...waiters]
    if (asked.length > known) pauseMs = FIRST_PAUSE
    known = asked.length
    await askOnce(gateway, deviceId, asked)
    if (waiters.size === 0) break
    try {
      await gateway.pause(pauseMs)
    } catch (error) {
      for (const waiter of waiters) waiter.fail(error)
    }
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE)
  }
  // In the same turn as the last look at `waiters`: whoever comes next starts a loop of its own.
  devices.delete(deviceId)
}

/** What a wait has seen, the watches of the device shall tell now, not at their next poll. */
function tellWatches(gateway: Gateway, deviceId: string): void {
  sharedLook(gateway, deviceId)?.().catch(() => undefined)
}

async function askOnce(gateway: Gateway, deviceId: string, waiters: Waiter[]): Promise<void> {
  const finishing = waiters.some((waiter) => waiter.operation.finishing)
  try {
    const { routes, operation } =
      (await readWithWatches(gateway, deviceId, waiters)) ??
      (await readRoutes(gateway, deviceId, waiters, newOperation('confirm').under({ finishing })))
    for (const asking of new Set(waiters.map((waiter) => waiter.operation))) {
      asking.requests += operation.requests
      asking.statusCode = operation.statusCode
    }
    const haveSeen = waiters.filter((waiter) => waiter.look(routes))
    if (haveSeen.length > 0 && onlyRoute(waiters) !== undefined) tellWatches(gateway, deviceId)
  } catch (error) {
    // The change was accepted: a poll that fails says nothing against it, and may be the only one.
    const closed = error instanceof GatewayError && error.code === 'CLOSED'
    for (const waiter of waiters) {
      if (closed) waiter.fail(error)
      else waiter.missed(error instanceof Error ? error.message : String(error))
    }
  }
}

interface Reading {
  routes: Route[]
  operation: Operation
}

/**
 * Where all routes are to be read, the poll that the watches of this device share. Undefined
 * when nobody watches, or when it does not tell all: then the routes are read for themselves.
 */
async function readWithWatches(
  gateway: Gateway,
  deviceId: string,
  waiters: Waiter[],
): Promise<Reading | undefined> {
  if (onlyRoute(waiters) !== undefined) return undefined
  const look = await sharedLook(gateway, deviceId)?.().catch(() => undefined)
  return look?.routes && { routes: look.routes, operation: look.operation }
}

/** The one route that all of them wait for. */
function onlyRoute(waiters: Waiter[]): string | undefined {
  const [routeId, ...others] = new Set(waiters.map((waiter) => waiter.routeId))
  return others.length > 0 ? undefined : routeId
}

// One route is asked for by itself; for several one list costs less.
async function readRoutes(
  gateway: Gateway,
  deviceId: string,
  waiters: Waiter[],
  operation: Operation,
): Promise<Reading> {
  const routeId = onlyRoute(waiters)
  if (routeId === undefined) {
    return { routes: (await listRoutes(gateway, { deviceId }, operation)).data, operation }
  }
  try {
    return { routes: [await getRoute(gateway, { deviceId, routeId }, operation)], operation }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code === 'NOT_FOUND') return { routes: [], operation }
    // How an unknown route is answered is not documented (facts 4.2). The list tells.
    if (error.code !== 'REJECTED' && error.code !== 'BAD_RESPONSE') throw error
    return { routes: (await listRoutes(gateway, { deviceId }, operation)).data, operation }
  }
}

const stopped = ({ name }: Operation): GatewayError =>
  new GatewayError('CLOSED', 'The node was stopped while it waited for the change to show.', {
    operation: name,
  })

function notConfirmed(timeout: number, last: string, operation: Operation): GatewayError {
  return new GatewayError(
    'NOT_CONFIRMED',
    `The appliance accepted the change, but it did not show within ${timeout / 1000} s. Seen last: ${last.replace(/\.$/, '')}.`,
    { operation: operation.name, statusCode: operation.statusCode },
  )
}
