import type { NodeAPI } from 'node-red'
import { findDestination, findSource } from '../../client/changes/find'
import { invalidInput } from '../../client/errors'
import { listCallers } from '../../client/watch/caller-list'
import { readAllStatistics, readStatistics, type StatisticsOf } from '../../client/api/statistics'
import { registerAction, type ActionConfig, type Call, type Result } from '../runtime/action'
import { choiceProperty } from '../runtime/properties'
import type { Message } from '../runtime/parameters'
import { counted, type Did } from '../runtime/status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-statistics',
    async (call) => {
      const { gateway, operation, config, parameters } = call
      const scope = choiceProperty('scope', config.scope, [
        'route',
        'source',
        'destination',
        'client',
        'all',
      ])
      if (choiceProperty('output', config.output, ['statistics', 'callers']) === 'callers') {
        return callersOf(call, scope)
      }
      if (scope === 'all') {
        const deviceId = await parameters.device()
        const payload = await readAllStatistics(gateway, deviceId, operation)
        return { payload, did: didReadAll(payload), deviceId }
      }
      return SCOPES[scope](call)
    },
    { route: ({ scope }) => scope !== 'all', message: ['clientAddress', 'clientPort'] },
  )

const SCOPES: Record<
  'route' | 'source' | 'destination' | 'client',
  (call: Call<Config>) => Promise<Result>
> = {
  route: (call) => statisticsOf(call, async ({ routeId }) => ({ routeId })),

  source: (call) =>
    statisticsOf(call, async (address) => ({
      routeId: address.routeId,
      sourceId: await findSource(call.gateway, address, call.operation),
    })),

  destination: async (call) => {
    const target = await call.parameters.destination()
    return statisticsOf(call, async (address) => ({
      routeId: address.routeId,
      destinationId: await findDestination(call.gateway, address, target, call.operation),
    }))
  },

  client: async (call) => {
    const target = await call.parameters.destination()
    const client = clientOf(call.message, call.operation.name)
    return statisticsOf(call, async (address) => ({
      routeId: address.routeId,
      destinationId: await findDestination(call.gateway, address, target, call.operation),
      ...client,
    }))
  },
}

/** One object for each caller, whatever the scope. */
async function callersOf(
  { gateway, operation, parameters, message }: Call<Config>,
  scope: keyof typeof SCOPES | 'all',
): Promise<Result> {
  const isAll = scope === 'all'
  const target =
    scope === 'destination' || scope === 'client' ? await parameters.destination() : undefined
  const client = scope === 'client' ? clientOf(message, operation.name) : undefined
  const address = isAll ? { deviceId: await parameters.device() } : await parameters.route()
  const outputId =
    target && 'routeId' in address
      ? await findDestination(gateway, address, target, operation)
      : undefined
  const { callers, routes, failed } = await listCallers(gateway, address, operation)
  const payload = callers.filter(
    ({ output, address: from, port }) =>
      (scope !== 'source' || !output) &&
      (outputId === undefined || output?.id === outputId) &&
      (!client || (client.clientAddress === from && (client.clientPort ?? port) === port)),
  )
  const did: Did =
    failed > 0
      ? { key: 'partFailed', values: { failed, number: routes }, failed: true }
      : counted('callers', payload.length)
  return { payload, did, ...address }
}

async function statisticsOf(
  { gateway, operation, parameters }: Call<Config>,
  of: (address: { deviceId: string; routeId: string }) => Promise<StatisticsOf>,
): Promise<Result> {
  const address = await parameters.route()
  const what = await of(address)
  const payload = await readStatistics(gateway, address.deviceId, what, operation)
  return { payload, did: { key: 'statistics' }, ...address }
}

function didReadAll(routes: ReadonlyArray<object>): Did {
  const number = routes.length
  const failed = routes.filter((route) => 'error' in route).length
  if (failed > 0) return { key: 'partFailed', values: { failed, number }, failed: true }
  return counted('statisticsOf', number)
}

/** A client is given by `msg.clientAddress`, and with several connections by `msg.clientPort`. */
function clientOf(
  { clientAddress, clientPort }: Message,
  operation: string,
): { clientAddress: string; clientPort?: number } {
  if (typeof clientAddress !== 'string' || clientAddress === '') {
    const problem = 'is empty; it must be the address of the client'
    throw invalidInput([{ path: 'msg.clientAddress', problem }], operation)
  }
  if (clientPort === undefined || clientPort === null || clientPort === '') return { clientAddress }
  const port = typeof clientPort === 'string' ? Number(clientPort) : clientPort
  if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65535)
    return { clientAddress, clientPort: port }
  throw invalidInput(
    [{ path: 'msg.clientPort', problem: 'must be a port from 1 to 65535' }],
    operation,
  )
}
