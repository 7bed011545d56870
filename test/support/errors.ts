import type { GatewayError } from '../../client'

/** The error of work that must fail, in which it ends or which it throws at once. */
export async function errorOf(
  work: Promise<unknown> | (() => unknown),
  what = 'it',
): Promise<GatewayError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    return error as GatewayError
  }
  throw new Error(`${what} did not fail`)
}

/** The error that work throws at once. */
export function thrownBy(work: () => unknown): GatewayError {
  try {
    work()
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('nothing was thrown')
}
