import type { RequestHandler } from 'express'
import type { NodeAPI } from 'node-red'
import { SECRET_PREFIX } from '../../../client/model/secrets'
import { controlRoute, type ControlRoute } from '../../../client/changes/control'
import { getRoute } from '../../../client/api/routes'
import { invalidInput } from '../../../client/errors'
import { listCallers } from '../../../client/watch/caller-list'
import { listDevices, onlyDevice } from '../../../client/api/devices'
import { Operation } from '../../../client/connection/operation'
import { toSent as sentForm } from '../../../client/model/convert'
import type { Connection } from '../../../client/connection/connection'
import type { Device } from '../../../client/model/types'
import { grouped } from '../../../client/model/ids'
import { isObject, plainText, type JsonObject } from '../../../client/model/json'
import { languageOf } from '../../../client/model/watch'
import { knownBy } from '../../../client/watch/registry'
import { answering, answeringThrown, bodyOf, take, textOf } from './answers'
import type { Question, Work } from './answers'
import {
  applianceOf,
  checkInventory,
  connect,
  fromEnv,
  hostOf,
  isDeployedOnly,
  isForDeployers,
} from './connection'
import { hostIn, type ConnectionForm } from '../options'
import { createConnectionTests } from './connection-report'
import {
  findGateway,
  savedGateways,
  type Fleet,
  type GatewayNode,
  type SavedGateway,
} from '../../runtime/gateway-node'
import { commandFailover } from './failovers'
import { choiceFrom } from '../../runtime/parameters'
import { CONNECTION, type Command, type ListedGateway } from '../../wire'
import type { Path, Received, Requests } from '../../wire'
import { NotDeployed, failureOf } from './failure'
import { listAppliances, shownFaults, withoutUser } from './inventory'
import { createLogins } from './logins'
import { createSharing, lookUp, refuseUnlisted } from './lookup'
import { createObservers } from './observers'
import { ACTIONS, planNow } from './plan'

interface Route<Of extends Path> extends Omit<Work, 'work'> {
  needs: 'media-gateway.read' | 'media-gateway.write'
  /** It takes a form that may not be deployed; the others a config node as it runs. */
  isOfForm?: boolean
  work: (
    question: Question<Requests[Of]['body']>,
  ) => Requests[Of]['answer'] | Promise<Requests[Of]['answer']>
}

/** Registers the editor's HTTP routes. Each needs a permission; none returns a secret. */
export function registerAdminRoutes(RED: NodeAPI): void {
  const { httpAdmin } = RED
  if (!httpAdmin) return
  const mayUseForm = needsMoreForUnsaved(RED)
  for (const [name, route] of Object.entries(routesOf(RED))) {
    const { needs, isOfForm = false } = route
    httpAdmin[name === 'gateways' ? 'get' : 'post'](
      `/media-gateway/${name}`,
      take,
      RED.auth.needsPermission(needs),
      ...(isOfForm ? [mayUseForm] : []),
      answering(RED, name, route, isOfForm ? connectionIn : deployedIn),
      answeringThrown,
    )
  }
}

function routesOf(RED: NodeAPI): { [Of in Path]: Route<Of> } {
  const observers = createObservers()
  const sharing = createSharing()
  const logins = createLogins()
  const tests = createConnectionTests(RED, logins)

  async function withConnection<T>(
    { form, appliance, user, stop, used }: Question,
    work: (gateway: Connection) => Promise<T>,
  ): Promise<T> {
    const { gateway, end } = await connect(RED, logins, form, appliance, { user, stop })
    used.push(gateway)
    try {
      return await work(gateway)
    } finally {
      await end().catch(() => undefined)
    }
  }

  const reads = { needs: 'media-gateway.read' } as const
  const readsForm = { ...reads, isOfForm: true, isAudited: 'unsaved' } as const
  const writesForm = { needs: 'media-gateway.write', isOfForm: true, isAudited: true } as const
  const changes = { needs: 'media-gateway.write', changes: true, isAudited: true } as const
  return {
    connection: { ...writesForm, work: (question) => tests.test(question) },

    connections: { ...writesForm, work: (question) => tests.testPart(question) },

    report: {
      ...writesForm,
      // Loaded when somebody asks for one.
      work: (question) =>
        (require('./report') as typeof import('./report')).makeReport(RED, logins, question),
    },

    lookup: {
      ...readsForm,
      work: (question) =>
        withConnection(question, (gateway) => {
          const deviceId = textOf(question.body.deviceId)
          const language = languageOf(question.body.language)
          const key = `look-up ${language} ${deviceId}`
          return sharing(gateway, key, () => lookUp(gateway, deviceId, language))
        }),
    },

    definition: {
      ...readsForm,
      work: (question) =>
        withConnection(question, (gateway) => readDefinition(gateway, question.body)),
    },

    // It says whether a secret is the present one: who only reads could guess with it.
    plan: {
      ...writesForm,
      work: (question) =>
        withConnection(question, (gateway) => {
          const node = nodeOf(RED, question)
          return planNow(gateway, question.body, node?.secretPrefix() ?? SECRET_PREFIX)
        }),
    },

    gateways: { ...reads, work: () => listGateways(RED) },

    state: {
      ...reads,
      async work(question) {
        const { body, form, appliance: named, user, used } = question
        const node = nodeOf(RED, question)
        // Each deploy takes it away for a moment, which is not a failure.
        if (!node) return { notDeployed: true }
        const appliance = applianceOf(node, named)
        if (!node.fleet.owns(named ?? '')) {
          // While the lease is lost, nobody knows who works for it.
          if (node.fleet.failure) throw node.fleet.failure
          return { elsewhere: true }
        }
        const gateway = appliance.client()
        used.push(gateway)
        const deviceId = textOf(body.deviceId)
        const [lookOn, poll] = [body.lookOn === true, body.poll === true]
        // Who may only read must not be able to have any ID polled.
        if (deviceId !== undefined && (!lookOn || poll) && !knownBy(gateway, deviceId)) {
          const list = (): Promise<Device[]> => listDevices(gateway, new Operation('look-up'))
          refuseUnlisted(await sharing(gateway, 'devices', list), deviceId)
        }
        const host = hostOf(RED, form, named)
        return observers.state(appliance, { ...body, deviceId, lookOn, poll, host, user })
      },
    },

    callers: {
      ...reads,
      work: (question) =>
        withConnection(question, (gateway) => {
          const deviceId = textOf(question.body.deviceId) ?? ''
          const routeId = textOf(question.body.routeId) ?? ''
          const list = async () => {
            const operation = new Operation('statistics')
            const { callers } = await listCallers(gateway, { deviceId, routeId }, operation)
            return { callers }
          }
          return sharing(gateway, `callers ${JSON.stringify([deviceId, routeId])}`, list)
        }),
    },

    appliances: {
      ...reads,
      work(question) {
        const node = nodeOf(RED, question)
        return node ? listAppliances(node.fleet, question.body) : { notDeployed: true }
      },
    },

    inventory: { ...reads, isOfForm: true, work: ({ form }) => checkInventory(RED, form) },

    control: {
      ...changes,
      async work(question) {
        const command = commandIn(question.body)
        await withConnection(question, (gateway) =>
          controlRoute(gateway, command, new Operation('control-route', { changes: true })),
        )
        return { ok: true }
      },
    },

    failover: {
      ...changes,
      async work(question) {
        const { body, appliance, stop } = question
        const node = nodeOf(RED, question)
        if (!node) throw new NotDeployed()
        await commandFailover(applianceOf(node, appliance), body, stop, node.fleet)
        return { ok: true }
      },
    },
  }
}

const nodeOf = (RED: NodeAPI, { form }: Question): GatewayNode | undefined =>
  findGateway(RED, { gateway: form.id })

/**
 * A request to an address that is not deployed needs more than the right to read, and one of those
 * that only users make who may deploy flows needs more than the right to drive an appliance.
 */
function needsMoreForUnsaved(RED: NodeAPI): RequestHandler {
  const needsWrite = RED.auth.needsPermission('media-gateway.write')
  const needsDeploy = RED.auth.needsPermission('flows.write')
  return (request, response, next) => {
    const body = bodyOf(request)
    const form = connectionIn(body)
    if (isDeployedOnly(form)) return next()
    const needsMore = isForDeployers(RED, form, body.definition)
    // Decided before: what the permissions call next is theirs, and nothing of it may throw.
    needsWrite(request, response, (error?: unknown) => {
      if (error || !needsMore) next(error)
      else needsDeploy(request, response, next)
    })
  }
}

const FORM: readonly string[] = ['id', ...CONNECTION]

/** The form of a config node, deployed or not: only what belongs to it, and only plain values. */
function connectionIn({ connection }: JsonObject): ConnectionForm {
  const entries = Object.entries(isObject(connection) ? connection : {}).filter(
    ([name, value]) =>
      FORM.includes(name) && (typeof value === 'string' || typeof value === 'number'),
  )
  return Object.fromEntries(entries)
}

const deployedIn = ({ id }: JsonObject): ConnectionForm => ({ id: textOf(id) })

async function readDefinition(
  gateway: Connection,
  { deviceId, routeId }: Received<Requests['definition']['body']>,
): Promise<Requests['definition']['answer']> {
  const operation = new Operation('get-route')
  const device = textOf(deviceId) ?? (await onlyDevice(gateway, operation))
  const address = { deviceId: device, routeId: textOf(routeId) ?? '' }
  return { definition: sentForm(await getRoute(gateway, address, operation)) }
}

/** @throws GatewayError `INVALID_INPUT` */
function commandIn({ deviceId, routeId, destinationId, action }: Received<Command>): ControlRoute {
  const known = choiceFrom('action', action, ACTIONS)
  const [device, route, destination] = [deviceId, routeId, destinationId].map(textOf)
  if (!device || !route) {
    throw invalidInput([{ path: '', problem: 'must have deviceId and routeId' }])
  }
  return {
    deviceId: device,
    routeId: route,
    destinationId: destination,
    action: known,
    // So that the watches, and with them the sidebar, poll as soon as the change shows.
    waitFor: 'applied',
    waitTimeout: 30_000,
  }
}

/** Of several with the same name, such as the instances of a subflow, the host says which one it is. */
function listGateways(RED: NodeAPI): ListedGateway[] {
  const listed = savedGateways(RED).flatMap(({ saved, running }) =>
    running.map(({ id, node }) => listedGateway(RED, id, saved, node)),
  )
  const namesakes = grouped(listed, ({ name }) => name)
  return listed.map((one) => {
    const host = hostIn(one.address)
    const isClear = one.name === '' || host === '' || namesakes.get(one.name)!.length === 1
    return isClear ? one : { ...one, name: `${one.name} (${host})` }
  })
}

function listedGateway(
  RED: NodeAPI,
  id: string,
  saved: SavedGateway['saved'],
  node: GatewayNode | undefined,
): ListedGateway {
  const [name, given] = [saved.name, saved.baseUrl].map((value) => fromEnv(RED, value, node))
  // A variable that is no address may be anything.
  const address = textOf(hostIn(plainText(given)) === '' ? saved.baseUrl : given) ?? ''
  const entry = { id, name: textOf(name) ?? '', address: withoutUser(address), readOnly: false }
  try {
    if (!node) throw new NotDeployed()
    const { fleet } = node
    return { ...entry, readOnly: fleet.readOnly, ...(fleet.hasNames && inventoryOf(fleet)) }
  } catch (error) {
    return { ...entry, error: failureOf(error, hostOf(RED, { id })) }
  }
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
