// Recipes that connect routes with people: a calendar, a page for guests, an interface for programs.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import should from 'should'
import type { RouteState, Simulator } from '../../simulator'
import { NodeRed } from '../support/node-red'
import { root } from '../support/root'
import { until } from '../support/until'
import { flowsOn, HURRY, nodeNamed, read, withTab, type FlowNode } from './support'

const HOUR = 3_600_000
const PASSWORD = 'a password for tests'
const TOKEN = 'a token for the tests only'

describe('the example flows', () => {
  const nodeRed = new NodeRed()
  const { start, begin, end, call, open, inject, output, told, commands, writes } = flowsOn(nodeRed)
  let simulator: Simulator
  let begun: number

  before(async () => {
    begun = Date.now()
    await start({ GATEWAY_API_TOKEN: TOKEN, GUESTS_PASSWORD: PASSWORD })
  })
  after(() => nodeRed.stop())
  beforeEach(async () => {
    simulator = await begin()
  })
  afterEach(end)

  const isRunning = (name: string): boolean => simulator.route(name)!.state === 'running'

  describe('Bookings from a calendar', () => {
    const TITLE = 'Bookings from a calendar'
    const CLOCK = 'every minute'
    let server: Server
    let answer: { status: number; body: string }
    let asked: number

    beforeEach(async () => {
      asked = 0
      server = createServer((_request, response) => {
        asked++
        response.writeHead(answer.status).end(answer.body)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    })
    afterEach(() => new Promise((resolve) => server.close(resolve)))

    /** A time by the clock of Node-RED, so many hours from now, in UTC. */
    function timeIn(hours: number): string {
      const now = begun + (Date.now() - begun) * HURRY
      return new Date(now + hours * HOUR).toISOString().replace(/\.\d+|[-:]/g, '')
    }
    const booking = (name: string, from: number, to: number): string =>
      event(`SUMMARY:${name}`, `DTSTART:${timeIn(from)}`, `DTEND:${timeIn(to)}`)
    const serve = (...events: string[]): void => {
      answer = { status: 200, body: calendar(...events) }
    }
    const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const armed = (properties = {}): FlowNode[] =>
      withTab(read(`Recipes/${TITLE}.json`), {
        CALENDAR: url(),
        ROUTES: '*',
        ARMED: true,
        ...properties,
      })
    const press = (flow: FlowNode[]): Promise<unknown> =>
      call('POST', `inject/${nodeNamed(flow, CLOCK).id}`, {})
    /** Lets the clock tick, until the calendar was read and the routes were. */
    async function tick(flow: FlowNode[]): Promise<void> {
      const [before, lists] = [asked, listed()]
      await press(flow)
      await until(() => asked > before && listed() > lists, 'the calendar and the routes')
    }
    const listed = (): number =>
      simulator.journal.filter(({ path, status }) => path.endsWith('/routes') && status).length

    it('starts what is booked, stops what is not any more, and touches nothing else', async () => {
      const odd = 'Studio B; live, "1" \\ 2'
      simulator.renameRoute('Weather desk', odd)
      for (const name of ['Studio A', odd]) simulator.stopRoute(name)
      for (const name of ['City hall', 'OB van 3']) simulator.startRoute(name)
      const others = simulator.routes.filter(
        ({ name }) => !['Studio A', 'City hall', odd].includes(name),
      )
      const states = others.map(({ state }) => state)
      serve(
        booking('Studio A', -1, 1),
        booking('Studio A', 0.5, 2),
        booking(odd.replace(/[;,\\]/g, '\\$&'), 0.05, 2),
        booking('City hall', -3, -1),
        booking('Lunch', -1, 1),
      )
      const flow = armed()
      nodeNamed(flow, CLOCK).should.match({ repeat: '60', once: true })
      await open(TITLE, { flow })
      await until(() => told('done').length === 3, 'the changes')
      told('done')
        .sort()
        .should.eql(['City hall is stopped', 'Studio A is running', `${odd} is running`])
      others.map(({ state }) => state).should.eql(states)
      told('error').should.eql([
        'Booked now, and not started. Lunch: the gateway has no such route',
      ])

      // Somebody stops a booked route; a booking ends early, and another one is deleted.
      simulator.stopRoute('Studio A')
      serve(booking('Studio A', -1, 1), booking('City hall', -3, -1))
      await press(flow)
      await until(() => told('done').length === 5, 'the changes')
      told('done')
        .slice(3)
        .sort()
        .should.eql(['Studio A is running', `${odd} is stopped`])
      const before = writes()
      await tick(flow)
      writes().should.equal(before)
      told('error').length.should.equal(1)
    })

    it('changes nothing when the calendar cannot be read, and says so', async () => {
      simulator.startRoute('Studio A')
      serve(booking('Studio A', -3, -1))
      const whole = answer.body
      answer = { status: 503, body: whole }
      const flow = armed()
      await open(TITLE, { flow })
      await until(() => told('error').some((text) => text.includes('HTTP 503')), 'the error')
      for (const [status, body, message] of [
        [200, '<html>Sign in</html>', /not in the iCalendar format/],
        [200, whole.slice(0, whole.indexOf('END:VEVENT')), /not complete/],
        [200, whole.replace('SUMMARY:', 'SUMMARY '), /line that is not understood/],
        [200, calendar(), /no bookings at all/],
      ] as const) {
        answer = { status, body }
        await press(flow)
        await until(() => told('error').some((text) => message.test(text)), String(message))
      }
      await open(TITLE, { flow: armed({ CALENDAR: 'http://127.0.0.1:1/' }) })
      await until(() => told('error').some((text) => text.includes('ECONNREFUSED')), 'the error')
      writes().should.equal(0)
      isRunning('Studio A').should.be.true()
    })

    it('leaves a route alone whose booking is not understood, and other routes too if not armed', async () => {
      for (const name of ['Studio A', 'City hall']) simulator.startRoute(name)
      simulator.stopRoute('OB van 3')
      const monthly = event(
        'SUMMARY:Studio A',
        'DTSTART:20200101T000000Z',
        'DURATION:PT1H',
        'RRULE:FREQ=MONTHLY',
      )
      serve(monthly, booking('City hall', -3, -1), booking('OB van 3', -1, 1))
      const flow = armed({ ARMED: false })
      await open(TITLE, { flow })
      await until(() => told('not armed').length === 2, 'the texts')
      told('not armed')
        .sort()
        .should.eql([
          'Not armed: City hall would be stopped',
          'Not armed: OB van 3 would be started',
        ])
      await tick(flow)
      told('error').length.should.equal(1)
      told('error')[0]!.should.match(/Studio A: it repeats by MONTHLY, and only/)
      writes().should.equal(0)
    })

    it('tries again a minute later when a start failed', async () => {
      simulator.stopRoute('Studio A')
      const mended = simulator.fault({ kind: 'status', status: 403, match: { path: '*/commands' } })
      serve(booking('Studio A', -1, 1))
      const flow = armed()
      await open(TITLE, { flow })
      await until(() => told('error').length === 1, 'the error')
      mended()
      await press(flow)
      await until(() => isRunning('Studio A'), 'the start')
    })

    it('knows from any booking whether it is now', () => {
      const at = (text: string): number => Date.parse(text)
      const berlin = 'TZID=Europe/Berlin:'
      const outlook = 'TZID="W. Europe Standard Time":'
      const weekly = [`DTSTART;${berlin}20260302T090000`, 'DURATION:PT1H']
      const cases: Array<[string, string[], boolean | RegExp]> = [
        ['2026-03-16T08:59:59Z', ['DTSTART:20260316T090000Z', 'DTEND:20260316T100000Z'], false],
        ['2026-03-16T09:00:00Z', ['DTSTART:20260316T090000Z', 'DTEND:20260316T100000Z'], true],
        ['2026-03-16T10:00:00Z', ['DTSTART:20260316T090000Z', 'DTEND:20260316T100000Z'], false],
        // Winter, and summer after the night in which the clocks change.
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY'], true],
        ['2026-03-30T07:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY'], true],
        ['2026-03-30T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY'], false],
        ['2026-03-31T07:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY'], false],
        ['2026-03-31T07:30:00Z', [...weekly, 'RRULE:FREQ=DAILY'], true],
        ['2026-03-18T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE'], true],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;INTERVAL=2'], true],
        ['2026-03-09T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;INTERVAL=2'], false],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;COUNT=3'], true],
        ['2026-03-23T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;COUNT=3'], false],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;UNTIL=20260316T080000Z'], true],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;UNTIL=20260316T075959Z'], false],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;UNTIL=20260316'], true],
        [
          '2026-03-16T08:30:00Z',
          [...weekly, 'RRULE:FREQ=WEEKLY', `EXDATE;${berlin}20260309T090000,20260316T090000`],
          false,
        ],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=MONTHLY'], /repeats by MONTHLY/],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;BYSETPOS=1'], /by BYSETPOS/],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=WEEKLY;BYDAY=1MO'], /BYDAY/],
        ['2026-03-16T08:30:00Z', [...weekly, 'RRULE:FREQ=MONTHLY;UNTIL=20250101'], false],
        ['2026-03-16T08:30:00Z', [...weekly, 'RDATE:20260316T080000Z'], /RDATE/],
        // As Outlook writes it: a zone of its own, which the calendar describes.
        ['2026-03-16T08:30:00Z', [`DTSTART;${outlook}20260316T090000`, 'DURATION:PT1H'], true],
        ['2026-03-30T07:30:00Z', [`DTSTART;${outlook}20260330T090000`, 'DURATION:PT1H'], true],
        ['2026-10-26T08:30:00Z', [`DTSTART;${outlook}20261026T090000`, 'DURATION:PT1H'], true],
        ['2026-03-16T08:30:00Z', ['DTSTART;TZID=Nowhere:20260316T090000'], /zone Nowhere/],
        ['2026-03-16T08:30:00Z', ['DTSTART:20260230T090000Z'], /does not exist/],
        ['2026-03-16T08:30:00Z', ['DTSTART:soon'], /not understood/],
        ['2026-03-16T08:30:00Z', ['DTEND:20260316T090000Z'], /no DTSTART/],
        ['2026-03-16T08:30:00Z', ['DTSTART:20260316T080000Z', 'DTEND:20260316T070000Z'], /ends/],
        ['2026-03-16T08:30:00Z', ['DTSTART:20260316T080000Z'], false],
        [
          '2026-03-16T08:30:00Z',
          ['DTSTART:20260316T080000Z', 'DURATION:PT1H', 'STATUS:CANCELLED'],
          false,
        ],
        // By the clock of the computer.
        [localTime(2026, 2, 16, 12), ['DTSTART;VALUE=DATE:20260316'], true],
        [
          localTime(2026, 2, 17, 12),
          ['DTSTART;VALUE=DATE:20260316', 'DTEND;VALUE=DATE:20260318'],
          true,
        ],
        [
          localTime(2026, 2, 18, 0),
          ['DTSTART;VALUE=DATE:20260316', 'DTEND;VALUE=DATE:20260318'],
          false,
        ],
        [localTime(2026, 2, 16, 9), ['DTSTART:20260316T090000', 'DURATION:PT1H'], true],
      ]
      for (const [now, lines, expected] of cases) {
        const { booked, errors } = planAt(at(now), calendar(event('SUMMARY:X', ...lines)))
        const what = `${now} ${lines.join(' ')}`
        if (expected instanceof RegExp) should(errors.join()).match(expected, what)
        else should([booked, errors]).eql([expected ? ['X'] : [], []], what)
      }
    })

    it('knows moved repetitions, folded lines, lead time and the field of the name', () => {
      const now = Date.parse('2026-03-16T08:30:00Z')
      const series = ['UID:1', 'DTSTART:20260302T080000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY']
      const moved = (to: string): string =>
        event(
          'UID:1',
          'SUMMARY:X',
          'RECURRENCE-ID:20260316T080000Z',
          `DTSTART:${to}`,
          'DURATION:PT1H',
        )
      const weekly = event('SUMMARY:X', ...series)
      planAt(now, calendar(weekly, moved('20260317T080000Z'))).booked.should.eql([])
      planAt(now, calendar(weekly, moved('20260316T083000Z'))).booked.should.eql(['X'])

      const alarm = 'BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nDURATION:PT9H\r\nSUMMARY:Y\r\nEND:VALARM'
      const times = ['DTSTART:20260316T083500Z', 'DURATION:PT5M']
      const name = 'SUMMARY;LANGUAGE="de:x":Stu\r\n dio\\, A\r\n\t\\; 1'
      const folded = calendar(event(alarm, name, 'LOCATION:L', ...times))
      planAt(now, folded).booked.should.eql([])
      planAt(now, folded, { LEAD: 5 }).booked.should.eql(['Studio, A; 1'])
      planAt(now, folded, { LEAD: 5, FIELD: 'LOCATION' }).booked.should.eql(['L'])
      planAt(now, folded, { LEAD: 5, ROUTES: 'Foo*' }).named.should.eql([])
      planAt(now, folded, { LEAD: 'soon' }).errors[0]!.should.match(/^LEAD must/)
    })

    /** What the two functions of the flow make of a calendar, at a time. */
    function planAt(now: number, text: string, settings: Record<string, unknown> = {}) {
      const flow = read(`Recipes/${TITLE}.json`)
      const errors: string[] = []
      const context = { get: (): unknown => undefined, set: () => {} }
      const node = { status: () => {}, error: (message: string) => errors.push(message) }
      const values: Record<string, unknown> = {
        ROUTES: '*',
        FIELD: 'SUMMARY',
        LEAD: 0,
        ...settings,
      }
      const env = { get: (name: string) => values[name] }
      class Clock extends Date {
        static override now = (): number => now
      }
      const run = (name: string, msg: object): unknown => {
        const parts = ['msg', 'env', 'flow', 'context', 'node', 'Date']
        const code = compileFunction(String(nodeNamed(flow, name)['func']), parts) as (
          ...given: unknown[]
        ) => unknown
        return code(msg, env, context, context, node, Clock)
      }
      const calendar = run('read it', { statusCode: 200, payload: text }) as object
      const made = run('what is booked now?', calendar) as { plan?: Plan } | undefined
      return { named: [], booked: [], ...made?.plan, errors }
    }
  })

  describe('Guest contribution', () => {
    const TITLE = 'Guest contribution'
    const CLOCK = 'every minute'
    const basic = (password: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}`,
    })

    /** Sends a form, or without one reads the page. */
    async function page(
      form?: Record<string, string>,
      headers = basic(PASSWORD),
    ): Promise<{ status: number; text: string; headers: Headers }> {
      const answer = await fetch(`${nodeRed.url}guests`, {
        headers,
        redirect: 'manual',
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      })
      return {
        status: answer.status,
        text: unescaped(await answer.text()),
        headers: answer.headers,
      }
    }
    const formOf = ({ text }: { text: string }): string =>
      /name="form" value="(\w+)"/.exec(text)![1]!
    const opened = (properties = {}): Promise<FlowNode[]> => {
      const HOST = 'srt.example.com'
      const tab = { ARMED: true, HOST, PORTS: '5100-5102', ...properties }
      return open(TITLE, { flow: withTab(read(`Recipes/${TITLE}.json`), tab) })
    }
    const guests = (): RouteState[] =>
      simulator.routes.filter(({ name }) => name.startsWith('Guest '))

    it('invites a guest, says when they connect, and removes them', async () => {
      simulator.route('Studio A')!.destinations[0]!.port = 5100
      await opened()
      const form = formOf(await page())
      const invited = await page({ form, action: 'invite', name: 'Änne 1', hours: '2' })
      invited.status.should.equal(201)
      invited.headers.get('cache-control')!.should.equal('no-store')
      const [, url = ''] = /<code>(.*?)<\/code>/.exec(invited.text)!
      const { hostname, port, searchParams } = new URL(url.replace('srt:', 'http:'))
      const passphrase = searchParams.get('passphrase')!
      passphrase.should.match(/^[\w-]{24}$/)
      const [guest] = guests() as [RouteState]
      guest.name.should.match(/^Guest Änne 1 until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
      guest.should.match({
        state: 'running',
        source: { protocol: 'srt', srtMode: 'listener', port: 5101, srtPassPhrase: passphrase },
        destinations: [{ protocol: 'udp', address: '239.1.1.50', port: 5101 }],
      })
      ;[hostname, port].should.eql(['srt.example.com', '5101'])

      // To the simulator, somebody is there at once.
      await until(() => told('report').at(-1) === 'Guest Änne 1 connected', 'the text')
      simulator.fail(guest.id, { source: 'disconnected' })
      await until(() => told('report').at(-1) === 'Guest Änne 1 disconnected', 'the text')
      simulator.fail(guest.id, { source: 'ok' })
      await until(() => told('report').length === 3, 'the text')
      told('report')[2]!.should.equal('Guest Änne 1 connected')

      const shown = await page()
      shown.text.should.match(/<td>Änne 1<\/td><td>[\d: -]+ UTC<\/td><td>5101<\/td><td>connected/)
      shown.text.should.not.containEql(passphrase)
      shown.headers.get('content-security-policy')!.should.startWith("default-src 'none'")
      const removed = await page({ form, action: 'remove', id: guest.id })
      ;[removed.status, removed.headers.get('location')].should.eql([303, '/guests'])
      guests().should.eql([])
      told('removed').should.eql(['Guest Änne 1 removed: by hand'])
      output().should.not.containEql(passphrase)
    })

    it('gives each guest another port and passphrase, and says when there is none left', async () => {
      await opened()
      const form = formOf(await page())
      const names = ['A', 'B', 'C', 'D', 'a']
      const answers = await Promise.all(
        names.map((name) => page({ form, action: 'invite', name, hours: '0.25' })),
      )
      answers
        .map(({ status }) => status)
        .sort((one, other) => one - other)
        .should.eql([201, 201, 201, 409, 409])
      new Set(guests().map(({ source }) => source.port)).should.eql(new Set([5100, 5101, 5102]))
      new Set(guests().map(({ source }) => source['srtPassPhrase'])).size.should.equal(3)
    })

    it('removes a guest when the time is over, also after a restart, and nobody else', async () => {
      const [studio, hall] = [simulator.route('Studio A')!, simulator.route('City hall')!]
      simulator.renameRoute(studio.id, 'Guest Old until 2026-01-01 10:00 UTC')
      simulator.renameRoute(hall.id, 'Guest New until 2999-01-01 10:00 UTC')
      simulator.renameRoute('OB van 3', 'Guest room')
      const count = simulator.routes.length
      await opened({ ARMED: false })
      await page()
      simulator.routes.length.should.equal(count)
      const flow = await opened()
      nodeNamed(flow, CLOCK).should.match({ repeat: '60', once: true })
      await until(() => told('removed').length === 1, 'the removal')
      told('removed').should.eql(['Guest Old removed: the time is over'])
      await inject(flow, CLOCK)
      simulator.routes.length.should.equal(count - 1)
      should(simulator.route(studio.id)).be.undefined()
    })

    it('is closed without the password, to other pages, to other routes, and until it is armed', async () => {
      await opened({ ARMED: false })
      for (const headers of [{}, basic(''), basic(`${PASSWORD}x`), { authorization: 'Bearer x' }]) {
        ;(await page(undefined, headers)).status.should.equal(401)
        ;(await page({ action: 'invite' }, headers)).status.should.equal(401)
      }
      const form = formOf(await page())
      const invite = { action: 'invite', name: 'A', hours: '1' }
      ;(await page({ ...invite, form })).text.should.match(/ARMED/)
      await opened()
      const { id } = simulator.route('Studio A')!
      const routes = simulator.routes.length
      const again = formOf(await page())
      const renamed = '<i>x</i> & "y"'
      simulator.renameRoute('City hall', `Guest ${renamed} until 2999-01-01 10:00 UTC`)
      const raw = await fetch(`${nodeRed.url}guests`, { headers: basic(PASSWORD) })
      ;(await raw.text()).should.not.containEql('<i>')
      for (const [sent, status] of [
        [invite, 403],
        [{ ...invite, form: 'x' }, 403],
        [{ form: again, action: 'remove', id }, 404],
        [{ ...invite, form: again, name: '<b>' }, 400],
        [{ ...invite, form: again, hours: '1e9' }, 400],
      ] as Array<[Record<string, string>, number]>) {
        ;(await page(sent)).status.should.equal(status, JSON.stringify(sent))
      }
      const restore = simulator.fault({
        kind: 'status',
        status: 403,
        match: { path: '*/updates' },
      })
      const failed = await page({ ...invite, form: again })
      restore()
      failed.status.should.equal(502)
      failed.text.should.not.match(/passphrase=/)
      simulator.routes.length.should.equal(routes)
      await until(() => told('error').length === 1, 'the error')
    })
  })

  describe('Who is watching', () => {
    const TITLE = 'Who is watching'
    const HOSTILE = '<b>KQED</b>'
    const rows = [{ address: '203.0.113.7', name: HOSTILE, route: 'Studio A', expected: 'running' }]
    const page = async (): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`${nodeRed.url}watching`)
      return { status: answer.status, text: await answer.text() }
    }
    const named = (): FlowNode[] =>
      read(`Recipes/${TITLE}.json`).map((node) =>
        node.type === 'media-gateway'
          ? { ...node, callersType: 'json', callers: JSON.stringify(rows) }
          : node,
      )
    const called = (...who: object[]): void =>
      simulator.setCallers('Studio A', { 'Studio A out': who })
    const KQED = { address: '203.0.113.7', port: 40_001 }

    it('shows all callers on a page, by name, and says who is away and back', async () => {
      called(KQED, { address: '203.0.113.9', port: 40_002 })
      await open(TITLE, { flow: named() })
      await until(async () => {
        const { text } = await page()
        return /KQED&#60;\/b&#62;<\/td><td>\d\d:\d\d</.test(text)
      }, 'the page, with the time since when')
      const { status, text } = await page()
      status.should.equal(200)
      text.should.containEql('<td>203.0.113.9</td>')
      text.should.not.containEql('<b>')
      const listed = text.match(/<tr><td>/g)!.length
      text.should.containEql(`<h1>${listed} watching</h1>`)
      listed.should.be.aboveOrEqual(
        simulator.callers.filter(({ joinedAt }) => joinedAt !== null).length,
      )
      called({ address: '203.0.113.9', port: 40_002 })
      await until(() => told('message').length === 1, 'the message')
      called(KQED, { address: '203.0.113.9', port: 40_002 })
      await until(() => told('message').length === 2, 'the end')
      told('message').should.match([
        'Studio A: caller “<b>KQED</b>” is away',
        /^Studio A: OK again after .* \(caller “<b>KQED<\/b>” is away\)$/,
      ])
    })

    it('says on the page why there is none, and nothing of what is not about callers', async () => {
      await open(TITLE)
      simulator.fail('Studio A', { source: 'disconnected' })
      simulator.fault({ kind: 'status', status: 403, match: { path: '*/statistics' } })
      await until(async () => (await page()).status === 502, 'the refusal')
      ;(await page()).text.should.match(/^<p>/)
      told('message').should.eql([])
    })
  })

  describe('REST facade', () => {
    const TITLE = 'REST facade'
    const FILE = 'docs/recipes/rest-facade.openapi.yaml'
    const NAME = 'Studio A/1 ü%2F'
    const PATH = `/routes/${encodeURIComponent(NAME)}`

    /** Sends a request with the token, unless other headers are given. */
    async function ask(
      method: string,
      path: string,
      headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
    ): Promise<{ status: number; body: unknown; text: string; headers: Headers }> {
      const answer = await fetch(`${nodeRed.url}gateway${path}`, { method, headers })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json')
      return {
        status: answer.status,
        text,
        body: isJson && JSON.parse(text),
        headers: answer.headers,
      }
    }

    /** The flow, with the description as Node-RED itself understands it. */
    function prepared(properties: { timeout?: number; token?: string; armed?: boolean } = {}) {
      const { timeout = 10_000, token, armed = true } = properties
      const flow = withTab(read(`Recipes/${TITLE}.json`), { ARMED: armed })
      const [tab] = flow as [FlowNode]
      if (token !== undefined)
        (tab['env'] as object[]).push({ name: 'GATEWAY_API_TOKEN', value: token, type: 'str' })
      flow.find(({ type }) => type === 'media-gateway')!['timeout'] = timeout
      const z = tab.id
      const yaml = nodeNamed(flow, 'OpenAPI')
      return [
        ...flow,
        { id: 't1', z, type: 'http in', url: '/described', method: 'get', wires: [['t2']] },
        { ...yaml, id: 't2', z, wires: [['t3']] },
        { id: 't3', z, type: 'yaml', property: 'payload', wires: [['t4']] },
        { id: 't4', z, type: 'http response', wires: [] },
      ]
    }

    beforeEach(() => simulator.renameRoute('Studio A', NAME))

    it('answers each documented operation with each documented status', async () => {
      for (const name of ['City hall', 'OB van 3']) simulator.renameRoute(name, 'Twice')
      await open(TITLE, { flow: prepared({ timeout: 1000 }) })
      const described = (await (await fetch(`${nodeRed.url}described`)).json()) as Description
      const seen = new Set<string>()
      const see = async (
        status: number,
        [method, path]: readonly [string, string],
        code?: string,
        headers?: Record<string, string>,
      ): Promise<void> => {
        const answer = await ask(method, path, headers)
        const what = `${method} ${path} ${status}: ${answer.text}`
        answer.status.should.equal(status, what)
        if (code) {
          answer.body!.should.have.properties(described.components.schemas.Error.required)
          answer.body!.should.have.property('code', code)
        }
        seen.add(`${method} ${templateOf(path)} ${status}`)
      }
      const all = ['GET', '/routes'] as const
      const one = ['GET', PATH] as const
      const change = ['POST', `${PATH}/restart`] as const
      const operations = [all, one, change]
      const GATEWAY = { path: '/api/gateway/*' }

      for (const operation of operations) {
        await see(200, operation)
        await see(401, operation, 'UNAUTHORIZED', {})
        await see(401, operation, 'UNAUTHORIZED', { authorization: `Bearer ${TOKEN}x` })
        await see(401, operation, 'UNAUTHORIZED', { authorization: `Basic ${TOKEN}` })
      }
      for (const [code, status, fault] of [
        ['FORBIDDEN', 403, { kind: 'status', status: 403 }],
        ['UNAVAILABLE', 502, { kind: 'status', status: 500 }],
        ['TIMEOUT', 504, { kind: 'latency', ms: 500 }],
      ] as const) {
        const mended = simulator.fault({ ...fault, match: GATEWAY })
        await Promise.all(operations.map((each) => see(status, each, code)))
        mended()
      }
      await see(200, ['GET', '/openapi.yaml'], undefined, {})
      for (const [method, rest] of [
        ['GET', ''],
        ['POST', '/stop'],
      ] as const) {
        await see(400, [method, `/routes/%E0%A4%A${rest}`])
        await see(404, [method, `/routes/nobody${rest}`], 'NOT_FOUND')
        await see(404, [method, `/routes/%20${rest}`], 'NOT_FOUND')
        await see(409, [method, `/routes/Twice${rest}`], 'CONFLICT')
      }
      await see(404, ['POST', `${PATH}/delete`], 'NOT_FOUND')

      const credentials = { username: '', password: '' }
      await open(TITLE, { flow: prepared({ armed: false }), credentials })
      await see(500, all, 'CONFIG')
      await see(500, one, 'CONFIG')
      await see(403, change, 'NOT_ARMED')
      await open(TITLE, { flow: prepared(), credentials })
      await see(500, change, 'CONFIG')
      await open(TITLE, { flow: prepared({ token: 'short' }) })
      for (const operation of operations) await see(503, operation, 'NO_TOKEN')

      const documented = Object.entries(described.paths).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([method]) => method !== 'parameters')
          .flatMap(([method, { responses }]) =>
            Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
          ),
      )
      ;[...seen].sort().should.eql(documented.sort())
    })

    it('answers when a change is done, and shows no secrets', async () => {
      await open(TITLE, { flow: prepared() })
      for (const [action, state] of [
        ['stop', 'stopped'],
        ['stop', 'stopped'],
        ['start', 'running'],
        ['restart', 'running'],
      ]) {
        const { status, body } = await ask('POST', `${PATH}/${action}`)
        status.should.equal(200)
        body!.should.match({ name: NAME, state })
        isRunning(NAME).should.equal(state === 'running')
      }
      commands().should.eql(
        ['stop', 'stop', 'start', 'stop', 'start'].map((each) => `${each}-route`),
      )

      const { body, text, headers } = await ask('GET', '/routes')
      const routes = body as Array<{ name: string; state: string }>
      routes.map(({ name }) => name).should.eql(simulator.routes.map(({ name }) => name))
      for (const { name, state } of routes) isRunning(name).should.equal(state === 'running')
      text.should.not.match(/invented|address/i)
      headers.get('cache-control')!.should.equal('no-store')
      const described = (await (await fetch(`${nodeRed.url}described`)).json()) as Description
      const { required, properties } = described.components.schemas.Route
      Object.keys(routes[0]!)
        .sort()
        .should.eql([...required].sort())
      Object.keys(properties)
        .sort()
        .should.eql([...required].sort())
      ;(await ask('GET', '/openapi.yaml')).text.should.equal(readFileSync(join(root, FILE), 'utf8'))
      output().should.not.containEql(TOKEN)
    })

    const templateOf = (path: string): string =>
      path.replace(/^\/routes\/[^/]+/, '/routes/{name}').replace(/(name\})\/\w+$/, '$1/{action}')
  })
})

/** A page without the entities of html. */
const unescaped = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')

/** What the test reads of the description of the interface. */
interface Description {
  paths: Record<string, Record<string, { responses: object }>>
  components: { schemas: Record<'Route' | 'Error', { required: string[]; properties: object }> }
}

interface Plan {
  named: string[]
  booked: string[]
}

const localTime = (year: number, month: number, day: number, hour: number): string =>
  new Date(year, month, day, hour).toISOString()

const event = (...lines: string[]): string => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')

/** A calendar with a time zone as Outlook describes it. */
const calendar = (...events: string[]): string =>
  `${[
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VTIMEZONE',
    'TZID:W. Europe Standard Time',
    'BEGIN:STANDARD',
    'DTSTART:16010101T030000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:16010101T020000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
    'END:DAYLIGHT',
    'END:VTIMEZONE',
    ...events,
    'END:VCALENDAR',
  ].join('\r\n')}\r\n`
