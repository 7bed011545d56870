import {
  onlyDevice,
  forgetOnlyDevice,
  getDevice,
  listDevices,
  mayBeUnknownDevice,
} from './api/devices'
import { exportPreset, type Preset, type PresetAnswer } from './api/presets'
import { getRoute, listRoutes } from './api/routes'
import { endSession, sessionInformation, startSession } from './api/session'
import {
  readAllStatistics,
  readStatistics,
  type FailedStatistics,
  type Statistics,
  type StatisticsOf,
} from './api/statistics'
import { controlRoute, type ControlAction } from './changes/control'
import { createRoute, type Created } from './changes/create'
import { listDefinitions } from './changes/definitions'
import { deleteRoute } from './changes/delete'
import type { Ensured } from './changes/ensure/apply'
import {
  ensureRoutes,
  newEnsureMemory,
  undoLastRun,
  type EnsureFailure,
  type EnsureRoutes,
} from './changes/ensure/ensure'
import {
  findDestination,
  findRoute,
  findSource,
  labelOf,
  type RouteAddress,
  type Target,
} from './changes/find'
import type { Waiting } from './changes/step'
import type { EnsureState, Wanted } from './changes/ensure/plan'
import type { Remove } from './changes/ensure/removals'
import type { PlanReport } from './changes/ensure/report'
import { plainInput } from './changes/input'
import { restorePreset } from './changes/presets'
import { updateRoute, type Updated, type UpdateMode } from './changes/update'
import { openConnection, type Connection, type GatewayOptions } from './connection/connection'
import { confirmedIn, newOperation, type Operation } from './connection/operation'
import {
  GatewayError,
  asGatewayError,
  closedError,
  gatewayClosed,
  invalidInput,
  restated,
  type Finding,
} from './errors'
import type { Definition } from './model/definitions'
import { own } from './model/json'
import { OPTIONS, listenerFaults, optionFaults, targetFaults, type Options } from './model/options'
import { DEFAULTS } from './model/ranges'
import type { Language } from './model/watch'
import type {
  CommandAnswer,
  Device,
  DeviceConfiguration,
  Route,
  RouteFields,
  RouteList,
  RoutePatch,
  SessionDeletion,
  SessionInformation,
  UpdateAnswer,
} from './model/types'
import { forPrograms } from './sentences'
import { createStops } from './stop'
import { watchDevice } from './watch/registry'
import type { WatchEvent } from './model/event'
import type { RouteFilter } from './watch/report/filter'
import { listHealth, type HealthRow } from './watch/rows'
import type { WatchOptions as Subscribe } from './watch/report/subscription'

/** Options of every method. */
export interface CallOptions {
  /**
   * Ends the call, which rejects with the code `CLOSED`. A change that is already on its way is not
   * undone; `cause.applied` is then `maybe`.
   */
  signal?: AbortSignal
}

export interface DeviceOptions extends CallOptions {
  /** By default the appliance's only device. */
  deviceId?: string
}

export interface ListOptions extends DeviceOptions {
  /** From 1. With `page` or `pageSize` exactly that page is read, otherwise all routes. */
  page?: number
  /** Routes on each page. */
  pageSize?: number
}

export interface HealthOptions extends ListOptions {
  /** The language of `text`; default `en-US`. */
  language?: Language
}

export interface DefinitionsOptions extends DeviceOptions {
  /**
   * What stands for a secret. `hidden` (default): {@link HIDDEN}. `names`: the name of an
   * environment variable, such as `${SRT_STUDIO_A_SOURCE}`; this client does not replace it.
   */
  secrets?: 'hidden' | 'names'
  /** With which these names begin; default `SRT_`. */
  prefix?: string
}

/** Confirms what would be refused. */
export interface ConfirmOptions {
  /**
   * The exact name of each protected route that is changed, stopped or deleted. Only with
   * `protectedRoutes` of the gateway.
   */
  confirmProtected?: string | readonly string[]
  /** Outputs that other routes share may be removed or changed, by update, delete and ensure. */
  confirmShared?: boolean
}

/** How long to wait for a change. */
export interface ChangeOptions extends DeviceOptions {
  /**
   * `accepted` (default): until the appliance's response, which says queued, not done.
   * `applied`: until the change shows.
   */
  waitFor?: Waiting['waitFor']
  /** Milliseconds, for `applied`; default 30000. */
  waitTimeout?: number
}

export interface CreateOptions extends ChangeOptions {
  /** Start the route, where the definition has no `startRoute`; default false. */
  startRoute?: boolean
  /** Check source and destinations before anything is sent; default true. */
  validate?: boolean
}

export interface UpdateOptions extends ChangeOptions, ConfirmOptions {
  /**
   * What leaving something out of the patch means. `merge` (default): it stays as it is, at every
   * depth. `keep`: of name, source and destinations, what is left out stays; a list of destinations
   * is the whole list. `replace`: as `keep`, and without destinations all of them are removed.
   */
  mode?: UpdateMode
  /** Check source and destinations before anything is sent; default true. */
  validate?: boolean
}

export interface DeleteOptions extends ChangeOptions, ConfirmOptions {}

/** A start needs no confirmation. */
export interface ControlOptions extends ChangeOptions, ConfirmOptions {
  /** The destination to act on; by default the route itself. */
  destination?: Target
}

export interface EnsureOptions extends DeviceOptions, ConfirmOptions {
  /** Default `present`: the route exists, running or not. `row`: the `state` of each definition. */
  state?: EnsureState
  /** Plan only: nothing is written. Default false. */
  check?: boolean
  /** Remove destinations that the definition does not mention; default false. */
  exact?: boolean
  /**
   * Delete routes whose names fit the pattern and that the array does not have, no more than
   * `atMost`, and none that is on the air. Only with `plan`, `check` or `planId`.
   */
  remove?: Remove
  /** The `id` of a plan: exactly that plan is applied, or nothing. */
  planId?: string
  /** Check source and destinations before anything is sent; default true. */
  validate?: boolean
  /** Milliseconds for each step to show; default 30000. */
  waitTimeout?: number
}

/** What {@link Gateway.routes} `plan` returns. */
export interface Planned extends PlanReport {
  /** For each definition what would be done, then for each route that would be deleted. */
  results: Ensured[]
}

/** What {@link Gateway.routes} `undo` returns. */
export interface Undone {
  results: Array<Ensured | EnsureFailure>
}

export interface UndoOptions extends CallOptions, ConfirmOptions {
  /** Plan only: nothing is written. Default false. */
  check?: boolean
  /** Milliseconds for each step to show; default 30000. */
  waitTimeout?: number
}

export interface ImportOptions extends DeviceOptions, ConfirmOptions {}

export interface StatisticsOptions extends DeviceOptions {
  /** Only those of the route's source. */
  source?: boolean
  /** Only those of this destination. */
  destination?: Target
  /** Only those of this client of the destination. With several connections, its port is needed. */
  client?: { address: string; port?: number }
}

/** The result of a start, stop, restart or delete. */
export interface Changed<Answer> extends RouteAddress {
  /** The appliance's response. */
  answer: Answer
  /** The route afterwards, with `waitFor: 'applied'`. */
  route?: Route
}

/** What to watch. The callbacks besides the listener are optional. */
export interface WatchOptions extends Omit<Subscribe, 'onEvents' | 'route'>, CallOptions {
  /** By default all routes; text is a pattern. Events that are not about a route are reported in any case. */
  route?: RouteFilter | string
}

/** One appliance: one session and one queue for all callers. */
export interface Gateway {
  readonly session: {
    /**
     * Returns who is logged in, with which roles, until when. Logs in if no session is open.
     * @throws GatewayError
     */
    info(options?: CallOptions): Promise<SessionInformation>
    /**
     * As `info`, but tries again at once after a refused login.
     * @throws GatewayError `LOGIN_REFUSED` or `TOO_MANY_SESSIONS` among others
     */
    start(options?: CallOptions): Promise<SessionInformation>
    /**
     * Ends the open session. Never logs in first; where none is open nothing is sent.
     * @returns the appliance's response
     * @throws GatewayError
     */
    end(options?: CallOptions): Promise<SessionDeletion>
  }

  readonly devices: {
    /** Returns all devices. @throws GatewayError */
    list(options?: CallOptions): Promise<Device[]>
    /**
     * Returns a device with its configuration, adapters, pairings and routes.
     * @throws GatewayError `NOT_FOUND` when there is no such device
     */
    get(options?: DeviceOptions): Promise<DeviceConfiguration>
  }

  readonly routes: {
    /**
     * Returns all routes in `data`, over all pages, or one page.
     * @throws GatewayError
     */
    list(options?: ListOptions): Promise<RouteList>
    /**
     * Returns how all routes are, over all pages, or those of one page: sign, reason, words and
     * rates. While the device is offline or has an error, every route is `unknown`.
     * @throws GatewayError
     */
    health(options?: HealthOptions): Promise<HealthRow[]>
    /**
     * Returns the definitions of all routes, sorted by name: without IDs, without what only this
     * appliance knows, and with `state` where a route is running or stopped.
     * @throws GatewayError `BAD_RESPONSE` when the appliance lists fewer routes than it counts
     */
    definitions(options?: DefinitionsOptions): Promise<Definition[]>
    /**
     * Returns a route.
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError `NOT_FOUND`; `CONFLICT` when several routes have the name
     */
    get(route: Target, options?: DeviceOptions): Promise<Route>
    /**
     * Creates a route.
     * @param definition `{name, source, destinations}`, or a route as read, which is copied
     * @returns `route` with `waitFor: 'applied'` only: the response to a create contains no ID
     * @throws GatewayError `INVALID_INPUT` with every fault before anything is sent
     */
    create(definition: RouteFields | Route, options?: CreateOptions): Promise<Created>
    /**
     * Changes a route. What the patch leaves out is read first and sent along.
     * @param route its `id`, or else its exact `name`
     * @param patch `{name?, source?, destinations?}`, or a route as read and edited
     * @throws GatewayError `INVALID_INPUT` with every fault before anything is sent
     */
    update(route: Target, patch: RoutePatch | Route, options?: UpdateOptions): Promise<Updated>
    /**
     * Deletes a route. With `waitFor: 'applied'`, resolves once the route is gone.
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError `NOT_FOUND`
     */
    delete(route: Target, options?: DeleteOptions): Promise<Changed<UpdateAnswer>>
    /**
     * Starts a route or a destination.
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError
     */
    start(route: Target, options?: ControlOptions): Promise<Changed<CommandAnswer | UpdateAnswer>>
    /**
     * Stops a route or a destination.
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError
     */
    stop(route: Target, options?: ControlOptions): Promise<Changed<CommandAnswer | UpdateAnswer>>
    /**
     * Stops, waits until that shows, and starts again. Once the stop may have arrived the start
     * follows, even if the call is aborted.
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError
     */
    restart(route: Target, options?: ControlOptions): Promise<Changed<CommandAnswer | UpdateAnswer>>
    /**
     * Brings routes to the wanted state, and writes only where they are not there yet.
     * @param wanted one definition, found by its `id` or else by its `name`, or an array of them
     * @returns what was done; for an array one entry each, in its order, failures included
     * @throws GatewayError `INVALID_INPUT` with every fault before anything is sent
     */
    ensure(wanted: Wanted[], options?: EnsureOptions): Promise<Array<Ensured | EnsureFailure>>
    ensure(wanted: Wanted, options?: EnsureOptions): Promise<Ensured>
    /**
     * Plans as `ensure` does, and writes nothing. `ensure` with the same definitions, the same
     * options and the plan's `id` as `planId` applies it. A route that is only renamed is recognised.
     * @throws GatewayError as `ensure`
     */
    plan(wanted: Wanted | Wanted[], options?: EnsureOptions): Promise<Planned>
    /**
     * Takes back the last run of `ensure` that changed anything, once.
     * @throws GatewayError `NOT_FOUND` when there is none; `CONFLICT` when a route was changed since
     */
    undo(options?: UndoOptions): Promise<Undone>
  }

  readonly statistics: {
    /**
     * Returns statistics of a route, its source, a destination or a client, with numeric values.
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError
     */
    get(route: Target, options?: StatisticsOptions): Promise<Statistics>
    /**
     * Returns statistics of every running route; `{route, error}` for one that could not be read.
     * @throws GatewayError when none could be read
     */
    all(options?: DeviceOptions): Promise<Array<Statistics | FailedStatistics>>
  }

  readonly presets: {
    /**
     * Returns all routes of a device as the appliance exports them, with their secrets. Needs an
     * Administrator.
     * @throws GatewayError
     */
    export(options?: DeviceOptions): Promise<Preset>
    /**
     * Replaces all routes of a device, and asks for no confirmation. Needs an Administrator.
     * @param preset an exported preset, its JSON text, or that as a Buffer
     * @returns the appliance's response
     * @throws GatewayError `INVALID_INPUT` when it is not a preset; nothing was sent then
     */
    import(preset: Preset | string | Buffer, options?: ImportOptions): Promise<PresetAnswer>
  }

  /**
   * Reports what changes on a device, until it is ended, the signal is aborted or the gateway is
   * closed. All watches of a device share their polls.
   * @param listener called with the events of one poll, in their order
   * @returns ends the watch
   * @throws GatewayError `INVALID_INPUT` for bad options; `CLOSED` when the gateway is closed or the
   * signal aborted already
   */
  watch(options: WatchOptions, listener: (events: WatchEvent[]) => void): () => void

  /** Ends all calls, logs out and closes every connection, within 3 seconds. */
  close(): Promise<void>
}

const DEFAULT_WAIT_MS = 1000 * DEFAULTS.waitTimeout

/**
 * Opens a gateway to one appliance. Nothing is sent before the first call.
 * @param options at least `baseUrl`, `username` and `password`; times in milliseconds
 * @throws GatewayError `CONFIG` when the options cannot work
 * @example
 * const gateway = openGateway({
 *   baseUrl: 'https://gateway.example',
 *   username: 'operator',
 *   password: 'supervisor',
 * })
 * try {
 *   const { data } = await gateway.routes.list()
 *   for (const { name, state } of data) console.log(name, state)
 * } finally {
 *   await gateway.close()
 * }
 */
export function openGateway(options: GatewayOptions): Gateway {
  const connection = opened(options)
  const stops = createStops()

  /**
   * Makes one call, under the name that its errors carry, until the signal is aborted.
   * @param about the route, for errors before it is read
   */
  async function perform<T>(
    name: string,
    allowed: Options,
    given: CallOptions & ConfirmOptions,
    work: (operation: Operation) => Promise<T>,
    about?: Target,
    changes = false,
  ): Promise<T> {
    const operation = checkedOperation(name, allowed, given, { about, changes })
    const { signal, confirmProtected, confirmShared } = given
    const { stop, release } = stops.of(signal)
    const stoppable = operation.under({
      stop,
      confirmed: confirmedIn(confirmProtected),
      confirmsShared: confirmShared === true,
    })
    try {
      if (connection.closing.stopped) throw gatewayClosed()
      if (stop?.stopped) throw closedError()
      return await work(stoppable)
    } catch (error) {
      // Another device may have taken the place of the only one.
      if (mayBeUnknownDevice(error)) forgetOnlyDevice(connection)
      const failure = asGatewayError(error, stoppable, connection.identity)
      const isOver = connection.closing.stopped && failure.code === 'CLOSED'
      throw isOver && failure.cause.applied === 'no'
        ? asGatewayError(gatewayClosed(), stoppable, connection.identity)
        : failure
    } finally {
      release()
    }
  }

  /** As above, for what may change the appliance. */
  const performChange = <T>(
    name: string,
    allowed: Options,
    given: CallOptions & ConfirmOptions & { check?: boolean },
    work: (operation: Operation) => Promise<T>,
    about?: Target,
  ): Promise<T> => perform(name, allowed, given, work, about, own(given, 'check') !== true)

  /** @throws GatewayError `INVALID_INPUT` with every fault of the options */
  function checkedOperation(
    name: string,
    allowed: Options,
    given: unknown,
    { about, changes, more = [] }: { about?: Target; changes?: boolean; more?: readonly Finding[] },
  ): Operation {
    const operation = newOperation(name, undefined, changes)
    operation.route = labelOf(about)
    const faults = [...optionFaults(allowed, given), ...more]
    if (faults.length === 0) return operation
    throw asGatewayError(invalidInput(faults), operation, connection.identity)
  }

  const memory = newEnsureMemory()
  const ensuring = (given: EnsureOptions, operation: Operation): EnsureRoutes => {
    const { state = 'present', check, exact, validate, remove, planId } = given
    const { waitTimeout = DEFAULT_WAIT_MS } = given
    const deviceId = (): Promise<string> => deviceOf(given, operation)
    return { deviceId, state, check, exact, validate, remove, planId, waitTimeout, memory }
  }

  const deviceOf = async ({ deviceId }: DeviceOptions, operation: Operation): Promise<string> =>
    deviceId ?? onlyDevice(connection, operation)

  async function addressOf(
    route: Target,
    given: DeviceOptions,
    operation: Operation,
  ): Promise<RouteAddress> {
    const target = targetOf(route, 'route', operation)
    const deviceId = await deviceOf(given, operation)
    return { deviceId, routeId: await findRoute(connection, deviceId, target, operation) }
  }

  async function destinationOf(
    destination: Target,
    address: RouteAddress,
    operation: Operation,
  ): Promise<string> {
    const target = targetOf(destination, 'destination', operation)
    return findDestination(connection, address, target, operation)
  }

  const control = (
    action: ControlAction,
    route: Target,
    given: ControlOptions = {},
  ): Promise<Changed<CommandAnswer | UpdateAnswer>> =>
    performChange(
      `${action}-route`,
      OPTIONS.control,
      given,
      async (operation) => {
        const address = await addressOf(route, given, operation)
        const destinationId =
          given.destination && (await destinationOf(given.destination, address, operation))
        const done = await controlRoute(
          connection,
          { ...address, action, destinationId, ...waitingOf(given) },
          operation,
        )
        return { ...address, ...done }
      },
      route,
    )

  async function statisticsOf(
    address: RouteAddress,
    { source, destination, client }: StatisticsOptions,
    operation: Operation,
  ): Promise<StatisticsOf> {
    const { routeId } = address
    if (destination) {
      const destinationId = await destinationOf(destination, address, operation)
      if (!client) return { routeId, destinationId }
      return { routeId, destinationId, clientAddress: client.address, clientPort: client.port }
    }
    if (client) {
      const problem = 'is missing: a client belongs to a destination'
      throw invalidInput([{ path: 'destination', problem }], operation.name)
    }
    if (!source) return { routeId }
    return { routeId, sourceId: await findSource(connection, address, operation) }
  }

  return {
    session: {
      info: (given = {}) =>
        perform('session', OPTIONS.call, given, (operation) =>
          sessionInformation(connection, operation),
        ),
      start: (given = {}) =>
        perform('session', OPTIONS.call, given, (operation) => startSession(connection, operation)),
      end: (given = {}) =>
        perform('session', OPTIONS.call, given, (operation) => endSession(connection, operation)),
    },

    devices: {
      list: (given = {}) =>
        perform('list-devices', OPTIONS.call, given, (operation) =>
          listDevices(connection, operation),
        ),
      get: (given = {}) =>
        perform('get-device', OPTIONS.device, given, async (operation) =>
          getDevice(connection, await deviceOf(given, operation), operation),
        ),
    },

    routes: {
      list: (given = {}) =>
        perform('list-routes', OPTIONS.list, given, async (operation) => {
          const { page, pageSize } = given
          const deviceId = await deviceOf(given, operation)
          return listRoutes(connection, { deviceId, page, pageSize }, operation)
        }),
      health: (given = {}) =>
        perform('list-routes', OPTIONS.health, given, async (operation) => {
          const { page, pageSize, language } = given
          const deviceId = await deviceOf(given, operation)
          return listHealth(connection, { deviceId, page, pageSize, language }, operation)
        }),
      definitions: (given = {}) =>
        perform('list-routes', OPTIONS.definitions, given, (operation) => {
          const { secrets, prefix } = given
          const deviceId = (): Promise<string> => deviceOf(given, operation)
          return listDefinitions(connection, { deviceId, secrets, prefix }, operation)
        }),
      get: (route, given = {}) =>
        perform(
          'get-route',
          OPTIONS.device,
          given,
          async (operation) =>
            getRoute(connection, await addressOf(route, given, operation), operation),
          route,
        ),
      create: (wanted, given = {}) =>
        performChange('create-route', OPTIONS.create, given, async (operation) => {
          const { startRoute = false, validate } = given
          const definition = plainInput(wanted, '', operation)
          const deviceId = (): Promise<string> => deviceOf(given, operation)
          const how = { startRoute, validate, ...waitingOf(given) }
          const created = await createRoute(connection, { deviceId, definition, ...how }, operation)
          return { ...created, ...unknownIn(operation) }
        }),
      update: (route, changes, given = {}) =>
        performChange(
          'update-route',
          OPTIONS.update,
          given,
          async (operation) => {
            const { mode = 'merge', validate } = given
            const patch = plainInput(changes, '', operation)
            const address = (): Promise<RouteAddress> => addressOf(route, given, operation)
            const how = { mode, validate, ...waitingOf(given) }
            const updated = await updateRoute(connection, { address, patch, ...how }, operation)
            return { ...updated, ...unknownIn(operation) }
          },
          route,
        ),
      delete: (route, given = {}) =>
        performChange(
          'delete-route',
          OPTIONS.delete,
          given,
          async (operation) => {
            const address = await addressOf(route, given, operation)
            const change = { ...address, ...waitingOf(given) }
            return { ...address, answer: await deleteRoute(connection, change, operation) }
          },
          route,
        ),
      start: (route, given) => control('start', route, given),
      stop: (route, given) => control('stop', route, given),
      restart: (route, given) => control('restart', route, given),
      ensure: (wanted: Wanted | Wanted[], given: EnsureOptions = {}) =>
        performChange('ensure-route', OPTIONS.ensure, given, async (operation) => {
          const how = { ...ensuring(given, operation), approve: given.planId !== undefined }
          // One result for one definition, an array for an array.
          const input = plainInput(wanted, '', operation)
          return (await ensureRoutes(connection, input, how, operation)).results as never
        }),
      plan: (wanted, given = {}) =>
        perform('ensure-route', OPTIONS.ensure, given, async (operation) => {
          const how = { ...ensuring(given, operation), planId: undefined, approve: true }
          const input = plainInput(wanted, '', operation)
          const { plan, results } = await ensureRoutes(connection, input, how, operation)
          return { ...plan!, results: [results].flat() as Ensured[] }
        }),
      undo: (given = {}) =>
        performChange('ensure-route', OPTIONS.undo, given, async (operation) => {
          const { check, waitTimeout = DEFAULT_WAIT_MS } = given
          const how = { check, waitTimeout }
          const { results } = await undoLastRun(connection, memory, how, operation)
          return { results: [results].flat() }
        }),
    },

    statistics: {
      get: (route, given = {}) =>
        perform(
          'statistics',
          OPTIONS.statistics,
          given,
          async (operation) => {
            const address = await addressOf(route, given, operation)
            const what = await statisticsOf(address, given, operation)
            return readStatistics(connection, address.deviceId, what, operation)
          },
          route,
        ),
      all: (given = {}) =>
        perform('statistics', OPTIONS.device, given, async (operation) =>
          readAllStatistics(connection, await deviceOf(given, operation), operation),
        ),
    },

    presets: {
      export: (given = {}) =>
        perform('preset', OPTIONS.device, given, async (operation) =>
          exportPreset(connection, await deviceOf(given, operation), operation),
        ),
      import: (preset, given = {}) =>
        performChange('preset', OPTIONS.import, given, async (operation) => {
          const deviceId = (): Promise<string> => deviceOf(given, operation)
          return (await restorePreset(connection, { deviceId, preset }, operation)).answer
        }),
    },

    watch(wanted, listener) {
      const more = listenerFaults(listener)
      const operation = checkedOperation('watch', OPTIONS.watch, wanted, { more })
      const { signal, route: routes, ...given } = wanted
      const over = connection.closing.stopped ? gatewayClosed() : closedError()
      if (signal?.aborted || connection.closing.stopped) {
        throw asGatewayError(over, operation, connection.identity)
      }
      const { stop, release } = stops.of(signal)
      const route = typeof routes === 'string' ? { pattern: routes } : routes
      const endWatch = watchDevice(connection, { ...given, route, onEvents: listener })
      const hooks: Array<() => void> = [release]
      const end = (): void => {
        endWatch()
        for (const unhook of hooks.splice(0)) unhook()
      }
      for (const source of [connection.closing, stop]) if (source) hooks.push(source.onStop(end))
      return end
    },

    close: () => connection.close(),
  }
}

/** @throws GatewayError `CONFIG`, in the words of a program */
function opened(options: GatewayOptions): Connection {
  try {
    return openConnection(options)
  } catch (error) {
    throw error instanceof GatewayError ? restated(error, forPrograms(error.sentences)) : error
  }
}

const unknownIn = ({ unknownFields }: Operation): Pick<Updated, 'unknownFields'> =>
  unknownFields.length > 0 ? { unknownFields } : {}

const waitingOf = ({
  waitFor = 'accepted',
  waitTimeout = DEFAULT_WAIT_MS,
}: ChangeOptions): Waiting => ({ waitFor, waitTimeout })

/** A route as read has both an ID and a name: its ID counts. */
function targetOf(given: Target, kind: 'route' | 'destination', { name }: Operation): Target {
  const target = (given ?? {}) as { id?: unknown; name?: unknown }
  if (typeof target.id !== 'string' && typeof target.name !== 'string') {
    throw invalidInput([{ path: kind, problem: 'must be {id} or {name}' }], name)
  }
  const faults = targetFaults(given, kind)
  if (faults.length > 0) throw invalidInput(faults, name)
  return typeof target.id === 'string' ? { id: target.id } : { name: String(target.name) }
}
