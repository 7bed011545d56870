/** Longer than any load on the machine can explain. */
const LONGEST_MS = 30_000
/** Between two tries: at first, and at last, since some conditions read a whole file. */
const SHORTEST_MS = 10
const EACH_LONGER = 1.2
const LONGEST_PAUSE_MS = 50

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
  for (
    let wait = SHORTEST_MS;
    !(await met());
    wait = Math.min(wait * EACH_LONGER, LONGEST_PAUSE_MS)
  ) {
    if (performance.now() > deadline) {
      throw new Error(`${typeof what === 'string' ? what : what()} did not come within ${ms} ms`)
    }
    await pause(wait)
  }
}
