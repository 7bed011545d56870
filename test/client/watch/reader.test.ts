import { REAL_TIME } from '../../../client/clock'
import type { Connection } from '../../../client/connection/connection'
import { Operation } from '../../../client/connection/operation'
import { createReader } from '../../../client/watch/life/reader'
import { keepBusy, turnsDuring } from '../../support/turns'

describe('the reading of a device', () => {
  it('lets others run while it takes in thousands of routes', async () => {
    const routes = Array.from({ length: 150 }, (_, index) => ({
      id: `${index}`,
      name: `Route ${index}`,
      state: 'running',
      source: { protocol: 'udp', name: 'in', port: 5000 },
      destinations: [],
    }))
    const gateway = {
      call: () => Promise.resolve({ _id: 'D', name: 'Gateway', config: { routes } }),
      // As long as it takes with many more of them.
      hide<T>(value: T): T {
        keepBusy(0.5)
        return value
      },
    } as unknown as Connection
    const read = createReader(gateway, 'D', REAL_TIME)
    const { result, turns } = await turnsDuring(() => read(new Operation('watch')))
    ;[...result.state.routes.keys()].should.eql(routes.map(({ id }) => id))
    turns.should.be.above(10)
  })
})
