/** What was learned about an appliance, kept as long as its gateway is open. */
export interface Memory {
  /** The appliance refuses to be asked for large pages. */
  refusesLargePages: boolean
  /** By device: how many routes it counts and does not list, however often it is asked. */
  readonly unlisted: Map<string, number>
}

export const newMemory = (): Memory => ({ refusesLargePages: false, unlisted: new Map() })
