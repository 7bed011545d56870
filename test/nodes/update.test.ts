import { deleteRoute } from '../../client/changes/delete'
import { ensureRoutes } from '../../client/changes/ensure/ensure'
import { Operation } from '../../client/connection/operation'
import { updateRoute } from '../../client/changes/update'
import type { Route } from '../../client/model/types'
import { isInProgress } from '../../client/changes/unconfirmed'
import { setLatest } from '../../client/memory'
import { generateRoutes, type Simulator } from '../../simulator'
import { failure, load, result, send, simulated, unload } from '../support/flow'
import { connected, deviceId, gateway as connection, simulator as alone } from '../support/stage'

/** A wrong update takes a programme off the air: what the flow does not mention stays. */
describe('update-route', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated({ routes: generateRoutes(20) })
    await load(simulator.url, {
      merge: { type: 'media-gateway-update-route', mode: 'merge' },
      replace: { type: 'media-gateway-update-route', mode: 'replace' },
      applied: { type: 'media-gateway-update-route', waitFor: 'applied' },
      'merge-applied': { type: 'media-gateway-update-route', mode: 'merge', waitFor: 'applied' },
      lax: { type: 'media-gateway-update-route', validate: false },
      'by hand': { type: 'media-gateway-update-route', configVersion: 2 },
    })
  })

  /** A route as the appliance answers it, without what moves by itself. */
  const lasting = (id: string): Record<string, unknown> => {
    const withoutClocks = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(withoutClocks)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !MOVING.has(name))
          .map(([name, member]) => [name, withoutClocks(member)]),
      )
    }
    return withoutClocks(simulator.readForm(id)) as Record<string, unknown>
  }
  const read = (id: string): Route => simulator.readForm(id) as Route
  const updates = (): Simulator['journal'] =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates'))

  it('with only a name keeps every destination and every setting, for every protocol', async () => {
    for (const { id } of simulator.routes) {
      const before = lasting(id)
      await result('update-route', { routeId: id, payload: { name: `${String(before.name)} 2` } })
      await simulator.settle()
      lasting(id).should.deepEqual({ ...before, name: `${String(before.name)} 2` })
    }
  })

  it('written by hand without a mode merges, as a new node does', async () => {
    const { id, destinations } = simulator.routes.find((one) => one.source.protocol === 'srt')!
    await result('by hand', { routeId: id, payload: { source: { srtLatency: 777 } } })
    await simulator.settle()
    const { source, destinations: present } = read(id)
    should(source.srtLatency).equal(777)
    should(present).have.length(destinations.length)
  })

  it('takes an output from other routes too only with confirmShared = true, and nothing like it', async () => {
    const [first, second] = simulator.routes.filter(({ destinations }) => destinations.length > 0)
    second!.destinations[0]!.id = first!.destinations[0]!.id
    const message = { routeId: first!.id, payload: { destinations: [] } }
    for (const confirmShared of ['true', 'yes', 1, {}]) {
      ;(await failure('update-route', { ...message, confirmShared })).code.should.equal('CONFLICT')
    }
    updates().should.have.length(0)
    await result('update-route', { ...message, confirmShared: true })
    updates().should.have.length(1)
  })

  it('a template in the flow that each message fills in: each route gets its own values', async () => {
    const { helper } = await import('../support/flow.js')
    await unload()
    await load(simulator.url, {
      filled: {
        type: 'media-gateway-update-route',
        mode: 'merge',
        definition: 'template',
        definitionType: 'flow',
      },
    })
    const template = { source: { name: '' } }
    const { flow } = helper.getNode('filled').context()
    flow.set('template', template)
    // The first message still waits for an answer when the second one fills in the template.
    simulator.fault({ kind: 'latency', ms: 300, match: { method: 'GET' } })
    const [first, second] = simulator.routes
    const sent = [first!, second!].map(async ({ name }, index) => {
      await new Promise((resolve) => setTimeout(resolve, 100 * index))
      template.source.name = `in ${index}`
      await result('filled', { routeName: name })
    })
    await Promise.all(sent)
    await simulator.settle()
    read(first!.id).source.name.should.equal('in 0')
    read(second!.id).source.name.should.equal('in 1')
  })

  it('read with hidden secrets, send back: the secrets stay', async () => {
    await unload()
    await load(simulator.url, { 'get-route': { hideSecrets: true } })
    for (const { id } of simulator.routes) {
      const before = lasting(id)
      const { payload } = await result('get-route', { routeId: id })
      await result('update-route', { routeId: id, payload })
      await simulator.settle()
      lasting(id).should.deepEqual(before)
    }
    const secrets = JSON.stringify(updates().map(({ body }) => body))
    secrets.should.not.match(/••••••/)
    secrets.should.match(/"srtPassPhrase":"[^"]{10,}"/)
  })

  it('needs no read when the definition is complete', async () => {
    const { id } = simulator.routes[0]!
    const { name, source, destinations } = read(id)
    await result('update-route', { routeId: id, payload: { name, source, destinations } })
    simulator.journal.filter(({ path }) => path.includes(`/routes/${id}`)).should.have.length(0)
  })

  it('refuses the Route of another route', async () => {
    const [one, other] = simulator.routes
    const error = await failure('update-route', { routeId: one!.id, payload: read(other!.id) })
    error.code.should.equal('INVALID_INPUT')
    error.cause.problems![0]!.path.should.equal('id')
    updates().should.have.length(0)
  })

  it('two hundred edits of twenty routes from ten nodes are all there in the end', async () => {
    await unload()
    const names = Array.from({ length: 10 }, (_, index) => `editor-${index}`)
    const merge = { type: 'media-gateway-update-route', mode: 'merge' }
    await load(simulator.url, Object.fromEntries(names.map((name) => [name, merge])))
    const routes = simulator.routes.slice(0, 20)
    const before = new Map(routes.map(({ id }) => [id, lasting(id)]))
    const outcomes = await Promise.all(
      names.flatMap((name, index) =>
        routes.map(({ id }) =>
          send(name, { routeId: id, payload: { source: { [`edit${index}`]: name } } }),
        ),
      ),
    )
    outcomes.filter(({ caught }) => caught).should.have.length(0)
    await simulator.settle()
    const edits = Object.fromEntries(names.map((name, index) => [`edit${index}`, name]))
    for (const { id } of routes) {
      const { source, ...rest } = before.get(id)!
      lasting(id).should.deepEqual({ ...rest, source: { ...(source as object), ...edits } })
    }
    simulator.logins.should.equal(1)
  })

  describe('waitFor applied', () => {
    it('answers the changed route, when it is there', async () => {
      simulator.setOptions({ applyDelay: 150 })
      const { id } = simulator.routes[0]!
      const { payload, gateway: shown } = await result('applied', {
        routeId: id,
        payload: { name: 'Later' },
      })
      ;(payload as Route).should.match({ id, name: 'Later' })
      should((payload as Route).pendingUpdates).be.undefined()
      shown!.requests!.should.be.aboveOrEqual(3)
    })

    it('shares its polls among all that wait', async () => {
      simulator.setOptions({ applyDelay: 700 })
      const routes = simulator.routes.slice(0, 20)
      await result('list-devices')
      const outcomes = await Promise.all(
        routes.map(({ id }) =>
          send('merge-applied', { routeId: id, payload: { name: `${id} waited for` } }),
        ),
      )
      outcomes.filter(({ caught }) => caught).should.have.length(0)
      const lists = simulator.journal.filter(({ path }) => path.endsWith('/routes'))
      lists.length.should.be.within(1, 12)
    })
  })

  describe('bad input', () => {
    const bad: Array<[string, string, unknown, string[]]> = [
      ['text', 'update-route', 'Studio A', ['msg.payload']],
      ['a list', 'update-route', [], ['']],
    ]
    for (const [what, node, payload, paths] of bad) {
      it(`${what} is refused before any call, with the paths`, async () => {
        const error = await failure(node, { routeId: simulator.routes[0]!.id, payload })
        error.code.should.equal('INVALID_INPUT')
        error.cause.problems!.map(({ path }) => path).should.deepEqual(paths)
        simulator.journal.should.have.length(0)
      })
    }

    it('no definition at all says where it was expected', async () => {
      const error = await failure('update-route', { routeId: 'x' })
      error.code.should.equal('INVALID_INPUT')
      error.message.should.match(/msg\.payload/)
      simulator.journal.should.have.length(0)
    })

    it('validate: false leaves the ranges to the appliance', async () => {
      const { id } = simulator.routes[0]!
      const { source } = read(id)
      const error = await failure('lax', {
        routeId: id,
        payload: { source: { ...source, port: 70000 } },
      })
      error.code.should.equal('REJECTED')
      updates().should.have.length(1)
    })
  })
})

const MOVING: ReadonlySet<string> = new Set([
  'elapsedTime',
  'usedBandwidth',
  'state',
  'summaryStatusCode',
  'summaryStatusDetails',
  'clientConnections',
])

describe('an update that nobody has waited for', () => {
  it('is remembered with those of the latest 10,000 routes at most', () => {
    const entries = new Map<string, number>()
    for (let count = 0; count < 10_100; count++) setLatest(entries, `route ${count}`, count)
    setLatest(entries, 'route 100', 1)
    setLatest(entries, 'route 10100', 1)
    entries.size.should.equal(10_000)
    ;['route 99', 'route 100', 'route 101', 'route 10100']
      .map((key) => entries.has(key))
      .should.eql([false, true, false, true])
  })

  it('is forgotten with its route', async () => {
    await connected()
    const [first, second] = alone.routes.map(({ id }) => alone.readForm(id) as Route)
    const isRemembered = ({ id }: Route, as: Route): boolean =>
      isInProgress(connection, { deviceId, routeId: id }, as)
    for (const { id, name } of [first!, second!]) {
      const address = { deviceId, routeId: id }
      const waiting = { waitFor: 'accepted', waitTimeout: 30_000 } as const
      const change = { address, patch: { name: `${name} 2` }, mode: 'keep', ...waiting } as const
      await updateRoute(connection, change, new Operation('update-route'))
    }
    isRemembered(first!, first!).should.be.true()
    isRemembered(second!, second!).should.be.true()

    const address = { deviceId, routeId: first!.id }
    const gone = { ...address, waitFor: 'applied', waitTimeout: 30_000 } as const
    await deleteRoute(connection, gone, new Operation('delete-route'))
    isRemembered(first!, first!).should.be.false()

    const wanted = { id: second!.id }
    const options = { deviceId, state: 'absent', waitTimeout: 30_000 } as const
    await ensureRoutes(connection, wanted, options, new Operation('ensure-route'))
    isRemembered(second!, second!).should.be.false()
  })
})
