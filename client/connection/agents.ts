import { X509Certificate } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { isIPv6 } from 'node:net'
import { unescape } from 'node:querystring'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls'
import type { HttpProxyAgent, HttpsProxyAgent } from 'hpagent'
import { GatewayError, say } from '../errors'
import type { Certificate } from '../model/settings'

/** TLS options as `https.Agent` takes them: own authority, client certificate, server name and so on. */
export type TlsOptions = https.AgentOptions

/** An http proxy on the way to the appliance. Its credentials go to the proxy only. */
export interface ProxyOptions {
  url: string
  username?: string
  password?: string
}

export interface AgentOptions {
  secure: boolean
  tls?: TlsOptions
  /** SHA-256 fingerprint, 64 upper case hex digits. When set, exactly this certificate is trusted. */
  fingerprint?: string
  proxy?: ProxyOptions
  /** Milliseconds that a proxy may take to connect to the appliance. */
  timeout: number
}

/** @throws GatewayError `CONFIG` when the proxy address cannot be used. */
export function createAgents(options: AgentOptions) {
  const kept = createAgent(options, true)
  const single = createAgent(options, false)
  return {
    /** Keeps connections open: for reads, which may be repeated. */
    kept,
    /**
     * One connection for each call: for everything that changes the appliance, unless it takes too
     * long for a plan. If the appliance closed a kept connection at the same moment, it would not be
     * known whether the change arrived.
     */
    single,
    /** Closes the connections that are kept and not in use. */
    closeIdle(): void {
      for (const idle of Object.values(kept.freeSockets)) {
        for (const socket of idle ?? []) socket.destroy()
      }
    },
    destroy(): void {
      kept.destroy()
      single.destroy()
    },
  }
}

function createAgent(options: AgentOptions, keepAlive: boolean): http.Agent {
  const { secure, tls = {}, fingerprint, proxy } = options
  const pinned = secure && fingerprint !== undefined
  const agentOptions: https.AgentOptions = { keepAlive, scheduling: 'lifo' }
  if (secure) Object.assign(agentOptions, trust(tls, pinned))
  const agent = proxy
    ? createProxyAgent(proxy, secure, { ...agentOptions, timeout: options.timeout })
    : new (secure ? https : http).Agent(agentOptions)
  return pinned ? trustOnly(fingerprint, agent, options.timeout) : agent
}

/**
 * Decides who judges a certificate. With a fingerprint it is `trustOnly`, which compares before
 * anything is sent and accepts a self-signed certificate too. Without one it is the authorities,
 * unless the user's TLS configuration says otherwise.
 */
function trust(tls: TlsOptions, pinned: boolean): https.AgentOptions {
  const byAuthorities = !pinned && tls.rejectUnauthorized !== false
  // A resumed TLS session shows no certificate to compare.
  const resumption = pinned ? { maxCachedSessions: 0 } : {}
  return {
    checkServerIdentity: checkIdentity,
    ...tls,
    ...resumption,
    rejectUnauthorized: byAuthorities,
  }
}

/**
 * Whether a certificate was issued for a host. An IPv6 address may be in brackets, as a proxy gets it;
 * and Node.js 22.23.3 takes each one for a name that no certificate has.
 */
export const checkIdentity: typeof checkServerIdentity = (host, certificate) => {
  const bare = withoutBrackets(host)
  const isIts = isIPv6(bare) && new X509Certificate(certificate.raw).checkIP(bare) !== undefined
  return isIts ? undefined : checkServerIdentity(bare, certificate)
}

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

function createProxyAgent(
  proxy: ProxyOptions,
  secure: boolean,
  options: https.AgentOptions,
): http.Agent {
  const { HttpProxyAgent, HttpsProxyAgent } = require('hpagent') as {
    HttpProxyAgent: new (options: object) => HttpProxyAgent
    HttpsProxyAgent: new (options: object) => HttpsProxyAgent
  }
  let url: URL
  try {
    url = new URL(proxy.url)
  } catch {
    throw new GatewayError('CONFIG', say('proxyInvalid'))
  }
  if (proxy.username) url.username = encodeURIComponent(proxy.username)
  if (proxy.password) url.password = encodeURIComponent(proxy.password)
  const Agent = secure ? HttpsProxyAgent : HttpProxyAgent
  const { protocol, hostname, port, username, password } = url
  const named = { protocol, hostname: withoutBrackets(hostname), port, username, password }
  return endingTunnels(new Agent({ ...options, proxy: named }))
}

/** Makes a proxy agent end with itself the tunnels, too, that the proxy has not opened yet. */
function endingTunnels(agent: http.Agent): http.Agent {
  const connecting = agent as unknown as Connecting & { proxyRequestOptions: object }
  const connect = connecting.createConnection.bind(agent)
  const destroy = agent.destroy.bind(agent)
  const waiting = new Set<AbortController>()
  connecting.createConnection = (options, connected) => {
    const tunnel = new AbortController()
    waiting.add(tunnel)
    connecting.proxyRequestOptions = { signal: tunnel.signal }
    const { host } = options
    // In brackets, as its port follows.
    const named = isIPv6(host) ? { ...options, host: `[${host}]` } : options
    return connect(named, (error, socket) => {
      waiting.delete(tunnel)
      connected?.(error && new ProxyFault(error), socket)
    })
  }
  agent.destroy = () => {
    for (const tunnel of waiting) tunnel.abort()
    destroy()
  }
  return agent
}

/** The password of a proxy, which may also be in its address. */
export function passwordsOf({ url, password = '' }: ProxyOptions): string[] {
  const inUrl = URL.canParse(url) ? unescape(new URL(url).password) : ''
  return [password, inUrl].filter((secret) => secret !== '')
}

type Connected = (error: Error | null, socket?: Duplex) => void
interface ConnectionOptions {
  host: string
}
interface Connecting {
  createConnection(options: ConnectionOptions, connected?: Connected): Duplex | undefined
}

/** Makes an agent hand on only connections whose certificate has this fingerprint. */
function trustOnly(fingerprint: string, agent: http.Agent, timeout: number): http.Agent {
  const connecting = agent as unknown as Connecting
  const connect = connecting.createConnection.bind(agent)
  const destroy = agent.destroy.bind(agent)
  // Connections that are not handed on yet: the agent's own `destroy` would miss them.
  const verifying = new Set<TLSSocket>()

  function verify(socket: TLSSocket, connected?: Connected): void {
    verifying.add(socket)
    const settle = (error: Error | null): void => {
      clearTimeout(timer)
      verifying.delete(socket)
      socket.off('error', settle)
      socket.off('close', cutOff)
      socket.off('secureConnect', compare)
      if (error) {
        socket.on('error', () => undefined)
        socket.destroy()
      }
      connected?.(error, error ? undefined : socket)
    }
    const cutOff = (): void => settle(failure('closed during the TLS handshake', 'ECONNRESET'))
    const compare = (): void => {
      const shown = certificateOf(socket.getPeerCertificate())
      const isPinned = shown.fingerprint.replaceAll(':', '') === fingerprint
      settle(isPinned ? null : new UntrustedCertificate(shown))
    }
    const timer = setTimeout(
      () => settle(failure('no end of the TLS handshake', 'ETIMEDOUT')),
      timeout,
    )
    socket.on('error', settle)
    socket.on('close', cutOff)
    socket.on('secureConnect', compare)
  }

  connecting.createConnection = (options, connected) => {
    let begun = false
    const begin = (error: Error | null, socket?: Duplex): void => {
      if (begun) return
      begun = true
      if (error || !socket) connected?.(error ?? new Error('no connection'))
      else verify(socket as TLSSocket, connected)
    }
    // A plain agent returns the socket, a proxy agent hands it to the callback.
    const socket = connect(options, begin)
    if (socket) begin(null, socket)
    return undefined
  }
  agent.destroy = () => {
    for (const socket of verifying) socket.destroy()
    destroy()
  }
  return agent
}

const failure = (message: string, code: string): Error =>
  Object.assign(new Error(message), { code })

function certificateOf(peer: Partial<PeerCertificate>): Certificate {
  const name = (parts: object = {}): string =>
    Object.entries(parts)
      .map(([part, value]) => `${part}=${String(value)}`)
      .join(', ')
  const time = (text = ''): string => {
    const at = new Date(text)
    return Number.isNaN(at.getTime()) ? '' : at.toISOString()
  }
  return {
    fingerprint: peer.fingerprint256 ?? '',
    subject: name(peer.subject),
    issuer: name(peer.issuer),
    validFrom: time(peer.valid_from),
    validTo: time(peer.valid_to),
  }
}

/** The proxy could not be reached, or did not connect: nothing is known about the appliance. */
export class ProxyFault extends Error {
  readonly code?: string

  constructor({ message, code }: NodeJS.ErrnoException) {
    super(message)
    this.code = code
  }
}

/** The appliance showed another certificate than the pinned one. */
export class UntrustedCertificate extends Error {
  readonly code = 'CERT_FINGERPRINT'

  constructor(readonly shown: Certificate) {
    super('another certificate than the pinned one')
  }
}
