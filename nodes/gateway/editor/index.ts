// The form of the config node: besides plain rows, it can test the connection.
import { prepareForm } from '../../editor/form'
import { prepareTest } from './test'

export const gateway = {
  /** To call in `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    prepareForm(node)
    prepareTest(node)
  },
}
