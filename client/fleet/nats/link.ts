import net from 'node:net'
import type { PeerCertificate } from 'node:tls'
import type { Authenticator, NatsConnection } from '@nats-io/transport-node'
import { checkIdentity, type TlsOptions } from '../../connection/agents'
import { createOutageLog } from '../../connection/outage-log'
import { Stop, pause, within } from '../../stop'
import { answered, missingRight, reasonOf } from './failures'
import { accountIn, checkOptions, type EngineAccount, type EngineOptions } from './options'
import { repliesOf } from './subjects'

/** The connection to the engine, which is opened again for ever. */
export type Link = ReturnType<typeof openLink>

const LONGEST_WAIT_MS = 2000
const SHORTEST_TIMEOUT_MS = 500

/**
 * Each connection is a new one: nothing that was meant for an earlier one is sent late on it, and
 * every request on its way fails as soon as it is lost.
 * @throws GatewayError `CONFIG` for options that cannot work
 */
export function openLink(options: EngineOptions) {
  const { servers, secure } = checkOptions(options)
  const { user, password, credentials, tls, ttlMs, fleet } = options
  const timeout = Math.max(SHORTEST_TIMEOUT_MS, ttlMs / 5)
  const stop = new Stop()
  const listeners = new Set<(isUp: boolean) => void>()
  const prepares: Array<(connection: NatsConnection) => Promise<unknown>> = []
  const outages = createOutageLog(options.log, `The engine of the fleet "${fleet}" responds again.`)
  const trusted: TlsOptions = { checkServerIdentity: identityOf(servers, tls?.servername), ...tls }
  /** The rights that are missing, as far as was said. */
  const refused = new Set<string>()
  let up: { readonly connection: NatsConnection; readonly since: number } | undefined
  let failure: string | undefined

  function connect(): Promise<NatsConnection> {
    const nats = require('@nats-io/transport-node') as typeof import('@nats-io/transport-node')
    return nats.connect({
      servers,
      ...(credentials === undefined
        ? { user, pass: password }
        : { authenticator: authenticatorOf(nats, accountIn(credentials)!) }),
      tls: secure ? (trusted as object) : null,
      name: `media-gateway-${fleet}`,
      inboxPrefix: repliesOf(fleet),
      timeout,
      reconnect: false,
      // Noticed after three of them, a quarter of the lease, that nothing comes back.
      pingInterval: Math.max(100, ttlMs / 12),
      maxPingOut: 2,
      noAsyncTraces: true,
    })
  }

  /** A message that the account may not send is lost, and nothing else says so. */
  async function tellRefusals(opened: NatsConnection): Promise<void> {
    for await (const status of opened.status()) {
      const missing = status.type === 'error' ? missingRight(status.error) : undefined
      if (missing === undefined || refused.has(missing)) continue
      refused.add(missing)
      options.log(
        'warn',
        `The account of the fleet "${fleet}" on the engine has no right to ${missing}.`,
      )
    }
  }

  /** One connection, from its beginning to its end. @returns why it ended */
  async function once(): Promise<unknown> {
    const opened = await connect()
    const unhook = stop.onStop(() => void opened.close())
    void tellRefusals(opened)
    try {
      for (const prepare of prepares) await answered(2 * timeout, prepare(opened))
      if (stop.stopped || opened.isClosed()) return await opened.closed()
      up = { connection: opened, since: performance.now() }
      failure = undefined
      outages.recovered('engine')
      for (const listener of listeners) listener(true)
      return await opened.closed()
    } finally {
      unhook()
      void opened.close()
    }
  }

  async function run(): Promise<void> {
    // The start of Node-RED does not wait for the client to be loaded.
    await pause(0, stop)
    while (!stop.stopped) {
      const ended = await once().catch((error: unknown) => error)
      const wasUp = up !== undefined
      up = undefined
      const reason = reasonOf(ended)
      failure = reason
      if (!stop.stopped) {
        outages.failed(
          'engine',
          reason,
          `The engine of the fleet "${fleet}" cannot be reached (${reason}). It is tried again.`,
        )
      }
      if (wasUp) for (const listener of listeners) listener(false)
      // All instances have lost it at the same moment.
      const longest = wasUp ? LONGEST_WAIT_MS / 4 : LONGEST_WAIT_MS
      await pause(longest * (0.5 + Math.random() / 2), stop)
    }
  }
  const running = run()

  return {
    /** Milliseconds that each call may take. */
    timeout: ttlMs / 5,
    get isUp(): boolean {
      return up !== undefined
    },
    /** The present connection; undefined while there is none that can be used. */
    get connection(): NatsConnection | undefined {
      return up?.connection.isClosed() ? undefined : up?.connection
    },
    get since(): number | undefined {
      return up?.since
    },
    get reason(): string | undefined {
      return failure
    },
    onChange(listener: (isUp: boolean) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Work to be done on each new connection before it counts as up; another one is opened if it rejects. */
    beforeUp: (prepare: (connection: NatsConnection) => Promise<unknown>): void =>
      void prepares.push(prepare),
    async close(): Promise<void> {
      stop.now()
      // A connection that is just being opened ends by itself.
      await within(LONGEST_WAIT_MS, running)
    },
  }
}

function authenticatorOf(
  { jwtAuthenticator, nkeyAuthenticator }: typeof import('@nats-io/transport-node'),
  { jwt, seed }: EngineAccount,
): Authenticator {
  const bytes = new TextEncoder().encode(seed)
  return jwt === undefined ? nkeyAuthenticator(bytes) : jwtAuthenticator(jwt, bytes)
}

/** The client has a certificate of a server without a name, such as 10.0.0.1, checked for `localhost`. */
function identityOf(servers: readonly string[], given: string | undefined) {
  const hosts = servers.map((each) => new URL(`nats://${each}`).hostname.replace(/^\[|\]$/g, ''))
  const addresses = hosts.filter((host) => net.isIP(host))
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const names = name === 'localhost' && !given && !hosts.includes(name) ? addresses : [name]
    const faults = names.map((each) => checkIdentity(each, certificate))
    return faults.includes(undefined) ? undefined : faults[0]
  }
}
