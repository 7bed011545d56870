// Routes as a file, in a real Node-RED: definitions out, and definitions with secrets by name in.
import { HIDDEN } from '../../client/model/secrets'
import type { Definition } from '../../client/changes/definitions'
import type { Ensured } from '../../client/changes/ensure/apply'
import type { Route } from '../../client/model/types'
import { generateRoutes, startSimulator, type Simulator } from '../../simulator'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { failure, helper, load, result, send, unload, type Message } from '../support/flow'
import { until } from '../support/until'
import { gatewayAt } from '../support/connect'
import { afterThisTest } from '../support/hooks'

const ENVIRONMENT: Record<string, string> = {
  SRT_PROCESS: 'secret of the process',
  SRT_SHARED: 'secret of the process, shared',
  SRT_EMPTY: '',
  OTHER_PROCESS: 'secret of something else',
  MY_PROCESS: 'secret with a prefix of its own',
}

const variable = (name: string, value: string): object => ({ name, type: 'str', value })

let named = 0

/** A definition of a new route, with its secrets by name. */
const definitionWith = (srtPassPhrase: string, more: object = {}) => ({
  name: `Route ${++named}`,
  source: { name: 'in', ...SRT, port: 5000 + named, srtPassPhrase },
  destinations: [{ name: 'out', ...SRT, port: 6000 + named, srtPassPhrase }],
  ...more,
})

const SRT = { protocol: 'srt', srtMode: 'listener', address: '0.0.0.0' }

const NODES = {
  definitions: { type: 'media-gateway-list-routes', output: 'definitions' },
  names: { type: 'media-gateway-list-routes', output: 'definitions', secrets: 'names' },
  hidden: {
    type: 'media-gateway-list-routes',
    output: 'definitions',
    secrets: 'names',
    hideSecrets: true,
  },
  some: {
    type: 'media-gateway-list-routes',
    output: 'definitions',
    secrets: 'names',
    filter: 'studio',
    state: 'running',
  },
  'update-route': { mode: 'merge' },
  ensure: { type: 'media-gateway-ensure-route', waitTimeout: 5 },
  check: { type: 'media-gateway-ensure-route', check: true },
  absent: { type: 'media-gateway-ensure-route', state: 'absent', waitTimeout: 5 },
  import: { type: 'media-gateway-ensure-route', gateway: 'gateway-2', waitTimeout: 20 },
  'list-2': { type: 'media-gateway-list-routes', output: 'definitions', gateway: 'gateway-2' },
  'in-group': { type: 'media-gateway-create-route', g: 'group' },
  'own-prefix': { type: 'media-gateway-create-route', gateway: 'own' },
  'bad-prefix': { type: 'media-gateway-create-route', gateway: 'bad' },
  'unset-prefix': { type: 'media-gateway-create-route', gateway: 'unset' },
  instance: { type: 'subflow:sub', env: [variable('SRT_PLACE', 'secret of the subflow')] },
}

describe('routes as a file', () => {
  let simulator: Simulator
  let second: Simulator

  before(async () => {
    Object.assign(process.env, ENVIRONMENT)
    simulator = await startSimulator({ routes: generateRoutes(30) })
    second = await startSimulator({ routes: [] })
    const gateway = (id: string, baseUrl: string, more: object = {}): object => ({
      id,
      type: 'media-gateway',
      baseUrl,
      ...more,
    })
    const account = { username: 'haiadmin', password: 'manager' }
    await load(simulator.url, NODES, {
      env: [
        variable('SRT_PLACE', 'secret of the flow'),
        { name: 'SRT_NUMBER', type: 'num', value: '12345678901' },
      ],
      accounts: { 'gateway-2': account, own: account, bad: account, unset: account },
      others: [
        gateway('gateway-2', second.url),
        gateway('own', simulator.url, { secretPrefix: 'MY_' }),
        gateway('bad', simulator.url, { secretPrefix: 'A' }),
        gateway('unset', simulator.url, { secretPrefix: '${SECRET_PREFIX_TEST_UNSET}' }),
        {
          id: 'group',
          type: 'group',
          z: 'tab',
          nodes: ['in-group'],
          env: [variable('SRT_PLACE', 'secret of the group')],
        },
        {
          id: 'sub',
          type: 'subflow',
          name: 'sub',
          env: [variable('SRT_INSIDE', 'secret of the inside')],
          in: [{ x: 0, y: 0, wires: [{ id: 'inner' }] }],
          out: [{ x: 0, y: 0, wires: [{ id: 'inner', port: 0 }] }],
        },
        {
          id: 'inner',
          z: 'sub',
          x: 0,
          y: 0,
          type: 'media-gateway-create-route',
          gateway: 'gateway',
          wires: [[]],
        },
      ],
    })
  })

  after(async () => {
    await unload()
    await simulator.stop()
    await second.stop()
    for (const name of Object.keys(ENVIRONMENT)) delete process.env[name]
  })

  interface Fields {
    name: string
    source: { srtPassPhrase?: string }
    destinations: Array<{ srtPassPhrase?: string }>
  }

  const writes = ({ journal } = simulator): Array<{ fields: Fields }> =>
    journal
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/updates'))
      .map(({ body }) => body as { fields: Fields })

  /** The secrets that were sent for a route. */
  const sent = (name: string): unknown[] =>
    writes()
      .filter(({ fields }) => fields?.name === name)
      .map(({ fields: { source, destinations } }) =>
        [source, ...destinations].map(({ srtPassPhrase }) => srtPassPhrase),
      )

  const rows = async (node: string, message?: Message): Promise<Definition[]> =>
    (await result(node, message)).payload as Definition[]

  describe('list-routes with definitions', () => {
    it('returns all of them in the form that is sent, secrets hidden', async () => {
      const definitions = await rows('definitions')
      definitions.should.have.length(30)
      definitions
        .map(({ name }) => name)
        .should.eql(
          simulator.routes.map(({ name }) => name).toSorted((one, other) => (one < other ? -1 : 1)),
        )
      for (const definition of definitions) {
        const read = simulator.readForm(definition.name) as Route
        Object.keys(definition).should.eql(['name', 'state', 'source', 'destinations'])
        definition.state!.should.equal(read.state === 'running' ? 'running' : 'stopped')
        for (const part of [definition.source, ...definition.destinations]) {
          part.should.not.have.properties('id')
          part.should.not.have.properties('summaryStatusCode')
          if (part.srtPassPhrase) part.srtPassPhrase.should.equal(HIDDEN)
        }
      }
      JSON.stringify(definitions).should.containEql(HIDDEN)
    })

    it('keeps to name and state, with the same names of secrets as for all', async () => {
      const all = await rows('names')
      const some = await rows('some')
      some.length.should.be.within(1, 29)
      some.should.eql(all.filter(({ name, state }) => /studio/i.test(name) && state === 'running'))
    })

    it('keeps the names of secrets where secrets are hidden', async () => {
      const names = await rows('names')
      JSON.stringify(names).should.containEql('${SRT_')
      ;(await rows('hidden')).should.eql(names)
    })

    it('refuses a single page, before any call', async () => {
      const before = simulator.journal.length
      const { code, cause } = await failure('definitions', { page: 1, pageSize: '5' })
      code.should.equal('INVALID_INPUT')
      cause.problems!.map(({ path }) => path).should.eql(['msg.page', 'msg.pageSize'])
      simulator.journal.length.should.equal(before)
    })

    it('is there for plain Node.js, which gets names but replaces none', async () => {
      const gateway = gatewayAt(simulator)
      afterThisTest(() => gateway.close())
      const shown = await gateway.routes.definitions()
      shown.should.eql(await rows('definitions'))
      const names = await gateway.routes.definitions({ secrets: 'names', prefix: 'MY_' })
      JSON.stringify(names)
        .should.match(/\$\{MY_[A-Z0-9_]+\}/)
        .and.not.match(/\$\{SRT_/)
      await gateway.routes
        .definitions({ secrets: 'names', prefix: '' })
        .should.be.rejectedWith({ code: 'INVALID_INPUT' })
      const before = writes().length
      await gateway.routes
        .create(definitionWith('${SRT_PROCESS}'))
        .should.be.rejectedWith({ code: 'INVALID_INPUT', message: /is not replaced here/ })
      writes().should.have.length(before)
    })
  })

  describe('a secret by name', () => {
    const PLACES: Record<string, [node: string, given: string, value: string]> = {
      'the process': ['create-route', '${SRT_PROCESS}', 'secret of the process'],
      'the flow': ['create-route', '${SRT_PLACE}', 'secret of the flow'],
      'the flow, as a number': ['create-route', '${SRT_NUMBER}', '12345678901'],
      'the group': ['in-group', '${SRT_PLACE}', 'secret of the group'],
      'the process, in a group': ['in-group', '${SRT_SHARED}', 'secret of the process, shared'],
      'the subflow': ['instance', '${SRT_PLACE}', 'secret of the subflow'],
      'the inside of the subflow': ['instance', '${SRT_INSIDE}', 'secret of the inside'],
      'the process, in a subflow': ['instance', '${SRT_PROCESS}', 'secret of the process'],
      'a gateway with its own prefix': ['own-prefix', '${MY_PROCESS}', ENVIRONMENT.MY_PROCESS!],
    }
    for (const [place, [node, given, value]] of Object.entries(PLACES)) {
      it(`is the variable of ${place}`, async () => {
        const definition = definitionWith(given)
        helper.getNode(node).receive({ payload: definition })
        await until(() => sent(definition.name).length > 0, 'the create')
        sent(definition.name).should.eql([[value, value]])
        // A message that others have as well still names it.
        definition.source.srtPassPhrase.should.equal(given)
      })
    }

    it('that has no value, or must not be read, is named with its path, and nothing is sent', async () => {
      const before = simulator.journal.length
      const WRONG = {
        '${SRT_NOT_THERE}': /source\.srtPassPhrase names the environment variable SRT_NOT_THERE, /,
        '${SRT_EMPTY}': /variable SRT_EMPTY, which is not set or is empty/,
        '${OTHER_PROCESS}': /begins with SRT_ as the whole value, such as \$\{SRT_NAME\}/,
        'a ${SRT_PROCESS}':
          /contains \$\{…\}, which is not allowed here; use a variable whose name begins with SRT_/,
        '${SRT_PROCESS} ': /contains \$\{…\}, which is not allowed here/,
        '${SRT_PROCESS}${SRT_PROCESS}': /contains \$\{…\}, which is not allowed here/,
        '${SRT_A.B}': /contains \$\{…\}, which is not allowed here/,
        '${$parent.SRT_PROCESS}': /contains \$\{…\}, which is not allowed here/,
      }
      for (const [given, words] of Object.entries(WRONG)) {
        for (const node of ['create-route', 'update-route', 'ensure', 'check']) {
          const payload = definitionWith(given)
          const { caught, messages } = await send(node, { payload, routeName: 'Studio A' })
          messages.should.eql([])
          const { code, cause, message } = caught!.error
          code.should.equal('INVALID_INPUT')
          cause
            .problems!.map(({ path }) => path)
            .should.eql(['source.srtPassPhrase', 'destinations[0].srtPassPhrase'])
          message.should.match(words)
          message.should.not.containEql('secret of')
          caught!.payload!.should.eql(payload)
        }
      }
      simulator.journal.length.should.equal(before)
      const list = [definitionWith('${SRT_PROCESS}'), definitionWith('${SRT_NOT_THERE}')]
      const { cause } = await failure('ensure', { payload: list })
      cause.problems![0]!.path.should.equal('[1].source.srtPassPhrase')
      simulator.journal.length.should.equal(before)
    })

    it('changes a route by update, and is in no result that does not show routes as read', async () => {
      const { name } = simulator.routes.find(({ source }) => source.protocol === 'srt')!
      const message = { payload: { source: { srtPassPhrase: '${SRT_SHARED}' } }, routeName: name }
      const accepted = await result('update-route', message)
      JSON.stringify(accepted).should.not.containEql(ENVIRONMENT.SRT_SHARED)
      sent(name).at(-1)!.should.have.property('0', ENVIRONMENT.SRT_SHARED)
    })

    it('is ensured: planned without its value, written once, and then as wanted', async () => {
      const wanted = definitionWith('${SRT_PROCESS}')
      const plan = (await result('check', { payload: wanted })).payload as Ensured
      plan.diff.should.match([{ to: { source: { srtPassPhrase: HIDDEN } } }])
      JSON.stringify(plan).should.not.containEql(ENVIRONMENT.SRT_PROCESS)
      sent(wanted.name).should.eql([])
      ;((await result('ensure', { payload: wanted })).payload as Ensured).action.should.equal(
        'create',
      )
      const changed = { ...wanted, source: { ...wanted.source, srtPassPhrase: '${SRT_SHARED}' } }
      const [first] = (await result('ensure', { payload: [changed] })).payload as Ensured[]
      first!.should.match({
        action: 'update',
        diff: [{ path: 'source.srtPassPhrase', from: HIDDEN, to: HIDDEN }],
      })
      JSON.stringify(first!.diff).should.not.containEql('secret of')
      ;((await result('ensure', { payload: changed })).payload as Ensured).action.should.equal(
        'none',
      )
      sent(wanted.name).should.eql([
        Array(2).fill(ENVIRONMENT.SRT_PROCESS),
        [ENVIRONMENT.SRT_SHARED, ENVIRONMENT.SRT_PROCESS],
      ])
      // A route to be absent need only be identified.
      const gone = { ...wanted, source: { ...wanted.source, srtPassPhrase: '${SRT_NOT_THERE}' } }
      ;((await result('absent', { payload: gone })).payload as Ensured).action.should.equal(
        'delete',
      )
    })

    it('needs a prefix that keeps other variables out: CONFIG', async () => {
      const before = simulator.journal.length
      for (const node of ['bad-prefix', 'unset-prefix']) {
        const { code, message } = await failure(node, { payload: definitionWith('${SRT_PROCESS}') })
        code.should.equal('CONFIG')
        message.should.containEql('secretPrefix')
      }
      // So it does where nothing is defined.
      const node = helper.getNode('bad') as unknown as GatewayNode
      should(() => node.client()).throw({ code: 'CONFIG', message: /secretPrefix/ })
      simulator.journal.length.should.equal(before)
    })
  })

  it('30 routes travel to another gateway, each secret by its name', async () => {
    const routes = simulator.routes.slice(0, 30).map(({ name }) => name)
    const definitions = (await rows('names')).filter(({ name }) => routes.includes(name))
    const text = JSON.stringify(definitions)
    const values = new Map<string, string>()
    for (const { name, source, destinations } of definitions) {
      const read = simulator.readForm(name) as Route
      const parts = [
        [source, read.source],
        ...destinations.map((one, at) => [one, read.destinations[at]!]),
      ]
      for (const [part = {}, present = {}] of parts as unknown as Record<string, string>[][]) {
        for (const member of ['srtPassPhrase', 'password']) {
          const [, given] = /^\$\{(SRT_\w+)\}$/.exec(String(part[member])) ?? []
          should(Boolean(given)).equal(Boolean(present[member]))
          if (!given) continue
          text.should.not.containEql(present[member]!)
          values.has(given).should.be.false()
          values.set(given, present[member]!)
        }
      }
    }
    values.size.should.be.above(10)
    Object.assign(process.env, Object.fromEntries(values))
    afterThisTest(() => {
      for (const name of values.keys()) delete process.env[name]
    })
    const payload = definitions.map(({ state: _state, ...definition }) => definition)
    const results = (await result('import', { payload })).payload as Ensured[]
    results.map(({ action }) => action).should.eql(Array(30).fill('create'))
    second.routes.should.have.length(30)
    const again = (await result('import', { payload })).payload as Ensured[]
    again.map(({ action }) => action).should.eql(Array(30).fill('none'))
    writes(second).should.have.length(30)
    for (const name of routes) secretsOf(second, name).should.eql(secretsOf(simulator, name))
  }).timeout(60_000)
})

const secretsOf = (of: Simulator, name: string): unknown[] => {
  const { source, destinations } = of.readForm(name) as Route
  return [source, ...destinations].map(({ srtPassPhrase, password }) => [
    srtPassPhrase || '',
    password ?? '',
  ])
}
