import type { Appliance, Fleet } from '../runtime/gateway-node'

/** A gateway without an inventory: a fleet of one appliance, which has no name and is always owned. */
export function soleFleet(appliance: Appliance): Fleet {
  return {
    hasNames: false,
    get readOnly() {
      return appliance.client().readOnly
    },
    ready: Promise.resolve(),
    isMember: true,
    names: () => [''],
    faults: () => [],
    ignored: () => [],
    alerts: () => [],
    owns: () => true,
    find: () => appliance,
    former: () => undefined,
    list: () => [],
    follow(follower) {
      follower.added(appliance)
      return () => undefined
    },
  }
}
