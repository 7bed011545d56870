import { GatewayError, badResponse, closedError, invalidInput, outcomeUnknown } from './errors'
import type { Operation, Request } from './operation'
import { mayAct } from './session/roles'
import type { OpenSession, Session } from './session/session'
import type { Stop } from './stop'
import { TransportFault, errorBody, redirection, refusal } from './transport/faults'
import type { Answer, TransportRequest } from './transport/transport'

export interface CallerOptions {
  session: Session
  send: (request: TransportRequest) => Promise<Answer>
  /** Waits. @throws GatewayError `CLOSED` */
  pause: (ms: number, stop?: Stop) => Promise<void>
  /** @throws GatewayError `CLOSED` when the operation or the gateway was stopped */
  stopIfTold: (operation: Operation) => void
  /** Nobody answers: what has waited since then need not wait longer. */
  giveUp: (reason: GatewayError, since: number) => void
  /** Milliseconds for one try. */
  timeout: number
}

const READ_ATTEMPTS = 3

/** Makes calls within the session, heals it once when it is gone, and repeats what may be repeated (design 2.5). */
export function createCaller(
  options: CallerOptions,
): (request: Request, operation: Operation) => Promise<unknown> {
  const { session, timeout, stopIfTold } = options
  let lastAnswerAt = 0
  /** This firmware answers a missing right with 401, which otherwise means the end of the session. */
  let deniesWith401 = false

  return async (request, operation) => {
    stopIfTold(operation)
    const body = bodyToSend(request, operation)
    const first = await session.open()
    refuseMissingRole(request, first)
    const answer = await attempt(request, body, first, operation)
    if (!(await showsLostSession(answer, first))) return bodyOf(answer, request, first)
    session.lost(first)
    const second = await session.open()
    const replayed = await attempt(request, body, second, operation)
    if (isPlain401(replayed)) await reckonWith401(first, second)
    return bodyOf(replayed, request, second)
  }

  /** Sends one request; repeats it as far as that is safe. */
  async function attempt(
    request: Request,
    body: string | Buffer | undefined,
    { cookies }: OpenSession,
    operation: Operation,
  ): Promise<Answer> {
    const startedAt = Date.now()
    const deadline = startedAt + (operation.brief ? 1 : 2) * timeout
    for (let attempts = 1; ; attempts++) {
      stopIfTold(operation)
      operation.requests++
      const result = await options
        .send({
          method: request.method,
          path: request.path,
          body,
          contentType: request.contentType,
          cookie: cookies.header(),
          timeout: Math.max(1, Math.min(timeout, deadline - Date.now())),
          stop: request.writes ? undefined : operation.stop,
        })
        .catch((fault: TransportFault) => fault)

      const pauseMs = 100 * 3 ** (attempts - 1) * (0.8 + Math.random() * 0.4)
      const mayRepeat = attempts < READ_ATTEMPTS && Date.now() + pauseMs < deadline
      if (result instanceof Error) {
        const safe = result.transient && (!request.writes || !result.reached)
        if (!safe || !mayRepeat) throw finalFault(result, request, startedAt)
      } else {
        lastAnswerAt = Date.now()
        operation.statusCode = result.status
        cookies.take(result)
        const away = result.status >= 502 && result.status <= 504
        if (!away || request.writes || !mayRepeat) return result
      }
      await options.pause(pauseMs, operation.stop)
    }
  }

  /** The error of a call that is not repeated any more. */
  function finalFault(fault: TransportFault, { writes }: Request, startedAt: number): GatewayError {
    const nobodyThere = fault.code === 'TIMEOUT' || !fault.reached
    const nothingSent = !writes || !fault.reached
    if (nothingSent && fault.transient && nobodyThere && lastAnswerAt < startedAt) {
      options.giveUp(fault, startedAt)
    }
    if (!writes || !fault.reached) return fault
    if (fault.code === 'CLOSED') return closedError(true)
    return fault.cause.statusCode === undefined ? outcomeUnknown(fault) : fault
  }

  /**
   * The session is gone: 401. Or a redirect to a login page, a 404 or a refusal of the
   * session's rights, when the appliance, asked about the session, does not know it (design 2.5).
   */
  async function showsLostSession(answer: Answer, used: OpenSession): Promise<boolean> {
    const { status } = answer
    if (isPlain401(answer) && !deniesWith401) return true
    const ambiguous = status === 401 || status === 404 || isRedirect(answer)
    if (!ambiguous) return false
    if (used.cannotAsk) return used.served === 0
    return (await isAlive(used)) === false
  }

  // A second 401, with a session that is alive, can only be about the rights of the user.
  async function reckonWith401(first: OpenSession, second: OpenSession): Promise<void> {
    if (await isAlive(second)) {
      deniesWith401 = true
      session.discard(first)
    } else session.rejectedAtOnce(second)
  }

  /** Undefined when it cannot be found out. */
  async function isAlive(open: OpenSession): Promise<boolean | undefined> {
    try {
      return (await session.information(open)) !== undefined
    } catch {
      return undefined
    }
  }

  function bodyOf(answer: Answer, request: Request, used: OpenSession): unknown {
    const { status, body, unreadable } = answer
    if (isRedirect(answer)) throw redirection(answer, 'The call')
    if (status === 401 && deniesWith401) throw refusal({ ...answer, status: 403 }, request.what)
    if (status < 200 || status >= 300) throw refusal(answer, request.what)
    session.served(used)
    if (unreadable) throw badResponse(`The appliance answered with ${unreadable}.`, status)
    const { type, message } = errorBody(body)
    if (type !== undefined || message !== undefined) throw refusal(answer, request.what)
    if (request.path === '/api/session') session.learn(used, answer)
    return body
  }
}

/** A call that the user can never make is not sent. Where the roles are not known, the appliance decides. */
function refuseMissingRole({ role, writes }: Request, { roles }: OpenSession): void {
  const needed = role ?? (writes ? 'Operator' : undefined)
  if (!needed || mayAct(roles, needed)) return
  const which = needed === 'Operator' ? 'Operator or Administrator' : needed
  throw new GatewayError(
    'FORBIDDEN',
    `The user of this gateway has the role ${roles.join(', ')}, but this needs the role ${which}. Nothing was sent. Use another user in the config node.`,
  )
}

function bodyToSend({ body }: Request, { name }: Operation): string | Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  try {
    return JSON.stringify(body)
  } catch {
    throw invalidInput([{ path: '', problem: 'cannot be written as JSON' }], name)
  }
}

const isRedirect = ({ status }: Answer): boolean => status >= 300 && status < 400

const isPlain401 = ({ status, body }: Answer): boolean =>
  status === 401 && errorBody(body).type !== 'SessionAuthorization'
