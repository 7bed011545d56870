// What the sidebar says of a route and its parts, in a line each.
import { element } from '../../editor/element'
import {
  isConnected,
  isOn,
  isRunning,
  signOfPart,
  signOfRoute,
  withTrouble,
  wordOf,
  wordOfPart,
} from '../../editor/states'
import type { Part, Route } from './route'
import { text } from './text'

/**
 * The state of a route in words, in the past tense when it is old: first how it is, then how many of
 * its destinations are connected.
 */
export function summaryOf(route: Route, isOld = false): [first: string, last: string] {
  const runs = isRunning(route)
  const { source, destinations } = route
  const word = isOld ? text(`route.was.${runs ? 'running' : 'idle'}`) : wordOf(route.state)
  const words = withTrouble(word, signOfRoute(route))
  const all = destinations.length
  if (!runs) return [words, SEPARATOR + text('route.has', { all })]
  const on = destinations.filter(isOn)
  const connected = on.filter(isConnected).length
  const first = [words, text('route.source', { state: wordOf(source.state) })]
  const last = [text('route.destinations', { connected, all: on.length })]
  if (on.length < all) last.push(text('route.off', { off: all - on.length }))
  return [first.join(SEPARATOR), SEPARATOR + last.join(SEPARATOR)]
}

const SEPARATOR = ' · '

export function partSummary(part: Part, isOld: boolean): string {
  const state = wordOfPart(part)
  return withTrouble(isOld ? text('state.was', { state }) : state, signOfPart(part))
}

/** How it arrives: protocol and port. */
export const placeOf = ({ protocol = '', port }: Part): string =>
  [protocol.toUpperCase(), port === undefined ? '' : `:${port}`].join(' ').trim()

/** Where it comes from or goes to, as far as that is an address. */
export function addressOf({ protocol = '', address, port }: Part): string {
  const host = address?.includes(':') ? `[${address}]` : (address ?? '')
  return [protocol.toUpperCase(), port === undefined ? host : `${host}:${port}`].join(' ').trim()
}

/** A mark that differs in shape as well as in colour. What it says is said in words beside it. */
export function mark(): HTMLElement {
  return element('i', { className: 'media-gateway-sidebar-mark', ariaHidden: 'true' })
}
