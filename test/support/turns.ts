/** How many turns others have while the work is done, and its result. */
export async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ turns: number; result: T }> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  try {
    const result = await work()
    return { result, turns }
  } finally {
    isDone = true
  }
}

/** Does nothing else for so long, in ms. */
export function keepBusy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
