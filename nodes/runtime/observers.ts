import {
  GatewayError,
  knownSnapshot,
  watchDevice,
  type Gateway,
  type Health,
  type Snapshot,
} from '../../client'
import type { GatewayNode } from './gateway-node'

/** What the sidebar is shown of an appliance. */
export interface ObservedState {
  /** Another one when the state is another. */
  version: number
  health: {
    known?: Health['known']
    failure?: { code: string; message: string }
    unreachable: boolean
  }
  /** The whole state, unless the asker has this version of it. */
  snapshot?: Snapshot
}

/** How long an appliance is watched after somebody has looked. */
const LEASE_MS = 15_000
/** Each costs the appliance a call per poll, and who asks may only read. */
const MOST_DEVICES = 20

interface Observer {
  version: number
  health: Health
  renew(): void
}

// Not from zero: somebody may hold a number of a Node-RED that has been restarted since.
let versions = Math.floor(Math.random() * 1e9)

/**
 * Watches appliances for people who look at the editor: as long as they go on asking, by the
 * polls that the watch nodes share.
 */
export function createObservers(leaseMs = LEASE_MS): {
  state(node: GatewayNode, deviceId: string | undefined, version: unknown): ObservedState
} {
  const observed = new WeakMap<Gateway, Map<string, Observer>>()

  function observe(node: GatewayNode, gateway: Gateway, deviceId?: string): Observer {
    const observers = observed.get(gateway) ?? new Map<string, Observer>()
    observed.set(gateway, observers)
    const key = deviceId ?? ''
    const known = observers.get(key)
    if (known) return known
    if (observers.size >= MOST_DEVICES) {
      throw new GatewayError(
        'INVALID_INPUT',
        `${MOST_DEVICES} devices of this appliance are looked at in the editor already. Close some of them, and wait a moment.`,
      )
    }

    const user = {}
    let timer: NodeJS.Timeout
    const observer: Observer = {
      version: ++versions,
      health: { unreachable: false },
      renew() {
        clearTimeout(timer)
        timer = setTimeout(end, leaseMs)
      },
    }
    const changed = (): void => {
      observer.version = ++versions
    }
    const endWatch = watchDevice(gateway, {
      deviceId,
      onEvents: changed,
      onSnapshot: changed,
      onHealth: (health) => (observer.health = health),
    })
    const unhook = gateway.leaving.onStop(end)
    node.register(user)
    observers.set(key, observer)

    function end(): void {
      clearTimeout(timer)
      unhook()
      endWatch()
      observers.delete(key)
      node.deregister(user)
    }
    return observer
  }

  return {
    state(node, deviceId, version) {
      const gateway = node.client()
      const observer = observe(node, gateway, deviceId)
      observer.renew()
      const { known, failure, unreachable } = observer.health
      return {
        version: observer.version,
        health: {
          known,
          failure: failure && { code: failure.code, message: failure.message },
          unreachable,
        },
        snapshot: version === observer.version ? undefined : knownSnapshot(gateway, deviceId),
      }
    },
  }
}
