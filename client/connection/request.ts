import type { Clock } from '../clock'
import { GatewayError, invalidInput, say } from '../errors'
import { OutdatedPlan, isOutdated, isWrite, type Operation, type Request } from './operation'
import { mayAct } from './roles'
import type { OpenSession, Session } from './session'
import type { Stop } from '../stop'
import {
  errorBody,
  isElsewhere,
  isErrorBody,
  isRedirect,
  mayDenySession,
  type Answer,
} from './answer'
import {
  LateConnection,
  TransportFault,
  noResult,
  redirection,
  refusal,
  timedOutAfter,
} from './faults'
import type { TransportRequest } from './transport'

export interface RequesterOptions {
  session: Session
  send: (request: TransportRequest) => Promise<Answer>
  /** Waits. @throws GatewayError `CLOSED` */
  pause: (ms: number, stop?: Stop) => Promise<void>
  /** @throws GatewayError `CLOSED` when the operation or the gateway was stopped */
  throwIfStopped: (operation: Operation) => void
  /** The appliance is not responding: rejects every call queued at `since` or earlier. */
  rejectQueued: (reason: GatewayError, since: number) => void
  /** Milliseconds for one attempt. */
  timeout: number
  clock: Clock
}

/** What is known about a change while it is sent. */
export interface Sending {
  /** True from the moment it is sent until it is known that it was not applied. */
  mayBeApplied: boolean
  /** It was refused because the session had ended, and is sent once more. */
  isReplay?: boolean
}

const READ_ATTEMPTS = 3

/**
 * Sends calls within the session, renews it once when it is lost, and repeats what may be repeated.
 */
export function createRequester(
  options: RequesterOptions,
): (request: Request, operation: Operation, sending: Sending) => Promise<unknown> {
  const { session, timeout, throwIfStopped, clock } = options
  let lastAnswerAt = -Infinity
  /** This firmware reports a missing right with 401, which otherwise means the end of the session. */
  let deniesWith401 = false
  let hasWorked = false

  return async (request, operation, sending) => {
    throwIfStopped(operation)
    const body = bodyToSend(request)
    const first = await session.open()
    refuseMissingRole(request, first)
    const answer = await attemptAsNamed(request, body, first, operation, sending)
    const elsewhere = isElsewhere(answer)
    const isOver = !(elsewhere && session.isElsewhere()) && (await showsLostSession(answer, first))
    if (!isOver) return bodyOf(answer, request, first, operation)
    if (!elsewhere) session.isBack()
    if (first.cannotAsk || elsewhere) session.discard(first)
    else session.lost(first)
    // A redirect may follow a change that was made.
    if (isWrite(request) && !certainlyNotApplied(answer)) {
      return bodyOf(answer, request, first, operation)
    }
    sending.isReplay = true
    const second = await session.open()
    const replayed = await attemptAsNamed(request, body, second, operation, sending)
    if (isPlain401(replayed)) await reckonWith401(first, second)
    return bodyOf(replayed, request, second, operation)
  }

  /** Repeats what was refused because another response had given the session a new ID meanwhile. */
  async function attemptAsNamed(...all: Parameters<typeof attempt>): Promise<Answer> {
    const [, , { cookies }] = all
    const deadline = clock.now() + 2 * timeout
    for (;;) {
      const id = cookies.sessionId()
      const answer = await attempt(...all)
      const isOfFormerId = isPlain401(answer) && cookies.sessionId() !== id
      if (!isOfFormerId || clock.now() >= deadline) return answer
    }
  }

  /** Sends one request, and repeats it as far as that is safe. */
  async function attempt(
    request: Request,
    body: string | Buffer | undefined,
    { cookies }: OpenSession,
    operation: Operation,
    sending: Sending,
  ): Promise<Answer> {
    const writes = isWrite(request)
    const startedAt = clock.now()
    const deadline = startedAt + (operation.brief ? 1 : 2) * timeout
    let last: TransportFault | undefined
    for (let attempts = 1; ; attempts++) {
      throwIfStopped(operation)
      if (writes && isOutdated(operation, clock.now())) {
        throw new OutdatedPlan(sending.isReplay === true, last)
      }
      operation.requests++
      if (writes) operation.writes++
      sending.mayBeApplied = writes
      const result = await options
        .send({
          method: request.method,
          path: request.path,
          body,
          contentType: request.contentType,
          cookie: cookies.header(),
          most: request.most,
          timeout: Math.max(1, Math.ceil(Math.min(timeout, deadline - clock.now()))),
          stop: writes ? undefined : operation.stop,
          isLate: writes ? () => isOutdated(operation, clock.now()) : undefined,
          reusesConnection: !writes || operation.reusesConnection,
        })
        .catch((fault: TransportFault) => fault)

      const pauseMs = 100 * 3 ** (attempts - 1) * (0.8 + Math.random() * 0.4)
      const mayRepeat = attempts < READ_ATTEMPTS && clock.now() + pauseMs < deadline
      if (certainlyNotApplied(result)) sending.mayBeApplied = false
      if (result instanceof Error) {
        if (writes && !result.reached) operation.writes--
        // However many attempts are left: the change is planned again.
        if (result instanceof LateConnection) {
          throw new OutdatedPlan(sending.isReplay === true, result)
        }
        const safe = result.transient && !sending.mayBeApplied
        if (!safe || !mayRepeat) {
          const fault = timedOutAfter(result, attempts, clock.now() - startedAt)
          throw finalFault(fault, sending, startedAt)
        }
        last = result
      } else {
        lastAnswerAt = clock.now()
        operation.statusCode = result.status
        // Whoever is not known to the appliance is given an ID of no session.
        if (!isPlain401(result)) cookies.take(result)
        const away = result.status >= 502 && result.status <= 504
        if (!away || writes || !mayRepeat) return result
      }
      await options.pause(pauseMs, operation.stop)
    }
  }

  /** The error of a call that is not repeated any more. */
  function finalFault(
    fault: TransportFault,
    { mayBeApplied }: Sending,
    startedAt: number,
  ): GatewayError {
    const isAway = fault.code === 'TIMEOUT' || !fault.reached
    if (!mayBeApplied && fault.transient && isAway && lastAnswerAt < startedAt) {
      options.rejectQueued(fault, startedAt)
    }
    const noAnswer = mayBeApplied && fault.code !== 'CLOSED' && fault.cause.statusCode === undefined
    return noAnswer ? new GatewayError('OUTCOME_UNKNOWN', fault.sentences, fault.cause) : fault
  }

  /**
   * Whether the session is lost: after a 401; or after another response that may say so, when the
   * appliance does not know the session.
   */
  async function showsLostSession(answer: Answer, used: OpenSession): Promise<boolean> {
    const { status } = answer
    if (isPlain401(answer) && !deniesWith401) return true
    if (!mayDenySession(answer)) return false
    const alive = await isAlive(used)
    if (alive) used.cannotAsk = false
    if (alive === false && !used.cannotAsk) return true
    // Where that is not known, a redirect is about the session, and a 404 about the item, or there
    // would be a login for each mistyped ID: unless the gateway does not even show its devices. A
    // session that served nothing may have been lost before its first question, as `cannotAsk` says.
    if (alive || (used.served === 0 && !used.cannotAsk)) return false
    if (isElsewhere(answer)) return used.cannotAsk === true
    return status === 404 && (await hidesDevices(used))
  }

  /** Whether the appliance no longer shows the list of devices, which every user may read. */
  async function hidesDevices({ cookies }: OpenSession): Promise<boolean> {
    const answer = await options
      .send({ method: 'GET', path: '/api/devices', cookie: cookies.header(), timeout })
      .catch(() => undefined)
    return answer?.status === 404
  }

  // A second 401 on a live session can only be about the rights of the user.
  async function reckonWith401(first: OpenSession, second: OpenSession): Promise<void> {
    if (await isAlive(second)) {
      deniesWith401 = true
      session.discard(first)
    } else session.rejectedAtOnce(second)
  }

  /** Undefined when that cannot be determined. */
  async function isAlive(open: OpenSession): Promise<boolean | undefined> {
    try {
      return (await session.information(open)) !== undefined
    } catch {
      return undefined
    }
  }

  function bodyOf(
    answer: Answer,
    request: Request,
    used: OpenSession,
    { route }: Operation,
  ): unknown {
    const { path, what } = request
    const { status, body, unreadable } = answer
    if (isRedirect(answer)) throw redirection(answer)
    if (status === 401 && deniesWith401) throw refusal({ ...answer, status: 403 })
    if (status < 200 || status >= 300) throw refusal(answer, what, route)
    // 204 says that the change was accepted, and that there is no more to say.
    if (unreadable && !(status === 204 && isWrite(request))) throw noResult(answer, hasWorked)
    hasWorked = true
    session.served(used)
    if (isErrorBody(body)) throw refusal(answer, what, route)
    if (path === '/api/session') session.learn(used, answer)
    return body
  }
}

/** Refuses a call that the user can never make. Where the roles are not known, the appliance decides. */
function refuseMissingRole({ role: needed }: Request, { roles }: OpenSession): void {
  if (!needed || mayAct(roles, needed)) return
  const which = needed === 'Operator' ? 'Operator or Administrator' : needed
  throw new GatewayError('FORBIDDEN', say('missingRole', { roles: roles.join(', '), role: which }))
}

function bodyToSend({ body }: Request): string | Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  try {
    return JSON.stringify(body)
  } catch {
    throw invalidInput([{ path: '', problem: 'cannot be written as JSON' }])
  }
}

/** True when the call did not arrive, or was refused. */
function certainlyNotApplied(result: Answer | TransportFault): boolean {
  if (result instanceof Error) return !result.reached
  const { status, body } = result
  return (status >= 400 && status < 500) || (status < 300 && isErrorBody(body))
}

const isPlain401 = ({ status, body }: Answer): boolean =>
  status === 401 && errorBody(body).type !== 'SessionAuthorization'
