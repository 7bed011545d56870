// The checks before sending, the stars of the form and the simulator accept the same definitions; the
// form does in test/editor/verdicts.test.ts.
import { createRoute } from '../../client/changes/create'
import { Operation } from '../../client/connection/operation'
import { openConnection, type Connection } from '../../client/connection/connection'
import { checkDefinition } from '../../client/model/definition'
import { partFields, routeFields } from '../../nodes/editor/route-form/model'
import { isObject, type JsonObject } from '../../client/model/json'
import { startSimulator, type Simulator } from '../../simulator'
import { DEFINITION_CASES, type DefinitionCase } from '../support/definition-cases'
import { endEach } from '../support/connect'

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
  after(() => endEach(gateway, simulator))

  const create = ({ definition }: DefinitionCase) =>
    createRoute(
      gateway,
      { deviceId, definition, startRoute: false, waitFor: 'accepted', waitTimeout: 1000 },
      new Operation('create-route'),
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
