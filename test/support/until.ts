/** Longer than any load on the machine can explain. */
const LONGEST_MS = 15_000
const EACH_MS = 10

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Waits until a condition is met.
 * @param what is waited for, as worded in the error if it does not come
 */
export async function until(
  met: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'what was waited for',
  ms = LONGEST_MS,
): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await met())) {
    if (performance.now() > deadline) {
      throw new Error(`${typeof what === 'string' ? what : what()} did not come within ${ms} ms`)
    }
    await pause(EACH_MS)
  }
}
