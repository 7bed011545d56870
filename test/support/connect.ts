import { openGateway, type Gateway } from '../../client'
import {
  openConnection,
  type Connection,
  type GatewayOptions,
} from '../../client/connection/connection'

const ACCOUNT = { username: 'haiadmin', password: 'manager' }

/** A connection to a simulator, or what stands for one; the test closes it. */
export const connectTo = (
  { url: baseUrl }: { url: string },
  options: Partial<GatewayOptions> = {},
): Connection => openConnection({ baseUrl, ...ACCOUNT, ...options })

/** The same as programs have it. */
export const gatewayAt = (
  { url: baseUrl }: { url: string },
  options: Partial<GatewayOptions> = {},
): Gateway => openGateway({ baseUrl, ...ACCOUNT, ...options })

type Ending = { close(): Promise<unknown> } | { stop(): Promise<unknown> }

/** Ends what a test has opened, one after the other. */
export async function endEach(...opened: Ending[]): Promise<void> {
  for (const one of opened) await ('close' in one ? one.close() : one.stop())
}
