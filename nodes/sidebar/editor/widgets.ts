// The buttons, fields and messages around the lists and in the details.
import { element, say, type Properties } from '../../editor/element'
import { text } from './text'

/** Disabled, a button would lose the focus: while it is `aria-disabled`, it does nothing. */
export function textButton(
  words: string,
  press: () => void,
  properties: Properties<'button'> = {},
): HTMLButtonElement {
  const button: HTMLButtonElement = element('button.media-gateway-sidebar-button', {
    textContent: words,
    onclick: () => void (button.ariaDisabled === 'true' || press()),
    ...properties,
  })
  return button
}

/** For a button whose words say too little. */
export const named = (name: string) => ({ ariaLabel: name, title: name })

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

export function choiceField(
  of: string,
  values: readonly string[],
  onChange: () => void,
): HTMLSelectElement {
  const offered = values.map((value) => new Option(text(`${of}.${value}`), value))
  return element('select', { ariaLabel: text(`${of}.label`), onchange: onChange }, ...offered)
}

/** A message, which stays until it is closed. @param label what its button does */
export function createMessage(role: string | null, onClose: () => void, label = text('close')) {
  const words = element('span')
  const close = element('button.media-gateway-sidebar-close', {
    textContent: '✕',
    ariaLabel: label,
    title: label,
    onclick: onClose,
  })
  const box = element('div.media-gateway-sidebar-fault', { hidden: true }, words, close)
  box.role = role
  return {
    element: box,
    show(said: string): void {
      say(words, said)
      box.hidden = said === ''
    },
  }
}

/** The pointer or the focus is on it: what it shows stays where it is. */
export const isHeld = (place: Element): boolean => place.matches(':hover, :focus-within')

export function whenReleased(place: HTMLElement, release: () => void): void {
  const releaseSoon = () => requestAnimationFrame(() => void (isHeld(place) || release()))
  for (const event of ['mouseleave', 'focusout']) place.addEventListener(event, releaseSoon)
}
