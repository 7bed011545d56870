import type { Node, NodeStatus } from 'node-red'
import type { FailoverStatus, GatewayError } from '../../client/internal'
import { isLastingLook } from '../../client/internal'
import { briefly } from '../runtime/reason'
import { clockTime, type Words } from '../runtime/words'

/** The status of a failover node. */
export interface ShownStatus {
  show(present: FailoverStatus): void
  /** It cannot protect. */
  fail(failure: GatewayError): void
  /** Clears the status: Node-RED would show it under the node that a deploy puts in its place. */
  close(): void
}

type Fill = 'green' | 'yellow' | 'red' | 'grey'

const MINUTE_MS = 60_000

/** Creates the status of one failover. `isLostAtRestart`: whether a hold ends with Node-RED. */
export function createFailoverStatus(
  node: Node,
  words: Words,
  isLostAtRestart: () => boolean,
): ShownStatus {
  let shown: string | undefined
  let refresh: NodeJS.Timeout | undefined
  let closed = false
  const say = (key: string, values = {}): string => words(`failover:status.${key}`, values)

  function set(fill: Fill, text: string): void {
    const next: NodeStatus = { fill, shape: fill === 'red' ? 'ring' : 'dot', text }
    const json = JSON.stringify(next)
    if (closed || json === shown) return
    shown = json
    node.status(next)
  }

  function show(present: FailoverStatus): void {
    clearTimeout(refresh)
    const { state, due, held, failure } = present
    const side = present.inUse ? say(`inUse.${present.inUse}`) : ''
    switch (state) {
      case 'unknown':
        if (!failure) return
        return set(
          isLastingLook(failure) ? 'red' : 'yellow',
          say('unknown', { reason: briefly(failure, words) }),
        )
      case 'switching':
        return set('yellow', say('switching'))
      case 'standby':
      case 'foreign':
        return mark(present, 'grey', say(state))
      case 'normal':
        return mark(present, 'green', side)
      case 'protecting':
        return mark(present, 'yellow', side)
      case 'wait-to-restore':
        return showWait(present, side)
      case 'hold-off':
        if (held || due === undefined) {
          return mark(present, held ? 'red' : 'yellow', say('failed', { side }))
        }
        return mark(present, 'yellow', say('holdOff', { side, time: clockTime(due) }))
      case 'no-protection':
        return mark(present, 'red', say(held ? 'failed' : 'noProtection', { side }))
    }
  }

  /** What is not protected must not look as if it were. */
  function mark({ held, dryRun }: FailoverStatus, fill: Fill, text: string): void {
    const whenHeld = isLostAtRestart() ? 'heldUntilRestart' : 'held'
    const ofHold = held ? say(whenHeld, { text }) : text
    const isIdle = (held || dryRun) && fill !== 'red'
    set(isIdle ? 'grey' : fill, dryRun ? say('dryRun', { text: ofHold }) : ofHold)
  }

  /** The minutes to the way back, as they pass. */
  function showWait(present: FailoverStatus, side: string): void {
    const leftMs = Math.max(0, (present.due ?? 0) - Date.now())
    const minutes = Math.max(1, Math.ceil(leftMs / MINUTE_MS))
    mark(present, 'yellow', say('wait', { side, minutes }))
    if (leftMs > 0 && !closed) {
      refresh = setTimeout(() => show(present), leftMs % MINUTE_MS || MINUTE_MS)
    }
  }

  return {
    show,
    fail: (failure) => set('red', briefly(failure, words)),
    close() {
      clearTimeout(refresh)
      if (shown !== undefined) node.status({})
      closed = true
    },
  }
}
