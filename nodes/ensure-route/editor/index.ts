// The form of ensure route: what stands in the way of removing routes.
import { say } from '../../editor/element'
import { field, shownValue, type Read } from '../../editor/fields'
import { prepareForm } from '../../editor/form'
import { textsOf } from '../../editor/text'
import { faultOf, type Checked } from './settings'

const text = textsOf('ensure-route')

export const ensure = {
  prepareForm(node: EditorNode): void {
    prepareForm(node)
    followRemoval(node)
  },

  check(read: Read, property: string): string | undefined {
    const [key, values] = faultOf(read, property as Checked) ?? []
    return key && text(`error.${key}`, values)
  },
}

/** Says below the choice why it is not possible as the form is. */
function followRemoval(node: EditorNode): void {
  const place = document.querySelector<HTMLElement>('#media-gateway-ensure-fault')!
  const read: Read = (name) => shownValue(node, name)
  const show = (): void => say(place, ensure.check(read, 'remove') ?? '')
  for (const property of ['remove', 'state', 'approve', 'check', 'definition']) {
    field(node, property).on('change', show)
  }
  show()
}
