// Which part of an inventory an instance works for: one rule for the forms and for the run time.

/** One of so many equal shares of an inventory. */
export interface Part {
  /** From 0. */
  readonly index: number
  readonly of: number
}

/** Counted as another one is: `0/3` from 0, else `3/3`; both where the other one does not show it. */
export function partName({ index, of }: Part, given: string): string {
  if (index > 0) return `${index}/${of}`
  const [first = ''] = given.trim().split('/')
  if (Number(first) === 0) return `0/${of}`
  return Number(first) === of ? `${of}/${of}` : `${of}/${of} (or 0/${of})`
}

/** `i/N`, such as `1/3`. Counted from 0 or from 1: `3/3` is `0/3`. Undefined for anything else. */
export function partIn(text: string): Part | undefined {
  const [, index, of] = /^\s*(\d{1,4})\s*\/\s*(\d{1,4})\s*$/.exec(text)?.map(Number) ?? []
  if (index === undefined || of === undefined || of < 1 || index > of) return undefined
  return { index: index % of, of }
}
