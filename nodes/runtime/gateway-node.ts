import type { Node, NodeAPI, NodeDef } from 'node-red'
import { GatewayError, say, type Identity } from '../../client/errors'
import type { Connection } from '../../client/connection/connection'
import type { FailoverStatus } from '../../client/failover/protect'
import type { RouteAddress } from '../../client/changes/find'
import type { Share } from '../../client/fleet/lease'
import type { EngineChange } from '../../client/fleet/types'
import type { FailoverCause } from '../../client/model/failover'

/** A failover node, as the editor and the metrics see it. */
export interface ListedFailover {
  /** Of the node. */
  readonly id: string
  readonly name: string
  /** The protected routes, as far as they have been found. */
  routes(): RouteAddress[]
  /** Absent before the first look. */
  readonly status?: FailoverStatus
  /** How many switches were made since the start of the node. */
  readonly switches: Partial<Record<FailoverCause, number>>
  /** Obeys a message. @throws GatewayError */
  obey(message: Record<string, unknown>): Promise<void>
}

/** One appliance, as the nodes use it. */
export interface Appliance {
  /** Its name in the inventory; undefined for the one of a config node without an inventory. */
  readonly appliance?: string
  /** With an inventory: by which the instances of a fleet divide appliances. */
  readonly slot?: number
  /** With leases: grows with each owner; undefined while this instance does not own it. */
  readonly token?: number
  /** As errors name it, also where its configuration cannot work. */
  readonly identity: Identity
  /** The same for all users. @throws GatewayError `CONFIG` that names what is missing or wrong */
  client(): Connection
  /** With which the names of variables for secrets begin. @throws GatewayError `CONFIG` */
  readonly secretPrefix: () => string
  /** The failover nodes of this appliance; each adds and removes itself. */
  readonly failovers: Set<ListedFailover>
  /** With an inventory: what action nodes keep from one message to the next, by their IDs. */
  readonly memories?: Map<string, unknown>
  register(user: object): void
  /** Removes that user. After the last one, the session is closed. */
  deregister(user: object): void
}

/** What the other nodes see of the config node `media-gateway`: without an inventory, its appliance. */
export interface GatewayNode extends Node, Appliance {
  /** The appliances of its inventory, or its only one. */
  readonly fleet: Fleet
}

/** What works for each appliance that this instance owns. */
export interface Follower {
  /** This instance works for it from now on. */
  added(appliance: Appliance): void
  /** It works for it no longer: resolves once nothing more is sent on behalf of the follower. */
  removed(appliance: Appliance): void | Promise<void>
  /** Something else has changed: the inventory, what is wrong with it, or what is owned. */
  changed?(): void
  /** The engine on which the instances agree was lost, or is back. */
  engine?(change: EngineChange): void
}

/** An appliance of an inventory as it is now. */
export interface ListedAppliance {
  readonly name: string
  /** Its URL. */
  readonly address: string
  readonly fingerprint?: string
  readonly isOwned: boolean
  /** Undefined before it is first used. */
  readonly connection?: Connection
  readonly failovers?: ReadonlySet<ListedFailover>
}

export interface Fleet {
  /** False without an inventory: then there is one appliance, and its name is empty. */
  readonly hasNames: boolean
  /** @throws GatewayError `CONFIG` without an inventory, as `Appliance.client` */
  readonly readOnly: boolean
  /** Settles when the inventory has been read once, or could not be. Before, only a typed one is there. */
  readonly ready: Promise<void>
  /** It takes part: it works for its share, however small that is. */
  readonly isMember: boolean
  /** Why there are no appliances at all. */
  readonly failure?: GatewayError
  /** The names of all of them, in the order of the inventory. */
  names(): string[]
  /** What is wrong with the inventory, row by row (`cause.appliance`); the other rows work. */
  faults(): GatewayError[]
  /** The columns and members of the inventory that nobody reads. */
  ignored(): string[]
  /** For the Catch nodes: why there is no share, and what went wrong with the inventory while it was in use. */
  alerts(): GatewayError[]
  /** True while this instance works for it, or would if its row could be used. */
  owns(name: string): boolean
  /**
   * Returns an appliance, whoever owns it.
   * @throws GatewayError `NOT_FOUND`; `CONFIG` where its row, or the inventory, cannot be used. `client`
   * of one that is not owned throws `UNAVAILABLE`
   */
  find(name: string): Appliance
  /** Resolves when nothing more is sent to the former appliance of this name; undefined where that is so. */
  former(name: string): Promise<unknown> | undefined
  /** All that have a name, in the order of the inventory. Opens nothing. */
  list(): ListedAppliance[]
  /** Those that this instance owns, those of now at once. @returns ends it, without a call of `removed` */
  follow(follower: Follower): () => void
  /** How it reaches the instances that own the others; undefined until it takes part. */
  readonly share?: Pick<Share, 'send' | 'memory'>
}

export function isGatewayNode(node: Node | null | undefined): node is GatewayNode {
  return typeof (node as GatewayNode | null)?.client === 'function'
}

/** A config node as it was saved, and what runs with that: within a subflow, a node for each instance. */
export interface SavedGateway {
  saved: Saved & { baseUrl?: unknown }
  /** Their IDs: none of what is disabled. Without a node where it could not start. */
  running: Array<{ id: string; node?: GatewayNode }>
}

/** `d` is set in a node that is disabled, `disabled` in a tab. */
type Saved = NodeDef & { d?: unknown; disabled?: unknown }

export function savedGateways(RED: NodeAPI): SavedGateway[] {
  const all: Saved[] = []
  RED.nodes.eachNode((node) => void all.push(node))
  const places = new Map(all.map((node) => [node.id, node]))
  // So Node-RED names what is in an instance.
  const idsOf = ({ id, z, d }: Saved): string[] => {
    const place = places.get(z)
    if (d === true || place?.disabled === true) return []
    if (place?.type !== 'subflow') return [id]
    const instances = all.filter(({ type }) => type === `subflow:${z}`)
    return instances.flatMap(idsOf).map((instance) => `${instance}-${id}`)
  }
  return all
    .filter(({ type }) => type === 'media-gateway')
    .map((saved) => ({
      saved,
      running: idsOf(saved).map((id) => ({ id, node: findGateway(RED, { gateway: id }) })),
    }))
}

/** Those that run. */
export const runningGateways = (RED: NodeAPI): GatewayNode[] =>
  savedGateways(RED).flatMap(({ running }) => running.flatMap(({ node }) => node ?? []))

/** The gateway that a node is set to; undefined when there is none. */
export function findGateway(
  RED: NodeAPI,
  { gateway }: { gateway?: string },
): GatewayNode | undefined {
  const node = gateway ? RED.nodes.getNode(gateway) : null
  return isGatewayNode(node) ? node : undefined
}

/** @throws GatewayError `CONFIG` when there is none */
export function requireGateway(RED: NodeAPI, config: { gateway?: string }): GatewayNode {
  const node = findGateway(RED, config)
  if (node) return node
  const { gateway: id } = config
  if (!id) throw new GatewayError('CONFIG', say('gatewayNotChosen'))
  throw new GatewayError('CONFIG', say('gatewayGone'), { gateway: { id, name: id } })
}
