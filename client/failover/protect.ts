import type { Connection } from '../connection/connection'
import { newOperation } from '../connection/operation'
import {
  asGatewayError,
  closedError,
  GatewayError,
  invalidInput,
  isLasting,
  readOnlyError,
  withoutLabels,
  words,
} from '../errors'
import {
  failoverFaults,
  failoverSettings,
  type FailoverSettings,
  type FailoverState,
  type InUse,
} from '../model/failover'
import type { Language } from '../model/watch'
import { keyOf, type RouteAddress } from '../changes/find'
import { Stop } from '../stop'
import { decide } from './decide'
import { keptOf, startedMemory, type KeptMemory } from './memory'
import { createReader, type Sight, type WantedRoute } from './reader'
import { makeSwitch } from './switch'
import { failoverText } from './text'
import type { Act, Decision, FailoverEvent, Failure, Input } from './types'

/** What to protect, and whom to tell. */
export interface ProtectOptions {
  /** By default the gateway's only device. */
  deviceId?: string
  /** The protected route. With `method` = `routes` the settings name both. */
  route?: WantedRoute
  /** As they were saved: checked here. */
  settings: object
  /** What `onMemory` was last called with, before a restart; anything else is ignored. */
  memory?: unknown
  /** The language of the texts of events; default `en-US`. */
  language?: Language
  /** The events of one decision, in their order. */
  onEvents: (events: FailoverReport[]) => void
  /**
   * What to keep for a restart: plain JSON without secrets. Called when it has changed, before a
   * switch is sent, and until `close` has ended.
   */
  onMemory?: (memory: KeptMemory) => void
  /** Called when it has changed. */
  onStatus?: (status: FailoverStatus) => void
  /**
   * A look that shows nothing, for a reason that does not pass by itself, reported once; and every
   * switch that failed, with its event, after `onEvents`.
   */
  onFailure?: (error: GatewayError, event?: FailoverReport) => void
}

/** An event as it is reported. */
export interface FailoverReport extends FailoverEvent {
  /** One sentence. */
  text: string
  /** The protected route or, of two, main; null for what is not known yet. */
  route: { id: string | null; name: string | null }
}

/** How a failover is at present. */
export interface FailoverStatus {
  state: FailoverState
  /** The source that was last seen. */
  inUse?: InUse
  held: boolean
  /** A person chose the source in use. */
  manual: boolean
  /** The limit of automatic switches has been reached. */
  limited: boolean
  /** Nothing is switched, only reported. */
  dryRun: boolean
  /** When the wait of this state ends, unless something else happens; Unix ms. */
  due?: number
  /** Why the latest look does not show everything. */
  failure?: GatewayError
}

/** A route that is protected, until it is closed. */
export interface Protection {
  /** The protected routes, as far as they have been found: one or, with `method` = `routes`, two. */
  routes(): RouteAddress[]
  /**
   * Obeys `msg.action`, with `msg.hold`. What comes of it is reported as an event.
   * @throws GatewayError `INVALID_INPUT`, `CONFLICT`, `UNAVAILABLE`; `CLOSED` after the end
   */
  command(action: unknown, hold?: unknown): Promise<void>
  /** A probe says whether main is good. @throws GatewayError `INVALID_INPUT`; `CLOSED` */
  main(good: unknown): Promise<void>
  /** Ends it, and resolves when nothing is under way. A switch of two routes is completed. */
  close(): Promise<void>
}

/** No two looks begin closer together, whatever asks for them. */
const LEAST_MS = 500
/** Not sent by then, for example behind a long change of the same route, a switch is out of date. */
const SEND_MS = 15_000

const NAME = 'failover'

/**
 * Whether a look that failed for this reason will fail again, however long one waits. Unlike a poll
 * of a device, it can find several routes of the name, or a route that another failover protects.
 */
export const isLastingLook = (error: GatewayError): boolean =>
  isLasting(error) || error.code === 'CONFLICT'

/**
 * Keeps a route on the air: looks at it at its own pace, decides by the rules, and switches. Ends
 * with the connection, or when it is closed.
 * @throws GatewayError `INVALID_INPUT` with every fault of the settings; `READ_ONLY` and `CLOSED`
 */
export function protectRoute(gateway: Connection, options: ProtectOptions): Protection {
  const settings = settingsOf(options)
  const { clock } = gateway
  if (gateway.readOnly && !settings.dryRun) throw complete(readOnlyError({ name: NAME }))
  if (gateway.closing.stopped) throw complete(closedError())

  /** Unix ms that do not jump when the system time is set. */
  const offset = Date.now() - clock.now()
  const now = (): number => Math.round(offset + clock.now())
  const stop = new Stop()
  const { deviceId, route } = options
  const reader = createReader(gateway, { deviceId, route, settings })
  let memory = startedMemory(settings, options.memory, now())
  let kept = ''
  let status = ''
  let due: number | undefined
  let failure: GatewayError | undefined
  /** How the latest switch failed, if it did. */
  let failed: GatewayError | undefined
  let lasting: string | undefined

  // Inputs take turns: a listener that gives a command gets no decision within a decision.
  const inputs: Array<{ input: Input; settle?: (error?: GatewayError) => void }> = []
  let isDeciding = false

  let cancelLook: (() => void) | undefined
  let isLooking = false
  let lookedAt = -Infinity
  let lookAt = clock.now()
  let switching: Promise<void> | undefined

  function take(input: Input, settle?: (error?: GatewayError) => void): void {
    inputs.push({ input, settle })
    if (isDeciding) return
    isDeciding = true
    for (let next = inputs.shift(); next; next = inputs.shift()) answer(next)
    isDeciding = false
  }

  function answer({ input, settle }: (typeof inputs)[number]): void {
    let decision: Decision
    try {
      decision = decide(settings, memory, input, now())
    } catch (error) {
      const reason = complete(error)
      if (settle) settle(reason)
      else gateway.log('warn', `The failover could not decide: ${reason.message}`)
      return
    }
    const isHalfway = decision.memory.halfway !== undefined
    // Only a look knows when a wait ends.
    if (input.kind === 'look' || decision.state !== memory.state) due = decision.due
    memory = decision.memory
    if (decision.next !== undefined) lookAt = decision.next - offset
    // Before the switch is sent: a restart must know about it.
    keep()
    if (decision.act) begin(decision.act, isHalfway)
    tell(decision.events)
    settle?.()
    schedule()
  }

  function keep(): void {
    const present = keptOf(memory)
    const json = JSON.stringify(present)
    if (json === kept) return
    kept = json
    safely(() => options.onMemory?.(JSON.parse(json) as KeptMemory))
  }

  function tell(events: readonly FailoverEvent[]): void {
    if (stop.stopped) return
    tellStatus()
    if (events.length === 0) return
    const reports = events.map((event) => {
      const about = { ...event, route: reader.route }
      return { ...about, text: failoverText(about, options.language) }
    })
    safely(() => options.onEvents(reports))
    for (const event of reports) {
      if (event.event !== 'failover.failed') continue
      const reason = event.failure && failed ? failed : complete(notShown(event))
      safely(() => options.onFailure?.(reason, event))
    }
  }

  function tellStatus(): void {
    const { state, inUse, held, manual, limited } = memory
    const present: FailoverStatus = {
      state,
      held,
      manual,
      limited,
      dryRun: settings.dryRun,
      ...(inUse && { inUse }),
      ...(due !== undefined && { due }),
    }
    const json = JSON.stringify([present, signOf(failure)])
    if (json === status) return
    status = json
    safely(() => options.onStatus?.({ ...present, ...(failure && { failure }) }))
  }

  function safely(call: () => void): void {
    try {
      call()
    } catch (error) {
      gateway.log('warn', `A failover failed on what it was given: ${String(error)}`)
    }
  }

  function schedule(): void {
    cancelLook?.()
    cancelLook = undefined
    if (stop.stopped || isLooking) return
    const at = Math.max(lookAt, lookedAt + LEAST_MS)
    cancelLook = clock.after(Math.max(0, at - clock.now()), () => void look())
  }

  async function look(): Promise<void> {
    cancelLook = undefined
    isLooking = true
    lookedAt = clock.now()
    const sight = await see()
    isLooking = false
    if (stop.stopped) return
    lookAt = clock.now() + settings.lookEvery * 1000
    failure = sight.failure
    take({ kind: 'look', look: sight.look })
    report(sight.failure)
    schedule()
  }

  async function see(): Promise<Sight> {
    const operation = newOperation(NAME, stop).under({ brief: true })
    try {
      return await reader.look(operation)
    } catch (error) {
      const reason = asGatewayError(error, operation, gateway.identity)
      return { look: { route: 'unknown' }, failure: reason }
    }
  }

  /** Once, until it is another one or a look succeeds. */
  function report(error: GatewayError | undefined): void {
    const sign = error && isLastingLook(error) ? signOf(error) : undefined
    const isNew = sign !== undefined && sign !== lasting
    lasting = error && !sign ? lasting : sign
    if (isNew) safely(() => options.onFailure?.(error!))
  }

  /** Whatever happens, one outcome follows. */
  function begin(act: Act, isHalfway: boolean): void {
    const sending = new Stop()
    const cancel = clock.after(SEND_MS, () => sending.now())
    const unhook = stop.onStop(() => sending.now())
    const operation = newOperation(NAME, sending)
    const work = makeSwitch(
      gateway,
      { settings, act, isHalfway, addressOf: (side) => reader.addressOf(side) },
      operation,
    )
    const ended = work.then(
      () => undefined,
      (error: unknown) => {
        const whole = asGatewayError(error, operation, gateway.identity)
        return stop.stopped ? whole : complete(late(whole))
      },
    )
    switching = gateway.protect(
      ended.then((error) => {
        cancel()
        unhook()
        switching = undefined
        failed = error
        if (stop.stopped) reader.release()
        take({ kind: 'outcome', ...(error && { failure: failureOf(error) }) })
      }),
    )
  }

  const end = (): void => {
    if (stop.stopped) return
    unhookClosing()
    stop.now()
    schedule()
    if (!switching) reader.release()
    const ended = complete(closedError())
    for (const { settle } of inputs.splice(0)) settle?.(ended)
  }

  function complete(error: unknown): GatewayError {
    return asGatewayError(error, { name: NAME }, gateway.identity)
  }

  const ask = (input: Input): Promise<void> =>
    new Promise((resolve, reject) => {
      if (stop.stopped) return reject(complete(closedError()))
      take(input, (error) => (error ? reject(error) : resolve()))
    })

  const unhookClosing = gateway.closing.onStop(end)
  schedule()

  return {
    routes() {
      const found = [reader.addressOf('main'), reader.addressOf('backup')].filter(isDefined)
      return [...new Map(found.map((address) => [keyOf(address), address])).values()]
    },
    command: (action, hold) => ask({ kind: 'command', action, hold }),
    main: (good) => ask({ kind: 'main', good }),
    async close() {
      end()
      await switching
    },
  }
}

function settingsOf({ settings, route }: ProtectOptions): FailoverSettings {
  const faults = failoverFaults(settings)
  if (faults.length > 0) throw invalidInput(faults, NAME)
  const known = failoverSettings(settings)
  if (known.method === 'source' && !route) {
    throw invalidInput([{ path: 'route', problem: 'is missing' }], NAME)
  }
  return known
}

const failureOf = ({ code, message, cause }: GatewayError): Failure => ({
  code,
  message,
  applied: cause.applied,
})

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** The gateway accepted the switch, and the route does not show it. */
function notShown({ route, to }: FailoverReport): GatewayError {
  const sentence = words(
    'Route "__route__" did not show the switch to __to__ in time. It may still have an effect: check which source is in use.',
    { route: route.name ?? route.id ?? '', to: to! },
  )
  return new GatewayError('NOT_CONFIRMED', sentence, { operation: NAME, applied: 'maybe' })
}

/** The same for the same failure: a later sentence may count seconds. */
function signOf(error: GatewayError | undefined): string {
  if (!error) return ''
  const [first] = withoutLabels(error.sentences)
  return JSON.stringify([error.code, first])
}

/** The failure of a switch that took too long, and was not ended by a close. */
function late(error: GatewayError): GatewayError {
  const { code, cause } = error
  if (code !== 'CLOSED') return error
  const isSent = cause.applied !== 'no'
  const said = isSent
    ? '__host__ did not respond to the switch within __time__ s.'
    : 'The switch was not sent within __time__ s: the gateway, or another change of the route, took too long.'
  const sentence = words(said, { time: SEND_MS / 1000 })
  return new GatewayError(isSent ? 'OUTCOME_UNKNOWN' : 'TIMEOUT', sentence, cause)
}
