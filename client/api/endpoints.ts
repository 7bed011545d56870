import { invalidInput } from '../errors'
import type { Request } from '../connection/operation'

/** The calls that are made within a session. The login and the end of a session are in `connection/session`. */
// prettier-ignore
export const ENDPOINTS = {
  readSession:          { method: 'GET',  role: 'Observer',      path: '/api/session' },
  listDevices:          { method: 'GET',  role: 'Observer',      path: '/api/devices' },
  getDevice:            { method: 'GET',  role: 'Observer',      path: '/api/devices/{device}' },
  listRoutes:           { method: 'GET',  role: 'Observer',      path: '/api/gateway/{device}/routes' },
  getRoute:             { method: 'GET',  role: 'Observer',      path: '/api/gateway/{device}/routes/{route}' },
  changeRoute:          { method: 'POST', role: 'Operator',      path: '/api/devices/{device}/updates' },
  command:              { method: 'POST', role: 'Operator',      path: '/api/devices/{device}/commands' },
  readStatistics:       { method: 'GET',  role: 'Observer',      path: '/api/gateway/{device}/statistics' },
  readClientStatistics: { method: 'GET',  role: 'Observer',      path: '/api/gateway/{device}/statistics/client' },
  exportPreset:         { method: 'GET',  role: 'Administrator', path: '/api/gateway/{device}/system/preset' },
  importPreset:         { method: 'POST', role: 'Administrator', path: '/api/gateway/{device}/system/preset' },
} as const satisfies Record<string, Pick<Request, 'method' | 'role' | 'path'>>

type Endpoints = typeof ENDPOINTS

/** The names in braces of a path. */
type IdsIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdsIn<Rest> : never

interface Content extends Pick<Request, 'body' | 'contentType' | 'secrets' | 'what'> {
  query?: URLSearchParams | string
}

/**
 * A call of the interface.
 * @param ids what stands for the names in braces of its path
 * @throws GatewayError `INVALID_INPUT` when one of them cannot be a part of a path
 */
export function requestTo<Name extends keyof Endpoints>(
  endpoint: Name,
  ids: Record<IdsIn<Endpoints[Name]['path']>, string>,
  { query, body, contentType, secrets, what }: Content = {},
): Request {
  const { method, role, path } = ENDPOINTS[endpoint]
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => segment(ids[name as keyof typeof ids]))
  const full = query === undefined ? filled : `${filled}?${query}`
  return { method, role, path: full, body, contentType, secrets, what }
}

/** IDs are some twenty characters long; an appliance refuses a path of many thousands. */
const LONGEST = 1000

/** True for an ID that can be a segment of a path: not empty, `.` or `..`, and without half a character. */
export function isSegment(id: unknown): id is string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') return false
  return id.length <= LONGEST && !/\p{Surrogate}/u.test(id)
}

/** An ID as one segment of a path. Whatever it contains, it leads to no other path. */
const segment = (id: string): string => encodeURIComponent(usableId(id))

/**
 * An ID that is sent in a body. A change of a route that could never be read would be waited for in vain.
 * @throws GatewayError `INVALID_INPUT`
 */
export function usableId(id: string): string {
  if (isSegment(id)) return id
  const shown =
    typeof id === 'string' ? JSON.stringify((id as string).slice(0, 40)) : `a ${typeof id}`
  throw invalidInput([{ path: 'id', problem: `${shown} cannot be sent as an ID` }])
}
