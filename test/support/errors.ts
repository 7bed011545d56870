import type { GatewayError } from '../../client'

/** The error of work that must fail. */
export async function errorOf(work: Promise<unknown>): Promise<GatewayError> {
  try {
    await work
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('no error came')
}
