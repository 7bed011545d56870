// One picker: below a field it says what its value is, and offers what there is to choose from.
import { titleOf, type RequestError } from '../ask'
import { element, iconOf, say } from '../element'
import { field } from '../fields'
import { signIcon } from '../states'
import { text } from '../text'
import type { Choice, Entry, Offer } from './choices'
import { createListbox } from './list'

export interface TypedField {
  /** Has the value for the editor, and lags behind while the user types. */
  hidden: EditorQuery
  type: EditorQuery
  frame: HTMLElement
  input: HTMLInputElement
}

export function typedField(node: EditorNode, property: string): TypedField {
  const hidden = field(node, property)
  const frame = hidden.get(0).nextElementSibling as HTMLElement
  const input = frame.querySelector<HTMLInputElement>('.red-ui-typedInput-input')!
  return { hidden, frame, input, type: field(node, `${property}Type`) }
}

/** The editor gives its typed inputs no name: they have the label of their row, whose text may come later. */
export function nameByLabel({ hidden, input }: TypedField): void {
  const id = hidden.attr('id')
  const label = document.querySelector(`label[for="${id}"]`)
  if (!label) return
  label.id ||= `${id}-label`
  input.setAttribute('aria-labelledby', label.id)
}

export const entryOf = ({ type, input }: TypedField): Entry => ({
  type: type.val() ?? '',
  value: input.value,
})

export interface PickerOptions {
  label: string
  entry: () => Entry
  look: () => { loading: boolean; failure?: RequestError }
  /** Undefined while nothing is known. */
  offer: () => Offer | undefined
  /** What a value of this type is of a choice; undefined for a type without a list. */
  keyOf: (type: string) => 'id' | 'name' | undefined
  /** The types of which the line says something, besides those with a list. */
  isDescribed: (type: string) => boolean
  describe: (entry: Entry, choices: Choice[]) => (Node | string)[]
  /** The prefix of its texts. */
  of: 'picker' | 'picker.appliance'
  update: () => void
  reload: () => void
}

export function createPicker(property: string, its: TypedField, options: PickerOptions) {
  const { hidden, frame, input } = its
  const { look, entry, offer, keyOf } = options

  const opener = iconOnly('button.media-gateway-picker-open', text('picker.open'), 'angle-down')
  opener.tabIndex = -1
  const id = `media-gateway-picker-says-${property}`
  const remark = element('span.media-gateway-picker-says', { id, role: 'status' })
  const reloader = iconOnly(
    'button.media-gateway-picker-reload',
    text(`${options.of}.reload`),
    'refresh',
  )
  const line = element('div.media-gateway-picker', remark, reloader)
  frame.append(opener)
  frame.parentElement!.append(line)

  const isPicked = () => keyOf(entry().type) !== undefined
  const isOn = () => isPicked() || options.isDescribed(entry().type)
  const valueOf = (choice: Choice): string => choice[keyOf(entry().type) ?? 'id']
  const list = createListbox({
    input,
    frame,
    label: options.label,
    isOn: isPicked,
    choices: () => offer()?.items ?? (look().loading ? undefined : []),
    valueOf,
    pick: (choice) => hidden.typedInput('value', valueOf(choice)),
  })
  opener.addEventListener('mousedown', (event) => event.preventDefault())
  opener.addEventListener('click', list.toggle)
  reloader.addEventListener('click', options.reload)
  input.addEventListener('focus', options.update)
  nameByLabel(its)

  function words(): (Node | string)[] {
    const { loading, failure } = look()
    if (failure) {
      const { code, message } = failure
      const title = code === undefined ? [] : [element('b', titleOf(code)), ': ']
      return [...warning(), ...title, message]
    }
    const offered = offer()
    if (!offered) return [text(loading ? `${options.of}.loading` : 'picker.notAsked')]
    const { items, why } = offered
    return why === undefined ? options.describe(entry(), items) : [why]
  }

  function show(): void {
    line.hidden = !isOn()
    opener.hidden = !isPicked()
    if (isOn()) input.setAttribute('aria-describedby', remark.id)
    else input.removeAttribute('aria-describedby')
    list.show()
    if (!isOn()) return
    line.classList.toggle('media-gateway-loading', look().loading)
    say(remark, ...words())
  }

  return { isOn, show }
}

const iconOnly = (what: `button.${string}`, title: string, icon: string): HTMLButtonElement =>
  element(what, { title, ariaLabel: title }, iconOf(icon))

export const warning = (): (Node | string)[] => [signIcon('warning'), ' ']

/** More names would not fit in a line. */
const MOST_NAMES = 5

/** How many names match a pattern, and the first of them. */
export function matches(names: string[], of: 'picker' | 'picker.appliance') {
  const number = names.length
  if (number === 0) return [...warning(), text(`${of}.fitsNone`)]
  const more = number > MOST_NAMES ? ', …' : ''
  const head = text(`${of}.${number === 1 ? 'fitsOne' : 'fits'}`, { number })
  return [`${head}: `, element('b', names.slice(0, MOST_NAMES).join(', ')), more]
}
