// Nodes of config nodes that divide their inventories by leases, in a real Node-RED with a nats-server.
import { nkeys } from '@nats-io/transport-node'
import type { NodeAPI, NodeStatus } from 'node-red'
import { openEngine } from '../../client/fleet/nats/engine'
import type { GatewayError } from '../../client/errors'
import type { Fleet, GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { newCertificate } from '../support/certificate'
import { errorOf } from '../support/errors'
import { failure, helper, load, redeploy, result, unload, type FlowOptions } from '../support/flow'
import { startNats, withNats, type NatsServer } from '../support/nats'
import { until } from '../support/until'

const { events: nodeRed } = require('@node-red/util') as { events: NodeJS.EventEmitter }

/** Seconds. */
const TTL = 3
const KEY = 'the key of the fleet in the tests'
const SETTLED_WITHIN_MS = 20_000

withNats('nodes of a fleet with leases', function () {
  this.timeout(60_000)
  let nats: NatsServer
  let one: Simulator
  let two: Simulator
  let statuses: Map<string, NodeStatus>
  const show = ({ id, status }: { id: string; status: NodeStatus }): void =>
    void statuses.set(id, status)

  before(async () => {
    nats = await startNats()
    ;[one, two] = await Promise.all([startSimulator({ routes: 1 }), startSimulator({ routes: 1 })])
  })
  beforeEach(() => {
    statuses = new Map()
    nodeRed.on('node-status', show)
  })
  afterEach(async () => {
    await unload()
    nodeRed.removeListener('node-status', show)
  })
  after(async () => {
    for (const simulator of [one, two]) {
      await until(() => simulator.openSockets === 0)
      await simulator.stop()
    }
    await nats.remove()
  })

  const ofFleet = (name: string, appliance: string, { url }: Simulator): object => ({
    name,
    inventoryType: 'json',
    inventory: JSON.stringify([{ name: appliance, baseUrl: url }]),
    share: 'lease',
    engine: nats.url,
    fleet: 'oslo',
    leaseTtl: TTL,
    instance: name,
    pollInterval: 1,
  })
  const fleetOf = (id: string): Fleet => (helper.getNode(id) as unknown as GatewayNode).fleet
  const owns = (id: string, appliance: string): Promise<void> =>
    until(() => fleetOf(id).owns(appliance), `the lease of ${appliance}`, SETTLED_WITHIN_MS)
  const statusOf = (id: string): NodeStatus | undefined => statuses.get(id)
  async function listed(id: string): Promise<{ error?: GatewayError; inventory: object }> {
    const { text } = await helper.request().get('/media-gateway/gateways')
    return (JSON.parse(text) as Array<{ id: string }>).find((each) => each.id === id) as never
  }

  it('a second config node in the same fleet is refused, and takes part once a deploy has removed the first', async () => {
    const lists = { 'list-routes': { appliance: 'one', applianceType: 'str' } }
    const SECOND = { type: 'media-gateway-watch', gateway: 'second' }
    const LIST = {
      type: 'media-gateway-list-routes',
      gateway: 'second',
      appliance: 'two',
      applianceType: 'str',
    }
    const second = { id: 'second', type: 'media-gateway', ...ofFleet('South', 'two', two) }
    const options: FlowOptions = {
      gateway: ofFleet('North', 'one', one),
      others: [second],
      credentials: { fleetKey: KEY },
      accounts: { second: { username: 'haiadmin', password: 'manager', fleetKey: KEY } },
    }
    const nodes = { ...lists, watch: SECOND, list: LIST }
    await load('', nodes, options)
    await owns('gateway', 'one')
    should((await result('list-routes')).payload).containEql({ numResults: 1 })
    const refused = await failure('list')
    refused.code.should.equal('CONFIG')
    refused.message.should.match(/Two config nodes of this Node-RED are in the fleet "oslo"/)
    await until(() => statusOf('watch')?.fill === 'red')
    should((await listed('second')).error).match({ code: 'CONFIG' })
    two.logins.should.equal(0)
    // Another deploy in which it stays changes nothing.
    await redeploy(
      '',
      nodes,
      { ...options, gateway: { ...options.gateway, pollInterval: 2 } },
      'nodes',
    )
    await owns('gateway', 'one')
    should((await failure('list')).code).equal('CONFIG')

    await redeploy('', nodes, { ...options, gateway: { name: 'North', baseUrl: one.url } }, 'nodes')
    await owns('second', 'two')
    should((await result('list')).payload).containEql({ numResults: 1 })
    await until(() => statusOf('watch')?.fill === 'green', 'the watch')
    should((await listed('second')).error).be.undefined()
  })

  it('an engine is reached with the authority and the client certificate of a tls-config node, and an nkey', async () => {
    const authority = await newCertificate('authority')
    const [ofServer, ofClient] = [
      await newCertificate('localhost', authority),
      await newCertificate('instance', authority),
    ]
    const user = nkeys.createUser()
    const engineCredentials = new TextDecoder().decode(user.getSeed())
    const secure = await startNats({
      certificate: ofServer,
      clientAuthority: authority.cert,
      nkey: user.getPublicKey(),
    })
    const tls = { id: 'tls', type: 'tls-config', cert: '', key: '', ca: '', verifyservercert: true }
    const options: FlowOptions = {
      gateway: { ...ofFleet('North', 'one', one), engine: secure.url, engineTls: 'tls' },
      credentials: { engineCredentials, fleetKey: KEY },
      others: [tls],
      accounts: { tls: { certdata: ofClient.cert, keydata: ofClient.key, cadata: authority.cert } },
      types: [require('@node-red/nodes/core/network/05-tls') as (RED: NodeAPI) => void],
    }
    await load('', {}, options)
    await owns('gateway', 'one')
    const { text } = await helper.request().get('/media-gateway/gateways')
    text.should.not.containEql(engineCredentials)
    await unload()

    const refusal = async (more: Partial<FlowOptions>): Promise<string> => {
      await load('', { metrics: { type: 'media-gateway-metrics' } }, { ...options, ...more })
      await until(() => fleetOf('gateway').alerts().length > 0)
      const [{ message }] = fleetOf('gateway').alerts() as [GatewayError]
      await unload()
      return message
    }
    const credentials = { engineCredentials, engineUser: 'fleet', fleetKey: KEY }
    should(await refusal({ credentials })).match(/only one of the two/)
    const plain = { ...options.gateway, engine: 'nats://127.0.0.1:9' }
    should(await refusal({ gateway: plain })).match(/does not begin with tls:/)
    const missing = { ...options.gateway, engineTls: 'none' }
    should(await refusal({ gateway: missing })).match(/TLS configuration does not exist/)
    await secure.remove()
  })

  it('a lost lease is shown by the metrics node, by the sidebar and by Test connection', async () => {
    const gateway = ofFleet('North', 'one', one)
    await load(
      '',
      { metrics: { type: 'media-gateway-metrics' } },
      { gateway, credentials: { fleetKey: KEY } },
    )
    await owns('gateway', 'one')
    await until(() => statusOf('metrics')?.fill === 'green', 'the metrics')
    const owned = async (): Promise<string | undefined> =>
      /^media_gateway_fleet_owned\S* (\d)$/m.exec(String((await result('metrics')).payload))?.[1]
    const faults = async (): Promise<string | undefined> =>
      /^media_gateway_fleet_faults\S* (\d)$/m.exec(String((await result('metrics')).payload))?.[1]
    const member = async (): Promise<string | undefined> =>
      /^media_gateway_fleet_member\S* (\d)$/m.exec(String((await result('metrics')).payload))?.[1]
    should([await owned(), await faults(), await member()]).eql(['1', '0', '1'])
    const test = async (): Promise<object> => {
      const request = helper.request().post('/media-gateway/inventory')
      const form = request.set('content-type', 'application/json')
      return JSON.parse(
        (await form.send(JSON.stringify({ connection: { id: 'gateway' } }))).text,
      ) as object
    }
    should(await test()).match({ appliances: 1, faults: [] })

    await nats.kill()
    const LOST = { code: 'UNAVAILABLE', message: /^Gateway "North": This instance has no lease \(/ }
    await until(() => fleetOf('gateway').faults().length === 1, 'the loss')
    const [fault] = fleetOf('gateway').faults()
    should(fault).match(LOST)
    await until(() => statusOf('metrics')?.fill === 'red', 'the status')
    should([await owned(), await faults(), await member()]).eql(['0', '1', '0'])
    should(await test()).match({ code: 'UNAVAILABLE' })
    should((await listed('gateway')).error).match({ code: 'UNAVAILABLE' })

    await nats.start()
    await owns('gateway', 'one')
    await until(() => statusOf('metrics')?.fill === 'green', 'the metrics')
    should([await owned(), await faults()]).eql(['1', '0'])
    should(await test()).match({ appliances: 1, faults: [] })
    should((await listed('gateway')).error).be.undefined()
  })

  it('a fleet key is needed, of 16 characters: without it nothing works, and it says what to enter', async () => {
    const gateway = ofFleet('North', 'one', one)
    const lists = { 'list-routes': { appliance: 'one', applianceType: 'str' } }
    for (const [fleetKey, said] of [
      [undefined, /no fleet key is given\. Enter the same one on all instances/],
      ['of 15 character', /fewer than 16 characters\. Enter the same one/],
      ['${NOT_SET}', /NOT_SET/],
    ] as const) {
      await load('', lists, { gateway, credentials: { fleetKey } })
      const { code, message } = await failure('list-routes')
      should([code, said.test(message)]).eql(['CONFIG', true], message)
      message.should.not.containEql('of 15 character')
      should((await listed('gateway')).error).match({ code: 'CONFIG' })
      await unload()
    }
  })

  it('what is done for another instance is a line in the log, and in the audit log', async () => {
    await load('', {}, { gateway: ofFleet('North', 'one', one), credentials: { fleetKey: KEY } })
    await owns('gateway', 'one')
    const options = { servers: nats.url, fleet: 'oslo', replicas: 1, ttlMs: 1000 * TTL }
    const engine = openEngine({ ...options, key: KEY, log: () => undefined })
    try {
      const body = { version: 0 }
      const command = { appliance: 'one', slot: 0, writes: true, from: 'South', body }
      const error = await errorOf(engine.commands.send(command, { waitMs: 10_000 }))
      error.code.should.equal('CONFIG')
      const logged = helper.log().args.map(([entry]) => entry as Record<string, unknown>)
      const remote = { from: 'South', appliance: 'one', operation: 'command', outcome: 'CONFIG' }
      logged
        .filter(({ event }) => event === 'media-gateway.command')
        .should.match([{ gateway: 'gateway', ...remote }])
      logged
        .filter(({ msg }) => /For the instance/.test(String(msg)))
        .should.match([{ msg: 'For the instance South: command on one: CONFIG' }])
    } finally {
      await engine.close()
    }
  })
})
