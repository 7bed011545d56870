// Devices, routes and their parts, from what a recorded gateway has responded.
import { DeviceState, type Pairing } from './device'
import { asObject, isObject } from './http'
import type { LineCondition } from './lines'
import {
  definitionOf,
  isRedundant,
  newPart,
  OVERHEAD,
  type ConnectionState,
  type DestinationState,
  type Path,
  type RouteState,
  type SentSource,
  type SourceState,
  type SummaryCode,
} from './model'
import { tidy } from './validation'

/** A file that is no recording, or that cannot be served: the message is for the user. */
export class BadRecording extends Error {}

/** An object of a response. */
export type Read = Record<string, unknown>

export function deviceFrom(id: string, read: Read): DeviceState {
  const device = new DeviceState(id, String(read.name))
  const { settings, peers, calypsos } = asObject(read.config)
  const { networkAdapters } = asObject(settings)
  const pairings = peers ?? calypsos
  const { port } = asObject(read.gateway)
  device.networkAdapters = Array.isArray(networkAdapters) ? networkAdapters : []
  device.pairings = Array.isArray(pairings) ? (pairings as Pairing[]) : []
  if (typeof port === 'number') device.gatewayPort = port
  for (const name of DEVICE_MEMBERS) {
    if (name in read) Object.assign(device, { [name]: read[name] })
  }
  if (read.status === 'Offline') device.offlineSince = Number(read.lastConnectedAt) || 0
  return device
}

const DEVICE_MEMBERS = [
  'type',
  'ip',
  'statusCode',
  'status',
  'statusDetails',
  'serialNumber',
  'firmware',
  'hasAdminError',
  'pendingSync',
  'lastConnection',
  'lastAcceptedUpdate',
] as const

/** A route in the recorded state; if it runs, it was started before 0. */
export function routeFrom(read: Read, where: string, isStartedWhileIdle: boolean): RouteState {
  const isRunning = read.state === 'running'
  const ran = runningTimeOf(read.elapsedTime)
  const source = objectAt(`${where}.source`, read.source)
  const outputs = listAt(`${where}.destinations`, read.destinations ?? []).map((each, place) =>
    objectAt(`${where}.destinations[${place}]`, each),
  )
  const isThere = ({ protocol }: Read) => protocol !== undefined
  const used = Number(source.usedBandwidth)
  return {
    id: String(read.id),
    name: String(read.name),
    ...(isText(read.label) && { label: read.label }),
    state: isRunning ? 'running' : 'idle',
    ...(isRunning && { startedAt: -ran }),
    ...(used > 0 && { level: used / OVERHEAD }),
    ranFor: ran,
    ...summaryOf(read),
    source: partFrom(source, `${where}.source`),
    destinations: outputs.filter(isThere).map((output) => ({
      ...partFrom(output, `${where}.destinations[${outputs.indexOf(output)}]`),
      started: isRunning || isStartedWhileIdle ? output.started !== false : true,
      clients: [],
    })),
    danglingIds: outputs.filter((each) => !isThere(each)).map(({ id }) => String(id)),
  }
}

function partFrom(read: Read, where: string): SourceState {
  const name = textAt(`${where}.name`, read.name)
  const id = textAt(`${where}.id`, read.id)
  textAt(`${where}.protocol`, read.protocol)
  if (!isText(read.address ?? '')) wrong(`${where}.address`, read.address, 'a text')
  const part = newPart(definitionFrom({ ...read, name }), id)
  return { ...part, ...summaryOf(read), state: (read.state ?? part.state) as ConnectionState }
}

/** The definition that a part was made from, under the names of requests. */
function definitionFrom(read: SentSource): SentSource {
  const { mode, protocol } = read
  const definition = definitionOf(read)
  if (protocol === 'http') definition.protocol = 'hls'
  if (protocol === 'srt' && isText(mode)) definition.srtMode = mode
  if (isRedundant(definition)) {
    definition.srtNetworkBondingParams ??= pathsFrom(read)
    delete definition.address
    delete definition.port
    delete definition.networkInterface
  }
  tidy(definition)
  return definition
}

/** The paths that a response joins by pipes. */
function pathsFrom({ address, port, networkInterface }: SentSource): Path[] {
  const [ports, interfaces] = [`${port}`.split('|'), (networkInterface ?? '').split('|')]
  return `${address}`.split('|').map((each, place) => ({
    address: each,
    port: Number(ports[place]),
    networkInterface: interfaces[place] ?? '',
  }))
}

function summaryOf(read: Read) {
  return {
    summaryStatusCode: (read.summaryStatusCode ?? 'unknown') as SummaryCode,
    summaryStatusDetails: isText(read.summaryStatusDetails) ? read.summaryStatusDetails : '',
  }
}

/** What is wrong with the line of a part that should be connected. */
export function conditionOf(
  { state }: SourceState | DestinationState,
  { usedBandwidth }: Read,
): LineCondition | undefined {
  if (state === 'disconnected') return 'disconnected'
  if (state !== 'connected') return 'connecting'
  return usedBandwidth !== undefined && Number(usedBandwidth) === 0 ? 'no-data' : undefined
}

/** `5711:57:37` in ms; 0 of anything else. */
function runningTimeOf(text: unknown): number {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d)$/.exec(String(text)) ?? []
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 || 0
}

/** The source and the destinations of a route as read. */
export function partsOf({ source, destinations }: Read): Read[] {
  return [source, ...(Array.isArray(destinations) ? destinations : [])].map(asObject)
}

export const isText = (value: unknown): value is string => typeof value === 'string'

/** The value, which is checked; `where` says which it is in the file. */
export function objectAt(where: string, value: unknown): Read {
  return isObject(value) ? value : wrong(where, value, 'an object')
}

export function listAt(where: string, value: unknown): unknown[] {
  return Array.isArray(value) ? value : wrong(where, value, 'a list')
}

export function textAt(where: string, value: unknown): string {
  return isText(value) && value !== '' ? value : wrong(where, value, 'a text')
}

/** Longer values are cut in sentences. */
const LONGEST = 60

export function wrong(where: string, value: unknown, wanted: string): never {
  const text = JSON.stringify(value) ?? ''
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  throw new BadRecording(
    value === undefined
      ? `${where} is missing. It has to be ${wanted}.`
      : `${where} is ${shown}. It has to be ${wanted}.`,
  )
}
