import { badResponse, inDoubt } from '../errors'

/** @throws GatewayError `BAD_RESPONSE` when the response is not an object */
export function expectObject<T extends object>(body: unknown, what: string): T {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as T
  throw unexpected(body, what, 'an object')
}

/** @throws GatewayError `BAD_RESPONSE` when the response is not an array of objects */
export function expectArray<T extends object>(body: unknown, what: string): T[] {
  if (!Array.isArray(body)) throw unexpected(body, what, 'a list')
  const odd: unknown = body.find((entry) => typeof entry !== 'object' || entry === null)
  if (odd !== undefined) throw unexpected(odd, `one entry of ${what}`, 'an object')
  return body as T[]
}

/** Reads the response to a change: its faults do not show whether the change was applied. */
export function readChange<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw inDoubt(badResponse((error as Error).message))
  }
}

function unexpected(body: unknown, what: string, expected: string): Error {
  const came =
    body === null ? 'null' : Array.isArray(body) ? 'a list' : (KIND[typeof body] ?? typeof body)
  return badResponse(`The appliance answered with ${came} where ${what} should be ${expected}.`)
}

const KIND: Partial<Record<string, string>> = {
  object: 'an object',
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  undefined: 'nothing',
}
