import { GatewayError, closedError } from '../errors'
import type { Connection } from '../connection/connection'
import { newOperation, type Operation } from '../connection/operation'
import { forgetOnlyDevice, mayBeUnknownDevice, onlyDevice } from '../api/devices'
import { readStatisticsOf } from '../api/statistics'
import type { Running } from '../memory'
import { Stop } from '../stop'
import { compare } from './compare'
import { snapshotOf, type Snapshot } from './events'
import { createFollower, type Follower, type WatchOptions } from './subscription'
import { createLook, type Look } from './reader'
import { REAL_TIME, createPoller, type Clock, type Miss } from './poller'
import type { DeviceState, RouteState } from './state'

/** All watches of one device: one poller, on only while somebody watches. */
interface DeviceWatch extends Running {
  /** The device, when it is known. */
  readonly deviceId: string | undefined
  readonly isOn: boolean
  add(follower: Follower): void
  remove(follower: Follower): void
  /** Looks without waiting for the next poll. */
  lookNow(): Promise<SharedLook>
  /** All that is known. */
  snapshot(): Snapshot | undefined
  known(): Known
}

/** What the watches of a device know, and how well. */
export interface Known {
  state?: DeviceState
  /** When that was seen, Unix ms. */
  seenAt: number
  /** Why the latest look failed. */
  failure?: GatewayError
  /** It counts as unreachable. */
  unreachable: boolean
  /** Milliseconds from look to look. */
  everyMs: number
}

/** A look, and what it took. */
export interface SharedLook extends Look {
  operation: Operation
}

/** By the device that was asked for; `''` for the only one. Nobody else adds to them. */
const watchesOf = ({ memory }: Connection): Map<string, DeviceWatch> =>
  memory.watches as Map<string, DeviceWatch>

const DEFAULT_INTERVAL = 10_000
const LEAST_INTERVAL = 1000
const MOST_INTERVAL = 3_600_000
/** How long the state outlives the last watch: a deploy takes watches away and brings them back. */
const LINGER_MS = 2000

/**
 * Watches a device of the appliance until the function that it answers is called, or the gateway
 * is closed. All watches of a device share its polls (design 2.6). What is known already is reported
 * before it returns.
 * @throws GatewayError `CLOSED` when the gateway is closed
 */
export function watchDevice(
  gateway: Connection,
  options: WatchOptions,
  clock: Clock = REAL_TIME,
): () => void {
  if (gateway.leaving.stopped) throw closedError()
  const follower = createFollower(options, clock)
  watchOf(gateway, options.deviceId, clock).add(follower)
  return () => {
    follower.end()
    for (const watch of watchesOf(gateway).values()) watch.remove(follower)
  }
}

/**
 * A look at a device that all its watches share; undefined where nobody watches it.
 * @throws GatewayError as the look does
 */
export function sharedLook(
  gateway: Connection,
  deviceId: string,
): (() => Promise<SharedLook>) | undefined {
  const watch = findWatch(gateway, deviceId)
  return watch?.isOn ? () => watch.lookNow() : undefined
}

/** All that the watches of a device know now; undefined where nobody watches, or nothing is known yet. */
export function knownSnapshot(gateway: Connection, deviceId?: string): Snapshot | undefined {
  return watchFor(gateway, deviceId)?.snapshot()
}

/** What the watches of a device know now, and how well; undefined where nobody watches. */
export function knownBy(gateway: Connection, deviceId?: string): Known | undefined {
  const watch = watchFor(gateway, deviceId)
  return watch?.isOn ? watch.known() : undefined
}

/** Where no device is named, that of the only one, or else the first that is watched. */
function watchFor(gateway: Connection, deviceId: string | undefined): DeviceWatch | undefined {
  const known = watchesOf(gateway)
  const [first] = known.values()
  return deviceId === undefined ? (known.get('') ?? first) : findWatch(gateway, deviceId)
}

function findWatch(gateway: Connection, deviceId: string): DeviceWatch | undefined {
  const known = watchesOf(gateway)
  return known.get(deviceId) ?? [...known.values()].find((one) => one.deviceId === deviceId)
}

function watchOf(gateway: Connection, deviceId: string | undefined, clock: Clock): DeviceWatch {
  const known = watchesOf(gateway)
  const found = deviceId === undefined ? known.get('') : findWatch(gateway, deviceId)
  if (found) return found
  const key = deviceId ?? ''
  const watch = createDeviceWatch(gateway, deviceId, clock, () => known.delete(key))
  known.set(key, watch)
  return watch
}

function createDeviceWatch(
  gateway: Connection,
  configured: string | undefined,
  clock: Clock,
  forget: () => void,
): DeviceWatch {
  const followers = new Set<Follower>()
  const who = `watch ${configured ?? ''}`
  let deviceId = configured
  let look: ReturnType<typeof createLook> | undefined
  let state: DeviceState | undefined
  let seenAt = 0
  let suggestedMs: number | undefined
  let missed: GatewayError | undefined
  let away: Miss | undefined
  let stop = new Stop()
  /** The latest failed poll got as far as to ask. */
  let hasAsked = true
  let isMeasuring = false
  let measuredAt = -Infinity
  /** How often in a row no statistics were found. */
  let unfound = 0
  let cancelLinger: (() => void) | undefined

  const poller = createPoller<SharedLook>({
    ask,
    interval,
    onAnswer(answer) {
      const changes = state ? compare(state, answer.state) : []
      const present = answer.state
      state = present
      suggestedMs = answer.suggestedMs
      seenAt = clock.now()
      missed = undefined
      each((follower) => follower.seen(present, changes, seenAt))
      void measure(present)
    },
    onMiss(miss) {
      missed = miss.error
      each((follower) => follower.missed(miss))
    },
    onUnreachable(miss) {
      away = miss
      const { code, message } = miss.error
      gateway.outlook.trouble(who, code, `The appliance cannot be watched: ${message}`)
      each((follower) => follower.unreachable(miss))
    },
    onReachable(outage) {
      away = undefined
      gateway.outlook.fine(who)
      each((follower) => follower.reachable(outage))
    },
    // A login that is held back has waits of its own: two of them would add up.
    backsOff: () => hasAsked,
    clock,
    random: Math.random,
  })

  function interval(): number {
    const ms = gateway.pollInterval ?? suggestedMs ?? DEFAULT_INTERVAL
    return Math.min(Math.max(ms, LEAST_INTERVAL), MOST_INTERVAL)
  }

  // What one of them does wrong is not the affair of the others, nor a failed poll.
  function each(tell: (follower: Follower) => void): void {
    for (const follower of Array.from(followers)) safely(() => tell(follower))
  }

  function safely(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      gateway.log('warn', `A watch could not take what it was told: ${String(error)}`)
    }
  }

  async function ask(): Promise<SharedLook> {
    const operation = newOperation('watch', stop).under({ brief: true })
    try {
      const id = deviceId ?? (await findDevice(operation))
      look ??= createLook(gateway, id, clock)
      return { ...(await look(operation, state)), operation }
    } catch (error) {
      hasAsked = operation.requests > 0
      if (!configured && mayBeUnknownDevice(error)) {
        // The only device may be another one now.
        forgetOnlyDevice(gateway)
        deviceId = undefined
      }
      throw error
    }
  }

  async function findDevice(operation: Operation): Promise<string> {
    const id = await onlyDevice(gateway, operation)
    const other = findWatch(gateway, id)
    if (other && other !== watch) {
      handOver(other)
      throw closedError()
    }
    if (state?.id !== id) {
      state = undefined
      look = undefined
    }
    deviceId = id
    // The only device is another one now: those that named the former go on with that.
    for (const follower of followers) {
      if (follower.deviceId === undefined || follower.deviceId === id) continue
      followers.delete(follower)
      watchOf(gateway, follower.deviceId, clock).add(follower)
    }
    return id
  }

  function handOver(other: DeviceWatch): void {
    for (const follower of followers) {
      followers.delete(follower)
      other.add(follower)
    }
    gateway.outlook.fine(who)
    end()
  }

  /** Reads the statistics that anybody has set limits on. A reading that takes long leaves the next one out. */
  async function measure(present: DeviceState): Promise<void> {
    const wanted = new Map<string, RouteState>()
    for (const follower of followers) {
      for (const route of follower.measures(present)) wanted.set(route.id, route)
    }
    const isDue = clock.now() - measuredAt > 0.8 * interval()
    if (isMeasuring || !isDue || wanted.size === 0) return
    isMeasuring = true
    measuredAt = clock.now()
    const operation = newOperation('watch', stop).under({ brief: true })
    try {
      const routes = [...wanted.values()]
      const statistics = await readStatisticsOf(gateway, present.id, routes, operation)
      const at = clock.now()
      unfound = 0
      each((follower) => follower.measured(statistics, at))
    } catch (error) {
      if (!(error instanceof GatewayError)) return
      // Routes that went away meanwhile are not found either.
      if (error.code === 'NOT_FOUND' && ++unfound < 3) return
      each((follower) => follower.failed(error))
    } finally {
      isMeasuring = false
    }
  }

  function begin(): void {
    cancelLinger?.()
    cancelLinger = undefined
    stop = new Stop()
    poller.start()
  }

  function pause(): void {
    stop.now()
    poller.stop()
    cancelLinger = clock.after(LINGER_MS, end)
  }

  function end(): void {
    stop.now()
    poller.stop()
    cancelLinger?.()
    forget()
    gateway.outlook.forget(who)
  }

  const watch: DeviceWatch = {
    get deviceId() {
      return deviceId
    },
    get isOn() {
      return followers.size > 0
    },
    add(follower) {
      if (followers.size === 0) begin()
      followers.add(follower)
      safely(() => follower.begin({ state, seenAt, away }))
    },
    remove(follower) {
      if (followers.delete(follower) && followers.size === 0) pause()
    },
    lookNow: () => poller.askNow(),
    snapshot: () => state && snapshotOf(state, clock.unix(seenAt), () => true),
    end,
    known: () => ({
      state,
      seenAt: clock.unix(seenAt),
      failure: missed,
      unreachable: away !== undefined,
      everyMs: interval(),
    }),
  }
  return watch
}
