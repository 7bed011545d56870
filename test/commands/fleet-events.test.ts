// What another system reads of a fleet on its engine: events, states, and whether a state is of now.
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Fleet, GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, redeploy, unload } from '../support/flow'
import { startNats, withNats, type NatsServer } from '../support/nats'
import { pause, until } from '../support/until'

/** Seconds. */
const TTL = 3
const SETTLED_WITHIN_MS = 20_000

interface Stored<T> {
  readonly body: T
  /** By the clock of the engine. */
  readonly at: number
}
interface State {
  readonly appliance: string
  readonly isUp: boolean | null
  readonly owner: string | null
  readonly token: number
  readonly isRemoved?: boolean
  readonly snapshot?: { readonly routes: readonly object[] }
}
interface Beat {
  readonly instance: string
  readonly everyMs: number
  readonly appliances: number
}

withNats('the events and states of a fleet', function () {
  this.timeout(60_000)
  let nats: NatsServer
  let simulators: Simulator[]
  let reader: NatsConnection

  before(async () => {
    nats = await startNats()
    simulators = await Promise.all([1, 2].map(() => startSimulator({ routes: 1 })))
    reader = await connect({ servers: nats.url, maxReconnectAttempts: -1 })
  })
  afterEach(unload)
  after(async () => {
    await reader.close()
    for (const simulator of simulators) {
      await until(() => simulator.openSockets === 0)
      await simulator.stop()
    }
    await nats.remove()
  })

  async function last<T>(subject: string): Promise<Stored<T> | undefined> {
    const wanted = JSON.stringify({ last_by_subj: `media-gateway.oslo.${subject}` })
    // An engine that has just started, or a busy machine, takes longer than an ordinary read.
    const answer = await reader.request(
      '$JS.API.STREAM.MSG.GET.media-gateway-oslo-events',
      wanted,
      { timeout: SETTLED_WITHIN_MS },
    )
    const { message } = answer.json<{ message?: { data: string; time: string } }>()
    if (!message) return undefined
    const body = JSON.parse(Buffer.from(message.data, 'base64').toString()) as T
    return { body, at: Date.parse(message.time) }
  }

  /** As docs/fleet-events.md says: undefined where nothing is known of the appliance now. */
  async function isUpNow(appliance: string): Promise<boolean | undefined> {
    const state = await last<State>(`state.${appliance}`)
    const { isUp = null, owner = null } = state?.body ?? {}
    if (isUp === null || owner === null) return undefined
    const beat = await last<Beat>(`owner.${owner}`)
    return beat && Date.now() - beat.at <= 3 * beat.body.everyMs ? isUp : undefined
  }

  const gateway = (...appliances: string[]): object => ({
    name: 'North',
    inventoryType: 'json',
    inventory: JSON.stringify(
      appliances.map((name, index) => ({ name, baseUrl: simulators[index]!.url })),
    ),
    share: 'lease',
    engine: nats.url,
    fleet: 'oslo',
    leaseTtl: TTL,
    instance: 'north-1',
    pollInterval: 1,
    gather: true,
  })
  const loaded = (...appliances: string[]): Promise<void> =>
    load(
      '',
      {},
      { gateway: gateway(...appliances), credentials: { fleetKey: 'a key of sixteen or more' } },
    )
  const fleetOf = (): Fleet => (helper.getNode('gateway') as unknown as GatewayNode).fleet
  const becomes = (appliance: string, wanted: boolean | undefined): Promise<void> =>
    until(
      async () => (await isUpNow(appliance)) === wanted,
      `${appliance}: ${wanted}`,
      SETTLED_WITHIN_MS,
    )

  it('are current while an owner beats, and unknown once nobody looks', async () => {
    await loaded('one', 'two')
    await until(() => fleetOf().owns('one'), 'the lease', SETTLED_WITHIN_MS)
    await Promise.all([becomes('one', true), becomes('two', true)])
    const { body: state } = (await last<State>('state.one'))!
    state.snapshot!.routes.should.have.length(1)
    const beatOf = async (): Promise<Beat> => (await last<Beat>(`owner.${state.owner}`))!.body
    await until(async () => (await beatOf()).appliances === 2)
    should(await beatOf()).containEql({ instance: 'north-1', everyMs: (TTL * 1000) / 3 })

    // It is quiet, and nothing is written; and it is of now.
    await until(async () => Date.now() - (await last<State>('state.one'))!.at > 3000)
    should(await isUpNow('one')).be.true()

    const [one] = simulators as [Simulator]
    one.removeRoute(one.routes[0]!.id)
    await until(async () => (await last('event.one.route.removed')) !== undefined)
    one.fault({ kind: 'status', status: 503 })
    await becomes('one', false)
    one.clearFaults()
    await becomes('one', true)

    await redeploy('', {}, { gateway: gateway('one') }, 'nodes')
    await becomes('two', undefined)
    await becomes('one', true)
    await unload()
    should(await isUpNow('one')).be.undefined()
    should((await last<State>('state.one'))!.body).containEql({ isUp: null, owner: null })
  })

  it('are not current after the engine was lost, until an owner has looked again', async () => {
    await loaded('one')
    await becomes('one', true)
    const { body: before } = (await last<State>('state.one'))!
    await nats.kill()
    await until(() => fleetOf().faults().length === 1, 'the loss', SETTLED_WITHIN_MS)
    // Longer than its lease: it has to begin again.
    await pause(TTL * 1000)
    await nats.start()
    await reader.close()
    reader = await connect({ servers: nats.url, maxReconnectAttempts: -1 })
    // It could not be taken back, and its owner does not beat under this name any more.
    const { body: stale } = (await last<State>('state.one'))!
    should(stale).containEql({ isUp: true, owner: before.owner })
    should(await isUpNow('one')).be.undefined()
    await becomes('one', true)
    const { body: after } = (await last<State>('state.one'))!
    after.owner!.should.not.equal(before.owner)
    after.token.should.be.aboveOrEqual(before.token)
  })
})
