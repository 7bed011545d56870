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
import { isRunning } from '../../../client/watch/state'
import { knownBy } from '../../../client/watch/device-watch'
import { eachRoute, routeFigures, type RouteFigures } from '../../../client/watch/figures'
import { languageOf } from '../../../client/model/watch'
import type { Appliance } from '../../runtime/gateway-node'
import { failoversOf, type ShownFailover } from './failovers'
import { healthOf, type ShownHealth } from './health'
import { createRates, type RateHistory, type Rates } from './rates'
import { createLately, type Gap, type Happening, type Lately } from './lately'

/** What the sidebar shows of an appliance. */
export interface ObservedState {
  /** Changes with the state; undefined with `lookOn`. */
  version?: number
  health: ShownHealth
  /** Whether the user of the gateway may start and stop; true while the roles are not known. */
  mayControl: boolean
  /** The whole state, unless the editor has this version of it. */
  snapshot?: Wordless<Snapshot>
  /** The failover nodes of the appliance, with the state or with `lookOn`. */
  failovers?: ShownFailover[]
  /** The IDs of the protected routes, with the state. */
  protectedRoutes?: string[]
  /** By the clock of Node-RED, Unix ms. */
  now: number
  /** What happened lately, oldest first, unless the editor has all of it. */
  lately?: Array<Happening | Gap>
  /**
   * What the running routes carry, by their IDs: no part of the version. Undefined with `lookOn`, and
   * where the editor has those of the latest poll.
   */
  figures?: Record<string, RouteFigures>
  /** When that was read, Unix ms. */
  figuresAt?: number
  /** What their sources received before, where the editor has no version. */
  rates?: RateHistory
}

/** What an editor requests. */
export interface ObserverQuestion {
  deviceId?: string
  /** The version that the editor has. */
  version?: unknown
  /** When the figures that the editor has were read. */
  figuresAt?: unknown
  /** Only what is already known; nothing is polled for this. */
  lookOn?: boolean
  /** The language of the editor, such as `de-AT`. */
  language?: unknown
  /** The host of the appliance. */
  host?: string
}

/** How long an appliance is watched after the last request. */
const LEASE_MS = 15_000
/** Each costs the appliance a call per poll, although the user may only read. */
const MOST_DEVICES = 20
/** Two polls are further apart. */
const SAME_MS = 50

/** What the sidebar shows of the time before. It outlives the observer. */
interface Past {
  lately: Lately
  rates: Rates
}

interface Observer {
  version: number
  /** The version with which it began, or in which something last happened. */
  happenedIn: number
  past: Past
  /** JSON of the failovers in this version. */
  failovers: string
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
  state(node: Appliance, question: ObserverQuestion): ObservedState
} {
  const observed = new WeakMap<Connection, Map<string, Observer>>()
  /** By connection and device. */
  const pasts = new WeakMap<Connection, Map<string, Past>>()

  function observe(node: Appliance, gateway: Connection, deviceId?: string): Observer {
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
    const past = pastOf(gateway, key)
    const observer: Observer = {
      version: ++versions,
      happenedIn: versions,
      past,
      failovers: '[]',
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
      onEvents(events) {
        changed()
        observer.happenedIn = observer.version
        past.lately.add(events, gateway.identity.name)
      },
      onSnapshot: changed,
      onHealth() {
        const { seenAt, figures } = figuresOf(gateway, deviceId)
        if (figures) past.rates.add(seenAt, figures)
      },
    })
    past.lately.watched(true, now())
    const unhook = gateway.closing.onStop(end)
    node.register(user)
    observers.set(key, observer)

    function end(): void {
      clearTimeout(timer)
      unhook()
      endWatch()
      past.lately.watched(false, now())
      observers.delete(key)
      node.deregister(user)
    }
    return observer
  }

  function pastOf(gateway: Connection, key: string): Past {
    const all = pasts.get(gateway) ?? new Map<string, Past>()
    pasts.set(gateway, all)
    const known = all.get(key) ?? { lately: createLately(), rates: createRates() }
    if (!all.has(key) && all.size >= MOST_DEVICES) all.delete(all.keys().next().value!)
    all.set(key, known)
    return known
  }

  return {
    state(node, question) {
      const { deviceId, version, lookOn, language } = question
      const gateway = node.client()
      const observer = lookOn ? undefined : observe(node, gateway, deviceId)
      observer?.renew()
      const failovers = failoversOf(node, question.host ?? '')
      if (observer) renumber(observer, failovers)
      const hasIt = !observer || version === observer.version
      const snapshot = hasIt ? undefined : knownSnapshot(gateway, deviceId)
      return {
        version: observer?.version,
        health: healthOf(gateway, { ...question, now: now() }) ?? { unreachable: false },
        mayControl: mayAct(gateway.session.roles(), 'Operator'),
        ...(observer && figuresFor(gateway, question)),
        rates: observer && version === undefined ? observer.past.rates.history() : undefined,
        snapshot,
        failovers: observer && hasIt ? undefined : failovers,
        protectedRoutes: protectedIn(gateway, snapshot),
        now: now(),
        lately: hasIt || hasAll(observer, version) ? undefined : listOf(observer, language),
      }
    },
  }
}

const protectedIn = (
  { protects }: Connection,
  snapshot: Wordless<Snapshot> | undefined,
): string[] | undefined =>
  protects && snapshot?.routes.filter(({ name }) => protects(name)).map(({ id }) => id)

/** Nobody says when the state of a failover changes. */
function renumber(observer: Observer, failovers: readonly ShownFailover[]): void {
  const json = JSON.stringify(failovers)
  if (json !== observer.failovers) observer.version = ++versions
  observer.failovers = json
}

const hasAll = ({ happenedIn, version }: Observer, known: unknown): boolean =>
  typeof known === 'number' && known >= happenedIn && known <= version

const listOf = ({ past }: Observer, language: unknown): ReturnType<Lately['list']> =>
  past.lately.list(languageOf(language))

function figuresFor(
  gateway: Connection,
  { deviceId, figuresAt }: ObserverQuestion,
): Pick<ObservedState, 'figures' | 'figuresAt'> {
  const { figures, seenAt } = figuresOf(gateway, deviceId)
  // Converted to Unix time again, it may be a little different.
  const hasThem = typeof figuresAt === 'number' && Math.abs(seenAt - figuresAt) < SAME_MS
  return figures && !hasThem ? { figures, figuresAt: seenAt } : {}
}

function figuresOf(
  gateway: Connection,
  deviceId?: string,
): { figures?: ObservedState['figures']; seenAt: number } {
  const { state, figures, seenAt = 0 } = knownBy(gateway, deviceId) ?? {}
  if (!state || !figures) return { seenAt }
  const found: Array<[string, RouteFigures]> = []
  eachRoute(state, (route, at) => {
    if (isRunning(route.condition)) found.push([route.id, routeFigures(route, at, figures)])
  })
  return { figures: Object.fromEntries(found), seenAt }
}
