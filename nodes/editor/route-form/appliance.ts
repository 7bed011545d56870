// What the form asks of the appliance, by way of the runtime.
import { Unanswered } from '../ask'
import { askAppliance } from '../connection'
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

/**
 * Devices and, of the chosen or only one, routes and adapters.
 * @throws Unanswered with words to show
 */
export const lookUp = (
  node: EditorNode,
  deviceId?: string,
  options?: { again: boolean },
): Promise<Lookup> => askAbout(node, 'lookup', { deviceId: deviceId || deviceOf(node) }, options)

/**
 * A route in sent form, its secrets hidden.
 * @throws Unanswered with words to show
 */
export async function readDefinition(
  node: EditorNode,
  routeId: string,
  deviceId?: string,
): Promise<unknown> {
  const { definition } = await askAbout<{ definition: unknown }>(node, 'definition', {
    deviceId: deviceId || deviceOf(node),
    routeId,
  })
  return definition
}

export const hasGateway = (node: EditorNode): boolean => gatewayOf(node) !== undefined

/** The device that the node names itself; one that a message brings is not known here. */
function deviceOf(node: EditorNode): string | undefined {
  return field(node, 'deviceType').val() === 'id'
    ? field(node, 'device').val() || undefined
    : undefined
}

function gatewayOf(node: EditorNode): EditorNode | undefined {
  const id = field(node, 'gateway').val()
  return id ? (RED.nodes.node(id) ?? undefined) : undefined
}

async function askAbout<Answer>(
  node: EditorNode,
  path: 'lookup' | 'definition',
  what: object,
  options?: { again: boolean },
): Promise<Answer> {
  const gateway = gatewayOf(node)
  if (!gateway) throw new Unanswered(text('fill.noGateway'))
  return askAppliance(path, gateway, what, options)
}
