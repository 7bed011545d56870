// What the sidebar says of a route and its parts, in a line each.
import { element } from '../../editor/element'
import {
  briefOf,
  isConnected,
  isOn,
  isRunning,
  isWell,
  wordOf,
  wordOfPart,
  type Sign,
} from '../../editor/states'
import type { Part } from '../../wire'
import type { Route } from './route'
import { text } from './text'

/**
 * What a row says of a route: first how it is, which is the reason where something is wrong; what does
 * not fit in its line is left out, the last first. In the past tense when it is old.
 */
export function summaryOf(route: Route, isOld: boolean): string[] {
  const { health } = route
  const was = text(`route.was.${isRunning(route) ? 'running' : 'idle'}`)
  if (isOld && health.sign === 'unknown') return [briefOf(health), was]
  if (isOld) return isWell(health) ? [was] : [was, lastSeen(briefOf(health))]
  const all = route.destinations.length
  if (health.sign === 'stopped') return [wordOf(route.state), text('route.has', { all })]
  const on = route.destinations.filter(isOn)
  const connected = on.filter(isConnected).length
  return [
    isWell(health) ? wordOf(route.state) : briefOf(health),
    text('route.destinations', { connected, all: on.length }),
    ...(on.length < all ? [text('route.off', { off: all - on.length })] : []),
  ]
}

const lastSeen = (state: string): string => text('state.was', { state })

/** For the details: why something is wrong, and how the gateway says that. */
export function routeSummary({ health, state, summaryStatusCode }: Route, isOld: boolean): string {
  const own = [state, summaryStatusCode].filter(Boolean).join(', ')
  const words = isOld && health.sign !== 'unknown' ? lastSeen(health.text) : health.text
  return own && !isWell(health) ? text('route.says', { words, own }) : words
}

export function partSummary(part: Part, isOld: boolean): string {
  const { health } = part
  if (isOld && health.sign === 'unknown') return lastSeen(wordOfPart(part))
  const words = isWell(health) ? wordOfPart(part) : health.text
  return isOld ? lastSeen(words) : words
}

/** How it arrives: protocol and port. */
export const placeOf = ({ protocol = '', port }: Part): string =>
  [protocol.toUpperCase(), port === undefined ? '' : `:${port}`].join(' ').trim()

/** A mark that differs in shape as well as in colour. What it says is said in words beside it. */
export const mark = (tone: Sign = 'unknown'): HTMLElement =>
  element('i.media-gateway-sidebar-mark', { ariaHidden: 'true', 'data-tone': tone })
