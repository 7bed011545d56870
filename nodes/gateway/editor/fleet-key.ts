import { field } from '../../editor/fields'
import { text } from '../../editor/text'

const BYTES = 32

/** The button makes a key, and shows it: it has to be entered on the other instances too. */
export function prepareFleetKey(node: EditorNode): void {
  const input = field(node, 'fleetKey')
  const place = input.get(0) as HTMLInputElement
  const button = document.querySelector('#media-gateway-fleet-key')!
  button.textContent = text('fleetKey.generate')
  button.addEventListener('click', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(BYTES))
    place.type = 'text'
    input.val(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''))
    input.trigger('change')
    place.select()
  })
}
