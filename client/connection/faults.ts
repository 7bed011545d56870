import { GatewayError, type ErrorCause, type ErrorCode } from '../errors'
import { errorBody, type Answer } from './answer'

/** A call without a complete response. */
export class TransportFault extends GatewayError {
  /** True when the appliance may have received the call; false when that is impossible. */
  readonly reached: boolean
  /** True when the same read may work a moment later. */
  readonly transient: boolean

  constructor(
    code: ErrorCode,
    message: string,
    facts: { reached: boolean; transient?: boolean; statusCode?: number; reason?: string },
  ) {
    super(code, message, { statusCode: facts.statusCode, reason: facts.reason })
    this.reached = facts.reached
    this.transient = facts.transient ?? false
  }
}

export function timedOut(timeout: number, reached: boolean): TransportFault {
  const what = reached ? 'The appliance did not answer' : 'The appliance could not be reached'
  return new TransportFault('TIMEOUT', `${what} within ${timeout} ms.`, {
    reached,
    transient: true,
  })
}

export function cutOff(statusCode?: number): TransportFault {
  return new TransportFault(
    'BAD_RESPONSE',
    'The answer of the appliance was cut off before its end.',
    { reached: true, transient: true, statusCode },
  )
}

export function tooLarge(limit: number, statusCode?: number): TransportFault {
  return new TransportFault(
    'BAD_RESPONSE',
    `The answer is larger than ${Math.floor(limit / 1048576)} MiB and was not read. Check that the address is that of the appliance.`,
    { reached: true, statusCode },
  )
}

/** Translates the error codes of node:net, node:tls and the http parser. */
export function connectionFault(error: Error, reached: boolean): TransportFault {
  if (error instanceof TransportFault) return error
  const code = String((error as NodeJS.ErrnoException).code ?? '')
  if (/^(ERR_OSSL|ERR_CRYPTO|ERR_INVALID)/.test(code) || error instanceof URIError) {
    return new TransportFault(
      'CONFIG',
      `The TLS or proxy configuration of the gateway cannot be used (${code || error.message}). Correct its certificate, key, pass phrase or address.`,
      { reached: false, reason: code },
    )
  }
  const certificate = CERTIFICATE[code]
  if (certificate || /^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/.test(code) || code === 'EPROTO') {
    if (reached) {
      return new TransportFault('UNAVAILABLE', `The secure connection broke (${code}).`, {
        reached,
        reason: code,
      })
    }
    return new TransportFault(
      'TLS',
      certificate ?? `No secure connection could be made (${code}).`,
      { reached, reason: code },
    )
  }
  if (code.startsWith('HPE_')) {
    return new TransportFault(
      'BAD_RESPONSE',
      'What answered does not speak HTTP. Check the address and the port of the appliance.',
      { reached: true, reason: code },
    )
  }
  const known = CONNECTION[code]
  const proxy = /^(Bad response: (\d+)|Proxy timeout)/.exec(error.message)
  const text =
    known ??
    (proxy
      ? `The http proxy did not let the connection through${proxy[2] ? ` (status ${proxy[2]})` : ''}.`
      : `The connection to the appliance failed${code ? ` (${code})` : ''}.`)
  const outOfTime = code === 'ETIMEDOUT'
  return new TransportFault(outOfTime ? 'TIMEOUT' : 'UNAVAILABLE', text, {
    reached,
    transient: true,
    reason: code || undefined,
  })
}

const CONNECTION: Record<string, string> = {
  ECONNREFUSED:
    'The appliance refused the connection: nothing listens at this address and port. Check both, and whether the appliance runs.',
  ECONNRESET: 'The connection was cut before an answer came.',
  EPIPE: 'The connection was cut before an answer came.',
  ENOTFOUND: 'The name of the appliance could not be resolved. Check the address.',
  EAI_AGAIN: 'The name of the appliance could not be resolved just now.',
  EHOSTUNREACH: 'There is no way to the appliance (host unreachable).',
  ENETUNREACH: 'There is no way to the appliance (network unreachable).',
  ETIMEDOUT: 'The appliance could not be reached in time.',
}

const PIN = 'Set its SHA-256 fingerprint in the config node to trust exactly this certificate.'
const CERTIFICATE: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `The certificate of the appliance is self-signed. ${PIN}`,
  SELF_SIGNED_CERT_IN_CHAIN: `The certificate of the appliance comes from an unknown authority. ${PIN}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `The certificate of the appliance comes from an unknown authority. ${PIN}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `The certificate of the appliance comes from an unknown authority. ${PIN}`,
  CERT_HAS_EXPIRED: `The certificate of the appliance has expired. Renew it, or: ${PIN}`,
  CERT_NOT_YET_VALID:
    'The certificate of the appliance is not valid yet. Check the clocks of both machines.',
  ERR_TLS_CERT_ALTNAME_INVALID: `The certificate of the appliance is for another name than the one in the address. ${PIN}`,
  CERT_FINGERPRINT:
    'The appliance shows another certificate than the pinned one. Nothing was sent. Find out why it changed before you pin the new one.',
  EPROTO:
    'No secure connection could be made: what answers may not speak TLS at this port. Check http or https in the address.',
}

/**
 * The error for a response that is a refusal: status 4xx or 5xx, or an error body (facts 9).
 * @param what names the thing that a 404 is about
 */
export function refusal(answer: Answer, what = 'such thing'): GatewayError {
  const { type, message } = errorBody(answer.body)
  const cause: Partial<ErrorCause> = {
    statusCode: answer.status,
    applianceType: type,
    applianceMessage: message,
  }
  const says = saying(message)
  const { status } = answer
  if (status >= 500) {
    return new GatewayError(
      'UNAVAILABLE',
      `The appliance failed with status ${status}. It may be starting or overloaded.${says}`,
      cause,
    )
  }
  if (status === 403 || type === 'SessionAuthorization') {
    return new GatewayError(
      'FORBIDDEN',
      `The user of this gateway may not do this. Use a user with the right role.${says}`,
      cause,
    )
  }
  if (status === 404) {
    return new GatewayError('NOT_FOUND', `The appliance has no ${what}.${says}`, cause)
  }
  if (status === 409) {
    return new GatewayError(
      'CONFLICT',
      `The appliance refused because of a conflict.${says}`,
      cause,
    )
  }
  const how = status < 400 ? 'answered with an error' : `refused with status ${status}`
  return new GatewayError('REJECTED', `The appliance ${how}.${says}`, {
    ...cause,
    retryable: status === 429,
  })
}

/** What the appliance says, as a sentence to append. */
export const saying = (message: string | undefined): string =>
  message ? ` It says: ${message.replace(/[^.!?]$/, '$&.')}` : ''

/** The error for a redirect, which is never followed. */
export function redirection({ status, headers }: Answer, what: string): GatewayError {
  const { location = '' } = headers
  const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return new GatewayError(
    'BAD_RESPONSE',
    `${what} was redirected${target}, which is not followed. Set the final address in the config node.`,
    { statusCode: status },
  )
}
