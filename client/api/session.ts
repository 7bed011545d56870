import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import type { SessionInformation } from '../model/types'
import { requestTo } from './endpoints'
import { expectObject } from './shapes'

/** GET /api/session, see docs/project/interface.md#session. */
export async function sessionInformation(
  gateway: Connection,
  operation: Operation,
): Promise<SessionInformation> {
  const body = await gateway.call(requestTo('readSession', {}), operation)
  return expectObject<SessionInformation>(body, 'session')
}

/** Opens the session if none is open, even after a refused login, and returns its information. */
export async function startSession(
  gateway: Connection,
  operation: Operation,
): Promise<SessionInformation> {
  gateway.session.clearBackoff()
  return sessionInformation(gateway, operation)
}
