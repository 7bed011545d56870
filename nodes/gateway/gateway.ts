import type { Node, NodeAPI, NodeDef } from 'node-red'
import { identityOf } from '../../client/errors'
import type { Connection, GatewayOptions } from '../../client/connection/connection'
import type { GatewayNode } from '../runtime/gateway-node'
import { migrated } from '../runtime/migrations'
import { registerAdminRoutes } from './admin/routes'
import { newAppliance } from './appliance'
import type { CallersConfig } from './callers'
import { hasInventory, isSet } from './fleet/inventory'
import {
  gatewayOptions,
  hostIn,
  secretPrefixOf,
  type GatewayConfig,
  type GatewayCredentials,
} from './options'
import { soleFleet } from './sole-fleet'
import { createSavedConnections, type SavedConnections } from './saved'
import type { InventoryConfig, InventoryCredentials } from './fleet/config-node'

interface Config extends NodeDef, GatewayConfig, InventoryConfig, CallersConfig {}

type ConfigNode = Node<GatewayCredentials & InventoryCredentials>

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
  const connections = createSavedConnections()
  let withInventory: Maker | undefined
  RED.nodes.registerType(
    'media-gateway',
    function (this: ConfigNode, saved: Config) {
      RED.nodes.createNode(this, saved)
      const config = migrated(saved)
      const log = logOf(this)
      const names = isSet(config.callersType)
        ? loadCallers().followCallers(RED, this, config)
        : undefined
      const parts = hasInventory(config)
        ? (withInventory ??= load().makerFor(RED, connections))(this, config, log, names?.now)
        : withOne(RED, this, config, log, connections, names?.now)
      for (const name of PARTS) Object.defineProperty(this, name, { value: parts[name] })
      // Two parameters: from their number, Node-RED knows that it has to wait.
      this.on('close', (removed: boolean, done: () => void) => {
        names?.close()
        parts.close().then(done, done)
        if (removed) connections.remove(this.id)
      })
    },
    {
      credentials: {
        username: { type: 'text' },
        password: { type: 'password' },
        engineUser: { type: 'text' },
        enginePassword: { type: 'password' },
        engineCredentials: { type: 'password' },
        fleetKey: { type: 'password' },
      },
    },
  )
}

/** Fleets are loaded with the first inventory: for anybody else they cost Node-RED's start nothing. */
const load = (): typeof import('./fleet/config-node') =>
  require('./fleet/config-node') as typeof import('./fleet/config-node')
type Maker = ReturnType<ReturnType<typeof load>['makerFor']>

/** So are the names of callers. */
const loadCallers = (): typeof import('./callers') =>
  require('./callers') as typeof import('./callers')

type Log = (level: 'info' | 'warn' | 'error', line: string) => void

const logOf =
  (node: Node): Log =>
  (level, line) =>
    level === 'info' ? node.log(line) : node[level](line)

function withOne(
  RED: NodeAPI,
  node: ConfigNode,
  config: Config,
  log: Log,
  connections: SavedConnections,
  callers: GatewayOptions['callers'],
): Parts {
  const { id, name } = node
  const host = hostIn(config.baseUrl)
  const open = (): Connection => {
    secretPrefixOf(config)
    const options = gatewayOptions(RED, config, node.credentials, log)
    return connections.open(id, Object.assign(options, { node: { id, name }, callers }))
  }
  const appliance = newAppliance({
    identity: identityOf({ id, name: name || host || id }, host),
    open,
    secretPrefix: () => secretPrefixOf(config),
    warn: (line) => node.warn(line),
  })
  return Object.assign(appliance, { fleet: soleFleet(appliance) })
}
