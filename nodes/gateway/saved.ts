// What the watches of a config node know and have reported, for the one that takes its place.
import {
  SAVED_MS,
  openConnection,
  savedBy,
  type Connection,
  type GatewayOptions,
  type Saved,
} from '../../client/internal'

/** A deploy takes the config node away, with its connection, and brings it back. */
export interface SavedConnections {
  /** As `openConnection`: what a connection of the same node, URL and user has saved, goes on. */
  open(nodeId: string, options: GatewayOptions): Connection
  /** The node was removed: what its connections have saved belongs to nobody. */
  remove(nodeId: string): void
}

/** Keeps what closed connections have saved for a minute. It keeps no connection. */
export function createSavedConnections(): SavedConnections {
  /** Two config nodes may have the same gateway. */
  const protections: GatewayOptions['protections'] = new Map()
  const kept = new Map<string, { nodeId: string; saved: Saved; timer: NodeJS.Timeout }>()

  function take(key: string): Saved | undefined {
    const { saved, timer } = kept.get(key) ?? {}
    clearTimeout(timer)
    kept.delete(key)
    return saved
  }

  return {
    open(nodeId, options) {
      const shared = { ...options, protections }
      if (options.saved) return openConnection(shared)
      const { baseUrl, username, node } = options
      const appliance = node?.inventory === undefined ? '' : node.name
      const key = JSON.stringify([nodeId, appliance, baseUrl, username])
      const connection = openConnection({ ...shared, saved: take(key) })
      connection.closing.onStop(() => {
        const saved = savedBy(connection)
        if (saved.devices.size + saved.watches.size === 0) return
        take(key)
        const timer = setTimeout(() => kept.delete(key), SAVED_MS).unref()
        kept.set(key, { nodeId, saved, timer })
      })
      return connection
    },
    remove(nodeId) {
      for (const [key, one] of kept) if (one.nodeId === nodeId) take(key)
    },
  }
}
