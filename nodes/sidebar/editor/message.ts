import { element, setText } from '../../editor/element'
import { text } from './text'

export interface Message {
  element: HTMLElement
  /** Shows the words, or hides the message when there are none. */
  show(words: string): void
}

/**
 * Creates a message, usually about a fault, which stays until it is closed.
 * @param label what its button does
 */
export function createMessage(onClose: () => void, label = text('close')): Message {
  const words = element('span')
  const close = element('button.media-gateway-sidebar-close', {
    textContent: '✕',
    ariaLabel: label,
    title: label,
  })
  close.addEventListener('click', onClose)
  const box = element('div.media-gateway-sidebar-fault', { hidden: true }, words, close)
  return {
    element: box,
    show(said) {
      setText(words, said)
      box.hidden = said === ''
    },
  }
}
