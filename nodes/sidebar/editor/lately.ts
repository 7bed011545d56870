// The incidents of an appliance: open ones first, and those that have ended.
import { element, say } from '../../editor/element'
import { dateOf, timeOf } from '../../editor/text'
import type { Happening } from '../../wire'
import { text } from './text'

export function createLately(label: string) {
  // It scrolls, so the keyboard has to reach it.
  const list = element('ul.media-gateway-sidebar-lately', { ariaLabel: label, tabIndex: 0 })
  let shown: readonly Happening[] = []

  function draw(): void {
    // What somebody reads stays where it is.
    if (list.matches(':hover') && list.childElementCount > 0) return
    const rows = [...shown].sort(byPlace).map(rowOf)
    say(list, ...(rows.length > 0 ? rows : [element('li', text('lately.none'))]))
  }

  list.addEventListener('mouseleave', draw)
  draw()
  return {
    element: list,
    take(happenings: readonly Happening[]): void {
      shown = happenings
      draw()
    },
  }
}

/** Open ones first, the critical before the warnings; then the latest end first. */
function byPlace(one: Happening, other: Happening): number {
  return placeOf(one) - placeOf(other) || timeOfEnd(other) - timeOfEnd(one)
}

function placeOf(happening: Happening): number {
  if ('from' in happening || happening.until !== null) return 2
  return happening.severity === 'critical' ? 0 : 1
}

const timeOfEnd = (happening: Happening): number =>
  'from' in happening ? happening.at : (happening.until ?? happening.since)

function rowOf(happening: Happening): HTMLElement {
  if ('from' in happening) {
    const from = whenOf(happening.from)
    return lineOf(happening.from, from, text('lately.gap', { from, to: whenOf(happening.at) }))
  }
  const { since, until, severity, text: words } = happening
  const from = whenOf(since)
  if (until !== null) {
    const duration = durationOf(until - since)
    return lineOf(since, text('lately.lasted', { from, duration }), words)
  }
  const row = lineOf(since, text('lately.since', { time: from }), words)
  row.dataset['tone'] = severity
  return row
}

function lineOf(at: number, when: string, words: string): HTMLElement {
  const time = element('time', { dateTime: new Date(at).toISOString() }, when)
  return element('li', time, ' ', element('span', words))
}

/** With the date, unless it is today. */
function whenOf(at: number): string {
  const when = new Date(at)
  const isToday = when.toDateString() === new Date().toDateString()
  return isToday ? timeOf(when) : dateOf(when)
}

function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const all = Math.floor(seconds / 60)
  if (all === 0) return text('lately.duration.seconds', { seconds })
  const [hours, minutes] = [Math.floor(all / 60), all % 60]
  return text(`lately.duration.${hours === 0 ? 'minutes' : 'hours'}`, { hours, minutes })
}
