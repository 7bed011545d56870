import { randomUUID } from 'node:crypto'
import { Stop } from '../../stop'
import type { Commands, Gathering, ShareMemory, Store } from '../types'
import { openBucket, type Bucket } from './bucket'
import { createGathering } from './gathering'
import { createMemory, roomOn } from './fenced-records'
import { openLink, type Link } from './link'
import { checkOptions, type EngineOptions } from './options'
import { serveCommands } from './owner'
import { createSender } from './sender'
import { createStore } from './store'
import type { Bus, Pace } from './wire'

/** What a fleet uses of NATS. */
export interface Engine {
  readonly link: Link
  readonly store: Store
  readonly commands: Commands
  /** Its bucket is there from its first use on. */
  readonly memory: ShareMemory
  /** Where events and states are published. Its stream is there from the first use on. */
  readonly gathering: Gathering
  close(): Promise<void>
}

/** An owner beats three times in a TTL. */
const BEATS = 3

const PACE: Pace = { repeat: 500, sign: 2000, silence: 10_000 }

/**
 * Connects to NATS in the background, for ever.
 * @param pace other than the usual one, for tests
 * @throws GatewayError `CONFIG` for options that cannot work
 */
export function openEngine(options: EngineOptions, pace: Pace = PACE): Engine {
  const address = checkOptions(options)
  const { fleet, key, replicas, ttlMs, log } = options
  const timeout = ttlMs / 5
  const stop = new Stop()
  const link = openLink(address, options)
  const bucketOf = (name: string): Bucket => openBucket(link, { name, replicas, timeout, log })
  const bus: Bus = { link, pace, fleet, key, life: randomUUID(), log }
  return {
    link,
    store: createStore(link, bucketOf(`media-gateway-${fleet}`), timeout, stop),
    commands: { send: createSender(bus, stop), serve: serveCommands(bus) },
    memory: createMemory(bucketOf(`media-gateway-${fleet}-memory`), () => roomOn(link)),
    gathering: createGathering(link, { fleet, replicas, timeout, beatMs: ttlMs / BEATS }),
    async close() {
      stop.now()
      await link.close()
    },
  }
}
