// What a failover remembers, when its appliance moves between instances of Node-RED.
import type { NodeStatus } from 'node-red'
import { GatewayError, say as sentence, words } from '../../client/errors'
import type { Share, ShareFollower } from '../../client/fleet/lease'
import { SLOTS } from '../../client/fleet/slots'
import type { ShareMemory } from '../../client/fleet/nats/fenced-records'
import type { FailoverReport } from '../../client/failover/protect'
import { createEngineOutage } from '../../nodes/failover/engine-memory'
import type { Appliance, GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, redeploy, send, unload, type Outcome } from '../support/flow'
import { pause, until } from '../support/until'
import { BACKUP, FAILOVER, MAIN } from './failover-stage'

const { events: nodeRed } = require('@node-red/util') as { events: NodeJS.EventEmitter }
const shares = require('../../nodes/gateway/fleet/share') as { sharesOf: unknown }

const ALL_SLOTS = Array.from({ length: SLOTS }, (_, slot) => slot)
const NODES = { failover: { ...FAILOVER, gateway: 'gateway' } }

const away = (): GatewayError => new GatewayError('UNAVAILABLE', words('no engine'))

interface Held {
  held: boolean
  token?: number
  writes?: number
}

interface Caught {
  error: GatewayError
  appliance?: string
}

/** The engine, as far as failovers use it. The other instances of the fleet are the test. */
class Engine implements Share, ShareMemory {
  /** Of the failover on the appliance. */
  record: { memory?: unknown; token: number } | undefined
  asked: string[] = []
  isAway = false
  gate: Promise<void> = Promise.resolve()
  owned: number | undefined
  follower!: ShareFollower
  /** Reads and writes wait until that is called. */
  shut(): () => void {
    let open = (): void => undefined
    this.gate = new Promise((resolve) => (open = resolve))
    return () => open()
  }
  isClosed = false

  readonly memory = this
  owns = (): boolean => this.owned !== undefined
  token = (): number | undefined => this.owned

  async read(of: string, appliance: string): Promise<Engine['record']> {
    this.asked.push(`read ${of} ${appliance}`)
    await this.gate
    if (this.isAway) throw away()
    return structuredClone(this.record)
  }
  async write(of: string, appliance: string, memory: unknown, token: number): Promise<boolean> {
    this.asked.push(`write ${of} ${appliance}`)
    await this.gate
    if (this.isAway) throw away()
    if (this.record && this.record.token > token) return false
    this.record = structuredClone({ memory, token })
    return true
  }
  get kept(): Held {
    return this.record?.memory as Held
  }
  take(token: number): void {
    this.owned = token
    this.follower.onTaken(ALL_SLOTS)
  }
  give(): Promise<void> {
    this.owned = undefined
    return this.follower.onGiving(ALL_SLOTS)
  }
  /** Another instance owns the appliance for a while. */
  elsewhere(change: object, token: number): void {
    this.record = { memory: { ...this.kept, ...change }, token }
  }
  /** As a lease does: it stops the work first. */
  async close(): Promise<void> {
    await this.follower.onGiving(ALL_SLOTS)
    this.isClosed = true
  }
}

describe('a failover whose appliance moves', () => {
  const { sharesOf } = shares
  let simulator: Simulator
  let engine: Engine
  let events: FailoverReport[]
  let statuses: NodeStatus[]
  let caught: Caught[]

  const show = ({ id, status }: { id: string; status: NodeStatus }): void => {
    if (id === 'failover') statuses.push(status)
  }
  const listen = (): void => {
    helper.getNode('out').on('input', (msg) => {
      events.push((msg as { payload: FailoverReport }).payload)
    })
    helper.getNode('caught').on('input', (msg) => caught.push(msg as unknown as Caught))
  }

  beforeEach(async () => {
    simulator = await startSimulator({
      routes: [
        {
          id: 'studio-a',
          name: 'Studio A',
          startRoute: true,
          source: {
            name: 'in',
            protocol: 'srt',
            srtMode: 'caller',
            srtEncryption: 'none',
            ...MAIN,
          },
          destinations: [],
        },
      ] as never,
      applyDelay: 0,
      settleDelay: 0,
    })
    engine = new Engine()
    events = []
    statuses = []
    caught = []
    shares.sharesOf =
      () =>
      (_config: object, _log: object, follower: ShareFollower): Share => {
        engine.follower = follower
        return engine
      }
    nodeRed.on('node-status', show)
    await load('', NODES, { gateway: GATEWAY() })
    listen()
  })
  afterEach(async () => {
    engine.isAway = false
    await unload()
    engine.isClosed.should.be.true()
    nodeRed.removeListener('node-status', show)
    shares.sharesOf = sharesOf
    await until(() => simulator.openSessions === 0 && simulator.openSockets === 0)
    await simulator.stop()
  })

  const GATEWAY = (): object => ({
    inventoryType: 'json',
    inventory: JSON.stringify([{ name: 'oslo', baseUrl: simulator.url }]),
    share: 'lease',
  })
  const say = (message: object): Promise<Outcome> =>
    send('failover', { ...message, appliance: 'oslo' })
  const isTold = (event: string, from = 0): boolean =>
    events.slice(from).some((each) => each.event === `failover.${event}`)
  const tells = (event: string, from = 0): Promise<void> =>
    until(
      () => isTold(event, from),
      () => `${event} in ${JSON.stringify([events, statuses.at(-1), engine])}`,
    )
  const shows = (text: RegExp): Promise<void> =>
    until(
      () => text.test(statuses.at(-1)?.text ?? ''),
      () => `${String(text)} in ${JSON.stringify(statuses)}`,
    )
  /** With this token, and from then on. */
  async function begins(token: number): Promise<void> {
    engine.take(token)
    await shows(/^1 of 1 protected$/)
    await until(() => engine.record?.token === token)
  }
  const context = () => helper.getNode('out').context().global
  const KEY = `media-gateway-failover-failover-${Buffer.from('oslo').toString('hex')}`
  const local = (): Held => context().get(KEY) as Held
  const switches = (): number =>
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).length
  const warnings = (text: RegExp): number =>
    helper.log().args.filter(([entry]) => text.test(String((entry as { msg?: unknown }).msg)))
      .length

  it('has what was held and released elsewhere, not what was held here before', async () => {
    engine.take(1)
    await shows(/^1 of 1 protected$/)
    await say({ action: 'hold' })
    await until(() => engine.kept.held && engine.record!.token === 1)
    // Nobody has to fear a restart.
    await shows(/^oslo: held: main; 0 of 1/)
    await engine.give()
    should(local()).containEql({ held: true, token: 1 })

    engine.elsewhere({ held: false }, 2)
    engine.take(3)
    await shows(/^1 of 1 protected$/)
    simulator.failAddress(MAIN.address, 'disconnected')
    await tells('switched')
    await until(() => engine.record!.token === 3)
    await engine.give()

    engine.elsewhere({ held: true }, 4)
    simulator.failAddress(MAIN.address, 'ok')
    simulator.failAddress(BACKUP.address, 'disconnected')
    const before = events.length
    engine.take(5)
    await tells('unprotected', before)
    should(events.at(-1)).containEql({ held: true, reason: 'held' })
    switches().should.equal(1)
    // What comes late from the former owner changes nothing.
    should(await engine.write('failover', 'oslo', { held: false }, 3)).be.false()
    engine.kept.held.should.be.true()
  })

  it('has what only this instance knows, unless another one has worked for it since', async () => {
    await begins(1)
    engine.isAway = true
    await say({ action: 'hold' })
    await engine.give()
    engine.isAway = false
    engine.kept.held.should.be.false()
    engine.take(3)
    await shows(/^oslo: held/)
    await until(() => engine.kept.held && engine.record!.token === 3)
    await engine.give()

    // As an earlier version has kept it, which told no engine.
    engine.record = undefined
    const { token: _, ...earlier } = local()
    context().set(KEY, earlier)
    engine.take(5)
    await until(() => (engine.record as { token?: number } | undefined)?.token === 5)
    engine.kept.held.should.be.true()
    warnings(/"oslo" is held, .* the engine has nothing of it/).should.equal(1)
    await engine.give()

    // An engine that was lost has counted from the beginning since.
    engine.record = { memory: { ...engine.kept, held: false }, token: 2 }
    engine.take(4)
    await shows(/^1 of 1 protected$/)
    engine.kept.held.should.be.false()
  })

  it('has what the engine was told, where a store in files was behind when Node-RED was killed', async () => {
    await begins(1)
    const behind = structuredClone(local())
    await say({ action: 'hold' })
    await until(() => engine.kept.held)
    await engine.give()
    context().set(KEY, behind)
    engine.take(2)
    await shows(/^oslo: held/)
    await until(() => engine.record!.token === 2)
    should([engine.kept.held, local().held]).eql([true, true])
    await engine.give()

    // An earlier version has not counted what it wrote.
    const { writes: _, ...earlier } = local()
    context().set(KEY, { ...earlier, held: true })
    engine.record = { memory: { ...engine.kept, held: false }, token: 1 }
    engine.take(3)
    await shows(/^oslo: held/)
    await until(() => engine.record!.token === 3 && engine.kept.held)
  })

  it('stays released where the settings hold it at a start of Node-RED', async () => {
    const held = { failover: { ...FAILOVER, gateway: 'gateway', hold: true } }
    await redeploy('', held, { gateway: GATEWAY() }, 'nodes')
    engine.take(1)
    await shows(/^oslo: held/)
    await until(() => engine.kept?.held)
    await engine.give()
    // Another instance owns it, and somebody releases it there. This one has kept nothing of that.
    engine.elsewhere({ held: false }, 2)
    context().set(KEY, undefined)
    await begins(3)
    engine.kept.held.should.be.false()
  })

  it('begins anew with what is no memory', async () => {
    engine.record = { memory: { held: 'yes' }, token: 1 }
    await begins(2)
    engine.kept.held.should.be.false()
  })

  it('waits for an engine that does not respond, and guesses nothing', async () => {
    engine.record = { memory: undefined, token: 1 }
    engine.isAway = true
    simulator.failAddress(MAIN.address, 'disconnected')
    engine.take(2)
    await shows(/^oslo: waiting for the engine; 0 of 1 protected$/)
    await until(() => caught.length > 0)
    await until(() => engine.asked.length >= 8)
    should([simulator.journal.length, events.length]).eql([0, 0])
    engine.isAway = false
    await until(() => switches() === 1)
    warnings(/can be read and written again/).should.equal(1)
    // Once, and not at the first attempt that fails.
    caught.should.have.length(1)
    const [{ error, appliance }] = caught as [Caught]
    error.message.should.match(
      /"oslo".* is waiting for its stored state from the engine.* no engine$/,
    )
    should(error.cause).containDeep({ code: 'UNAVAILABLE', appliance: 'oslo', applied: 'no' })
    should(appliance).equal('oslo')

    // Where it is given away meanwhile, it does not begin.
    await engine.give()
    const sent = simulator.journal.length
    engine.isAway = true
    engine.take(3)
    await shows(/waiting for the engine/)
    await engine.give()
    engine.isAway = false
    const asked = engine.asked.length
    await shows(/^0 of 1 gateways here/)
    should(caught).have.length(1)
    should([simulator.journal.length, engine.asked.length]).eql([sent, asked])
  })

  it('obeys no command while it waits for the engine, and none of them later', async () => {
    const open = engine.shut()
    engine.take(1)
    await until(() => engine.asked.length === 1)
    const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
    const [failover] = fleet.find('oslo').failovers
    const command = (): Promise<unknown> =>
      failover!.obey({ action: 'backup' }).catch((error: unknown) => error)
    const early = [say({ action: 'backup' }), say({ action: 'hold' })]
    const elsewhere = [
      command(),
      failover!.obey({ action: 'backup' }).catch((error: unknown) => error),
    ]
    engine.isAway = true
    open()
    const outcomes = await Promise.all([...early, say({ action: 'backup', hold: true })])
    outcomes.map(({ done }) => done).should.eql([1, 1, 1])
    const errors = outcomes.map(({ error }) => error as unknown)
    for (const error of [...errors, ...(await Promise.all(elsewhere)), await command()]) {
      should(error).have.properties({ code: 'UNAVAILABLE' })
      const { message, cause } = error as GatewayError
      message.should.match(/is waiting for its stored state from the engine/)
      should(cause).containEql({ applied: 'no', retryable: true })
    }
    for (const error of errors) String(error).should.match(/ Nothing was changed\.$/)

    engine.isAway = false
    await shows(/^1 of 1 protected$/)
    await until(() => engine.record?.token === 1)
    should([switches(), engine.kept.held]).eql([0, false])
    await command()
    await until(() => switches() === 1)
  })

  it('says once that the engine does not take what it remembers, and when it does again', async () => {
    await begins(1)
    engine.isAway = true
    await say({ action: 'hold' })
    await until(() => caught.length > 0)
    const asked = engine.asked.length
    await until(() => engine.asked.length >= asked + 2)
    caught.should.have.length(1)
    const [{ error, appliance }] = caught as [Caught]
    error.message.should.match(/"oslo".* cannot be kept on the engine.* no engine$/)
    should([error.cause.code, error.cause.appliance, appliance]).eql([
      'UNAVAILABLE',
      'oslo',
      'oslo',
    ])
    engine.isAway = false
    await until(() => engine.kept.held)
    await until(() => warnings(/can be read and written again/) === 1)
  })

  it('says it once for all appliances of a node', () => {
    const told: string[] = []
    const over: string[] = []
    const outage = createEngineOutage(
      ({ message }, { appliance }) => told.push(`${appliance}: ${message}`),
      (text) => over.push(text),
    )
    const [oslo, bergen] = [{ appliance: 'oslo' }, { appliance: 'bergen' }] as Appliance[]
    const [error, large] = [away(), new GatewayError('INVALID_INPUT', sentence('unchanged'))]
    for (const of of [oslo!, bergen!, oslo!]) outage.failed(of, error, 'read')
    outage.failed(bergen!, error, 'write')
    outage.failed(oslo!, large, 'write')
    told
      .map((text) => text.replace(/"(\w+)".* (is waiting|cannot) .*/, '$1 $2'))
      .should.eql([
        'oslo: The failover of oslo is waiting',
        'bergen: What the failover of bergen cannot',
        'oslo: What the failover of oslo cannot',
      ])
    outage.recovered('oslo')
    should(over).have.length(0)
    outage.remove('bergen')
    outage.failed(bergen!, error, 'read')
    outage.recovered('bergen')
    should([told.length, over.length]).eql([4, 1])
  })

  it('is given away, too, while the engine neither takes nor refuses what it is told', async () => {
    await begins(1)
    const open = engine.shut()
    await say({ action: 'hold' })
    await engine.give()
    engine.kept.held.should.be.false()
    open()
    await until(() => engine.kept.held)
  })

  it('tries again what the engine was not told, the latest only', async () => {
    await begins(1)
    engine.isAway = true
    await say({ action: 'hold' })
    await say({ action: 'release' })
    await say({ action: 'hold' })
    const asked = engine.asked.length
    engine.isAway = false
    await until(() => engine.kept.held)
    engine.asked.slice(asked).should.eql(['write failover oslo'])
  })

  for (const [way, leave] of [
    ['to another instance', (): Promise<unknown> => engine.give()],
    ['with its Node-RED', (): Promise<unknown> => unload()],
  ] as const) {
    it(`is given away ${way} only when the engine knows`, async () => {
      await begins(1)
      const open = engine.shut()
      await say({ action: 'hold' })
      let isGiven = false
      const given = leave().then(() => (isGiven = true))
      // Less than the connection to the appliance waits for changes under way.
      await pause(700)
      should([isGiven, engine.isClosed, engine.kept.held]).eql([false, false, false])
      open()
      await given
      engine.kept.held.should.be.true()
    })
  }

  it('is forgotten when its node is removed, for those that may have an older state', async () => {
    engine.take(1)
    await shows(/^1 of 1 protected$/)
    await say({ action: 'hold' })
    await until(() => engine.kept.held)
    const held = structuredClone(local())
    await redeploy('', {}, { gateway: GATEWAY() }, 'nodes')
    Object.keys(engine.record!.memory as object).should.eql(['writes'])
    should(engine.record!.token).equal(1)
    // It comes back at once, where a store in files had not forgotten it when Node-RED was killed.
    context().set(KEY, held)
    await redeploy('', NODES, { gateway: GATEWAY() }, 'nodes')
    await until(() => 'held' in engine.kept && !engine.kept.held)
    await redeploy('', {}, { gateway: GATEWAY() }, 'nodes')
    await engine.give()
    const asked = engine.asked.length
    // Who does not own it, and has nothing of it, does not ask.
    await redeploy('', NODES, { gateway: GATEWAY() }, 'nodes')
    await redeploy('', {}, { gateway: GATEWAY() }, 'nodes')
    engine.asked.should.have.length(asked)
  })
})
