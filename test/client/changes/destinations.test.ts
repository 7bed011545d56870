import { type Gateway } from '../../../client'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { endEach, gatewayAt } from '../../support/connect'

/** A command that is refused need not be unknown: an update of the whole route is the last resort. */
describe('a refused command for a destination', () => {
  let simulator: Simulator
  let gateway: Gateway

  const open = (protectedRoutes?: string[]): Gateway => gatewayAt(simulator, { protectedRoutes })

  beforeEach(async () => {
    simulator = await startSimulator({ routes: 3 })
    gateway = open()
  })
  afterEach(() => endEach(gateway, simulator))

  const onAir = () => {
    const route = simulator.routes.find(
      ({ state, destinations }) => state === 'running' && destinations.some((one) => one.started),
    )!
    return { route, destination: { id: route.destinations.find((one) => one.started)!.id } }
  }
  const updates = (): number =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).length
  const refuse = (times?: number): void => {
    const match = { action: 'start-destination' }
    simulator.fault({ kind: 'status', status: 400, match, times })
  }

  it('that is as wanted already is not sent as an update', async () => {
    const { route, destination } = onAir()
    refuse()
    const error = await errorOf(gateway.routes.start({ id: route.id }, { destination }))
    error.should.match({ code: 'REJECTED', cause: { applied: 'no' } })
    updates().should.equal(0)
    // Nothing was learned either: the next command is one.
    simulator.clearFaults()
    await gateway.routes.stop({ id: route.id }, { destination, waitFor: 'applied' })
    updates().should.equal(0)
  })

  it('is learned as unknown once the update has changed its state, and not before', async () => {
    const { route, destination } = onAir()
    await gateway.routes.stop({ id: route.id }, { destination, waitFor: 'applied' })
    refuse()
    // The update is accepted, and has no effect.
    simulator.fault({
      kind: 'status',
      status: 200,
      body: { status: 'ok' },
      match: { action: 'update' },
      times: 1,
    })
    const waiting = { waitTimeout: 500, destination }
    const error = await errorOf(gateway.routes.start({ id: route.id }, waiting))
    error.should.match({ cause: { applied: 'maybe' } })
    simulator.clearFaults()
    simulator.clearJournal()
    await gateway.routes.start({ id: route.id }, { destination, waitFor: 'applied' })
    updates().should.equal(0)
  })

  it('of a protected route needs its confirmation for the update', async () => {
    const { route, destination } = onAir()
    await gateway.routes.stop({ id: route.id }, { destination, waitFor: 'applied' })
    await gateway.close()
    gateway = open(['*'])
    refuse()
    const error = await errorOf(gateway.routes.start({ id: route.id }, { destination }))
    error.should.match({ code: 'READ_ONLY', cause: { applied: 'no' } })
    updates().should.equal(0)
    await gateway.routes.start({ id: route.id }, {
      destination,
      waitFor: 'applied',
      confirmProtected: route.name,
    } as never)
    updates().should.equal(1)
  })
})
