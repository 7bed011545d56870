// A flow that version 0.1 saved, in the editor: nothing changes before it is edited.
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  type Editor,
  type EditorRED,
  type Properties,
} from '../support/editor'
import { contentOf } from '../support/root'

declare const RED: EditorRED

inBrowser('a flow saved by version 0.1', function () {
  this.timeout(60_000)

  const TAB = { id: 'tab', type: 'tab', label: 'Saved by 0.1' }
  const saved = (JSON.parse(contentOf('test/nodes/saved/0.1.json')) as Properties[]).map(
    (node, row) =>
      node['type'] === CONFIG
        ? node
        : { ...node, z: TAB.id, x: 200, y: 40 * row, wires: node['wires'] ?? [[]] },
  )
  let editor: Editor

  before(async () => {
    editor = await sharedEditor()
    await editor.deploy([TAB])
    await editor.open({
      blank: true,
      prepare: (page) =>
        page.evaluate((flow) => RED.nodes.import(flow, { generateIds: false }) && undefined, saved),
    })
  })
  after(() => editor?.rest())

  it('is exported as it was imported', async () => {
    for (const node of saved) should(await exported(node)).eql(node)
  })

  it('stays as it is when dialogs are opened and closed', async () => {
    for (const node of saved) {
      const id = String(node['id'])
      await editor.openForm(id)
      await editor.press('ok')
      should(await exported(node)).eql(node)
      should(await editor.state(id)).containEql({ changed: false })
    }
  })

  it('is of this version where a node is edited, and does there what it did', async () => {
    for (const node of saved) {
      const isConfig = node['type'] === CONFIG
      await editor.openForm(String(node['id']))
      await editor.page.fill(`#node-${isConfig ? 'config-' : ''}input-name`, 'edited')
      await editor.press('ok')
      // A longer name moves the middle of the node.
      const { x: _, ...edited } = await exported(node)
      const { x: __, ...expected }: Properties = {
        ...node,
        name: 'edited',
        configVersion: CONFIG_VERSION,
      }
      const isUpdate = node['type'] === 'media-gateway-update-route'
      if (isUpdate && !('mode' in node)) Object.assign(expected, { mode: 'keep' })
      should(edited).eql(expected)
    }
  })

  /** A node as it stands in the file of flows. */
  async function exported(node: Properties): Promise<Properties> {
    const json = JSON.stringify(await editor.exported(String(node['id'])))
    return JSON.parse(json) as Properties
  }
})
