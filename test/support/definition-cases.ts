// Definitions of new routes, and whether they are valid. The form, the checks and the simulator
// have to agree on each.

type Json = Record<string, unknown>

export interface DefinitionCase {
  what: string
  definition: Json
  isTaken: boolean
  /** Why the simulator accepts unchanged what the check refuses. */
  onlyChecked?: string
}

const udp = { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5000 }
const rtp = { ...udp, protocol: 'rtp' }
const srt = { name: 'In', protocol: 'srt', srtMode: 'caller', address: '192.0.2.7', port: 5000 }
const listener = { name: 'In', protocol: 'srt', srtMode: 'listener', port: 5000 }
const rtmp = { name: 'In', protocol: 'rtmp', rtmpMode: 'PUBLISHER', streamName: 'studio' }
const rtsp = { name: 'In', protocol: 'rtsp', address: '192.0.2.7', port: 554 }
const out = { name: 'Out', protocol: 'udp', address: '192.0.2.9', port: 6000 }
const srtOut = { ...srt, name: 'Out' }
const hls = { name: 'Out', protocol: 'hls' }
const PATHS = [
  { address: '192.0.2.7', port: 5000, networkInterface: 'eth0' },
  { address: '192.0.2.8', port: 5000 },
]
const bonded = {
  name: 'In',
  protocol: 'srt',
  srtMode: 'caller',
  srtGroupMode: 'broadcast',
  srtNetworkBondingParams: PATHS,
}

const route = (more: Json): Json => ({ name: 'Route', source: udp, ...more })
const from = (source: unknown): Json => route({ source })
const to = (...destinations: unknown[]): Json => route({ destinations })
/** Without some members. */
const less = (part: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(part).filter(([name]) => !names.includes(name)))

const taken: Record<string, Json> = {
  'UDP, as little as there can be': from(udp),
  'no destinations': to(),
  'null for destinations': route({ destinations: null }),
  'startRoute as text': route({ startRoute: 'true' }),
  'null for startRoute': route({ startRoute: null }),
  'a name of 60 characters': route({ name: 'x'.repeat(60) }),
  'a name with a space within': route({ name: 'Studio A' }),
  'names of parts with 1 and 60 characters': route({
    source: { ...udp, name: 'x' },
    destinations: [{ ...out, name: 'y'.repeat(60) }],
  }),
  'ports at both ends of the range': route({
    source: { ...udp, port: 1 },
    destinations: [{ ...out, port: 65_535 }],
  }),
  'a port as text': from({ ...udp, port: '5000' }),
  'a member that nobody knows': from({ ...udp, later: { depth: 1 } }),
  'IDs of another route': route({
    source: { ...udp, id: 'a' },
    destinations: [{ ...out, id: 'b' }],
  }),
  'null for what is optional': from({ ...udp, networkInterface: null, sourceAddress: null }),
  'empty text for what is optional': from({
    ...srt,
    networkInterface: '',
    srtPassPhrase: '',
    srtGroupMode: '',
    srtFecArq: '',
    srtNetworkBondingParams: '',
  }),
  'UDP with members of SRT': from({ ...udp, srtMode: 'never', srtLatency: -1 }),
  'two addresses in one text, without redundancy': from({ ...srt, address: '192.0.2.7|192.0.2.8' }),
  'RTP with FEC': from({ ...rtp, fec: 'prompeg', retainHeader: true }),
  'RTP over two paths, without an address': from({
    ...less(rtp, 'address', 'port'),
    rtpNetworkBondingParams: PATHS,
    rtpReceiverClass: 'low',
  }),
  'SRT caller': from(srt),
  'SRT caller with everything': from({
    ...srt,
    srtLatency: 250,
    srtRcvBuf: '10240000',
    srtPassPhrase: 'ten chars!',
    srtStreamID: 'a',
    useFec: 'true',
    srtFecCols: 10,
    srtFecRows: '5',
    srtFecLayout: 'even',
    srtFecArq: 'onreq',
  }),
  'SRT listener with an address': from({ ...listener, address: '0.0.0.0' }),
  'SRT listener without an address': from(listener),
  'SRT listener with an empty address': from({ ...listener, address: '' }),
  'SRT listener as a destination, without an address': to({ ...listener, name: 'Out' }),
  'SRT rendezvous': from({ ...srt, srtMode: 'rendezvous' }),
  'SRT without a mode': from(less(srt, 'srtMode')),
  'SRT with an empty mode': from({ ...srt, srtMode: '' }),
  'SRT destination without a mode': to(less(srtOut, 'srtMode')),
  'a mode as a route is read': from({ ...less(srt, 'srtMode'), mode: 'caller' }),
  'SRT Listener in other case, without an address': from({ ...listener, srtMode: 'Listener' }),
  'choices in other case': route({
    source: { ...srt, protocol: 'SRT', srtMode: 'CALLER', srtFecLayout: 'Even' },
    destinations: [
      { ...out, protocol: 'Udp', fec: 'VF' },
      { ...srtOut, name: 'Other', srtEncryption: 'aes256' },
    ],
  }),
  'an RTMP publisher in lower case': from({ ...rtmp, rtmpMode: 'publisher' }),
  'the other spelling of staircase': from({ ...srt, useFec: true, srtFecLayout: 'saircase' }),
  'SRT over two paths': from(bonded),
  'SRT over two paths, as a listener': from({
    ...bonded,
    srtMode: 'listener',
    srtGroupMode: 'backup',
  }),
  'SRT over two paths, joined as in answers': from({
    ...less(bonded, 'srtNetworkBondingParams'),
    address: '192.0.2.7|192.0.2.8',
    port: '5000|5001',
    networkInterface: 'eth0|',
  }),
  'redundancy with rendezvous, which is documented neither way': from({
    ...bonded,
    srtMode: 'rendezvous',
  }),
  'SRT destination over two paths, each with its own packets': to({
    ...bonded,
    name: 'Out',
    srtNetworkBondingParams: PATHS.map((path) => ({ ...path, mtu: 280, ttl: 255, tos: 0 })),
  }),
  'RTMP publisher': from(rtmp),
  'RTMP publisher as it is read': from({ ...rtmp, address: '127.0.0.1/live', port: 1935 }),
  'RTMP consumer': from({
    ...rtmp,
    rtmpMode: 'CONSUMER',
    address: 'media.example.com',
    port: 1935,
  }),
  RTSP: from({ ...rtsp, username: 'a', password: 'b', fec: 'vf' }),
  'UDP destination at the ends of all ranges': to(
    { ...out, mtu: 280, ttl: 1, tos: 0 },
    { ...out, name: 'Other', mtu: 1500, ttl: 255, tos: 255, maxBitrate: 0 },
  ),
  'RTP destination with FEC': to({
    ...out,
    protocol: 'rtp',
    fec: 'prompeg',
    prompegFecLevel: 'b',
    prompegFecColumns: 20,
    prompegFecRows: 4,
    prompegFecIsBlockAligned: false,
  }),
  'SRT destination, overhead as a number': to({
    ...srtOut,
    srtOverhead: 25,
    srtConnectionLimit: '5',
  }),
  'SRT destination, overhead as text': to({ ...srtOut, srtOverhead: '25', srtConnectionLimit: 5 }),
  HLS: to(hls),
  'HLS as it is read': to({
    ...hls,
    protocol: 'http',
    mode: 'hls',
    address: '/hls/x/index.m3u8',
    segmentDuration: '6',
  }),
  'a destination that is stopped': to({ ...out, action: 'stop' }),
  'a destination named as the source': to({ ...out, name: 'In' }),
  'a pass phrase of 79 characters': from({ ...srt, srtPassPhrase: 'x'.repeat(79) }),
}

const refused: Record<string, Json> = {
  'no name': less(route({}), 'name'),
  'an empty name': route({ name: '' }),
  'a name of 61 characters': route({ name: 'x'.repeat(61) }),
  'a number for a name': route({ name: 5 }),
  'no source': less(route({}), 'source'),
  'a list for a source': from([]),
  'text for destinations': route({ destinations: 'none' }),
  'an object for destinations': route({ destinations: { Out: out } }),
  'text for a destination': to('Out'),
  'startRoute that is neither true nor false': route({ startRoute: 'yes' }),
  'a source without a name': from(less(udp, 'name')),
  'a destination with a name of 61 characters': to({ ...out, name: 'x'.repeat(61) }),
  'two destinations of one name': to(out, { ...out, port: 6001 }),
  'no protocol': from(less(udp, 'protocol')),
  'a protocol that nobody knows': from({ ...udp, protocol: 'ndi' }),
  'HLS as a source': from({ ...udp, protocol: 'hls' }),
  'RTMP as a destination': to({ ...out, protocol: 'rtmp' }),
  'UDP without an address': from(less(udp, 'address')),
  'UDP with an empty address': from({ ...udp, address: '' }),
  'UDP without a port': from(less(udp, 'port')),
  'port 0': from({ ...udp, port: 0 }),
  'port 65536': to({ ...out, port: 65_536 }),
  'half a port': from({ ...udp, port: 5000.5 }),
  'a port of letters': from({ ...udp, port: 'five' }),
  'two ports in one text, without redundancy': from({ ...srt, port: '5000|5001' }),
  'a number for an address': from({ ...udp, address: 5 }),
  'a number for an interface': from({ ...udp, networkInterface: 0 }),
  'SRT caller without an address': from(less(srt, 'address')),
  'SRT rendezvous without an address': from(less({ ...srt, srtMode: 'rendezvous' }, 'address')),
  'SRT without mode and address': from(less(srt, 'srtMode', 'address')),
  'SRT listener without a port': from(less({ ...listener, address: '0.0.0.0' }, 'port')),
  'a mode that there is not': from({ ...srt, srtMode: 'server' }),
  'a negative latency': from({ ...srt, srtLatency: -1 }),
  'a latency of letters': from({ ...srt, srtLatency: 'low' }),
  'FEC that is neither on nor off': from({ ...srt, useFec: 'on' }),
  'a layout that there is not': from({ ...srt, srtFecLayout: 'odd' }),
  'a number for a stream ID': from({ ...srt, srtStreamID: 7 }),
  'text for labels': from({ ...udp, labels: 'a' }),
  'redundancy without paths': from(less(bonded, 'srtNetworkBondingParams')),
  'redundancy with an empty list of paths': from({ ...bonded, srtNetworkBondingParams: [] }),
  'redundancy with empty text for paths': from({ ...bonded, srtNetworkBondingParams: '' }),
  'a path without a port': from({
    ...bonded,
    srtNetworkBondingParams: [PATHS[0], { address: '192.0.2.8' }],
  }),
  'a path without an address': from({ ...bonded, srtNetworkBondingParams: [{ port: 5000 }] }),
  'a path that is text': from({ ...bonded, srtNetworkBondingParams: ['192.0.2.7'] }),
  'a path with an MTU out of range': to({
    ...bonded,
    name: 'Out',
    srtNetworkBondingParams: [{ ...PATHS[0], mtu: 9000 }],
  }),
  'a way of redundancy that there is not': from({ ...bonded, srtGroupMode: 'both' }),
  'RTP with the FEC of RTSP': from({ ...rtp, fec: 'vf' }),
  'a path of RTP without an address': from({ ...rtp, rtpNetworkBondingParams: [{ port: 5000 }] }),
  'RTMP without a mode': from(less(rtmp, 'rtmpMode')),
  'RTMP without a name of the stream': from(less(rtmp, 'streamName')),
  'RTMP consumer without an address': from({ ...rtmp, rtmpMode: 'CONSUMER', port: 1935 }),
  'RTSP without an address': from(less(rtsp, 'address')),
  'UDP destination with the FEC of RTP': to({ ...out, fec: 'prompeg' }),
  'an MTU below its range': to({ ...out, mtu: 279 }),
  'an MTU above its range': to({ ...out, mtu: 1501 }),
  'a TTL of 0': to({ ...out, ttl: 0 }),
  'a type of service of 256': to({ ...out, tos: 256 }),
  'too many columns': to({ ...out, protocol: 'rtp', prompegFecColumns: 21 }),
  'too few rows': to({ ...out, protocol: 'rtp', prompegFecRows: 3 }),
  'an encryption that there is not': to({ ...srtOut, srtEncryption: 'AES512' }),
  'an overhead of letters': to({ ...srtOut, srtOverhead: 'much' }),
  'a limit of letters': to({ ...srtOut, srtConnectionLimit: 'few' }),
  'an action that there is not': to({ ...out, action: 'pause' }),
  'a duration of letters': to({ ...hls, segmentDuration: 'long' }),
}

const onlyChecked: Record<string, [definition: Json, why: string]> = {
  'a pass phrase of 9 characters': [
    from({ ...srt, srtPassPhrase: 'x'.repeat(9) }),
    'the length is a rule of SRT itself: the appliance documents none',
  ],
  'a pass phrase of 80 characters': [
    from({ ...srt, srtPassPhrase: 'x'.repeat(80) }),
    'the length is a rule of SRT itself: the appliance documents none',
  ],
  'a hidden value': [
    from({ ...srt, srtPassPhrase: '********' }),
    'the sign for a hidden value is of this package',
  ],
  'a misspelt member of the route': [
    route({ sources: [] }),
    'the appliance disregards what it does not know, and the check tells of a slip',
  ],
  'a name with spaces at both ends': [route({ name: ' Studio A ' }), 'nobody sees them'],
  'a slip in a member': [from({ ...udp, adress: '239.1.1.2' }), 'it ignores what it does not know'],
  'a URL for an address': [from({ ...udp, address: 'http://x' }), 'it takes any text'],
}

export const DEFINITION_CASES: readonly DefinitionCase[] = [
  ...Object.entries(taken).map(([what, definition]) => ({ what, definition, isTaken: true })),
  ...Object.entries(refused).map(([what, definition]) => ({ what, definition, isTaken: false })),
  ...Object.entries(onlyChecked).map(([what, [definition, why]]) => ({
    what,
    definition,
    isTaken: false,
    onlyChecked: why,
  })),
]
