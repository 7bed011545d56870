import { GatewayError, closedError, hasCode } from '../errors'
import type { Connection } from '../connection/connection'
import { Operation } from '../connection/operation'
import { normalizeId } from '../model/ids'
import { RouteIndex } from '../model/route-index'
import type { RouteList } from '../model/types'
import { getRoute, isIncomplete, listRoutes } from '../api/routes'
import { askItself, refusalOf, type Evidence } from '../watch/life/missing-routes'
import { pollNow } from '../watch/registry'
import { noteRoutes, type ReadTogether } from '../unseen'
import { createPoller } from '../poller'
import { presentRoutes } from './shared-list'
import type { Running } from '../memory'
import { Stop } from '../stop'

export interface Waiter {
  routeId?: string
  /** It needs what the appliance says about the whole list. */
  needsList: boolean
  operation: Operation
  judge(
    routes: RouteIndex,
    evidence: Evidences,
    list?: RouteList,
  ): Promise<'seen' | 'again' | 'not yet'>
  missed(reason: unknown): void
  fail(error: unknown): void
}

/** Returns the evidence on whether a route that was not among those read is gone. */
export type Evidences = (routeId: string) => Promise<Evidence>

/** All waiters for changes of one device. They share a poller, which runs only while they wait. */
interface DeviceWaits extends Running {
  add(waiter: Waiter): void
  remove(waiter: Waiter): void
}

export function waitsFor(gateway: Connection, deviceId: string): DeviceWaits {
  const waits = gateway.memory.waits as Map<string, DeviceWaits>
  const known = waits.get(deviceId)
  if (known) return known
  const created = createDeviceWaits(gateway, deviceId, () => {
    if (waits.get(deviceId) === created) waits.delete(deviceId)
  })
  waits.set(deviceId, created)
  return created
}

/** With more waiters, missing routes are not read themselves: complete lists a second apart show as much. */
const MANY = 16
const FIRST_PAUSE = 200
/** The list that many wait for is long, and shows many changes at once. */
const PAUSE_OF_MANY = 450
const LONGEST_PAUSE = 2000
/** Milliseconds after which a new waiter does not wait for a poll that began before it. */
const OWN_POLL_MS = 1000

function createDeviceWaits(gateway: Connection, deviceId: string, forget: () => void): DeviceWaits {
  const waiters = new Set<Waiter>()
  /** Ends a read that has no waiters left. */
  const stop = new Stop()
  /** Since the latest poll began. */
  let added = false
  let isNew = true
  let pauseMs = FIRST_PAUSE
  /** Lets the next poll begin, although the latest one has no response yet. */
  let release: (() => void) | undefined
  const poller = createPoller<{ again: boolean }>({
    ask() {
      isNew = added
      added = false
      const begun = gateway.clock.now()
      const polled = pollOnce(gateway, deviceId, [...waiters], stop)
      let cancel: (() => void) | undefined
      const released = new Promise<{ again: boolean }>((resolve) => {
        release = () => {
          // Where many wait, a poll is a long list, which takes its time.
          if (cancel || waiters.size > MANY) return
          const left = Math.max(0, begun + OWN_POLL_MS - gateway.clock.now())
          cancel = gateway.clock.after(left, () => resolve({ again: true }))
        }
      })
      return Promise.race([polled, released]).finally(() => cancel?.())
    },
    // The longer it takes, the fewer polls; a new waiter starts over.
    onAnswer({ again }) {
      pauseMs = isNew || again ? FIRST_PAUSE : Math.min(pauseMs * 1.5, LONGEST_PAUSE)
    },
    interval: () => (waiters.size > MANY ? Math.max(pauseMs, PAUSE_OF_MANY) : pauseMs),
    clock: gateway.clock,
  })
  return {
    add(waiter) {
      waiters.add(waiter)
      added = true
      release?.()
      if (waiters.size > 1) return
      poller.start()
      poller.askNow().catch(() => undefined)
    },
    remove(waiter) {
      waiters.delete(waiter)
      if (waiters.size > 0) return
      // The next waiter gets a poller of its own, and does not wait for a read that hangs.
      forget()
      poller.stop()
      stop.now()
    },
    end() {
      for (const waiter of waiters) waiter.fail(closedError())
    },
  }
}

/** @returns `again` when another poll soon may decide something */
async function pollOnce(
  gateway: Connection,
  deviceId: string,
  waiters: Waiter[],
  stop: Stop,
): Promise<{ again: boolean }> {
  const uninterruptible = waiters.some((waiter) => waiter.operation.uninterruptible)
  const own = new Operation('confirm', { stop, uninterruptible, brief: true })
  try {
    const shared = await readWithWatches(gateway, deviceId, waiters)
    if (shared) charge(waiters, shared.operation)
    const reading = shared ?? (await readRoutes(gateway, deviceId, waiters, own))
    // What was read of a route by itself is present.
    const unread = new Map<string, unknown>()
    const routes =
      shared || reading.list
        ? await presentRoutes(gateway, deviceId, askedOf(reading, waiters), own, unread)
        : reading.routes
    charge(waiters, taken(own))
    const evidence = evidencesFrom(gateway, deviceId, reading, own)
    const readItself = waiters.length <= MANY
    const verdicts = waiters.map(async (waiter) => {
      // Nobody knows how these are now. Who needs all routes waits for the next list.
      const { id } = routes.byId(waiter.routeId) ?? {}
      if (waiter.needsList ? unread.size > 0 : id !== undefined && unread.has(id)) {
        if (!waiter.needsList) waiter.missed(unread.get(id!))
        return 'not yet'
      }
      return waiter.judge(
        routes,
        (routeId) => evidence(routeId, readItself).finally(() => charge(waiters, taken(own))),
        reading.list,
      )
    })
    const outcomes = await Promise.all(verdicts)
    // The watches of the device report it now, not at their next poll. Of many it would be each time.
    if (outcomes.includes('seen') && !shared && waiters.length <= MANY) {
      pollNow(gateway, deviceId)?.().catch(() => undefined)
    }
    return { again: outcomes.includes('again') }
  } catch (error) {
    charge(waiters, taken(own))
    // The change was accepted: a failed poll does not disprove it, and may be the only one.
    for (const waiter of waiters) {
      if (hasCode(error, 'CLOSED')) waiter.fail(error)
      else waiter.missed(error)
    }
    return { again: false }
  }
}

/** Of what was read together: the routes that somebody waits for. */
function askedOf({ routes, list }: Reading, waiters: readonly Waiter[]): ReadTogether {
  const readOf = list ? 'list' : 'device'
  if (waiters.some(({ needsList, routeId }) => needsList || routeId === undefined)) {
    return { routes, readOf }
  }
  const asked = new Set(waiters.map(({ routeId }) => normalizeId(routeId!)))
  return { routes, readOf, isAsked: (id) => asked.has(normalizeId(id)) }
}

type Made = Pick<Operation, 'requests' | 'statusCode'>

function charge(waiters: Waiter[], { requests, statusCode }: Made): void {
  const charged: Operation[] = []
  for (const { operation } of waiters) {
    if (charged.some((other) => other.countsWith(operation))) continue
    charged.push(operation)
    operation.requests += requests
    operation.statusCode = statusCode ?? operation.statusCode
  }
}

/** Takes the requests that an operation has made since the last call. */
function taken(operation: Operation): Made {
  const { requests, statusCode } = operation
  operation.requests = 0
  return { requests, statusCode }
}

/** What a reading shows about a missing route. What it leaves open is read once for all waiters. */
function evidencesFrom(
  gateway: Connection,
  deviceId: string,
  { routes, list, itself }: Reading,
  operation: Operation,
): (routeId: string, readItself: boolean) => Promise<Evidence> {
  let reading = list && Promise.resolve({ list, routes })
  const read = async (): Promise<{ list: RouteList; routes: RouteIndex }> => {
    const complete = await listRoutes(gateway, { deviceId }, operation)
    return { list: complete, routes: new RouteIndex(complete.data) }
  }
  return async (routeId, readItself) => {
    const complete = await (reading ??= read())
    if (complete.routes.byId(routeId)) return { isUnlisted: false, itself: 'there' }
    if (isIncomplete(complete.list)) return { isUnlisted: false, itself: 'unclear' }
    if (itself) return { isUnlisted: true, itself }
    const address = { deviceId, routeId }
    const found = readItself ? await askItself(gateway, address, operation) : 'unclear'
    return { isUnlisted: true, itself: found }
  }
}

interface Reading {
  routes: RouteIndex
  /** Set where all routes were listed. */
  list?: RouteList
  /** How the read of the only route failed, where it did. */
  itself?: Evidence['itself']
}

/** The poll that the watches share; undefined where one route, the list, or a complete poll is needed. */
async function readWithWatches(
  gateway: Connection,
  deviceId: string,
  waiters: Waiter[],
): Promise<(Reading & { operation: Operation }) | undefined> {
  // A new route is looked up in the list later on: what the device shows sooner does not count.
  const needList = waiters.some(({ needsList, routeId }) => needsList || routeId === undefined)
  if (needList || onlyRoute(waiters) !== undefined) return undefined
  const look = await pollNow(gateway, deviceId)?.().catch(() => undefined)
  if (!look?.routes) return undefined
  noteRoutes(gateway, deviceId, look.routes, 'device')
  return { routes: new RouteIndex(look.routes), operation: look.operation }
}

/** The one route that all of them wait for; undefined where there is none. */
function onlyRoute(waiters: Waiter[]): string | undefined {
  const [routeId, ...others] = new Set(waiters.map((waiter) => waiter.routeId))
  return others.length > 0 ? undefined : routeId
}

// One route is read by itself: it may show a change long before the configuration of the device
// does, and a list of thousands is expensive. For several routes one list costs less.
async function readRoutes(
  gateway: Connection,
  deviceId: string,
  waiters: Waiter[],
  operation: Operation,
): Promise<Reading> {
  const listed = async (): Promise<Reading> => {
    // While many wait the list changes all the time: reading it again and again shows no more.
    const passes = waiters.length > MANY ? 2 : undefined
    const list = await listRoutes(gateway, { deviceId, passes }, operation)
    return { routes: new RouteIndex(list.data), list }
  }
  const routeId = onlyRoute(waiters)
  if (routeId === undefined) return listed()
  try {
    return { routes: new RouteIndex([await getRoute(gateway, { deviceId, routeId }, operation)]) }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const itself = refusalOf(error)
    if (itself === 'missing') return { routes: new RouteIndex([]), itself }
    if (itself === 'no answer') throw error
    // The response for an unknown route is not documented: docs/project/interface.md#unknown. The
    // list decides.
    return { ...(await listed()), itself }
  }
}
