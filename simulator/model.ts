import { randomUUID } from 'node:crypto'
import type { Dialect } from './dialect'

/** A source as a client sends it (facts 5.2). Unknown members are kept: models grow with firmware. */
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

/** A destination as a client sends it (facts 5.3). */
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

/** A route as a client sends it (facts 4.3). */
export interface RouteSpec {
  /** Chosen by the appliance when left out. */
  id?: string
  name: string
  startRoute?: boolean
  source: SentSource
  destinations?: SentDestination[]
}

export type SummaryCode = 'ok' | 'warn' | 'error' | 'unknown'
export type ConnectionState =
  'stopped' | 'disconnected' | 'connecting' | 'connection established' | 'connected'

interface Condition {
  id: string
  protocol: string
  state: ConnectionState
  summaryStatusCode: SummaryCode
  summaryStatusDetails: string
}

/** A source as the appliance holds it: its definition under the sent names, and its condition. */
export type SourceState = SentSource & Condition

/** A destination, likewise. */
export type DestinationState = SentSource &
  Condition & {
    /** Whether it is meant to run; it does so only while its route runs. */
    started: boolean
  }

/** A route as the appliance holds it. */
export interface RouteState {
  id: string
  name: string
  /** A UUID seen on real routes and documented nowhere (facts 5.1). */
  label?: string
  state: 'idle' | 'running'
  /** Since when it runs (ms); undefined when it does not. */
  startedAt?: number
  /** How long it had run when it was last stopped (ms). */
  ranFor: number
  summaryStatusCode: SummaryCode
  summaryStatusDetails: string
  source: SourceState
  destinations: DestinationState[]
  /** Values accepted and not applied yet. */
  pendingUpdates?: object
  hasPendingDelete?: boolean
}

/** What a part holds besides its definition: members of answers that requests may carry and the
 * appliance disregards (facts 4.4, 9.3), its id, and `action`. */
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
])

/** A part's definition: its members under their sent names, without id, condition and `action`. */
export function definitionOf(part: SentDestination): SentSource {
  const definition: SentSource = { name: part.name }
  for (const name in part) if (!NOT_DEFINITION.has(name)) definition[name] = part[name]
  return definition
}

/**
 * The definition that results when `sent` reaches a part defined as `stored`. What is left out
 * keeps its value (the rule for POST of facts 9.3), unless the protocol changes. Whether the real
 * appliance keeps to its rule in route updates is unknown.
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
      const limit = sent.srtMode === 'listener' && { srtConnectionLimit: 0 }
      return completed({ ...PACKET_DEFAULTS, ...SRT_DEFAULTS, ...limit, ...sent })
    }
    default:
      return completed({ ...PACKET_DEFAULTS, ...STREAM_DEFAULTS, ...sent })
  }
}

/** Seen on every captured source, whatever its protocol. */
const SOURCE_DEFAULTS = { srtRcvBuf: 10_240_000, srtGroupMode: 'none', srtPassPhrase: null }

/** The values that presets and captures repeat (end of facts 5.3). */
const PACKET_DEFAULTS = { mtu: 1496, ttl: 64, tos: 104 }
const STREAM_DEFAULTS = { fec: 'none', shaping: false, maxBitrate: 10_000 }
const SRT_DEFAULTS = { srtOverhead: '25', srtGroupMode: 'none', srtEncryption: 'None' }

/** The address a part has, or none: see `hasAddress`. */
function completed(sent: SentSource): SentSource {
  if (hasAddress(sent)) return { networkInterface: '', ...sent }
  const { address: _address, port: _port, networkInterface: _networkInterface, ...rest } = sent
  return rest
}

/** Redundant paths have their own addresses; an RTMP publisher and HLS have none (facts 5.2, 5.3). */
export function hasAddress(part: SentSource): boolean {
  const publisher = part.protocol === 'rtmp' && part.rtmpMode === 'PUBLISHER'
  return part.protocol !== 'hls' && !publisher && !isRedundant(part)
}

/** Whether a part uses SRT path redundancy. */
export function isRedundant(part: SentSource): boolean {
  return part.protocol === 'srt' && (part.srtGroupMode ?? 'none') !== 'none'
}

/** A stopped source. */
export function newSource(sent: SentSource, id: string = randomUUID()): SourceState {
  return newPart(completeSource(sent), id)
}

/** A destination that does not run yet, whether it is meant to or not. */
export function newDestination(
  sent: SentSource,
  started: boolean,
  id: string = randomUUID(),
): DestinationState {
  return { ...newPart(completeDestination(sent), id), started }
}

function newPart(definition: SentSource, id: string): SourceState {
  return {
    ...definition,
    protocol: definition.protocol ?? '',
    id,
    state: 'stopped',
    summaryStatusCode: 'unknown',
    summaryStatusDetails: 'stopped',
  }
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
  }
}

/** Puts a part into a connection state, with the summary that goes with it. */
export function setState(part: SourceState | DestinationState, state: ConnectionState): void {
  part.state = state
  part.summaryStatusDetails = state
  part.summaryStatusCode = state === 'stopped' ? 'unknown' : state === 'connected' ? 'ok' : 'warn'
}

/** A destination that is not meant to run, while its route does: disconnected (facts 4.7). */
export function setIdle(destination: DestinationState): void {
  setState(destination, 'stopped')
  destination.state = 'disconnected'
}

/** Works out a route's summary from its parts (combinations seen in facts 5.1). */
export function summarise(route: RouteState): void {
  const parts = [
    { kind: 'Source', part: route.source },
    ...route.destinations
      .filter((destination) => destination.started)
      .map((part) => ({ kind: 'Destination', part })),
  ]
  const behind = parts.find(({ part }) => part.state !== 'connected')
  if (route.state === 'idle') {
    route.summaryStatusCode = 'unknown'
    route.summaryStatusDetails = 'idle'
  } else if (behind) {
    route.summaryStatusCode = 'warn'
    route.summaryStatusDetails = `${behind.kind} ${behind.part.name} connecting`
  } else {
    route.summaryStatusCode = 'ok'
    route.summaryStatusDetails = 'running'
  }
}

/** How long a route has been running, or ran before it was stopped (ms). */
export function runningTime(route: RouteState, now: number): number {
  return route.state === 'running' && route.startedAt !== undefined
    ? now - route.startedAt
    : route.ranFor
}

/** `HH:MM:SS` with as many digits of hours as it takes. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((number) => String(number).padStart(2, '0'))
    .join(':')
}

/** A number that is always the same for the same text (FNV-1a, 32 bits). */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let place = 0; place < text.length; place++) {
    value = Math.imul(value ^ text.charCodeAt(place), 0x01000193)
  }
  return value >>> 0
}

/** What a part carries now, in Mbit/s: zero unless connected, else about a level of its own. */
export function bitrate(part: SourceState, now: number): number {
  if (part.state !== 'connected') return 0
  const phase = hash(part.id)
  const level = 2 + (phase % 16_000) / 1000
  return level * (1 + 0.04 * Math.sin(now / 500 + phase))
}

/** How many clients a running SRT listener serves. */
export function clientCount(part: SourceState): number {
  return part.state === 'connected' ? 1 + (hash(part.id) % 3) : 0
}

/** A Route as the appliance answers it (facts 5.1). */
export function readRoute(route: RouteState, now: number, dialect: Dialect): object {
  return {
    name: route.name,
    id: route.id,
    ...(route.label !== undefined && { label: route.label }),
    elapsedTime: clock(runningTime(route, now)),
    state: route.state === 'idle' ? dialect.stoppedState : route.state,
    ...(route.pendingUpdates && { pendingUpdates: route.pendingUpdates }),
    ...(route.hasPendingDelete && { hasPendingDelete: true }),
    summaryStatusCode: route.summaryStatusCode,
    summaryStatusDetails: route.summaryStatusDetails,
    source: readPart(route.source, now, dialect),
    destinations: route.destinations.map((destination) =>
      readDestination(destination, now, dialect),
    ),
  }
}

/** A Route as it was sent, without ids and states: what presets hold (facts 8). */
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

function readDestination(destination: DestinationState, now: number, dialect: Dialect): Read {
  const read = readPart(destination, now, dialect)
  read.started = destination.started
  if (destination.protocol === 'srt' && destination.srtMode === 'listener') {
    read.clientConnections = clientCount(destination)
  }
  if (destination.protocol === 'hls') {
    read.protocol = 'http'
    read.address = `/hls/${destination.id}/index.m3u8`
    // A number in requests, a string in answers.
    if (typeof read.segmentDuration === 'number') {
      read.segmentDuration = String(read.segmentDuration)
    }
  }
  return read
}

function readPart(part: SourceState, now: number, dialect: Dialect): Read {
  const read: Read = definitionOf(part)
  read.id = part.id
  delete read.srtMode
  const mode = modeOf(part)
  if (mode !== undefined) read.mode = mode
  // A publisher connects to the appliance: port and application are fixed (facts 5.2).
  if (part.rtmpMode === 'PUBLISHER') Object.assign(read, { address: '127.0.0.1/live', port: 1935 })
  if (isRedundant(part)) Object.assign(read, pathsJoined(part.srtNetworkBondingParams ?? []))
  if (!dialect.bondingInResponse) delete read.srtNetworkBondingParams
  read.networkAddress = null
  read.encryption = part.protocol === 'srt' && part.srtPassPhrase ? 'srt' : 'none'
  read.usedBandwidth = bitrate(part, now).toFixed(3)
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

/** What answers call the `mode` of a part; RTMP and RTSP have none. */
export function modeOf(part: SentSource): string | undefined {
  if (part.protocol === 'srt') return part.srtMode
  if (part.protocol === 'hls') return 'hls'
  if (part.protocol !== 'udp' && part.protocol !== 'rtp') return undefined
  const first = Number(part.address?.split('.')[0])
  return first >= 224 && first <= 239 ? 'multicast' : 'unicast'
}

/** With path redundancy the top-level three show all paths, separated by pipes (facts 5.2). */
function pathsJoined(paths: Path[]): object {
  const joined = (pick: (path: Path) => unknown) => paths.map(pick).join('|')
  return {
    address: joined((path) => path.address),
    port: joined((path) => path.port),
    networkInterface: joined((path) => path.networkInterface ?? ''),
  }
}
