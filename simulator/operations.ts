// What the operations on a device do: read, accept a change, or refuse it. See
// docs/project/interface.md.
import type { Appliance } from './appliance'
import type { DeviceState } from './device'
import { asObject, isObject, json, Refusal, type Call, type Reply } from './http'
import { readRoute, sentRoute, type DestinationState, type RouteState } from './model'
import type { Session } from './sessions'
import {
  clientStatistics,
  destinationStatistics,
  routeStatistics,
  sourceStatistics,
} from './statistics'
import { checkedCreate, checkedSpec, checkedUpdate } from './validation'

/** What an operation is about. */
export interface Context {
  call: Call
  session: Session
  device: DeviceState | undefined
  parameters: Record<string, string>
}

/** GET …/routes. */
export function listRoutes(appliance: Appliance, device: DeviceState, { call }: Context): object {
  const { dialect, defaultPageSize, maxPageSize } = appliance.settings
  const { routes } = device
  const size = dialect.paging
    ? Math.min(positive(call.query, 'pageSize') ?? defaultPageSize, maxPageSize)
    : Math.max(routes.length, 1)
  const first = dialect.paging ? ((positive(call.query, 'page') ?? 1) - 1) * size : 0
  const now = appliance.now()
  return {
    data: routes.slice(first, first + size).map((route) => readRoute(route, now, dialect)),
    numPages: Math.ceil(routes.length / size),
    numResults: routes.length,
    numActiveOutputConnections: activeOutputs(routes),
    ...(dialect.pendingRouteCreates && { pendingRouteCreates: device.pendingRouteCreates }),
  }
}

function positive(query: Record<string, string>, name: string): number | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new Refusal(400, 'getRoutes', `${name} must be a whole number from 1.`)
  }
  return Number(text)
}

function activeOutputs(routes: readonly RouteState[]): number {
  let outputs = 0
  for (const { destinations } of routes) {
    for (const { state } of destinations) if (state === 'connected') outputs++
  }
  return outputs
}

/** GET …/routes/{route}. */
export function getRoute(
  { settings, now }: Appliance,
  device: DeviceState,
  { parameters }: Context,
): object {
  return readRoute(routeOf(device, parameters.route), now(), settings.dialect)
}

/** POST …/updates. Accepted at once, done later. */
export function update(appliance: Appliance, device: DeviceState, { call }: Context): object {
  const body = bodyOf(call, device, 'postUpdates')
  if (body.elementType !== 'route') {
    throw new Refusal(400, 'postUpdates', 'elementType must be route.')
  }
  switch (body.action) {
    case 'create':
      appliance.create(device, [checkedCreate(body.fields)])
      return { status: 'The route is being created.' }
    case 'update': {
      const route = routeOf(device, demanded(body, 'elementID', 'postUpdates'))
      const spec = checkedUpdate(body.fields, route)
      const { name, source, destinations } = spec
      appliance.change(device, route, { name, source, destinations }, () =>
        appliance.redefine(route, spec),
      )
      return { status: 'The route is being updated.' }
    }
    case 'delete': {
      const route = routeOf(device, demanded(body, 'elementID', 'postUpdates'))
      route.hasPendingDelete = true
      device.lastAcceptedUpdate = appliance.now()
      appliance.later(() => device.remove(route.id))
      return { status: 'The route is being deleted.' }
    }
    default:
      throw new Refusal(400, 'postUpdates', 'action must be create, update or delete.')
  }
}

/** POST …/commands. */
export function command(appliance: Appliance, device: DeviceState, { call }: Context): object {
  const body = bodyOf(call, device, 'postCommands')
  const name = demanded(body, 'command', 'postCommands')
  const parameters = asObject(body.parameters)
  const toDestination = name === 'start-destination' || name === 'stop-destination'
  const known = toDestination
    ? appliance.settings.dialect.destinationCommands
    : name === 'start-route' || name === 'stop-route'
  if (!known) throw new Refusal(400, 'postCommands', `The command ${name} is not known.`)
  const route = routeOf(device, demanded(parameters, 'routeID', 'postCommands'))
  const action = name.startsWith('start') ? 'start' : 'stop'
  if (toDestination) {
    const id = demanded(parameters, 'destinationID', 'postCommands')
    destinationOf(route, id)
    appliance.change(device, route, { destinations: [{ id, action }] }, () => {
      const destination = route.destinations.find((each) => each.id === id)
      if (!destination) return
      if (action === 'start') appliance.startDestination(route, destination)
      else appliance.stopDestination(route, destination)
    })
  } else {
    const { stoppedState } = appliance.settings.dialect
    const state = action === 'start' ? 'running' : stoppedState
    appliance.change(device, route, { state }, () => appliance[action](route))
  }
  return [
    {
      _id: device.nextCommandId(),
      action: 'command',
      command: name,
      parameters,
      deviceID: device._id,
      createdAt: appliance.now(),
      completedAt: 0,
      result: null,
      state: 'pending',
    },
  ]
}

/** GET …/statistics. */
export function statistics(appliance: Appliance, device: DeviceState, { call }: Context): object {
  const route = routeOf(device, demanded(call.query, 'routeID', 'getStatistics'))
  const { sourceID, destinationID, destinationName } = call.query
  const { dialect } = appliance.settings
  const now = appliance.now()
  if (sourceID !== undefined) {
    if (sourceID !== route.source.id) {
      throw new Refusal(404, 'Source', `The route has no source ${sourceID}.`)
    }
    return sourceStatistics(route, now, dialect)
  }
  if (destinationID !== undefined || destinationName !== undefined) {
    const destination = destinationOf(route, destinationID, destinationName)
    return destinationStatistics(route, destination, now, dialect)
  }
  return routeStatistics(route, now, dialect)
}

/** GET …/statistics/client. */
export function statisticsOfClient(
  appliance: Appliance,
  device: DeviceState,
  { call }: Context,
): object {
  const route = routeOf(device, demanded(call.query, 'routeID', 'getStatistics'))
  const destination = destinationOf(route, demanded(call.query, 'destinationID', 'getStatistics'))
  const address = demanded(call.query, 'clientAddress', 'getStatistics')
  const port = call.query.clientPort
  return clientStatistics(
    route,
    destination,
    port === undefined ? { address } : { address, port },
    appliance.now(),
    appliance.settings.dialect,
  )
}

/** GET …/system/preset. */
export function exportPreset(_: Appliance, { device }: Context): Reply {
  const preset = {
    preset_version: '1.0',
    product_version: '3.8.1',
    routes: device?.routes.map(sentRoute),
  }
  return json(200, preset, { 'Content-Disposition': 'attachment; filename="preset.hmg"' })
}

/** POST …/system/preset: replaces all routes with those of the preset. */
export function importPreset(appliance: Appliance, device: DeviceState, { call }: Context): object {
  const preset = presetIn(call)
  const specs = preset.map((route) => ({ ...checkedSpec(route), startRoute: false }))
  appliance.create(device, specs, () => device.clear())
  return {
    type: 'postSystemPreset',
    message: 'The preset is being imported.',
    pendingCreation: specs.map(({ name }) => name),
  }
}

function presetIn(call: Call): unknown[] {
  if (!call.multipart) throw new Refusal(400, 'postSystemPreset', 'A preset file is required.')
  try {
    const { routes } = asObject(JSON.parse(call.multipart.content))
    if (Array.isArray(routes)) return routes
  } catch {
    // Falls through to the same refusal as a file without routes.
  }
  throw new Refusal(400, 'postSystemPreset', 'The file is not a preset.')
}

function bodyOf(call: Call, device: DeviceState, type: string): Record<string, unknown> {
  const members = call.body
  if (!isObject(members)) throw new Refusal(400, type, 'The body must be a JSON object.')
  if (demanded(members, 'deviceID', type) !== device._id) {
    throw new Refusal(400, type, 'deviceID is not the device of the path.')
  }
  return members
}

function demanded(members: Record<string, unknown>, name: string, type: string): string {
  const value = members[name]
  if (typeof value !== 'string' || value === '') {
    throw new Refusal(400, type, `${name} is required.`)
  }
  return value
}

function routeOf(device: DeviceState, id: string | undefined): RouteState {
  const route = device.route(id ?? '')
  if (!route) throw new Refusal(404, 'Route', `There is no route ${id}.`)
  return route
}

function destinationOf(route: RouteState, id?: string, name?: string): DestinationState {
  const destination = route.destinations.find((each) =>
    id !== undefined ? each.id === id : each.name === name,
  )
  if (!destination) {
    throw new Refusal(404, 'Destination', `The route has no destination ${id ?? name}.`)
  }
  return destination
}
