// Failovers in two real Node-REDs that take over from each other.
import { startSimulator, type Simulator } from '../../simulator'
import { namedRights, ofFleet } from '../support/fleet-rights'
import { startNats, withNats, type NatsServer } from '../support/nats'
import { NodeRed } from '../support/node-red'
import { until } from '../support/until'

const TTL = 3
const FLEET = 'studios'
const NAMES = ['bergen', 'bodø', 'molde', 'oslo', 'skien', 'tromsø', 'vadsø', 'ålesund']
const SOURCE = { name: 'in', protocol: 'srt', srtMode: 'caller', srtEncryption: 'none' }
const MAIN = { address: '192.0.2.1', port: 5000 }
const BACKUP = { address: '192.0.2.2', port: 5000 }
const ROUTE = {
  id: 'studio-a',
  name: 'Studio A',
  startRoute: true,
  source: { ...SOURCE, ...MAIN },
  destinations: [],
}

interface State {
  elsewhere?: true
  failovers?: Array<{ id: string; state?: string; inUse?: string; held?: boolean }>
}

withNats('the failovers of a fleet', function () {
  this.timeout(120_000)

  let nats: NatsServer
  let simulators: Map<string, Simulator>
  const started: NodeRed[] = []

  before(async () => {
    nats = await startNats({
      users: [{ user: 'fleet', password: 'right', ...ofFleet(namedRights, FLEET) }],
    })
    const all = NAMES.map(async (name) => {
      const options = { routes: [ROUTE] as never, applyDelay: 0, settleDelay: 0 }
      return [name, await startSimulator(options)] as const
    })
    simulators = new Map(await Promise.all(all))
  })
  after(async () => {
    await Promise.all(started.map((each) => each.stop()))
    await Promise.all([...simulators.values()].map((each) => each.stop()))
    await nats.remove()
  })

  async function start(instance: string): Promise<NodeRed> {
    const nodeRed = new NodeRed()
    started.push(nodeRed)
    await nodeRed.start({})
    await nodeRed.deploy(flow(instance, nats, simulators))
    return nodeRed
  }

  async function ask<T>({ url }: NodeRed, path: string, body: object): Promise<T> {
    const response = await fetch(`${url}media-gateway/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'gateway', ...body }),
    })
    const answer = (await response.json()) as T
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
  /** A lease of 3 s may be late or lost on a slow machine: until there is one, nothing is answered. */
  async function askOnceLeased<T>(...of: Parameters<typeof ask>): Promise<T | string> {
    try {
      return await ask<T>(...of)
    } catch (error) {
      const { message } = error as Error
      if (!/"UNAVAILABLE".*(Nothing was changed|has no lease)/.test(message)) throw error
      return message
    }
  }
  async function command(by: NodeRed, appliance: string, action: string): Promise<void> {
    let answer: unknown
    await until(
      async () => {
        const body = { appliance, failoverId: 'failover', action }
        answer = await askOnceLeased(by, 'failover', body)
        return typeof answer !== 'string'
      },
      () => `an owner of ${appliance}: ${String(answer)}`,
      30_000,
    )
  }

  /** How the failovers of the appliances are that an instance owns, by their names. */
  async function owned(by: NodeRed): Promise<Map<string, string>> {
    const all = NAMES.map(async (appliance) => {
      const answer = await askOnceLeased<State>(by, 'state', { appliance })
      if (typeof answer === 'string') return []
      const { elsewhere, failovers } = answer
      const { state = 'unknown', held } = failovers?.[0] ?? {}
      return elsewhere ? [] : [[appliance, held ? `held ${state}` : state] as const]
    })
    return new Map((await Promise.all(all)).flat())
  }
  async function becomes(by: NodeRed, expected: (name: string) => string): Promise<string[]> {
    let found: Map<string, string> = new Map()
    await until(
      async () => {
        found = await owned(by)
        return found.size > 0 && [...found].every(([name, state]) => state === expected(name))
      },
      () => `the state of ${JSON.stringify([...found])}, ${by.output.slice(-2000)}`,
      30_000,
    )
    return [...found.keys()]
  }
  const switches = (name: string): number =>
    simulators.get(name)!.journal.filter(({ path }) => path.endsWith('/updates')).length

  it('keep their holds wherever they move, and no old one comes back', async () => {
    const one = await start('one')
    await until(async () => (await owned(one)).size === NAMES.length, 'the first owner', 30_000)
    await becomes(one, () => 'normal')
    for (const name of NAMES) await command(one, name, 'hold')
    await becomes(one, () => 'held normal')

    const other = await start('other')
    await until(async () => (await owned(other)).size > 0, 'the second owner', 30_000)
    const moved = await becomes(other, () => 'held normal')
    const [released] = moved as [string, ...string[]]
    for (const simulator of simulators.values()) simulator.failAddress(MAIN.address, 'disconnected')
    await becomes(other, () => 'held no-protection')

    // Through the instance that does not own it, and that still knows of its own old hold.
    await command(one, released, 'release')
    await until(() => switches(released) === 1, 'the switch')
    await becomes(other, (name) => (name === released ? 'protecting' : 'held no-protection'))
    await other.stop()
    await until(async () => (await owned(one)).size === NAMES.length, 'the takeover', 30_000)
    await becomes(one, (name) => (name === released ? 'protecting' : 'held no-protection'))
    NAMES.map(switches).should.eql(NAMES.map((name) => (name === released ? 1 : 0)))

    simulators.get(released)!.failAddress(BACKUP.address, 'disconnected')
    simulators.get(released)!.failAddress(MAIN.address, 'ok')
    await until(() => switches(released) === 2, 'the switch back')
    should(one.output).not.match(/cannot be (read|kept)|Permissions/)
  })
})

/** The account has the rights that the documentation asks for. */
const flow = (
  instance: string,
  { url }: NatsServer,
  simulators: ReadonlyMap<string, Simulator>,
): Array<Record<string, unknown>> => [
  { id: 'tab', type: 'tab', label: 'fleet' },
  {
    id: 'gateway',
    type: 'media-gateway',
    name: 'Fleet',
    baseUrl: '',
    inventory: JSON.stringify([...simulators].map(([name, each]) => ({ name, baseUrl: each.url }))),
    inventoryType: 'json',
    share: 'lease',
    engine: url,
    leaseTtl: TTL,
    fleet: FLEET,
    instance,
    gather: true,
    pollInterval: 1,
    credentials: {
      username: 'haiadmin',
      password: 'manager',
      engineUser: 'fleet',
      enginePassword: 'right',
      fleetKey: 'the key of the fleet in the tests',
    },
  },
  {
    id: 'failover',
    z: 'tab',
    x: 100,
    y: 100,
    type: 'media-gateway-failover',
    gateway: 'gateway',
    route: 'Studio A',
    routeType: 'name',
    main: JSON.stringify(MAIN),
    mainType: 'json',
    backup: JSON.stringify(BACKUP),
    backupType: 'json',
    configVersion: 2,
    pollEvery: 0.5,
    holdOff: '1',
    settle: 2,
    guard: 1,
    wires: [[]],
  },
]
