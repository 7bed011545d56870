// Failovers of simulated routes over real sockets, in a time that runs ten times as fast.
import { MONOTONIC, type Clock } from '../../../client/clock'
import { Operation } from '../../../client/connection/operation'
import { openConnection, type Connection } from '../../../client/connection/connection'
import type { GatewayError } from '../../../client/errors'
import type { KeptMemory } from '../../../client/failover/types'
import {
  protectRoute,
  type FailoverReport,
  type FailoverStatus,
  type Protection,
  type ProtectOptions,
} from '../../../client/failover/protect'
import {
  startSimulator,
  type Call,
  type Simulator,
  type SimulatorOptions,
} from '../../../simulator'
import { afterThisTest } from '../../support/hooks'
import { liveInOwnTime } from '../../support/own-time'
import { until } from '../../support/until'

const SPEED = 10
export const SECRET = 'correct horse battery staple'
export const MAIN = { address: '192.0.2.1', port: 5000, srtPassPhrase: `${SECRET} 1` }
export const BACKUP = { address: '192.0.2.2', port: 5000, srtPassPhrase: `${SECRET} 2` }
export const OTHER = { address: '192.0.2.3', port: 5000 }

/** Seconds, short ones. */
export const SETTINGS = {
  main: MAIN,
  backup: BACKUP,
  pollEvery: 0.5,
  holdOff: 1,
  settle: 5,
  guard: 5,
  waitToRestore: 3,
}

export let simulator: Simulator
export let gateway: Connection
export let log: string[]
/** What the timers that have not run out yet wait, in ms. */
export const pending = new Set<number>()
let protections: Protection[]
let reported: unknown[]

export const clock: Clock = {
  now: () => MONOTONIC.now() * SPEED,
  after(ms, callback) {
    pending.add(ms)
    const cancel = MONOTONIC.after(ms / SPEED, () => {
      pending.delete(ms)
      callback()
    })
    return () => {
      pending.delete(ms)
      cancel()
    }
  },
}

export const srt = (source: object): object => ({
  name: 'in',
  protocol: 'srt',
  srtMode: 'caller',
  srtEncryption: 'AES128',
  ...source,
})
const destination = (name: string, port: number): object => ({
  name,
  protocol: 'udp',
  address: '203.0.113.9',
  port,
})

/** `Studio A` runs on main, with two destinations; `Monitor` receives main all the time. */
const ROUTES = [
  {
    id: 'studio-a',
    name: 'Studio A',
    startRoute: true,
    source: srt(MAIN),
    destinations: [destination('one', 6000), destination('two', 6001)],
  },
  { id: 'monitor', name: 'Monitor', startRoute: true, source: srt(MAIN), destinations: [] },
  {
    id: 'studio-a-2',
    name: 'Studio A backup',
    startRoute: false,
    source: srt(BACKUP),
    destinations: [destination('one', 6000)],
  },
] as unknown as SimulatorOptions['routes']

/**
 * Starts a simulator and a connection for this test.
 * @param times how fast the time of the test passes: that of the clock is ten times as fast again
 */
export async function start(
  options: SimulatorOptions = {},
  more: object = {},
  times = 4,
): Promise<void> {
  liveInOwnTime(times)
  simulator = await startSimulator({ applyDelay: 10, settleDelay: 10, routes: ROUTES, ...options })
  log = []
  protections = []
  reported = []
  pending.clear()
  connect(more)
  afterThisTest(closeAll)
}

export function connect(more: object = {}): void {
  gateway = openConnection({
    baseUrl: simulator.url,
    username: 'haiadmin',
    password: 'manager',
    // Own ms for a request, but those of the clock for its repetition.
    timeout: 3000,
    clock,
    log: (level, text) => log.push(`${level} ${text}`),
    ...more,
  })
}

/** Ends what `start` has started, and looks for what must not be left. */
async function closeAll(): Promise<void> {
  await Promise.all(protections.map((one) => one.close()))
  await gateway.close()
  pending.size.should.equal(0, 'timers')
  gateway.memory.protections.size.should.equal(0)
  gateway.memory.reads.size.should.equal(0)
  simulator.openSessions.should.equal(0)
  await simulator.stop()
  JSON.stringify([reported, log]).should.not.containEql(SECRET)
}

/** What one failover has told. */
export interface Told {
  events: FailoverReport[]
  kept: KeptMemory[]
  statuses: FailoverStatus[]
  failures: GatewayError[]
  protection: Protection
}

export function protect(settings: object = {}, options: Partial<ProtectOptions> = {}): Told {
  const told = { events: [], kept: [], statuses: [], failures: [] } as unknown as Told
  const note =
    <T>(list: T[]) =>
    (each: T): void => {
      list.push(each)
      const { message, cause } = each as GatewayError
      reported.push(each, message, cause)
    }
  told.protection = protectRoute(gateway, {
    route: { id: 'studio-a' },
    settings: { ...SETTINGS, ...settings },
    onEvents: (events) => events.forEach(note(told.events)),
    onMemory: note(told.kept),
    onStatus: note(told.statuses),
    onFailure: note(told.failures),
    ...options,
  })
  protections.push(told.protection)
  return told
}

/** A failover that knows its route. */
export async function protecting(
  settings: object = {},
  options: Partial<ProtectOptions> = {},
): Promise<Told> {
  const told = protect(settings, options)
  await reaches(told, 'normal')
  return told
}

export const stateOf = (told: Told): string | undefined => told.statuses.at(-1)?.state
export const lastKept = (told: Told): KeptMemory => told.kept.at(-1)!

export async function reaches(told: Told, state: string): Promise<void> {
  await until(
    () => stateOf(told) === state,
    () => `${state} after ${JSON.stringify([told.statuses.at(-3), told.statuses.at(-1), log])}`,
  )
}

/** Names of events, but for those that only report a state. */
export const namesOf = ({ events }: Told): string[] =>
  events.map(({ event }) => event.replace('failover.', '')).filter((name) => name !== 'state')

export async function tells(told: Told, ...names: string[]): Promise<void> {
  const wanted = names.join()
  await until(
    () => namesOf(told).slice(0, names.length).join() === wanted,
    () => `${wanted} instead of ${JSON.stringify(told.events)}`,
  )
}

export const event = (told: Told, name: string): FailoverReport =>
  told.events.find((one) => one.event === `failover.${name}`)!

const isUpdate = ({ method, path }: Call): boolean => method === 'POST' && path.endsWith('/updates')

export const updates = (): Call[] => simulator.journal.filter(isUpdate)
export const readsOf = (routeId: string): number =>
  simulator.journal.filter(
    ({ method, path }) => method === 'GET' && path.endsWith(`/routes/${routeId}`),
  ).length
export const writes = (): Call[] =>
  simulator.journal.filter(({ method, path }) => method === 'POST' && path !== '/api/session')
export const addressOf = (name = 'Studio A'): string => simulator.route(name)!.source.address ?? ''

/** Reads that all failovers share. */
export const sharedReads = (): number =>
  simulator.journal.filter(
    ({ method, path }) => method === 'GET' && /^\/api\/devices\/[^/]+$/.test(path),
  ).length

/** As many looks as that, from now on. */
export async function looks(count: number): Promise<void> {
  const before = sharedReads()
  await until(() => sharedReads() >= before + count, `${count} looks`)
}

/** The source of main is lost. */
export const loseMain = (): void => simulator.failAddress(MAIN.address, 'disconnected')

/** Somebody else sets a source. */
export function setSource(source: object): void {
  Object.assign(simulator.route('Studio A')!.source, source)
}

/** Another change of the route has its turn, until it is released. */
export function takeTurn(): () => Promise<void> {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const key = `route ${simulator.devices[0]!._id} studio-a`
  const change = gateway.inTurn(key, new Operation('test'), () => held)
  return () => {
    release()
    return change
  }
}
