import 'should'
import { engineEvent } from '../../../client/fleet/events'

describe('events of the engine of a fleet', () => {
  it('name the config node, in the language of the watch', () => {
    engineEvent({ isUp: false, at: 1000 }, 'North', 'de').should.eql({
      event: 'fleet.engine-lost',
      text: 'Gateway North: Lease auf der Engine verloren, diese Instanz arbeitet nicht mehr für ihre Appliances',
      at: 1000,
      device: { id: '', name: '' },
      before: 'up',
      after: 'lost',
    })
    const back = { isUp: true, at: 4000, since: 1000, outageMs: 3000 }
    engineEvent(back, 'North', 'en-US').should.eql({
      event: 'fleet.engine-back',
      text: 'Gateway North: the lease on the engine is back after 3 seconds',
      at: 4000,
      since: 1000,
      outageMs: 3000,
      device: { id: '', name: '' },
      before: 'lost',
      after: 'up',
    })
  })
})
