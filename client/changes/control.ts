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
  withoutLabels,
} from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { toSent } from '../model/convert'
import { hideSecrets, withoutMasks } from '../model/secrets'
import { isSameId } from '../model/ids'
import type { CommandAnswer, Route, UpdateAnswer } from '../model/types'
import { untilStopped, type Stop } from '../stop'
import { sendCommand } from '../api/commands'
import { getRoute } from '../api/routes'
import type { RouteAddress } from './find'
import { PACE_MS, pollUntil, readStableRoute, sendFresh, serialized } from './unconfirmed'
import { refuseIfProtected, refuseProtected } from './protected'
import { destinationIn, stateOf } from '../model/route-state'
import type { PlannedChange } from './shared'
import { commandStep, sendStep, takeStep, updateSending, type Step, type Waiting } from './step'
import { unseenOf } from '../unseen'
import { withUnseen } from './base'

export type ControlAction = 'start' | 'stop' | 'restart'

export interface ControlRoute extends RouteAddress, Waiting {
  action: ControlAction
  /** The destination to act on; undefined for the route itself. */
  destinationId?: string
}

type Answer = CommandAnswer | UpdateAnswer

export interface Controlled {
  answer: Answer
  /** The route afterwards, with `applied`; secrets hidden. */
  route?: Route
}

/** Starts, stops or restarts a route or destination. What is not running, a restart only starts. */
export function controlRoute(
  gateway: Connection,
  control: ControlRoute,
  operation: Operation,
): Promise<Controlled> {
  if (gateway.readOnly) throw readOnlyError()
  const { action, waitFor, waitTimeout } = control
  let hasBegun = false
  const begin = (): void => {
    hasBegun = true
  }
  const work = serialized(gateway, control, operation, async () => {
    if (waitFor === 'applied') await awaitOpposite(gateway, control, operation)
    // A stop is refused for a protected route, and for its destinations.
    if (action === 'stop') await refuseIfProtected(gateway, control, operation)
    if (action !== 'restart') {
      return takeStep(gateway, stepTo(action, gateway, control), control, operation)
    }
    const start = stepTo('start', gateway, control)
    const answer = await gateway.protect(restart(gateway, control, start, operation, begin))
    if (waitFor === 'accepted') return { answer }
    return { answer, route: hideSecrets(await start.show(waitTimeout, operation)) }
  })
  // A stop releases only the caller: a restart that has begun goes on, and keeps its turn.
  return action === 'restart'
    ? untilStopped(work, operation.stop, () => (hasBegun ? inDoubt(closedError()) : closedError()))
    : work
}

/** What a command would do to the route as it is now. Nothing is sent. */
export async function planControl(
  gateway: Connection,
  { action, destinationId, ...address }: Omit<ControlRoute, keyof Waiting>,
  operation: Operation,
): Promise<PlannedChange<'start' | 'stop'>> {
  if (gateway.readOnly) throw readOnlyError()
  const route = await getRoute(gateway, address, operation)
  operation.route = route.name
  if (action !== 'start') refuseProtected(gateway, [route.name], operation)
  const from = stateOf(route, destinationId)
  if (from === undefined) {
    throw new GatewayError('NOT_FOUND', say('destinationIdNotInRoute', { id: destinationId! }))
  }
  const steps: ('start' | 'stop')[] =
    action === 'restart' ? (isStoppedFirst(from) ? ['stop', 'start'] : ['start']) : [action]
  const to = action === 'stop' ? 'stopped' : 'running'
  const at = route.destinations.findIndex(({ id }) => isSameId(id, destinationId))
  const path = destinationId === undefined ? 'state' : `destinations[${at}].state`
  return { steps, diff: from === to ? [] : [{ path, from, to }], before: route }
}

const isStoppedFirst = (before: ReturnType<typeof stateOf>): boolean =>
  before !== undefined && before !== 'stopped'

/** Until the opposite that was sent before shows, or some time has passed, nothing can confirm this one. */
async function awaitOpposite(
  gateway: Connection,
  { action, destinationId, ...address }: ControlRoute,
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
    await getRoute(gateway, address, operation).catch(() => undefined)
    return !isUnseen() || waited > PACE_MS || undefined
  }
  await pollUntil(gateway, read, 2 * PACE_MS, operation)
}

function stepTo(
  action: 'start' | 'stop',
  gateway: Connection,
  control: ControlRoute,
): Step<Answer, Route> {
  const step = commandStep(gateway, control, action)
  if (control.destinationId === undefined) return step
  return {
    ...step,
    send: (operation) => sendToDestination(gateway, control, action, step, operation),
  }
}

/**
 * Once the stop may have arrived the start follows, whatever happens meanwhile: a lost response, a
 * deploy. A restart must not leave a programme off the air.
 */
async function restart(
  gateway: Connection,
  control: ControlRoute,
  start: Step<Answer, Route>,
  operation: Operation,
  /** Called when it can no longer be stopped. */
  begin: () => void,
): Promise<Answer> {
  const onward = operation.under({ stop: undefined, uninterruptible: true })
  const sendStart = (): Promise<Answer> => sendStep(gateway, start, onward)
  const route = await getRoute(gateway, control, operation)
  operation.route = route.name
  onward.route = route.name
  refuseProtected(gateway, [route.name], operation)
  const before = stateOf(route, control.destinationId)
  begin()
  if (!isStoppedFirst(before)) return sendStart()
  const unseen = await stop(gateway, control, sendStart, onward)
  const isCertain = unseen === undefined && !gateway.closing.stopped
  const name = nameIn(route, control)
  const answer = await startAgain(
    gateway,
    gateway.closing,
    START_ATTEMPTS,
    sendStart,
    (failure, attempts) => {
      const isOff = isCertain && !mayHaveArrived(failure)
      const news = isOff ? 'restartFailed' : 'restartInDoubt'
      const state = {
        ...say(attempts === 1 ? `${news}One` : news, { route: name, attempts }),
        news,
      } as const
      const after = afterChanges(failure, isCertain ? 'yes' : 'maybe')
      const why = withoutLabels(after.sentences).filter(({ key }) => key !== 'mayBeApplied')
      const whole = reported(restated(after, [state, ...why]), onward, gateway.identity)
      gateway.log('warn', whole.message)
      return whole
    },
  )
  if (unseen) {
    const sent = say('startUnseenStop', {
      route: name,
      time: control.waitTimeout / 1000,
    })
    const why = withoutLabels(unseen.sentences).filter(
      ({ key }) => key !== 'readFirst' && key !== 'notConfirmed',
    )
    throw restated(unseen, [sent, ...why])
  }
  return answer
}

const START_ATTEMPTS = 5
/** With those before a close: nobody starts the route after it. */
const START_ATTEMPTS_AT_CLOSE = 6
const START_EVERY_MS_AT_CLOSE = 400

/** Milliseconds from the beginning of a close to the last start that is sent before it ends. */
export const LAST_START_MS = 2200

/**
 * Sends the stop of a restart, and waits until it shows. A close does not wait: a start follows at once,
 * and once more when the close is nearly over, for an appliance that carries out the stop as late.
 * @returns the error that left the stop unconfirmed; undefined if it was confirmed
 * @throws GatewayError when the stop certainly did not arrive
 */
async function stop(
  gateway: Connection,
  control: ControlRoute,
  sendStart: () => Promise<Answer>,
  onward: Operation,
): Promise<GatewayError | undefined> {
  const step = stepTo('stop', gateway, control)
  const stopping = onward.under({ stop: gateway.closing })
  let lost: GatewayError | undefined
  try {
    await sendStep(gateway, step, stopping)
  } catch (error) {
    if (!mayHaveArrived(error)) throw error
    if (gateway.closing.stopped) {
      sendStart().catch(() => undefined)
      await hasTime(gateway, LAST_START_MS)
    }
    lost = error as GatewayError
  }
  try {
    await step.show(control.waitTimeout, stopping)
    return undefined
  } catch (error) {
    // A close leaves no time to wait.
    if (gateway.closing.stopped) return undefined
    return lost ?? (error as GatewayError)
  }
}

/**
 * Starting what already runs does no harm, so a start may be repeated.
 * @param closing ends whoever would try once more later: a close, or the time limit of a switch
 */
export async function startAgain<T>(
  gateway: Connection,
  closing: Stop | undefined,
  most: number,
  start: () => Promise<T>,
  /** What to throw when no attempt is left. */
  gaveUp = (failure: GatewayError, _attempts: number): GatewayError => failure,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await start()
    } catch (error) {
      const failure = error as GatewayError
      const mayHelp = mayHaveArrived(failure) || failure.cause.retryable
      const isLast = closing?.stopped === true
      const again = mayHelp && attempts < (isLast ? START_ATTEMPTS_AT_CLOSE : most)
      const wait = isLast ? START_EVERY_MS_AT_CLOSE : 200 * 2 ** attempts
      if (!(again && (await hasTime(gateway, wait)))) throw gaveUp(failure, attempts)
    }
  }
}

/** Waits. @returns false when a close leaves no time for that */
const hasTime = (gateway: Connection, ms: number): Promise<boolean> =>
  gateway.pause(ms).then(
    () => true,
    () => false,
  )

function nameIn(route: Route, { routeId, destinationId }: ControlRoute): string {
  const whole = `oute "${route.name}" (${routeId})`
  if (destinationId === undefined) return `R${whole}`
  const name = destinationIn(route, destinationId)?.name ?? destinationId
  return `Destination "${name}" (${destinationId}) of r${whole}`
}

async function sendToDestination(
  gateway: Connection,
  { deviceId, routeId, destinationId = '', waitTimeout }: ControlRoute,
  action: 'start' | 'stop',
  { show }: Pick<Step<Answer, Route>, 'show'>,
  operation: Operation,
): Promise<Answer> {
  const address = { deviceId, routeId }
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
    const route = await getRoute(gateway, address, operation)
    if (stateOf(route, destinationId) === wanted) throw error
    const answer = await sendByUpdate()
    // Firmware may accept the update and ignore the action: only a visible effect counts.
    await show(waitTimeout, operation).catch(() => {
      throw inDoubt(error)
    })
    gateway.memory.lacksDestinationCommands = true
    return answer
  }

  function sendByUpdate(): Promise<UpdateAnswer> {
    const read = async (): Promise<Route> => {
      const route = await readStableRoute(gateway, address, operation)
      operation.route = route.name
      return route
    }
    return sendFresh(gateway, operation, read, (route, sending) => {
      const present = withUnseen(gateway, deviceId, route)
      if (!destinationIn(present, destinationId)) {
        throw new GatewayError('NOT_FOUND', say('destinationIdNotInRoute', { id: destinationId }))
      }
      refuseProtected(gateway, [route.name, present.name], sending)
      const fields = withoutMasks(toSent(present))
      const destinations = fields.destinations.map((destination) =>
        isSameId(destination.id, destinationId) ? { ...destination, action } : destination,
      )
      const update = { fields: { ...fields, destinations }, present: route }
      return sendStep(gateway, updateSending(gateway, address, update), sending)
    })
  }
}

/** How firmware refuses a command that it does not know is not documented. */
const MAY_BE_UNKNOWN: ReadonlySet<number> = new Set([400, 404, 405, 501])
