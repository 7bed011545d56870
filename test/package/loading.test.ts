// What is loaded when Node-RED starts, whether or not a flow uses the nodes: little of our own, and
// no library before it is used.
import { execFile } from 'node:child_process'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import type { Loaded } from './loading'
import { contentOf, root } from '../support/root'

const manifest = JSON.parse(contentOf('package.json')) as {
  dependencies: Record<string, string>
  'node-red': Record<'nodes' | 'plugins', object>
}
const libraries = Object.keys(manifest.dependencies).sort()
/** Loaded where they are first used. */
const LATER = /client\/(failover\/protect|fleet\/nats|doctor)|simulator/
/** Only with a lease. */
const OF_FLEETS = ['@nats-io/kv', '@nats-io/transport-node']

describe('the start of Node-RED', () => {
  let loaded: Loaded

  before(async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(__dirname, 'loading.js')],
      { maxBuffer: 8 << 20 },
    )
    loaded = JSON.parse(stdout) as Loaded
  })

  it('registers all nodes and the sidebar', () => {
    const { nodes, plugins } = manifest['node-red']
    const parts = Object.keys(nodes).length + Object.keys(plugins).length
    loaded.types.length.should.equal(parts)
  })

  it('loads no library', () => {
    within('node_modules', loaded.atStart).should.deepEqual([])
  })

  it('runs nothing of a failover, a fleet, the programs and the simulator', () => {
    const own = within('dist', loaded.atStart)
    own.length.should.be.above(100)
    own.filter((file) => LATER.test(file.replaceAll(sep, '/'))).should.deepEqual([])
  })

  it('leaves each library for its first use', () => {
    librariesIn(loaded.afterCall).should.deepEqual(['axios', 'tough-cookie'])
    librariesIn(loaded.afterProxy).should.deepEqual(['axios', 'hpagent', 'tough-cookie'])
    librariesIn(loaded.afterCertificate).should.deepEqual(
      libraries.filter((library) => !OF_FLEETS.includes(library)),
    )
  })
})

const within = (folder: string, files: string[]): string[] =>
  files.filter((file) => file.startsWith(join(root, folder) + sep))

const librariesIn = (files: string[]): string[] =>
  libraries.filter((library) => within(join('node_modules', library), files).length > 0)
