// Calls for appliances that another instance of Node-RED owns: that instance carries them out.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { GatewayError, asGatewayError, closedError, say, readOnlyError } from '../../client/errors'
import { isBuffer, plainInput } from '../../client/changes/input'
import { Stop } from '../../client/stop'
import { confirmedIn, Operation } from '../../client/connection/operation'
import type { Command } from '../../client/fleet/types'
import { dataOf, errorOf, type ErrorData } from '../../client/fleet/nats/outcome'
import { isObject, own } from '../../client/model/json'
import { legible } from '../../client/model/legible'
import type { Appliance, Fleet } from './gateway-node'
import type { AddressConfig, Given, Message } from './parameters'
import {
  actionNodeOf,
  natureOf,
  partOf,
  performed,
  type ActionNode,
  type Asked,
  type Result,
} from './performer'

/** Of what travels. An instance with another one does nothing with it. */
const VERSION = 1

/** Which node is asked, and what its message says, evaluated. How the node is set, the owner knows. */
interface Body {
  version: number
  type: string
  /** Of the node. */
  id: string
  /** A digest: with other settings, the node would do something else there. */
  settings: string
  message: Message
  confirmProtected?: unknown
  confirmShared?: unknown
  given: Record<keyof Given | 'namedDefinition', Evaluated | undefined>
}

/** The value of a parameter, or why it has none. It counts only if the performer reads it. */
type Evaluated = { value?: unknown } | { error: ErrorData }

interface Answer extends Pick<Operation, 'requests' | 'writes' | 'statusCode'> {
  unknownFields: readonly string[]
  result: Result
}

/**
 * Has the instance that owns the appliance do what the node is set to.
 * @throws GatewayError of the owner; `UNAVAILABLE` when there is none, or it cannot be reached
 */
export async function callOwner<Config extends AddressConfig, Memory>(
  fleet: Fleet,
  type: string,
  { appliance, id, config, message, performer, given, operation }: Asked<Config, Memory>,
): Promise<Result> {
  const { appliance: name = '', slot = 0 } = appliance
  const send = fleet.share?.send
  if (!send) throw notHere(appliance)
  if (operation.changes && fleet.readOnly) throw readOnlyError()
  const { definition } = given
  const { defines } = natureOf(performer, config)
  const body: Body = {
    version: VERSION,
    type,
    id,
    settings: digestOf(config),
    message: plainPart(message, performer.message ?? []),
    ...plainPart(message, ['confirmProtected', 'confirmShared']),
    given: {
      device: await evaluated(given.device),
      route: await evaluated(given.route),
      destination: await evaluated(given.destination),
      definition: defines ? await evaluated(definition) : undefined,
      namedDefinition: defines
        ? await evaluated(() => definition({ keepsNames: true }))
        : undefined,
    },
  }
  const command = { appliance: name, slot, writes: operation.changes, body }
  const { result, requests, writes, statusCode, unknownFields } = (await send(
    command,
    operation.stop ?? new Stop(),
  )) as Answer
  Object.assign(operation, { requests, writes, statusCode, unknownFields })
  return result
}

/** As it travels: a file as its text. @throws GatewayError `INVALID_INPUT` */
const plainPart = (message: Message, names: readonly string[]): Message =>
  Object.fromEntries(
    Object.entries(partOf(message, names)).map(([name, value]) => [
      name,
      isBuffer(value) && isUtf8(value) ? value.toString() : plainInput(value, `msg.${name}`),
    ]),
  )

/** Where a node stands and what it is called; and what is evaluated where the message arrives. */
const APART =
  /^(_.*|id|type|z|g|x|y|d|name|info|wires|(appliance|device|route|destination|definition)(Type)?)$/

/** Of the settings that decide what a node does. */
function digestOf(config: object): string {
  const settings = Object.entries(config).filter(([name]) => !APART.test(name))
  const text = JSON.stringify(settings.sort(([one], [other]) => (one < other ? -1 : 1)))
  return createHash('sha256').update(text).digest('base64url')
}

/** The error of an appliance that this instance does not own. */
function notHere(appliance: Appliance): Error {
  try {
    appliance.client()
    return closedError()
  } catch (error) {
    return error as Error
  }
}

async function evaluated(read: () => Promise<unknown>): Promise<Evaluated> {
  try {
    return { value: await read() }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { error: dataOf(error, false) }
  }
}

/** A command for a failover node: the node with this ID on the other instance. */
interface FailoverBody {
  version: number
  failover: string
  message: Record<string, unknown>
}

/**
 * Has a failover node of the instance that owns the appliance obey a message.
 * @param waitMs as of `Share.send`
 * @throws GatewayError as `callOwner`
 */
export async function commandOwner(
  { share, readOnly }: Fleet,
  of: Appliance,
  failover: string,
  { action, hold, main }: Message,
  stop: Stop,
  waitMs?: number,
): Promise<void> {
  const { appliance = '', slot = 0 } = of
  if (!share?.send) throw notHere(of)
  if (readOnly) throw readOnlyError()
  const body: FailoverBody = { version: VERSION, failover, message: { action, hold, main } }
  await share.send({ appliance, slot, writes: true, body }, stop, waitMs)
}

async function obey({ failovers }: Appliance, { failover, message }: FailoverBody): Promise<void> {
  const found = [...failovers].find(({ id }) => id === failover)
  if (!found) throw new GatewayError('CONFIG', say('otherFlows'))
  await found.obey(message)
}

/** What was done for another instance, for the log. */
export interface Remote {
  /** The name of the instance. */
  from: string
  appliance: string
  operation: string
  action?: string
  route?: string
  /** `ok` or the code of the error. */
  outcome: string
}

/**
 * Carries out what another instance has sent for an appliance that this one owns.
 * @param note gets what came of it, without secrets
 * @throws GatewayError
 */
export async function carryOut(
  appliance: Appliance,
  { from, body, writes }: Pick<Command, 'from' | 'body' | 'writes'>,
  stop: Stop,
  note: (remote: Remote) => void,
): Promise<Answer | undefined> {
  const operation = new Operation(operationIn(body), { stop, changes: writes })
  let action = own(own(body, 'message'), 'action')
  const noted = (outcome: string): void => {
    const { name, route } = operation
    note({
      from: brief(from),
      appliance: brief(appliance.appliance),
      operation: name,
      ...(typeof action === 'string' && { action: brief(action) }),
      ...(route !== undefined && { route: brief(appliance.client().hide(route)) }),
      outcome,
    })
  }
  try {
    if (own(body, 'version') !== VERSION) throw new GatewayError('CONFIG', say('otherVersion'))
    let answer: Answer | undefined
    if (isForFailover(body)) await obey(appliance, body)
    else {
      const asked = body as Body
      const node = nodeFor(asked, writes)
      const set = own(node.config, 'action')
      if (set !== undefined && set !== 'msg') action = set
      answer = await perform(appliance, asked, node, operation)
    }
    noted('ok')
    return answer
  } catch (error) {
    // Only here is it known which route it is about.
    const failure = asGatewayError(error, operation, appliance.identity)
    noted(failure.code)
    throw failure
  }
}

function operationIn(body: unknown): string {
  const type = own(body, 'type')
  if (isForFailover(body)) return 'failover'
  return typeof type === 'string' ? brief(type.replace(/^media-gateway-/, '')) : 'command'
}

/** The node that is asked. @throws GatewayError `CONFIG` where it is not the same here */
function nodeFor({ id, type, settings, message }: Body, writes: boolean): ActionNode {
  const node = typeof id === 'string' ? actionNodeOf(id) : undefined
  const isSame =
    node?.type === type &&
    digestOf(node.config) === settings &&
    isObject(message) &&
    (natureOf(node.performer, node.config).changes ?? false) === writes
  if (!isSame) throw new GatewayError('CONFIG', say('otherFlows'))
  return node
}

async function perform(
  appliance: Appliance,
  body: Body,
  { performer, config }: ActionNode,
  operation: Operation,
): Promise<Answer> {
  operation.confirmed = confirmedIn(body.confirmProtected)
  operation.confirmsShared = body.confirmShared === true
  const { id, message } = body
  const given = givenIn(body)
  const result = await performed({ appliance, id, config, performer, message, given, operation })
  const { requests, writes, statusCode, unknownFields } = operation
  return { result, requests, writes, statusCode, unknownFields }
}

const LONGEST = 200

const brief = (text: unknown): string => legible(String(text)).slice(0, LONGEST)

const isForFailover = (body: unknown): body is FailoverBody =>
  own(body, 'failover') !== undefined && isObject(own(body, 'message'))

function givenIn({ given }: Body): Given {
  const read = (name: keyof Body['given']) => async (): Promise<never> => {
    const found = given[name] ?? {}
    if ('error' in found) throw errorOf(found.error)
    return found.value as never
  }
  return {
    device: read('device'),
    route: read('route'),
    destination: read('destination'),
    definition: ({ keepsNames } = {}) => read(keepsNames ? 'namedDefinition' : 'definition')(),
  }
}
