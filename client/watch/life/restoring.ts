import { fromUnix, type UnixClock } from '../../clock'
import { closedError } from '../../errors'
import type { FormerOutage } from '../../poller'
import { untilStopped, type Stop } from '../../stop'
import type { Subscription } from '../report/subscription'
import {
  dropOld,
  saveWatch,
  takeWatch,
  type Saved,
  type SavedDevice,
  type SavedStore,
} from '../saved'
import type { DeviceState } from '../state'

interface Restored {
  store: SavedStore
  /** The device that is configured; undefined for the only one. */
  configured: string | undefined
  clock: UnixClock
  stop: Stop
  subscriptions: ReadonlySet<Subscription>
  state: () => DeviceState | undefined
  /** Watches have learned something between two polls. */
  settle: () => void
}

const NONE: ReadonlyMap<string, SavedDevice> = new Map()

/** How the watches of a device go on with what was saved, and are saved in turn. */
export function createRestoring({
  store,
  configured,
  clock,
  stop,
  subscriptions,
  state,
  settle,
}: Restored) {
  let devices = savedDevices()
  /** The watches have what was saved, also by another process. */
  let isDone = false
  let awaySince: number | undefined
  const place = configured ?? ''
  let former: FormerOutage | undefined = store.misses.get(place)

  /** What was saved of the devices that may be watched. */
  function savedDevices(): ReadonlyMap<string, SavedDevice> {
    dropOld(store, clock.now())
    const all = [...store.devices]
    return new Map(all.filter(([id]) => configured === undefined || id === configured))
  }

  function add(subscription: Subscription): void {
    if (!subscription.isRestored()) {
      dropOld(store, clock.now())
      // Taken in any case: left there, it would later count as what this watch has open.
      const watch = takeWatch(store, subscription.key())
      const [known] = devices.values()
      // What is open its owner has kept, no older than what was saved here.
      const { troubles, away } = watch ?? {}
      const saved = subscription.isGiven ? { troubles, away } : watch
      if (saved) subscription.restore(saved, devices.size === 1 ? known?.state : state())
    }
    const at = subscription.restoredOutage()
    if (at === undefined || state()) return
    awaySince = Math.min(awaySince ?? clock.now(), fromUnix(clock, at))
  }

  function addAll(): void {
    if (!store.isComplete) return
    isDone = true
    if (!state()) devices = new Map([...devices, ...savedDevices()])
    for (const subscription of subscriptions) add(subscription)
  }

  async function addLate(): Promise<void> {
    await store.fetch()
    if (stop.stopped || isDone) return
    addAll()
    settle()
  }

  /** A watch that still waits for what another process has saved leaves that to the next. */
  function saveOne(subscription: Subscription, into: Saved): void {
    if (store.isForeign && store.isComplete && !isDone) return
    saveWatch(into, subscription.key(), subscription.save(), clock.now())
  }

  return {
    /** Waits until what another process has saved is there. Where that fails once, no other poll waits. */
    beforePoll(): Promise<void> | undefined {
      if (!store.isComplete) void addLate()
      else if (!isDone) {
        const fetching = store.fetch()
        if (fetching) return untilStopped(fetching, stop, closedError).then(addAll)
        addAll()
      }
      return undefined
    },
    /** What was saved of a device, until something is known here. */
    device: (id: string) => devices.get(id),
    /** Whether polls failed by what was saved; until something is known here. */
    formerOutage: (): FormerOutage | undefined =>
      awaySince === undefined ? former : { since: awaySince, misses: Infinity },
    /** A poll has succeeded: what was saved counts no more. */
    polled(at: number): void {
      devices = NONE
      awaySince = undefined
      former = undefined
      for (const one of store.watches.values()) one.savedAt ??= at
      dropOld(store, at)
    },
    add,
    remove: (subscription: Subscription) => saveOne(subscription, store),
    /** @param device and @param missed as they are known here */
    save(
      into: Saved,
      device: { state: DeviceState; at: number } | undefined,
      missed: FormerOutage | undefined = former,
    ): void {
      const savedAt = clock.now()
      dropOld(into, savedAt)
      for (const [id, one] of devices) into.devices.set(id, { ...one, savedAt })
      if (device) into.devices.set(device.state.id, { ...device, savedAt })
      into.misses.delete(place)
      if (missed) into.misses.set(place, { ...missed, savedAt })
      for (const one of subscriptions) saveOne(one, into)
    },
  }
}
