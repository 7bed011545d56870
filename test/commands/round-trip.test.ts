// A thousand routes: exported to a file, all lost, and restored from the file and the environment.
import type { NodeAPI } from 'node-red'
import { toSent as sentForm } from '../../client/model/convert'
import type { Definition } from '../../client/changes/definitions'
import type { PlanReport } from '../../client/changes/ensure/report'
import type { Route } from '../../client/model/types'
import { generateRoutes, startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { load, result, unload } from '../support/flow'

const COUNT = 1000
const yaml = require('@node-red/nodes/core/parsers/70-YAML.js') as (RED: NodeAPI) => void

describe('a thousand routes as a file', function () {
  this.timeout(120_000)

  let simulator: Simulator
  let secrets: Record<string, string> = {}

  before(async () => {
    simulator = await startSimulator({ routes: apart(generateRoutes(COUNT)) })
    await load(
      simulator.url,
      {
        export: { type: 'media-gateway-list-routes', output: 'definitions', secrets: 'names' },
        ensure: {
          type: 'media-gateway-ensure-route',
          state: 'row',
          exact: true,
          approve: true,
          waitTimeout: 50,
        },
        'to-yaml': { type: 'yaml', property: 'payload' },
        'from-yaml': { type: 'yaml', property: 'payload' },
      },
      // With fewer at a time, definitions wait so long that each reads the list once more.
      { types: [yaml], gateway: { concurrency: 100 } },
    )
  })
  after(async () => {
    await unload()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
    for (const name of Object.keys(secrets)) delete process.env[name]
  })

  const requests = (method: string): number =>
    simulator.journal.filter((call) => call.method === method && call.path !== '/api/session')
      .length
  const lists = (): number =>
    simulator.journal.filter(({ method, path }) => method === 'GET' && path.endsWith('/routes'))
      .length
  const picture = (): object[] =>
    simulator.routes.map(({ name }) => pictureOf(simulator.readForm(name) as Route)).sort(byName)

  it('come back equal, with their states and secrets, in few requests', async () => {
    const before = picture()
    const exported = (await result('export')).payload as Definition[]
    secrets = secretsOf(exported, simulator)
    Object.keys(secrets).length.should.be.above(COUNT / 10)
    const file = (
      await result('to-yaml', { payload: { version: 1, gateway: 'studio', routes: exported } })
    ).payload as string
    for (const secret of Object.values(secrets)) file.should.not.containEql(secret)

    for (const id of simulator.routes.map((route) => route.id)) simulator.removeRoute(id)
    Object.assign(process.env, secrets)
    simulator.clearJournal()
    const { routes } = (await result('from-yaml', { payload: file })).payload as {
      routes: object[]
    }
    const plan = (await result('ensure', { payload: routes })).plan as PlanReport
    plan.summary.should.eql({ create: COUNT, update: 0, delete: 0, start: 0, stop: 0 })
    lists().should.equal(1)
    requests('POST').should.equal(0)

    await result('ensure', { payload: routes, plan: { id: plan.id } })
    await simulator.settle()
    requests('POST').should.equal(COUNT)
    requests('GET').should.be.below(COUNT / 4)
    picture().should.eql(before)

    simulator.clearJournal()
    const again = (await result('ensure', { payload: routes })).plan as PlanReport
    again.text.should.equal('Nothing to do.')
    // Two pages, the first of them twice.
    lists().should.be.within(1, 3)
    requests('POST').should.equal(0)
  })
})

/** The same, with ports that no other part has: two that listen on one are refused. */
function apart(routes: RouteSpec[]): RouteSpec[] {
  let port = 10_000
  const renumber = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'port' in value
      ? { ...value, port: (port += 6) }
      : value
  return JSON.parse(JSON.stringify(routes, renumber)) as RouteSpec[]
}

/** A route without IDs. */
function pictureOf(read: Route): object {
  const { source, destinations } = sentForm(read)
  const bare = (part: object): object => ({ ...part, id: undefined })
  return {
    name: read.name,
    state: read.state,
    source: bare(source),
    destinations: destinations.map(bare),
  }
}

const byName = (one: object, other: object): number =>
  (one as { name: string }).name < (other as { name: string }).name ? -1 : 1

/** What the names in a file stand for. */
function secretsOf(definitions: Definition[], { routes }: Simulator): Record<string, string> {
  const byNames = new Map(routes.map((route) => [route.name, route]))
  const found: Record<string, string> = {}
  const collect = (named: unknown, present: unknown): void => {
    const [, name] = /^\$\{(SRT_\w+)\}$/.exec(typeof named === 'string' ? named : '') ?? []
    if (name) found[name] = String(present)
    if (typeof named !== 'object' || named === null) return
    for (const [member, value] of Object.entries(named)) {
      collect(value, (present as Record<string, unknown>)[member])
    }
  }
  for (const { name, source, destinations } of definitions) {
    const route = byNames.get(name)
    should(route).be.ok()
    collect(source, route!.source)
    collect(destinations, route!.destinations)
  }
  return found
}
