import type { Waiting } from '../../client/internal'
import { RANGES } from '../../client/model/ranges'
import { numberProperty } from './environment'

/** The saved properties of a node that can wait until a change shows (design 2.3). */
export interface WaitingConfig {
  waitFor?: string
  /** Seconds. */
  waitTimeout?: number | string
}

export function waitingOf({ waitFor, waitTimeout }: WaitingConfig): Waiting {
  const seconds = numberProperty('waitTimeout', waitTimeout, RANGES.waitTimeout)
  return {
    waitFor: waitFor === 'applied' ? 'applied' : 'accepted',
    waitTimeout: (seconds ?? 30) * 1000,
  }
}
