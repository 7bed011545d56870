// Recipes that do something about a source or route in trouble, on a simulator that makes it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import should from 'should'
import type { RouteState, Simulator } from '../../simulator'
import { NodeRed } from '../support/node-red'
import { pause, until } from '../support/until'
import { startChats } from './chats'
import { flowsOn, nodeNamed, probed, read, withTab, type FlowNode } from './support'

type SummaryCode = RouteState['summaryStatusCode']

describe('the example flows', function () {
  this.timeout(30_000)

  const nodeRed = new NodeRed()
  const {
    start,
    begin,
    end,
    deploy,
    open,
    connected,
    polled,
    inject,
    told,
    changes,
    commands,
    writes,
  } = flowsOn(nodeRed)
  let simulator: Simulator

  before(() => start())
  after(() => nodeRed.stop())
  beforeEach(async () => {
    simulator = await begin()
  })
  afterEach(end)

  const MAIN = '239.10.67.84'
  const BACKUP = '239.10.67.85'
  const address = (): unknown => simulator.route('Studio A')!.source.address

  /** A recipe with a failover, with short times. */
  async function openFailover(
    title: string,
    properties: Record<string, unknown>,
    more: object = {},
  ): Promise<FlowNode[]> {
    const flow = withTab(read(`Recipes/${title}.json`), properties)
    const failover = nodeNamed(flow, 'protect the route')
    failover.should.match({ hold: '${HOLD}', holdOff: '', dryRun: false })
    Object.assign(failover, {
      holdOff: 1,
      lookEvery: 0.5,
      settle: 5,
      guard: 1,
      degrade: 0,
      ...more,
    })
    await open(title, { flow })
    await until(() => told('event').length > 0, 'the first look')
    should(address()).equal(MAIN)
    return flow
  }
  const happened = (text: RegExp, times = 1): Promise<void> =>
    until(() => told('event').filter((each) => text.test(each)).length >= times, String(text))

  /** What takes messages of a flow, or answers it. */
  async function listen(answer: (body: string) => number): Promise<{ url: string; close(): void }> {
    const server = createServer((request, response) => {
      request.setEncoding('utf8')
      let body = ''
      request.on('data', (part: string) => (body += part))
      request.on('end', () => response.writeHead(answer(body)).end('ok'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = (): void => {
      server.close()
      server.closeAllConnections()
    }
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }
  }

  describe('Keep a route on the air', () => {
    const TITLE = 'Keep a route on the air'

    it('switches to the backup, and sends a chat what somebody should know, and nothing else', async () => {
      const chats = await startChats()
      const posts = chats.shown.SLACK
      const flow = await openFailover(TITLE, { HOLD: false, ...chats.url })
      simulator.failAddress(MAIN, 'disconnected')
      await until(() => posts.length === 1, 'the switch')
      should(address()).equal(BACKUP)
      simulator.failAddress(MAIN, 'ok')
      await inject(flow, 'to main')
      await until(() => posts.length === 2, 'the switch back')
      should(address()).equal(MAIN)
      simulator.fault({ kind: 'status', status: 400, times: 1, match: { action: 'update' } })
      await inject(flow, 'to backup')
      await until(() => posts.length === 3, 'the failure')
      const [toBackup, toMain, failed] = posts
      toBackup!.should.match(/^Studio A: switched to backup, because the source in use failed/)
      toMain!.should.match(/^Studio A: switched to main, as requested/)
      failed!.should.match(/^Media gateway: .*400/)
      posts.should.deepEqual(told('message'))
      await until(() => chats.shown.TEAMS.length === 3, 'the other chat')
      chats.shown.TEAMS.should.deepEqual(posts)
      told('not sent').should.eql([])
      told('event').length.should.be.above(5)
      changes('update').should.equal(3)
      await chats.stop()
    })

    it('shows a name as it is, and says which chat refused a message', async () => {
      const chats = await startChats()
      const urls = { SLACK: chats.url.SLACK, TEAMS: chats.url.SLACK }
      const byId = { routeType: 'id', route: simulator.route('Studio A')!.id }
      await openFailover(TITLE, { HOLD: false, ...urls }, byId)
      simulator.renameRoute('Studio A', 'Studio <!channel> & *A*')
      simulator.failAddress(MAIN, 'disconnected')
      await until(() => told('not sent').length === 1, 'what was refused')
      told('not sent').should.eql(['TEAMS refused it with status 400.'])
      await until(() => chats.shown.SLACK.length === 1, 'the message')
      chats.shown.SLACK[0]!.should.match(/^Studio <!channel> & \*A\*: switched to backup/)
      await chats.stop()
    })

    it('is held at first, says that there is no protection, and protects once it is released', async () => {
      const flow = await openFailover(TITLE, {})
      simulator.failAddress(MAIN, 'disconnected')
      await until(() => told('message').length === 1, 'what it says')
      told('message')[0]!.should.match(/^Studio A: main failed and there is no protection: .*held/)
      await inject(flow, 'to backup')
      await until(() => told('message').length === 2, 'the refusal')
      told('message')[1]!.should.match(/held/)
      writes().should.equal(0)
      await inject(flow, 'release')
      await happened(/switched to backup/)
      should(address()).equal(BACKUP)
    })

    it('returns to main by itself with the monitor that it creates', async () => {
      const MONITOR = 'Studio A main monitor'
      const restore = { restore: 'monitor', monitor: MONITOR, waitToRestore: 5 }
      const flow = await openFailover(TITLE, { HOLD: false }, restore)
      await inject(flow, 'create the monitor')
      await until(() => told('monitor').length === 1, 'the monitor')
      simulator.route(MONITOR)!.should.match({ destinations: [] })
      simulator.failAddress(MAIN, 'disconnected')
      await happened(/switched to backup/)
      simulator.failAddress(MAIN, 'ok')
      await happened(/switched to main, because main is good again/)
      should(address()).equal(MAIN)
    })
  })

  describe('Failover to a backup and back', () => {
    it('returns to main when the probe has said for long enough that it is good', async () => {
      const probe = await listen(() => status)
      let status = 500
      const properties = { HOLD: false, PROBE: probe.url }
      const flow = await openFailover('Failover to a backup and back', properties, {
        waitToRestore: 10,
      })
      const ask = (): Promise<void> => inject(flow, 'every 10 seconds')
      simulator.failAddress(MAIN, 'disconnected')
      await happened(/switched to backup/)
      simulator.failAddress(MAIN, 'ok')
      await ask()
      status = 200
      await ask()
      await happened(/main is good again$/)
      status = 500
      await ask()
      await happened(/backup is in use and good/)
      status = 200
      await ask()
      await happened(/main is good again$/, 2)
      await happened(/switched to main, because main is good again/)
      should(address()).equal(MAIN)
      probe.close()
    })

    it('stays with the backup while the probe does not respond', async () => {
      const gone = await listen(() => 200)
      gone.close()
      const properties = { HOLD: false, PROBE: gone.url }
      const flow = probed(read('Recipes/Failover to a backup and back.json'), 'is main good?')
      Object.assign(flow.at(-1)!, { name: 'main', complete: 'main' })
      await open('Failover to a backup and back', { flow: withTab(flow, properties) })
      await inject(flow, 'every 10 seconds')
      await until(() => told('main').length === 1, 'the answer')
      told('main').should.deepEqual(['false'])
      told('error').should.deepEqual([])
    })
  })

  describe('Alarm with recovery', () => {
    const TITLE = 'Alarm with recovery'

    /** With another time to hold than 20 seconds. */
    function held(seconds: number): FlowNode[] {
      const flow = read(`Recipes/${TITLE}.json`)
      const watch = nodeNamed(flow, 'watch for 20 seconds')
      should(watch['holdFor']).equal(20)
      watch['holdFor'] = seconds
      return flow
    }
    const status = (route: RouteState, summaryStatusCode: SummaryCode, details: string): void => {
      Object.assign(route, { summaryStatusCode, summaryStatusDetails: details })
      Object.assign(route.source, { summaryStatusCode })
    }
    const alerts = (count: number): Promise<void> =>
      until(() => told('alert').length >= count, `alert ${count}`)

    /** Which kind of alert there was about which route. */
    const about = (): string[] =>
      told('alert').map((text) => text.replace(/ .*(Studio A|City hall).*/, ' $1'))

    it('sends one alert when a failure lasts, and one when it is over', async () => {
      await open(TITLE, { flow: held(10) })
      await polled(1)
      const route = simulator.route('Studio A')!
      status(route, 'warn', 'Source disconnected')
      await polled(1)
      status(route, 'ok', 'running')
      await polled(2)
      told('alert').should.deepEqual([], 'a short failure')

      status(route, 'warn', 'Source disconnected')
      await alerts(1)
      Object.assign(route.source, { state: 'connecting' })
      await polled(1)
      status(route, 'error', 'No signal')
      await polled(2)
      status(route, 'ok', 'running')
      await alerts(2)
      const [alert, over, ...others] = told('alert')
      alert!.should.match(/^ALERT Studio A .*Source disconnected/)
      over!.should.match(/^RESOLVED Studio A[ :]/)
      others.should.deepEqual([])
      writes().should.equal(0)
    })

    it('reports a source that is lost and back, as the gateway sees it', async () => {
      await open(TITLE, { flow: held(0) })
      await polled(1)
      simulator.fail('Studio A', { source: 'disconnected' })
      await alerts(1)
      await polled(2)
      simulator.fail('Studio A', { source: 'ok' })
      await alerts(2)
      await polled(2)
      about().should.deepEqual(['ALERT Studio A', 'RESOLVED Studio A'])
    })

    it('reports a route that was stopped or does not exist any more, once, over a deploy', async () => {
      const flow = held(0)
      await open(TITLE, { flow })
      await polled(1)
      simulator.stopRoute('Studio A')
      await alerts(1)
      const route = simulator.route('Studio A')!
      simulator.startRoute('Studio A')
      // A poll that sees how it connects would alert, since nothing is held here.
      for (const part of [route.source, ...route.destinations]) {
        if (part.state === 'disconnected') part.state = 'connected'
      }
      status(route, 'ok', 'running')
      await simulator.settle()
      await alerts(2)
      status(simulator.route('City hall')!, 'error', 'no signal')
      await alerts(3)

      await deploy(connected(flow))
      await polled(2)
      simulator.removeRoute('City hall')
      await alerts(4)
      about().should.deepEqual([
        'ALERT Studio A',
        'RESOLVED Studio A',
        'ALERT City hall',
        'RESOLVED City hall',
      ])
    })

    it('reports what fails already at the start, and that it cannot watch', async () => {
      status(simulator.route('Studio A')!, 'error', 'no signal')
      await open(TITLE)
      await alerts(1)
      told('alert')[0]!.should.equal('ALERT Studio A: status error')
      await open(TITLE, { credentials: { username: 'haiadmin', password: 'wrong' } })
      await alerts(1)
      told('alert')[0]!.should.match(/^ALERT .*password/)
      await open(TITLE)
      await alerts(1)
      told('alert').should.matchEach(/^RESOLVED /)
    })
  })

  describe('Restart a stalled route', () => {
    const TITLE = 'Restart a stalled route'
    const COMMANDS = ['stop-route', 'start-route']

    /** It holds for a second instead of 30, and looks again after so many ms. */
    async function openQuick(again = 200, armed = true): Promise<void> {
      const flow = withTab(read(`Recipes/${TITLE}.json`), { ARMED: armed })
      const watch = nodeNamed(flow, 'no data for 30 seconds')
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
        'Studio A: restarted, its source delivered no data (restart 1 within the hour)',
      )
      await until(() => told('2 minutes later').length === 1, 'the second look')
      await pause(100)
      commands().should.deepEqual(COMMANDS)
      simulator.route('Studio A')!.state.should.equal('running')
      told('text').length.should.equal(1)
    })

    it('restarts nothing until it is armed, and says what it would do', async () => {
      await openQuick(200, false)
      stall()
      await until(() => told('not armed').length === 1, 'what it would do')
      told('not armed')[0]!.should.match(/^Not armed: Studio A would be restarted/)
      await polled(2)
      told('not armed').length.should.equal(1)
      told('text').should.deepEqual([])
      writes().should.equal(0)
    })

    it('restarts it three times within the hour, then gives one alarm instead', async () => {
      await openQuick()
      stall()
      await until(() => told('text').length === 4, 'the alarm')
      const ALARM =
        'ALERT Studio A: its source delivers no data, and 3 restarts within the hour did not help'
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
      told('text')[0]!.should.match(/^ALERT Studio A could not be restarted: /)
      await polled(2)
      told('text').length.should.equal(1)
    })
  })
})
