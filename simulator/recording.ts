// A recording of a gateway: its answers to requests that read, in a file that media-gateway-doctor
// has written. The simulator starts with its devices and routes, and goes on from there.
import { readFile } from 'node:fs/promises'
import type { Appliance } from './appliance'
import type { Callers } from './callers'
import type { Dialect } from './dialect'
import { asObject, isObject, json, type Call, type Reply } from './http'
import { lineFrom, type Lines } from './lines'
import { isListener, STRING_NUMBERS, type Caller, type RouteState } from './model'
import {
  BadRecording,
  conditionOf,
  deviceFrom,
  isText,
  listAt,
  objectAt,
  partsOf,
  routeFrom,
  textAt,
  wrong,
  type Read,
} from './recorded'
import { FIELDS } from './validation'

/** A recorded route, as the list and as the configuration of its device have it. */
interface RecordedRoute {
  where: string
  listed?: Read
  configured?: Read
}

interface RecordedDevice {
  listed: Read
  configuration?: Read
  /** The list of its routes, without the routes. */
  list?: Read
  routes: Map<string, RecordedRoute>
  /** As they will run: those that do are started at 0. */
  built: Array<{ read: Read; route: RouteState }>
}

/** Reads a file. Throws a `BadRecording` that says what is wrong with it, and where. */
export async function readRecording(path: string): Promise<Recording> {
  try {
    return new Recording(parsed(await readFile(path, 'utf8')))
  } catch (error) {
    if (error instanceof BadRecording) throw new BadRecording(`${path}: ${error.message}`)
    const { code } = asObject(error)
    if (code === 'ENOENT') throw new BadRecording(`${path} does not exist.`)
    throw new BadRecording(`${path} cannot be read: ${String(code ?? error)}.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRecording('This is not JSON. It has to be a report of media-gateway-doctor.')
  }
}

const FORMAT = 'media-gateway-report'
const VERSION = 1

export class Recording {
  /** How the recorded gateway differs from others. */
  readonly dialect: Partial<Dialect> = {}
  /** Its settings, as far as they show. */
  readonly settings: { defaultPageSize?: number; maxPageSize?: number; pollingInterval?: number } =
    {}
  private readonly devices = new Map<string, RecordedDevice>()
  /** Who calls the outputs of which statistics were recorded, by the IDs of the outputs. */
  private readonly callers = new Map<string, Array<Partial<Caller>>>()
  /** What was answered to each path. */
  private readonly answers = new Map<string, unknown>()

  constructor(file: unknown) {
    const { format, version, answers } = objectAt('The file', file)
    if (format !== FORMAT) wrong('format', format, `"${FORMAT}"`)
    if (version !== VERSION) wrong('version', version, `${VERSION}: this simulator reads no other`)
    const list = listAt('answers', answers)
    const read = list.flatMap((each, place) => this.answerAt(`answers[${place}]`, each))
    for (const { path, body, where } of read)
      if (path === '/api/devices') this.takeDevices(body, where)
    if (this.devices.size === 0) {
      throw new BadRecording(
        'There is no device in it: no response to GET /api/devices with status 200 has one.',
      )
    }
    for (const { path, body, where } of read) this.takeAnswer(path, body, where)
    for (const [id, device] of this.devices) this.keepAnswers(id, device)
    for (const device of this.devices.values()) {
      device.built = [...device.routes.values()].map(({ where, listed, configured }) => {
        const whole = { ...configured, ...listed }
        const route = routeFrom(whole, where, this.dialect.startedWhileIdle === true)
        return { read: whole, route }
      })
    }
  }

  /** Those with data: what the gateway refused, or what was no JSON, is not served. */
  private answerAt(where: string, answer: unknown) {
    const { method, path, status, body } = objectAt(where, answer)
    textAt(`${where}.method`, method)
    const asked = textAt(`${where}.path`, path)
    if (typeof status !== 'number') wrong(`${where}.status`, status, 'a number')
    const isRead = method === 'GET' && status === 200 && body !== null
    return isRead ? [{ path: asked, body, where: `${where}.body` }] : []
  }

  private takeDevices(body: unknown, where: string): void {
    listAt(where, body).forEach((each, place) => {
      const at = `${where}[${place}]`
      const listed = objectAt(at, each)
      const id = textAt(`${at}._id`, listed._id)
      textAt(`${at}.name`, listed.name)
      this.devices.set(id, { listed, routes: new Map(), built: [] })
    })
  }

  private takeAnswer(path: string, body: unknown, where: string): void {
    const [pathname = '', query = ''] = path.split('?', 2)
    const [, , kind = '', id = '', what = '', route = ''] = pathname.split('/').map(decoded)
    if (kind === 'session') this.answers.set(pathname, body)
    if (id === '' || (kind !== 'devices' && kind !== 'gateway')) return
    const device = this.devices.get(id)
    if (!device) {
      throw new BadRecording(
        `${where} is about device ${id}, which GET /api/devices does not list.`,
      )
    }
    if (what === '') {
      const { config, ...configuration } = objectAt(where, body)
      const { routes = [], ...others } = asObject(config)
      device.configuration = { ...configuration, config: others }
      this.takeRoutes(device, 'configured', routes, `${where}.config.routes`)
      const { ms } = asObject(configuration.suggestedPollingInterval)
      if (typeof ms === 'number') this.settings.pollingInterval = ms
    } else if (what === 'routes' && route === '') {
      const { data, ...list } = objectAt(where, body)
      device.list = list
      this.takeRoutes(device, 'listed', data, `${where}.data`)
      this.takePaging(query, listAt(where, data).length, Number(list.numResults))
    } else if (what === 'routes') {
      this.takeRoutes(device, 'listed', [body], where)
    } else if (what === 'statistics') {
      this.answers.set(keyOf(pathname, new URLSearchParams(query)), body)
      this.takeCallers(objectAt(where, body))
    }
  }

  private takeRoutes(
    { routes }: RecordedDevice,
    as: 'listed' | 'configured',
    items: unknown,
    where: string,
  ): void {
    listAt(where, items).forEach((each, place) => {
      const at = `${where}[${place}]`
      const item = objectAt(at, each)
      const id = textAt(`${at}.id`, item.id)
      textAt(`${at}.name`, item.name)
      routes.set(id, { ...routes.get(id), where: at, [as]: item })
    })
  }

  /** A page that does not have all routes shows how many a page has. */
  private takePaging(query: string, length: number, total: number): void {
    const asked = new URLSearchParams(query)
    const size = asked.get('pageSize')
    if (size !== null && length > Number(size)) this.dialect.paging = false
    if ((asked.get('page') ?? '1') !== '1' || length === 0 || !(length < total)) return
    if (size === null) this.settings.defaultPageSize = length
    else if (length < Number(size)) this.settings.maxPageSize = length
  }

  private takeCallers({ route, destination }: Read): void {
    const { destinations = [destination] } = asObject(route)
    for (const each of Array.isArray(destinations) ? destinations.map(asObject) : []) {
      for (const name of ['clientsStat', 'clientStat'] as const) {
        if (!Array.isArray(each[name])) continue
        this.dialect.clientList = name
        const clients = each[name].map(asObject).filter(({ address }) => isText(address))
        this.callers.set(
          String(each.id),
          clients.map(({ label, address, port }) => ({
            ...(isText(label) && { label }),
            address: String(address),
            ...(Number(port) > 0 && { port: Number(port) }),
          })),
        )
      }
      if (isText(each.numPackets)) this.dialect.numbersAsStrings = true
    }
  }

  /** Keeps the answers about a device, and the dialect that shows in them. */
  private keepAnswers(id: string, device: RecordedDevice): void {
    const { listed, configuration, list } = device
    const routes = [...device.routes.values()]
    const inList = routes.map((route) => route.listed ?? route.configured ?? {})
    const inConfiguration = routes.map((route) => route.configured ?? route.listed ?? {})
    const before = this.answers.get('/api/devices')
    this.answers.set('/api/devices', [...(Array.isArray(before) ? before : []), listed])
    if (configuration) {
      const config = { ...asObject(configuration.config), routes: inConfiguration }
      this.answers.set(`/api/devices/${id}`, { ...configuration, config })
      if ('calypsos' in config) this.dialect.pairings = 'calypsos'
    }
    if (list) {
      this.answers.set(`/api/gateway/${id}/routes`, { ...list, data: inList })
      this.dialect.pendingRouteCreates = 'pendingRouteCreates' in list
    }
    for (const route of inList) {
      this.answers.set(`/api/gateway/${id}/routes/${String(route.id)}`, route)
      if (route.state === 'stopped') this.dialect.stoppedState = 'stopped'
      const parts = partsOf(route)
      if (route.state !== 'running' && parts.some(({ started }) => started === true)) {
        this.dialect.startedWhileIdle = true
      }
      if (parts.some((part) => STRING_NUMBERS.some((name) => isText(part[name])))) {
        this.dialect.numbersAsStrings = true
      }
      const isJoined = (part: Read) => isText(part.address) && part.address.includes('|')
      if (parts.some((part) => isJoined(part) && !part.srtNetworkBondingParams)) {
        this.dialect.bondingInResponse = false
      }
    }
  }

  /** Adds the recorded devices with their routes, in the state in which they were recorded. */
  install(appliance: Appliance): void {
    for (const [id, recorded] of this.devices) {
      const device = deviceFrom(id, { ...recorded.listed, ...recorded.configuration })
      appliance.devices.push(device)
      const routes = recorded.built.map(({ route }) => route)
      for (const route of routes) {
        if (route.startedAt !== undefined) route.startedAt += appliance.now()
      }
      appliance.adopt(device, routes, (lines, callers) => {
        for (const { route, read } of recorded.built) this.setFarEnds(route, read, lines, callers)
      })
    }
  }

  /** What a running route shows of its far ends. Those of a stopped one are well, and nobody calls. */
  private setFarEnds(route: RouteState, read: Read, lines: Lines, callers: Callers): void {
    if (route.state !== 'running') return
    const source = conditionOf(route.source, asObject(read.source))
    if (source) lines.set(route.source, lineFrom(source))
    const outputs = new Map(partsOf(read).map((each) => [each.id, each]))
    for (const output of route.destinations) {
      const recorded = outputs.get(output.id) ?? {}
      if (isListener(output)) {
        const known = this.callers.get(output.id)
        const usual = output.state === 'connected' ? 1 : 0
        const count = Number(recorded.clientConnections ?? known?.length ?? usual)
        callers.set(output, known?.length === count ? known : count || 0)
      } else if (recorded.started !== false && route.source.state === 'connected') {
        const condition = conditionOf(output, recorded)
        if (condition) lines.set(output, lineFrom(condition))
      }
    }
  }

  /** A reply about something recorded, with its members and types. */
  shaped({ method, path, query }: Call, reply: Reply): Reply {
    if (method !== 'GET' || reply.status !== 200) return reply
    const isStatistics = path.endsWith('/statistics')
    const recorded = this.answers.get(isStatistics ? keyOf(path, new URLSearchParams(query)) : path)
    if (recorded === undefined) return reply
    const isChanging = (name: string) => !isStatistics && CHANGING.has(name)
    const { status, headers, body } = reply
    return { ...json(status, likeness(JSON.parse(body), recorded, isChanging)), headers }
  }
}

/**
 * Members of a route as read that come and go: what a request sets, under its own name, and what
 * shows that a change is under way.
 */
const CHANGING = new Set([...FIELDS, 'pendingUpdates', 'hasPendingDelete'])
CHANGING.delete('srtMode')

/**
 * What the simulator would answer, as the recorded gateway writes it: with all its members, also
 * those that the simulator does not know, and no others. Only what `isChanging` is as it is now.
 */
function likeness(
  live: unknown,
  recorded: unknown,
  isChanging: (name: string) => boolean,
): unknown {
  if (Array.isArray(live)) {
    const known = Array.isArray(recorded) ? recorded : []
    return live.map((each, place) => likeness(each, counterpart(each, known, place), isChanging))
  }
  if (isObject(live) && isObject(recorded)) {
    const members = Object.entries(recorded)
      .filter(([name]) => Object.hasOwn(live, name) || !isChanging(name))
      .map(([name, value]) => [
        name,
        Object.hasOwn(live, name) ? likeness(live[name], value, isChanging) : value,
      ])
    const others = Object.entries(live).filter(
      ([name]) => !Object.hasOwn(recorded, name) && isChanging(name),
    )
    return Object.fromEntries([...members, ...others])
  }
  if (isText(recorded) && typeof live === 'number') return String(live)
  return live ?? recorded
}

/** What was recorded of the same thing, if it has an ID; else of one of its kind. */
function counterpart(live: unknown, recorded: unknown[], place: number): unknown {
  if (!isObject(live)) return undefined
  const name = ['id', '_id'].find((each) => each in live)
  if (name === undefined) return recorded[place] ?? recorded[0]
  return recorded.find((each) => isObject(each) && each[name] === live[name])
}

function keyOf(path: string, query: URLSearchParams): string {
  query.sort()
  return `${path}?${query}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
