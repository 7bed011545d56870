// What the settings of a gateway may contain: one rule for the forms and for the run time.
import { plainText } from './json'
import type { Range } from './ranges'

/** The key of the sentence about it. */
export type AddressFault =
  'urlMissing' | 'urlLong' | 'urlNoScheme' | 'urlScheme' | 'urlInvalid' | 'urlUser' | 'urlQuery'

/** In characters. */
const LONGEST_ADDRESS = 2048

/** What is wrong with the address of an appliance; undefined when nothing is. */
export function addressFault(address: string): AddressFault | undefined {
  const text = address.trim()
  if (text === '') return 'urlMissing'
  if (text.length > LONGEST_ADDRESS) return 'urlLong'
  if (suggestedAddress(text) !== undefined) return 'urlNoScheme'
  if (/\s/.test(text) || !URL.canParse(text)) return 'urlInvalid'
  const { protocol, username, password, search, hash } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'urlScheme'
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'urlUser'
  return search === '' && hash === '' ? undefined : 'urlQuery'
}

/** The path or URL without the slashes at its end. */
export function withoutSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** A URL for an address such as `10.0.0.5:8443`; undefined if it has a scheme or makes no sense. */
export function suggestedAddress(address: string): string | undefined {
  const text = address.trim().replace(/^\/+/, '')
  if (text === '' || text.length > LONGEST_ADDRESS || /[\s?#@]|:\/\/|^https?:/i.test(text))
    return undefined
  const suggested = `https://${text}`
  return URL.canParse(suggested) ? suggested : undefined
}

/** A common mistake in a URL, and the URL that is meant. */
export interface Mistake {
  /** It should be `https:`, or `http:`, or have no path. */
  kind: 'https' | 'http' | 'path'
  url: string
}

/** A certificate in a form that a person can compare. */
export interface Certificate {
  /** SHA-256, upper case hex digits with colons. */
  fingerprint: string
  /** Distinguished names, such as `CN=gateway, O=Example`. */
  subject: string
  issuer: string
  /** ISO 8601; empty where the certificate does not say. */
  validFrom: string
  validTo: string
}

/** 64 upper case hex digits, empty when none is given; undefined for what is no SHA-256 fingerprint. */
export function fingerprintDigits(fingerprint: string): string | undefined {
  const digits = fingerprint.replace(/[:\s]/g, '').toUpperCase()
  return /^([0-9A-F]{64})?$/.test(digits) ? digits : undefined
}

/** The sentence about it, for an address that may not be known; undefined when nothing is wrong. */
export function fingerprintFault(
  fingerprint: string,
  address: string | undefined,
): 'fingerprintInvalid' | 'fingerprintNeedsHttps' | undefined {
  const digits = fingerprintDigits(fingerprint)
  if (digits === '') return undefined
  if (digits === undefined) return 'fingerprintInvalid'
  const isHttps = address === undefined || /^\s*https:/i.test(address)
  return isHttps ? undefined : 'fingerprintNeedsHttps'
}

/** The lines of a text that are not empty, without the spaces around them. */
export const linesIn = (text: string): string[] =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** True for a pattern of a host, with or without a port: no scheme, no path, no user. */
export const isHostPattern = (pattern: string): boolean => !/[\s/@]/.test(pattern)

/** The flag in a setting, which may be text; undefined for what is neither true nor false. */
export function flagIn(value: unknown): boolean | undefined {
  const text = typeof value === 'boolean' ? String(value) : plainText(value).toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(text)) return true
  return ['false', '0', 'no', 'off'].includes(text) ? false : undefined
}

/** The number in a setting; undefined for what is not a number of that range. */
export function numberIn(
  value: unknown,
  { least, most, whole = false }: Range,
): number | undefined {
  const isText = typeof value === 'string' && value.trim() !== ''
  const number = isText || typeof value === 'number' ? Number(value) : Number.NaN
  const isGood = number >= least && number <= most && (!whole || Number.isInteger(number))
  return isGood ? number : undefined
}

/** True for the servers of an engine: `nats://` or `tls://` for all of them, separated by commas. */
export const areEngineServers = (text: string): boolean =>
  [/^nats:\/\//i, /^tls:\/\//i].some((scheme) =>
    engineServersIn(text).every((server) => isServer(server, scheme)),
  )

/** The servers of an engine. One without a scheme has that of the first: `nats://a:4222,b:4222`. */
export function engineServersIn(text: string): string[] {
  const servers = text.split(',').map((server) => server.trim())
  const [scheme = ''] = /^\w+:\/\//.exec(servers[0]!) ?? []
  return servers.map((server) => (/^\w+:\/\//.test(server) ? server : scheme + server))
}

/** How many servers of a cluster can keep a record. */
export const REPLICAS: readonly number[] = [1, 3, 5]

/** A cluster elects a new leader within 10 s, and until then no lease can be renewed. */
const CLUSTER_TTL = 30

/** True where the failure of one server of a cluster may stop all work for a while. */
export const isShortTtl = (ttl: number, replicas: number): boolean =>
  replicas > 1 && ttl < CLUSTER_TTL

/** An address of a host, with a port or not. The account is given apart from it. */
function isServer(text: string, scheme: RegExp): boolean {
  const address = text.trim()
  if (!scheme.test(address) || !URL.canParse(address)) return false
  const { hostname, username, password, pathname, search, hash } = new URL(address)
  const others = [username, password, pathname.replace(/^\/$/, ''), search, hash]
  return hostname !== '' && !/[\s@]/.test(address) && others.every((part) => part === '')
}

/** True for the name of a fleet on its engine, as its subjects and buckets can have it. */
export const isFleetName = (text: string): boolean => /^[\w-]{1,64}$/.test(text)
