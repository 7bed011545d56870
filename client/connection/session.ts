import type { SessionDeletion, SessionInformation } from '../model/types'
import { MONOTONIC, type Clock } from '../clock'
import { GatewayError, closedError, reported, restated, say, type Identity } from '../errors'
import type { Counters } from './counters'
import type { OutageLog } from './outage-log'
import { isObject } from '../model/json'
import { filled } from '../sentences'
import { within } from '../stop'
import { isElsewhere, isErrorBody, isRedirect, mayDenySession, type Answer } from './answer'
import { TransportFault, noResult, refusal, requestNamed } from './faults'
import type { Transport, TransportRequest } from './transport'
import { createCookies, type SessionCookies } from './cookies'
import { noSession, readLogin, retryAfterOf } from './login'
import { rolesOf } from './roles'

/** One login on the appliance. Calls keep a reference to it, so that a late 401 never ends a newer session. */
export interface OpenSession {
  readonly cookies: SessionCookies
  /** When it was opened, in ms of the clock. */
  readonly openedAt: number
  /** Successful calls of this session. */
  served: number
  /** When the last response arrived, in ms of the clock. */
  usedAt: number
  /** When it ends, as the appliance said, in ms of the clock; undefined while not known. */
  expiresAt?: number
  /** How long it still had when that was read, in ms. */
  lifetime?: number
  /** The roles of the user; none while they are not known. */
  roles: string[]
  /** The firmware did not know its own new session: what it says about sessions proves nothing. */
  cannotAsk?: boolean
  /** Its end has been asked for. */
  isDiscarded?: boolean
}

export interface SessionOptions {
  base: URL
  username: string
  password: string
  timeout: number
  /** The gateway, as the log names it. */
  identity: Identity
  transport: Transport
  outages: OutageLog
  counters: Counters
  /** Waits; rejects with `CLOSED` when the gateway closes. */
  pause: (ms: number) => Promise<void>
  clock: Clock
}

export type Session = ReturnType<typeof createSession>

interface Held {
  until: number
  notBefore: number
  error: GatewayError
  /** Something else than the appliance responded to the login. */
  wasElsewhere: boolean
}

const MINUTE = 60_000
/** Waits after refused credentials that had worked before: the appliance may be restarting. */
const REFUSED_WAITS = [1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE]
/** No refused login is repeated within this time, ms; twice as long after each further one, up to a minute. */
export const REFUSED_FLOOR = 5000
/** Sessions in a row that may be lost within a minute of their login before the next login has to wait. */
const LOST_SOON = 3
/** First waits after other failures; each further one is twice as long, up to a minute. */
const FIRST_WAIT = { unreachable: 500, tooManySessions: 1000, noUsableAnswer: 2000 }
const LONGEST_WAIT = MINUTE
/** The part of a close that is reserved for ending a session whose login completed late. */
const LATE_END_MS = 400
/** How long a login waits for the end of a former session, ms: there may be room for one only. */
const END_FIRST_MS = 2000
/** The largest response about a session that is read, in bytes. */
const MOST = 64 * 1024

/**
 * The only place that logs in. One session serves every caller: it is opened when first needed,
 * replaced when it is lost, and an appliance that refuses is never hammered. See docs/sessions.md.
 */
export function createSession(options: SessionOptions) {
  const { transport, timeout, outages, counters, clock } = options
  let current: OpenSession | undefined
  /** The session before, until a login succeeds: what showed its end may not be of the appliance. */
  let former: OpenSession | undefined
  let opening: Promise<OpenSession> | undefined
  /** The sessions that are being ended, each with a promise for its end. */
  const ending = new Map<OpenSession, Promise<unknown>>()
  const ids: string[] = []
  let workedBefore = false
  let refusals = 0
  let failures = 0
  let lostSoon = 0
  let stopped = false
  /** No login before `until`, or `notBefore` if somebody asks for one; callers meanwhile get `error`. */
  let held: Held | undefined

  /** Returns the open session, and logs in first where none is open. Concurrent callers share one login. */
  async function open(): Promise<OpenSession> {
    if (opening) return opening
    if (current && !mayHaveExpired(current, clock.now())) return current
    opening = renew(current).finally(() => {
      opening = undefined
    })
    return opening
  }

  async function renew(session?: OpenSession): Promise<OpenSession> {
    if (session && (await isStillAlive(session))) return session
    if (held && clock.now() < held.until) throw heldError()
    if (ending.size > 0) {
      await within(Math.min(timeout, END_FIRST_MS), Promise.all(ending.values()))
    }
    return logIn()
  }

  async function isStillAlive(session: OpenSession): Promise<boolean> {
    const alive =
      !isCertainlyOver(session, clock.now()) &&
      (await information(session).catch((error: GatewayError) => {
        if (error.code === 'CLOSED') throw error
        // Not known: the next call will show it.
        return true
      }))
    if (!alive) forget(session)
    return Boolean(alive)
  }

  async function logIn(): Promise<OpenSession> {
    if (stopped) throw closedError()
    let retryAfter: number | undefined
    let wasElsewhere = false
    try {
      const answer = await postSession()
      retryAfter = retryAfterOf(answer)
      wasElsewhere = isElsewhere(answer)
      const { cookies, named } = readLogin(answer, options.base)
      const session = newSession(cookies)
      current = session
      const known = await getToKnow(session)
      // It will not be used; the close ends it.
      if (stopped) throw closedError()
      if (!named && !known) {
        discard(session)
        throw noSession(answer)
      }
      former = undefined
      counters.logins.ok++
      workedBefore = true
      held = undefined
      refusals = 0
      return session
    } catch (error) {
      const failure =
        error instanceof TransportFault ? error : naming('POST', error as GatewayError)
      if (failure.code !== 'CLOSED') {
        counters.logins[failure.code === 'LOGIN_REFUSED' ? 'refused' : 'failed']++
        hold(failure, { retryAfter, wasElsewhere })
        if (wasElsewhere) takeBack()
        // The first failure, too, says what is tried next.
        if (NAMES_THE_WAIT.has(failure.code)) throw heldError()
      }
      throw failure
    }
  }

  /** Reads who is logged in, and until when. If that fails, a named session still counts. */
  async function getToKnow(session: OpenSession): Promise<boolean> {
    const answer = await askAbout(session).catch(() => undefined)
    if (answer && mayDenySession(answer)) session.cannotAsk = true
    if (!answer || !isInformation(answer)) return false
    session.cookies.take(answer)
    learn(session, answer, clock)
    return true
  }

  function newSession(cookies: SessionCookies): OpenSession {
    ids.splice(0, Math.max(0, ids.length - 4))
    ids.push(cookies.sessionId())
    const now = clock.now()
    return { cookies, openedAt: now, served: 0, usedAt: now, roles: [] }
  }

  const ask = (request: Omit<TransportRequest, 'path' | 'most'>): Promise<Answer> =>
    transport.send({ ...request, path: '/api/session', most: MOST })

  const askAbout = ({ cookies }: OpenSession): Promise<Answer> =>
    ask({ method: 'GET', cookie: cookies.header(), timeout })

  async function postSession(): Promise<Answer> {
    const body = JSON.stringify({ username: options.username, password: options.password })
    for (let attempt = 1; ; attempt++) {
      const answer = await ask({ method: 'POST', body, timeout }).catch(
        (fault: TransportFault) => fault,
      )
      if (answer instanceof Error) endUnread(answer)
      if (attempt === 3 || !mayRepeat(answer)) {
        if (answer instanceof Error) throw answer
        return answer
      }
      await options.pause(100 * 3 ** attempt * jitter())
    }
  }

  /** Ends the session of a login whose response broke off after its headers. */
  function endUnread({ headers }: TransportFault): void {
    if (!headers) return
    const cookies = createCookies(options.base)
    cookies.take({ headers })
    if (cookies.sessionId() !== '') discard(newSession(cookies))
  }

  // A password that never worked may be wrong: it is not sent again once it may have arrived.
  function mayRepeat(answer: Answer | TransportFault): boolean {
    if (!(answer instanceof Error)) return answer.status === 502 || answer.status === 503
    if (answer.code === 'TIMEOUT' || !answer.transient) return false
    return workedBefore || !answer.reached
  }

  function hold(
    error: GatewayError,
    { retryAfter, wasElsewhere = false }: { retryAfter?: number; wasElsewhere?: boolean } = {},
  ): void {
    let wait: number
    let floor = 0
    if (error.code === 'LOGIN_REFUSED') {
      wait = workedBefore
        ? REFUSED_WAITS[Math.min(refusals, REFUSED_WAITS.length - 1)]!
        : Number.POSITIVE_INFINITY
      floor = Math.min(REFUSED_FLOOR * 2 ** refusals, MINUTE)
      refusals++
    } else {
      wait = retryAfter ?? Math.min(firstWaitAfter(error) * 2 ** failures, LONGEST_WAIT) * jitter()
      failures++
    }
    const { message } = reported(error, { name: 'session' }, options.identity)
    outages.failed('session', error.code, message)
    const now = clock.now()
    held = { until: now + wait, notBefore: now + floor, error, wasElsewhere }
  }

  function heldError(): GatewayError {
    const { until, error } = held!
    const time = Math.ceil((until - clock.now()) / 1000)
    const next = Number.isFinite(time) ? say('nextLogin', { time }) : say('noLogin')
    return restated(error, [...error.sentences, next])
  }

  function forget(session: OpenSession): void {
    if (current !== session) return
    if (session.served > 0) former = session
    current = undefined
  }

  /** Goes on with the former session where something else responded to the login, too. */
  function takeBack(): void {
    if (!former || stopped) return
    current = former
    current.isDiscarded = false
    // It is as if it had not been lost.
    lostSoon = Math.max(0, lostSoon - 1)
  }

  function lost(session: OpenSession): void {
    if (current !== session) return
    forget(session)
    const isSoon = clock.now() - session.openedAt < MINUTE
    lostSoon = isSoon ? lostSoon + 1 : 0
    if (lostSoon > LOST_SOON) {
      hold(new GatewayError('REJECTED', say('losesSessions'), { retryable: true }))
    }
  }

  /**
   * Asks the appliance about this session.
   * @returns undefined when the appliance says that the session is gone
   * @throws GatewayError when that could not be determined
   */
  async function information(session: OpenSession): Promise<SessionInformation | undefined> {
    const answer = await askAbout(session)
    if (mayDenySession(answer)) return undefined
    if (answer.status >= 400) throw refusal(answer)
    if (!isInformation(answer)) throw unexpected('GET', answer)
    session.cookies.take(answer)
    session.usedAt = clock.now()
    learn(session, answer, clock)
    return answer.body as SessionInformation
  }

  async function deleteSession(session: OpenSession, ms: number): Promise<Answer> {
    const deleted = ask({ method: 'DELETE', cookie: session.cookies.header(), timeout: ms })
    const over: Promise<unknown> = deleted
      .catch(() => undefined)
      .finally(() => {
        if (ending.get(session) === over) ending.delete(session)
      })
    ending.set(session, over)
    return deleted
  }

  /** Tries to end a session that is no longer used but may still be alive. */
  function discard(session: OpenSession): void {
    lost(session)
    if (session.isDiscarded) return
    session.isDiscarded = true
    deleteSession(session, timeout).catch(() => undefined)
  }

  /**
   * Ends the session that is open, or is still being opened or ended, within `ms` milliseconds of real
   * time, whatever clock the rest uses.
   */
  async function close(ms: number): Promise<void> {
    const over = MONOTONIC.now() + ms
    const left = (): number => Math.max(0, over - MONOTONIC.now())
    if (opening)
      await within(
        left() - LATE_END_MS,
        opening.catch(() => undefined),
      )
    const unended = new Set(ending.keys())
    if (current) unended.add(current)
    current = undefined
    const tryToEnd = async (session: OpenSession): Promise<void> => {
      try {
        deletionOf(await deleteSession(session, Math.min(timeout, left())))
        unended.delete(session)
      } catch {
        // It is tried again while there is time.
      }
    }
    // Twice, where the first try fails or gets no response in half of the time.
    for (const share of [1 / 2, 1]) {
      await within(left() * share, Promise.all([...unended].map(tryToEnd)))
    }
  }

  /** Ends the open session. Never logs in first. The status is that of the response, if there was one. */
  async function end(): Promise<{ deletion: SessionDeletion; status?: number }> {
    await opening?.catch(() => undefined)
    const session = current
    if (!session) return { deletion: { type: 'Session', message: 'No session was open.' } }
    forget(session)
    try {
      return deletionOf(await deleteSession(session, timeout))
    } catch (error) {
      // It may still be open: the next end has to try again.
      current ??= session
      throw error
    }
  }

  /** The appliance itself responded: a login need not wait for what something else responded. */
  function isBack(): void {
    if (held?.wasElsewhere) held = undefined
  }

  return {
    open,
    /** A call of this session succeeded. */
    served(session: OpenSession): void {
      isBack()
      session.served++
      const now = clock.now()
      session.usedAt = now
      // One call between two losses ends nothing.
      if (lostSoon > LOST_SOON && now - session.openedAt < MINUTE) return
      lostSoon = Math.min(lostSoon, LOST_SOON)
      failures = 0
      outages.recovered('session')
    },
    /** Something else than the appliance responded to the latest login, and the next has to wait. */
    isElsewhere: (): boolean => held?.wasElsewhere === true && clock.now() < held.until,
    isBack,
    lost,
    /** A new session was refused at its first call: holds back the next login. */
    rejectedAtOnce(session: OpenSession): void {
      forget(session)
      if (session.served > 0) return
      hold(new GatewayError('REJECTED', say('endsSessions'), { statusCode: 401, retryable: true }))
    },
    discard,
    information,
    /** Takes the roles and the expiry from a response with session information. */
    learn: (session: OpenSession, answer: Answer): void => learn(session, answer, clock),
    /** Clears the login backoff, so that the next call tries again. */
    clearBackoff(): void {
      if (held) held.until = Math.min(held.until, held.notBefore)
    },
    end,
    /** Whether a session is open, as far as is known here. */
    isOpen: (): boolean => current !== undefined,
    /** The roles of the user of the open session; none while they are not known. */
    roles: (): string[] => current?.roles ?? [],
    /** Prevents further logins. Resolves when no login and no end of a session is in progress. */
    async stop(): Promise<void> {
      stopped = true
      await Promise.all([opening?.catch(() => undefined), ...ending.values()])
    },
    close,
    /**
     * IDs of the present and the latest sessions, to be kept out of every text: a response may have
     * given the present one another ID since the login.
     */
    ids: (): string[] => (current ? [...ids, current.cookies.sessionId()] : ids),
  }
}

/** The error, with the call named in its sentences. */
function naming(method: string, error: GatewayError): GatewayError {
  const request = requestNamed(method, '/api/session', error.cause.statusCode)
  return restated(error, filled(error.sentences, { request }))
}

/** Codes after which it matters at the first failure when the next attempt is. */
const NAMES_THE_WAIT: ReadonlySet<string> = new Set(['LOGIN_REFUSED', 'TOO_MANY_SESSIONS'])

const jitter = (): number => 0.8 + Math.random() * 0.4

function firstWaitAfter(error: GatewayError): number {
  if (error.code === 'TOO_MANY_SESSIONS') return FIRST_WAIT.tooManySessions
  const arrived = !(error instanceof TransportFault) || error.reached
  return arrived ? FIRST_WAIT.noUsableAnswer : FIRST_WAIT.unreachable
}

const isInformation = ({ status, body }: Answer): boolean =>
  status === 200 && isObject(body) && !isErrorBody(body)

/** Whether the response to the end of a session says that it had ended already. */
const isOver = (answer: Answer): boolean =>
  answer.status === 401 || answer.status === 404 || isRedirect(answer)

/** @throws GatewayError when the response does not say that the session is over */
function deletionOf(answer: Answer): { deletion: SessionDeletion; status: number } {
  const { status, body } = answer
  const ended = (message: string) => ({ deletion: { type: 'Session', message }, status })
  if (isOver(answer)) return ended('The session had ended already.')
  if (status >= 400 || isErrorBody(body)) throw refusal(answer)
  if (status === 204) return ended('The session ended.')
  if (!isObject(body)) throw unexpected('DELETE', answer)
  return { deletion: body as unknown as SessionDeletion, status }
}

const unexpected = (method: string, answer: Answer): GatewayError =>
  naming(method, noResult(answer, false))

const mayHaveExpired = ({ expiresAt = Infinity }: OpenSession, now: number): boolean =>
  now >= expiresAt

// Whether calls prolong a session is unknown, see docs/project/interface.md#unknown. Either way it
// is over when it was idle for the whole time that it had left; otherwise the appliance is asked.
const isCertainlyOver = ({ lifetime = Infinity, usedAt }: OpenSession, now: number): boolean =>
  now >= usedAt + lifetime

// expireAt is a time on the appliance's clock, which may differ from ours. A time in the past
// means nothing while the session lives.
function learn(session: OpenSession, answer: Answer, clock: Clock): void {
  session.roles = rolesOf(answer.body)
  const { expireAt } = (answer.body ?? {}) as Partial<SessionInformation>
  const appliance = Date.parse(answer.headers.date ?? '')
  const today = Date.now()
  const skew = Math.abs(appliance - today) > 2000 ? appliance - today : 0
  const left = typeof expireAt === 'number' ? expireAt - (today + skew) : Number.NaN
  session.lifetime = left > 0 ? left : undefined
  session.expiresAt = left > 0 ? clock.now() + left : undefined
}
