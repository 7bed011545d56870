import type { Waiting } from '../../client/changes/step'
import { DEFAULTS, RANGES } from '../../client/model/ranges'
import { choiceProperty, numberProperty } from './properties'

/** The saved properties of a node that can wait until a change shows. */
export interface WaitingConfig {
  waitFor?: string
  /** Seconds. */
  waitTimeout?: unknown
}

/** @throws GatewayError `CONFIG` */
export function waitingOf({ waitFor, waitTimeout }: WaitingConfig): Waiting {
  const seconds = numberProperty('waitTimeout', waitTimeout, RANGES.waitTimeout)
  return {
    waitFor: choiceProperty('waitFor', waitFor, ['accepted', 'applied']),
    waitTimeout: (seconds ?? DEFAULTS.waitTimeout) * 1000,
  }
}
