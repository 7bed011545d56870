// The flows in examples/ as a user imports them: each loads in a real Node-RED. The recipes here do
// on a simulator what their pages promise, by the clock or when their buttons are pressed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import should from 'should'
import type { Simulator } from '../../simulator'
import { NodeRed } from '../support/node-red'
import { packageName } from '../support/root'
import { until } from '../support/until'
import { examples, flowsOn, GATEWAY, nodeNamed, probed, read, type FlowNode } from './support'

const files = (readdirSync(examples, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

describe('the example flows', function () {
  this.timeout(30_000)

  const nodeRed = new NodeRed()
  const { start, begin, end, call, deploy, open, press, told, commands, writes } = flowsOn(nodeRed)
  let simulator: Simulator
  let home: string
  let backups: string

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'media-gateway-recipes-'))
    backups = join(home, 'backups')
    await start({ PRESET_BACKUP_FOLDER: backups })
  })
  after(async () => {
    await nodeRed.stop()
    rmSync(home, { recursive: true, force: true })
  })
  beforeEach(async () => {
    simulator = await begin()
  })
  afterEach(end)

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
        .filter(({ module }) => module === 'node-red' || module === packageName)
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

      const from = nodeRed.output.length
      await deploy(flow)
      nodeRed.output.slice(from).should.not.match(/missing|unknown|\[error\]/i)
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
        timeout: '7500',
        timeoutUnits: 'milliseconds',
      })
      await open('Scheduled start and stop', { flow: probed(flow, 'a minute later') })
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
      await until(() => told('a minute later').length === 2, 'the time of the second try')
      await press(flow, 'start now')
      await until(() => told('done').length === 3, 'what came after that')
      commands().should.deepEqual(['start-route', 'start-route'])
      simulator.route('Studio A')!.state.should.equal('running')
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
      await until(() => told('result').length === 2, 'the account')
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
      const from = nodeRed.output.length
      await press(flow, 'back up now', /\/devices$/)
      await until(
        () => /\[debug:error\].*role Operator/.test(nodeRed.output.slice(from)),
        'the error',
      )
      readdirSync(home).should.not.containEql('backups')
    })
  })
})

const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.json$/, '')
