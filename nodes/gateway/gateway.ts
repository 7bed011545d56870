import type { Node, NodeAPI, NodeDef } from 'node-red'
import {
  GatewayError,
  newOperation,
  openGateway,
  type Gateway,
  type GatewayOptions,
  type ProxyOptions,
  type TlsOptions,
} from '../../client'
import { flagProperty, numberProperty, refuseUnresolved } from '../runtime/environment'
import type { GatewayNode } from '../runtime/gateway-node'

interface Config extends NodeDef {
  baseUrl?: unknown
  tls?: string
  proxy?: string
  fingerprint?: unknown
  timeout?: unknown
  concurrency?: unknown
  pollInterval?: unknown
  readOnly?: boolean
}

interface Credentials {
  username?: unknown
  password?: unknown
}

/** How long a session without a user stays open: a deploy takes the nodes away and brings them back. */
const LINGER_MS = 2000

export = (RED: NodeAPI): void => {
  RED.nodes.registerType(
    'media-gateway',
    function (this: Node<Credentials>, config: Config) {
      RED.nodes.createNode(this, config)
      const self = this as unknown as GatewayNode & Node<Credentials>
      const users = new Set<Node>()
      let gateway: Gateway | undefined
      let lingering: NodeJS.Timeout | undefined

      self.client = () => (gateway ??= openGateway(optionsOf(RED, self, config)))

      self.register = (user) => {
        users.add(user)
        clearTimeout(lingering)
      }

      self.deregister = (user) => {
        users.delete(user)
        if (users.size > 0 || !gateway) return
        clearTimeout(lingering)
        lingering = setTimeout(endSession, LINGER_MS)
      }

      const endSession = (): void => {
        gateway?.endSession(newOperation('session')).catch((error: GatewayError) => {
          self.warn(`The session could not be ended: ${error.message}`)
        })
      }

      // Two parameters: Node-RED tells by their number that it has to wait.
      self.on('close', (_removed: boolean, done: () => void) => {
        clearTimeout(lingering)
        if (!gateway) return done()
        gateway.close().then(done, done)
      })
    },
    { credentials: { username: { type: 'text' }, password: { type: 'password' } } },
  )
}

function optionsOf(
  RED: NodeAPI,
  node: GatewayNode & Node<Credentials>,
  config: Config,
): GatewayOptions {
  const credentials = node.credentials ?? {}
  const text = (what: string, value: unknown): string => {
    refuseUnresolved(what, value)
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ''
  }
  const baseUrl = text('the address', config.baseUrl)
  return {
    baseUrl,
    username: text('the user name', credentials.username),
    password: text('the password', credentials.password),
    fingerprint: text('the fingerprint', config.fingerprint),
    timeout: numberProperty('the timeout', config.timeout, { least: 1, most: 600_000 }),
    concurrency: numberProperty('the number of calls at once', config.concurrency, {
      least: 1,
      most: 100,
    }),
    pollInterval: milliseconds(
      numberProperty('the time between two polls', config.pollInterval, { least: 1, most: 3600 }),
    ),
    readOnly: flagProperty('read only', config.readOnly),
    tls: tlsOptions(RED, config.tls),
    proxy: proxyOptions(RED, config.proxy, baseUrl),
    log: (level, line) => (level === 'warn' ? node.warn(line) : node.log(line)),
  }
}

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000

interface TlsConfigNode extends Node {
  valid?: boolean
  addTLSOptions(options: TlsOptions): TlsOptions
}

function tlsOptions(RED: NodeAPI, id: string | undefined): TlsOptions | undefined {
  if (!id) return undefined
  const node = RED.nodes.getNode(id) as TlsConfigNode | null
  if (!node || node.valid === false) {
    throw new GatewayError(
      'CONFIG',
      'The TLS configuration of the gateway does not exist, is disabled, or cannot be read. Correct it in the config node.',
    )
  }
  return node.addTLSOptions({})
}

interface ProxyNode extends Node<{ username?: string; password?: string }> {
  url?: string
  noproxy?: string[]
}

function proxyOptions(
  RED: NodeAPI,
  id: string | undefined,
  baseUrl: string,
): ProxyOptions | undefined {
  if (!id) return undefined
  const node = RED.nodes.getNode(id) as ProxyNode | null
  if (!node?.url) {
    throw new GatewayError(
      'CONFIG',
      'The http proxy of the gateway does not exist, is disabled, or has no address. Correct it in the config node.',
    )
  }
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ''
  const direct = (node.noproxy ?? []).some(
    (pattern) => pattern !== '' && (host === pattern || host.endsWith(pattern)),
  )
  if (direct) return undefined
  return { url: node.url, ...node.credentials }
}
