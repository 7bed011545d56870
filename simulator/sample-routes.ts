import type { RouteSpec, SentDestination, SentSource } from './model'
import { randomNumbers, type Random } from './random'

/**
 * Route definitions in the form in which they are sent, with every protocol and mode of
 * docs/project/interface.md#source and #destination: the first eight cover every protocol, the
 * first fourteen everything. The same count and seed give the same routes, and a larger count begins
 * with the routes of a smaller one. About half have `startRoute` set. Addresses are from the
 * documentation and local multicast ranges.
 */
export function generateRoutes(count: number, seed = 1): RouteSpec[] {
  const random = randomNumbers(seed)
  return Array.from({ length: count }, (_, place) => {
    const round = Math.floor(place / PLACES.length)
    const name = `${PLACES[place % PLACES.length]}${round ? ` ${round + 1}` : ''}`
    const design = DESIGNS[place % DESIGNS.length] ?? udpMulticast
    const { source, destinations } = design(name, random)
    const named = { name: `${name} in`, ...source }
    return { name, startRoute: random(2) === 0, source: named, destinations }
  })
}

const PLACES = [
  'Studio A',
  'OB van 3',
  'Stadium North',
  'Newsroom feed',
  'City hall',
  'Harbour camera',
  'Concert hall',
  'Weather desk',
  'Studio B',
  'Ski jump',
  'Parliament',
  'Race control',
  'OB van 7',
  'Helicopter',
  'Backup uplink',
  'Mountain relay',
  'Press center',
  'Archive playout',
  'Sports bar',
]

type Design = (
  name: string,
  random: Random,
) => { source: Omit<SentSource, 'name'>; destinations: SentDestination[] }

const udpMulticast: Design = (name, random) => ({
  source: {
    protocol: 'udp',
    address: `239.10.${random(250)}.${1 + random(250)}`,
    port: port(random),
    networkInterface: 'eth1',
    sourceAddress: unicast(random),
  },
  destinations: [srtListener(`${name} out`, random)],
})

const srtSecret: Design = (name, random) => ({
  source: {
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: port(random),
    networkInterface: 'eth0',
    srtLatency: 250,
    srtPassPhrase: `invented-${random(100_000)}-passphrase`,
  },
  destinations: [udp(`${name} out`, random)],
})

const srtCaller: Design = (name, random) => ({
  source: {
    protocol: 'srt',
    srtMode: 'caller',
    address: unicast(random),
    port: port(random),
    networkInterface: '',
    srtLatency: 125,
    srtStreamID: `feed-${random(1000)}`,
    useFec: true,
    srtFecCols: 10,
    srtFecRows: 5,
    srtFecLayout: 'staircase',
    srtFecArq: 'onreq',
  },
  destinations: [srtCallerOut(`${name} main`, random), rtp(`${name} spare`, random)],
})

const rtpProMpeg: Design = (name, random) => ({
  source: {
    protocol: 'rtp',
    address: `239.20.${random(250)}.${1 + random(250)}`,
    port: port(random),
    networkInterface: 'eth1',
    fec: 'prompeg',
    retainHeader: true,
  },
  destinations: [
    {
      ...rtp(`${name} out`, random),
      fec: 'prompeg',
      prompegFecLevel: 'b',
      prompegFecIsBlockAligned: false,
      prompegFecColumns: 10,
      prompegFecRows: 5,
    },
  ],
})

const rtmpPublisher: Design = (name, random) => ({
  source: {
    protocol: 'rtmp',
    rtmpMode: 'PUBLISHER',
    streamName: `stream-${random(1000)}`,
  },
  destinations: [hls(`${name} web`)],
})

const rtsp: Design = (name, random) => ({
  source: {
    protocol: 'rtsp',
    address: unicast(random),
    port: 554,
    networkInterface: 'eth0',
    username: 'viewer',
    password: `invented-${random(100_000)}`,
    fec: 'none',
  },
  destinations: [udp(`${name} out`, random)],
})

const srtPaths: Design = (name, random) => ({
  source: {
    protocol: 'srt',
    srtMode: 'listener',
    srtLatency: 500,
    srtGroupMode: 'broadcast',
    srtNetworkBondingParams: paths(port(random), ['0.0.0.0', '0.0.0.0']),
  },
  destinations: [
    {
      name: `${name} out`,
      protocol: 'srt',
      srtMode: 'caller',
      srtLatency: 500,
      srtEncryption: 'None',
      srtGroupMode: 'broadcast',
      srtNetworkBondingParams: paths(port(random), [unicast(random), unicast(random)]),
    },
  ],
})

const withoutDestinations: Design = (_name, random) => ({
  source: udpIn(random),
  destinations: [],
})

const fanOut: Design = (name, random) => ({
  source: udpIn(random),
  destinations: [
    udp(`${name} gallery`, random),
    srtListener(`${name} partners`, random),
    srtCallerOut(`${name} cloud`, random),
    hls(`${name} preview`),
    { ...udp(`${name} reserve`, random), action: 'stop' },
  ],
})

const srtRendezvous: Design = (name, random) => ({
  source: {
    protocol: 'srt',
    srtMode: 'rendezvous',
    address: unicast(random),
    port: port(random),
    networkInterface: '',
    srtLatency: 1000,
  },
  destinations: [srtRendezvousOut(`${name} out`, random)],
})

const rtmpConsumer: Design = (name, random) => ({
  source: {
    protocol: 'rtmp',
    rtmpMode: 'CONSUMER',
    address: unicast(random),
    port: 1935,
    streamName: `stream-${random(1000)}`,
  },
  destinations: [rtp(`${name} out`, random)],
})

const rtpUnicast: Design = (name, random) => ({
  source: {
    protocol: 'rtp',
    address: '0.0.0.0',
    port: port(random),
    networkInterface: 'eth0',
    fec: 'none',
  },
  destinations: [srtListener(`${name} out`, random), hls(`${name} web`)],
})

const srtListenerPlain: Design = (name, random) => ({
  source: {
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: port(random),
    networkInterface: '',
    srtLatency: 6000,
    srtPassPhrase: '',
    srtRcvBuf: 20_240_000,
  },
  destinations: [udp(`${name} out`, random), udp(`${name} monitor`, random)],
})

const srtCallerSecret: Design = (name, random) => {
  const passphrase = `invented-${random(100_000)}-passphrase`
  return {
    source: {
      protocol: 'srt',
      srtMode: 'caller',
      address: unicast(random),
      port: port(random),
      networkInterface: 'eth0',
      srtLatency: 300,
      srtPassPhrase: passphrase,
    },
    destinations: [
      {
        ...srtListener(`${name} out`, random),
        srtEncryption: 'AES256',
        srtPassPhrase: passphrase,
      },
    ],
  }
}

/** A small set should be as varied as possible: every protocol comes before any repeats. */
const DESIGNS: Design[] = [
  udpMulticast,
  srtSecret,
  fanOut,
  rtpProMpeg,
  rtmpPublisher,
  rtsp,
  srtPaths,
  withoutDestinations,
  srtCaller,
  srtRendezvous,
  rtmpConsumer,
  rtpUnicast,
  srtListenerPlain,
  srtCallerSecret,
]

function udpIn(random: Random): Omit<SentSource, 'name'> {
  return { protocol: 'udp', address: '0.0.0.0', port: port(random), networkInterface: 'eth0' }
}

function udp(name: string, random: Random): SentDestination {
  return {
    name,
    protocol: 'udp',
    address: random(2) ? `239.30.${random(250)}.${1 + random(250)}` : unicast(random),
    port: port(random),
    networkInterface: 'eth1',
    mtu: 1496,
    ttl: 64,
    tos: 136,
    fec: 'none',
    shaping: false,
    maxBitrate: 10_000,
  }
}

function rtp(name: string, random: Random): SentDestination {
  return { ...udp(name, random), protocol: 'rtp', tos: 184, retainHeader: false }
}

function srtListener(name: string, random: Random): SentDestination {
  return {
    name,
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: port(random),
    networkInterface: 'eth0',
    srtLatency: 250,
    srtEncryption: 'None',
    srtConnectionLimit: 0,
    srtOverhead: '25',
  }
}

function srtRendezvousOut(name: string, random: Random): SentDestination {
  return {
    name,
    protocol: 'srt',
    srtMode: 'rendezvous',
    address: unicast(random),
    port: port(random),
    networkInterface: '',
    srtLatency: 1000,
    srtEncryption: 'None',
    srtOverhead: '25',
  }
}

function srtCallerOut(name: string, random: Random): SentDestination {
  return {
    name,
    protocol: 'srt',
    srtMode: 'caller',
    address: unicast(random),
    port: port(random),
    networkInterface: '',
    srtLatency: 250,
    srtEncryption: 'AES128',
    srtPassPhrase: `invented-${random(100_000)}-passphrase`,
    srtStreamID: `out-${random(1000)}`,
    srtOverhead: '25',
    useFec: false,
  }
}

function hls(name: string): SentDestination {
  return {
    name,
    protocol: 'hls',
    segmentDuration: 6,
    useEncryption: false,
    segmentsPerKey: 10,
    multitrackSegmenter: false,
  }
}

function paths(first: number, addresses: string[]) {
  return addresses.map((address, place) => ({
    address,
    port: first + place,
    networkInterface: `eth${place}`,
  }))
}

function unicast(random: Random): string {
  return `${['192.0.2', '198.51.100', '203.0.113'][random(3)]}.${1 + random(250)}`
}

function port(random: Random): number {
  return 5000 + random(4000) * 2
}
