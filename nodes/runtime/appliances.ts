// The appliances that a node works for by itself: the one of its gateway, or those of an inventory.
import type { GatewayError } from '../../client/internal'
import { patternFilter } from '../../client/model/pattern'
import { refused } from './chosen'
import { choiceProperty, refuseUnresolved } from './environment'
import type { Appliance, Fleet, Follower, GatewayNode } from './gateway-node'

/** The saved properties that say which appliances of an inventory a node is for. */
export interface AppliancesConfig {
  /** A name pattern, with `applianceType` `pattern`. */
  appliance?: unknown
  /** `all` (default) or `pattern`. Without an inventory there is nothing to choose. */
  applianceType?: unknown
}

/**
 * A test whether a node is for an appliance, by its name.
 * @throws GatewayError `CONFIG`
 */
export function appliancesIn({ appliance, applianceType }: AppliancesConfig): Wanted {
  if (choiceProperty('applianceType', applianceType, ['all', 'pattern']) === 'all') {
    return () => true
  }
  refuseUnresolved('appliance', appliance)
  if (typeof appliance === 'string' && appliance.trim() !== '') {
    return patternFilter(appliance.trim())
  }
  throw refused('appliance', 'is empty; choose all gateways, or enter a name pattern')
}

/** What is wrong with an inventory, for a node: all of it, or the rows that the node would be for. */
export function faultsFor(
  fleet: Fleet,
  wanted: Wanted,
): [failure: GatewayError | undefined, rows: GatewayError[]] {
  const rows = fleet
    .faults()
    .filter(({ cause: { appliance: name } }) => name && wanted(name) && fleet.owns(name))
  return [fleet.failure, rows]
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
