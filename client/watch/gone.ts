import { GatewayError } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { getRoute } from '../api/routes'

/** What one poll shows about a route that may be gone. */
export interface Evidence {
  /** A list that has as many routes as the appliance counts is without it. */
  isUnlisted: boolean
  /** The response to a read of the route itself: `missing` is a 404, `unclear` any other refusal. */
  itself: 'there' | 'missing' | 'unclear' | 'no answer'
}

/** How long a route whose read is not refused with 404 must be missing from the list, in ms. */
const UNCLEAR_MS = 1000

/**
 * Decides whether a route is gone. This is the only place that does: the complete list is without
 * it, the route itself is not found, and a second poll agrees. Firmware may refuse an unknown route
 * with another status than 404 (facts 9.2); then the second poll must come a second later.
 * @param missingSince what the poll before returned
 * @param now of a monotonic clock, in ms
 * @param least how long it must be missing at least, in ms
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
    if (!(error instanceof GatewayError) || error.code === 'CLOSED') throw error
    return refusalOf(error)
  }
}

/** What a failed read of a route says about the route. */
export function refusalOf({ code, cause }: GatewayError): Evidence['itself'] {
  if (code === 'NOT_FOUND') return 'missing'
  // A refused login says nothing about the route.
  if (code === 'LOGIN_REFUSED' || code === 'TOO_MANY_SESSIONS') return 'no answer'
  return cause.statusCode === undefined && code !== 'BAD_RESPONSE' ? 'no answer' : 'unclear'
}
