import { engineEvent } from '../../nodes/watch/engine-event'

describe('events of the engine of a fleet', () => {
  it('name the config node, in the language of the watch', () => {
    engineEvent({ isUp: false, at: 1000 }, 'North', 'de').should.eql({
      event: 'fleet.engine-lost',
      text: 'Gateway North: Diese Instanz hat ihre Lease auf der Engine verloren und betreut ihre Appliances nicht mehr',
      at: 1000,
      device: { id: '', name: '' },
      before: 'up',
      after: 'lost',
    })
    const back = { isUp: true, at: 4000, since: 1000, outageMs: 3000 }
    engineEvent(back, 'North', 'en-US').should.eql({
      event: 'fleet.engine-back',
      text: 'Gateway North: this instance has its lease on the engine again after 3 seconds',
      at: 4000,
      since: 1000,
      outageMs: 3000,
      device: { id: '', name: '' },
      before: 'lost',
      after: 'up',
    })
  })
  it('are one incident where incidents are reported, with the same ID to its end', () => {
    const incident = { severity: 'critical', kind: 'gateway', reason: 'gateway-away', since: 1000 }
    const begun = engineEvent({ isUp: false, at: 1000 }, 'North', 'en-US', 'incidents')
    const { id } = begun.incident!
    begun.should.eql({
      event: 'incident.begun',
      incident: { id, ...incident, until: null, durationMs: null },
      text: 'Gateway North: this instance has lost its lease on the engine and has stopped working for its appliances',
      at: 1000,
      device: { id: '', name: '' },
      before: 'ok',
      after: 'critical',
    })
    const back = { isUp: true, at: 4000, since: 1000, outageMs: 3000 }
    engineEvent(back, 'North', 'en-US', 'incidents').should.eql({
      event: 'incident.ended',
      incident: { id, ...incident, until: 4000, durationMs: 3000 },
      text: 'Gateway North: this instance has its lease on the engine again after 3 seconds',
      at: 4000,
      device: { id: '', name: '' },
      before: 'critical',
      after: 'ok',
    })
    const later = engineEvent({ isUp: false, at: 9000 }, 'North', 'en-US', 'incidents')
    later.incident!.id.should.not.equal(id)
  })
})
