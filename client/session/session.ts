import type { SessionDeletion, SessionInformation } from '../model/types'
import { GatewayError } from '../errors'
import { TransportFault, errorBody, refusal } from '../transport/faults'
import type { Answer, Transport, TransportRequest } from '../transport/transport'
import { createCookies, type SessionCookies } from './cookies'

/** One login on the appliance. Calls hold on to it, so that a late 401 never ends a newer session. */
export interface OpenSession {
  readonly cookies: SessionCookies
  /** Calls that this session has answered. */
  served: number
  /** Local time of the last answer, in ms. */
  usedAt: number
  /** Local time at which the appliance said it ends, in ms (facts 2.3); undefined while not known. */
  expiresAt?: number
  /** How long it had still to go when that was read, in ms. */
  lifetime?: number
}

export interface SessionOptions {
  base: URL
  username: string
  password: string
  timeout: number
  transport: Transport
  /** One line for each change of state, never with a secret in it. */
  log: (level: 'info' | 'warn', text: string) => void
  /** Waits, ends early with `CLOSED` when the gateway closes. */
  pause: (ms: number) => Promise<void>
}

export interface Session {
  /** The open session, after a login where none is open. However many ask, one login is made. */
  open(): Promise<OpenSession>
  /** An answer showed that this session is gone. */
  lost(session: OpenSession): void
  /** A new session was refused at its first call: no login for a while. */
  rejectedAtOnce(session: OpenSession): void
  /**
   * Asks the appliance about this session. Answers undefined when it says that the session is gone.
   * @throws GatewayError when that could not be found out
   */
  information(session: OpenSession): Promise<SessionInformation | undefined>
  /** Takes what an answer with session information tells about the end of the session. */
  learn(session: OpenSession, answer: Answer): void
  /** Forgets a refused login, so that the next call tries again. */
  forgive(): void
  /** Ends the open session. Never logs in first. */
  end(timeout?: number): Promise<SessionDeletion>
  /** Whether a session is open, as far as is known here. */
  isOpen(): boolean
  /** From now on nobody logs in. Resolves when the login that is on its way, if any, is over. */
  stop(): Promise<void>
}

const MINUTE = 60_000
/** Waits after refused credentials that had worked before: the appliance may be restarting (design 2.5). */
const REFUSED_WAITS = [1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE]
const FIRST_WAIT = 500
const LONGEST_WAIT = 60_000

/**
 * The only place that logs in. One session serves every caller; it is opened
 * when first needed, replaced when it is lost, and never at the price of
 * hammering an appliance that refuses (design 2.5).
 */
export function createSession(options: SessionOptions): Session {
  const { transport, timeout, log } = options
  let current: OpenSession | undefined
  let opening: Promise<OpenSession> | undefined
  let workedBefore = false
  let refusals = 0
  let failures = 0
  let stopped = false
  /** No login before `until`; callers meanwhile get `error`. */
  let held: { until: number; error: GatewayError } | undefined

  async function open(): Promise<OpenSession> {
    if (opening) return opening
    if (current && !mayHaveExpired(current)) return current
    opening = renew(current).finally(() => {
      opening = undefined
    })
    return opening
  }

  async function renew(session?: OpenSession): Promise<OpenSession> {
    if (session && (await isStillAlive(session))) return session
    if (held && Date.now() < held.until) throw heldError(held)
    return logIn()
  }

  async function isStillAlive(session: OpenSession): Promise<boolean> {
    const alive = isCertainlyOver(session)
      ? undefined
      : await information(session).catch(() => undefined)
    if (!alive) lost(session)
    return alive !== undefined
  }

  async function logIn(): Promise<OpenSession> {
    if (stopped) throw new GatewayError('CLOSED', 'The gateway was stopped before the login.')
    let retryAfter: number | undefined
    try {
      const answer = await postSession()
      retryAfter = retryAfterOf(answer)
      const session = sessionOf(answer)
      current = session
      workedBefore = true
      if (held) log('info', 'Logged in again.')
      held = undefined
      failures = 0
      refusals = 0
      return session
    } catch (error) {
      const failure = error as GatewayError
      if (failure.code !== 'CLOSED') hold(failure, retryAfter)
      throw failure
    }
  }

  async function postSession(): Promise<Answer> {
    const body = JSON.stringify({ username: options.username, password: options.password })
    for (let attempt = 1; ; attempt++) {
      const answer = await send({ method: 'POST', path: '/api/session', body, timeout }).catch(
        (fault: TransportFault) => fault,
      )
      const again =
        answer instanceof TransportFault ? answer.transient : GATEWAY_AWAY.has(answer.status)
      // A wrong password is never tried twice: a login whose answer got lost is repeated once only.
      const last = answer instanceof TransportFault && answer.reached ? 2 : 3
      const timedOut = answer instanceof TransportFault && answer.code === 'TIMEOUT'
      if (!again || timedOut || attempt >= last) {
        if (answer instanceof TransportFault) throw answer
        return answer
      }
      await options.pause(100 * 3 ** attempt * jitter())
    }
  }

  function sessionOf(answer: Answer): OpenSession {
    const { status, body } = answer
    if (status >= 300 && status < 400) throw redirected(answer)
    if (status === 429) throw tooManySessions(answer)
    if (status >= 400 || hasError(body)) throw refusedLogin(answer)
    const cookies = createCookies(options.base)
    cookies.take(answer)
    if (!cookies.hasSession()) {
      const sessionId = (body as { response?: { sessionID?: unknown } } | undefined)?.response
        ?.sessionID
      if (typeof sessionId !== 'string' || !/^[\x21-\x3a\x3c-\x7e]+$/.test(sessionId)) {
        throw new GatewayError(
          'BAD_RESPONSE',
          `The login was answered with ${answer.unreadable ?? 'no session'}. Check that the address is that of the appliance.`,
          { statusCode: status },
        )
      }
      cookies.set(sessionId)
    }
    return { cookies, served: 0, usedAt: Date.now() }
  }

  /** Sets how long no login is tried after this failure. */
  function hold(error: GatewayError, retryAfter?: number): void {
    let wait: number
    if (error.code === 'LOGIN_REFUSED') {
      wait = workedBefore
        ? REFUSED_WAITS[Math.min(refusals, REFUSED_WAITS.length - 1)]!
        : Number.POSITIVE_INFINITY
      refusals++
    } else {
      wait = retryAfter ?? Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT) * jitter()
      failures++
    }
    if (held?.error.code !== error.code) log('warn', error.message)
    held = { until: Date.now() + wait, error }
  }

  function lost(session: OpenSession): void {
    if (current === session) current = undefined
  }

  async function information(session: OpenSession): Promise<SessionInformation | undefined> {
    const answer = await send({
      method: 'GET',
      path: '/api/session',
      cookie: session.cookies.header(),
      timeout,
    })
    const { status, body } = answer
    if (status === 401 || status === 404 || (status >= 300 && status < 400)) return undefined
    if (status >= 400) throw refusal(answer)
    if (typeof body !== 'object' || body === null || Array.isArray(body) || hasError(body)) {
      throw new GatewayError(
        'BAD_RESPONSE',
        `The question about the session was answered with ${answer.unreadable ?? 'something else'}.`,
        { statusCode: status },
      )
    }
    session.cookies.take(answer)
    session.usedAt = Date.now()
    learnExpiry(session, answer)
    return body as SessionInformation
  }

  async function end(within = timeout): Promise<SessionDeletion> {
    await opening?.catch(() => undefined)
    const session = current
    if (!session) return { type: 'Session', message: 'No session was open.' }
    lost(session)
    const answer = await send({
      method: 'DELETE',
      path: '/api/session',
      cookie: session.cookies.header(),
      timeout: within,
    })
    const { status, body } = answer
    if (status === 401 || status === 404 || (status >= 300 && status < 400)) {
      return { type: 'Session', message: 'The session had ended already.' }
    }
    if (status >= 400) throw refusal(answer)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new GatewayError(
        'BAD_RESPONSE',
        `The end of the session was answered with ${answer.unreadable ?? 'something else'}.`,
        { statusCode: status },
      )
    }
    return body as SessionDeletion
  }

  const send = (request: TransportRequest): Promise<Answer> => transport.send(request)

  return {
    open,
    lost,
    rejectedAtOnce(session) {
      lost(session)
      if (session.served > 0) return
      hold(
        new GatewayError('REJECTED', 'The appliance ends each new session at once.', {
          statusCode: 401,
          retryable: true,
        }),
      )
    },
    information,
    learn: learnExpiry,
    forgive() {
      held = undefined
      refusals = 0
    },
    end,
    isOpen: () => current !== undefined,
    async stop() {
      stopped = true
      await opening?.catch(() => undefined)
    },
  }
}

const GATEWAY_AWAY: ReadonlySet<number> = new Set([502, 503, 504])

const jitter = (): number => 0.8 + Math.random() * 0.4

const hasError = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'error' in body && Boolean(body.error)

function mayHaveExpired(session: OpenSession): boolean {
  return session.expiresAt !== undefined && Date.now() >= session.expiresAt
}

// Whether calls prolong a session is unknown (facts 2.3). Both ways it is over when it
// has lain idle for the whole time that it had left; otherwise the appliance is asked.
function isCertainlyOver(session: OpenSession): boolean {
  return session.lifetime !== undefined && Date.now() >= session.usedAt + session.lifetime
}

// expireAt is a time on the appliance's clock, which may differ from ours.
function learnExpiry(session: OpenSession, answer: Answer): void {
  const { expireAt } = (answer.body ?? {}) as Partial<SessionInformation>
  const appliance = Date.parse(answer.headers.date ?? '')
  const now = Date.now()
  const skew = Math.abs(appliance - now) > 2000 ? appliance - now : 0
  const left = typeof expireAt === 'number' ? expireAt - (now + skew) : Number.NaN
  if (!(left > 0)) return
  session.lifetime = left
  session.expiresAt = now + left
}

function refusedLogin(answer: Answer): GatewayError {
  const { status } = answer
  const { type, message } = errorBody(answer.body)
  const cause = { statusCode: status, applianceType: type, applianceMessage: message }
  const says = message ? ` It says: ${message}` : ''
  if (status >= 500) return refusal(answer)
  // Which status a wrong password gives is unknown (facts 2.3): every 4xx counts, but for
  // those that something other than the appliance gives.
  if ((status === 404 && !message) || status === 405 || status === 408 || status === 407) {
    return new GatewayError(
      'BAD_RESPONSE',
      `What answers does not know the login of a media gateway (status ${status}). Check the address.`,
      cause,
    )
  }
  return new GatewayError(
    'LOGIN_REFUSED',
    `The appliance refused the user name or the password. No further try is made, so that the account is not locked. Correct the credentials and deploy.${says}`,
    cause,
  )
}

function tooManySessions(answer: Answer): GatewayError {
  const { type, message } = errorBody(answer.body)
  return new GatewayError(
    'TOO_MANY_SESSIONS',
    'The appliance has no free session. End sessions that are not needed, or wait until they expire.',
    { statusCode: 429, applianceType: type, applianceMessage: message },
  )
}

/** Milliseconds that the appliance asks to wait, at most five minutes. */
function retryAfterOf({ headers }: Answer): number | undefined {
  const seconds = Number(headers['retry-after'])
  return seconds > 0 ? Math.min(seconds * 1000, 5 * MINUTE) : undefined
}

function redirected(answer: Answer): GatewayError {
  let target = ''
  try {
    target = ` to ${new URL(answer.headers.location ?? '').origin}`
  } catch {
    // A relative or missing location has no origin to name.
  }
  return new GatewayError(
    'BAD_RESPONSE',
    `The login was redirected${target}, which is not followed. Set the final address in the config node.`,
    { statusCode: answer.status },
  )
}

function heldError({ until, error }: { until: number; error: GatewayError }): GatewayError {
  const seconds = Math.ceil((until - Date.now()) / 1000)
  const next = Number.isFinite(seconds)
    ? ` The next try is made in ${seconds} s at the earliest.`
    : ' To try the same again, send "start" to a session node.'
  return new GatewayError(error.code, error.message + next, error.cause)
}
