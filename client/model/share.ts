// Which part of an inventory an instance works for: one rule for the forms and for the run time.

/** One of so many equal shares of an inventory. */
export interface Part {
  /** From 0. */
  readonly index: number
  readonly of: number
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
