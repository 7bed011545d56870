import { MONOTONIC, type Clock } from '../../client/clock'

/** A tenth as fast: on a busy machine, too, a change is sent before its plan is too old. */
export const SLOW_CLOCK: Clock = { ...MONOTONIC, now: () => MONOTONIC.now() / 10 }
