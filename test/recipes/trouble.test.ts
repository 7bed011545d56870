// Recipes that do something about a source or route in trouble, on a simulator that makes it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import should from 'should'
import type { RouteState, Simulator } from '../../simulator'
import { NodeRed } from '../support/node-red'
import { pause, until } from '../support/until'
import { flowsOn, nodeNamed, probed, read, withTab, type FlowNode } from './support'

/** The call that reads one route. */
const ROUTE = /\/routes\/[^/]+$/

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
    press,
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
    async function openQuick({ bad = 3000, good = 60_000, armed = true } = {}): Promise<
      FlowNode[]
    > {
      const flow = withTab(read('Recipes/Failover to a backup and back.json'), { ARMED: armed })
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

    it('switches nothing by itself until it is armed, and says what it would do', async () => {
      const flow = await openQuick({ armed: false })
      fail()
      await until(() => told('not armed').length === 1, 'what it would do')
      told('not armed')[0]!.should.equal('Not armed: Studio A would get the source backup')
      changes('update').should.equal(0)
      await press(flow, 'to backup', ROUTE)
      ;(await switched(1)).should.equal('Studio A now has the source "backup"')
      source().should.match(BACKUP)
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
      simulator.startRoute('Studio A')
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

    it('posts each alert to a webhook, and says when that fails', async () => {
      const posts: unknown[] = []
      let answer = 200
      const chat = createServer((request, response) => {
        request.setEncoding('utf8')
        let body = ''
        request.on('data', (part: string) => (body += part))
        request.on('end', () => {
          posts.push(JSON.parse(body))
          response.writeHead(answer).end('ok')
        })
      })
      await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve))
      const { port } = chat.address() as AddressInfo
      const WEBHOOK = `http://127.0.0.1:${port}/hook`
      await open(TITLE, { flow: withTab(held(0), { WEBHOOK }) })
      await polled(1)
      simulator.stopRoute('Studio A')
      await until(() => posts.length === 1, 'the post')
      posts.should.deepEqual([{ text: told('alert')[0] }])
      answer = 500
      simulator.stopRoute('City hall')
      await until(() => told('not sent').length === 1, 'the refusal')
      told('not sent')[0]!.should.match(/500/)
      chat.close()
      chat.closeAllConnections()
      simulator.stopRoute('Stadium North')
      await until(() => told('error').length === 1, 'the error')
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
