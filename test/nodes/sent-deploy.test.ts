import type { Simulator } from '../../simulator'
import { load, redeploy, result, simulated } from '../support/flow'

/** An appliance that accepts at once, carries out late, and does not show that it will. */
describe('a deploy forgets nothing that was sent and does not show yet:', function () {
  this.timeout(60_000)

  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: 2, dialect: { pendingChanges: false } })
  })

  const output = { name: 'New out', protocol: 'udp', address: '239.9.9.9', port: 7001 }
  const nodes = { 'update-route': { mode: 'merge', waitFor: 'accepted', waitTimeout: '30' } }
  const gateways: Record<string, object> = {
    'a gateway': {},
    'an inventory': {
      inventory: JSON.stringify([{ name: 'one', baseUrl: 'URL' }]),
      inventoryType: 'json',
    },
  }

  for (const [what, gateway] of Object.entries(gateways)) {
    it(`a destination that one update adds is kept by the next, with ${what}`, async () => {
      const options = {
        gateway: JSON.parse(
          JSON.stringify(gateway).replace('URL', new URL(simulator.url).origin),
        ) as object,
      }
      const { id, name } = simulator.routes.find(({ state }) => state === 'running')!
      const before = simulator.route(id)!.destinations.map((one) => one.id)
      const at = { routeName: name, appliance: 'inventory' in gateway ? 'one' : undefined }
      await load(simulator.url, nodes, options)
      await result('update-route', { ...at, payload: { source: { name: 'first in' } } })
      simulator.setOptions({ applyDelay: 5000 })
      await result('update-route', { ...at, payload: { destinations: [output] } })
      await redeploy(simulator.url, nodes, options)
      await result('update-route', { ...at, payload: { source: { name: 'other in' } } })
      await simulator.settle()
      const { source, destinations } = simulator.route(id)!
      source.name.should.equal('other in')
      destinations.map((one) => one.name).should.containEql('New out')
      destinations.map((one) => one.id).should.containDeep(before)
    })
  }
})
