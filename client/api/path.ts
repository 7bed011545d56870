import { invalidInput } from '../errors'

/** IDs are some twenty characters long; a path of many thousands is refused on its way. */
const LONGEST = 1000

/** True for an ID that can be a segment of a path: not empty, `.` or `..`, and no half of a character in it. */
export function isSegment(id: unknown): id is string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') return false
  return id.length <= LONGEST && !/\p{Surrogate}/u.test(id)
}

/**
 * An ID as one segment of a path. Whatever it holds, it leads to no other path.
 * @throws GatewayError `INVALID_INPUT` when it cannot be one
 */
export const segment = (id: string): string => encodeURIComponent(usable(id))

/**
 * An ID that is sent in a body. One that could never be asked for would be waited for in vain.
 * @throws GatewayError `INVALID_INPUT`
 */
export function usable(id: string): string {
  if (isSegment(id)) return id
  const shown =
    typeof id === 'string' ? JSON.stringify((id as string).slice(0, 40)) : `a ${typeof id}`
  throw invalidInput([{ path: 'id', problem: `${shown} cannot be sent as an ID` }])
}
