import type { Node, NodeAPI, NodeDef } from 'node-red'
import { identityOf } from '../../client/errors'
import { migrated } from '../runtime/migrations'
import { registerAdminRoutes } from './admin/routes'
import { newAppliance } from './appliance'
import type { CallersConfig } from './callers'
import { hasInventory, isSet } from './inventory'
import {
  gatewayOptions,
  hostIn,
  secretPrefixOf,
  type GatewayConfig,
  type GatewayCredentials,
  type Log,
  type Open,
  type Parts,
} from './options'
import { soleFleet } from './sole-fleet'
import { createSavedConnections } from './saved'

interface Config extends NodeDef, GatewayConfig, CallersConfig {}

type ConfigNode = Node<GatewayCredentials>

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
      const open: Open = (settings, more) => {
        secretPrefixOf(settings)
        const options = gatewayOptions(RED, settings, settings)
        return connections.open(this.id, Object.assign(options, more, { callers: names?.now }))
      }
      const parts = hasInventory(config)
        ? (withInventory ??= load().makerFor(RED))(this, config, log, open)
        : withOne(this, config, log, open)
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

const logOf =
  (node: Node): Log =>
  (level, line) =>
    level === 'info' ? node.log(line) : node[level](line)

function withOne(node: ConfigNode, config: Config, log: Log, open: Open): Parts {
  const { id, name } = node
  const { username, password } = node.credentials
  const host = hostIn(config.baseUrl)
  const appliance = newAppliance({
    identity: identityOf({ id, name: name || host || id }, host),
    open: () => open({ ...config, username, password }, { node: { id, name: name ?? '' }, log }),
    secretPrefix: () => secretPrefixOf(config),
    warn: (line) => node.warn(line),
  })
  return Object.assign(appliance, { fleet: soleFleet(appliance) })
}
