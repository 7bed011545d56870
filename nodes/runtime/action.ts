import type { Node, NodeAPI, NodeDef } from 'node-red'
import {
  GatewayError,
  asGatewayError,
  isGatewayError,
  say,
  thrownAs,
  words,
} from '../../client/errors'
import { Stop } from '../../client/stop'
import { confirmedIn, Operation } from '../../client/connection/operation'
import { findGateway, requireGateway, type Appliance } from './gateway-node'
import { migrated } from './migrations'
import {
  applianceIn,
  labelIn,
  memberOf,
  readGiven,
  type AddressConfig,
  type Message,
} from './parameters'
import {
  addActionNode,
  natureOf,
  performed,
  type ActionNode,
  type Performer,
  type Result,
} from './performer'
import { secretsOf } from './secrets'
import { createStatus } from './status'
import { wordsOf } from './catalog'

export type { Call, Result } from './performer'

/** The saved properties that every action node has. */
export interface ActionConfig extends NodeDef, AddressConfig {
  gateway?: string
  /** Of those that return routes or a device. */
  hideSecrets?: boolean
}

/** The one input handler of the package: it ends every message with exactly one `done`. */
export function registerAction<Config extends ActionConfig, Memory = undefined>(
  RED: NodeAPI,
  type: string,
  perform: Performer<Config, Memory>['perform'],
  reads: Omit<Performer<Config, Memory>, 'perform'> = {},
): void {
  const operationName = type.replace(/^media-gateway-/, '')
  const performer: Performer<Config, Memory> = { ...reads, perform }
  const inWords = wordsOf(RED)

  RED.nodes.registerType(type, function (this: Node, saved: Config) {
    RED.nodes.createNode(this, saved)
    const config = migrated(saved)
    const status = createStatus(this, inWords)
    const stop = new Stop()
    const memory = performer.newMemory?.() as Memory
    const nature = natureOf(performer, config)
    const user = findGateway(RED, config)
    user?.register(this)
    const own = performer as unknown as ActionNode['performer']
    const remove = addActionNode(this.id, { type, config, performer: own })

    this.on('input', (incoming, send, done) => {
      const message = incoming as Message
      const operation = new Operation(operationName, { stop, changes: nature.changes })
      const startedAt = performance.now()
      const waiting = status.begin()
      /** As far as it is known. */
      let appliance: Appliance | undefined = user
      const stamped = (result: Result): Message | [Message[]] => {
        message.gateway = {
          operation: operation.name,
          deviceId: result.deviceId,
          routeId: result.routeId ?? undefined,
          statusCode: operation.statusCode,
          requests: operation.requests,
          // A dry run has sent none.
          ...(operation.writes > 0 &&
            operation.unknownFields.length > 0 && { unknownFields: operation.unknownFields }),
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        }
        if (appliance?.appliance !== undefined) message.appliance = appliance.appliance
        return outgoing(RED, message, result)
      }
      const succeed = (result: Result): void => {
        if (stop.stopped) return fail(tooLate(operation))
        let restore = (): void => undefined
        try {
          restore = remember(message)
          // For several nodes it is copied, and not everything can be.
          send(stamped(result))
        } catch (error) {
          try {
            restore()
          } catch {
            // A message that is a proxy stays as it is.
          }
          return fail(unsendable(error, operation))
        }
        try {
          waiting.succeeded(result.did, operation.writes > 0, operation.unknownFields)
        } finally {
          done()
        }
      }
      const fail = (error: unknown): void => {
        const failure = asGatewayError(error, operation, appliance?.identity)
        // Its message says it all: a stack is of no use in the debug sidebar.
        if (isGatewayError(error)) delete failure.stack
        // A Catch node that the same deploy has stopped does not get the error.
        if (stop.stopped && failure.cause.applied !== 'no') this.warn(failure.message)
        try {
          waiting.failed(failure)
          const { appliance: name } = failure.cause
          // The same for the Catch node as for a result; a frozen message stays as it is.
          if (name !== undefined) Reflect.set(message, 'appliance', name)
        } finally {
          done(failure)
        }
      }
      const run = async (): Promise<Result> => {
        const { fleet } = requireGateway(RED, config)
        await fleet.ready
        const name = await applianceIn(fleet, RED, this, config, message)
        // Once its former connection has ended: changes of a route stay in one queue.
        await fleet.former(name)
        appliance = fleet.find(name)
        operation.confirmed = confirmedIn(memberOf(message, 'confirmProtected'))
        operation.confirmsShared = memberOf(message, 'confirmShared') === true
        const withSecrets = secretsOf(RED, this, appliance)
        const given = readGiven(RED, this, config, message, operation, withSecrets)
        // What fails before the route is looked up is an error of this route too.
        if (nature.ofRoute) operation.route = await given.route().then(labelIn, () => undefined)
        const asked = { appliance, id: this.id, config, performer, message, given, operation }
        if (!fleet.owns(name)) return remote().callOwner(fleet, this.type, asked)
        return performed(asked, status.progress, memory)
      }
      // An exception in `succeed` or `fail` does not keep back the only `done`, and is logged.
      run()
        .then(succeed, fail)
        .catch((error: unknown) => this.error(thrownAs(error)))
    })

    this.on('close', () => {
      stop.now()
      remove()
      status.close()
      user?.deregister(this)
    })
  })
}

/** Loaded with the first call for another instance. */
const remote = (): typeof import('./remote') => require('./remote') as typeof import('./remote')

function outgoing(RED: NodeAPI, message: Message, result: Result): Message | [Message[]] {
  const { payload, deviceId, routeId, routeName, plan, split } = result
  if (routeId === null) delete message.routeId
  if (plan) message.plan = plan
  if (!split) return filled(message, payload, { deviceId, routeId, routeName })
  const entries = payload as Entry[]
  const id = RED.util.generateId()
  message.payload = undefined
  const messages = entries.map((entry, index) => {
    const part = RED.util.cloneMessage(message)
    const parts = { id, type: 'array', count: entries.length, len: 1, index }
    // As split does it: the join of these messages gives those of the sequence around them back.
    part.parts = part.parts === undefined ? parts : Object.assign(parts, { parts: part.parts })
    return filled(part, entry, { deviceId, ...idIn(entry, split) })
  })
  return [messages]
}

interface Entry {
  id?: string
  _id?: string
}

function idIn({ id, _id }: Entry, split: NonNullable<Result['split']>): Partial<Result> {
  if (split === 'others') return {}
  return split === 'devices' ? { deviceId: _id } : { routeId: id }
}

/** Writes a payload into a message, with what it is about as far as that is known. */
function filled(
  message: Message,
  payload: unknown,
  { deviceId, routeId, routeName }: Pick<Result, 'deviceId' | 'routeId' | 'routeName'>,
): Message {
  message.payload = payload
  if (typeof deviceId === 'string') message.deviceId = deviceId
  if (typeof routeId === 'string') message.routeId = routeId
  if (typeof routeName === 'string') message.routeName = routeName
  return message
}

const WRITTEN = [
  'payload',
  'deviceId',
  'routeId',
  'routeName',
  'plan',
  'gateway',
  'appliance',
] as const

/** Returns a function that restores the message: one that fails arrives unchanged. */
function remember(message: Message): () => void {
  const before = WRITTEN.map(
    (name) => [name, Object.getOwnPropertyDescriptor(message, name)] as const,
  )
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(message, name, descriptor)
      else delete message[name]
    }
  }
}

/** A stopped node sends nothing more. Its change may have been made. */
function tooLate({ name, writes }: Operation): GatewayError {
  return new GatewayError(
    'CLOSED',
    writes > 0
      ? words(
          'The node was stopped by a deploy or restart after __host__ had accepted the change. Check the gateway before you send the message again.',
        )
      : say('stopped'),
    { operation: name, applied: writes > 0 ? 'maybe' : 'no' },
  )
}

export function unsendable(error: unknown, { name, statusCode, writes }: Operation): GatewayError {
  const reason = messageIn(error)
  return new GatewayError('BAD_RESPONSE', say('notSentOn', { reason }), {
    operation: name,
    statusCode,
    applied: writes > 0 ? 'yes' : 'no',
  })
}

function messageIn(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message)
  } catch {
    // Of something that a message has thrown, not even that can be read.
  }
  return 'no reason is given'
}
