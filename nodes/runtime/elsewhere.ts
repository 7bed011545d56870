// Calls for appliances that another instance of Node-RED owns: that instance carries them out.
import type { Node } from 'node-red'
import {
  GatewayError,
  Stop,
  asGatewayError,
  closedError,
  confirmedIn,
  newOperation,
  say,
  type Operation,
} from '../../client/internal'
import { readOnlyError } from '../../client/errors'
import { dataOf, errorOf, type ErrorData } from '../../client/fleet/nats/error-data'
import type { Appliance, Fleet } from './gateway-node'
import { parametersOf, type AddressConfig, type Given, type Message } from './parameters'
import { memoryFor, partOf, performed, performerOf, type Performer, type Result } from './performer'

/** What travels: all that the performer may read, with the node's expressions evaluated. */
interface Body {
  type: string
  /** Of the node. */
  id: string
  config: object
  message: Message
  confirmProtected?: unknown
  confirmShared?: unknown
  given: Record<keyof Given | 'namedDefinition', Evaluated | undefined>
}

/** The value of a parameter, or why it has none. It counts only if the performer reads it. */
type Evaluated = { value?: unknown } | { error: ErrorData }

interface Answer extends Pick<Operation, 'requests' | 'writes' | 'statusCode'> {
  /** An older version does not send it. */
  unknownFields?: readonly string[]
  result: Result
}

export interface Elsewhere<Config, Memory> {
  fleet: Fleet
  appliance: Appliance
  node: Node
  config: Config
  message: Message
  performer: Performer<Config, Memory>
  given: Given
  operation: Operation
}

/**
 * Has the instance that owns the appliance do what the node is set to.
 * @throws GatewayError of the owner; `UNAVAILABLE` when there is none, or it cannot be reached
 */
export async function callElsewhere<Config extends AddressConfig, Memory>({
  fleet,
  appliance,
  node,
  config,
  message,
  performer,
  given,
  operation,
}: Elsewhere<Config, Memory>): Promise<Result> {
  const name = appliance.appliance ?? ''
  if (!fleet.send) throw notHere(appliance)
  const effect = performer.effect?.(config, message) ?? 'read'
  if (effect !== 'read' && fleet.readOnly) throw readOnlyError(operation)
  const { definition } = given
  const body: Body = {
    type: node.type,
    id: node.id,
    config,
    message: partOf(message, performer.message),
    confirmProtected: message.confirmProtected,
    confirmShared: message.confirmShared,
    given: {
      device: await evaluated(given.device),
      route: await evaluated(given.route),
      destination: await evaluated(given.destination),
      definition: performer.definition ? await evaluated(definition) : undefined,
      namedDefinition: performer.definition
        ? await evaluated(() => definition({ keepsNames: true }))
        : undefined,
    },
  }
  const command = { appliance: name, writes: effect !== 'read', once: effect === 'once', body }
  const {
    result,
    requests,
    writes,
    statusCode,
    unknownFields = [],
  } = (await fleet.send(command, operation.stop ?? new Stop())) as Answer
  Object.assign(operation, { requests, writes, statusCode, unknownFields })
  return result
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
  failover: string
  message: Record<string, unknown>
}

/**
 * Has a failover node of the instance that owns the appliance obey a message.
 * @param waitMs as of `Fleet.send`
 * @throws GatewayError as `callElsewhere`
 */
export async function obeyElsewhere(
  { send, readOnly }: Fleet,
  of: Appliance,
  failover: string,
  { action, hold, main }: Message,
  stop: Stop,
  waitMs?: number,
): Promise<void> {
  const { appliance = '' } = of
  if (!send) throw notHere(of)
  if (readOnly) throw readOnlyError({ name: 'failover' })
  const body: FailoverBody = { failover, message: { action, hold, main } }
  await send({ appliance, writes: true, once: true, body }, stop, waitMs)
}

async function obey({ failovers }: Appliance, { failover, message }: FailoverBody): Promise<void> {
  const found = [...failovers].find(({ id }) => id === failover)
  if (!found) throw new GatewayError('CONFIG', say('otherFlows'))
  await found.obey(message)
}

/**
 * Carries out what another instance has sent for an appliance that this one owns.
 * @throws GatewayError
 */
export async function carryOut(
  appliance: Appliance,
  sent: unknown,
  stop: Stop,
): Promise<Answer | undefined> {
  if (isForFailover(sent)) {
    await obey(appliance, sent)
    return undefined
  }
  const body = sent as Body
  const performer = performerOf(body.type)
  if (!performer) throw new GatewayError('CONFIG', say('otherVersion'))
  const gateway = appliance.client()
  const operation = newOperation(body.type.replace(/^media-gateway-/, ''), stop)
  operation.confirmed = confirmedIn(body.confirmProtected)
  operation.confirmsShared = body.confirmShared === true
  try {
    const result = await performed(performer, {
      gateway,
      operation,
      config: body.config,
      message: body.message,
      parameters: parametersOf(givenIn(body), gateway, operation),
      progress: () => undefined,
      memory: memoryFor(appliance, body.id, performer.newMemory),
      secretPrefix: appliance.secretPrefix,
    })
    const { requests, writes, statusCode, unknownFields } = operation
    return { result, requests, writes, statusCode, unknownFields }
  } catch (error) {
    // Only here is it known which route it is about.
    throw asGatewayError(error, operation, appliance.identity)
  }
}

const isForFailover = (body: unknown): body is FailoverBody =>
  typeof body === 'object' && body !== null && 'failover' in body

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
