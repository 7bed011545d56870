import { GatewayError, asGatewayError, say, withoutLabels } from '../../../client/errors'
import { textOf } from '../../../client/sentences'
import type { Failure, Said } from '../../wire'

/** The stored password may not be sent as the form says: it has to be typed again. */
export class PasswordNeeded extends GatewayError {
  constructor() {
    super('CONFIG', say('passwordNeeded'))
  }
}

/** There is no such gateway in the flows that run. */
export class NotDeployed extends GatewayError {
  constructor() {
    super('NOT_FOUND', say('notDeployed'))
  }
}

/** Who asks: a person, whom an error does not tell about the options of a program. */
export const EDITOR = { id: 'editor', name: '' }

/** @param host of the gateway; empty where it is not known */
export function failureOf(error: unknown, host: string, changes = false): Failure {
  // Whatever else was thrown may repeat what the gateway has sent.
  const known = error instanceof GatewayError ? error : new Error('unknown')
  const failure = asGatewayError(known, { name: 'editor', changes }, { ...EDITOR, host })
  const { code } = failure
  const shown = withoutLabels(failure.sentences)
  const message = textOf(shown)
  const sentences = shown.map(({ key, words, values }): Said => {
    return key === undefined ? { text: textOf([{ words, values }]) } : { key, values }
  })
  if (error instanceof PasswordNeeded) return { code, message, sentences, passwordNeeded: true }
  if (error instanceof NotDeployed) return { code, message, sentences, notDeployed: true }
  if (known !== error || host === '') return { code, message, sentences }
  const { statusCode: status, reason, applianceMessage: says, applied } = failure.cause
  return { code, message, sentences, values: { host, status, reason, says, applied } }
}
