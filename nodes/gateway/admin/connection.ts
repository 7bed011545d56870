import type { Node, NodeAPI } from 'node-red'
import { GatewayError, say } from '../../../client/errors'
import { plainText, variableIn } from '../../../client/model/json'
import { findVariables, SECRET_PREFIX } from '../../../client/model/secrets'
import { mistakeIn } from '../../../client/connection/mistake'
import {
  openConnection,
  type Connection,
  type GatewayOptions,
} from '../../../client/connection/connection'
import { isUntrusted } from '../../../client/connection/faults'
import { readCertificate } from '../../../client/connection/certificate'
import { DEFAULTS } from '../../../client/model/ranges'
import { fingerprintDigits } from '../../../client/model/settings'
import { gatewayOptions, hostIn, type ConnectionForm, type GatewayCredentials } from '../options'
import {
  isGatewayNode,
  savedGateways,
  type Appliance,
  type GatewayNode,
} from '../../runtime/gateway-node'
import { hasInventory, unknownAppliance } from '../inventory'
import type { CheckedInventory, ConnectionReport, FormAppliance } from '../../wire'
import { EDITOR, NotDeployed, PasswordNeeded } from './failure'
import { checkedInventory, globalNode, readFormInventory, withoutUser } from './inventory'
import type { Asking, Logins } from './logins'

export interface Lease {
  gateway: Connection
  /** It is the deployed one, with its live session. */
  reused: boolean
  /** Ends what was opened for it. A login that was refused by a mistaken URL is not held against the account. */
  end: (isMistaken?: boolean) => Promise<void>
}

/** The value of an unchanged password field in the editor. */
const UNCHANGED = '__PWRD__'

/**
 * Connects as the form says. A form that equals the deployed node uses its session; any other logs in
 * when it is its turn.
 * @param own returns more options for a connection of its own, also where the deployed one would do
 * @throws GatewayError `NOT_FOUND` when the node is not deployed, `CONFIG` when the values cannot work
 * @throws NotTried
 */
export async function connect(
  RED: NodeAPI,
  logins: Logins,
  form: ConnectionForm,
  appliance: string | undefined,
  asking: Asking,
  own?: (options: GatewayOptions) => Partial<GatewayOptions>,
): Promise<Lease> {
  const deployed = deployedAs(RED, form)
  if (deployed && !own) return reuse(applianceOf(deployed, appliance))
  const resolved = resolvedIn(RED, form, (values, stored) => {
    if (!equals(values, stored, PLACE)) throw new PasswordNeeded()
  })
  const { username, password, ...config } = hasInventory(resolved)
    ? { ...resolved, ...(await rowIn(RED, resolved, appliance)) }
    : resolved
  const options = gatewayOptions(RED, config, { username, password })
  const gateway = openConnection({ ...options, node: EDITOR, ...own?.(options) })
  const end = await logins.inTurn(gateway, options.username, asking)
  return { gateway, reused: false, end }
}

/** The node that runs as the form says, if any. @throws GatewayError `NOT_FOUND` where it must run */
function deployedAs(RED: NodeAPI, form: ConnectionForm): GatewayNode | undefined {
  const node = nodeOf(RED, form)
  const deployed = isGatewayNode(node) ? node : undefined
  if (isDeployedOnly(form)) {
    if (deployed) return deployed
    throw new NotDeployed()
  }
  const stored = storedValues(RED, form.id)
  if (!deployed || !stored || !equals(form, stored, SAVED)) return undefined
  // To reuse its session for the right password would tell who only guesses one.
  if (isTyped(form.password)) return undefined
  return stored.password || hasInventory(stored) ? deployed : undefined
}

/** With an inventory by its name, or else its only one. @throws GatewayError */
export function applianceOf(node: GatewayNode, appliance: string | undefined): Appliance {
  const { fleet } = node
  if (appliance === undefined && fleet.hasNames) throw unnamed()
  return fleet.find(appliance ?? '')
}

const unnamed = () => new GatewayError('INVALID_INPUT', say('applianceNeeded'))

async function rowIn(
  RED: NodeAPI,
  form: ConnectionForm,
  appliance: string | undefined,
): Promise<ConnectionForm> {
  if (appliance === undefined) throw unnamed()
  const { rows, faults } = await readFormInventory(RED, form)
  const row = rows.find(({ name }) => name === appliance)
  const fault = faults.find(({ cause }) => cause.appliance === appliance)
  if (!row) throw fault ?? unknownAppliance(appliance, namesOf(rows))
  return row
}

/** Sends nothing anywhere. @throws GatewayError `CONFIG` when it is none */
export async function checkInventory(
  RED: NodeAPI,
  form: ConnectionForm,
): Promise<CheckedInventory> {
  const fleet = deployedAs(RED, form)?.fleet
  if (fleet?.hasNames) {
    await fleet.ready
    if (fleet.failure) throw fleet.failure
    return checkedInventory(fleet.names(), fleet.faults(), fleet.ignored())
  }
  const { rows, faults, ignored } = await readFormInventory(RED, resolvedIn(RED, form))
  return checkedInventory(namesOf(rows), faults, ignored)
}

const namesOf = (rows: ReadonlyArray<{ name: string }>): string[] => rows.map(({ name }) => name)

/** None where it has no inventory. @throws GatewayError `CONFIG` */
export async function formAppliances(RED: NodeAPI, form: ConnectionForm): Promise<FormAppliance[]> {
  const deployed = deployedAs(RED, form)
  if (deployed) {
    await deployed.fleet.ready
    return deployed.fleet.list().map(shownAppliance)
  }
  const resolved = resolvedIn(RED, form)
  if (!hasInventory(resolved)) return []
  const { rows } = await readFormInventory(RED, resolved)
  return rows.map(({ baseUrl, ...row }) => shownAppliance({ ...row, address: baseUrl }))
}

const shownAppliance = ({ name, address, fingerprint }: FormAppliance): FormAppliance => ({
  name,
  address: withoutUser(address),
  ...(fingerprint && { fingerprint }),
})

/**
 * The values of a form, with the variables of its node, and with the stored password where none was
 * typed; with only an ID, those of the node.
 * @param mayUse throws where the stored password may not be used
 */
function resolvedIn(
  RED: NodeAPI,
  form: ConnectionForm,
  mayUse?: (values: ConnectionForm, stored: ConnectionForm) => void,
): ConnectionForm {
  const stored = storedValues(RED, form.id)
  const values = (isDeployedOnly(form) && stored) || form
  const isStored = !isTyped(values.password) && stored?.password
  if (isStored) mayUse?.(values, stored)
  const password = isStored ? stored.password : isTyped(values.password) ? values.password : ''
  const node = nodeOf(RED, form)
  const entries = Object.entries({ ...values, password })
  return Object.fromEntries(entries.map(([name, value]) => [name, fromEnv(RED, value, node)]))
}

const nodeOf = (RED: NodeAPI, { id }: ConnectionForm): Node | null =>
  id ? RED.nodes.getNode(id) : null

/** True when the form stands for the deployed node as it is. */
export const isDeployedOnly = (form: ConnectionForm): boolean =>
  Object.keys(form).every((name) => name === 'id')

function reuse(node: Appliance): Lease {
  const user = {}
  const gateway = node.client()
  node.register(user)
  return { gateway, reused: true, end: async () => node.deregister(user) }
}

/** What decides where a password is sent, and which server is trusted there. */
const PLACE = [
  'baseUrl',
  'username',
  'proxy',
  'tls',
  'fingerprint',
  'inventoryType',
  'inventory',
] as const
/** With an inventory, these do too. */
const PLACE_OF_ROWS = ['inventoryHosts', 'secretPrefix'] as const
const SAVED = [...PLACE, 'timeout'] as const

/** The values of the node as they were saved, with `${NAME}` as it is. */
function storedValues(RED: NodeAPI, id: string | undefined): ConnectionForm | undefined {
  const found = savedGateways(RED).find(
    ({ saved, running }) => saved.id === id || running.some((one) => one.id === id),
  )
  if (!found) return undefined
  const stored = found.saved
  const credentials = RED.nodes.getCredentials(stored.id) as GatewayCredentials | null
  return { ...(stored as ConnectionForm), ...credentials }
}

const isTyped = (password: unknown): boolean =>
  password !== UNCHANGED && password !== undefined && password !== null

const equals = (
  form: ConnectionForm,
  stored: ConnectionForm,
  names: ReadonlyArray<keyof ConnectionForm>,
): boolean =>
  [...names, ...(hasInventory(form) ? PLACE_OF_ROWS : [])].every(
    (name) => effective(name, form[name]) === effective(name, stored[name]),
  )

/** Equal for values with equal effect: a form shows the default where a saved node has nothing. */
function effective(name: keyof ConnectionForm, value: unknown): string {
  const text = plainText(value)
  if (name === 'fingerprint' && !variableIn(text)) return fingerprintDigits(text) ?? text
  if (name === 'inventoryType' && text === 'none') return ''
  return (
    text || { timeout: String(DEFAULTS.timeout), secretPrefix: SECRET_PREFIX }[String(name)] || ''
  )
}

/** Replaces `${NAME}` as a whole value by the variable, as Node-RED does for a deployed node. */
export function fromEnv(RED: NodeAPI, value: unknown, node?: Node | null): unknown {
  const name = variableIn(value)
  if (!name) return value
  const of = node ?? globalNode(RED)
  const found: unknown = RED.util.evaluateNodeProperty(name, 'env', of as Node, {})
  return found === undefined || found === '' ? value : found
}

/**
 * True when the form does what only users may do who may deploy flows: it leads to where no deployed
 * node does, or with what none has, and sends an environment variable there, or the secret of a
 * `definition` by its name, or reads a file, a variable or the context as its inventory; or it uses a
 * TLS configuration or a proxy, which may have credentials of their own, otherwise than a deployed
 * node does.
 */
export function isForDeployers(RED: NodeAPI, form: ConnectionForm, definition: unknown): boolean {
  const stored = storedValues(RED, form.id)
  const lends = plainText(form.tls) !== '' || plainText(form.proxy) !== ''
  if (lends && (!stored || !equals(form, stored, PLACE))) return true
  const isUnchanged = form.password === undefined || form.password === UNCHANGED
  if (stored && isUnchanged && equals(form, stored, SAVED)) return false
  if (Object.values(form).some(variableIn) || findVariables(definition).length > 0) return true
  if (!hasInventory(form)) return false
  // JSON can write a character in another way, after a backslash.
  return form.inventoryType !== 'json' || /[$\\]/.test(plainText(form.inventory))
}

/** What else can be found out where a connection failed; nothing secret is sent. */
export async function foundOut(
  RED: NodeAPI,
  form: ConnectionForm,
  appliance: string | undefined,
  error: unknown,
): Promise<Pick<ConnectionReport, 'certificate' | 'mistake'>> {
  try {
    const resolved = resolvedIn(RED, form)
    const { baseUrl } = hasInventory(resolved) ? await rowIn(RED, resolved, appliance) : resolved
    const config = { ...resolved, baseUrl }
    // Reading a certificate needs no user.
    const credentials = { username: 'nobody', password: 'nothing' }
    const options = gatewayOptions(RED, { ...config, fingerprint: '' }, credentials)
    const mistake = await mistakeIn(options, error)
    if (mistake) return { mistake }
    return { certificate: isUntrusted(error) ? await readCertificate(options) : undefined }
  } catch {
    return {}
  }
}

/** The host that the form leads to; empty where its address is not one. */
export function hostOf(RED: NodeAPI, form: ConnectionForm, appliance?: string): string {
  const node = nodeOf(RED, form)
  if (isGatewayNode(node) && node.fleet.hasNames && appliance !== undefined) {
    return hostIn(node.fleet.list().find(({ name }) => name === appliance)?.address)
  }
  const { baseUrl } = isDeployedOnly(form) ? (storedValues(RED, form.id) ?? form) : form
  return hostIn(plainText(fromEnv(RED, baseUrl, node)))
}
