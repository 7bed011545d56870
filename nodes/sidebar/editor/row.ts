import { element } from '../../editor/element'
import { isRunning, signOfRoute } from '../../editor/states'
import type { Route } from './route'
import { text } from './text'
import { mark, summaryOf } from './labels'

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
  waiting?: 'start' | 'stop'
  mayControl: boolean
}

/** A row of fixed height. */
export function createRow(height: number): Row {
  const sign = mark()
  const name = element('span', { className: 'media-gateway-sidebar-name' })
  const summary = element('span', { className: 'media-gateway-sidebar-summary' })
  const button = element('button', {
    type: 'button',
    className: 'media-gateway-sidebar-button',
  })
  const about = element('div', { className: 'media-gateway-sidebar-about' }, name, summary)
  const action = element('div', {}, button)
  const row = element('div', { className: 'media-gateway-sidebar-row' }, sign, about, action)
  row.setAttribute('role', 'row')
  for (const cell of [about, action]) cell.setAttribute('role', 'gridcell')
  row.style.height = `${height}px`

  return {
    element: row,
    button,
    show(route, { index, top, isActive, isSelected, isOld, isGone, waiting, mayControl }) {
      const runs = isRunning(route)
      row.classList.toggle('media-gateway-sidebar-old', isOld || isGone)
      sign.dataset['tone'] = waiting ? 'waiting' : signOfRoute(route)
      set(name, route.name)
      name.title = route.name
      set(summary, summaryWords(route, { isOld, isGone, waiting }))
      summary.title = summary.textContent ?? ''
      action.hidden = !mayControl || isGone
      // A disabled button would lose the focus.
      button.setAttribute('aria-disabled', String(waiting !== undefined || isOld))
      button.title = isOld ? text('old') : ''
      set(button, text(runs ? 'stop' : 'start'))
      button.setAttribute('aria-label', controlLabel(runs ? 'stop' : 'start', route.name, isOld))
      row.dataset['route'] = route.id
      row.style.top = `${top}px`
      row.setAttribute('aria-rowindex', String(index + 1))
      row.setAttribute('aria-selected', String(isSelected))
      row.tabIndex = button.tabIndex = isActive ? 0 : -1
    },
  }
}

function summaryWords(
  route: Route,
  { isOld, isGone, waiting }: Pick<ShownRow, 'isOld' | 'isGone' | 'waiting'>,
): string {
  if (isGone) return text('route.gone')
  return waiting ? text(`waiting.${waiting}`) : summaryOf(route, isOld)
}

/** What a button does, or why it does not. */
export function controlLabel(verb: 'start' | 'stop', name: string, isOld: boolean): string {
  const label = text(`label.${verb}`, { name })
  return isOld ? `${label}: ${text('old')}` : label
}

function set(shown: HTMLElement, words: string): void {
  if (shown.textContent !== words) shown.textContent = words
}
