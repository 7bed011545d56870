import { badResponse, GatewayError, hasCode, say, type Sentence } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation, Subject } from '../connection/operation'
import type { RouteAddress } from '../memory'
import { isSameId } from '../model/ids'
import { isText } from '../model/json'
import type { Route, RouteFields, RouteList, UpdateAnswer } from '../model/types'
import { requestTo, usableId } from './endpoints'
import { bodyOr, expectArray, expectObject, readChange } from './shapes'
import { noteRoutes } from '../unseen'

/** The largest page that public clients are known to use; the maximum is unknown. */
const PAGE_SIZE = 500
const PAGES_AT_ONCE = 4
const PASSES = 3
/** Milliseconds. */
const COUNT_LAG_MS = 250

export interface ListRoutes {
  deviceId: string
  page?: number
  pageSize?: number
  /** How many times the pages are read at most while the list changes. */
  passes?: number
  /** Each page but the last is read once more, to see whether a route may be missing. */
  certain?: boolean
}

/**
 * GET /api/gateway/{device}/routes, see docs/project/interface.md#read-routes. Returns exactly one
 * page when `page` or `pageSize` is given; otherwise all pages, gathered in `data`, each route
 * once.
 * @throws GatewayError `BAD_RESPONSE` when a page came without all of its routes
 */
export async function listRoutes(
  gateway: Connection,
  { deviceId, page, pageSize, passes = PASSES, certain = true }: ListRoutes,
  operation: Operation,
): Promise<RouteList> {
  if (page !== undefined || pageSize !== undefined) {
    return readPage(gateway, deviceId, page ?? 1, pageSize, operation)
  }
  const { unlisted } = gateway.memory
  const isUnexpected = (count: number): boolean => count > 0 && count !== unlisted.get(deviceId)
  const gather = (): Promise<Gathered> =>
    gatherPages(gateway, deviceId, isUnexpected, certain, operation)
  let list = await gather()
  // A route that is removed or added during the read moves others across a page border.
  // Only then are the pages read again, or when the count differs, which may lag behind.
  for (let pass = 1; pass < passes; pass++) {
    if (!list.moved && !isUnexpected(unlistedIn(list.answer))) break
    if (!list.moved) await gateway.pause(COUNT_LAG_MS, operation.stop)
    list = await gather()
  }
  // A count that still differs from the list is not waited for again.
  const count = unlistedIn(list.answer)
  if (count > 0) unlisted.set(deviceId, count)
  else if (unlisted.size > 0) unlisted.delete(deviceId)
  if (list.isCut && count > 0) throw incompleteList(list.answer)
  if (list.changed) list.answer[MOVED] = true
  return list.answer
}

/** Marks a list that changed whenever its pages were read. */
const MOVED = Symbol('moved')
type Listed = RouteList & { [MOVED]?: true }

/** How many routes the appliance counts but does not list. */
function unlistedIn({ data, numResults, pendingRouteCreates }: RouteList): number {
  const count = Number(numResults) - (Number(pendingRouteCreates) || 0) - data.length
  return count > 0 ? count : 0
}

/** A route that is not listed may still exist: the gateway counts more, or the list never stood still. */
export const isIncomplete = (list: Listed): boolean => unlistedIn(list) > 0 || isMoving(list)

/** True when the list never stood still: another one soon may decide more. */
export const isMoving = (list: Listed): boolean => list[MOVED] === true

/** The error for what such a list cannot decide. @param consequence of it for the caller */
export function incompleteList(list: Listed, ...consequence: Sentence[]): GatewayError {
  const { data, numResults } = list
  const what = isMoving(list)
    ? say('listMoves')
    : say('incompleteList', { count: String(numResults), listed: data.length })
  return new GatewayError('BAD_RESPONSE', [what, ...consequence, say('tryAgain')], {
    retryable: true,
  })
}

/** GET /api/gateway/{device}/routes/{route}. */
export async function getRoute(
  gateway: Connection,
  { deviceId, routeId }: RouteAddress,
  operation: Operation,
): Promise<Route> {
  const ids = { device: deviceId, route: routeId }
  const request = requestTo('getRoute', ids, { what: { kind: 'route', id: routeId } })
  const route = expectObject<Route>(await gateway.call(request, operation), 'route')
  if (!isSameId(route.id, routeId)) throw badResponse(say('otherRoute'))
  // Errors name it by its name from now on.
  if (isText(route.name) && isSameId(operation.route, routeId)) operation.route = route.name
  noteRoutes(gateway, deviceId, [route], 'route')
  return route
}

/** A change by its name: that a part of it is missing never makes it another one. */
type RouteChange =
  | { action: 'create'; deviceId: string; fields: RouteFields }
  | ({ action: 'update'; fields: RouteFields } & RouteAddress)
  | ({ action: 'delete' } & RouteAddress)

/**
 * POST /api/devices/{device}/updates. Responds before it is done. Destinations that an update leaves out
 * are deleted.
 */
export async function sendChange(
  gateway: Connection,
  change: RouteChange,
  operation: Operation,
): Promise<UpdateAnswer> {
  const { action, deviceId } = change
  const isNew = action === 'create'
  const body = {
    action,
    deviceID: deviceId,
    elementType: 'route',
    elementID: isNew ? undefined : usableId(change.routeId),
    fields: action === 'delete' ? undefined : sentIn(change.fields, isNew),
  }
  const what: Subject = isNew
    ? { kind: 'device', id: deviceId }
    : { kind: 'route', id: change.routeId }
  const request = requestTo('changeRoute', { device: deviceId }, { body, what })
  const answer = await gateway.call(request, operation)
  return readChange(() => expectObject<UpdateAnswer>(bodyOr({}, answer), 'updates'))
}

const sentIn = (
  { name, startRoute = false, source, destinations }: RouteFields,
  isNew: boolean,
) => ({
  name,
  ...(isNew && { startRoute }),
  source,
  destinations,
})

async function readPage(
  gateway: Connection,
  deviceId: string,
  page: number,
  pageSize: number | undefined,
  operation: Operation,
): Promise<RouteList> {
  const query = `page=${page}${pageSize === undefined ? '' : `&pageSize=${pageSize}`}`
  const content = { query, what: { kind: 'device', id: deviceId } } as const
  const request = requestTo('listRoutes', { device: deviceId }, content)
  const list = expectObject<RouteList>(await gateway.call(request, operation), 'routes')
  for (const { id } of expectArray<Route>(list.data, 'routes.data')) {
    if (typeof id !== 'string') throw badResponse(say('routeWithoutId'))
  }
  noteRoutes(gateway, deviceId, list.data, 'list')
  return list
}

interface Gathered {
  answer: Listed
  /** The list changed while it was read: a route may be missing. */
  changed: boolean
  /** It changed, or a route was listed twice, perhaps in the place of another one. */
  moved: boolean
  /** A page before the last one had fewer routes than the first. */
  isCut: boolean
}

async function gatherPages(
  gateway: Connection,
  deviceId: string,
  /** Whether this many unlisted routes may be found by reading on. */
  isUnexpected: (unlisted: number) => boolean,
  certain: boolean,
  operation: Operation,
): Promise<Gathered> {
  const { first, size } = await readFirstPage(gateway, deviceId, operation)
  const isOnly = pagesOf(first) === 1 && isCounted(first) && !isUnexpected(unlistedIn(first))
  // A route that is listed twice may stand in the place of another one.
  const ids = isOnly ? new Set(first.data.map(({ id }) => id)) : undefined
  if (ids?.size === first.data.length)
    return { answer: first, changed: false, moved: false, isCut: false }
  const routes = new Map<string, Route>()
  /** The IDs in each page. */
  const read: string[][] = []
  let seen = 0
  const take = (page: RouteList): void => {
    read.push(page.data.map(({ id }) => id))
    seen += page.data.length
    for (const route of page.data) routes.set(route.id, route)
  }
  const readPages = (from: number, count: number): Promise<RouteList[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        readPage(gateway, deviceId, from + index, size, operation),
      ),
    )
  take(first)
  let latest = first
  let changed = false
  let isCut = false
  let pages = 1
  let last = pagesOf(first)
  while (pages < last) {
    const from = pages + 1
    const count = Math.min(PAGES_AT_ONCE, last - pages)
    const batch = await readPages(from, count)
    const known = routes.size
    for (const [index, page] of batch.entries()) {
      take(page)
      changed ||= page.numResults !== first.numResults
      isCut ||= from + index < last && page.data.length < first.data.length
    }
    pages += count
    latest = batch[batch.length - 1]!
    last = Math.max(...batch.map(pagesOf))
    // Pages without new routes are the end, whatever numPages says.
    if (routes.size === known) break
  }
  const isDoubled = seen !== routes.size

  const gathered = (): RouteList =>
    pages === 1 ? first : { ...latest, data: [...routes.values()] }
  // Read on where the appliance counts nothing, or more routes than arrived.
  while (latest.data.length > 0 && (!isCounted(latest) || isUnexpected(unlistedIn(gathered())))) {
    const page = await readPage(gateway, deviceId, pages + 1, size, operation).catch(noSuchPage)
    const known = routes.size
    if (page) take(page)
    if (!page || routes.size === known) break
    latest = page
    pages++
  }
  const isWhole = unlistedIn(gathered()) === 0
  // A list that always lacks routes by its own count decides nothing anyway.
  if (certain && (isWhole || changed)) changed = await wentUp()
  return { answer: gathered(), changed, moved: changed || isDoubled, isCut }

  /** Reads each page but the last again: one that went up by a page before that was read is in none. */
  async function wentUp(): Promise<boolean> {
    const before = [...new Set(read.slice(0, -1).flat())]
    const passed = new Set<string>()
    const again = read.length - 1
    let place = 0
    for (let from = 1; from <= again; from += PAGES_AT_ONCE) {
      const batch = await readPages(from, Math.min(PAGES_AT_ONCE, again + 1 - from))
      for (const route of batch.flatMap(({ data }) => data)) {
        if (!routes.has(route.id)) routes.set(route.id, route)
        else if (passed.has(route.id)) continue
        else if (route.id !== before[place++]) return true
        passed.add(route.id)
      }
    }
    return false
  }
}

const isCounted = ({ numPages, numResults }: RouteList): boolean =>
  Number(numPages) >= 1 || isNumber(numResults)

const isNumber = (value: unknown): boolean =>
  value !== null && value !== '' && Number.isFinite(Number(value))

/** How the appliance responds to a page that does not exist is not documented. */
function noSuchPage(error: unknown): undefined {
  if (!hasCode(error, 'REJECTED', 'NOT_FOUND', 'BAD_RESPONSE')) throw error
}

async function readFirstPage(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<{ first: RouteList; size?: number }> {
  const size = gateway.memory.refusesLargePages ? undefined : PAGE_SIZE
  try {
    return { first: await readPage(gateway, deviceId, 1, size, operation), size }
  } catch (error) {
    if (!hasCode(error, 'REJECTED') || size === undefined) throw error
    const first = await readPage(gateway, deviceId, 1, undefined, operation)
    gateway.memory.refusesLargePages = true
    return { first }
  }
}

/** The number of pages, derived from the number of routes where the firmware gives none. */
function pagesOf({ numPages, numResults, data }: RouteList): number {
  if (Number(numPages) >= 1) return Number(numPages)
  return data.length > 0 ? Math.ceil(Number(numResults) / data.length) || 1 : 1
}
