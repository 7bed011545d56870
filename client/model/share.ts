// Which part of an inventory an instance works for: one rule for the forms and for the run time.

/** One of so many equal shares of an inventory. */
export interface Part {
  /** From 0. */
  readonly index: number
  readonly of: number
}

/**
 * The name of a part, counted as another one is: `0/3` where that counts from 0, or else `3/3`. Of those
 * two, both where the other one does not show it.
 * @param given the other one, as it was entered
 */
export function partName({ index, of }: Part, given: string): string {
  if (index > 0) return `${index}/${of}`
  const [first = ''] = given.trim().split('/')
  if (Number(first) === 0) return `0/${of}`
  return Number(first) === of ? `${of}/${of}` : `${of}/${of} (or 0/${of})`
}

/**
 * Reads `i/N`, such as `1/3`. Instances may be counted from 0 or from 1: `3/3` is `0/3`.
 * @returns undefined when it is not that
 */
export function partIn(text: string): Part | undefined {
  const [, index, of] = /^\s*(\d{1,4})\s*\/\s*(\d{1,4})\s*$/.exec(text)?.map(Number) ?? []
  if (index === undefined || of === undefined || of < 1 || index > of) return undefined
  return { index: index % of, of }
}
