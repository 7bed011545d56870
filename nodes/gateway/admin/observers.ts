import {
  GatewayError,
  knownSnapshot,
  say,
  watchDevice,
  type Connection,
  type Snapshot,
  type Wordless,
} from '../../../client/internal'
import { mayAct } from '../../../client/connection/roles'
import { isRunning, type RouteState } from '../../../client/watch/state'
import { knownBy } from '../../../client/watch/device-watch'
import type { GatewayNode } from '../../runtime/gateway-node'
import { failureOf, type Failure } from './failure'

/** What the sidebar shows of an appliance. */
export interface ObservedState {
  /** Changes with the state; undefined with `lookOn`. */
  version?: number
  health: {
    known?: {
      /** How old it is, in ms. */
      ageMs: number
      /** A poll that was due got no response: the state may have changed. */
      isOld: boolean
      routes: number
      running: number
      warnings: number
      errors: number
    }
    failure?: Failure
    unreachable: boolean
  }
  /** Whether the user of the gateway may start and stop; true while the roles are not known. */
  mayControl: boolean
  /** The whole state, unless the editor has this version of it. */
  snapshot?: Wordless<Snapshot>
}

/** What an editor requests. */
export interface ObserverQuestion {
  deviceId?: string
  /** The version that the editor has. */
  version?: unknown
  /** Only what is already known; nothing is polled for this. */
  lookOn?: boolean
  /** The host of the appliance. */
  host?: string
}

/** How long an appliance is watched after the last request. */
const LEASE_MS = 15_000
/** Each costs the appliance a call per poll, although the user may only read. */
const MOST_DEVICES = 20
/** The part of the interval by which a poll may be late, and the ms that a response may take. */
const JITTER = 0.05
const ANSWER_MS = 5000

interface Observer {
  version: number
  renew(): void
}

// Not from zero: an editor may have a version from before a restart of Node-RED.
let versions = Math.floor(Math.random() * 1e9)

/**
 * Watches appliances for the editors that show them, for as long as these send requests, with the
 * polls that the watch nodes share.
 */
export function createObservers(
  leaseMs = LEASE_MS,
  now = Date.now,
): {
  state(node: GatewayNode, question: ObserverQuestion): ObservedState
} {
  const observed = new WeakMap<Connection, Map<string, Observer>>()

  function observe(node: GatewayNode, gateway: Connection, deviceId?: string): Observer {
    const observers = observed.get(gateway) ?? new Map<string, Observer>()
    observed.set(gateway, observers)
    const key = deviceId ?? ''
    const known = observers.get(key)
    if (known) return known
    if (observers.size >= MOST_DEVICES) {
      throw new GatewayError('INVALID_INPUT', say('tooManyDevices', { most: MOST_DEVICES }))
    }

    const user = {}
    let timer: NodeJS.Timeout
    const observer: Observer = {
      version: ++versions,
      renew() {
        clearTimeout(timer)
        timer = setTimeout(end, leaseMs)
      },
    }
    const changed = (): void => {
      observer.version = ++versions
    }
    const endWatch = watchDevice(gateway, { deviceId, onEvents: changed, onSnapshot: changed })
    const unhook = gateway.closing.onStop(end)
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

  function healthOf(
    gateway: Connection,
    { deviceId, host = '' }: ObserverQuestion,
  ): ObservedState['health'] {
    const known = knownBy(gateway, deviceId)
    if (!known) return { unreachable: false }
    const { state, seenAt, failure, unreachable, everyMs } = known
    const ageMs = Math.max(0, now() - seenAt)
    const isOld = failure !== undefined || ageMs > everyMs * (1 + JITTER) + ANSWER_MS
    return {
      known: state && { ageMs, isOld, ...countsOf([...state.routes.values()]) },
      failure: failure && failureOf(failure, host),
      unreachable,
    }
  }

  return {
    state(node, question) {
      const { deviceId, version, lookOn } = question
      const gateway = node.client()
      const observer = lookOn ? undefined : observe(node, gateway, deviceId)
      observer?.renew()
      const hasIt = !observer || version === observer.version
      return {
        version: observer?.version,
        health: healthOf(gateway, question),
        mayControl: mayAct(gateway.session.roles(), 'Operator'),
        snapshot: hasIt ? undefined : knownSnapshot(gateway, deviceId),
      }
    },
  }
}

function countsOf(routes: readonly RouteState[]) {
  const having = (code: string): number =>
    routes.filter(({ condition }) => condition.code === code).length
  return {
    routes: routes.length,
    running: routes.filter(({ condition }) => isRunning(condition)).length,
    warnings: having('warn'),
    errors: having('error'),
  }
}
