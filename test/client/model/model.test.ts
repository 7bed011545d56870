import * as fc from 'fast-check'
import {
  destinationToSent,
  forCreate,
  partToSent,
  sourceToSent,
  toSent,
} from '../../../client/model/convert'
import { PROTOCOLS, membersOf } from '../../../client/model/members'
import {
  findHidden,
  HIDDEN,
  hideSecrets,
  isSecret,
  keepHidden,
} from '../../../client/model/secrets'
import type { Destination, RouteFields, Source } from '../../../client/model/types'
import { arbitraryRoute, frozen, spelledTwice } from '../../support/arbitraries'
import { worded } from '../../support/worded'
import { DESTINATION, SOURCE } from './parts'

const asSource = (part: object) => sourceToSent(part as Source)
const asDestination = (part: object) => destinationToSent(part as Destination)

describe('model: from read to sent', () => {
  it('converts once for all', () => {
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        const sent = toSent(frozen(route))
        toSent(frozen(sent)).should.eql(sent)
      }),
    )
  })

  it('sends nothing that is read-only', () => {
    const readOnly = `
      state started usedBandwidth elapsedTime summaryStatusCode summaryStatusDetails
      clientConnections pendingUpdates hasPendingDelete networkAddress mode useFEC
      createdAt lastUpdateAt
    `.split(/\s+/)
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        const { name, source, destinations, ...others } = toSent(frozen(route))
        others.should.eql({})
        name.should.equal(route.name)
        source.should.not.have.property('encryption')
        for (const part of [source, ...destinations])
          Object.keys(part)
            .filter((member) => readOnly.includes(member))
            .should.eql([])
      }),
    )
  })

  it('keeps what it does not know, and every id and name', () => {
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        const sent = toSent(frozen(route))
        const pairs = [
          [route.source, sent.source] as const,
          ...route.destinations.map((one, index) => [one, sent.destinations[index]!] as const),
        ]
        for (const [read, part] of pairs) {
          for (const name of ['id', 'name', 'laterMember', 'labels', 'srtLatency'])
            ({ value: part[name] }).should.eql({ value: read[name] })
        }
      }),
    )
  })

  it('turns mode into srtMode for SRT, and drops it elsewhere', () => {
    asSource({ protocol: 'srt', mode: 'caller' }).should.eql({ protocol: 'srt', srtMode: 'caller' })
    asSource({ protocol: 'udp', mode: 'multicast' }).should.eql({ protocol: 'udp' })
    asDestination({ protocol: 'rtp', mode: 'unicast' }).should.eql({ protocol: 'rtp' })
  })

  it('lets srtMode win over mode, whichever comes first', () => {
    const wanted = { protocol: 'srt', srtMode: 'listener' }
    asSource({ protocol: 'srt', mode: 'caller', srtMode: 'listener' }).should.eql(wanted)
    asSource({ protocol: 'srt', srtMode: 'listener', mode: 'caller' }).should.eql(wanted)
    asSource({ protocol: 'srt', srtMode: null, mode: 'listener' }).should.eql(wanted)
  })

  it('drops the SRT decoration of other sources, as the vendor does', () => {
    asSource({
      ...SOURCE,
      srtRcvBuf: 10240000,
      srtPassPhrase: null,
      srtGroupMode: 'none',
    }).should.eql(SOURCE)
  })

  it('keeps on a destination what the vendor keeps', () => {
    const kept = {
      ...DESTINATION,
      encryption: 'none',
      fec: 'none',
      shaping: false,
      maxBitrate: 10000,
      ttl: 64,
      mtu: 1496,
      tos: 104,
    }
    asDestination({ ...kept, networkAddress: null, started: true, state: 'connected' }).should.eql(
      kept,
    )
  })

  it('sends HLS as hls, without the address that is only shown', () => {
    const read = { protocol: 'http', mode: 'hls', address: '/a.m3u8', segmentDuration: '6' }
    asDestination(read).should.eql({ protocol: 'hls', segmentDuration: 6 })
    asDestination({ protocol: 'http' }).should.eql({ protocol: 'hls' })
    asDestination({ protocol: 'hls', segmentDuration: 6 }).should.eql({
      protocol: 'hls',
      segmentDuration: 6,
    })
  })

  it('leaves an http destination alone that is not HLS, and http sources', () => {
    const other = { protocol: 'http', mode: 'push', address: 'x' }
    asDestination(other).should.eql(other)
    asSource({ protocol: 'http' }).should.eql({ protocol: 'http' })
  })

  it('turns joined texts into a list of paths', () => {
    asDestination({
      protocol: 'srt',
      srtGroupMode: 'backup',
      address: '10.0.0.1|10.0.0.2',
      port: '5000|5001',
      networkInterface: 'eth0|eth1',
      mtu: '1496|1400',
      ttl: 64,
    }).should.eql({
      protocol: 'srt',
      srtGroupMode: 'backup',
      ttl: 64,
      srtNetworkBondingParams: [
        { address: '10.0.0.1', port: 5000, networkInterface: 'eth0', mtu: 1496 },
        { address: '10.0.0.2', port: 5001, networkInterface: 'eth1', mtu: 1400 },
      ],
    })
  })

  it('takes a single value for all paths', () => {
    asSource({
      protocol: 'srt',
      srtGroupMode: 'broadcast',
      srtNetworkBondingParams: '',
      address: '10.0.0.1|10.0.0.2',
      port: 5000,
      networkInterface: '',
    }).srtNetworkBondingParams!.should.eql([
      { address: '10.0.0.1', port: 5000, networkInterface: '' },
      { address: '10.0.0.2', port: 5000, networkInterface: '' },
    ])
  })

  it('takes the list of paths of the answer when there is one', () => {
    const paths = [{ address: '10.0.0.1', port: '5000' }]
    asSource({
      protocol: 'srt',
      srtGroupMode: 'any',
      srtNetworkBondingParams: paths,
      address: 'a|b',
      port: '1|2',
      networkInterface: '|',
    }).should.eql({
      protocol: 'srt',
      srtGroupMode: 'any',
      srtNetworkBondingParams: [{ address: '10.0.0.1', port: 5000 }],
    })
  })

  it('takes the place of a part as read for its only path, and a list as it is', () => {
    const place = { address: '0.0.0.0', port: '5001', networkInterface: '' }
    const part = { protocol: 'srt', srtGroupMode: 'broadcast' }
    const sent = { ...part, srtNetworkBondingParams: [{ ...place, port: 5001 }] }
    asSource({ ...part, ...place, state: 'connected' }).should.eql(sent)
    asDestination({ ...part, ...place, started: false }).should.eql(sent)
    asSource({ ...sent, ...place, address: '10.0.0.1', state: 'connected' }).should.eql(sent)
  })

  it('leaves a place alone without redundancy, or when no list can be made of it', () => {
    const one = { protocol: 'srt', srtGroupMode: 'none', address: 'host', port: 1 }
    asSource(one).should.eql(one)
    const other = { ...one, srtGroupMode: 'backup' }
    asSource(other).should.eql(other)
  })

  it('keeps what a path says over what is joined above it', () => {
    asDestination({
      protocol: 'srt',
      srtGroupMode: 'any',
      mtu: '1400|1300',
      srtNetworkBondingParams: [
        { address: 'a', port: 1, mtu: 1496 },
        { address: 'b', port: 2 },
      ],
    }).should.eql({
      protocol: 'srt',
      srtGroupMode: 'any',
      srtNetworkBondingParams: [
        { address: 'a', port: 1, mtu: 1496 },
        { address: 'b', port: 2, mtu: 1300 },
      ],
    })
  })

  it('knows redundancy of SRT only', () => {
    const other = { protocol: 'udp', srtGroupMode: 'any', address: 'a|b', port: '1|2' }
    asDestination(other).should.eql(other)
  })

  it('sends a numeric text of a port as a number, and of an address as text', () => {
    asSource({ ...SOURCE, port: '5000', address: '10' }).should.eql({ ...SOURCE, address: '10' })
  })

  it('drops the shown address of an RTMP publisher only', () => {
    const publisher = { protocol: 'rtmp', rtmpMode: 'PUBLISHER', streamName: 's' }
    asSource({ ...publisher, address: '127.0.0.1/live' }).should.eql(publisher)
    const consumer = { protocol: 'rtmp', rtmpMode: 'CONSUMER', address: '127.0.0.1/live' }
    asSource(consumer).should.eql(consumer)
  })

  it('spells useFec as requests do', () => {
    asDestination({ protocol: 'srt', useFEC: true }).should.eql({ protocol: 'srt', useFec: true })
  })

  it('keeps startRoute of a route to create, and gives a route without destinations none', () => {
    toSent({ name: 'a', startRoute: true, source: SOURCE } as unknown as RouteFields).should.eql({
      name: 'a',
      startRoute: true,
      source: SOURCE,
      destinations: [],
    })
  })

  it('brings every choice, in any case, to its documented spelling', () => {
    const withPlainIds = (fields: RouteFields) =>
      JSON.parse(JSON.stringify(fields), (name, value: unknown) =>
        name === 'id' && typeof value === 'string' ? value.toLowerCase() : value,
      ) as RouteFields
    fc.assert(
      fc.property(spelledTwice, ([route, other]) => {
        withPlainIds(toSent(frozen(other))).should.eql(toSent(route))
        forCreate(toSent(other)).should.eql(forCreate(toSent(route)))
      }),
    )
    const caller = { protocol: 'SRT', mode: 'Caller', srtEncryption: 'aes256' }
    asDestination({ ...caller, srtFecLayout: 'Saircase', srtGroupMode: 'None' }).should.eql({
      protocol: 'srt',
      srtMode: 'caller',
      srtEncryption: 'AES256',
      srtFecLayout: 'staircase',
      srtGroupMode: 'none',
    })
    asDestination({ protocol: 'HTTP', mode: 'HLS' }).should.eql({ protocol: 'hls' })
    const publisher = { protocol: 'RTMP', rtmpMode: 'publisher', address: '127.0.0.1/live' }
    asSource(publisher).should.eql({ protocol: 'rtmp', rtmpMode: 'PUBLISHER' })
    asDestination({ protocol: 'Sdi', fec: 'Turbo' }).should.eql({ protocol: 'Sdi', fec: 'Turbo' })
  })

  it('lets a new SRT listener without an address listen on every adapter', () => {
    const listener = { name: 'in', protocol: 'SRT', srtMode: 'Listener', port: 5000 }
    const sent = { name: 'in', protocol: 'srt', srtMode: 'listener', port: 5000 }
    const created = (source: object, destinations: object[] = []) =>
      forCreate(toSent({ name: 'a', source, destinations } as RouteFields))
    created(listener).source.should.eql({ ...sent, address: '0.0.0.0' })
    created({ ...listener, address: '' }).source.address!.should.equal('0.0.0.0')
    created({ ...listener, address: '10.0.0.1' }).source.address!.should.equal('10.0.0.1')
    created(SOURCE, [listener]).destinations.should.eql([{ ...sent, address: '0.0.0.0' }])
    const paths = { srtGroupMode: 'backup', srtNetworkBondingParams: [{ port: 1 }] }
    for (const other of [
      { ...listener, srtMode: 'caller' },
      { ...listener, srtMode: undefined },
      { ...listener, port: undefined, ...paths },
    ]) {
      created(other).source.should.not.have.property('address')
    }
    asSource(listener).should.eql(sent)
  })

  it('copies a route without ids', () => {
    const fields = frozen({
      name: 'a',
      source: { ...SOURCE, id: 's' },
      destinations: [
        { ...DESTINATION, id: 'd', action: 'none' as const },
        { ...DESTINATION, name: 'two', action: 'stop' as const },
      ],
    })
    forCreate(fields).should.eql({
      name: 'a',
      source: SOURCE,
      destinations: [DESTINATION, { ...DESTINATION, name: 'two', action: 'stop' }],
    })
  })

  it('is not harmed by __proto__', () => {
    const evil = JSON.parse(
      '{"protocol":"srt","__proto__":{"polluted":1},"mode":"caller"}',
    ) as Source
    const sent = sourceToSent(evil)
    Object.keys(sent).should.eql(['srtMode', 'protocol'])
    ;({ polluted: (sent as Record<string, unknown>).polluted }).should.eql({ polluted: undefined })
    ;({}).should.not.have.property('polluted')
    partToSent('source', { constructor: { prototype: { polluted: 1 } } }).should.have.ownProperty(
      'constructor',
    )
    ;({}).should.not.have.property('polluted')
  })
})

describe('model: the table of members', () => {
  it('knows the documented protocols, and only common members of others', () => {
    PROTOCOLS.should.eql({
      source: ['udp', 'rtp', 'srt', 'rtmp', 'rtsp'],
      destination: ['udp', 'rtp', 'srt', 'hls'],
    })
    membersOf('source', 'srt').has('srtLatency').should.be.true()
    membersOf('source', 'constructor').has('srtLatency').should.be.false()
    membersOf('source', undefined).has('name').should.be.true()
  })

  it('knows every secret of the interface', () => {
    for (const name of ['srtPassPhrase', 'passcode', 'password', 'sessionID'])
      isSecret(name).should.be.true()
    isSecret('username').should.be.false()
  })
})

describe('model: secrets', () => {
  it('come back when what was hidden is sent back', () => {
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        frozen(route)
        const { fields, problems } = keepHidden(frozen(hideSecrets(route)), route)
        problems.should.eql([])
        fields.should.eql(route)
      }),
    )
  })

  it('are hidden at every depth, and without a trace', () => {
    const secret = 'correct horse battery'
    const peers = [{ passcode: secret, address: 'a' }]
    const value = frozen({
      sessionID: secret,
      config: { peers, routes: [{ source: { password: secret, srtPassPhrase: '' } }] },
    })
    hideSecrets(value).should.eql({
      sessionID: HIDDEN,
      config: {
        peers: [{ passcode: HIDDEN, address: 'a' }],
        routes: [{ source: { password: HIDDEN, srtPassPhrase: '' } }],
      },
    })
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        const shown = hideSecrets(frozen(route))
        const partsOf = ({ source, destinations }: typeof route) => [source, ...destinations]
        // A name may happen to be the same text: it is no secret.
        for (const [index, { srtPassPhrase }] of partsOf(route).entries())
          if (srtPassPhrase) should(partsOf(shown)[index]!.srtPassPhrase).equal(HIDDEN)
      }),
    )
  })

  it('leave what holds none uncopied', () => {
    const value = { a: [{ b: 1 }], srtPassPhrase: '' }
    hideSecrets(value).should.equal(value)
  })

  it('are found by path', () => {
    findHidden({
      source: { srtPassPhrase: HIDDEN },
      destinations: [{}, { 'odd name': HIDDEN }],
    }).should.eql(['source.srtPassPhrase', 'destinations[1]["odd name"]'])
  })

  it('follow their destination by id, else by name, and paths by index', () => {
    const present = {
      destinations: [
        { id: '1', name: 'a', srtPassPhrase: 'first phrase', paths: [{ k: 'x' }, { k: 'y' }] },
        { id: '2', name: 'b', srtPassPhrase: 'second phrase' },
      ],
    }
    const wanted = frozen({
      destinations: [
        { name: 'b', srtPassPhrase: HIDDEN },
        { id: '1', name: 'b', srtPassPhrase: HIDDEN, paths: [{ k: 'z' }, { k: HIDDEN }] },
      ],
    })
    keepHidden(wanted, present).should.eql({
      fields: {
        destinations: [
          { name: 'b', srtPassPhrase: 'second phrase' },
          { id: '1', name: 'b', srtPassPhrase: 'first phrase', paths: [{ k: 'z' }, { k: 'y' }] },
        ],
      },
      problems: [],
    })
  })

  it('are a problem where there is none to keep', () => {
    const problem = 'is a hidden value, but there is no stored value to keep; give the value itself'
    const wanted = {
      source: { srtPassPhrase: HIDDEN },
      destinations: [{ name: 'new', srtPassPhrase: HIDDEN }],
    }
    const expected = [
      { path: 'source.srtPassPhrase', problem },
      { path: 'destinations[0].srtPassPhrase', problem },
    ]
    for (const present of [{ source: { srtPassPhrase: '' } }, undefined])
      worded(keepHidden(wanted, present).problems).should.eql(expected)
  })
})
