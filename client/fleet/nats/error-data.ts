import {
  ERROR_CODES,
  GatewayError,
  asGatewayError,
  isGatewayError,
  words,
  type ErrorCause,
  type ErrorCode,
} from '../../errors'
import type { Sentence } from '../../sentences'

/** An error on its way from one instance to another, as plain data. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly sentences: readonly Sentence[]
  readonly cause: ErrorCause
}

/** @param writes whether what failed may have changed something */
export function dataOf(error: unknown, writes: boolean): ErrorData {
  const { code, sentences, cause } = isGatewayError(error)
    ? error
    : asGatewayError(error, { name: 'command', writes: writes ? 1 : 0 })
  return { code, sentences, cause }
}

/** The same error again: code, message, sentences and cause. */
export function errorOf(data: unknown): GatewayError {
  const { code, sentences, cause } = (data ?? {}) as Partial<ErrorData>
  const isKnown = ERROR_CODES.some((each) => each === code)
  if (!isKnown || !Array.isArray(sentences) || !sentences.every(isSentence)) {
    const said = words('Another instance reported an error that cannot be read.')
    return new GatewayError('BAD_RESPONSE', said, { applied: 'maybe' })
  }
  return new GatewayError(code!, sentences, cause)
}

const isSentence = (one: unknown): one is Sentence => {
  const { words: said, values } = (one ?? {}) as Partial<Sentence>
  return typeof said === 'string' && typeof values === 'object' && values !== null
}
