import type { Node } from 'node-red'
import type { FailoverStatus } from '../../client/failover/protect'
import type { GatewayError } from '../../client/errors'
import {
  differing,
  isLastingLook,
  kindOf,
  minutesLeft,
  signOf,
} from '../../client/model/failover-view'
import type { Language } from '../../client/model/watch'
import { createFleetStatus, type FleetStatus } from '../runtime/fleet-status'
import { createLamp, type Lamp } from '../runtime/lamp'
import { shortReason } from '../runtime/short-reason'
import { clockTime, type Words } from '../runtime/catalog'

interface StatusOptions {
  /** Without it there is only one appliance. */
  hasInventory: boolean
  language: Language
  /** Whether a hold ends with Node-RED. */
  isHoldLost: () => boolean
}

const MINUTE_MS = 60_000

export type ShownStatus = ReturnType<typeof createFailoverStatus>

export function createFailoverStatus(
  node: Node,
  words: Words,
  { hasInventory, language, isHoldLost }: StatusOptions,
) {
  const say = (key: string, values = {}): string => words(`failover:status.${key}`, values)
  const fleet = hasInventory
    ? createFleetStatus(node, words, 'failover:status', language)
    : undefined
  const single = createLamp(node)
  let refresh: NodeJS.Timeout | undefined
  let closed = false
  let isShown = false

  /** @param news what it is about: the same news of an appliance is not shown again */
  function set(lamp: Lamp, text: string, name = '', news = '', isUp = false): void {
    if (fleet) {
      if (lamp === 'ok') return fleet.set(name, { lamp, isUp })
      // Of many appliances, what nobody protects is trouble.
      const worse = lamp === 'away' ? lamp : 'failing'
      return fleet.set(name, { lamp: worse, isUp, trouble: { key: news, text: () => text } })
    }
    isShown = true
    single.show(lamp, text)
  }

  function show(present: FailoverStatus, name?: string): void {
    clearTimeout(refresh)
    const { state, inUse, held, reason, failure } = present
    if (state === 'unknown' && !failure && (fleet || !isShown)) return fleet?.set(name ?? '')
    // Of many appliances, minutes would soon be wrong: only one is shown, and by a change.
    const isWaiting = state === 'wait-to-restore'
    const shown = fleet && isWaiting ? { ...present, state: 'protecting' as const } : present
    const news = [state, inUse, held, reason, failure?.code].join()
    set(lampOf(shown), textOf(shown), name, news, reason === undefined)
    // The minutes to the way back, as they pass.
    const leftMs = leftOf(present)
    if (fleet || !isWaiting || leftMs === 0 || closed) return
    refresh = setTimeout(() => show(present), leftMs % MINUTE_MS || MINUTE_MS)
  }

  function textOf(present: FailoverStatus): string {
    const { inUse, held, due, failure } = present
    const members = differing(present)
    const more = members.length > MOST_MEMBERS ? ', …' : ''
    const text = say(keyOf(present), {
      side: inUse ? say(`inUse.${inUse}`) : '',
      other: say(inUse === 'backup' ? 'inUse.main' : 'inUse.backup'),
      minutes: minutesLeft(present, Date.now()),
      time: clockTime(due),
      members: members.slice(0, MOST_MEMBERS).join(', ') + more,
      reason: failure ? shortReason(failure, words) : '',
    })
    if (!held) return text
    return say(isHoldLost() ? 'heldUntilRestart' : 'held', { text })
  }

  return {
    /** It begins to protect an appliance. */
    add: (name = '') => fleet?.set(name),
    remove: (name = '') => fleet?.remove(name),
    show,
    /** It does not protect the appliance yet, since the engine does not say what was held. */
    wait: (name?: string) => set('away', say('engine'), name, 'engine'),
    /** It cannot protect: at all, or this appliance. */
    fail(failure: GatewayError, name?: string): void {
      if (fleet && name === undefined) return fleet.fail(failure)
      set('away', shortReason(failure, words), name, failure.code)
    },
    /** What is wrong with the inventory: all of it, or the rows that concern the node. */
    faulty: (...faults: Parameters<FleetStatus['faulty']>) => fleet?.faulty(...faults),
    close(): void {
      clearTimeout(refresh)
      fleet?.close()
      single.close()
      closed = true
    },
  }
}

const leftOf = ({ due = 0 }: FailoverStatus): number => Math.max(0, due - Date.now())

const MOST_MEMBERS = 3

function lampOf(status: FailoverStatus): Lamp {
  const { state, manual, failure } = status
  if (state === 'unknown') {
    return failure && isLastingLook(failure) ? 'away' : 'warning'
  }
  if (state === 'switching') return 'warning'
  // What a person has set is no mistake.
  if (state === 'foreign' && manual) return 'stopped'
  const sign = signOf(status)
  return sign === 'critical' ? 'away' : sign
}

/** The key of its words, without the hold. */
function keyOf(status: FailoverStatus): string {
  const { held, due, failure } = status
  const kind = kindOf(status)
  if (kind === 'unknown' && !failure) return 'unseen'
  if (kind === 'hold-off' && (held || due === undefined)) return 'failed'
  return kind === 'no-protection' && held ? 'failed' : kind
}
