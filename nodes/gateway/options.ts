import type { Node, NodeAPI } from 'node-red'
import { GatewayError, say } from '../../client/errors'
import { SECRET_PREFIX, isSecretPrefix } from '../../client/model/secrets'
import type { Connection, GatewayOptions } from '../../client/connection/connection'
import type { ProxyOptions, TlsOptions } from '../../client/connection/agents'
import type { EngineOptions } from '../../client/fleet/nats/options'
import { DEFAULTS, RANGES } from '../../client/model/ranges'
import type { GatewayNode } from '../runtime/gateway-node'
import {
  flagProperty,
  linesProperty,
  numberProperty,
  refuseUnresolved,
} from '../runtime/properties'

export interface InventoryConfig {
  /** `none`, `json`, `file`, `env` or `global`. */
  inventoryType?: unknown
  /** JSON, a path, a variable, or a key of the global context. */
  inventory?: unknown
  /** Patterns of the hosts that get the stored password if an inventory is not typed in. */
  inventoryHosts?: unknown
}

/** The saved properties of the config node, as far as they concern the connection. */
export interface GatewayConfig extends InventoryConfig {
  baseUrl?: unknown
  tls?: string
  proxy?: string
  fingerprint?: unknown
  timeout?: unknown
  concurrency?: unknown
  pollInterval?: unknown
  readOnly?: unknown
  secretPrefix?: unknown
  protectedRoutes?: unknown
  /** With an inventory, which part of it this instance works for; with leases, by which engine. */
  share?: unknown
  engine?: unknown
  engineTls?: string
  engineReplicas?: unknown
  fleet?: unknown
  instance?: unknown
  leaseTtl?: unknown
  gather?: unknown
}

export interface GatewayCredentials {
  username?: unknown
  password?: unknown
  engineUser?: unknown
  enginePassword?: unknown
  engineCredentials?: unknown
  fleetKey?: unknown
}

/** The values of a config form that may not be deployed yet; with only an ID, the deployed ones. */
export interface ConnectionForm extends GatewayConfig, GatewayCredentials {
  id?: string
}

/** What a config node is made of: with an inventory a fleet, or else its one appliance. */
export type Parts = Omit<GatewayNode, keyof Node> & { close(): Promise<void> }

export type Log = (level: 'info' | 'warn' | 'error', line: string) => void

/** Opens a connection of a config node. @throws GatewayError `CONFIG` */
export type Open = (
  settings: GatewayConfig & GatewayCredentials,
  more: Pick<GatewayOptions, 'node' | 'log' | 'maySend' | 'saved' | 'onWatched'>,
) => Connection

/** From saved or typed values. @throws GatewayError `CONFIG` that names what is missing or wrong */
export function gatewayOptions(
  RED: NodeAPI,
  config: GatewayConfig,
  credentials: GatewayCredentials = {},
): GatewayOptions {
  const baseUrl = textOf('baseUrl', config.baseUrl)
  return {
    baseUrl,
    username: textOf('username', credentials.username),
    password: textOf('password', credentials.password),
    fingerprint: textOf('fingerprint', config.fingerprint),
    timeout: numberProperty('timeout', config.timeout, RANGES.timeout),
    concurrency: numberProperty('concurrency', config.concurrency, RANGES.concurrency),
    pollInterval: milliseconds(
      numberProperty('pollInterval', config.pollInterval, RANGES.pollInterval),
    ),
    readOnly: flagProperty('readOnly', config.readOnly),
    protectedRoutes: linesProperty('protectedRoutes', config.protectedRoutes),
    tls: tlsOptions(RED, config.tls),
    proxy: proxyOptions(RED, config.proxy, baseUrl),
  }
}

/** A property that is a text: empty where it is none. @throws GatewayError `CONFIG` */
export function textOf(property: string, value: unknown): string {
  refuseUnresolved(property, value)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

const REPLICAS = { least: 1, most: 5, whole: true }
const SHORTEST_KEY = 16

/** Of the engine of a fleet. @throws GatewayError `CONFIG` that names what is missing or wrong */
export function engineOptions(
  RED: NodeAPI,
  config: GatewayConfig & GatewayCredentials,
): Omit<EngineOptions, 'log'> {
  const text = (property: keyof typeof config): string | undefined =>
    textOf(property, config[property]).trim() || undefined
  const servers = text('engine')
  if (!servers) throw new GatewayError('CONFIG', [say('engineMissing'), say('correct')])
  const options = {
    servers,
    user: text('engineUser'),
    password: text('enginePassword'),
    credentials: text('engineCredentials'),
    tls: tlsOptions(RED, config.engineTls),
    fleet: text('fleet') ?? 'fleet',
    key: text('fleetKey') ?? '',
    replicas: numberProperty('engineReplicas', config.engineReplicas, REPLICAS) ?? 1,
    ttlMs:
      1000 * (numberProperty('leaseTtl', config.leaseTtl, RANGES.leaseTtl) ?? DEFAULTS.leaseTtl),
  }
  if (options.key.length >= SHORTEST_KEY) return options
  // Without it, everybody who may publish on the engine could change routes.
  const fault = options.key
    ? say('fleetKeyShort', { length: SHORTEST_KEY })
    : say('fleetKeyMissing')
  throw new GatewayError('CONFIG', [fault, say('correct')])
}

/** With which the names of variables begin that may stand for secrets. @throws GatewayError `CONFIG` */
export function secretPrefixOf({ secretPrefix }: GatewayConfig): string {
  refuseUnresolved('secretPrefix', secretPrefix)
  const prefix = secretPrefix ?? ''
  if (prefix === '') return SECRET_PREFIX
  if (isSecretPrefix(prefix)) return prefix
  throw new GatewayError('CONFIG', say('secretPrefix', { property: 'secretPrefix' }))
}

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000

interface TlsConfigNode extends Node {
  valid?: boolean
  addTLSOptions(options: TlsOptions): TlsOptions
}

/** Undefined without a tls-config node. @throws GatewayError `CONFIG` when there is no such node */
function tlsOptions(RED: NodeAPI, id: string | undefined): TlsOptions | undefined {
  if (!id) return undefined
  const node = RED.nodes.getNode(id) as TlsConfigNode | null
  if (typeof node?.addTLSOptions !== 'function' || node.valid === false) {
    throw new GatewayError('CONFIG', [say('tlsMissing'), say('correct')])
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
    throw new GatewayError('CONFIG', [say('proxyMissing'), say('correct')])
  }
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ''
  const direct = (node.noproxy ?? []).some(
    (pattern) => pattern !== '' && (host === pattern || host.endsWith(pattern)),
  )
  if (direct) return undefined
  return { url: node.url, ...node.credentials }
}

/** The host in a URL, with its port where it has one; empty where there is none. */
export const hostIn = (url: unknown): string =>
  typeof url === 'string' && URL.canParse(url.trim()) ? new URL(url.trim()).host : ''
