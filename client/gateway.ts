import { GatewayError } from './errors'
import type { SessionDeletion } from './model/types'
import { createLanes, createTurns } from './queues'
import { createSession, type OpenSession, type Session } from './session/session'
import { withoutSecrets } from './redaction'
import { normalFingerprint, parseBase } from './settings'
import { Stop } from './stop'
import type { ProxyOptions, TlsOptions } from './transport/agents'
import { TransportFault, errorBody, refusal } from './transport/faults'
import { createTransport, type Answer, type TransportRequest } from './transport/transport'

/** How to reach one appliance. */
export interface GatewayOptions {
  /** `http://` or `https://`, host, optional port and path prefix. */
  baseUrl: string
  username: string
  password: string
  /** Milliseconds for one call; default 10000. */
  timeout?: number
  /** Calls in flight at once; default 8. */
  concurrency?: number
  /** Refuse every call that changes the appliance. */
  readOnly?: boolean
  /** Options for `https.Agent`. */
  tls?: TlsOptions
  /** SHA-256 fingerprint of the certificate, any case, with or without colons. */
  fingerprint?: string
  proxy?: ProxyOptions
  /** Largest answer that is read, in bytes; default 64 MiB. */
  maxAnswerBytes?: number
  /** Gets one line for each change of state. No line holds a secret. */
  log?: (level: 'info' | 'warn', text: string) => void
}

/** One thing that a caller wants done: its name, its way to stop it, and what it took. */
export interface Operation {
  /** As it appears in `msg.gateway.operation` and in errors. */
  readonly name: string
  readonly stop?: Stop
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
  /** JSON body. */
  body?: unknown
  /** What a 404 means, such as `route "Studio A"`. */
  what?: string
  /** True when the call changes the appliance. Such a call is never repeated unless it certainly did not arrive. */
  writes?: boolean
}

/** The connection to one appliance: one session, one queue, whoever uses it. */
export interface Gateway {
  readonly readOnly: boolean
  readonly session: Session
  /**
   * Makes one call within the session and answers the parsed body of its 2xx answer.
   * Heals a lost session, repeats reads on passing faults (design 2.5).
   * @throws GatewayError with the codes of design 2.4
   */
  call(request: Request, operation: Operation): Promise<unknown>
  /** Ends the open session; answers what the appliance answered. Where none is open, nothing is sent. */
  endSession(operation: Operation): Promise<SessionDeletion>
  /** Runs tasks with the same key one behind the other; others run in parallel. */
  inTurn<T>(key: string, operation: Operation, task: () => Promise<T>): Promise<T>
  /** Waits. @throws GatewayError `CLOSED` when the gateway or the operation is stopped meanwhile */
  pause(ms: number, stop?: Stop): Promise<void>
  /** Ends all calls, the session and every socket, within 3 seconds. */
  close(): Promise<void>
}

const DRAIN_MS = 1500
const LOGOUT_MS = 1000
const READ_ATTEMPTS = 3

/**
 * Makes ready to talk to an appliance. Nothing is sent before the first call.
 * @throws GatewayError `CONFIG` when the options cannot work
 */
export function openGateway(options: GatewayOptions): Gateway {
  const base = parseBase(options.baseUrl)
  const { timeout = 10_000, concurrency = 8, readOnly = false } = options
  if (!options.username || !options.password) {
    const missing = options.username ? 'password' : 'user name'
    throw new GatewayError('CONFIG', `The ${missing} is missing. Enter it in the config node.`)
  }
  const transport = createTransport({
    base,
    tls: options.tls,
    fingerprint: normalFingerprint(options.fingerprint, base),
    proxy: options.proxy,
    maxAnswerBytes: options.maxAnswerBytes,
    timeout,
  })
  const closing = new Stop()
  const writesOnTheirWay = new Set<Promise<unknown>>()
  const lanes = createLanes(concurrency)
  const turns = createTurns()
  let lastAnswerAt = 0
  let closed: Promise<void> | undefined

  const session = createSession({
    base,
    username: options.username,
    password: options.password,
    timeout,
    transport: { ...transport, send },
    log: (level, text) => options.log?.(level, withoutSecrets(text, undefined, options.password)),
    pause,
  })

  async function call(request: Request, operation: Operation): Promise<unknown> {
    if (request.writes && readOnly) throw readOnlyError(operation)
    try {
      return await stoppable(
        request,
        operation,
        lanes.run(() => inSession(request, operation)),
      )
    } catch (error) {
      throw completed(error, request, operation)
    }
  }

  async function endSession(operation: Operation): Promise<SessionDeletion> {
    stopIfTold(operation.stop)
    try {
      if (session.isOpen()) operation.requests++
      return await session.end()
    } catch (error) {
      throw completed(error, { method: 'DELETE', path: '/api/session' }, operation)
    }
  }

  // A stopped read is ended. A write that is on its way is left to arrive: only its message ends.
  function stoppable<T>(request: Request, operation: Operation, work: Promise<T>): Promise<T> {
    if (request.writes) {
      const write: Promise<unknown> = work
        .catch(() => undefined)
        .finally(() => writesOnTheirWay.delete(write))
      writesOnTheirWay.add(write)
    }
    return untilStopped(work, operation.stop, () =>
      closedError(request.writes === true && operation.requests > 0),
    )
  }

  /** The error as the caller gets it: its own copy, with the name of the operation, without secrets. */
  function completed(error: unknown, request: Request, operation: Operation): unknown {
    if (!(error instanceof GatewayError)) return error
    const { code, cause } = error
    const uncertain =
      request.writes === true &&
      operation.requests > 0 &&
      (code === 'BAD_RESPONSE' || (code === 'UNAVAILABLE' && (cause.statusCode ?? 0) >= 500))
    const hide = (text: string): string => withoutSecrets(text, request.body, options.password)
    return new GatewayError(
      code,
      hide(uncertain ? `${error.message} ${MAY_BE_APPLIED}` : error.message),
      {
        ...cause,
        operation: operation.name,
        applianceMessage: cause.applianceMessage && hide(cause.applianceMessage),
        retryable: cause.retryable && !uncertain,
      },
    )
  }

  /** One call, healed once when its session turns out to be gone. */
  async function inSession(request: Request, operation: Operation): Promise<unknown> {
    stopIfTold(operation.stop)
    const first = await session.open()
    const answer = await attempt(request, first, operation)
    if (!(await showsLostSession(answer, first))) return bodyOf(answer, request, first)
    session.lost(first)
    const second = await session.open()
    const replayed = await attempt(request, second, operation)
    if (replayed.status === 401 && errorBody(replayed.body).type !== 'SessionAuthorization') {
      session.rejectedAtOnce(second)
    }
    return bodyOf(replayed, request, second)
  }

  /** Sends one request; repeats it as far as that is safe. */
  async function attempt(
    request: Request,
    { cookies }: OpenSession,
    operation: Operation,
  ): Promise<Answer> {
    const deadline = Date.now() + 2 * timeout
    for (let attempts = 1; ; attempts++) {
      stopIfTold(operation.stop)
      operation.requests++
      const startedAt = Date.now()
      const left = Math.max(1, Math.min(timeout, deadline - startedAt))
      const result = await send({
        method: request.method,
        path: request.path,
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        cookie: cookies.header(),
        timeout: left,
        stop: request.writes ? undefined : operation.stop,
      }).catch((fault: TransportFault) => fault)

      const pauseMs = 100 * 3 ** (attempts - 1) * (0.8 + Math.random() * 0.4)
      const mayRepeat = attempts < READ_ATTEMPTS && Date.now() + pauseMs < deadline
      if (result instanceof TransportFault) {
        const safe = result.transient && (!request.writes || !result.reached)
        if (!safe || !mayRepeat) {
          if (result.transient && lastAnswerAt < startedAt) lanes.giveUp(result)
          throw request.writes &&
            result.reached &&
            result.code !== 'CLOSED' &&
            !result.cause.statusCode
            ? outcomeUnknown(result)
            : result
        }
      } else {
        operation.statusCode = result.status
        cookies.take(result)
        const away = result.status >= 502 && result.status <= 504
        if (!away || request.writes || !mayRepeat) return result
      }
      await pause(pauseMs, operation.stop)
    }
  }

  /** 401, or a 404 or refusal that a dead session explains, or a redirect (design 2.5). */
  async function showsLostSession(answer: Answer, used: OpenSession): Promise<boolean> {
    const { status } = answer
    if (status >= 300 && status < 400) return true
    const ambiguous =
      status === 404 || (status === 401 && errorBody(answer.body).type === 'SessionAuthorization')
    if (!ambiguous) return status === 401
    const alive = await session.information(used).catch(() => true)
    return !alive
  }

  function bodyOf(answer: Answer, request: Request, used: OpenSession): unknown {
    const { status, body, unreadable } = answer
    if (status >= 300 && status < 400) throw redirectedTwice(answer)
    if (status < 200 || status >= 300) throw refusal(answer, request.what)
    used.served++
    used.usedAt = Date.now()
    if (unreadable) {
      throw badResponse(`The appliance answered with ${unreadable}.`, status)
    }
    const { type, message } = errorBody(body)
    if (type !== undefined || message !== undefined) throw refusal(answer, request.what)
    if (request.path === '/api/session') session.learn(used, answer)
    return body
  }

  async function send(request: TransportRequest): Promise<Answer> {
    const answer = await transport.send(request)
    lastAnswerAt = Date.now()
    return answer
  }

  function stopIfTold(stop?: Stop): void {
    if (closing.stopped || stop?.stopped) throw closedError()
  }

  async function pause(ms: number, stop?: Stop): Promise<void> {
    stopIfTold(stop)
    return new Promise((resolve, reject) => {
      const hooks: Array<() => void> = []
      const timer = setTimeout(() => end(resolve), ms)
      const end = (settle: () => void): void => {
        clearTimeout(timer)
        for (const unhook of hooks) unhook()
        settle()
      }
      const stopped = (): void => end(() => reject(closedError()))
      for (const source of [closing, stop]) if (source) hooks.push(source.onStop(stopped))
    })
  }

  async function close(): Promise<void> {
    closing.now()
    lanes.giveUp(closedError())
    transport.endReads()
    await within(DRAIN_MS, Promise.all([...writesOnTheirWay, session.stop()]))
    if (session.isOpen()) await session.end(Math.min(LOGOUT_MS, timeout)).catch(() => undefined)
    transport.destroy()
  }

  return {
    readOnly,
    session,
    call,
    endSession,
    inTurn: (key, operation, task) =>
      untilStopped(
        turns.run(key, () => {
          stopIfTold(operation.stop)
          return task()
        }),
        operation.stop,
        closedError,
      ),
    pause,
    close: () => (closed ??= close()),
  }
}

export function readOnlyError({ name }: Operation): GatewayError {
  return new GatewayError(
    'READ_ONLY',
    'This gateway is set to read only: nothing was sent. To allow changes, clear "read only" in the config node.',
    { operation: name },
  )
}

/** An answer that is not what the documentation says. */
export function badResponse(what: string, statusCode?: number): GatewayError {
  return new GatewayError('BAD_RESPONSE', what, { statusCode })
}

function closedError(mayBeApplied = false): GatewayError {
  const outcome = mayBeApplied ? ` ${MAY_BE_APPLIED}` : ''
  return new GatewayError('CLOSED', `The node was stopped before the call had ended.${outcome}`, {
    retryable: !mayBeApplied,
  })
}

function outcomeUnknown({ message, cause }: GatewayError): GatewayError {
  return new GatewayError('OUTCOME_UNKNOWN', `${message} ${MAY_BE_APPLIED}`, {
    ...cause,
    retryable: false,
  })
}

const MAY_BE_APPLIED =
  'The change may or may not have been applied: look at the appliance before you send it again.'

function redirectedTwice({ status, headers }: Answer): GatewayError {
  let target = ''
  try {
    target = ` to ${new URL(headers.location ?? '').origin}`
  } catch {
    // A relative or missing location has no origin to name.
  }
  return badResponse(
    `The call was redirected${target} even with a new session. Redirects are not followed: set the final address in the config node.`,
    status,
  )
}

/** Ends with the promise or, when the stop comes first, with the error. */
function untilStopped<T>(
  work: Promise<T>,
  stop: Stop | undefined,
  error: () => GatewayError,
): Promise<T> {
  if (!stop) return work
  return new Promise((resolve, reject) => {
    const unhook = stop.onStop(() => reject(error()))
    work.then(
      (result) => {
        unhook()
        resolve(result)
      },
      (reason: Error) => {
        unhook()
        reject(reason)
      },
    )
  })
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}
