// Definitions for the form of a route: to open it with, and to enter into it.
import type { Properties } from '../support/editor'

/** A definition that every node takes. */
export const SOUND: Properties = {
  name: 'Sound',
  source: { name: 'in', protocol: 'udp', address: '239.0.0.9', port: 5009 },
}

export const place = { address: '239.1.2.3', port: 5000 }

/** What is entered for a route, member by member; what is entered is what has to be sent. */
export interface Entered {
  title: string
  source: Properties
  destinations?: Properties[]
}

const PATHS = [
  { address: '10.0.0.1', port: 6000, networkInterface: 'eth0' },
  { address: '10.1.0.1', port: 6001 },
]
const PACKETS = { mtu: 1316, ttl: 32, tos: 136 }
const SRT = {
  protocol: 'srt',
  srtLatency: 250,
  srtPassPhrase: 'a long pass phrase',
  srtRcvBuf: 10240000,
}
const FEC = {
  useFec: true,
  srtFecCols: 10,
  srtFecRows: 5,
  srtFecLayout: 'staircase',
  srtFecArq: 'onreq',
}

export const ROUTES: Entered[] = [
  {
    title: 'UDP to UDP',
    source: {
      name: 'in',
      protocol: 'udp',
      ...place,
      networkInterface: 'eth0',
      sourceAddress: '10.9.9.9',
    },
    destinations: [
      {
        name: 'out',
        protocol: 'udp',
        ...place,
        networkInterface: 'eth1',
        ...PACKETS,
        fec: 'vf',
        shaping: true,
        maxBitrate: 9000,
      },
    ],
  },
  {
    title: 'RTP to RTP',
    source: { name: 'in', protocol: 'rtp', ...place, retainHeader: true, fec: 'prompeg' },
    destinations: [
      {
        name: 'out',
        protocol: 'rtp',
        ...place,
        ...PACKETS,
        retainHeader: false,
        fec: 'prompeg',
        prompegFecLevel: 'b',
        prompegFecIsBlockAligned: true,
        prompegFecColumns: 20,
        prompegFecRows: 4,
      },
    ],
  },
  {
    title: 'RTP over two paths',
    source: {
      name: 'in',
      protocol: 'rtp',
      ...place,
      rtpNetworkBondingParams: [
        { address: '239.1.2.3', port: 5000, networkInterface: 'eth0', sourceAddress: '10.9.9.9' },
        { address: '239.1.2.4', port: 5000 },
      ],
      rtpReceiverClass: 'moderate',
    },
  },
  {
    title: 'SRT caller to SRT caller',
    source: { name: 'in', ...SRT, srtMode: 'caller', ...place, srtStreamID: 'live/one', ...FEC },
    destinations: [
      {
        name: 'out',
        ...SRT,
        srtMode: 'caller',
        ...place,
        srtEncryption: 'AES256',
        srtOverhead: '25',
        srtStreamID: 'live/two',
        ...PACKETS,
        ...FEC,
      },
    ],
  },
  {
    title: 'SRT listener to SRT listener',
    source: { name: 'in', ...SRT, srtMode: 'listener', address: '0.0.0.0', port: 7000 },
    destinations: [
      {
        name: 'out',
        ...SRT,
        srtMode: 'listener',
        address: '0.0.0.0',
        port: 7001,
        srtConnectionLimit: '4',
      },
    ],
  },
  {
    title: 'SRT rendezvous to SRT rendezvous',
    source: { name: 'in', ...SRT, srtMode: 'rendezvous', ...place },
    destinations: [{ name: 'out', ...SRT, srtMode: 'rendezvous', ...place }],
  },
  {
    title: 'SRT over two paths',
    source: {
      name: 'in',
      ...SRT,
      srtMode: 'caller',
      srtGroupMode: 'broadcast',
      srtNetworkBondingParams: PATHS,
    },
    destinations: [
      {
        name: 'out',
        ...SRT,
        srtMode: 'listener',
        srtGroupMode: 'backup',
        srtNetworkBondingParams: PATHS.map((path) => ({ ...path, ...PACKETS })),
      },
    ],
  },
  {
    title: 'RTMP publisher to HLS',
    source: { name: 'in', protocol: 'rtmp', rtmpMode: 'PUBLISHER', streamName: 'studio' },
    destinations: [
      {
        name: 'out',
        protocol: 'hls',
        segmentDuration: 6,
        useEncryption: true,
        segmentsPerKey: 3,
        multitrackSegmenter: false,
      },
    ],
  },
  {
    title: 'RTMP consumer',
    source: {
      name: 'in',
      protocol: 'rtmp',
      rtmpMode: 'CONSUMER',
      address: 'media.example.com',
      port: 1935,
      streamName: 'studio',
    },
  },
  {
    title: 'RTSP to two destinations',
    source: {
      name: 'in',
      protocol: 'rtsp',
      ...place,
      username: 'camera',
      password: 'example',
      fec: 'none',
    },
    destinations: [
      { name: 'out 1', protocol: 'udp', ...place },
      { name: 'out 2', protocol: 'hls' },
    ],
  },
]

/** A definition with much that the form does not know, or not in this place. */
export const STRANGE = {
  startRoute: true,
  name: 'Strange',
  later: { depth: [1, 2] },
  source: {
    zeta: null,
    name: 'in',
    id: 's1',
    protocol: 'srt',
    srtMode: 'listener',
    jitter: { ms: 5 },
    address: '0.0.0.0',
    port: '7000',
    labels: ['a', 'b'],
  },
  destinations: [
    { name: 'one', protocol: 'ndi', group: 'x', id: 'd1' },
    { name: 'two', alpha: [1], protocol: 'http', mode: 'hls', segmentDuration: '6' },
    'no object',
    { protocol: 'srt', name: 'three', mode: 'caller', ...place, useFEC: false, port: '5000' },
  ],
}
