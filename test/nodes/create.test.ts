import type { Route } from '../../client/model/types'
import { generateRoutes, type Simulator } from '../../simulator'
import { failure, load, result, simulated, unload } from '../support/flow'

describe('create-route', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: generateRoutes(24) })
    await load(simulator.url, {
      applied: { type: 'media-gateway-create-route', waitFor: 'applied' },
      started: { type: 'media-gateway-create-route', waitFor: 'applied', startRoute: true },
      impatient: { type: 'media-gateway-create-route', waitFor: 'applied', waitTimeout: 2 },
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

  it('takes its options as text, and an unset variable is CONFIG', async () => {
    const create = { type: 'media-gateway-create-route', waitFor: 'applied' }
    await unload()
    await load(simulator.url, {
      started: { ...create, startRoute: 'true' },
      loose: { ...create, validate: 'false' },
      'start-unset': { ...create, startRoute: '${START_X}' },
      'validate-unset': { ...create, validate: '${VALIDATE_X}' },
      'update-unset': { type: 'media-gateway-update-route', validate: '${VALIDATE_X}' },
    })
    for (const node of ['start-unset', 'validate-unset', 'update-unset']) {
      const error = await failure(node, { payload: ROUTE, routeId: simulator.routes[0]!.id })
      error.cause.should.match({ code: 'CONFIG', applied: 'no' })
    }
    simulator.journal.should.have.length(0)
    ;((await result('started', { payload: ROUTE })).payload as Route).state!.should.equal('running')
    const odd = { ...ROUTE, name: 'Odd', destinations: [{ ...ROUTE.destinations[0], adress: 'x' }] }
    ;((await result('loose', { payload: odd })).payload as Route).name.should.equal('Odd')
  })

  it('with one name twice at once gives two answers with two IDs', async () => {
    const both = await Promise.all([
      result('applied', { payload: ROUTE }),
      result('applied', { payload: ROUTE }),
    ])
    new Set(both.map(({ routeId }) => routeId)).size.should.equal(2)
  })

  it('takes its definition from the node', async () => {
    await result('json', { payload: 'not this' })
    creates()[0]!.body!.should.have.propertyByPath('fields', 'name').eql(ROUTE.name)
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
})

const ROUTE = {
  name: 'Created here',
  source: { name: 'Created in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [{ name: 'Created out', protocol: 'udp', address: '192.0.2.50', port: 6000 }],
}
