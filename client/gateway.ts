import { onlyDevice } from './api/devices'
import type { Preset, PresetAnswer } from './api/presets'
import type { FailedStatistics, Statistics } from './api/statistics'
import type { Created } from './changes/create'
import type { Ensured } from './changes/ensure/apply'
import type { EnsureFailure } from './changes/ensure/bulk'
import { newEnsureMemory } from './changes/ensure/undo'
import type { Wanted } from './changes/ensure/plan'
import type { PlanReport } from './changes/ensure/report'
import { findRoute, labelOf, type RouteAddress, type Target } from './changes/find'
import { plainInput } from './changes/input'
import type { Updated } from './changes/update'
import { openConnection, type Connection, type GatewayOptions } from './connection/connection'
import { confirmedIn, Operation } from './connection/operation'
import {
  GatewayError,
  asGatewayError,
  closedError,
  gatewayClosed,
  invalidInput,
  restated,
  type Finding,
} from './errors'
import type { Definition } from './changes/definitions'
import type { WatchEvent } from './model/event'
import { own } from './model/json'
import { OPTIONS, listenerFaults, optionFaults, targetFaults, type Options } from './model/options'
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
import { OPERATIONS, onGateway, type Inputs, type OperationRow } from './operations'
import type {
  CallOptions,
  ConfirmOptions,
  ControlOptions,
  CreateOptions,
  DefinitionsOptions,
  DeleteOptions,
  DeviceOptions,
  EnsureOptions,
  HealthOptions,
  ImportOptions,
  ListOptions,
  StatisticsOptions,
  UndoOptions,
  UpdateOptions,
} from './options'
import { forPrograms } from './sentences'
import { createStops } from './stop'
import type { RouteFilter } from './watch/report/filter'
import type { WatchOptions as Subscribe } from './watch/report/subscription'
import { watchDevice } from './watch/registry'
import type { HealthRow } from './watch/rows'

/** What {@link Gateway.routes} `plan` returns. */
export interface Planned extends PlanReport {
  /** For each definition what would be done, then for each route that would be deleted. */
  results: Ensured[]
}

/** What {@link Gateway.routes} `undo` returns. */
export interface Undone {
  results: Array<Ensured | EnsureFailure>
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
    /** Who is logged in, with which roles, until when. Logs in if needed. @throws GatewayError */
    info(options?: CallOptions): Promise<SessionInformation>
    /** As `info`, but at once after a refused login. @throws GatewayError also `LOGIN_REFUSED` */
    start(options?: CallOptions): Promise<SessionInformation>
    /** Ends the open session; where none is open nothing is sent. @throws GatewayError */
    end(options?: CallOptions): Promise<SessionDeletion>
  }

  readonly devices: {
    /** Returns all devices. @throws GatewayError */
    list(options?: CallOptions): Promise<Device[]>
    /** A device with its configuration and routes. @throws GatewayError `NOT_FOUND` */
    get(options?: DeviceOptions): Promise<DeviceConfiguration>
  }

  readonly routes: {
    /** Returns all routes in `data`, over all pages, or one page. @throws GatewayError */
    list(options?: ListOptions): Promise<RouteList>
    /**
     * Returns how all routes are, over all pages, or those of one page: sign, reason, words and
     * rates. While the device is offline or has an error, every route is `unknown`.
     * @throws GatewayError
     */
    health(options?: HealthOptions): Promise<HealthRow[]>
    /**
     * The definitions of all routes, sorted by name: without IDs, with `state` where it is known.
     * @throws GatewayError `BAD_RESPONSE` when the appliance lists fewer routes than it counts
     */
    definitions(options?: DefinitionsOptions): Promise<Definition[]>
    /**
     * @param route its `id`, or else its exact `name`
     * @throws GatewayError `NOT_FOUND`; `CONFLICT` when several routes have the name
     */
    get(route: Target, options?: DeviceOptions): Promise<Route>
    /**
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
    /** With `waitFor: 'applied'`, resolves once the route is gone. @throws GatewayError `NOT_FOUND` */
    delete(route: Target, options?: DeleteOptions): Promise<Changed<UpdateAnswer>>
    /** Starts a route, by its `id` or exact `name`, or a destination. @throws GatewayError */
    start(route: Target, options?: ControlOptions): Promise<Changed<CommandAnswer | UpdateAnswer>>
    /** Stops a route, by its `id` or exact `name`, or a destination. @throws GatewayError */
    stop(route: Target, options?: ControlOptions): Promise<Changed<CommandAnswer | UpdateAnswer>>
    /**
     * Once the stop may have arrived the start follows, even if the call is aborted.
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
     * options and the plan's `id` as `planId` applies it. A route that is only renamed is recognized.
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
    /** Of a route, by its `id` or exact `name`, its source, a destination or a client. @throws GatewayError */
    get(route: Target, options?: StatisticsOptions): Promise<Statistics>
    /** Of every running route, or `{route, error}`. @throws GatewayError when none could be read */
    all(options?: DeviceOptions): Promise<Array<Statistics | FailedStatistics>>
  }

  readonly presets: {
    /** All routes of a device with their secrets. Needs an Administrator. @throws GatewayError */
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
  const memory = newEnsureMemory()

  /**
   * @param given the options of the program, which are checked
   * @param how options as the operation takes them, where they are others
   */
  async function call<How, Result>(
    { name, checks, run, changes }: OperationRow<How, Result>,
    given: DeviceOptions & ConfirmOptions,
    about: About = {},
    how = given as How,
  ): Promise<Result> {
    const isChange = changes === true && own(given, 'check') !== true
    const operation = checkedOperation(name, checks, given, { route: about.route, isChange })
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
      const inputs = inputsOf(given, about, stoppable)
      return await onGateway(connection, () => run(connection, inputs, how, stoppable))
    } catch (error) {
      const failure = asGatewayError(error, stoppable, connection.identity)
      const isOver = connection.closing.stopped && failure.code === 'CLOSED'
      throw isOver && failure.cause.applied === 'no'
        ? asGatewayError(gatewayClosed(), stoppable, connection.identity)
        : failure
    } finally {
      release()
    }
  }

  /** @throws GatewayError `INVALID_INPUT` with every fault of the options */
  function checkedOperation(
    name: string,
    checks: Options,
    given: unknown,
    {
      route,
      isChange,
      more = [],
    }: { route?: Target; isChange?: boolean; more?: readonly Finding[] },
  ): Operation {
    const operation = new Operation(name, { changes: isChange })
    operation.route = labelOf(route)
    const faults = [...optionFaults(checks, given), ...more]
    if (faults.length === 0) return operation
    throw asGatewayError(invalidInput(faults), operation, connection.identity)
  }

  function inputsOf(
    { deviceId: named }: DeviceOptions,
    { route, definition }: About,
    operation: Operation,
  ): Inputs {
    const device = async (): Promise<string> => named ?? onlyDevice(connection, operation)
    return {
      device,
      async route() {
        const target = checkedTarget(route)
        const deviceId = await device()
        return { deviceId, routeId: await findRoute(connection, deviceId, target, operation) }
      },
      definition: async () => plainInput(definition, ''),
    }
  }

  return {
    session: {
      info: (given = {}) => call(OPERATIONS.session, given),
      start: (given = {}) => call(OPERATIONS.startSession, given),
      end: (given = {}) => call(OPERATIONS.endSession, given),
    },

    devices: {
      list: (given = {}) => call(OPERATIONS.listDevices, given),
      get: (given = {}) => call(OPERATIONS.getDevice, given).then(answerOf),
    },

    routes: {
      list: (given = {}) => call(OPERATIONS.listRoutes, given).then(answerOf),
      health: (given = {}) => call(OPERATIONS.health, given).then(answerOf),
      definitions: (given = {}) => call(OPERATIONS.definitions, given).then(answerOf),
      get: (route, given = {}) => call(OPERATIONS.getRoute, given, { route }).then(answerOf),
      create: (definition, given = {}) => call(OPERATIONS.createRoute, given, { definition }),
      update: (route, definition, given = {}) =>
        call(OPERATIONS.updateRoute, given, { route, definition }),
      delete: (route, given = {}) => call(OPERATIONS.deleteRoute, given, { route }),
      start: (route, given = {}) => call(OPERATIONS.start, given, { route }),
      stop: (route, given = {}) => call(OPERATIONS.stop, given, { route }),
      restart: (route, given = {}) => call(OPERATIONS.restart, given, { route }),
      ensure: async (definition: Wanted | Wanted[], given: EnsureOptions = {}) => {
        const how = { ...given, approve: own(given, 'planId') !== undefined, memory }
        // One result for one definition, an array for an array.
        return (await call(OPERATIONS.ensure, given, { definition }, how)).results as never
      },
      plan: async (definition, given = {}) => {
        const how = { ...given, planId: undefined, approve: true, memory }
        const { plan, results } = await call(OPERATIONS.plan, given, { definition }, how)
        return { ...plan!, results: [results].flat() as Ensured[] }
      },
      undo: async (given = {}) => {
        const { results } = await call(OPERATIONS.undo, given, {}, { ...given, memory })
        return { results: [results].flat() }
      },
    },

    statistics: {
      get: (route, given = {}) => call(OPERATIONS.statistics, given, { route }).then(answerOf),
      all: (given = {}) => call(OPERATIONS.allStatistics, given).then(answerOf),
    },

    presets: {
      export: (given = {}) => call(OPERATIONS.exportPreset, given).then(answerOf),
      import: (preset, given = {}) =>
        call(OPERATIONS.importPreset, given, {}, { preset }).then(answerOf),
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

interface About {
  route?: Target
  definition?: unknown
}

const answerOf = <Answer>({ answer }: { answer: Answer }): Answer => answer

/** @throws GatewayError `CONFIG`, in the words of a program */
function opened(options: GatewayOptions): Connection {
  try {
    return openConnection(options)
  } catch (error) {
    throw error instanceof GatewayError ? restated(error, forPrograms(error.sentences)) : error
  }
}

/** @throws GatewayError `INVALID_INPUT` */
function checkedTarget(given: Target | undefined): Target {
  const faults = targetFaults(given, 'route')
  if (faults.length > 0) throw invalidInput(faults)
  return given!
}
