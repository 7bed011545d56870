// The list of limits on statistics.
import { choiceOf, element } from '../../editor/element'
import { faultsOf, MEASURES, NUMBERS, PLACES } from '../../../client/model/watch'
import { isThere, prepareRemove } from '../../editor/rows'
import { text } from './text'

type Limit = Record<string, unknown>

/** Shows the limits of a node; returns a function that reads them back. */
export function showLimits(saved: unknown): () => Limit[] {
  const rows: ReturnType<typeof showRow>[] = []
  const list = $('#media-gateway-watch-limits')
  list.editableList<Limit>({
    addButton: text('limit.add'),
    removable: true,
    height: 'auto',
    addItem: (content, _, limit) => {
      // A row that the user adds has not been filled in yet.
      const added = Object.keys(limit).length === 0
      rows.push(showRow(content.get(0), added ? { measure: 'bitrate' } : limit, !added))
    },
  })
  for (const limit of Array.isArray(saved) ? (saved as unknown[]) : []) {
    list.editableList<Limit>('addItem', { measure: '', ...(limit as Limit | null) })
  }
  return () => rows.filter(({ item }) => isThere(item)).map(({ read }) => read())
}

let counter = 0

function showRow(content: HTMLElement, limit: Limit, complains: boolean) {
  const item = content.parentElement!
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
  prepareRemove(item, text('limit.remove'))

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
  return { item, read }
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

function select(name: string, known: readonly string[], value: unknown): HTMLSelectElement {
  const choices = known.map((each) => [each, text(`${name}.${each}`)] as const)
  const made = choiceOf(choices, typeof value === 'string' ? value : (known[0] ?? ''))
  made.ariaLabel = text(`limit.${name}`)
  return made
}
