import type { Node } from 'node-red'
import type { Gateway } from '../../client'

/** What the other nodes see of the config node `media-gateway`. */
export interface GatewayNode extends Node {
  /**
   * The connection to the appliance, the same for everybody.
   * @throws GatewayError `CONFIG` that names what is missing or wrong
   */
  client(): Gateway
  /** A node begins to use the gateway. */
  register(user: Node): void
  /** A node ends to use it. The last one out closes the session. */
  deregister(user: Node): void
}

export function isGatewayNode(node: Node | null | undefined): node is GatewayNode {
  return typeof (node as GatewayNode | null)?.client === 'function'
}
