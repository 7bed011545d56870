// How long the recipe "Bookings from a calendar" keeps Node-RED busy with a calendar of somebody else.
import { Functions } from './functions'
import { nodeNamed, read } from './support'

const flow = read('Recipes/Bookings from a calendar.json')
const NOW = Date.parse('2026-03-16T08:30:00Z')
const DAY = 24 * 3_600_000
/** Far below the minute after which it is read again, also where the machine is busy. */
const MOMENT_MS = 1000

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
const event = (...lines: string[]): string =>
  ['BEGIN:VEVENT', 'SUMMARY:X', ...lines, 'END:VEVENT', ''].join('\r\n')
const calendar = (...parts: string[]): string =>
  `BEGIN:VCALENDAR\r\n${parts.join('')}END:VCALENDAR\r\n`
const BERLIN = ';TZID=Europe/Berlin'
/** `count` days, the last one today, at the time of the bookings here. */
const days = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${BERLIN}:${day(NOW - at * DAY)}T090000`)
/** A booking that repeats daily, lasts until now each time, and has each of its days left out. */
const leftOut = (count: number): string =>
  event(
    `DTSTART${days(count).at(-1)}`,
    `DURATION:P${count + 1}D`,
    'RRULE:FREQ=DAILY',
    ...days(count).map((each) => `EXDATE${each}`),
  )

function plan(text: string) {
  const functions = new Functions(flow, { ROUTES: '*', FIELD: 'SUMMARY', LEAD: 0 })
  functions.now = () => NOW
  const begun = process.cpuUsage()
  const made = functions.run('read it', { statusCode: 200, payload: text })
  const message = made.sent[0]?.[0]
  const ran = message && functions.run('what is booked now?', message)
  const { user, system } = process.cpuUsage(begun)
  const took = (user + system) / 1000
  const { booked = [] } = (ran?.sent[0]?.[0]?.['plan'] ?? {}) as { booked?: string[] }
  return { booked, errors: [...made.errors, ...(ran?.errors ?? [])], took, functions, ran }
}

describe('a calendar of somebody else', () => {
  const DAILY = [`DTSTART${BERLIN}:20240101T090000`, 'RRULE:FREQ=DAILY']

  it('with a booking of 601 days that repeats daily, and 600 days left out, takes a moment', () => {
    const { took, errors, booked } = plan(calendar(leftOut(600)))
    should(errors).eql([])
    should(booked).eql([])
    should(took).be.below(MOMENT_MS)
    const less = calendar(leftOut(600).replace(`EXDATE${days(600)[300]}\r\n`, ''))
    should(plan(less).booked).eql(['X'])
  })

  for (const [what, make] of [
    ['days left out', (count) => calendar(leftOut(count))],
    [
      'bookings with all days left out',
      (count) => calendar(...Array<string>(count / 10).fill(leftOut(10))),
    ],
    [
      'moved days of one booking',
      (count) =>
        calendar(
          ...Array<string>(count).fill(event('UID:1', ...DAILY, 'DURATION:PT1H')),
          ...Array.from({ length: count }, (_, at) =>
            event(
              'UID:1',
              `RECURRENCE-ID${BERLIN}:${day(NOW - at * DAY)}T090000`,
              'DTSTART:20260101T080000Z',
            ),
          ),
        ),
    ],
    [
      'repetitions since long ago',
      (count) =>
        calendar(
          ...Array<string>(count).fill(
            event('DTSTART:19700101T080000Z', 'DURATION:PT1S', 'RRULE:FREQ=WEEKLY;COUNT=99999'),
          ),
        ),
    ],
    [
      'long bookings',
      (count) =>
        calendar(
          ...Array<string>(count).fill(
            event('DTSTART:19700101T080000Z', 'DURATION:P3000D', 'RRULE:FREQ=DAILY;INTERVAL=9999'),
          ),
        ),
    ],
    [
      'zones of its own, in as many years',
      (count) => {
        const part = 'BEGIN:STANDARD\r\nDTSTART:00010101T000000\r\nTZOFFSETTO:+0100\r\n'
        const rule = 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:STANDARD\r\n'
        const zone = `BEGIN:VTIMEZONE\r\nTZID:Z\r\n${(part + rule).repeat(50)}END:VTIMEZONE\r\n`
        return calendar(
          zone,
          ...Array.from({ length: count }, (_, at) =>
            event(
              `DTSTART;TZID=Z:${String(1000 + (at % 1000))}0101T080000`,
              `DTEND;TZID=Z:${String(1000 + (at % 1000))}0101T090000`,
              'RRULE:FREQ=YEARLY',
            ),
          ),
        )
      },
    ],
    [
      'letters in a name',
      (count) => calendar(event(`SUMMARY:${'a'.repeat(count * 100)}`, 'DTSTART:20260316T080000Z')),
    ],
  ] as Array<[string, (count: number) => string]>) {
    it(`takes no more than in proportion for more ${what}`, () => {
      const [few, many] = [100, 800]
      plan(make(few))
      const [one, other] = [plan(make(few)), plan(make(many))]
      // What takes the square of that would take 64 times as long.
      should(other.took).be.below(MOMENT_MS + 16 * one.took, `${one.took} ms for ${few}`)
      should(other.took).be.below(2 * MOMENT_MS)
    })
  }

  it('that is too much is refused with a sentence that says what to do', () => {
    const booking = event('DTSTART:20260316T080000Z', 'DURATION:PT1H')
    for (const [text, why] of [
      [calendar(booking.repeat(5001)), /has 5001 bookings; at most 5000 are read\. Publish/],
      [calendar(booking) + 'x'.repeat(2e6), /has 2\.0 MB; at most 2 MB are read\. Publish/],
      [
        calendar('BEGIN:VTIMEZONE\r\nEND:VTIMEZONE\r\n'.repeat(101), booking),
        /has 101 time zones; at most 100/,
      ],
    ] as Array<[string, RegExp]>) {
      const { errors, ran } = plan(text)
      should(errors[0])
        .match(why)
        .and.match(/Nothing is changed\.$/)
      should(ran).be.undefined()
    }
    should(plan(calendar(booking.repeat(5000))).booked).eql(['X'])
  })

  it('with a booking that is too much leaves its route as it is, and says why', () => {
    const start = 'DTSTART:19700101T080000Z'
    for (const [lines, why] of [
      [[start, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=99999'], /X: it lasts, or is counted, for/],
      [[start, 'DURATION:P9000D', 'RRULE:FREQ=DAILY;INTERVAL=99999'], /X: it lasts, or is count/],
      [
        [...DAILY, 'DURATION:PT1H', ...days(2001).map((each) => `EXDATE${each}`)],
        /X: more than 2000 of its dates are left out/,
      ],
    ] as Array<[string[], RegExp]>) {
      const { errors, ran } = plan(calendar(event(...lines)))
      should(errors[0]).match(why)
      should(ran!.sent[0]![0]!['plan']).match({ booked: [], unclear: ['X'] })
    }
    // A repetition that was counted out long ago is understood.
    const over = event(start, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=10')
    should(plan(calendar(over)).errors).eql([])
  })

  it('is given up after seconds, whatever is in it', () => {
    for (const name of ['read it', 'what is booked now?']) {
      should(nodeNamed(flow, name)['timeout']).equal(5)
    }
  })

  it('does not make the flow keep names for ever', () => {
    const names = Array.from({ length: 5000 }, (_, at) => `N${at}`)
    const { functions } = plan(calendar(event('DTSTART:20260316T080000Z')))
    for (const prefix of ['A', 'B', 'C']) {
      const text = calendar(
        ...names.map((name) =>
          [
            'BEGIN:VEVENT',
            `SUMMARY:${prefix}${name}`,
            'DTSTART:20260316T080000Z',
            'END:VEVENT',
            '',
          ].join('\r\n'),
        ),
      )
      const [message] = functions.run('read it', { payload: text }).sent[0]!
      functions.run('what is booked now?', message!)
    }
    const kept = functions.flow.get('named') as string[]
    should(kept.length).equal(10_000)
    should(kept).containDeep(['CN0', 'BN4999']).and.not.containEql('X')
  })
})
