import { GatewayError, badResponse, inDoubt, say } from '../errors'

/** @throws GatewayError `BAD_RESPONSE` when the response is not an object */
export function expectObject<T extends object>(body: unknown, what: string): T {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as T
  throw unexpected(body, what, 'object')
}

/** @throws GatewayError `BAD_RESPONSE` when the response is not an array of objects */
export function expectArray<T extends object>(body: unknown, what: string): T[] {
  if (!Array.isArray(body)) throw unexpected(body, what, 'array')
  const odd: unknown = body.find((entry) => typeof entry !== 'object' || entry === null)
  if (odd !== undefined) throw unexpected(odd, `${what}[]`, 'object')
  return body as T[]
}

/** What a change was answered with, or what stands for the body that a 204 does not have. */
export const bodyOr = (empty: object, body: unknown): unknown => (body === undefined ? empty : body)

/** Reads the response to a change: its faults do not show whether the change was applied. */
export function readChange<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof GatewayError ? inDoubt(error) : error
  }
}

/** The error for a response of another shape. @param what the value, as the name of the list or object and its member */
export function unexpected(body: unknown, what: string, expected: string): GatewayError {
  const came = body === null ? 'null' : Array.isArray(body) ? 'array' : typeof body
  return badResponse([say('unexpected', { what, came, expected }), say('differs')])
}
