import type { Connection } from '../connection/connection'
import type { Operation, Subject } from '../connection/operation'
import type { CommandAnswer } from '../model/types'
import { requestTo, usableId } from './endpoints'
import { bodyOr, expectArray, readChange } from './shapes'

/** Those for destinations from 3.8 on: docs/project/interface.md#commands. */
export type CommandName = 'start-route' | 'stop-route' | 'start-destination' | 'stop-destination'

export interface Command {
  deviceId: string
  command: CommandName
  routeId: string
  /** For the commands about a destination. */
  destinationId?: string
}

/** POST /api/devices/{device}/commands. The response says queued, not done. */
export async function sendCommand(
  gateway: Connection,
  { deviceId, command, routeId, destinationId }: Command,
  operation: Operation,
): Promise<CommandAnswer> {
  const about = destinationId === undefined ? {} : { destinationID: destinationId }
  const parameters = { routeID: usableId(routeId), ...about }
  const body = { deviceID: deviceId, command, parameters }
  const what: Subject = destinationId
    ? { kind: 'destination', id: destinationId }
    : { kind: 'route', id: routeId }
  const request = requestTo('command', { device: deviceId }, { body, what })
  const answer = await gateway.call(request, operation)
  return readChange(() => expectArray<CommandAnswer[number]>(bodyOr([], answer), 'commands'))
}
