/** The range of a number in the settings of a node, for the form and at run time. */
export interface Range {
  least: number
  most: number
  whole?: boolean
}

/** Milliseconds for `timeout`, seconds for the other times. */
export const RANGES = {
  timeout: { least: 1, most: 600_000, whole: true },
  concurrency: { least: 1, most: 100, whole: true },
  pollInterval: { least: 1, most: 3600 },
  removeAtMost: { least: 1, most: 1000, whole: true },
  waitTimeout: { least: 0.1, most: 3600 },
  statistics: { least: 1, most: 3600 },
  holdFor: { least: 0, most: 86_400 },
  leaseTtl: { least: 2, most: 300 },
} as const satisfies Record<string, Range>

/** What counts where nothing is given, in the same units. */
export const DEFAULTS = { timeout: 10_000, concurrency: 8, waitTimeout: 30, leaseTtl: 30 } as const

export const inMilliseconds = ({ least, most }: Range): Range => ({
  least: least * 1000,
  most: most * 1000,
})
