import type { Simulator } from '../../simulator'
import { actions, itTestsEach } from '../support/manifests'
import { type Message, load, send, simulated } from '../support/flow'

/**
 * Who may do what, for every node, with the roles known and not known. See
 * docs/project/interface.md#roles.
 */
describe('roles', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: 6 })
  })

  const ROUTE = {
    name: 'Of a role',
    source: { name: 'Of a role in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  }
  const nodes = {
    'delete-route': {},
    'control-route': { action: 'stop' },
    'ensure-route': { waitTimeout: 15 },
    statistics: {},
    preset: {},
    import: { type: 'media-gateway-preset', action: 'import' },
  }
  const reads = ['session', 'list-devices', 'get-device', 'list-routes', 'get-route', 'statistics']
  const writes = ['create-route', 'update-route', 'control-route', 'ensure-route', 'delete-route']
  const presets = ['preset', 'import']
  const accounts = [
    { username: 'haiadmin', password: 'manager', may: [...reads, ...writes, ...presets] },
    { username: 'operator', password: 'supervisor', may: [...reads, ...writes] },
    { username: 'user', password: 'public', may: reads },
  ]

  itTestsEach(actions, [...reads, ...writes, ...presets])

  for (const { may, ...credentials } of accounts) {
    for (const known of [true, false]) {
      it(`${credentials.username}, roles ${known ? 'known' : 'not known'}`, async () => {
        if (!known) {
          const match = { method: 'GET', path: '/api/session' }
          simulator.fault({ kind: 'status', status: 500, match, times: 1 })
        }
        const routeId = simulator.routes[0]!.id
        const preset = { preset_version: '1.0', product_version: '3.7', routes: [] }
        const messages: Record<string, Message> = {
          'create-route': { payload: ROUTE },
          'update-route': { routeId, payload: { name: 'By a role' } },
          'ensure-route': { payload: { name: 'Ensured', source: ROUTE.source } },
          import: { payload: preset, confirm: true },
        }
        await load(simulator.url, nodes, { credentials })
        // Asked first, the session node would make the roles known.
        const asked = [
          ...reads.filter((node) => node !== 'session'),
          ...writes,
          ...presets,
          'session',
        ]
        for (const node of asked) {
          const { caught, done } = await send(node, messages[node] ?? { routeId })
          done.should.equal(1)
          const outcome = caught?.error.code ?? 'done'
          outcome.should.equal(may.includes(node) ? 'done' : 'FORBIDDEN', node)
        }
        const refused = simulator.journal.filter(({ status }) => status === 403)
        refused.length.should.equal(known ? 0 : asked.length - may.length)
        simulator.logins.should.equal(1)
      })
    }
  }
})
