import type { Connection } from '../connection/connection'
import { Operation, type Request } from '../connection/operation'
import { rolesOf } from '../connection/roles'
import type { Exchange } from '../connection/transport'
import { requestTo } from '../api/endpoints'
import { failureOf, GatewayError, words } from '../errors'
import { grouped } from '../model/ids'
import { isObject, isText, itemsIn, membersIn, objectsIn, own } from '../model/json'
import { isRunning } from '../model/route-state'
import type { Certificate } from '../model/settings'
import type { Route } from '../model/types'
import { Stop } from '../stop'

export interface Answered {
  method: Exchange['method']
  /** Below the address of the gateway, with its query. */
  path: string
  status: number
  /** Null where it was no JSON. */
  body: unknown
}

export interface Reading {
  answers: Answered[]
  /** What the answers do not show. No text of the gateway is in it. */
  measured: Measured
}

export interface Measured {
  /** Of each answer, in ms. */
  answerMs: number[]
  /** The clock of the gateway minus the one here, in s; undefined where its answers have no date. */
  clockSeconds?: number
  /** What the login set as its cookie. */
  cookie?: 'session' | 'other' | 'none'
  /** Undefined without https. */
  certificate?: { isSelfSigned: boolean; validTo: string }
}

/** Of one report, with the login and the end of the session. */
export const MOST_REQUESTS = 60
/** The part of them that is kept for the end of the session, and its repeats. */
const FOR_THE_END = 4
/** Milliseconds. The end of the session may take three seconds more. */
const MOST_MS = 50_000
/** Pages of the list of routes of a device, devices, and routes with statistics of all devices. */
const MOST_PAGES = 8
const MOST_DEVICES = 2
const MOST_STATISTICS = 20
const PAGE_SIZE = 500
/** More routes are not read. */
export const MOST_ROUTES = MOST_PAGES * PAGE_SIZE
/** Of two pages that are compared. */
const SMALL_PAGE = 2
/** No route has this ID. */
const NO_ROUTE = '00000000-0000-4000-8000-000000000000'

export function createRecorder() {
  const exchanges: Exchange[] = []
  const clocks: number[] = []
  let requests = 0
  let isLoggedIn = false
  let cookie: Measured['cookie']
  /** Why a request was not sent: neither is a later one. */
  let refusal: GatewayError | undefined

  function maySend({ method }: Pick<Exchange, 'method'>): boolean {
    if (method === 'POST' && isLoggedIn) refusal = oneLogin()
    else if (method !== 'DELETE' && requests >= MOST_REQUESTS - FOR_THE_END) refusal = noMore()
    else {
      requests++
      return true
    }
    return false
  }

  function onAnswer(exchange: Exchange): void {
    const { method, status, headers, body } = exchange
    exchanges.push(exchange)
    const clock = Date.parse(headers.date ?? '')
    // The header has whole seconds.
    if (!Number.isNaN(clock)) clocks.push((clock + 500 - Date.now() + exchange.ms / 2) / 1000)
    if (method !== 'POST' || status >= 300) return
    isLoggedIn = true
    const { sessionID } = (own(body, 'response') ?? {}) as { sessionID?: unknown }
    const set = (headers['set-cookie'] ?? []).find((each) => each.startsWith('sessionID='))
    const isSession = set?.split(/[=;]/)[1] === sessionID
    cookie = set === undefined ? 'none' : isSession ? 'session' : 'other'
  }

  /**
   * Reads with requests that change nothing, one after the other. Closing the connection ends the session.
   * @returns a failure too where devices, configuration or routes could not be read
   * @throws GatewayError when nothing could be read, or `CLOSED` after the stop
   */
  async function read(gateway: Connection, stop: Stop, certificate?: Certificate) {
    const end = new Stop()
    const unhook = stop.onStop(() => end.now())
    let failure: GatewayError | undefined
    const cancel = gateway.clock.after(MOST_MS, () => {
      failure = outOfTime()
      end.now()
    })
    const operation = new Operation('report', { stop: end })
    const send = async (request: Request): Promise<unknown> => {
      try {
        return await gateway.call(request, operation)
      } catch (error) {
        throw refusal ?? error
      }
    }
    /** What is missing without it is a failure. */
    const need = async (request: Request): Promise<unknown> => {
      try {
        return await send(request)
      } catch (error) {
        failure ??= failureOf(error)
        return undefined
      }
    }
    /** An error is an answer, too. */
    const ask = (request: Request): Promise<unknown> =>
      send(request).catch((error: unknown) => void failureOf(error))

    let opened: Awaited<ReturnType<Connection['session']['open']>> | undefined
    try {
      const devices = await send(requestTo('listDevices', {}))
      opened = await gateway.session.open()
      const ids = idsIn(devices, '_id').slice(0, MOST_DEVICES)
      for (const device of ids) {
        await readDevice(device, Math.floor(MOST_STATISTICS / ids.length), need, ask)
      }
      const { roles } = opened
      if (!roles.includes('Administrator') && rolesOf({ roles }).length > 0) {
        const [device] = idsIn(devices, '_id')
        // Which an Administrator could read: then there would be secrets in the answer.
        const { role: _, ...request } = requestTo('exportPreset', { device: device ?? 'none' })
        await ask(request)
      }
      await ask(requestTo('readSession', {}))
    } catch (error) {
      if (stop.stopped) throw error
      if (exchanges.every(({ path }) => path === '/api/session')) throw failure ?? error
      failure ??= failureOf(error)
    } finally {
      cancel()
      unhook()
      // One that seemed to be lost may still be open.
      if (opened && !gateway.session.isOpen()) gateway.session.discard(opened)
    }
    return {
      reading: { answers: exchanges.map(answered), measured: measured(certificate) },
      failure,
    }
  }

  const measured = (certificate?: Certificate): Measured => ({
    answerMs: exchanges.map(({ ms }) => Math.round(ms)),
    clockSeconds: clocks.length > 0 ? Math.round(median(clocks)) : undefined,
    cookie,
    certificate: certificate && {
      isSelfSigned: certificate.issuer === certificate.subject,
      validTo: certificate.validTo,
    },
  })

  return {
    /** Options of the connection that it reads by: they keep the limits. */
    options: { readOnly: true, maySend, onAnswer },
    read,
  }
}

type Send = (request: Request) => Promise<unknown>

async function readDevice(
  device: string,
  mostStatistics: number,
  need: Send,
  ask: Send,
): Promise<void> {
  await need(requestTo('getDevice', { device }))
  const list = (query?: string): Request => requestTo('listRoutes', { device }, { query })
  const first = await need(list())
  const routes = new Map<string, Route>()
  const take = (page: unknown): number => {
    const listed = objectsIn(own(page, 'data'))
    for (const route of listed) if (isText(route.id)) routes.set(route.id, route as Route)
    return listed.length
  }
  take(first)
  const total = Number(own(plain(first), 'numResults')) || 0
  for (let page = 1; page <= MOST_PAGES; page++) {
    const before = routes.size
    const length = take(await need(list(`page=${page}&pageSize=${PAGE_SIZE}`)))
    if (length === 0 || routes.size >= total || (page > 1 && routes.size === before)) break
  }
  if (total > SMALL_PAGE) {
    for (const page of [1, 2]) await ask(list(`page=${page}&pageSize=${SMALL_PAGE}`))
  }
  const [one] = routes.keys()
  if (one !== undefined) await ask(requestTo('getRoute', { device, route: one }))
  await ask(requestTo('getRoute', { device, route: NO_ROUTE }))
  const running = [...routes.values()].filter(isRunning)
  for (const { id } of oneOfEachKindFirst(running).slice(0, mostStatistics)) {
    const query = new URLSearchParams({ routeID: id })
    await ask(requestTo('readStatistics', { device }, { query }))
  }
}

function oneOfEachKindFirst(routes: Route[]): Route[] {
  const kinds = grouped(routes, ({ source, destinations }) => {
    const parts = [source, destinations].flat()
    return JSON.stringify(parts.map((part) => [own(part, 'protocol'), own(part, 'mode')]))
  })
  const first = new Set(Array.from(kinds.values(), ([one]) => one!))
  return [...first, ...routes.filter((route) => !first.has(route))]
}

function answered({ method, path, status, body, unreadable }: Exchange): Answered {
  return { method, path, status, body: unreadable ? null : plain(body ?? null) }
}

/** Without fields that JavaScript would call to make text of an object. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const members = membersIn(value).filter(([name]) => name !== 'toString' && name !== 'valueOf')
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]))
}

export const idsIn = (list: unknown, name: string): string[] =>
  itemsIn(list)
    .map((each) => own(each, name))
    .filter(isText)

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const oneLogin = (): GatewayError =>
  new GatewayError(
    'UNAVAILABLE',
    words('The session ended during the report, which logs in only once. Try again.'),
  )

const noMore = (): GatewayError =>
  new GatewayError(
    'UNAVAILABLE',
    words('The report has sent the __count__ requests that it may send.', {
      count: MOST_REQUESTS - FOR_THE_END,
    }),
  )

const outOfTime = (): GatewayError =>
  new GatewayError(
    'TIMEOUT',
    words('The gateway was not read completely within __time__ seconds.', {
      time: MOST_MS / 1000,
    }),
  )
