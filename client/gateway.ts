import { createCaller } from './call'
import { GatewayError, MAY_BE_APPLIED, closedError, readOnlyError } from './errors'
import { newMemory, type Memory } from './memory'
import { DEFAULT_TIMEOUT } from './model/ranges'
import type { SessionDeletion } from './model/types'
import type { Operation, Request } from './operation'
import { createOutlook, type Outlook } from './outlook'
import { createLanes, createTurns } from './queues'
import { repeatsSecret, secretsIn, withoutSecrets } from './redaction'
import { createSession, type Session } from './session/session'
import { normalFingerprint, parseBase } from './settings'
import { Stop, untilStopped } from './stop'
import { passwordsOf, type ProxyOptions, type TlsOptions } from './transport/agents'
import { createTransport } from './transport/transport'

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
  /** Milliseconds between two looks of a watch, at least 1000; by default as the appliance suggests. */
  pollInterval?: number
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

/** The connection to one appliance: one session, one queue, whoever uses it. */
export interface Gateway {
  readonly readOnly: boolean
  /** Calls in flight at once. */
  readonly concurrency: number
  /** Milliseconds between two looks of a watch; undefined when the appliance suggests them. */
  readonly pollInterval?: number
  /** Comes at the beginning of a close, while changes that have begun may still be completed. */
  readonly leaving: Stop
  readonly session: Session
  /** What was learned about the appliance. */
  readonly memory: Memory
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
  /** For a change of several steps that must not be left half done: a close waits for it as long as it can. */
  finish<T>(change: Promise<T>): Promise<T>
  /** One line for the log. No line holds a secret. */
  log(level: 'info' | 'warn', text: string): void
  /** Whether a text from the appliance has the password or the session's ID in it. */
  repeatsSecret(text: string): boolean
  /** Whether the appliance answers as it should. */
  readonly outlook: Outlook
  /** Waits. @throws GatewayError `CLOSED` when the gateway or the operation is stopped meanwhile */
  pause(ms: number, stop?: Stop): Promise<void>
  /** Ends all calls, the session and every socket, within 3 seconds. */
  close(): Promise<void>
}

const CLOSE_MS = 2800
/** Of it, what calls on their way may take. The rest is for the end of the session. */
const DRAIN_MS = 1500

/**
 * Makes ready to talk to an appliance. Nothing is sent before the first call.
 * @throws GatewayError `CONFIG` when the options cannot work
 */
export function openGateway(options: GatewayOptions): Gateway {
  const base = parseBase(options.baseUrl)
  const { timeout = DEFAULT_TIMEOUT, concurrency = 8, readOnly = false } = options
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
  const unfinished = new Set<Promise<unknown>>()
  const lanes = createLanes(concurrency)
  const turns = createTurns()
  const leaving = new Stop()
  let closed: Promise<void> | undefined

  const outlook = createOutlook(log)

  const session = createSession({
    base,
    username: options.username,
    password: options.password,
    timeout,
    transport,
    outlook,
    pause,
  })

  const callInSession = createCaller({
    session,
    send: (request) => transport.send(request),
    pause,
    stopIfTold,
    giveUp(reason, since) {
      lanes.giveUp(reason, since)
      turns.giveUp(reason, since)
    },
    timeout,
  })

  function log(level: 'info' | 'warn', text: string): void {
    options.log?.(level, withoutSecrets(text, secrets()))
  }

  function secrets(body?: unknown): string[] {
    const { password, proxy } = options
    return [password, ...(proxy ? passwordsOf(proxy) : []), ...session.ids(), ...secretsIn(body)]
  }

  function finish<T>(change: Promise<T>): Promise<T> {
    const over: Promise<unknown> = change
      .catch(() => undefined)
      .finally(() => unfinished.delete(over))
    unfinished.add(over)
    return change
  }

  async function call(request: Request, operation: Operation): Promise<unknown> {
    if (request.writes && readOnly) throw readOnlyError(operation)
    try {
      return await stoppable(
        request,
        operation,
        lanes.run(() => callInSession(request, operation)),
      )
    } catch (error) {
      throw completed(error, request, operation)
    }
  }

  async function endSession(operation: Operation): Promise<SessionDeletion> {
    stopIfTold(operation)
    try {
      if (session.isOpen()) operation.requests++
      const { deletion, status } = await session.end()
      operation.statusCode = status
      return deletion
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
    const hidden = [...secrets(request.body), ...(request.secrets ?? [])]
    const hide = (text: string): string => withoutSecrets(text, hidden)
    return new GatewayError(
      code,
      hide(uncertain ? `${error.message} ${MAY_BE_APPLIED}` : error.message),
      {
        ...cause,
        operation: operation.name,
        applianceType: cause.applianceType && hide(cause.applianceType),
        applianceMessage: cause.applianceMessage && hide(cause.applianceMessage),
        retryable: cause.retryable && !uncertain,
      },
    )
  }

  function stopIfTold({ stop, finishing }: Operation): void {
    if (closing.stopped || stop?.stopped || (leaving.stopped && !finishing)) throw closedError()
  }

  async function pause(ms: number, stop?: Stop): Promise<void> {
    if (closing.stopped || stop?.stopped) throw closedError()
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
    const closedAt = Date.now() + CLOSE_MS
    const drainedAt = Date.now() + DRAIN_MS
    leaving.now()
    if (unfinished.size > 0) await within(DRAIN_MS, Promise.all(unfinished))
    closing.now()
    lanes.giveUp(closedError())
    transport.endReads()
    await within(
      Math.max(0, drainedAt - Date.now()),
      Promise.all([...writesOnTheirWay, session.stop()]),
    )
    const left = closedAt - Date.now()
    if (session.isOpen()) await session.end(Math.min(left, timeout)).catch(() => undefined)
    transport.destroy()
  }

  return {
    readOnly,
    concurrency,
    pollInterval: options.pollInterval && Math.max(1000, options.pollInterval),
    leaving,
    session,
    memory: newMemory(),
    call,
    endSession,
    async inTurn(key, operation, task) {
      const begin = async () => {
        stopIfTold(operation)
        return task()
      }
      try {
        return await turns.run(key, begin, operation.stop)
      } catch (error) {
        throw completed(error, { method: 'POST', path: '' }, operation)
      }
    },
    finish,
    log,
    repeatsSecret: (text) => repeatsSecret(text, secrets()),
    outlook,
    pause,
    close: () => (closed ??= close()),
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}
