import { GatewayError } from '../errors'
import {
  addressFault,
  fingerprintDigits,
  suggestedAddress,
  type AddressFault,
} from '../model/settings'

/**
 * The address of the appliance as a URL without user info, query or fragment.
 * @throws GatewayError `CONFIG` with a sentence that says what to correct
 */
export function parseBase(address: unknown): URL {
  const text = typeof address === 'string' ? address.trim() : ''
  const fault = addressFault(text)
  if (fault === undefined) return new URL(text)
  const suggested = fault === 'noScheme' ? `, such as ${suggestedAddress(text)}` : ''
  throw config(`The address of the appliance ${ADDRESS_FAULTS[fault]}${suggested}.`)
}

const ADDRESS_FAULTS: Record<AddressFault, string> = {
  missing: 'is missing',
  invalid: 'is not a URL',
  noScheme: 'is not a URL: it must begin with http:// or https://',
  scheme: 'must begin with http:// or https://',
  user: 'must not contain a user name or a password',
  query: 'must not contain a query (?) or a fragment (#)',
}

/**
 * The fingerprint as 64 upper case hex digits; undefined when none is given.
 * @throws GatewayError `CONFIG` when it is not a fingerprint, or the address is not https
 */
export function normalFingerprint(fingerprint: string | undefined, base: URL): string | undefined {
  const digits = fingerprintDigits(fingerprint ?? '')
  if (digits === '') return undefined
  if (digits === undefined) {
    throw config('The fingerprint is not a SHA-256 fingerprint: 64 hex digits are expected.')
  }
  if (base.protocol !== 'https:') {
    throw config('A fingerprint needs an address that begins with https://.')
  }
  return digits
}

const config = (what: string): GatewayError =>
  new GatewayError('CONFIG', `${what} Correct it in the config node, and deploy.`)
