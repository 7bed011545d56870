// Failover nodes in one real Node-RED, each with a gateway and a simulator of its own.
import type { NodeAPI, NodeStatus } from 'node-red'
import type { FailoverReport } from '../../client/failover/protect'
import type { GatewayError } from '../../client/errors'
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import { startSimulator, type Call, type Simulator, type SimulatorOptions } from '../../simulator'
import {
  helper,
  load,
  redeploy,
  send,
  unload,
  type FlowOptions,
  type Message,
  type Outcome,
} from '../support/flow'
import { BACKUP, MAIN, SECRET, srt } from '../client/failover/support'
import { beginOwnTime } from '../support/own-time'
import { until } from '../support/until'

/** How fast the time of all stages passes. */
const TIMES = 4

const { events: nodeRed } = require('@node-red/util') as { events: NodeJS.EventEmitter }

export { BACKUP, MAIN, srt }

export const destinations = (...ports: number[]): object[] =>
  ports.map((port) => ({ name: `to ${port}`, protocol: 'udp', address: '203.0.113.9', port }))

/** `Studio A` runs on main; `Monitor` receives main all the time; `Slate` is a second route. */
const ROUTES = [
  {
    id: 'studio-a',
    name: 'Studio A',
    startRoute: true,
    source: srt(MAIN),
    destinations: destinations(6000, 6001),
  },
  { id: 'monitor', name: 'Monitor', startRoute: true, source: srt(MAIN), destinations: [] },
  {
    id: 'slate',
    name: 'Slate',
    startRoute: false,
    source: srt(BACKUP),
    destinations: destinations(6000),
  },
] as unknown as SimulatorOptions['routes']

/** The properties of a failover node with short times, in seconds. */
export const FAILOVER = {
  type: 'media-gateway-failover',
  route: 'Studio A',
  routeType: 'name',
  main: JSON.stringify(MAIN),
  mainType: 'json',
  backup: JSON.stringify(BACKUP),
  backupType: 'json',
  configVersion: CONFIG_VERSION,
  pollEvery: 0.5,
  holdOff: '0.5',
  settle: 2,
  guard: 1,
  waitToRestore: 1,
}

/** One that changes between two routes instead. */
export const TWO_ROUTES = {
  method: 'routes',
  main: 'Studio A',
  mainType: 'name',
  backup: 'slate',
  backupType: 'id',
}

export interface Scene {
  /** Of the failover node. */
  properties?: object
  /** More failover nodes of the same gateway. */
  others?: Record<string, object>
  gateway?: object
  simulator?: SimulatorOptions
}

type Caught = Message & { error: GatewayError & { source: { id: string } } }

/** A failover on its stage, and all that came of it. */
export class Stage {
  readonly events: FailoverReport[] = []
  readonly messages: Message[] = []
  readonly caught: Caught[] = []
  readonly statuses: NodeStatus[] = []
  simulator!: Simulator
  /** Of the failover node. */
  nodeId: string

  constructor(
    readonly id: string,
    public scene: Scene,
  ) {
    this.nodeId = id
  }

  get nodes(): Record<string, object> {
    const { properties = {}, others } = this.scene
    const own = { gateway: `gateway-${this.id}`, wires: [['out', `out-${this.id}`]] }
    return Object.fromEntries(
      Object.entries({ [this.nodeId]: properties, ...others }).map(([id, more]) => [
        id,
        { ...FAILOVER, ...own, ...more },
      ]),
    )
  }

  /** What became of a message to the node. */
  send = (message: Message, node = this.nodeId): Promise<Outcome> => send(node, message)

  /** The code of the error with which a message is refused, with exactly one `done`. */
  async refusal(message: Message, node = this.nodeId): Promise<string> {
    const { error, done } = await this.send(message, node)
    if (done !== 1) throw new Error(`done was called ${done} times`)
    return error?.code ?? 'accepted'
  }

  /** Names of the events, except those that only report a state. */
  get names(): string[] {
    const names = this.events.map(({ event }) => event.replace('failover.', ''))
    return names.filter((name) => name !== 'state')
  }

  get state(): string | undefined {
    return this.events.at(-1)?.state
  }

  get status(): NodeStatus {
    return this.statuses.at(-1) ?? {}
  }

  event(name: string): FailoverReport {
    return this.events.find(({ event }) => event === `failover.${name}`)!
  }

  async reaches(state: string): Promise<void> {
    await until(
      () => this.state === state,
      () => `${state} ${this.account()}`,
    )
  }

  /** These are all the events so far. */
  async tells(...names: string[]): Promise<void> {
    const wanted = names.join()
    await until(
      () => this.names.join() === wanted,
      () => `${wanted} ${this.account()}`,
    )
  }

  async shows(text: string | RegExp): Promise<void> {
    const isShown = (): boolean => new RegExp(text).test(this.status.text ?? '')
    await until(isShown, () => `the status ${String(text)} ${this.account()}`)
  }

  /** As many looks as that, from now on. */
  async looks(count: number, routeId = 'studio-a'): Promise<void> {
    // A look may read the route alone, or the device with all of them.
    const reads = (end: RegExp): number =>
      this.simulator.journal.filter(({ method, path }) => method === 'GET' && end.test(path)).length
    const looks = (): number =>
      Math.max(reads(new RegExp(`/routes/${routeId}$`)), reads(/^\/api\/devices\/[^/]+$/))
    const before = looks()
    await until(
      () => looks() >= before + count,
      () => `${count} looks ${this.account()}`,
    )
  }

  get updates(): Call[] {
    return this.posts('/updates')
  }

  /** As `start-route studio-a`. */
  get commands(): string[] {
    return this.posts('/commands').map(({ body }) => {
      const { command, parameters } = body as { command: string; parameters: { routeID: string } }
      return `${command} ${parameters.routeID}`
    })
  }

  private posts(end: string): Call[] {
    return this.simulator.journal.filter(
      ({ method, path }) => method === 'POST' && path.endsWith(end),
    )
  }

  /** The address of the source that the route has. */
  get source(): string | undefined {
    return this.simulator.route('studio-a')!.source.address
  }

  fail = (side: { address: string }): void =>
    this.simulator.failAddress(side.address, 'disconnected')
  mend = (side: { address: string }): void => this.simulator.failAddress(side.address, 'ok')

  account(): string {
    const calls = this.simulator.journal.map(({ method, path, status }) =>
      [method, path.replace(/.*\/devices\/[^/]+/, ''), status].join(' '),
    )
    const { events, statuses } = this
    const caught = this.caught.map(({ error }) => error.message)
    return `in ${JSON.stringify({ events, caught, status: statuses.at(-1), calls: calls.slice(-12) })}`
  }
}

let stages: Stage[] = []
let endOwnTime: () => void

const flowOf = (): [string, Record<string, object>, FlowOptions] => {
  const at = { z: 'tab', x: 0, y: 0 }
  const gateways = stages.map(({ id, simulator, scene }) => ({
    type: 'media-gateway',
    baseUrl: simulator.url,
    ...scene.gateway,
    id: `gateway-${id}`,
    name: id,
  }))
  const outs = stages.map(({ id }) => ({ id: `out-${id}`, ...at, type: 'helper', wires: [] }))
  const account = { username: 'haiadmin', password: 'manager' }
  const accounts = stages.map(({ id }) => [`gateway-${id}`, account])
  return [
    stages[0]!.simulator.url,
    Object.assign({}, ...stages.map(({ nodes }) => nodes)) as Record<string, object>,
    {
      others: [{ id: 'elsewhere', type: 'tab', label: 'elsewhere' }, ...gateways, ...outs],
      accounts: Object.fromEntries(accounts) as never,
    },
  ]
}

/** Starts a Node-RED with a flow of all these scenes. */
export async function startStages(
  scenes: Record<string, Scene>,
  options: Omit<FlowOptions, 'others' | 'accounts'> = {},
): Promise<Stage[]> {
  endOwnTime = beginOwnTime(TIMES)
  stages = Object.entries(scenes).map(([id, scene]) => new Stage(id, scene))
  for (const stage of stages) {
    stage.simulator = await startSimulator({
      routes: ROUTES,
      applyDelay: 20,
      settleDelay: 20,
      ...stage.scene.simulator,
    })
  }
  const [url, nodes, more] = flowOf()
  nodeRed.on('node-status', noteStatus)
  await load(url, nodes, { ...more, ...options })
  listen()
  return stages
}

/** Deploys the flow again, with what has changed in its scenes. */
export async function deployAgain(type: 'full' | 'nodes' = 'full'): Promise<void> {
  await redeploy(...flowOf(), type)
  listen()
}

/** Ends Node-RED and starts it again, with what a store in files would still have. */
export async function restart(): Promise<void> {
  const kept = stages.flatMap(({ nodes }) =>
    Object.keys(nodes).map(
      (id) => [`media-gateway-failover-${id}`, structuredClone(keptOf(id))] as const,
    ),
  )
  const store = (RED: NodeAPI): void =>
    RED.nodes.registerType('failover-store', function (config) {
      RED.nodes.createNode(this, config)
      for (const [key, value] of kept) this.context().global.set(key, value)
    })
  await unload()
  const [url, nodes, more] = flowOf()
  const others = [
    ...(more.others ?? []),
    { id: 'store', type: 'failover-store', z: 'tab', wires: [] },
  ]
  await load(url, nodes, { ...more, others, types: [store] })
  listen()
}

/** Once for each node: what a deploy leaves as it is keeps its listeners. */
const heard = new WeakSet<object>()

function listen(): void {
  const hear = (id: string, listener: (msg: unknown) => void): void => {
    const node = helper.getNode(id)
    if (heard.has(node)) return
    heard.add(node)
    node.on('input', listener)
  }
  for (const stage of stages) {
    hear(`out-${stage.id}`, (msg) => {
      const message = msg as Message
      stage.messages.push(message)
      stage.events.push(message.payload as FailoverReport)
    })
  }
  hear('caught', (msg) => {
    const caught = msg as Caught
    ofNode(caught.error.source.id)?.caught.push(caught)
  })
}

const ofNode = (id: string): Stage | undefined =>
  stages.find(({ nodeId, scene }) => nodeId === id || Object.hasOwn(scene.others ?? {}, id))

function noteStatus({ id, status }: { id: string; status: NodeStatus }): void {
  ofNode(id)?.statuses.push(status)
}

/** What a node has kept in the global context. */
export const keptOf = (id: string): unknown =>
  helper.getNode('out').context().global.get(`media-gateway-failover-${id}`)

/** Ends all, and looks for what must not be left or told. */
export async function endStages(): Promise<void> {
  const log = helper.log().args.map(([entry]) => entry as unknown)
  const contexts = stages.flatMap(({ nodes }) => Object.keys(nodes).map((id) => keptOf(id)))
  await unload()
  endOwnTime()
  nodeRed.removeListener('node-status', noteStatus)
  for (const { id, simulator } of stages) {
    await until(() => simulator.openSessions === 0, `the end of the session of ${id}`)
    await until(() => simulator.openSockets === 0)
    await simulator.stop()
  }
  const told = stages.map(({ messages, caught, statuses }) => [
    messages,
    caught,
    caught.map(({ error }) => [error.message, error.stack]),
    statuses,
  ])
  const everything = JSON.stringify([told, contexts, log])
  everything.should.not.containEql(SECRET)
  contexts.filter(Boolean).length.should.be.above(0, 'contexts')
}
