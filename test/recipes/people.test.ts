// Recipes that end where people are: chats, buttons and lamps, on stand-ins over real sockets.
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { pause, until } from '../support/until'
import { startChats, type Chats } from './chats'
import { type FlowNode, HURRY, nodeNamed, read, simulator, stageRecipes, withTab } from './support'

const TOKEN = 'a token of more than sixteen characters'

describe('the example flows', () => {
  const { deploy, open, connected, polled, press, inject, told, commands, writes, nodeRed } =
    stageRecipes({ COMPANION_TOKEN: TOKEN })

  describe('Alarm with recovery, to Slack and Teams', () => {
    const TITLE = 'Alarm with recovery'
    let chats: Chats

    beforeEach(async () => (chats = await startChats()))
    afterEach(() => chats.stop())

    const both = (): string[][] => [chats.shown.SLACK, chats.shown.TEAMS]
    const shown = (count: number): Promise<void> =>
      until(() => both().every(({ length }) => length >= count), `message ${count} in both chats`)

    /** With the times to hold and to give up that are wanted here. */
    function flowTo(urls: Record<string, string>, hours = 1): FlowNode[] {
      const flow = withTab(read(`Recipes/${TITLE}.json`), urls)
      Object.assign(nodeNamed(flow, 'watch for 20 seconds'), { holdFor: 0, mustRun: '*' })
      const idle = simulator.routes.filter(({ state }) => state === 'idle')
      for (const { name } of idle) simulator.removeRoute(name)
      const send = nodeNamed(flow, 'what to send now?')
      send['func'] = String(send['func'])
        .replace('const hours = 1\n', `const hours = ${hours}\n`)
        .replace('const firstPause = 5 ', 'const firstPause = 1 ')
      return flow
    }

    it('sends one message for a failure and one for its end, as each chat takes it', async () => {
      simulator.renameRoute('Studio A', 'Studio <!channel> & *A*')
      await open(TITLE, { flow: flowTo(chats.url) })
      await polled(1)
      const from = Date.now()
      simulator.fail('Studio <!channel> & *A*', { source: 'disconnected' })
      await shown(1)
      await polled(1)
      simulator.fail('Studio <!channel> & *A*', { source: 'ok' })
      await shown(2)
      const seconds = ((Date.now() - from) * HURRY) / 1000
      await polled(1)
      for (const texts of both()) {
        texts.should.deepEqual(told('alert'))
        texts.length.should.equal(2)
        texts[0]!.should.match(/^ALERT Studio <!channel> & \*A\*[ :]/)
        const [, length] = /^RESOLVED Studio .* after (\d+) seconds? \(/.exec(texts[1]!)!
        Number(length).should.be.within(1, seconds)
      }
    })

    it('sends again what a chat did not take, in order and also after a deploy', async () => {
      const flow = flowTo(chats.url)
      await open(TITLE, { flow })
      await polled(1)
      chats.fail('SLACK', 503)
      simulator.stopRoute('Studio A')
      await until(() => chats.tries.SLACK === 2, 'the second try')
      simulator.removeRoute('Studio A')
      await until(() => chats.shown.TEAMS.length === 2, 'the other chat')
      await deploy(connected(flow))
      chats.fail('SLACK')
      await shown(2)
      const late = / \[sent late, \d\d:\d\d:\d\d\]$/
      chats.shown.SLACK[0]!.should.match(late)
      chats.shown.SLACK.map((text) => text.replace(late, '')).should.deepEqual(chats.shown.TEAMS)
      chats.shown.TEAMS.map((text) => text.split(' ')[0]).should.eql(['ALERT', 'RESOLVED'])
      told('not sent').should.deepEqual([])
    })

    it('says what it has given up, and sends what comes after it', async () => {
      await open(TITLE, { flow: flowTo(chats.url, 0.003) })
      await polled(1)
      chats.fail('SLACK', 404)
      chats.fail('TEAMS', 429)
      simulator.stopRoute('Studio A')
      await until(() => told('not sent').length === 2, 'what was not sent')
      const [slack, teams] = told('not sent').sort().reverse() as [string, string]
      slack.should.match(/^Not sent to TEAMS: ALERT Studio A: .*\(status 429/)
      teams.should.match(/^Not sent to SLACK: ALERT Studio A: .*\(status 404 no_service\)$/)
      chats.tries.SLACK.should.equal(1, 'sending it again would not help')
      chats.tries.TEAMS.should.be.above(1)
      chats.fail('SLACK')
      chats.fail('TEAMS')
      simulator.removeRoute('Studio A')
      await shown(1)
      await chats.stop()
      simulator.stopRoute('City hall')
      await until(() => told('not sent').length === 4, 'what was not sent')
      told('not sent')[3]!.should.match(/ALERT City hall: .*ECONNREFUSED/)
    })
  })

  describe('Stream Deck with Companion', () => {
    const TITLE = 'Stream Deck with Companion'
    const armed = (): FlowNode[] => withTab(read(`Recipes/${TITLE}.json`), { ARMED: true })

    /** What Companion sends for a button, or to read the states. */
    async function companion(
      path: string,
      headers: Record<string, string> = { 'x-token': TOKEN },
    ): Promise<{ status: number; body: Record<string, unknown> }> {
      const isButton = path !== 'routes'
      const response = await fetch(`${nodeRed.url}companion/${path}`, {
        method: isButton ? 'POST' : 'GET',
        headers: { ...headers, ...(isButton && { 'content-type': 'application/json' }) },
        ...(isButton && { body: '{}' }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const statusOf = async (path: string, headers?: Record<string, string>): Promise<number> =>
      (await companion(path, headers)).status

    it('does nothing without the token, without being armed, or with another route', async () => {
      await open(TITLE)
      await polled(1)
      const wrong: Array<Record<string, string>> = [
        {},
        { 'x-token': 'no' },
        { 'x-token': '' },
        { authorization: `Bearer ${TOKEN}.` },
        { authorization: `Basic ${TOKEN}` },
      ]
      for (const headers of wrong) {
        ;(await statusOf('stop?route=Studio%20A', headers)).should.equal(401)
        ;(await statusOf('routes', headers)).should.equal(401)
      }
      ;(await companion('stop?route=Studio%20A')).should.deepEqual({
        status: 403,
        body: { error: 'Not armed: stop Studio A' },
      })
      await open(TITLE, { flow: armed() })
      ;(await statusOf('stop?route=City%20hall')).should.equal(403)
      ;(await statusOf('stop?route=My%20Studio')).should.equal(403)
      ;(await statusOf('stop')).should.equal(400)
      ;(await statusOf('delete?route=Studio%20A')).should.equal(404)
      ;(await statusOf('stop?route=Studio%20Z')).should.equal(404)
      writes().should.equal(0)

      await open(TITLE, { flow: withTab(armed(), { TOKEN: 'NO_SUCH_VARIABLE' }) })
      ;(await statusOf('routes', { 'x-token': '' })).should.equal(503)
      ;(await statusOf('stop?route=Studio%20A')).should.equal(503)
    })

    it('starts, stops, toggles and restarts a route, and says how it is then', async () => {
      await open(TITLE, { flow: armed() })
      const bearer = { authorization: `Bearer ${TOKEN}` }
      const route = 'Studio A'
      const button = (action: string): ReturnType<typeof companion> =>
        companion(`${action}?route=Studio%20A`, bearer)
      const answer = (state: string, changed = true): object => ({
        status: 200,
        body: { route, state, changed },
      })

      ;(await button('start')).should.deepEqual(answer('running', false))
      writes().should.equal(0)
      ;(await button('restart')).should.deepEqual(answer('running'))
      const twice = await Promise.all([button('toggle'), button('toggle')])
      new Set(twice.map(({ status }) => status)).should.eql(new Set([200, 409]))
      simulator.route(route)!.state.should.equal('idle')
      ;(await button('restart')).should.match({ status: 409, body: { error: /is not running/ } })
      ;(await button('stop')).should.deepEqual(answer('stopped', false))
      ;(await button('toggle')).should.deepEqual(answer('running'))
      simulator.fault({ kind: 'status', status: 400, times: 1, match: { path: '*/commands' } })
      ;(await button('stop')).should.match({ status: 502, body: { applied: 'no' } })
      ;(await button('stop')).should.deepEqual(answer('stopped'))
      const all = ['stop-route', 'start-route', 'stop-route', 'start-route']
      commands().should.deepEqual([...all, 'stop-route', 'stop-route'])
    })

    it('shows the states of these routes only, and none that it does not know', async () => {
      simulator.renameRoute('City hall', 'Studio [B]')
      await open(TITLE, { flow: armed() })
      await until(async () => 'Studio A' in (await states()), 'the first poll')
      simulator.stopRoute('Studio A')
      await polled(2)
      const unsure = { state: 'unknown', status: 'unknown' }
      ;(await companion('routes')).body.should.deepEqual({
        gateway: 'reachable',
        armed: true,
        routes: {
          'Studio A': { state: 'stopped', status: 'unknown' },
          'Studio [B]': { state: 'running', status: 'ok' },
        },
      })
      simulator.renameRoute('Studio A', 'Studio [B]')
      await polled(2)
      ;(await states()).should.deepEqual({ 'Studio [B]': unsure }, 'two have this name')
      await open(TITLE, { credentials: { username: '', password: '' } })
      const gateway = async (): Promise<unknown> => (await companion('routes')).body['gateway']
      await until(async () => (await gateway()) === 'unreachable', 'the red status')
      ;(await states()).should.deepEqual({})

      const known = keptBy(TITLE, 'running')
      const list = compiled(TITLE, 'states of the routes', ['msg', 'flow', 'env'])
      const env = { get: (name: string) => (name === 'ROUTES' ? '*' : undefined) }
      list({}, known, env).should.match({ payload: { routes: { X: unsure } } })
    })

    const states = async (): Promise<object> => (await companion('routes')).body['routes'] as object
  })

  describe('TSL UMD tally', () => {
    const TITLE = 'TSL UMD tally'
    let display: Socket
    /** The latest packet for each address, and how many there were. */
    let packets: Map<number, Buffer>
    let count: number

    beforeEach(async () => {
      packets = new Map()
      count = 0
      display = createSocket('udp4', (packet) => {
        count++
        packets.set(packet.length === 18 ? packet[0]! - 0x80 : packet.readUInt16LE(6), packet)
      })
      display.bind(0, '127.0.0.1')
      await once(display, 'listening')
    })
    afterEach(() => {
      display.close()
    })

    const flowTo = (properties: object): FlowNode[] =>
      withTab(read(`Recipes/${TITLE}.json`), {
        HOST: '127.0.0.1',
        PORT: display.address().port,
        ...properties,
      })
    /** The clock of the flow stands still here: the test asks for the next packets. */
    const received = (address: number, expected: Buffer): Promise<void> =>
      until(
        async () => {
          if (packets.get(address)?.equals(expected)) return true
          await inject(read(`Recipes/${TITLE}.json`), 'every 5 seconds')
          return false
        },
        () => `${expected.toString('hex')} for ${packets.get(address)?.toString('hex')}`,
      )

    it('sends 18 bytes for each display in version 3.1, each time', async () => {
      const DISPLAYS = '{"Studio A": 0, "München, Stadium North": 126, "Studio Z": 5}'
      simulator.renameRoute('Stadium North', 'München, Stadium North')
      await open(TITLE, { flow: flowTo({ VERSION: '3.1', DISPLAYS }) })
      const packet = (address: number, control: number, text: string): Buffer =>
        Buffer.from([address + 0x80, control, ...Buffer.from(text, 'latin1')])
      await received(0, packet(0, 0b110010, 'Studio A        '))
      await received(126, packet(126, 0b110010, 'M?nchen, Stadium'))
      await received(5, packet(5, 0b110000, 'Studio Z ?      '))
      simulator.route('Studio A')!.summaryStatusCode = 'warn'
      await received(0, packet(0, 0b110011, 'Studio A        '))
      simulator.route('Studio A')!.summaryStatusCode = 'error'
      await received(0, packet(0, 0b110001, 'Studio A        '))
      simulator.stopRoute('Studio A')
      await received(0, packet(0, 0b110000, 'Studio A        '))
      // What was sent already may come late.
      await pause(500)
      const before = count
      const flow = flowTo({})
      nodeNamed(flow, 'every 5 seconds').repeat!.should.equal('5')
      await inject(flow, 'every 5 seconds')
      await until(() => count === before + 3, 'all displays again')
    })

    it('sends lamps, screen and text of any length in version 5.0', async () => {
      const DISPLAYS = '{"Studio A": 258, "Zürich": 2}'
      simulator.renameRoute('City hall', 'Zürich')
      await open(TITLE, { flow: flowTo({ DISPLAYS, SCREEN: 772 }) })
      const [red, green, amber, full] = [0b010101, 0b101010, 0b111111, 0b11000000]
      const packet = (index: number, control: number, text: string): Buffer => {
        const isAscii = !/[^ -~]/.test(text)
        const bytes = Buffer.from(text, isAscii ? 'ascii' : 'utf16le')
        const flags = isAscii ? 0 : 1
        const [high, low] = [index >> 8, index & 255]
        // Byte count, version, flags, screen, index, control, length: the low byte first.
        const head = [10 + bytes.length, 0, 0, flags, 4, 3, low, high, control, 0, bytes.length, 0]
        return Buffer.from([...head, ...bytes])
      }
      await received(258, packet(258, full | green, 'Studio A'))
      await received(2, packet(2, full | green, 'Zürich'))
      simulator.route('Studio A')!.summaryStatusCode = 'warn'
      await received(258, packet(258, full | amber, 'Studio A'))
      simulator.route('Studio A')!.summaryStatusCode = 'error'
      await received(258, packet(258, full | red, 'Studio A'))
      simulator.stopRoute('Studio A')
      await received(258, packet(258, full | 0b001000, 'Studio A'))

      const credentials = { username: 'haiadmin', password: 'wrong' }
      await open(TITLE, { flow: flowTo({ DISPLAYS, SCREEN: 772 }), credentials })
      await received(2, packet(2, full | 0b001100, 'Zürich ?'))
      told('error').should.matchAny(/password/)
      const flow = flowTo({ VERSION: '3.1', DISPLAYS })
      await open(TITLE, { flow })
      // The error of the refused login may still come.
      const isOfDisplays = (text: string): boolean =>
        /^DISPLAYS must be .* from 0 to 126/.test(text)
      await until(() => told('error').some(isOfDisplays), 'the error')
    })

    it('lights no lamp while the gateway does not respond, or its device is offline', async () => {
      await open(TITLE, { flow: flowTo({ VERSION: '3.1', DISPLAYS: '{"Studio A": 1}' }) })
      const shown = (control: string, text: string): Buffer =>
        Buffer.from(`\x81${control}${text.padEnd(16)}`, 'latin1')
      const [on, off] = [shown('2', 'Studio A'), shown('0', 'Studio A ?')]
      await received(1, on)
      simulator.failDevice('offline')
      await received(1, off)
      simulator.failDevice('ok')
      await received(1, on)
      simulator.fault({ kind: 'status', status: 500, match: { path: '*/routes' } })
      await received(1, off)
    })
  })

  describe('Salvo', () => {
    const TITLE = 'Salvo'
    let home: string
    let file: string

    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'media-gateway-salvo-'))
      file = join(home, 'deeper', 'salvo.json')
    })
    afterEach(() => rmSync(home, { recursive: true, force: true }))

    const openSalvo = (ARMED = true): Promise<FlowNode[]> =>
      open(TITLE, {
        flow: withTab(read(`Recipes/${TITLE}.json`), { ARMED, PATTERN: 'st*', FILE: file }),
      })
    const result = async (count: number): Promise<string> => {
      await until(() => told('result').length >= count, `result ${count}`)
      return told('result')[count - 1]!
    }
    const memory = (): string[] =>
      Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, { name: string }>)
        .map(({ name }) => name)
        .sort()
    const states = (): string[] =>
      ['Studio A', 'Stadium North', 'Stadium South'].map((name) => simulator.route(name)!.state)

    beforeEach(() => {
      simulator.renameRoute('Newsroom feed', 'Stadium South')
      states().should.deepEqual(['running', 'running', 'idle'])
    })

    it('changes and remembers nothing until it is armed, and says what it would do', async () => {
      const flow = await openSalvo(false)
      for (const button of ['stop them', 'start them again', 'forget']) await press(flow, button)
      await until(() => told('preview').length === 3, 'the previews')
      told('preview').should.deepEqual([
        'Not armed: would stop Studio A, Stadium North',
        'Not armed: would start none',
        'Not armed: would forget none',
      ])
      writes().should.equal(0)
      existsSync(file).should.be.false()
    })

    it('starts exactly what it has stopped, after a second stop and after a restart', async () => {
      let flow = await openSalvo()
      simulator.fault({ kind: 'status', status: 400, times: 1, match: { action: 'stop-route' } })
      await press(flow, 'stop them')
      const left = (await result(1)).match(
        /^Stopped 1 of 2\. Remembered: 2\. Not stopped: (\S+ \S+) /,
      )![1]!
      simulator.route(left)!.state.should.equal('running')
      await press(flow, 'stop them')
      ;(await result(2)).should.equal('Stopped 1 of 1. Remembered: 2.')
      await press(flow, 'stop them')
      await until(() => told('preview').length === 1, 'the third one')
      told('preview')[0]!.should.equal('No route to stop')
      states().should.deepEqual(['idle', 'idle', 'idle'])
      memory().should.deepEqual(['Stadium North', 'Studio A'])

      await deploy([])
      flow = await openSalvo()
      simulator.clearJournal()
      simulator.fault({ kind: 'status', status: 400, times: 1, match: { action: 'start-route' } })
      await press(flow, 'start them again')
      const failed = (await result(1)).match(
        /^Started 1 of 2\. Remembered: 1\. Not started: (\S+ \S+) /,
      )![1]!
      memory().should.deepEqual([failed])
      await press(flow, 'start them again')
      ;(await result(2)).should.equal('Started 1 of 1. Remembered: 0.')
      states().should.deepEqual(['running', 'running', 'idle'])
      const reserve = simulator.route('Stadium North')!.destinations.at(-1)!
      reserve.should.match({ name: 'Stadium North reserve', started: false })
      commands().should.deepEqual(['start-route', 'start-route', 'start-route'])
    })

    it('leaves alone what others have started, and stops a destination that was stopped before', async () => {
      const flow = await openSalvo()
      await press(flow, 'stop them')
      await result(1)
      // As a gateway would do that starts all destinations together with their route.
      for (const each of simulator.route('Stadium North')!.destinations) each.started = true
      simulator.startRoute('Studio A')
      simulator.removeRoute('Stadium South')
      simulator.clearJournal()
      await press(flow, 'start them again')
      ;(await result(2)).should.equal('Started 1 of 1. Remembered: 0.')
      commands().should.deepEqual(['start-route', 'stop-destination'])
      const { destinations } = simulator.route('Stadium North')!
      destinations.map(({ started }) => started).should.deepEqual([true, true, true, true, false])
    })

    it('names a route that is gone, forgets when told, and stops nothing that it cannot remember', async () => {
      const flow = await openSalvo()
      await press(flow, 'stop them')
      await result(1)
      simulator.removeRoute('Studio A')
      await press(flow, 'start them again')
      ;(await result(2)).should.match(/^Started 1 of 2\. Remembered: 1\. Not started: Studio A \(/)
      await press(flow, 'forget')
      await until(() => told('preview').length === 1, 'the word of it')
      told('preview')[0]!.should.equal('Forgotten: Studio A')
      memory().should.deepEqual([])

      writeFileSync(file, '[')
      simulator.clearJournal()
      for (const button of ['stop them', 'start them again']) await press(flow, button)
      await until(() => told('error').length >= 2, 'the errors')
      told('error').at(-1)!.should.match(/JSON/)
      writes().should.equal(0)
      readFileSync(file, 'utf8').should.equal('[')
    })
  })
})

type Compiled = (...values: unknown[]) => object

/** The code of a function node, with these names given to it. */
function compiled(title: string, name: string, parameters: string[]): Compiled {
  const { func } = nodeNamed(read(`Recipes/${title}.json`), name)
  return compileFunction(String(func), parameters) as Compiled
}

/** The flow context after a snapshot with one route, and the loss of the gateway. */
function keptBy(title: string, state: string): { get: (name: string) => unknown } {
  const kept: Record<string, unknown> = {}
  const flow = {
    get: (name: string) => kept[name],
    set: (name: string, value: unknown) => (kept[name] = value),
  }
  const keep = compiled(title, 'keep the states', ['msg', 'flow'])
  const routes = [{ id: 'x', name: 'X', state, summaryStatusCode: 'ok' }]
  keep({ payload: { event: 'snapshot', routes } }, flow)
  keep({ payload: { event: 'appliance.unreachable' } }, flow)
  return flow
}
