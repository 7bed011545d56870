// What an action node does for an appliance that another instance owns comes out as if it were done here.
import { GatewayError } from '../../client/errors'
import { Stop } from '../../client/stop'
import type { Share } from '../../client/fleet/lease'
import { slotOf } from '../../client/fleet/slots'
import type { Command } from '../../client/fleet/types'
import { dataOf, errorOf } from '../../client/fleet/nats/outcome'
import { commandFailover } from '../../nodes/gateway/admin/failovers'
import { carryOut, type Remote } from '../../nodes/runtime/remote'
import type { Fleet, GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, result, send, unload, type Message, type Outcome } from '../support/flow'
import { actions, itTestsEach } from '../support/manifests'
import { liveInOwnTime } from '../support/own-time'
import { until } from '../support/until'
import { afterThisTest } from '../support/hooks'

const route = (name: string): object => ({
  name,
  source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
  destinations: [{ name: 'out', protocol: 'udp', address: '192.0.2.1', port: 5001 }],
})

interface Case {
  type: string
  node?: object
  msg?: Message
  effect: 'read' | 'change'
  /** The code of the error that is expected. */
  fails?: string
}

const APPLIED = { waitFor: 'applied' }
const PRESET = { preset_version: '1.0', routes: [route('New')] }
const CASES: Record<string, Case> = {
  'list devices': { type: 'list-devices', effect: 'read' },
  'list devices, one by one': { type: 'list-devices', node: { output: 'split' }, effect: 'read' },
  'get device': { type: 'get-device', effect: 'read' },
  'list routes': { type: 'list-routes', effect: 'read' },
  'a page of routes': { type: 'list-routes', msg: { page: 2, pageSize: 2 }, effect: 'read' },
  'routes, one by one': { type: 'list-routes', node: { output: 'split' }, effect: 'read' },
  definitions: { type: 'list-routes', node: { output: 'definitions' }, effect: 'read' },
  'get route, by an expression': {
    type: 'get-route',
    node: { route: '{"name": "Studio " & wanted}', routeType: 'jsonata' },
    msg: { wanted: 'A' },
    effect: 'read',
  },
  'a route that is not there': {
    type: 'get-route',
    msg: { routeName: 'Nowhere' },
    effect: 'read',
    fails: 'NOT_FOUND',
  },
  'a route that is not named': { type: 'get-route', effect: 'read', fails: 'INVALID_INPUT' },
  'create route': {
    type: 'create-route',
    node: APPLIED,
    msg: { payload: route('New') },
    effect: 'change',
  },
  'a definition that is wrong': {
    type: 'create-route',
    msg: { payload: { name: 'New', source: { protocol: 'none' } } },
    effect: 'change',
    fails: 'INVALID_INPUT',
  },
  'update route': {
    type: 'update-route',
    node: { ...APPLIED, mode: 'merge' },
    msg: { routeName: 'Studio A', payload: { name: 'Studio Z' } },
    effect: 'change',
  },
  'start a route': {
    type: 'control-route',
    node: { ...APPLIED, action: 'msg' },
    msg: { routeName: 'Studio A', action: 'stop' },
    effect: 'change',
  },
  'restart a route': {
    type: 'control-route',
    node: { action: 'restart' },
    msg: { routeName: 'Studio A' },
    effect: 'change',
  },
  'stop a destination': {
    type: 'control-route',
    node: { ...APPLIED, action: 'stop', target: 'destination', destination: 'destination' },
    msg: { routeName: 'Studio A', destination: { name: 'Studio A out' } },
    effect: 'change',
  },
  'delete route': {
    type: 'delete-route',
    node: APPLIED,
    msg: { routeName: 'Studio A' },
    effect: 'change',
  },
  'ensure a list': {
    type: 'ensure-route',
    msg: { payload: [route('One'), route('Two')] },
    effect: 'change',
  },
  'ensure absent, with a secret by name': {
    type: 'ensure-route',
    node: { state: 'absent' },
    msg: { payload: { name: 'Studio A', source: { passphrase: '${SRT_NOT_SET}' } } },
    effect: 'change',
  },
  'a dry run': {
    type: 'ensure-route',
    node: { check: true },
    msg: { payload: route('One') },
    effect: 'read',
  },
  'statistics of all': { type: 'statistics', node: { scope: 'all' }, effect: 'read' },
  'an export': { type: 'preset', effect: 'read' },
  'an import that is not confirmed': {
    type: 'preset',
    node: { action: 'import' },
    msg: { payload: Buffer.from('{}') },
    effect: 'change',
    fails: 'INVALID_INPUT',
  },
  'an import of a file': {
    type: 'preset',
    node: { action: 'import' },
    msg: { confirm: true, payload: Buffer.from(JSON.stringify(PRESET)) },
    effect: 'change',
  },
  'information on the session': { type: 'session', effect: 'read' },
}

describe('an action for an appliance of another instance', () => {
  beforeEach(() => liveInOwnTime(10))
  itTestsEach(
    actions,
    Object.values(CASES).map(({ type }) => type),
  )

  for (const [title, each] of Object.entries(CASES)) {
    it(`comes out the same: ${title}`, async () => {
      const here = await outcome(each, false)
      const there = await outcome(each, true)
      there.command!.appliance.should.equal('oslo')
      should(there.command!.writes).equal(each.effect !== 'read')
      should(there.sent).eql(here.sent)
      should(there.error).eql(here.error)
      should(here.error?.code).equal(each.fails)
      // What was done to the appliance is the same too.
      there.calls.should.eql(here.calls)
    })
  }

  it('an undo takes back what the node has done there, once', async () => {
    const { simulator, close } = await open({ type: 'ensure-route', effect: 'change' }, true)
    afterThisTest(() => close())
    const names = (): string[] => simulator.routes.map(({ name }) => name).sort()
    const before = names()
    await result('node', { payload: [route('One')], appliance: 'oslo' })
    names().should.containEql('One')
    await result('node', { action: 'undo', appliance: 'oslo' })
    names().should.eql(before)
    const { error } = await send('node', { action: 'undo', appliance: 'oslo' })
    error!.code.should.equal('NOT_FOUND')
  })

  /** What the owner does with a command that was changed on its way, beside what it did with the right one. */
  async function changedTo(
    given: Case,
    changes: Array<(command: Command, body: Record<string, unknown>) => object>,
  ): Promise<{ codes: string[]; notes: Remote[]; calls: string[] }> {
    const { simulator, close, last, notes } = await open(given, true)
    try {
      await send('node', { ...given.msg, appliance: 'oslo' })
      const sent = last()!
      const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
      simulator.clearJournal()
      const codes: string[] = []
      for (const change of changes) {
        const body = sent.body as Record<string, unknown>
        const changed = { ...sent, ...change(sent, body) }
        await carryOut(fleet.find('oslo'), changed, new Stop(), (each) => notes.push(each)).then(
          () => codes.push('ok'),
          ({ code, message, cause }: GatewayError) => {
            should(cause.applied).equal('no')
            codes.push(`${code} ${/the same flows|the same version/.exec(message)?.[0]}`)
          },
        )
      }
      const calls = simulator.journal.map(({ method, path }) => `${method} ${path}`)
      return { codes, notes, calls }
    } finally {
      await close()
    }
  }

  it('is for a node that the owner has, of this type, with these settings and this effect', async () => {
    const given: Case = {
      type: 'control-route',
      node: { ...APPLIED, action: 'stop' },
      msg: { routeName: 'Studio A' },
      effect: 'change',
    }
    const { codes, calls } = await changedTo(given, [
      (_, body) => ({ body: { ...body, id: 'another' } }),
      (_, body) => ({ body: { ...body, id: { toString: 1 } } }),
      (_, body) => ({ body: { ...body, type: 'media-gateway-delete-route' } }),
      (_, body) => ({ body: { ...body, settings: 'of another flow' } }),
      (_, body) => ({ body: { ...body, message: undefined } }),
      () => ({ writes: false }),
      (_, body) => ({ body: { ...body, version: 2 } }),
      () => ({ body: 'nonsense' }),
      () => ({ body: null }),
    ])
    codes.should.eql([
      ...Array<string>(6).fill('CONFIG the same flows'),
      ...Array<string>(3).fill('CONFIG the same version'),
    ])
    calls.should.eql([])
  })

  it('is done as the node of the owner is set, whatever the command says of settings', async () => {
    const given: Case = {
      type: 'ensure-route',
      node: { check: true },
      msg: { payload: route('One') },
      effect: 'read',
    }
    const { codes, calls } = await changedTo(given, [
      (_, body) => ({ body: { ...body, config: { check: false }, check: false } }),
    ])
    codes.should.eql(['ok'])
    calls.filter((call) => !call.startsWith('GET')).should.eql([])
  })

  it('is noted there: who, what, where and what came of it', async () => {
    const given: Case = {
      type: 'control-route',
      node: { ...APPLIED, action: 'msg' },
      msg: { routeName: 'Studio A', action: 'stop' },
      effect: 'change',
    }
    const { notes } = await changedTo(given, [
      (_, body) => ({ from: 'two\n\u202e', body: { ...body, type: 'x'.repeat(1000) } }),
    ])
    should(notes).eql([
      {
        from: 'one',
        appliance: 'oslo',
        operation: 'control-route',
        action: 'stop',
        route: 'Studio A',
        outcome: 'ok',
      },
      {
        from: 'two \\u202e',
        appliance: 'oslo',
        operation: 'x'.repeat(200),
        action: 'stop',
        outcome: 'CONFIG',
      },
    ])
  })

  it('is refused here where this instance is read-only, unless it only reads', async () => {
    const { simulator, close, last } = await open(
      { type: 'control-route', node: { action: 'stop' }, effect: 'change' },
      true,
    )
    afterThisTest(() => close())
    const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
    Object.defineProperty(fleet, 'readOnly', { value: true })
    const { error } = await send('node', { appliance: 'oslo', routeName: 'Studio A' })
    error!.code.should.equal('READ_ONLY')
    should(last()).be.undefined()
    await result('list-routes', { appliance: 'oslo' })
    const slot = slotOf(new URL(simulator.url).host)
    should(last()).containEql({ slot, writes: false })
  })

  it('is refused here with a file that is no text: it would arrive as another one', async () => {
    const node = { action: 'import' }
    const { close, last } = await open({ type: 'preset', node, effect: 'change' }, true)
    afterThisTest(() => close())
    const payload = Buffer.from('{"name": "Stra\u00dfe"}', 'latin1')
    const { error } = await send('node', { appliance: 'oslo', confirm: true, payload })
    error!.code.should.equal('INVALID_INPUT')
    error!.message.should.match(/msg\.payload is binary data/)
    should(last()).be.undefined()
  })

  it('a command of the sidebar for a failover is obeyed where its appliance is', async () => {
    const source = (address: string): string => JSON.stringify({ address, port: 5000 })
    const { simulator, close, last } = await open(
      {
        type: 'failover',
        node: {
          route: 'Studio A',
          main: source('192.0.2.1'),
          backup: source('192.0.2.2'),
          appliance: '',
          applianceType: 'all',
        },
        effect: 'change',
      },
      true,
    )
    afterThisTest(() => close())
    const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
    const owner = fleet.find('oslo')
    // What this instance knows of an appliance that it does not own.
    const oslo = { ...owner, failovers: new Set<never>(), appliance: 'oslo' }
    await until(() => [...owner.failovers][0]?.status !== undefined)
    const ask = (body: object): Promise<void> => commandFailover(oslo, body, new Stop(), fleet)
    await ask({ failoverId: 'node', action: 'hold' })
    const slot = slotOf(new URL(simulator.url).host)
    should(last()).containEql({ appliance: 'oslo', slot, writes: true })
    should([...owner.failovers][0]!.status!.held).be.true()
    const codes = await Promise.all([
      errorOfAsked(ask({ failoverId: 'another', action: 'hold' })),
      errorOfAsked(ask({ failoverId: 'node', action: 'reset' })),
    ])
    codes.should.eql(['CONFIG', 'INVALID_INPUT'])
    simulator.journal.filter(({ path }) => path.endsWith('/updates')).should.have.length(0)
  })

  it('a command of the sidebar waits no longer than its person', async () => {
    const { close } = await open({ type: 'list-routes', effect: 'read' }, true)
    afterThisTest(() => close())
    const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
    const sent: Array<{ stop: Stop; waitMs?: number }> = []
    const stopped: string[] = []
    // Nobody owns the appliance.
    const wait: Share['send'] = ({ body }, stop = new Stop(), waitMs) => {
      sent.push({ stop, waitMs })
      return new Promise((_, reject) => {
        stop.onStop(() => {
          stopped.push((body as { message: { action: string } }).message.action)
          reject(new GatewayError('CLOSED', 'stopped'))
        })
      })
    }
    Object.defineProperty(fleet, 'share', { value: { send: wait } })
    const ask = (action: string): Aborted => {
      const body = { id: 'gateway', appliance: 'oslo', failoverId: 'node', action }
      const request = helper.request().post('/media-gateway/failover')
      const asked = request.set('content-type', 'application/json').send(JSON.stringify(body))
      asked.then(
        () => undefined,
        () => undefined,
      )
      return asked as unknown as Aborted
    }
    const first = ask('main')
    ask('hold')
    await until(() => sent.length === 2)
    should(stopped).eql([])
    first.abort()
    first._server.close()
    await until(() => stopped.length > 0)
    should(stopped).eql(['main'])
    // Not two TTL, which may be ten minutes.
    sent.map(({ waitMs }) => waitMs).should.eql([12_000, 12_000])
    await until(() => stopped.length === 2, 'the end of the other one', 30_000)
  })

  it('fails with UNAVAILABLE where the instances cannot reach each other, and says whose it is', async () => {
    const simulator = await startSimulator({ routes: 3 })
    // Of two parts, one has the appliance and the other has not.
    const gateway = { inventoryType: 'json', inventory: rows(simulator), share: 'lease' }
    const outcomes: Outcome[] = []
    const asked: string[] = []
    for (const share of ['1/2', '2/2']) {
      await load(
        '',
        { node: { type: 'media-gateway-list-routes' } },
        { gateway: { ...gateway, share } },
      )
      outcomes.push(await send('node', { appliance: 'oslo' }))
      const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
      const command = { failoverId: 'node', action: 'hold' }
      asked.push(
        await errorOfAsked(commandFailover(fleet.find('oslo'), command, new Stop(), fleet)),
      )
      await unload()
    }
    await simulator.stop()
    // Its own one has no such failover.
    asked.sort().should.eql(['NOT_FOUND', 'UNAVAILABLE'])
    const [failed, ...others] = outcomes.filter(({ error }) => error)
    others.should.have.length(0)
    failed!.done.should.equal(1)
    failed!.error!.code.should.equal('UNAVAILABLE')
    failed!.error!.message.should.containEql('"oslo" belongs to the part ')
    failed!.error!.cause.should.containDeep({ applied: 'no', appliance: 'oslo' })
  })
})

const errorOfAsked = (asked: Promise<void>): Promise<string> =>
  asked.then(
    () => 'done',
    ({ code }: GatewayError) => code,
  )

/** A request that its sender can give up; then nobody but the test closes its server. */
interface Aborted {
  abort(): void
  _server: { close(): void }
}

const rows = ({ url }: Simulator): string => JSON.stringify([{ name: 'oslo', baseUrl: url }])

/** A node on a simulator of its own; `elsewhere`: this instance does not own the appliance. */
async function open(
  { type, node }: Case,
  elsewhere: boolean,
): Promise<{
  simulator: Simulator
  close: () => Promise<void>
  last: () => Command | undefined
  notes: Remote[]
}> {
  const notes: Remote[] = []
  const simulator = await startSimulator({ routes: 4, applyDelay: 0, settleDelay: 0 })
  let last: Command | undefined
  await load(
    '',
    {
      node: {
        type: `media-gateway-${type}`,
        applianceType: 'msg',
        appliance: 'appliance',
        ...node,
      },
    },
    { gateway: { inventoryType: 'json', inventory: rows(simulator) } },
  )
  const { fleet } = helper.getNode('gateway') as unknown as GatewayNode
  await fleet.ready
  if (elsewhere) {
    const owner = fleet.find('oslo')
    const remote: Fleet['share'] = {
      // As over the engine: JSON, and errors as data.
      async send(command) {
        last = structuredClone({ ...command, from: 'one' })
        const sent = { ...last, body: overTheWire(command.body) }
        try {
          return overTheWire(await carryOut(owner, sent, new Stop(), (each) => notes.push(each)))
        } catch (error) {
          throw errorOf(overTheWire(dataOf(error, command.writes)))
        }
      },
    }
    Object.defineProperty(fleet, 'share', { value: remote })
    Object.defineProperty(fleet, 'owns', { value: () => false })
  }
  const close = async (): Promise<void> => {
    await unload()
    await simulator.stop()
  }
  return { simulator, close, last: () => last, notes }
}

const overTheWire = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))

interface Comparable {
  sent: unknown
  error?: { code: string; message: string; applied: string }
  calls: string[]
  command?: Command
}

async function outcome(each: Case, elsewhere: boolean): Promise<Comparable> {
  const { simulator, close, last } = await open(each, elsewhere)
  try {
    const { messages, error, done } = await send('node', { ...each.msg, appliance: 'oslo' })
    done.should.equal(1)
    const calls = simulator.journal.map(({ method, path }) => `${method} ${path}`)
    return {
      sent: messages.map((message) => comparable(message, simulator)),
      error: error && brief(error, simulator),
      calls: calls.map((call) => plain(call, simulator)),
      command: last(),
    }
  } finally {
    await close()
  }
}

/** Without what differs from run to run: IDs, times and counters. */
function comparable({ gateway, ...message }: Message, simulator: Simulator): unknown {
  const { durationMs: _time, ...facts } = gateway ?? {}
  const text = JSON.stringify({ ...message, _msgid: 0, facts }, (_name, value: unknown) =>
    typeof value === 'number' || /^-?[\d.]+$/.test(String(value)) ? 0 : value,
  )
  return JSON.parse(plain(text, simulator))
}

const brief = (
  { code, message, cause }: GatewayError,
  simulator: Simulator,
): Comparable['error'] => ({ code, message: plain(message, simulator), applied: cause.applied })

const plain = (text: string, { url }: Simulator): string =>
  text
    .replaceAll(new URL(url).host, 'HOST')
    .replaceAll(/[\w-]{16,}/g, 'ID')
    .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
