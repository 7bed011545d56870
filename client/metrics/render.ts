import type { Counters } from '../connection/counters'
import { isRunning, type Condition, type DeviceState, type RouteState } from '../watch/state'
import { eachRoute, routeFigures, type Figures, type RouteFigures } from '../watch/figures'
import { FAILOVER_STATES, type FailoverCause, type FailoverState } from '../model/failover'
import { mapInSlices, newSlice } from '../slices'
import { FAMILIES, type FamilyName } from './families'
import { heading, idOf, joined, labelOf, sample, type Labels } from './format'
import type { SrtOfRoute, SrtOfPart } from './srt'

/** How much is written: by gateway; also by route, source and destination; also by connection. */
export type Detail = 'totals' | 'routes' | 'connections'
export const DETAILS: readonly Detail[] = ['totals', 'routes', 'connections']

/** A failover of a route. */
export interface PicturedFailover {
  routeId: string
  /** Undefined before the first look at the route. */
  state?: FailoverState
  /** Since the start of its node. */
  switches: Readonly<Partial<Record<FailoverCause, number>>>
}

/** What is known of one gateway at the moment of a scrape. */
export interface Picture {
  /** Its label, which no other gateway has. */
  gateway: string
  /** Undefined before the end of the first poll. */
  isUp?: boolean
  /** Unix ms. */
  lastLookAt?: number
  /** Only while it is up: what may no longer be true is not written. */
  state?: DeviceState
  /** SRT figures by the ID of the route, as far as they were read and are current. */
  srt?: ReadonlyMap<string, SrtOfRoute>
  /** What sources and destinations carry, in the order of the state; not to be filled again. */
  figures?: Figures
  failovers?: readonly PicturedFailover[]
  /** Absent where the configuration of the gateway cannot work. */
  counters?: Counters
}

/** What is known of an inventory at the moment of a scrape. */
export interface PicturedFleet {
  /** Its label, which no other inventory has. */
  inventory: string
  appliances: number
  owned: number
  faults: number
}

/** The samples of each metric, as they are written. */
type Sheet = Record<FamilyName, string[]>

const NAMES = Object.keys(FAMILIES) as FamilyName[]

const newSheet = (): Sheet =>
  Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Sheet

/**
 * Writes the metrics of gateways in the text format of Prometheus. It takes what it is given as it
 * is now, works in slices, and lets everything else run in between.
 */
export async function renderMetrics(
  pictures: readonly Picture[],
  detail: Detail,
  fleets: readonly PicturedFleet[] = [],
): Promise<string> {
  const [sheet, packed] = [newSheet(), newSheet()]
  for (const { inventory, appliances, owned, faults } of fleets) {
    const labels = labelOf('inventory', inventory)
    write(sheet, 'media_gateway_fleet_appliances', labels, appliances)
    write(sheet, 'media_gateway_fleet_owned', labels, owned)
    write(sheet, 'media_gateway_fleet_faults', labels, faults)
  }
  const slice = newSlice()
  for (const picture of pictures) {
    const gateway = labelOf('gateway', picture.gateway)
    const { state, srt, figures } = picture
    writeGateway(sheet, picture, gateway)
    if (detail !== 'totals') writeFailovers(sheet, picture, gateway)
    if (!state) continue
    const places: number[] = []
    eachRoute(state, (_, at) => places.push(at))
    const counts = new Map<Labels, number>(STATES.map((labels) => [labels, 0]))
    const add = (route: RouteState, index: number): void => {
      if (index % PACK_EVERY === 0) pack(sheet, packed)
      count(counts, route)
      if (detail === 'totals') return
      const labels = joined(gateway, labelOf('route_id', idOf(route.id)))
      writeRoute(sheet, route, labels)
      if (figures) writeFigures(sheet, route, labels, routeFigures(route, places[index]!, figures))
      const measured = isRunning(route.condition) ? srt?.get(route.id) : undefined
      if (measured) writeSrt(sheet, route, labels, measured, detail)
    }
    await mapInSlices([...state.routes.values()], add, slice)
    for (const [labels, number] of counts) {
      write(sheet, 'media_gateway_routes', joined(gateway, labels), number)
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
function write(sheet: Sheet, name: FamilyName, labels: Labels, value: number | undefined): void {
  if (value !== undefined) sheet[name].push(sample(name, labels, value))
}

function writeGateway(
  sheet: Sheet,
  { isUp, lastLookAt, state, counters }: Picture,
  gateway: Labels,
): void {
  write(sheet, 'media_gateway_up', gateway, isUp === undefined ? undefined : Number(isUp))
  write(
    sheet,
    'media_gateway_last_look_timestamp_seconds',
    gateway,
    lastLookAt && lastLookAt / 1000,
  )
  if (state) {
    const device = joined(labelOf('device', state.name), labelOf('firmware', state.firmware))
    write(sheet, 'media_gateway_info', joined(gateway, device), 1)
    writeStatus(sheet, 'media_gateway_device_status', gateway, state.condition)
  }
  if (!counters) return
  const { requests, logins, looks } = counters
  for (const [result, number] of Object.entries(requests)) {
    const labels = joined(gateway, labelOf('result', result))
    write(sheet, 'media_gateway_requests_total', labels, number)
  }
  for (const [result, number] of Object.entries(logins)) {
    const labels = joined(gateway, labelOf('result', result))
    write(sheet, 'media_gateway_logins_total', labels, number)
  }
  const duration = 'media_gateway_look_duration_seconds'
  sheet[duration].push(
    sample(`${duration}_sum`, gateway, rounded(looks.seconds)),
    sample(`${duration}_count`, gateway, looks.count),
  )
}

const STATUSES = ['ok', 'warn', 'error', 'unknown'] as const
type Status = (typeof STATUSES)[number]

/** A status that the package does not know is an unknown one, and never a good one. */
const statusOf = ({ code }: Condition): Status => STATUSES.find((one) => one === code) ?? 'unknown'

/** One sample for each status; none where the gateway gives none. */
function writeStatus(sheet: Sheet, name: FamilyName, labels: Labels, condition: Condition): void {
  if (condition.code === undefined) return
  const present = statusOf(condition)
  for (const status of STATUSES) {
    sheet[name].push(`${name}{${labels},status="${status}"} ${status === present ? 1 : 0}\n`)
  }
}

/** `running` or `stopped`; `unknown` for a state that the package does not know. */
function stateOf({ condition }: RouteState): 'running' | 'stopped' | 'unknown' {
  if (isRunning(condition)) return 'running'
  return condition.state === 'idle' || condition.state === 'stopped' ? 'stopped' : 'unknown'
}

const countedAs = (state: string, status: Status): Labels => `state="${state}",status="${status}"`

const STATES = ['running', 'stopped'].flatMap((state) =>
  STATUSES.map((status) => countedAs(state, status)),
)

function count(counts: Map<Labels, number>, route: RouteState): void {
  const labels = countedAs(stateOf(route), statusOf(route.condition))
  counts.set(labels, (counts.get(labels) ?? 0) + 1)
}

function writeRoute(sheet: Sheet, route: RouteState, labels: Labels): void {
  const { condition, source, destinations } = route
  const names = joined(labelOf('route', route.name), labelOf('source', source.name))
  const info = joined(names, labelOf('protocol', source.definition.protocol))
  write(sheet, 'media_gateway_route_info', joined(labels, info), 1)
  const state = stateOf(route)
  const running = state === 'unknown' ? undefined : Number(state === 'running')
  write(sheet, 'media_gateway_route_running', labels, running)
  writeStatus(sheet, 'media_gateway_route_status', labels, condition)
  writeStatus(sheet, 'media_gateway_source_status', labels, source.condition)
  for (const { key, name, definition, condition: its } of destinations.values()) {
    const there = destinationLabels(labels, key)
    const called = joined(labelOf('destination', name), labelOf('protocol', definition.protocol))
    write(sheet, 'media_gateway_destination_info', joined(there, called), 1)
    writeStatus(sheet, 'media_gateway_destination_status', there, its)
  }
}

const destinationLabels = (route: Labels, key: string): Labels =>
  joined(route, labelOf('destination_id', idOf(key)))

/** The bytes per second of one Mbit/s. */
const BYTES_OF_MEGABIT = 125_000

function writeFigures(
  sheet: Sheet,
  { destinations }: RouteState,
  labels: Labels,
  figures: RouteFigures,
): void {
  const bytes = (bitrate?: number): number | undefined =>
    bitrate === undefined ? undefined : Math.round(bitrate * BYTES_OF_MEGABIT)
  const { source } = figures
  write(sheet, 'media_gateway_source_receive_bytes_per_second', labels, bytes(source.bitrate))
  for (const [index, key] of [...destinations.keys()].entries()) {
    const { bitrate, clients } = figures.destinations[index]!
    const its = destinationLabels(labels, key)
    write(sheet, 'media_gateway_destination_send_bytes_per_second', its, bytes(bitrate))
    write(sheet, 'media_gateway_destination_clients', its, clients)
  }
}

function writeSrt(
  sheet: Sheet,
  { destinations }: RouteState,
  labels: Labels,
  srt: SrtOfRoute,
  detail: Detail,
): void {
  writeSrtOf(sheet, 'source', labels, srt.source)
  if (detail !== 'connections') return
  for (const key of destinations.keys()) {
    const measured = srt.destinations.get(key)
    if (measured) writeSrtOf(sheet, 'destination', destinationLabels(labels, key), measured)
  }
}

function writeSrtOf(
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

/** What was switched is known in any case; how it is now, only while the gateway is. */
function writeFailovers(sheet: Sheet, { isUp, failovers = [] }: Picture, gateway: Labels): void {
  const written = new Set<string>()
  for (const { routeId, state, switches } of failovers) {
    if (written.has(routeId)) continue
    written.add(routeId)
    const labels = joined(gateway, labelOf('route_id', idOf(routeId)))
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

const FAILOVER_CAUSES: readonly FailoverCause[] = [
  'signal-fail',
  'signal-degrade',
  'restore',
  'manual',
]

/** Microseconds: a sum of decimals has digits that mean nothing. */
const rounded = (seconds: number): number => Math.round(seconds * 1e6) / 1e6
