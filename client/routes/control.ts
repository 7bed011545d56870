import { GatewayError, readOnlyError } from '../errors'
import type { Gateway } from '../gateway'
import { newOperation, type Operation } from '../operation'
import { toSent } from '../model/convert'
import type { CommandAnswer, Destination, Route, UpdateAnswer } from '../model/types'
import { sendCommand } from '../operations/commands'
import { getRoute } from '../operations/routes'
import { confirm } from './confirm'
import type { Waiting } from './create'
import type { RouteAddress } from './find'
import { sendRemembered, settledRoute } from './settled'
import { isPending, isRunning } from './state'
import { inTurnOf } from './turn'

export type ControlAction = 'start' | 'stop' | 'restart'

export interface ControlRoute extends RouteAddress, Waiting {
  action: ControlAction
  /** The destination to act on; undefined for the route itself. */
  destinationId?: string
}

export interface Controlled {
  answer: CommandAnswer | UpdateAnswer
  /** The route as it then is, with `applied`. */
  route?: Route
}

/**
 * Starts, stops or restarts a route or one of its destinations (facts 4.6, 4.7).
 * A restart waits until what it stopped has stopped; what is not running is only started.
 */
export function controlRoute(
  gateway: Gateway,
  control: ControlRoute,
  operation: Operation,
): Promise<Controlled> {
  if (gateway.readOnly) throw readOnlyError(operation)
  const unit = unitOf(gateway, control)
  return inTurnOf(gateway, control, operation, async () => {
    const { action, waitFor, waitTimeout } = control
    const answer =
      action === 'restart'
        ? await gateway.finish(restart(gateway, unit, waitTimeout, operation))
        : await unit.send(action, operation)
    if (waitFor === 'accepted') return { answer }
    return { answer, route: await unit.confirm(action !== 'stop', waitTimeout, operation) }
  })
}

/** What is started and stopped: a route, or one destination of it. */
interface Unit {
  send(action: 'start' | 'stop', operation: Operation): Promise<CommandAnswer | UpdateAnswer>
  /** Whether it runs in this route; undefined when it is not there. */
  runs(route: Route): boolean | undefined
  /** Waits until it runs, or does not. */
  confirm(running: boolean, timeout: number, operation: Operation): Promise<Route>
  read(operation: Operation): Promise<Route>
}

function unitOf(gateway: Gateway, { deviceId, routeId, destinationId }: ControlRoute): Unit {
  const read = (by: Operation): Promise<Route> => getRoute(gateway, { deviceId, routeId }, by)

  const runs = (route: Route): boolean | undefined => {
    if (destinationId === undefined) return isRunning(route)
    const found = destinationIn(route, destinationId)
    return found && isStarted(found)
  }

  return {
    read,
    runs,
    send: (action, by) =>
      destinationId === undefined
        ? sendCommand(gateway, { deviceId, command: `${action}-route`, routeId }, by)
        : sendToDestination(gateway, { deviceId, routeId, destinationId, action }, by),
    confirm(running, timeout, by) {
      const wanted = running ? 'running' : 'stopped'
      const look = (routes: Route[]): { seen: Route } | { instead: string } => {
        const route = routes.find(({ id }) => id === routeId)
        if (!route) return { instead: 'no such route' }
        const now = runs(route)
        if (now === undefined) return { instead: 'no such destination' }
        if (isPending(route)) return { instead: 'the change still pending' }
        return now === running ? { seen: route } : { instead: `it is not ${wanted}` }
      }
      return confirm(gateway, { deviceId, routeId, look, timeout }, by)
    },
  }
}

/**
 * Stops, waits until that shows, and starts again. Once the stop was sent it goes on to the
 * start even when its node is stopped: a deploy in between must not leave a programme off the air.
 */
async function restart(
  gateway: Gateway,
  unit: Unit,
  timeout: number,
  operation: Operation,
): Promise<CommandAnswer | UpdateAnswer> {
  const onward: Operation = { ...newOperation(operation.name), finishing: true }
  try {
    if (unit.runs(await unit.read(operation))) await stopAndSee(unit, timeout, onward)
    return await unit.send('start', onward)
  } catch (error) {
    if (operation.stop?.stopped && onward.requests > 0) {
      gateway.log(
        'warn',
        `A restart was cut short and may have left its route stopped: ${String(error)}`,
      )
    }
    throw error
  } finally {
    operation.requests += onward.requests
    operation.statusCode = onward.statusCode ?? operation.statusCode
  }
}

async function stopAndSee(unit: Unit, timeout: number, operation: Operation): Promise<void> {
  let lost: GatewayError | undefined
  try {
    await unit.send('stop', operation)
  } catch (error) {
    // Whether the stop arrived can be seen: if it did, the start has to follow.
    if (!(error instanceof GatewayError) || error.code !== 'OUTCOME_UNKNOWN') throw error
    lost = error
  }
  try {
    await unit.confirm(false, timeout, operation)
  } catch (error) {
    if (lost) throw lost
    if (!(error instanceof GatewayError) || error.code !== 'NOT_CONFIRMED') throw error
    throw new GatewayError(
      'NOT_CONFIRMED',
      `${error.message} The stop was accepted, but the start was not sent.`,
      error.cause,
    )
  }
}

interface DestinationControl extends RouteAddress {
  destinationId: string
  action: 'start' | 'stop'
}

/** Appliances whose firmware, before 3.8, has no commands for destinations (facts 4.7). */
const withoutCommands = new WeakSet<Gateway>()

async function sendToDestination(
  gateway: Gateway,
  { deviceId, routeId, destinationId, action }: DestinationControl,
  operation: Operation,
): Promise<CommandAnswer | UpdateAnswer> {
  if (withoutCommands.has(gateway)) return sendByUpdate()
  try {
    const command = `${action}-destination` as const
    return await sendCommand(gateway, { deviceId, command, routeId, destinationId }, operation)
  } catch (error) {
    if (!(error instanceof GatewayError) || !MAY_BE_UNKNOWN.has(error.code)) throw error
    const answer = await sendByUpdate()
    withoutCommands.add(gateway)
    return answer
  }

  async function sendByUpdate(): Promise<UpdateAnswer> {
    const route = await settledRoute(gateway, { deviceId, routeId }, operation)
    if (!destinationIn(route, destinationId)) {
      throw new GatewayError(
        'NOT_FOUND',
        `The route "${route.name}" has no destination ${destinationId}.`,
        { operation: operation.name },
      )
    }
    const fields = toSent(route)
    const destinations = fields.destinations.map((destination) =>
      destination.id === destinationId ? { ...destination, action } : destination,
    )
    return sendRemembered(
      gateway,
      { deviceId, routeId },
      { fields: { ...fields, destinations } },
      operation,
    )
  }
}

/** How firmware refuses a command that it does not know is not documented. */
const MAY_BE_UNKNOWN: ReadonlySet<string> = new Set(['REJECTED', 'NOT_FOUND'])

const destinationIn = ({ destinations }: Route, destinationId: string): Destination | undefined =>
  (destinations ?? []).find(({ id }) => id === destinationId)

const isStarted = ({ started, state }: Destination): boolean =>
  typeof started === 'boolean' ? started : state !== undefined && !STOPPED.has(state)

const STOPPED: ReadonlySet<string> = new Set(['disconnected', 'stopped', 'idle'])
