import { MONOTONIC, type Clock } from '../../../client/clock'
import { Operation } from '../../../client/connection/operation'

export { connectTo } from '../../support/connect'

export const op = (): Operation => new Operation('test')

/** A clock that a test sets forward: what waits by it has waited at once. */
export const aheadBy = (moved: () => number): Clock => ({
  now: () => MONOTONIC.now() + moved(),
  after: (_ms, callback) => MONOTONIC.after(0, callback),
})

export const ROUTE = {
  name: 'New',
  source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
}

/** The creation of a route, except for its device. */
export const NEW = {
  definition: ROUTE,
  startRoute: false,
  waitFor: 'accepted' as const,
  waitTimeout: 1000,
}
