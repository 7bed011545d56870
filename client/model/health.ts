/**
 * How a route, a device or a gateway is: the one rule. Lamps, dialogs, sidebar, panel, metrics, fleets
 * and failovers show nothing else. It is pure and has no memory: docs/watch.md has its table.
 */

/** The worst first. */
export const SIGNS = ['critical', 'warning', 'unknown', 'waiting', 'ok', 'stopped'] as const

export type Sign = (typeof SIGNS)[number]

export const REASONS = [
  'gateway-away',
  'device-away',
  'device-error',
  'device-warning',
  'not-seen',
  'no-source',
  'no-data',
  'source-error',
  'route-error',
  'not-running',
  'output-lost',
  'output-error',
  'output-warning',
  'source-warning',
  'route-warning',
  'threshold',
  'caller-away',
  'no-caller',
] as const

export type Reason = (typeof REASONS)[number]

/** How something is, and why. It is frozen where there is no output: most routes share one. */
export interface Health {
  readonly sign: Sign
  /** Absent with `ok` and `stopped`. */
  readonly reason?: Reason
  /** The name of the output that it is about; of several, the first. With `caller-away`, that of the caller. */
  readonly output?: string
  /** The gateway's own word for it: a state such as `disconnected`, or else a code such as `warn`. */
  readonly word?: string
}

/** What the gateway says of a source or an output, in any case. */
export interface PartSigns {
  readonly state?: string
  readonly code?: string
  /** Mbit/s; undefined or NaN where it is not known. */
  readonly bitrate?: number
}

export interface OutputSigns extends PartSigns {
  readonly name: string
  /** False for one that was switched off. */
  readonly started?: boolean
  /** An SRT listener: others call it. */
  readonly isListener: boolean
  /** How many have called; undefined or NaN where it is not known. */
  readonly clients?: number
}

export interface RouteSigns {
  readonly state?: string
  readonly code?: string
  /** Undefined while it was never seen. */
  readonly source?: PartSigns
  readonly outputs: Iterable<OutputSigns>
}

const healthOf = (sign: Sign, reason?: Reason): Health => Object.freeze({ sign, reason })
const critical = (reason: Reason, word?: string): Health => ({ sign: 'critical', reason, word })
const warning = (reason: Reason, word?: string): Health => ({ sign: 'warning', reason, word })
const unknown = (reason: Reason, word?: string): Health => ({ sign: 'unknown', reason, word })

export const OK = healthOf('ok')
export const STOPPED = healthOf('stopped')
export const NOT_RUNNING = healthOf('critical', 'not-running')
const NOT_SEEN = healthOf('unknown', 'not-seen')
const NO_DATA = healthOf('critical', 'no-data')

/** How a route is by itself, and how its outputs are. */
export interface RouteHealth {
  readonly own: Health
  /** In their order; none while they can only be what the route is. */
  readonly outputs: readonly Health[]
}

const NO_OUTPUTS: readonly Health[] = Object.freeze([])

/** How a route is, on a device that is well. A threshold that is passed is not part of it. */
export const routeHealth = (signs: RouteSigns): Health => healthOfWhole(partsHealth(signs))

export function healthOfWhole({ own, outputs }: RouteHealth): Health {
  if (outputs.length === 0) return own
  const ofOutputs = worst(outputs)
  return isWorse(own, ofOutputs) ? own : ofOutputs
}

/** How a route and its outputs are, on a device that is well. */
export function partsHealth({ state, code, source, outputs }: RouteSigns): RouteHealth {
  if (isStopped(state)) return alone(STOPPED)
  if (!isRunning(state) || !source) return alone(NOT_SEEN)
  const ofSource = sourceHealth(source)
  if (ofSource.sign === 'critical') return alone(ofSource)
  if (is(code, 'error')) return alone(critical('route-error', code))
  const ofOutputs = Array.from(outputs, outputHealth)
  return { own: ownHealth(ofSource, code, ofOutputs), outputs: ofOutputs }
}

const alone = (own: Health): RouteHealth => ({ own, outputs: NO_OUTPUTS })

function ownHealth(source: Health, code: string | undefined, outputs: readonly Health[]): Health {
  if (source.sign === 'warning') return source
  // An output in trouble, and a listener that nobody calls, make their route `warn`.
  if (is(code, 'warn') && !outputs.some(explainsWarning)) return warning('route-warning', code)
  return source.sign === 'unknown' && is(code, 'ok') ? OK : source
}

const explainsWarning = (output: Health): boolean => output.sign === 'waiting' || isTrouble(output)

export function sourceHealth({ state, code, bitrate }: PartSigns): Health {
  if (isAway(state)) return critical('no-source', state)
  if (bitrate === 0) return NO_DATA
  if (is(code, 'error')) return critical('source-error', code)
  if (is(code, 'warn')) return warning('source-warning', code)
  // A state that nobody knows says nothing by itself.
  const isReceiving = state !== undefined && bitrate !== undefined && bitrate > 0
  const isTold = isConnected(state) || is(code, 'ok') || isReceiving
  return isTold ? OK : NOT_SEEN
}

/**
 * Of a running route whose source is well. A listener that nobody calls waits: who calls when is the
 * callers' affair, see docs/project/interface.md#seen-in-the-field.
 */
export function outputHealth(output: OutputSigns): Health {
  const { name, state, code, started, isListener, clients = NaN } = output
  if (started === false) return STOPPED
  const isCalled = clients > 0 || (Number.isNaN(clients) && !isAway(state))
  if (isListener && !isCalled) {
    return { sign: 'waiting', reason: 'no-caller', output: name, word: state }
  }
  const of = { output: name }
  if (!isListener && isAway(state)) return { ...warning('output-lost', state), ...of }
  if (is(code, 'error')) return { ...warning('output-error', code), ...of }
  return is(code, 'warn') ? { ...warning('output-warning', code), ...of } : OK
}

/** With `unknown`, all that is known of its routes is old. @param status `Online`, `Offline` … */
export function deviceHealth(code: string | undefined, status: string | undefined): Health {
  if (OUT.has(lower(status))) return unknown('device-away', status)
  const word = status ?? code
  if (is(code, 'error') || is(status, 'device error')) return unknown('device-error', word)
  return is(code, 'warn') ? warning('device-warning', word) : OK
}

/** Returns the worst; the first of those that are equally bad, and `ok` of none. */
export function worst(all: Iterable<Health>): Health {
  let found: Health | undefined
  for (const health of all) if (!found || isWorse(health, found)) found = health
  return found ?? OK
}

export const isWorse = (one: Health, other: Health): boolean => RANK[one.sign] < RANK[other.sign]

/** Something is wrong, as opposed to unknown, waiting, stopped and well. */
export const isTrouble = ({ sign }: Health): boolean => sign === 'critical' || sign === 'warning'

const RANK = Object.fromEntries(SIGNS.map((sign, rank) => [sign, rank])) as Record<Sign, number>

type Names = ReadonlySet<string | undefined>

const OUT: Names = new Set(['offline', 'never', 'communication error'])
const NOT_CONNECTED: Names = new Set(['disconnected', 'connecting', 'idle', 'stopped'])
const CONNECTED: Names = new Set(['connected', 'connection established'])

const lower = (word: string | undefined): string | undefined => word?.trim().toLowerCase()
const is = (word: string | undefined, name: string): boolean =>
  word === name || lower(word) === name
const isAway = (state: string | undefined): boolean => NOT_CONNECTED.has(lower(state))
export const isConnected = (state: string | undefined): boolean => CONNECTED.has(lower(state))
export const isRunning = (state: string | undefined): boolean => is(state, 'running')
export const isStopped = (state: string | undefined): boolean =>
  is(state, 'idle') || is(state, 'stopped')
