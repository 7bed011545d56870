import { once } from 'node:events'
import { hooks, i18n } from '@node-red/util'
import helper from 'node-red-node-test-helper'
import type { NodeAPI } from 'node-red'
import type { GatewayError } from '../../client/errors'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../simulator'
import { afterThisTest } from './hooks'
import { nodes as packaged } from './manifests'
import { liveInOwnTime } from './own-time'
import { until } from './until'
import { loadWords } from './words'

/** Flows in the real runtime of Node-RED, and what became of each message. */

helper.init(require.resolve('node-red'))

type Registering = (RED: NodeAPI) => void

const NODES = [
  ...packaged.map((name) => `../../nodes/${name}/${name}`),
  '@node-red/nodes/core/network/06-httpproxy.js',
].map((path) => require(path) as Registering)

export const ACTIONS = [
  'session',
  'list-devices',
  'get-device',
  'list-routes',
  'get-route',
  'create-route',
  'update-route',
] as const

export type Message = Record<string, unknown> & {
  payload?: unknown
  gateway?: Record<string, unknown>
}

/** What became of one message. */
export interface Outcome {
  /** Messages that the node sent. */
  messages: Message[]
  /** What reached the Catch node. */
  caught?: Message & { error: GatewayError }
  /** What `done` was called with. */
  error?: GatewayError
  /** How often the node called `done`. */
  done: number
}

type DeployType = 'full' | 'nodes' | 'flows'

export interface FlowOptions {
  /** Properties of the config node besides its address. */
  gateway?: object
  credentials?: object
  /** Variables of the flow. */
  env?: object[]
  /** Credentials of more config nodes, by their IDs. */
  accounts?: Record<string, object>
  /** More nodes. */
  others?: object[]
  /** More types of nodes. */
  types?: Registering[]
}

/** One of each node, or the given ones, all on one gateway, with one Catch node. */
export function flowOf(
  baseUrl: string,
  nodes: Record<string, object> = {},
  options: FlowOptions = {},
): { flow: object[]; credentials: Record<string, object> } {
  const actions = Object.entries({
    ...Object.fromEntries(ACTIONS.map((name) => [name, {}])),
    ...nodes,
  }).map(([id, properties]) => ({
    id,
    z: 'tab',
    x: 0,
    y: 0,
    type: `media-gateway-${id}`,
    gateway: 'gateway',
    wires: [['out']],
    ...properties,
  }))
  return {
    flow: [
      { id: 'tab', type: 'tab', label: 'test', env: options.env },
      { id: 'gateway', type: 'media-gateway', name: '', baseUrl, ...options.gateway },
      ...actions,
      { id: 'out', z: 'tab', x: 0, y: 0, type: 'helper', wires: [] },
      { id: 'catch', z: 'tab', x: 0, y: 0, type: 'catch', scope: null, wires: [['caught']] },
      { id: 'caught', z: 'tab', x: 0, y: 0, type: 'helper', wires: [] },
      ...(options.others ?? []),
    ],
    credentials: {
      gateway: { username: 'haiadmin', password: 'manager', ...options.credentials },
      ...options.accounts,
    },
  }
}

/** The helper gives every node a function that returns the key of a text, and not the text. */
const withWords =
  (node: (RED: NodeAPI) => void) =>
  (RED: NodeAPI): void =>
    node(Object.assign(RED, { _: i18n._ }))

interface Followed extends Outcome {
  nodeId: string
  over: () => void
}

interface Completion {
  msg: Message
  error?: Error
  node: { id: string }
}

const outcomes = new Map<string, Followed>()

/**
 * A simulator for the flows of this test, which end before it and leave nothing open on it. Time passes ten
 * times as fast until then.
 */
export async function simulated(options?: SimulatorOptions): Promise<Simulator> {
  liveInOwnTime(10)
  const simulator = await startSimulator(options)
  afterThisTest(async () => {
    await unload()
    try {
      const isLeft = (): boolean => simulator.openSessions === 0 && simulator.openSockets === 0
      await until(isLeft, 'the end of its sessions and sockets')
    } finally {
      await simulator.stop()
    }
  })
  return simulator
}

/** Loads a flow; `unload` ends it. */
export async function load(
  baseUrl: string,
  nodes?: Record<string, object>,
  options?: FlowOptions,
): Promise<void> {
  const { flow, credentials } = flowOf(baseUrl, nodes, options)
  await loadWords()
  const types = [...NODES, ...(options?.types ?? [])].map(withWords)
  await helper.load(types, flow, credentials)
  listen()
}

const heard = new WeakSet<object>()

/** Collects what the `out` and `caught` nodes get, and every `done`. */
function listen(): void {
  hooks.remove('*.flowtest')
  hooks.add('onComplete.flowtest', ({ msg, error, node }: Completion) => {
    const outcome = outcomes.get(String(msg._msgid))
    if (!outcome || outcome.nodeId !== node.id) return
    outcome.done++
    outcome.error = error as GatewayError | undefined
    // An error arrives by way of the Catch node, unless that is gone already.
    if (error) afterTurns(LONGEST_WAY, outcome.over)
    else afterDelivery(outcome.over)
  })
  hear('out', (message: Message) => {
    outcomes.get(String(message._msgid))?.messages.push(message)
  })
  hear('caught', (message: NonNullable<Outcome['caught']>) => {
    const outcome = outcomes.get(String(message._msgid))
    if (!outcome) return
    outcome.caught = message
    afterDelivery(outcome.over)
  })
}

/** A deploy of what has changed leaves a node as it is. */
function hear<T>(id: string, onMessage: (message: T) => void): void {
  const node = helper.getNode(id)
  if (!node || heard.has(node)) return
  heard.add(node)
  node.on('input', (message: unknown) => onMessage(message as T))
}

/** Messages are delivered one turn later; one more turn shows a surplus `done`. */
const afterDelivery = (over: () => void): void => afterTurns(3, over)

/** Through the Catch node and on to the next one, several times over. */
const LONGEST_WAY = 30

function afterTurns(count: number, over: () => void): void {
  if (count === 0) over()
  else setImmediate(afterTurns, count - 1, over)
}

/** Deploys flows, by default in full; resolves when they run, however busy the machine. */
export async function deployFlows(flow: object[], type: DeployType = 'full'): Promise<void> {
  const started = once(helper._events, 'flows:started')
  await helper._redNodes.setFlows(flow, {}, type)
  await started
}

/** Redeploys the flow, by default in full; resolves when that is over. */
export async function redeploy(
  baseUrl: string,
  nodes?: Record<string, object>,
  options?: FlowOptions,
  type: 'full' | 'nodes' = 'full',
): Promise<void> {
  await deployFlows(flowOf(baseUrl, nodes, options).flow, type)
  listen()
}

export async function unload(): Promise<void> {
  hooks.remove('*.flowtest')
  outcomes.clear()
  await helper.unload()
}

let sent = 0

/** Sends a message to a node; resolves with what became of it once its `done` was called. */
export function send(nodeId: string, message: Message = {}): Promise<Outcome> {
  const _msgid = `message-${++sent}`
  return new Promise((resolve) => {
    const outcome: Followed = { nodeId, messages: [], done: 0, over: () => resolve(outcome) }
    outcomes.set(_msgid, outcome)
    const node = helper.getNode(nodeId) as ReturnType<typeof helper.getNode> | null
    if (!node)
      throw new Error(
        `no node ${nodeId} runs: it is not in the flow, or its type has no entry in package.json`,
      )
    node.receive(Object.assign(copyOf(message), { _msgid }))
  })
}

/** With its getters, which Node-RED does not call either. */
function copyOf(message: Message): Message {
  const members = Object.entries(Object.getOwnPropertyDescriptors(message)).map(
    ([name, member]) =>
      [name, { ...member, ...('value' in member && { writable: true }) }] as const,
  )
  return Object.defineProperties({}, Object.fromEntries(members))
}

/** Like `send`, for a message that must succeed: returns the one message that comes out. */
export async function result(nodeId: string, message?: Message): Promise<Message> {
  const { messages, caught } = await send(nodeId, message)
  if (caught) throw caught.error
  if (messages.length !== 1) throw new Error(`${messages.length} messages came out, not one`)
  return messages[0]!
}

/** Like `send`, for a message that must fail: returns its error. */
export async function failure(nodeId: string, message?: Message): Promise<GatewayError> {
  const { messages, caught } = await send(nodeId, message)
  if (!caught) throw new Error(`no error came: ${JSON.stringify(messages).slice(0, 300)}`)
  if (messages.length > 0) throw new Error('a message came out beside the error')
  return caught.error
}

export { helper }
