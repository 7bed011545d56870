// Watches of a simulator, with a clock that is set forward.
import { type Connection } from '../../../client/connection/connection'
import { savedIn } from '../../../client/watch/saved'
import { watchDevice, pollNow } from '../../../client/watch/registry'
import type { WatchHealth, WatchOptions } from '../../../client/watch/report/subscription'
import type { GatewayError } from '../../../client/errors'
import type { Snapshot, WatchEvent } from '../../../client/model/event'
import {
  startSimulator,
  type RouteState,
  type Simulator,
  type SimulatorOptions,
} from '../../../simulator'
import { FakeTime } from '../../support/fake-time'
import { until } from '../../support/until'
import { connectTo } from '../../support/connect'
import { afterThisTest } from '../../support/hooks'
import { liveInOwnTime } from '../../support/own-time'

/** What one watch was told. */
export interface Told {
  events: WatchEvent[]
  snapshots: Snapshot[]
  health: WatchHealth[]
  failures: GatewayError[]
  end: () => void
}

export let simulator: Simulator
export let gateway: Connection
export let deviceId: string
export let log: string[]
/** The clock of the watches. */
export let time: FakeTime

/** Sets the clock of the watches forward: what is due by then runs. */
export const passTime = (ms: number): void => time.skip(ms)

/**
 * Starts a simulator and a connection for this test, which leave no session.
 * @param runs whether real time passes too for the watches
 */
export async function start(
  options: SimulatorOptions = {},
  more: object = {},
  runs = true,
): Promise<void> {
  liveInOwnTime(4)
  simulator = await startSimulator({
    applyDelay: 0,
    settleDelay: 0,
    pollingInterval: 3_600_000,
    ...options,
  })
  log = []
  time = new FakeTime({ runs, at: Date.now() })
  gateway = open(more)
  deviceId = simulator.devices[0]!._id
  afterThisTest(async () => {
    await gateway.close()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })
}

/** One more connection to the simulator. */
export const open = (more: object = {}): Connection =>
  connectTo(simulator, {
    timeout: 2000,
    log: (level, text) => log.push(`${level} ${text}`),
    ...more,
  })

/** Goes on as another process, which gets what this one has open. */
export async function takeOver(left: unknown): Promise<void> {
  await gateway.close()
  reopen({ saved: async () => savedIn(await left) })
}

/** Goes on with another connection. */
export function reopen(more: object): void {
  gateway = open(more)
}

export function watch(options: Partial<WatchOptions> = {}, of = gateway): Told {
  const told: Told = { events: [], snapshots: [], health: [], failures: [], end: () => undefined }
  told.end = watchDevice(
    of,
    {
      onEvents: (events) => told.events.push(...events),
      onSnapshot: (snapshot) => told.snapshots.push(snapshot),
      onHealth: (health) => told.health.push(health),
      onFailure: (error) => told.failures.push(error),
      ...options,
    },
    time,
  )
  return told
}

/** Watches from a first look on. */
export async function watching(options: Partial<WatchOptions> = {}): Promise<Told> {
  const told = watch(options)
  await until(() => told.snapshots.length > 0)
  return told
}

export const look = async (): Promise<unknown> => pollNow(gateway, deviceId)!()
/** The first poll that succeeds is over. */
export const isSeen = ({ health }: Told): boolean => health.some(({ known }) => known !== undefined)

/** A status after which nothing is repeated: the tests do not wait. */
export const away = (): (() => void) =>
  simulator.fault({ kind: 'status', status: 500, match: { path: `/api/devices/${deviceId}` } })

/** Looks in vain, and lets so much time pass after each look. */
export async function miss(times: number, each = 10_000): Promise<void> {
  for (let missed = 0; missed < times; missed++) {
    await look().catch(() => undefined)
    passTime(each)
  }
}

export const namesOf = (events: WatchEvent[]): string[] => events.map(({ event }) => event)

/** Makes a change, looks twice, and answers the events. */
export async function eventsOf(told: Told, change: () => unknown): Promise<WatchEvent[]> {
  told.events.length = 0
  await change()
  await look()
  await look()
  return [...told.events]
}

export const running = (): RouteState =>
  simulator.routes.find(
    ({ state, destinations }) => state === 'running' && destinations.length > 1,
  )!
export const idle = (): RouteState => simulator.routes.find(({ state }) => state === 'idle')!
export const device = (): Simulator['devices'][0] => simulator.devices[0]!
export const callsFor = (path: string): number =>
  simulator.journal.filter((call) => call.path === path).length
export const polls = (): number => callsFor(`/api/devices/${deviceId}`)
