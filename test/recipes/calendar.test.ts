// The recipe that starts and stops routes as a calendar has them booked.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compileFunction } from 'node:vm'
import { until } from '../support/until'
import { type FlowNode, nodeNamed, read, simulator, stageRecipes, withTab } from './support'

describe('the example flows', () => {
  const { call, open, told, writes, timeIn } = stageRecipes()

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
    const inUtc = (hours: number): string =>
      timeIn(hours)
        .toISOString()
        .replace(/\.\d+|[-:]/g, '')
    const booking = (name: string, from: number, to: number): string =>
      event(`SUMMARY:${name}`, `DTSTART:${inUtc(from)}`, `DTEND:${inUtc(to)}`)
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
})

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
