// The names of callers, from the same kinds of places as an inventory.
import type { Node, NodeAPI } from 'node-red'
import { GatewayError, say } from '../../client/errors'
import type { GatewayOptions } from '../../client/connection/connection'
import { checkCallers, type CallerBook } from '../../client/model/callers'
import { newCallerBook } from '../../client/watch/measuring/caller-book'
import { textOf } from '../../client/sentences'
import { followSource, inventorySource, type InventorySource } from './inventory'

export interface CallersConfig {
  /** `none`, `json`, `file`, `env` or `global`. */
  callersType?: unknown
  /** JSON, a path, a variable, or a key of the global context. */
  callers?: unknown
}

/**
 * Keeps the names as their list says. What cannot be read, or is no list, leaves the former names in use;
 * a row that cannot be used is left out. Both are in the log, without an address.
 */
export function followCallers(
  RED: NodeAPI,
  node: Node,
  { callersType, callers }: CallersConfig,
): { now: NonNullable<GatewayOptions['callers']>; close: () => void } {
  let book: CallerBook | undefined
  const warn = (text: string): void => node.warn(`The names of callers: ${text}`)
  const open = (): InventorySource => {
    const isKnown = ['json', 'file', 'env', 'global'].includes(String(callersType))
    if (!isKnown) throw new GatewayError('CONFIG', say('callersSource'))
    const config = { inventoryType: callersType, inventory: callers }
    return inventorySource(RED, node, config, 'callers')
  }
  const { close } = followSource(open, {
    onValue(value) {
      const { rows, faults, failure } = checkCallers(value, say)
      if (failure) throw new GatewayError('CONFIG', failure)
      book = newCallerBook(rows)
      if (faults.length > 0) warn(textOf(faults.slice(0, MOST_TOLD)))
    },
    onFailure: ({ message }) => warn(message),
  })
  return { now: () => book, close }
}

/** Sentences in one line of the log: two for each row. */
const MOST_TOLD = 20
