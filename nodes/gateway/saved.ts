// What a config node has sent, and what its watches know and have reported, for the one that takes its
// place.
import { SAVED_MS, type Saved } from '../../client/watch/saved'
import { newSent, setLatest, type Sent } from '../../client/memory'
import {
  openConnection,
  type Connection,
  type GatewayOptions,
} from '../../client/connection/connection'
import { savedBy } from '../../client/watch/registry'

/** A deploy takes the config node away, with its connection, and brings it back. */
export type SavedConnections = ReturnType<typeof createSavedConnections>

/**
 * Keeps what the watches of closed connections have saved for a minute, and what was sent for as long
 * as there is the node: its next connection may be opened much later. It keeps no connection.
 */
export function createSavedConnections() {
  /** Two config nodes may have the same gateway. */
  const protections: GatewayOptions['protections'] = new Map()
  const kept = new Map<string, { nodeId: string; saved: Saved; timer: NodeJS.Timeout }>()

  const sentBy = new Map<string, { nodeId: string; sent: Sent }>()

  function take(key: string): Saved | undefined {
    const { saved, timer } = kept.get(key) ?? {}
    clearTimeout(timer)
    kept.delete(key)
    return saved
  }

  return {
    /** As `openConnection`: what a connection of the same node, URL and user has saved, goes on. */
    open(nodeId: string, options: GatewayOptions): Connection {
      const { baseUrl, username, node } = options
      const appliance = node?.inventory === undefined ? '' : node.name
      const key = JSON.stringify([nodeId, appliance, baseUrl, username])
      const { sent } = sentBy.get(key) ?? { sent: newSent() }
      setLatest(sentBy, key, { nodeId, sent })
      const shared = { ...options, protections }
      if (options.saved) return openConnection(shared, sent)
      const connection = openConnection({ ...shared, saved: take(key) }, sent)
      connection.closing.onStop(() => {
        const saved = savedBy(connection)
        if (saved.devices.size + saved.watches.size === 0) return
        take(key)
        const timer = setTimeout(() => kept.delete(key), SAVED_MS).unref()
        kept.set(key, { nodeId, saved, timer })
      })
      return connection
    },
    /** The node was removed: what its connections have saved belongs to nobody. */
    remove(nodeId: string): void {
      for (const [key, one] of kept) if (one.nodeId === nodeId) take(key)
      for (const [key, one] of sentBy) if (one.nodeId === nodeId) sentBy.delete(key)
    },
  }
}
