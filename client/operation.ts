import type { Role } from './session/roles'
import type { Stop } from './stop'

/** One thing that a caller wants done: its name, its way to stop it, and what it took. */
export interface Operation {
  /** As it appears in `msg.gateway.operation` and in errors. */
  readonly name: string
  readonly stop?: Stop
  /** It completes a change that must not be left half done; a close waits for it as long as it can. */
  readonly finishing?: boolean
  /** Whoever asks will ask again soon: one timeout is all the time that the operation gets. */
  readonly brief?: boolean
  /** Requests made so far, logins not counted. */
  requests: number
  /** Status of the last answer. */
  statusCode?: number
}

export function newOperation(name: string, stop?: Stop): Operation {
  return { name, stop, requests: 0, statusCode: undefined }
}

/** One call of the interface. */
export interface Request {
  method: 'GET' | 'POST' | 'DELETE'
  /** Encoded path with its query, such as `/api/devices`. */
  path: string
  /** Sent as JSON, unless it is a Buffer. */
  body?: unknown
  /** Of a body that is not JSON. */
  contentType?: string
  /** Secrets in a body that is not JSON, to be kept out of every error. */
  secrets?: string[]
  /** What a 404 means, such as `route "Studio A"`. */
  what?: string
  /** The role that the call needs; a call that writes needs an Operator (facts 2.4). */
  role?: Role
  /** True when the call changes the appliance. Such a call is never repeated unless it certainly did not arrive. */
  writes?: boolean
}
