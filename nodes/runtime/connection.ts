import type { NodeAPI } from 'node-red'
import {
  GatewayError,
  getDevice,
  listDevices,
  listRoutes,
  newOperation,
  openGateway,
  readCertificate,
  startSession,
  type Certificate,
  type ErrorCode,
  type Gateway,
} from '../../client'
import { isObject, own, type JsonObject } from '../../client/model/json'
import { DEFAULT_TIMEOUT } from '../../client/model/ranges'
import { gatewayOptions, type GatewayConfig, type GatewayCredentials } from './gateway-options'
import { isGatewayNode, type GatewayNode } from './gateway-node'

/** The values of a config form that may not be deployed yet; with nothing but an ID, those that are. */
export interface ConnectionForm extends GatewayConfig, GatewayCredentials {
  id?: string
}

/** A gateway for the editor, to be given back. */
export interface Connection {
  gateway: Gateway
  /** It is the deployed one, with its live session. */
  reused: boolean
  /** Ends what was opened for it. */
  end: () => Promise<void>
}

/** The stored password may not go where the form says: it has to be typed again. */
export class PasswordNeeded extends GatewayError {
  constructor() {
    super(
      'CONFIG',
      'The address, the user or the proxy was changed. Enter the password again: the stored one is not sent anywhere else.',
    )
  }
}

/** There is no such gateway in the flows that run. */
export class NotDeployed extends GatewayError {
  constructor() {
    super('NOT_FOUND', 'This gateway is not deployed. Deploy it first.')
  }
}

/** What an unchanged password field of the editor holds. */
const UNCHANGED = '__PWRD__'

/**
 * Connects as the form says. A form that equals the deployed node uses its session.
 * @throws GatewayError `NOT_FOUND` when the node is not deployed, `CONFIG` when the values cannot work
 */
export async function connect(RED: NodeAPI, form: ConnectionForm): Promise<Connection> {
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
  const gateway = openGateway(gatewayOptions(RED, config, { username, password: secret }))
  return { gateway, reused: false, end: () => gateway.close() }
}

/** True when the deployed node is meant, as it is. */
export const isDeployedOnly = (form: ConnectionForm): boolean =>
  Object.keys(form).every((name) => name === 'id')

function reuse(node: GatewayNode): Connection {
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
/** What decides where a password goes. */
const PLACE = ['baseUrl', 'username', 'proxy'] as const

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

/** A form shows the default where a saved node has nothing. */
const effective = (name: keyof ConnectionForm, value: unknown): string =>
  asText(value) || (name === 'timeout' ? String(DEFAULT_TIMEOUT) : '')

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** As Node-RED does for a deployed node: the variable, when `${NAME}` is the whole value. */
function fromEnv(RED: NodeAPI, value: unknown, node: unknown): unknown {
  const name = typeof value === 'string' && /^\$\{([^}]+)\}$/.exec(value.trim())
  if (!name) return value
  const found: unknown = RED.util.evaluateNodeProperty(name[1]!, 'env', node as never, {})
  return found === undefined || found === '' ? value : found
}

/** What a test of a connection found out, as far as it came. */
export interface ConnectionReport {
  ok: boolean
  reused: boolean
  code?: string
  message?: string
  passwordNeeded?: true
  /** What the appliance shows, when it is not trusted. */
  certificate?: Certificate
  user?: { name: string; roles: string[]; isLicensed: boolean | null }
  devices?: number
  device?: { id: string; name: string; firmware: string; status: string; statusCode: string }
  routes?: number
  /** How long the appliance took for one answer, in ms. */
  answerMs?: number
}

/** Tries a connection: never throws, and leaves no session behind. */
export async function testConnection(
  RED: NodeAPI,
  form: ConnectionForm,
): Promise<ConnectionReport> {
  const report: ConnectionReport = { ok: false, reused: false }
  let connection: Connection | undefined
  try {
    connection = await connect(RED, form)
    report.reused = connection.reused
    await findOut(connection.gateway, report)
    report.ok = true
  } catch (error) {
    Object.assign(report, failureOf(error))
    if (report.code === 'TLS') report.certificate = await shownCertificate(RED, form)
  } finally {
    await connection?.end().catch(() => undefined)
  }
  return report
}

async function findOut(gateway: Gateway, report: ConnectionReport): Promise<void> {
  const operation = newOperation('test-connection')
  const { displayName, roles, isLicensed } = await startSession(gateway, operation)
  report.user = {
    name: text(displayName),
    roles: Array.isArray(roles) ? roles.map(text) : [],
    isLicensed: typeof isLicensed === 'boolean' ? isLicensed : null,
  }
  const asked = performance.now()
  const devices = await listDevices(gateway, operation)
  report.answerMs = Math.round(performance.now() - asked)
  report.devices = devices.length
  const [device] = devices
  if (!device) return
  const { _id: id, name, firmware, status, statusCode } = device
  report.device = {
    id: text(id),
    name: text(name),
    firmware: text(firmware),
    status: text(status),
    statusCode: text(statusCode),
  }
  const page = await listRoutes(gateway, { deviceId: id, page: 1, pageSize: 1 }, operation)
  report.routes = Number(page.numResults) || page.data.length
}

/** Only text is shown; whatever else an appliance may answer in its place is not. */
const text = (value: unknown): string => textIfAny(value) ?? ''
const textIfAny = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const objectsIn = (list: unknown): JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : []

async function shownCertificate(
  RED: NodeAPI,
  form: ConnectionForm,
): Promise<Certificate | undefined> {
  try {
    const values = isDeployedOnly(form) ? (storedValues(RED, form.id) ?? form) : form
    const config = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, fromEnv(RED, value, null)]),
    ) as ConnectionForm
    // The user is not asked for a certificate.
    const credentials = { username: 'nobody', password: 'nothing' }
    return await readCertificate(gatewayOptions(RED, { ...config, fingerprint: '' }, credentials))
  } catch {
    return undefined
  }
}

/** An error as the editor gets it. */
export function failureOf(error: unknown): {
  code: ErrorCode
  message: string
  passwordNeeded?: true
  notDeployed?: true
} {
  if (!(error instanceof GatewayError)) {
    return { code: 'BAD_RESPONSE', message: 'The answer of the appliance could not be handled.' }
  }
  const { code, message } = error
  return {
    code,
    message,
    ...(error instanceof PasswordNeeded && { passwordNeeded: true as const }),
    ...(error instanceof NotDeployed && { notDeployed: true as const }),
  }
}

/** What the pickers of the editor offer. */
export interface Lookup {
  devices: Array<{ id: string; name: string; statusCode: string; status: string }>
  /** The device that was asked for, or the only one. */
  deviceId?: string
  routes?: PickedRoute[]
  adapters?: Array<{ name: string; address: string }>
}

interface PickedRoute {
  id: string
  name: string
  state?: string
  summaryStatusCode?: string
  destinations: Array<{
    id?: string
    name: string
    started?: boolean
    state?: string
    summaryStatusCode?: string
  }>
}

/** Devices and, of the one that is asked for or the only one, routes, destinations and adapters. */
export async function lookUp(gateway: Gateway, wanted: string | undefined): Promise<Lookup> {
  const operation = newOperation('look-up')
  const listed = await listDevices(gateway, operation)
  const devices = listed.map(({ _id, name, statusCode, status }) => ({
    id: text(_id),
    name: text(name),
    statusCode: text(statusCode),
    status: text(status),
  }))
  const deviceId = wanted || (devices.length === 1 ? devices[0]!.id : undefined)
  if (deviceId === undefined) return { devices }
  const { config } = await getDevice(gateway, deviceId, operation)
  const { data } = await listRoutes(gateway, { deviceId }, operation)
  const routes = data.map(({ id, name, state, summaryStatusCode, destinations }) => ({
    id,
    name: text(name),
    state: textIfAny(state),
    summaryStatusCode: textIfAny(summaryStatusCode),
    destinations: objectsIn(destinations).map((destination) => ({
      id: textIfAny(destination.id),
      name: text(destination.name),
      started: typeof destination.started === 'boolean' ? destination.started : undefined,
      state: textIfAny(destination.state),
      summaryStatusCode: textIfAny(destination.summaryStatusCode),
    })),
  }))
  const adapters = objectsIn(own(own(config, 'settings'), 'networkAdapters')).map(
    ({ name, address }) => ({ name: text(name), address: text(address) }),
  )
  return { devices, deviceId, routes, adapters }
}
