import { newOperation } from '../../../client/connection/operation'
import {
  openConnection,
  type Connection,
  type GatewayOptions,
} from '../../../client/connection/connection'

/** A connection to a simulator, or what stands for one; the test closes it. */
export function connectTo(
  { url: baseUrl }: { url: string },
  options: Partial<GatewayOptions> = {},
): Connection {
  return openConnection({ baseUrl, username: 'haiadmin', password: 'manager', ...options })
}

export const op = (): ReturnType<typeof newOperation> => newOperation('test')

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
