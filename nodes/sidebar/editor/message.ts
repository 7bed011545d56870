import { element, setText } from '../../editor/element'
import { text } from './text'

/**
 * Creates a message, usually about a fault, which stays until it is closed.
 * @param label what its button does
 */
export function createMessage(onClose: () => void, label = text('close')) {
  const words = element('span')
  const close = element('button.media-gateway-sidebar-close', {
    textContent: '✕',
    ariaLabel: label,
    title: label,
    onclick: onClose,
  })
  const box = element('div.media-gateway-sidebar-fault', { hidden: true }, words, close)
  return {
    element: box,
    /** Shows the words, or hides the message when there are none. */
    show(said: string): void {
      setText(words, said)
      box.hidden = said === ''
    },
  }
}
