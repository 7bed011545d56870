// What is wrong with an inventory that is typed into the form: as the run time would say it, before it
// is deployed.
import { sentenceOf } from '../../editor/ask'
import { checkRows, type RowRules } from '../../../client/model/inventory'
import { isVariable } from '../../editor/checks'
import { element, say } from '../../editor/element'
import { field, read } from '../../editor/fields'
import { typedField } from '../../editor/pickers/picker'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'

/** The fields from which a row takes what it leaves out, and which the form can read. */
const DEFAULTS = ['baseUrl', 'fingerprint'] as const

/** The forms have their own words for each sentence. */
export const sayToForm = ((key, values = {}) => ({ key, words: '', values })) as RowRules['say']

export const inWords = (said: ReadonlyArray<ReturnType<RowRules['say']>>): string =>
  sentenceOf({
    message: '',
    sentences: said.flatMap(({ key, values }) => (key ? [{ key, values }] : [])),
  })

/** The faults of an inventory that is typed here. Only the run time knows the values of variables. */
export function typedInventoryFaults(valueOf: (property: string) => unknown): string[] {
  const value = valueOf('inventory')
  if (valueOf('inventoryType') !== 'json' || typeof value !== 'string') return []
  if (value.trim() === '' || isVariable(value)) return []
  const defaults = Object.fromEntries(DEFAULTS.map((name) => [name, valueOf(name)]))
  const { faults, failure } = checkRows(value, { say: sayToForm, defaults, isTyped: true })
  const said = failure ? [[failure]] : faults.map(({ sentences }) => sentences)
  return said.map(inWords)
}

export function faultList(faults: readonly string[], most: number): HTMLElement {
  const more = faults.length - most
  const row = (sign: 'critical' | 'plain', words: string) =>
    element('li', signIcon(sign), element('span', words))
  return element(
    'ul.media-gateway-faults',
    ...faults.slice(0, most).map((words) => row('critical', words)),
    more > 0 && row('plain', text('connection.inventory.more', { number: more })),
  )
}

/** More would push the rest of the form out of sight. */
const MOST_SHOWN = 5

export function prepareInventory(node: EditorNode): void {
  const place = document.querySelector<HTMLElement>('#media-gateway-inventory-faults')!
  const { input } = typedField(node, 'inventory')
  input.ariaLabel = text('label.inventory')
  input.setAttribute('aria-describedby', place.id)
  function show(): void {
    const faults = typedInventoryFaults((property) => read(field(node, property)))
    input.ariaInvalid = String(faults.length > 0)
    say(place, ...(faults.length > 0 ? [faultList(faults, MOST_SHOWN)] : []))
  }

  // What is being typed is not wrong before it is complete; what was wrong may be right already.
  const typed = (): void => void (place.hasChildNodes() && show())
  for (const property of ['inventory', ...DEFAULTS]) {
    field(node, property).on('change', show).on('keyup', typed)
  }
  show()
}
