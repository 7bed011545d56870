import * as fc from 'fast-check'
import { checkUpdate } from '../../../client/model/check'
import { toSent } from '../../../client/model/convert'
import { HIDDEN, hideSecrets } from '../../../client/model/secrets'
import type { Destination, Route, RouteFields, RoutePatch } from '../../../client/model/types'
import { diffRoutes } from '../../../client/model/diff'
import { needsPresent, planKeep, planMerge, planReplace } from '../../../client/changes/merge'
import { arbitraryRoute, frozen, respelled } from '../../support/arbitraries'
import { expectInProportion } from '../../support/cost'
import { worded } from '../../support/worded'
import { PRESENT, SENT, withDestination } from './support'

/** The fields of a merge without problems; the patch passes the checks too. */
function merged(patch: RoutePatch, present = PRESENT): RouteFields {
  checkUpdate(patch, 'merge').should.eql([])
  const { fields, problems } = planMerge(frozen(patch), frozen(present))
  problems.should.eql([])
  return fields
}

const problemsOf = (patch: RoutePatch, present = PRESENT) =>
  worded(planMerge(frozen(patch), frozen(present)).problems)

describe('merge: keep', () => {
  it('leaves what it is not given as it is', () => {
    fc.assert(
      fc.property(arbitraryRoute, fc.string({ minLength: 1 }), (route, name) => {
        const { fields, problems } = planKeep(frozen({ name }), frozen(route))
        problems.should.eql([])
        fields.should.eql({ ...toSent(route), name })
      }),
    )
  })

  it('sends what it is given as given', () => {
    const source = { name: 'new', protocol: 'udp', address: '239.0.0.9', port: 1 }
    planKeep(frozen({ source }), PRESENT).should.eql({
      fields: { ...SENT, source: { ...source, id: 's' } },
      problems: [],
    })
    planKeep(
      frozen({ source: { ...source, id: 'other' } }),
      PRESENT,
    ).fields.source.id!.should.equal('other')
    planKeep(frozen({ destinations: [] }), PRESENT).fields.should.eql({ ...SENT, destinations: [] })
  })

  it('converts a Route as read and edited, and drops what is no part of an update', () => {
    const edited = { ...PRESENT, name: 'B', startRoute: true }
    planKeep(frozen(edited), undefined).should.eql({ fields: { ...SENT, name: 'B' }, problems: [] })
  })

  it('puts hidden secrets back', () => {
    const hidden = hideSecrets(PRESENT)
    hidden.source.srtPassPhrase!.should.equal(HIDDEN)
    planKeep(frozen(hidden), PRESENT).should.eql({ fields: SENT, problems: [] })
  })

  it('never plans without the route it needs', () => {
    planKeep({ name: 'B' })
      .problems.map(({ path }) => path)
      .should.eql(['source', 'destinations'])
    planKeep({ source: SENT.source })
      .problems.map(({ path }) => path)
      .should.eql(['name', 'destinations'])
    planKeep(hideSecrets(PRESENT))
      .problems.map(({ path }) => path)
      .should.eql(['source.srtPassPhrase', 'destinations[0].srtPassPhrase'])
  })
})

describe('merge: replace', () => {
  it('sends exactly what it is given', () => {
    const { name, source } = SENT
    planReplace(frozen({ name, source })).should.eql({
      fields: { name, source, destinations: [] },
      problems: [],
    })
    planReplace(PRESENT).fields.should.eql(SENT)
  })

  it('puts hidden secrets back', () => {
    planReplace(hideSecrets(PRESENT), PRESENT).should.eql({ fields: SENT, problems: [] })
    planReplace(hideSecrets(PRESENT)).problems.should.have.length(2)
  })
})

describe('merge: the ids that an update has to carry', () => {
  const source = { name: 'in', protocol: 'udp', address: '239.0.0.9', port: 1 }
  const out = { protocol: 'udp', address: '239.0.0.1', port: 6001 }
  const idsOf = (destinations: Destination[], present = PRESENT) => {
    const patch = frozen({ name: 'A', source: { ...source, id: 's' }, destinations })
    needsPresent(patch, 'replace').should.be.true()
    needsPresent(patch, 'keep').should.be.true()
    const plans = [planReplace(patch, present), planKeep(patch, present)]
    plans[0]!.should.eql(plans[1])
    return plans[0]!.problems.length > 0
      ? worded(plans[0]!.problems)
      : plans[0]!.fields.destinations.map(({ id }) => id)
  }

  it('are those of the present source, and of present destinations of the same name', () => {
    const plan = planReplace(frozen({ name: 'A', source, destinations: [] }), PRESENT)
    plan.fields.source.should.eql({ ...source, id: 's' })
    idsOf([
      { ...out, name: 'two' },
      { ...out, name: 'one' },
      { ...out, name: 'new' },
    ]).should.eql(['d2', 'd1', undefined])
  })

  it('are not taken from a destination that is named by its id', () => {
    idsOf([
      { ...out, name: 'two' },
      { ...out, name: 'renamed', id: 'd2' },
    ]).should.eql([undefined, 'd2'])
  })

  it('are given to the first of two with the same name', () => {
    idsOf([
      { ...out, name: 'two', port: 1 },
      { ...out, name: 'two', port: 2 },
    ]).should.eql(['d2', undefined])
  })

  it('are not guessed where a name fits several', () => {
    const twins = {
      ...PRESENT,
      destinations: ['d1', 'd2'].map((id) => ({ ...out, name: 'two', id })),
    }
    idsOf([{ ...out, name: 'two' }], twins).should.eql([
      {
        path: 'destinations[0]',
        problem: 'matches several destinations, with the IDs d1, d2; give the ID',
      },
    ])
  })

  it('come with the address that the appliance demands of an SRT listener too', () => {
    const listener = { name: 'in', protocol: 'srt', srtMode: 'listener', port: 5000 }
    const fields = (present: Route) =>
      planReplace(frozen({ name: 'A', source: listener, destinations: [listener] }), present).fields
    const other = { ...PRESENT, source: { ...PRESENT.source, address: '10.1.1.1' } }
    fields(other).source.address!.should.equal('10.1.1.1')
    fields(other).destinations[0]!.address!.should.equal('0.0.0.0')
    const udp = { ...PRESENT, source: { ...source, id: 's' } }
    fields(udp).source.address!.should.equal('0.0.0.0')
    const bare = { ...PRESENT, source: { ...listener, id: 's' } }
    planKeep(frozen({ ...bare, name: 'B' }), bare).fields.source.should.eql(bare.source)
    planKeep(frozen({ name: 'B' }), bare).fields.source.should.eql(bare.source)
    planMerge(frozen({ source: { port: 1 } }), bare).fields.source.should.not.have.property(
      'address',
    )
    const added = planMerge(frozen({ destinations: [{ ...listener, name: 'new' }] }), PRESENT)
    added.fields.destinations[2]!.address!.should.equal('0.0.0.0')
  })
})

const PLACE = ['address', 'port', 'networkInterface', 'srtNetworkBondingParams']

describe('merge: what an update sends', () => {
  const mode = fc.constantFrom('keep', 'merge', 'replace' as const)
  /** Some members of a part, in any spelling, with null for some of those that are empty. */
  const someOf = (part: object, use: 'keep' | 'merge' | 'replace'): fc.Arbitrary<object> => {
    if (use !== 'merge') return respelled(part)
    // With redundancy a place, and what the paths do not share, is changed by the list of paths only.
    const isFixed = 'srtGroupMode' in part && part.srtGroupMode !== 'none'
    const names = Object.entries(part)
      .filter(([name, value]) => !(isFixed && (PLACE.includes(name) || /\|/.test(String(value)))))
      .map(([name]) => name)
      .filter((name) => name !== 'id' && name !== 'name')
    return fc.subarray(names).chain((some) => {
      const given = Object.entries(part).filter(
        ([name]) => some.includes(name) || name === 'id' || name === 'name',
      )
      return respelled({ ...Object.fromEntries(given), laterMember: 7 })
    })
  }
  const update = fc
    .tuple(arbitraryRoute, mode)
    .chain(([route, use]) =>
      fc.tuple(
        fc.constant(route),
        fc.constant(use),
        fc.record(
          {
            name: fc.constant('Another'),
            source: someOf(route.source, use),
            destinations: fc.tuple(...route.destinations.map((one) => someOf(one, use))),
          },
          { requiredKeys: use === 'replace' ? ['name', 'source', 'destinations'] : [] },
        ),
      ),
    )

  it('has every member that the appliance has, and every destination', () => {
    fc.assert(
      fc.property(update, ([route, use, given]) => {
        const patch = frozen(given) as RoutePatch
        const present = frozen(route)
        const { fields, problems } =
          use === 'merge'
            ? planMerge(patch, present)
            : (use === 'keep' ? planKeep : planReplace)(patch, present)
        problems.should.eql([])
        const before = toSent(route)
        fields.destinations.should.have.length(before.destinations.length)
        const pairs = [
          [fields.source, before.source] as const,
          ...fields.destinations.map((one, index) => [one, before.destinations[index]!] as const),
        ]
        for (const [sent, was] of pairs) {
          sent.should.have.properties(Object.keys(was))
          for (const [name, value] of Object.entries(was))
            if (name !== 'laterMember') ({ name, value: sent[name] }).should.eql({ name, value })
        }
      }),
    )
  })
})

describe('merge: what has to be read first', () => {
  it('is everything for a merge, what is missing for keep, and secrets', () => {
    needsPresent({}, 'merge').should.be.true()
    needsPresent(PRESENT, 'merge').should.be.true()
    needsPresent(PRESENT, 'keep').should.be.false()
    for (const name of ['name', 'source', 'destinations'])
      needsPresent({ ...PRESENT, [name]: undefined }, 'keep').should.be.true()
    needsPresent({ ...PRESENT, source: { ...PRESENT.source, id: '' } }, 'keep').should.be.true()
    needsPresent(hideSecrets(PRESENT), 'keep').should.be.true()
    needsPresent({ name: 'B' }, 'replace').should.be.false()
    needsPresent(hideSecrets(PRESENT), 'replace').should.be.true()
    needsPresent({ source: { srtPassPhrase: HIDDEN } }, 'replace').should.be.true()
  })
})

describe('merge: merge', () => {
  it('plans no difference for nothing, and for the route itself', () => {
    fc.assert(
      fc.property(arbitraryRoute, (route) => {
        frozen(route)
        for (const patch of [{}, route, hideSecrets(route), toSent(route)]) {
          const { fields, problems } = planMerge(frozen(patch), route)
          problems.should.eql([])
          fields.should.eql(toSent(route))
          diffRoutes(fields, toSent(route)).should.eql([])
        }
      }),
    )
  })

  it('touches only what the patch names', () => {
    fc.assert(
      fc.property(arbitraryRoute, fc.nat(), fc.boolean(), (route, pick, byName) => {
        const index = pick % Math.max(1, route.destinations.length)
        const destination = route.destinations[index]
        fc.pre(destination !== undefined)
        const key = byName ? { name: destination.name } : { id: destination.id }
        const patch = { destinations: [{ ...key, firmwareMember: 7 }] }
        const { fields, problems } = planMerge(frozen(patch), frozen(route))
        problems.should.eql([])
        fields.should.eql(withDestination(index, { firmwareMember: 7 }, toSent(route)))
        diffRoutes(fields, toSent(route)).should.eql([
          { path: `destinations[${index}].firmwareMember`, from: undefined, to: 7 },
        ])
      }),
    )
  })

  it('matches destinations by id, else by name', () => {
    const wanted = withDestination(1, { ttl: 5 })
    merged({ destinations: [{ id: 'd2', ttl: 5 }] }).should.eql(wanted)
    merged({ destinations: [{ name: 'two', ttl: 5 }] }).should.eql(wanted)
    merged({ destinations: [{ id: '', name: 'two', ttl: 5 }] }).should.eql(wanted)
    merged({ destinations: { d2: { ttl: 5 } } }).should.eql(wanted)
    merged({ destinations: { two: { ttl: 5 } } }).should.eql(wanted)
  })

  it('renames', () => {
    merged({ name: 'B', destinations: [{ id: 'd2', name: 'three' }] }).should.eql({
      ...withDestination(1, { name: 'three' }),
      name: 'B',
    })
    merged({ destinations: { two: { name: 'three' } } }).should.eql(
      withDestination(1, { name: 'three' }),
    )
    problemsOf({ destinations: [{ id: 'd2', name: 'one' }] }).should.eql([
      { path: 'destinations[0].name', problem: 'is the name of two destinations' },
    ])
    const swap = [
      { id: 'd1', name: 'two' },
      { id: 'd2', name: 'one' },
    ]
    merged({ destinations: swap })
      .destinations.map(({ name }) => name)
      .should.eql(['two', 'one'])
  })

  it('removes with null', () => {
    merged({ source: { srtPassPhrase: null } }).source.srtPassPhrase!.should.equal('')
    merged({ destinations: { d1: null } }).destinations.should.eql([SENT.destinations[1]])
    merged({ destinations: { gone: null } }).should.eql(SENT)
    merged({ destinations: null }).destinations.should.eql([])
    merged({ destinations: [] }).should.eql(SENT)
  })

  it('refuses null for a value that the appliance would keep, with its path', () => {
    const problem =
      'cannot be cleared: the gateway keeps a stored value when a field is omitted; give the value you want'
    const patch = {
      source: { srtLatency: null, mode: null, srtPassPhrase: null, srtStreamID: null, state: null },
      destinations: { one: { later: { b: { c: null }, d: null } }, two: { ttl: null, fec: 'vf' } },
    }
    checkUpdate(patch, 'merge').should.eql([])
    problemsOf(patch as never).should.eql(
      [
        'source.srtLatency',
        'source.mode',
        'destinations.one.later.b.c',
        'destinations.two.ttl',
      ].map((path) => ({ path, problem })),
    )
    planMerge({ source: { srtLatency: null } }, PRESENT, { validate: false })
      .problems.map(({ path }) => path)
      .should.eql(['source.srtLatency'])
  })

  it('takes null for the other name of a member that is given, as firmware may answer', () => {
    const both = { mode: null, srtMode: 'caller', useFEC: null, useFec: true }
    const source = { ...PRESENT.source, ...both } as unknown as Route['source']
    const asRead = { ...PRESENT, source }
    const { fields, problems } = planMerge(asRead, asRead)
    problems.should.eql([])
    fields.source.should.match({ srtMode: 'caller', useFec: true })
  })

  it('takes null for what a change of protocol or of redundancy takes along', () => {
    merged({
      destinations: { one: { protocol: 'UDP', srtLatency: null, srtEncryption: null } },
    }).destinations[0]!.should.not.have.property('srtLatency')
    const paths = [{ address: '10.0.0.1', port: 1 }]
    const redundancy = { srtGroupMode: 'Backup', srtNetworkBondingParams: paths }
    const place = { address: null, port: null } as unknown as object
    const redundant = merged({ source: { ...redundancy, ...place } })
    redundant.source.should.not.have.property('port')
    const single = { srtGroupMode: 'NONE', srtNetworkBondingParams: null, port: 5000 }
    merged(
      { source: { ...single, address: '0.0.0.0' } as never },
      { ...PRESENT, ...redundant },
    ).should.eql(SENT)
  })

  it('goes into plain objects and replaces lists', () => {
    merged({ destinations: { one: { later: { b: { d: 3 } } } } }).should.eql(
      withDestination(0, { later: { a: 1, b: { c: 2, d: 3 } } }),
    )
    const present = { ...PRESENT, source: { ...PRESENT.source, labels: ['a', 'b'] } }
    merged({ source: { labels: ['c'] } }, present).source.labels!.should.eql(['c'])
  })

  it('takes mode for srtMode, and ignores what is read-only', () => {
    merged({ source: { mode: 'caller', state: 'x', usedBandwidth: '1' } }).should.eql({
      ...SENT,
      source: { ...SENT.source, srtMode: 'caller' },
    })
    merged({ destinations: { two: { mode: 'unicast', started: false } } }).should.eql(SENT)
  })

  it('adds a complete destination under a new name', () => {
    const added = { name: 'three', protocol: 'udp', address: '239.0.0.3', port: 7000 }
    const wanted = { ...SENT, destinations: [...SENT.destinations, added] }
    merged({ destinations: [added] }).should.eql(wanted)
    merged({
      destinations: { three: { ...added, name: undefined } },
    }).destinations.should.have.length(3)
    const { name: _, ...unnamed } = added
    merged({ destinations: { three: unnamed } }).should.eql(wanted)
    const others = { a: null, b: { ...added, name: 'b' }, d1: null, c: { ...added, name: 'c' } }
    merged({ destinations: others })
      .destinations.map(({ name }) => name)
      .should.eql(['two', 'b', 'c'])
  })

  it('refuses a name that fits nothing and is no whole destination', () => {
    problemsOf({ destinations: [{ name: 'tow', ttl: 5 }] }).should.eql([
      {
        path: 'destinations[0]',
        problem:
          'is no destination of the route (it has "one", "two"), and is not complete enough for a new one',
      },
      {
        path: 'destinations[0].protocol',
        problem: 'is missing; it must be one of udp, rtp, srt, hls',
      },
    ])
  })

  it('refuses an id that is not there', () => {
    const problem = 'is not the id of a destination of the route'
    problemsOf({ destinations: [{ id: 'd9', name: 'two' }] }).should.eql([
      { path: 'destinations[0].id', problem },
    ])
    const id = '6f2a9a6e-3d8a-4b55-9a42-0d6f4e2c9b11'
    problemsOf({ destinations: { [id]: { ...SENT.destinations[1], id: undefined } } }).should.eql([
      { path: `destinations["${id}"]`, problem },
    ])
    problemsOf({ source: { id: 'other' } }).should.eql([
      { path: 'source.id', problem: 'is not the id of the present source' },
    ])
  })

  it('refuses a name that fits several, and one destination twice', () => {
    const twins = {
      ...PRESENT,
      destinations: [1, 2].map((id) => ({ ...PRESENT.destinations[1]!, id: `d${id}` })),
    }
    problemsOf({ destinations: { two: { ttl: 1 } } }, twins).should.eql([
      {
        path: 'destinations.two',
        problem: 'matches several destinations, with the IDs d1, d2; give the ID',
      },
    ])
    problemsOf({
      destinations: [
        { id: 'd2', ttl: 1 },
        { name: 'two', ttl: 2 },
      ],
    }).should.eql([
      { path: 'destinations[1]', problem: 'is the same destination as destinations[0]' },
    ])
    problemsOf({ destinations: [{ ttl: 1 }] }).should.eql([
      {
        path: 'destinations[0]',
        problem: 'has neither id nor name; give one of them to select the destination',
      },
    ])
  })

  it('checks a value against the protocol that is there', () => {
    const patch = { destinations: { two: { fec: 'prompeg' } } }
    checkUpdate(patch, 'merge').should.eql([])
    const problem = 'is "prompeg"; it must be one of none, vf'
    problemsOf(patch).should.eql([{ path: 'destinations.two.fec', problem }])
    problemsOf({ source: { mode: 'talker' } })
      .map(({ path }) => path)
      .should.eql(['source.mode'])
    planMerge(patch, PRESENT, { validate: false }).problems.should.eql([])
  })

  it('drops what only the former protocol has', () => {
    merged({ destinations: { one: { protocol: 'udp' } } }).destinations[0]!.should.eql({
      id: 'd1',
      name: 'one',
      protocol: 'udp',
      address: '10.0.0.1',
      port: 6000,
      ttl: 64,
      tos: 104,
      later: { a: 1, b: { c: 2 } },
    })
    merged({
      destinations: { two: { protocol: 'http', mode: 'hls' } },
    }).destinations[1]!.should.eql({
      id: 'd2',
      name: 'two',
      protocol: 'hls',
      retainedByFirmware: 1,
    })
    problemsOf({ source: { protocol: 'rtsp', fec: 'prompeg' } })
      .map(({ path }) => path)
      .should.eql(['source.fec'])
  })

  it('keeps hidden secrets, and refuses them where there is none', () => {
    merged({ source: { srtPassPhrase: HIDDEN } }).should.eql(SENT)
    problemsOf({ destinations: { two: { srtPassPhrase: HIDDEN } } })
      .map(({ path }) => path)
      .should.eql(['destinations.two.srtPassPhrase'])
  })

  describe('of paths', () => {
    const [A, B] = [
      { address: '10.0.0.1', port: 1, networkInterface: 'eth0' },
      { address: '10.0.0.2', port: 2, networkInterface: 'eth1' },
    ]
    const LIST = 'srtNetworkBondingParams'
    const redundant = merged({ source: { srtGroupMode: 'backup', [LIST]: [A, B] } })
    const present = { ...PRESENT, ...redundant }
    const pathsOf = (...paths: object[]) =>
      merged({ source: { [LIST]: paths as never } }, present).source[LIST]

    it('keeps what a path leaves out, found by its place or else by its position', () => {
      pathsOf({ address: '10.0.0.1', port: 3 }, { address: '10.0.0.2', port: '2' })!.should.eql([
        { ...A, port: 3 },
        B,
      ])
      pathsOf({ address: '10.0.0.2', port: 2 }, { address: '10.0.0.3', port: 3 })!.should.eql([
        B,
        { address: '10.0.0.3', port: 3, networkInterface: 'eth0' },
      ])
      pathsOf({ address: '10.0.0.2', port: 2 })!.should.eql([B])
      const added = { address: '10.0.0.3', port: 3 }
      pathsOf(added, { address: '10.0.0.1', port: 1 }, B)!.should.eql([added, A, B])
      pathsOf(A, { ...B, networkInterface: '' })!.should.eql([A, { ...B, networkInterface: '' }])
    })

    it('keeps that of RTP and of outputs, too', () => {
      const rtp = { protocol: 'rtp', rtpNetworkBondingParams: [A, B] }
      const source = merged({ source: rtp })
      const bare = [A, B].map(({ address }) => ({ address, port: 9 }))
      merged({ source: { rtpNetworkBondingParams: bare } }, { ...PRESENT, ...source }).source[
        'rtpNetworkBondingParams'
      ]!.should.eql([
        { ...A, port: 9 },
        { ...B, port: 9 },
      ])
      const tuned = [A, B].map((path) => ({ ...path, mtu: 1300, ttl: 5, tos: 1 }))
      const one = { srtGroupMode: 'backup', [LIST]: tuned }
      const outputs = merged({ destinations: { one } })
      merged(
        { destinations: { one: { [LIST]: bare } } },
        { ...PRESENT, ...outputs },
      ).destinations[0]![LIST]!.should.eql(tuned.map((path) => ({ ...path, port: 9 })))
    })

    it('refuses null for what a path has', () => {
      problemsOf({ source: { [LIST]: [A, { ...B, networkInterface: null }] } as never }, present)
        .map(({ path }) => path)
        .should.eql([`source.${LIST}[1].networkInterface`])
    })

    it('takes paths of a failover as they are: the other side has others', () => {
      const paths = [A, B].map(({ address, port }) => ({ address, port }))
      planMerge({ source: { [LIST]: paths } }, present, { pathsAreWhole: true }).fields.source[
        LIST
      ]!.should.eql(paths)
    })
  })

  it('changes redundancy only as a whole', () => {
    const paths = [
      { address: '10.0.0.1', port: 1 },
      { address: '10.0.0.2', port: 2 },
    ]
    const redundant = merged({ source: { srtGroupMode: 'backup', srtNetworkBondingParams: paths } })
    redundant.source.should.not.have.property('address')
    redundant.source.srtNetworkBondingParams!.should.eql(paths)

    const present = { ...PRESENT, ...redundant }
    problemsOf({ source: { port: 9 } }, present).should.eql([
      {
        path: 'source.port',
        problem: 'does not apply with path redundancy; give all paths in srtNetworkBondingParams',
      },
    ])
    problemsOf({ source: { srtGroupMode: 'backup' } })
      .map(({ path }) => path)
      .should.eql(['source.srtNetworkBondingParams'])
    problemsOf({ source: { srtGroupMode: 'none' } }, present)
      .map(({ path }) => path)
      .should.eql(['source.port'])
    const back = { srtGroupMode: 'none', address: '0.0.0.0', port: 5000 }
    merged({ source: back }, present).should.eql(SENT)
  })

  it('is not harmed by __proto__ and constructor', () => {
    const patch = JSON.parse(
      '{"source":{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"later":{"__proto__":{"x":1}}},"destinations":{"__proto__":{"ttl":1}}}',
    ) as RoutePatch
    const { fields } = planMerge(frozen(patch), PRESENT)
    ;({}).should.not.have.property('x')
    fields.destinations.should.eql(SENT.destinations)
    Object.getPrototypeOf(fields.source).should.equal(Object.prototype)
    Object.getPrototypeOf(fields.source.later).should.equal(Object.prototype)
  })

  it('takes time in proportion to the number of destinations', () => {
    expectInProportion(4000, (length) => {
      const destinations = Array.from({ length }, (_, index) => ({
        ...PRESENT.destinations[1]!,
        id: `d${index}`,
        name: `out ${index}`,
      }))
      const present = { ...PRESENT, destinations }
      const sent = toSent(present)
      return () => diffRoutes(merged({ destinations }, present), sent).should.eql([])
    })
  })
})
