import { getRoute } from '../api/routes'
import { controlRoute, LAST_START_MS, startAgain } from '../changes/control'
import type { RouteAddress } from '../changes/find'
import { planMerge } from '../changes/merge'
import { readStableRoute, sendFresh, serialized } from '../changes/unconfirmed'
import { commandStep, sendStep, updateSending } from '../changes/step'
import { MONOTONIC } from '../clock'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { afterChanges, GatewayError, invalidInput, mayHaveArrived, say } from '../errors'
import { sourceInUse, type FailoverSettings, type InUse, type Side } from '../model/failover'
import { changesTo, otherOf } from '../model/failover-sides'
import { isPending, isRunning, isStopped } from '../model/route-state'
import type { Route } from '../model/types'
import { stopAfter } from '../stop'
import { withUnseen } from '../changes/base'
import type { Act } from './types'

interface Switching {
  settings: FailoverSettings
  act: Act
  /** Where the protected route is, or one of the two. */
  addressOf: (side: Side) => RouteAddress | undefined
}

/**
 * The route shows whether it worked. Nothing is sent when it is no longer as it was at the decision.
 * @throws GatewayError
 */
export async function makeSwitch(
  gateway: Connection,
  switching: Switching,
  operation: Operation,
): Promise<void> {
  const own = operation.under({ confirmed: OWN_ROUTES })
  if (switching.settings.method === 'routes') await switchRoutes(gateway, switching, own)
  else await switchSource(gateway, switching, own)
}

/** Whoever set up the failover has named its routes, whatever they are called by now. */
const OWN_ROUTES = { has: () => true }

/** Milliseconds that an earlier change of the route may hold a switch up; a poll can take one second. */
const PATIENCE_MS = 4000

/** The update leaves all but the fields of the source as it is, destinations included. */
async function switchSource(
  gateway: Connection,
  { settings, act, addressOf }: Switching,
  operation: Operation,
): Promise<void> {
  const { from, to } = act
  const address = known(addressOf(to))
  const inUse = (route: Route): InUse => sourceInUse(settings, route).inUse
  const asSent = (route: Route): Route => withUnseen(gateway, address.deviceId, route)
  // The same switch, sent before, is not waited for: it may never have arrived.
  const isReady = (route: Route, waited: number): boolean =>
    waited > PATIENCE_MS || (!isPending(route) && inUse(asSent(route)) === to)
  const read = async (): Promise<Route> => {
    const route = await readStableRoute(gateway, address, operation, { isReady })
    operation.route = route.name
    return route
  }
  const send = async (route: Route, sending: Operation): Promise<void> => {
    const [now, present] = [inUse(route), asSent(route)]
    if (now === to) return
    const isOthers = ![from, to].includes(inUse(present))
    if (isStopped(route) || now !== from || isOthers) throw changedMeanwhile()
    const source = changesTo(settings, to, from, present.source)
    const { fields, problems } = planMerge({ source }, present, { pathsAreWhole: true })
    if (problems.length > 0) throw invalidInput(problems)
    const target = { ...address, routeId: route.id }
    await sendStep(gateway, updateSending(gateway, target, { fields, present: route }), sending)
  }
  await serialized(gateway, address, operation, () => sendFresh(gateway, operation, read, send))
}

const AT_ONCE = { waitFor: 'accepted', waitTimeout: 0 } as const
const STOP_MS = 10_000
const START_MS = 5000
const START_ATTEMPTS = 3

/** Break before make. Once the stop has arrived the rest follows, even during a close. */
async function switchRoutes(
  gateway: Connection,
  { act, addressOf }: Switching,
  operation: Operation,
): Promise<void> {
  const { isHalfway = false } = act
  const [from, to] = [known(addressOf(otherOf(act.to))), known(addressOf(act.to))]
  const read = (address: RouteAddress): Promise<Route> => getRoute(gateway, address, operation)
  let hasStopped = isHalfway
  try {
    const [leaving, arriving] = await Promise.all([read(from), read(to)])
    const wasStopped = isHalfway || act.from !== 'other'
    if (isStopped(leaving) !== isHalfway || isStopped(arriving) !== wasStopped) {
      throw changedMeanwhile()
    }
    const onward = operation.under({ stop: undefined, uninterruptible: true })
    if (!isHalfway) {
      onward.route = leaving.name
      await stop(gateway, { ...from, wasPending: isPending(leaving) }, operation, onward)
      hasStopped = true
    }
    if (isRunning(arriving)) return
    onward.route = arriving.name
    const started = commandStep(gateway, { ...to, wasPending: isPending(arriving) }, 'start')
    const start = { ...to, action: 'start', ...AT_ONCE } as const
    const send = (): Promise<unknown> => controlRoute(gateway, start, onward)
    await startAgain(gateway, operation.stop, START_ATTEMPTS, send)
    // A route that was never seen to run was not stopped by anybody: its start was lost.
    await started.show(START_MS, operation)
  } catch (error) {
    if (!hasStopped || !(error instanceof GatewayError)) throw error
    throw afterChanges(error, mayHaveArrived(error) ? 'maybe' : 'yes')
  }
}

/**
 * Returns once the route is seen stopped. A close leaves less time for that: the start follows anyway,
 * unless nothing says that the stop has arrived. Then both would run, and the next failover goes on.
 */
async function stop(
  gateway: Connection,
  address: RouteAddress & { wasPending: boolean },
  operation: Operation,
  onward: Operation,
): Promise<void> {
  const { stop: last, end } = stopAfter(gateway.closing, LAST_START_MS, MONOTONIC)
  const stopping = onward.under({ stop: last })
  // Once it is on its way, whether it was accepted decides what follows.
  const { writes } = onward
  const unhook = operation.stop?.onStop(() => {
    if (onward.writes === writes) last.now()
  })
  let isAccepted = false
  try {
    await controlRoute(gateway, { ...address, action: 'stop', ...AT_ONCE }, stopping).then(
      () => {
        isAccepted = true
      },
      (error: unknown) => {
        if (!mayHaveArrived(error)) throw error
      },
    )
    await commandStep(gateway, address, 'stop').show(STOP_MS, stopping)
  } catch (error) {
    if (!isAccepted || !gateway.closing.stopped) throw error
  } finally {
    unhook?.()
    end()
  }
}

const changedMeanwhile = (): GatewayError => new GatewayError('CONFLICT', say('switchChanged'))

function known(address: RouteAddress | undefined): RouteAddress {
  if (address) return address
  throw new GatewayError('NOT_FOUND', say('switchNoRoute'))
}
