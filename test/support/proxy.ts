import http from 'node:http'
import net from 'node:net'
import { closed, listen } from './scripted-appliance'

/** An HTTP proxy that records what it is asked for, and what it carries. */
export class Proxy {
  readonly connects: http.IncomingMessage[] = []
  readonly carried: Buffer[] = []
  /** How many tunnels it has opened. */
  opened = 0
  url = ''
  private readonly sockets = new Set<net.Socket>()
  private readonly server = http.createServer()

  /** @param refusal the raw response to a request that it does not let pass */
  static async start(
    refusal: (request: http.IncomingMessage) => string | undefined = () => undefined,
  ): Promise<Proxy> {
    const proxy = new Proxy()
    const { server } = proxy
    server.on('connect', (request, socket: net.Socket) => {
      proxy.connects.push(request)
      proxy.hold(socket)
      const refused = refusal(request)
      if (refused !== undefined) socket.end(refused)
      else proxy.open(request, socket)
    })
    proxy.url = `http://127.0.0.1:${await listen(server)}`
    return proxy
  }

  stop(): Promise<unknown> {
    for (const socket of this.sockets) socket.destroy()
    return closed(this.server)
  }

  private open(request: http.IncomingMessage, socket: net.Socket): void {
    this.opened++
    const { hostname, port } = new URL(`http://${request.url!}`)
    // Not every machine has IPv6.
    const host = hostname === '[::1]' ? '127.0.0.1' : hostname
    const onward = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      for (const one of [socket, onward])
        one.on('data', (bytes: Buffer) => this.carried.push(bytes))
      onward.pipe(socket).pipe(onward)
    })
    this.hold(onward)
    for (const one of [socket, onward]) {
      one.on('close', () => [socket, onward].forEach((each) => each.destroy()))
    }
  }

  private hold(socket: net.Socket): void {
    this.sockets.add(socket)
    socket.on('error', () => socket.destroy())
  }
}
