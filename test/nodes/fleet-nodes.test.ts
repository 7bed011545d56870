// Nodes that work for all appliances of an inventory, in a real Node-RED.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hooks, log } from '@node-red/util'
import type { NodeStatus } from 'node-red'
import type { GatewayError } from '../../client/errors'
import type { WatchEvent } from '../../client/model/event'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { helper, load, redeploy, result, send, unload, type Message } from '../support/flow'
import { liveInOwnTime } from '../support/own-time'
import { until } from '../support/until'

const { events: nodeRed } = require('@node-red/util') as { events: NodeJS.EventEmitter }

interface Received {
  to: string
  topic?: string
  appliance?: string
  payload: WatchEvent & { appliance?: string }
  error?: GatewayError
}

const NAMES = ['bergen', 'oslo-1', 'oslo-2', 'tromsø 1']

const SRT = { name: 'in', protocol: 'srt', srtMode: 'caller', srtEncryption: 'none' }
const source = { ...SRT, address: '192.0.2.1', port: 5000 }
const STUDIO = { name: 'Studio A', startRoute: true, source, destinations: [] } as never
const OTHER = { name: 'Other', startRoute: true, source, destinations: [] } as never

describe('nodes of an inventory', () => {
  let simulators: Simulator[]
  let received: Received[]
  let statuses: Array<{ id: string; status: NodeStatus }>
  let folder: string
  let path: string
  let logLines: Array<{ level: number; id?: string; msg: unknown }>
  const logged = { emit: (_: string, line: (typeof logLines)[number]) => void logLines.push(line) }

  const show = ({ id, status }: (typeof statuses)[number]): void => {
    statuses.push({ id, status })
  }

  beforeEach(async () => {
    liveInOwnTime(10)
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-fleet-'))
    path = join(folder, 'inventory.json')
    simulators = await Promise.all(
      NAMES.map(() => startSimulator({ routes: [STUDIO, OTHER], applyDelay: 0, settleDelay: 0 })),
    )
    received = []
    statuses = []
    logLines = []
    log.addHandler(logged as never)
    hooks.add(
      'onReceive.fleettest',
      ({ msg, destination }: { msg: object; destination: { id: string } }) => {
        received.push({ ...(msg as Received), to: destination.id })
      },
    )
    nodeRed.on('node-status', show)
  })
  afterEach(async () => {
    hooks.remove('*.fleettest')
    log.removeHandler(logged as never)
    await unload()
    nodeRed.removeListener('node-status', show)
    for (const simulator of simulators) {
      await until(() => simulator.openSessions === 0 && simulator.openSockets === 0)
      await simulator.stop()
    }
    rmSync(folder, { recursive: true })
  })

  const rows = (): object[] =>
    simulators.map(({ url }, index) => ({ name: NAMES[index], baseUrl: url }))
  const write = (inventory: unknown): void =>
    writeFileSync(path, typeof inventory === 'string' ? inventory : JSON.stringify(inventory))
  const out = (): Received[] => received.filter(({ to }) => to === 'out')
  const caught = (): Received[] => received.filter(({ to }) => to === 'caught')
  const statusOf = (id: string): string | undefined =>
    statuses.filter((one) => one.id === id).at(-1)?.status.text
  const gateway = (): GatewayNode => helper.getNode('gateway') as unknown as GatewayNode
  const polls = ({ journal }: Simulator): number =>
    journal.filter(({ method, path: at }) => method === 'GET' && /^\/api\/devices\/[^/]+$/.test(at))
      .length
  const WATCH = { type: 'media-gateway-watch', initial: 'snapshot' }
  const FAILOVER = {
    type: 'media-gateway-failover',
    route: 'Studio A',
    routeType: 'name',
    main: JSON.stringify({ address: '192.0.2.1', port: 5000 }),
    mainType: 'json',
    backup: JSON.stringify({ address: '192.0.2.2', port: 5000 }),
    backupType: 'json',
    configVersion: 2,
    pollEvery: 0.5,
  }
  const METRICS = { type: 'media-gateway-metrics' }
  const FILE = (): object => ({
    inventoryType: 'file',
    inventory: path,
    inventoryHosts: '127.0.0.1',
    pollInterval: 1,
  })

  it('a watch node follows each appliance with one login and one chain of polls', async () => {
    write(rows())
    await load('', { watch: WATCH, other: WATCH }, { gateway: FILE() })
    await until(() => out().length === 8)
    for (const [index, simulator] of simulators.entries()) {
      await until(() => polls(simulator) >= 2)
      simulator.logins.should.equal(1)
      const mine = out().filter(({ appliance }) => appliance === NAMES[index])
      mine
        .map(({ topic, payload }) => [topic, payload.appliance])
        .should.eql([
          ['snapshot', NAMES[index]],
          ['snapshot', NAMES[index]],
        ])
    }
    statusOf('watch')!.should.equal('4 of 4 reachable')
    const before = out().length
    simulators[1]!.stopRoute(simulators[1]!.routes.find(({ state }) => state === 'running')!.id)
    await until(() => out().length > before)
    out()[before]!.should.match({ topic: 'route.stopped', appliance: 'oslo-1' })
  })

  it('a pattern chooses by the names; without an inventory messages have no appliance', async () => {
    write(rows())
    const some = { ...WATCH, applianceType: 'pattern', appliance: 'OSLO-?' }
    const one = { ...WATCH, gateway: 'single' }
    const single = { id: 'single', type: 'media-gateway', baseUrl: simulators[0]!.url }
    await load(
      '',
      { some, one },
      {
        gateway: FILE(),
        others: [single],
        accounts: { single: { username: 'haiadmin', password: 'manager' } },
      },
    )
    await until(() => out().length === 3)
    out()
      .map(({ appliance = 'none' }) => appliance)
      .sort()
      .should.eql(['none', 'oslo-1', 'oslo-2'])
    out()
      .some(({ payload }) => 'appliance' in payload && payload.appliance === undefined)
      .should.be.false()
    simulators[3]!.journal.should.have.length(0)
  })

  it('a change of the file touches only what it changes, and what is half written changes nothing', async () => {
    const [bergen, oslo1, oslo2, tromso] = simulators as [
      Simulator,
      Simulator,
      Simulator,
      Simulator,
    ]
    write(rows().slice(0, 3))
    await load('', { watch: WATCH }, { gateway: FILE() })
    await until(() => out().length === 3)
    const unchanged = gateway().fleet.find('bergen').client()

    write('[{"name": "bergen", "baseUrl": "http://')
    await until(() => gateway().fleet.faults().length === 1)
    const [fault] = gateway().fleet.faults()
    fault!.should.match({ code: 'CONFIG' })
    fault!.message.should.match(/not valid JSON.*The previous inventory stays in use\.$/)
    gateway().fleet.names().should.have.length(3)

    // oslo-1 has left, oslo-2 has another account, and tromsø is new.
    const [first, , third, fourth] = rows()
    write([fourth, { ...third, username: 'operator', password: 'supervisor' }, first])
    await until(() => gateway().fleet.names()[0] === 'tromsø 1')
    gateway().fleet.faults().should.have.length(0)
    await until(() => out().length === 5)
    await until(() => oslo1.openSessions === 0)
    oslo1.logouts.should.equal(1)
    await until(() => oslo2.logouts === 1)
    ;[oslo2.logins, tromso.logins, bergen.logins, bergen.logouts].should.eql([2, 1, 1, 0])
    gateway().fleet.find('bergen').client().should.equal(unchanged)
    statusOf('watch')!.should.equal('3 of 3 reachable')
    should(() => gateway().fleet.find('oslo-1')).throw({ code: 'NOT_FOUND' })
    const pollsNow = polls(oslo1)
    const pollsThen = polls(bergen)
    await until(() => polls(bergen) > pollsThen)
    polls(oslo1).should.equal(pollsNow)
  })

  it('a message for a gateway that was just changed waits until its former connection has ended', async () => {
    const [bergen] = simulators as [Simulator]
    const [row] = rows()
    write([row])
    const CONTROL = { action: 'stop', route: 'Studio A', routeType: 'name' }
    await load('', { 'control-route': { ...CONTROL, waitFor: 'accepted' } }, { gateway: FILE() })
    await gateway().fleet.ready
    const sent = (): string[] =>
      bergen.journal.map(
        ({ method, path: at }) => `${method} ${at.split('/').slice(0, 3).join('/')}`,
      )
    // The first change is under way for longer than it takes to read the inventory again.
    bergen.fault({ kind: 'latency', ms: 2500, match: { method: 'POST', path: '/api/devices/*' } })
    const first = send('control-route', { appliance: 'bergen' })
    await until(() => sent().includes('POST /api/devices'))
    write([{ ...row, username: 'operator', password: 'supervisor' }])
    await until(() => gateway().fleet.former('bergen') !== undefined)
    const second = result('list-routes', { appliance: 'bergen' })
    await Promise.all([first, second])
    bergen.logins.should.equal(2)
    const logins = bergen.journal.filter(
      ({ method, path: at }) => at === '/api/session' && method !== 'GET',
    )
    logins.map(({ method }) => method).should.eql(['POST', 'DELETE', 'POST'])
    should(gateway().fleet.former('bergen')).be.undefined()
  })

  it('a share i/N works for its part only, and says so of the others', async () => {
    // By these keys both parts have some; by the ports, which differ in each run, one may have none.
    write(rows().map((row, index) => ({ ...row, ownerKey: NAMES[index] })))
    const one = { ...FILE(), id: 'gateway', share: '1/2' }
    const other = { ...FILE(), id: 'other', type: 'media-gateway', share: '2/2' }
    await load(
      '',
      { watch: WATCH, there: { ...WATCH, gateway: 'other' } },
      {
        gateway: one,
        others: [other],
        accounts: { other: { username: 'haiadmin', password: 'manager' } },
      },
    )
    await until(() => out().length === 4)
    for (const { logins } of simulators) logins.should.equal(1)
    const { fleet } = gateway()
    const [mine, theirs] = [true, false].map((isMine) =>
      fleet.names().filter((name) => fleet.owns(name) === isMine),
    ) as [string[], string[]]
    ;[mine.length > 0, theirs.length > 0, mine.length + theirs.length].should.eql([true, true, 4])
    let refusal: GatewayError | undefined
    try {
      fleet.find(theirs[0]!).client()
    } catch (error) {
      refusal = error as GatewayError
    }
    refusal!.should.match({
      code: 'UNAVAILABLE',
      cause: { applied: 'no', appliance: theirs[0], gateway: { id: 'gateway' } },
    })
    refusal!.should.match({ cause: { reason: 'other-part', retryable: false } })
    refusal!.message.should.match(
      /^Appliance "[^"]+" belongs to the part 2\/2 .* has the part 1\/2\./,
    )
    fleet.isMember.should.be.true()
  })

  it('a share that cannot work is an error: of the config node in the log, of each watch to catch, and in the status', async () => {
    write(rows())
    for (const [share, words] of [
      ['${FLEET_SHARE_NOT_SET}', /FLEET_SHARE_NOT_SET/],
      ['4/3', /must be all, lease, or a part/],
      ['', /must be all, lease, or a part/],
      ['lease', /no engine is given/],
    ] as const) {
      received = []
      logLines.length = 0
      await load('', { watch: WATCH, metrics: METRICS }, { gateway: { ...FILE(), share } })
      await until(() => caught().length === 1 && statusOf('watch') !== undefined)
      caught()[0]!.error!.should.match({ code: 'CONFIG', message: words })
      gateway().fleet.failure!.message.should.match(words)
      const { payload } = await result('metrics')
      String(payload).should.match(/^media_gateway_fleet_member\S* 0$/m)
      caught().should.have.length(1)
      const told = logLines.filter(({ id, msg }) => id === 'gateway' && words.test(String(msg)))
      told.map(({ level }) => level).should.eql([log.ERROR])
      await unload()
    }
    for (const { logins } of simulators) logins.should.equal(0)
  })

  it('a lease TTL below 30 s on several replicas is warned of, and 30 s is the default', async () => {
    // Nothing listens there.
    const lease = { ...FILE(), share: 'lease', engine: 'nats://127.0.0.1:9' }
    write(rows())
    for (const [more, warnings] of [
      [{ leaseTtl: 29, engineReplicas: 3 }, 1],
      [{ leaseTtl: 29, engineReplicas: 1 }, 0],
      [{ leaseTtl: '', engineReplicas: 3 }, 0],
      [{ engineReplicas: 5 }, 0],
    ] as const) {
      logLines.length = 0
      const credentials = { fleetKey: 'a key of sixteen or more' }
      await load('', { watch: WATCH }, { gateway: { ...lease, ...more }, credentials })
      await until(() => logLines.some(({ msg }) => /cannot be reached/.test(String(msg))))
      const said = logLines.filter(({ msg }) => /lease TTL is below 30 s/.test(String(msg)))
      said.map(({ level }) => level).should.eql(Array.from({ length: warnings }, () => log.WARN))
      await unload()
    }
  })

  it('a node whose gateways all belong to other instances, or to none yet, says how many there are', async () => {
    write(rows())
    const lease = { ...FILE(), share: 'lease', engine: 'nats://127.0.0.1:9' }
    const credentials = { fleetKey: 'a key of sixteen or more' }
    const some = { ...WATCH, applianceType: 'pattern', appliance: 'oslo-*' }
    const none = { ...WATCH, applianceType: 'pattern', appliance: 'paris-*' }
    const nodes = { watch: WATCH, some, none, failover: FAILOVER }
    await load('', nodes, { gateway: lease, credentials })
    await until(() => statusOf('failover') === '0 of 4 gateways here')
    statusOf('watch')!.should.equal('0 of 4 gateways here')
    statusOf('some')!.should.equal('0 of 2 gateways here')
    statusOf('none')!.should.equal('no gateway to watch')
  })

  it('a gateway that fails is one error with its name, and the others go on', async () => {
    const [first, second] = rows()
    write([first, { ...second, password: 'wrong' }, { name: 'typo', baseURL: 'http://10.0.0.1' }])
    await load('', { watch: WATCH }, { gateway: FILE() })
    await until(() => caught().length === 1 && out().length === 1)
    const [{ error, appliance }] = caught() as [Received]
    appliance!.should.equal('oslo-1')
    error!.should.match({
      code: 'LOGIN_REFUSED',
      cause: { appliance: 'oslo-1', gateway: { id: 'gateway' } },
    })
    error!.message.should.match(/^oslo-1 \(127\.0\.0\.1:\d+\) refused the username or the password/)
    await until(() => /2 of 3 with problems/.test(statusOf('watch') ?? ''))
    statusOf('watch')!.should.match(/^oslo-1: /)
    await until(() => polls(simulators[0]!) > 1)
    caught().should.have.length(1)
  })

  it('deploys in the middle leave nothing behind', async () => {
    write(rows())
    await load('', { watch: WATCH, metrics: METRICS }, { gateway: FILE() })
    for (let deploys = 0; deploys < 5; deploys++) {
      await redeploy('', { watch: WATCH, metrics: METRICS }, { gateway: FILE() })
    }
    received = []
    await until(() => out().length === 4)
    for (const { openSessions } of simulators) openSessions.should.equal(1)
  })

  it('metrics name each gateway of the inventory, and what is wrong with its rows', async () => {
    const [first, second] = rows()
    write([first, { ...second, baseUrl: 'nowhere' }])
    await load('', { metrics: METRICS }, { gateway: { ...FILE(), name: 'sites' } })
    await until(() => /1 of 2/.test(statusOf('metrics') ?? '') || polls(simulators[0]!) > 1)
    const { payload } = await result('metrics')
    const lines = String(payload).split('\n')
    for (const line of [
      'media_gateway_up{gateway="bergen"} 1',
      'media_gateway_up{gateway="oslo-1"} 0',
      'media_gateway_fleet_appliances{inventory="sites"} 1',
      'media_gateway_fleet_member{inventory="sites"} 1',
      'media_gateway_fleet_owned{inventory="sites"} 1',
      'media_gateway_fleet_faults{inventory="sites"} 1',
    ]) {
      lines.should.containEql(line)
    }
  })

  it('a failover node protects the route of each gateway, with a memory and commands of its own', async () => {
    const [bergen, oslo1, oslo2] = simulators as [Simulator, Simulator, Simulator]
    write([...rows().slice(0, 2), { name: 'faulty', baseUrl: 'nowhere' }])
    const failover = { ...FAILOVER, gateway: 'gateway' }
    const of = (name: string): Received[] => out().filter(({ appliance }) => appliance === name)
    const states = (name: string): unknown[] =>
      of(name).map(({ payload }) => (payload as unknown as { state: string }).state)
    await load('', { failover }, { gateway: FILE() })
    await until(() => ['bergen', 'oslo-1'].every((name) => states(name).includes('normal')))
    for (const { topic, payload, appliance } of out()) {
      payload.should.match({ event: topic, appliance })
    }
    const asked = async (message: object): Promise<string> => {
      const { error, done } = await send('failover', message as Message)
      done.should.equal(1)
      return error ? `${error.code} ${error.cause.appliance ?? '-'}` : 'done'
    }
    ;[
      await asked({ action: 'hold' }),
      await asked({ action: 'hold', appliance: 'unknown' }),
      await asked({ action: 'hold', appliance: 'faulty' }),
      await asked({ action: 'nonsense', appliance: 'oslo-1' }),
      await asked({ action: 'hold', appliance: 'oslo-1' }),
    ].should.eql([
      'INVALID_INPUT -',
      'NOT_FOUND unknown',
      'CONFIG faulty',
      'INVALID_INPUT oslo-1',
      'done',
    ])
    await until(() => of('oslo-1').some(({ topic }) => topic === 'failover.held'))
    of('bergen')
      .some(({ topic }) => topic === 'failover.held')
      .should.be.false()
    await until(() => /^oslo-1: held.*; 1 of 3 protected$/.test(statusOf('failover') ?? ''))

    // A row that changes is protected anew, and what was held is held; another one comes.
    const held = out().length
    write([rows()[0], { ...rows()[1], username: 'operator', password: 'supervisor' }, rows()[2]])
    await until(() => of('oslo-2').length > 0)
    await until(() => oslo1.logouts === 1)
    await until(() => /^oslo-1: held.*; 2 of 3 protected$/.test(statusOf('failover') ?? ''))
    out()
      .slice(held)
      .filter(({ appliance }) => appliance === 'bergen')
      .should.have.length(0)
    ;[bergen.logins, oslo1.logins, oslo2.logins].should.eql([1, 2, 1])
    gateway()
      .fleet.list()
      .map(({ failovers }) => failovers?.size)
      .should.eql([1, 1, 1])
    caught()
      .map(({ error }) => error!.code)
      .filter((code) => code === 'CLOSED')
      .should.eql([])
  })
})
