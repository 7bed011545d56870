// What an action node does with a message on an appliance.
import type { Connection } from '../../client/connection/connection'
import type { Operation } from '../../client/connection/operation'
import { onGateway, type Nature, type OperationRow } from '../../client/operations'
import type { Appliance } from './gateway-node'
import { memberOf, parametersOf, type Given, type Message, type Parameters } from './parameters'
import { flagProperty } from './properties'
import type { Did } from './status'

/** One message on its way through an action node. */
export interface Call<Config, Memory = undefined> {
  gateway: Connection
  operation: Operation
  config: Config
  /** The members that the performer names. */
  message: Message
  parameters: Parameters
  /** Carries out an operation with these parameters. */
  run: <Options, Result>(
    row: Pick<OperationRow<Options, Result>, 'run'>,
    options: Options,
  ) => Promise<Result>
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
  /** One message for each entry, with `msg.parts`, and with the ID of a route or a device. */
  split?: 'routes' | 'devices' | 'others'
}

/** What a type of action nodes does, and what it needs of node and message for it. */
export interface Performer<Config, Memory = undefined> {
  perform: (call: Call<Config, Memory>) => Promise<Result>
  /** The members of the message that it reads besides its parameters. */
  message?: readonly string[]
  /** What it is about and may change, as of its operations; by default it only reads. */
  nature?: (config: Config) => Nature
  /** It has no property to show secrets, and its payload has none. */
  hidesSecrets?: true
  /** Makes what each node of this type keeps from one message to the next. */
  newMemory?: () => Memory
}

/** An action node of this Node-RED, with its own settings. */
export interface ActionNode {
  readonly type: string
  readonly config: object
  /** It gets the settings of the node itself. */
  readonly performer: Performer<object, unknown>
}

/** By their IDs: another instance, with the same flows, may ask for what one of them does. */
const actionNodes = new Map<string, ActionNode>()

/** @returns removes it */
export function addActionNode(id: string, added: ActionNode): () => void {
  actionNodes.set(id, added)
  return () => {
    if (actionNodes.get(id) === added) actionNodes.delete(id)
  }
}

export const actionNodeOf = (id: string): ActionNode | undefined => actionNodes.get(id)

/** A message that an action node got, here or on another instance. */
export interface Asked<Config, Memory> {
  appliance: Appliance
  /** Of the node. */
  id: string
  config: Config
  performer: Performer<Config, Memory>
  message: Message
  given: Given
  operation: Operation
}

/**
 * Does what a node is asked for.
 * @param memory what the node keeps where the appliance keeps nothing for it
 * @returns the result as it may leave: the payload without secrets where the node hides them or
 * changes something, the plan and what is shown under the node without them in any case
 * @throws GatewayError without secrets
 */
export async function performed<Config extends { hideSecrets?: boolean }, Memory>(
  { appliance, id, config, performer, message, given, operation }: Asked<Config, Memory>,
  progress: Call<Config>['progress'] = () => undefined,
  memory?: Memory,
): Promise<Result> {
  const gateway = appliance.client()
  const parameters = parametersOf(given, gateway, operation)
  const call: Call<Config, Memory> = {
    gateway,
    operation,
    config,
    message: partOf(message, performer.message),
    parameters,
    run: (row, options) => row.run(gateway, parameters, options, operation),
    progress,
    memory: memoryFor(appliance, id, performer.newMemory) ?? (memory as Memory),
    secretPrefix: appliance.secretPrefix,
  }
  try {
    const hideSecrets = flagProperty('hideSecrets', config.hideSecrets)
    const result = await onGateway(gateway, () => performer.perform(call))
    result.did = gateway.hide(result.did)
    // A plain read returns what the gateway has; anything else may be printed by any debug node.
    const isHidden = performer.hidesSecrets || operation.changes || result.plan
    if (isHidden || (hideSecrets && !result.isShown)) {
      result.payload = gateway.hide(result.payload)
    }
    if (result.plan) result.plan = gateway.hide(result.plan)
    return result
  } catch (error) {
    throw gateway.hideInError(error)
  }
}

const NOTHING: Message = Object.freeze({})

/** The members of a message that a performer gets. */
export function partOf(message: Message, names?: readonly string[]): Message {
  if (!names) return NOTHING
  const part: Record<string, unknown> = {}
  for (const name of names) part[name] = memberOf(message, name)
  return part
}

export const natureOf = <Config, Memory>(
  { nature }: Performer<Config, Memory>,
  config: Config,
): Nature => nature?.(config) ?? {}

/** What a node keeps for an appliance of an inventory; undefined where it keeps nothing for each. */
function memoryFor<Memory>(
  { memories }: Appliance,
  nodeId: string,
  newMemory: (() => Memory) | undefined,
): Memory | undefined {
  if (!memories || !newMemory) return undefined
  const known = (memories.get(nodeId) as Memory | undefined) ?? newMemory()
  memories.set(nodeId, known)
  return known
}
