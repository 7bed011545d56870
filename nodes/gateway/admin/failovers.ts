import { Stop } from '../../../client/stop'
import { obeyFailover } from '../../runtime/appliances'
import type { Appliance, Fleet } from '../../runtime/gateway-node'
import { choiceFrom } from '../../runtime/parameters'
import type { Failover, FailoverAction, Received, Requests } from '../../wire'
import { failureOf } from './failure'

export const failoversOf = ({ failovers }: Appliance, host: string): Failover[] =>
  [...failovers].map((failover) => {
    const { id, name } = failover
    const routes = failover.routes().map(({ deviceId, routeId }) => ({ deviceId, routeId }))
    const { failure, ...status } = failover.status ?? {}
    return { id, name, routes, ...status, ...(failure && { failure: failureOf(failure, host) }) }
  })

const ACTIONS: readonly FailoverAction[] = ['main', 'backup', 'hold', 'release']

/** What is carried out later is carried out when nobody expects it any more. */
const WAIT_MS = 12_000
/** Nor does another instance take longer, such as for an earlier command that waits, too. */
const LONGEST_MS = 15_000

/** @throws GatewayError `INVALID_INPUT`, and as `obeyFailover`; `CLOSED` after the stop */
export async function commandFailover(
  node: Appliance,
  { failoverId, action }: Received<Requests['failover']['body']>,
  stop: Stop,
  fleet: Fleet,
): Promise<void> {
  const known = choiceFrom('action', action, ACTIONS)
  const over = new Stop()
  const release = stop.onStop(() => over.now())
  const late = setTimeout(() => over.now(), LONGEST_MS)
  try {
    await obeyFailover(node, failoverId, { action: known }, over, fleet, WAIT_MS)
  } finally {
    clearTimeout(late)
    release()
  }
}
