// A failover in a Node-RED of its own: killed in the middle, and for longer than a test can wait.
import { startSimulator, type Simulator } from '../../simulator'
import { hurried, NodeRed, type Properties } from '../support/node-red'
import { until } from '../support/until'
import { BACKUP, destinations, FAILOVER, MAIN, srt, TWO_ROUTES } from './failover-stage'
import { endEach } from '../support/connect'

const flowOf = (simulator: Simulator, failover: object): Properties[] => [
  { id: 'tab', type: 'tab', label: 'failover' },
  {
    id: 'gateway',
    type: 'media-gateway',
    baseUrl: simulator.url,
    credentials: { username: 'haiadmin', password: 'manager' },
  },
  {
    id: 'probe',
    z: 'tab',
    type: 'inject',
    props: [{ p: 'main', v: 'true', vt: 'bool' }],
    wires: [['failover']],
  },
  { ...FAILOVER, id: 'failover', z: 'tab', gateway: 'gateway', wires: [['shown']], ...failover },
  {
    id: 'shown',
    z: 'tab',
    type: 'debug',
    active: true,
    tosidebar: false,
    console: true,
    complete: 'payload.state',
    targetType: 'msg',
    wires: [],
  },
]

describe('a failover in a Node-RED of its own', function () {
  this.timeout(60_000)
  let nodeRed: NodeRed
  let simulator: Simulator
  const posts = (end: string): number =>
    simulator.journal.filter(({ method, path }) => method === 'POST' && path.endsWith(end)).length
  /** The states that it has reported, in their order. */
  const states = (): string[] =>
    [...nodeRed.output.matchAll(/\[debug:[^\]]*\] (\S+)/g)].map(([, state]) => state!)
  const reaches = (state: string): Promise<void> =>
    until(
      () => states().at(-1) === state,
      () => `${state} after ${states().join()} ${nodeRed.output.slice(-600)}`,
      30_000,
    )
  const account = (): string => states().join() + nodeRed.output.slice(-600)

  beforeEach(async () => {
    nodeRed = new NodeRed()
    simulator = await startSimulator({
      applyDelay: 20,
      settleDelay: 20,
      routes: ['studio-a', 'slate'].map((id, place) => ({
        id,
        name: id === 'slate' ? 'Slate' : 'Studio A',
        startRoute: place === 0,
        source: srt(place === 0 ? MAIN : BACKUP),
        destinations: destinations(6000),
      })) as never,
    })
  })
  afterEach(() => endEach(nodeRed, simulator))

  it('has a route on the air again after it was killed between the two', async () => {
    // Written at once: what only the memory has is lost with the process.
    const store = { module: 'localfilesystem', config: { cache: false } }
    await nodeRed.start({ contextStorage: { default: store } })
    await nodeRed.deploy(flowOf(simulator, TWO_ROUTES))
    await reaches('normal')
    // The start never arrives: the first command is the stop.
    const match = { method: 'POST', path: '*/commands', action: 'start-route' }
    const lost = simulator.fault({ kind: 'hang', match })
    simulator.failAddress(MAIN.address, 'disconnected')
    await until(() => posts('/commands') === 2, account)
    simulator.routes.map(({ state }) => state).should.eql(['idle', 'idle'])
    lost()
    await nodeRed.crash()
    await until(() => simulator.route('slate')!.state === 'running', account, 30_000)
    await reaches('protecting')
    should(simulator.route('studio-a')!.state).equal('idle')
  })

  it('does not return for a probe that was heard once and is silent since', async () => {
    await nodeRed.start({}, hurried(10))
    const probed = { restore: 'message', waitToRestore: 90, holdOff: 2, settle: 20, guard: 5 }
    await nodeRed.deploy(flowOf(simulator, { ...probed, pollEvery: 2 }))
    await reaches('normal')
    simulator.failAddress(MAIN.address, 'disconnected')
    await reaches('protecting')
    const { ok } = await fetch(`${nodeRed.url}inject/probe`, { method: 'POST' })
    ok.should.be.true()
    await reaches('wait-to-restore')
    // Main is still bad, and a minute later nobody knows more.
    await reaches('protecting')
    posts('/updates').should.equal(1)
  })
})
