// What a node that works by itself, without a message, is set to.
import type { Node, NodeAPI } from 'node-red'
import { asSetting } from '../../client/errors'
import type { WantedRoute } from '../../client/failover/reader'
import { isText } from '../../client/model/json'
import { evaluateProperty, namesIn } from './parameters'
import { refused } from './properties'

/** Returns the value of a property with a type beside it. */
export type Evaluate = (property: string, value: string, type: string) => Promise<unknown>

export const evaluatorOf =
  (RED: NodeAPI, node: Node): Evaluate =>
  (property, value, type) =>
    evaluateProperty(RED, node, {}, { property, value, type }).catch((error: unknown) => {
      throw asSetting(error)
    })

/** The device that a node is set to; undefined for the only one of the gateway. */
export async function chosenDevice(
  { device = '', deviceType }: { device?: string; deviceType?: string },
  evaluate: Evaluate,
): Promise<string | undefined> {
  const type = deviceType || 'auto'
  if (type === 'auto') return undefined
  const value = await evaluate('device', device, type)
  const id = namesIn(value)._id ?? value
  if (typeof id === 'string' && id !== '') return id
  throw refused('device', 'is empty; it must be a device ID', 'missing')
}

/**
 * The route that a node is set to; a value from elsewhere may be an object with its ID or its name.
 * @param choose what somebody can do while it is empty
 * @throws GatewayError `CONFIG`
 */
export async function chosenRoute(
  route: string,
  type: string,
  evaluate: Evaluate,
  choose: string,
): Promise<WantedRoute> {
  const value = await evaluate('route', route, type === 'name' ? 'str' : type)
  const { id, name } = namesIn(value)
  if (isText(id)) return { id }
  if (isText(name)) return { name }
  if (!isText(value)) throw refused('route', `is empty; ${choose}`, 'missing')
  if (type === 'id') return { id: value }
  return type === 'name' ? { name: value } : { idOrName: value }
}
