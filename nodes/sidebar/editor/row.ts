import { element } from '../../editor/element'
import { isRunning, toneOf, type Route } from './route'
import { text } from './text'
import { mark, summaryOf } from './words'

export interface Row {
  readonly element: HTMLElement
  readonly button: HTMLButtonElement
  /** Shows a route, at a place in the list. */
  show(route: Route, shown: ShownRow): void
}

export interface ShownRow {
  index: number
  isActive: boolean
  isSelected: boolean
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
    show(route, { index, isActive, isSelected, waiting, mayControl }) {
      const runs = isRunning(route)
      sign.dataset['tone'] = waiting ? 'waiting' : toneOf(route, runs)
      set(name, route.name)
      name.title = route.name
      set(summary, waiting ? text(`waiting.${waiting}`) : summaryOf(route))
      summary.title = summary.textContent ?? ''
      action.hidden = !mayControl
      // A disabled button would lose the focus.
      button.setAttribute('aria-disabled', String(waiting !== undefined))
      set(button, text(runs ? 'stop' : 'start'))
      button.setAttribute(
        'aria-label',
        text(runs ? 'label.stop' : 'label.start', { name: route.name }),
      )
      row.dataset['route'] = route.id
      row.style.top = `${index * height}px`
      row.setAttribute('aria-rowindex', String(index + 1))
      row.setAttribute('aria-selected', String(isSelected))
      row.tabIndex = button.tabIndex = isActive ? 0 : -1
    },
  }
}

function set(shown: HTMLElement, words: string): void {
  if (shown.textContent !== words) shown.textContent = words
}
