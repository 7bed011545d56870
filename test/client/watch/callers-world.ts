// Watches of a gateway with listeners, and who really calls it. The gateway is the simulator's own
// appliance without its network, and the clock a moved one.
import { GatewayError, say } from '../../../client/errors'
import { openConnection, type Connection } from '../../../client/connection/connection'
import { savedBy, watchDevice, knownBy, pollNow } from '../../../client/watch/registry'
import type { WatchEvent } from '../../../client/model/event'
import type { WatchOptions } from '../../../client/watch/report/subscription'
import { checkCallers } from '../../../client/model/callers'
import { newCallerBook } from '../../../client/watch/measuring/caller-book'
import { Appliance } from '../../../simulator/appliance'
import { readDeviceConfiguration } from '../../../simulator/device'
import { DEFAULT_DIALECT } from '../../../simulator/dialect'
import {
  isCalled,
  type CallersCondition,
  type RouteSpec,
  type RouteState,
  type SentDestination,
} from '../../../simulator/model'
import { routeStatistics } from '../../../simulator/statistics'
import { FakeTime } from '../../support/fake-time'

export const EVERY_MS = 10_000

/** Who was connected to the listeners when a poll was answered, by the IDs of these. */
export interface Seen {
  at: number
  /** It is the first poll of a watch. */
  isFirst: boolean
  callers: Map<string, string[]>
}

export interface Told {
  at: number
  event: WatchEvent
}

export const listener = (name: string, more: object = {}): SentDestination => ({
  name,
  protocol: 'srt',
  srtMode: 'listener',
  address: '0.0.0.0',
  port: 7000,
  ...more,
})

export const routeOf = (name: string, ...outputs: SentDestination[]): RouteSpec => ({
  name,
  startRoute: true,
  callers: 0,
  source: { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [{ name: 'Air', protocol: 'udp', address: '239.1.1.2', port: 6000 }, ...outputs],
})

export type CallersWorld = ReturnType<typeof newWorld>

export function newWorld(routes: RouteSpec[], { rows }: { rows?: object[] } = {}) {
  const time = new FakeTime()
  const appliance = new Appliance({
    settings: {
      applyDelay: 0,
      settleDelay: 0,
      defaultPageSize: 25,
      maxPageSize: 500,
      pollingInterval: EVERY_MS,
      dialect: { ...DEFAULT_DIALECT },
      sessionLifetime: 1,
      slidingSessions: true,
      maxSessions: 1,
      lockoutAfter: 1,
      lockoutDuration: 1,
      sessionPrefix: '',
    },
    accounts: [],
    devices: 1,
    routes,
    now: time.now,
  })
  const device = appliance.devices[0]!
  const world = {
    time,
    device,
    /** No request is answered. */
    isAway: false,
    /** Changes the statistics before they are sent. */
    forge: (statistics: object): object => statistics,
    seen: [] as Seen[],
    told: [] as Told[],
    /** The routes whose statistics were read. */
    statistics: [] as string[],
    polls: 0,
    book: rows && newCallerBook(checkCallers(rows, say).rows),
    route,
    call,
    failSource,
    start: (name: string) => {
      appliance.start(route(name))
      connectAll()
    },
    stop: (name: string) => appliance.stop(route(name)),
    begin,
    end,
    look,
    news,
    known: () => knownBy(gateway!, device._id)?.callers.flatMap((one) => one.present()),
  }
  let gateway: Connection | undefined
  let endWatch: (() => void) | undefined
  let isFirst = true

  function route(name: string): RouteState {
    return device.routes.find((each) => each.name === name)!
  }

  /** Sets who calls a listener of a route. */
  function call(who: CallersCondition, of = 'Partners', name = 'News'): void {
    const { source, destinations } = route(name)
    const part = [source, ...destinations].filter(isCalled).find((each) => each.name === of)!
    appliance.changeFarEnds((_, callers) => callers.set(part, who))
    connectAll()
  }

  /** Lets the steps happen that a connection takes. */
  function connectAll(): void {
    for (let step = 0; step < 5; step++) appliance.agenda.catchUp()
  }

  function failSource(isLost: boolean, name = 'News'): void {
    const line = isLost ? ({ state: 'disconnected' } as const) : {}
    appliance.changeFarEnds((lines) => lines.set(route(name).source, line))
    connectAll()
  }

  function connect(saved?: object): Connection {
    const connection = openConnection({
      baseUrl: 'http://callers.test',
      username: 'haiadmin',
      password: 'manager',
      pollInterval: EVERY_MS,
      clock: time,
      saved,
      callers: rows && (() => world.book),
    })
    return {
      ...connection,
      call({ path }, operation) {
        operation.requests++
        return Promise.resolve(answer(new URL(path, 'http://callers.test')))
      },
    }
  }

  function answer({ pathname: path, searchParams }: URL): unknown {
    if (path.startsWith('/api/devices/')) world.polls++
    if (world.isAway) throw new GatewayError('UNAVAILABLE', [say('stopped')])
    appliance.agenda.catchUp()
    const now = time.now()
    if (path.endsWith('/statistics')) {
      const found = device.route(searchParams.get('routeID') ?? '')!
      world.statistics.push(found.name)
      return structuredClone(world.forge(routeStatistics(found, now, DEFAULT_DIALECT)))
    }
    if (!path.startsWith('/api/devices/')) throw new GatewayError('NOT_FOUND', [say('stopped')])
    if (device.offlineSince === undefined) {
      world.seen.push({ at: now, isFirst, callers: truth() })
      isFirst = false
    }
    const dialect = DEFAULT_DIALECT
    return readDeviceConfiguration(device, now, { dialect, pollingInterval: EVERY_MS })
  }

  function truth(): Map<string, string[]> {
    const parts = device.routes.flatMap(({ destinations }) => destinations.filter(isCalled))
    return new Map(
      parts.map(({ id, state, clients }) => [
        id,
        state === 'connected' ? clients.map(({ caller }) => caller.address) : [],
      ]),
    )
  }

  /** Begins to watch; after an end, as after a deploy. */
  async function begin(options: Partial<WatchOptions> = {}): Promise<void> {
    isFirst = true
    gateway = connect(gateway && savedBy(gateway))
    const onEvents = (events: WatchEvent[]): void => {
      for (const event of events) world.told.push({ at: time.now(), event })
    }
    const deviceId = device._id
    endWatch = watchDevice(gateway, { deviceId, ...options, onEvents }, time)
    // The first polls of a process wait for each other in real time.
    await pollNow(gateway, deviceId)?.().catch(() => undefined)
    await time.pass(1)
  }

  async function end(): Promise<void> {
    endWatch?.()
    await gateway?.close()
  }

  /** Lets polls come, and what is read after them. While the gateway is away, they take their time. */
  async function look(times = 1): Promise<void> {
    for (let left = times; left > 0; left--) {
      const before = world.polls
      do await time.pass(1000)
      while (world.polls === before)
      await time.pass(1)
      // On a busy machine a slice of work ends early, and goes on later.
      for (let turn = 0; turn < 3; turn++) await time.pass(0)
    }
  }

  /** What was told since it was asked for: the event, who, and of which listener. */
  function news(): string[] {
    return world.told.splice(0).map(({ event: { event, incident, caller, ...place } }) => {
      const who = caller?.name ?? caller?.address
      const part = place.destination ?? place.source
      return [event, incident?.kind, who, place.route?.name, part?.name].filter(Boolean).join(' ')
    })
  }

  return world
}
