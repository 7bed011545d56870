import type { NodeAPI } from 'node-red'
import {
  openConnection,
  readCertificate,
  type Certificate,
  type Connection,
} from '../../../client/internal'
import { DEFAULT_TIMEOUT } from '../../../client/model/ranges'
import { fingerprintDigits } from '../../../client/model/settings'
import { gatewayOptions, hostIn, type GatewayConfig, type GatewayCredentials } from '../options'
import { isGatewayNode, type GatewayNode } from '../../runtime/gateway-node'
import { NotDeployed, PasswordNeeded } from './failure'

/** The values of a config form that may not be deployed yet; with only an ID, the deployed ones. */
export interface ConnectionForm extends GatewayConfig, GatewayCredentials {
  id?: string
}

/** A gateway that an admin route has borrowed. */
export interface Lease {
  gateway: Connection
  /** It is the deployed one, with its live session. */
  reused: boolean
  /** Ends what was opened for it. */
  end: () => Promise<void>
}

/** The value of an unchanged password field in the editor. */
const UNCHANGED = '__PWRD__'

/**
 * Connects as the form says. A form that equals the deployed node uses its session.
 * @throws GatewayError `NOT_FOUND` when the node is not deployed, `CONFIG` when the values cannot work
 */
export async function connect(RED: NodeAPI, form: ConnectionForm): Promise<Lease> {
  const node = form.id ? RED.nodes.getNode(form.id) : null
  const deployed = isGatewayNode(node) ? node : undefined
  if (isDeployedOnly(form)) {
    if (deployed) return reuse(deployed)
    throw new NotDeployed()
  }
  const stored = storedValues(RED, form.id)
  const password = passwordOf(form, stored)
  if (deployed && stored && equals(form, stored, SAVED) && password === stored.password) {
    return reuse(deployed)
  }
  const resolved = Object.fromEntries(
    Object.entries({ ...form, password }).map(([name, value]) => [name, fromEnv(RED, value, node)]),
  ) as ConnectionForm
  const { username, password: secret, ...config } = resolved
  const gateway = openConnection(gatewayOptions(RED, config, { username, password: secret }))
  return { gateway, reused: false, end: () => gateway.close() }
}

/** True when the form stands for the deployed node as it is. */
export const isDeployedOnly = (form: ConnectionForm): boolean =>
  Object.keys(form).every((name) => name === 'id')

function reuse(node: GatewayNode): Lease {
  const user = {}
  const gateway = node.client()
  node.register(user)
  return {
    gateway,
    reused: true,
    end: async () => node.deregister(user),
  }
}

const SAVED = ['baseUrl', 'username', 'proxy', 'tls', 'fingerprint', 'timeout'] as const
/** What decides where a password is sent, and which server is trusted there. */
const PLACE = ['baseUrl', 'username', 'proxy', 'tls', 'fingerprint'] as const

/** The values of the node as they were saved, with `${NAME}` as it is. */
function storedValues(RED: NodeAPI, id: string | undefined): ConnectionForm | undefined {
  let stored: ConnectionForm | undefined
  RED.nodes.eachNode((node) => {
    if (node.id === id && node.type === 'media-gateway') stored = node as unknown as ConnectionForm
  })
  return stored && { ...stored, ...(RED.nodes.getCredentials(id!) as GatewayCredentials | null) }
}

function passwordOf({ ...form }: ConnectionForm, stored: ConnectionForm | undefined): unknown {
  const { password } = form
  if (password !== UNCHANGED && password !== undefined && password !== null) return password
  if (!stored?.password) return ''
  if (!equals(form, stored, PLACE)) throw new PasswordNeeded()
  return stored.password
}

const equals = (
  form: ConnectionForm,
  stored: ConnectionForm,
  names: ReadonlyArray<keyof ConnectionForm>,
): boolean => names.every((name) => effective(name, form[name]) === effective(name, stored[name]))

/** Equal for values with equal effect: a form shows the default where a saved node has nothing. */
function effective(name: keyof ConnectionForm, value: unknown): string {
  const text = asText(value)
  if (name === 'fingerprint' && !variableIn(text)) return fingerprintDigits(text) ?? text
  return text || (name === 'timeout' ? String(DEFAULT_TIMEOUT) : '')
}

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** Replaces `${NAME}` as a whole value by the variable, as Node-RED does for a deployed node. */
function fromEnv(RED: NodeAPI, value: unknown, node: unknown): unknown {
  const name = variableIn(value)
  if (!name) return value
  const found: unknown = RED.util.evaluateNodeProperty(name, 'env', node as never, {})
  return found === undefined || found === '' ? value : found
}

const variableIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^\$\{([^}]+)\}$/.exec(value.trim())?.[1] : undefined

/**
 * True when the form would send an environment variable to a place to which no deployed node sends
 * it. Only users who may deploy flows may read variables.
 */
export function sendsVariables(RED: NodeAPI, form: ConnectionForm): boolean {
  return Object.values(form).some(variableIn) && isElsewhere(RED, form)
}

/** True when the form leads to where no deployed node does, or with what none has. */
export function isElsewhere(RED: NodeAPI, form: ConnectionForm): boolean {
  const stored = storedValues(RED, form.id)
  const isUnchanged = form.password === undefined || form.password === UNCHANGED
  return !stored || !isUnchanged || !equals(form, stored, SAVED)
}

/** Returns the certificate that the appliance of the form shows; undefined when there is none. */
export async function shownCertificate(
  RED: NodeAPI,
  form: ConnectionForm,
): Promise<Certificate | undefined> {
  try {
    const values = isDeployedOnly(form) ? (storedValues(RED, form.id) ?? form) : form
    const config = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, fromEnv(RED, value, null)]),
    ) as ConnectionForm
    // Reading a certificate needs no user.
    const credentials = { username: 'nobody', password: 'nothing' }
    return await readCertificate(gatewayOptions(RED, { ...config, fingerprint: '' }, credentials))
  } catch {
    return undefined
  }
}

/** The host that the form leads to; empty where its address is not one. */
export function hostOf(RED: NodeAPI, form: ConnectionForm): string {
  const { baseUrl } = isDeployedOnly(form) ? (storedValues(RED, form.id) ?? form) : form
  return hostIn(asText(fromEnv(RED, baseUrl, form.id ? RED.nodes.getNode(form.id) : null)))
}
