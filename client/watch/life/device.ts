import { forgetOnlyDevice, mayBeUnknownDevice, onlyDevice } from '../../api/devices'
import { RESPONSE_MS, createSilence, fromUnix, type UnixClock } from '../../clock'
import type { Connection } from '../../connection/connection'
import { Operation } from '../../connection/operation'
import { asGatewayError, GatewayError, closedError, say, thrownAs } from '../../errors'
import type { Running } from '../../memory'
import { createPoller, type Miss } from '../../poller'
import { Stop } from '../../stop'
import type { Callers } from '../measuring/callers'
import { figuresOf, type Figures } from '../measuring/figures'
import { createStatisticsReader } from '../measuring/statistics'
import type { Subscription } from '../report/subscription'
import { storeOf, type Saved } from '../saved'
import type { DeviceState, RouteState } from '../state'
import { createReader, type Reading } from './reader'
import { createRestoring } from './restoring'
import { createPace } from './stagger'

/** A device that is polled for all its watches, for as long as there are any. */
export interface WatchedDevice extends Running {
  id(): string | undefined
  add(subscription: Subscription): void
  remove(subscription: Subscription): void
  pollNow(): Promise<SharedReading>
  known(): Known
  /** Saves what it and its watches are, into what later ones go on with. */
  save(into: Saved): void
  settle(): void
}

/** What the watches of a device know, and how current it is. */
export interface Known {
  state?: DeviceState
  /** What it carries. They change in place with the next poll. */
  figures?: Figures
  /** Who is connected, of each watch that follows that. */
  callers: readonly Callers[]
  /** When that was seen, Unix ms. */
  seenAt: number
  failure?: GatewayError
  unreachable: boolean
  /** By then, the next poll has its response, Unix ms. */
  dueBy: number
}

/** The part of the interval by which a poll may be late. */
const LATE = 0.05

/** The latest poll failed, or one that was due has got no response yet. @param now Unix ms */
export const isOld = ({ failure, dueBy }: Known, now: number): boolean =>
  failure !== undefined || now > dueBy

export interface SharedReading extends Reading {
  operation: Operation
}

interface Others {
  find(id: string): WatchedDevice | undefined
  /** The one with this ID, which may be new. */
  deviceFor(id: string): WatchedDevice
  /** This device is watched no more. */
  forget(): void
}

const DEFAULT_INTERVAL = 10_000
const LEAST_INTERVAL = 1000
const MOST_INTERVAL = 3_600_000
/**
 * Of all gateways of the process: a fleet would log in and read at one moment, which takes memory that is
 * never needed again. A first poll takes 10 ms of CPU; others have room beside it.
 */
const firstWait = createPace({ atOnce: 20, everyMs: 15 })

/** @param configured its ID; undefined for the only one */
export function watchedDevice(
  gateway: Connection,
  configured: string | undefined,
  clock: UnixClock,
  others: Others,
): WatchedDevice {
  const subscriptions = new Set<Subscription>()
  const who = `watch ${configured ?? ''}`
  const stop = new Stop()
  const store = storeOf(gateway)
  let deviceId = configured
  let read: ReturnType<typeof createReader> | undefined
  let state: DeviceState | undefined
  let figures: Figures | undefined
  let seenAt = 0
  /** How long the latest successful poll took, in ms. */
  let lookMs = 0
  let suggestedMs: number | undefined
  let missed: GatewayError | undefined
  let away: Miss | undefined
  /** The poll that is due has no response yet. */
  let overdue: Miss | undefined
  /** The latest failed poll sent a request. */
  let hasAsked = true

  const restoring = createRestoring({
    store,
    configured,
    clock,
    stop,
    subscriptions,
    state: () => state,
    settle,
  })
  const readStatistics = createStatisticsReader(gateway, { clock, interval, stop })
  const poller = createPoller<SharedReading>({
    ask,
    interval,
    onAnswer,
    formerOutage: () => restoring.formerOutage(),
    onMiss(miss) {
      silence.end()
      overdue = undefined
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

  /** A poll that fails at last may take as long as the timeout of the gateway: until then it is overdue. */
  const silence = createSilence(clock, () => {
    const time = Math.floor((dueIn() - interval()) / 1000)
    const late = new GatewayError('TIMEOUT', say('noResponseInTime', { time }))
    const error = asGatewayError(late, { name: 'watch' }, gateway.identity)
    const miss = { error, since: seenAt + interval() }
    overdue = miss
    each((subscription) => subscription.overdue(miss))
    settle()
  })

  function interval(): number {
    const ms = gateway.pollInterval ?? suggestedMs ?? DEFAULT_INTERVAL
    return Math.min(Math.max(ms, LEAST_INTERVAL), MOST_INTERVAL)
  }

  /** In how many ms after the latest response the next one is there. */
  const dueIn = (): number => interval() * (1 + LATE) + Math.max(RESPONSE_MS, 2 * lookMs)

  async function ask(): Promise<SharedReading> {
    const waiting = restoring.beforePoll()
    if (waiting) await waiting
    const operation = new Operation('watch', { stop, brief: true })
    try {
      const id = deviceId ?? (await findDevice(operation))
      read ??= createReader(gateway, id, clock)
      const begun = clock.now()
      const reading = await read(operation, state ?? restoring.device(id)?.state)
      lookMs = clock.now() - begun
      const { polls } = gateway.counters
      polls.count++
      polls.seconds += lookMs / 1000
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

  function onAnswer(reading: SharedReading): void {
    const { state: now, sent } = reading
    const carried = figuresOf(now, sent, figures)
    if (!state) takeOver(now, carried)
    state = now
    figures = carried
    suggestedMs = reading.suggestedMs
    seenAt = clock.now()
    missed = undefined
    restoring.polled(seenAt)
    overdue = undefined
    if (!stop.stopped) silence.expect(dueIn() + 1)
    each((subscription) => subscription.seen(now, seenAt, carried))
    settle()
    void measure(now)
  }

  function takeOver(now: DeviceState, carried: Figures): void {
    const saved = restoring.device(now.id)
    if (!saved) return
    const at = fromUnix(clock, saved.at)
    each((subscription) => subscription.takeOver(saved.state, now, at, carried))
  }

  async function measure(now: DeviceState): Promise<void> {
    try {
      const statistics = await readStatistics(now.id, wantedStatistics)
      if (!statistics) return
      const at = clock.now()
      each((subscription) => subscription.measured(statistics, at))
      settle()
    } catch (error) {
      if (error instanceof GatewayError) each((subscription) => subscription.failed(error))
    }
  }

  function wantedStatistics(isDue: boolean): ReadonlyMap<string, RouteState> {
    const wanted = new Map<string, RouteState>()
    for (const subscription of subscriptions) {
      for (const route of subscription.measures(isDue)) wanted.set(route.id, route)
    }
    return wanted
  }

  // One subscriber's exception must not affect the others or count as a failed poll.
  function each(tell: (subscription: Subscription) => void): void {
    for (const subscription of Array.from(subscriptions)) {
      if (subscriptions.has(subscription)) safely(() => tell(subscription))
    }
  }

  function safely(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      gateway.log('warn', `A watch failed on what it was given: ${thrownAs(error)}`)
    }
  }

  function settle(): void {
    safely(() => gateway.onWatched?.())
  }

  async function findDevice(operation: Operation): Promise<string> {
    const id = await onlyDevice(gateway, operation)
    // Another caller may have asked, whom the end of this device does not stop.
    if (stop.stopped) throw closedError()
    const present = others.find(id) ?? device
    // The only device is another one now: watches that named the former one stay with it.
    for (const subscription of subscriptions) {
      const { deviceId: named = id } = subscription
      const its = named === id ? present : others.deviceFor(named)
      if (its === device) continue
      subscriptions.delete(subscription)
      its.add(subscription)
    }
    if (subscriptions.size === 0) {
      gateway.outages.recovered(who)
      end()
      throw closedError()
    }
    if (state?.id !== id) {
      state = undefined
      read = undefined
    }
    deviceId = id
    return id
  }

  function save(into: Saved): void {
    restoring.save(into, state && { state, at: clock.unix(seenAt) }, poller.missed())
  }

  /** Once: another device may have taken its place since. */
  function end(): void {
    if (stop.stopped) return
    save(store)
    for (const subscription of subscriptions) subscription.end()
    subscriptions.clear()
    stop.now()
    silence.end()
    poller.stop()
    others.forget()
    gateway.outages.remove(who)
  }

  // No getters: V8 keeps an object with any in a table, of four times its size.
  const device: WatchedDevice = {
    id: () => deviceId,
    add(subscription) {
      subscriptions.add(subscription)
      poller.start()
      restoring.add(subscription)
      safely(() => subscription.begin({ state, figures, seenAt, away }))
      safely(() => overdue && subscription.overdue(overdue))
    },
    remove(subscription) {
      if (!subscriptions.has(subscription)) return
      if (subscriptions.size === 1) return end()
      restoring.remove(subscription)
      subscriptions.delete(subscription)
    },
    pollNow: () => poller.askNow(),
    known: () => {
      const at = clock.unix(seenAt)
      return {
        state,
        figures,
        callers: [...subscriptions].flatMap((one) => one.callers ?? []),
        seenAt: at,
        failure: missed,
        unreachable: away !== undefined,
        dueBy: at + dueIn(),
      }
    },
    save,
    settle,
    end,
  }
  return device
}
