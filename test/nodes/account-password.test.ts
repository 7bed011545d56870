// The password of the account, as a gateway may have written it into a name (docs/security.md).
import { startSimulator, type Simulator } from '../../simulator'
import { load, result, unload, type Message } from '../support/flow'

const PASSWORD = 'stored-password'
const NAME = `Pass ${PASSWORD} end`
const SHOWN = 'Pass •••••• end'
const waiting = { waitFor: 'applied' }
const NODES = {
  create: { type: 'media-gateway-create-route', ...waiting },
  update: { type: 'media-gateway-update-route', ...waiting },
  control: { type: 'media-gateway-control-route', action: 'start', ...waiting },
  ensure: { type: 'media-gateway-ensure-route' },
  check: { type: 'media-gateway-ensure-route', check: true },
  health: { type: 'media-gateway-list-routes', output: 'health' },
  read: { type: 'media-gateway-get-route' },
  hidden: { type: 'media-gateway-get-route', hideSecrets: true },
  export: { type: 'media-gateway-preset', action: 'export' },
}

describe('the password of the account in the name of a route', () => {
  let simulator: Simulator
  let routeId: string

  before(async () => {
    const users = [{ username: 'haiadmin', password: PASSWORD, role: 'Administrator' as const }]
    simulator = await startSimulator({ users, routes: 2 })
    await load(simulator.url, NODES, { credentials: { password: PASSWORD } })
  })
  after(async () => {
    await unload()
    await simulator.stop()
  })
  beforeEach(() => {
    const [route] = simulator.routes
    route!.name = NAME
    routeId = route!.id
  })

  const source = { name: 'In', protocol: 'udp', address: '0.0.0.0', port: 7400 }
  const asked: Record<string, () => Message> = {
    create: () => ({ payload: { name: `${NAME} too`, source, destinations: [] } }),
    update: () => ({
      routeId,
      payload: {
        destinations: [{ name: 'New', protocol: 'udp', address: '192.0.2.9', port: 6000 }],
      },
    }),
    control: () => ({ routeId }),
    ensure: () => ({ payload: { name: NAME, source: { name: 'Inner' } } }),
    check: () => ({ payload: { name: NAME, source: { name: 'Other' } } }),
    health: () => ({}),
    hidden: () => ({ routeId }),
  }
  for (const [node, message] of Object.entries(asked)) {
    it(`is not in the result of ${node}`, async () => {
      const { payload, plan } = await result(node, message())
      const text = JSON.stringify([payload, plan])
      should(text).containEql(SHOWN)
      should(text).not.containEql(PASSWORD)
    })
  }

  it('leaves what is read as it is, and a whole preset too', async () => {
    for (const node of ['read', 'export']) {
      should(JSON.stringify((await result(node, { routeId })).payload)).containEql(NAME)
    }
  })
})
