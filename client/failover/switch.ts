import { getRoute } from '../api/routes'
import { controlRoute } from '../changes/control'
import type { RouteAddress } from '../changes/find'
import { updateRoute } from '../changes/update'
import { awaitRoute } from '../changes/wait'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { afterChanges, GatewayError, mayHaveArrived, say, words } from '../errors'
import type { FailoverSettings, Side } from '../model/failover'
import { isRunning, isStopped } from '../model/route-state'
import type { Route } from '../model/types'
import { sourceInUse } from './look'
import type { Act } from './types'

/** One switch to make. */
export interface Switching {
  settings: FailoverSettings
  act: Act
  /** Neither of two routes runs, since the start of one failed. */
  isHalfway: boolean
  /** Where the protected route is, or one of the two. */
  addressOf: (side: Side) => RouteAddress | undefined
}

/**
 * Makes a switch. Whether it worked is not waited for: the route shows it. Nothing is sent when the
 * route is no longer as it was when the switch was decided: somebody else has changed it.
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

/**
 * Whoever set up the failover has named its routes, and a switch is at no others: that confirms them,
 * whatever they are called by now.
 */
const OWN_ROUTES = { has: () => true }

/** The update leaves all but the fields of the source as it is, destinations included. */
async function switchSource(
  gateway: Connection,
  { settings, act, addressOf }: Switching,
  operation: Operation,
): Promise<void> {
  const allow = (present: Route): void => {
    if (isStopped(present) || sourceInUse(settings, present) !== act.from) throw changedMeanwhile()
  }
  await updateRoute(
    gateway,
    {
      address: known(addressOf(act.to)),
      patch: { source: settings[act.to] },
      mode: 'merge',
      allow,
      ...AT_ONCE,
    },
    operation,
  )
}

const AT_ONCE = { waitFor: 'accepted', waitTimeout: 0 } as const
const STOP_MS = 10_000
const START_ATTEMPTS = 3

/**
 * Break before make: the one route is seen stopped before the other is started. Once the stop may
 * have arrived the rest follows, even during a close: nothing would be on the air.
 */
async function switchRoutes(
  gateway: Connection,
  { act, isHalfway, addressOf }: Switching,
  operation: Operation,
): Promise<void> {
  const [from, to] = [
    known(addressOf(act.to === 'main' ? 'backup' : 'main')),
    known(addressOf(act.to)),
  ]
  const read = (address: RouteAddress): Promise<Route> => getRoute(gateway, address, operation)
  const [leaving, arriving] = await Promise.all([read(from), read(to)])
  const wasStopped = isHalfway || act.from !== 'other'
  if (isStopped(leaving) !== isHalfway || isStopped(arriving) !== wasStopped) {
    throw changedMeanwhile()
  }
  const onward = operation.under({ stop: undefined, uninterruptible: true })
  if (!isHalfway) {
    onward.route = leaving.name
    await stop(gateway, from, operation, onward)
  }
  if (isRunning(arriving)) return
  onward.route = arriving.name
  try {
    await start(gateway, to, onward)
  } catch (error) {
    if (isHalfway || !(error instanceof GatewayError)) throw error
    throw afterChanges(error, mayHaveArrived(error) ? 'maybe' : 'yes')
  }
}

/** Returns once the route is seen stopped. */
async function stop(
  gateway: Connection,
  address: RouteAddress,
  operation: Operation,
  onward: Operation,
): Promise<void> {
  try {
    await controlRoute(gateway, { ...address, action: 'stop', ...AT_ONCE }, operation)
  } catch (error) {
    if (!mayHaveArrived(error)) throw error
  }
  const verdict = (route: Route) => (isStopped(route) ? undefined : say('lastNotStopped'))
  await awaitRoute(gateway, { ...address, verdict, timeout: STOP_MS }, onward)
}

/** Starting what already runs does no harm, so a start may be repeated. */
async function start(gateway: Connection, address: RouteAddress, onward: Operation): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      await controlRoute(gateway, { ...address, action: 'start', ...AT_ONCE }, onward)
      return
    } catch (error) {
      const mayHelp =
        error instanceof GatewayError && (mayHaveArrived(error) || error.cause.retryable)
      if (!mayHelp || attempts === START_ATTEMPTS) throw error
      await gateway.pause(200 * 2 ** attempts)
    }
  }
}

const changedMeanwhile = (): GatewayError =>
  new GatewayError(
    'CONFLICT',
    words('Nothing was switched: somebody else has changed the route in the meantime.'),
  )

function known(address: RouteAddress | undefined): RouteAddress {
  if (address) return address
  throw new GatewayError('NOT_FOUND', words('Nothing was switched: the route is not known.'))
}
