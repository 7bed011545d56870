// The form accepts the definitions that the checks before sending and the simulator accept.
import { DEFINITION_CASES, type DefinitionCase } from '../support/definition-cases'
import { CONFIG, inBrowser, sharedEditor, type Editor, type EditorRED } from '../support/editor'

declare const RED: EditorRED

inBrowser('what a new route may be in the form', function () {
  this.timeout(180_000)

  let editor: Editor

  before(async () => {
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'Routes' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: 'http://127.0.0.1:1' },
      {
        id: 'create',
        type: `${CONFIG}-create-route`,
        z: 'tab',
        x: 100,
        y: 100,
        name: '',
        gateway: 'gateway',
        device: '',
        deviceType: 'auto',
        definition: '{}',
        definitionType: 'json',
        validate: true,
        startRoute: false,
        waitFor: 'accepted',
        waitTimeout: 30,
        wires: [[]],
      },
    ])
    await editor.open()
  })
  after(() => editor?.rest())

  const give = ({ definition }: DefinitionCase) =>
    editor.page.evaluate((text) => {
      const node = Object.assign(RED.nodes.node('create')!, { definition: text })
      RED.editor.validateNode(node)
      return node.valid
    }, JSON.stringify(definition))

  it('a node is valid when its definition is in order', async () => {
    const wrong: string[] = []
    for (const each of DEFINITION_CASES) {
      if ((await give(each)) !== each.isTaken) wrong.push(each.what)
    }
    should(wrong).eql([])
  })

  it('the dialog shows faults of what is not in order, and none of what is', async () => {
    // One of a kind: a dialog takes its time.
    const shown = DEFINITION_CASES.filter(
      ({ what }, at) => at % 9 === 0 || /listener|without a mode/i.test(what),
    )
    const wrong: string[] = []
    for (const each of shown) {
      await give(each)
      await editor.openForm('create')
      const faults = await editor.page
        .locator(
          ['fault', 'mark', 'problems li'].map((kind) => `.media-gateway-route-${kind}`).join(),
        )
        .allTextContents()
      const said = faults.filter(Boolean)
      if ((said.length === 0) !== each.isTaken) wrong.push(`${each.what}: ${said.join()}`)
      await editor.press('cancel')
    }
    should(wrong).eql([])
  })
})
