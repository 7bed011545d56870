// The buttons and fields above the lists and in the details.
import { element } from '../../editor/element'
import { text } from './text'

/**
 * A button with words; `name` says more where they are short. Disabled, it would lose the focus: while
 * it is `aria-disabled`, it does nothing.
 */
export function textButton(words: string, press: () => void, name?: string): HTMLButtonElement {
  const button: HTMLButtonElement = element('button.media-gateway-sidebar-button', {
    textContent: words,
    onclick: () => void (button.ariaDisabled === 'true' || press()),
    ...(name !== undefined && { ariaLabel: name, title: name }),
  })
  return button
}

/** A field to search with. Escape empties it, which `onEmpty` learns. */
export function searchField(label: string, onType: () => void, onEmpty = onType): HTMLInputElement {
  const field = element('input', { type: 'text', placeholder: label, ariaLabel: label })
  field.addEventListener('input', onType)
  // The editor would apply keys to the flow.
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && field.value !== '') {
      field.value = ''
      onEmpty()
    }
    event.stopPropagation()
  })
  return field
}

/** @param of the prefix of its texts */
export function choiceField(
  of: string,
  values: readonly string[],
  onChange: () => void,
): HTMLSelectElement {
  const offered = values.map((value) => element('option', { value }, text(`${of}.${value}`)))
  return element('select', { ariaLabel: text(`${of}.label`), onchange: onChange }, ...offered)
}
