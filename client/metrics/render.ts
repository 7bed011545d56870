import type { Counters } from '../connection/counters'
import { eachRoute, givenOf, placeOf, type Figures } from '../watch/measuring/figures'
import { partsOfState } from '../watch/health'
import {
  isRunning,
  type Condition,
  type DeviceState,
  type PartState,
  type RouteState,
} from '../watch/state'
import {
  FAILOVER_CAUSES,
  FAILOVER_STATES,
  type FailoverCause,
  type FailoverState,
  type NotProtecting,
} from '../model/failover'
import { SIGNS, deviceHealth, healthOfWhole, type Health, type Sign } from '../model/health'
import { normalizeId } from '../model/ids'
import type { Incident } from '../model/incident'
import { mapInSlices, newSlice } from '../slices'
import { FAMILIES, type FamilyName } from './families'
import { heading, idOf, joined, labelOf, sample, type Labels } from './format'
import type { NamedCaller } from '../watch/caller-list'
import type { SrtOfRoute, SrtOfPart } from './srt'

/** How much is written: by gateway; also by route, source and destination. */
export type Detail = 'totals' | 'routes'
export const DETAILS: readonly Detail[] = ['totals', 'routes']

/** A failover of a route. */
export interface PicturedFailover {
  /** The ID of its node. */
  node: string
  /** Undefined while its route is not known. */
  routeId?: string
  /** Why it does not protect its route; undefined while it does. */
  reason?: NotProtecting
  /** Undefined before its first read of the route. */
  state?: FailoverState
  /** Since the start of its node. */
  switches: Readonly<Partial<Record<FailoverCause, number>>>
}

export interface Picture {
  /** Its label, which no other gateway has. */
  gateway: string
  /** Undefined before the end of the first poll. */
  isUp?: boolean
  /** Unix ms. */
  lastPollAt?: number
  /** Only while it is up: what may no longer be true is not written. */
  state?: DeviceState
  /** SRT figures by the normalized ID of the route, as far as they were read and are current. */
  srt?: ReadonlyMap<string, SrtOfRoute>
  /** What sources and destinations carry, in the order of the state; not to be filled again. */
  figures?: Figures
  failovers?: readonly PicturedFailover[]
  /** Those that are open; undefined before the end of the first poll. */
  incidents?: ReadonlyArray<Pick<Incident, 'severity' | 'kind'>>
  /** The callers that have names; absent while nobody follows them. */
  callers?: readonly NamedCaller[]
  /** Absent where the configuration of the gateway cannot work. */
  counters?: Counters
}

/** What is known of an inventory at the moment of a scrape. */
export interface PicturedFleet {
  /** Its label, which no other inventory has. */
  inventory: string
  isMember: boolean
  appliances: number
  owned: number
  faults: number
}

/** The samples of each metric, as they are written. */
type Sheet = Record<FamilyName, string[]>

const NAMES = Object.keys(FAMILIES) as FamilyName[]

const newSheet = (): Sheet =>
  Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Sheet

/** In the text format of Prometheus, in slices, so that everything else runs in between. */
export async function renderMetrics(
  pictures: readonly Picture[],
  detail: Detail,
  fleets: readonly PicturedFleet[] = [],
): Promise<string> {
  const [sheet, packed] = [newSheet(), newSheet()]
  for (const { inventory, isMember, appliances, owned, faults } of fleets) {
    const labels = labelOf('inventory', idOf(inventory))
    write(sheet, 'media_gateway_fleet_appliances', labels, appliances)
    write(sheet, 'media_gateway_fleet_member', labels, Number(isMember))
    write(sheet, 'media_gateway_fleet_owned', labels, owned)
    write(sheet, 'media_gateway_fleet_faults', labels, faults)
  }
  const slice = newSlice()
  for (const picture of pictures) {
    const gateway = labelOf('gateway', idOf(picture.gateway))
    const { state, srt, figures } = picture
    writeGateway(sheet, picture, gateway)
    if (detail !== 'totals') writeFailovers(sheet, picture, gateway)
    if (!state) continue
    const device = deviceHealth(state.condition.code, state.condition.state)
    writeHealth(sheet, 'device', gateway, device)
    const places: number[] = []
    eachRoute(state, (_, at) => places.push(at))
    const counts = new Map<Sign, number>(SIGNS.map((sign) => [sign, 0]))
    const add = (route: RouteState, index: number): void => {
      if (index % PACK_EVERY === 0) pack(sheet, packed)
      const at = places[index]!
      // A device that is away shows the last state of its routes.
      const parts = device.sign === 'unknown' ? undefined : partsOfState(route, at, figures)
      const health = parts ? healthOfWhole(parts) : device
      counts.set(health.sign, counts.get(health.sign)! + 1)
      if (detail === 'totals') return
      const measured = isRunning(route.condition) ? srt?.get(normalizeId(route.id)) : undefined
      const known = parts && { outputs: parts.outputs, at, figures, srt: measured }
      writeRoute(sheet, gateway, route, health, known)
    }
    await mapInSlices([...state.routes.values()], add, slice)
    for (const [sign, number] of counts) {
      write(sheet, 'media_gateway_routes', joined(gateway, labelOf('sign', sign)), number)
    }
  }
  pack(sheet, packed)
  const textOf = (name: FamilyName): string => {
    const { type, help } = FAMILIES[name]
    return packed[name].length > 0 ? heading(name, type, help) + packed[name].join('') : ''
  }
  return (await mapInSlices(NAMES, textOf, slice)).join('')
}

/** In routes. Half a million small texts that last until the end would keep the collector busy. */
const PACK_EVERY = 100

/** Turns the samples of each metric into one text. */
function pack(sheet: Sheet, packed: Sheet): void {
  for (const name of NAMES) {
    if (sheet[name].length === 0) continue
    packed[name].push(sheet[name].join(''))
    sheet[name].length = 0
  }
}

/** Writes one sample; none for a value that is not known. */
function write(sheet: Sheet, name: FamilyName, labels: Labels, value = NaN): void {
  if (Number.isFinite(value)) sheet[name].push(sample(name, labels, value))
}

function writeGateway(
  sheet: Sheet,
  { isUp, lastPollAt, state, counters, incidents, callers = [] }: Picture,
  gateway: Labels,
): void {
  write(sheet, 'media_gateway_up', gateway, isUp === undefined ? undefined : Number(isUp))
  write(
    sheet,
    'media_gateway_last_poll_timestamp_seconds',
    gateway,
    lastPollAt && lastPollAt / 1000,
  )
  if (state) {
    const { name, firmware } = state
    const labels = joined(gateway, labelOf('device', name), labelOf('firmware', firmware))
    write(sheet, 'media_gateway_info', labels, 1)
  }
  if (incidents) writeIncidents(sheet, gateway, incidents)
  for (const { name, routeId, connections } of state ? callers : []) {
    const route = labelOf('route_id', routeId && idOf(routeId))
    const labels = joined(gateway, route, labelOf('caller', idOf(name)))
    write(sheet, 'media_gateway_caller_connections', labels, connections)
  }
  if (!counters) return
  const { requests, logins, polls } = counters
  for (const [name, numbers] of [
    ['media_gateway_requests_total', requests],
    ['media_gateway_logins_total', logins],
  ] as const) {
    for (const [result, number] of Object.entries(numbers)) {
      write(sheet, name, joined(gateway, labelOf('result', result)), number)
    }
  }
  const duration = 'media_gateway_poll_duration_seconds'
  sheet[duration].push(
    sample(`${duration}_sum`, gateway, rounded(polls.seconds)),
    sample(`${duration}_count`, gateway, polls.count),
  )
}

/** What can be open without limits and without routes that must run. */
const INCIDENTS = [
  ['critical', 'gateway'],
  ['critical', 'device'],
  ['warning', 'device'],
  ['critical', 'route'],
  ['warning', 'route'],
  ['warning', 'output'],
] as const

/** Writes also those that are not there, as 0: an alert can end. */
function writeIncidents(
  sheet: Sheet,
  gateway: Labels,
  open: NonNullable<Picture['incidents']>,
): void {
  for (const [severity, kind] of INCIDENTS) {
    const labels = joined(gateway, labelOf('severity', severity), labelOf('kind', kind))
    const number = open.filter((one) => one.severity === severity && one.kind === kind).length
    write(sheet, 'media_gateway_incidents_open', labels, number)
  }
}

/** One sample for each sign, and the reason where there is one: it would be a series for each, too. */
function writeHealth(sheet: Sheet, of: 'device' | 'route', labels: Labels, health: Health): void {
  const name = `media_gateway_${of}_health` as const
  for (const sign of SIGNS) {
    sheet[name].push(`${name}{${labels},sign="${sign}"} ${sign === health.sign ? 1 : 0}\n`)
  }
  writeReason(sheet, `${name}_info`, labels, health)
}

function writeReason(sheet: Sheet, name: FamilyName, labels: Labels, health?: Health): void {
  if (health?.reason === undefined) return
  const { sign, reason } = health
  write(sheet, name, joined(labels, labelOf('sign', sign), labelOf('reason', reason)), 1)
}

/** What is known of a route on a device that is not away. */
interface KnownRoute {
  /** The health of its destinations, where the route runs. */
  outputs: readonly Health[]
  /** Where its figures begin. */
  at: number
  figures?: Figures
  srt?: SrtOfRoute
}

function writeRoute(
  sheet: Sheet,
  gateway: Labels,
  route: RouteState,
  health: Health,
  known?: KnownRoute,
): void {
  const { id, name, condition, source, destinations } = route
  const labels = joined(gateway, labelOf('route_id', idOf(id)))
  const called = labelOf('route', name)
  const protocolOf = ({ definition }: PartState): Labels =>
    labelOf('protocol', definition.kind.protocol)
  const names = joined(called, labelOf('source', source.name), protocolOf(source))
  write(sheet, 'media_gateway_route_info', joined(labels, names), 1)
  writeHealth(sheet, 'route', labels, health)
  const { outputs = [], at = 0, figures, srt } = known ?? {}
  const given = givenOf(at, route)
  const isGiven = (place: number): boolean => figures?.[place] !== 0
  if (known) {
    write(sheet, 'media_gateway_route_running', labels, runningOf(condition))
    if (isGiven(given)) writeStatus(sheet, 'media_gateway_route_status', labels, condition)
    if (isGiven(given + 1)) {
      writeStatus(sheet, 'media_gateway_source_status', labels, source.condition)
    }
    write(sheet, 'media_gateway_source_receive_bytes_per_second', labels, bytesOf(figures?.[at]))
    if (srt) writeSrt(sheet, 'source', labels, srt.source)
  }
  for (const [index, destination] of destinations.entries()) {
    const { key } = destination
    const its = joined(labels, labelOf('destination_id', idOf(key)))
    const info = joined(called, labelOf('destination', destination.name), protocolOf(destination))
    write(sheet, 'media_gateway_destination_info', joined(its, info), 1)
    if (!known) continue
    writeReason(sheet, 'media_gateway_destination_health_info', its, outputs[index])
    if (isGiven(given + 2 + index)) {
      writeStatus(sheet, 'media_gateway_destination_status', its, destination.condition)
    }
    const place = placeOf(at, index)
    const bytes = bytesOf(figures?.[place])
    write(sheet, 'media_gateway_destination_send_bytes_per_second', its, bytes)
    write(sheet, 'media_gateway_destination_clients', its, figures?.[place + 1])
    const measured = srt?.destinations.get(normalizeId(key))
    if (measured) writeSrt(sheet, 'destination', its, measured)
  }
}

const STATUSES = ['ok', 'warn', 'error', 'unknown'] as const

/** One sample for each status, and an unknown one for those that the package does not know. */
function writeStatus(sheet: Sheet, name: FamilyName, labels: Labels, { code }: Condition): void {
  if (code === undefined) return
  const present = STATUSES.find((one) => one === code) ?? 'unknown'
  for (const status of STATUSES) {
    sheet[name].push(`${name}{${labels},status="${status}"} ${status === present ? 1 : 0}\n`)
  }
}

/** 1 while it runs, and undefined for a state that the package does not know. */
function runningOf(condition: Condition): number | undefined {
  if (isRunning(condition)) return 1
  return condition.state === 'idle' || condition.state === 'stopped' ? 0 : undefined
}

/** The bytes per second of one Mbit/s. */
const BYTES_OF_MEGABIT = 125_000

const bytesOf = (bitrate = NaN): number => Math.round(bitrate * BYTES_OF_MEGABIT)

function writeSrt(
  sheet: Sheet,
  of: 'source' | 'destination',
  labels: Labels,
  { roundTripSeconds, lostPackets, lossRatio, bufferSeconds }: SrtOfPart,
): void {
  write(sheet, `media_gateway_${of}_srt_round_trip_time_seconds`, labels, roundTripSeconds)
  write(sheet, `media_gateway_${of}_srt_packets_lost_total`, labels, lostPackets)
  write(sheet, `media_gateway_${of}_srt_packet_loss_ratio`, labels, lossRatio)
  write(sheet, `media_gateway_${of}_srt_buffer_seconds`, labels, bufferSeconds)
}

/** A failover reads by itself: only its state is left out while the gateway is not up. */
function writeFailovers(sheet: Sheet, { isUp, failovers = [] }: Picture, gateway: Labels): void {
  const written = new Set<string>()
  // Of several for one route, all but one refuse to work.
  const protectingFirst = [...failovers].sort((one, other) => rankOf(one) - rankOf(other))
  for (const { node, routeId, reason, state, switches } of protectingFirst) {
    const place = routeId === undefined ? labelOf('node', node) : labelOf('route_id', idOf(routeId))
    if (written.has(place)) continue
    written.add(place)
    const labels = joined(gateway, place)
    const why = joined(labels, labelOf('reason', reason ?? 'none'))
    write(sheet, 'media_gateway_failover_protects', why, Number(reason === undefined))
    if (routeId === undefined) continue
    for (const cause of FAILOVER_CAUSES) {
      const its = joined(labels, labelOf('cause', cause))
      write(sheet, 'media_gateway_failover_switches_total', its, switches[cause] ?? 0)
    }
    if (!isUp || state === undefined) continue
    for (const each of FAILOVER_STATES) {
      const its = joined(labels, labelOf('state', each))
      write(sheet, 'media_gateway_failover_state', its, Number(each === state))
    }
  }
}

const rankOf = ({ reason }: PicturedFailover): number => Number(reason !== undefined)

/** Microseconds: a sum of decimals has digits that mean nothing. */
const rounded = (seconds: number): number => Math.round(seconds * 1e6) / 1e6
