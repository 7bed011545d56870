import type { DeviceConfiguration } from '../../../client/model/types'
import { shared } from '../../../client/watch/compact'
import type { RouteState } from '../../../client/watch/state'
import { stateOf } from './states'

describe('plain data in the least memory', () => {
  const routeWith = (details?: string): RouteState => {
    const how = { summaryStatusCode: 'warn', summaryStatusDetails: details }
    const part = { id: 'in', name: 'in', protocol: 'udp', state: 'connected', ...how }
    const routes = [{ id: 'r', name: 'R', source: part, destinations: [{ ...part, id: 'out' }] }]
    const answer = { _id: 'device', name: 'D', config: { routes } }
    return stateOf(answer as unknown as DeviceConfiguration).routes.get('r')!
  }

  it('has what is equal once, also for two gateways', () => {
    const [one, other] = [routeWith(), routeWith()]
    one.source.condition.should.equal(other.source.condition)
    one.source.condition.should.equal(other.destinations[0]!.condition)
    one.source.definition.kind.should.equal(other.source.definition.kind)
  })

  it('has words of a gateway once, unless they are very long', () => {
    const [one, other] = [routeWith('too late'), routeWith('too late')]
    one.source.condition.should.equal(other.source.condition)
    shared({ code: 'x'.repeat(3000) }).should.not.equal(shared({ code: 'x'.repeat(3000) }))
  })

  it('begins again when it has much that is never the same', () => {
    const once = shared({ details: 'said once' })
    for (let said = 0; said < 1000; said++) shared({ details: `said ${said}` })
    shared({ details: 'said once' }).should.eql(once).and.not.equal(once)
    shared({ details: 'said again' }).should.equal(shared({ details: 'said again' }))
  })
})
