// What the form asks of the appliance, by way of the runtime.
import { isObject, own } from '../../../client/model/json'
import { field } from '../fields'
import { text } from './text'

export interface Named {
  id: string
  name: string
}

export interface Lookup {
  devices: Named[]
  routes?: Named[]
  adapters?: { name: string; address: string }[]
}

/** Devices and, of the chosen or only one, routes and adapters. Rejects with words to show. */
export function lookUp(node: EditorNode, deviceId?: string): Promise<Lookup> {
  return ask<Lookup>('lookup', {
    connection: connectionOf(node),
    deviceId: deviceId || deviceOf(node),
  })
}

/** A route in sent form, its secrets hidden. */
export async function readDefinition(
  node: EditorNode,
  routeId: string,
  deviceId?: string,
): Promise<unknown> {
  const { definition } = await ask<{ definition: unknown }>('definition', {
    connection: connectionOf(node),
    deviceId: deviceId || deviceOf(node),
    routeId,
  })
  return definition
}

export const hasGateway = (node: EditorNode): boolean => gatewayOf(node) !== undefined

/** The device that the node names itself; one that a message brings is not known here. */
export function deviceOf(node: EditorNode): string | undefined {
  return field(node, 'deviceType').val() === 'id'
    ? field(node, 'device').val() || undefined
    : undefined
}

function gatewayOf(node: EditorNode): EditorNode | undefined {
  const id = field(node, 'gateway').val()
  return id ? (RED.nodes.node(id) ?? undefined) : undefined
}

const FORM = ['baseUrl', 'fingerprint', 'tls', 'proxy', 'timeout'] as const

/** The deployed gateway, or the values of one that is not deployed as it is. */
function connectionOf(node: EditorNode): object {
  const gateway = gatewayOf(node)
  if (!gateway) return {}
  const { id, changed, credentials = {} } = gateway
  if (changed !== true) return { id }
  return {
    id,
    ...Object.fromEntries(FORM.map((name) => [name, gateway[name]])),
    ...Object.fromEntries(['username', 'password'].map((name) => [name, credentials[name]])),
  }
}

function ask<Answer>(what: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    $.ajax({
      url: `media-gateway/${what}`,
      method: 'POST',
      dataType: 'json',
      contentType: 'application/json',
      data: JSON.stringify(body),
      success: (answer) => resolve(answer as Answer),
      error: ({ responseJSON }) => reject(new Error(reasonOf(responseJSON))),
    })
  })
}

function reasonOf(answer: unknown): string {
  const message = isObject(answer) ? own(answer, 'message') : undefined
  return typeof message === 'string' ? message : text('fill.noAnswer')
}
