import { type Server, type Socket, createServer } from 'node:net'

/** As much of an MQTT 3.1.1 broker as the nodes need: it keeps what is to be retained, and passes messages on. */
export interface Broker {
  readonly port: number
  /** The retained messages, by topic. */
  readonly retained: ReadonlyMap<string, string>
  /** How many messages came, retained or not. */
  readonly received: number
  /** The topics that somebody has subscribed to, without wildcards. */
  readonly subscribed: ReadonlySet<string>
  /** Sends a message to those who have subscribed to its topic. */
  publish(topic: string, payload: string): void
  /** Cuts the connections, and listens no more. */
  stop(): Promise<void>
  /** Listens again, on the same port. */
  start(): Promise<void>
}

export async function startBroker(): Promise<Broker> {
  const retained = new Map<string, string>()
  const sockets = new Set<Socket>()
  const subscribers = new Map<string, Socket>()
  let server: Server
  let port = 0
  let received = 0

  function keep(topic: string, payload: string): void {
    if (payload === '') retained.delete(topic)
    else retained.set(topic, payload)
  }

  function serve(socket: Socket): void {
    let pending = Buffer.alloc(0)
    let will: [topic: string, payload: string] | undefined
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      if (will) keep(...will)
    })
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data])
      for (let length = lengthOf(pending); length !== undefined; length = lengthOf(pending)) {
        take(pending.subarray(0, length))
        pending = pending.subarray(length)
      }
    })

    function take(packet: Buffer): void {
      const kind = packet[0]! >> 4
      if (kind === CONNECT) {
        const [flags, fields] = connectIn(packet)
        // The identifier of the client comes first.
        if (flags & 0x04) will = [fields[1]!, fields[2]!]
        socket.write(Buffer.from([0x20, 2, 0, 0]))
      } else if (kind === PUBLISH) {
        const { topic, payload, id } = publishIn(packet)
        received++
        if (packet[0]! & 0x01) keep(topic, payload)
        if (id) socket.write(Buffer.concat([Buffer.from([0x40, 2]), id]))
      } else if (kind === SUBSCRIBE) {
        const { id, topic } = subscriptionIn(packet)
        subscribers.set(topic, socket)
        socket.write(Buffer.concat([Buffer.from([0x90, 3]), id, Buffer.from([0])]))
      } else if (kind === PING) socket.write(Buffer.from([0xd0, 0]))
      else if (kind === DISCONNECT) will = undefined
    }
  }

  async function start(): Promise<void> {
    server = createServer(serve)
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
    get subscribed() {
      return new Set(subscribers.keys())
    },
    publish(topic, payload) {
      const name = Buffer.from(topic)
      const body = Buffer.from(payload)
      // Shorter than 128 bytes, so that one byte says how long it is.
      const head = Buffer.from([0x30, 2 + name.length + body.length, 0, name.length])
      subscribers.get(topic)?.write(Buffer.concat([head, name, body]))
    },
    start,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const CONNECT = 1
const PUBLISH = 3
const SUBSCRIBE = 8
const PING = 12
const DISCONNECT = 14

/** Where the first packet begins after its length, and how long that says it is. */
function header(data: Buffer): { from: number; length: number } | undefined {
  let length = 0
  for (let place = 1; place < data.length && place < 5; place++) {
    length += (data[place]! & 0x7f) << (7 * (place - 1))
    if (data[place]! < 0x80) return { from: place + 1, length }
  }
  return undefined
}

/** The bytes of the first packet; undefined while it is not complete. */
function lengthOf(data: Buffer): number | undefined {
  const head = header(data)
  if (!head || data.length < head.from + head.length) return undefined
  return head.from + head.length
}

function connectIn(packet: Buffer): [flags: number, fields: string[]] {
  const { from } = header(packet)!
  // The name of the protocol, its level, the flags, and the time between two signs of life.
  const flags = packet[from + 7]!
  const fields: string[] = []
  for (let place = from + 10; place + 2 <= packet.length;) {
    const end = place + 2 + packet.readUInt16BE(place)
    fields.push(packet.toString('utf8', place + 2, end))
    place = end
  }
  return [flags, fields]
}

function subscriptionIn(packet: Buffer): { id: Buffer; topic: string } {
  const { from } = header(packet)!
  const end = from + 4 + packet.readUInt16BE(from + 2)
  return { id: packet.subarray(from, from + 2), topic: packet.toString('utf8', from + 4, end) }
}

function publishIn(packet: Buffer): { topic: string; payload: string; id?: Buffer } {
  const { from } = header(packet)!
  const end = from + 2 + packet.readUInt16BE(from)
  const topic = packet.toString('utf8', from + 2, end)
  const isToConfirm = (packet[0]! & 0x06) > 0
  const id = isToConfirm ? packet.subarray(end, end + 2) : undefined
  return { topic, payload: packet.toString('utf8', end + (id ? 2 : 0)), id }
}
