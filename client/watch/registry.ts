// Who watches which device of a connection.
import { REAL_TIME, type UnixClock } from '../clock'
import type { Connection } from '../connection/connection'
import { closedError } from '../errors'
import type { RouteFigures, Snapshot, Wordless } from '../model/event'
import { mapInSlices } from '../slices'
import { watchedDevice, type Known, type SharedReading, type WatchedDevice } from './life/device'
import { eachRoute, routeFigures } from './measuring/figures'
import { routeView, snapshotOf } from './report/events'
import { createSubscription, type WatchOptions } from './report/subscription'
import { newSaved, openIn, storeOf, type Open, type Saved } from './saved'
import type { RouteState } from './state'

/** By the configured device; `''` for the only one. Only this file adds to them. */
const devicesOf = ({ memory }: Connection): Map<string, WatchedDevice> =>
  memory.watches as Map<string, WatchedDevice>

/**
 * All watches of a device share its polls. What is known already is reported before it returns.
 * @returns ends it; with `removed`, incidents that are open end first
 * @throws GatewayError `CLOSED` when the gateway is closed
 */
export function watchDevice(
  gateway: Connection,
  options: WatchOptions,
  clock: UnixClock = REAL_TIME,
): (how?: 'removed') => void {
  if (gateway.closing.stopped) throw closedError()
  const settle = (): void => {
    for (const device of devicesOf(gateway).values()) device.settle()
  }
  const { name } = gateway.identity
  const subscription = createSubscription(options, clock, name, settle, gateway.callers)
  deviceFor(gateway, options.deviceId, clock).add(subscription)
  return (how) => {
    if (how === 'removed') subscription.removed()
    subscription.end()
    for (const device of devicesOf(gateway).values()) device.remove(subscription)
  }
}

/** Polls a device for all its watches; undefined without any. @throws GatewayError when the poll fails */
export function pollNow(
  gateway: Connection,
  deviceId: string,
): (() => Promise<SharedReading>) | undefined {
  const device = find(gateway, deviceId)
  return device && (() => device.pollNow())
}

/** What the watches of a device know now, and how current it is; undefined without watches. */
export const knownBy = (gateway: Connection, deviceId?: string): Known | undefined =>
  find(gateway, deviceId)?.known()

/** The same as a snapshot; undefined while nothing is known. */
export const snapshotOfKnown = ({
  state,
  seenAt,
  figures,
}: Known): Wordless<Snapshot> | undefined => state && snapshotOf(state, seenAt, () => true, figures)

/** The same, for thousands of routes: it lets everything else run in between. */
export async function snapshotInSlices({
  state,
  seenAt,
  figures,
}: Known): Promise<Wordless<Snapshot> | undefined> {
  if (!state) return undefined
  const found: Array<[RouteState, RouteFigures | undefined]> = []
  // At once: the next poll writes new figures in their place.
  eachRoute(state, (route, at) => {
    found.push([route, figures && routeFigures(route, at, figures)])
  })
  const snapshot = snapshotOf({ ...state, routes: new Map() }, seenAt, () => true)
  const routes = await mapInSlices(found, ([route, its]) => routeView(route, its))
  return { ...snapshot, routes }
}

/** What watches know and have reported, also those that have ended lately, for those that come after. */
export function savedBy(gateway: Connection): Saved {
  const { devices, watches, misses } = storeOf(gateway)
  const saved = { devices: new Map(devices), watches: new Map(watches), misses: new Map(misses) }
  for (const device of devicesOf(gateway).values()) device.save(saved)
  return saved
}

/**
 * What has begun and not ended, by the settings of watches, for another process. Undefined while what
 * another one has saved cannot be had: there may be more.
 */
export function openBy(gateway: Connection): Record<string, Open> | undefined {
  const store = storeOf(gateway)
  if (!store.isComplete) return undefined
  const present = newSaved()
  for (const device of devicesOf(gateway).values()) device.save(present)
  // What one that has ended lately left open, an equal one may have reported as ended since.
  const left = store.watches.size > 0 ? openIn(savedBy(gateway), present) : {}
  return { ...left, ...openIn(present) }
}

/** Without a device ID, the only device, or else the first one that is watched. */
function find(gateway: Connection, deviceId: string | undefined): WatchedDevice | undefined {
  const devices = devicesOf(gateway)
  const all = [...devices.values()]
  if (deviceId === undefined) return devices.get('') ?? all[0]
  return devices.get(deviceId) ?? all.find((device) => device.id() === deviceId)
}

function deviceFor(
  gateway: Connection,
  deviceId: string | undefined,
  clock: UnixClock,
): WatchedDevice {
  const devices = devicesOf(gateway)
  const key = deviceId ?? ''
  const known = deviceId === undefined ? devices.get(key) : find(gateway, deviceId)
  if (known) return known
  const device = watchedDevice(gateway, deviceId, clock, {
    find: (id) => find(gateway, id),
    deviceFor: (id) => deviceFor(gateway, id, clock),
    forget: () => devices.delete(key),
  })
  devices.set(key, device)
  return device
}
