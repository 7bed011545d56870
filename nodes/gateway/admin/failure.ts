import { GatewayError, type Applied, type ErrorCode } from '../../../client/internal'

/** A failure as sent to the editor, which makes a sentence in its own language where it can. */
export interface Failure {
  code: ErrorCode
  /** A sentence in English. */
  message: string
  /** The values for that sentence. None of them is a secret. */
  values?: {
    host: string
    /** Of the HTTP response. */
    status?: number
    /** Why a connection failed, such as `ECONNREFUSED`. */
    reason?: string
    /** What the appliance says. */
    says?: string
    applied: Applied
  }
  passwordNeeded?: true
  notDeployed?: true
}

/** The stored password may not be sent as the form says: it has to be typed again. */
export class PasswordNeeded extends GatewayError {
  constructor() {
    super(
      'CONFIG',
      'The address, the user, the proxy, the TLS configuration or the fingerprint was changed. Enter the password again: the stored one is only sent as it was stored for.',
    )
  }
}

/** There is no such gateway in the flows that run. */
export class NotDeployed extends GatewayError {
  constructor() {
    super('NOT_FOUND', 'This gateway is not deployed. Deploy it first.')
  }
}

/** @param host of the appliance; empty where it is not known */
export function failureOf(error: unknown, host: string): Failure {
  if (!(error instanceof GatewayError)) {
    return { code: 'BAD_RESPONSE', message: 'The answer of the appliance could not be handled.' }
  }
  const { code, message, cause } = error
  if (error instanceof PasswordNeeded) return { code, message, passwordNeeded: true }
  if (error instanceof NotDeployed) return { code, message, notDeployed: true }
  if (host === '') return { code, message }
  const { statusCode: status, reason, applianceMessage: says, applied } = cause
  return { code, message, values: { host, status, reason, says, applied } }
}
