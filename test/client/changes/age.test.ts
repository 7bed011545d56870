import 'should'
import { type Gateway } from '../../../client'
import { startSimulator, type Simulator } from '../../../simulator'
import { ScriptedAppliance, passOn } from '../../support/scripted-appliance'
import { endEach, gatewayAt } from '../../support/connect'

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A change deletes every destination that it leaves out: others may add one before it is sent. */
describe('a change whose plan is too old when it is sent', () => {
  let simulator: Simulator
  let appliance: ScriptedAppliance
  let gateway: Gateway

  beforeEach(async () => {
    simulator = await startSimulator({ routes: 2 })
    appliance = new ScriptedAppliance((call) => passOn(call, simulator.url + call.url))
    await appliance.start()
    gateway = gatewayAt(appliance)
    await gateway.devices.list()
  })
  afterEach(() => endEach(gateway, appliance, simulator))

  const route = () => ({ id: simulator.routes[0]!.id })

  /** What another client does while the login takes its time. */
  async function addDestination(): Promise<void> {
    const other = gatewayAt(simulator)
    const added = { name: 'Added', protocol: 'udp', address: '239.9.9.9', port: 7001 }
    await other.routes.update(route(), { destinations: [added] }, { waitFor: 'applied' })
    await other.close()
  }

  for (const [what, change] of Object.entries({
    update: () => gateway.routes.update(route(), { source: { name: 'other in' } }),
    ensure: () => gateway.routes.ensure({ ...route(), source: { name: 'other in' } }),
  })) {
    it(`is planned again after a login: ${what}`, async () => {
      let refused = false
      appliance.reply = async (call) => {
        if (call.path.endsWith('/updates') && !refused) {
          refused = true
          return { status: 401 }
        }
        if (call.what === 'POST /api/session' && refused) {
          await Promise.all([addDestination(), after(1200)])
        }
        return passOn(call, simulator.url + call.url)
      }
      await change()
      await simulator.settle()
      const { source, destinations } = simulator.route(route().id)!
      source.name.should.equal('other in')
      destinations.map(({ name }) => name).should.containEql('Added')
    })
  }

  it('goes out beside reads that take their time', async () => {
    appliance.reply = async (call) => {
      if (call.path.endsWith('/devices')) await after(3000)
      return passOn(call, simulator.url + call.url)
    }
    const begun = performance.now()
    const reads = Array.from({ length: 8 }, () => gateway.devices.list())
    const stopped = gateway.routes.start(
      { id: simulator.routes[0]!.id },
      { deviceId: simulator.devices[0]!._id },
    )
    await stopped
    ;(performance.now() - begun).should.be.below(2500)
    await Promise.all(reads)
  })

  it('fails before it is sent when the session ends each time', async () => {
    appliance.reply = async (call) => {
      if (call.path.endsWith('/updates')) return { status: 401 }
      if (call.what === 'POST /api/session') await after(1100)
      return passOn(call, simulator.url + call.url)
    }
    const error = await gateway.routes
      .update(route(), { name: 'renamed' })
      .catch((reason: unknown) => reason)
    error!.should.match({ code: 'UNAVAILABLE', cause: { applied: 'no', retryable: true } })
  })
})
