// The destinations of a route: rows to open, close, move and remove.
import { edit, partFields, type Edited, type PartUse } from './model'
import { matcher } from '../../../client/model/ids'
import { isObject, own, type JsonObject, objectsIn, plainText } from '../../../client/model/json'
import { protocolOf } from '../../../client/model/convert'
import { element, iconOf, say, smallButton } from '../element'
import { isThere, prepareRemove } from '../rows'
import { newId, type Context } from './context'
import type { Faults } from './faults'
import { makeGroup, type Group } from './group'
import { text } from './text'

interface Added {
  part?: unknown
}

export function makeDestinations(context: Context, saved: readonly unknown[]) {
  const rows = new Map<Element, ReturnType<typeof makeRow>>()
  const id = newId(context.id)
  const list = element('ol', { 'aria-labelledby': id })
  const title = element('div.media-gateway-route-title', { id }, text('destinations'))
  const offer = makeOffer(context, { isGiven: (one) => matching(present().map(readRow), one), add })
  const made = element('div.media-gateway-route-destinations', title, list, offer.element)

  /** A destination of the route, to be changed: its name finds it, or where several have it its ID. */
  function add(part: JsonObject): void {
    $(list).editableList<Added>('addItem', { part })
    const [last] = present().slice(-1)
    rows.get(last!)!.open()
    context.changed()
  }

  /** In their order on the page. */
  const present = () => [...list.children].filter((item) => rows.has(item) && isThere(item))
  const indexOf = (item: Element) => present().indexOf(item)
  const readRow = (item: Element) => rows.get(item)!.read()

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
      const row = makeRow(context, content, added.part ?? {}, { isFresh, path })
      rows.set(item, row)
      row.head.append(moveButton(item, 'up'), moveButton(item, 'down'))
      prepareRemove(item, text('removeDestination'), context.changed)
      if (!isFresh) return
      row.focus()
      context.changed()
    },
  })
  for (const part of saved) $(list).editableList<Added>('addItem', { part })

  function moveButton(item: Element, way: 'up' | 'down'): HTMLButtonElement {
    const move = (): void => {
      if (way === 'up') item.previousElementSibling?.before(item)
      else item.nextElementSibling?.after(item)
      button.focus()
      context.changed()
    }
    const button = smallButton(move, iconOf(`arrow-${way}`), { ariaLabel: text(way) })
    return button
  }

  return {
    element: made,
    refresh(): void {
      for (const item of present()) rows.get(item)!.refresh()
      offer.show()
    },
    read: (): unknown[] => present().map(readRow),
    showFaults(faults: Faults): void {
      offer.show()
      for (const item of present()) rows.get(item)!.showFaults(faults)
    },
  }
}

function makeRow(
  context: Context,
  content: HTMLElement,
  saved: unknown,
  { isFresh, path }: { isFresh: boolean; path: () => string },
) {
  let edited: Edited = { part: isObject(saved) ? saved : {}, parked: [] }
  let group: Group | undefined
  const body = element('div', { id: newId(context.id) })
  const caret = iconOf('caret-right')
  const summary = element('span')
  const mark = element('span.media-gateway-route-mark')
  const shown = [caret, ' ', summary, ' ', mark]
  const toggle = element(
    'button.media-gateway-route-toggle',
    { 'aria-controls': body.id },
    ...shown,
  )
  const head = element('div.media-gateway-route-head', toggle)
  content.append(head, body)

  function open(isOpen: boolean): void {
    body.hidden = !isOpen
    caret.className = `fa fa-caret-${isOpen ? 'down' : 'right'}`
    toggle.ariaExpanded = String(isOpen)
    if (!isOpen || group) return
    // Not before the user opens it: a route may have a hundred of them.
    group = isObject(saved) ? fields() : undefined
    body.append(group?.element ?? text('notAnObject'))
  }
  const use = (): PartUse => {
    const destinations = presentDestinations(context)
    const [at, ...others] = matcher(destinations)(edited.part)
    return at === undefined || others.length > 0
      ? context.use
      : { ...context.use, present: destinations[at] }
  }
  const fields = () =>
    makeGroup(context, {
      part: 'destination',
      fields: () => partFields('destination', edited.part, use()),
      edit(field, value) {
        edited = edit('destination', edited, field, value, use())
        summary.textContent = summaryOf(edited.part)
      },
      path,
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
    head,
    open: () => open(true),
    focus: () => group?.focus(),
    refresh: () => group?.refresh(),
    read: () => (isObject(saved) ? edited.part : saved),
    showFaults(faults: Faults): number {
      const count = (group?.showFaults(faults) ?? 0) + faults.takeAll(path())
      const isMarked = count > 0 && !isFresh
      const words = [iconOf('exclamation-triangle'), ` ${text('faults', { count })}`]
      mark.replaceChildren(...(isMarked ? words : []))
      return count
    },
  }
}

const presentDestinations = ({ present }: Context): JsonObject[] =>
  objectsIn(own(present(), 'destinations'))

/** True when a row is about this destination of the route. */
const matching = (given: readonly unknown[], one: JsonObject): boolean =>
  given.some((row) => isObject(row) && matcher([one])(row).length > 0)

/** The destinations of the route that have no row yet, to pick one that is to be changed. */
function makeOffer(
  context: Context,
  { isGiven, add }: { isGiven: (one: JsonObject) => boolean; add: (part: JsonObject) => void },
) {
  const select = element('select', { ariaLabel: text('changeDestination'), hidden: true })
  let offered: JsonObject[] = []

  function show(): void {
    const all = presentDestinations(context)
    const left = all.filter((one) => !isGiven(one))
    select.hidden = left.length === 0
    offered = left
    const options = left.map((one, index) => new Option(summaryOf(one), String(index)))
    say(select, new Option(text('changeDestination'), ''), ...options)
  }

  select.addEventListener('change', () => {
    const one = offered[Number(select.value)]
    if (select.value === '' || !one) return
    const { id, name } = one
    const isOnly = presentDestinations(context).filter((other) => other.name === name).length === 1
    add(isOnly ? { name } : { id })
    show()
  })
  return { element: select, show }
}

/** Name, protocol and place, as they are in the definition. */
function summaryOf(part: unknown): string {
  if (!isObject(part)) return JSON.stringify(part) ?? ''
  const protocol = plainText(protocolOf('destination', part)).toUpperCase()
  const paths = own(part, 'srtNetworkBondingParams') ?? own(part, 'rtpNetworkBondingParams')
  const [first]: unknown[] = Array.isArray(paths) ? paths : []
  const at = own(part, 'address') !== undefined || !first ? part : first
  const place = [plainText(own(at, 'address')), plainText(own(at, 'port'))].filter(Boolean)
  const words = [plainText(own(part, 'name')), protocol, place.join(':')].filter(Boolean)
  return words.join(' · ') || text('newDestination')
}
