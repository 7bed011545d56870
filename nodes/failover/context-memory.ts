import type { Node, NodeAPI } from 'node-red'
import { own } from '../../client/model/json'
import { globalContextOf, type GlobalContext } from '../runtime/global-context'

/** What was kept, and whether Node-RED has started since: then the setting `hold` counts again. */
export interface Found {
  memory: unknown
  isStart: boolean
}

/** What a node keeps over deploys and, depending on where, over restarts and for other instances. */
export interface Kept {
  /**
   * Never fails because of a store.
   * @param onWait called with true when it is not known what was kept, and read again until it is;
   * then with false
   * @throws GatewayError `CLOSED` after the end
   */
  read(onWait: (waits: boolean) => void): Promise<Found>
  /** Resolves once it is kept, or will not be. */
  write(value: object): Promise<void>
  /** Stops waiting. `removed`: the node will not come back. */
  close(removed: boolean): Promise<void> | undefined
}

/** Where a failover keeps its state: a hold must outlast a deploy. */
export const contextOf = (node: Node): GlobalContext =>
  globalContextOf(node, {
    kind: 'failover',
    complaint: 'The state of this failover cannot be kept in the global context',
    longestMs: 10_000,
  })

/**
 * Without its memory, a failover follows the automatic rules, and protects.
 * @param start of Node-RED: another text after each
 * @param appliance its name in an inventory; each has a memory of its own
 */
export function contextMemory(context: GlobalContext, start: string, appliance?: string): Kept {
  const place = context.place(appliance)
  return {
    async read() {
      const memory = (await place.read())?.value
      return { memory, isStart: own(memory, 'start') !== start }
    },
    write: (value) => place.write({ ...value, start }),
    close: (removed) => place.close(removed),
  }
}

/** The default store is in memory only: by the setting `contextStorage`, as Node-RED reads it. */
export function isLostAtRestart({ settings }: NodeAPI): boolean {
  const stores = own(settings, 'contextStorage') ?? {}
  const [first] = Object.keys(stores)
  const chosen = own(stores, 'default') ?? own(stores, first ?? '')
  const store = typeof chosen === 'string' ? own(stores, chosen) : chosen
  return (own(store, 'module') ?? 'memory') === 'memory'
}
