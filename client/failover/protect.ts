import { createSilence } from '../clock'
import type { Connection } from '../connection/connection'
import { Operation } from '../connection/operation'
import {
  asGatewayError,
  badSettings,
  closedError,
  GatewayError,
  readOnlyError,
  say,
  thrownAs,
  withoutLabels,
  type Finding,
} from '../errors'
import {
  failoverFaults,
  failoverSettings,
  type FailoverSettings,
  type FailoverView,
} from '../model/failover'
import { isLastingLook } from '../model/failover-view'
import { own } from '../model/json'
import type { Language } from '../model/watch'
import type { RouteAddress } from '../memory'
import { Stop, within } from '../stop'
import { decide } from './decide'
import { keptOf, startedMemory, type SavedMemory } from './memory'
import { createReader, type Reader, type WantedRoute } from './reader'
import { sharedReads, type Reading } from './shared-read'
import { silenceMs } from './rules'
import { makeSwitch } from './switch'
import { failoverText } from './text'
import { notProtecting } from './decision'
import type { Act, FailoverEvent, Failure, Input } from './types'

export interface ProtectOptions {
  /** By default the gateway's only device. */
  deviceId?: string
  /** With `method` = `routes` the settings name both. */
  route?: WantedRoute
  /** As they were saved: checked here. */
  settings: object
  /** What `onMemory` was last called with, before a restart; anything else is ignored. */
  memory?: unknown
  /** Node-RED has started since that was kept: the setting `hold` counts again. */
  isStart?: boolean
  /** Of the texts of events; default `en-US`. */
  language?: Language
  /** The events of one decision, in their order. */
  onEvents: (events: FailoverReport[]) => void
  /**
   * What to keep for a restart, before a switch is sent, and until `close` has ended. That of two routes
   * waits up to one second until it is kept.
   */
  onMemory?: (memory: SavedMemory) => Promise<void> | void
  onStatus?: (status: FailoverStatus) => void
  /** A look fails and will fail again, once; or a switch has failed, with its event, after `onEvents`. */
  onFailure?: (error: GatewayError, event?: FailoverReport) => void
}

export interface FailoverReport extends FailoverEvent {
  /** One sentence. */
  text: string
  /** The protected route or, of two, main; null for what is not known yet. */
  route: Reader['route']
}

export interface FailoverStatus extends FailoverView {
  /** Why the latest look does not show everything. */
  failure?: GatewayError
}

/** A route that is protected, until it is closed. */
export type Protection = ReturnType<typeof protectRoute>

/** Not sent by then, for example behind a long change of the same route, a switch is out of date. */
const SEND_MS = 15_000

/** A store that takes longer does not hold a switch up. */
const KEEP_MS = 1000

const NAME = 'failover'

/**
 * Ends with the connection, or when it is closed.
 * @throws GatewayError `CONFIG` with every fault of the settings; `INVALID_INPUT` for a route that is
 * its own monitor; `READ_ONLY` and `CLOSED`
 */
export function protectRoute(gateway: Connection, options: ProtectOptions) {
  const settings = settingsOf(options)
  const { clock } = gateway
  if (gateway.readOnly) throw complete(readOnlyError())
  if (gateway.closing.stopped) throw complete(closedError())

  /** Unix ms that do not jump when the system time is set: what decisions and waits are made with. */
  const offset = Date.now() - clock.now()
  const now = (): number => Math.round(offset + clock.now())
  /** How far the clock of the machine is ahead of that. It is never quite the same. */
  let lastAhead = 0
  function ahead(): number {
    const present = Date.now() - now()
    if (Math.abs(present - lastAhead) > 1000) lastAhead = present
    return lastAhead
  }
  const stop = new Stop()
  const { deviceId, route, isStart } = options
  const about = JSON.stringify([gateway.address, deviceId ?? '', route ?? ''])
  let memory = startedMemory({ settings, route: about, isStart, now: now() }, options.memory)
  let kept = ''
  /** The state of the latest event, as it was kept. */
  let told = memory.reported
  let status = ''
  let due: number | undefined
  /** How the latest look and the latest switch failed, if they did. */
  let failure: GatewayError | undefined
  let failed: GatewayError | undefined
  /** As the latest look that had an answer showed it. */
  let monitor: FailoverView['monitor']
  let lasting: string | undefined

  const turns: Array<() => void> = []
  const reader = createReader(gateway, settings, route, () => memory)
  const reads = sharedReads(gateway, deviceId)
  let isLooking = false
  // A read may take as long as the timeout of the gateway. What was seen before does not last that long.
  const silence = createSilence(clock, () => {
    const time = Math.round(silenceMs(settings) / 1000)
    failure ??= complete(new GatewayError('TIMEOUT', say('noResponseInTime', { time })))
    note({ kind: 'silence' })
  })
  let switching: Promise<void> | undefined

  /** Inputs take turns: a listener that gives a command gets no decision within a decision. */
  function take(input: Input): Promise<void> {
    return new Promise((resolve, reject) => {
      turns.push(() => {
        try {
          answer(input)
          resolve()
        } catch (error) {
          reject(complete(error))
        }
      })
      if (turns.length > 1) return
      for (; turns.length > 0; turns.shift()) turns[0]!()
    })
  }

  const note = (input: Input): void =>
    void take(input).catch(({ message }: GatewayError) =>
      gateway.log('warn', `The failover could not decide: ${message}`),
    )

  function answer(input: Input): void {
    if (stop.stopped && input.kind !== 'outcome') throw closedError()
    const decision = decide(settings, memory, input, now())
    // Only a look knows when a wait ends.
    if (input.kind === 'look' || decision.memory.state !== memory.state) due = decision.due
    memory = decision.memory
    // After a look, the next one comes by itself; in a silence, one is under way.
    if (input.kind !== 'look' && input.kind !== 'silence' && !stop.stopped) reads.now()
    // Before the switch is sent: a restart must know about it.
    const keeping = keep()
    if (decision.act) switching = gateway.protect(make(decision.act, keeping))
    if (!stop.stopped) tell(decision.events)
  }

  /** @returns what resolves once it is kept, where that takes time */
  function keep(): Promise<void> | undefined {
    const { reported } = memory
    // A hold-off is soon over, or followed by a switch: until the end, nobody has to know of it.
    const isBrief = reported === 'hold-off' && !stop.stopped
    if (!isBrief) told = reported
    const json = JSON.stringify({ ...keptOf(memory), reported: told, ahead: ahead() })
    if (json === kept) return undefined
    kept = json
    let keeping: Promise<void> | undefined
    safely(() => {
      keeping = options.onMemory?.(JSON.parse(json) as SavedMemory) ?? undefined
    })
    return keeping
  }

  function tell(events: readonly FailoverEvent[]): void {
    const { state, held, manual, inUse, differs } = memory
    const reason = notProtecting(memory, now())
    const ends = due === undefined ? undefined : due + ahead()
    const present = { state, held, manual, inUse, reason, differs, monitor, due: ends }
    const json = JSON.stringify([present, failure && signOf(failure)])
    if (json !== status) safely(() => options.onStatus?.({ ...present, failure }))
    status = json
    if (events.length === 0) return
    const reports = events.map((event) => {
      const whole = { ...event, at: event.at + ahead(), route: reader.route }
      return { ...whole, text: failoverText(whole, options.language) }
    })
    safely(() => options.onEvents(reports))
    for (const event of reports) {
      if (event.event !== 'failover.failed') continue
      safely(() => options.onFailure?.(complete(errorOf(event)), event))
    }
  }

  /** After a restart, the failure is known from the memory only. */
  function errorOf({ failure: refusal, text, reason }: FailoverReport): GatewayError {
    if (!refusal) return notConfirmed(text, reason)
    return failed ?? new GatewayError(refusal.code, refusal.message, { applied: refusal.applied })
  }

  function safely(call: () => void): void {
    try {
      call()
    } catch (error) {
      gateway.log('warn', `A failover failed on what it was given: ${thrownAs(error)}`)
    }
  }

  async function look(reading: Reading): Promise<void> {
    // It still reads a route by itself.
    if (isLooking) return
    isLooking = true
    const operation = new Operation(NAME, { stop, brief: true, background: true })
    const sight = await reader.look(reading, operation).catch((error: unknown) => ({
      look: { route: 'unknown' } as const,
      failure: complete(error),
      monitor: undefined,
      isOther: false,
    }))
    isLooking = false
    if (stop.stopped) return
    failure = sight.failure
    // A read without an answer says nothing of a monitor either.
    if (sight.look.route !== 'unknown') monitor = sight.monitor
    note({ kind: 'look', look: sight.look })
    const isAnswer = sight.look.route !== 'unknown' || !sight.failure
    if (isAnswer && !stop.stopped) silence.expect(silenceMs(settings))
    // Its answer has the route that is protected now.
    if (sight.isOther) note({ kind: 'command', action: 'status' })
    if (failure && !isLastingLook(failure)) return
    // Once, until it is another one or a look succeeds.
    const sign = failure && signOf(failure)
    if (sign !== lasting) safely(() => failure && options.onFailure?.(failure))
    lasting = sign
  }

  /** Makes a switch. Whatever happens, one outcome follows. */
  async function make(act: Act, keeping: Promise<void> | undefined): Promise<void> {
    // A process that is killed between the stop and the start leaves nothing else that says to start it.
    if (keeping && settings.method === 'routes') await within(KEEP_MS, keeping, clock)
    const sending = new Stop()
    const cancel = clock.after(SEND_MS, () => sending.now())
    const unhook = stop.onStop(() => sending.now())
    const operation = new Operation(NAME, { stop: sending, changes: true })
    const { addressOf } = reader
    failed = await makeSwitch(gateway, { settings, act, addressOf }, operation).then(
      () => undefined,
      (error: unknown) => {
        const whole = asGatewayError(error, operation, gateway.identity)
        return whole.code === 'CLOSED' && !stop.stopped ? complete(late(whole)) : whole
      },
    )
    cancel()
    unhook()
    switching = undefined
    const isLast = stop.stopped
    note({ kind: 'outcome', failure: failed && failureOf(failed) })
    if (isLast) ended()
  }

  /** One of two routes was stopped, and nothing says that the other one has started. */
  function isHalfway(): boolean {
    const { change } = memory
    if (settings.method !== 'routes' || !change || change.arrivedAt !== undefined) return false
    const { isAccepted = false, sends, failure: refusal } = change
    return !isAccepted && (sends > 1 || refusal?.applied !== 'no')
  }

  function ended(): void {
    reader.release()
    if (!isHalfway()) return
    const reason = failed ? ` ${failed.message}` : ''
    const text = 'both routes may be stopped. Start one of them, or the failover again.'
    gateway.log('warn', `A failover ended during a switch: ${text}${reason}`)
  }

  const end = (): void => {
    if (stop.stopped) return
    unhookClosing()
    silence.end()
    stop.now()
    if (told !== memory.reported) void keep()
    leave()
    if (!switching) ended()
  }

  function complete(error: unknown): GatewayError {
    return asGatewayError(error, { name: NAME }, gateway.identity)
  }

  const leave = reads.join({ everyMs: settings.pollEvery * 1000, see: (each) => void look(each) })
  const unhookClosing = gateway.closing.onStop(end)

  return {
    /** The protected routes, as far as they have been found: one or, with `method` = `routes`, two. */
    routes: (): RouteAddress[] => reader.found(),
    /**
     * Obeys `msg.action`, with `msg.hold`. What comes of it is reported as an event.
     * @throws GatewayError `INVALID_INPUT`, `CONFLICT`, `UNAVAILABLE`; `CLOSED` after the end
     */
    command: (action: unknown, hold?: unknown): Promise<void> =>
      take({ kind: 'command', action, hold }),
    /** A probe says whether main is good. @throws GatewayError `INVALID_INPUT`; `CLOSED` */
    main: (good: unknown): Promise<void> => take({ kind: 'main', good }),
    /**
     * Ends it, and resolves when nothing is under way. A switch of two routes is completed.
     * @returns whether both routes may be stopped: a failover with this memory starts one of them
     */
    async close(): Promise<{ isHalfway: boolean }> {
      end()
      await switching
      return { isHalfway: isHalfway() }
    },
  }
}

function settingsOf({ settings, route }: ProtectOptions): FailoverSettings {
  const faults: Finding[] = failoverFaults(settings)
  if (!route && own(settings, 'method') !== 'routes') {
    faults.push({ path: 'route', problem: 'is missing' })
  }
  if (faults.length > 0) throw badSettings(faults, say('correctNode'))
  return failoverSettings(settings)
}

const failureOf = ({ code, message, cause }: GatewayError): Failure => ({
  code,
  message,
  applied: cause.applied,
})

/** The gateway accepted the switch, and the route does not show it, or the new source is not good. */
const notConfirmed = (text: string, reason?: string): GatewayError =>
  new GatewayError('NOT_CONFIRMED', text, { applied: reason ? 'yes' : 'maybe' })

/** The same for the same failure: a later sentence may count seconds. */
const signOf = ({ code, sentences }: GatewayError): string =>
  JSON.stringify([code, withoutLabels(sentences)[0]])

/** A switch that took too long, and was not ended by a close. */
function late({ cause }: GatewayError): GatewayError {
  const isSent = cause.applied !== 'no'
  const sentence = say(isSent ? 'switchSilent' : 'switchNotSent', { time: SEND_MS / 1000 })
  return new GatewayError(isSent ? 'OUTCOME_UNKNOWN' : 'TIMEOUT', sentence, cause)
}
