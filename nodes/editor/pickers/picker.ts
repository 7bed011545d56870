// One picker: below a field it says what its value is, and offers what there is to choose from.
import { patternFilter } from '../../../client/model/pattern'
import { titleOf, type RequestError } from '../ask'
import { isVariable } from '../checks'
import { element, iconOf, say } from '../element'
import { field } from '../fields'
import { signIcon, type State } from '../states'
import { text } from '../text'
import type { Choice, Entry, Kind, Offer } from './choices'
import { createListbox } from './list'

interface TypedField {
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

interface PickerOptions {
  kind: Kind | 'appliance'
  look: () => { loading: boolean; failure?: RequestError }
  /** Undefined while nothing is known. */
  offer: () => Offer | undefined
  /** The types of which the line says something, besides those with a list. */
  isDescribed: (type: string) => boolean
  /** What there is to say of what the value names; undefined where not enough is known. */
  describe: (entry: Entry, choices: Choice[]) => (Node | string)[] | undefined
  update: () => void
  reload: () => void
}

/** What a value of this type is of a choice; undefined for a type without a list. */
export function keyOf(type: string): 'id' | 'name' | undefined {
  if (type === 'str') return 'name'
  return type === 'id' || type === 'name' ? type : undefined
}

export function createPicker(property: string, its: TypedField, options: PickerOptions) {
  const { hidden, frame, input } = its
  const { kind, look, offer } = options
  const of = kind === 'appliance' ? 'picker.appliance' : 'picker'

  const opener = iconOnly('button.media-gateway-picker-open', text('picker.open'), 'angle-down')
  opener.tabIndex = -1
  const id = `media-gateway-picker-says-${property}`
  const remark = element('span.media-gateway-picker-says', { id, role: 'status' })
  const reloader = iconOnly('button.media-gateway-picker-reload', text(`${of}.reload`), 'refresh')
  const line = element('div.media-gateway-picker', remark, reloader)
  frame.append(opener)
  frame.parentElement!.append(line)

  const typeNow = () => entryOf(its).type
  const isPicked = () => keyOf(typeNow()) !== undefined
  const isOn = () => isPicked() || options.isDescribed(typeNow())
  const list = createListbox({
    input,
    frame,
    kind,
    isOn: isPicked,
    choices: () => offer()?.items ?? (look().loading ? undefined : []),
    valueFor: (choice) => choice[keyOf(typeNow()) ?? 'id'],
    pick: (value) => hidden.typedInput('value', value),
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
    if (!offered) return [text(loading ? `${of}.loading` : 'picker.notAsked')]
    const { items, why, number = items.length } = offered
    if (why !== undefined) return [why]
    const { type, value } = entryOf(its)
    const wanted = value.trim()
    if (isVariable(wanted)) return [text('picker.variable')]
    const all = [text(`picker.number.${kind}`, { number })]
    if (wanted === '') return all
    if (type !== 'pattern') return options.describe({ type, value: wanted }, items) ?? all
    return items.length < number ? all : matches(wanted, items)
  }

  /** How many names match a pattern, and the first of them. */
  function matches(pattern: string, items: readonly Choice[]): (Node | string)[] {
    const names = items.map(({ name }) => name).filter(patternFilter(pattern))
    const number = names.length
    if (number === 0) return [...warning(), text(`${of}.fitsNone`)]
    const more = number > MOST_NAMES ? ', …' : ''
    const head = text(`${of}.${number === 1 ? 'fitsOne' : 'fits'}`, { number })
    return [`${head}: `, element('b', names.slice(0, MOST_NAMES).join(', ')), more]
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

/** How it is and, where that tells it from others, where. */
export function stateAndPlace(state: State | undefined, place = ''): (Node | string)[] {
  const small = place === '' ? [] : [element('span.media-gateway-picker-place', place)]
  if (!state) return small
  const words = small.length > 0 ? ` ${state.word} · ` : ` ${state.word}`
  return [signIcon(state.sign, state.word), words, ...small]
}
