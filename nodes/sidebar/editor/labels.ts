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

/** How a route is, in a line; or how it was, when that is old. */
export function summaryOf(route: Route, isOld = false): string {
  const runs = isRunning(route)
  const { source, destinations } = route
  const words = text(`route.${isOld ? 'was' : 'is'}.${runs ? 'running' : 'idle'}`)
  const all = destinations.length
  if (!runs) return `${withTone(words, toneOf(route, runs))} · ${text('route.has', { all })}`
  const on = destinations.filter(isOn)
  const connected = on.filter(isConnected).length
  const parts = [
    withTone(words, toneOf(route, runs)),
    text('route.source', { state: stateOf(source) }),
    text('route.destinations', { connected, all: on.length }),
  ]
  if (on.length < all) parts.push(text('route.off', { off: all - on.length }))
  return parts.join(' · ')
}

export function partSummary(part: Part & { started?: boolean }, isOld: boolean): string {
  const state = isOn(part) ? stateOf(part) : text('state.off')
  return withTone(isOld ? text('state.was', { state }) : state, toneOf(part, isOn(part)))
}

/** Where it comes from or goes to, as far as that is an address. */
export function addressOf({ protocol = '', address, port }: Part): string {
  const host = address?.includes(':') ? `[${address}]` : (address ?? '')
  return [protocol.toUpperCase(), port === undefined ? host : `${host}:${port}`].join(' ').trim()
}

/** A mark that differs in shape as well as in colour. What it says is said in words beside it. */
export function mark(): HTMLElement {
  return element('i', { className: 'media-gateway-sidebar-mark', ariaHidden: 'true' })
}
