import { setImmediate as immediate } from 'node:timers/promises'

/** Milliseconds that a slice may take. */
const SLICE_MS = 10

/** Maps a long list in slices, and lets everything else that waits run between two of them. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let begun = performance.now()
  for (const [index, item] of items.entries()) {
    results.push(map(item, index))
    if (performance.now() - begun < SLICE_MS || index === items.length - 1) continue
    await immediate()
    begun = performance.now()
  }
  return results
}
