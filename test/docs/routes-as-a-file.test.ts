// The plan on the page about routes as a file is what the node prints for the file on that page.
import type { NodeAPI } from 'node-red'
import type { PlanReport } from '../../client/changes/ensure/report'
import { startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { load, result, unload } from '../support/flow'
import { contentOf } from '../support/root'

const yaml = require('@node-red/nodes/core/parsers/70-YAML.js') as (RED: NodeAPI) => void
const page = contentOf('docs/routes-as-a-file.md')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text!,
  )

interface File {
  version: number
  gateway: string
  routes: Array<RouteSpec & { state: string }>
}

describe('the page about routes as a file', () => {
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: [] })
    await load(
      simulator.url,
      {
        export: { type: 'media-gateway-list-routes', output: 'definitions', secrets: 'names' },
        ensure: {
          type: 'media-gateway-ensure-route',
          state: 'row',
          exact: true,
          approve: true,
          remove: 'pattern',
          removePattern: 'Event *',
          waitTimeout: 5,
        },
        'from-yaml': { type: 'yaml', property: 'payload' },
      },
      {
        types: [yaml],
        env: [{ name: 'SRT_STUDIO_A_SOURCE', type: 'str', value: 'a passphrase for the page' }],
      },
    )
  })
  after(async () => {
    await unload()
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  it('shows a file that can be applied, and the plan that the node prints for it', async () => {
    const file = (await result('from-yaml', { payload: blocks('yaml')[0] })).payload as File
    const { routes } = file
    file.should.match({ version: 1, gateway: 'oslo-1' })
    const plan = async (): Promise<PlanReport> =>
      (await result('ensure', { payload: routes })).plan as PlanReport
    await result('ensure', { payload: routes, plan: { id: (await plan()).id } })
    ;(await plan()).text.should.equal('Nothing to do.')
    const exported = (await result('export')).payload as File['routes']
    for (const [index, route] of routes.entries()) should(exported[index]!).containDeep(route)

    simulator.route('Studio A')!.destinations[0]!.port = 6010
    simulator.stopRoute('Studio B')
    simulator.renameRoute('Weather desk', 'Wetter')
    const { name: _, ...design } = routes[2]!
    simulator.addRoute({ ...design, name: 'Event 12', source: { ...design.source, port: 5012 } })
    const { text } = await plan()
    blocks('text').should.eql([`${text}\n`])
  })
})
