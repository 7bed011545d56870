import { failureOf, type GatewayError } from '../../errors'
import type { Connection } from '../../connection/connection'
import type { Operation } from '../../connection/operation'
import { getRoute } from '../../api/routes'

export interface Evidence {
  /** It is missing from a list that has as many routes as the appliance counts. */
  isUnlisted: boolean
  /** The response to a read of the route itself: `missing` is a 404, `unclear` any other refusal. */
  itself: 'there' | 'missing' | 'unclear' | 'no answer'
}

/** How long a route whose read is not refused with 404 must be missing from the list, in ms. */
const UNCLEAR_MS = 1000

/**
 * The only place that decides it: the complete list lacks it, the route itself is not found, and a second
 * poll agrees; a second later where firmware refuses it with another status than 404.
 * @param missingSince what the poll before returned
 * @param now of a monotonic clock, in ms
 * @param least the minimum time for which it must be missing, in ms
 * @returns `gone`; or since when it is missing, for the next poll; undefined while it is not
 */
export function judgeMissing(
  { isUnlisted, itself }: Evidence,
  missingSince: number | undefined,
  now: number,
  least = 0,
): 'gone' | number | undefined {
  if (itself === 'there') return undefined
  if (!isUnlisted || itself === 'no answer') return missingSince
  if (missingSince === undefined) return now
  const patience = Math.max(least, itself === 'missing' ? 0 : UNCLEAR_MS)
  return now - missingSince >= patience ? 'gone' : missingSince
}

/** Reads the route to see whether it is there. @throws GatewayError `CLOSED` */
export async function askItself(
  gateway: Connection,
  address: { deviceId: string; routeId: string },
  operation: Operation,
): Promise<Evidence['itself']> {
  try {
    await getRoute(gateway, address, operation)
    return 'there'
  } catch (error) {
    return refusalOf(failureOf(error))
  }
}

/** What a failed read of a route shows about the route. */
export function refusalOf({ code, cause }: GatewayError): Evidence['itself'] {
  if (code === 'NOT_FOUND') return 'missing'
  // A refused login shows nothing about the route.
  if (code === 'LOGIN_REFUSED' || code === 'TOO_MANY_SESSIONS') return 'no answer'
  return cause.statusCode === undefined && code !== 'BAD_RESPONSE' ? 'no answer' : 'unclear'
}
