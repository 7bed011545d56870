// A command to many routes: a few at a time, so that polls and other users get their turn.
const AT_ONCE = 3

export interface Outcome<Of> {
  /** Those that it was sent to, and that carried it out. */
  done: Of[]
  failed: { one: Of; why: string }[]
  /** Those that it was not sent to. */
  left: Of[]
}

/**
 * Sends to one after the other until `isCancelled`.
 * @param send resolves with why it failed
 * @param onProgress how many have an outcome
 */
export async function sendToAll<Of>(
  all: readonly Of[],
  send: (one: Of) => Promise<string | undefined>,
  isCancelled: () => boolean,
  onProgress: (settled: number) => void,
): Promise<Outcome<Of>> {
  const left = [...all]
  const outcome: Outcome<Of> = { done: [], failed: [], left }
  const work = async (): Promise<void> => {
    while (!isCancelled()) {
      const one = left.shift()
      if (one === undefined) return
      const why = await send(one)
      if (why === undefined) outcome.done.push(one)
      else outcome.failed.push({ one, why })
      onProgress(outcome.done.length + outcome.failed.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcome
}
