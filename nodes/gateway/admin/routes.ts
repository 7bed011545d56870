import type { Request, RequestHandler, Response } from 'express'
import type { NodeAPI } from 'node-red'
import {
  GatewayError,
  controlRoute,
  getRoute,
  hideSecrets,
  newOperation,
  onlyDevice,
  sentForm,
  type ErrorCode,
} from '../../../client/internal'
import { isObject, type JsonObject } from '../../../client/model/json'
import {
  NotDeployed,
  connect,
  failureOf,
  isDeployedOnly,
  sendsVariables,
  type ConnectionForm,
} from './connection'
import { testConnection } from './test-connection'
import { isGatewayNode, type GatewayNode } from '../../runtime/gateway-node'
import { lookUp } from './lookup'
import { createObservers } from './observers'

/** What the editor may ask of the runtime. Each route needs a permission, and answers no secret. */
export function registerAdminRoutes(RED: NodeAPI): void {
  const { httpAdmin } = RED
  if (!httpAdmin || registered.has(httpAdmin)) return
  registered.add(httpAdmin)
  const observers = createObservers()

  httpAdmin.post(
    '/media-gateway/connection',
    RED.auth.needsPermission('media-gateway.write'),
    needsMoreForUnsaved(RED),
    answering(({ connection }) => testConnection(RED, formOf(connection))),
  )

  httpAdmin.post(
    '/media-gateway/lookup',
    RED.auth.needsPermission('media-gateway.read'),
    needsMoreForUnsaved(RED),
    answering(({ connection, deviceId }) =>
      using(RED, connection, ({ gateway }) => lookUp(gateway, textOf(deviceId))),
    ),
  )

  httpAdmin.post(
    '/media-gateway/definition',
    RED.auth.needsPermission('media-gateway.read'),
    needsMoreForUnsaved(RED),
    answering(({ connection, deviceId, routeId }) =>
      using(RED, connection, async ({ gateway }) => {
        const operation = newOperation('get-route')
        const device = textOf(deviceId) ?? (await onlyDevice(gateway, operation))
        const address = { deviceId: device, routeId: textOf(routeId) ?? '' }
        const definition = hideSecrets(sentForm(await getRoute(gateway, address, operation)))
        // Members that nobody knows are handed on, whatever the appliance writes into them.
        if (gateway.repeatsSecret(JSON.stringify(definition))) {
          throw new GatewayError('BAD_RESPONSE', SECRET_REPEATED)
        }
        return { definition }
      }),
    ),
  )

  httpAdmin.get(
    '/media-gateway/gateways',
    RED.auth.needsPermission('media-gateway.read'),
    answering(() => gatewaysOf(RED)),
  )

  httpAdmin.post(
    '/media-gateway/state',
    RED.auth.needsPermission('media-gateway.read'),
    answering(({ id, deviceId, version, lookOn }) => {
      const node = RED.nodes.getNode(textOf(id) ?? '')
      // Each deploy takes it away for a moment, which is no failure.
      if (!isGatewayNode(node)) return { notDeployed: true }
      return observers.state(node, {
        deviceId: textOf(deviceId),
        version,
        lookOn: lookOn === true,
      })
    }),
  )

  httpAdmin.post(
    '/media-gateway/control',
    RED.auth.needsPermission('media-gateway.write'),
    answering(async ({ id, deviceId, routeId, destinationId, action }) => {
      if (action !== 'start' && action !== 'stop') {
        throw new GatewayError('INVALID_INPUT', 'action: "start" or "stop" is expected.')
      }
      const device = textOf(deviceId)
      const route = textOf(routeId)
      if (!device || !route) {
        throw new GatewayError('INVALID_INPUT', 'deviceId and routeId are expected.')
      }
      await using(RED, { id: textOf(id) }, ({ gateway }) =>
        controlRoute(
          gateway,
          {
            deviceId: device,
            routeId: route,
            destinationId: textOf(destinationId),
            action,
            // So that the watches, and with them the sidebar, look as soon as it shows.
            waitFor: 'applied',
            waitTimeout: 30_000,
          },
          newOperation('control-route'),
        ),
      )
      return { ok: true }
    }),
  )
}

const SECRET_REPEATED =
  'This route is not shown: the appliance has written the password of its user, or the ID of the session, into it.'

/** Routes outlive the nodes: they are registered once for each Node-RED. */
const registered = new WeakSet<object>()

/**
 * Responds with what the work brings as JSON, or the failure with its code. A body that is not
 * JSON is refused: a web page elsewhere can send a form without asking the browser's leave.
 */
function answering(work: (body: JsonObject) => unknown): RequestHandler {
  return (request: Request, response: Response) => {
    if (request.method === 'POST' && !request.is('application/json')) {
      response.status(415).json({ code: 'INVALID_INPUT', message: 'JSON is expected.' })
      return
    }
    const body: unknown = request.body
    Promise.resolve()
      .then(() => work(isObject(body) ? body : {}))
      .then(
        (answer) => response.json(answer),
        (error: unknown) => {
          const failure = failureOf(error)
          response.status(statusOf(failure.code)).json(failure)
        },
      )
      // The editor is gone, or its answer cannot be written: nobody is left to be told.
      .catch(() => undefined)
  }
}

/** Not 401 or 403: those would tell the editor that its own login has ended. */
function statusOf(code: ErrorCode): number {
  if (code === 'NOT_FOUND') return 404
  return ['CONFIG', 'INVALID_INPUT', 'READ_ONLY'].includes(code) ? 400 : 502
}

/**
 * To ask an address that is not deployed is more than to read, and to send it what is in the
 * environment is more than to drive an appliance.
 */
function needsMoreForUnsaved(RED: NodeAPI): RequestHandler {
  const needsWrite = RED.auth.needsPermission('media-gateway.write')
  const needsDeploy = RED.auth.needsPermission('flows.write')
  return (request, response, next) => {
    const body: unknown = request.body
    const form = formOf(isObject(body) ? body.connection : undefined)
    if (isDeployedOnly(form)) return next()
    needsWrite(request, response, (error?: unknown) => {
      if (error || !sendsVariables(RED, form)) next(error)
      else needsDeploy(request, response, next)
    })
  }
}

async function using<T>(
  RED: NodeAPI,
  form: unknown,
  work: (connection: Awaited<ReturnType<typeof connect>>) => Promise<T>,
): Promise<T> {
  const connection = await connect(RED, formOf(form))
  try {
    return await work(connection)
  } finally {
    await connection.end().catch(() => undefined)
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const FORM = ['id', 'baseUrl', 'username', 'password', 'fingerprint', 'tls', 'proxy', 'timeout']

/** Only what belongs to a form, and only plain values. */
function formOf(given: unknown): ConnectionForm {
  const entries = Object.entries(isObject(given) ? given : {}).filter(
    ([name, value]) =>
      FORM.includes(name) && (typeof value === 'string' || typeof value === 'number'),
  )
  return Object.fromEntries(entries)
}

function deployedGateway(RED: NodeAPI, id: unknown): GatewayNode {
  const node = RED.nodes.getNode(textOf(id) ?? '')
  if (isGatewayNode(node)) return node
  throw new NotDeployed()
}

/** An address with a user and a password is refused, but may be in the flow all the same. */
const withoutUser = (address: string): string => address.replace(/^([^/?#]*\/\/)?[^/?#]*@/, '$1')

interface ListedGateway {
  id: string
  name: string
  address: string
  readOnly: boolean
  error?: { code: string; message: string }
}

function gatewaysOf(RED: NodeAPI): ListedGateway[] {
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
      const { readOnly } = deployedGateway(RED, id).client()
      listed.push({ ...entry, readOnly })
    } catch (error) {
      listed.push({ ...entry, error: failureOf(error) })
    }
  })
  return listed
}
