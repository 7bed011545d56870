import { setImmediate as immediate } from 'node:timers/promises'

/** Milliseconds that a slice may take. */
const SLICE_MS = 10

/** The slice of a long piece of work that is in progress; `begunAt` in milliseconds. */
export interface Slice {
  begunAt: number
}

export const newSlice = (): Slice => ({ begunAt: performance.now() })

/** Lets everything else run between two slices. @param slice is shared by the lists of one piece of work */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
  slice: Slice = newSlice(),
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (performance.now() - slice.begunAt >= SLICE_MS) {
      await immediate()
      slice.begunAt = performance.now()
    }
    results.push(map(item, index))
  }
  return results
}
