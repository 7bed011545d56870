// The one place that names a state: its sign, and its word in the language of the editor.
import { element } from './element'
import { text } from './text'

/** How something is, at a glance. `off` is what does not run and has nothing wrong with it. */
export type Sign = 'ok' | 'warn' | 'error' | 'unknown' | 'off'

export interface State {
  sign: Sign
  word: string
}

/** What the appliance says of a route, a source or a destination. Firmware spells it in any case. */
export interface Stateful {
  state?: string
  summaryStatusCode?: string
  /** Destinations only. */
  started?: boolean
}

export const isRunning = ({ state }: Stateful): boolean => isWord(state, 'running')
export const isConnected = ({ state }: Stateful): boolean => isWord(state, 'connected')
export const isOn = ({ started }: Stateful): boolean => started !== false

const isWord = (state: string | undefined, word: string): boolean => state?.toLowerCase() === word

/** A warning or an error shows even where nothing runs. */
export function signOf(statusCode: string | undefined, runs: boolean): Sign {
  const code = statusCode?.toLowerCase()
  if (code === 'warn' || code === 'error') return code
  if (!runs) return 'off'
  return code === 'ok' ? 'ok' : 'unknown'
}

export const signOfRoute = (route: Stateful): Sign =>
  signOf(route.summaryStatusCode, isRunning(route))

/** The sign of a source or a destination. */
export const signOfPart = (part: Stateful): Sign =>
  signOf(part.summaryStatusCode, isOn(part) && !isWord(part.state, 'stopped'))

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

/** The word for a source or a destination. */
export function wordOfPart(part: Stateful): string {
  if (!isOn(part)) return text('state.off')
  return wordOf(part.state || (part.started ? 'started' : undefined))
}

/** The words, with the addition that something is wrong. */
export const withTrouble = (words: string, sign: Sign): string =>
  sign === 'warn' || sign === 'error' ? `${words}, ${wordOf(sign)}` : words

export function routeState(route: Stateful): State {
  const sign = signOfRoute(route)
  return { sign, word: withTrouble(wordOf(route.state), sign) }
}

export const partState = (part: Stateful): State => ({
  sign: signOfPart(part),
  word: wordOfPart(part),
})

/** The appliance has words of its own for the state of a device. */
export const deviceState = (device: { statusCode?: string; status?: string }): State => ({
  sign: signOf(device.statusCode, true),
  word: device.status || wordOf(device.statusCode),
})

const ICONS = {
  ok: 'check-circle',
  off: 'circle-o',
  warn: 'exclamation-triangle',
  error: 'times-circle',
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
