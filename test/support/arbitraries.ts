import * as fc from 'fast-check'
import type { Destination, Route, Source } from '../../client/model/types'

/**
 * Routes as an appliance returns them, of every protocol, with and
 * without path redundancy, with the decoration that real responses carry.
 */

const address = fc.ipV4()
const port = fc.integer({ min: 1, max: 65535 })
const adapter = fc.constantFrom('', 'eth0', 'ens33')
const passPhrase = fc.oneof<fc.Arbitrary<string | null>[]>(
  fc.constantFrom('', null),
  fc.stringMatching(/^[a-zA-Z0-9]{10,79}$/),
)

const state = fc.record({
  state: fc.constantFrom('disconnected', 'connecting', 'connection established', 'connected'),
  summaryStatusCode: fc.constantFrom('warn', 'error', 'ok', 'unknown'),
  summaryStatusDetails: fc.constantFrom('running', 'idle', 'Source in connecting'),
  usedBandwidth: fc.constantFrom('', '0', '15.818'),
})

/** A member of newer firmware that the package does not know. */
const unknown = fc.record(
  {
    laterMember: fc.oneof(
      fc.integer(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.record({ depth: fc.integer(), list: fc.array(fc.integer()) }),
    ),
    labels: fc.array(fc.string(), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

const place = fc.record({ address, port, networkInterface: adapter })
const castMode = fc.constantFrom('unicast', 'multicast')
const packets = fc.record({
  mtu: fc.integer({ min: 280, max: 1500 }),
  ttl: fc.integer({ min: 1, max: 255 }),
  tos: fc.integer({ min: 0, max: 255 }),
  shaping: fc.boolean(),
  maxBitrate: fc.integer({ min: 0, max: 15000 }),
})

/** Merges the members of all records into one. */
function joined(...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> {
  return fc.tuple(...parts).map((records) => Object.assign({}, ...records) as object)
}

const decoration = fc.record({
  mode: castMode,
  encryption: fc.constant('none'),
  srtRcvBuf: fc.constantFrom(10240000, 20240000),
  srtGroupMode: fc.constant('none'),
  srtPassPhrase: fc.constant(null),
  networkAddress: fc.constant(null),
})

const srt = fc.record(
  {
    mode: fc.constantFrom('caller', 'listener', 'rendezvous'),
    srtPassPhrase: passPhrase,
    srtLatency: fc.integer({ min: 125, max: 6000 }),
    srtStreamID: fc.constantFrom('', null, 'live/one'),
    useFec: fc.boolean(),
    srtFecCols: fc.integer({ min: 1, max: 20 }),
    srtFecRows: fc.integer({ min: 1, max: 20 }),
    srtFecLayout: fc.constantFrom('even', 'staircase', 'saircase'),
    srtFecArq: fc.constantFrom('never', 'onreq'),
  },
  { requiredKeys: ['mode'] },
)

const single = joined(place, fc.record({ srtGroupMode: fc.constant('none') }))

/** Redundant places, all or partly joined by `|`, sometimes with the list of paths. */
const redundant = (withPackets: boolean) =>
  fc
    .tuple(
      fc.array(fc.tuple(place, packets), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('list', 'empty', 'none'),
      fc.constantFrom('broadcast', 'backup', 'any'),
      fc.boolean(),
    )
    .map(([paths, list, srtGroupMode, joinsPackets]) => {
      const places = paths.map(([one]) => one)
      const join = (name: string, of: object[]) =>
        of.map((one) => (one as Record<string, unknown>)[name]).join('|')
      const tuned = withPackets && joinsPackets
      return {
        srtGroupMode,
        ...Object.fromEntries(
          ['address', 'port', 'networkInterface'].map((name) => [name, join(name, places)]),
        ),
        ...(tuned &&
          Object.fromEntries(
            ['mtu', 'ttl', 'tos'].map((name) => [
              name,
              join(
                name,
                paths.map(([, one]) => one),
              ),
            ]),
          )),
        ...(list === 'list' && { srtNetworkBondingParams: places }),
        ...(list === 'empty' && { srtNetworkBondingParams: '' }),
      }
    })

const source: fc.Arbitrary<object> = fc.oneof(
  joined(place, decoration, fc.record({ protocol: fc.constant('udp') })),
  joined(
    place,
    decoration,
    fc.record({
      protocol: fc.constant('rtp'),
      retainHeader: fc.boolean(),
      fec: fc.constantFrom('none', 'prompeg'),
      sourceAddress: fc.constantFrom('', '10.0.0.9'),
    }),
  ),
  joined(
    fc.oneof(single, redundant(false)),
    srt,
    fc.record({
      protocol: fc.constant('srt'),
      encryption: fc.constantFrom('none', 'srt'),
      srtRcvBuf: fc.constant(10240000),
    }),
  ),
  joined(
    decoration,
    fc.record({
      protocol: fc.constant('rtmp'),
      rtmpMode: fc.constant('PUBLISHER'),
      address: fc.constant('127.0.0.1/live'),
      port: fc.constant(1935),
      streamName: fc.string({ minLength: 1 }),
    }),
  ),
  joined(
    decoration,
    place,
    fc.record({
      protocol: fc.constant('rtmp'),
      rtmpMode: fc.constant('CONSUMER'),
      streamName: fc.string({ minLength: 1 }),
    }),
  ),
  joined(
    decoration,
    place,
    fc.record({
      protocol: fc.constant('rtsp'),
      fec: fc.constantFrom('none', 'vf'),
      username: fc.string(),
      password: fc.string(),
    }),
  ),
)

const destinationDecoration = fc.record({
  started: fc.boolean(),
  networkAddress: fc.constant(null),
  encryption: fc.constant('none'),
})

const destination: fc.Arbitrary<object> = fc
  .oneof(
    joined(
      place,
      packets,
      fc.record({
        protocol: fc.constant('udp'),
        mode: castMode,
        fec: fc.constantFrom('none', 'vf'),
      }),
    ),
    joined(
      place,
      packets,
      fc.record({
        protocol: fc.constant('rtp'),
        mode: castMode,
        fec: fc.constantFrom('none', 'prompeg'),
        prompegFecLevel: fc.constantFrom('a', 'b'),
        prompegFecIsBlockAligned: fc.boolean(),
        prompegFecColumns: fc.integer({ min: 1, max: 20 }),
        prompegFecRows: fc.integer({ min: 4, max: 20 }),
      }),
    ),
    joined(
      packets,
      fc.oneof(single, redundant(true)),
      srt,
      fc.record(
        {
          protocol: fc.constant('srt'),
          srtEncryption: fc.constantFrom('AES128', 'AES256', 'None', 'none'),
          srtOverhead: fc.constantFrom<string | number>('25', 25, ''),
          srtConnectionLimit: fc.constantFrom<string | number>(0, '4'),
          clientConnections: fc.nat(20),
        },
        { requiredKeys: ['protocol'] },
      ),
    ),
    joined(
      srt.map(({ useFec, ...others }) => ({ ...others, useFEC: useFec ?? false })),
      single,
      fc.record({ protocol: fc.constant('srt') }),
    ),
    joined(
      fc.record(
        {
          protocol: fc.constant('http'),
          mode: fc.constant('hls'),
          address: fc.constant('/hls/one/playlist.m3u8'),
          segmentDuration: fc.constantFrom<string | number>('6', 6),
          useEncryption: fc.boolean(),
          segmentsPerKey: fc.nat(10),
          multitrackSegmenter: fc.boolean(),
        },
        { requiredKeys: ['protocol'] },
      ),
    ),
  )
  .chain((one) => joined(fc.constant(one), destinationDecoration))

/** A value after a round trip through JSON. */
const parsed = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T

/** One source as read. */
const arbitrarySource: fc.Arbitrary<Source> = joined(
  source,
  state,
  unknown,
  fc.record({ id: fc.uuid(), name: fc.string({ minLength: 1, maxLength: 60 }) }),
).map(parsed) as fc.Arbitrary<Source>

/** Destinations as read, with distinct names and IDs. */
const arbitraryDestinations: fc.Arbitrary<Destination[]> = fc
  .uniqueArray(joined(destination, state, unknown, fc.record({ id: fc.uuid() })), {
    maxLength: 4,
    selector: (one) => (one as Destination).id,
  })
  .map((ones) => ones.map((one, index) => parsed({ ...one, name: `Out ${index}` } as Destination)))

/** A route as `GET .../routes/{route}` returns it. */
export const arbitraryRoute: fc.Arbitrary<Route> = fc
  .record(
    {
      id: fc.uuid(),
      name: fc.string({ minLength: 1, maxLength: 60 }),
      source: arbitrarySource,
      destinations: arbitraryDestinations,
      elapsedTime: fc.constantFrom('', '00:00:12', '5711:57:37'),
      state: fc.constantFrom('idle', 'running', 'stopped'),
      pendingUpdates: fc.constant({}),
      hasPendingDelete: fc.boolean(),
      summaryStatusCode: fc.constantFrom('warn', 'error', 'ok', 'unknown'),
      summaryStatusDetails: fc.constantFrom('running', 'idle'),
      label: fc.uuid(),
      tags: fc.array(fc.string(), { maxLength: 2 }),
      createdAt: fc.nat(),
      lastUpdateAt: fc.nat(),
    },
    { requiredKeys: ['id', 'name', 'source', 'destinations', 'state'] },
  )
  .map(parsed)

const CHOICES: ReadonlySet<string> = new Set([
  'protocol',
  'mode',
  'srtMode',
  'srtGroupMode',
  'srtFecLayout',
  'srtFecArq',
  'srtEncryption',
  'rtmpMode',
  'rtpReceiverClass',
  'fec',
  'prompegFecLevel',
  'action',
])

/** The same route, patch or list, with another letter case of each choice and each UUID. */
export function respelled<T>(value: T): fc.Arbitrary<T> {
  return fc.infiniteStream(fc.boolean()).map((isUpper) => {
    const word = (text: string): string =>
      Array.from(text, (letter) =>
        isUpper.next().value ? letter.toUpperCase() : letter.toLowerCase(),
      ).join('')
    const spell = (part: unknown, name = ''): unknown => {
      if (typeof part === 'string') {
        return CHOICES.has(name) || (name === 'id' && part.length === 36) ? word(part) : part
      }
      if (Array.isArray(part)) return part.map((item) => spell(item))
      if (typeof part !== 'object' || part === null) return part
      return Object.fromEntries(
        Object.entries(part).map(([inside, member]) => [inside, spell(member, inside)]),
      )
    }
    return spell(value) as T
  })
}

/** A route as read, and the same one in any spelling. */
export const spelledTwice: fc.Arbitrary<[Route, Route]> = arbitraryRoute.chain((route) =>
  fc.tuple(fc.constant(route), respelled(route)),
)

/** Freezes at every depth: code that changes its input then throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}
