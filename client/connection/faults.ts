import {
  GatewayError,
  say,
  type ErrorCause,
  type ErrorCode,
  type Said,
  type Sentence,
} from '../errors'
import type { IncomingHttpHeaders } from 'node:http'
import { ProxyFault } from './agents'
import { LONGEST_PLAN, type Subject } from './operation'
import { errorBody, type Answer } from './answer'

/** A call without a complete response. */
export class TransportFault extends GatewayError {
  /** True when the appliance may have received the call; false when that is impossible. */
  readonly reached: boolean
  /** True when the same read may work a moment later. */
  readonly transient: boolean
  /** Those of the response, where it broke off after them. */
  headers?: IncomingHttpHeaders

  constructor(
    code: ErrorCode,
    said: Said,
    facts: { reached: boolean; transient?: boolean; statusCode?: number; reason?: string },
  ) {
    super(code, said, { statusCode: facts.statusCode, reason: facts.reason })
    this.reached = facts.reached
    this.transient = facts.transient ?? false
  }
}

export function timedOut(timeout: number, reached: boolean): TransportFault {
  const time = timeout / 1000
  const said = reached
    ? [say('noResponseInTime', { time }), say('tryAgainOrWait')]
    : say('noConnectionInTime', { time })
  return new TransportFault('TIMEOUT', said, { reached, transient: true })
}

/** A connection that came about too late for a change that was planned before. */
export class LateConnection extends TransportFault {
  constructor() {
    const said = say('lateConnection', { time: LONGEST_PLAN / 1000 })
    super('UNAVAILABLE', said, { reached: false, transient: true })
  }
}

export function cutOff(statusCode?: number): TransportFault {
  return new TransportFault('BAD_RESPONSE', [say('cutOff'), say('tryAgain')], {
    reached: true,
    transient: true,
    statusCode,
  })
}

/** @param limit in bytes */
export function tooLarge(limit: number, statusCode?: number): TransportFault {
  const kib = Math.floor(limit / 1024)
  const size = kib < 1024 ? `${kib} KiB` : `${Math.floor(kib / 1024)} MiB`
  return new TransportFault('BAD_RESPONSE', say('tooLarge', { size }), {
    reached: true,
    statusCode,
  })
}

export function encoded(encoding: string, statusCode?: number): TransportFault {
  const said = say('encoded', { encoding: encoding.slice(0, 40) })
  return new TransportFault('BAD_RESPONSE', said, { reached: true, statusCode })
}

/**
 * The same timeout, after all attempts.
 * @param ms since the first attempt began
 */
export function timedOutAfter(fault: TransportFault, attempts: number, ms: number): TransportFault {
  if (fault.code !== 'TIMEOUT' || attempts === 1) return fault
  const time = ms < 10_000 ? Number((ms / 1000).toFixed(1)) : Math.round(ms / 1000)
  const said = fault.reached
    ? [say('noResponseToAttempts', { attempts, time }), say('tryAgainOrWait')]
    : say('noConnectionInAttempts', { attempts, time })
  const { reached, transient } = fault
  return new TransportFault('TIMEOUT', said, { reached, transient, reason: fault.cause.reason })
}

/**
 * Translates the error codes of node:net, node:tls and the http parser.
 * @param scheme of the URL, as long as no response has come from there: it may be the wrong one
 */
export function connectionFault(error: Error, reached: boolean, scheme?: string): TransportFault {
  if (error instanceof TransportFault) return error
  if (error instanceof ProxyFault) return proxyFault(error)
  const code = String((error as NodeJS.ErrnoException).code ?? '')
  const fault = (kind: ErrorCode, said: Said, facts = {}): TransportFault =>
    new TransportFault(kind, said, { reached, reason: code, ...facts })
  if (/^(ERR_OSSL|ERR_CRYPTO|ERR_INVALID)/.test(code) || error instanceof URIError) {
    return fault('CONFIG', say('badTls', { reason: code || error.message }), { reached: false })
  }
  const isNotTls = NOT_TLS.test(code) || (code === 'EPROTO' && NOT_TLS.test(error.message))
  if (isNotTls && !reached) return fault('TLS', say('speaksNoTls'), { reason: 'EPROTO' })
  if (isOfTls(code) || code === 'EPROTO') {
    if (isOfTheClient(code)) {
      const said = say('tlsFailed', { reason: code })
      return fault('TLS', said, { reached: false, reason: 'EPROTO' })
    }
    return reached
      ? fault('UNAVAILABLE', say('tlsBroke', { reason: code }))
      : fault('TLS', CERTIFICATE[code] ?? say('tlsFailed', { reason: code }))
  }
  if (code.startsWith('HPE_')) {
    return fault('BAD_RESPONSE', [say('noHttp'), ...otherScheme(scheme)], { reached: true })
  }
  const kind = code === 'ETIMEDOUT' ? 'TIMEOUT' : 'UNAVAILABLE'
  return fault(kind, brokenBy(code, scheme), { transient: true, reason: code || undefined })
}

/** What OpenSSL says of a server that does not speak TLS. */
const NOT_TLS = /wrong.version.number|packet.length.too.long|unknown.protocol|http.request/i

/**
 * What OpenSSL says where a server refuses the client certificate, or misses one: with TLS 1.3 only
 * after the client has begun to send, and before the server reads that.
 */
const isOfTheClient = (code: string): boolean =>
  code.includes('_ALERT_') && /CERTIFICATE|UNKNOWN_CA/.test(code)

const otherScheme = (scheme: string | undefined): Sentence[] => {
  if (scheme === 'http:') return [say('maybeHttps')]
  return scheme === 'https:' ? [say('maybeHttp')] : []
}

function proxyFault({ message, code: reason }: ProxyFault): TransportFault {
  const [, status] = /^Bad response: (\d+)/.exec(message) ?? []
  const other =
    message === 'Proxy timeout'
      ? say('proxySilent')
      : say('proxyFailed', { reason: reason ?? message })
  const said = status ? say('proxyRefused', { status }) : other
  return new TransportFault('UNAVAILABLE', said, { reached: false, transient: true, reason })
}

function brokenBy(reason: string, scheme: string | undefined): Said {
  if (reason === 'ECONNRESET' || reason === 'EPIPE') {
    return [say('closed'), ...(scheme ? otherScheme(scheme) : [say('tryAgain')])]
  }
  const known = CONNECTION[reason]
  if (known) return known(reason)
  return [say('connectionFailed', { reason: reason || 'no reason given' }), say('tryAgain')]
}

const CONNECTION: Record<string, (reason: string) => Said> = {
  ECONNREFUSED: () => say('refused'),
  ENOTFOUND: (reason) => say('noName', { reason }),
  EAI_AGAIN: (reason) => say('noName', { reason }),
  EHOSTUNREACH: (reason) => say('noRoute', { reason }),
  ENETUNREACH: (reason) => say('noRoute', { reason }),
  ETIMEDOUT: (reason) => say('timedOut', { reason }),
}

const CERTIFICATE: Record<string, readonly Sentence[]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: [say('selfSigned'), say('pin')],
  SELF_SIGNED_CERT_IN_CHAIN: [say('unknownAuthority'), say('pin')],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [say('unknownAuthority'), say('pin')],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [say('unknownAuthority'), say('pin')],
  CERT_HAS_EXPIRED: [say('expired'), say('pin')],
  CERT_NOT_YET_VALID: [say('notYetValid')],
  ERR_TLS_CERT_ALTNAME_INVALID: [say('otherName'), say('pin')],
  CERT_FINGERPRINT: [say('otherCertificate')],
}

/** Whether a code of Node.js says that a certificate is not trusted, or that no TLS came about. */
export const isOfTls = (code: string): boolean =>
  code in CERTIFICATE || /^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/.test(code)

/** Whether a certificate is not trusted, and a person may judge it. */
export const isUntrusted = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'TLS' && error.cause.reason !== 'EPROTO'

/**
 * The error for a response that is a refusal: status 4xx or 5xx, or an error body, see
 * docs/project/interface.md#errors.
 * @param what is what a 404 is about
 */
export function refusal(answer: Answer, what?: Subject, route?: string): GatewayError {
  const { type, message } = errorBody(answer.body)
  const { status } = answer
  const cause = causeOf(answer)
  const says = saying(message)
  if (status >= 500)
    return new GatewayError('UNAVAILABLE', [say('failed', { status }), ...says], cause)
  if (status === 403 || type === 'SessionAuthorization') {
    return new GatewayError('FORBIDDEN', [say('forbidden', { status }), ...says], cause)
  }
  if (status === 404) return new GatewayError('NOT_FOUND', [notFound(what, route), ...says], cause)
  if (status === 409) {
    const said = [say('conflict', { status }), ...says, say('checkConflict')]
    return new GatewayError('CONFLICT', said, cause)
  }
  if (status === 429) {
    const said = [say('tooManyRequests', { status }), ...says, say('tryAgain')]
    return new GatewayError('REJECTED', said, { ...cause, retryable: true })
  }
  const how = say(status < 400 ? 'error' : 'rejected', { status })
  const details = message ? says : [say('checkValues')]
  return new GatewayError('REJECTED', [how, ...details], cause)
}

export function causeOf({ status, body }: Answer): Partial<ErrorCause> {
  const { type, message } = errorBody(body)
  return { statusCode: status, applianceType: type, applianceMessage: message }
}

/** @param name the name of the route, where it is known */
const notFound = (what: Subject | undefined, name: string | undefined): Sentence =>
  what ? NOT_FOUND[what.kind](what.id, name) : say('notAGateway')

const NOT_FOUND: Record<Subject['kind'], (id: string, name?: string) => Sentence> = {
  // A name that was given as an ID may well be the name of a route.
  route: (id, name = id) =>
    name === id ? say('routeIdNotFound', { id }) : say('routeNotFound', { route: name }),
  destination: (id) => say('destinationNotFound', { id }),
  device: (id) => say('deviceNotFound', { id }),
  statistics: (id, name = id) => say('statisticsNotFound', { route: name }),
  preset: (id) => say('presetNotFound', { id }),
}

/** What the gateway says, as a sentence to append. */
export const saying = (message: string | undefined): Sentence[] =>
  message ? [say('says', { says: message.replace(/[^.!?]$/, '$&.') })] : []

/** The error for a response in which nothing can be used, of a gateway that has worked before or not. */
export function noResult(answer: Answer, hasWorked: boolean): GatewayError {
  const { status, unreadable } = answer
  const what = hasWorked ? (unreadable === 'gotPage' ? 'sentPage' : 'sentNoResult') : 'notAGateway'
  const details = what === 'sentPage' ? [] : unusable(answer)
  return new GatewayError('BAD_RESPONSE', [say(what), ...details], { statusCode: status })
}

/** What arrived instead of usable JSON. */
export const unusable = ({ unreadable }: Answer): Sentence[] =>
  unreadable ? [say(unreadable)] : []

/** The error for a redirect, which is never followed. */
export function redirection({ status, headers }: Answer): GatewayError {
  const { location = '' } = headers
  const said = URL.canParse(location)
    ? say('redirected', { target: new URL(location).origin })
    : say('redirectedHere')
  return new GatewayError('BAD_RESPONSE', said, { statusCode: status })
}

/** How a call and its response are named in a sentence. */
export const requestNamed = (method: string, path: string, status?: number): string => {
  const [bare = ''] = path.split('?')
  const call = `${method} ${bare.slice(0, 120)}`
  return status === undefined ? call : `${call}: HTTP ${status}`
}
