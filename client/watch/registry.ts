import { GatewayError, closedError, thrownAs } from '../errors'
import type { Connection } from '../connection/connection'
import { newOperation, type Operation } from '../connection/operation'
import { forgetOnlyDevice, mayBeUnknownDevice, onlyDevice } from '../api/devices'
import { readStatisticsOf } from '../api/statistics'
import type { Running } from '../memory'
import { Stop, untilStopped } from '../stop'
import type { PresentCaller } from './measuring/callers'
import { compare, type Change } from './report/compare'
import type { Snapshot, Wordless } from '../model/event'
import { snapshotOf } from './report/events'
import { figuresOf, type Figures } from './measuring/figures'
import {
  dropOld,
  newSaved,
  openIn,
  saveWatch,
  storeOf,
  takeWatch,
  type Open,
  type Saved,
  type SavedDevice,
} from './saved'
import { createSubscription, type Subscription, type WatchOptions } from './report/subscription'
import { createReader, type Reading } from './life/reader'
import { createPace } from './life/stagger'
import { REAL_TIME, type UnixClock } from '../clock'
import { createPoller, type Miss } from '../poller'
import type { DeviceState, RouteState } from './state'

/** All watches of one device subscribe to one poller, which runs only while there are any. */
interface DeviceWatch extends Running {
  /** The ID of the device, when it is known. */
  deviceId(): string | undefined
  isOn(): boolean
  add(subscription: Subscription): void
  remove(subscription: Subscription): void
  /** Polls now. */
  lookNow(): Promise<SharedReading>
  /** All that is known of the device. */
  snapshot(): Wordless<Snapshot> | undefined
  /** Saves what the device and its watches are, into what later ones go on with. */
  save(into: Saved): void
  /** Tells the watches that all have been told. */
  settle(): void
  known(): Known
}

/** What the watches of a device know, and how current it is. */
export interface Known {
  state?: DeviceState
  /** What it carries. They change in place with the next poll. */
  figures?: Figures
  /** Who is connected, where a watch follows that. */
  callers?: PresentCaller[]
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
/**
 * The first polls of all gateways of the process. Those of a whole fleet would log in, and read all
 * that there is, at one moment: memory that the process never needs again. A first poll with its
 * login takes about 10 ms of CPU, which leaves room for the polls of those that are watched already.
 */
const firstWait = createPace({ atOnce: 20, everyMs: 15 })

/**
 * Watches a device of the appliance until the returned function is called or the gateway is closed.
 * All watches of a device share its polls. What is known already is reported before it
 * returns.
 * @returns ends it; with `removed`, incidents that are open end first, as of what has left
 * @throws GatewayError `CLOSED` when the gateway is closed
 */
export function watchDevice(
  gateway: Connection,
  options: WatchOptions,
  clock: UnixClock = REAL_TIME,
): (how?: 'removed') => void {
  if (gateway.closing.stopped) throw closedError()
  const settle = (): void => {
    for (const watch of watchesOf(gateway).values()) watch.settle()
  }
  const { name } = gateway.identity
  const subscription = createSubscription(options, clock, name, settle, gateway.callers)
  watchOf(gateway, options.deviceId, clock).add(subscription)
  return (how) => {
    if (how === 'removed') subscription.removed()
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
  return watch?.isOn() ? () => watch.lookNow() : undefined
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
  return watch?.isOn() ? watch.known() : undefined
}

/**
 * Saves what the watches know and have reported, those of now and those that have ended lately: the
 * watches of another connection to the same appliance go on with it.
 */
export function savedBy(gateway: Connection): Saved {
  const { devices, watches } = storeOf(gateway)
  const saved = { devices: new Map(devices), watches: new Map(watches) }
  for (const watch of watchesOf(gateway).values()) watch.save(saved)
  return saved
}

/**
 * What the watches have reported as begun and not yet as ended, by their settings: plain data, which
 * the watches of another process can go on with. Undefined while what another process has saved cannot
 * be had: there may be more.
 */
export function openBy(gateway: Connection): Record<string, Open> | undefined {
  const store = storeOf(gateway)
  if (!store.isComplete) return undefined
  const present = newSaved()
  for (const watch of watchesOf(gateway).values()) watch.save(present)
  // What one that has ended lately left open, an equal one may have reported as ended since.
  const left = store.watches.size > 0 ? openIn(savedBy(gateway), present) : {}
  return { ...left, ...openIn(present) }
}

/** Without a device ID, the watch of the only device, or else the first watch. */
function watchFor(gateway: Connection, deviceId: string | undefined): DeviceWatch | undefined {
  const known = watchesOf(gateway)
  const [first] = known.values()
  return deviceId === undefined ? (known.get('') ?? first) : findWatch(gateway, deviceId)
}

function findWatch(gateway: Connection, deviceId: string): DeviceWatch | undefined {
  const known = watchesOf(gateway)
  return known.get(deviceId) ?? [...known.values()].find((one) => one.deviceId() === deviceId)
}

function watchOf(gateway: Connection, deviceId: string | undefined, clock: UnixClock): DeviceWatch {
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
  clock: UnixClock,
  forget: () => void,
): DeviceWatch {
  const subscriptions = new Set<Subscription>()
  const who = `watch ${configured ?? ''}`
  let deviceId = configured
  let read: ReturnType<typeof createReader> | undefined
  let state: DeviceState | undefined
  const store = storeOf(gateway)
  /** What was saved of it, until something is known here. */
  let saved = savedDevices()
  /** Its watches have what was saved, also by another process. */
  let isRestored = false
  /** Since when it is unreachable by what was saved, by the clock; until something is known here. */
  let awaySince: number | undefined
  let figures: Figures | undefined
  let seenAt = 0
  let lookMs = 0
  let suggestedMs: number | undefined
  let missed: GatewayError | undefined
  let away: Miss | undefined
  const stop = new Stop()
  /** The latest failed poll sent a request. */
  let hasAsked = true
  let isMeasuring = false
  let measuredAt = -Infinity
  /** How many times in a row no statistics were found. */
  let unfound = 0

  const poller = createPoller<SharedReading>({
    ask,
    interval,
    onAnswer(answer) {
      const present = answer.state
      const carried = figuresOf(present, answer.sent, figures)
      const before = state ?? takeOver(present, carried)
      const changes = before && wantsChanges() ? compare(before, present) : NO_CHANGES
      state = present
      saved = NONE_SAVED
      awaySince = undefined
      store.devices.delete(present.id)
      figures = carried
      suggestedMs = answer.suggestedMs
      seenAt = clock.now()
      missed = undefined
      for (const one of store.watches.values()) one.savedAt ??= seenAt
      dropOld(store, seenAt)
      each((subscription) => subscription.seen(present, changes, seenAt, carried))
      settle()
      void measure(present)
    },
    formerOutage: () => awaySince,
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

  function wantsChanges(): boolean {
    for (const one of subscriptions) if (one.wantsChanges) return true
    return false
  }

  // One subscriber's exception must not affect the others or count as a failed poll.
  function each(tell: (subscription: Subscription) => void): void {
    for (const subscription of Array.from(subscriptions)) {
      if (subscriptions.has(subscription)) safely(() => tell(subscription))
    }
  }

  function settle(): void {
    each((subscription) => subscription.settled())
    gateway.onWatched?.()
  }

  function safely(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      gateway.log('warn', `A watch failed on what it was given: ${thrownAs(error)}`)
    }
  }

  async function ask(): Promise<SharedReading> {
    if (!store.isComplete) void restoreLate()
    else if (!isRestored) {
      const fetching = store.fetch()
      if (fetching) await untilStopped(fetching, stop, closedError)
      restoreAll()
    }
    const operation = newOperation('watch', stop).under({ brief: true })
    try {
      const id = deviceId ?? (await findDevice(operation))
      read ??= createReader(gateway, id, clock)
      const begun = clock.now()
      const reading = await read(operation, state ?? saved.get(id)?.state)
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

  /** What was saved of the devices that it may watch. */
  function savedDevices(): ReadonlyMap<string, SavedDevice> {
    dropOld(store, clock.now())
    const { devices } = store
    return new Map([...devices].filter(([id]) => configured === undefined || id === configured))
  }

  /** Lets the watches begin with what was saved of the device. */
  function takeOver(present: DeviceState, carried: Figures): DeviceState | undefined {
    const known = saved.get(present.id)
    if (!known) return undefined
    each((subscription) => {
      subscription.takeOver(known.state, present, fromUnix(known.at), carried)
    })
    return known.state
  }

  /** Lets a watch go on with what one with the same settings has saved. */
  function restore(subscription: Subscription): void {
    // What its owner has kept is no older than what was saved here.
    const isGiven = subscription.isGiven && !store.isForeign
    if (!subscription.isRestored()) {
      dropOld(store, clock.now())
      // Taken in any case: left there, it would later count as what this watch has open.
      const watch = takeWatch(store, subscription.key())
      const [known] = saved.values()
      if (watch && !isGiven) subscription.restore(watch, saved.size === 1 ? known?.state : state)
    }
    const at = subscription.restoredOutage()
    if (at === undefined || state) return
    awaySince = Math.min(awaySince ?? clock.now(), fromUnix(at))
  }

  function restoreAll(): void {
    if (!store.isComplete) return
    isRestored = true
    if (!state) saved = new Map([...saved, ...savedDevices()])
    for (const subscription of subscriptions) restore(subscription)
  }

  /** Goes on with what could not be had at first. The polls do not wait for it a second time. */
  async function restoreLate(): Promise<void> {
    await store.fetch()
    if (stop.stopped || isRestored) return
    restoreAll()
    settle()
  }

  const fromUnix = (at: number): number => clock.now() + at - clock.unix(clock.now())

  function count(ms: number): void {
    const { polls } = gateway.counters
    lookMs = ms
    polls.count++
    polls.seconds += ms / 1000
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

  /** Reads the statistics that any watch needs for its limits and callers. A slow reading skips the next one. */
  async function measure(present: DeviceState): Promise<void> {
    const wanted = new Map<string, RouteState>()
    const isDue = clock.now() - measuredAt > 0.8 * interval()
    for (const subscription of subscriptions) {
      for (const route of subscription.measures(isDue)) wanted.set(route.id, route)
    }
    if (isMeasuring || wanted.size === 0) return
    isMeasuring = true
    if (isDue) measuredAt = clock.now()
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

  function save(into: Saved): void {
    const savedAt = clock.now()
    dropOld(into, savedAt)
    for (const [id, one] of saved) into.devices.set(id, { ...one, savedAt })
    if (state) into.devices.set(state.id, { state, at: clock.unix(seenAt), savedAt })
    for (const one of subscriptions) saveOne(one, into)
  }

  /** One that still waits for what another process has saved leaves that to the next. */
  function saveOne(subscription: Subscription, into: Saved): void {
    if (store.isForeign && store.isComplete && !isRestored) return
    saveWatch(into, subscription.key(), subscription.save(), clock.now())
  }

  function end(): void {
    save(store)
    for (const subscription of subscriptions) subscription.end()
    subscriptions.clear()
    stop.now()
    poller.stop()
    forget()
    gateway.outages.remove(who)
  }

  // No getters: V8 keeps an object with any in a table, of four times its size.
  const watch: DeviceWatch = {
    deviceId: () => deviceId,
    isOn: () => subscriptions.size > 0,
    add(subscription) {
      subscriptions.add(subscription)
      poller.start()
      restore(subscription)
      safely(() => subscription.begin({ state, figures, seenAt, away }))
      safely(() => subscription.settled())
    },
    remove(subscription) {
      if (!subscriptions.has(subscription)) return
      if (subscriptions.size === 1) return end()
      saveOne(subscription, store)
      subscriptions.delete(subscription)
    },
    lookNow: () => poller.askNow(),
    settle,
    save,
    snapshot: () => state && snapshotOf(state, clock.unix(seenAt), () => true, figures),
    end,
    known: () => ({
      state,
      figures,
      callers: mostOf([...subscriptions].map((one) => one.callers?.())),
      seenAt: clock.unix(seenAt),
      failure: missed,
      unreachable: away !== undefined,
      everyMs: interval(),
      lookMs,
    }),
  }
  return watch
}

/** Watches may follow some routes only. */
const mostOf = (lists: Array<PresentCaller[] | undefined>): PresentCaller[] | undefined =>
  lists.reduce((most, one) => ((one?.length ?? -1) > (most?.length ?? -1) ? one : most), undefined)

const NO_CHANGES: readonly Change[] = []
const NONE_SAVED: ReadonlyMap<string, SavedDevice> = new Map()
