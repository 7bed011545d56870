import { GatewayError, say, type Sentence } from '../errors'
import { withoutSlashes } from '../model/settings'
import { errorBody, isErrorBody, type Answer } from './answer'
import { causeOf, redirection, refusal, saying, unusable } from './faults'
import { createCookies } from './cookies'

/**
 * Reads the response to a login, see docs/project/interface.md#session. The session comes as a
 * cookie, in the body, or both.
 * @returns `named`: the body named the session, too. A cookie alone may be one that every visitor gets
 * @throws GatewayError `LOGIN_REFUSED`, `TOO_MANY_SESSIONS`, `UNAVAILABLE` or `BAD_RESPONSE`
 */
export function readLogin(answer: Answer, base: URL) {
  const { status, body } = answer
  if (status >= 300 && status < 400) throw redirection(answer)
  if (status === 429) {
    throw new GatewayError('TOO_MANY_SESSIONS', say('tooManySessions'), causeOf(answer))
  }
  if (status >= 500) throw refusal(answer)
  if (status >= 400 || isErrorBody(body)) throw refused(answer, base)

  const cookies = createCookies(base)
  cookies.take(answer)
  const { sessionID } = (body as { response?: { sessionID?: unknown } } | undefined)?.response ?? {}
  const named = typeof sessionID === 'string' && /^[\x21-\x3a\x3c-\x7e]+$/.test(sessionID)
  // The cookie may be for another host or for https only: then the ID in the body counts.
  if (named && cookies.sessionId() === '') cookies.set(sessionID)
  if (cookies.sessionId() === '') throw noSession(answer, hintsAbout(base, answer))
  return { cookies, named }
}

export function noSession(answer: Answer, hints: readonly Sentence[] = []): GatewayError {
  const what = answer.unreadable ? unusable(answer) : [say('noSession')]
  const said = [say('notAGateway'), ...what, ...hints]
  return new GatewayError('BAD_RESPONSE', said, { statusCode: answer.status })
}

function refused(answer: Answer, base: URL): GatewayError {
  const { status } = answer
  const hint = hintsAbout(base, answer)
  const { message } = errorBody(answer.body)
  // Which status a wrong password gives is unknown, see docs/project/interface.md#unknown: every
  // 4xx counts, except those that something other than the appliance gives.
  if ((status === 404 && !message) || [405, 407, 408].includes(status)) {
    return new GatewayError('BAD_RESPONSE', [say('notAGateway'), ...hint], causeOf(answer))
  }
  const where = status === 404 ? [say('loginNotFound')] : []
  return new GatewayError(
    'LOGIN_REFUSED',
    [say('loginRefused', { status }), ...saying(message), say('correctLogin'), ...where, ...hint],
    causeOf(answer),
  )
}

/** What may be wrong with the URL, as far as the response to a login shows it. */
function hintsAbout({ protocol, pathname }: URL, { status, unreadable }: Answer): Sentence[] {
  const path = withoutSlashes(pathname)
  if (/\/api$/i.test(path)) return [say('apiInUrl')]
  if (path !== '' && (status === 404 || unreadable)) {
    return [say('pathInUrl', { path: path.slice(0, 200) })]
  }
  return protocol === 'http:' && status === 400 && unreadable ? [say('maybeHttps')] : []
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
