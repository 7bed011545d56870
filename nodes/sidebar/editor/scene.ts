import type { Kind } from './add-node'
import type { Action } from './commands'
import type { Rates } from './rates'

/** What the rows and the details of an appliance show besides its routes. */
export interface Scene {
  /** Why what is shown is out of date; empty where it is not. */
  old: string
  mayControl: boolean
  /** Rows of one line. */
  isCompact: boolean
  /** The nodes that a route can become. */
  kinds: readonly Kind[]
  /** Unix ms, by the clock of Node-RED. */
  now: number
  rates: Rates
  /** What is under way for a route, or for one of its destinations. */
  waiting(routeId: string, destinationId?: string): Action | undefined
  /** A command to the failover is under way. */
  isSwitching(failoverId: string): boolean
}
