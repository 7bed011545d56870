import { GatewayError, inDoubt } from '../errors'
import type { Connection } from '../connection/connection'
import { newOperation, type Operation } from '../connection/operation'
import { isSameId } from '../model/ids'
import type { Route, RouteList } from '../model/types'
import { getRoute, lacksRoutes, listRoutes } from '../api/routes'
import { askItself, refusalOf, type Evidence } from '../watch/gone'
import { sharedLook } from '../watch/device-watch'
import type { Running } from '../memory'
import { Stop } from '../stop'

/** What a caller waits to see. */
export interface Expectation<T> {
  deviceId: string
  /** The route that it is about; undefined while it has no known ID. */
  routeId?: string
  /**
   * Looks at the route, or at all routes where none is named. Returns what was waited
   * for, or in words what is there instead.
   */
  look: (routes: Route[], evidence: Evidences) => Outcome<T> | Promise<Outcome<T>>
  /** Milliseconds. */
  timeout: number
  /** No change was sent that could show. */
  unsent?: boolean
}

type Outcome<T> =
  | { seen: T }
  /** With `again` one more look soon may decide it. */
  | { instead: string; again?: boolean }

/** Whether a route that was not among those that were read is gone. */
export type Evidences = (routeId: string) => Promise<Evidence>

interface Waiter {
  routeId?: string
  operation: Operation
  look(routes: Route[], evidence: Evidences): Promise<'seen' | 'again' | 'not yet'>
  /** A poll brought no answer, for this reason. */
  missed(reason: string): void
  fail(error: unknown): void
}

const FIRST_PAUSE = 200
const LONGEST_PAUSE = 2000

/** What polls a device, on only while somebody waits. */
interface Loop extends Running {
  readonly waiters: Set<Waiter>
  /** Ends a reading that nobody waits for any more. */
  readonly stop: Stop
}

function newLoop(): Loop {
  const stop = new Stop()
  return { waiters: new Set(), stop, end: () => stop.now() }
}

/** One loop for each device. Nobody else adds to them. */
const loopsOf = ({ memory }: Connection): Map<string, Loop> => memory.waits as Map<string, Loop>

/**
 * Polls until the expectation is met. All that wait for the same device share the polls.
 * @throws GatewayError `NOT_CONFIRMED`, with what was seen last, when the time is up
 */
export function confirm<T>(
  gateway: Connection,
  expectation: Expectation<T>,
  operation: Operation,
): Promise<T> {
  const { deviceId, routeId, timeout } = expectation
  const devices = loopsOf(gateway)

  // The change was accepted: what becomes of it is not known.
  const judged = (error: unknown): unknown =>
    error instanceof GatewayError && !expectation.unsent ? inDoubt(error) : error
  if (operation.stop?.stopped) return Promise.reject(judged(stopped(operation)))
  return new Promise<T>((resolve, reject) => {
    let last = 'no answer came yet'
    const waiter: Waiter = {
      routeId,
      operation,
      async look(routes, evidence) {
        try {
          const result = await expectation.look(routes, evidence)
          if ('seen' in result) {
            end(() => resolve(result.seen))
            return 'seen'
          }
          last = result.instead
          return result.again ? 'again' : 'not yet'
        } catch (error) {
          waiter.missed(error instanceof Error ? error.message : String(error))
          return 'not yet'
        }
      },
      missed(reason) {
        last = reason
      },
      fail: (error) => end(() => reject(judged(error))),
    }
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      unhook()
      loop.waiters.delete(waiter)
      if (loop.waiters.size === 0) {
        // Whoever comes next starts a loop of its own, and does not wait for a reading that hangs.
        if (devices.get(deviceId) === loop) devices.delete(deviceId)
        loop.stop.now()
      }
      settle()
    }
    const timer = setTimeout(() => waiter.fail(notConfirmed(expectation, last, operation)), timeout)
    const unhook =
      operation.stop?.onStop(() => waiter.fail(stopped(operation))) ?? (() => undefined)

    const running = devices.get(deviceId)
    const loop = running ?? newLoop()
    loop.waiters.add(waiter)
    if (running) return
    devices.set(deviceId, loop)
    void poll(gateway, deviceId, loop)
  })
}

async function poll(gateway: Connection, deviceId: string, { waiters, stop }: Loop): Promise<void> {
  let pauseMs = FIRST_PAUSE
  let known = 0
  while (waiters.size > 0) {
    const asked = [...waiters]
    if (asked.length > known) pauseMs = FIRST_PAUSE
    known = asked.length
    const again = await askOnce(gateway, deviceId, asked, stop)
    if (waiters.size === 0) break
    if (again) pauseMs = FIRST_PAUSE
    try {
      await gateway.pause(pauseMs, stop)
    } catch (error) {
      for (const waiter of waiters) waiter.fail(error)
    }
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE)
  }
}

/** What a wait has seen, the watches of the device shall tell now, not at their next poll. */
function tellWatches(gateway: Connection, deviceId: string): void {
  sharedLook(gateway, deviceId)?.().catch(() => undefined)
}

/** @returns true when one more look soon may decide something */
async function askOnce(
  gateway: Connection,
  deviceId: string,
  waiters: Waiter[],
  stop: Stop,
): Promise<boolean> {
  const finishing = waiters.some((waiter) => waiter.operation.finishing)
  const own = newOperation('confirm', stop).under({ finishing })
  try {
    const shared = await readWithWatches(gateway, deviceId, waiters)
    if (shared) charge(waiters, shared.operation)
    const reading = shared ?? (await readRoutes(gateway, deviceId, waiters, own))
    charge(waiters, taken(own))
    const evidence = evidencesFrom(gateway, deviceId, reading, own)
    const looks = waiters.map((waiter) =>
      waiter.look(reading.routes, (routeId) =>
        evidence(routeId).finally(() => charge(waiters, taken(own))),
      ),
    )
    const outcomes = await Promise.all(looks)
    if (outcomes.includes('seen') && onlyRoute(waiters) !== undefined) {
      tellWatches(gateway, deviceId)
    }
    return outcomes.includes('again')
  } catch (error) {
    charge(waiters, taken(own))
    // The change was accepted: a poll that fails says nothing against it, and may be the only one.
    const closed = error instanceof GatewayError && error.code === 'CLOSED'
    for (const waiter of waiters) {
      if (closed) waiter.fail(error)
      else waiter.missed(error instanceof Error ? error.message : String(error))
    }
    return false
  }
}

type Made = Pick<Operation, 'requests' | 'statusCode'>

/** Counts requests for everybody who waits. */
function charge(waiters: Waiter[], { requests, statusCode }: Made): void {
  for (const asking of new Set(waiters.map((waiter) => waiter.operation))) {
    asking.requests += requests
    asking.statusCode = statusCode ?? asking.statusCode
  }
}

/** The requests that an operation has made since they were taken last. */
function taken(operation: Operation): Made {
  const { requests, statusCode } = operation
  operation.requests = 0
  return { requests, statusCode }
}

/** What a reading says about a missing route. What it leaves open is read once for all that ask. */
function evidencesFrom(
  gateway: Connection,
  deviceId: string,
  { list, itself }: Reading,
  operation: Operation,
): Evidences {
  let reading = list && Promise.resolve(list)
  return async (routeId) => {
    reading ??= listRoutes(gateway, { deviceId }, operation)
    const complete = await reading
    const isListed = complete.data.some(({ id }) => isSameId(id, routeId))
    if (isListed) return { isUnlisted: false, itself: 'there' }
    if (lacksRoutes(complete)) return { isUnlisted: false, itself: 'unclear' }
    const address = { deviceId, routeId }
    return { isUnlisted: true, itself: itself ?? (await askItself(gateway, address, operation)) }
  }
}

interface Reading {
  routes: Route[]
  /** Where all routes were listed. */
  list?: RouteList
  /** How the only route that was asked for was refused. */
  itself?: Evidence['itself']
}

/**
 * Where all routes are to be read, the poll that the watches of this device share. Undefined
 * when nobody watches, or when it does not tell all: then the routes are read for themselves.
 */
async function readWithWatches(
  gateway: Connection,
  deviceId: string,
  waiters: Waiter[],
): Promise<(Reading & { operation: Operation }) | undefined> {
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
  gateway: Connection,
  deviceId: string,
  waiters: Waiter[],
  operation: Operation,
): Promise<Reading> {
  const listed = async (): Promise<Reading> => {
    const list = await listRoutes(gateway, { deviceId }, operation)
    return { routes: list.data, list }
  }
  const routeId = onlyRoute(waiters)
  if (routeId === undefined) return listed()
  try {
    return { routes: [await getRoute(gateway, { deviceId, routeId }, operation)] }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const itself = refusalOf(error)
    if (itself === 'missing') return { routes: [], itself }
    if (itself === 'no answer') throw error
    // How an unknown route is answered is not documented (facts 4.2). The list tells.
    return { ...(await listed()), itself }
  }
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
