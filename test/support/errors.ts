import type { GatewayError } from '../../client'

/** The error of what has to fail. */
export async function errorOf(work: Promise<unknown>): Promise<GatewayError> {
  try {
    await work
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('no error came')
}
