// A slip inside a source or a destination is refused, and never sent and reported as accepted.
import { startSimulator, type Simulator } from '../../simulator'
import type { Route } from '../../client'
import { doubtsOfRoute } from '../../client/model/doubts'
import { failure, load, result, unload } from '../support/flow'

type Json = Record<string, unknown>

const NODES = {
  create: { type: 'media-gateway-create-route' },
  unchecked: { type: 'media-gateway-create-route', validate: false },
  merge: { type: 'media-gateway-update-route', mode: 'merge' },
  keep: { type: 'media-gateway-update-route', mode: 'keep' },
  replace: { type: 'media-gateway-update-route', mode: 'replace' },
  ensure: { type: 'media-gateway-ensure-route' },
  check: { type: 'media-gateway-ensure-route', check: true },
  get: { type: 'media-gateway-get-route' },
}

const udp = { name: 'In', protocol: 'udp', address: '239.1.1.1', port: 5000 }
const srt = { name: 'In', protocol: 'srt', srtMode: 'caller', address: '192.0.2.7', port: 5000 }
const out = { name: 'Out', protocol: 'udp', address: '192.0.2.9', port: 6000 }
const PATHS = [
  { address: '192.0.2.7', port: 5000 },
  { address: '192.0.2.8', port: 5000 },
]
const bonded = { name: 'In', protocol: 'srt', srtMode: 'caller', srtGroupMode: 'broadcast' }

describe('a slip in a definition', () => {
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: 3, applyDelay: 0, settleDelay: 0 })
    await load(simulator.url, NODES)
  })
  beforeEach(() => simulator.clearJournal())
  after(async () => {
    await unload()
    await simulator.stop()
  })

  const sent = (): unknown[] =>
    simulator.journal.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/session'))

  const route = (source: Json, ...destinations: Json[]): Json => ({
    name: 'New',
    source,
    destinations,
  })

  /** What is given; for the rest, any text will do. */
  const VALUES: Json = { encryption: 'AES128', mode: 'CONSUMER', latency: 500 }
  const RTMP = { name: 'In', protocol: 'rtmp', rtmpMode: 'PUBLISHER', streamName: 'a' }
  const PHRASE = 'passphrase password srtPassphrase pass_phrase encrption srtEncription enc key'
  const SLIPS: Array<[part: Json, meant: string, slips: string, isSource?: false]> = [
    [udp, 'address', 'adress ip Host url addr'],
    [udp, 'port', 'prot'],
    [udp, 'networkInterface', 'iface'],
    [srt, 'srtPassPhrase', PHRASE],
    [srt, 'srtLatency', 'latency latncy srt_latency'],
    [RTMP, 'rtmpMode', 'mode'],
    [{ ...srt, name: 'Out' }, 'srtEncryption', 'encrption Srt_Encription encryption', false],
    [out, 'ttl', 'tll', false],
  ]
  const slips = SLIPS.flatMap(([part, meant, names, isSource = true]) =>
    names.split(' ').map((name): [Json, string, string] => {
      const faulty = { ...part, [name]: VALUES[name] ?? 'a secret word' }
      const definition = isSource ? route(faulty) : route(udp, faulty)
      const path = `${isSource ? 'source' : 'destinations[0]'}.${name}`
      return [definition, path, `Unknown field ${path}. Did you mean ${meant}?`]
    }),
  )

  const cases: Array<[definition: Json, path: string, says: string]> = [
    ...slips,
    [
      route({ ...bonded, srtNetworkBondingParams: [{ ...PATHS[0], adress: 'a' }, PATHS[1]] }),
      'source.srtNetworkBondingParams[0].adress',
      'Did you mean address?',
    ],
    ...['http://x', '999.1.1.1', ' 239.40.0.1 ', 'a b', '10.0.0', '10.0.0.1:5000', 'x..y'].map(
      (address): [Json, string, string] => [
        route({ ...udp, address }),
        'source.address',
        `source.address is ${JSON.stringify(address)}; it must be an IP address or a host name, without blanks, scheme or port.`,
      ],
    ),
    [
      route({ ...bonded, srtNetworkBondingParams: [PATHS[0], { ...PATHS[1], address: 'a b' }] }),
      'source.srtNetworkBondingParams[1].address',
      'it must be an IP address or a host name',
    ],
    [{ ...route(udp), name: ' New ' }, 'name', 'begins or ends with a blank'],
    [route(udp, { ...out, name: 'Out ' }), 'destinations[0].name', 'begins or ends with a blank'],
  ]
  for (const [definition, path, says] of cases) {
    it(`of a new route is refused with what was meant: ${path} (${says})`, async () => {
      for (const node of ['create', 'ensure']) {
        const { code, cause, message } = await failure(node, { payload: definition })
        code.should.equal('INVALID_INPUT')
        cause.problems!.map((one) => one.path).should.eql([path], node)
        message.should.containEql(says)
        message.should.not.containEql('a secret word')
      }
      sent().should.eql([])
    })
  }

  const patches: Array<[source: Json, says: string]> = [
    [{ adress: '239.1.1.2' }, 'Unknown field source.adress. Did you mean address?'],
    [{ ip: '239.1.1.2' }, 'Unknown field source.ip. Did you mean address?'],
    [{ address: 'http://x' }, 'source.address is "http://x"; it must be an IP address'],
  ]
  for (const [source, says] of patches) {
    it(`of an update is refused before anything is sent: ${says}`, async () => {
      const { id, name } = simulator.routes[0]!
      const read = (await result('get', { routeId: id })).payload as Route
      const whole = { ...read, source: { ...read.source, ...source } }
      const { id: _, ...unread } = read.source
      const given: Array<[node: string, payload: Json]> = [
        ['merge', { source }],
        ['ensure', { name, source }],
        // A route as read and edited.
        ['merge', whole],
        ['keep', whole],
        ['replace', whole],
        ['ensure', whole],
        ['keep', { source: { ...unread, ...source } }],
      ]
      for (const [node, payload] of given) {
        const { code, message } = await failure(node, { routeId: id, payload })
        code.should.equal('INVALID_INPUT', node)
        message.should.startWith(`Route "${name}" on `)
        message.should.containEql(says)
      }
      sent().should.eql([])
    })
  }

  it('is none where the gateway itself returned the field, or the value', async () => {
    const stored = simulator.routes[1]!
    Object.assign(stored.source, {
      adress: 'x',
      passphrase: 'newer firmware',
      srtLatancy: 5,
      encryption: 'AES512',
    })
    const { id, name } = stored
    const read = (await result('get', { routeId: id })).payload as Route
    const own = read.source as Json
    own.should.have.property('adress', 'x')
    const edited = { ...read, destinations: read.destinations }
    for (const node of ['merge', 'keep', 'replace', 'ensure']) {
      await result(node, { routeId: id, payload: edited })
    }
    await result('merge', { routeName: name, payload: { source: { adress: 'y' } } })
    const copy = { ...read, name: 'A copy' }
    delete (copy.source as Json)['passphrase']
    await result('create', { payload: copy })
  })

  it('is none with "check the values" off, and known names of other protocols pass', async () => {
    await result('unchecked', { payload: { ...route({ ...udp, adress: 'x' }), name: 'Unchecked' } })
    const leftOver = {
      ...udp,
      srtLatency: 120,
      streamName: '',
      mode: 'multicast',
      encryption: 'none',
    }
    await result('create', { payload: { ...route(leftOver), name: 'Left over' } })
  })

  it('is not every unknown field: others are sent, and named in the result', async () => {
    const later = { ...udp, later: { depth: 1 } }
    const { gateway } = await result('create', {
      payload: { ...route(later, { ...out, colour: 'red' }), name: 'Later' },
    })
    const { unknownFields } = gateway as Json
    ;(unknownFields as string[]).should.eql(['source.later', 'destinations[0].colour'])
    const rows = { payload: [{ name: 'Later', source: { other: 1 } }] }
    const planned = await result('check', rows)
    should(planned.gateway!).not.have.property('unknownFields')
    const again = await result('ensure', rows)
    ;((again.gateway as Json)['unknownFields'] as string[]).should.eql(['[0].source.other'])
    const { id } = simulator.routes[0]!
    const plain = await result('merge', { routeId: id, payload: { source: { port: 5123 } } })
    plain.gateway!.should.not.have.property('unknownFields')
  })

  it('is no blank in the name of a route that is there: it is found by its exact name', async () => {
    const stored = simulator.routes[2]!
    stored.name = ' Studio C '
    stored.destinations[0]!.name = 'Out '
    const { id } = stored
    for (const node of ['ensure', 'merge']) {
      await result(node, { routeId: id, payload: { name: ' Studio C ', source: { port: 5999 } } })
    }
    const destinations = [{ name: 'Out ', port: 6999 }]
    await result('ensure', { payload: { name: ' Studio C ', destinations } })
    stored.name.should.equal(' Studio C ')
  })

  it('is no address of any usual form', async () => {
    const addresses = [
      '0.0.0.0',
      '239.1.1.1',
      '::1',
      'fe80::1%ens33',
      'ff3e::8000:1',
      'gw',
      'gw-1.example.com.',
      'büro_1',
    ]
    for (const [index, address] of addresses.entries()) {
      await result('create', { payload: { ...route({ ...udp, address }), name: `Good ${index}` } })
    }
  })
})

/** What the vendor documents, and what was seen: of all, and of sources and destinations by protocol. */
const COMMON =
  'name id protocol address port networkInterface state summaryStatusCode summaryStatusDetails labels tags mode encryption usedBandwidth srtRcvBuf srtGroupMode srtPassPhrase networkAddress clientConnections elapsedTime started pendingUpdates hasPendingDelete index gatewayID routeID createdAt lastUpdateAt srtMaxBandwidth srtVersion'
const SRT =
  'srtMode srtLatency srtStreamID useFec useFEC srtFecCols srtFecRows srtFecLayout srtFecArq srtNetworkBondingParams srtEncryption'
const PACKETS = 'mtu ttl tos retainHeader fec shaping maxBitrate'
const DOCUMENTED = {
  source: {
    udp: 'sourceAddress',
    rtp: 'sourceAddress retainHeader fec rtpReceiverClass rtpNetworkBondingParams',
    srt: SRT,
    rtmp: 'streamName rtmpMode',
    rtsp: 'fec username password',
  },
  destination: {
    udp: `action ${PACKETS}`,
    rtp: `action ${PACKETS} prompegFecLevel prompegFecIsBlockAligned prompegFecColumns prompegFecRows`,
    srt: `action ${PACKETS} ${SRT} srtOverhead srtConnectionLimit`,
    hls: 'action segmentDuration useEncryption segmentsPerKey multitrackSegmenter',
    http: 'segmentDuration useEncryption segmentsPerKey multitrackSegmenter',
  },
}

describe('a field that the vendor documents or that was seen', () => {
  const faultsOf = (route: Json): unknown[] => doubtsOfRoute(route).faults
  const partOf = (names: string, value: unknown): Json =>
    Object.fromEntries(names.split(' ').map((name) => [name, value]))

  for (const [direction, protocols] of Object.entries(DOCUMENTED)) {
    for (const [protocol, names] of Object.entries(protocols)) {
      it(`is never taken for a slip: in a ${direction} with ${protocol}`, () => {
        // What is shown of it, and a value that is no text: neither is a wish.
        for (const value of ['', null]) {
          const part = { ...partOf(`${COMMON} ${names}`, value), protocol }
          const route = direction === 'source' ? { source: part } : { destinations: [part] }
          faultsOf(route).should.eql([])
        }
      })
    }

    it(`is left over from another protocol, or in a patch without one: of a ${direction}`, () => {
      const names = Object.entries(protocols)
        .map(([, some]) => some)
        .join(' ')
        // In an SRT source it is what people call another one.
        .replace(/\bpassword\b/, 'username')
      for (const protocol of [...Object.keys(protocols), undefined]) {
        const part = { ...partOf(`${COMMON} ${names}`, null), protocol }
        const route = direction === 'source' ? { source: part } : { destinations: [part] }
        faultsOf(route).should.eql([])
      }
    })
  }
})
