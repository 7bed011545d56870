// The flows in examples/ on a real Node-RED and a simulator, with their buttons and what they tell.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { hurried, NodeRed } from '../support/node-red'
import { root } from '../support/root'
import { pause, until } from '../support/until'

/** How fast the clock of Node-RED runs: its second, and a look of each watch, is 200 ms here. */
export const HURRY = 5
const USUAL_TIMEOUT_MS = 10_000
export const examples = join(root, 'examples')
export const GATEWAY = 'a8040be890603b7c'
/** The gateway of the other site, in recipes about two. */
export const SECOND = '4c1f0d7e92b8a635'
/** The one with an inventory. */
export const ALL = 'e27c5a90d41b86f3'
/** The one recipe that needs another package: test/editor/control-panel.test.ts runs it. */
export const PANEL = 'Recipes/Control panel.json'
export const DASHBOARD = '@flowfuse/node-red-dashboard'

/** A route with two destinations. */
export const TWO: RouteSpec = {
  name: 'Two',
  source: { name: 'Two in', protocol: 'udp', address: '239.7.0.1', port: 5800 },
  destinations: [
    { name: 'Two out 1', protocol: 'udp', address: '239.7.0.2', port: 5900 },
    { name: 'Two out 2', protocol: 'udp', address: '239.7.0.3', port: 5901 },
  ],
}

export interface FlowNode {
  id: string
  type: string
  z?: string
  name?: string
  label?: string
  gateway?: string
  scope?: string[] | null
  wires?: string[][]
  g?: string
  nodes?: string[]
  x?: number
  y?: number
  w?: number
  h?: number
  repeat?: string
  crontab?: string
  baseUrl?: string
  [property: string]: unknown
}

export const read = (file: string): FlowNode[] =>
  JSON.parse(readFileSync(join(examples, file), 'utf8')) as FlowNode[]

const ADMINISTRATOR = { username: 'haiadmin', password: 'manager' }

/** The gateway of the present test. */
export let simulator: Simulator

/** A Node-RED for the tests of a file, and for each of them a simulator; ends them, too. */
export function stageRecipes(env?: NodeJS.ProcessEnv) {
  const nodeRed = new NodeRed()
  const flows = flowsOn(nodeRed)
  let begun: number

  before(async () => {
    begun = Date.now()
    await flows.start(env)
  })
  after(() => nodeRed.stop())
  beforeEach(flows.begin)
  afterEach(flows.end)

  /** So many hours from now, by the clock of Node-RED. */
  const timeIn = (hours: number): Date =>
    new Date(begun + (Date.now() - begun) * HURRY + hours * 3_600_000)
  return { ...flows, nodeRed, timeIn }
}

/** What each test file does on a Node-RED of its own. */
export function flowsOn(nodeRed: NodeRed) {
  /** Where the output of the present flow begins. */
  let since = 0

  const start = (env: NodeJS.ProcessEnv = {}): Promise<void> =>
    nodeRed.start(
      { mqttReconnectTime: 2500 },
      { ...hurried(HURRY), NODE_V8_COVERAGE: undefined, ...env },
    )

  /** Starts the simulator of one case. */
  async function begin(): Promise<Simulator> {
    simulator = await startSimulator()
    return simulator
  }

  // A flow that is gone leaves no session.
  async function end(): Promise<void> {
    await deploy([])
    await until(() => simulator.openSessions === 0, 'the end of its session')
    await simulator.stop()
  }

  /** Presses a button that asks nothing of the gateway, or whose message may be held back. */
  async function inject(flow: FlowNode[], button: string): Promise<void> {
    const answer = await call('POST', `inject/${nodeNamed(flow, button).id}`, {})
    answer.status.should.equal(200)
    await pause(200)
  }

  const call = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(nodeRed.url + path, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'Node-RED-API-Version': 'v2',
        'Node-RED-Deployment-Type': 'full',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  const deploy = (flow: FlowNode[]): Promise<void> => nodeRed.deploy(flow)

  /** Deploys a recipe on the simulator, with credentials as a user would enter them. */
  async function open(
    title: string,
    { flow = read(`Recipes/${title}.json`), credentials = ADMINISTRATOR } = {},
  ): Promise<FlowNode[]> {
    since = nodeRed.output.length
    await deploy(connected(flow, credentials))
    return flow
  }

  function connected(flow: FlowNode[], credentials = ADMINISTRATOR): FlowNode[] {
    return flow.map((each) => {
      switch (each.type) {
        case 'media-gateway':
          // A test may have set a simulator of its own.
          return {
            ...each,
            baseUrl: each.baseUrl!.startsWith('http://localhost') ? simulator.url : each.baseUrl,
            pollInterval: 1,
            // By a hurried clock the usual 10 s would be 2, too few for a busy machine.
            ...(each['timeout'] === USUAL_TIMEOUT_MS && { timeout: 60_000 }),
            credentials,
          }
        case 'debug':
          return { ...each, console: true }
        // The test presses the button; the clock would do so in between.
        case 'inject':
          return { ...each, repeat: '', crontab: '' }
        default:
          return each
      }
    })
  }

  /** Waits until a watch has looked so often, and its events have gone through. */
  async function polled(times: number): Promise<void> {
    const looks = (): number =>
      simulator.journal.filter(
        ({ path, status }) => /^\/api\/devices\/[^/]+$/.test(path) && status === 200,
      ).length
    const before = looks()
    await until(() => looks() >= before + times, 'a look of the watch')
    await pause(100)
  }

  /** Presses a button, and waits until the simulator has answered that and the answer has gone through. */
  async function press(
    flow: FlowNode[],
    button: string,
    path = /\/(routes|preset)$/,
  ): Promise<void> {
    const answers = (): number =>
      simulator.journal.filter((each) => path.test(each.path) && each.status !== undefined).length
    const asked = answers()
    const answer = await call('POST', `inject/${nodeNamed(flow, button).id}`, {})
    answer.status.should.equal(200)
    await until(() => answers() > asked, `an answer after "${button}"`)
    await pause(80)
  }

  /** What Node-RED has printed since the present flow was deployed. */
  const output = (): string => nodeRed.output.slice(since)

  /** What a debug node of the flow has told. */
  function told(name: string): string[] {
    const lines = output().split(/^(?=\d+ \w+ [\d:]+ - )/m)
    return lines.flatMap((line) => {
      const [, text] = new RegExp(`\\[info\\] \\[debug:${name}\\] ([^]*)`).exec(line) ?? []
      return text === undefined ? [] : [text.trim()]
    })
  }

  const bodies = (): Array<{ action?: string; command?: string }> =>
    simulator.journal
      .filter(({ path }) => /\/(updates|commands)$/.test(path))
      .map(({ body }) => body as object)

  const changes = (action: string): number =>
    bodies().filter((body) => body.action === action).length
  const commands = (): unknown[] => bodies().map(({ command }) => command)
  const writes = (): number => bodies().length

  return {
    start,
    begin,
    end,
    call,
    deploy,
    open,
    connected,
    polled,
    press,
    inject,
    output,
    told,
    changes,
    commands,
    writes,
  }
}

/** The flow with other properties of its tab, such as ARMED. */
export function withTab(flow: FlowNode[], properties: Record<string, unknown>): FlowNode[] {
  const tab = flow.find(({ type }) => type === 'tab')!
  for (const [name, value] of Object.entries(properties)) {
    const property = (tab['env'] as TabProperty[]).find((each) => each.name === name)
    if (!property) throw new Error(`The tab has no property "${name}".`)
    property.value = String(value)
  }
  return flow
}

export interface TabProperty {
  name: string
  value: string
  type: string
}

/** The flow, with a debug node of the same name behind one of its nodes. */
export function probed(flow: FlowNode[], name: string): FlowNode[] {
  const { id, z } = nodeNamed(flow, name)
  const probe = { id: 'probe', z, type: 'debug', name, active: true, complete: 'topic', wires: [] }
  const wired = flow.map((node) =>
    node.id === id ? { ...node, wires: [[...node.wires![0]!, 'probe']] } : node,
  )
  return [...wired, probe]
}

export function nodeNamed(flow: FlowNode[], name: string): FlowNode {
  const found = flow.find((each) => each.name === name)
  if (!found) throw new Error(`The flow has no node "${name}".`)
  return found
}

/** The secrets of all routes, by the names that a file has for them. */
export function secretsOf({ routes }: Simulator): Record<string, string> {
  const nameOf = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
  return Object.fromEntries(
    routes.flatMap(({ name, source, destinations }) =>
      [{ ...source, name: 'source' }, ...destinations].flatMap((part: Record<string, unknown>) => {
        const secret = (part['srtPassPhrase'] || part['password']) as string | undefined
        return secret ? [[`SRT_${nameOf(name)}_${nameOf(String(part['name']))}`, secret]] : []
      }),
    ),
  )
}
