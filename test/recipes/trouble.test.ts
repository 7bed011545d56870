// Recipes that do something about a source or route in trouble, on a simulator that makes it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RouteState } from '../../simulator'
import { pause, until } from '../support/until'
import { startChats } from './chats'
import { type FlowNode, nodeNamed, probed, read, simulator, stageRecipes, withTab } from './support'

type SummaryCode = RouteState['summaryStatusCode']

describe('the example flows', () => {
  const { open, polled, inject, told, changes, commands, writes } = stageRecipes()

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
    failover.should.match({ hold: '${HOLD}', holdOff: '' })
    Object.assign(failover, { holdOff: 1, pollEvery: 0.5, settle: 5, guard: 1, ...more })
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
      await inject(flow, 'hold')
      await until(() => posts.length === 3, 'the hold')
      await inject(flow, 'release')
      await until(() => posts.length === 4, 'its end')
      const [toBackup, ...more] = posts
      toBackup!.should.match(/^Studio A: switched to backup, because the source in use failed/)
      // How long the source was away depends on the machine.
      const others = more.map((text) => text.replace(/ \(outage: .*\)$/, ''))
      others.should.deepEqual([
        'Studio A: switched to main, as requested',
        'Studio A: the failover is held: no automatic switches',
        'Studio A: the failover is released: it switches automatically again',
      ])
      posts.should.deepEqual(told('message'))
      await until(() => chats.shown.TEAMS.length === 4, 'the other chat')
      chats.shown.TEAMS.should.deepEqual(posts)
      told('not sent').should.eql([])
      told('event').length.should.be.above(5)
      changes('update').should.equal(2)
      await chats.stop()
    })

    it('says that nothing is good, and gives the all-clear with the outage', async () => {
      await openFailover(TITLE, { HOLD: false }, { settle: 1 })
      for (const side of [MAIN, BACKUP]) simulator.failAddress(side, 'disconnected')
      await until(() => told('message').length === 1, 'the loss')
      for (const side of [MAIN, BACKUP]) simulator.failAddress(side, 'ok')
      const isEnd = (text: string): boolean =>
        /^Studio A: all clear: (main|backup) is in use and good/.test(text)
      await until(() => told('message').some(isEnd), 'its end')
      const [loss, ...others] = told('message')
      loss!.should.equal('Studio A: no protection: neither main nor backup is good')
      // A trial that was under way may have succeeded: then its switch was reported before.
      others.findIndex(isEnd).should.be.belowOrEqual(1)
      others[0]!.should.match(/ \(outage: /)
    })

    it('sends a switch that the gateway refuses four times, and reports that once', async () => {
      const flow = await openFailover(TITLE, { HOLD: false })
      simulator.fault({ kind: 'status', status: 400, times: 4, match: { action: 'update' } })
      await inject(flow, 'to backup')
      await until(() => told('message').length === 1, 'the failure')
      told('message')[0]!.should.match(/^Media gateway: .*400/)
      changes('update').should.equal(4)
      should(address()).equal(MAIN)
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
      told('message')[0]!.should.match(/^Studio A: no protection: main failed, .*held/)
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

    for (const [what, answer] of [
      ['does not respond', undefined],
      ['does not respond to its proxy', 502],
    ] as Array<[string, number | undefined]>) {
      it(`says nothing of main while the probe ${what}, and says that once`, async () => {
        let status = 200
        const probe = await listen(() => status)
        const properties = { HOLD: false, PROBE: probe.url }
        const flow = probed(read('Recipes/Failover to a backup and back.json'), 'is main good?')
        Object.assign(flow.at(-1)!, { name: 'main', complete: 'main' })
        await open('Failover to a backup and back', { flow: withTab(flow, properties) })
        const ask = (): Promise<void> => inject(flow, 'every 10 seconds')
        await ask()
        await until(() => told('main').length === 1, 'the answer')
        if (answer === undefined) probe.close()
        else status = answer
        await ask()
        await until(() => told('error').length === 1, 'the word of it')
        await ask()
        await ask()
        told('main').should.deepEqual(['true'])
        told('error').length.should.equal(1)
        told('error')[0]!.should.match(/The probe does not respond: /)
        probe.close()
      })
    }
  })

  describe('Alarm with recovery', () => {
    const TITLE = 'Alarm with recovery'

    const status = (route: RouteState, summaryStatusCode: SummaryCode): void => {
      Object.assign(route, { summaryStatusCode })
      Object.assign(route.source, { summaryStatusCode })
    }
    const alerts = (count: number): Promise<void> =>
      until(() => told('alert').length >= count, `alert ${count}`)

    it('sends one alert when a failure lasts, and one message when it is over', async () => {
      const flow = read(`Recipes/${TITLE}.json`)
      const watch = nodeNamed(flow, 'watch for 20 seconds')
      should(watch).match({ holdFor: 20, report: 'incidents', mustRun: '' })
      watch['holdFor'] = 10
      await open(TITLE, { flow })
      await polled(1)
      simulator.fail('Studio A', { source: 'disconnected' })
      await polled(1)
      simulator.fail('Studio A', { source: 'ok' })
      await polled(2)
      told('alert').should.deepEqual([], 'a short failure')

      simulator.fail('Studio A', { source: 'disconnected' })
      await alerts(1)
      simulator.fail('Studio A', { source: 'connecting' })
      await polled(1)
      simulator.fail('Studio A', { source: 'no-data' })
      // Longer than it is held, also where polls follow each other quickly.
      await polled(30)
      simulator.fail('Studio A', { source: 'ok' })
      await alerts(2)
      await polled(2)
      const [alert, over, ...others] = told('alert')
      alert!.should.equal('ALERT Studio A: no source (disconnected)')
      over!.should.match(/^RESOLVED Studio A: OK again after .* \(no data\)$/)
      others.should.deepEqual([])
      writes().should.equal(0)
    })

    it('reports what fails already at the start, and that it cannot watch', async () => {
      status(simulator.route('Studio A')!, 'error')
      const flow = read(`Recipes/${TITLE}.json`)
      nodeNamed(flow, 'watch for 20 seconds')['holdFor'] = 5
      await open(TITLE, { flow })
      await alerts(1)
      told('alert').should.deepEqual(['ALERT Studio A: source error'])
      await open(TITLE, { flow, credentials: { username: 'haiadmin', password: 'wrong' } })
      await alerts(1)
      told('alert')[0]!.should.match(/^ALERT .*password/)
      status(simulator.route('Studio A')!, 'ok')
      await open(TITLE, { flow })
      await alerts(2)
      told('alert')[0]!.should.equal('RESOLVED The watch works again.')
      told('alert')[1]!.should.match(/^RESOLVED Studio A: OK again/)
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
      await openQuick(20_000)
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
      await openQuick(20_000)
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
