// The form, the checks before sending and the simulator accept the same definitions.
import should from 'should'
import { createRoute } from '../../client/changes/create'
import { newOperation } from '../../client/connection/operation'
import { openConnection, type Connection } from '../../client/connection/connection'
import { checkDefinition } from '../../client/model/definition'
import { partFields, routeFields } from '../../nodes/editor/route-form/model'
import { isObject, type JsonObject } from '../../client/model/json'
import { startSimulator, type Simulator } from '../../simulator'
import { DEFINITION_CASES, type DefinitionCase } from '../support/definition-cases'
import { CONFIG, inBrowser, sharedEditor, type Editor, type EditorRED } from '../support/editor'

declare const RED: EditorRED

const check = ({ definition }: DefinitionCase) =>
  checkDefinition(definition, { kind: 'create' }, { validate: true })

describe('what a new route may be', () => {
  let simulator: Simulator
  let gateway: Connection
  let cookie: string
  let deviceId: string

  before(async () => {
    simulator = await startSimulator({ routes: [], applyDelay: 0 })
    deviceId = simulator.devices[0]!._id
    const account = { username: 'haiadmin', password: 'manager' }
    gateway = openConnection({ baseUrl: simulator.url, ...account })
    const login = await fetch(`${simulator.url}/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(account),
    })
    cookie = login.headers.getSetCookie()[0]!
  })
  after(async () => {
    await gateway.close()
    await simulator.stop()
  })

  const create = ({ definition }: DefinitionCase) =>
    createRoute(
      gateway,
      { deviceId, definition, startRoute: false, waitFor: 'accepted', waitTimeout: 1000 },
      newOperation('create-route'),
    )

  /** The status of a create with the definition as it stands. */
  async function sendRaw({ definition }: DefinitionCase): Promise<number> {
    const body = { action: 'create', deviceID: deviceId, elementType: 'route', fields: definition }
    const response = await fetch(`${simulator.url}/api/devices/${deviceId}/updates`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify(body),
    })
    await response.text()
    return response.status
  }

  it('each case is there once', () => {
    new Set(DEFINITION_CASES.map(({ what }) => what)).size.should.equal(DEFINITION_CASES.length)
    DEFINITION_CASES.length.should.be.above(40)
  })

  for (const each of DEFINITION_CASES) {
    const { what, isTaken, onlyChecked } = each
    it(`${isTaken ? 'takes' : 'refuses'} ${what}${onlyChecked ? `: ${onlyChecked}` : ''}`, async () => {
      simulator.clearJournal()
      const problems = check(each)
      if (isTaken) {
        should(problems).eql([])
        await create(each)
        should(missingIn(each.definition)).eql([])
        return
      }
      should(problems).not.eql([])
      await create(each).should.be.rejectedWith({ code: 'INVALID_INPUT' })
      simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.eql([])
      should(await sendRaw(each)).equal(onlyChecked ? 200 : 400)
    })
  }
})

/** The fields with a star that have nothing in them. */
function missingIn(definition: JsonObject): string[] {
  const { source, destinations } = definition
  const parts = [
    routeFields(definition, { needsName: true }),
    ...(isObject(source) ? [partFields('source', source, { isNew: true })] : []),
    ...(Array.isArray(destinations) ? destinations.filter(isObject) : []).map((part) =>
      partFields('destination', part, { isNew: true }),
    ),
  ]
  return (
    parts
      .flatMap(({ first, more }) => [...first, ...more])
      // Paths may also be joined in one text, as answers have them.
      .filter(({ required, member }) => required && !member.of)
      .filter(({ value }) => value === undefined || value === '')
      .map(({ key }) => key)
  )
}

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
