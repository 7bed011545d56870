import { createHmac } from 'node:crypto'
import { createRequester, type Sending } from './request'
import { MONOTONIC, type Clock } from '../clock'
import {
  GatewayError,
  badSettings,
  closedError,
  identityOf,
  inDoubt,
  readOnlyError,
  reported,
  restated,
  say,
  withTexts,
  withValues,
  type Identity,
} from '../errors'
import { filled } from '../sentences'
import { LinkedSet } from '../linked-set'
import { newMemory, type Protections, type Sent } from '../memory'
import type { CallerBook } from '../model/callers'
import { legible } from '../model/legible'
import { OPTIONS, optionFaults } from '../model/options'
import { DEFAULTS } from '../model/ranges'
import type { SessionDeletion } from '../model/types'
import { isWrite, type Operation, type Request } from './operation'
import { createOutageLog } from './outage-log'
import { createSemaphore, createKeyedMutex, type Rank } from './concurrency'
import { newCounters } from './counters'
import { requestNamed } from './faults'
import { createRedaction, secretsIn } from './redaction'
import { createSession } from './session'
import { normalFingerprint, parseBase, protectionBy } from './settings'
import { Stop, untilStopped, within } from '../stop'
import { passwordsOf, type ProxyOptions, type TlsOptions } from './agents'
import { createTransport, type TransportOptions } from './transport'

/** How to reach one appliance, and how to treat it. */
export interface GatewayOptions {
  /** `http://` or `https://`, host, optional port and path prefix. */
  baseUrl: string
  username: string
  password: string
  /** @internal The config node, as errors name it in `cause.gateway`. */
  node?: Omit<Identity, 'host'>
  /** Milliseconds for one call; default 10000. */
  timeout?: number
  /** Concurrent calls; default 8. */
  concurrency?: number
  /** Milliseconds between two polls of a watch, at least 1000; by default as the appliance suggests. */
  pollInterval?: number
  /** Refuse every call that changes the appliance. */
  readOnly?: boolean
  /**
   * Patterns for names of routes, with `*` and `?`, in upper or lower case: a route that fits one is
   * changed, stopped or deleted only if the call confirms it by its name.
   */
  protectedRoutes?: readonly string[]
  /** Options for `https.Agent`. */
  tls?: TlsOptions
  /** SHA-256 fingerprint of the certificate, any case, with or without colons. */
  fingerprint?: string
  proxy?: ProxyOptions
  /** Largest response that is read, in bytes; default 64 MiB. */
  maxAnswerBytes?: number
  /** Receives one line for each change of state. No line contains a secret. */
  log?: (level: 'info' | 'warn', text: string) => void
  /** @internal Asked before each request is written: false, and it is refused with `UNAVAILABLE`. */
  maySend?: TransportOptions['maySend']
  /** @internal Gets each response, as it came: secrets are in it. */
  onAnswer?: TransportOptions['onAnswer']
  /**
   * @internal What the watches of an earlier connection have saved, by which those of this one go on.
   * A function is called before the first poll, which waits for it, so it must settle; and again with
   * each poll for as long as it rejects.
   */
  saved?: object | (() => Promise<object | undefined>)
  /** @internal The names of callers, and who of them is expected; undefined until they have been read. */
  callers?: () => CallerBook | undefined
  /**
   * @internal Called once all watches of a device have been told: after each poll, each reading of
   * statistics, and what one of them tells late.
   */
  onWatched?: () => void
  /** @internal Who protects which route, for several connections to one gateway. */
  protections?: Protections
  /** @internal Time for waits and durations, so that tests can move it. */
  clock?: Clock
}

/** The connection to one appliance: one session and one queue for all callers. */
export type Connection = ReturnType<typeof openConnection>

const CLOSE_MS = 2800
/** The part of it that calls under way may take. The rest is for ending the session. */
const DRAIN_MS = 1500
/** The part of it that changes of several steps may take: what they have stopped must be started. */
const PROTECTED_MS = 2500

/**
 * Prepares the connection to an appliance. Nothing is sent before the first call.
 * @param sent what earlier connections to the same appliance have sent
 * @throws GatewayError `CONFIG` when the options cannot work
 */
export function openConnection(options: GatewayOptions, sent?: Sent) {
  const faults = optionFaults(OPTIONS.open, options)
  if (faults.length > 0) throw badSettings(faults, say('correct'))
  const base = parseBase(options.baseUrl)
  const { host } = base
  const identity = identityOf(options.node ?? { id: '', name: host }, host)
  const {
    timeout = DEFAULTS.timeout,
    concurrency = DEFAULTS.concurrency,
    readOnly = false,
    clock = MONOTONIC,
  } = options
  if (!options.username || !options.password) {
    const missing = say(options.username ? 'noPassword' : 'noUsername')
    throw new GatewayError('CONFIG', [missing, say('correct')])
  }
  const counters = newCounters()
  const transport = createTransport({
    base,
    tls: options.tls,
    fingerprint: normalFingerprint(options.fingerprint, base),
    proxy: options.proxy,
    maxAnswerBytes: options.maxAnswerBytes,
    timeout,
    maySend: options.maySend,
    onAnswer: options.onAnswer,
    counters,
  })
  const closing = new Stop()
  /** Stopped later in a close: no call begins after that, not even one that completes a change. */
  const ended = new Stop()
  const writesOnTheirWay = new LinkedSet<Promise<unknown>>()
  const unfinished = new LinkedSet<Promise<unknown>>()
  const semaphore = createSemaphore(concurrency, clock)
  const mutex = createKeyedMutex(clock)
  const redaction = createRedaction()
  const memory = newMemory(options.protections, sent)
  const outages = createOutageLog(log)
  let closed: Promise<void> | undefined

  const session = createSession({
    base,
    username: options.username,
    password: options.password,
    timeout,
    identity,
    transport,
    outages,
    counters,
    pause,
    clock,
  })

  const callInSession = createRequester({
    session,
    send: (request) => transport.send(request),
    pause,
    throwIfStopped,
    rejectQueued(reason, since) {
      semaphore.rejectQueued(reason, since)
      mutex.rejectQueued(reason, since)
    },
    timeout,
    clock,
  })

  /** Writes one line to the log, with secrets hidden. */
  function log(level: 'info' | 'warn', text: string): void {
    options.log?.(level, legible(redaction.withoutSecrets(text, secrets())))
  }

  function secrets(body?: unknown): string[] {
    const { password, proxy } = options
    return [password, ...(proxy ? passwordsOf(proxy) : []), ...session.ids(), ...secretsIn(body)]
  }

  /** Registers a change of several steps; `close()` waits for it, up to the drain timeout. */
  function protect<T>(change: Promise<T>): Promise<T> {
    keepUntilOver(unfinished, change)
    return change
  }

  /**
   * Makes one call within the session and returns the parsed body of its 2xx response.
   * Renews a lost session, and repeats reads after transient faults, see docs/sessions.md.
   * @throws GatewayError with the codes of docs/errors.md
   */
  async function call(request: Request, operation: Operation): Promise<unknown> {
    if (isWrite(request) && readOnly) throw readOnlyError()
    const sending: Sending = { mayBeApplied: false }
    try {
      const rank = rankOf(request, operation)
      const work = semaphore.run(() => callInSession(request, operation, sending), rank)
      // A stopped read is aborted. A write on its way is left to arrive: only its caller is released.
      if (isWrite(request)) keepUntilOver(writesOnTheirWay, work)
      return await untilStopped(work, operation.stop, closedError)
    } catch (error) {
      const failure = completed(error, request, operation)
      throw sending.mayBeApplied ? inDoubt(failure) : failure
    }
  }

  /** Ends the open session; returns the appliance's response. Sends nothing where none is open. */
  async function endSession(operation: Operation): Promise<SessionDeletion> {
    throwIfStopped(operation)
    try {
      if (session.isOpen()) operation.requests++
      const { deletion, status } = await untilStopped(session.end(), operation.stop, closedError)
      operation.statusCode = status
      return deletion
    } catch (error) {
      throw completed(error, { method: 'DELETE', path: '/api/session' }, operation)
    }
  }

  /** A change is planned on what was read just before: it does not wait for slow reads. */
  function rankOf(request: Request, { background }: Operation): Rank | undefined {
    if (background) return 'background'
    return isWrite(request) ? 'first' : undefined
  }

  /** The error as the caller gets it: a copy, with the name of the operation, without secrets. */
  function completed(error: unknown, request: Request, operation: Operation): GatewayError {
    if (!(error instanceof GatewayError)) throw error
    const hidden = [...secrets(request.body), ...(request.secrets ?? [])]
    const named = filled(error.sentences, {
      user: options.username,
      request: requestNamed(request.method, request.path, error.cause.statusCode),
    })
    const hide = (text: string): string => redaction.withoutSecrets(text, hidden)
    const clean = changedIn(restated(error, named), hide)
    return reported(clean, operation, identity)
  }

  function throwIfStopped({ stop, uninterruptible }: Operation): void {
    if (ended.stopped || stop?.stopped || (closing.stopped && !uninterruptible)) throw closedError()
  }

  /** Waits. @throws GatewayError `CLOSED` when the gateway or the operation is stopped meanwhile */
  async function pause(ms: number, stop?: Stop): Promise<void> {
    if (ended.stopped || stop?.stopped) throw closedError()
    return new Promise((resolve, reject) => {
      const hooks: Array<() => void> = []
      const cancel = clock.after(ms, () => end(resolve))
      const end = (settle: () => void): void => {
        cancel()
        for (const unhook of hooks) unhook()
        settle()
      }
      const stopped = (): void => end(() => reject(closedError()))
      for (const source of [ended, stop]) if (source) hooks.push(source.onStop(stopped))
    })
  }

  // A close takes real time, whatever clock the rest uses.
  async function close(): Promise<void> {
    const begun = MONOTONIC.now()
    const left = (of: number): number => Math.max(0, begun + of - MONOTONIC.now())
    closing.now()
    for (const watch of memory.watches.values()) watch.end()
    if (!unfinished.isEmpty) await within(left(PROTECTED_MS), Promise.all(unfinished.all()))
    ended.now()
    for (const wait of memory.waits.values()) wait.end()
    semaphore.rejectQueued(closedError())
    transport.endReads()
    await within(left(DRAIN_MS), Promise.all([...writesOnTheirWay.all(), session.stop()]))
    await session.close(left(CLOSE_MS))
    transport.destroy()
  }

  return {
    identity,
    /** Where the gateway is: the same text for the same gateway, however its URL is spelled. */
    address: `${host}${base.pathname.endsWith('/') ? base.pathname.slice(0, -1) : base.pathname}`,
    readOnly,
    /** True for the name of a protected route; undefined where none is protected. */
    protects: protectionBy(options.protectedRoutes),
    concurrency,
    /** Milliseconds between two polls of a watch; undefined when the appliance suggests them. */
    pollInterval: options.pollInterval && Math.max(1000, options.pollInterval),
    saved: options.saved,
    onWatched: options.onWatched,
    callers: options.callers,
    /** Stopped when `close()` starts. Changes already under way may still finish. */
    closing,
    session,
    memory,
    counters,
    call,
    endSession,
    /** Serializes tasks that share a key (first come, first served). */
    async inTurn<T>(key: string, operation: Operation, task: () => Promise<T>): Promise<T> {
      const begin = async (): Promise<T> => {
        throwIfStopped(operation)
        return task()
      }
      try {
        return await mutex.run(key, begin, operation.stop)
      } catch (error) {
        throw completed(error, { method: 'POST', path: '' }, operation)
      }
    },
    protect,
    log,
    /** A hash of a text, keyed with the password: no secret in the text can be guessed from it. */
    seal: (text: string): string =>
      createHmac('sha256', options.password).update(text).digest('hex').slice(0, 32),
    /**
     * Returns a copy as it may leave this process: without secrets, and without the password of the
     * account and the ID of the session, wherever the appliance has written them.
     */
    hide: <T>(value: T): T => redaction.hiding(secrets())(value),
    /** The same for what was thrown, if it is an error of this package. */
    hideInError: (error: unknown): unknown =>
      error instanceof GatewayError ? changedIn(error, redaction.hiding(secrets())) : error,
    outages,
    clock,
    pause,
    /** Ends all calls, the session and every socket, within 3 seconds. */
    close: (): Promise<void> => (closed ??= close()),
  }
}

/** The error with each text changed that may come from elsewhere. */
function changedIn(
  { code, sentences, cause }: GatewayError,
  change: (text: string) => string,
): GatewayError {
  const { applianceType, applianceMessage, problems } = cause
  return new GatewayError(code, withValues(sentences, change), {
    ...cause,
    ...withTexts({ applianceType, applianceMessage }, change),
    problems: problems?.map((one) => withTexts(one, change)),
  })
}

/** Adds work to a set until it settles. What is in the set never rejects. */
function keepUntilOver(set: LinkedSet<Promise<unknown>>, work: Promise<unknown>): void {
  const leave = (): void => link.remove()
  const link = set.add(work.then(leave, leave))
}
