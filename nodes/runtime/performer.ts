// What an action node does with a message on an appliance.
import { forgetOnlyDevice, mayBeUnknownDevice } from '../../client/api/devices'
import type { Connection } from '../../client/connection/connection'
import type { Operation } from '../../client/connection/operation'
import type { Appliance } from './gateway-node'
import type { Message, Parameters } from './parameters'
import type { Did } from './status'

/** One message on its way through an action node. */
export interface Call<Config, Memory = undefined> {
  gateway: Connection
  operation: Operation
  config: Config
  /** The members that the performer names. */
  message: Message
  parameters: Parameters
  /** Shows how far a long call has got, in signs and numbers, such as `412/1000`. */
  progress: (text: string) => void
  /** What this node keeps from one message to the next. */
  memory: Memory
  /** With which the names of variables begin that may stand for secrets. */
  secretPrefix: () => string
}

/** What a node returns; the handler puts it into the message. Plain data: it may come from elsewhere. */
export interface Result {
  payload: unknown
  /** What to show under the node. */
  did: Did
  deviceId?: string
  /** Null when the ID is not known: one in the message would be that of another route. */
  routeId?: string | null
  /** The name by which the next node may find the route instead. */
  routeName?: string
  /** What is planned or was carried out, for `msg.plan`. */
  plan?: object
  /** The payload has no secret any more: it stays as it is with *Hide secrets*. */
  isShown?: true
  /** One message for each entry of the payload, with `msg.parts`. What the entries are. */
  split?: 'routes' | 'devices'
}

/** Whether a call may change something on the appliance. */
export type Effect = 'read' | 'change'

/** What a type of action nodes does, and what it needs of node and message for it. */
export interface Performer<Config, Memory = undefined> {
  perform: (call: Call<Config, Memory>) => Promise<Result>
  /** The members of the message that it reads besides its parameters. */
  message?: readonly string[]
  /** It acts on a route that the message, or the node, names. */
  route?: (config: Config) => boolean
  /** It reads the definition of a route. */
  definition?: boolean
  /** By default `read`. */
  effect?: (config: Config, message: Message) => Effect
  /** Makes what each node of this type keeps from one message to the next. */
  newMemory?: () => Memory
}

/** An action node of this Node-RED, with its own settings. */
export interface ActionNode {
  readonly type: string
  readonly config: object
  readonly performer: Performer<object, unknown>
}

/** By their IDs: another instance, with the same flows, may ask for what one of them does. */
const actionNodes = new Map<string, ActionNode>()

/** @returns removes it */
export function addActionNode<Config extends object, Memory>(
  id: string,
  {
    type,
    config,
    performer,
  }: { type: string; config: Config; performer: Performer<Config, Memory> },
): () => void {
  // Its performer gets the settings of the node itself.
  const added = { type, config, performer: performer as unknown as ActionNode['performer'] }
  actionNodes.set(id, added)
  return () => {
    if (actionNodes.get(id) === added) actionNodes.delete(id)
  }
}

export const actionNodeOf = (id: string): ActionNode | undefined => actionNodes.get(id)

/**
 * Has a performer do what a call asks for.
 * @returns the result as it may leave: the payload without secrets where the node hides them or
 * changes something, the plan and what is shown under the node without them in any case
 * @throws GatewayError without secrets
 */
export async function performed<Config extends { hideSecrets?: boolean }, Memory>(
  performer: Performer<Config, Memory>,
  call: Call<Config, Memory>,
): Promise<Result> {
  const { gateway, config } = call
  try {
    const result = await performer.perform(call)
    result.did = gateway.hide(result.did)
    // A plain read returns what the gateway has; anything else may be printed by any debug node.
    if (call.operation.changes || result.plan || (config.hideSecrets && !result.isShown)) {
      result.payload = gateway.hide(result.payload)
    }
    if (result.plan) result.plan = gateway.hide(result.plan)
    return result
  } catch (error) {
    if (mayBeUnknownDevice(error)) forgetOnlyDevice(gateway)
    throw gateway.hideInError(error)
  }
}

/** The members of a message that a performer gets. */
export function partOf(message: Message, names: readonly string[] = []): Message {
  const part: Record<string, unknown> = {}
  for (const name of names) part[name] = message[name]
  return part
}

/** Whether a call may change the appliance. */
export const mayChange = <Config, Memory>(
  { effect }: Performer<Config, Memory>,
  config: Config,
  message: Message,
): boolean => effect?.(config, message) === 'change'

/** What a node keeps for an appliance of an inventory; undefined where it keeps nothing for each. */
export function memoryFor<Memory>(
  { memories }: Appliance,
  nodeId: string,
  newMemory: (() => Memory) | undefined,
): Memory | undefined {
  if (!memories || !newMemory) return undefined
  const known = (memories.get(nodeId) as Memory | undefined) ?? newMemory()
  memories.set(nodeId, known)
  return known
}
