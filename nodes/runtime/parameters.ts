import type { Node, NodeAPI, NodeMessage } from 'node-red'
import { GatewayError, invalidInput, type Problem } from '../../client/errors'
import { findRoute, labelOf, type Target } from '../../client/changes/find'
import { onlyDevice } from '../../client/api/devices'
import { plainInput } from '../../client/changes/input'
import type { Connection } from '../../client/connection/connection'
import type { Operation } from '../../client/connection/operation'
import { faultOf, notARoute } from '../../client/model/check'
import { givenWords } from '../../client/model/faults'
import { shownAs } from '../../client/model/given'
import type { Inputs } from '../../client/operations'
import { refused, refuseUnresolved, unsetVariable } from './properties'
import type { Fleet } from './gateway-node'
import type { WithSecrets } from './secrets'

/** The properties that say what an action node acts on. */
export interface AddressConfig {
  /** Only with an inventory. */
  appliance?: string
  applianceType?: string
  device?: string
  deviceType?: string
  route?: string
  routeType?: string
  destination?: string
  destinationType?: string
  definition?: string
  definitionType?: string
}

export type Message = NodeMessage & Record<string, unknown>

/**
 * What a message has under a name: a flow may give it a getter, or a proxy, that throws.
 * @throws GatewayError `INVALID_INPUT`
 */
export function memberOf(message: Message, name: string): unknown {
  try {
    return message[name]
  } catch {
    throw unreadable(`msg.${name}`)
  }
}

export const unreadable = (path: string): GatewayError =>
  invalidInput([{ path, problem: 'cannot be read' }])

/** The values of one message's parameters, read only when the node needs them. */
export interface Parameters extends Inputs {
  /** Which destination of the route is meant, by its ID or by its name. */
  destination: () => Promise<Target>
}

/** What node and message say, before anything is looked up on an appliance. */
export interface Given {
  /** Undefined for the only device of the appliance. */
  device: () => Promise<string | undefined>
  route: () => Promise<Target>
  destination: () => Promise<Target>
  definition: Inputs['definition']
}

export function readGiven(
  RED: NodeAPI,
  node: Node,
  config: AddressConfig,
  message: Message,
  operation: Operation,
  withSecrets: WithSecrets,
): Given {
  const evaluate = (property: string, value: string, type: string): Promise<unknown> =>
    evaluateProperty(RED, node, message, { property, value, type })

  async function device(): Promise<string | undefined> {
    const type = config.deviceType || 'auto'
    if (type === 'auto') {
      const value = memberOf(message, 'deviceId')
      return isAbsent(value) ? undefined : idOf(value, 'msg.deviceId', 'device')
    }
    const path = pathOf(config.device, type, 'device')
    return idOf(await evaluate('device', config.device ?? '', type), path, 'device')
  }

  /** Which route or destination is meant. */
  async function target(kind: 'route' | 'destination'): Promise<Target> {
    const type = config[`${kind}Type`] || 'msg'
    const property = config[kind] || (type === 'msg' ? `${kind}Id` : '')
    const value = await evaluate(kind, property, type === 'name' ? 'str' : type)
    if (type === 'name' && !isAbsent(value)) return { name: String(value) }
    if (type === 'msg' && property === `${kind}Id` && isAbsent(value)) {
      const name = memberOf(message, `${kind}Name`)
      if (isAbsent(name)) {
        const or = `msg.${kind}Name the name of a ${kind}`
        throw missing(`msg.${kind}Id`, `is empty; it must be a ${kind} ID, or ${or}`)
      }
      if (typeof name === 'string') return { name }
      throw unfit(`msg.${kind}Name`, name, 'text')
    }
    return targetOf(value, pathOf(property, type, kind), kind)
  }

  let route: Promise<Target> | undefined
  return {
    device,
    // It is asked twice: for what errors name, and for what is done.
    route: () => (route ??= target('route')),
    destination: () => target('destination'),

    async definition({ keepsNames = false } = {}) {
      const type = config.definitionType || 'msg'
      const property = config.definition || (type === 'msg' ? 'payload' : '')
      const path = pathOf(property, type, 'definition')
      const value = plainInput(await evaluate('definition', property, type), path)
      operation.route ??= labelOf(value)
      if (typeof value === 'object' && value !== null)
        return keepsNames ? value : withSecrets(value)
      throw invalidInput([notARoute(value, path)])
    },
  }
}

/** What errors call a route that is not read yet. */
export const labelIn = (target: Target): string => ('id' in target ? target.id : target.name)

/** Adds what only the appliance knows. Bad input is found before any call. */
export function parametersOf(given: Given, gateway: Connection, operation: Operation): Parameters {
  const device = async (): Promise<string> =>
    (await given.device()) ?? onlyDevice(gateway, operation)
  return {
    device,

    async route() {
      const wanted = await given.route()
      operation.route = labelIn(wanted)
      const deviceId = await device()
      const routeId = await findRoute(gateway, deviceId, wanted, operation)
      return { deviceId, routeId, ...('name' in wanted && { name: wanted.name }) }
    },

    destination: given.destination,
    definition: given.definition,
  }
}

/** Empty where there is only one appliance. @throws GatewayError `INVALID_INPUT` where there is none */
export async function applianceIn(
  { hasNames }: Pick<Fleet, 'hasNames'>,
  RED: NodeAPI,
  node: Node,
  { appliance, applianceType }: AddressConfig,
  message: Message,
): Promise<string> {
  if (!hasNames) return ''
  const type = applianceType || 'msg'
  const property = appliance || (type === 'msg' ? 'appliance' : '')
  const parameter = { property: 'appliance', value: property, type }
  const value = await evaluateProperty(RED, node, message, parameter)
  if (typeof value === 'string' && value.trim() !== '') return value
  const problem = isAbsent(value)
    ? 'is empty; it must be the name of an appliance in the inventory of the gateway'
    : 'must be the name of an appliance, as text'
  throw missing(pathOf(property, type, 'appliance'), problem)
}

/** In upper or lower case. @throws GatewayError `INVALID_INPUT` */
export function choiceFrom<One extends string>(
  path: string,
  value: unknown,
  choices: readonly One[],
): One {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value
  const found = choices.find((one) => one === word)
  if (found !== undefined) return found
  throw invalidInput([faultOf({ kind: 'choice', oneOf: choices }, value, path)])
}

const missing = (path: string, problem: string): Error =>
  invalidInput([{ path, problem, short: { key: 'missing', values: { what: path } } }])

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

/** How a faulty parameter is named in an error. */
function pathOf(property: string | undefined, type: string, parameter: string): string {
  if (isPlace(type)) return placeIn(type, property)
  return type === 'env' ? `environment variable ${property}` : parameter
}

const EVALUATED = ['msg', 'flow', 'global', 'env', 'json', 'jsonata']

/**
 * Returns the value of a property with a type beside it.
 * @throws GatewayError `CONFIG` for a faulty property, `INVALID_INPUT` for what comes with the message
 */
export async function evaluateProperty(
  RED: NodeAPI,
  node: Node,
  message: Message,
  { property, value, type }: { property: string; value: unknown; type: string },
): Promise<unknown> {
  refuseUnresolved(property, value)
  if (typeof value !== 'string') {
    throw refused(property, 'is not text')
  }
  if (type === 'id' || type === 'str') return value
  if (!EVALUATED.includes(type)) {
    throw refused(`${property}Type`, `is "${type}", which is not known`)
  }
  return new Promise((resolve, reject) => {
    const path = isPlace(type) || type === 'env' ? placeIn(type, value) : `the ${type} expression`
    const failed = (error: unknown): void => {
      // "msg.a.b" is undefined where there is no "msg.a".
      if (error instanceof TypeError && isPlace(type)) return resolve(undefined)
      if (error instanceof GatewayError) return reject(error)
      const problem = `cannot be evaluated: ${reasonOf(error)}`
      const isOfMessage = isPlace(type) || (type === 'jsonata' && !isOfSyntax(error))
      return reject(isOfMessage ? invalidInput([{ path, problem }]) : refused(path, problem))
    }
    const fail = (error: unknown): void => {
      try {
        failed(error)
      } catch {
        // What a message has thrown may throw itself.
        reject(unreadable(path))
      }
    }
    try {
      // Only the callback form works for JSONata and for asynchronous context stores.
      RED.util.evaluateNodeProperty(value, type, node, message, (error, result: unknown) => {
        const fault = error ? undefined : unusable(result)
        if (error) fail(error)
        else if (fault) fail(new Error(fault))
        else resolve(type === 'env' ? resolved(property, value, result) : result)
      })
    } catch (error) {
      fail(error)
    }
  })
}

const isPlace = (type: string): boolean => ['msg', 'flow', 'global'].includes(type)

/** Where there are several stores, the editor saves one before the key: `#:(file)::route`. */
const placeIn = (type: string, property = ''): string =>
  `${type}.${String(property).replace(/^#:\(\S+?\)::/, '')}`

/** A promise might never settle. */
function unusable(value: unknown): string | undefined {
  try {
    const { then } = (value ?? {}) as { then?: unknown }
    return typeof then === 'function' ? 'it is a promise, not yet a value' : undefined
  } catch {
    return 'it cannot be read'
  }
}

/** What JSONata says of an expression that it cannot read, whatever the message is. */
const isOfSyntax = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('S')

function resolved(property: string, variable: string, value: unknown): unknown {
  if (isAbsent(value)) throw unsetVariable(property, variable)
  if (typeof value === 'string') refuseUnresolved(property, value)
  return value
}

/** What is wrong with an expression, without any of its data, which may contain a secret. */
function reasonOf(error: unknown): string {
  const { message, value, value2 } = (error ?? {}) as Record<string, unknown>
  if (typeof message !== 'string') return 'the expression is not valid'
  if (error instanceof SyntaxError) {
    const quoted = message.endsWith(' is not valid JSON')
      ? message.search(/(?:, |^)(?:\.\.\.)?"/)
      : -1
    return message.slice(0, quoted < 0 ? undefined : quoted) || 'it is not JSON'
  }
  // The longer one first: it may contain the other.
  const shown = [value, value2]
    .flatMap((each) => JSON.stringify(each) ?? [])
    .sort((one, other) => other.length - one.length)
  return shown.reduce((text, each) => text.replaceAll(each, '…'), message)
}

function idOf(value: unknown, path: string, kind: string): string {
  const target = targetOf(value, path, kind)
  if ('id' in target) return target.id
  throw invalidInput([{ path, problem: `has no ID; it must be a ${kind} ID` }])
}

/** An ID, or an object with `id` (a device has `_id`) or else `name`, as a list brings them. */
function targetOf(value: unknown, path: string, kind: string): Target {
  if (isAbsent(value)) {
    if (path === kind) throw refused(path, 'is not chosen', 'missing')
    throw missing(path, `is empty; it must be a ${kind} ID`)
  }
  if (typeof value === 'string' && isUsable(value)) return { id: value }
  const { id, _id, name } = namesIn(value)
  for (const candidate of [id, _id]) {
    if (typeof candidate === 'string' && isUsable(candidate)) return { id: candidate }
  }
  if (typeof name === 'string' && name !== '') return { name }
  const members = kind === 'device' ? '_id or id' : 'id or name'
  throw unfit(path, value, `a ${kind} ID (text), or an object with ${members}`)
}

const unfit = (path: string, value: unknown, wanted: string): Error =>
  invalidInput([{ ...wrong(path, value, wanted), short: { key: 'type', values: { what: path } } }])

/** A value that is not what it must be, in words. */
export const wrong = (path: string, value: unknown, wanted: string): Problem => ({
  path,
  problem: `is ${givenWords(shownAs(value))}; it must be ${wanted}`,
})

/** What identifies a route, a destination or a device, as a list brings it. */
export function namesIn(value: unknown): { id?: unknown; _id?: unknown; name?: unknown } {
  try {
    const { id, _id, name } = typeof value === 'object' ? (value as Record<string, unknown>) : {}
    return { id, _id, name }
  } catch {
    return {}
  }
}

// A lone surrogate cannot be sent. "." and ".." would lead to another path of the interface.
const isUsable = (id: string): boolean =>
  id.trim() !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id)
