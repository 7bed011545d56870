// How the routes are, from a list routes node in a real Node-RED.
import type { HealthRow } from '../../client'
import { generateRoutes, startSimulator, type Simulator } from '../../simulator'
import { failure, load, result, unload, type Message } from '../support/flow'

const TYPE = 'media-gateway-list-routes'
const NODES = {
  health: { type: TYPE, output: 'health', hideSecrets: true },
  running: { type: TYPE, output: 'health', state: 'running', filter: 'STUDIO' },
  list: { type: TYPE, output: 'routes' },
}

describe('list-routes with health', () => {
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: generateRoutes(30) })
    await load(simulator.url, NODES)
  })
  after(async () => {
    await unload()
    await simulator.stop()
  })
  afterEach(() => simulator.restore())

  const rows = async (node: string, message?: Message): Promise<HealthRow[]> =>
    (await result(node, message)).payload as HealthRow[]
  const ids = (all: Array<{ id: string }>): string[] => all.map(({ id }) => id)

  it('has a row for each route in the order of the list, with two requests', async () => {
    const list = (await result('list')).payload as Array<{ id: string; name: string }>
    simulator.clearJournal()
    const all = await rows('health')
    should(ids(all)).eql(ids(list))
    should(simulator.journal.map(({ method }) => method)).eql(['GET', 'GET'])
    const [route] = simulator.routes.filter(({ state }) => state === 'running')
    simulator.fail(route!.name, { source: 'disconnected' })
    const after = (await rows('health')).find(({ id }) => id === route!.id)
    should(after).match({
      name: route!.name,
      sign: 'critical',
      reason: 'no-source',
      text: 'no source (disconnected)',
      running: true,
      in: 0,
    })
  })

  it('has those of a page, of a state and of a name only', async () => {
    const all = ids(await rows('health'))
    should(ids(await rows('health', { page: 3, pageSize: 7 }))).eql(all.slice(14, 21))
    const some = await rows('running')
    should(some.length).be.above(0)
    should(some).matchEach(({ name, running }: HealthRow) => {
      should(name).match(/studio/i)
      should(running).be.true()
    })
    const error = await failure('health', { page: 'x' })
    should(error.code).equal('INVALID_INPUT')
  })
})
