// A failover switches its own routes, protected or not.
import { controlRoute } from '../../../client/changes/control'
import { Operation } from '../../../client/connection/operation'
import { errorOf } from '../../support/errors'
import {
  addressOf,
  BACKUP,
  gateway,
  MAIN,
  namesOf,
  protecting,
  simulator,
  start,
  tells,
  writes,
} from './support'

describe('a failover of protected routes', () => {
  beforeEach(() => start({}, { protectedRoutes: ['*'] }))
  /** Somebody else may not stop it. */
  async function isProtected(): Promise<void> {
    const address = { deviceId: simulator.devices[0]!._id, routeId: 'studio-a' }
    const stop = { ...address, action: 'stop', waitFor: 'accepted', waitTimeout: 1000 } as const
    const { code } = await errorOf(controlRoute(gateway, stop, new Operation('test')))
    code.should.equal('READ_ONLY')
  }

  it('switches the source', async () => {
    const told = await protecting()
    await isProtected()
    simulator.failAddress(MAIN.address, 'disconnected')
    await tells(told, 'switched')
    addressOf().should.equal(BACKUP.address)
    namesOf(told).should.eql(['switched'])
    await isProtected()
  })

  it('stops the one and starts the other', async () => {
    const routes = { method: 'routes', main: { name: 'Studio A' }, backup: { id: 'studio-a-2' } }
    const told = await protecting(routes, { route: undefined })
    await isProtected()
    simulator.failAddress(MAIN.address, 'disconnected')
    await tells(told, 'switched')
    writes().should.have.length(2)
    const runs = ['Studio A', 'Studio A backup'].map((name) => simulator.route(name)!.state)
    runs.should.eql(['idle', 'running'])
  })
})
