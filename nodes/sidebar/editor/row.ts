import { element } from '../../editor/element'
import { isRunning, signOfRoute } from '../../editor/states'
import { isBlocked, type Action } from './commands'
import { markOf } from './failover'
import { HEIGHT, rateOfRoute, WIDTH, type Rates } from './rates'
import type { Route } from './route'
import { text } from './text'
import { mark as createMark, placeOf, summaryOf } from './labels'

export interface Row {
  readonly element: HTMLElement
  readonly button: HTMLButtonElement
  /** Shows a route, at a place in the list. */
  show(route: Route, shown: ShownRow): void
}

export interface ShownRow {
  index: number
  top: number
  isActive: boolean
  isSelected: boolean
  /** What is shown of it is out of date. */
  isOld: boolean
  /** The route is gone, and keeps its place only while the pointer or the focus is on the list. */
  isGone: boolean
  /** What is under way. */
  waiting?: Action
  mayControl: boolean
  /** It can be dragged into the flow. */
  isDraggable: boolean
  /** Unix ms, by the clock of Node-RED. */
  now: number
  rates: Rates
}

/** A row of fixed height. */
export function createRow(height: number): Row {
  const sign = createMark()
  const name = element('span', { className: 'media-gateway-sidebar-name' })
  const badge = element('span', { className: 'media-gateway-sidebar-badge' })
  const lock = element('i', {
    className: 'fa fa-lock media-gateway-sidebar-lock',
    title: text('protected.mark'),
    ariaLabel: text('protected.mark'),
  })
  lock.setAttribute('role', 'img')
  const title = element('div', { className: 'media-gateway-sidebar-heading' }, name, lock, badge)
  // What comes last is short, and stays when the rest is cut.
  const state = element('span')
  const counts = element('span')
  const summary = element('span', { className: 'media-gateway-sidebar-summary' }, state, counts)
  const place = element('span')
  const line = createLine()
  const rate = element('span', { className: 'media-gateway-sidebar-rate' })
  const figures = element(
    'span',
    { className: 'media-gateway-sidebar-figures' },
    place,
    line.element,
    rate,
  )
  const button = element('button', {
    type: 'button',
    className: 'media-gateway-sidebar-button',
  })
  const about = element(
    'div',
    { className: 'media-gateway-sidebar-about' },
    title,
    summary,
    figures,
  )
  const action = element('div', { className: 'media-gateway-sidebar-action' }, button)
  const row = element('div', { className: 'media-gateway-sidebar-row' }, sign, about, action)
  row.setAttribute('role', 'row')
  for (const cell of [about, action]) cell.setAttribute('role', 'gridcell')
  row.style.height = `${height}px`

  return {
    element: row,
    button,
    show(route, { index, top, isActive, isSelected, isOld, isGone, waiting, now, rates, ...may }) {
      const runs = isRunning(route)
      row.classList.toggle('media-gateway-sidebar-old', isOld || isGone)
      sign.dataset['tone'] = waiting ? 'waiting' : signOfRoute(route)
      set(name, route.name)
      name.title = route.name
      lock.hidden = !route.isProtected || isGone
      // Several protect it only by mistake: each is in the details.
      const [failover] = isGone ? [] : route.failovers
      const mark = failover && markOf(failover, now)
      badge.hidden = !mark
      badge.dataset['sign'] = isOld ? 'off' : (mark?.sign ?? 'off')
      set(badge, mark?.brief ?? '')
      badge.title = mark ? text('failover.title', { state: mark.words }) : ''
      const [first, last] = summaryWords(route, { isOld, isGone, waiting })
      set(state, first)
      set(counts, last)
      summary.title = first + last
      set(place, isGone ? '' : placeOf(route.source))
      // What was received before is no news of now: the line stays when the figures are old.
      line.show(isGone ? '' : rates.path(route.id, now))
      const carried = isOld || isGone ? undefined : rates.now(route.id)
      set(rate, carried ? rateOfRoute(carried) : '')
      action.hidden = !may.mayControl || isGone
      row.draggable = may.isDraggable && !isGone
      // A disabled button would lose the focus.
      const verb = runs ? 'stop' : 'start'
      const why = whyNot(verb, route, isOld)
      button.setAttribute('aria-disabled', String(waiting !== undefined || why !== ''))
      button.title = why
      set(button, text(verb))
      button.setAttribute('aria-label', controlLabel(verb, route.name, why))
      row.dataset['route'] = route.id
      row.style.top = `${top}px`
      row.setAttribute('aria-rowindex', String(index + 1))
      row.setAttribute('aria-selected', String(isSelected))
      row.tabIndex = button.tabIndex = isActive ? 0 : -1
    },
  }
}

/** The line through the last minutes. What it shows is said by the figure beside it. */
function createLine(): { element: Element; show(path: string): void } {
  const svg = document.createElementNS(SVG, 'svg')
  const path = document.createElementNS(SVG, 'path')
  svg.append(path)
  const shape = { width: WIDTH, height: HEIGHT, 'aria-hidden': true }
  for (const [name, value] of Object.entries(shape)) svg.setAttribute(name, String(value))
  let shown = ''
  return {
    element: svg,
    show(drawn) {
      if (drawn !== shown) path.setAttribute('d', (shown = drawn))
    },
  }
}

const SVG = 'http://www.w3.org/2000/svg'

function summaryWords(
  route: Route,
  { isOld, isGone, waiting }: Pick<ShownRow, 'isOld' | 'isGone' | 'waiting'>,
): [first: string, last: string] {
  if (isGone) return [text('route.gone'), '']
  return waiting ? [text(`waiting.${waiting}`), ''] : summaryOf(route, isOld)
}

/** Why a command cannot be given now; empty when it can. */
export function whyNot(verb: Action, route: Route, isOld: boolean): string {
  if (isOld) return text('old')
  return isBlocked(verb, route) ? text('protected.why') : ''
}

/** What a button does, or why it does not. */
export function controlLabel(verb: Action, name: string, why: string): string {
  const label = text(`label.${verb}`, { name })
  return why ? `${label}: ${why}` : label
}

function set(shown: HTMLElement, words: string): void {
  if (shown.textContent !== words) shown.textContent = words
}
