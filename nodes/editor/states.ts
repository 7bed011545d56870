// The one place that names a state of the appliance: its sign, and its word in the language of the
// editor. How a route is, Node-RED says.
import { deviceHealth, type Sign } from '../../client/model/health'
import type { ApplianceHealth, Failure, HealthText, Stateful } from '../wire'
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

/** It did not answer, as opposed to one whose answer was a fault. */
export const isSilence = ({ code, values }: Failure): boolean =>
  (code === 'UNAVAILABLE' || code === 'TIMEOUT') && values?.status === undefined

/** How one is whose polls have failed for so long that this is reported. */
export const reachOfAway = ({ failure }: ApplianceHealth): Reach =>
  failure && !isSilence(failure) ? 'fault' : 'unreachable'

export const isRunning = ({ state }: Stateful): boolean => isWord(state, 'running')
export const isConnected = ({ state }: Stateful): boolean => isWord(state, 'connected')
export const isOn = ({ started }: Stateful): boolean => started !== false

const isWord = (state: string | undefined, word: string): boolean => state?.toLowerCase() === word

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

export const isWell = ({ sign }: HealthText): boolean => sign === 'ok' || sign === 'stopped'
export const briefOf = ({ brief, text: all }: HealthText): string => brief ?? all

/** What is well or stopped has the word of the appliance, anything else what is wrong with it. */
export const routeState = ({ health, state }: Healthy): State => ({
  sign: health.sign,
  word: isWell(health) ? wordOf(state) : briefOf(health),
})

export const partState = (part: Healthy): State => ({
  sign: part.health.sign,
  word: isWell(part.health) ? wordOfPart(part) : briefOf(part.health),
})

type Healthy = Stateful & { health: HealthText }

/** The appliance has words of its own for the state of a device. */
export const deviceState = (device: { statusCode?: string; status?: string }): State => ({
  sign: deviceHealth(device.statusCode, device.status).sign,
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
