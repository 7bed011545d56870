// A history of the gateway of the `field` dialect, and a watch of it. The gateway is the simulator's own
// appliance without its network, the watch is the one that nodes have, and all clocks are moved ones: an
// hour takes milliseconds.
import { openConnection, type Connection } from '../../../client/connection/connection'
import { openBy, savedBy, watchDevice, pollNow } from '../../../client/watch/registry'
import { SAVED_MS, savedIn } from '../../../client/watch/saved'
import type { OpenIncident } from '../../../client/model/incident'
import type { WatchEvent } from '../../../client/model/event'
import type { WatchOptions } from '../../../client/watch/report/subscription'
import { GatewayError, say } from '../../../client/errors'
import { Appliance } from '../../../simulator/appliance'
import { readDeviceConfiguration } from '../../../simulator/device'
import { DEFAULT_DIALECT } from '../../../simulator/dialect'
import { FIELD_DIALECT, fieldRoutes } from '../../../simulator/field'
import { WORDS } from '../../../simulator/lines'
import {
  isListener,
  readRoute,
  type RouteState,
  type SentDestination,
} from '../../../simulator/model'
import { FakeTime } from '../../support/fake-time'
import { dice } from '../failover/world'

/** What happens at one time. Places are those of the layout; what is not there, nothing happens to. */
export type Act = { at: number } & (
  | { do: 'source'; route: number; is: keyof typeof WORDS }
  | { do: 'push'; route: number; is: keyof typeof WORDS }
  | { do: 'call'; route: number; output: number; callers: number }
  | { do: 'start' | 'stop' | 'remove' | 'poor' | 'good' | 'warn' | 'calm'; route: number }
  | { do: 'rename'; route: number; name: string }
  | { do: 'add'; name: string }
  | { do: 'fail' | 'answer' | 'offline' | 'online' | 'device-warn' | 'device-ok' }
  | { do: 'end' }
  | { do: 'begin'; how: 'restart' | 'deploy' | 'full deploy' | 'takeover' }
)

/** A history, in ms from its beginning. */
export interface History {
  seed: number
  lengthMs: number
  everyMs: number
  holdFor?: number
  settleMs: number
  mustRun?: string
  pattern?: string
  /** Routes that also push to a far end: the layout itself has listeners only. */
  pushes: readonly number[]
  acts: readonly Act[]
}

/** How a route, one of its outputs or the device was, in the words of the gateway's own state. */
export type Sight =
  | 'well'
  | 'stopped'
  | 'gone'
  /** An output of a route whose source is lost. */
  | 'covered'
  | 'no-source'
  | 'no-data'
  | 'source-warning'
  | 'route-warning'
  | 'not-running'
  | 'output-lost'
  | 'device-away'
  | 'device-warning'

/** One poll, and how all was when the gateway answered; empty if it did not. */
export interface Look {
  at: number
  /** The watches that began before it. */
  life: number
  /** The holds that began anew before it: a deploy goes on with those of the watch before. */
  holds: number
  /** By the IDs of routes, `route output` and `device`. What is not in it is gone. */
  seen?: ReadonlyMap<string, Sight>
  /** The routes with an output that nobody calls. */
  uncalled?: ReadonlySet<string>
}

export interface Told {
  at: number
  life: number
  event: WatchEvent
}

/** When a source was really lost. */
export interface Loss {
  route: string
  from: number
  to: number
}

export interface Story {
  history: History
  looks: Look[]
  told: Told[]
  losses: Loss[]
  /** When each watch began, and when it ended. */
  lives: Array<{ from: number; to: number }>
}

/** Unix ms of the beginning. */
const EPOCH = 1_800_000_000_000

/** The clock of one process: its zero is another in each. */
class ProcessTime extends FakeTime {
  constructor(private readonly bootedAt: number) {
    super({ at: 5000 })
    const { after } = this
    // Whole milliseconds, as real clocks have them.
    this.after = (ms, callback) => after(Math.ceil(ms), callback)
  }
  override unix = (at: number): number => EPOCH + this.bootedAt + at - 5000
  get ms(): number {
    return this.unix(this.now()) - EPOCH
  }
}

const PUSH_NAME = 'Push'

/** The layout, with IDs: to make them takes longer than a history. */
const LAYOUT = fieldRoutes().map((route, place) => ({ ...route, id: idOf('a', place) }))

function idOf(kind: string, number: number): string {
  return `5a0e0000-0000-4000-${kind}000-${String(number).padStart(12, '0')}`
}
/** Then the front end shows what it knew last. */
const OFFLINE = { statusCode: 'error', status: 'Offline' }

/** The gateway, and how it really is. */
class Field {
  now = 0
  failing = false
  private offline: object | undefined
  /** The latest answer, until something changes. */
  private answer: object | undefined
  private readonly appliance: Appliance
  private readonly places: RouteState[]
  private readonly poor = new Set<string>()
  private readonly warned = new Set<string>()
  private readonly lostSince = new Map<string, number>()
  readonly losses: Loss[] = []

  constructor(private readonly history: History) {
    const routes = LAYOUT.map((route, place) => ({
      ...route,
      source: { ...route.source, id: idOf('b', place) },
      destinations: [
        ...route.destinations!,
        ...(history.pushes.includes(place) ? [push(place)] : []),
      ].map((each, index) => ({ id: idOf('c', 10 * place + index), ...each })),
    }))
    this.appliance = new Appliance({
      settings: {
        applyDelay: 0,
        settleDelay: history.settleMs,
        defaultPageSize: 25,
        maxPageSize: 500,
        pollingInterval: history.everyMs,
        dialect: { ...DEFAULT_DIALECT, ...FIELD_DIALECT },
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
      now: () => EPOCH + this.now,
    })
    this.places = [...this.device.routes]
  }

  get device() {
    return this.appliance.devices[0]!
  }

  act(act: Act): void {
    this.catchUp()
    this.answer = undefined
    if ('route' in act) this.actOn(act)
    else if (act.do === 'add') this.add(act.name)
    else if (act.do === 'fail') this.failing = true
    else if (act.do === 'answer') this.failing = false
    else if (act.do === 'offline') this.offline = { ...this.configuration(), ...OFFLINE }
    else if (act.do === 'online') this.offline = undefined
    else if (act.do === 'device-warn') this.device.statusCode = 'warn'
    else if (act.do === 'device-ok') this.device.statusCode = 'ok'
    this.note()
  }

  private actOn(act: Act & { route: number }): void {
    const route = this.places[act.route]
    if (!route || !this.device.route(route.id)) return
    const { id, source, destinations } = route
    const push = destinations.find(({ name }) => name === PUSH_NAME)
    const { appliance } = this
    if (act.do === 'source') {
      appliance.changeFarEnds((lines) => lines.set(source, WORDS[act.is]!))
    } else if (act.do === 'push' && push) {
      appliance.changeFarEnds((lines) => lines.set(push, WORDS[act.is]!))
    } else if (act.do === 'call') {
      const output = destinations.filter(isListener)[act.output]
      if (output) appliance.changeFarEnds((_, callers) => callers.set(output, act.callers))
    } else if (act.do === 'start') appliance.start(route)
    else if (act.do === 'stop') appliance.stop(route)
    else if (act.do === 'remove') this.device.remove(id)
    else if (act.do === 'rename') route.name = act.name
    else if (act.do === 'poor') this.poor.add(id)
    else if (act.do === 'good') this.poor.delete(id)
    else if (act.do === 'warn') this.warned.add(id)
    else if (act.do === 'calm') this.warned.delete(id)
  }

  private add(name: string): void {
    const number = this.places.length
    const [spec] = LAYOUT
    const source = { ...spec!.source, address: `239.71.0.${number}` }
    const route = { ...spec!, id: idOf('a', number), name, source, callers: number % 3 }
    this.places.push(this.appliance.install(this.device, route))
  }

  /** Notes which sources are lost, before and after all that happens. */
  private note(): void {
    const lost = new Set(this.device.routes.filter(isLost).map(({ id }) => id))
    for (const [route, from] of this.lostSince) {
      if (lost.has(route)) continue
      this.losses.push({ route, from, to: this.now })
      this.lostSince.delete(route)
    }
    for (const id of lost) if (!this.lostSince.has(id)) this.lostSince.set(id, this.now)
  }

  end(): void {
    this.note()
    for (const [route, from] of this.lostSince) this.losses.push({ route, from, to: this.now })
  }

  /** The body of a GET, as the simulator sends it; undefined for 404. */
  body(path: string): unknown {
    const id = decodeURIComponent(path.split(/[?]/)[0]!.split('/').pop()!)
    if (path.startsWith('/api/devices/'))
      return this.offline ?? (this.answer ??= this.configuration())
    const read = (route: RouteState): object =>
      readRoute(route, EPOCH + this.now, this.appliance.settings.dialect)
    if (id !== 'routes') {
      const route = this.device.route(id)
      return route && read(route)
    }
    const data = this.device.routes.map(read)
    return { data, numResults: data.length, numPages: 1 }
  }

  catchUp(): void {
    if (this.appliance.agenda.length > 0) this.answer = undefined
    this.appliance.agenda.catchUp()
    this.note()
  }

  private configuration(): object {
    const { dialect } = this.appliance.settings
    const answer = readDeviceConfiguration(this.device, EPOCH + this.now, {
      dialect,
      pollingInterval: this.history.everyMs,
    }) as { config: { routes: Array<Record<string, unknown> & { source: object }> } }
    for (const route of answer.config.routes) {
      const isUp = route.state === 'running'
      if (isUp && this.poor.has(String(route.id))) Object.assign(route.source, WARN)
      if (isUp && this.warned.has(String(route.id))) Object.assign(route, WARN)
    }
    return answer
  }

  look(
    fits: (name: string) => boolean,
    mustRun: (name: string) => boolean,
  ): Omit<Look, 'at' | 'life' | 'holds'> {
    if (this.offline) return { seen: new Map([['device', 'device-away']]) }
    const seen = new Map<string, Sight>()
    const uncalled = new Set<string>()
    seen.set('device', this.device.statusCode === 'warn' ? 'device-warning' : 'well')
    for (const route of this.device.routes) {
      const { id, name, destinations } = route
      if (!fits(name)) continue
      const isUncalled = destinations.some((each) => isListener(each) && each.clients.length === 0)
      if (isUncalled) uncalled.add(id)
      const own = this.sightOf(route, mustRun)
      seen.set(id, own)
      for (const output of destinations) {
        if (output.name === PUSH_NAME) seen.set(`${id} ${output.id}`, outputSight(own, output))
      }
    }
    return { seen, uncalled }
  }

  private sightOf(route: RouteState, mustRun: (name: string) => boolean): Sight {
    const { id, name, state, source, destinations } = route
    if (state !== 'running') return mustRun(name) ? 'not-running' : 'stopped'
    if (source.state !== 'connected') return 'no-source'
    if (isSilent(source)) return 'no-data'
    if (this.poor.has(id)) return 'source-warning'
    // A gateway says `warn` of every route whose outputs are not all connected.
    const isWhole = destinations.every((each) => each.state === 'connected')
    return this.warned.has(id) && isWhole ? 'route-warning' : 'well'
  }
}

const push = (place: number): SentDestination => ({
  name: PUSH_NAME,
  protocol: 'srt',
  srtMode: 'caller',
  address: `192.0.2.${100 + place}`,
  port: 9000,
})

const WARN = { summaryStatusCode: 'warn' }

const isSilent = ({ lines }: RouteState['source']): boolean =>
  lines.some(({ data }) => data === false)

const isLost = ({ state, source }: RouteState): boolean =>
  state === 'running' && (source.state !== 'connected' || isSilent(source))

function outputSight(own: Sight, { state }: { state: string }): Sight {
  if (own === 'stopped' || own === 'not-running') return 'stopped'
  if (own === 'no-source' || own === 'no-data') return 'covered'
  return state === 'connected' ? 'well' : 'output-lost'
}

/** A pattern of names, as a regular expression. */
const fitting = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[*?]/g, (sign) => (sign === '*' ? '.*' : '.'))}$`, 'i')

/** Plays a history. */
export async function play(history: History): Promise<Story> {
  const story: Story = { history, looks: [], told: [], losses: [], lives: [] }
  const field = new Field(history)
  const { everyMs, holdFor, mustRun, pattern } = history
  const fits = (name: string): boolean => !pattern || fitting(pattern).test(name)
  const mustNotStop = (name: string): boolean =>
    mustRun !== undefined && fitting(mustRun).test(name)
  /** The open incidents, as a store keeps them. */
  let kept = '[]'
  /** What the fleet's memory has of the gateway. */
  let handed = '{}'
  let time = new ProcessTime(0)
  let gateway: Connection | undefined
  let end: (() => void) | undefined
  let sample: Omit<Look, 'at' | 'life' | 'holds'> = {}
  let holds = 0

  function connect(saved?: Connection['saved']): Connection {
    const connection = openConnection({
      baseUrl: 'http://field.test',
      username: 'haiadmin',
      password: 'manager',
      pollInterval: everyMs,
      clock: time,
      saved,
    })
    return {
      ...connection,
      async call({ path }, operation) {
        operation.requests++
        field.now = time.ms
        if (path.startsWith('/api/devices/')) {
          sample = {}
          if (field.failing) throw new GatewayError('UNAVAILABLE', [say('stopped')])
          field.catchUp()
          sample = field.look(fits, mustNotStop)
        }
        const body = field.body(path)
        if (body === undefined) throw new GatewayError('NOT_FOUND', [say('stopped')])
        return body
      },
    }
  }

  function begin(how: (Act & { do: 'begin' })['how']): void {
    if (end) return
    const open = JSON.parse(kept) as OpenIncident[]
    if (how === 'restart' || !gateway) {
      time = new ProcessTime(time.ms)
      gateway = connect()
    } else if (how === 'full deploy') gateway = connect(savedBy(gateway))
    else if (how === 'takeover') {
      const text = handed
      time = new ProcessTime(time.ms)
      gateway = connect(() => Promise.resolve(savedIn(JSON.parse(text))))
    }
    const life = story.lives.length
    const former = story.lives.at(-1)
    if (!how.endsWith('deploy') || (former && time.ms - former.to >= SAVED_MS)) holds++
    story.lives.push({ from: time.ms, to: history.lengthMs })
    const { _id: deviceId } = field.device
    const options: WatchOptions = {
      deviceId,
      report: 'incidents',
      holdFor,
      mustRun,
      ...(pattern && { route: { pattern } }),
      ...(how !== 'takeover' && { open }),
      onOpen: (now) => (kept = JSON.stringify(now)),
      onEvents(events) {
        for (const event of events) story.told.push({ at: time.ms, life, event })
      },
      onHealth({ failure }) {
        const at = time.ms
        const last = story.looks.at(-1)
        if (last?.at === at && last.life === life) story.looks.pop()
        story.looks.push({ at, life, holds, ...(!failure && sample) })
      },
    }
    const watched = gateway
    const endWatch = watchDevice(watched, options, time)
    end = () => {
      handed = JSON.stringify(openBy(watched))
      story.lives[life]!.to = time.ms
      endWatch()
      end = undefined
    }
    // The first polls of a process wait for each other in real time.
    pollNow(gateway, deviceId)?.().catch(() => undefined)
  }

  const { random } = Math
  Math.random = dice(history.seed)
  try {
    begin('restart')
    for (const act of history.acts) {
      await time.pass(act.at - time.ms)
      field.now = time.ms
      if (act.do === 'begin') begin(act.how)
      else if (act.do === 'end') end?.()
      else field.act(act)
    }
    await time.pass(history.lengthMs - time.ms)
    field.now = time.ms
    field.end()
    end?.()
    await gateway?.close()
  } finally {
    Math.random = random
  }
  story.losses = field.losses
  return story
}
