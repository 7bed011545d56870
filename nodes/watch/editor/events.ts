// Which events a watch reports: all, or those that are ticked.
import { EVENTS, eventsIn, isEvent } from '../../../client/model/watch'
import { element } from '../../editor/element'
import { text } from './text'

const GROUPS: Record<string, (name: string) => boolean> = {
  appliance: (name) => /^(appliance|device|peer|fleet)\./.test(name),
  routes: (name) => name.startsWith('route.'),
  ends: (name) => /^(source|destination|caller)\./.test(name),
  statistics: (name) => name.startsWith('statistics.'),
}

/** Shows the events of a node, none meaning all; returns a function that reads them back. */
export function showEvents(saved: unknown): () => string[] {
  const chosen = new Set(eventsIn(saved))
  // A flow of a later version may have more. They stay, and can be unticked.
  const others = [...chosen].filter((name) => !isEvent(name))
  const names: string[] = [...EVENTS, ...others]

  const boxes = new Map<string, HTMLInputElement>()
  for (const value of names) {
    const id = `media-gateway-watch-event-${boxes.size}`
    boxes.set(value, element('input', { type: 'checkbox', id, value, checked: chosen.has(value) }))
  }
  const group = (title: string, members: string[], titleOf: (name: string) => string) => {
    const rows = members.map((name) => {
      const box = boxes.get(name)!
      const label = element('label', { htmlFor: box.id }, titleOf(name))
      return element('div.media-gateway-watch-event', { title: name }, box, label)
    })
    return element('fieldset', element('legend', title), ...rows)
  }

  const choice = document.querySelector<HTMLSelectElement>('#media-gateway-watch-which')!
  const place = document.querySelector<HTMLElement>('#media-gateway-watch-events')!
  place.append(
    ...Object.entries(GROUPS).map(([key, isIn]) =>
      group(text(`group.${key}`), EVENTS.filter(isIn), (name) => text(`event.${name}`)),
    ),
  )
  if (others.length > 0) place.append(group(text('group.others'), others, (name) => name))
  choice.value = chosen.size === 0 ? 'all' : 'some'
  const update = () => (place.hidden = choice.value === 'all')
  choice.addEventListener('change', update)
  update()

  return () => (choice.value === 'all' ? [] : names.filter((name) => boxes.get(name)!.checked))
}
