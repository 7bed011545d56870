import type { MqttClient } from 'mqtt'
import { createOutageLog } from '../../connection/outage-log'
import { Stop, pause } from '../../stop'
import type { Bucket } from './bucket'
import { reasonOf } from './failures'
import type { EngineOptions } from './options'

/**
 * Shows the records of a bucket as retained messages of MQTT: NATS itself retains nothing for the
 * subscribers of its MQTT port.
 */
export interface Mirror {
  /** Publishes the record as it is now, as soon as there is a connection. */
  show(key: string): void
  close(): Promise<void>
}

const AT_ONCE = 16
const RECONNECT_MS = 2000

export function openMirror(
  bucket: Bucket,
  { mqtt, user, password, tls, fleet, log }: EngineOptions & { mqtt: string },
  life: string,
): Mirror {
  const waiting = new Set<string>()
  const stop = new Stop()
  const outages = createOutageLog(log, 'The MQTT port of the engine responds again.')
  const topic = `media-gateway/${fleet}/picture/`
  let client: MqttClient | undefined
  let shown = 0

  function connect(): MqttClient {
    const { connect: open } = require('mqtt') as typeof import('mqtt')
    const opened = open(mqtt, {
      ...(mqtt.startsWith('mqtts:') ? (tls as object) : undefined),
      username: user,
      password,
      clientId: `media-gateway-${life}`,
      // The only one that NATS speaks.
      protocolVersion: 4,
      reconnectPeriod: RECONNECT_MS,
      reconnectOnConnackError: true,
    })
    let why = 'closed'
    opened.on('error', (error) => {
      why = reasonOf(error)
    })
    opened.on('close', () => {
      if (stop.stopped) return
      outages.failed('mqtt', why, `The MQTT port of the engine cannot be reached (${why}).`)
    })
    opened.on('connect', () => {
      why = 'closed'
      outages.recovered('mqtt')
      work()
    })
    return opened
  }

  function work(): void {
    if (!client?.connected) return
    for (const key of waiting) {
      if (shown >= AT_ONCE) return
      waiting.delete(key)
      shown++
      void show(client, key).finally(() => {
        shown--
        work()
      })
    }
  }

  /**
   * Publishes until what was published is what stands in the record: two instances may do so at the
   * same time, and the message of the earlier owner may be the later one.
   */
  async function show(by: MqttClient, key: string): Promise<void> {
    try {
      for (let published: number | undefined; ;) {
        const record = await bucket.get(key)
        if (!record || record.revision === published) return
        await by.publishAsync(topic + key, Buffer.from(record.value), { qos: 1, retain: true })
        published = record.revision
      }
    } catch {
      await pause(RECONNECT_MS, stop)
      if (!stop.stopped) waiting.add(key)
    }
  }

  return {
    show(key) {
      waiting.add(key)
      client ??= connect()
      work()
    },
    async close() {
      stop.now()
      const closing = client
      client = undefined
      waiting.clear()
      await closing?.endAsync(true)
    },
  }
}
