// What each kind of node shows under it, in a real Node-RED.
import type { Node, NodeStatus } from 'node-red'
import type { Simulator } from '../../simulator'
import { failure, helper, load, result, simulated } from '../support/flow'

/** How long a request takes that is shown while it is under way. */
const SHOWN_AFTER_MS = 300
const grey = (text: string) => ({ fill: 'grey', shape: 'dot', text })
const red = (text: string) => ({ fill: 'red', shape: 'ring', text })

describe('what the nodes show under them', function () {
  this.timeout(60_000)
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: 2 })
  })

  /** Collects what a node shows. */
  function dotsOf(id: string): NodeStatus[] {
    const node = helper.getNode(id) as unknown as Node
    const dots: NodeStatus[] = []
    node.status = (dot) => void dots.push(dot as NodeStatus)
    return dots
  }

  const TIME = String.raw`\d\d:\d\d:\d\d`
  const definition = (name: string) => ({
    name,
    source: { name: `${name} in`, protocol: 'udp', address: '239.1.1.1', port: 5000 },
  })

  it('is what was read, after quick reads in grey alone, and after slow ones also blue before', async () => {
    const nodes = {
      'get-route': { route: 'Studio A', routeType: 'name' },
      login: { type: 'media-gateway-list-devices' },
    }
    simulator.routes[0]!.name = 'Studio A'
    await load(simulator.url, nodes)
    await result('login')
    for (const [id, text] of [
      ['list-routes', /^2 routes$/],
      ['list-devices', /^1 device$/],
      ['get-route', /^read “Studio A”$/],
      ['get-device', /^read “.+”$/],
      ['session', /^logged in as “.+”$/],
    ] as const) {
      const dots = dotsOf(id)
      for (let times = 0; times < 5; times++) await result(id)
      const quick = dots.filter(({ fill }) => fill === 'grey')
      quick.should.not.be.empty()
      for (const dot of quick) dot.text!.should.match(text)
      simulator.setOptions({ latency: 20 + SHOWN_AFTER_MS })
      await result(id)
      simulator.setOptions({ latency: 0 })
      const [waits, shows] = dots.slice(-2)
      waits!.fill!.should.equal('blue')
      shows!.should.match({ fill: 'grey', shape: 'dot' })
      shows!.text!.should.match(text)
    }
  })

  it('is the first unknown field that was sent', async () => {
    await load(simulator.url, {
      create: { type: 'media-gateway-create-route' },
      merge: { type: 'media-gateway-update-route', mode: 'merge' },
      ensure: { type: 'media-gateway-ensure-route' },
    })
    const source = { ...definition('New one').source, later: 1 }
    const given = {
      create: { ...definition('New one'), source },
      merge: { source: { later: 2 } },
      ensure: { ...definition('Another'), source: { ...source, name: 'Another in' } },
    }
    for (const [id, payload] of Object.entries(given)) {
      const dots = dotsOf(id)
      await result(id, { routeId: simulator.routes[0]!.id, payload })
      const text = 'sent with unknown field source.later'
      should(dots.at(-1)).eql({ fill: 'yellow', shape: 'dot', text }, id)
    }
    // There is nothing to change, and nothing is sent.
    const dots = dotsOf('ensure')
    await result('ensure', { payload: given.ensure })
    should(dots.at(-1)).not.match({ fill: 'yellow' })
  })

  for (const [waitFor, texts] of Object.entries({
    accepted: {
      start: `start accepted ${TIME}`,
      stop: `stop accepted ${TIME}`,
      restart: `start accepted ${TIME}`,
      create: 'creation accepted: “New one”',
      update: `update accepted: ${TIME}`,
      delete: 'deletion accepted: “Studio B”',
      deleteById: `deletion accepted: ${TIME}`,
    },
    applied: {
      start: `running ${TIME}`,
      stop: `stopped ${TIME}`,
      restart: `running ${TIME}`,
      create: 'created “New one”',
      update: 'updated “Studio A2”',
      delete: 'deleted “Studio B”',
      deleteById: `deleted ${TIME}`,
    },
  })) {
    it(`claims no more than is known when it waits for ${waitFor}`, async () => {
      const [a, b] = simulator.routes
      Object.assign(a!, { name: 'Studio A' })
      Object.assign(b!, { name: 'Studio B' })
      const control = { type: 'media-gateway-control-route', waitFor }
      const remove = { type: 'media-gateway-delete-route', waitFor }
      await load(simulator.url, {
        start: { ...control, action: 'start' },
        stop: { ...control, action: 'stop' },
        restart: { ...control, action: 'restart' },
        create: { type: 'media-gateway-create-route', waitFor },
        update: { type: 'media-gateway-update-route', waitFor },
        delete: { ...remove, route: 'Studio B', routeType: 'name' },
        deleteById: remove,
      })
      for (const [id, text] of Object.entries(texts)) {
        const dots = dotsOf(id)
        const payload =
          id === 'create' ? definition('New one') : id === 'update' ? { name: 'Studio A2' } : ''
        await result(id, { routeId: a!.id, payload })
        dots.at(-1)!.should.match({ fill: 'grey', shape: 'dot' })
        dots.at(-1)!.text!.should.match(new RegExp(`^${text}$`))
      }
    })
  }

  it('is what ensure did, would do, or could not do', async () => {
    simulator.routes[0]!.name = 'Studio A'
    const ensure = { type: 'media-gateway-ensure-route' }
    await load(simulator.url, {
      ensure,
      plan: { ...ensure, check: true },
      started: { ...ensure, state: 'started' },
    })
    const rows = [definition('One'), definition('Two'), definition('Three')]
    const dots = dotsOf('ensure')
    const shows = async (payload: unknown, text: RegExp, fill = 'grey'): Promise<void> => {
      await result('ensure', { payload })
      should(dots.at(-1)).match({ fill })
      dots.at(-1)!.text!.should.match(text)
    }
    await shows(definition('One'), /^created “One”$/)
    await shows(rows, /^2 changed, 1 unchanged$/)
    const more = { ...definition('One'), source: { ...definition('One').source, port: 5002 } }
    await shows(more, /^updated “One”$/)
    const body = { error: { type: 'Invalid', message: 'not this one' } }
    simulator.fault({ kind: 'status', status: 400, body, match: { action: 'create' }, times: 1 })
    await shows([...rows, definition('Four')], /^1 failed, 1 changed, 2 unchanged$/, 'red')

    // Several steps, and none.
    const started = dotsOf('started')
    const other = { ...definition('One'), source: { ...definition('One').source, port: 5004 } }
    await result('started', { payload: other })
    started.at(-1)!.text!.should.equal('changed “One”')
    simulator.setOptions({ latency: 320 })
    await result('started', { payload: other })
    started.at(-1)!.text!.should.equal('unchanged: “One”')
    simulator.setOptions({ latency: 0 })

    const planned = dotsOf('plan')
    await result('plan', { payload: [definition('Five'), definition('Six')] })
    planned.at(-1)!.text!.should.equal('dry run: 2 would change')
  })

  it('is a login that was made, and a logout', async () => {
    const session = { type: 'media-gateway-session' }
    await load(simulator.url, {
      begin: { ...session, action: 'start' },
      end: { ...session, action: 'end' },
    })
    const [begun, ended] = [dotsOf('begin'), dotsOf('end')]
    // On a busy machine a request may be slow enough to be shown, and the second one in another second.
    const textsOf = (dots: NodeStatus[]): string[] => {
      const outcomes = dots.filter(({ fill }) => fill !== 'blue')
      return [...new Set(outcomes.map(({ text }) => text!.replace(new RegExp(TIME), 'TIME')))]
    }
    await result('begin')
    await result('begin')
    const [text, ...others] = textsOf(begun)
    text!.should.match(/^logged in as “.+”$/)
    others.should.eql([])
    await result('end')
    await result('end')
    textsOf(ended).should.eql(['logged out TIME'])
  })

  it('is an import that was accepted, and how many statistics were read', async () => {
    await load(simulator.url, {
      export: { type: 'media-gateway-preset' },
      import: { type: 'media-gateway-preset', action: 'import' },
      all: { type: 'media-gateway-statistics', scope: 'all' },
      one: { type: 'media-gateway-statistics' },
    })
    const [exported, imported, all, one] = ['export', 'import', 'all', 'one'].map(dotsOf)
    simulator.setOptions({ latency: 160 })
    const preset = (await result('export')).payload
    exported!.at(-1)!.text!.should.match(new RegExp(`^exported ${TIME}$`))
    for (const route of simulator.routes) route.state = 'running'
    await result('all')
    all!.at(-1)!.text!.should.equal('statistics of 2 routes')
    simulator.setOptions({ latency: 320 })
    await result('one', { routeId: simulator.routes[0]!.id })
    one!.at(-1)!.text!.should.match(new RegExp(`^statistics read ${TIME}$`))
    simulator.fault({ kind: 'status', status: 500, match: { path: /statistics/ }, times: 1 })
    await result('all')
    all!.at(-1)!.should.eql(red('1 of 2 failed'))
    await result('import', { payload: preset, confirm: true })
    imported!.at(-1)!.text!.should.match(new RegExp(`^import accepted ${TIME}$`))
  })

  it('is what a failure left behind', async () => {
    const [route, twin] = simulator.routes
    route!.name = 'Studio A'
    const control = { type: 'media-gateway-control-route', route: 'Studio A', routeType: 'name' }
    const ensure = { type: 'media-gateway-ensure-route', state: 'started' }
    await load(simulator.url, {
      start: { ...control, action: 'start', waitFor: 'applied' },
      restart: { ...control, action: 'restart' },
      ensure,
    })
    const dots = dotsOf('restart')
    const fails = async (status: number, code: string, text: string): Promise<void> => {
      await result('start', { payload: {} })
      simulator.fault({ kind: 'status', status, match: { action: 'start-route' } })
      should((await failure('restart')).code).equal(code)
      simulator.clearFaults()
      dots.at(-1)!.should.eql(red(text))
    }
    await fails(400, 'REJECTED', 'stopped: restart failed')
    // A start that was not confirmed may have been carried out.
    await fails(503, 'UNAVAILABLE', 'restart failed, may be stopped')

    const ensured = dotsOf('ensure')
    simulator.fault({ kind: 'status', status: 400, match: { action: 'start-route' } })
    await failure('ensure', { payload: definition('Studio A') })
    ensured.at(-1)!.should.eql(red('changed, but a later step failed'))
    simulator.clearFaults()

    twin!.name = 'Studio A'
    await failure('restart')
    dots.at(-1)!.should.eql(red('name is not unique'))
  })

  it('is a failure until the next message comes in', async () => {
    await load(simulator.url, { 'get-route': { routeType: 'msg', route: 'routeId' } })
    const dots = dotsOf('get-route')
    // On a busy machine each read may be slow enough to be shown.
    const ofOutcomes = (): NodeStatus[] => dots.filter(({ fill }) => fill !== 'blue')
    await failure('get-route', { routeName: 'Concert hal' })
    ofOutcomes().should.eql([red('no route “Concert hal”')])
    await result('get-route', { routeId: simulator.routes[0]!.id })
    ofOutcomes().should.eql([
      red('no route “Concert hal”'),
      {},
      grey(`read “${simulator.routes[0]!.name}”`),
    ])
  })
})
