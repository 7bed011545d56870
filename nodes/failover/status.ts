import type { Node, NodeStatus } from 'node-red'
import type { FailoverStatus, GatewayError } from '../../client/internal'
import { isLastingLook } from '../../client/internal'
import type { FailoverState } from '../../client/model/failover'
import type { Language } from '../../client/model/watch'
import { createFleetStatus, type FleetStatus, type Standing } from '../runtime/fleet-status'
import { briefly } from '../runtime/reason'
import { clockTime, type Words } from '../runtime/words'

/** The status of a failover node. With an inventory, each appliance has its name there. */
export interface ShownStatus {
  /** It begins to protect an appliance. */
  add(appliance?: string): void
  remove(appliance?: string): void
  show(present: FailoverStatus, appliance?: string): void
  /** It does not protect the appliance yet, since the engine does not say what was held. */
  wait(appliance?: string): void
  /** It cannot protect: at all, or this appliance. */
  fail(failure: GatewayError, appliance?: string): void
  /** What is wrong with the inventory: all of it, or the rows that concern the node. */
  faulty: FleetStatus['faulty']
  /** Clears the status: Node-RED would show it under the node that a deploy puts in its place. */
  close(): void
}

interface Shown {
  fill: 'green' | 'yellow' | 'red' | 'grey'
  text: string
}

const MINUTE_MS = 60_000

/** Creates the status of one failover. `isLostAtRestart`: whether a hold ends with Node-RED. */
export function createFailoverStatus(
  node: Node,
  words: Words,
  isLostAtRestart: () => boolean,
): ShownStatus {
  const shownOf = shownBy(words, isLostAtRestart)
  let shown: string | undefined
  let refresh: NodeJS.Timeout | undefined
  let closed = false

  function set({ fill, text }: Shown): void {
    const next: NodeStatus = { fill, shape: fill === 'red' ? 'ring' : 'dot', text }
    const json = JSON.stringify(next)
    if (closed || json === shown) return
    shown = json
    node.status(next)
  }

  function show(present: FailoverStatus): void {
    clearTimeout(refresh)
    const next = shownOf(present)
    if (next) set(next)
    if (present.state !== 'wait-to-restore') return
    // The minutes to the way back, as they pass.
    const leftMs = leftOf(present)
    if (leftMs > 0 && !closed) {
      refresh = setTimeout(() => show(present), leftMs % MINUTE_MS || MINUTE_MS)
    }
  }

  return {
    add: () => undefined,
    remove: () => undefined,
    faulty: () => undefined,
    wait: () => undefined,
    show,
    fail: (failure) => set({ fill: 'red', text: briefly(failure, words) }),
    close() {
      clearTimeout(refresh)
      if (shown !== undefined) node.status({})
      closed = true
    },
  }
}

/** States in which a route is kept on the air. */
const PROTECTED: readonly FailoverState[] = ['normal', 'protecting', 'wait-to-restore']

/** Creates the status of the failovers of many appliances. */
export function createFleetFailoverStatus(
  node: Node,
  words: Words,
  language: Language,
  isLostAtRestart: () => boolean,
): ShownStatus {
  const fleet = createFleetStatus(node, words, 'failover:status', language)
  const shownOf = shownBy(words, isLostAtRestart)

  function standingOf(present: FailoverStatus): Standing | undefined {
    const { state, inUse, held, dryRun, failure } = present
    // Minutes would soon be wrong: only one appliance is shown, and by a change.
    const timeless = { ...present, due: undefined, ...(state === 'wait-to-restore' && RESTORING) }
    const shown = shownOf(state === 'hold-off' && !held ? present : timeless)
    if (!shown) return undefined
    const isIdle = held || dryRun
    const isTrouble = isIdle || shown.fill === 'yellow' || shown.fill === 'red'
    return {
      fill: isTrouble ? (shown.fill === 'red' ? 'red' : 'yellow') : 'green',
      isUp: PROTECTED.includes(state) && !isIdle,
      ...(isTrouble && {
        trouble: {
          key: [state, inUse, held, failure?.code].join(),
          text: () => shown.text,
        },
      }),
    }
  }

  return {
    add: (appliance = '') => fleet.set(appliance),
    remove: (appliance = '') => fleet.remove(appliance),
    show: (present, appliance = '') => fleet.set(appliance, standingOf(present)),
    fail(failure, appliance) {
      if (appliance === undefined) return fleet.fail(failure)
      const trouble = { key: failure.code, text: () => briefly(failure, words) }
      fleet.set(appliance, { fill: 'red', isUp: false, trouble })
    },
    wait(appliance = '') {
      const trouble = { key: 'engine', text: () => words('failover:status.engine', {}) }
      fleet.set(appliance, { fill: 'red', isUp: false, trouble })
    },
    faulty: (failure, rows) => fleet.faulty(failure, rows),
    close: () => fleet.close(),
  }
}

const RESTORING = { state: 'protecting' } as const

const leftOf = ({ due = 0 }: FailoverStatus): number => Math.max(0, due - Date.now())

/** Returns how a failover is, in a few words; undefined while nothing is known. */
function shownBy(
  words: Words,
  isLostAtRestart: () => boolean,
): (present: FailoverStatus) => Shown | undefined {
  const say = (key: string, values = {}): string => words(`failover:status.${key}`, values)

  /** What is not protected must not look as if it were. */
  function mark({ held, dryRun }: FailoverStatus, fill: Shown['fill'], text: string): Shown {
    const whenHeld = isLostAtRestart() ? 'heldUntilRestart' : 'held'
    const ofHold = held ? say(whenHeld, { text }) : text
    const isIdle = (held || dryRun) && fill !== 'red'
    return {
      fill: isIdle ? 'grey' : fill,
      text: dryRun ? say('dryRun', { text: ofHold }) : ofHold,
    }
  }

  return (present) => {
    const { state, due, held, failure } = present
    const side = present.inUse ? say(`inUse.${present.inUse}`) : ''
    switch (state) {
      case 'unknown':
        return (
          failure && {
            fill: isLastingLook(failure) ? 'red' : 'yellow',
            text: say('unknown', { reason: briefly(failure, words) }),
          }
        )
      case 'switching':
        return { fill: 'yellow', text: say('switching') }
      case 'standby':
      case 'foreign':
        return mark(present, 'grey', say(state))
      case 'normal':
        return mark(present, 'green', side)
      case 'protecting':
        return mark(present, 'yellow', side)
      case 'wait-to-restore': {
        const minutes = Math.max(1, Math.ceil(leftOf(present) / MINUTE_MS))
        return mark(present, 'yellow', say('wait', { side, minutes }))
      }
      case 'hold-off':
        if (held || due === undefined) {
          return mark(present, held ? 'red' : 'yellow', say('failed', { side }))
        }
        return mark(present, 'yellow', say('holdOff', { side, time: clockTime(due) }))
      default:
        return mark(present, 'red', say(held ? 'failed' : 'noProtection', { side }))
    }
  }
}
