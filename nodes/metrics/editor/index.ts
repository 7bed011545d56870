// The form of the metrics node: one gateway is needed only where one is chosen, and the routes whose
// statistics are read are all of them or those that fit a pattern.
import { checks } from '../../editor/checks'
import { prepareForm } from '../../editor/form'
import type { Read } from '../../editor/fields'
import { text as shared, textsOf } from '../../editor/text'
import { manyAppliances, ownType } from '../../editor/typed'

const text = textsOf('metrics')

export const metrics = {
  prepareForm(node: EditorNode): void {
    prepareForm(node, {
      appliance: manyAppliances(),
      route: [
        { value: 'all', label: text('type.everyRoute'), hasValue: false },
        ownType('pattern', text('type.pattern'), 'asterisk'),
      ],
    })
  },

  check(read: Read, property: string): string | undefined {
    const value = read(property)
    if (property === 'gateway') {
      const isThere = typeof value === 'string' && Boolean(RED.nodes.node(value))
      return isThere || read('gateways') !== 'one' ? undefined : text('error.gateway')
    }
    if (property === 'route') {
      const isMissing = read('routeType') === 'pattern' && (value ?? '') === ''
      return isMissing ? shared('error.empty') : undefined
    }
    // Also while it is not shown: a node with a bad value does not start.
    const [key, values] =
      checks.statistics(String((value as string | undefined) ?? '').trim()) ?? []
    return key && shared(`error.${key}`, values)
  },
}
