import { type Server, type Socket, createServer } from 'node:net'
import type { Aedes } from 'aedes' with { 'resolution-mode': 'import' }

/** An MQTT broker on a free port, and a record of what was published to it. */
export interface Broker {
  readonly port: number
  /** The retained messages, by topic. */
  readonly retained: Map<string, string>
  /** Messages that clients published, retained or not. */
  readonly received: number
  /** The topics that a client has subscribed to. */
  readonly subscribed: ReadonlySet<string>
  /** Sends a message to the subscribers of its topic. */
  publish(topic: string, payload: string): void
  /** Cuts the connections and stops listening. */
  stop(): Promise<void>
  /** Listens again, on the same port. */
  start(): Promise<void>
}

export async function startBroker(): Promise<Broker> {
  const retained = new Map<string, string>()
  const subscribed = new Set<string>()
  const sockets = new Set<Socket>()
  // An ES module, which TypeScript's CommonJS can only import at run time.
  const { Aedes: MqttBroker } = await import('aedes')
  let aedes: Aedes
  let server: Server
  let port = 0
  let received = 0

  async function start(): Promise<void> {
    aedes = await MqttBroker.createBroker()
    aedes.on('publish', ({ topic, payload, retain }, client) => {
      if (client) received++
      if (!retain) return
      if (payload.length > 0) retained.set(topic, payload.toString())
      else retained.delete(topic)
    })
    aedes.on('subscribe', (subscriptions) => {
      for (const { topic } of subscriptions) subscribed.add(topic)
    })
    server = createServer((socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)))
      aedes.handle(socket)
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as { port: number }).port
  }
  await start()

  return {
    get port() {
      return port
    },
    get received() {
      return received
    },
    retained,
    subscribed,
    publish: (topic, payload) =>
      aedes.publish(
        { cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false },
        () => undefined,
      ),
    start,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
      await new Promise<void>((resolve) => aedes.close(resolve))
    },
  }
}
