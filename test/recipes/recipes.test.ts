// The flows in examples/ as a user imports them: each loads in a real Node-RED, and each recipe
// does on a simulator what its page promises when its buttons are pressed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compileFunction } from 'node:vm'
import should from 'should'
import { EVENTS } from '../../client/internal'
import { startSimulator, type RouteState, type Simulator } from '../../simulator'
import { startBroker, type Broker } from '../support/broker'
import { hurried, NodeRed } from '../support/node-red'
import { packageName, root } from '../support/root'
import { pause, until } from '../support/until'

/** How fast the clock of Node-RED runs: its second, and a look of each watch, is 200 ms here. */
const HURRY = 5
const examples = join(root, 'examples')
const GATEWAY = 'a8040be890603b7c'
/** The call that reads one route. */
const ROUTE = /\/routes\/[^/]+$/

type SummaryCode = RouteState['summaryStatusCode']

/** One sample of the metrics, without what all names begin with. */
interface Gauge {
  name: string
  labels: Record<string, string>
  value: number
}

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
  const nodeRed = new NodeRed()
  /** Where the output of the present flow begins. */
  let since = 0
  let simulator: Simulator

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'media-gateway-recipes-'))
    backups = join(home, 'backups')
    await nodeRed.start(
      { mqttReconnectTime: 2500 },
      { ...hurried(HURRY), NODE_V8_COVERAGE: undefined, PRESET_BACKUP_FOLDER: backups },
    )
  })

  after(async () => {
    await nodeRed.stop()
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

  describe('Failover to a backup and back', () => {
    const MAIN = { address: '239.10.67.84', port: 12574, sourceAddress: '203.0.113.154' }
    const BACKUP = { address: '239.10.67.85', port: 12574, sourceAddress: '203.0.113.155' }
    const MONITOR = 'Studio A main monitor'
    const source = (name = 'Studio A'): object => simulator.route(name)!.source
    const fail = (name?: string): void => {
      Object.assign(source(name), { state: 'disconnected', summaryStatusCode: 'error' })
    }
    const mend = (name?: string): void => {
      Object.assign(source(name), { state: 'connected', summaryStatusCode: 'ok' })
    }

    /**
     * With its two times in ms of Node-RED's clock, and the monitor made. What counts as bad lasts
     * longer than a new source takes to connect and to be seen.
     */
    async function openQuick({ bad = 3000, good = 60_000 } = {}): Promise<FlowNode[]> {
      const flow = read('Recipes/Failover to a backup and back.json')
      const wait = nodeNamed(flow, 'bad for 15 seconds')
      wait.should.match({ duration: '15', units: 's' })
      Object.assign(wait, { duration: String(bad), units: 'ms' })
      const waitBack = nodeNamed(flow, 'good for 5 minutes')
      waitBack.should.match({ duration: '5', units: 'min' })
      Object.assign(waitBack, { duration: String(good), units: 'ms' })
      await open('Failover to a backup and back', { flow })
      await polled(1)
      await press(flow, 'make the monitor')
      await until(() => told('monitor').length === 1, 'the monitor')
      await simulator.settle()
      simulator.route(MONITOR)!.should.match({ state: 'running', destinations: [] })
      simulator.clearJournal()
      return flow
    }
    /** Waits until the flow has read the route after something, and has done with it what it does. */
    async function looked(after: () => void): Promise<void> {
      const reads = (): number =>
        simulator.journal.filter(({ path, status }) => ROUTE.test(path) && status === 200).length
      const before = reads()
      after()
      await until(() => reads() > before, 'a read of the route')
      await pause(100)
    }
    const switched = async (times: number): Promise<string> => {
      await until(() => told('switched').length >= times, 'the switch')
      await simulator.settle()
      told('switched').length.should.equal(times)
      return told('switched')[times - 1]!
    }

    it('switches when the main source fails for long enough, and goes back when it was good for long enough', async () => {
      const flow = await openQuick({ bad: 10_000, good: 10_000 })
      source().should.match(MAIN)
      const destinations = simulator.route('Studio A')!.destinations.map(({ id }) => id)
      fail()
      await polled(1)
      mend()
      await polled(1)
      changes('update').should.equal(0, 'a short trouble switches nothing')

      let from = Date.now()
      fail()
      fail(MONITOR)
      ;(await switched(1)).should.equal('Studio A now has the source "backup"')
      ;(Date.now() - from).should.be.above(1900, 'the time of the short one does not count')
      source().should.match(BACKUP)
      mend(MONITOR)
      await polled(1)
      fail(MONITOR)
      await polled(1)
      changes('update').should.equal(1, 'the main source is not good for long enough yet')
      simulator.stopRoute('Studio A')
      from = Date.now()
      mend(MONITOR)
      ;(await switched(2)).should.equal('Studio A now has the source "main"')
      ;(Date.now() - from).should.be.above(1900, 'the time before that does not count')
      source().should.match(MAIN)
      simulator.route('Studio A')!.state.should.equal('idle')
      simulator
        .route('Studio A')!
        .destinations.map(({ id }) => id)
        .should.deepEqual(destinations)
      changes('update').should.equal(2)
      flow.filter(({ type }) => type === 'media-gateway-watch').length.should.equal(2)
    })

    it('shows under "which source?" the one that the route has then', async () => {
      const flow = read('Recipes/Failover to a backup and back.json')
      const { id, z } = flow.find(
        ({ name, type }) => name === 'which source?' && type === 'function',
      )!
      const dots = [
        { id: 'd1', type: 'status', z, scope: [id], wires: [['d2']] },
        {
          id: 'd2',
          type: 'debug',
          z,
          name: 'dot',
          active: true,
          complete: 'status.text',
          wires: [],
        },
      ]
      await open('Failover to a backup and back', { flow: [...flow, ...dots] })
      for (const to of ['backup', 'main', 'main', 'backup']) {
        const shown = told('dot').length
        await press(flow, `to ${to}`, ROUTE)
        await until(
          () => told('dot').length > shown && told('dot').at(-1) === to,
          `"${to}" under the node`,
        )
      }
      const fails = { kind: 'status', status: 400, times: 1, match: { action: 'update' } } as const
      simulator.fault(fails)
      await press(flow, 'to main', ROUTE)
      await until(() => told('error').length === 1, 'the error')
      told('dot').at(-1)!.should.equal('backup')
      told('error')[0]!.should.not.containEql('cause')
    })

    it('stays with the backup while the monitor was good all the time, until a button says so', async () => {
      const flow = await openQuick({ good: 200 })
      fail()
      ;(await switched(1)).should.equal('Studio A now has the source "backup"')
      await polled(2)
      source().should.match(BACKUP)
      await press(flow, 'to main', ROUTE)
      ;(await switched(2)).should.equal('Studio A now has the source "main"')
      source().should.match(MAIN)
      await press(flow, 'to main', ROUTE)
      changes('update').should.equal(2, 'what is there already is not set again')

      await press(flow, 'to backup', ROUTE)
      await switched(3)
      fail(MONITOR)
      await polled(1)
      await looked(() => mend(MONITOR))
      source().should.match(BACKUP)
      changes('update').should.equal(3, 'what a button has set stays')
    })

    it('with both sources bad looks again, and takes the main one when that is good', async () => {
      await openQuick()
      fail()
      fail(MONITOR)
      await switched(1)
      fail()
      await polled(2)
      changes('update').should.equal(1)
      mend(MONITOR)
      ;(await switched(2)).should.equal('Studio A now has the source "main"')
    })

    it('leaves a stopped route and a third source alone, and tries again after a failure', async () => {
      const flow = await openQuick()
      simulator.stopRoute('Studio A')
      await looked(fail)
      changes('update').should.equal(0, 'a stopped route')
      simulator.startRoute('Studio A')
      await simulator.settle()
      await polled(1)
      Object.assign(source(), { address: '239.10.67.86' })
      mend()
      await polled(1)
      await looked(fail)
      changes('update').should.equal(0, 'a third source')

      mend()
      await polled(1)
      Object.assign(source(), { address: MAIN.address })
      simulator.fault({ kind: 'status', status: 500, times: 1, match: { action: 'update' } })
      fail()
      await switched(1)
      changes('update').should.equal(2, 'the first one failed')
      source().should.match(BACKUP)
      told('error').length.should.equal(1)
      flow.length.should.be.above(0)
    })

    it('goes on trying, however often it fails', async () => {
      await openQuick({ bad: 300 })
      const mended = simulator.fault({ kind: 'status', status: 404, match: { path: '*/routes/*' } })
      fail()
      await until(() => told('error').length > 15, 'many failures', 30_000)
      mended()
      await until(() => told('switched').length > 0, 'the switch')
    })

    it('notices at its start that the main source is bad', async () => {
      fail()
      await openQuick()
      await switched(1)
      source().should.match(BACKUP)
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

  describe('Alarm with recovery', () => {
    const TITLE = 'Alarm with recovery'

    /** With another time to hold than 20 seconds. */
    function held(seconds: number): FlowNode[] {
      const flow = read(`Recipes/${TITLE}.json`)
      const watch = nodeNamed(flow, 'for 20 seconds')
      should(watch['holdFor']).equal(20)
      watch['holdFor'] = seconds
      return flow
    }
    const status = (route: RouteState, summaryStatusCode: SummaryCode, details: string): void => {
      Object.assign(route, { summaryStatusCode, summaryStatusDetails: details })
      Object.assign(route.source, { summaryStatusCode })
    }

    it('tells once of a trouble that lasts, and once when it is over, with how long it was', async () => {
      await open(TITLE, { flow: held(10) })
      await polled(1)
      const route = simulator.route('Studio A')!
      status(route, 'warn', 'Source disconnected')
      await polled(1)
      status(route, 'ok', 'running')
      await polled(2)
      told('text').should.deepEqual([], 'a short trouble')

      const from = Date.now()
      status(route, 'warn', 'Source disconnected')
      await until(() => told('text').length > 0, 'the alarm')
      const known = Date.now()
      Object.assign(route.source, { state: 'connecting' })
      await polled(1)
      status(route, 'error', 'No signal')
      await polled(2)
      const mended = Date.now()
      status(route, 'ok', 'running')
      await until(() => told('text').length > 1, 'the end of it')
      const [least, most] = [mended - known, Date.now() - from].map((ms) => (ms / 1000) * HURRY)
      const [alarm, over, ...others] = told('text')
      alarm!.should.equal('ALARM Studio A: Source disconnected')
      const [, seconds] = /^OVER Studio A: it runs, after (\d+) s$/.exec(over!) ?? []
      Number(seconds).should.be.within(10 + least! - 1, most! + 1)
      others.should.deepEqual([])
      writes().should.equal(0)
    })

    it('tells of a route that was stopped or is gone, once, and keeps its alarms over a deploy', async () => {
      const flow = held(0)
      await open(TITLE, { flow })
      await polled(1)
      simulator.stopRoute('Studio A')
      await until(() => told('text').length === 1, 'the alarm')
      simulator.startRoute('Studio A')
      await simulator.settle()
      await until(() => told('text').length === 2, 'the end of it')
      status(simulator.route('City hall')!, 'error', 'no signal')
      await until(() => told('text').length === 3, 'the second alarm')

      await deploy(connected(flow))
      await polled(2)
      simulator.removeRoute('City hall')
      await until(() => told('text').length >= 4, 'the end of the second')
      const texts = told('text').map((text) => text.replace(/after \d+ s$/, 'after a while'))
      texts.should.deepEqual([
        'ALARM Studio A: it was stopped',
        'OVER Studio A: it runs, after a while',
        'ALARM City hall: no signal',
        'OVER City hall: it is gone, after a while',
      ])
    })

    it('tells of what is in trouble at the start, and when it cannot watch', async () => {
      status(simulator.route('Studio A')!, 'error', 'no signal')
      await open(TITLE)
      await until(() => told('text').length === 1, 'the alarm')
      told('text')[0]!.should.equal('ALARM Studio A: status error')
      await open(TITLE, { credentials: { username: 'haiadmin', password: 'wrong' } })
      await until(() => told('text').length === 1, 'the other alarm')
      told('text')[0]!.should.match(/^ALARM Gateway 1: .*password/)
    })

    it('puts hours, minutes and seconds into words', () => {
      const { func } = nodeNamed(read(`Recipes/${TITLE}.json`), 'what is new?')
      const [words] = /function inWords[^]*?\n}\n/.exec(String(func)) ?? []
      const inWords = compileFunction(`${words} return inWords(ms)`, ['ms']) as (
        ms: number,
      ) => string
      const times = [0, 999, 61_000, 3_600_000, 93_784_000]
      times.map(inWords).should.deepEqual(['0 s', '1 s', '1 min 1 s', '1 h', '26 h 3 min 4 s'])
    })
  })

  describe('Restart a stalled route', () => {
    const TITLE = 'Restart a stalled route'
    const COMMANDS = ['stop-route', 'start-route']

    /** It holds for a second instead of 30, and looks again after so many ms. */
    async function openQuick(again = 200): Promise<void> {
      const flow = read(`Recipes/${TITLE}.json`)
      const watch = nodeNamed(flow, 'no bit rate for 30 seconds')
      watch.should.match({ holdFor: 30, thresholds: [{ measure: 'bitrate', of: 'source' }] })
      watch['holdFor'] = 1
      const delay = nodeNamed(flow, '2 minutes later')
      delay.should.match({ timeout: '2', timeoutUnits: 'minutes' })
      Object.assign(delay, { timeout: String(again), timeoutUnits: 'milliseconds' })
      await open(TITLE, { flow: probed(flow, '2 minutes later') })
      await polled(1)
    }
    /** The source carries nothing from now on, and a restart does not help either. */
    const stall = (): void => {
      simulator.setOptions({ settleDelay: 3_600_000 })
      Object.assign(simulator.route('Studio A')!.source, { state: 'disconnected' })
    }

    it('restarts it, and is content when that has helped', async () => {
      await openQuick(7500)
      Object.assign(simulator.route('Studio A')!.source, { state: 'disconnected' })
      await until(() => told('text').length === 1, 'the restart')
      told('text')[0]!.should.equal(
        'Studio A: restarted, its source carried nothing (restart 1 within the hour)',
      )
      await until(() => told('2 minutes later').length === 1, 'the second look')
      await pause(100)
      commands().should.deepEqual(COMMANDS)
      simulator.route('Studio A')!.state.should.equal('running')
      told('text').length.should.equal(1)
    })

    it('restarts it three times within the hour, then gives one alarm instead', async () => {
      await openQuick()
      stall()
      await until(() => told('text').length === 4, 'the alarm')
      const ALARM =
        'ALARM Studio A: its source carries nothing, and 3 restarts within the hour did not help'
      told('text')[3]!.should.equal(ALARM)
      await polled(1)
      told('text').length.should.equal(4)
      commands().should.deepEqual([...COMMANDS, ...COMMANDS, ...COMMANDS])

      const { source } = simulator.route('Studio A')!
      Object.assign(source, { state: 'connected' })
      await polled(3)
      Object.assign(source, { state: 'disconnected' })
      await until(() => told('text').length === 5, 'the second alarm')
      told('text')[4]!.should.equal(ALARM)
      commands().length.should.equal(6)
    })

    it('never touches a route that was stopped, and others than those of its pattern', async () => {
      await openQuick(7500)
      stall()
      Object.assign(simulator.route('City hall')!.source, { state: 'disconnected' })
      await until(() => told('text').length === 1, 'the first restart')
      simulator.stopRoute('Studio A')
      await until(() => told('2 minutes later').length > 0, 'the second look')
      await polled(2)
      commands().should.deepEqual(COMMANDS)
      simulator.route('Studio A')!.state.should.equal('idle')
      // Somebody starts it again, and the source still carries nothing.
      simulator.startRoute('Studio A')
      await until(() => told('text').length === 2, 'the second restart')
      commands().should.deepEqual([...COMMANDS, ...COMMANDS])
    })

    it('tells when a restart fails, and tries again when it could not look', async () => {
      await openQuick()
      simulator.fault({ kind: 'status', status: 403, match: { path: '*/commands' } })
      stall()
      simulator.fault({ kind: 'status', status: 500, times: 1, match: { path: '*/routes/*' } })
      await until(() => told('text').length === 1, 'the alarm')
      told('error').length.should.equal(1)
      told('text')[0]!.should.match(/^ALARM Studio A could not be restarted: /)
      await polled(2)
      told('text').length.should.equal(1)
    })
  })

  describe('Tally to MQTT', () => {
    let broker: Broker

    beforeEach(async () => (broker = await startBroker()))
    afterEach(async () => {
      await deploy([])
      broker.retained.get('media-gateway/node-red')!.should.equal('offline')
      await broker.stop()
    })

    const topics = (name: string): Array<string | undefined> =>
      ['running', 'status'].map((what) =>
        broker.retained.get(`media-gateway/routes/${name}/${what}`),
      )
    const published = (name: string, ...values: Array<string | undefined>): Promise<void> =>
      until(() => topics(name).join() === values.join(), `${name}: ${values.join()}`)

    it('has two topics for each route, and follows what happens', async () => {
      simulator.renameRoute('City hall', 'City/hall #1')
      await openWith(broker)
      await published('Studio A', 'true', 'ok')
      await published('City-hall -1', 'true', 'ok')
      const all = 2 * simulator.routes.length + 2
      await until(() => broker.retained.size === all, 'a topic for everything')
      broker.retained.get('media-gateway/appliance')!.should.equal('reachable')
      broker.retained.get('media-gateway/node-red')!.should.equal('online')

      simulator.route('Studio A')!.summaryStatusCode = 'error'
      await published('Studio A', 'true', 'error')
      simulator.stopRoute('Studio A')
      await published('Studio A', 'false', 'unknown')
      simulator.renameRoute('Studio A', 'Studio B')
      await published('Studio B', 'false', 'unknown')
      await published('Studio A', undefined, undefined)
      simulator.removeRoute('Studio B')
      await published('Studio B', undefined, undefined)
      const { name } = simulator.addRoute({
        name: 'Late',
        startRoute: true,
        source: { name: 'Late in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      })
      await published(name, 'true', 'ok')
      broker.retained.size.should.equal(2 * simulator.routes.length + 2)

      const received = broker.received
      await polled(2)
      broker.received.should.equal(received, 'nothing is said twice')
    })

    it('follows routes into and out of the pattern of the watch', async () => {
      const flow = withBroker(broker)
      Object.assign(nodeNamed(flow, 'the routes'), { routeType: 'pattern', route: 'Studio*' })
      await open('Tally to MQTT', { flow })
      await published('Studio A', 'true', 'ok')
      await published('Weather desk', undefined, undefined)
      simulator.renameRoute('Weather desk', 'Studio Z')
      simulator.renameRoute('Studio A', 'Arena')
      await published('Studio Z', 'false', 'unknown')
      await published('Studio A', undefined, undefined)
      await published('Arena', undefined, undefined)
      simulator.startRoute('Studio Z')
      await simulator.settle()
      await published('Studio Z', 'true', 'ok')
      broker.retained.get('media-gateway/appliance')!.should.equal('reachable')
      nodeRed.output.slice(since).should.not.match(/TypeError/)
    })

    it('knows that the appliance answers, also when no route fits', async () => {
      const flow = withBroker(broker)
      Object.assign(nodeNamed(flow, 'the routes'), { routeType: 'name', route: 'nobody has it' })
      await open('Tally to MQTT', { flow })
      const appliance = (): string | undefined => broker.retained.get('media-gateway/appliance')
      await until(() => appliance() === 'reachable', 'the topic')
    })

    it('makes up for what happened while the broker was away', async () => {
      await openWith(broker)
      await published('Studio A', 'true', 'ok')
      await broker.stop()
      simulator.stopRoute('Studio A')
      simulator.removeRoute('City hall')
      await polled(2)
      await broker.start()
      await published('Studio A', 'false', 'unknown')
      await published('City hall', undefined, undefined)
      const itself = (): string | undefined => broker.retained.get('media-gateway/node-red')
      await until(() => itself() === 'online', 'the word of Node-RED')
    })

    it('takes away the topics of routes that went while it did not run', async () => {
      await openWith(broker)
      await published('City hall', 'true', 'ok')
      await openWith(broker, [{ id: 'x', type: 'tab', label: 'other' }])
      simulator.removeRoute('City hall')
      await openWith(broker)
      await published('City hall', undefined, undefined)
    })

    it('says that it cannot watch', async () => {
      await openWith(broker)
      await published('Studio A', 'true', 'ok')
      const credentials = { username: '', password: '' }
      await open('Tally to MQTT', { flow: withBroker(broker), credentials })
      const appliance = (): string | undefined => broker.retained.get('media-gateway/appliance')
      await until(() => appliance() === 'unreachable', 'the topic')
    })
  })

  async function openWith(broker: Broker, others: FlowNode[] = []): Promise<void> {
    await open('Tally to MQTT', { flow: [...withBroker(broker), ...others] })
  }

  function withBroker({ port }: Broker): FlowNode[] {
    const flow = read('Recipes/Tally to MQTT.json')
    flow.find(({ type }) => type === 'mqtt out')!.should.match({ retain: 'true', qos: '1' })
    return flow.map((node) =>
      node.type === 'mqtt-broker' ? { ...node, port: String(port) } : node,
    )
  }

  describe('Prometheus metrics', () => {
    const TITLE = 'Prometheus metrics'
    const route = routeLabels

    it('answers with what is known, and asks the appliance nothing for it', async () => {
      simulator.fault({ kind: 'latency', ms: 800, times: 2 })
      await open(TITLE)
      const early = await fetch(`${nodeRed.url}metrics`)
      early.status.should.equal(503)
      ;(await early.text()).should.match(/^Nothing is known/)
      await until(
        async () => (await fetch(`${nodeRed.url}metrics`)).status === 200,
        'the first look',
      )

      const { gauges, type } = await scrape()
      type.should
        .match(/^text\/plain;/)
        .and.match(/version=0\.0\.4/)
        .and.match(/charset=utf-8/)
      valueOf(gauges, 'reachable', {}).should.equal(1)
      valueOf(gauges, 'data_age_seconds', {}).should.be.within(0, 20)
      const running = simulator.routes.filter(({ state }) => state === 'running')
      const samples = gauges.filter(({ name }) => name === 'route_running')
      samples.length.should.equal(simulator.routes.length)
      samples.filter(({ value }) => value === 1).length.should.equal(running.length)
      for (const each of simulator.routes) {
        for (const status of ['ok', 'warn', 'error', 'unknown']) {
          const isSo = (part: { summaryStatusCode: string }): number =>
            Number(part.summaryStatusCode === status)
          valueOf(gauges, 'route_status', { ...route(each.name), status }).should.equal(isSo(each))
          valueOf(gauges, 'source_status', {
            ...route(each.name),
            source: each.source.name,
            status,
          }).should.equal(isSo(each.source))
          for (const destination of each.destinations) {
            const labels = { destination: destination.name, destination_id: destination.id, status }
            valueOf(gauges, 'destination_status', { ...route(each.name), ...labels }).should.equal(
              isSo(destination),
            )
          }
        }
      }

      simulator.clearJournal()
      const from = Date.now()
      for (let scrapes = 0; scrapes < 50; scrapes++) await scrape()
      const polls = simulator.journal.filter(({ path }) => /^\/api\/devices\/[^/]+$/.test(path))
      polls.length.should.equal(simulator.journal.length)
      polls.length.should.be.belowOrEqual(((Date.now() - from) * HURRY) / 900 + 2)
    })

    it('follows routes into and out of the pattern of the watch', async () => {
      const flow = read(`Recipes/${TITLE}.json`)
      Object.assign(nodeNamed(flow, 'everything'), { routeType: 'pattern', route: 'Studio*' })
      await open(TITLE, { flow })
      await polled(1)
      simulator.renameRoute('Weather desk', 'Studio Z')
      simulator.renameRoute('Studio A', 'Arena')
      simulator.startRoute('Studio Z')
      await simulator.settle()
      await polled(2)
      const { gauges } = await scrape()
      valueOf(gauges, 'route_running', route('Studio Z')).should.equal(1)
      const names = new Set(gauges.map(({ labels }) => labels['route']).filter(Boolean))
      const fitting = simulator.routes.filter(({ name }) => name.startsWith('Studio'))
      names.should.eql(new Set(fitting.map(({ name }) => name)))
      nodeRed.output.slice(since).should.not.match(/TypeError/)
    })

    it('takes no harm from an event about a route that it does not know', () => {
      const { func } = nodeNamed(read(`Recipes/${TITLE}.json`), 'keep')
      const keep = compileFunction(String(func), ['msg', 'flow']) as (...parts: unknown[]) => void
      const kept: Record<string, unknown> = {}
      const flow = {
        get: (name: string) => kept[name],
        set: (name: string, value: unknown) => (kept[name] = value),
      }
      const about = {
        device: { name: 'D' },
        route: { id: 'x', name: 'X' },
        destination: { id: 'y' },
      }
      for (const event of EVENTS) keep({ payload: { event, at: 1, after: 'ok', ...about } }, flow)
      const known = { id: 'x', name: 'X', source: {}, destinations: [] }
      const added = { event: 'route.added', at: 1, ...about, after: known }
      keep({ payload: added }, flow)
      const lost = { event: 'destination.status', at: 1, ...about, after: 'ok' }
      keep({ payload: lost }, flow)
      kept['state']!.should.containDeep({ routes: { x: { destinations: [] } } })
    })

    it('follows what happens, and escapes names', async () => {
      await open(TITLE)
      await polled(1)
      const studio = simulator.route('Studio A')!
      const [out] = studio.destinations
      const odd = 'Studio "A" \\ live\nnow'
      const all = async (): Promise<Gauge[]> => (await scrape()).gauges

      simulator.renameRoute('Studio A', odd)
      studio.source.summaryStatusCode = 'error'
      studio.source.name = 'other in'
      out!.name = 'other'
      out!.summaryStatusCode = 'warn'
      simulator.stopRoute('City hall')
      simulator.removeRoute('Newsroom feed')
      simulator.addRoute({
        name: 'Late',
        source: { name: 'Late in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      })
      await polled(2)
      let gauges = await all()
      const of = { route: odd, route_id: studio.id }
      const source = { ...of, source: studio.source.name, status: 'error' }
      valueOf(gauges, 'source_status', source).should.equal(1)
      const destination = { ...of, destination: 'other', destination_id: out!.id, status: 'warn' }
      valueOf(gauges, 'destination_status', destination).should.equal(1)
      valueOf(gauges, 'route_running', route('City hall')).should.equal(0)
      valueOf(gauges, 'route_running', route('Late')).should.equal(0)
      gauges.filter(({ labels }) => labels['route'] === 'Newsroom feed').should.deepEqual([])

      studio.destinations.pop()
      await polled(2)
      gauges = await all()
      const left = gauges.filter(
        ({ name, labels }) => name === 'destination_status' && labels['route'] === odd,
      )
      left.length.should.equal(4 * studio.destinations.length)
    })
  })

  describe('Commands by MQTT', () => {
    it('of docs/fleets.md carries out {routeName, action}', async () => {
      const page = readFileSync(join(root, 'docs/fleets.md'), 'utf8')
      const [, json] = /```json\n([^]*?)```/.exec(page) ?? []
      const broker = await startBroker()
      const gateway = read('Control route.json').find(({ type }) => type === 'media-gateway')!
      const mqtt = read('Recipes/Tally to MQTT.json').find(({ type }) => type === 'mqtt-broker')!
      const flow = (JSON.parse(json!) as FlowNode[]).map((node) => ({
        ...node,
        z: 'f1',
        ...('broker' in node && { broker: mqtt.id }),
        ...('gateway' in node && { gateway: GATEWAY }),
      }))
      const topic = String(nodeNamed(flow, 'commands')['topic'])
      const tab = { id: 'f1', type: 'tab', label: 'commands' }
      await open('', { flow: [tab, ...flow, { ...mqtt, port: String(broker.port) }, gateway] })
      await until(() => broker.subscribed.has(topic), 'the subscription')
      for (const [action, state] of [
        ['stop', 'idle'],
        ['start', 'running'],
      ]) {
        broker.publish(topic, JSON.stringify({ routeName: 'Studio A', action }))
        await until(() => simulator.route('Studio A')!.state === state, `the ${action}`)
      }
      commands().should.deepEqual(['stop-route', 'start-route'])
      await deploy([])
      await broker.stop()
    })
  })

  // Longer than the half minute after which an appliance counts as away.
  it('recipes with a watch tell when the appliance is away, and when it is back', async function () {
    this.timeout(90_000)
    const broker = await startBroker()
    const alarms = read('Recipes/Alarm with recovery.json')
    nodeNamed(alarms, 'for 20 seconds')['holdFor'] = 0
    const flow = [...alarms, ...withBroker(broker), ...read('Recipes/Prometheus metrics.json')]
    await open('Alarm with recovery', {
      flow: [...new Map(flow.map((node) => [node.id, node])).values()],
    })
    await polled(2)
    await simulator.stop()
    await until(() => told('text').length > 0, 'the alarm', 40_000)
    const [alarm] = told('text')
    alarm!.should.match(/^ALARM Gateway 1: .*refused the connection/)
    await until(() => broker.retained.get('media-gateway/appliance') === 'unreachable', 'the topic')
    const away = (await scrape()).gauges
    valueOf(away, 'reachable', {}).should.equal(0)
    valueOf(away, 'data_age_seconds', {}).should.be.above(28)
    valueOf(away, 'route_running', routeLabels('Studio A')).should.equal(1)

    simulator.stopRoute('Studio A')
    await simulator.start()
    await until(() => told('text').length > 2, 'the end of it')
    const [, over, stopped, ...others] = told('text')
    over!.should.match(/^OVER Gateway 1: it answers, after (\d+ min )?\d+ s$/)
    stopped!.should.equal('ALARM Studio A: it was stopped')
    others.should.deepEqual([])
    await until(() => broker.retained.get('media-gateway/appliance') === 'reachable', 'the topic')
    const back = (await scrape()).gauges
    valueOf(back, 'reachable', {}).should.equal(1)
    valueOf(back, 'data_age_seconds', {}).should.be.below(20)
    valueOf(back, 'route_running', routeLabels('Studio A')).should.equal(0)
    await deploy([])
    await broker.stop()
  })

  function routeLabels(name: string): object {
    return { route: name, route_id: simulator.route(name)!.id }
  }

  /** Reads the metrics, and checks that they are in the format that Prometheus wants. */
  async function scrape(): Promise<{ gauges: Gauge[]; type: string }> {
    const answer = await fetch(`${nodeRed.url}metrics`)
    answer.status.should.equal(200)
    const text = await answer.text()
    return { gauges: gaugesIn(text), type: answer.headers.get('content-type')! }
  }

  // ---- how it is set up

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

  async function deploy(flows: object[]): Promise<void> {
    const from = nodeRed.output.length
    const answer = await call('POST', 'flows', { flows })
    answer.status.should.equal(200, await answer.text())
    await until(() => /Started flows/.test(nodeRed.output.slice(from)), 'the start of the flow')
  }

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
          return { ...each, baseUrl: simulator.url, pollInterval: 1, credentials }
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
    const lines = nodeRed.output.slice(since).split(/^(?=\d+ \w+ [\d:]+ - )/m)
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

const ADMINISTRATOR = { username: 'haiadmin', password: 'manager' }

const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.json$/, '')

/** The flow, with a debug node of the same name behind one of its nodes. */
function probed(flow: FlowNode[], name: string): FlowNode[] {
  const { id, z } = nodeNamed(flow, name)
  const probe = { id: 'probe', z, type: 'debug', name, active: true, complete: 'topic', wires: [] }
  const wired = flow.map((node) =>
    node.id === id ? { ...node, wires: [[...node.wires![0]!, 'probe']] } : node,
  )
  return [...wired, probe]
}

function nodeNamed(flow: FlowNode[], name: string): FlowNode {
  const found = flow.find((each) => each.name === name)
  if (!found) throw new Error(`The flow has no node "${name}".`)
  return found
}

/**
 * The samples in the text format of Prometheus 0.0.4.
 * @throws Error when a line is none, has no type, or says the same as another
 */
function gaugesIn(text: string): Gauge[] {
  text.should.endWith('\n')
  const [described, typed, seen] = [new Set<string>(), new Set<string>(), new Set<string>()]
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line): Gauge[] => {
      const [, kind, of] = /^# (HELP|TYPE) media_gateway_([a-z_]+) (?:gauge$|\S)/.exec(line) ?? []
      if (kind) {
        const known = kind === 'HELP' ? described : typed
        known.has(of!).should.be.false(line)
        known.add(of!)
        return []
      }
      const [, name, inner, number] =
        /^media_gateway_([a-z_]+)\{((?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+)\} (\d[\d.e+-]*)$/.exec(
          line,
        ) ?? []
      if (!name) throw new Error(`not a sample: ${line}`)
      const isKnown = described.has(name) && typed.has(name)
      isKnown.should.be.true(line)
      seen.has(`${name} ${inner}`).should.be.false(line)
      seen.add(`${name} ${inner}`)
      const labels = Object.fromEntries(
        [...inner!.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
          label!,
          value!.replace(/\\(.)/g, (_, after: string) => (after === 'n' ? '\n' : after)),
        ]),
      )
      return [{ name, labels, value: Number(number) }]
    })
}

/** The value of the one sample with these labels, and that of the device. */
function valueOf(gauges: Gauge[], name: string, labels: object): number {
  const wanted = { device: 'Gateway 1', ...labels }
  const found = gauges.filter(
    (gauge) => gauge.name === name && isDeepStrictEqual(gauge.labels, wanted),
  )
  found.length.should.equal(1, `${name} ${JSON.stringify(wanted)}`)
  return found[0]!.value
}
