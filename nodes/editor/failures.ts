// Failures in the language of the editor, by their codes and values.
import { text, type Values } from './text'

/** Why something failed, as the runtime responds. */
export interface Failure {
  /** One of the error codes of the package, where the runtime gave one. */
  code?: string
  /** A sentence for the user, in English or in the language of the editor. */
  message: string
  values?: {
    host: string
    status?: number
    reason?: string
    says?: string
    applied?: string
  }
  /** The password has to be typed again. */
  passwordNeeded?: boolean
  /** The gateway does not run. */
  notDeployed?: boolean
}

/** What to show of a failure: the editor's own sentence where it has one, or else the message. */
export function sentenceOf(failure: Failure): string {
  const { message, values, passwordNeeded, notDeployed } = failure
  if (passwordNeeded) return text('failure.passwordNeeded')
  if (notDeployed) return text('failure.notDeployed')
  const key = keyOf(failure)
  if (!values || !key) return message
  const { says, applied } = values
  return [
    text(`failure.${key}`, values as Values),
    says && text('failure.says', { says }),
    applied === 'maybe' && !IN_DOUBT.includes(key) && text('failure.maybe'),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Their sentences say so themselves. */
const IN_DOUBT = ['NOT_CONFIRMED', 'OUTCOME_UNKNOWN']

/** Codes with only one sentence. */
const ALONE = ['TIMEOUT', 'TOO_MANY_SESSIONS', 'FORBIDDEN', 'READ_ONLY', ...IN_DOUBT]

/** The key of the sentence, where one says as much as the message. */
function keyOf({ code = '', values }: Failure): string | undefined {
  const { reason = '', status } = values ?? {}
  if (ALONE.includes(code)) return code
  if (code === 'LOGIN_REFUSED') return status === 404 ? undefined : code
  if (code === 'REJECTED') return status !== undefined && status >= 400 ? code : undefined
  if (code === 'BAD_RESPONSE') return reason.startsWith('HPE_') ? 'noHttp' : undefined
  if (code === 'UNAVAILABLE' && reason === '') return status === undefined ? undefined : 'status'
  const keys = REASONS[code] ?? {}
  return Object.hasOwn(keys, reason) ? keys[reason] : undefined
}

/** By code, the reasons why a connection failed, as Node.js names them. */
const REASONS: Record<string, Record<string, string>> = {
  UNAVAILABLE: {
    ECONNREFUSED: 'refused',
    ECONNRESET: 'cut',
    EPIPE: 'cut',
    ENOTFOUND: 'noName',
    EAI_AGAIN: 'noName',
    EHOSTUNREACH: 'noWay',
    ENETUNREACH: 'noWay',
  },
  TLS: {
    DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSigned',
    SELF_SIGNED_CERT_IN_CHAIN: 'unknownAuthority',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknownAuthority',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknownAuthority',
    CERT_HAS_EXPIRED: 'expired',
    CERT_NOT_YET_VALID: 'notYetValid',
    ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
    CERT_FINGERPRINT: 'otherCertificate',
    EPROTO: 'noTls',
  },
}
