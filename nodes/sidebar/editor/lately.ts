// What happened lately on an appliance.
import { element } from '../../editor/element'
import { text } from './text'

/** An event in one sentence, or a time in which nobody watched. */
export type Happening = { at: number; text: string } | { at: number; from: number }

export interface Lately {
  element: HTMLElement
  /** The list, oldest first. */
  take(happenings: readonly Happening[]): void
}

export function createLately(label: string): Lately {
  const list = element('ul', { className: 'media-gateway-sidebar-lately', ariaLabel: label })
  // It scrolls, so the keyboard has to reach it.
  list.tabIndex = 0
  let shown: readonly Happening[] = []
  let isLate = false

  function draw(): void {
    isLate = list.matches(':hover') && list.childElementCount > 0
    // What somebody reads stays where it is.
    if (isLate) return
    const rows = shown.map(rowOf).reverse()
    list.replaceChildren(...(rows.length > 0 ? rows : [element('li', {}, text('lately.none'))]))
  }

  list.addEventListener('mouseleave', () => {
    if (isLate) draw()
  })
  draw()
  return {
    element: list,
    take(happenings) {
      shown = happenings
      draw()
    },
  }
}

function rowOf(happening: Happening): HTMLElement {
  const { at } = happening
  const words =
    'text' in happening
      ? happening.text
      : text('lately.gap', { from: timeOf(happening.from), to: timeOf(at) })
  const time = element('time', { dateTime: new Date(at).toISOString() }, timeOf(at))
  return element('li', {}, time, element('span', {}, words))
}

/** With the date, unless it is today. */
function timeOf(at: number): string {
  const when = new Date(at)
  const isToday = when.toDateString() === new Date().toDateString()
  const form = { hourCycle: 'h23' } as const
  return isToday ? when.toLocaleTimeString([], form) : when.toLocaleString([], form)
}
