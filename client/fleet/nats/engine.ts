import { randomUUID } from 'node:crypto'
import { Stop } from '../../stop'
import type { Commands, EngineLink, Gathering, ShareMemory, Store } from '../types'
import { openBucket, type Bucket, type BucketOptions } from './bucket'
import { createBus, type Pace } from './bus'
import { createGathering } from './gathering'
import { createMemory, roomOn } from './latest'
import { openLink } from './link'
import { checkOptions, type EngineOptions } from './options'
import { Owner } from './owner'
import { Sender } from './sender'
import { createStore } from './store'

/** What a fleet uses of NATS. */
export interface Engine {
  readonly link: EngineLink
  readonly store: Store
  readonly commands: Commands
  /** Its bucket is there from its first use on. */
  readonly memory: ShareMemory
  /** Where events and states are published. Its stream is there from the first use on. */
  gathering(): Gathering
  /** Of the server that this instance is connected to; undefined while it is not. */
  readonly serverId: string | undefined
  /** Since when the present connection is there without interruption, by `performance.now()`. */
  readonly connectedSince: number | undefined
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
  const life = randomUUID()
  const link = openLink(address, options)
  const name = `media-gateway-${fleet}`
  const bucketOf = (ending: string, more?: Pick<BucketOptions, 'isLazy'>): Bucket =>
    openBucket(link, { name: name + ending, replicas, timeout, log, ...more })
  const bucket = bucketOf('')
  const bus = createBus({ link, pace, fleet, key, life, log })
  const owner = new Owner(bus)
  const sender = new Sender(bus)
  let gathering: Gathering | undefined
  return {
    link,
    store: createStore(link, bucket, timeout, stop),
    commands: {
      send: (command, sending) => sender.send(command, sending),
      serve: (carryOut) => owner.serve(carryOut),
    },
    memory: createMemory(
      () => bucketOf('-memory', { isLazy: true }),
      () => roomOn(link),
    ),
    gathering: () =>
      (gathering ??= createGathering(link, {
        fleet,
        replicas,
        timeout,
        beatMs: ttlMs / BEATS,
      })),
    get serverId() {
      return link.connection?.info?.server_id
    },
    get connectedSince() {
      return link.since
    },
    async close() {
      stop.now()
      sender.close()
      await link.close()
    },
  }
}
