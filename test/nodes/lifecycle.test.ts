import { hooks } from '@node-red/util'
import type { Node, NodeAPI, NodeMessage } from 'node-red'

import { EventEmitter } from 'node:events'
import { registerAction, type Call } from '../../nodes/runtime/action'
import { whenStarted } from '../../nodes/runtime/flows-started'
import { startSimulator, type Simulator } from '../../simulator'
import {
  ACTIONS,
  deployFlows,
  failure,
  helper,
  load,
  redeploy,
  result,
  send,
  unload,
} from '../support/flow'
import { liveInOwnTime } from '../support/own-time'
import { pause, until } from '../support/until'

const listenersOnProcess = (): number =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)

/** Timers, sockets and servers that keep the process alive. */
const handles = (): string[] =>
  process.getActiveResourcesInfo().filter((kind) => /Timeout|TCPSocket|TLSSocket/.test(kind))

it('the start of the flows is listened for only while a node waits for it', () => {
  const events = new EventEmitter()
  const cancels = [0, 1].map(() => whenStarted({ events } as unknown as NodeAPI, () => undefined))
  events.listenerCount('flows:started').should.equal(1)
  for (const cancel of cancels) cancel()
  events.listenerCount('flows:started').should.equal(0)
})

describe('deploys and stops', () => {
  let simulator: Simulator

  beforeEach(async () => {
    liveInOwnTime(10)
    simulator = await startSimulator()
  })
  afterEach(async () => {
    await unload()
    simulator.openSessions.should.equal(0)
    await until(() => simulator.openSockets === 0)
    await simulator.stop()
  })

  it('two hundred messages through twenty nodes at start make one login', async () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `reader-${index}`,
        { type: index % 2 ? 'media-gateway-list-routes' : 'media-gateway-list-devices' },
      ]),
    )
    await load(simulator.url, nodes)
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) => send(`reader-${index % 20}`)),
    )
    outcomes.filter(({ caught }) => caught).should.have.length(0)
    outcomes
      .filter(({ done, messages }) => done === 1 && messages.length === 1)
      .should.have.length(200)
    simulator.logins.should.equal(1)
  })

  it('twenty redeploys leave no session, listener, timer or socket behind', async () => {
    await load(simulator.url)
    await result('list-devices')
    await redeploy(simulator.url)
    const before = { listeners: listenersOnProcess(), handles: handles().length }
    for (let deploys = 0; deploys < 20; deploys++) {
      await result('list-devices')
      const late = send('list-routes')
      await redeploy(simulator.url)
      ;(await late).done.should.equal(1)
    }
    simulator.openSessions.should.equal(0)
    simulator.logouts.should.equal(simulator.logins)
    simulator.logins.should.be.aboveOrEqual(20)
    await until(() => simulator.openSockets === 0)
    listenersOnProcess().should.be.belowOrEqual(before.listeners)
    handles().length.should.be.belowOrEqual(before.handles + 2)
  })

  it('a stop while calls hang waits for none of them, every message with CLOSED', async () => {
    await load(simulator.url)
    await result('list-devices')
    simulator.fault({ kind: 'hang' })
    const outcomes = ACTIONS.filter(
      (name) => name !== 'create-route' && name !== 'update-route',
    ).map((name) =>
      send(name, { routeId: simulator.routes[0]!.id, deviceId: simulator.devices[0]!._id }),
    )
    await until(() => simulator.journal.filter(({ fault }) => fault).length >= 5)
    const startedAt = Date.now()
    await stopAll()
    // A call would hang for ten seconds.
    ;(Date.now() - startedAt).should.be.below(8000)
    simulator.clearFaults()
    simulator.dropSessions()
    await until(() => simulator.openSockets === 0)
    for (const { done, error } of await Promise.all(outcomes)) {
      done.should.equal(1)
      error!.code.should.equal('CLOSED')
    }
  })

  it('a message on its way when its node is stopped ends with CLOSED', async () => {
    await load(simulator.url)
    await result('list-devices')
    const free = simulator.fault({ kind: 'hang' })
    const reading = send('list-routes', { deviceId: 'x' })
    const writing = send('create-route', { deviceId: 'x', payload: ROUTE })
    await until(() => simulator.journal.filter(({ fault }) => fault).length === 2)
    await close('list-routes')
    await close('create-route')
    const [read, written] = await Promise.all([reading, writing])
    read.caught!.error.should.match({ code: 'CLOSED', cause: { retryable: true } })
    written.caught!.error.should.match({ code: 'CLOSED', cause: { retryable: false } })
    written.caught!.error.message.should.match(/may or may not have been applied/)
    ;[read.done, written.done].should.deepEqual([1, 1])
    // The Catch node may be stopped too: what is not known must not get lost.
    const warnings = helper.log().args.map(([entry]) => entry as { level: number; msg: unknown })
    warnings
      .filter(({ msg }) => /stopped before/.test(String(msg)))
      .map(({ level, msg }) => [level, msg])
      .should.eql([[30, written.caught!.error.message]])
    free()
    simulator.dropSessions()
  })

  it('the end of a session under way when its node is stopped sends nothing after it', async () => {
    await load(simulator.url, { session: { action: 'end' } })
    await result('list-devices')
    const match = { method: 'DELETE', path: '/api/session' }
    simulator.fault({ kind: 'latency', ms: 300, match })
    const ending = send('session')
    await until(() => simulator.journal.some(({ method }) => method === 'DELETE'))
    await close('session')
    const { messages, caught, done } = await ending
    caught!.error.should.match({ code: 'CLOSED', cause: { applied: 'no', retryable: true } })
    await until(() => simulator.openSessions === 0)
    ;[messages.length, done].should.eql([0, 1])
  })

  it('a node that is stopped sends nothing, whatever its operation still brings', async () => {
    let finish: (writes: number) => void = () => undefined
    const slow = (RED: NodeAPI): void =>
      registerAction(RED, 'media-gateway-slow', async ({ operation }: Call<never>) => {
        operation.writes = await new Promise<number>((resolve) => (finish = resolve))
        return { payload: 'late', did: { key: 'exported' } }
      })
    for (const [writes, applied] of [
      [0, 'no'],
      [1, 'maybe'],
    ] as const) {
      const nodes = { slow: { type: 'media-gateway-slow' } }
      await load(simulator.url, nodes, { types: [slow] })
      const outcome = send('slow')
      await until(() => finish.length === 1)
      await close('slow')
      finish(writes)
      const { messages, caught } = await outcome
      caught!.error.should.match({ code: 'CLOSED', cause: { applied } })
      messages.should.eql([])
      await unload()
    }
  })

  for (const [name, properties] of Object.entries({
    'list-devices': {},
    'list-routes': { output: 'split' },
  })) {
    it(`a message that cannot be passed on by ${name} is left as it came in`, async () => {
      await load(simulator.url, { [name]: { ...properties, wires: [['out', 'caught']] } })
      const member = Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('no copy of this')
        },
      })
      const message = { _msgid: 'one', payload: 'as it was', routeId: 7, member }
      const failed = new Promise<Error | undefined>((resolve) => {
        hooks.add('onComplete.unsendable', ({ error }: { error?: Error }) => resolve(error))
      })
      const node = helper.getNode(name) as unknown as Node
      node.receive(message)
      const error = await failed
      hooks.remove('*.unsendable')
      error!.message.should.match(/could not be sent on/)
      Object.keys(message).should.eql(['_msgid', 'payload', 'routeId', 'member'])
      ;[message.payload, message.routeId].should.eql(['as it was', 7])
    })
  }

  it('an expected failure has no stack, an unexpected one has', async () => {
    const broken = (RED: NodeAPI): void =>
      registerAction(RED, 'media-gateway-broken', () => {
        throw new TypeError('a mistake')
      })
    const nodes = { broken: { type: 'media-gateway-broken' } }
    await load(simulator.url, nodes, { types: [broken] })
    const { caught } = await send('get-route', { routeId: 'unknown' })
    should(caught!.error.stack).be.undefined()
    caught!.error.should.have.properties('message', 'code', 'cause')
    const { error } = (await send('broken')).caught!
    error.message.should.match(/TypeError: a mistake/)
    error.stack!.should.match(/lifecycle\.test/)
  })

  it('a mistake that shows after the work neither repeats nor keeps back the end of a message', async () => {
    const late = (RED: NodeAPI): void =>
      registerAction(
        RED,
        'media-gateway-late',
        ({ message }) => {
          if (message.fail === true) throw new TypeError('a mistake')
          return Promise.resolve({ payload: 1, did: { key: 'exported', changed: true } })
        },
        { message: ['fail'] },
      )
    await load(simulator.url, { late: { type: 'media-gateway-late' } }, { types: [late] })
    const node = helper.getNode('late') as unknown as Node
    const logged: unknown[] = []
    node.status = () => {
      throw new TypeError('a mistake in the status')
    }
    const error = node.error.bind(node)
    node.error = (text: unknown, message?: NodeMessage) => {
      if (message) error(text, message)
      else logged.push(text)
    }
    const good = await send('late')
    good.done.should.equal(1)
    should(good.caught).be.undefined()
    const bad = await send('late', { fail: true })
    bad.done.should.equal(1)
    bad.caught!.error.should.match({ code: 'BAD_RESPONSE', message: /TypeError: a mistake/ })
    logged.should.eql(Array(2).fill('TypeError: a mistake in the status'))
  })

  it('a message that cannot be passed on ends all the same, once', async () => {
    await load(simulator.url, { 'list-devices': { wires: [['out', 'caught']] } })
    const hostile = {
      get member(): never {
        throw new Error('no copy of this')
      },
    }
    const { done, error } = await send('list-devices', { hostile })
    done.should.equal(1)
    error!.message.should.match(/no copy of this/)
    ;(await send('list-devices')).done.should.equal(1)
  })

  it('the session ends when the last node that uses the gateway is gone', async () => {
    await load(simulator.url)
    await result('list-devices')
    simulator.openSessions.should.equal(1)
    for (const name of ACTIONS) await close(name)
    await until(() => simulator.openSessions === 0)
  })

  it('a status says what failed, and goes when all is well again', async () => {
    await load(simulator.url)
    const statuses: Array<Record<string, unknown>> = []
    helper.getNode('list-devices').on('call:status' as 'input', (call: unknown) => {
      statuses.push((call as { args: [Record<string, unknown>] }).args[0])
    })
    simulator.fault({ kind: 'status', match: { path: '/api/devices' }, times: 1 })
    await failure('list-devices')
    await result('list-devices')
    await pause(20)
    const read = { fill: 'grey', shape: 'dot', text: '1 device' }
    // Blue only says that a slow machine has not answered yet.
    const told = statuses.filter(({ fill }) => fill !== 'blue')
    told.should.deepEqual([{ fill: 'red', shape: 'ring', text: 'A simulated error 500' }, {}, read])
  })

  it('a status says that a node is busy, and that its message has failed when the gateway goes', async () => {
    await load(simulator.url)
    const statuses: Array<Record<string, unknown>> = []
    helper.getNode('list-devices').on('call:status' as 'input', (call: unknown) => {
      statuses.push((call as { args: [Record<string, unknown>] }).args[0])
    })
    simulator.fault({ kind: 'hang', match: { path: '/api/devices' }, times: 1 })
    const hanging = failure('list-devices')
    await until(() => statuses.length === 1)
    await close('gateway')
    ;(await hanging).code.should.equal('CLOSED')
    statuses.map(({ fill }) => fill).should.deepEqual(['blue', 'red'])
  })
})

/** Stops all nodes; the hook after each test unloads. */
const stopAll = (): Promise<void> => deployFlows([])

/** Stops one node, as a deploy of modified nodes does. */
const close = async (id: string): Promise<void> => {
  await (helper.getNode(id) as unknown as { close(): Promise<void> }).close()
}

const ROUTE = {
  name: 'New',
  source: { name: 'New in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
}
