import { GatewayError, asGatewayError, inDoubt, say, words } from '../../errors'
import { dataOf, errorOf } from './error-data'
import { packed, unpacked } from './wire'

/** What came of a command, as bytes. */
export interface Outcome {
  readonly bytes: Uint8Array
  /** The error, if it failed and changed nothing this time. */
  readonly unchanged?: GatewayError
}

/**
 * Does the work, and notes what came of it. Never rejects.
 * @param doubt an earlier owner may have done it already: that it failed now is not the whole truth
 */
export async function outcomeOf(
  work: () => Promise<unknown>,
  writes: boolean,
  doubt = false,
): Promise<Outcome> {
  try {
    return { bytes: await packed({ result: await work() }) }
  } catch (thrown) {
    // A result that JSON cannot say comes here too: what was changed stays changed.
    const error = dataOf(thrown, writes)
    if (error.cause.applied !== 'no') return { bytes: await packed({ error }) }
    const unchanged = errorOf(error)
    const told = doubt ? dataOf(inDoubt(unchanged), writes) : error
    return { bytes: await packed({ error: told }), unchanged }
  }
}

/** Returns the result, or throws the error that came of a command. */
export async function resultOf(bytes: Uint8Array): Promise<unknown> {
  const outcome = (await unpacked(bytes).catch((error: unknown) => {
    throw asGatewayError(error, { name: 'command', writes: 1 })
  })) as { result?: unknown; error?: unknown }
  if (outcome.error !== undefined) throw errorOf(outcome.error)
  return outcome.result
}

/** Nobody knows any more what came of a change. */
export const lost = (appliance: string): GatewayError =>
  new GatewayError('OUTCOME_UNKNOWN', [
    words(
      'What became of the change of appliance "__appliance__" is not known: the instance that works for it, or the engine of the fleet, stopped responding.',
      { appliance },
    ),
    say('mayBeApplied'),
  ])

/** A change was made whose result was too large to be kept, and got lost on the way. */
export const resultLost = (appliance: string): GatewayError =>
  new GatewayError(
    'OUTCOME_UNKNOWN',
    words(
      'The change of appliance "__appliance__" was carried out, but its result was lost on the way.',
      { appliance },
    ),
    { applied: 'yes' },
  )
