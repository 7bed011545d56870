// What a deploy does to failover nodes, all in one flow: it hits each in the middle of something.
import type { NodeAPI } from 'node-red'
import type { Kept } from '../../nodes/failover/context-memory'
import type { FailoverConfig } from '../../nodes/failover/options'
import { startProtection } from '../../nodes/failover/protection'
import type { ShownStatus } from '../../nodes/failover/status'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { helper } from '../support/flow'
import { until } from '../support/until'
import {
  BACKUP,
  deployAgain,
  endStages,
  FAILOVER,
  keptOf,
  MAIN,
  restart,
  startStages,
  TWO_ROUTES,
  type Stage,
} from './failover-stage'

const RESTORES = { restore: 'monitor', monitor: 'Monitor' }

const SCENES = {
  switching: {},
  halfway: { properties: TWO_ROUTES },
  remembers: { properties: RESTORES },
  forgets: { properties: RESTORES },
  held: {},
  shared: { others: { second: {} } },
}

describe('a deploy of failover nodes', () => {
  type Stages = Record<keyof typeof SCENES, Stage>
  let stages: Stages
  let sent: Array<Promise<string>>

  before(async () => {
    const started = await startStages(SCENES)
    stages = Object.fromEntries(started.map((stage) => [stage.id, stage])) as Stages
    const { switching, halfway, remembers, forgets, held, shared } = stages
    await Promise.all(started.map((stage) => stage.reaches('normal')))

    const manual = async (stage: Stage): Promise<void> => {
      await stage.send({ action: 'backup' })
      await stage.tells('switched')
    }
    const sharedSwitch = async (): Promise<void> => {
      await until(
        () => shared.caught.length > 0,
        () => shared.account(),
      )
      shared.fail(MAIN)
      await shared.tells('switched')
    }
    await Promise.all([manual(remembers), manual(forgets), sharedSwitch()])
    await held.send({ action: 'hold' })
    held.scene = { properties: { z: 'elsewhere' } }
    forgets.nodeId = 'another'
    shared.scene = { properties: { d: true }, others: { second: {} } }

    const late = { kind: 'latency', ms: 1500, match: { method: 'POST' } } as const
    for (const stage of [switching, halfway]) {
      stage.simulator.fault(late)
      stage.fail(MAIN)
    }
    const isUnderWay = (): boolean =>
      switching.updates.length === 1 && halfway.commands.length === 1
    await until(isUnderWay, () => switching.account() + halfway.account())
    sent = [{ action: 'status' }, { action: 'main' }, { action: 'none' }, { main: true }].map(
      (message) => switching.refusal(message),
    )
    await deployAgain()
    for (const stage of [switching, halfway]) stage.simulator.clearFaults()
  })
  after(endStages)

  it('makes one switch, and the new node tells of it', async () => {
    const { switching } = stages
    await until(
      () => switching.names.includes('switched'),
      () => switching.account(),
    )
    switching.names.should.eql(['switched'])
    switching.event('switched').should.match({ to: 'backup', cause: 'signal-fail' })
    await switching.looks(3)
    switching.updates.should.have.length(1)
    should(switching.source).equal(BACKUP.address)
    // Those of the four that could not be obeyed.
    ;(await Promise.all(sent)).should.eql([
      'accepted',
      'CONFLICT',
      'INVALID_INPUT',
      'INVALID_INPUT',
    ])
  })

  it('completes a change of two routes: one is on the air', async () => {
    const { halfway } = stages
    await until(
      () => halfway.names.includes('switched'),
      () => halfway.account(),
    )
    await halfway.looks(3)
    halfway.commands.should.eql(['stop-route studio-a', 'start-route slate'])
    halfway.simulator.route('slate')!.state.should.equal('running')
    halfway.simulator.route('studio-a')!.state.should.equal('idle')
    halfway.caught.should.have.length(0)
  })

  it('leaves what a person has chosen', async () => {
    const { remembers } = stages
    await remembers.looks(4)
    should(remembers.source).equal(BACKUP.address)
    remembers.updates.should.have.length(1)
    remembers.status.should.match({ fill: 'yellow', text: 'backup' })
  })

  it('leaves the hold of a person in force, also of a node moved to another tab', async () => {
    const { held } = stages
    held.fail(MAIN)
    await held.tells('held', 'unprotected')
    held.status.should.eql({ fill: 'red', shape: 'ring', text: 'held until restart: main failed' })
    held.updates.should.have.length(0)
  })

  it('follows the automatic rules where the memory is lost', async () => {
    const { forgets } = stages
    await until(
      () => forgets.updates.length === 2,
      () => forgets.account(),
    )
    await until(
      () => forgets.names.length === 2,
      () => forgets.account(),
    )
    forgets.event('switched').cause!.should.equal('manual')
    forgets.events.at(-1)!.should.match({ cause: 'restore', to: 'main' })
    should(keptOf('another')).be.an.Object()
    should(keptOf('forgets')).be.undefined()
  })

  it('lets the second failover of a route protect it, once the first has gone', async () => {
    const { shared } = stages
    const [conflict] = shared.caught
    conflict!.error.should.match({ code: 'CONFLICT', source: { id: 'second' } })
    conflict!.error.message.should.match(/Another failover already protects route "Studio A"/)
    shared.caught.should.have.length(1)
    shared.updates.should.have.length(1)
    await until(
      () => shared.state === 'protecting',
      () => shared.account(),
    )
    shared.mend(MAIN)
    shared.fail(BACKUP)
    await until(
      () => shared.updates.length === 2,
      () => shared.account(),
    )
    await until(() => shared.source === MAIN.address)
    shared.caught.should.have.length(1)
  })

  it('of changed nodes alone keeps the memory too', async () => {
    const { remembers } = stages
    remembers.scene = { properties: { ...RESTORES, holdOff: 0 } }
    await deployAgain('nodes')
    await remembers.looks(3)
    remembers.caught.should.have.length(0)
    await until(
      () => remembers.status.text === 'backup',
      () => remembers.account(),
    )
    remembers.updates.should.have.length(1)
  })

  it('leaves one session on each gateway, with one login for each deploy', async () => {
    for (const { id, simulator } of Object.values(stages)) {
      await until(() => simulator.openSessions === 1)
      simulator.logins.should.equal(id === 'remembers' ? 3 : 2, id)
    }
  })
})

describe('a failover of two routes that is removed during a switch', () => {
  after(endStages)

  /** Another one, which is disabled, takes its place, and then it comes back under its ID. */
  async function removed(stage: Stage): Promise<void> {
    stage.nodeId = 'another'
    stage.scene = { properties: { ...TWO_ROUTES, d: true } }
    await deployAgain()
  }
  async function back(stage: Stage): Promise<void> {
    stage.nodeId = stage.id
    stage.scene = { properties: TWO_ROUTES }
    await deployAgain()
  }

  it('starts the other one when it comes back, and is forgotten when nothing is left to do', async () => {
    const [stage] = (await startStages({ removed: { properties: TWO_ROUTES } })) as [Stage]
    await stage.reaches('normal')
    const refusal = { kind: 'status', status: 400, match: { action: 'start-route' } } as const
    stage.simulator.fault(refusal)
    stage.fail(MAIN)
    await until(() => stage.commands.includes('start-route slate'))
    await removed(stage)
    should(keptOf(stage.id)).be.an.Object()
    stage.simulator.clearFaults()
    await back(stage)
    await stage.tells('switched')
    stage.simulator.route('slate')!.state.should.equal('running')
    stage.commands.filter((one) => one.startsWith('stop')).should.eql(['stop-route studio-a'])
    await removed(stage)
    should(keptOf(stage.id)).be.undefined()
    await back(stage)
    await stage.looks(2)
    stage.names.should.eql(['switched'])
  })
})

describe('a failover that ends before it knows what it remembers', () => {
  after(endStages)

  it('does not begin after that', async () => {
    let RED: NodeAPI
    const types = [(api: NodeAPI) => void (RED = api)]
    const [stage] = (await startStages({ other: {} }, { types })) as [Stage]
    let remember: (() => void) | undefined
    const kept: Kept = {
      read: () =>
        new Promise((resolve) => {
          remember = () => resolve({ memory: undefined, isStart: true })
        }),
      write: () => Promise.resolve(),
      close: () => undefined,
    }
    const shown: unknown[] = []
    const ignored = (): void => undefined
    const status = { add: ignored, wait: ignored, show: (each: unknown) => shown.push(each) }
    const gateway = helper.getNode('gateway-other') as unknown as GatewayNode
    const end = startProtection(gateway, {
      RED: RED!,
      node: helper.getNode('other'),
      config: { ...FAILOVER, route: 'Slate' } as unknown as FailoverConfig,
      kept,
      status: status as unknown as ShownStatus,
      onEvents: ignored,
      onFailure: ignored,
    })
    await until(() => remember !== undefined)
    await end(false)
    remember!()
    await stage.looks(4)
    shown.should.eql([])
    gateway.failovers.size.should.equal(1)
  })
})

describe('a failover that is held at its start', () => {
  after(endStages)

  it('stays released at a deploy, and is held again when Node-RED has started', async () => {
    // As a variable of the environment may say it.
    const [stage] = (await startStages({ start: { properties: { hold: 'yes' } } })) as [Stage]
    const shows = async (text: string): Promise<void> => {
      await stage.looks(2)
      await stage.shows(`^${text}$`)
    }
    await shows('held: main')
    await stage.send({ action: 'release' })
    await shows('main')
    await deployAgain()
    await shows('main')
    await restart()
    await shows('held: main')
    stage.fail(MAIN)
    await stage.tells('released', 'unprotected')
    stage.updates.should.have.length(0)
    await stage.send({ action: 'release' })
    await stage.tells('released', 'unprotected', 'released', 'switched')
  })
})
