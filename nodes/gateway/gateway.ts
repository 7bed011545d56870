import type { Node, NodeAPI, NodeDef } from 'node-red'
import {
  GatewayError,
  identityOf,
  ofConfiguration,
  openConnection,
  say,
  type Connection,
  type Identity,
} from '../../client/internal'
import { languageOf } from '../../client/model/watch'
import { readInventory, type UsableRow } from '../../client/fleet/inventory'
import type { GatewayNode } from '../runtime/gateway-node'
import { flagProperty } from '../runtime/environment'
import { migrated } from '../runtime/migrations'
import { registerAdminRoutes } from './admin/routes'
import { newAppliance } from './appliance'
import { createFleet, type OwnFleet } from './fleet'
import { followSource, hasInventory, inventorySource } from './inventory'
import {
  gatewayOptions,
  hostIn,
  secretPrefixOf,
  type GatewayConfig,
  type GatewayCredentials,
} from './options'
import { leaseOf, newEngines, type Engines, type LeaseConfig, type LeaseCredentials } from './lease'
import { shareOf, type ShareConfig } from './share'

interface Config extends NodeDef, GatewayConfig, ShareConfig, LeaseConfig {}

type ConfigNode = Node<GatewayCredentials & LeaseCredentials>

/** What the config node is made of: with an inventory a fleet, or else its one appliance. */
type Parts = Omit<GatewayNode, keyof Node> & { close(): Promise<void> }
const PARTS = [
  'fleet',
  'identity',
  'client',
  'secretPrefix',
  'failovers',
  'register',
  'deregister',
] as const satisfies readonly (keyof Parts)[]

export = (RED: NodeAPI): void => {
  registerAdminRoutes(RED)
  const engines = newEngines()
  RED.nodes.registerType(
    'media-gateway',
    function (this: ConfigNode, saved: Config) {
      RED.nodes.createNode(this, saved)
      const config = migrated(saved)
      const parts = hasInventory(config)
        ? withInventory(RED, this, config, engines)
        : withOne(RED, this, config)
      for (const name of PARTS) Object.defineProperty(this, name, { value: parts[name] })
      // Two parameters: from their number, Node-RED knows that it has to wait.
      this.on('close', (_removed: boolean, done: () => void) => {
        parts.close().then(done, done)
      })
    },
    {
      credentials: {
        username: { type: 'text' },
        password: { type: 'password' },
        engineUser: { type: 'text' },
        enginePassword: { type: 'password' },
      },
    },
  )
}

type Log = (level: 'info' | 'warn', line: string) => void

const logOf =
  (node: Node): Log =>
  (level, line) =>
    level === 'warn' ? node.warn(line) : node.log(line)

function withOne(RED: NodeAPI, node: ConfigNode, config: Config): Parts {
  const { id, name } = node
  const host = hostIn(config.baseUrl)
  const log = logOf(node)
  const open = (): Connection => {
    secretPrefixOf(config)
    const options = gatewayOptions(RED, config, node.credentials, log)
    return openConnection(Object.assign(options, { node: { id, name } }))
  }
  return newAppliance({
    identity: identityOf({ id, name: name || host || id }, host),
    open,
    secretPrefix: () => secretPrefixOf(config),
    warn: (line) => node.warn(line),
  })
}

function withInventory(RED: NodeAPI, node: ConfigNode, config: Config, engines: Engines): Parts {
  const { id } = node
  const name = node.name || id
  const identity = { id, name, host: '' }
  const log = logOf(node)

  const open = (row: UsableRow, of: Identity, maySend?: () => boolean): Connection => {
    secretPrefixOf(config)
    const { baseUrl, fingerprint, username, password } = row
    const settings = { ...config, baseUrl, fingerprint }
    const logged: Log = (level, line) => log(level, `${row.name}: ${line}`)
    const options = gatewayOptions(RED, settings, { username, password }, logged)
    return openConnection(Object.assign(options, { node: of, maySend }))
  }

  let isRead: () => void
  const ready = new Promise<void>((resolve) => (isRead = resolve))
  const fleet = createFleet({
    node: { id, name },
    readOnly: isReadOnly(config),
    ready,
    openShare: (follower) =>
      shareOf(config, () => leaseOf(config, node.credentials, engines, log))(follower),
    open,
    secretPrefix: () => secretPrefixOf(config),
    language: languageOf(RED._('locale')),
    log,
  })
  const closeSource = follow(RED, node, config, fleet, () => isRead())
  return {
    fleet,
    identity,
    client() {
      throw ofConfiguration(new GatewayError('INVALID_INPUT', say('applianceNeeded')), identity)
    },
    secretPrefix: () => secretPrefixOf(config),
    failovers: new Set(),
    register: (user) => fleet.register(user),
    deregister: (user) => fleet.deregister(user),
    close() {
      closeSource()
      return fleet.close()
    },
  }
}

/** Keeps the fleet as its inventory says. @returns ends it */
function follow(
  RED: NodeAPI,
  node: ConfigNode,
  config: Config,
  fleet: OwnFleet,
  isRead: () => void,
): () => void {
  try {
    const source = inventorySource(RED, node, config)
    const rules = {
      lookUp: variablesOf(RED, node),
      defaults: { ...node.credentials, baseUrl: config.baseUrl, fingerprint: config.fingerprint },
      isTyped: source.isTyped,
    }
    const { ready, close } = followSource(source, {
      onValue: (value) => fleet.update(readInventory(value, rules)),
      onFailure: (error) => fleet.fail(error),
    })
    void ready.then(isRead)
    return close
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    fleet.fail(error)
    isRead()
    return () => undefined
  }
}

/** A variable of a flow may be a number. */
const variablesOf =
  (RED: NodeAPI, node: Node) =>
  (variable: string): string | undefined => {
    const value: unknown = RED.util.getSetting(node, variable)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }

/** What cannot be used is told by whoever opens a connection. */
function isReadOnly({ readOnly }: Config): boolean {
  try {
    return flagProperty('readOnly', readOnly)
  } catch {
    return true
  }
}
