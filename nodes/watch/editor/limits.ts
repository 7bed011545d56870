// The list of limits on statistics.
import { element } from '../../editor/element'
import { faultsOf, MEASURES, NUMBERS, PLACES } from '../../../client/model/watch'
import { text } from './text'

type Limit = Record<string, unknown>

interface Row {
  content: HTMLElement
  read: () => Limit
}

/** Shows the limits of a node; returns a function that reads them back. */
export function showLimits(saved: unknown): () => Limit[] {
  const rows: Row[] = []
  const list = $('#media-gateway-watch-limits')
  list.editableList<Limit>({
    addButton: text('limit.add'),
    removable: true,
    height: 'auto',
    addItem: (content, _, limit) => {
      // A row that the user adds has not been filled in yet.
      const added = Object.keys(limit).length === 0
      const row = showRow(content.get(0), added ? { measure: 'bitrate' } : limit, !added)
      rows.push(row)
    },
  })
  for (const limit of Array.isArray(saved) ? (saved as unknown[]) : []) {
    list.editableList<Limit>('addItem', { measure: '', ...(limit as Limit | null) })
  }
  return () => rows.filter(isThere).map(({ read }) => read())
}

/** A row that was removed fades out first. */
function isThere({ content }: Row): boolean {
  return content.closest('.red-ui-editableList-item-deleting') === null
}

let counter = 0

function showRow(content: HTMLElement, limit: Limit, complains: boolean): Row {
  const id = `media-gateway-watch-limit-${counter++}`
  const fields = {
    measure: select('measure', MEASURES, limit['measure']),
    of: select('of', PLACES, limit['of']),
    low: input('low', limit['low']),
    high: input('high', limit['high']),
    hysteresis: input('hysteresis', limit['hysteresis']),
  }
  const fault = element('div.media-gateway-watch-fault', { id: `${id}-fault` })
  for (const [name, field] of Object.entries(fields)) {
    field.id = `${id}-${name}`
    field.setAttribute('aria-describedby', fault.id)
  }

  content.append(
    element('div.media-gateway-watch-limit', fields.measure, fields.of),
    element(
      'div.media-gateway-watch-limit',
      ...NUMBERS.map((name) => {
        const label = element('label', { htmlFor: fields[name].id }, text(`limit.${name}`))
        return element('div', label, fields[name])
      }),
    ),
    fault,
  )
  content.parentElement
    ?.querySelector('.red-ui-editableList-item-remove')
    ?.setAttribute('aria-label', text('limit.remove'))

  const read = (): Limit => ({
    ...limit,
    measure: fields.measure.value,
    of: fields.of.value,
    ...Object.fromEntries(NUMBERS.map((name) => [name, numberOf(fields[name].value)])),
  })
  const check = () => {
    const [found] = faultsOf(read())
    const wrong: readonly string[] = found?.fields ?? []
    for (const [name, field] of Object.entries(fields)) {
      field.classList.toggle('input-error', wrong.includes(name))
      field.ariaInvalid = String(wrong.includes(name))
    }
    fault.textContent = found ? text(`error.${found.key}`) : ''
  }
  content.addEventListener('change', check)
  if (complains) check()
  return { content, read }
}

/** What was typed, as it is saved: a number, or '' for nothing. What is neither stays, as a fault. */
function numberOf(typed: string): number | string {
  const trimmed = typed.trim()
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed
}

function input(name: string, value: unknown): HTMLInputElement {
  return element('input', {
    type: 'text',
    inputMode: 'decimal',
    autocomplete: 'off',
    placeholder: text(`placeholder.${name}`),
    value: typeof value === 'number' || typeof value === 'string' ? String(value) : '',
  })
}

/** A choice that keeps an unknown value. */
function select(name: string, known: readonly string[], value: unknown): HTMLSelectElement {
  const made = element(
    'select',
    { ariaLabel: text(`limit.${name}`) },
    ...known.map((each) => element('option', { value: each }, text(`${name}.${each}`))),
  )
  if (typeof value === 'string') {
    if (!known.includes(value)) made.append(element('option', { value }, value))
    made.value = value
  }
  return made
}
