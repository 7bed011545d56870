import type { Dialect } from './dialect'
import { GOOD, pathsOf } from './lines'
import {
  bitrate,
  bitrateOfEach,
  clock,
  counted,
  hash,
  isRedundant,
  lineOf,
  lineTo,
  modeOf,
  OVERHEAD,
  runningTime,
  USUAL_LOSS,
  type Client,
  type DestinationState,
  type Line,
  type RouteState,
  type SourceState,
} from './model'

/** When the statistics are taken (ms), and in which dialect they are written. */
interface Collection {
  route: RouteState
  now: number
  dialect: Dialect
}

/**
 * GET …/statistics?routeID=, see docs/project/interface.md#statistics. Levels vary with time,
 * counters grow while it runs.
 */
export function routeStatistics(route: RouteState, now: number, dialect: Dialect): object {
  const collection = { route, now, dialect }
  return collected(collection, {
    route: {
      id: route.id,
      name: route.name,
      elapsedRunningTime: elapsedRunningTime(collection),
      state: route.state === 'idle' ? dialect.stoppedState : route.state,
      source: ofSource(route.source, collection),
      destinations: route.destinations.map((each) => ofDestination(each, collection)),
    },
  })
}

/** GET …/statistics?routeID=&sourceID= */
export function sourceStatistics(route: RouteState, now: number, dialect: Dialect): object {
  const collection = { route, now, dialect }
  return collected(collection, { source: ofSource(route.source, collection) })
}

/** GET …/statistics?routeID=&destinationID= or destinationName= */
export function destinationStatistics(
  route: RouteState,
  destination: DestinationState,
  now: number,
  dialect: Dialect,
): object {
  const collection = { route, now, dialect }
  return collected(collection, { destination: ofDestination(destination, collection) })
}

/** GET …/statistics/client, of the clients with that address, and port if given. */
export function clientStatistics(
  route: RouteState,
  destination: DestinationState,
  client: { address: string; port?: string },
  now: number,
  dialect: Dialect,
): object {
  const collection = { route, now, dialect }
  const clients = clientsOf(destination, collection).filter(
    ({ address, port }) =>
      address === client.address && (client.port === undefined || String(port) === client.port),
  )
  return collected(collection, { [dialect.clientAnswer]: clients })
}

function collected({ now, dialect }: Collection, statistics: object): object {
  const answer = { collectedAt: now, ...statistics }
  return dialect.numbersAsStrings ? withStrings(answer) : answer
}

function withStrings(value: object): object {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' ? String(each) : each,
  )
  return JSON.parse(text)
}

function ofSource(source: SourceState, collection: Collection): object {
  const common = ofPart(source, collection)
  const { lost } = counted(source, collection.now)
  if (source.protocol !== 'srt') {
    return {
      ...common,
      fecLostPackets: Math.floor(lost),
      fecRecoveredPackets: Math.floor(lost * 0.7),
      fecUnrecoveredPackets: Math.floor(lost) - Math.floor(lost * 0.7),
      fecReorderedPackets: 0,
    }
  }
  const srtDecryptionState = source.srtPassPhrase ? 'active' : ''
  return {
    ...common,
    ...srtLevels(source, lineOf(source), collection),
    srtNumLostPackages: Math.floor(lost),
    srtDecryptionState,
    srtRcvBuf: source.srtRcvBuf ?? 10_240_000,
    srtGroupMode: groupModeOf(source),
    srtStreamID: source.srtStreamID ?? null,
    connections: connectionsOf(source, collection).map((each) => ({
      ...each,
      srtGroupMode: groupModeOf(source),
      srtDecryptionState,
      srtFecPacketLoss: 0,
      srtFecRecoveredPackets: 0,
      srtFecTotalPacketLoss: 0,
      srtFecTotalRecoveredPackets: 0,
      srtSkippedPackets: Math.floor(lost / 8),
      srtSkippedPacketsDiff: 0,
    })),
  }
}

function ofDestination(destination: DestinationState, collection: Collection): object {
  const common = ofPart(destination, collection)
  if (destination.protocol !== 'srt') return common
  const { lost } = counted(destination, collection.now)
  return {
    ...common,
    ...srtLevels(destination, lineOf(destination), collection),
    srtNumLostPackets: Math.floor(lost),
    srtDroppedPackets: Math.floor(lost / 20),
    srtDecryptionState: '',
    srtPeerDecryptionState: destination.srtPassPhrase ? 'active' : '',
    srtEstimatedBandwidth: 95.5,
    srtGroupMode: groupModeOf(destination),
    ...(destination.srtMode === 'listener'
      ? {
          srtConnectionLimit: destination.srtConnectionLimit ?? 0,
          srtRejectedCount: 0,
          [collection.dialect.clientList]: clientsOf(destination, collection),
        }
      : {
          connections: connectionsOf(destination, collection).map((each) => ({
            label: destination.name,
            ...rates(destination, collection),
            ...VERSIONS,
            ...each,
            ...sentBy(destination, destination, collection),
          })),
        }),
  }
}

const VERSIONS = { srtVersion: '1.5.3', SRTPeerVersion: '1.5.0' }

function ofPart(
  part: SourceState | DestinationState,
  collection: Collection,
): Record<string, unknown> {
  const { bitrate: level, ...others } = rates(part, collection)
  return {
    name: part.name,
    id: part.id,
    protocol: part.protocol === 'hls' ? 'http' : part.protocol,
    mode: modeOf(part) ?? '',
    state: part.state,
    elapsedRunningTime: elapsedRunningTime(collection),
    bitrate: level,
    sendRate: level,
    ...others,
    numPackets: Math.floor(counted(part, collection.now).packets),
  }
}

/** What it carries, and the network bandwidth used; both in Mbit/s. */
function rates(part: SourceState | DestinationState, { route, now }: Collection) {
  return ratesOf(part, bitrate(route, part, now))
}

/** The same of one client. */
function ratesOfEach(destination: DestinationState, { route, now }: Collection) {
  return ratesOf(destination, bitrateOfEach(route, destination, now))
}

function ratesOf(part: SourceState, level: number) {
  return {
    bitrate: rounded(level),
    usedBandwidth: rounded(level * OVERHEAD),
    signalLosses: part.signalLosses,
  }
}

/** Statistics have an empty string for none. */
function groupModeOf(part: SourceState): string {
  return isRedundant(part) ? (part.srtGroupMode ?? '') : ''
}

function srtLevels(part: SourceState, line: Line, { now }: Collection): object {
  const latency = Number(part.srtLatency ?? 125)
  const swing = Math.sin(now / 700 + hash(part.id))
  const isUp = part.state === 'connected' && !line.state
  const loss = line.loss ?? USUAL_LOSS
  return {
    srtRoundTripTime: isUp ? rounded((line.rtt ?? 38) * (1 + 0.1 * swing)) : 0,
    srtBufferLevel: isUp ? latency : 0,
    srtNegotiatedLatency: latency,
    srtLatency: latency,
    srtEncryption: part.srtPassPhrase ? cipherOf(part) : '',
    srtPacketLossRate: isUp ? rounded(loss * (1 + 0.1 * swing)) : 0,
    srtNumSkippedPackets: 0,
    srtRetransmitRate: isUp ? Math.round(100_000 * loss * (1 + 0.1 * swing)) : 0,
    srtMaxBandwidth: 0,
  }
}

/** A source does not choose its cipher; without a choice it is AES128. */
function cipherOf({ srtEncryption }: SourceState): string {
  const named = typeof srtEncryption === 'string' && !/^none$/i.test(srtEncryption)
  return named && srtEncryption ? srtEncryption : 'AES128'
}

function clientsOf(destination: DestinationState, collection: Collection) {
  if (destination.state !== 'connected') return []
  return destination.clients.map((client) => {
    const { label, address, port } = client.caller
    const levels = ratesOfEach(destination, collection)
    return {
      label,
      address,
      port,
      ...levels,
      ...VERSIONS,
      connections: [
        {
          ...connection(destination, lineTo(client.caller, destination), collection, {
            address,
            port,
          }),
          srtCurrentBandwidth: levels.usedBandwidth,
          srtGroupMode: groupModeOf(destination),
          ...countsOf(client, collection),
          ...sentBy(destination, client, collection),
        },
      ],
    }
  })
}

/** One connection for each path that is connected. */
function connectionsOf(part: SourceState, collection: Collection) {
  if (part.state !== 'connected') return []
  const { caller } = part
  return pathsOf(part)
    .map(({ address = '0.0.0.0', port = 0 }, place) => ({
      line: caller ? lineTo(caller, part) : (part.lines[place] ?? GOOD),
      address: address === '0.0.0.0' ? `198.51.100.${10 + place}` : address,
      port,
      ...(caller && place === 0 && { address: caller.address, port: caller.port }),
    }))
    .filter(({ line }) => !line.state)
    .map(({ line, ...peer }) => connection(part, line, collection, peer))
}

function connection(
  part: SourceState,
  line: Line,
  collection: Collection,
  { address, port }: { address: string; port: number },
) {
  return {
    address,
    port,
    localAddress: '192.0.2.10',
    localPort: part.port ?? 0,
    networkInterface: part.networkInterface || 'eth0',
    state: part.state,
    ...srtLevels(part, line, collection),
    srtCurrentBandwidth: rates(part, collection).usedBandwidth,
    srtEstimatedBandwidth: 95.5,
    // A string in the documentation and in a client's model; its possible values are unknown.
    srtFec: part.useFec === true ? 'on' : 'off',
    srtFecArq: part.srtFecArq ?? 'always',
    srtFecCols: part.srtFecCols ?? 0,
    srtFecRows: part.srtFecRows ?? 0,
    srtFecLayout: part.srtFecLayout ?? 'staircase',
    srtGroupMemberStatus: 'running',
    srtGroupMemberWeight: 0,
    ...countsOf(part, collection),
  }
}

function countsOf(of: SourceState | Client, { now }: Collection): object {
  const { packets, lost } = counted(of, now)
  return { srtNumPackets: Math.floor(packets), srtNumLostPackets: Math.floor(lost) }
}

function sentBy(
  destination: DestinationState,
  of: DestinationState | Client,
  { now }: Collection,
): object {
  const { packets, lost } = counted(of, now)
  return {
    numPackets: Math.floor(packets),
    srtDroppedPackets: Math.floor(lost / 20),
    srtDroppedPacketsDiff: 0,
    srtPeerDecryptionState: destination.srtPassPhrase ? 'active' : '',
  }
}

function elapsedRunningTime({ route, now }: Collection): string {
  return route.state === 'running' ? clock(runningTime(route, now)) : ''
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
