// The destinations of a route: rows to open, close, move and remove.
import { edit, partFields, type Edited } from './model'
import { isObject, own } from '../../../client/model/json'
import { protocolOf } from '../../../client/model/convert'
import { element } from '../element'
import { newId, type Context, type Group } from './context'
import type { Faults } from './faults'
import { makeGroup } from './group'
import { text } from './text'

export interface Destinations {
  element: HTMLElement
  read: () => unknown[]
  showFaults: (faults: Faults) => number
}

interface Row {
  read: () => unknown
  showFaults: (faults: Faults) => number
}

interface Added {
  part?: unknown
}

export function makeDestinations(context: Context, saved: readonly unknown[]): Destinations {
  const rows = new Map<Element, Row>()
  const list = element('ol', { id: newId(context.id) })
  const title = element('div', { className: 'media-gateway-route-title' }, text('destinations'))
  title.id = `${list.id}-title`
  list.setAttribute('aria-labelledby', title.id)
  const made = element('div', { className: 'media-gateway-route-destinations' }, title, list)

  /** In their order on the page. One that was removed fades out first. */
  const present = () =>
    [...list.children].filter(
      (item) => rows.has(item) && !item.classList.contains('red-ui-editableList-item-deleting'),
    )
  const indexOf = (item: Element) => present().indexOf(item)

  $(list).editableList<Added>({
    addButton: text('addDestination'),
    removable: true,
    sortable: true,
    height: 'auto',
    sortItems: () => context.changed(),
    addItem(query, _, added) {
      const content = query.get(0)
      const item = content.parentElement!
      const isFresh = !('part' in added)
      const path = () => `destinations[${indexOf(item)}]`
      const { row, focus } = makeRow(context, content, added.part ?? {}, { isFresh, path })
      rows.set(item, row)
      content
        .querySelector('.media-gateway-route-head')
        ?.append(...['up', 'down'].map((way) => moveButton(item, way as 'up' | 'down')))
      const remove = item.querySelector('.red-ui-editableList-item-remove')
      remove?.setAttribute('aria-label', text('removeDestination'))
      remove?.setAttribute('role', 'button')
      remove?.addEventListener('click', () => context.changed())
      if (!isFresh) return
      focus()
      context.changed()
    },
  })
  for (const part of saved) $(list).editableList<Added>('addItem', { part })

  function moveButton(item: Element, way: 'up' | 'down'): HTMLButtonElement {
    const button = element(
      'button',
      { type: 'button', className: 'red-ui-button red-ui-button-small' },
      element('i', { className: `fa fa-arrow-${way}`, ariaHidden: 'true' }),
    )
    button.setAttribute('aria-label', text(way))
    button.addEventListener('click', () => {
      if (way === 'up') item.previousElementSibling?.before(item)
      else item.nextElementSibling?.after(item)
      button.focus()
      context.changed()
    })
    return button
  }

  return {
    element: made,
    read: () => present().map((item) => rows.get(item)!.read()),
    showFaults: (faults) =>
      present().reduce((count, item) => count + rows.get(item)!.showFaults(faults), 0),
  }
}

function makeRow(
  context: Context,
  content: HTMLElement,
  saved: unknown,
  { isFresh, path }: { isFresh: boolean; path: () => string },
): { row: Row; focus: () => void } {
  let edited: Edited = { part: isObject(saved) ? saved : {}, parked: [] }
  let group: Group | undefined
  const body = element('div', { id: newId(context.id) })
  const caret = element('i', { className: 'fa fa-caret-right', ariaHidden: 'true' })
  const summary = element('span', {})
  const mark = element('span', { className: 'media-gateway-route-mark' })
  const toggle = element(
    'button',
    { type: 'button', className: 'media-gateway-route-toggle' },
    caret,
    ' ',
    summary,
    ' ',
    mark,
  )
  toggle.setAttribute('aria-controls', body.id)
  content.append(element('div', { className: 'media-gateway-route-head' }, toggle), body)

  function open(isOpen: boolean): void {
    body.hidden = !isOpen
    caret.className = `fa fa-caret-${isOpen ? 'down' : 'right'}`
    toggle.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen || group) return
    // Not before the user opens it: a route may have a hundred of them.
    group = isObject(saved) ? fields() : undefined
    body.append(group?.element ?? text('notAnObject'))
  }
  const fields = () =>
    makeGroup(context, {
      part: 'destination',
      fields: () => partFields('destination', edited.part, context.use),
      edit(field, value) {
        edited = edit('destination', edited, field, value, context.use)
        summary.textContent = summaryOf(edited.part)
      },
      path,
      bearer: 'name',
      isFresh,
    })

  summary.textContent = summaryOf(saved)
  toggle.addEventListener('click', () => {
    const hadFields = group !== undefined
    open(body.hidden === true)
    if (!hadFields) context.changed()
  })
  open(isFresh)

  return {
    row: {
      read: () => (isObject(saved) ? edited.part : saved),
      showFaults(faults) {
        const count = (group?.showFaults(faults) ?? 0) + faults.takeAll(path())
        mark.replaceChildren()
        if (count > 0 && !isFresh) {
          mark.append(
            element('i', { className: 'fa fa-exclamation-triangle', ariaHidden: 'true' }),
            ` ${text('faults', { count })}`,
          )
        }
        return count
      },
    },
    focus: () => group?.focus(),
  }
}

/** Name, protocol and place, as they are in the definition. */
function summaryOf(part: unknown): string {
  if (!isObject(part)) return JSON.stringify(part) ?? ''
  const shown = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const protocol = shown(protocolOf('destination', part)).toUpperCase()
  const paths = own(part, 'srtNetworkBondingParams') ?? own(part, 'rtpNetworkBondingParams')
  const [first]: unknown[] = Array.isArray(paths) ? paths : []
  const at = own(part, 'address') !== undefined || !first ? part : first
  const place = [shown(own(at, 'address')), shown(own(at, 'port'))].filter((each) => each !== '')
  const words = [shown(own(part, 'name')), protocol, place.join(':')].filter((each) => each !== '')
  return words.join(' · ') || text('newDestination')
}
