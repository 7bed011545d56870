// Errors as data, on their way from one instance to another.
import { GatewayError, type ErrorCause, type ErrorCode } from '../errors'
import type { Sentence } from '../sentences'

/** An error as plain data. It has no secrets, as no error has any. */
export interface ErrorData {
  code: ErrorCode
  sentences: readonly Sentence[]
  cause: ErrorCause
}

export const dataOf = ({ code, sentences, cause }: GatewayError): ErrorData => ({
  code,
  sentences,
  cause,
})

/** The same error again: its message, code and cause. */
export const errorFrom = ({ code, sentences, cause }: ErrorData): GatewayError =>
  new GatewayError(code, sentences, cause)
