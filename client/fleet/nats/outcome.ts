// What came of a command, on its way back to its sender.
import { ERROR_CODES, GatewayError, asGatewayError, isGatewayError, say } from '../../errors'
import type { Sentence } from '../../sentences'
import { packed, unpacked } from './wire'

export interface Outcome {
  readonly bytes: Buffer
  /** Nothing was sent, as this instance is not the owner, or cannot prove that it is. */
  readonly isElsewhere: boolean
}

/**
 * Does the work, and packs what came of it. Never rejects.
 * @param room how many bytes can be sent back
 */
export async function outcomeOf(
  work: () => Promise<unknown>,
  writes: boolean,
  room: number,
): Promise<Outcome> {
  let error: unknown
  try {
    const bytes = await packed({ result: await work() })
    if (bytes.length <= room) return { bytes, isElsewhere: false }
    error = tooLarge(bytes.length, room, writes)
  } catch (thrown) {
    // A result that JSON cannot say comes here too: what was changed stays changed.
    error = thrown
  }
  let data = dataOf(error, writes)
  const { code, cause } = data
  const isUnsent = cause.applied === 'no'
  // A connection is closed when its appliance is given away.
  if (isUnsent && code === 'CLOSED') {
    data = { code: 'UNAVAILABLE', sentences: [say('notOwned')], cause }
  }
  const isElsewhere = isUnsent && data.sentences.some(({ key }) => key === 'notOwned')
  return { bytes: await packed({ error: data }), isElsewhere }
}

/** Returns the result, or throws the error that came of a command. */
export async function resultOf(bytes: Uint8Array): Promise<unknown> {
  const outcome = (await unpacked(bytes).catch((error: unknown) => {
    throw asGatewayError(error, { name: 'command', writes: 1 })
  })) as { result?: unknown; error?: unknown }
  if (outcome.error !== undefined) throw errorOf(outcome.error)
  return outcome.result
}

const tooLarge = (bytes: number, most: number, writes: boolean): GatewayError => {
  const said = say('resultTooLarge', { bytes, most })
  const sentences = writes ? [said, say('changeMade')] : [said]
  return new GatewayError('BAD_RESPONSE', sentences, { applied: writes ? 'yes' : 'no' })
}

/** Nobody knows any more what came of a change. */
export const lost = (appliance: string): GatewayError =>
  new GatewayError('OUTCOME_UNKNOWN', [say('commandLost', { appliance }), say('mayBeApplied')])

/** An error on its way from one instance to another, as plain data. */
export type ErrorData = Pick<GatewayError, 'code' | 'sentences' | 'cause'>

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
    const said = say('foreignError')
    return new GatewayError('BAD_RESPONSE', said, { applied: 'maybe' })
  }
  return new GatewayError(code!, sentences, cause)
}

const isSentence = (one: unknown): one is Sentence => {
  const { words: said, values } = (one ?? {}) as Partial<Sentence>
  return typeof said === 'string' && typeof values === 'object' && values !== null
}
