import {
  GatewayError,
  afterChanges,
  closedError,
  inDoubt,
  mayHaveArrived,
  readOnlyError,
  reported,
  restated,
  say,
  words,
  withoutLabels,
  type Sentence,
} from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { toSent } from '../model/convert'
import { shownRoute, withoutMasks } from '../model/secrets'
import { isSameId } from '../model/ids'
import type { CommandAnswer, Route, UpdateAnswer } from '../model/types'
import { untilStopped } from '../stop'
import { sendCommand } from '../api/commands'
import { getRoute } from '../api/routes'
import { awaitRoute } from './wait'
import type { Waiting } from './create'
import type { RouteAddress } from './find'
import {
  PACE_MS,
  pollUntil,
  readStableRoute,
  sendFresh,
  sendTracked,
  sendUnseen,
  serialized,
} from './pending'
import { refuseIfProtected, refuseProtected } from './protected'
import { destinationIn, isRunning, stateOf } from '../model/route-state'
import { unseenOf, withUnseen } from '../unseen'

export type ControlAction = 'start' | 'stop' | 'restart'

export interface ControlRoute extends RouteAddress, Waiting {
  action: ControlAction
  /** The destination to act on; undefined for the route itself. */
  destinationId?: string
}

export interface Controlled {
  answer: CommandAnswer | UpdateAnswer
  /** The route afterwards, with `applied`; secrets hidden. */
  route?: Route
}

/**
 * Starts, stops or restarts a route or one of its destinations, see
 * docs/project/interface.md#commands. A restart waits until the stop shows; what is not running is
 * only started.
 */
export function controlRoute(
  gateway: Connection,
  control: ControlRoute,
  operation: Operation,
): Promise<Controlled> {
  if (gateway.readOnly) throw readOnlyError(operation)
  const unit = unitOf(gateway, control)
  let hasBegun = false
  const begin = (): void => {
    hasBegun = true
  }
  const work = serialized(gateway, control, operation, async () => {
    const { action, waitFor, waitTimeout } = control
    if (waitFor === 'applied') await awaitOpposite(gateway, control, unit, operation)
    const answer =
      action === 'restart'
        ? await gateway.protect(restart(gateway, unit, waitTimeout, operation, begin))
        : await sendOnce(gateway, control, unit, operation)
    if (waitFor === 'accepted') return { answer }
    const route = await unit.awaitState(action !== 'stop', waitTimeout, operation)
    return { answer, route: shownRoute(route) }
  })
  // A stop releases only the caller: a restart that has begun goes on, and keeps its turn.
  return control.action === 'restart'
    ? untilStopped(work, operation.stop, () => (hasBegun ? inDoubt(closedError()) : closedError()))
    : work
}

/**
 * Gives an earlier start time to show before a stop, and the other way round: until it shows, what
 * is read cannot confirm the later one.
 */
async function awaitOpposite(
  gateway: Connection,
  { action, destinationId, ...address }: ControlRoute,
  unit: Unit,
  operation: Operation,
): Promise<void> {
  const isUnseen = (): boolean =>
    unseenOf(gateway, address).some(
      (one) =>
        (one.kind === 'start' || one.kind === 'stop') &&
        (one.kind === 'start') !== (action === 'start') &&
        (destinationId === undefined
          ? one.destinationId === undefined
          : isSameId(one.destinationId, destinationId)),
    )
  if (!isUnseen()) return
  const read = async (waited: number): Promise<true | undefined> => {
    // A change must not fail because the route cannot be read.
    await unit.read(operation).catch(() => undefined)
    return !isUnseen() || waited > PACE_MS || undefined
  }
  await pollUntil(gateway, read, 2 * PACE_MS, operation)
}

/** A stop is refused for a protected route, and for its destinations. */
async function sendOnce(
  gateway: Connection,
  { action, ...address }: ControlRoute,
  unit: Unit,
  operation: Operation,
): Promise<CommandAnswer | UpdateAnswer> {
  if (action === 'start') return unit.send('start', operation)
  await refuseIfProtected(gateway, address, operation)
  return unit.send('stop', operation)
}

/** What is started and stopped: a route, or one of its destinations. */
interface Unit {
  send(action: 'start' | 'stop', operation: Operation): Promise<CommandAnswer | UpdateAnswer>
  /** Its name in this route, in words. */
  nameIn(route: Route): string
  /** Its state in this route; undefined when it does not exist. */
  stateIn(route: Route): 'running' | 'stopped' | 'neither' | undefined
  /** Waits until it runs, or until it does not. */
  awaitState(running: boolean, timeout: number, operation: Operation): Promise<Route>
  read(operation: Operation): Promise<Route>
}

function unitOf(
  gateway: Connection,
  { deviceId, routeId, destinationId, waitTimeout }: ControlRoute,
): Unit {
  const read = (by: Operation): Promise<Route> => getRoute(gateway, { deviceId, routeId }, by)

  const stateIn: Unit['stateIn'] = (route) => stateOf(route, destinationId)

  const awaitState = (running: boolean, timeout: number, by: Operation): Promise<Route> => {
    const wanted = running ? 'running' : 'stopped'
    const verdict = (route: Route): Sentence | undefined => {
      const now = stateIn(route)
      if (now === undefined) return say('lastNoDestination')
      if (now === wanted) return undefined
      if (!running) return say('lastNotStopped')
      const isHeldBack = destinationId !== undefined && !isRunning(route)
      return say(isHeldBack ? 'lastRouteNotRunning' : 'lastNotRunning')
    }
    return awaitRoute(gateway, { deviceId, routeId, verdict, timeout }, by)
  }

  const nameIn = (route: Route): string => {
    const whole = `oute "${route.name}" (${routeId})`
    if (destinationId === undefined) return `R${whole}`
    const name = destinationIn(route, destinationId)?.name ?? destinationId
    return `Destination "${name}" (${destinationId}) of r${whole}`
  }

  return {
    read,
    nameIn,
    stateIn,
    awaitState,
    send: (action, by) =>
      sendUnseen(gateway, { deviceId, routeId }, { kind: action, destinationId }, () =>
        destinationId === undefined
          ? sendCommand(gateway, { deviceId, command: `${action}-route`, routeId }, by)
          : sendToDestination(
              gateway,
              { deviceId, routeId, destinationId, action },
              (asking) => awaitState(action === 'start', waitTimeout, asking),
              by,
            ),
      ),
  }
}

/**
 * Stops, waits until that shows, and starts again. Once the stop may have arrived the start
 * follows, whatever happens meanwhile: a lost response, a node that is stopped, a deploy. A
 * restart must not leave a programme off the air.
 */
async function restart(
  gateway: Connection,
  unit: Unit,
  timeout: number,
  operation: Operation,
  /** Called when it can no longer be stopped. */
  begin: () => void,
): Promise<CommandAnswer | UpdateAnswer> {
  const onward = operation.under({ stop: undefined, uninterruptible: true })
  const route = await unit.read(operation)
  operation.route = route.name
  onward.route = route.name
  refuseProtected(gateway, [route.name], operation)
  const before = unit.stateIn(route)
  begin()
  if (before === undefined || before === 'stopped') return unit.send('start', onward)
  const unseen = await stop(gateway, unit, timeout, onward)
  const isCertain = unseen === undefined && !gateway.closing.stopped
  const name = unit.nameIn(route)
  const answer = await startAgain(gateway, unit, { name, isCertain }, onward)
  if (unseen) {
    const sent = words(
      '__route__ was to be restarted, but __host__ did not show its stop within __time__ s. The start was sent anyway. Check that it is running.',
      { route: name, time: timeout / 1000 },
    )
    const why = withoutLabels(unseen.sentences).filter(
      ({ key }) => key !== 'readFirst' && key !== 'notConfirmed',
    )
    throw restated(unseen, [sent, ...why])
  }
  return answer
}

/**
 * @returns the error that left the stop unconfirmed; undefined if it was confirmed
 * @throws GatewayError when the stop certainly did not arrive
 */
async function stop(
  gateway: Connection,
  unit: Unit,
  timeout: number,
  onward: Operation,
): Promise<GatewayError | undefined> {
  const lost = await sendStop(gateway, unit, onward)
  try {
    await unit.awaitState(false, timeout, onward.under({ stop: gateway.closing }))
    return undefined
  } catch (error) {
    // A close leaves no time to wait.
    if (gateway.closing.stopped) return undefined
    return lost ?? (error as GatewayError)
  }
}

/** Milliseconds from the beginning of a close to the last start that is sent before it ends. */
export const LAST_START_MS = 2200

/**
 * Sends the stop of a restart. A close does not wait for its response: a start follows at once, and
 * once more when the close is nearly over, for an appliance that carries out the stop as late.
 * @returns the error that left open whether it arrived
 * @throws GatewayError when it certainly did not arrive
 */
async function sendStop(
  gateway: Connection,
  unit: Unit,
  onward: Operation,
): Promise<GatewayError | undefined> {
  try {
    await unit.send('stop', onward.under({ stop: gateway.closing }))
    return undefined
  } catch (error) {
    if (!mayHaveArrived(error)) throw error
    if (gateway.closing.stopped) {
      unit.send('start', onward).catch(() => undefined)
      await hasTime(gateway, LAST_START_MS)
    }
    return error as GatewayError
  }
}

const START_ATTEMPTS = 5

// Starting what already runs does no harm, so a start may be repeated.
async function startAgain(
  gateway: Connection,
  unit: Unit,
  stopped: { name: string; isCertain: boolean },
  onward: Operation,
): Promise<CommandAnswer | UpdateAnswer> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await unit.send('start', onward)
    } catch (error) {
      const failure = error as GatewayError
      const mayHelp = mayHaveArrived(failure) || failure.cause.retryable
      const again = mayHelp && attempts < START_ATTEMPTS
      if (!(again && (await hasTime(gateway, 200 * 2 ** attempts)))) {
        const { name, isCertain } = stopped
        const isOff = isCertain && !mayHaveArrived(failure)
        const state = words(
          '__route__ __is__ stopped: the restart failed after __attempts__ to start it. Start it again now.',
          {
            route: name,
            is: isOff ? 'is' : 'may be',
            attempts: attempts === 1 ? '1 attempt' : `${attempts} attempts`,
          },
          isOff ? 'restartFailed' : 'restartInDoubt',
        )
        const after = afterChanges(failure, isCertain ? 'yes' : 'maybe')
        const why = withoutLabels(after.sentences).filter(({ key }) => key !== 'mayBeApplied')
        const whole = reported(restated(after, [state, ...why]), onward, gateway.identity)
        gateway.log('warn', whole.message)
        throw whole
      }
    }
  }
}

/** Waits. @returns false when a close leaves no time for that */
const hasTime = (gateway: Connection, ms: number): Promise<boolean> =>
  gateway.pause(ms).then(
    () => true,
    () => false,
  )

interface DestinationControl extends RouteAddress {
  destinationId: string
  action: 'start' | 'stop'
}

async function sendToDestination(
  gateway: Connection,
  { deviceId, routeId, destinationId, action }: DestinationControl,
  /** Waits until the destination shows the change. */
  seen: (operation: Operation) => Promise<unknown>,
  operation: Operation,
): Promise<CommandAnswer | UpdateAnswer> {
  if (gateway.memory.lacksDestinationCommands) return sendByUpdate()
  try {
    const command = `${action}-destination` as const
    return await sendCommand(gateway, { deviceId, command, routeId, destinationId }, operation)
  } catch (error) {
    if (!(error instanceof GatewayError) || !MAY_BE_UNKNOWN.has(error.cause.statusCode ?? 0)) {
      throw error
    }
    // A command that is known may be refused as well, for a destination that is as wanted already.
    const wanted = action === 'start' ? 'running' : 'stopped'
    const route = await getRoute(gateway, { deviceId, routeId }, operation)
    if (stateOf(route, destinationId) === wanted) throw error
    const answer = await sendByUpdate()
    // Firmware may accept the update and ignore the action: only a visible effect counts.
    await seen(operation).catch(() => {
      throw inDoubt(error)
    })
    gateway.memory.lacksDestinationCommands = true
    return answer
  }

  function sendByUpdate(): Promise<UpdateAnswer> {
    const address = { deviceId, routeId }
    const read = async (): Promise<Route> => {
      const route = await readStableRoute(gateway, address, operation)
      operation.route = route.name
      return route
    }
    return sendFresh(gateway, operation, read, (route, sending) => {
      const present = withUnseen(gateway, deviceId, route)
      if (!destinationIn(present, destinationId)) {
        throw new GatewayError('NOT_FOUND', say('destinationNotInRoute', { id: destinationId }), {
          operation: operation.name,
        })
      }
      refuseProtected(gateway, [route.name, present.name], sending)
      const fields = withoutMasks(toSent(present))
      const destinations = fields.destinations.map((destination) =>
        isSameId(destination.id, destinationId) ? { ...destination, action } : destination,
      )
      const update = { fields: { ...fields, destinations }, present: route }
      return sendTracked(gateway, address, update, sending)
    })
  }
}

/** How firmware refuses a command that it does not know is not documented. */
const MAY_BE_UNKNOWN: ReadonlySet<number> = new Set([400, 404, 405, 501])
