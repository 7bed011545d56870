import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Agenda } from './scheduler'
import { newDevice, readDevice, readDeviceConfiguration, type DeviceState } from './device'
import type { Dialect } from './dialect'
import { asObject, contentType, isObject, json, Refusal, type Call, type Reply } from './http'
import { generateRoutes } from './sample-routes'
import { Lines } from './lines'
import {
  completeDestination,
  completeSource,
  definitionOf,
  lineOf,
  measure,
  mergedDefinition,
  newDestination,
  newRoute,
  newSource,
  readRoute,
  runningTime,
  sentRoute,
  setIdle,
  setState,
  summarise,
  type ConnectionState,
  type DestinationState,
  type RouteSpec,
  type RouteState,
  type SourceState,
} from './model'
import { Sessions, type Account, type Role, type Session, type SessionRules } from './sessions'
import {
  clientStatistics,
  destinationStatistics,
  routeStatistics,
  sourceStatistics,
} from './statistics'
import { checkedCreate, checkedSpec, checkedUpdate } from './validation'

/** Settings of the appliance; times in ms. They may change while it runs. */
export interface ApplianceSettings extends SessionRules {
  applyDelay: number
  settleDelay: number
  defaultPageSize: number
  maxPageSize: number
  pollingInterval: number
  dialect: Dialect
}

/** What an appliance is built from. */
export interface Equipment {
  settings: ApplianceSettings
  accounts: readonly Account[]
  devices: number
  /** How many routes each device gets, or which. */
  routes: number | RouteSpec[]
  now: () => number
}

/**
 * The appliance without its network: sessions, devices, routes, and work accepted but not yet
 * done. `answer` turns a call into a reply, following sections 2 to 9 of the facts.
 */
export class Appliance {
  readonly sessions: Sessions
  readonly devices: DeviceState[]
  readonly agenda: Agenda
  readonly lines = new Lines()
  readonly settings: ApplianceSettings
  readonly now: () => number

  constructor({ settings, accounts, devices, routes, now }: Equipment) {
    this.settings = settings
    this.now = now
    this.agenda = new Agenda(now)
    this.sessions = new Sessions(accounts, settings, now)
    this.devices = Array.from({ length: devices }, (_, place) => newDevice(place))
    this.devices.forEach((device, place) => {
      const specs = typeof routes === 'number' ? generateRoutes(routes, place + 1) : routes
      specs.forEach((spec, number) => {
        this.install(device, withIds(spec, `${device._id} route ${number}`))
      })
    })
  }

  answer(call: Call): Reply {
    this.agenda.catchUp()
    try {
      return this.dispatch(call)
    } catch (refusal) {
      if (refusal instanceof Refusal) return refusal.reply()
      throw refusal
    }
  }

  /** Adds a route at once, already running and connected if `startRoute` is set. */
  install(device: DeviceState, spec: RouteSpec): RouteState {
    const route = newRoute(checkedSpec(spec))
    device.add(route)
    for (const part of partsOf(route)) part.lines = this.lines.of(part)
    if (spec.startRoute) {
      route.state = 'running'
      route.startedAt = this.now()
      for (const part of wantedParts(route)) setState(part, goalOf(route, part))
      this.reckon(route)
    }
    return route
  }

  start(route: RouteState): void {
    if (route.state === 'running') return
    route.state = 'running'
    route.startedAt = this.now()
    for (const part of partsOf(route)) {
      part.meter = { at: this.now(), packets: 0, lost: 0, perSecond: { packets: 0, lost: 0 } }
    }
    this.connect(route, wantedParts(route))
  }

  stop(route: RouteState): void {
    if (route.state === 'idle') return
    route.ranFor = runningTime(route, this.now())
    route.state = 'idle'
    delete route.startedAt
    for (const part of partsOf(route)) setIdle(part)
    this.reckon(route)
  }

  startDestination(route: RouteState, destination: DestinationState): void {
    if (destination.started) return
    destination.started = true
    if (route.state === 'running') this.connect(route, [destination])
  }

  /** Leaves the destination in the state of facts 4.7. */
  stopDestination(route: RouteState, destination: DestinationState): void {
    if (!destination.started) return
    destination.started = false
    if (route.state === 'running') setIdle(destination)
    this.reckon(route)
  }

  /** Changes lines, and moves the parts of running routes to the states that follow. */
  changeLines(change: (lines: Lines) => void): void {
    this.agenda.catchUp()
    const routes = this.devices.flatMap((device) => device.routes)
    const before = new Map(routes.map((route) => [route, outlookOf(route)]))
    change(this.lines)
    for (const route of routes) {
      for (const part of partsOf(route)) part.lines = this.lines.of(part)
      if (route.state === 'running') this.connect(route, affected(route, before.get(route)))
    }
  }

  private dispatch(call: Call): Reply {
    const { operation, parameters } = operationFor(call)
    if (operation === login) return this.login(call)
    const session = this.sessions.resume(call.cookie)
    if (!session) return this.sessions.gone()
    call.session = session.id
    call.user = session.account.username
    const { role } = session.account
    if (!MAY[operation?.right ?? 'read'].includes(role)) {
      throw new Refusal(
        this.settings.dialect.forbiddenStatus,
        'SessionAuthorization',
        `Operation not authorized for roles: ${role}`,
      )
    }
    if (!operation) throw new Refusal(404, 'Request', 'There is no such resource.')
    if (operation.accepts) demandContentType(call, operation.accepts)
    const device = parameters.device === undefined ? undefined : this.device(parameters.device)
    return operation.answer(this, { call, session, device, parameters })
  }

  private login(call: Call): Reply {
    demandContentType(call, 'application/json')
    const { session, reply } = this.sessions.login(call.body)
    call.session = session.id
    call.user = session.account.username
    return reply
  }

  private device(id: string): DeviceState {
    const device = this.devices.find((known) => known._id === id)
    if (!device) throw new Refusal(404, 'Device', `There is no device ${id}.`)
    return device
  }

  /** Does accepted work after `applyDelay`. */
  later(work: () => void): void {
    this.agenda.enter(this.settings.applyDelay, work)
  }

  /** Shows `values` in the route's `pendingUpdates` until `work` is done. */
  change(device: DeviceState, route: RouteState, values: object, work: () => void): void {
    route.pendingUpdates = values
    device.lastAcceptedUpdate = this.now()
    this.later(() => {
      if (route.pendingUpdates === values) delete route.pendingUpdates
      if (device.route(route.id)) work()
    })
  }

  create(device: DeviceState, specs: RouteSpec[], before: () => void = () => {}): void {
    device.pendingRouteCreates += specs.length
    device.lastAcceptedUpdate = this.now()
    this.later(() => {
      before()
      device.pendingRouteCreates -= specs.length
      for (const spec of specs) {
        const route = newRoute(withoutIds(spec))
        device.add(route)
        for (const part of partsOf(route)) part.lines = this.lines.of(part)
        if (spec.startRoute) this.start(route)
      }
    })
  }

  /**
   * Replaces a route's definition (facts 4.4): destinations left out are removed. What changes
   * reconnects; what stays the same is not interrupted.
   */
  redefine(route: RouteState, spec: RouteSpec): void {
    const reconnecting: Part[] = []
    const before = outlookOf(route)
    const source = completeSource(mergedDefinition(spec.source, route.source))
    if (!isDeepStrictEqual(source, definitionOf(route.source))) {
      route.source = newSource(source, route.source.id)
      reconnecting.push(route.source)
    }
    const switched: Array<() => void> = []
    route.destinations = (spec.destinations ?? []).map((sent) => {
      const stored = route.destinations.find((known) => known.id === sent.id)
      const definition = completeDestination(mergedDefinition(sent, stored))
      if (stored && isDeepStrictEqual(definition, definitionOf(stored))) {
        if (sent.action === 'start') switched.push(() => this.startDestination(route, stored))
        if (sent.action === 'stop') switched.push(() => this.stopDestination(route, stored))
        return stored
      }
      const started =
        sent.action === 'start' || (sent.action !== 'stop' && (stored?.started ?? true))
      const destination = newDestination(definition, started, stored?.id)
      if (started) reconnecting.push(destination)
      else if (route.state === 'running') setIdle(destination)
      return destination
    })
    route.name = spec.name
    for (const part of partsOf(route)) part.lines = this.lines.of(part)
    if (route.state === 'running') {
      this.connect(route, [...reconnecting, ...affected(route, before)])
    }
    for (const change of switched) change()
    this.reckon(route)
  }

  /**
   * Takes parts from disconnected through connecting to connected, the source first, as far as
   * their lines allow.
   */
  private connect(route: RouteState, parts: Part[]): void {
    for (const part of parts) setState(part, 'disconnected')
    const step = () => {
      if (route.state !== 'running') return
      const [first, ...others] = [...parts]
        .sort((part) => (part === route.source ? -1 : 0))
        .filter((part) => isUnderWay(route, part))
      for (const part of first === route.source ? [first] : [first, ...others]) {
        if (part) setState(part, part.state === 'disconnected' ? 'connecting' : 'connected')
      }
      this.reckon(route)
      if (parts.some((part) => isUnderWay(route, part))) {
        this.agenda.enter(this.settings.settleDelay, step)
      }
    }
    this.reckon(route)
    if (parts.length > 0) this.agenda.enter(this.settings.settleDelay, step)
  }

  /** Updates a route's summary and counters; call after every change to one of its parts. */
  private reckon(route: RouteState): void {
    summarise(route)
    measure(route, this.now())
  }
}

type Part = SourceState | DestinationState

function partsOf({ source, destinations }: RouteState): Part[] {
  return [source, ...destinations]
}

function wantedParts(route: RouteState): Part[] {
  return partsOf(route).filter((part) => !('started' in part) || part.started === true)
}

/** The state that a part of a running route will reach: without its source a destination waits. */
function goalOf({ source }: RouteState, part: Part): ConnectionState {
  const held = lineOf(part).state
  if (held || part === source) return held ?? 'connected'
  return lineOf(source).state ? 'disconnected' : 'connected'
}

function isUnderWay(route: RouteState, part: Part): boolean {
  const isWanted = !('started' in part) || part.started === true
  const isOpen = part.state === 'disconnected' || part.state === 'connecting'
  return isWanted && isOpen && part.state !== goalOf(route, part)
}

interface Outlook {
  goal: ConnectionState
  hasData: boolean
}

/** The state that each part of a route will reach, and whether it will have data. */
function outlookOf(route: RouteState): Map<Part, Outlook> {
  const hasData = (part: Part) => goalOf(route, part) === 'connected' && lineOf(part).data !== false
  return new Map(
    partsOf(route).map((part) => [
      part,
      { goal: goalOf(route, part), hasData: hasData(part) && hasData(route.source) },
    ]),
  )
}

/** Takes down the parts that now fail; returns those that have to reconnect. */
function affected(route: RouteState, before: Map<Part, Outlook> | undefined): Part[] {
  const now = outlookOf(route)
  return wantedParts(route).filter((part) => {
    const [was, is] = [before?.get(part), now.get(part)]
    if (!was || !is) return false
    if (was.hasData && !is.hasData) part.signalLosses++
    if (is.goal !== 'connected') setState(part, is.goal)
    // Same state, but the line may have changed its details.
    else if (part.state === 'connected') setState(part, 'connected')
    return is.goal === 'connected' && was.goal !== 'connected'
  })
}

/** Each role's rights (facts 2.4). */
const MAY: Record<Right, readonly Role[]> = {
  read: ['Administrator', 'Operator', 'Observer'],
  write: ['Administrator', 'Operator'],
  preset: ['Administrator'],
}

type Right = 'read' | 'write' | 'preset'

interface Context {
  call: Call
  session: Session
  device: DeviceState | undefined
  parameters: Record<string, string>
}

interface Operation {
  right: Right
  accepts?: 'application/json' | 'multipart/form-data'
  answer: (appliance: Appliance, context: Context) => Reply
}

const login: Operation = {
  right: 'read',
  answer: () => {
    throw new Error('A login has no session yet: dispatch takes care of it.')
  },
}

/** An operation on the device named in the path. */
function onDevice(
  answer: (appliance: Appliance, device: DeviceState, context: Context) => unknown,
): Operation['answer'] {
  return (appliance, context) => {
    if (!context.device) throw new Error('The path of this operation names no device.')
    return json(200, answer(appliance, context.device, context))
  }
}

const ENDPOINTS: ReadonlyArray<{ path: string; methods: Record<string, Operation> }> = [
  {
    path: '/api/session',
    methods: {
      POST: login,
      GET: {
        right: 'read',
        answer: ({ sessions }, { session }) => json(200, sessions.information(session)),
      },
      DELETE: {
        right: 'read',
        answer: ({ sessions }, { session }) => json(200, sessions.logout(session)),
      },
    },
  },
  {
    path: '/api/devices',
    methods: {
      GET: {
        right: 'read',
        answer: ({ devices, now }) =>
          json(
            200,
            devices.map((device) => readDevice(device, now())),
          ),
      },
    },
  },
  {
    path: '/api/devices/:device',
    methods: {
      GET: {
        right: 'read',
        answer: onDevice(({ settings, now }, device) =>
          readDeviceConfiguration(device, now(), settings),
        ),
      },
    },
  },
  {
    path: '/api/devices/:device/updates',
    methods: { POST: { right: 'write', accepts: 'application/json', answer: onDevice(update) } },
  },
  {
    path: '/api/devices/:device/commands',
    methods: { POST: { right: 'write', accepts: 'application/json', answer: onDevice(command) } },
  },
  {
    path: '/api/gateway/:device/routes',
    methods: { GET: { right: 'read', answer: onDevice(listRoutes) } },
  },
  {
    path: '/api/gateway/:device/routes/:route',
    methods: {
      GET: {
        right: 'read',
        answer: onDevice(({ settings, now }, device, { parameters }) =>
          readRoute(routeOf(device, parameters.route), now(), settings.dialect),
        ),
      },
    },
  },
  {
    path: '/api/gateway/:device/statistics',
    methods: { GET: { right: 'read', answer: onDevice(statistics) } },
  },
  {
    path: '/api/gateway/:device/statistics/client',
    methods: { GET: { right: 'read', answer: onDevice(statisticsOfClient) } },
  },
  {
    path: '/api/gateway/:device/system/preset',
    methods: {
      GET: { right: 'preset', answer: exportPreset },
      POST: {
        right: 'preset',
        accepts: 'multipart/form-data',
        answer: onDevice(importPreset),
      },
    },
  },
]

/** The operation a call is for, if the path is known; a known path with a wrong method is a 405. */
function operationFor(call: Call): {
  operation: Operation | undefined
  parameters: Record<string, string>
} {
  for (const { path, methods } of ENDPOINTS) {
    const parameters = parametersOf(call.path, path)
    if (!parameters) continue
    const operation = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined
    if (operation) return { operation, parameters }
    throw new Refusal(405, 'Request', `${call.method} is not supported here.`, {
      Allow: Object.keys(methods).join(', '),
    })
  }
  return { operation: undefined, parameters: {} }
}

function parametersOf(path: string, pattern: string): Record<string, string> | undefined {
  // A real appliance treats two slashes as one (facts 12.6).
  const sent = path.replace(/\/{2,}/g, '/').split('/')
  const expected = pattern.split('/')
  if (sent.length !== expected.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [place, name] of expected.entries()) {
    const part = sent[place] ?? ''
    if (name.startsWith(':')) parameters[name.slice(1)] = decoded(part)
    else if (name !== part) return undefined
  }
  return parameters
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal(400, 'Request', 'The path is not properly encoded.')
  }
}

function demandContentType(call: Call, accepted: string): void {
  if (contentType(call) !== accepted) {
    throw new Refusal(415, 'Request', `This needs the content type ${accepted}.`)
  }
}

/** GET …/routes (facts 4.1). */
function listRoutes(appliance: Appliance, device: DeviceState, { call }: Context): object {
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

/** POST …/updates (facts 4.3 to 4.5, 4.7). Accepted at once, done later. */
function update(appliance: Appliance, device: DeviceState, { call }: Context): object {
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

/** POST …/commands (facts 4.6). */
function command(appliance: Appliance, device: DeviceState, { call }: Context): object {
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

/** GET …/statistics (facts 7). */
function statistics(appliance: Appliance, device: DeviceState, { call }: Context): object {
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

/** GET …/statistics/client (facts 7). */
function statisticsOfClient(appliance: Appliance, device: DeviceState, { call }: Context): object {
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

/** GET …/system/preset (facts 8). */
function exportPreset(_: Appliance, { device }: Context): Reply {
  const preset = {
    preset_version: '1.0',
    product_version: '3.8.1',
    routes: device?.routes.map(sentRoute),
  }
  return json(200, preset, { 'Content-Disposition': 'attachment; filename="preset.hmg"' })
}

/** POST …/system/preset: replaces all routes with those of the preset. */
function importPreset(appliance: Appliance, device: DeviceState, { call }: Context): object {
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

/** A create may contain IDs, or empty ones: the appliance assigns its own (facts 4.3). */
function withoutIds(spec: RouteSpec): RouteSpec {
  const { id: _, ...route } = spec
  return {
    ...route,
    source: { ...spec.source, id: '' },
    destinations: (spec.destinations ?? []).map((destination) => ({ ...destination, id: '' })),
  }
}

/** Adds stable IDs, so that a flow saved against the simulator works at its next start too. */
function withIds(spec: RouteSpec, seed: string): RouteSpec {
  return {
    ...spec,
    id: spec.id || uuidOf(seed),
    source: { ...spec.source, id: spec.source.id || uuidOf(`${seed} source`) },
    destinations: spec.destinations?.map((destination, place) => ({
      ...destination,
      id: destination.id || uuidOf(`${seed} destination ${place}`),
    })),
  }
}

function uuidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex')
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
