// Which gateway and which route an error names, in its message and in `cause.gateway`.
import type { EnsureFailure } from '../../client/changes/ensure/bulk'
import type { GatewayError } from '../../client/errors'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, send, unload } from '../support/flow'
import { actions } from '../support/manifests'
import { until } from '../support/until'

const NODES = Object.fromEntries(actions.map((node) => [node, {}]))

const definition = {
  name: 'Studio A',
  source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [],
}

/** What every node can work with. */
const message = () => ({
  deviceId: 'd',
  routeId: '',
  routeName: 'Studio A',
  payload: structuredClone(definition),
})

/** Nodes whose message is about one route. */
const OF_ROUTES = Object.keys(NODES).filter((node) =>
  /(get|create|update|delete|control|ensure)-route|statistics/.test(node),
)

describe('an error', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await startSimulator({ routes: 5 })
  })
  after(() => simulator.stop())
  afterEach(unload)

  const failureOf = async (node: string): Promise<GatewayError> =>
    (await send(node, message())).caught!.error

  it('of every node names the gateway and its route, in the message and in its cause', async () => {
    await load('http://127.0.0.1:1', NODES, { gateway: { name: 'Studio gateway' } })
    // Which device it is may be what could not be read.
    const cases = Object.keys(NODES).flatMap((node) => [
      [node, message()] as const,
      [node, { ...message(), deviceId: undefined }] as const,
    ])
    for (const [node, sent] of cases) {
      const { error } = (await send(node, sent)).caught!
      error.cause.gateway!.should.eql({ id: 'gateway', name: 'Studio gateway' })
      error.message.should.match(/127\.0\.0\.1:1 refused the connection/, node)
      if (OF_ROUTES.includes(node)) error.message.should.match(/^Route "Studio A": /, node)
      should(error).not.have.property('sentences')
    }
  })

  it('names a gateway without a name by its host, without what else is in the URL', async () => {
    await load('http://127.0.0.1:1/prefix', { 'list-devices': {} })
    const { cause } = await failureOf('list-devices')
    cause.gateway!.should.eql({ id: 'gateway', name: '127.0.0.1:1' })
    await unload()
    await load('http://somebody:hidden@127.0.0.1:1', { 'list-devices': {} })
    const error = await failureOf('list-devices')
    error.code.should.equal('CONFIG')
    error.cause.gateway!.should.eql({ id: 'gateway', name: '127.0.0.1:1' })
    JSON.stringify([error, error.message]).should.not.match(/somebody|hidden/)
  })

  it('names no gateway where none is chosen', async () => {
    await load(simulator.url, { 'list-devices': { gateway: '' } })
    const { code, cause } = await failureOf('list-devices')
    code.should.equal('CONFIG')
    cause.should.not.have.property('gateway')
  })

  it('of a bad message names the gateway in its cause, and the route in its message', async () => {
    await load(simulator.url, { 'create-route': {} }, { gateway: { name: 'Studio gateway' } })
    const payload = { name: 'Studio A', source: definition.source, destinations: 5 }
    const { error } = (await send('create-route', { payload })).caught!
    error.code.should.equal('INVALID_INPUT')
    error.cause.gateway!.should.eql({ id: 'gateway', name: 'Studio gateway' })
    error.message.should.match(
      /^Route "Studio A" on 127\.0\.0\.1:\d+: destinations is 5; .* Nothing was changed\.$/,
    )
  })

  it('of a watch names the gateway', async () => {
    const gateway = { name: 'Studio gateway' }
    await load(simulator.url, { watch: { thresholds: 5 } }, { gateway })
    const caught: GatewayError[] = []
    helper.getNode('caught').on('input', (msg) => {
      caught.push((msg as unknown as { error: GatewayError }).error)
    })
    await until(() => caught.length > 0)
    caught[0]!.cause.gateway!.should.eql({ id: 'gateway', name: 'Studio gateway' })
  })

  it('of a row of a list names the gateway, and the route of the row', async () => {
    await load(simulator.url, { 'ensure-route': {} }, { gateway: { name: 'Studio gateway' } })
    const end = simulator.fault({ kind: 'status', status: 400, match: { action: 'create' } })
    const rows = ['North', 'South'].map((name, index) => ({
      ...definition,
      name,
      source: { ...definition.source, port: 7000 + index },
    }))
    const { messages } = await send('ensure-route', { payload: rows })
    end()
    const results = messages[0]!.payload as EnsureFailure[]
    for (const [index, { error }] of results.entries()) {
      error.cause.gateway!.should.eql({ id: 'gateway', name: 'Studio gateway' })
      error.cause.operation!.should.equal('ensure-route')
      error.message.should.startWith(
        `Route "${rows[index]!.name}": ${new URL(simulator.url).host} `,
      )
    }
  })
})
