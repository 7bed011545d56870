import type { Node, NodeAPI } from 'node-red'
import { own } from '../../client/model/json'
import { refuseUnresolved } from '../runtime/environment'

/** What a node keeps over deploys and, depending on where, over restarts and for other instances. */
export interface Kept {
  /**
   * Never fails because of a store.
   * @param onWait called with true when it is not known what was kept, and read again until it is;
   * then with false
   * @throws GatewayError `CONFIG`; `CLOSED` after the end
   */
  read(onWait: (waits: boolean) => void): Promise<unknown>
  /** Resolves once it is kept, or will not be; undefined where there is nothing to wait for. */
  write(value: object): Promise<void> | undefined
  /** Stops waiting. `removed`: the node will not come back. */
  close(removed: boolean): Promise<void> | undefined
}

/** In a context, where nothing has to be waited for. */
export interface KeptHere extends Kept {
  read(): Promise<unknown>
  write(value: object): undefined
  close(removed: boolean): undefined
}

/** A store on another machine may not answer at all. */
const LONGEST_MS = 10_000

/**
 * In the context of the flow. Where no store is configured, each deploy of a node deletes the context of
 * the node itself, and a hold must outlast that.
 * @param store its name in the settings of Node-RED; the default one if empty. A slow one is not waited
 * for longer than `LONGEST_MS`
 * @param appliance its name in an inventory; each has a memory of its own
 */
export function keptIn(node: Node, store: string | undefined, appliance?: string): KeptHere {
  const name = store || undefined
  const key = keyOf(node, appliance)
  const context = node.context().flow
  let isWarned = false
  let stopWaiting = (): void => undefined

  const warn = (error: unknown): void => {
    if (isWarned) return
    isWarned = true
    node.warn(
      `The state of this failover cannot be kept in the context of the flow: ${String(error)}`,
    )
  }

  function write(value: unknown): undefined {
    try {
      context.set(key, value, name, (error: unknown) => {
        if (error) warn(error)
      })
    } catch (error) {
      warn(error)
    }
  }

  return {
    async read() {
      refuseUnresolved('store', store)
      let late: NodeJS.Timeout | undefined
      try {
        return await new Promise((resolve, reject) => {
          const tooLate = (): void => reject(new Error('the store does not respond'))
          late = setTimeout(tooLate, LONGEST_MS)
          stopWaiting = tooLate
          context.get(key, name, (error: unknown, value?: unknown) =>
            error ? reject(error) : resolve(value),
          )
        })
      } catch (error) {
        // Without its memory it follows the automatic rules, and protects.
        warn(error)
        return undefined
      } finally {
        clearTimeout(late)
      }
    },

    write,

    close(removed) {
      isWarned = true
      stopWaiting()
      return removed ? write(undefined) : undefined
    },
  }
}

/** A key of a context is an expression: of a name, only what is plain in one is left as it is. */
function keyOf({ id }: Node, appliance?: string): string {
  if (appliance === undefined) return `failover-${id}`
  const plain = [...Buffer.from(appliance)].map((byte) =>
    /[A-Za-z0-9-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `_${byte.toString(16).padStart(2, '0')}`,
  )
  return `${prefixOf({ id })}${plain.join('')}`
}

const prefixOf = ({ id }: Pick<Node, 'id'>): string => `failover-${id}-`

/** Forgets what was kept for each appliance of an inventory, of a node that will not come back. */
export function forgetAll(node: Node, store: string | undefined): void {
  const name = store || undefined
  const context = node.context().flow
  const none = (): void => undefined
  try {
    context.keys(name, (error: unknown, keys: unknown) => {
      if (error || !Array.isArray(keys)) return
      for (const key of keys as string[]) {
        if (key.startsWith(prefixOf(node))) context.set(key, undefined, name, none)
      }
    })
  } catch {
    // A store that is gone has forgotten it.
  }
}

/** The store is in memory only: by the setting `contextStorage`, which Node-RED reads in the same way. */
export function isLostAtRestart({ settings }: NodeAPI, of: string | undefined): boolean {
  const name = of || undefined
  const stores = own(settings, 'contextStorage') ?? {}
  const [first] = Object.keys(stores)
  const byDefault = own(stores, 'default') ?? own(stores, first ?? '')
  const chosen = (name && own(stores, name)) || byDefault
  const store = typeof chosen === 'string' ? own(stores, chosen) : chosen
  return (own(store, 'module') ?? 'memory') === 'memory'
}
