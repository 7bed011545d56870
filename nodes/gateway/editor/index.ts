// The form of the config node: besides plain rows, it can test the connection.
import { isVariable } from '../../editor/checks'
import { field } from '../../editor/fields'
import { prepareForm } from '../../editor/form'
import { prepareTest } from './test'

/** Node-RED replaces a variable only where nothing else is in the value, not even the end of a line. */
function preparePatterns(node: EditorNode): void {
  const input = field(node, 'protectedRoutes')
  input.on('change', () => {
    const value = String(input.val())
    if (isVariable(value)) input.val(value.trim())
  })
}

export const gateway = {
  /** To call in `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    prepareForm(node)
    prepareTest(node)
    preparePatterns(node)
  },
}
