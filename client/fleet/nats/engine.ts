import { Stop } from '../../stop'
import type { EngineLink, Store } from '../types'
import { openBucket } from './bucket'
import { openLink } from './link'
import { checkOptions, type EngineOptions } from './options'
import { createStore } from './store'

/** What a fleet uses of NATS. */
export interface Engine {
  readonly link: EngineLink
  readonly store: Store
  /** Of the server that this instance is connected to; undefined while it is not. */
  readonly serverId: string | undefined
  /** Since when the present connection is there without interruption, by `performance.now()`. */
  readonly connectedSince: number | undefined
  close(): Promise<void>
}

/**
 * Connects to NATS in the background, for ever.
 * @throws GatewayError `CONFIG` for options that cannot work
 */
export function openEngine(options: EngineOptions): Engine {
  const address = checkOptions(options)
  const { fleet, replicas, ttlMs, log } = options
  const timeout = ttlMs / 5
  const stop = new Stop()
  const link = openLink(address, options)
  const bucket = openBucket(link, { name: `media-gateway-${fleet}`, replicas, timeout, log })
  return {
    link,
    store: createStore(link, bucket, timeout, stop),
    get serverId() {
      return link.connection?.info?.server_id
    },
    get connectedSince() {
      return link.since
    },
    async close() {
      stop.now()
      await link.close()
    },
  }
}
