// The appliances that a node works for by itself: the one of its gateway, or those of an inventory.
import { GatewayError, closedError, say } from '../../client/errors'
import { patternFilter } from '../../client/model/pattern'
import type { Stop } from '../../client/stop'
import { choiceProperty, refused, refuseUnresolved } from './properties'
import type { Appliance, Fleet, Follower, GatewayNode } from './gateway-node'

/** The saved properties that say which appliances of an inventory a node is for. */
interface AppliancesConfig {
  /** A name pattern, with `applianceType` `pattern`. */
  appliance?: unknown
  /** `all` (default) or `pattern`. Without an inventory there is nothing to choose. */
  applianceType?: unknown
}

/** A test whether a node is for an appliance, by its name. @throws GatewayError `CONFIG` */
export function appliancesIn({ appliance, applianceType }: AppliancesConfig): Wanted {
  if (choiceProperty('applianceType', applianceType, ['all', 'pattern']) === 'all') {
    return () => true
  }
  refuseUnresolved('appliance', appliance)
  if (typeof appliance === 'string' && appliance.trim() !== '') {
    return patternFilter(appliance.trim())
  }
  throw refused('appliance', 'is empty; choose all gateways, or enter a name pattern', 'missing')
}

/** What a message says of the appliance that it is about: its name, with an inventory. */
export const aboutOf = (appliance: string | undefined): { appliance?: string } =>
  appliance === undefined ? {} : { appliance }

/** For a node: what is wrong with all of the inventory, or with the rows that the node is for. */
export function faultsFor(
  fleet: Fleet,
  wanted: Wanted,
): [failure: GatewayError | undefined, rows: GatewayError[], listed: () => number] {
  const rows = fleet
    .faults()
    .filter(({ cause: { appliance: name } }) => name && wanted(name) && fleet.owns(name))
  const ofAll = fleet.alerts().filter(({ cause }) => cause.appliance === undefined)
  return [fleet.failure, [...ofAll, ...rows], () => fleet.names().filter(wanted).length]
}

/** More errors at once would say no more. */
const MOST_TOLD = 10

/** Returns what tells each alert of an inventory once, and again only after it was over. */
export function tellerOfAlerts(
  fleet: Fleet,
  wanted: Wanted,
  tell: (alert: GatewayError) => void,
): () => void {
  let known: ReadonlySet<string> = new Set()
  return () => {
    const alerts = fleet.alerts().filter(({ cause: { appliance: name } }) => {
      return name === undefined || (wanted(name) && fleet.owns(name))
    })
    const news = alerts.filter(({ message }) => !known.has(message))
    known = new Set(alerts.map(({ message }) => message))
    for (const alert of news.slice(0, MOST_TOLD)) tell(alert)
  }
}

export type Wanted = (name: string) => boolean

/**
 * Follows the appliances of a gateway that a node is for: without an inventory its only one, which is
 * there from the beginning to the end.
 * @returns ends it, without a call of `removed`
 */
export function followAppliances(
  gateway: GatewayNode,
  wanted: Wanted,
  follower: Follower,
): () => void {
  const isFor = ({ appliance }: Appliance): boolean => appliance === undefined || wanted(appliance)
  return gateway.fleet.follow({
    ...follower,
    added: (one) => isFor(one) && follower.added(one),
    removed: (one) => (isFor(one) ? follower.removed(one) : undefined),
  })
}

/**
 * Has a failover node obey a message: here or, with leases, on the instance that owns the appliance.
 * @param waitMs as of `Share.send`
 * @throws GatewayError what the failover throws, and as `Share.send`; `NOT_FOUND` where there is none
 */
export async function obeyFailover(
  of: Appliance,
  failoverId: unknown,
  message: Record<string, unknown>,
  stop: Stop,
  fleet: Fleet,
  waitMs?: number,
): Promise<void> {
  if (stop.stopped) throw closedError()
  if (!fleet.owns(of.appliance ?? '')) {
    const { commandOwner } = require('./remote') as typeof import('./remote')
    return commandOwner(fleet, of, String(failoverId), message, stop, waitMs)
  }
  const failover = [...of.failovers].find(({ id }) => id === failoverId)
  if (failover) return failover.obey(message)
  // What is wrong with the appliance says more.
  of.client()
  throw new GatewayError('NOT_FOUND', say('noFailover'))
}
