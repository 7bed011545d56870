// The form of the metrics node: one gateway is needed only where one is chosen, and the routes whose
// statistics are read are all of them or those that fit a pattern.
import { prepareForm } from '../../editor/form'
import { shownValue } from '../../editor/fields'
import { reason, text as shared, textsOf, type CheckOptions } from '../../editor/text'
import { manyAppliances, ownType } from '../../editor/typed'

const text = textsOf('metrics')

export const metrics = {
  /** To call in `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    prepareForm(node, {
      appliance: manyAppliances(),
      route: [
        { value: 'all', label: text('type.everyRoute'), hasValue: false },
        ownType('pattern', text('type.pattern'), 'asterisk'),
      ],
    })
  },

  /** True, or that a gateway is missing. */
  checkGateway(node: EditorNode, value: unknown, options: CheckOptions = {}): true | string {
    if (shownValue(node, 'gateways') !== 'one') return true
    const isThere = typeof value === 'string' && Boolean(RED.nodes.node(value))
    return isThere || reason(text('error.gateway'), options)
  },

  /** True, or that a pattern is missing. */
  checkRoute(node: EditorNode, value: unknown, options: CheckOptions = {}): true | string {
    const isMissing = shownValue(node, 'routeType') === 'pattern' && (value ?? '') === ''
    return !isMissing || reason(shared('error.empty'), options)
  },
}
