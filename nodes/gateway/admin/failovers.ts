import { GatewayError, Stop, type FailoverStatus } from '../../../client/internal'
import type { Appliance, Fleet, ListedFailover } from '../../runtime/gateway-node'
import { failureOf, type Failure } from './failure'

/** A failover node, as the sidebar shows it. */
export interface ShownFailover extends Partial<Omit<FailoverStatus, 'failure'>> {
  id: string
  name: string
  /** The protected routes, as far as they have been found; main first. */
  routes: Array<{ deviceId: string; routeId: string }>
  /** Why the latest look does not show everything. */
  failure?: Failure
}

/** @param host of the gateway */
export const failoversOf = ({ failovers }: Appliance, host: string): ShownFailover[] =>
  [...failovers].map((failover) => shown(failover, host))

function shown(failover: ListedFailover, host: string): ShownFailover {
  const { id, name } = failover
  const routes = failover.routes().map(({ deviceId, routeId }) => ({ deviceId, routeId }))
  const { failure, ...status } = failover.status ?? {}
  return { id, name, routes, ...status, ...(failure && { failure: failureOf(failure, host) }) }
}

/** What the sidebar may have a failover do. The others are for flows. */
const ACTIONS: readonly unknown[] = ['main', 'backup', 'hold', 'release']

/**
 * So long a person waits for an instance that works for the appliance: what is carried out later is
 * carried out when nobody expects it any more.
 */
const WAIT_MS = 12_000
/** Nor does anything else take longer, such as an earlier command that waits, too. */
const LONGEST_MS = 15_000

/**
 * Has a failover node obey: here or, with leases, on the instance that owns the appliance.
 * @param stop the person has gone
 * @param fleet of the appliance, if it has one
 * @throws GatewayError `INVALID_INPUT`, `NOT_FOUND`, and what the failover throws; `UNAVAILABLE` where
 * the instance that works for the appliance cannot be reached; `CLOSED` after the stop
 */
export async function commandFailover(
  node: Appliance,
  { failoverId, action }: { failoverId?: unknown; action?: unknown },
  stop: Stop,
  fleet?: Fleet,
): Promise<void> {
  if (!ACTIONS.includes(action)) {
    throw new GatewayError('INVALID_INPUT', `action must be one of ${ACTIONS.join(', ')}.`)
  }
  const { appliance } = node
  if (fleet && appliance !== undefined && !fleet.owns(appliance)) {
    const { obeyElsewhere } =
      require('../../runtime/elsewhere') as typeof import('../../runtime/elsewhere')
    const over = new Stop()
    const release = stop.onStop(() => over.now())
    const late = setTimeout(() => over.now(), LONGEST_MS)
    try {
      return await obeyElsewhere(fleet, node, String(failoverId), { action }, over, WAIT_MS)
    } finally {
      clearTimeout(late)
      release()
    }
  }
  const failover = [...node.failovers].find(({ id }) => id === failoverId)
  if (!failover) throw new GatewayError('NOT_FOUND', 'This gateway has no such failover node.')
  await failover.command(action)
}
