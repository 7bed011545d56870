import type { Dialect } from './dialect'
import {
  bitrate,
  clientCount,
  clock,
  hash,
  modeOf,
  runningTime,
  type DestinationState,
  type RouteState,
  type SourceState,
} from './model'

/** When statistics are taken (ms), and in which dialect they are put. */
interface Collection {
  route: RouteState
  now: number
  dialect: Dialect
}

/** GET …/statistics?routeID= (facts 7). Levels move with time, counters grow while the route runs. */
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
  return collected(collection, { [dialect.clientList]: clients })
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
  return {
    ...ofPart(source, collection),
    ...(source.protocol === 'srt'
      ? {
          ...srtLevels(source, collection),
          srtNumLostPackages: counter(source, collection, 0.4),
          srtDecryptionState: source.srtPassPhrase ? 'active' : '',
          srtRcvBuf: source.srtRcvBuf ?? 10_240_000,
          srtGroupMode: source.srtGroupMode ?? 'none',
          srtStreamID: source.srtStreamID ?? null,
          connections: connectionsOf(source, collection).map((each) => ({
            ...each,
            srtDecryptionState: source.srtPassPhrase ? 'active' : '',
            srtFecPacketLoss: 0,
            srtFecRecoveredPackets: 0,
            srtFecTotalPacketLoss: 0,
            srtFecTotalRecoveredPackets: 0,
            srtSkippedPackets: counter(source, collection, 0.05),
            srtSkippedPacketsDiff: 0,
          })),
        }
      : {
          fecLostPackets: counter(source, collection, 0.3),
          fecRecoveredPackets: counter(source, collection, 0.2),
          fecUnrecoveredPackets: counter(source, collection, 0.1),
          fecReorderedPackets: 0,
        }),
  }
}

function ofDestination(destination: DestinationState, collection: Collection): object {
  const common = ofPart(destination, collection)
  if (destination.protocol !== 'srt') return common
  return {
    ...common,
    ...srtLevels(destination, collection),
    srtNumLostPackets: counter(destination, collection, 0.4),
    srtDroppedPackets: counter(destination, collection, 0.02),
    srtDecryptionState: '',
    srtPeerDecryptionState: destination.srtPassPhrase ? 'active' : '',
    srtEstimatedBandwidth: 95.5,
    srtGroupMode: destination.srtGroupMode ?? 'none',
    ...(destination.srtMode === 'listener'
      ? {
          srtConnectionLimit: destination.srtConnectionLimit ?? 0,
          srtRejectedCount: 0,
          [collection.dialect.clientList]: clientsOf(destination, collection),
        }
      : {
          connections: connectionsOf(destination, collection).map((each) => ({
            ...each,
            ...sentBy(destination, collection),
          })),
        }),
  }
}

function ofPart(part: SourceState, collection: Collection): Record<string, unknown> {
  const level = rounded(bitrate(part, collection.now))
  return {
    name: part.name,
    id: part.id,
    protocol: part.protocol === 'hls' ? 'http' : part.protocol,
    mode: modeOf(part) ?? '',
    state: part.state,
    elapsedRunningTime: elapsedRunningTime(collection),
    signalLosses: 0,
    bitrate: level,
    sendRate: level,
    usedBandwidth: level,
    numPackets: counter(part, collection, 1000),
  }
}

function srtLevels(part: SourceState, { now }: Collection): object {
  const latency = Number(part.srtLatency ?? 125)
  const swing = Math.sin(now / 700 + hash(part.id))
  const alive = part.state === 'connected'
  return {
    srtRoundTripTime: alive ? rounded(18 + 4 * swing) : 0,
    srtBufferLevel: alive ? Math.round(latency * (0.9 + 0.05 * swing)) : 0,
    srtNegotiatedLatency: latency,
    srtLatency: latency,
    srtEncryption: part.srtPassPhrase ? (part.srtEncryption ?? 'AES128') : 'none',
    srtPacketLossRate: alive ? rounded(0.02 * (1 + swing)) : 0,
    srtNumSkippedPackets: 0,
    srtRetransmitRate: alive ? Math.round(2000 * (1 + swing)) : 0,
    srtMaxBandwidth: 0,
  }
}

function clientsOf(destination: DestinationState, collection: Collection) {
  if (destination.srtMode !== 'listener') return []
  return Array.from({ length: clientCount(destination) }, (_, place) => {
    const address = `203.0.113.${1 + ((hash(destination.id) + place) % 250)}`
    const port = 40_000 + place
    const level = rounded(bitrate(destination, collection.now))
    return {
      label: `${destination.name} client ${place + 1}`,
      address,
      port,
      bitrate: level,
      usedBandwidth: level,
      signalLosses: 0,
      srtVersion: '1.5.3',
      SRTPeerVersion: '1.5.0',
      connections: [
        {
          ...connection(destination, collection, address, port),
          ...sentBy(destination, collection),
        },
      ],
    }
  })
}

/** One connection to each path. */
function connectionsOf(part: SourceState, collection: Collection) {
  if (part.state !== 'connected') return []
  const paths = part.srtNetworkBondingParams ?? [
    { address: part.address ?? '0.0.0.0', port: part.port ?? 0 },
  ]
  return paths.map(({ address, port }, place) =>
    connection(
      part,
      collection,
      address === '0.0.0.0' ? `198.51.100.${10 + place}` : address,
      port,
    ),
  )
}

function connection(part: SourceState, collection: Collection, address: string, port: number) {
  const level = rounded(bitrate(part, collection.now))
  return {
    address,
    port,
    localAddress: '192.0.2.10',
    localPort: part.port ?? 0,
    networkInterface: part.networkInterface || 'eth0',
    state: part.state,
    ...srtLevels(part, collection),
    srtCurrentBandwidth: level,
    srtEstimatedBandwidth: 95.5,
    srtFec: part.useFec === true,
    srtFecArq: part.srtFecArq ?? 'always',
    srtFecCols: part.srtFecCols ?? 0,
    srtFecRows: part.srtFecRows ?? 0,
    srtFecLayout: part.srtFecLayout ?? 'staircase',
    srtGroupMode: part.srtGroupMode ?? 'none',
    srtGroupMemberStatus: 'running',
    srtGroupMemberWeight: 0,
    srtNumPackets: counter(part, collection, 1000),
    srtNumLostPackets: counter(part, collection, 0.4),
  }
}

function sentBy(destination: DestinationState, collection: Collection): object {
  return {
    numPackets: counter(destination, collection, 1000),
    srtDroppedPackets: counter(destination, collection, 0.02),
    srtDroppedPacketsDiff: 0,
    srtPeerDecryptionState: destination.srtPassPhrase ? 'active' : '',
  }
}

/** Counts since the route's start: nothing has to be stored to make it grow, and stop growing. */
function counter({ id }: SourceState, { route, now }: Collection, perSecond: number): number {
  return Math.floor((runningTime(route, now) / 1000) * perSecond * (1 + (hash(id) % 100) / 100))
}

function elapsedRunningTime({ route, now }: Collection): string {
  return route.state === 'running' ? clock(runningTime(route, now)) : ''
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
