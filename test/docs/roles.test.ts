// The page on roles says what each node does with an account of each role.
import type { Simulator } from '../../simulator'
import { type Message, helper, load, send, simulated, unload } from '../support/flow'
import { contentOf } from '../support/root'
import { until } from '../support/until'

const ACCOUNTS = {
  Observer: { username: 'user', password: 'public' },
  Operator: { username: 'operator', password: 'supervisor' },
  Administrator: { username: 'haiadmin', password: 'manager' },
}
const page = contentOf('docs/roles.md')
const rows = [...page.matchAll(/^\| `media-gateway-([\w-]+)` *\|(.*)\|$/gm)].map(
  ([, node, cells]) => ({ node: node!, allowed: cells!.split('|').map((cell) => cell.trim()) }),
)

describe('the page on roles', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated()
  })

  it('has every node except the gateway', () => {
    const { 'node-red': manifest } = JSON.parse(contentOf('package.json')) as {
      'node-red': { nodes: Record<string, string> }
    }
    const nodes = Object.keys(manifest.nodes).filter((node) => node !== 'gateway')
    rows
      .map(({ node }) => node)
      .sort()
      .should.eql(nodes.sort())
  })

  for (const [at, [role, credentials]] of Object.entries(ACCOUNTS).entries()) {
    it(`is what the nodes do: ${role}`, async () => {
      const watched = ['watch', 'failover']
      const settings = Object.fromEntries(rows.map(({ node }) => [node, SETTINGS[node] ?? {}]))
      await load(simulator.url, settings, { credentials })
      const found: Record<string, string> = {}
      for (const { node } of rows) {
        if (watched.includes(node)) continue
        const { error } = await send(node, messageFor(node))
        found[node] = error ? said(error.code) : 'yes'
      }
      Object.assign(found, await ofWatchers(credentials))
      found.should.eql(Object.fromEntries(rows.map(({ node, allowed }) => [node, allowed[at]])))
    })
  }

  /** Those that work without a message say once that they may, or that they may not. */
  async function ofWatchers(credentials: object): Promise<Record<string, string>> {
    await unload()
    const found: Record<string, string> = {}
    for (const node of ['watch', 'failover']) {
      await load(simulator.url, { [node]: SETTINGS[node]! }, { credentials })
      for (const from of ['out', 'caught']) {
        helper.getNode(from).on('input', (message: unknown) => {
          const { error } = message as Message & { error?: { code: string } }
          found[node] ??= error ? said(error.code) : 'yes'
        })
      }
      await until(() => found[node] !== undefined)
      await unload()
    }
    return found
  }
})

/** Only a refusal for the role counts as one. */
const said = (code: string): string => (code === 'FORBIDDEN' ? 'no' : code)

const SETTINGS: Record<string, object> = {
  'control-route': { action: 'restart' },
  preset: { action: 'export' },
  failover: {
    route: 'Studio A',
    routeType: 'name',
    main: '{"address":"192.0.2.1"}',
    backup: '{"address":"192.0.2.2"}',
  },
  watch: { initial: 'snapshot' },
}

function messageFor(node: string): Message {
  if (node === 'create-route' || node === 'ensure-route') return { payload: definition(node) }
  if (node === 'update-route') return { routeName: 'Studio A', payload: { name: 'Studio A' } }
  return { routeName: node === 'delete-route' ? 'Newsroom feed' : 'Studio A' }
}

const definition = (name: string): object => {
  const part = { protocol: 'udp', address: '239.1.1.1', port: 20_000 + name.charCodeAt(0) }
  return { name, source: { ...part, name: 'in' }, destinations: [{ ...part, name: 'out' }] }
}
