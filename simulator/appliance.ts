import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Callers, usualCallers } from './callers'
import { Agenda } from './scheduler'
import { newDevice, type DeviceState } from './device'
import type { Dialect } from './dialect'
import { generateRoutes } from './sample-routes'
import { Lines } from './lines'
import {
  completeDestination,
  completeSource,
  definitionOf,
  isCalled,
  isListener,
  lineOf,
  measure,
  mergedDefinition,
  newClient,
  newDestination,
  newMeter,
  newRoute,
  newSource,
  runningTime,
  setIdle,
  setState,
  summarise,
  type Client,
  type ConnectionState,
  type DestinationState,
  type RouteSpec,
  type RouteState,
  type SourceState,
} from './model'
import { Sessions, type Account, type SessionRules } from './sessions'
import { checkedSpec } from './validation'

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
 * The appliance without its network and its interface: sessions, devices, routes, and work accepted
 * but not yet done. `endpoints.ts` turns calls into what happens here.
 */
export class Appliance {
  readonly sessions: Sessions
  readonly devices: DeviceState[]
  readonly agenda: Agenda
  readonly lines = new Lines()
  readonly callers = new Callers()
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

  /** Adds a route at once, already running and connected if `startRoute` is set. */
  install(device: DeviceState, spec: RouteSpec): RouteState {
    const route = newRoute(checkedSpec(spec))
    device.add(route)
    for (const output of route.destinations.filter(isListener)) {
      this.callers.set(output, spec.callers ?? usualCallers(output))
    }
    this.attach(route)
    if (spec.startRoute) {
      route.state = 'running'
      route.startedAt = this.now()
      for (const part of wantedParts(route)) setState(part, goalOf(route, part))
      this.reckon(route)
    }
    return route
  }

  /** Adds routes as they are, with the far ends that are set. */
  adopt(
    device: DeviceState,
    routes: readonly RouteState[],
    setFarEnds: (lines: Lines, callers: Callers) => void,
  ): void {
    for (const route of routes) device.add(route)
    setFarEnds(this.lines, this.callers)
    for (const route of routes) {
      this.attach(route)
      measure(route, this.now())
    }
  }

  start(route: RouteState): void {
    if (route.state === 'running') return
    route.state = 'running'
    route.startedAt = this.now()
    for (const part of partsOf(route)) part.meter = newMeter(this.now())
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

  /** Leaves the destination in the state of docs/project/interface.md#commands. */
  stopDestination(route: RouteState, destination: DestinationState): void {
    if (!destination.started) return
    destination.started = false
    if (route.state === 'running') setIdle(destination)
    this.reckon(route)
  }

  /** Changes lines and callers, and moves the parts of running routes to the states that follow. */
  changeFarEnds(change: (lines: Lines, callers: Callers) => void): void {
    this.agenda.catchUp()
    const routes = this.devices.flatMap((device) => device.routes)
    const before = new Map(routes.map((route) => [route, outlookOf(route)]))
    change(this.lines, this.callers)
    for (const route of routes) {
      this.attach(route)
      if (route.state === 'running') this.connect(route, affected(route, before.get(route)))
    }
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
        this.attach(route)
        if (spec.startRoute) this.start(route)
      }
    })
  }

  /**
   * Replaces a route's definition, see docs/project/interface.md#updates: destinations left out are
   * removed. What changes reconnects; what stays the same is not interrupted.
   */
  redefine(route: RouteState, spec: RouteSpec): void {
    const reconnecting: Part[] = []
    const before = outlookOf(route)
    const source = completeSource(mergedDefinition(spec.source, route.source))
    if (!isDeepStrictEqual(source, completeSource(definitionOf(route.source)))) {
      route.source = newSource(source, route.source.id)
      reconnecting.push(route.source)
    }
    const switched: Array<() => void> = []
    route.destinations = (spec.destinations ?? []).map((sent) => {
      const stored = route.destinations.find((known) => known.id === sent.id)
      const definition = completeDestination(mergedDefinition(sent, stored))
      if (stored && isDeepStrictEqual(definition, completeDestination(definitionOf(stored)))) {
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
    route.danglingIds = spec.danglingIds ?? []
    this.attach(route)
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
        if (!part) continue
        const isNext = part.state !== 'disconnected'
        setState(part, isNext ? 'connected' : 'connecting')
        // Whoever called before has a new connection.
        if (isNext && isListener(part)) this.serve(part, [])
      }
      this.reckon(route)
      if (parts.some((part) => isUnderWay(route, part))) {
        this.agenda.enter(this.settings.settleDelay, step)
      }
    }
    this.reckon(route)
    if (parts.length > 0) this.agenda.enter(this.settings.settleDelay, step)
  }

  /** Gives the parts of a route their lines and callers. */
  private attach(route: RouteState): void {
    const { source } = route
    source.caller = isCalled(source) ? this.callers.ofSource(source) : undefined
    for (const part of partsOf(route)) {
      part.lines = this.lines.of(part)
      if (isListener(part)) this.serve(part, part.clients)
    }
  }

  /** Makes a client of each caller, except of those that are one already. */
  private serve(output: DestinationState, known: readonly Client[]): void {
    output.clients = this.callers
      .of(output)
      .map(
        (caller) => known.find((each) => each.caller === caller) ?? newClient(caller, this.now()),
      )
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

/** The state that a part of a running route will reach: an SRT listener needs a caller too. */
function goalOf(route: RouteState, part: Part): ConnectionState {
  const reached = reachOf(route, part)
  const waits = reached === 'connected' && isListener(part) && part.clients.length === 0
  return waits ? 'disconnected' : reached
}

/** How far its lines let it get: without its source a destination waits. */
function reachOf({ source }: RouteState, part: Part): ConnectionState {
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
  const hasData = (part: Part) =>
    reachOf(route, part) === 'connected' && lineOf(part).data !== false
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

/** A create may contain IDs, or empty ones: the appliance assigns its own. */
function withoutIds(spec: RouteSpec): RouteSpec {
  return {
    name: spec.name,
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
