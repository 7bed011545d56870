// The one place that names a state of the appliance: its sign, and its word in the language of the
// editor. How a route of a running flow is, Node-RED says.
import type { Sign } from '../../client/model/health'
import type { Stateful } from '../wire'
import { element } from './element'
import { text } from './text'

export type { Sign }

export interface State {
  sign: Sign
  word: string
}

/** How well an appliance is known. `device`: it is reachable, but does not know how its device is. */
export type Reach =
  'reachable' | 'device' | 'stale' | 'unreachable' | 'asking' | 'fault' | 'closed' | 'elsewhere'

/** The sign of one of which nothing is known now. */
export const SIGN_OF_REACH: Record<Exclude<Reach, 'reachable'>, Sign> = {
  device: 'critical',
  stale: 'warning',
  unreachable: 'critical',
  asking: 'unknown',
  fault: 'critical',
  closed: 'stopped',
  elsewhere: 'stopped',
}

export const isRunning = ({ state }: Stateful): boolean => isWord(state, 'running')
export const isConnected = ({ state }: Stateful): boolean => isWord(state, 'connected')
export const isOn = ({ started }: Stateful): boolean => started !== false

const isWord = (state: string | undefined, word: string): boolean => state?.toLowerCase() === word

/** A warning or an error shows even where nothing runs. */
function signOf(statusCode: string | undefined, runs: boolean): Sign {
  const code = statusCode?.toLowerCase()
  if (code === 'warn') return 'warning'
  if (code === 'error') return 'critical'
  if (!runs) return 'stopped'
  return code === 'ok' ? 'ok' : 'unknown'
}

/** The words of the appliance that are translated; firmware may have more. */
const KEYS: Record<string, string> = {
  running: 'running',
  idle: 'idle',
  stopped: 'stopped',
  started: 'started',
  connected: 'connected',
  connecting: 'connecting',
  disconnected: 'disconnected',
  'connection established': 'established',
  ok: 'ok',
  warn: 'warn',
  error: 'error',
}

export function wordOf(state: string | undefined): string {
  if (!state) return text('state.unknown')
  const word = state.toLowerCase()
  return Object.hasOwn(KEYS, word) ? text(`state.${KEYS[word]}`) : state
}

export function wordOfPart(part: Stateful): string {
  if (!isOn(part)) return text('state.off')
  return wordOf(part.state || (part.started ? 'started' : undefined))
}

/** Before a deploy: what the appliance says of a route, and that something is wrong. */
export function routeState(route: Stateful): State {
  const sign = signOf(route.summaryStatusCode, isRunning(route))
  const code = route.summaryStatusCode?.toLowerCase()
  const words = [route.state, ...(sign === 'warning' || sign === 'critical' ? [code] : [])]
  return { sign, word: words.map(wordOf).join(', ') }
}

export const partState = (part: Stateful): State => ({
  sign: signOf(part.summaryStatusCode, isOn(part) && !isWord(part.state, 'stopped')),
  word: wordOfPart(part),
})

/** The appliance has words of its own for the state of a device. */
export const deviceState = (device: { statusCode?: string; status?: string }): State => ({
  sign: signOf(device.statusCode, true),
  word: device.status || wordOf(device.statusCode),
})

const ICONS = {
  ok: 'check-circle',
  stopped: 'circle-o',
  waiting: 'clock-o',
  warning: 'exclamation-triangle',
  critical: 'times-circle',
  unknown: 'question-circle-o',
  /** Neither good nor bad. */
  plain: 'info-circle',
}

/** A sign that differs in shape as well as in colour. What it says is said in words beside it. */
export const signIcon = (sign: keyof typeof ICONS, title = ''): HTMLElement =>
  element('i', {
    className: `fa fa-${ICONS[sign]} media-gateway-sign media-gateway-sign-${sign}`,
    title,
    ariaHidden: 'true',
  })
