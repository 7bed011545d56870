import type { Connection } from '../../client/connection/connection'
import { newAppliance, type OwnAppliance } from '../../nodes/gateway/appliance'
import { pause, until } from '../support/until'

describe('the session of an appliance', () => {
  let appliance: OwnAppliance
  let ended: number

  beforeEach(() => {
    ended = 0
    const connection = {
      endSession: async () => void ended++,
      close: async () => undefined,
    } as unknown as Connection
    appliance = newAppliance({
      identity: { id: 'gateway', name: 'gateway', host: 'host' },
      open: () => connection,
      secretPrefix: () => '',
      warn: () => undefined,
    })
    appliance.client()
  })
  afterEach(() => appliance.close())

  it('ends a moment after its last user has gone', async () => {
    const [one, two] = [{}, {}]
    appliance.register(one)
    appliance.register(two)
    appliance.deregister(one)
    await pause(2200)
    ended.should.equal(0)
    appliance.deregister(two)
    await until(() => ended === 1)
  })

  it('stays open when another user comes within that moment', async () => {
    const one = {}
    appliance.register(one)
    appliance.deregister(one)
    await pause(200)
    appliance.register({})
    await pause(2200)
    ended.should.equal(0)
  })
})
