import { GatewayError, say } from '../errors'
import type { Request } from '../connection/operation'

const KIB = 1024
const MIB = 1024 * KIB

/**
 * The calls made within a session, each with the largest response that is read: ten thousand routes
 * are about 15 MB. Login and logout are in `connection/session`.
 */
// prettier-ignore
export const ENDPOINTS = {
  readSession:          { method: 'GET',  most: 64 * KIB, role: 'Observer',      path: '/api/session' },
  listDevices:          { method: 'GET',  most: 1 * MIB,  role: 'Observer',      path: '/api/devices' },
  getDevice:            { method: 'GET',  most: 16 * MIB, role: 'Observer',      path: '/api/devices/{device}' },
  listRoutes:           { method: 'GET',  most: 16 * MIB, role: 'Observer',      path: '/api/gateway/{device}/routes' },
  getRoute:             { method: 'GET',  most: 1 * MIB,  role: 'Observer',      path: '/api/gateway/{device}/routes/{route}' },
  changeRoute:          { method: 'POST', most: 1 * MIB,  role: 'Operator',      path: '/api/devices/{device}/updates' },
  command:              { method: 'POST', most: 1 * MIB,  role: 'Operator',      path: '/api/devices/{device}/commands' },
  readStatistics:       { method: 'GET',  most: 4 * MIB,  role: 'Observer',      path: '/api/gateway/{device}/statistics' },
  readClientStatistics: { method: 'GET',  most: 1 * MIB,  role: 'Observer',      path: '/api/gateway/{device}/statistics/client' },
  exportPreset:         { method: 'GET',  most: 16 * MIB, role: 'Administrator', path: '/api/gateway/{device}/system/preset' },
  importPreset:         { method: 'POST', most: 1 * MIB,  role: 'Administrator', path: '/api/gateway/{device}/system/preset' },
} as const satisfies Record<string, Endpoint>

type Endpoint = Pick<Request, 'method' | 'most' | 'role' | 'path'>

type Endpoints = typeof ENDPOINTS

/** The names in braces in a path. */
type IdsIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdsIn<Rest> : never

interface Content extends Pick<Request, 'body' | 'contentType' | 'secrets' | 'what'> {
  query?: URLSearchParams | string
}

/**
 * Returns a request to the interface.
 * @param ids the values for the names in braces in its path
 * @throws GatewayError `INVALID_INPUT` when one of them cannot be part of a path
 */
export function requestTo<Name extends keyof Endpoints>(
  endpoint: Name,
  ids: Record<IdsIn<Endpoints[Name]['path']>, string>,
  { query, body, contentType, secrets, what }: Content = {},
): Request {
  const { method, most, role, path }: Endpoint = ENDPOINTS[endpoint]
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => segment(ids[name as keyof typeof ids]))
  const full = query === undefined ? filled : `${filled}?${query}`
  return { method, most, role, path: full, body, contentType, secrets, what }
}

/** IDs are some twenty characters long; an appliance refuses a path of many thousands. */
const LONGEST = 1000

/** True for an ID that can be a path segment: not empty, `.` or `..`, without lone surrogates. */
export function isSegment(id: unknown): id is string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') return false
  return id.length <= LONGEST && !/\p{Surrogate}/u.test(id)
}

/** Encodes an ID as one path segment. Whatever it contains, it cannot lead to another path. */
const segment = (id: string): string => encodeURIComponent(usableId(id))

/** The ID, if it can be sent: what can never be read is not waited for. @throws GatewayError `INVALID_INPUT` */
export function usableId(id: string): string {
  if (isSegment(id)) return id
  const shown =
    typeof id === 'string' ? JSON.stringify((id as string).slice(0, 40)) : `a ${typeof id}`
  throw new GatewayError('INVALID_INPUT', [say('unusableId', { id: shown }), say('unchanged')], {
    problems: [{ path: 'id', problem: `is ${shown}, which cannot be sent as an ID` }],
  })
}
