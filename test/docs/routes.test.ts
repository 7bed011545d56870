// docs/routes.md: its tables are those that the checks follow, and a gateway takes its examples.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startSimulator, type Simulator } from '../../simulator'
import { contentOf, root } from '../support/root'
import { gatewayAt } from '../support/connect'

type Part = Record<string, unknown>

const page = contentOf('docs/routes.md')

/** The examples below a heading such as `## Source`, up to the next of its kind. */
const examplesBelow = (heading: string): Part[] =>
  [
    ...page
      .split(`## ${heading}\n`)[1]!
      .split(/^## /m)[0]!
      .matchAll(/```json\n([^]*?)```/g),
  ].map(
    ([, json]) => JSON.parse(json!.replaceAll(/\$\{\w+\}/g, 'a passphrase in the tests')) as Part,
  )

describe('docs/routes.md', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await startSimulator({ routes: [], applyDelay: 0 })
  })
  after(() => simulator.stop())

  it('has the fields, types and ranges by which definitions are checked', async () => {
    const { written } = (await import(pathToFileURL(join(root, 'tools/routes-page.mjs')).href)) as {
      written: (page: string) => Promise<string>
    }
    should(await written(page)).equal(page, 'run npm --prefix tools run routes-page')
    page.match(/<!-- fields of a /g)!.length.should.equal(9)
  })

  const source = { name: 'in', protocol: 'udp', address: '0.0.0.0', port: 4000 }
  const examples: Array<[string, Part]> = [
    ...examplesBelow('Source').map((part) => ['source', { source: part }] as [string, Part]),
    ...examplesBelow('Destination').map(
      (part) => ['destination', { source, destinations: [part] }] as [string, Part],
    ),
  ]

  it('has an example for each kind', () => examples.length.should.be.above(13))

  for (const [index, [kind, route]] of examples.entries()) {
    it(`has an example that is created as it is: ${kind} ${index}`, async () => {
      const gateway = gatewayAt(simulator)
      try {
        await gateway.routes.create({
          name: `Example ${index}`,
          startRoute: false,
          ...route,
        } as never)
      } finally {
        await gateway.close()
      }
      const sent = simulator.journal.findLast(({ path }) => path.endsWith('/updates'))!
      const { fields } = sent.body as { fields: Part & { destinations: Part[] } }
      const of = kind === 'source' ? fields.source : fields.destinations[0]
      const given = kind === 'source' ? route.source : (route.destinations as Part[])[0]
      should(of).containEql(given)
    })
  }
})
