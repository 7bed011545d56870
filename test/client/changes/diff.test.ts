import { toSent } from '../../../client/model/convert'
import { diffRoutes } from '../../../client/model/diff'
import { HIDDEN, hideSecrets } from '../../../client/model/secrets'
import { expectInProportion } from '../../support/cost'
import { PRESENT, SECRET, SENT, withDestination } from './support'

describe('merge: differences', () => {
  const differences = (changes: object) => diffRoutes(withDestination(0, changes), SENT)

  it('are none where only the form differs', () => {
    differences({ port: '6000', srtStreamID: '', labels: null }).should.eql([])
    diffRoutes(SENT, withDestination(0, { port: '6000', labels: [] })).should.eql([])
    diffRoutes({ ...SENT, destinations: SENT.destinations.toReversed() }, SENT).should.eql([])
    differences({ action: 'start', srtPassPhrase: HIDDEN }).should.eql([])
    diffRoutes(SENT, withDestination(0, { srtPassPhrase: '*****' })).should.eql([])
    diffRoutes(SENT, withDestination(0, { more: 1 })).should.eql([])
  })

  it('tell path, from and to, and hide secrets', () => {
    diffRoutes({ ...SENT, name: 'B' }, SENT).should.eql([
      { path: 'name', from: 'Studio A', to: 'B' },
    ])
    differences({ ttl: 5, later: { b: { c: 3 } } }).should.eql([
      { path: 'destinations[0].ttl', from: 64, to: 5 },
      { path: 'destinations[0].later.b.c', from: 2, to: 3 },
    ])
    differences({ srtPassPhrase: 'another phrase' }).should.eql([
      { path: 'destinations[0].srtPassPhrase', from: HIDDEN, to: HIDDEN },
    ])
    differences({ srtPassPhrase: '' }).should.eql([
      { path: 'destinations[0].srtPassPhrase', from: HIDDEN, to: '' },
    ])
    differences({ name: 'One' }).should.eql([
      { path: 'destinations[0].name', from: 'one', to: 'One' },
    ])
    differences({ later: 5 }).should.eql([
      { path: 'destinations[0].later', from: { a: 1, b: { c: 2 } }, to: 5 },
    ])
    differences({ srtEncryption: 'AES256' }).should.have.length(1)
    differences({ srtStreamID: 'Live' }).should.have.length(1)
  })

  it('hide what may be secret in an address', () => {
    const address = 'rtsp://user:pa/ss@192.0.2.1/live?token=abc'
    const [only] = differences({ address })
    only!.to!.should.equal(`rtsp://${HIDDEN}@192.0.2.1/live?${HIDDEN}`)
    only!.from!.should.equal(SENT.destinations[0]!.address)
  })

  it('compare paths one by one', () => {
    const paths = (port: number, more: object[] = []) => ({
      srtNetworkBondingParams: [{ address: 'a', port }, ...more],
    })
    diffRoutes(withDestination(0, paths(1)), withDestination(0, paths(2))).should.eql([
      { path: 'destinations[0].srtNetworkBondingParams[0].port', from: 2, to: 1 },
    ])
    diffRoutes(withDestination(0, paths(1)), withDestination(0, paths(1, [{ port: 1 }])))
      .map(({ path }) => path)
      .should.eql(['destinations[0].srtNetworkBondingParams'])
  })

  it('look into lists of whatever firmware may have in them', () => {
    const future = (last: number) => ({ future: [1, null, { b: 2 }, [1, { c: last }]] })
    const present = withDestination(0, future(1))
    diffRoutes(withDestination(0, future(1)), structuredClone(present)).should.eql([])
    diffRoutes(withDestination(0, future(2)), present).should.eql([
      { path: 'destinations[0].future[3][1].c', from: 1, to: 2 },
    ])
    diffRoutes(withDestination(0, { future: [1, null] }), present).should.have.length(1)
  })

  it('count added and removed destinations', () => {
    const added = { name: 'three', protocol: 'udp', srtPassPhrase: SECRET }
    const wanted = { ...SENT, destinations: [added, SENT.destinations[1]!] }
    diffRoutes(wanted, SENT).should.eql([
      { path: 'destinations[2]', from: undefined, to: { ...added, srtPassPhrase: HIDDEN } },
      { path: 'destinations[0]', from: hideSecrets(SENT.destinations[0]), to: undefined },
    ])
  })

  it('match a destination without id by its name, when no other claims it', () => {
    const { id: _, ...unnamed } = SENT.destinations[0]!
    diffRoutes({ ...SENT, destinations: [unnamed, SENT.destinations[1]!] }, SENT).should.eql([])
    const twice = { ...SENT, destinations: [unnamed, ...SENT.destinations] }
    diffRoutes(twice, SENT).should.eql([
      { path: 'destinations[2]', from: undefined, to: hideSecrets(unnamed) },
    ])
  })

  it('are none where all that is wanted shows, and no other destination', () => {
    const areNone = (wanted: typeof SENT, present = SENT): boolean =>
      diffRoutes(wanted, present).length === 0
    areNone(SENT, toSent(PRESENT)).should.be.true()
    areNone({ ...SENT, destinations: [] }).should.be.false()
    areNone({ ...SENT, startRoute: true }).should.be.true()
    areNone(SENT, toSent({ ...PRESENT, destinations: [] })).should.be.false()
    areNone(withDestination(1, { fec: 'vf' })).should.be.false()
  })

  it('take time in proportion to their number', () => {
    expectInProportion(30_000, (length) => {
      const more = Object.fromEntries(Array.from({ length }, (_, at) => [`unknown${at}`, at + 1]))
      const sent = { ...SENT, source: { ...SENT.source, ...more } }
      return () => diffRoutes(sent, SENT).length.should.equal(length)
    })
  })
})
