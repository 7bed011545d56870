// The form of ensure route: what stands in the way of removing routes.
import { setText } from '../../editor/element'
import { field, shownValue } from '../../editor/fields'
import { prepareForm } from '../../editor/form'
import { faultOf, type Checked, type Read } from './settings'
import { text } from './text'

export const ensure = {
  /** To call in `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    prepareForm(node)
    followRemoval(node)
  },

  check: (node: EditorNode, property: string, value: unknown): string | undefined =>
    wordsOf((name) => (name === property ? value : shownValue(node, name)), property as Checked),
}

function wordsOf(read: Read, property: Checked): string | undefined {
  const [key, values] = faultOf(read, property) ?? []
  return key === undefined ? undefined : text(`error.${key}`, values)
}

/** Says below the choice why it is not possible as the form is. */
function followRemoval(node: EditorNode): void {
  const place = document.querySelector<HTMLElement>('#media-gateway-ensure-fault')!
  const show = (): void => {
    const words = wordsOf((name) => shownValue(node, name), 'remove') ?? ''
    setText(place, words)
  }
  for (const property of ['remove', 'state', 'approve', 'check', 'definition']) {
    field(node, property).on('change', show)
  }
  show()
}
