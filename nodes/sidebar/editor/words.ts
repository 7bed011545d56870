import { element } from '../../editor/element'
import { isConnected, isOn, isRunning, toneOf, type Part, type Route, type Tone } from './route'
import { text } from './text'

/** States for which there are words; others are shown as the appliance gives them. */
const STATES = new Set([
  'stopped',
  'disconnected',
  'connecting',
  'connection established',
  'connected',
])

export function stateOf({ state = '' }: Part): string {
  if (STATES.has(state)) return text(`state.${state.replace(' ', '-')}`)
  return state === '' ? text('state.unknown') : state
}

const withTone = (words: string, tone: Tone): string =>
  tone === 'warn' || tone === 'error' ? `${words}, ${text(`tone.${tone}`)}` : words

/** How a route is, in a line. */
export function summaryOf(route: Route): string {
  const runs = isRunning(route)
  const { source, destinations } = route
  const parts = [withTone(text(runs ? 'route.running' : 'route.stopped'), toneOf(route, runs))]
  if (runs) parts.push(text('route.source', { state: stateOf(source) }))
  const connected = destinations.filter(isConnected).length
  parts.push(text('route.destinations', { connected, all: destinations.length }))
  return parts.join(' · ')
}

export function partSummary(part: Part & { started?: boolean }): string {
  const tone = toneOf(part, isOn(part))
  return withTone(isOn(part) ? stateOf(part) : text('state.off'), tone)
}

/** A mark that differs in shape as well as in colour. What it says is said in words beside it. */
export function mark(): HTMLElement {
  return element('i', { className: 'media-gateway-sidebar-mark', ariaHidden: 'true' })
}
