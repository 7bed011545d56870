import { hooks } from '@node-red/util'
import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { Snapshot, WatchEvent } from '../../client/model/event'
import { startSimulator, type RouteState, type Simulator } from '../../simulator'
import { deployFlows, flowOf, load, simulated, unload, type FlowOptions } from '../support/flow'
import { pause, until } from '../support/until'

/** A node that takes its time to close. */
function slowNode(RED: NodeAPI): void {
  RED.nodes.registerType('slow-to-close', function (this: Node, config: NodeDef) {
    RED.nodes.createNode(this, config)
    this.on('close', (_removed: boolean, done: () => void) => setTimeout(done, 2500))
  })
}

const TYPES = ['full', 'flows', 'nodes'] as const

describe('a deploy forgets nothing that a watch knows:', () => {
  let simulator: Simulator
  let events: Array<{ from: string; event: WatchEvent }>
  let options: FlowOptions
  let nodes: Record<string, object>
  let deploys = 0

  interface Receipt {
    msg: { payload: WatchEvent }
    source: { node: { id: string } }
  }

  const watch = (more: object = {}): object => ({ type: 'media-gateway-watch', ...more })
  const of = (id: string): WatchEvent[] =>
    events.flatMap(({ from, event }) => (from === id ? [event] : []))
  const namesOf = (id: string): string[] => of(id).map(({ event }) => event)
  const running = (): RouteState => simulator.routes.find(({ state }) => state === 'running')!
  const polls = (): number =>
    simulator.journal.filter(({ path }) => /^\/api\/devices\/[^/]+$/.test(path)).length

  async function polled(times: number): Promise<void> {
    const wanted = polls() + times
    await until(() => polls() >= wanted)
    await pause(50)
  }

  async function start(given: Record<string, object>, more: FlowOptions = {}): Promise<void> {
    nodes = given
    options = { ...more, gateway: { pollInterval: 1 } }
    await load(simulator.url, nodes, options)
    await polled(1)
  }

  /** Deploys with every node changed. */
  async function deploy(type: (typeof TYPES)[number], more: object = {}): Promise<void> {
    const name = `deploy ${++deploys}`
    const changed = Object.entries(nodes).map(([id, node]) => [id, { ...node, name }])
    const { flow } = flowOf(simulator.url, Object.fromEntries(changed), {
      ...options,
      gateway: { ...options.gateway, ...more },
      others: options.others?.map((node) => ({ ...node, name })),
    })
    await deployFlows(flow, type)
  }

  beforeEach(async () => {
    events = []
    hooks.add('onSend.watchdeploy', (sent: Receipt[]) => {
      for (const { msg, source } of sent) events.push({ from: source.node.id, event: msg.payload })
    })
    simulator = await simulated({ routes: 6, applyDelay: 0, settleDelay: 0 })
  })
  afterEach(() => hooks.remove('*.watchdeploy'))

  for (const type of TYPES) {
    it(`what changes at a deploy of type ${type} is told once by each of two equal watches`, async () => {
      await start({ watch: watch(), equal: watch(), other: watch({ events: ['route.renamed'] }) })
      const route = running()
      simulator.renameRoute(route.id, 'Renamed')
      route.summaryStatusCode = 'error'
      await deploy(type)
      await polled(2)
      const expected = ['route.renamed', 'route.status']
      for (const id of ['watch', 'equal']) namesOf(id).should.eql(expected)
      namesOf('other').should.eql(['route.renamed'])
    })
  }

  for (const type of TYPES) {
    it(`also the bit rates in the snapshot after a deploy of type ${type}`, async () => {
      const initial = { initial: 'snapshot', events: ['route.removed'] }
      // The deploy of one leaves the other, and with it the polls.
      const both = { watch: watch(initial), other: watch() }
      await start(both)
      await until(() => of('watch').length === 1)
      for (const left of [both, { watch: both.watch }]) {
        nodes = left
        events.length = 0
        // What has changed follows as events: the snapshot is of the state before.
        simulator.renameRoute(running().id, `Renamed ${Object.keys(left).length}`)
        await deploy(type)
        await until(() => of('watch').length > 0)
        const { event, routes } = of('watch')[0] as unknown as Snapshot
        event.should.equal('snapshot')
        const parts = routes
          .filter(({ state }) => state === 'running')
          .flatMap(({ source, destinations }) => [source, ...destinations])
        parts.length.should.be.above(4)
        for (const { bitrate } of parts) should(bitrate).be.a.Number()
        await polled(1)
      }
    })
  }

  for (const type of TYPES) {
    it(`also where another node is slow to close, at a deploy of type ${type}`, async () => {
      const slow = { id: 'slow', type: 'slow-to-close', z: 'tab', x: 0, y: 0, wires: [] }
      await start({ watch: watch() }, { others: [slow], types: [slowNode] })
      simulator.renameRoute(running().id, 'Renamed')
      const begun = Date.now()
      await deploy(type)
      ;(Date.now() - begun).should.be.above(2400)
      await polled(2)
      namesOf('watch').should.eql(['route.renamed'])
    })
  }

  for (const report of ['changes', 'incidents']) {
    it(`each goes on with what it has told itself, ${report} too, where an equal one was removed`, async () => {
      const one = watch({ report, holdFor: 0 })
      await start({ watch: one, equal: one })
      nodes = { watch: one }
      await deploy('nodes')
      simulator.renameRoute(running().id, 'Renamed')
      simulator.fail(running().name, { source: 'disconnected' })
      const expected = report === 'changes' ? 'route.renamed' : 'incident.begun'
      await until(() => namesOf('watch').includes(expected))
      await polled(2)
      const told = namesOf('watch')
      nodes = { watch: one, equal: one }
      for (const type of TYPES) await deploy(type)
      await polled(2)
      namesOf('watch').should.eql(told)
      namesOf('equal')
        .filter((name) => name === expected)
        .should.have.length(1)
    })
  }

  it('a change on hold is told when it has lasted in all', async () => {
    await start({ watch: watch({ holdFor: '3' }) })
    const route = running()
    route.summaryStatusCode = 'error'
    await polled(1)
    const seen = Date.now()
    await deploy('full')
    await until(() => events.length > 0)
    of('watch')[0]!.at.should.be.belowOrEqual(seen)
    namesOf('watch').should.eql(['route.status'])
  })

  describe('but a gateway that is another one begins with what it shows:', () => {
    let other: Simulator

    beforeEach(async () => {
      other = await startSimulator({ routes: 6, applyDelay: 0, settleDelay: 0 })
      other.renameRoute(other.routes[0]!.id, 'Another')
    })
    afterEach(async () => {
      await unload()
      await until(() => other.openSessions === 0 && other.openSockets === 0)
      await other.stop()
    })

    const changes: Record<string, () => Promise<unknown>> = {
      'at another URL': () => deploy('full', { baseUrl: other.url }),
      'at another URL for more than a deploy': async () => {
        await deploy('full', { baseUrl: other.url })
        await until(() => other.logins === 1)
        await deploy('full', { baseUrl: other.url })
      },
      'after it was removed': async () => {
        const { flow } = flowOf(simulator.url, {}, { gateway: { baseUrl: other.url } })
        const without = (flow as Array<{ id: string }>).filter(({ id }) => id !== 'gateway')
        await deployFlows(without, 'full')
        simulator.renameRoute(running().id, 'Renamed')
        const credentials = { username: 'haiadmin', password: 'manager' }
        await deploy('full', { credentials })
        await polled(1)
      },
    }
    for (const [what, change] of Object.entries(changes)) {
      it(what, async () => {
        await start({ watch: watch() })
        await change()
        await pause(2500)
        namesOf('watch').should.eql([])
      })
    }
  })
})
