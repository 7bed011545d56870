import { GatewayError, say, type Sentence } from '../errors'
import { patternFilter } from '../model/pattern'
import {
  addressFault,
  fingerprintDigits,
  fingerprintFault,
  suggestedAddress,
} from '../model/settings'

/**
 * The URL of the gateway without user info, query or fragment.
 * @throws GatewayError `CONFIG` with a sentence that says what to correct
 */
export function parseBase(address: unknown): URL {
  const text = typeof address === 'string' ? address.trim() : ''
  const fault = addressFault(text)
  if (fault === undefined) return new URL(text)
  throw config(say(fault, { suggested: suggestedAddress(text) ?? '' }))
}

/**
 * The fingerprint as 64 upper case hex digits; undefined when none is given.
 * @throws GatewayError `CONFIG` when it is not a fingerprint, or the URL is not https
 */
export function normalFingerprint(fingerprint: string | undefined, base: URL): string | undefined {
  const fault = fingerprintFault(fingerprint ?? '', base.href)
  if (fault) throw config(say(fault))
  return fingerprintDigits(fingerprint ?? '') || undefined
}

/**
 * A test whether a route is protected, by its name; undefined when there is no pattern. Spaces around
 * a pattern or a name cannot be seen, and do not count.
 * @throws GatewayError `CONFIG` when it is not a list of texts
 */
export function protectionBy(patterns: unknown): ((name: string) => boolean) | undefined {
  const list: unknown = patterns ?? []
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) {
    throw config(say('protectedRoutesInvalid'))
  }
  const filters = list
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')
    .map(patternFilter)
  if (filters.length === 0) return undefined
  return (name) => filters.some((fits) => fits(String(name ?? '').trim()))
}

const config = (what: Sentence): GatewayError => new GatewayError('CONFIG', [what, say('correct')])
