// The form of the config node: besides plain rows, it has an inventory, and can test the connection.
import { isVariable } from '../../editor/checks'
import { field, type Read } from '../../editor/fields'
import { prepareForm } from '../../editor/form'
import { text } from '../../editor/text'
import { ownType, type TypedChoices } from '../../editor/typed'
import { prepareCallers } from './callers'
import { prepareFleet } from './fleet'
import { prepareInventory } from './inventory'
import { faultOf, type Checked } from './settings'
import { prepareTabs } from './tabs'
import { prepareTest } from './test'

/** Node-RED replaces a variable only where nothing else is in the value, not even the end of a line. */
function preparePatterns(node: EditorNode, property: string): void {
  const input = field(node, property)
  input.on('change', () => {
    const value = String(input.val())
    if (isVariable(value)) input.val(value.trim())
  })
}

const sources = (none: string): TypedChoices[string] => [
  { value: 'none', label: text(none), hasValue: false },
  'json',
  ownType('file', text('type.file'), 'file-text-o'),
  'env',
  'global',
]

export const gateway = {
  prepareForm(node: EditorNode): void {
    prepareForm(node, {
      inventory: sources('type.oneGateway'),
      callers: sources('type.noNames'),
    })
    prepareInventory(node)
    prepareCallers(node)
    prepareFleet(node)
    prepareTest(node)
    preparePatterns(node, 'protectedRoutes')
    preparePatterns(node, 'inventoryHosts')
    prepareTabs()
  },

  /** A property that a flow does not have takes its default when it runs. */
  check: (read: Read, property: string): string | undefined =>
    read(property) === undefined && property !== 'engine'
      ? undefined
      : faultOf(read, property as Checked),
}
