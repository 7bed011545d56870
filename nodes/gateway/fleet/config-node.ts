// What a config node with an inventory is made of.
import type { Node, NodeAPI } from 'node-red'
import { GatewayError, ofConfiguration, say } from '../../../client/errors'
import { serverLanguage } from '../../runtime/catalog'
import { flagProperty } from '../../runtime/properties'
import type { Remote } from '../../runtime/remote'
import { whenStarted } from '../../runtime/flows-started'
import { createFleet } from './fleet'
import { followSource, inventoryIn, inventorySource } from '../inventory'
import {
  hostIn,
  secretPrefixOf,
  type GatewayConfig,
  type GatewayCredentials,
  type Log,
  type Open,
  type Parts,
} from '../options'
import { sharesOf } from './share'

/** Returns what makes the parts of config nodes with an inventory. */
export function makerFor(RED: NodeAPI) {
  const openShare = sharesOf(RED)

  return (node: Node<GatewayCredentials>, config: GatewayConfig, log: Log, open: Open): Parts => {
    const { id } = node
    const { username, password, ...account } = node.credentials
    const name = node.name || id
    const identity = { id, name, host: '' }
    const secretPrefix = (): string => secretPrefixOf(config)

    const fleet = createFleet({
      node: identity,
      openShare: (follower) => openShare({ ...config, ...account }, log, follower),
      open(row, more) {
        // An error names the appliance already.
        const logged: Log = (level, line) =>
          log(level, line.includes(hostIn(row.baseUrl)) ? line : `${row.name}: ${line}`)
        return open({ ...config, ...row }, { ...more, log: logged })
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
        fleet.update(inventoryIn(value, RED, node, { ...config, username, password })),
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
function isReadOnly({ readOnly }: GatewayConfig): boolean {
  try {
    return flagProperty('readOnly', readOnly)
  } catch {
    return true
  }
}
