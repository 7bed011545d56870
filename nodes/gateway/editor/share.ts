// Which share of an inventory an instance works for: all, a part, or what a lease gives it.
import { field } from '../../editor/fields'
import { text } from '../../editor/text'

const WORDS = ['all', 'lease']

/** Beside the choice is the field of the property, shown while it holds a part. */
export function prepareShare(node: EditorNode): void {
  const choice = document.querySelector<HTMLSelectElement>('#media-gateway-share')!
  const input = field(node, 'share')
  const place = input.get(0)
  const now = () => input.val() ?? ''
  place.ariaLabel = text('label.part')
  let part = WORDS.includes(now()) ? '' : now()

  function show(): void {
    choice.value = WORDS.includes(now()) ? now() : 'part'
    place.hidden = choice.value !== 'part'
  }

  choice.addEventListener('change', () => {
    const isPart = choice.value === 'part'
    if (!WORDS.includes(now())) part = now()
    input.val(isPart ? part : choice.value)
    // As if it were typed: the form checks it.
    input.trigger('change')
    show()
    if (isPart) place.focus()
  })
  show()
}
