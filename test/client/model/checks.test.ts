import * as fc from 'fast-check'
import * as check from '../../../client/model/check'
import { checkDefinition, type Use } from '../../../client/model/definition'
import { forCreate, toSent } from '../../../client/model/convert'
import { HIDDEN } from '../../../client/model/secrets'
import { arbitraryRoute, frozen, spelledTwice } from '../../support/arbitraries'
import { expectInProportion } from '../../support/cost'
import { worded } from '../../support/worded'
import { DESTINATION, SOURCE } from './parts'

const checkCreate = (...given: Parameters<typeof check.checkCreate>) =>
  worded(check.checkCreate(...given))
const checkUpdate = (...given: Parameters<typeof check.checkUpdate>) =>
  worded(check.checkUpdate(...given))

const ROUTE = { name: 'Studio A', source: SOURCE, destinations: [DESTINATION] }

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
    const paths = ['port', 'srtMode', 'srtPassPhrase'].map((name) => `source.${name}`)
    const sorted = (problems: { path: string }[]) => problems.map(({ path }) => path).sort()
    sorted(problemsOf(sourceWith(faults))).should.eql(paths)
    sorted(checkUpdate({ source: faults }, 'merge')).should.eql(paths)
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

  const SRT_SOURCE = {
    name: 'in',
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: 5000,
  }

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

    it(`of ${title} let the name of a variable stand for a secret, where it will be replaced`, () => {
      const faults = (srtPassPhrase: string, secretPrefix: string) =>
        checkDefinition(frozen({ ...ROUTE, source: { ...SRT_SOURCE, srtPassPhrase } }), use, {
          secretPrefix,
        })
      faults('${SRT_A}', 'SRT_').should.eql([])
      faults('${MY_A}', 'MY_').should.eql([])
      // The prefix itself comes from a variable.
      faults('${ANY}', '').should.eql([])
      for (const given of ['${MY_STUDIO_A}', 'a ${SRT_STUDIO_A}', '${SRT_STUDIO A}'])
        faults(given, 'SRT_').should.eql([
          { path: 'source.srtPassPhrase', kind: 'variable', prefix: 'SRT_' },
        ])
      faults('too short', 'SRT_').should.match([{ kind: 'wrong' }])
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
        // A new name has no blanks that nobody sees.
        const asNew = checkCreate(forCreate(toSent(route)))
        asNew.filter(({ problem }) => !problem.includes('blank')).should.eql([])
        for (const mode of ['keep', 'merge', 'replace'] as const) {
          checkUpdate(route, mode).should.eql([])
          checkUpdate(toSent(route), mode).should.eql([])
        }
      }),
    )
  })

  /** By what is said of it. */
  const examples: Record<string, unknown> = {
    'is text; it must be an object with name, source and destinations': 'x',
    'is missing; it must be an object with name, source and destinations': undefined,
    'is null; it must be an object with name, source and destinations': null,
    'is a list; it must be an object with name, source and destinations': [ROUTE],
    'is not a plain object; it must be an object with name, source and destinations':
      Buffer.from('x'),
    'sorce is not a known field; did you mean source?': { ...ROUTE, sorce: 1 },
    'bitrate is not a field of a route; a route has name, source and destinations': {
      ...ROUTE,
      bitrate: 1,
    },
    'name is missing; it must be text of 1 to 60 characters': { source: SOURCE },
    'name is empty; it must be text of 1 to 60 characters': { ...ROUTE, name: '' },
    [`name is "${'n'.repeat(40)}…" (61 characters); it must be text of 1 to 60 characters`]: {
      ...ROUTE,
      name: 'n'.repeat(61),
    },
    'startRoute is "yes"; it must be true or false': { ...ROUTE, startRoute: 'yes' },
    'source is missing; it must be an object': { name: 'a' },
    'source is a list; it must be an object': { name: 'a', source: [SOURCE] },
    'source.name is missing; it must be text of 1 to 60 characters': sourceWith({
      name: undefined,
    }),
    'source.protocol is "hls"; it must be one of udp, rtp, srt, rtmp, rtsp': sourceWith({
      protocol: 'hls',
    }),
    'source.protocol is missing; it must be one of udp, rtp, srt, rtmp, rtsp': sourceWith({
      protocol: undefined,
    }),
    'source.address is null; it must be text': sourceWith({ address: null }),
    'source.address is empty; it must be text': sourceWith({ address: '' }),
    'source.port is 70000; it must be a whole number from 1 to 65535': sourceWith({ port: 70000 }),
    'source.port is 0; it must be a whole number from 1 to 65535': sourceWith({ port: '0' }),
    'source.port is 1.5; it must be a whole number from 1 to 65535': sourceWith({ port: 1.5 }),
    [`source.port is "${'x'.repeat(40)}…"; it must be a whole number from 1 to 65535`]: sourceWith({
      port: 'x'.repeat(99),
    }),
    'destinations is text; it must be a list of objects ([] for no destinations)': {
      ...ROUTE,
      destinations: 'none',
    },
    'destinations[0] is null; it must be an object': { ...ROUTE, destinations: [null] },
    'destinations[0].ttl is 0; it must be a whole number from 1 to 255': destinationWith({
      ttl: 0,
    }),
    'destinations[0].tos is 256; it must be a whole number from 0 to 255': destinationWith({
      tos: 256,
    }),
    'destinations[0].mtu is "large"; it must be a whole number from 280 to 1500': destinationWith({
      mtu: 'large',
    }),
    'destinations[0].fec is "prompeg"; it must be one of none, vf': destinationWith({
      fec: 'prompeg',
    }),
    'destinations[0].prompegFecRows is 3; it must be a whole number from 4 to 20': destinationWith({
      protocol: 'rtp',
      prompegFecRows: 3,
    }),
    'destinations[0].shaping is "yes"; it must be true or false': destinationWith({
      shaping: 'yes',
    }),
    'destinations[0].labels is "x"; it must be a list': destinationWith({ labels: 'x' }),
    'destinations[0].mode is "talker"; it must be one of caller, listener, rendezvous': srt({
      mode: 'talker',
    }),
    'destinations[0].srtMode is "talker"; it must be one of caller, listener, rendezvous': srt({
      srtMode: 'talker',
    }),
    'destinations[0].useFEC is 1; it must be true or false': srt({ useFEC: 1 }),
    'destinations[0].srtLatency is -1; it must be a number of at least 0': srt({ srtLatency: -1 }),
    'destinations[0].srtOverhead is "much"; it must be a number of at least 0': srt({
      srtOverhead: 'much',
    }),
    'destinations[0].srtPassPhrase is text of 7 characters; it must be text of 10 to 79 characters, or empty':
      srt({ srtPassPhrase: 'letmein' }),
    'destinations[0].srtPassPhrase is a number; it must be text of 10 to 79 characters, or empty':
      srt({ srtPassPhrase: 1234567890 }),
    'destinations[0].srtNetworkBondingParams is missing; it must be a list of objects, one for each path':
      srt({ srtGroupMode: 'backup' }),
    'destinations[0].srtNetworkBondingParams is an empty list; it must be a list of objects, one for each path':
      srt({ srtGroupMode: 'backup', srtNetworkBondingParams: [] }),
    'destinations[0].srtNetworkBondingParams[0].port is missing; it must be a whole number from 1 to 65535':
      srt({ srtGroupMode: 'backup', srtNetworkBondingParams: [{ address: 'a' }] }),
    'destinations[0].srtNetworkBondingParams[0] is text; it must be an object': srt({
      srtGroupMode: 'backup',
      srtNetworkBondingParams: ['a'],
    }),
    'destinations[0].port is 70000; it must be a whole number from 1 to 65535': srt({
      srtGroupMode: 'backup',
      address: 'a|b',
      port: '5000|70000',
    }),
    'destinations[0].port is missing; it must be a whole number from 1 to 65535': srt({
      srtGroupMode: 'backup',
      address: 'a|b',
      port: null,
    }),
    'source.address is missing; it must be text': sourceWith({
      protocol: 'rtmp',
      rtmpMode: 'CONSUMER',
      streamName: 's',
      address: undefined,
    }),
    'source.address is 5; it must be text': sourceWith({
      protocol: 'rtmp',
      rtmpMode: 'CONSUMER',
      streamName: 's',
      address: 5,
    }),
  }
  for (const [said, input] of Object.entries(examples)) {
    it(`report: ${said}`, () => {
      const { path, problem } = only(input)
      const told = `${path} ${problem}`.trim()
      told.should.equal(said)
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
        problem: 'is also the id of destinations[0]; each destination needs its own',
      },
      {
        path: 'destinations[1].name',
        problem: 'is also the name of destinations[0]; each destination needs its own',
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
      { path: '', problem: 'has none of name, source and destinations; give at least one of them' },
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
        problem: 'is only for a new route; start or stop an existing one instead',
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
      { path: 'source.name', problem: 'is null; this field cannot be removed' },
    ])
    problems({ destinations: [{ id: null, name: 'out' }] }).should.eql([
      { path: 'destinations[0].id', problem: 'is null; this field cannot be removed' },
    ])
    problems({ destinations: [{ ttl: 5 }] }).should.eql([
      {
        path: 'destinations[0]',
        problem: 'has neither id nor name; give one of them to select the destination',
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
        problem:
          'is 5; it must be a list of objects, or an object with one field for each destination',
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

  it('take time in proportion to the input', () => {
    expectInProportion(8000, (length) => {
      const destinations = Array.from({ length }, (_, index) => ({
        ...DESTINATION,
        name: `out ${index}`,
      }))
      return () => checkCreate({ ...ROUTE, destinations }).should.eql([])
    })
  })
})
