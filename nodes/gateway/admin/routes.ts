import type { Request, RequestHandler, Response } from 'express'
import type { NodeAPI } from 'node-red'
import {
  GatewayError,
  SECRET_PREFIX,
  Stop,
  controlRoute,
  getRoute,
  hideSecrets,
  newOperation,
  onlyDevice,
  say,
  sentForm,
  type ControlRoute,
  type ErrorCode,
  type Connection,
} from '../../../client/internal'
import { isObject, type JsonObject } from '../../../client/model/json'
import { findVariables } from '../../../client/model/secrets'
import {
  applianceOf,
  checkInventory,
  connect,
  hostOf,
  isDeployedOnly,
  isElsewhere,
  readsInventory,
  sendsVariables,
  type Lease,
  type ConnectionForm,
} from './connection'
import { testConnection } from './connection-report'
import { isGatewayNode, type Fleet } from '../../runtime/gateway-node'
import { commandFailover } from './failovers'
import { NotDeployed, failureOf, type Failure } from './failure'
import { listAppliances, shownFaults, withoutUser } from './inventory'
import { lookUp } from './lookup'
import { createObservers } from './observers'
import { planNow } from './plan'

/** Registers the editor's HTTP routes. Each needs a permission; none returns a secret. */
export function registerAdminRoutes(RED: NodeAPI): void {
  const { httpAdmin } = RED
  if (!httpAdmin || registered.has(httpAdmin)) return
  registered.add(httpAdmin)
  const observers = createObservers()
  const mayRead = RED.auth.needsPermission('media-gateway.read')
  const mayWrite = RED.auth.needsPermission('media-gateway.write')
  const mayUseForm = needsMoreForUnsaved(RED)

  httpAdmin.post(
    '/media-gateway/connection',
    mayWrite,
    mayUseForm,
    respond(RED, connectionIn, (form, { appliance }) =>
      testConnection(RED, form, textOf(appliance)),
    ),
  )

  httpAdmin.post(
    '/media-gateway/lookup',
    mayRead,
    mayUseForm,
    respond(RED, connectionIn, (form, { appliance, deviceId }) =>
      withConnection(RED, form, appliance, ({ gateway }) => lookUp(gateway, textOf(deviceId))),
    ),
  )

  httpAdmin.post(
    '/media-gateway/definition',
    mayRead,
    mayUseForm,
    respond(RED, connectionIn, (form, body) =>
      withConnection(RED, form, body.appliance, ({ gateway }) => readDefinition(gateway, body)),
    ),
  )

  httpAdmin.post(
    '/media-gateway/plan',
    // It says whether a secret is the present one: who only reads could guess with it.
    mayWrite,
    mayUseForm,
    respond(RED, connectionIn, (form, body) =>
      withConnection(RED, form, body.appliance, ({ gateway }) => {
        const node = RED.nodes.getNode(form.id ?? '')
        const prefix = isGatewayNode(node) ? node.secretPrefix() : SECRET_PREFIX
        return planNow(gateway, body, prefix)
      }),
    ),
  )

  httpAdmin.get(
    '/media-gateway/gateways',
    mayRead,
    respond(RED, deployedIn, () => listGateways(RED)),
  )

  httpAdmin.post(
    '/media-gateway/state',
    mayRead,
    respond(RED, deployedIn, (form, body) => {
      const { deviceId, version, figuresAt, lookOn, language } = body
      const node = RED.nodes.getNode(form.id ?? '')
      // Each deploy takes it away for a moment, which is not a failure.
      if (!isGatewayNode(node)) return { notDeployed: true }
      const named = textOf(body.appliance)
      const appliance = applianceOf(node, named)
      if (node.fleet && !node.fleet.owns(named!)) {
        // While the lease is lost, nobody knows who works for it.
        if (node.fleet.failure) throw node.fleet.failure
        return { elsewhere: true }
      }
      return observers.state(appliance, {
        deviceId: textOf(deviceId),
        version,
        figuresAt,
        lookOn: lookOn === true,
        language,
        host: hostOf(RED, form, named),
      })
    }),
  )

  httpAdmin.post(
    '/media-gateway/appliances',
    mayRead,
    respond(RED, deployedIn, (form, body) => {
      const node = RED.nodes.getNode(form.id ?? '')
      if (!isGatewayNode(node)) return { notDeployed: true }
      return node.fleet ? listAppliances(node.fleet, body) : { total: 0, found: 0, rows: [] }
    }),
  )

  httpAdmin.post(
    '/media-gateway/inventory',
    mayRead,
    mayUseForm,
    respond(RED, connectionIn, (form) => checkInventory(RED, form)),
  )

  httpAdmin.post(
    '/media-gateway/control',
    mayWrite,
    respond(RED, deployedIn, async (form, body) => {
      const command = commandIn(body)
      await withConnection(RED, form, body.appliance, ({ gateway }) =>
        controlRoute(gateway, command, newOperation('control-route')),
      )
      return { ok: true }
    }),
  )

  httpAdmin.post(
    '/media-gateway/failover',
    mayWrite,
    respond(RED, deployedIn, async (form, body, stop) => {
      const node = RED.nodes.getNode(form.id ?? '')
      if (!isGatewayNode(node)) throw new NotDeployed()
      await commandFailover(applianceOf(node, textOf(body.appliance)), body, stop, node.fleet)
      return { ok: true }
    }),
  )
}

/** Routes outlive the nodes: they are registered once for each Node-RED. */
const registered = new WeakSet<object>()

/**
 * Responds with the result of the work as JSON, or with its failure. A body that is not JSON is
 * refused: a web page elsewhere can send a form without the browser's permission.
 */
function respond(
  RED: NodeAPI,
  formIn: (body: JsonObject) => ConnectionForm,
  work: (form: ConnectionForm, body: JsonObject, stop: Stop) => unknown,
): RequestHandler {
  return (request: Request, response: Response) => {
    if (request.method === 'POST' && !request.is('application/json')) {
      response.status(415).json({ code: 'INVALID_INPUT', message: 'JSON is expected.' })
      return
    }
    const body = bodyOf(request)
    const form = formIn(body)
    // When the editor has gone, or has its response.
    const stop = new Stop()
    response.once('close', () => stop.now())
    Promise.resolve()
      .then(() => work(form, body, stop))
      .then(
        (result) => response.json(result),
        (error: unknown) => {
          const failure = failureOf(error, hostOf(RED, form, textOf(body.appliance)))
          response.status(statusOf(failure.code)).json(failure)
        },
      )
      // The editor is gone, or the result cannot be written: no response is possible.
      .catch(() => undefined)
  }
}

/** Not 401 or 403: the editor would take those for the end of its own login. */
function statusOf(code: ErrorCode): number {
  if (code === 'NOT_FOUND') return 404
  return ['CONFIG', 'INVALID_INPUT', 'READ_ONLY'].includes(code) ? 400 : 502
}

/**
 * A request to an address that is not deployed needs more than the right to read, and one that
 * sends environment variables there needs more than the right to drive an appliance.
 */
function needsMoreForUnsaved(RED: NodeAPI): RequestHandler {
  const needsWrite = RED.auth.needsPermission('media-gateway.write')
  const needsDeploy = RED.auth.needsPermission('flows.write')
  return (request, response, next) => {
    const body = bodyOf(request)
    const form = connectionIn(body)
    if (isDeployedOnly(form)) return next()
    needsWrite(request, response, (error?: unknown) => {
      // A definition may give its secrets by the names of variables.
      const isNamed = findVariables(body.definition).length > 0 && isElsewhere(RED, form)
      if (error || !(isNamed || sendsVariables(RED, form) || readsInventory(RED, form))) {
        next(error)
      } else needsDeploy(request, response, next)
    })
  }
}

function bodyOf(request: Request): JsonObject {
  const body: unknown = request.body
  return isObject(body) ? body : {}
}

const FORM = [
  'id',
  'baseUrl',
  'username',
  'password',
  'fingerprint',
  'tls',
  'proxy',
  'timeout',
  'inventory',
  'inventoryType',
]

/** The form of a config node, deployed or not: only what belongs to it, and only plain values. */
function connectionIn({ connection }: JsonObject): ConnectionForm {
  const entries = Object.entries(isObject(connection) ? connection : {}).filter(
    ([name, value]) =>
      FORM.includes(name) && (typeof value === 'string' || typeof value === 'number'),
  )
  return Object.fromEntries(entries)
}

/** A config node as it is deployed. */
const deployedIn = ({ id }: JsonObject): ConnectionForm => ({ id: textOf(id) })

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

async function withConnection<T>(
  RED: NodeAPI,
  form: ConnectionForm,
  appliance: unknown,
  work: (connection: Lease) => Promise<T>,
): Promise<T> {
  const connection = await connect(RED, form, textOf(appliance))
  try {
    return await work(connection)
  } finally {
    await connection.end().catch(() => undefined)
  }
}

/** A route in sent form, its secrets hidden. */
async function readDefinition(
  gateway: Connection,
  { deviceId, routeId }: JsonObject,
): Promise<object> {
  const operation = newOperation('get-route')
  const device = textOf(deviceId) ?? (await onlyDevice(gateway, operation))
  const address = { deviceId: device, routeId: textOf(routeId) ?? '' }
  const definition = hideSecrets(sentForm(await getRoute(gateway, address, operation)))
  // Unknown members are passed on, whatever the appliance writes into them.
  if (gateway.repeatsSecret(JSON.stringify(definition))) {
    throw new GatewayError('BAD_RESPONSE', say('secretRepeated'))
  }
  return { definition }
}

/** @throws GatewayError `INVALID_INPUT` */
function commandIn({ deviceId, routeId, destinationId, action }: JsonObject): ControlRoute {
  if (action !== 'start' && action !== 'stop' && action !== 'restart') {
    throw new GatewayError('INVALID_INPUT', 'action must be "start", "stop" or "restart".')
  }
  const device = textOf(deviceId)
  const route = textOf(routeId)
  if (!device || !route) {
    throw new GatewayError('INVALID_INPUT', 'deviceId and routeId must be given.')
  }
  return {
    deviceId: device,
    routeId: route,
    destinationId: textOf(destinationId),
    action,
    // So that the watches, and with them the sidebar, poll as soon as the change shows.
    waitFor: 'applied',
    waitTimeout: 30_000,
  }
}

interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: Failure
  /** Of a config node that stands for many appliances. */
  inventory?: { appliances: number; owned: number; faults: Failure[] }
}

/** The config nodes of the flows that run. */
function listGateways(RED: NodeAPI): ListedGateway[] {
  const listed: ListedGateway[] = []
  RED.nodes.eachNode(({ id, type, name, ...config }) => {
    if (type !== 'media-gateway') return
    const { baseUrl } = config as { baseUrl?: unknown }
    const entry = {
      id,
      name: name ?? '',
      address: withoutUser(textOf(baseUrl) ?? ''),
      readOnly: false,
    }
    try {
      const node = RED.nodes.getNode(id)
      if (!isGatewayNode(node)) throw new NotDeployed()
      if (!node.fleet) listed.push({ ...entry, readOnly: node.client().readOnly })
      else listed.push({ ...entry, readOnly: node.fleet.readOnly, ...inventoryOf(node.fleet) })
    } catch (error) {
      listed.push({ ...entry, error: failureOf(error, hostOf(RED, { id })) })
    }
  })
  return listed
}

function inventoryOf(fleet: Fleet): Pick<ListedGateway, 'inventory' | 'error'> {
  const names = fleet.names()
  const owned = names.filter((name) => fleet.owns(name)).length
  const { failure } = fleet
  // Shown as the error already.
  const faults = fleet.faults().filter(({ message }) => message !== failure?.message)
  const inventory = { appliances: names.length, owned, faults: shownFaults(faults) }
  return { inventory, ...(failure && { error: failureOf(failure, '') }) }
}
