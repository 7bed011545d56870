import { GatewayError, closedError } from '../errors'
import type { Connection } from '../connection/connection'
import { newOperation, type Operation } from '../connection/operation'
import { forgetOnlyDevice, mayBeUnknownDevice, onlyDevice } from '../api/devices'
import { readStatisticsOf } from '../api/statistics'
import { setLatest, type Running } from '../memory'
import { Stop, untilStopped } from '../stop'
import { compare } from './compare'
import { snapshotOf, type Snapshot, type Wordless } from './events'
import { figuresOf, type Figures } from './figures'
import {
  asKnownHere,
  forgetHandedOver,
  handedOver,
  lacksHandedOver,
  type HandedOver,
} from './handover'
import { createSubscription, type Subscription, type WatchOptions } from './subscription'
import { shownOpen, type Open, type ShownOpen } from './open'
import { createReader, type Reading } from './reader'
import { createPace } from './pace'
import { REAL_TIME, createPoller, type Clock, type Miss } from './poller'
import type { DeviceState, RouteState } from './state'

/** All watches of one device subscribe to one poller, which runs only while there are any. */
interface DeviceWatch extends Running {
  /** The device, when it is known. */
  readonly deviceId: string | undefined
  readonly isOn: boolean
  add(subscription: Subscription): void
  remove(subscription: Subscription): void
  /** Polls now. */
  lookNow(): Promise<SharedReading>
  /** All that is known of the device. */
  snapshot(): Wordless<Snapshot> | undefined
  /** What its watches have reported as begun and not as ended, by their settings. */
  open(): Iterable<[string, Open | undefined]>
  /** The same of watches that are not here, or no longer. */
  leftOpen(): Iterable<[string, Open]>
  /** Tells the watches that all have been told. */
  settle(): void
  known(): Known
}

/** What the watches of a device know, and how current it is. */
export interface Known {
  state?: DeviceState
  /** What it carries. They change in place with the next poll. */
  figures?: Figures
  /** When that was seen, Unix ms. */
  seenAt: number
  /** Why the latest poll failed. */
  failure?: GatewayError
  /** The appliance counts as unreachable. */
  unreachable: boolean
  /** Milliseconds from poll to poll. */
  everyMs: number
  /** How long the latest successful poll took, in ms. */
  lookMs: number
}

/** The part of the interval by which a poll may be late, and the ms that a response may take. */
const LATE = 0.05
const RESPONSE_MS = 5000

/**
 * Whether what is known may no longer be true: the latest poll failed, or one that was due has got
 * no response yet.
 * @param now Unix ms
 */
export function isOld({ seenAt, failure, everyMs, lookMs }: Known, now: number): boolean {
  const most = everyMs * (1 + LATE) + Math.max(RESPONSE_MS, 2 * lookMs)
  return failure !== undefined || now - seenAt > most
}

/** What a watch that is not here has reported as begun. */
interface Left {
  open: Open
  /** By a watch of another process. */
  isFormer: boolean
  /** When a poll first succeeded with it, by the clock. */
  seenAt?: number
}

/** A reading, and the operation that made it. */
export interface SharedReading extends Reading {
  operation: Operation
}

/** By the configured device; `''` for the only one. Only this file adds to them. */
const watchesOf = ({ memory }: Connection): Map<string, DeviceWatch> =>
  memory.watches as Map<string, DeviceWatch>

const DEFAULT_INTERVAL = 10_000
const LEAST_INTERVAL = 1000
const MOST_INTERVAL = 3_600_000
/** How long the state outlives the last watch: a deploy takes watches away and brings them back. */
const LINGER_MS = 2000
/** Of what watches that are not here, or no longer, have reported as begun. */
const MOST_LEFT = 20
/**
 * How long that is kept while the device can be read: what no watch goes on with by then belongs to
 * none, and nobody would ever end it.
 */
const LEFT_MS = 60_000
/**
 * The first polls of all gateways of the process. Those of a whole fleet would log in, and read all
 * that there is, at one moment: memory that the process never needs again. A first poll with its
 * login takes about 10 ms of CPU, which leaves room for the polls of those that are watched already.
 */
const firstWait = createPace({ atOnce: 20, everyMs: 15 })

/**
 * Watches a device of the appliance until the returned function is called or the gateway is closed.
 * All watches of a device share its polls (design 2.6). What is known already is reported before it
 * returns.
 * @throws GatewayError `CLOSED` when the gateway is closed
 */
export function watchDevice(
  gateway: Connection,
  options: WatchOptions,
  clock: Clock = REAL_TIME,
): () => void {
  if (gateway.closing.stopped) throw closedError()
  const subscription = createSubscription(options, clock, gateway.identity.name, () => {
    for (const watch of watchesOf(gateway).values()) watch.settle()
  })
  watchOf(gateway, options.deviceId, clock).add(subscription)
  return () => {
    subscription.end()
    for (const watch of watchesOf(gateway).values()) watch.remove(subscription)
  }
}

/**
 * Polls a device for all its watches; undefined where it has none.
 * @throws GatewayError when the poll fails
 */
export function pollNow(
  gateway: Connection,
  deviceId: string,
): (() => Promise<SharedReading>) | undefined {
  const watch = findWatch(gateway, deviceId)
  return watch?.isOn ? () => watch.lookNow() : undefined
}

/** What the watches of a device know now; undefined without watches, or while nothing is known. */
export function knownSnapshot(
  gateway: Connection,
  deviceId?: string,
): Wordless<Snapshot> | undefined {
  return watchFor(gateway, deviceId)?.snapshot()
}

/** What the watches of a device know now, and how current it is; undefined without watches. */
export function knownBy(gateway: Connection, deviceId?: string): Known | undefined {
  const watch = watchFor(gateway, deviceId)
  return watch?.isOn ? watch.known() : undefined
}

/**
 * What the watches have reported as begun and not yet as ended, by their settings: plain data, which
 * the watches of another process can go on with. Undefined while what was handed over to this process
 * cannot be had: there may be more.
 */
export function openBy(gateway: Connection): Record<string, ShownOpen> | undefined {
  if (lacksHandedOver(gateway)) return undefined
  const watches = [...watchesOf(gateway).values()]
  const found = new Map<string, Open | undefined>()
  for (const watch of watches) {
    for (const [settings, open] of watch.open()) found.set(settings, open ?? found.get(settings))
  }
  for (const watch of watches) {
    for (const [settings, open] of watch.leftOpen()) {
      if (!found.has(settings)) found.set(settings, open)
    }
  }
  const shown: Record<string, ShownOpen> = {}
  for (const [settings, open] of found) if (open) shown[settings] = shownOpen(open)
  return shown
}

/** Without a device ID, the watch of the only device, or else the first watch. */
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
  const subscriptions = new Set<Subscription>()
  const who = `watch ${configured ?? ''}`
  let deviceId = configured
  let read: ReturnType<typeof createReader> | undefined
  let state: DeviceState | undefined
  /** Until something is known here. */
  let former: HandedOver | undefined
  let hasResumed = false
  /** By the settings: what watches that are not here, or no longer, have reported as begun. */
  const left = new Map<string, Left>()
  let figures: Figures | undefined
  let seenAt = 0
  let lookMs = 0
  let suggestedMs: number | undefined
  let missed: GatewayError | undefined
  let away: Miss | undefined
  let stop = new Stop()
  /** The latest failed poll sent a request. */
  let hasAsked = true
  let isMeasuring = false
  let measuredAt = -Infinity
  /** How many times in a row no statistics were found. */
  let unfound = 0
  let cancelLinger: (() => void) | undefined

  const poller = createPoller<SharedReading>({
    ask,
    interval,
    onAnswer(answer) {
      const present = answer.state
      const before = state ?? takeOver(present)
      const changes = before ? compare(before, present) : []
      const carried = figuresOf(present, answer.sent, figures)
      state = present
      figures = carried
      suggestedMs = answer.suggestedMs
      seenAt = clock.now()
      missed = undefined
      for (const one of left.values()) one.seenAt ??= seenAt
      dropLeft()
      each((subscription) => subscription.seen(present, changes, seenAt, carried))
      settle()
      void measure(present)
    },
    formerOutage: resume,
    onMiss(miss) {
      missed = miss.error
      each((subscription) => subscription.missed(miss))
      settle()
    },
    onUnreachable(miss) {
      away = miss
      const { code, message } = miss.error
      gateway.outages.failed(who, code, `The gateway cannot be watched: ${message}`)
      each((subscription) => subscription.unreachable(miss))
      settle()
    },
    onReachable() {
      away = undefined
      gateway.outages.recovered(who)
      each((subscription) => subscription.reachable())
    },
    // A login that is held back has its own waits: both together would add up.
    backsOff: () => hasAsked,
    firstWait,
    clock,
    random: Math.random,
  })

  function interval(): number {
    const ms = gateway.pollInterval ?? suggestedMs ?? DEFAULT_INTERVAL
    return Math.min(Math.max(ms, LEAST_INTERVAL), MOST_INTERVAL)
  }

  // One subscriber's exception must not affect the others or count as a failed poll.
  function each(tell: (subscription: Subscription) => void): void {
    for (const subscription of Array.from(subscriptions)) safely(() => tell(subscription))
  }

  function settle(): void {
    each((subscription) => subscription.settled())
  }

  function safely(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      gateway.log('warn', `A watch failed on what it was given: ${String(error)}`)
    }
  }

  async function ask(): Promise<SharedReading> {
    if (lacksHandedOver(gateway)) void resumeLate()
    else {
      const given = state ? undefined : handedOver(gateway)
      if (given) former = await untilStopped(given, stop, closedError)
    }
    const operation = newOperation('watch', stop).under({ brief: true })
    try {
      const id = deviceId ?? (await findDevice(operation))
      read ??= createReader(gateway, id, clock)
      const begun = clock.now()
      const reading = await read(operation, state ?? formerOf(id))
      count(clock.now() - begun)
      return Object.assign(reading, { operation })
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

  const formerOf = (id: string): DeviceState | undefined =>
    former?.seen?.state.id === id ? former.seen.state : undefined

  /** Lets the watches begin with what another process has seen of the device. */
  function takeOver(present: DeviceState): DeviceState | undefined {
    resume()
    const { seen, open } = former ?? {}
    if (!open || (seen && seen.state.id !== present.id)) return undefined
    former = undefined
    forgetHandedOver(gateway)
    if (!seen) return undefined
    const before = asKnownHere(seen.state, present)
    const at = fromUnix(seen.at)
    each((subscription) => {
      const told = open.size > 0 ? open.get(subscription.settings)?.told : undefined
      const isSameDevice = told?.id === present.id
      subscription.takeOver(isSameDevice ? asKnownHere(told, present) : before, at)
    })
    return before
  }

  /**
   * Lets the watches go on, once, with what those of another process have reported as begun.
   * @returns since when the appliance was unreachable there, by the clock
   */
  function resume(): number | undefined {
    if (!former || hasResumed) return undefined
    hasResumed = true
    for (const [settings, one] of former.open) leave(settings, one, true)
    let since: number | undefined
    for (const subscription of subscriptions) {
      const { unreachableSince: at } = claim(subscription) ?? {}
      if (at !== undefined) since = Math.min(since ?? clock.now(), fromUnix(at))
    }
    return since
  }

  /** Goes on with what could not be had at first. The polls do not wait for it a second time. */
  async function resumeLate(): Promise<void> {
    const present = stop
    const late = await handedOver(gateway)
    if (!late || present.stopped || hasResumed) return
    former = late
    resume()
    if (state) {
      // Watches have begun with what is known here.
      former = undefined
      forgetHandedOver(gateway)
    }
    settle()
  }

  /**
   * What was reported by a watch with the same settings, in another process, is taken over by all with
   * these settings: a flow may have several, which begin one after the other.
   */
  function claim(subscription: Subscription): Open | undefined {
    dropLeft()
    if (left.size === 0) return undefined
    const { settings } = subscription
    const { open, isFormer } = left.get(settings) ?? {}
    if (!isFormer) left.delete(settings)
    if (!open || !isFormer) return undefined
    const device = former?.seen?.state
    const isOfIt = subscription.deviceId === undefined || subscription.deviceId === device?.id
    subscription.resume(open, isOfIt ? device : undefined)
    return open
  }

  function leave(settings: string, open: Open, isFormer: boolean): void {
    setLatest(left, settings, { open, isFormer }, MOST_LEFT)
  }

  function dropLeft(): void {
    const now = clock.now()
    for (const [settings, { seenAt: at = now }] of left) {
      if (now - at >= LEFT_MS) left.delete(settings)
    }
  }

  const fromUnix = (at: number): number => clock.now() + at - clock.unix(clock.now())

  function count(ms: number): void {
    const { looks } = gateway.counters
    lookMs = ms
    looks.count++
    looks.seconds += ms / 1000
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
      read = undefined
    }
    deviceId = id
    // The only device is another one now: watches that named the former one stay with it.
    for (const subscription of subscriptions) {
      if (subscription.deviceId === undefined || subscription.deviceId === id) continue
      subscriptions.delete(subscription)
      watchOf(gateway, subscription.deviceId, clock).add(subscription)
    }
    return id
  }

  function handOver(other: DeviceWatch): void {
    for (const subscription of subscriptions) {
      subscriptions.delete(subscription)
      other.add(subscription)
    }
    gateway.outages.recovered(who)
    end()
  }

  /** Reads the statistics that any watch needs for its limits. A slow reading skips the next one. */
  async function measure(present: DeviceState): Promise<void> {
    const wanted = new Map<string, RouteState>()
    for (const subscription of subscriptions) {
      for (const route of subscription.measures()) wanted.set(route.id, route)
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
      each((subscription) => subscription.measured(statistics, at))
      settle()
    } catch (error) {
      if (!(error instanceof GatewayError)) return
      // Routes that have gone meanwhile are not found either.
      if (error.code === 'NOT_FOUND' && ++unfound < 3) return
      each((subscription) => subscription.failed(error))
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
    gateway.outages.remove(who)
  }

  const watch: DeviceWatch = {
    get deviceId() {
      return deviceId
    },
    get isOn() {
      return subscriptions.size > 0
    },
    add(subscription) {
      if (subscriptions.size === 0) begin()
      subscriptions.add(subscription)
      claim(subscription)
      safely(() => subscription.begin({ state, figures, seenAt, away }))
      safely(() => subscription.settled())
    },
    remove(subscription) {
      if (!subscriptions.delete(subscription)) return
      // What it has reported is still open where another process takes over.
      const open = gateway.handedOver && subscription.open()
      if (open) leave(subscription.settings, open, false)
      // What it went on with has ended: it does not begin again with the next deploy.
      else if (left.size > 0) left.delete(subscription.settings)
      if (subscriptions.size === 0) pause()
    },
    lookNow: () => poller.askNow(),
    settle,
    *open() {
      for (const subscription of subscriptions) yield [subscription.settings, subscription.open()]
    },
    *leftOpen() {
      dropLeft()
      for (const [settings, { open }] of left) yield [settings, open]
    },
    snapshot: () => state && snapshotOf(state, clock.unix(seenAt), () => true, figures),
    end,
    known: () => ({
      state,
      figures,
      seenAt: clock.unix(seenAt),
      failure: missed,
      unreachable: away !== undefined,
      everyMs: interval(),
      lookMs,
    }),
  }
  return watch
}
