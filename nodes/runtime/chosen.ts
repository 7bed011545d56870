// What a node that works by itself, without a message, is set to.
import type { Node, NodeAPI } from 'node-red'
import { invalidInput, type GatewayError, type Operation } from '../../client/internal'
import { evaluateProperty } from './parameters'

/** Returns the value of a property with a type beside it. */
export type Evaluate = (property: string, value: string, type: string) => Promise<unknown>

export const evaluatorOf =
  (RED: NodeAPI, node: Node, operation: Operation): Evaluate =>
  (property, value, type) =>
    evaluateProperty(RED, node, {}, { property, value, type }, operation)

/** @throws GatewayError `INVALID_INPUT` that names the property and what is wrong with it */
export const refused = (path: string, problem: string): GatewayError =>
  invalidInput([{ path, problem }])

/** The device that a node is set to; undefined for the only one of the gateway. */
export async function chosenDevice(
  { device = '', deviceType }: { device?: string; deviceType?: string },
  evaluate: Evaluate,
): Promise<string | undefined> {
  const type = deviceType || 'auto'
  if (type === 'auto') return undefined
  const value = await evaluate('device', device, type)
  const id: unknown = isDevice(value) ? value._id : value
  if (typeof id === 'string' && id !== '') return id
  throw refused('device', 'is empty; it must be a device ID')
}

const isDevice = (value: unknown): value is { _id: unknown } =>
  typeof value === 'object' && value !== null && '_id' in value
