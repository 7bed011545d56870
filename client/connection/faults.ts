import {
  GatewayError,
  say,
  words,
  type ErrorCause,
  type ErrorCode,
  type Said,
  type Sentence,
} from '../errors'
import type { Subject } from './operation'
import { errorBody, type Answer } from './answer'

/** A call without a complete response. */
export class TransportFault extends GatewayError {
  /** True when the appliance may have received the call; false when that is impossible. */
  readonly reached: boolean
  /** True when the same read may work a moment later. */
  readonly transient: boolean

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

export function cutOff(statusCode?: number): TransportFault {
  return new TransportFault('BAD_RESPONSE', [say('cutOff'), say('tryAgain')], {
    reached: true,
    transient: true,
    statusCode,
  })
}

export function tooLarge(limit: number, statusCode?: number): TransportFault {
  return new TransportFault(
    'BAD_RESPONSE',
    say('tooLarge', { size: Math.floor(limit / 1048576) }),
    { reached: true, statusCode },
  )
}

/** Translates the error codes of node:net, node:tls and the http parser. */
export function connectionFault(error: Error, reached: boolean): TransportFault {
  if (error instanceof TransportFault) return error
  const code = String((error as NodeJS.ErrnoException).code ?? '')
  if (/^(ERR_OSSL|ERR_CRYPTO|ERR_INVALID)/.test(code) || error instanceof URIError) {
    return new TransportFault('CONFIG', say('badTls', { reason: code || error.message }), {
      reached: false,
      reason: code,
    })
  }
  const certificate = CERTIFICATE[code]
  if (certificate || /^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/.test(code) || code === 'EPROTO') {
    if (reached) {
      return new TransportFault('UNAVAILABLE', say('tlsBroke', { reason: code }), {
        reached,
        reason: code,
      })
    }
    return new TransportFault('TLS', certificate ?? say('tlsFailed', { reason: code }), {
      reached,
      reason: code,
    })
  }
  if (code.startsWith('HPE_')) {
    return new TransportFault('BAD_RESPONSE', say('noHttp'), { reached: true, reason: code })
  }
  const outOfTime = code === 'ETIMEDOUT'
  return new TransportFault(outOfTime ? 'TIMEOUT' : 'UNAVAILABLE', brokenBy(error, code), {
    reached,
    transient: true,
    reason: code || undefined,
  })
}

function brokenBy(error: Error, reason: string): Said {
  const known = CONNECTION[reason]
  if (known) return known(reason)
  const [isProxy, , status] = /^(Bad response: (\d+)|Proxy timeout)/.exec(error.message) ?? []
  if (isProxy) return status ? say('proxyRefused', { status }) : say('proxySilent')
  return [say('connectionFailed', { reason: reason || 'no reason given' }), say('tryAgain')]
}

const CONNECTION: Record<string, (reason: string) => Said> = {
  ECONNREFUSED: () => say('refused'),
  ECONNRESET: () => [say('closed'), say('tryAgain')],
  EPIPE: () => [say('closed'), say('tryAgain')],
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
  EPROTO: [say('tlsFailed', { reason: 'EPROTO' })],
}

/**
 * The error for a response that is a refusal: status 4xx or 5xx, or an error body (facts 9).
 * @param what is what a 404 is about
 */
export function refusal(answer: Answer, what?: Subject, route?: string): GatewayError {
  const { type, message } = errorBody(answer.body)
  const { status } = answer
  const cause: Partial<ErrorCause> = {
    statusCode: status,
    applianceType: type,
    applianceMessage: message,
  }
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

/** @param name the name of the route, where it is known */
function notFound(what: Subject | undefined, name: string | undefined): Sentence {
  switch (what?.kind) {
    case 'route':
      return say('routeNotFound', { route: name ?? what.id })
    case 'destination':
      return say('destinationNotFound', { id: what.id })
    case 'device':
      return say('deviceNotFound', { id: what.id })
    case 'statistics':
      return words('__host__ has no statistics of this part of route "__route__".', {
        route: name ?? what.id,
      })
    case 'preset':
      return words(
        '__host__ has no preset of device "__id__": the device does not exist, or its firmware offers no presets.',
        { id: what.id },
      )
    default:
      return say('notAGateway')
  }
}

/** What the gateway says, as a sentence to append. */
export const saying = (message: string | undefined): Sentence[] =>
  message ? [say('says', { says: message.replace(/[^.!?]$/, '$&.') })] : []

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
