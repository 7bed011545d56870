import { element } from '../../editor/element'

/** A button with words; `name` says more where they are short. */
export function textButton(words: string, name?: string): HTMLButtonElement {
  return element('button.media-gateway-sidebar-button', {
    textContent: words,
    ...(name !== undefined && { ariaLabel: name, title: name }),
  })
}
