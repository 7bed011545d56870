import type http from 'node:http'
import { isText, own } from '../model/json'

/** A response, whatever its status. */
export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  /** The parsed body; undefined when there is none or it cannot be used. */
  body: unknown
  /** What arrived instead of usable JSON; undefined when the body is usable. */
  unreadable?: 'gotNothing' | 'gotPage' | 'gotText' | 'gotDeep' | 'gotMany'
}

export const isRedirect = ({ status }: Answer): boolean => status >= 300 && status < 400

/** True for a web page where a result was due, such as the login page of a proxy. */
const isPage = ({ status, unreadable }: Answer): boolean =>
  status >= 200 && status < 300 && unreadable === 'gotPage'

/** True where something else responded, such as the login page of a proxy. */
export const isElsewhere = (answer: Answer): boolean => isRedirect(answer) || isPage(answer)

/** True for an error body, whatever the status. An empty `error` means no error. */
export function isErrorBody(body: unknown): boolean {
  const error = own(body, 'error')
  if (typeof error === 'object' && error !== null) return Object.values(error).some(Boolean)
  return error === true || isText(error)
}

/**
 * `error.type` and `error.message` of an error body, if it has them. See
 * docs/project/interface.md#errors.
 */
export function errorBody(body: unknown): { type?: string; message?: string } {
  const error = own(body, 'error')
  if (typeof error === 'string') return { message: error }
  const [type, message] = [own(error, 'type'), own(error, 'message')]
  return {
    type: typeof type === 'string' ? type : undefined,
    message: typeof message === 'string' ? message : undefined,
  }
}

/**
 * True where this may be about the session and not about the request. A lost one shows as 401 or 404, see
 * docs/project/interface.md#session; the others are what servers and proxies commonly send instead.
 */
export const mayDenySession = (answer: Answer): boolean =>
  [401, 404, 419, 440].includes(answer.status) ||
  (answer.status < 300 && isErrorBody(answer.body)) ||
  isElsewhere(answer)
