import { randomUUID } from 'node:crypto'
import type { Dialect } from './dialect'

/** A source as sent by a client, see docs/project/interface.md#source. Unknown members are kept. */
export interface SentSource {
  id?: string
  name: string
  protocol?: string
  address?: string
  port?: number
  networkInterface?: string
  srtMode?: string
  srtGroupMode?: string
  srtNetworkBondingParams?: Path[]
  [field: string]: unknown
}

/** A destination as a client sends it, see docs/project/interface.md#destination. */
export interface SentDestination extends SentSource {
  action?: 'start' | 'stop' | 'none'
}

/** One path of SRT path redundancy. */
export interface Path {
  address: string
  port: number
  networkInterface?: string
  [field: string]: unknown
}

/** A route as a client sends it, see docs/project/interface.md#updates. */
export interface RouteSpec {
  /** Chosen by the appliance when left out. */
  id?: string
  name: string
  startRoute?: boolean
  source: SentSource
  destinations?: SentDestination[]
  /** Only of a sample: who calls each of its SRT listener outputs; one to three if not given. */
  callers?: CallersCondition
  /** Only of a sample: outputs that it still holds although they no longer exist. */
  danglingIds?: string[]
}

/** The far end of an SRT listener. */
export interface Caller {
  /** As the statistics name it. */
  label: string
  address: string
  port: number
  /** Packets lost on its own line, in percent, and its round trip time in ms; those of the output if not given. */
  loss?: number
  rtt?: number
}

/**
 * Who calls a listener: that many invented ones, or these. What is left out is invented. With
 * `reconnect`, all who call connect again, each from another port.
 */
export type CallersCondition = number | 'reconnect' | ReadonlyArray<Partial<Caller>>

export type SummaryCode = 'ok' | 'warn' | 'error' | 'unknown'
export type ConnectionState = 'disconnected' | 'connecting' | 'connection established' | 'connected'

/** What is wrong with the line to a far end; usually nothing. */
export interface Line {
  /** The part gets no further than this state. */
  state?: 'disconnected' | 'connecting'
  /** The part connects, but no data comes. */
  data?: false
  /** The most it carries, in Mbit/s. */
  bitrate?: number
  /** Packets lost, in percent. */
  loss?: number
  /** Round trip time, ms. */
  rtt?: number
}

/** Packets counted until `at` (ms), and how many arrive and are lost per second from then on. */
interface Meter extends Counts {
  at: number
  perSecond: Counts
}

interface Counts {
  packets: number
  lost: number
}

/** A caller as the output serves it, from its latest connection on. */
export interface Client {
  caller: Caller
  /** Unix time, ms. */
  joinedAt: number
  meter: Meter
}

interface Condition {
  id: string
  protocol: string
  state: ConnectionState
  summaryStatusCode: SummaryCode
  summaryStatusDetails: string
  /** One for each path; empty when all is well. */
  lines: Line[]
  meter: Meter
  /** How often its data have stopped. */
  signalLosses: number
  /** Of a source that is an SRT listener: who calls it, null for nobody; the usual one if not given. */
  caller?: Caller | null
}

/** A source as the appliance stores it: its definition under the sent names, and its condition. */
export type SourceState = SentSource & Condition

/** A destination, likewise. */
export type DestinationState = SentSource &
  Condition & {
    /** Whether it runs when its route does. */
    started: boolean
    /** Of an SRT listener: one for each caller, served while it is connected. */
    clients: Client[]
  }

/** A route as the appliance stores it. */
export interface RouteState {
  id: string
  name: string
  /** A UUID seen on real routes but documented nowhere. */
  label?: string
  state: 'idle' | 'running'
  /** When it was started (ms); undefined while it is not running. */
  startedAt?: number
  /** How long it had run when it was last stopped (ms). */
  ranFor: number
  /** What the far end of its source sends, in Mbit/s; by the ID of the source if not given. */
  level?: number
  summaryStatusCode: SummaryCode
  summaryStatusDetails: string
  source: SourceState
  destinations: DestinationState[]
  danglingIds: string[]
  /** Values accepted but not yet applied. */
  pendingUpdates?: object
  hasPendingDelete?: boolean
}

/** What a part contains besides its definition: members of responses that requests may carry and
 * the appliance ignores, its ID, and `action`. */
const NOT_DEFINITION = new Set([
  'id',
  'action',
  'state',
  'started',
  'mode',
  'encryption',
  'networkAddress',
  'usedBandwidth',
  'summaryStatusCode',
  'summaryStatusDetails',
  'clientConnections',
  'caller',
  'clients',
  'lines',
  'meter',
  'signalLosses',
])

/** A part's definition: its members under their sent names, without id, condition and `action`. */
export function definitionOf(part: SentDestination): SentSource {
  const definition: SentSource = { name: part.name }
  for (const name in part) if (!NOT_DEFINITION.has(name)) definition[name] = part[name]
  return definition
}

/**
 * The definition that results when `sent` reaches a part defined as `stored`. What is left out
 * keeps its value, unless the protocol changes. Whether the real appliance does the same in updates
 * of routes is not certain, see docs/project/interface.md#updates.
 */
export function mergedDefinition(sent: SentDestination, stored?: SentSource): SentSource {
  const given = definitionOf(sent)
  const keeps = stored && (given.protocol === undefined || given.protocol === stored.protocol)
  return keeps ? { ...definitionOf(stored), ...given } : given
}

/** A source's definition with every default filled in. */
export function completeSource(sent: SentSource): SentSource {
  return completed({ ...SOURCE_DEFAULTS, ...sent })
}

/** A destination's, likewise. */
export function completeDestination(sent: SentSource): SentSource {
  switch (sent.protocol) {
    case 'hls':
      return completed(sent)
    case 'srt': {
      const mode = sent.srtMode ?? DEFAULT_MODE
      const limit = mode === 'listener' && { srtConnectionLimit: 0 }
      const fec = mode === 'caller' && { useFec: false }
      return completed({ ...PACKET_DEFAULTS, ...SRT_DEFAULTS, ...limit, ...fec, ...sent })
    }
    default:
      return completed({ ...PACKET_DEFAULTS, ...STREAM_DEFAULTS, ...sent })
  }
}

/** Seen on every captured source, whatever its protocol. */
const SOURCE_DEFAULTS = { srtRcvBuf: 10_240_000, srtGroupMode: 'none', srtPassPhrase: null }

/** `srtMode` is optional in requests, and its default is not public: our choice. */
const DEFAULT_MODE = 'listener'

/** The values that presets and recordings repeat, see docs/project/interface.md#destination. */
const PACKET_DEFAULTS = { mtu: 1496, ttl: 64, tos: 104 }
const STREAM_DEFAULTS = { fec: 'none', shaping: false, maxBitrate: 10_000 }
const SRT_DEFAULTS = {
  srtOverhead: '25',
  srtGroupMode: 'none',
  srtEncryption: 'None',
  srtPassPhrase: '',
  retainHeader: false,
}

/** Adds the mode of an SRT part, and removes the address where there is none: see `hasAddress`. */
function completed(sent: SentSource): SentSource {
  const moded =
    sent.protocol === 'srt'
      ? { ...sent, srtMode: sent.srtMode ?? DEFAULT_MODE, srtPassPhrase: sent.srtPassPhrase ?? '' }
      : sent
  if (hasAddress(sent)) return { networkInterface: '', ...moded }
  const { address: _address, port: _port, networkInterface: _networkInterface, ...rest } = moded
  return rest
}

/** Redundant paths have their own; an RTMP publisher and HLS have none. */
export function hasAddress(part: SentSource): boolean {
  const publisher = part.protocol === 'rtmp' && part.rtmpMode === 'PUBLISHER'
  const paths = part.protocol === 'rtp' && part.rtpNetworkBondingParams
  return (
    part.protocol !== 'hls' && !publisher && !isRedundant(part) && !(isList(paths) && paths.length)
  )
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value)

/** Whether a part uses SRT path redundancy. */
export function isRedundant(part: SentSource): boolean {
  return part.protocol === 'srt' && Boolean(part.srtGroupMode) && part.srtGroupMode !== 'none'
}

/** A stopped source. */
export function newSource(sent: SentSource, id: string = randomUUID()): SourceState {
  return newPart(completeSource(sent), id)
}

/** A destination that is not running yet, whatever `started` says. */
export function newDestination(
  sent: SentSource,
  started: boolean,
  id: string = randomUUID(),
): DestinationState {
  return Object.assign(newPart(completeDestination(sent), id), { started, clients: [] })
}

/** A caller that has just connected. */
export function newClient(caller: Caller, now: number): Client {
  return { caller, joinedAt: now, meter: newMeter(now) }
}

/** A meter at zero. */
export function newMeter(now: number): Meter {
  return { at: now, packets: 0, lost: 0, perSecond: { packets: 0, lost: 0 } }
}

/** A stopped part with this definition, without defaults. */
export function newPart(definition: SentSource, id: string): SourceState {
  // Unlike a literal that begins with a spread, it has the shape of other parts: it is read often.
  return Object.assign({}, definition, {
    protocol: definition.protocol ?? '',
    id,
    state: 'disconnected' as const,
    summaryStatusCode: 'unknown' as const,
    summaryStatusDetails: 'stopped',
    lines: [],
    meter: newMeter(0),
    signalLosses: 0,
  })
}

/** Whether it is a source or destination that others call. */
export const isCalled = ({ protocol, srtMode }: SourceState): boolean =>
  protocol === 'srt' && srtMode === 'listener'

/** Whether it is a destination that others call. */
export function isListener(part: SourceState | DestinationState): part is DestinationState {
  return 'started' in part && isCalled(part)
}

/** An idle route. */
export function newRoute(spec: RouteSpec): RouteState {
  return {
    id: spec.id || randomUUID(),
    name: spec.name,
    label: randomUUID(),
    state: 'idle',
    ranFor: 0,
    summaryStatusCode: 'unknown',
    summaryStatusDetails: 'idle',
    source: newSource(definitionOf(spec.source), spec.source.id || randomUUID()),
    destinations: (spec.destinations ?? []).map((sent) =>
      newDestination(definitionOf(sent), sent.action !== 'stop', sent.id || randomUUID()),
    ),
    danglingIds: spec.danglingIds ?? [],
  }
}

/** Puts a part into a connection state, with the summary that goes with it. */
export function setState(part: SourceState | DestinationState, state: ConnectionState): void {
  part.state = state
  part.summaryStatusDetails = detailsOf(part)
  part.summaryStatusCode = state === 'connected' && lineOf(part).data !== false ? 'ok' : 'warn'
}

function detailsOf(part: SourceState | DestinationState): string {
  const { state, protocol, address } = part
  const isPackets = protocol === 'udp' || protocol === 'rtp'
  // As recorded for a UDP destination whose route runs but whose source does not.
  if ('started' in part && isPackets && state === 'disconnected') {
    return `disconnected from stream ${address}`
  }
  return state === 'connected' && lineOf(part).data === false ? 'connected, no data' : state
}

/** Marks a part that does not run: its route is idle, or only it was stopped. */
export function setIdle(part: SourceState | DestinationState): void {
  part.state = 'disconnected'
  part.summaryStatusCode = 'unknown'
  part.summaryStatusDetails = 'stopped'
}

/** The line that a part uses: the best one if it has several paths. */
export function lineOf({ lines, caller }: SourceState): Line {
  if (caller === null) return { state: 'disconnected' }
  const connected = lines.filter(({ state }) => !state)
  return connected.find(({ data }) => data !== false) ?? connected[0] ?? lines[0] ?? {}
}

/** The line from a listener to one of its callers. */
export function lineTo({ loss, rtt }: Caller, part: SourceState): Line {
  const line = lineOf(part)
  return { ...line, loss: loss ?? line.loss, rtt: rtt ?? line.rtt }
}

/** Works out a route's summary from its parts, as in docs/project/interface.md#route. */
export function summarise(route: RouteState): void {
  const parts = [
    { kind: 'Source', part: route.source },
    ...route.destinations
      .filter((destination) => destination.started)
      .map((part) => ({ kind: 'Destination', part })),
  ]
  const behind = parts.find(({ part }) => part.state !== 'connected' || isSilent(part))
  if (route.state === 'idle') {
    route.summaryStatusCode = 'unknown'
    route.summaryStatusDetails = 'idle'
  } else if (behind) {
    route.summaryStatusCode = 'warn'
    const what = isSilent(behind.part) ? 'no data' : behind.part.state
    route.summaryStatusDetails = `${behind.kind} ${behind.part.name} ${what}`
  } else {
    route.summaryStatusCode = 'ok'
    route.summaryStatusDetails = 'running'
  }
}

const isSilent = (part: SourceState) => part.state === 'connected' && lineOf(part).data === false

/** How long a route has been running, or ran before it was stopped (ms). */
export function runningTime(route: RouteState, now: number): number {
  return route.state === 'running' && route.startedAt !== undefined
    ? now - route.startedAt
    : route.ranFor
}

/** `HH:MM:SS`, with as many digits for the hours as needed. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((number) => String(number).padStart(2, '0'))
    .join(':')
}

/** Hashes a text (FNV-1a, 32 bits). */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let place = 0; place < text.length; place++) {
    value = Math.imul(value ^ text.charCodeAt(place), 0x01000193)
  }
  return value >>> 0
}

/** What a part carries now, in Mbit/s; an SRT listener carries it once for each client. */
export function bitrate(
  route: RouteState,
  part: SourceState | DestinationState,
  now: number,
): number {
  return bitrateOfEach(route, part, now) * receiversOf(part)
}

/** What each client of an SRT listener gets, in Mbit/s; of any other part, what it carries. */
export function bitrateOfEach(route: RouteState, part: SourceState, now: number): number {
  const level = levelOf(route) * (1 + 0.04 * Math.sin(now / 500 + hash(route.source.id)))
  return carried(route, part, level)
}

function levelOf({ level, source }: RouteState): number {
  return level ?? 2 + (hash(source.id) % 16_000) / 1000
}

/** How much of what the far end sends gets to a part: a destination gets what its source has. */
function carried(route: RouteState, part: SourceState, level: number): number {
  const line = lineOf(part)
  if (part.state !== 'connected' || line.data === false) return 0
  const given = part === route.source ? level : carried(route, route.source, level)
  return Math.min(given, line.bitrate ?? Infinity)
}

function receiversOf(part: SourceState | DestinationState): number {
  return isListener(part) ? clientCount(part) : 1
}

/** Of the usual size: seven packets of a transport stream. */
const PACKETS_PER_MBIT = 1_000_000 / 8 / 1316
/** On a good line, in percent. */
export const USUAL_LOSS = 0.04

/** Adds up the packets of a route's parts so far, and sets their rates from now on. */
export function measure(route: RouteState, now: number): void {
  for (const part of [route.source, ...route.destinations]) {
    const isRunning = route.state === 'running'
    const packets = isRunning ? carried(route, part, levelOf(route)) * PACKETS_PER_MBIT : 0
    const lostOn = ({ loss = USUAL_LOSS }: Line) => (packets * loss) / 100
    advance(part, now, { packets, lost: lostOn(lineOf(part)) }, receiversOf(part))
    if (!isListener(part)) continue
    for (const client of part.clients) {
      advance(client, now, { packets, lost: lostOn(lineTo(client.caller, part)) })
    }
  }
}

function advance(of: { meter: Meter }, now: number, each: Counts, times = 1): void {
  const perSecond = { packets: each.packets * times, lost: each.lost * times }
  of.meter = { at: now, ...counted(of, now), perSecond }
}

/** Packets that were sent, and that were lost, since the route was started or the client joined. */
export function counted({ meter }: { meter: Meter }, now: number): Counts {
  const seconds = Math.max(0, now - meter.at) / 1000
  return {
    packets: meter.packets + seconds * meter.perSecond.packets,
    lost: meter.lost + seconds * meter.perSecond.lost,
  }
}

/** How many clients an SRT listener serves. */
export function clientCount({ state, clients }: DestinationState): number {
  return state === 'connected' ? clients.length : 0
}

/** A Route as the appliance returns it. */
export function readRoute(route: RouteState, now: number, dialect: Dialect): object {
  return {
    name: route.name,
    id: route.id,
    ...(route.label !== undefined && { label: route.label }),
    elapsedTime: clock(runningTime(route, now)),
    state: route.state === 'idle' ? dialect.stoppedState : route.state,
    ...(dialect.pendingChanges && route.pendingUpdates && { pendingUpdates: route.pendingUpdates }),
    ...(dialect.pendingChanges && route.hasPendingDelete && { hasPendingDelete: true }),
    summaryStatusCode: route.summaryStatusCode,
    summaryStatusDetails: route.summaryStatusDetails,
    source: readSource(route, now, dialect),
    destinations: [
      ...route.destinations.map((each) => readDestination(route, each, now, dialect)),
      ...route.danglingIds.map((id) => ({ id })),
    ],
  }
}

/** A Route as it was sent, without IDs and states, as presets contain it. */
export function sentRoute(route: RouteState): RouteSpec {
  return {
    name: route.name,
    source: definitionOf(route.source),
    destinations: route.destinations.map(definitionOf),
  }
}

/** The numbers of a Route that come as strings in the dialect with `numbersAsStrings`. */
export const STRING_NUMBERS = ['srtLatency', 'srtRcvBuf', 'srtConnectionLimit', 'maxBitrate', 'ttl']

type Read = Record<string, unknown>

function readSource(route: RouteState, now: number, dialect: Dialect): Read {
  const { source } = route
  const read = readPart(route, source, now, dialect)
  read.encryption = source.protocol === 'srt' && source.srtPassPhrase ? 'srt' : 'none'
  return read
}

function readDestination(
  route: RouteState,
  destination: DestinationState,
  now: number,
  dialect: Dialect,
): Read {
  const read = readPart(route, destination, now, dialect)
  const runs = route.state === 'running' || dialect.startedWhileIdle
  read.started = runs && destination.started
  read.networkAddress = null
  if (destination.protocol !== 'srt') read.encryption = 'none'
  if (isListener(destination)) read.clientConnections = clientCount(destination)
  if (destination.protocol === 'hls') {
    read.protocol = 'http'
    read.address = destination.address ?? `/hls/${destination.id}/index.m3u8`
    if (dialect.hlsPort) read.port = 0
    // A number in requests, a string in responses.
    if (typeof read.segmentDuration === 'number') {
      read.segmentDuration = String(read.segmentDuration)
    }
  }
  return read
}

/** Network bandwidth per bitrate carried, as recorded for one source. */
export const OVERHEAD = 1.021

function readPart(
  route: RouteState,
  part: SourceState | DestinationState,
  now: number,
  dialect: Dialect,
): Read {
  const read: Read = { name: part.name }
  for (const name in part) {
    if (name !== 'srtMode' && !NOT_DEFINITION.has(name)) read[name] = part[name]
  }
  read.id = part.id
  const mode = modeOf(part)
  if (mode !== undefined) read.mode = mode
  // A publisher connects to the appliance: port and application are fixed.
  if (part.rtmpMode === 'PUBLISHER') Object.assign(read, { address: '127.0.0.1/live', port: 1935 })
  if (isRedundant(part)) Object.assign(read, pathsJoined(part.srtNetworkBondingParams ?? []))
  if (!dialect.bondingInResponse) delete read.srtNetworkBondingParams
  // As recorded: one digit at rest, three while the route runs, with data or without.
  const used = bitrate(route, part, now) * OVERHEAD
  read.usedBandwidth = used.toFixed(route.state === 'running' ? 3 : 1)
  read.state = part.state
  read.summaryStatusCode = part.summaryStatusCode
  read.summaryStatusDetails = part.summaryStatusDetails
  if (dialect.numbersAsStrings) {
    for (const name of STRING_NUMBERS) {
      if (typeof read[name] === 'number') read[name] = String(read[name])
    }
  }
  return read
}

/** The `mode` of a part in responses; RTMP and RTSP have none. */
export function modeOf(part: SentSource): string | undefined {
  if (part.protocol === 'srt') return part.srtMode
  if (part.protocol === 'hls') return 'hls'
  if (part.protocol !== 'udp' && part.protocol !== 'rtp') return undefined
  const first = Number(part.address?.split('.')[0])
  return first >= 224 && first <= 239 ? 'multicast' : 'unicast'
}

/** With path redundancy the top-level three show all paths, separated by pipes. */
function pathsJoined(paths: Path[]): object {
  const joined = (pick: (path: Path) => unknown) => paths.map(pick).join('|')
  return {
    address: joined((path) => path.address),
    port: joined((path) => path.port),
    networkInterface: joined((path) => path.networkInterface ?? ''),
  }
}
