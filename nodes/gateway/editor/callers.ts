// The names of callers as a table, below the JSON that it edits: one is always what the other is.
import { checkCallers, EXPECTED } from '../../../client/model/callers'
import { plainName } from '../../../client/model/inventory'
import { isObject, jsonIn } from '../../../client/model/json'
import { choiceOf, element } from '../../editor/element'
import { field } from '../../editor/fields'
import { isThere, prepareRemove } from '../../editor/rows'
import { text } from '../../editor/text'
import { inWords, sayToForm } from './inventory'

const COLUMNS = ['address', 'name', 'route', 'output', 'expected'] as const
type Column = (typeof COLUMNS)[number]

interface Row {
  /** As in the JSON; undefined where the user has added it and filled in nothing. */
  caller: unknown
}

export function prepareCallers(node: EditorNode): void {
  const input = field(node, 'callers')
  const place = document.querySelector<HTMLElement>('#media-gateway-callers')!
  const list = element('ol', { ariaLabel: text('label.callers') })
  place.append(list)
  const rows = new Map<Element, Row>()
  let written: string | undefined

  $(list).editableList<Row>({
    addButton: text('callers.add'),
    removable: true,
    // The first row that fits a caller counts.
    sortable: true,
    height: 'auto',
    sortItems: write,
    addItem(content, _, added) {
      const row: Row = { caller: undefined, ...added }
      const item = content.get(0).parentElement!
      rows.set(item, row)
      content.get(0).append(...fieldsOf(row, write))
      prepareRemove(item, text('callers.remove'), write)
    },
  })

  function write(): void {
    const callers = [...list.children]
      .filter((item) => isThere(item) && rows.get(item)?.caller !== undefined)
      .map((item) => rows.get(item)!.caller)
    written = JSON.stringify(callers)
    input.typedInput('value', written)
  }

  /** Puts the JSON into the table, which is gone while it is no list. */
  function show(): void {
    const value = (input.val() ?? '').trim()
    if (value === written) return
    written = value
    rows.clear()
    $(list).editableList('empty')
    const callers = value === '' ? [] : jsonIn(value)
    place.hidden = !Array.isArray(callers)
    if (!Array.isArray(callers)) return
    for (const caller of callers as unknown[]) $(list).editableList<Row>('addItem', { caller })
  }

  input.on('change', show)
  show()
}

/** The fields of a row, and what is wrong with it. Members that have no field stay as they are. */
function fieldsOf(row: Row, changed: () => void): HTMLElement[] {
  const fault = element('div.media-gateway-caller-fault', { role: 'status' })
  const check = () => {
    const [, wrong] = row.caller === undefined ? [] : checkCallers([row.caller], sayToForm).faults
    fault.textContent = wrong ? inWords([wrong]) : ''
  }
  const inputs = COLUMNS.map((column) => {
    const [key, value] = memberOf(row.caller, column)
    const made = column === 'expected' ? choice(value) : element('input', { type: 'text', value })
    made.ariaLabel = text(`callers.${column}`)
    if (made instanceof HTMLInputElement) made.placeholder = text(`callers.placeholder.${column}`)
    made.addEventListener('change', () => {
      const { [key]: _, ...others } = isObject(row.caller) ? row.caller : {}
      const given = made.value.trim()
      row.caller = given === '' ? others : { ...others, [key]: given }
      check()
      changed()
    })
    return made
  })
  check()
  return [element('div.media-gateway-caller', ...inputs), fault]
}

/** The name of a member in a row, which may be written in another way, and its value as a text. */
function memberOf(caller: unknown, column: Column): [key: string, value: string] {
  const names: string[] = column === 'address' ? ['address', 'network'] : [column]
  const members = Object.entries(isObject(caller) ? caller : {}).flatMap(
    ([key, value]): [string, string][] =>
      names.includes(plainName(key)) && ['string', 'number'].includes(typeof value)
        ? [[key, String(value)]]
        : [],
  )
  return members.find(([, value]) => value !== '') ?? members[0] ?? [column, '']
}

/** When a caller must be there. */
function choice(value: string): HTMLSelectElement {
  const known = ['', ...EXPECTED].map(
    (each) => [each, text(`callers.when.${each || 'never'}`)] as const,
  )
  const plain = value.trim().toLowerCase()
  return choiceOf(known, known.some(([each]) => each === plain) ? plain : value)
}
