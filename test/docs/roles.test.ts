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
    const allowed = Object.fromEntries(rows.map((row) => [row.node, row.allowed[at]]))
    allowed['import'] = allowed['preset']

    it(`is what the nodes do: ${role}`, async () => {
      Object.assign(
        await ofWatchers(credentials),
        await ofActions(credentials, 'restart'),
      ).should.eql(allowed)
      // Nor is the stop of a restart sent.
      refused().should.equal(0)
    })

    it(`is what they do where the roles of the account are not known: ${role}`, async () => {
      const match = { method: 'GET', path: '/api/session' }
      simulator.fault({ kind: 'status', status: 500, match })
      const found = await ofActions(credentials, 'stop')
      for (const [node, outcome] of Object.entries(found))
        should(outcome).equal(allowed[node], node)
      refused().should.equal(Object.values(found).filter((each) => each === 'no').length)
      simulator.logins.should.equal(1)
    })
  }

  const refused = (): number => simulator.journal.filter(({ status }) => status === 403).length

  /** The session node makes the roles known: it is asked last. */
  async function ofActions(
    credentials: object,
    action: 'restart' | 'stop',
  ): Promise<Record<string, string>> {
    const others = rows.map(({ node }) => node).filter((node) => !WATCHERS.includes(node))
    const settings = Object.fromEntries(others.map((node) => [node, SETTINGS[node] ?? {}]))
    Object.assign(settings, {
      import: { type: 'media-gateway-preset', action: 'import' },
      'control-route': { action },
    })
    await load(simulator.url, settings, { credentials })
    const found: Record<string, string> = {}
    for (const node of [...others.filter((one) => one !== 'session'), 'import', 'session']) {
      if (node === 'session') simulator.clearFaults()
      const { error } = await send(node, messageFor(node))
      found[node] = error ? said(error.code) : 'yes'
    }
    return found
  }

  /** Those that work without a message say once that they may, or that they may not. */
  async function ofWatchers(credentials: object): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (const node of WATCHERS) {
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

const WATCHERS = ['watch', 'failover']

const SETTINGS: Record<string, object> = {
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
  if (node === 'import') return { payload: { preset_version: '1.0', routes: [] }, confirm: true }
  if (node === 'update-route') return { routeName: 'Studio A', payload: { name: 'Studio A' } }
  return { routeName: node === 'delete-route' ? 'Newsroom feed' : 'Studio A' }
}

const definition = (name: string): object => {
  const part = { protocol: 'udp', address: '239.1.1.1', port: 20_000 + name.charCodeAt(0) }
  return { name, source: { ...part, name: 'in' }, destinations: [{ ...part, name: 'out' }] }
}
