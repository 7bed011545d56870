import { GatewayError } from './errors'

/**
 * The address of the appliance as a URL without user info, query or fragment.
 * @throws GatewayError `CONFIG` with a sentence that says what to correct
 */
export function parseBase(address: unknown): URL {
  const text = typeof address === 'string' ? address.trim() : ''
  if (text === '') throw config('The address of the appliance is missing.')
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw config('The address of the appliance is not a URL.')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw config('The address of the appliance must begin with http:// or https://.')
  }
  if (url.username || url.password) {
    throw config('The address of the appliance must not hold a user name or a password.')
  }
  if (url.search || url.hash) {
    throw config('The address of the appliance must not hold a query (?) or a fragment (#).')
  }
  if (/\/api\/*$/i.test(url.pathname)) {
    throw config('The address of the appliance must not end in /api: that is added to it.')
  }
  return url
}

/** A fingerprint as it is compared: without colons and spaces, in upper case. */
export const plainFingerprint = (fingerprint: string): string =>
  fingerprint.replace(/[:\s]/g, '').toUpperCase()

/**
 * The fingerprint as 64 upper case hex digits; undefined when none is given.
 * @throws GatewayError `CONFIG` when it is none, or when the address is not https
 */
export function normalFingerprint(fingerprint: string | undefined, base: URL): string | undefined {
  const digits = plainFingerprint(fingerprint ?? '')
  if (digits === '') return undefined
  if (!/^[0-9A-F]{64}$/.test(digits)) {
    throw config('The fingerprint is not a SHA-256 fingerprint: 64 hex digits are expected.')
  }
  if (base.protocol !== 'https:') {
    throw config('A fingerprint needs an address that begins with https://.')
  }
  return digits
}

const config = (what: string): GatewayError =>
  new GatewayError('CONFIG', `${what} Correct it in the config node.`)
