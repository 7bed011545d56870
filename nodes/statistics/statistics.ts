import type { NodeAPI } from 'node-red'
import { getRoute } from '../../client/api/routes'
import { findDestination } from '../../client/changes/find'
import { GatewayError, invalidInput, say } from '../../client/errors'
import { isSameId } from '../../client/model/ids'
import { destinationIn } from '../../client/model/route-state'
import { listCallers, type ListedCaller } from '../../client/watch/caller-list'
import { OPERATIONS } from '../../client/operations'
import type { StatisticsOptions } from '../../client/options'
import { registerAction, type ActionConfig, type Call, type Result } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import { wrong, type Message } from '../runtime/parameters'
import { counted, type Did } from '../runtime/status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

const SCOPES = ['route', 'source', 'destination', 'client', 'all'] as const
type Scope = (typeof SCOPES)[number]

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-statistics',
    async (call) => {
      const { run, config } = call
      const scope = choiceProperty('scope', config.scope, SCOPES)
      if (choiceProperty('output', config.output, ['statistics', 'callers']) === 'callers') {
        return callersOf(call, scope)
      }
      if (scope === 'all') {
        const { answer: payload, deviceId } = await run(OPERATIONS.allStatistics, {})
        return { payload, did: didReadAll(payload), deviceId }
      }
      const { destination, client } = await partIn(call, scope)
      const { answer: payload, ...address } = await run(OPERATIONS.statistics, {
        source: scope === 'source',
        destination,
        client,
      })
      return { payload, did: { key: 'statistics' }, ...address }
    },
    {
      nature: ({ scope }) => OPERATIONS[scope === 'all' ? 'allStatistics' : 'statistics'],
      message: ['clientAddress', 'clientPort'],
      hidesSecrets: true,
    },
  )

/** Which destination of the route is meant, and which client of it. */
async function partIn(
  { message, parameters }: Call<Config>,
  scope: Scope,
): Promise<Pick<StatisticsOptions, 'destination' | 'client'>> {
  if (scope !== 'destination' && scope !== 'client') return {}
  const destination = await parameters.destination()
  if (scope === 'destination') return { destination }
  return { destination, client: clientOf(message) }
}

/** One object for each caller, whatever the scope. */
async function callersOf(call: Call<Config>, scope: Scope): Promise<Result> {
  const { gateway, operation, parameters } = call
  const { destination, client } = await partIn(call, scope)
  const address =
    scope === 'all' ? { deviceId: await parameters.device() } : await parameters.route()
  const outputId =
    destination && 'routeId' in address
      ? await findDestination(gateway, address, destination, operation)
      : undefined
  const { callers, routes, failed } = await listCallers(gateway, address, operation)
  const isOfOutput = ({ output }: ListedCaller): boolean =>
    outputId === undefined || isSameId(output?.id, outputId)
  // An ID was not looked up: none are called at an output that the route does not have.
  if (outputId !== undefined && 'routeId' in address && !callers.some(isOfOutput)) {
    const route = await getRoute(gateway, address, operation)
    if (!destinationIn(route, outputId)) {
      throw new GatewayError('NOT_FOUND', say('destinationIdNotInRoute', { id: outputId }))
    }
  }
  const payload = callers.filter(
    (caller) =>
      (scope !== 'source' || !caller.output) &&
      isOfOutput(caller) &&
      (!client ||
        (client.address === caller.address && (client.port ?? caller.port) === caller.port)),
  )
  const did: Did =
    failed > 0
      ? { key: 'partFailed', values: { failed, number: routes }, failed: true }
      : counted('callers', payload.length)
  return { payload, did, ...address }
}

function didReadAll(routes: ReadonlyArray<object>): Did {
  const number = routes.length
  const failed = routes.filter((route) => 'error' in route).length
  if (failed > 0) return { key: 'partFailed', values: { failed, number }, failed: true }
  return counted('statisticsOf', number)
}

/** A client is given by `msg.clientAddress`, and with several connections by `msg.clientPort`. */
function clientOf({ clientAddress: address, clientPort }: Message): {
  address: string
  port?: number
} {
  if (typeof address !== 'string' || address === '') {
    throw invalidInput([wrong('msg.clientAddress', address, 'the address of the client')])
  }
  if (clientPort === undefined || clientPort === null || clientPort === '') return { address }
  const port = typeof clientPort === 'string' ? Number(clientPort) : clientPort
  if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65535)
    return { address, port }
  throw invalidInput([wrong('msg.clientPort', clientPort, 'a port from 1 to 65535')])
}
