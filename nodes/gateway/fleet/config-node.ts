// What a config node with an inventory is made of.
import type { Node, NodeAPI, NodeDef } from 'node-red'
import { GatewayError, ofConfiguration, say } from '../../../client/errors'
import type { GatewayOptions } from '../../../client/connection/connection'
import { serverLanguage } from '../../runtime/catalog'
import { flagProperty } from '../../runtime/properties'
import type { Remote } from '../../runtime/remote'
import { whenStarted } from '../../runtime/flows-started'
import type { GatewayNode } from '../../runtime/gateway-node'
import { createFleet } from './fleet'
import { followSource, inventoryIn, inventorySource } from './inventory'
import { leasesOf, type LeaseConfig, type LeaseCredentials } from './lease'
import {
  gatewayOptions,
  secretPrefixOf,
  type GatewayConfig,
  type GatewayCredentials,
  type InventoryConfig as SourceConfig,
} from '../options'
import type { SavedConnections } from '../saved'
import { openShare } from './share'

/** The saved properties that say for which appliances a config node stands. */
export interface InventoryConfig extends SourceConfig, LeaseConfig {}
export type InventoryCredentials = LeaseCredentials

interface Config extends NodeDef, GatewayConfig, InventoryConfig {}
type ConfigNode = Node<GatewayCredentials & InventoryCredentials>
type Log = (level: 'info' | 'warn' | 'error', line: string) => void

/** Returns what makes the parts of config nodes with an inventory. */
export function makerFor(RED: NodeAPI, connections: SavedConnections) {
  const openLease = leasesOf(RED)

  return (
    node: ConfigNode,
    config: Config,
    log: Log,
    callers: GatewayOptions['callers'],
  ): Omit<GatewayNode, keyof Node> & { close(): Promise<void> } => {
    const { id } = node
    const name = node.name || id
    const identity = { id, name, host: '' }
    const secretPrefix = (): string => secretPrefixOf(config)

    const fleet = createFleet({
      node: { id, name },
      openShare: (follower) =>
        openShare(config, () => openLease(config, node.credentials, log, follower)),
      open(row, of, ownership) {
        secretPrefix()
        const { baseUrl, fingerprint, username, password } = row
        const settings = { ...config, baseUrl, fingerprint }
        // An error names the appliance already.
        const logged: Log = (level, line) =>
          log(level, line.includes(of.host) ? line : `${row.name}: ${line}`)
        const options = gatewayOptions(RED, settings, { username, password }, logged)
        return connections.open(id, Object.assign(options, { node: of, callers, ...ownership }))
      },
      secretPrefix,
      note(remote) {
        log('info', lineOf(remote))
        RED.log.audit({ event: 'media-gateway.command', gateway: id, ...remote } as never)
      },
      language: serverLanguage(RED),
      log,
    })
    let unhook = whenStarted(RED, joinAgain)
    function joinAgain(): void {
      unhook = whenStarted(RED, joinAgain)
      fleet.join()
    }
    const source = followSource(() => inventorySource(RED, node, config), {
      onValue: (value) =>
        fleet.update(inventoryIn(value, RED, node, { ...config, ...node.credentials })),
      onFailure: fleet.fail,
    })
    return {
      fleet: Object.assign(fleet, {
        hasNames: true,
        readOnly: isReadOnly(config),
        ready: source.ready,
      }),
      identity,
      client() {
        throw ofConfiguration(new GatewayError('INVALID_INPUT', say('applianceNeeded')), identity)
      },
      secretPrefix,
      failovers: new Set(),
      register: fleet.register,
      deregister: fleet.deregister,
      close() {
        unhook()
        source.close()
        return fleet.close()
      },
    }
  }
}

function lineOf({ from, operation, action, appliance, route, outcome }: Remote): string {
  const what = action === undefined ? operation : `${operation} (${action})`
  const where = route === undefined ? appliance : `${appliance}, route ${JSON.stringify(route)}`
  return `For the instance ${from}: ${what} on ${where}: ${outcome}`
}

/** A value that is neither true nor false counts as true; opening a connection reports it. */
function isReadOnly({ readOnly }: Config): boolean {
  try {
    return flagProperty('readOnly', readOnly)
  } catch {
    return true
  }
}
