import { GatewayError, type ErrorCause } from '../errors'
import { errorBody, isErrorBody, type Answer } from './answer'
import { redirection, refusal, saying } from './faults'
import { createCookies, type SessionCookies } from './cookies'

/** The result of a login. */
export interface LoggedIn {
  cookies: SessionCookies
  /** The body named the session, too. A cookie alone may be one that every visitor gets. */
  named: boolean
}

/**
 * Reads the response to a login (facts 2.1). The session comes as a cookie, in the body, or both.
 * @throws GatewayError `LOGIN_REFUSED`, `TOO_MANY_SESSIONS`, `UNAVAILABLE` or `BAD_RESPONSE`
 */
export function readLogin(answer: Answer, base: URL): LoggedIn {
  const { status, body } = answer
  if (status >= 300 && status < 400) throw redirection(answer, 'The login')
  if (status === 429) throw tooManySessions(answer)
  if (status >= 500) throw refusal(answer)
  if (status >= 400 || isErrorBody(body)) throw refused(answer, base)

  const cookies = createCookies(base)
  cookies.take(answer)
  const { sessionID } = (body as { response?: { sessionID?: unknown } } | undefined)?.response ?? {}
  const named = typeof sessionID === 'string' && /^[\x21-\x3a\x3c-\x7e]+$/.test(sessionID)
  // The cookie may be for another host or for https only: then the ID in the body counts.
  if (named && cookies.sessionId() === '') cookies.set(sessionID)
  if (cookies.sessionId() === '') throw noSession(answer)
  return { cookies, named }
}

export const noSession = (answer: Answer): GatewayError =>
  new GatewayError(
    'BAD_RESPONSE',
    `The login was answered with ${answer.unreadable ?? 'no session'}. Check that the address is that of the appliance.`,
    { statusCode: answer.status },
  )

function refused(answer: Answer, base: URL): GatewayError {
  const { status } = answer
  const hint = /\/api\/*$/i.test(base.pathname)
    ? ' The address ends in /api, which is added to it: leave it out.'
    : ''
  const { message } = errorBody(answer.body)
  // Which status a wrong password gives is unknown (facts 2.3): every 4xx counts, except
  // those that something other than the appliance gives.
  if ((status === 404 && !message) || [405, 407, 408].includes(status)) {
    return new GatewayError(
      'BAD_RESPONSE',
      `This server has no media gateway login (status ${status}). Check the address.${hint}`,
      causeOf(answer),
    )
  }
  const where = status === 404 ? ' Check the address too: it was answered with status 404.' : ''
  return new GatewayError(
    'LOGIN_REFUSED',
    `The appliance refused the user name or the password. Correct them in the config node and deploy.${where}${hint}${saying(message)}`,
    causeOf(answer),
  )
}

const tooManySessions = (answer: Answer): GatewayError =>
  new GatewayError(
    'TOO_MANY_SESSIONS',
    'The appliance has no free session. End sessions that are not needed, or wait until they expire.',
    causeOf(answer),
  )

function causeOf({ status, body }: Answer): Partial<ErrorCause> {
  const { type, message } = errorBody(body)
  return { statusCode: status, applianceType: type, applianceMessage: message }
}

/** The longest Retry-After that is respected, ms. */
const LONGEST_RETRY_AFTER = 5 * 60_000

/** Milliseconds of Retry-After: a number of seconds, or a date by the appliance's clock. */
export function retryAfterOf({ headers }: Answer): number | undefined {
  const { date = '', 'retry-after': value } = headers
  if (value === undefined) return undefined
  const seconds = Number(value)
  const ms = Number.isNaN(seconds)
    ? Date.parse(value) - (Date.parse(date) || Date.now())
    : seconds * 1000
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER) : undefined
}
