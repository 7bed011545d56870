import { Operation } from '../../../client/connection/operation'

export { connectTo } from '../../support/connect'

export const op = (): Operation => new Operation('test')

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
