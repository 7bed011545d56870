import 'should'
import * as fc from 'fast-check'
import * as check from '../../../client/model/check'
import { checkDefinition, type Use } from '../../../client/model/definition'
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

const checkCreate = (...given: Parameters<typeof check.checkCreate>) =>
  worded(check.checkCreate(...given))
const checkUpdate = (...given: Parameters<typeof check.checkUpdate>) =>
  worded(check.checkUpdate(...given))

const SOURCE = { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 }
const DESTINATION = { name: 'out', protocol: 'udp', address: '239.1.1.2', port: 6000 }
const ROUTE = { name: 'Studio A', source: SOURCE, destinations: [DESTINATION] }

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
    const readOnly = [
      'state',
      'started',
      'usedBandwidth',
      'elapsedTime',
      'summaryStatusCode',
      'summaryStatusDetails',
      'clientConnections',
      'pendingUpdates',
      'hasPendingDelete',
      'networkAddress',
      'mode',
      'useFEC',
      'createdAt',
      'lastUpdateAt',
    ]
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

describe('model: checks', () => {
  const problemsOf = (input: unknown) => checkCreate(frozen(input))
  const only = (input: unknown) => {
    const problems = problemsOf(input)
    problems.should.have.length(1)
    return problems[0]!
  }
  const sourceWith = (members: object) => ({ ...ROUTE, source: { ...SOURCE, ...members } })
  const destinationWith = (members: object) => ({
    ...ROUTE,
    destinations: [{ ...DESTINATION, ...members }],
  })
  const srt = (members: object) => destinationWith({ protocol: 'srt', ...members })

  it('accept every route as read in any spelling, in every mode', () => {
    fc.assert(
      fc.property(spelledTwice, ([, route]) => {
        checkCreate(frozen(route)).should.eql([])
        for (const mode of ['keep', 'merge', 'replace'] as const)
          checkUpdate(route, mode).should.eql([])
      }),
    )
  })

  it('look at the members of a protocol, in whatever case it is written', () => {
    const faults = { protocol: 'SRT', port: 70_000, srtPassPhrase: 'short', srtMode: 'Talker' }
    const names = ['port', 'srtMode', 'srtPassPhrase']
    const sorted = (problems: { path: string }[]) => problems.map(({ path }) => path).sort()
    sorted(problemsOf(sourceWith(faults))).should.eql(names.map((name) => `source.${name}`))
    sorted(checkUpdate({ source: faults }, 'merge')).should.eql(
      names.map((name) => `source.${name}`),
    )
    const listener = { protocol: 'SRT', srtMode: 'LISTENER', address: undefined }
    problemsOf(sourceWith(listener)).should.eql([])
    const publisher = {
      protocol: 'rtmp',
      rtmpMode: 'publisher',
      streamName: 'live',
      address: undefined,
    }
    problemsOf(sourceWith({ ...publisher, port: undefined })).should.eql([])
  })

  it('report an ID that is given twice, in whatever case', () => {
    const id = '6f2a9a6e-3d8a-4b55-9a42-0d6f4e2c9b11'
    const destinations = [
      { ...DESTINATION, id },
      { ...DESTINATION, name: 'two', id: id.toUpperCase() },
    ]
    only({ ...ROUTE, destinations }).path.should.equal('destinations[1].id')
  })

  const uses: [string, Use][] = [
    ['create', { kind: 'create' }],
    ['keep', { kind: 'update', mode: 'keep' }],
    ['merge', { kind: 'update', mode: 'merge' }],
    ['replace', { kind: 'update', mode: 'replace' }],
    ['ensure', { kind: 'ensure', state: 'present' }],
  ]
  const faultyPaths = (definition: unknown, use: Use, options = {}) =>
    checkDefinition(frozen(definition), use, options).map(({ path }) => path)

  for (const [title, use] of uses) {
    it(`of ${title} refuse a state that is wished, and let that of a Route as read pass`, () => {
      for (const state of ['running', 'stopped', 'idle', true])
        faultyPaths({ ...ROUTE, state }, use).should.eql(['state'])
      faultyPaths({ ...ROUTE, state: 'running' }, use, { validate: false }).should.eql(['state'])
      for (const state of ['', null, undefined])
        faultyPaths({ ...ROUTE, state }, use).should.eql([])
      const read = { ...ROUTE, state: 'running' }
      for (const seen of [{ elapsedTime: '' }, { summaryStatusCode: 'ok' }])
        faultyPaths({ ...read, ...seen }, use).should.eql([])
      for (const seen of [{ state: 'connected' }, { id: 'S' }])
        faultyPaths({ ...read, source: { ...SOURCE, ...seen } }, use).should.eql([])
      const destinations = [{ ...DESTINATION, started: false }]
      faultyPaths({ ...read, destinations }, use).should.eql([])
    })

    it(`of ${title} refuse a variable in a secret, which would become the secret`, () => {
      const secret = (srtPassPhrase: string) => ({
        protocol: 'SRT',
        srtMode: 'caller',
        srtPassPhrase,
      })
      const definition = {
        ...sourceWith({ protocol: 'rtsp', password: 'a ${PART} of it', username: '${USER}' }),
        destinations: [{ ...DESTINATION, ...secret('${SRT_STUDIO_A}') }],
      }
      const expected = ['source.password', 'destinations[0].srtPassPhrase']
      faultyPaths(definition, use).should.eql(expected)
      faultyPaths(definition, use, { validate: false }).should.eql(expected)
      const others = { ...ROUTE, destinations: [{ ...DESTINATION, ...secret('$5 {or more}') }] }
      faultyPaths(others, use).should.eql([])
    })
  }

  it('of ensure refuse a state in a row also where the route is to be absent', () => {
    const absent: Use = { kind: 'ensure', state: 'absent' }
    faultyPaths([{ name: 'a' }, { name: 'b', state: 'running' }], absent).should.eql(['[1].state'])
  })

  it('accept every route as read and as converted, in every mode', () => {
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        frozen(route)
        checkCreate(route).should.eql([])
        checkCreate(forCreate(toSent(route))).should.eql([])
        for (const mode of ['keep', 'merge', 'replace'] as const) {
          checkUpdate(route, mode).should.eql([])
          checkUpdate(toSent(route), mode).should.eql([])
        }
      }),
    )
  })

  const examples: [string, unknown, string, string][] = [
    ['text', 'x', '', 'is text; it must be an object with name, source and destinations'],
    [
      'nothing',
      undefined,
      '',
      'is missing; it must be an object with name, source and destinations',
    ],
    ['null', null, '', 'is null; it must be an object with name, source and destinations'],
    ['a list', [ROUTE], '', 'is a list; it must be an object with name, source and destinations'],
    [
      'a Buffer',
      Buffer.from('x'),
      '',
      'is no plain object; it must be an object with name, source and destinations',
    ],
    [
      'a mistyped member',
      { ...ROUTE, sorce: 1 },
      'sorce',
      'is not known here; did you mean source?',
    ],
    [
      'a foreign member',
      { ...ROUTE, bitrate: 1 },
      'bitrate',
      'is not known here; a route has name, source and destinations',
    ],
    ['no name', { source: SOURCE }, 'name', 'is missing; it must be text of 1 to 60 characters'],
    [
      'an empty name',
      { ...ROUTE, name: '' },
      'name',
      'is empty; it must be text of 1 to 60 characters',
    ],
    [
      'a long name',
      { ...ROUTE, name: 'n'.repeat(61) },
      'name',
      `is "${'n'.repeat(40)}…" (61 characters); it must be text of 1 to 60 characters`,
    ],
    [
      'a bad start',
      { ...ROUTE, startRoute: 'yes' },
      'startRoute',
      'is "yes"; it must be true or false',
    ],
    ['no source', { name: 'a' }, 'source', 'is missing; it must be an object'],
    [
      'a list of sources',
      { name: 'a', source: [SOURCE] },
      'source',
      'is a list; it must be an object',
    ],
    [
      'a source without name',
      sourceWith({ name: undefined }),
      'source.name',
      'is missing; it must be text of 1 to 60 characters',
    ],
    [
      'a protocol for destinations',
      sourceWith({ protocol: 'hls' }),
      'source.protocol',
      'is "hls"; it must be one of udp, rtp, srt, rtmp, rtsp',
    ],
    [
      'no protocol',
      sourceWith({ protocol: undefined }),
      'source.protocol',
      'is missing; it must be one of udp, rtp, srt, rtmp, rtsp',
    ],
    ['no address', sourceWith({ address: null }), 'source.address', 'is null; it must be text'],
    [
      'an empty address',
      sourceWith({ address: '' }),
      'source.address',
      'is empty; it must be text',
    ],
    [
      'port 70000',
      sourceWith({ port: 70000 }),
      'source.port',
      'is 70000; it must be a whole number from 1 to 65535',
    ],
    [
      'port 0 as text',
      sourceWith({ port: '0' }),
      'source.port',
      'is 0; it must be a whole number from 1 to 65535',
    ],
    [
      'half a port',
      sourceWith({ port: 1.5 }),
      'source.port',
      'is 1.5; it must be a whole number from 1 to 65535',
    ],
    [
      'port as words',
      sourceWith({ port: 'x'.repeat(99) }),
      'source.port',
      `is "${'x'.repeat(40)}…"; it must be a whole number from 1 to 65535`,
    ],
    [
      'destinations as text',
      { ...ROUTE, destinations: 'none' },
      'destinations',
      'is text; it must be a list of objects ([] for no destinations)',
    ],
    [
      'a null destination',
      { ...ROUTE, destinations: [null] },
      'destinations[0]',
      'is null; it must be an object',
    ],
    [
      'ttl 0',
      destinationWith({ ttl: 0 }),
      'destinations[0].ttl',
      'is 0; it must be a whole number from 1 to 255',
    ],
    [
      'tos 256',
      destinationWith({ tos: 256 }),
      'destinations[0].tos',
      'is 256; it must be a whole number from 0 to 255',
    ],
    [
      'mtu as text',
      destinationWith({ mtu: 'large' }),
      'destinations[0].mtu',
      'is "large"; it must be a whole number from 280 to 1500',
    ],
    [
      'rtp fec on udp',
      destinationWith({ fec: 'prompeg' }),
      'destinations[0].fec',
      'is "prompeg"; it must be one of none, vf',
    ],
    [
      'pro-mpeg rows',
      destinationWith({ protocol: 'rtp', prompegFecRows: 3 }),
      'destinations[0].prompegFecRows',
      'is 3; it must be a whole number from 4 to 20',
    ],
    [
      'shaping as text',
      destinationWith({ shaping: 'yes' }),
      'destinations[0].shaping',
      'is "yes"; it must be true or false',
    ],
    [
      'labels as text',
      destinationWith({ labels: 'x' }),
      'destinations[0].labels',
      'is "x"; it must be a list',
    ],
    [
      'a mode as read',
      srt({ mode: 'talker' }),
      'destinations[0].mode',
      'is "talker"; it must be one of caller, listener, rendezvous',
    ],
    [
      'a mode as sent',
      srt({ srtMode: 'talker' }),
      'destinations[0].srtMode',
      'is "talker"; it must be one of caller, listener, rendezvous',
    ],
    [
      'useFEC as read',
      srt({ useFEC: 1 }),
      'destinations[0].useFEC',
      'is 1; it must be true or false',
    ],
    [
      'a negative latency',
      srt({ srtLatency: -1 }),
      'destinations[0].srtLatency',
      'is -1; it must be a number of at least 0',
    ],
    [
      'an overhead in words',
      srt({ srtOverhead: 'much' }),
      'destinations[0].srtOverhead',
      'is "much"; it must be a number of at least 0',
    ],
    [
      'a short pass phrase',
      srt({ srtPassPhrase: 'letmein' }),
      'destinations[0].srtPassPhrase',
      'is text of 7 characters; it must be text of 10 to 79 characters, or empty',
    ],
    [
      'a pass phrase of digits',
      srt({ srtPassPhrase: 1234567890 }),
      'destinations[0].srtPassPhrase',
      'is a number; it must be text of 10 to 79 characters, or empty',
    ],
    [
      'redundancy without paths',
      srt({ srtGroupMode: 'backup' }),
      'destinations[0].srtNetworkBondingParams',
      'is missing; it must be a list of objects, one for each path',
    ],
    [
      'an empty list of paths',
      srt({ srtGroupMode: 'backup', srtNetworkBondingParams: [] }),
      'destinations[0].srtNetworkBondingParams',
      'is an empty list; it must be a list of objects, one for each path',
    ],
    [
      'a path without port',
      srt({ srtGroupMode: 'backup', srtNetworkBondingParams: [{ address: 'a' }] }),
      'destinations[0].srtNetworkBondingParams[0].port',
      'is missing; it must be a whole number from 1 to 65535',
    ],
    [
      'a path as text',
      srt({ srtGroupMode: 'backup', srtNetworkBondingParams: ['a'] }),
      'destinations[0].srtNetworkBondingParams[0]',
      'is text; it must be an object',
    ],
    [
      'a bad joined port',
      srt({ srtGroupMode: 'backup', address: 'a|b', port: '5000|70000' }),
      'destinations[0].port',
      'is 70000; it must be a whole number from 1 to 65535',
    ],
    [
      'joined ports of nothing',
      srt({ srtGroupMode: 'backup', address: 'a|b', port: null }),
      'destinations[0].port',
      'is missing; it must be a whole number from 1 to 65535',
    ],
    [
      'a consumer without address',
      sourceWith({ protocol: 'rtmp', rtmpMode: 'CONSUMER', streamName: 's', address: undefined }),
      'source.address',
      'is missing; it must be text',
    ],
    [
      'an address that is no text',
      sourceWith({ protocol: 'rtmp', rtmpMode: 'CONSUMER', streamName: 's', address: 5 }),
      'source.address',
      'is 5; it must be text',
    ],
  ]
  for (const [title, input, path, problem] of examples) {
    it(`report ${title}`, () => {
      only(input).should.eql({ path, problem })
    })
  }

  it('report destinations that share an id or a name', () => {
    const destinations = [
      { ...DESTINATION, id: 'x' },
      { ...DESTINATION, id: 'x' },
    ]
    problemsOf({ ...ROUTE, destinations }).should.eql([
      {
        path: 'destinations[1].id',
        problem: 'is the id of destinations[0] too; each destination has its own',
      },
      {
        path: 'destinations[1].name',
        problem: 'is the name of destinations[0] too; each destination has its own',
      },
    ])
  })

  it('take destinations that share a name when each has an id: the appliance has made them so', () => {
    const destinations = [
      { ...DESTINATION, id: 'x' },
      { ...DESTINATION, id: 'y' },
    ]
    problemsOf({ ...ROUTE, destinations }).should.eql([])
    problemsOf({ ...ROUTE, destinations: [DESTINATION, destinations[0]] }).should.have.length(1)
  })

  it('report all faults at once', () => {
    const input = { nmae: 'a', source: { ...SOURCE, port: 0 }, destinations: [{}, { ttl: 0 }] }
    const paths = problemsOf(input).map(({ path }) => path)
    const missing = (index: number) =>
      ['name', 'protocol'].map((name) => `destinations[${index}].${name}`)
    paths.should.eql(['nmae', 'name', 'source.port', ...missing(0), ...missing(1)])
  })

  it('accept what real appliances answer', () => {
    problemsOf(srt({ srtEncryption: 'none', srtFecLayout: 'saircase' })).should.eql([])
    problemsOf(srt({ srtOverhead: '25', srtConnectionLimit: 0 })).should.eql([])
    problemsOf(srt({ srtOverhead: 25, srtConnectionLimit: '4', srtPassPhrase: HIDDEN })).should.eql(
      [],
    )
    problemsOf(destinationWith({ mtu: null, ttl: undefined, fec: '' })).should.eql([])
    problemsOf(destinationWith({ laterMember: { deep: 1 } })).should.eql([])
    problemsOf(
      sourceWith({
        protocol: 'rtmp',
        rtmpMode: 'PUBLISHER',
        streamName: 's',
        address: null,
        port: null,
      }),
    ).should.eql([])
    problemsOf({ ...ROUTE, destinations: [{ name: 'web', protocol: 'hls' }] }).should.eql([])
    problemsOf({ name: 'a', source: SOURCE, destinations: null }).should.eql([])
  })

  it('never repeat a secret', () => {
    const secret = 'hunter2'
    const inputs = [
      srt({ srtPassPhrase: secret }),
      srt({ srtPassPhrase: { secret } }),
      sourceWith({ protocol: 'rtsp', password: [secret] }),
      { ...ROUTE, source: secret },
      { ...ROUTE, destinations: secret },
      secret,
    ]
    for (const input of inputs) {
      problemsOf(input).should.have.length(1)
      JSON.stringify(problemsOf(input)).should.not.containEql(secret)
    }
  })

  it('leave the insides to the appliance with validate: false', () => {
    const input = {
      name: 'n'.repeat(61),
      source: { port: 'x' },
      destinations: [{ ttl: 0 }, { ttl: 0 }],
    }
    checkCreate(input, { validate: false }).should.eql([])
    for (const mode of ['keep', 'replace'] as const)
      checkUpdate(input, mode, { validate: false }).should.eql([])
    const broken = { nmae: 1, source: [], destinations: [1] }
    checkCreate(broken, { validate: false })
      .map(({ path }) => path)
      .should.eql(['nmae', 'name', 'source', 'destinations[0]'])
  })

  it('of keep want at least one part, and whole ones', () => {
    checkUpdate({}, 'keep').should.eql([
      {
        path: '',
        problem: 'has none of name, source and destinations; give at least one of them',
      },
    ])
    checkUpdate({ name: 'b' }, 'keep').should.eql([])
    const paths = (input: object) => checkUpdate(input, 'keep').map(({ path }) => path)
    paths({ source: { port: 5000 } }).should.eql(['source.name', 'source.protocol'])
    paths({ source: null }).should.eql(['source'])
    paths({ destinations: null }).should.eql(['destinations'])
    paths({ name: null }).should.eql(['name'])
  })

  it('of replace want name and source', () => {
    checkUpdate({ destinations: [] }, 'replace')
      .map(({ path }) => path)
      .should.eql(['name', 'source'])
    checkUpdate({ name: 'a', source: SOURCE }, 'replace').should.eql([])
  })

  it('refuse startRoute in an update, but not in a Route as read', () => {
    checkUpdate({ name: 'a', startRoute: true }, 'keep').should.eql([
      {
        path: 'startRoute',
        problem: 'is for creating a route only; start or stop an existing route by its own command',
      },
    ])
    const read = { state: 'idle', elapsedTime: '' }
    checkUpdate({ name: 'a', startRoute: true, ...read }, 'keep').should.eql([])
  })

  it('of merge take parts, and null for what can be removed', () => {
    const problems = (input: object) => checkUpdate(frozen(input), 'merge')
    problems({}).should.eql([])
    problems({ source: { srtLatency: 500, srtPassPhrase: null } }).should.eql([])
    problems({ destinations: null }).should.eql([])
    problems({ destinations: { out: null, other: { ttl: 5 } } }).should.eql([])
    problems({ source: null }).should.eql([
      { path: 'source', problem: 'is null; it must be an object' },
    ])
    problems({ name: null }).should.eql([
      { path: 'name', problem: 'is null; it must be text of 1 to 60 characters' },
    ])
    problems({ source: { name: null } }).should.eql([
      { path: 'source.name', problem: 'is null; this member cannot be removed' },
    ])
    problems({ destinations: [{ id: null, name: 'out' }] }).should.eql([
      { path: 'destinations[0].id', problem: 'is null; this member cannot be removed' },
    ])
    problems({ destinations: [{ ttl: 5 }] }).should.eql([
      {
        path: 'destinations[0]',
        problem: 'has neither id nor name; one of them tells which destination is meant',
      },
    ])
    problems({ destinations: { 'Studio A': { ttl: 0 }, b: 5 } }).should.eql([
      {
        path: 'destinations["Studio A"].ttl',
        problem: 'is 0; it must be a whole number from 1 to 255',
      },
      { path: 'destinations.b', problem: 'is 5; it must be an object' },
    ])
    problems({ destinations: 5 }).should.eql([
      {
        path: 'destinations',
        problem: 'is 5; it must be a list of objects, or an object with one member per destination',
      },
    ])
    problems({ source: { fec: 'vf' } }).should.eql([])
    problems({ source: { fec: 'turbo' } }).should.eql([
      { path: 'source.fec', problem: 'is "turbo"; it must be one of none, prompeg, vf' },
    ])
    problems({ source: { port: 0, usedBandwidth: 5 } }).should.eql([
      { path: 'source.port', problem: 'is 0; it must be a whole number from 1 to 65535' },
    ])
    const joinedPlace = { srtGroupMode: 'any', address: 'a|b', port: '1|70000' }
    problems({ source: joinedPlace }).should.eql([
      { path: 'source.port', problem: 'is 70000; it must be a whole number from 1 to 65535' },
    ])
  })

  it('take __proto__ for a name they do not know', () => {
    const evil = JSON.parse('{"name":"a","__proto__":{"source":1}}') as object
    checkUpdate(evil, 'keep')
      .map(({ path }) => path)
      .should.eql(['__proto__'])
    const inside = JSON.parse('{"source":{"__proto__":{"port":0}}}') as object
    checkUpdate(inside, 'merge').should.eql([])
  })

  it('take time in proportion to the input', function () {
    const destinations = Array.from({ length: 20_000 }, (_, index) => ({
      ...DESTINATION,
      name: `out ${index}`,
    }))
    this.timeout(5000)
    checkCreate({ ...ROUTE, destinations }).should.eql([])
  })
})

describe('model: the table of members', () => {
  it('knows the protocols of the facts, and only common members of others', () => {
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
        const text = JSON.stringify(hideSecrets(frozen(route)))
        for (const { srtPassPhrase } of [route.source, ...route.destinations])
          if (srtPassPhrase) text.should.not.containEql(srtPassPhrase)
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
    const problem =
      'is a hidden value, and there is nothing at this place to keep; give the value itself'
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
