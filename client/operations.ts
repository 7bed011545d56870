// The operations on a gateway: what each is about, whether it may change anything, and how it is carried
// out. The methods for programs, the action nodes, what one instance does for another, and the plans in
// the forms derive from them.
import { forgetOnlyDevice, getDevice, listDevices, mayBeUnknownDevice } from './api/devices'
import { exportPreset } from './api/presets'
import { getRoute, listRoutes } from './api/routes'
import { sessionInformation, startSession } from './api/session'
import { readAllStatistics, readStatistics, type StatisticsOf } from './api/statistics'
import { controlRoute, planControl, type ControlAction, type Controlled } from './changes/control'
import { createRoute } from './changes/create'
import { listDefinitions, type ListDefinitions } from './changes/definitions'
import { deleteRoute } from './changes/delete'
import { ensureRoutes, type EnsureResult, type EnsureRoutes } from './changes/ensure/ensure'
import { reportOf, type PlanReport } from './changes/ensure/report'
import { undoLastRun, type EnsureMemory, type Undo } from './changes/ensure/undo'
import { findDestination, findSource, type RouteAddress } from './changes/find'
import { restorePreset } from './changes/presets'
import type { Waiting } from './changes/step'
import { planUpdate, updateRoute, type Updated } from './changes/update'
import type { Connection } from './connection/connection'
import type { Operation } from './connection/operation'
import { invalidInput } from './errors'
import { OPTIONS, type Options as Checks } from './model/options'
import { DEFAULTS } from './model/ranges'
import type {
  ChangeOptions,
  ControlOptions,
  CreateOptions,
  DeleteOptions,
  StatisticsOptions,
  UpdateOptions,
} from './options'
import { listHealth } from './watch/rows'

/** What an operation is about. What only the gateway knows is looked up when it is asked for. */
export interface Inputs {
  device: () => Promise<string>
  /** `name` where the caller names the route by it. */
  route: () => Promise<RouteAddress & { name?: string }>
  /** What a route, or each of a list, is to be. `keepsNames` leaves secrets that are given by name as names. */
  definition: (options?: { keepsNames?: boolean }) => Promise<unknown>
}

/** What is known of an operation before it is carried out. */
export interface Nature {
  changes?: true
  ofRoute?: true
  defines?: true
}

type Run<Options, Result> = (
  gateway: Connection,
  inputs: Inputs,
  options: Options,
  operation: Operation,
) => Promise<Result>

export interface OperationRow<Options, Result> extends Nature {
  /** As it stands in errors. */
  name: string
  /** What its options may be, where a program gives them. */
  checks: Checks
  run: Run<Options, Result>
}

/** An operation that can be planned, with the code of its runs. A plan sends nothing. */
export interface PlannedRow<Options, Result> extends OperationRow<Options, Result> {
  plan: Run<Options, Omit<PlanReport, 'id'>>
}

/** Carries out an operation, or several of one caller. @throws GatewayError */
export async function onGateway<T>(gateway: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Another device may have taken the place of the only one.
    if (mayBeUnknownDevice(error)) forgetOnlyDevice(gateway)
    throw error
  }
}

const row = <Options, Result>(
  name: string,
  checks: Checks,
  nature: Nature,
  run: Run<Options, Result>,
): OperationRow<Options, Result> => ({ name, checks, ...nature, run })

const ofGateway = <Answer>(
  name: string,
  run: (gateway: Connection, operation: Operation) => Promise<Answer>,
): OperationRow<unknown, Answer> =>
  row(name, OPTIONS.call, {}, (gateway, _inputs, _options, operation) => run(gateway, operation))

interface DeviceAddress {
  deviceId: string
}

const ofDevice = <About extends DeviceAddress, Answer>(
  name: string,
  checks: Checks,
  read: (gateway: Connection, about: About, operation: Operation) => Promise<Answer>,
): OperationRow<Omit<About, 'deviceId'>, { deviceId: string; answer: Answer }> =>
  row(name, checks, {}, async (gateway, { device }, options, operation) => {
    const deviceId = await device()
    const about = { deviceId: '', ...options } as About
    about.deviceId = deviceId
    return { deviceId, answer: await read(gateway, about, operation) }
  })

const ofWholeDevice = <Answer>(
  name: string,
  read: (gateway: Connection, deviceId: string, operation: Operation) => Promise<Answer>,
) =>
  ofDevice(name, OPTIONS.device, (gateway, { deviceId }: DeviceAddress, operation) =>
    read(gateway, deviceId, operation),
  )

const ofRoute = <Options, Answer>(
  name: string,
  checks: Checks,
  read: (
    gateway: Connection,
    address: RouteAddress,
    options: Options,
    operation: Operation,
  ) => Promise<Answer>,
): OperationRow<Options, RouteAddress & { answer: Answer }> =>
  row(name, checks, { ofRoute: true }, async (gateway, { route }, options, operation) => {
    const { deviceId, routeId } = await route()
    const answer = await read(gateway, { deviceId, routeId }, options, operation)
    return { deviceId, routeId, answer }
  })

const DEFAULT_WAIT_MS = 1000 * DEFAULTS.waitTimeout

const waitingOf = ({
  waitFor = 'accepted',
  waitTimeout = DEFAULT_WAIT_MS,
}: ChangeOptions): Waiting => ({ waitFor, waitTimeout })

const unknownIn = ({ unknownFields }: Operation): { unknownFields?: readonly string[] } =>
  unknownFields.length > 0 ? { unknownFields } : {}

const updateOf = async (
  { route: address, definition }: Inputs,
  { mode = 'merge', validate }: UpdateOptions,
) => ({ patch: await definition(), address, mode, validate })

const updateRow: PlannedRow<UpdateOptions, Updated> = {
  ...row(
    'update-route',
    OPTIONS.update,
    { changes: true, ofRoute: true, defines: true },
    async (gateway, inputs, options: UpdateOptions, operation) => {
      const update = { ...(await updateOf(inputs, options)), ...waitingOf(options) }
      return { ...(await updateRoute(gateway, update, operation)), ...unknownIn(operation) }
    },
  ),
  async plan(gateway, inputs, options, operation) {
    const update = await updateOf(inputs, options)
    return reportOf([await planUpdate(gateway, update, operation)], gateway)
  },
}

type Commanded = RouteAddress & Controlled

function controlRow(action: ControlAction): PlannedRow<ControlOptions, Commanded> {
  const commandOf = async (
    gateway: Connection,
    { route }: Inputs,
    { destination }: ControlOptions,
    operation: Operation,
  ) => {
    const address = await route()
    const destinationId =
      destination && (await findDestination(gateway, address, destination, operation))
    return { ...address, action, destinationId }
  }
  const nature = { changes: true, ofRoute: true } as const
  const run: Run<ControlOptions, Commanded> = async (gateway, inputs, options, operation) => {
    const { deviceId, routeId, ...command } = await commandOf(gateway, inputs, options, operation)
    const address = { deviceId, routeId }
    const control = { ...address, ...command, ...waitingOf(options) }
    return { ...address, ...(await controlRoute(gateway, control, operation)) }
  }
  return {
    ...row(`${action}-route`, OPTIONS.control, nature, run),
    async plan(gateway, inputs, options, operation) {
      const command = await commandOf(gateway, inputs, options, operation)
      return reportOf([await planControl(gateway, command, operation)], gateway)
    },
  }
}

async function statisticsOf(
  gateway: Connection,
  address: RouteAddress,
  { source, destination, client }: StatisticsOptions,
  operation: Operation,
): Promise<StatisticsOf> {
  const { routeId } = address
  if (destination) {
    const destinationId = await findDestination(gateway, address, destination, operation)
    if (!client) return { routeId, destinationId }
    return { routeId, destinationId, clientAddress: client.address, clientPort: client.port }
  }
  if (client) {
    const problem = 'is missing: a client belongs to a destination'
    throw invalidInput([{ path: 'destination', problem }])
  }
  if (!source) return { routeId }
  return { routeId, sourceId: await findSource(gateway, address, operation) }
}

type EnsureHow = Partial<Omit<EnsureRoutes, 'deviceId'>>

const ensureRow = (nature: Nature): PlannedRow<EnsureHow, EnsureResult> => {
  const run: Run<EnsureHow, EnsureResult> = async (
    gateway,
    { device, definition },
    { state = 'present', waitTimeout = DEFAULT_WAIT_MS, ...rest },
    operation,
  ) => {
    const how = { ...rest, state, waitTimeout, deviceId: device }
    // A route to be absent need only be identified.
    const wanted = await definition({ keepsNames: state === 'absent' })
    return ensureRoutes(gateway, wanted, how, operation)
  }
  return {
    ...row('ensure-route', OPTIONS.ensure, nature, run),
    async plan(gateway, inputs, options, operation) {
      const { plan } = await run(gateway, inputs, { ...options, check: true }, operation)
      // A dry run always reports its plan.
      return plan!
    },
  }
}

/** Every operation, by its name in programs. */
export const OPERATIONS = {
  session: ofGateway('session', sessionInformation),
  startSession: ofGateway('session', startSession),
  /** Where no session is open, nothing is sent. */
  endSession: ofGateway('session', (gateway, operation) => gateway.endSession(operation)),

  listDevices: ofGateway('list-devices', listDevices),
  getDevice: ofWholeDevice('get-device', getDevice),

  listRoutes: ofDevice('list-routes', OPTIONS.list, listRoutes),
  health: ofDevice('list-routes', OPTIONS.health, listHealth),
  definitions: row(
    'list-routes',
    OPTIONS.definitions,
    {},
    (gateway, { device }, how: Omit<ListDefinitions, 'deviceId'>, operation) =>
      listDefinitions(gateway, { ...how, deviceId: device }, operation),
  ),
  getRoute: ofRoute('get-route', OPTIONS.device, (gateway, address, _: unknown, operation) =>
    getRoute(gateway, address, operation),
  ),

  createRoute: row(
    'create-route',
    OPTIONS.create,
    { changes: true, defines: true },
    async (
      gateway,
      { device, definition },
      { startRoute = false, validate, ...waiting }: CreateOptions,
      operation,
    ) => {
      const wanted = { deviceId: device, definition: await definition(), startRoute, validate }
      const created = await createRoute(gateway, { ...wanted, ...waitingOf(waiting) }, operation)
      return { ...created, ...unknownIn(operation) }
    },
  ),
  updateRoute: updateRow,
  deleteRoute: row(
    'delete-route',
    OPTIONS.delete,
    { changes: true, ofRoute: true },
    async (gateway, { route }, options: DeleteOptions, operation) => {
      const address = await route()
      const change = { ...address, ...waitingOf(options) }
      return { ...address, answer: await deleteRoute(gateway, change, operation) }
    },
  ),
  start: controlRow('start'),
  stop: controlRow('stop'),
  restart: controlRow('restart'),

  ensure: ensureRow({ changes: true, defines: true }),
  /** Ensure that only plans. */
  plan: ensureRow({ defines: true }),
  undo: row(
    'ensure-route',
    OPTIONS.undo,
    { changes: true },
    (
      gateway,
      _inputs,
      { memory, waitTimeout = DEFAULT_WAIT_MS, ...how }: Partial<Undo> & { memory: EnsureMemory },
      operation,
    ) => undoLastRun(gateway, memory, { ...how, waitTimeout }, operation),
  ),

  statistics: ofRoute(
    'statistics',
    OPTIONS.statistics,
    async (gateway, address, options: StatisticsOptions, operation) => {
      const of = await statisticsOf(gateway, address, options, operation)
      return readStatistics(gateway, address.deviceId, of, operation)
    },
  ),
  allStatistics: ofWholeDevice('statistics', readAllStatistics),

  exportPreset: ofWholeDevice('preset', exportPreset),
  importPreset: row(
    'preset',
    OPTIONS.import,
    { changes: true },
    (gateway, { device }, { preset }: { preset: unknown }, operation) =>
      restorePreset(gateway, { deviceId: device, preset }, operation),
  ),
}
