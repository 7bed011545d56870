// The functions of the recipe "Control panel" by themselves: what an operator reads for each state.
import type { Route } from '../../client'
import { healthRow } from '../../client/watch/rows'
import { Functions, type Message } from './functions'
import { PANEL, read as flowOf } from './support'

const [RED, AMBER, GREY, GREEN] = ['#e5484d', '#f5a524', '#a1a1aa', '#2f9e58']
const HOLLOW = '#0000'
const NOW = new Date(2026, 10, 24, 15, 2).getTime()
const MINUTE = 60_000

const part = (state: string, usedBandwidth = state === 'connected' ? 8 : 0): object => ({
  name: 'partner',
  protocol: 'srt',
  srtMode: 'caller',
  state,
  summaryStatusCode: state === 'connected' ? 'ok' : 'warn',
  usedBandwidth,
})
const route = (
  name: string,
  { source = 'connected', output = 'connected', more = {} } = {},
): Route =>
  ({
    id: `id of ${name}`,
    name,
    state: 'running',
    summaryStatusCode: source === output && source === 'connected' ? 'ok' : 'warn',
    source: part(source),
    destinations: [part(output)],
    ...more,
  }) as unknown as Route
const stopped = (name: string): Route => route(name, { more: { state: 'idle' } })
const lost = (name: string): Route => route(name, { source: 'disconnected' })
const empty = (name: string): Route => route(name, { more: { source: part('connected', 0) } })
const cut = (name: string): Route => route(name, { output: 'disconnected' })
const uncalled = (name: string): Route =>
  route(name, { more: { destinations: [{ ...part('disconnected'), srtMode: 'listener' }] } })

interface Row {
  name: string
  lamp: string
  state: string
  in: string
  out: string
  callers: string
  command: string
}

/** The panel, and what it shows. */
function panel() {
  const functions = new Functions(flowOf(PANEL), { ARMED: true })
  let time = NOW
  functions.now = () => time
  const run = (name: string, msg: Message): Message[][] => {
    const { sent, errors } = functions.run(name, msg)
    should(errors).eql([])
    return sent
  }
  const shown = (msg: Message) => {
    const [table, headline, chart = []] = run('lamps and bit rates', msg)
    const { payload, ui_update } = headline![0]! as {
      payload: string
      ui_update: { color: string }
    }
    return {
      rows: table![0]!['payload'] as Row[],
      headline: [payload, ui_update.color],
      points: chart.flatMap((each) => (each['payload'] ?? []) as Array<{ rate: number | null }>),
    }
  }
  return {
    functions,
    run,
    pass: (ms: number) => (time += ms),
    old: () => shown({ payload: 'old' }),
    read: (routes: Route[], status = 'Online') =>
      shown({
        payload: routes.map((one) => healthRow({ statusCode: 'ok', status } as never, one)),
      }),
    list: (msg: Message) => run('the last hour', msg)[0]![0]!['payload'] as Message[],
  }
}

describe('the recipe "Control panel" says', () => {
  const well = route('Arena')
  const cases: Array<[what: string, routes: Route[], text: string, color: string]> = [
    ['all well', [well, route('B'), stopped('C')], '2 running, all OK', GREEN],
    ['nothing runs', [stopped('C')], 'Nothing is running', GREY],
    ['no route at all', [], 'Nothing is running', GREY],
    ['a source lost', [well, lost('City hall ')], 'NO SOURCE: City hall', RED],
    [
      'several lost',
      [lost('D'), well, lost('City hall'), lost('E')],
      'NO SOURCE: City hall and 2 more',
      RED,
    ],
    ['no data', [well, empty('City hall')], 'NO DATA: City hall', RED],
    [
      'of everything',
      [lost('B'), empty('C'), cut('D'), cut('E'), uncalled('F')],
      'NO SOURCE: B · NO DATA: C · 2 warnings',
      RED,
    ],
    ['an output lost', [well, cut('C')], 'C: output “partner” lost', AMBER],
    ['two lost', [cut('C'), cut('B')], 'B: output “partner” lost and 1 more', AMBER],
    ['callers', [well, uncalled('F')], '2 running, all OK · 1 waiting for callers', GREEN],
    [
      'a state without a source',
      [well, route('X', { more: { source: null } })],
      'not known yet: X',
      GREY,
    ],
    ['a name as text', [lost('<b>&')], 'NO SOURCE: &#60;b&#62;&#38;', RED],
  ].map((each) => each as [string, Route[], string, string])
  for (const [what, routes, text, color] of cases) {
    it(`in its headline: ${what}`, () => {
      should(panel().read(routes).headline).eql([text, color])
    })
  }

  it('that the device is offline, since when, and offers nothing to press', () => {
    const { read, list } = panel()
    should(read([well, stopped('C')], 'Offline')).match({
      headline: ['DEVICE OFFLINE', RED],
      rows: [
        { name: 'Arena', lamp: HOLLOW, state: 'device offline', in: '', out: '', command: '' },
        { name: 'C', lamp: HOLLOW, command: '' },
      ],
    })
    list(begun('1', { kind: 'device', reason: 'device-away' }))
    should(read([well], 'Offline').headline).eql(['DEVICE OFFLINE since 15:02', RED])
    should(read([well]).headline).eql(['Just OK again: Gateway 1', AMBER])
  })

  it('that the gateway is away, or why else nothing is read, and offers nothing to press', () => {
    const { functions, read, run, old, pass } = panel()
    read([well, stopped('C')])
    const failed = (error: Message): Message => ({ error })
    run('is a page open?', failed({ message: 'It is <off>. Wait.', cause: { code: 'TIMEOUT' } }))
    pass(15_001)
    const [, toTable] = run('is a page open?', { _client: {} })
    should(toTable).eql([{ payload: 'old' }])
    should(old()).match({
      headline: ['GATEWAY UNREACHABLE since 15:02: <small>It is &#60;off&#62;.</small>', RED],
      rows: [
        { name: 'Arena', lamp: HOLLOW, state: 'not known', in: '', command: '' },
        { name: 'C', lamp: HOLLOW, state: 'not known', command: '' },
      ],
    })
    run('is a page open?', failed({ message: 'It refused the password. Correct it.' }))
    should(old().headline[0]).match(/^CANNOT READ THE GATEWAY since 15:02: .*refused the password/)
    const clicked = { action: 'button_click', payload: { id: well.id }, _client: { socketId: 's' } }
    const [question, notice] = run('which route?', clicked)
    should(question).eql([])
    should(notice![0]).match({ payload: /does not respond/ })
    should(read([well]).headline).eql(['1 running, all OK', GREEN])
    functions.flow.set('read', undefined)
    should(old().headline[0]).equal('GATEWAY UNREACHABLE')
  })

  it('of each route what it says of itself, always in the order of the names', () => {
    const { read, run } = panel()
    const routes = [stopped('b10'), lost('b9'), well, uncalled('b1')]
    const { rows } = read(routes)
    should(rows).match([
      {
        name: 'Arena',
        lamp: GREEN,
        state: 'OK',
        in: '8.0',
        out: '8.0',
        callers: '',
        command: 'Stop',
      },
      { name: 'b1', state: 'waiting for callers', out: '0.0', command: 'Stop' },
      { name: 'b9', lamp: RED, state: 'no source (disconnected)', in: '0.0', command: 'Stop' },
      { name: 'b10', state: 'stopped', in: '', out: '', command: 'Start' },
    ])
    const clicked = (name: string): Message => ({
      action: 'button_click',
      payload: { id: `id of ${name}` },
      _client: { socketId: name },
    })
    should(run('which route?', clicked('b9'))[0]![0]).match({
      payload: 'Stop b9? It is on air.',
      ui_update: { confirmText: 'Stop', color: RED },
    })
    should(run('which route?', clicked('b10'))[0]![0]).match({
      payload: 'Start b10?',
      ui_update: { confirmText: 'Start', color: GREEN },
    })
    read([route('X', { more: { state: 'strange' } })])
    const [question, notice] = run('which route?', clicked('X'))
    should(question).eql([])
    should(notice![0]).match({ payload: 'Nobody knows whether X is running. Nothing was done.' })
  })

  it('in the chart nothing where nothing is known, and 0 where a route was stopped', () => {
    const { read, old } = panel()
    const rates = (shown: ReturnType<typeof read>): unknown[] =>
      shown.points.map(({ rate }) => rate)
    should(rates(read([well, route('B')]))).eql([8, 8])
    should(rates(old())).eql([null, null])
    should(rates(read([well, route('B')], 'Offline'))).eql([null, null])
    should(rates(read([well, stopped('B')]))).eql([8, 0])
    should(rates(read([lost('Arena')]))).eql([0, 0])
  })

  it('what is wrong, the worst first, and what was within the last hour', () => {
    const { list, pass } = panel()
    should(list({ payload: NOW })).match([{ time: '', text: 'Nothing in the last hour' }])
    list(begun('1', { severity: 'warning', text: 'B: output “x” lost' }))
    pass(MINUTE)
    list(begun('__proto__', { text: 'C: no source', since: NOW + MINUTE }))
    pass(MINUTE)
    should(list({ error: { message: 'cannot watch' } })).eql([
      { lamp: RED, time: 'since 15:03', text: 'C: no source' },
      { lamp: AMBER, time: 'since 15:02', text: 'B: output “x” lost' },
      { lamp: '#52525b', time: '15:04', text: 'cannot watch' },
    ])
    pass(MINUTE)
    const over = { since: NOW + MINUTE, until: NOW + 3 * MINUTE, text: 'C: OK again' }
    const after = list(ended('__proto__', over))
    should(after.map(({ lamp, time, text }) => [lamp, time, text])).eql([
      [AMBER, 'since 15:02', 'B: output “x” lost'],
      ['#52525b', '15:03 – 15:05', 'C: OK again'],
      ['#52525b', '15:04', 'cannot watch'],
    ])
    pass(60 * MINUTE)
    const texts = list({ payload: NOW }).map(({ text }) => text)
    should(texts).eql(['B: output “x” lost'])
    pass(24 * 60 * MINUTE)
    should(list({})).match([{ time: 'since Nov 24 15:02' }])
  })

  it('what only the watch sees: a limit that is passed, and a route that must run', () => {
    const { list, read } = panel()
    const limit = { severity: 'warning', kind: 'threshold', reason: 'threshold', text: 'A: 3 %' }
    list(begun('1', limit))
    should(read([well]).headline).eql(['A: 3 %', AMBER])
    const its = { kind: 'route', reason: 'not-running', text: 'C: not running' }
    list(begun('2', its, stopped('C')))
    should(read([well, stopped('C')]).headline).eql(['C: not running · 1 warning', RED])
    const started = [well, route('C')]
    should(read(started).headline).eql(['A: 3 %', AMBER])
    list(ended('1', { ...limit, until: NOW }))
    should(read(started).headline).eql(['Just OK again: C', AMBER])
    list(ended('2', { until: NOW, text: 'C: OK again' }))
    should(read([well]).headline).eql(['1 running, all OK', GREEN])
  })

  it('how it is at once after a start, though the clock was set back', () => {
    const { functions, run } = panel()
    functions.flow.set('begun', NOW + 60 * MINUTE)
    should(run('is a page open?', { _client: {} })[0]).eql([{}])
  })

  it('that all is well only when no incident is left in the list', () => {
    const { list, read } = panel()
    list(begun('1', { text: 'Arena: no source' }, well))
    list(begun('2', { kind: 'device', reason: 'device-away' }))
    should(read([well]).headline).eql(['Just OK again: Gateway 1 and 1 more', AMBER])
    list(ended('2', { until: NOW }))
    should(read([well, lost('B')]).headline).eql(['NO SOURCE: B', RED])
    should(read([stopped('Arena'), route('B')]).headline).eql(['1 running, all OK', GREEN])
    list(ended('1', { until: NOW }))
    should(read([well]).headline).eql(['1 running, all OK', GREEN])
  })

  for (const [kind, reason] of [
    ['device', 'device-away'],
    ['gateway', 'gateway-away'],
  ] as const) {
    it(`what was wrong with routes in gray while the ${kind} is away`, () => {
      const { list } = panel()
      list(begun('1', { text: 'C: no source' }))
      const away = { kind, reason, text: 'Gateway 1: away', since: NOW - MINUTE }
      const looks = (rows: Message[]) => rows.map(({ lamp, text }) => [lamp, text])
      should(looks(list(begun('2', away)))).eql([
        [RED, 'Gateway 1: away'],
        ['#a1a1aa', 'last seen: C: no source'],
      ])
      const over = { ...away, until: NOW, text: 'OK again' }
      should(looks(list(ended('2', over)))).eql([
        [RED, 'C: no source'],
        ['#52525b', 'OK again'],
      ])
    })
  }

  it('when a failover changes, once, and that a route is not protected', () => {
    const { list, read, run } = panel()
    read([well])
    const failover = (state: string, reason = ''): string =>
      `media_gateway_failover_state{gateway="G",route_id="${well.id}",state="${state}"} 1\n` +
      `media_gateway_failover_protects{route_id="${well.id}",reason="${reason}"} ${Number(!reason)}\n`
    const by = (payload: string): Message[] => run('by route', { payload })[0]!
    should(by(failover('normal'))).eql([])
    should(by(failover('normal'))).eql([])
    const [change, ...others] = by(failover('protecting', 'main-bad'))
    should(others).eql([])
    should(list(change!)).match([{ text: 'Arena: failover: backup, main failed' }])
    should(read([well])).match({
      headline: ['Arena: failover: backup, main failed', AMBER],
      rows: [{ state: 'OK (failover: backup, main failed)', lamp: AMBER }],
    })
    should(by(failover('protecting', 'main-bad'))).eql([])
  })
})

const incident = (event: string, id: string, more: Message, of?: Route): Message => {
  const { text = 'X', ...its } = more
  const first = {
    id,
    severity: 'critical',
    kind: 'route',
    reason: 'no-source',
    since: NOW,
    until: null,
  }
  return {
    topic: event,
    payload: {
      event,
      incident: { ...first, ...its },
      text,
      device: { id: 'd', name: 'Gateway 1' },
      route: of,
    },
  }
}
const begun = (id: string, more: Message = {}, of?: Route): Message =>
  incident('incident.begun', id, more, of)
const ended = (id: string, more: Message = {}, of?: Route): Message =>
  incident('incident.ended', id, more, of)
