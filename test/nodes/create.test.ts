import 'should'
import type { Route } from '../../client/model/types'
import { generateRoutes, type Simulator } from '../../simulator'
import { failure, load, result, send, simulated } from '../support/flow'

describe('create-route', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: generateRoutes(24) })
    await load(simulator.url, {
      applied: { type: 'media-gateway-create-route', waitFor: 'applied' },
      started: { type: 'media-gateway-create-route', waitFor: 'applied', startRoute: true },
      impatient: { type: 'media-gateway-create-route', waitFor: 'applied', waitTimeout: 0.4 },
      json: {
        type: 'media-gateway-create-route',
        definition: JSON.stringify(ROUTE),
        definitionType: 'json',
      },
    })
  })

  const creates = (): Simulator['journal'] =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates'))

  it('answers the status, and the route comes', async () => {
    const { payload, routeId } = await result('create-route', { payload: ROUTE })
    payload!.should.have.property('status').which.is.a.String()
    ;(routeId === undefined).should.be.true()
    await simulator.settle()
    simulator.route(ROUTE.name)!.state.should.equal('idle')
  })

  it('without waiting knows no ID: that of another route is taken out of the message', async () => {
    const older = { routeId: simulator.routes[0]!.id, routeName: simulator.routes[0]!.name }
    const created = await result('create-route', { ...older, payload: ROUTE })
    created.should.not.have.property('routeId')
    created.should.have.property('routeName', ROUTE.name)
    await simulator.settle()
    const { routeId } = await result('get-route', created)
    simulator.route(ROUTE.name)!.id.should.equal(routeId)
  })

  it('with applied answers the new route and its ID, so that nodes chain', async () => {
    const created = await result('applied', { payload: ROUTE })
    const route = created.payload as Route
    route.should.match({ name: ROUTE.name, id: created.routeId })
    ;(await result('get-route', { ...created })).payload!.should.have.property('id', route.id)
  })

  it('starts it when the node or the message says so; the message counts more', async () => {
    const { payload } = await result('started', { payload: ROUTE })
    ;(payload as Route).state!.should.equal('running')
    await result('started', { payload: { ...ROUTE, name: 'Not started', startRoute: false } })
    await simulator.settle()
    simulator.route('Not started')!.state.should.equal('idle')
  })

  it('with one name twice at once gives two answers with two IDs', async () => {
    const both = await Promise.all([
      result('applied', { payload: ROUTE }),
      result('applied', { payload: ROUTE }),
    ])
    new Set(both.map(({ routeId }) => routeId)).size.should.equal(2)
  })

  it('copies a Route as read, of every protocol, to a route of its own', async () => {
    for (const { id } of simulator.routes.slice()) {
      const { payload } = await result('get-route', { routeId: id })
      const original = payload as Route
      const copy = (await result('applied', { payload: { ...original, name: `Copy ${id}` } }))
        .payload as Route
      copy.id.should.not.equal(id)
      const { fields } = creates().at(-1)!.body as { fields: object }
      JSON.stringify(fields).should.not.match(/"(id|state|summaryStatusCode|started)":/)
      copy.source.protocol.should.equal(original.source.protocol)
      copy.destinations
        .map(({ name }) => name)
        .should.deepEqual(original.destinations.map((d) => d.name))
    }
  })

  it('takes its definition from the node', async () => {
    await result('json', { payload: 'not this' })
    creates()[0]!.body!.should.have.propertyByPath('fields', 'name').eql(ROUTE.name)
  })

  it('says NOT_CONFIRMED when the route does not come in time', async () => {
    simulator.setOptions({ applyDelay: 60_000 })
    const error = await failure('impatient', { payload: ROUTE })
    error.code.should.equal('NOT_CONFIRMED')
    error.message.should.match(/^Route "Created here": .* There is no new route with this name/)
    creates().should.have.length(1)
  })

  it('refuses every fault at once, before any call', async () => {
    const error = await failure('create-route', {
      payload: {
        name: 'x'.repeat(61),
        source: { name: 'In', protocol: 'carrier pigeon', port: 'many' },
        destinations: [{ name: 'Out', protocol: 'srt', srtPassPhrase: 'short', port: 0 }],
        colour: 'red',
      },
    })
    error.code.should.equal('INVALID_INPUT')
    const paths = error.cause.problems!.map(({ path }) => path)
    for (const path of [
      'name',
      'colour',
      'source.protocol',
      'destinations[0].srtPassPhrase',
      'destinations[0].port',
    ]) {
      paths.should.containEql(path)
    }
    JSON.stringify([error.message, error.cause]).should.not.match(/short"/)
    simulator.journal.should.have.length(0)
  })

  it('refuses a hidden value: a new route has nothing to keep', async () => {
    const source = {
      ...ROUTE.source,
      protocol: 'srt',
      srtMode: 'listener',
      srtPassPhrase: '••••••',
    }
    const error = await failure('create-route', { payload: { ...ROUTE, source } })
    error.cause.problems!.map(({ path }) => path).should.deepEqual(['source.srtPassPhrase'])
    simulator.journal.should.have.length(0)
  })

  it('many at once: one login, each once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send('create-route', { payload: { ...ROUTE, name: `Route ${index}` } }),
      ),
    )
    outcomes.filter(({ caught }) => caught).should.have.length(0)
    await simulator.settle()
    simulator.routes.should.have.length(24 + 40)
    simulator.logins.should.equal(1)
  })
})

const ROUTE = {
  name: 'Created here',
  source: { name: 'Created in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [{ name: 'Created out', protocol: 'udp', address: '192.0.2.50', port: 6000 }],
}
