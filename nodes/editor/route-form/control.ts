// One field: its label, its input, its unit and its fault.
import { textOf, type FormField } from './model'
import { isMasked } from '../../../client/model/secrets'
import { choiceOf, element, iconOf } from '../element'
import type { Context } from './context'
import { labelOf, text, textOr } from './text'

export interface Control {
  field: FormField
  element: HTMLElement
  showFault: (words: string | undefined) => void
}

interface ControlOptions {
  label: string
  /** Takes what is in the field now. `chosen` when it was not typed. */
  edited: (text: string, chosen: boolean) => void
  left: () => void
}

export function makeControl(
  field: FormField,
  id: string,
  context: Context,
  options: ControlOptions,
): Control {
  const { member, value, name } = field
  const present = member.secret ? '' : (textOf(member, field.present) ?? '')
  const shown = textOf(member, value) ?? ''
  const isChosen = member.kind === 'choice' || member.kind === 'boolean'
  const input = isChosen ? select(field, shown, present) : textInput(field, shown, present, context)
  input.id = id
  if (field.required) input.ariaRequired = 'true'
  const fault = element('div.media-gateway-route-fault', { id: `${id}-fault` })
  const hint = element('div.media-gateway-route-hint', { id: `${id}-hint` })
  const updateHint = () => {
    const differs = present !== '' && input.value !== '' && input.value !== present
    row.classList.toggle('media-gateway-route-differs', differs)
    const words = [hintOf(field, input.value), differs ? text('now', { value: present }) : '']
    hint.textContent = words.filter(Boolean).join(' ')
    const isStored = member.secret === true && isMasked(input.value)
    hint.classList.toggle('media-gateway-route-stored', isStored)
  }
  input.addEventListener(isChosen ? 'change' : 'input', () => options.edited(input.value, isChosen))
  input.addEventListener('blur', options.left)
  input.setAttribute('aria-describedby', `${hint.id} ${fault.id}`)

  const star = field.required ? [' ', element('span.media-gateway-route-required', '*')] : []
  const unit = member.unit && textOr(`unit.${member.unit}`, member.unit)
  const row = element(
    'div.media-gateway-route-field',
    { 'data-member': name },
    element('label', { htmlFor: id, title: name }, options.label, ...star),
    input,
    unit && element('span.media-gateway-unit', unit),
    input instanceof HTMLInputElement && member.secret === true && showButton(input, name),
    hint,
    fault,
  )
  updateHint()
  input.addEventListener('input', updateHint)

  return {
    field,
    element: row,
    showFault(words) {
      fault.textContent = words ?? ''
      input.classList.toggle('input-error', words !== undefined)
      input.ariaInvalid = words === undefined ? null : 'true'
    },
  }
}

function hintOf({ member, name }: FormField, typed: string): string {
  if (member.secret) return text(isMasked(typed) ? 'hint.stored' : 'hint.readable')
  return member.kind === 'list' ? text('hint.list') : textOr(`hint.${name}`, '')
}

function textInput({ member, name }: FormField, value: string, present: string, context: Context) {
  const input = element('input', {
    type: member.secret ? 'password' : 'text',
    autocomplete: member.secret ? 'new-password' : 'off',
    spellcheck: false,
    placeholder: present || rangeOf(member),
    value,
  })
  if (member.kind === 'number') input.inputMode = 'decimal'
  if (name === 'networkInterface') {
    input.setAttribute('list', context.adapters.list.id)
    input.placeholder = present || text('automatic')
    input.addEventListener('focus', context.adapters.need)
  }
  return input
}

function rangeOf({ kind, secret, min, max }: FormField['member']): string {
  if (max === undefined) return ''
  if (kind === 'number') return `${min ?? 0} – ${max}`
  return secret ? text('characters', { least: min ?? 0, most: max }) : ''
}

function select({ member, name }: FormField, value: string, present: string): HTMLSelectElement {
  const choices: [string, string][] =
    member.kind === 'boolean'
      ? ['true', 'false'].map((each) => [each, text(each)])
      : (member.oneOf ?? []).map((each) => [each, wordsOfChoice(name, each)])
  const find = (wanted: string) =>
    choices.find(([each]) => each.toLowerCase() === wanted.toLowerCase())
  const known = find(value)
  if (known) known[0] = value
  const now = find(present)?.[1]
  const unset = present === '' ? text('unset') : text('unchanged', { value: now ?? present })
  return choiceOf([['', unset], ...choices], value)
}

/** A protocol is written as its name is; the other choices have words in each language. */
const wordsOfChoice = (name: string, value: string): string =>
  name === 'protocol' ? value.toUpperCase() : textOr(`choice.${name}.${value}`, value)

function showButton(input: HTMLInputElement, name: string): HTMLButtonElement {
  const icon = iconOf('eye')
  const ariaLabel = `${text('show')}: ${labelOf(name)}`
  const button = element('button.red-ui-button', { ariaLabel, ariaPressed: 'false' }, icon)
  button.addEventListener('click', () => {
    const isShown = input.type === 'text'
    input.type = isShown ? 'password' : 'text'
    icon.className = isShown ? 'fa fa-eye' : 'fa fa-eye-slash'
    button.ariaPressed = String(!isShown)
  })
  return button
}
