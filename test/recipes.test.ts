// The flows in examples/ as a user imports them: each loads in a real Node-RED, and each recipe
// does on a simulator what its page promises when its buttons are pressed.
//   NODE_RED       the folder of another Node-RED than the one of this package
//   NODE_RED_NODE  the Node.js that runs it
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compileFunction } from 'node:vm'
import should from 'should'
import { startSimulator, type Simulator } from '../simulator'

const root = join(__dirname, '../..')
const nodeRed = process.env['NODE_RED'] ?? join(root, 'node_modules/node-red')
const examples = join(root, 'examples')
const GATEWAY = 'a8040be890603b7c'

interface FlowNode {
  id: string
  type: string
  z?: string
  name?: string
  label?: string
  gateway?: string
  scope?: string[] | null
  wires?: string[][]
  repeat?: string
  crontab?: string
  baseUrl?: string
  [property: string]: unknown
}

const files = (readdirSync(examples, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()
const read = (file: string): FlowNode[] =>
  JSON.parse(readFileSync(join(examples, file), 'utf8')) as FlowNode[]

describe('the example flows', function () {
  this.timeout(30_000)

  let home: string
  let backups: string
  let server: ChildProcess
  let url: string
  let output = ''
  /** Where the output of the present flow begins. */
  let since = 0
  let simulator: Simulator

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'media-gateway-recipes-'))
    backups = join(home, 'backups')
    await startNodeRed()
  })

  after(async () => {
    if (server && server.exitCode === null) {
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    rmSync(home, { recursive: true, force: true })
  })

  beforeEach(async () => {
    simulator = await startSimulator()
  })

  // A flow that is gone leaves no session.
  afterEach(async () => {
    await deploy([])
    simulator.openSessions.should.equal(0)
    await simulator.stop()
  })

  it('have IDs of their own, but for the gateway that they share', () => {
    const ids = files.flatMap((file) => read(file).map(({ id }) => id))
    const others = ids.filter((id) => id !== GATEWAY)
    new Set(others).size.should.equal(others.length)
  })

  for (const file of files) {
    it(`${file} can be imported as it is`, async () => {
      const flow = read(file)
      const ids = new Set(flow.map(({ id }) => id))
      const sets = (await (await call('GET', 'nodes')).json()) as Array<{
        module: string
        types: string[]
      }>
      const known = sets
        .filter(({ module }) => module === 'node-red' || module === '@media-gateway/node-red')
        .flatMap((set) => set.types)
      for (const node of flow) {
        should(['tab', ...known].includes(node.type)).be.true(node.type)
        node.should.not.have.property('credentials')
        for (const target of (node.wires ?? []).flat()) ids.has(target).should.be.true(target)
        for (const target of node.type === 'catch' ? (node.scope ?? []) : [])
          ids.has(target).should.be.true(target)
        if (node.type.startsWith('media-gateway-')) should(node.gateway).equal(GATEWAY)
        if (node.z !== undefined) ids.has(node.z).should.be.true(node.z)
      }
      flow.filter(({ type }) => type === 'comment').length.should.be.above(0)
      flow.find(({ type }) => type === 'tab')!.label!.should.equal(nameOf(file))
      flow
        .find(({ type }) => type === 'media-gateway')!
        .should.match({ id: GATEWAY, baseUrl: 'http://localhost:8080', readOnly: false })

      const from = output.length
      await deploy(flow)
      output.slice(from).should.not.match(/missing|unknown|\[error\]/i)
      const { flows } = (await (await call('GET', 'flows')).json()) as { flows: FlowNode[] }
      flows.map(({ id }) => id).should.deepEqual(flow.map(({ id }) => id))
    })
  }

  describe('Scheduled start and stop', () => {
    it('starts and stops the route, by the clock or at once, and says so', async () => {
      const flow = await open('Scheduled start and stop')
      nodeNamed(flow, 'start at 06:00').crontab!.should.equal('00 06 * * *')
      nodeNamed(flow, 'stop at 22:00').crontab!.should.equal('00 22 * * *')
      for (const [button, state] of [
        ['stop at 22:00', 'idle'],
        ['start at 06:00', 'running'],
        ['stop now', 'idle'],
        ['start now', 'running'],
      ]) {
        const before = told('done').length
        await press(flow, button!)
        await until(() => told('done').length > before, `the text after "${button}"`)
        told('done').at(-1)!.should.equal(`Studio A is ${state}`)
        simulator.route('Studio A')!.state.should.equal(state)
      }
      commands().should.deepEqual(['stop-route', 'start-route', 'stop-route', 'start-route'])
    })

    it('tries again after a minute, unless something else is wanted by then', async () => {
      const flow = read('Recipes/Scheduled start and stop.json')
      Object.assign(nodeNamed(flow, 'a minute later'), {
        timeout: '700',
        timeoutUnits: 'milliseconds',
      })
      await open('Scheduled start and stop', { flow })
      // A read is tried three times before its message fails.
      const fail = (): unknown =>
        simulator.fault({
          kind: 'status',
          status: 503,
          times: 3,
          match: { path: '/api/gateway/*' },
        })
      const failed = (): boolean => simulator.journal.filter(({ fault }) => fault).length === 3

      fail()
      await press(flow, 'stop now')
      await until(() => told('done').length === 1, 'the second try')
      commands().should.deepEqual(['stop-route'])

      simulator.clearJournal()
      fail()
      await press(flow, 'stop now')
      await until(failed, 'the failure')
      await press(flow, 'start now')
      await until(() => told('done').length === 2, 'the start')
      await pause(1000)
      commands().should.deepEqual(['start-route'])
      simulator.route('Studio A')!.state.should.equal('running')
    })
  })

  describe('Failover to a backup source', () => {
    const MAIN = { address: '239.10.67.84', port: 12574 }
    const BACKUP = { address: '239.10.67.85', port: 12574 }
    const source = (): object => simulator.route('Studio A')!.source
    const fail = (): void => {
      Object.assign(source(), { state: 'disconnected', summaryStatusCode: 'error' })
    }
    const poll = (flow: FlowNode[]): Promise<void> => press(flow, 'every 10 seconds')

    it('switches after three bad looks, then holds, and goes back at the button', async () => {
      const flow = await open('Failover to a backup source')
      nodeNamed(flow, 'every 10 seconds').repeat!.should.equal('10')
      source().should.match(MAIN)
      const destinations = simulator.route('Studio A')!.destinations.map(({ id }) => id)

      await poll(flow)
      fail()
      await poll(flow)
      await poll(flow)
      Object.assign(source(), { state: 'connected', summaryStatusCode: 'ok' })
      await poll(flow)
      fail()
      await poll(flow)
      await poll(flow)
      changes('update').should.equal(0, 'a short trouble switches nothing')
      await poll(flow)
      await until(() => told('switched').length === 1, 'the switch')
      told('switched')[0]!.should.equal('Studio A now has the source "backup"')
      source().should.match(BACKUP)
      simulator
        .route('Studio A')!
        .destinations.map(({ id }) => id)
        .should.deepEqual(destinations)

      await simulator.settle()
      fail()
      for (let look = 0; look < 5; look++) await poll(flow)
      changes('update').should.equal(1, 'nothing is switched so soon after')

      await press(flow, 'to main')
      await until(() => told('switched').length === 2, 'the way back')
      source().should.match(MAIN)
      changes('update').should.equal(2)
      await press(flow, 'to main')
      changes('update').should.equal(2, 'what is there already is not set again')
    })

    it('goes back when the backup fails too, leaves a third source and a stopped route alone', async () => {
      const flow = read('Recipes/Failover to a backup source.json')
      const settings = nodeNamed(flow, 'settings') as unknown as { rules: Array<{ to: string }> }
      settings.rules[0]!.to = settings.rules[0]!.to.replace('"holdSeconds":300', '"holdSeconds":0')
      await open('Failover to a backup source', { flow })
      const looks = async (count: number): Promise<void> => {
        await simulator.settle()
        fail()
        for (let look = 0; look < count; look++) await poll(flow)
      }
      await looks(3)
      await until(() => told('switched').length === 1, 'the switch')
      source().should.match(BACKUP)
      await looks(3)
      await until(() => told('switched').length === 2, 'the way back')
      source().should.match(MAIN)

      await simulator.settle()
      simulator.stopRoute('Studio A')
      await looks(4)
      simulator.startRoute('Studio A')
      Object.assign(source(), { address: '239.10.67.86' })
      await looks(4)
      changes('update').should.equal(2)
    })
  })

  describe('Create routes from a CSV', () => {
    it('shows the plan, creates fifty routes once, and then has nothing left to do', async () => {
      const flow = await open('Create routes from a CSV')
      const routes = simulator.routes.length
      await press(flow, 'plan')
      await until(() => told('result').length === 1, 'the plan')
      told('result')[0]!.should.match(/^Planned: create 50\nChannel 01: create\n/)
      writes().should.equal(0)

      await press(flow, 'apply')
      await until(() => told('result').length === 2, 'the account', 20_000)
      told('result')[1]!.should.match(/^Done: create 50\n/)
      simulator.routes.length.should.equal(routes + 50)
      const channels = simulator.routes.filter(({ name }) => name.startsWith('Channel '))
      new Set(channels.map(({ name }) => name)).size.should.equal(50)
      simulator.route('Channel 07')!.should.match({
        state: 'idle',
        source: { protocol: 'srt', srtMode: 'listener', port: 20007, srtLatency: 250 },
        destinations: [{ protocol: 'udp', address: '239.40.0.7', port: 6000 }],
      })

      simulator.clearJournal()
      await press(flow, 'apply')
      await until(() => told('result').length === 3, 'the second account')
      told('result')[2]!.should.equal('Done: none 50')
      writes().should.equal(0)
    })

    it('changes only the row that changed', async () => {
      const flow = read('Recipes/Create routes from a CSV.json')
      const table = nodeNamed(flow, 'table') as unknown as { template: string }
      table.template = table.template.split('\n').slice(0, 4).join('\n') + '\n'
      await open('Create routes from a CSV', { flow })
      await press(flow, 'apply')
      await until(() => told('result').length === 1, 'the account')
      simulator.route('Channel 02')!.destinations[0]!.port = 6001
      simulator.clearJournal()
      await press(flow, 'apply')
      await until(() => told('result').length === 2, 'the second account')
      told('result')[1]!
        .split('\n')
        .should.deepEqual(['Done: none 2; update 1', 'Channel 02: update (destinations[0].port)'])
      writes().should.equal(1)
    })
  })

  describe('Nightly preset backup', () => {
    it('writes all routes, with their secrets, to one of fourteen files', async () => {
      const flow = await open('Nightly preset backup')
      nodeNamed(flow, 'at 03:30').crontab!.should.equal('30 03 * * *')
      for (const times of [1, 2]) {
        await press(flow, 'back up now')
        await until(() => told('saved').length === times, 'the backup')
      }
      const [only, ...others] = readdirSync(backups)
      others.should.deepEqual([])
      only!.should.match(/^preset-[ab]-(mon|tues|wednes|thurs|fri|satur|sun)day\.json$/)
      const preset = readFileSync(join(backups, only!), 'utf8')
      const { routes } = JSON.parse(preset) as { routes: Array<{ name: string }> }
      routes.map(({ name }) => name).should.deepEqual(simulator.routes.map(({ name }) => name))
      preset.should.match(/invented-\d+-passphrase/).and.not.match(/•/)
    })

    it('names fourteen days differently, and the fifteenth as the first', () => {
      const { func } = nodeNamed(read('Recipes/Nightly preset backup.json'), 'file name')
      const name = compileFunction(String(func), ['msg', 'env', 'Date']) as (
        ...parts: unknown[]
      ) => {
        filename: string
      }
      const noon = new Date(2026, 2, 20, 12).getTime()
      const names = Array.from({ length: 15 }, (_, day) => {
        // Over the change of the clocks, wherever there is one.
        const then = new Date(noon)
        then.setDate(then.getDate() + day)
        class Clock extends Date {
          constructor() {
            super(then.getTime())
          }
        }
        const env = { get: (variable: string) => (variable === 'HOME' ? '/home/me' : undefined) }
        return name({ payload: { routes: [] } }, env, Clock).filename
      })
      new Set(names).size.should.equal(14)
      names[14]!.should.equal(names[0])
      names[0]!.should.startWith('/home/me/.node-red/preset-backups/preset-')
    })

    it('tells an Operator that it is refused, and writes nothing', async () => {
      rmSync(backups, { recursive: true, force: true })
      const flow = await open('Nightly preset backup', {
        credentials: { username: 'operator', password: 'supervisor' },
      })
      const from = output.length
      await press(flow, 'back up now', /\/devices$/)
      await until(() => output.slice(from).includes('FORBIDDEN'), 'the error')
      readdirSync(home).should.not.containEql('backups')
    })
  })

  describe('Alarm text', () => {
    it('tells once of a route in trouble, and once when that is over', async () => {
      const flow = await open('Alarm text')
      nodeNamed(flow, 'every 10 seconds').repeat!.should.equal('10')
      const poll = (): Promise<void> => press(flow, 'every 10 seconds')
      const route = simulator.route('Studio A')!
      await poll()
      const fault = { summaryStatusCode: 'warn', summaryStatusDetails: 'Source disconnected' }
      Object.assign(route, fault)
      await poll()
      Object.assign(route, { summaryStatusCode: 'ok', summaryStatusDetails: 'running' })
      await poll()
      Object.assign(route, fault)
      for (let look = 0; look < 4; look++) await poll()
      Object.assign(route, { summaryStatusCode: 'ok', summaryStatusDetails: 'running' })
      for (let look = 0; look < 3; look++) await poll()
      await until(() => told('text').length >= 2, 'the texts')
      told('text').should.deepEqual([
        'ALARM Studio A: Source disconnected',
        'OVER Studio A: running',
      ])
      writes().should.equal(0)
    })

    it('tells when a route in trouble was stopped or is gone, and when nobody answers', async () => {
      const flow = await open('Alarm text')
      const poll = (): Promise<void> => press(flow, 'every 10 seconds')
      const trouble = { summaryStatusCode: 'error', summaryStatusDetails: 'no signal' }
      for (const name of ['Studio A', 'City hall']) Object.assign(simulator.route(name)!, trouble)
      await poll()
      await poll()
      simulator.stopRoute('Studio A')
      simulator.removeRoute('City hall')
      await poll()
      simulator.fault({ kind: 'status', status: 500, match: { path: '/api/gateway/*' } })
      for (let look = 0; look < 3; look++) await poll()
      simulator.clearFaults()
      await poll()
      await until(() => told('text').length >= 6, 'the texts')
      told('text').should.deepEqual([
        'ALARM Studio A: no signal',
        'ALARM City hall: no signal',
        'OVER Studio A: it was stopped',
        'OVER City hall: it is gone',
        'ALARM The appliance: The appliance failed with status 500. It says: A simulated error 500.',
        'OVER The appliance: it answers',
      ])
    })
  })

  // ---- how it is set up

  async function startNodeRed(): Promise<void> {
    const userDir = join(home, 'user')
    const link = join(userDir, 'node_modules/@media-gateway/node-red')
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(root, link, 'junction')
    const settings = {
      uiHost: '127.0.0.1',
      uiPort: 0,
      credentialSecret: 'test',
      telemetry: { enabled: false, updateNotification: false },
      editorTheme: { tours: false },
    }
    writeFileSync(join(userDir, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
    server = spawn(
      process.env['NODE_RED_NODE'] ?? process.execPath,
      [join(nodeRed, 'red.js'), '--userDir', userDir],
      {
        env: { ...process.env, NODE_V8_COVERAGE: undefined, PRESET_BACKUP_FOLDER: backups },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    for (const stream of [server.stdout!, server.stderr!]) {
      stream.on('data', (chunk) => (output += String(chunk)))
    }
    await until(() => {
      if (server.exitCode !== null) throw new Error(`Node-RED did not start:\n${output}`)
      url = /now running at (http\S+)/.exec(output)?.[1] ?? ''
      return url !== '' && /Started flows/.test(output)
    }, 'the start of Node-RED')
  }

  const call = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'Node-RED-API-Version': 'v2',
        'Node-RED-Deployment-Type': 'full',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  async function deploy(flows: object[]): Promise<void> {
    const from = output.length
    const answer = await call('POST', 'flows', { flows })
    answer.status.should.equal(200, await answer.text())
    await until(() => /Started flows/.test(output.slice(from)), 'the start of the flow')
  }

  /** Deploys a recipe on the simulator, with credentials as a user would enter them. */
  async function open(
    title: string,
    {
      flow = read(`Recipes/${title}.json`),
      credentials = { username: 'haiadmin', password: 'manager' },
    } = {},
  ): Promise<FlowNode[]> {
    since = output.length
    await deploy(
      flow.map((each) => {
        switch (each.type) {
          case 'media-gateway':
            return { ...each, baseUrl: simulator.url, credentials }
          case 'debug':
            return { ...each, console: true }
          // The test presses the button; the clock would do so in between.
          case 'inject':
            return { ...each, repeat: '', crontab: '' }
          default:
            return each
        }
      }),
    )
    return flow
  }

  /** Presses a button, and waits until the appliance has answered that and the answer has gone through. */
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

  /** What a debug node of the flow has told. */
  function told(name: string): string[] {
    const lines = output.slice(since).split(/^(?=\d+ \w+ [\d:]+ - )/m)
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
})

const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.json$/, '')

function nodeNamed(flow: FlowNode[], name: string): FlowNode {
  const found = flow.find((each) => each.name === name)
  if (!found) throw new Error(`The flow has no node "${name}".`)
  return found
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function until(is: () => boolean, what = 'what was waited for', ms = 10_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!is()) {
    if (Date.now() > deadline) throw new Error(`${what} did not come`)
    await pause(20)
  }
}
