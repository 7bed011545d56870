import type { SessionDeletion, SessionInformation } from '../model/types'
import { GatewayError } from '../errors'
import type { Outlook } from '../outlook'
import { TransportFault, refusal } from '../transport/faults'
import type { Answer, Transport } from '../transport/transport'
import type { SessionCookies } from './cookies'
import { noSession, readLogin, retryAfterOf, saysError } from './login'
import { rolesOf } from './roles'

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
  /** The roles of the user; none while they are not known. */
  roles: string[]
  /** The firmware did not know its own new session: what it says of sessions proves nothing. */
  cannotAsk?: boolean
}

export interface SessionOptions {
  base: URL
  username: string
  password: string
  timeout: number
  transport: Transport
  /** Hears how logging in goes. */
  outlook: Outlook
  /** Waits, ends early with `CLOSED` when the gateway closes. */
  pause: (ms: number) => Promise<void>
}

export interface Session {
  /** The open session, after a login where none is open. However many ask, one login is made. */
  open(): Promise<OpenSession>
  /** This session has answered a call. */
  served(session: OpenSession): void
  /** An answer showed that this session is gone. */
  lost(session: OpenSession): void
  /** A new session was refused at its first call: no login for a while. */
  rejectedAtOnce(session: OpenSession): void
  /** This session is no longer used, but may be alive: it is ended, if that can be. */
  discard(session: OpenSession): void
  /**
   * Asks the appliance about this session. Answers undefined when it says that the session is gone.
   * @throws GatewayError when that could not be found out
   */
  information(session: OpenSession): Promise<SessionInformation | undefined>
  /** Takes what an answer with session information tells. */
  learn(session: OpenSession, answer: Answer): void
  /** Forgets a refused login, so that the next call tries again. */
  forgive(): void
  /** Ends the open session. Never logs in first. The status is that of the answer, if there was one. */
  end(timeout?: number): Promise<{ deletion: SessionDeletion; status?: number }>
  /** Whether a session is open, as far as is known here. */
  isOpen(): boolean
  /** The roles of the user of the open session; none while they are not known. */
  roles(): string[]
  /** From now on nobody logs in. Resolves when no login and no end of a session is on its way. */
  stop(): Promise<void>
  /** IDs of the present and the latest sessions, for keeping them out of every text. */
  ids(): string[]
}

const MINUTE = 60_000
/** Waits after refused credentials that had worked before: the appliance may be restarting (design 2.5). */
const REFUSED_WAITS = [1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE]
/** First waits after other failures; each further one is twice as long, up to a minute. */
const FIRST_WAIT = { awayAtAll: 500, noneFree: 1000, answeredNothing: 2000 }
const LONGEST_WAIT = MINUTE

/**
 * The only place that logs in. One session serves every caller; it is opened
 * when first needed, replaced when it is lost, and never at the price of
 * hammering an appliance that refuses (design 2.5).
 */
export function createSession(options: SessionOptions): Session {
  const { transport, timeout, outlook } = options
  let current: OpenSession | undefined
  let opening: Promise<OpenSession> | undefined
  const ending = new Set<Promise<unknown>>()
  const ids: string[] = []
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
    const alive =
      !isCertainlyOver(session) &&
      (await information(session).catch((error: GatewayError) => {
        if (error.code === 'CLOSED') throw error
        // Not found out: the next call will show it.
        return true
      }))
    if (!alive) lost(session)
    return Boolean(alive)
  }

  async function logIn(): Promise<OpenSession> {
    if (stopped) throw new GatewayError('CLOSED', 'The gateway was stopped before the login.')
    let retryAfter: number | undefined
    try {
      const answer = await postSession()
      retryAfter = retryAfterOf(answer)
      const { cookies, named } = readLogin(answer, options.base)
      const session: OpenSession = { cookies, served: 0, usedAt: Date.now(), roles: [] }
      ids.splice(0, Math.max(0, ids.length - 4))
      ids.push(cookies.sessionId())
      current = session
      const known = await getToKnow(session)
      if (!named && !known) {
        lost(session)
        throw noSession(answer)
      }
      workedBefore = true
      held = undefined
      refusals = 0
      return session
    } catch (error) {
      const failure = error as GatewayError
      if (failure.code !== 'CLOSED') hold(failure, retryAfter)
      throw failure
    }
  }

  /** Who is logged in, and until when. Where that cannot be found out, a named session serves all the same. */
  async function getToKnow(session: OpenSession): Promise<boolean> {
    const answer = await askAbout(session).catch(() => undefined)
    if (answer?.status === 404) session.cannotAsk = true
    if (!answer || !isInformation(answer)) return false
    learn(session, answer)
    return true
  }

  const askAbout = ({ cookies }: OpenSession): Promise<Answer> =>
    transport.send({ method: 'GET', path: '/api/session', cookie: cookies.header(), timeout })

  async function postSession(): Promise<Answer> {
    const body = JSON.stringify({ username: options.username, password: options.password })
    for (let attempt = 1; ; attempt++) {
      const answer = await transport
        .send({ method: 'POST', path: '/api/session', body, timeout })
        .catch((fault: TransportFault) => fault)
      if (attempt === 3 || !mayRepeat(answer)) {
        if (answer instanceof Error) throw answer
        return answer
      }
      await options.pause(100 * 3 ** attempt * jitter())
    }
  }

  // A password that never worked may be wrong: it is not sent again when it may have arrived.
  function mayRepeat(answer: Answer | TransportFault): boolean {
    if (!(answer instanceof Error)) return answer.status === 502 || answer.status === 503
    if (answer.code === 'TIMEOUT' || !answer.transient) return false
    return workedBefore || !answer.reached
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
      wait = retryAfter ?? Math.min(firstWaitAfter(error) * 2 ** failures, LONGEST_WAIT) * jitter()
      failures++
    }
    outlook.trouble('session', error.code, error.message)
    held = { until: Date.now() + wait, error }
  }

  function lost(session: OpenSession): void {
    if (current === session) current = undefined
  }

  async function information(session: OpenSession): Promise<SessionInformation | undefined> {
    const answer = await askAbout(session)
    if (showsNoSession(answer)) return undefined
    if (answer.status >= 400) throw refusal(answer)
    if (!isInformation(answer)) throw unexpected('The question about the session', answer)
    session.cookies.take(answer)
    session.usedAt = Date.now()
    learn(session, answer)
    return answer.body as SessionInformation
  }

  async function deleteSession({ cookies }: OpenSession, within: number): Promise<Answer> {
    const deleted = transport.send({
      method: 'DELETE',
      path: '/api/session',
      cookie: cookies.header(),
      timeout: within,
    })
    const over: Promise<unknown> = deleted.catch(() => undefined).finally(() => ending.delete(over))
    ending.add(over)
    return deleted
  }

  async function end(within = timeout): Promise<{ deletion: SessionDeletion; status?: number }> {
    await opening?.catch(() => undefined)
    const session = current
    if (!session) return { deletion: { type: 'Session', message: 'No session was open.' } }
    lost(session)
    try {
      return deletionOf(await deleteSession(session, within))
    } catch (error) {
      // It may still be open: whoever ends it next has to try again.
      current ??= session
      throw error
    }
  }

  return {
    open,
    served(session) {
      session.served++
      session.usedAt = Date.now()
      failures = 0
      outlook.fine('session')
    },
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
    discard(session) {
      lost(session)
      deleteSession(session, timeout).catch(() => undefined)
    },
    information,
    learn,
    forgive() {
      held = undefined
      refusals = 0
    },
    end,
    isOpen: () => current !== undefined,
    roles: () => current?.roles ?? [],
    async stop() {
      stopped = true
      await Promise.all([opening?.catch(() => undefined), ...ending])
    },
    // An answer may have given the present session another ID since the login.
    ids: () => (current ? [...ids, current.cookies.sessionId()] : ids),
  }
}

const jitter = (): number => 0.8 + Math.random() * 0.4

function firstWaitAfter(error: GatewayError): number {
  if (error.code === 'TOO_MANY_SESSIONS') return FIRST_WAIT.noneFree
  const arrived = !(error instanceof TransportFault) || error.reached
  return arrived ? FIRST_WAIT.answeredNothing : FIRST_WAIT.awayAtAll
}

const isPlainObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body)

const isInformation = ({ status, body }: Answer): boolean =>
  status === 200 && isPlainObject(body) && !saysError(body)

/** How the answer to a question about a session says that there is none. */
const showsNoSession = ({ status }: Answer): boolean =>
  status === 401 || status === 404 || (status >= 300 && status < 400)

/** @throws GatewayError when the answer does not say that the session is over */
function deletionOf(answer: Answer): { deletion: SessionDeletion; status: number } {
  const { status, body } = answer
  if (showsNoSession(answer)) {
    return { deletion: { type: 'Session', message: 'The session had ended already.' }, status }
  }
  if (status >= 400) throw refusal(answer)
  if (status === 204)
    return { deletion: { type: 'Session', message: 'The session ended.' }, status }
  if (!isPlainObject(body)) throw unexpected('The end of the session', answer)
  return { deletion: body as unknown as SessionDeletion, status }
}

const unexpected = (what: string, { status, unreadable }: Answer): GatewayError =>
  new GatewayError('BAD_RESPONSE', `${what} was answered with ${unreadable ?? 'something else'}.`, {
    statusCode: status,
  })

function mayHaveExpired(session: OpenSession): boolean {
  return session.expiresAt !== undefined && Date.now() >= session.expiresAt
}

// Whether calls prolong a session is unknown (facts 2.3). Both ways it is over when it
// has lain idle for the whole time that it had left; otherwise the appliance is asked.
function isCertainlyOver(session: OpenSession): boolean {
  return session.lifetime !== undefined && Date.now() >= session.usedAt + session.lifetime
}

// expireAt is a time on the appliance's clock, which may differ from ours. One that is past
// while the session lives says nothing.
function learn(session: OpenSession, answer: Answer): void {
  session.roles = rolesOf(answer.body)
  const { expireAt } = (answer.body ?? {}) as Partial<SessionInformation>
  const appliance = Date.parse(answer.headers.date ?? '')
  const now = Date.now()
  const skew = Math.abs(appliance - now) > 2000 ? appliance - now : 0
  const left = typeof expireAt === 'number' ? expireAt - (now + skew) : Number.NaN
  session.lifetime = left > 0 ? left : undefined
  session.expiresAt = left > 0 ? now + left : undefined
}

function heldError({ until, error }: { until: number; error: GatewayError }): GatewayError {
  const seconds = Math.ceil((until - Date.now()) / 1000)
  const next = Number.isFinite(seconds)
    ? ` The next try is made in ${seconds} s at the earliest.`
    : ' No further try is made, so that the account is not locked. To try the same again, send "start" to a session node.'
  return new GatewayError(error.code, error.message + next, error.cause)
}
