import { randomUUID } from 'node:crypto'
import { Stop } from '../../stop'
import { openBucket } from './bucket'
import { createMemory } from './fenced-records'
import { createGathering } from './gathering'
import { openLink } from './link'
import type { EngineOptions } from './options'
import { serveCommands } from './owner'
import { createSender } from './sender'
import { createStore } from './store'
import type { Bus, Pace } from './wire'

const PACE: Pace = { repeat: 500, sign: 2000, silence: 10_000 }

export type Engine = ReturnType<typeof openEngine>

/**
 * Connects to NATS in the background, for ever.
 * @param pace other than the usual one, for tests
 * @throws GatewayError `CONFIG` for options that cannot work
 */
export function openEngine(options: EngineOptions, pace: Pace = PACE) {
  const { fleet } = options
  const stop = new Stop()
  const link = openLink(options)
  const records = openBucket(link, `media-gateway-${fleet}`, options)
  const bus: Bus = { ...options, link, pace, life: randomUUID() }
  return {
    link,
    store: createStore(link, records, link.timeout),
    commands: { send: createSender(bus, stop), serve: serveCommands(bus) },
    /** Its bucket is there from its first use on. */
    memory: createMemory(link, openBucket(link, `media-gateway-${fleet}-memory`, options)),
    /** Where events and states are published. Its stream is there from the first use on. */
    gathering: createGathering(link, options),
    async close(): Promise<void> {
      stop.now()
      await link.close()
    },
  }
}
