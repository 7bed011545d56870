// How the routes are, as rows: what a panel shows, and a program reads.
import { type Route } from '../../../client'
import { healthRow } from '../../../client/watch/rows'
import { generateRoutes } from '../../../simulator'
import { connected, program as gateway, simulator } from '../../support/stage'

const ONLINE = { statusCode: 'ok', status: 'Online' } as const
const SECRET = 'correct horse battery'

const output = (more: object = {}): object => ({
  id: 'd',
  name: 'out',
  started: true,
  protocol: 'srt',
  srtMode: 'caller',
  srtPassPhrase: SECRET,
  state: 'connected',
  summaryStatusCode: 'ok',
  usedBandwidth: 4,
  // Nobody calls a caller.
  clientConnections: 7,
  ...more,
})
const listener = (more: object = {}): object =>
  output({ id: 'l', name: 'door', srtMode: 'listener', clientConnections: 2, ...more })
const route = (more: object = {}): Route =>
  ({
    id: '1',
    name: 'City hall ',
    state: 'running',
    summaryStatusCode: 'ok',
    source: { name: 'in', state: 'connected', summaryStatusCode: 'ok', usedBandwidth: 8 },
    destinations: [output(), listener()],
    ...more,
  }) as unknown as Route

const OK = {
  id: '1',
  name: 'City hall ',
  sign: 'ok',
  reason: null,
  text: 'OK',
  running: true,
  in: 8,
  out: 8,
  callers: 2,
}
const away = { state: 'disconnected', summaryStatusCode: 'warn', usedBandwidth: 0 }

describe('rows of the health of routes', () => {
  const is = (sign: string, reason: string | null, text: string, more: object = {}): object => ({
    ...OK,
    sign,
    reason,
    text,
    ...more,
  })
  const dark = { in: null, out: null, callers: null }
  const silent = { state: 'connected', summaryStatusCode: 'ok', usedBandwidth: 0 }
  const lost = { summaryStatusCode: 'warn', destinations: [output({ ...away }), listener()] }
  const uncalled = {
    summaryStatusCode: 'warn',
    destinations: [listener({ ...away, clientConnections: 0 })],
  }
  const idle = { state: 'stopped', summaryStatusCode: 'unknown', source: {}, destinations: [] }
  const cases: Array<[what: string, sent: Route, row: object]> = [
    ['well', route(), OK],
    ['rates as text', route({ source: { state: 'connected', usedBandwidth: '8' } }), OK],
    [
      'no source',
      route({ summaryStatusCode: 'warn', source: { ...away } }),
      is('critical', 'no-source', 'no source (disconnected)', { in: 0 }),
    ],
    ['no data', route({ source: silent }), is('critical', 'no-data', 'no data', { in: 0 })],
    [
      'an output lost',
      route(lost),
      is('warning', 'output-lost', 'output “out” lost (disconnected)', { out: 4 }),
    ],
    [
      'nobody calls',
      route(uncalled),
      is('waiting', 'no-caller', 'waiting for callers', { out: 0, callers: 0 }),
    ],
    [
      'what was switched off does not count',
      route({ destinations: [output(), listener({ started: false })] }),
      { ...OK, out: 4, callers: null },
    ],
    ['stopped', route(idle), is('stopped', null, 'stopped', { running: false, ...dark })],
    [
      'a state that nobody knows, and nothing else',
      { id: '1' } as Route,
      is('unknown', 'not-seen', 'not known yet', { name: '', running: null, ...dark }),
    ],
  ]
  for (const [what, sent, row] of cases) {
    it(`says how a route is: ${what}`, () => {
      should(healthRow(ONLINE, sent)).eql(row)
    })
  }

  it('knows nothing of the routes of a device that is offline or has an error', () => {
    const nothing = { sign: 'unknown', running: null, in: null, out: null, callers: null }
    for (const [statusCode, status, reason, text] of [
      ['error', 'Offline', 'device-away', 'device offline'],
      ['ok', 'Never', 'device-away', 'device offline (Never)'],
      ['error', 'Device error', 'device-error', 'device error'],
    ] as const) {
      const rows = [route(), route({ state: 'idle' })].map((one) =>
        healthRow({ statusCode, status }, one),
      )
      should(rows).have.length(2)
      for (const row of rows) should(row).eql({ ...OK, ...nothing, reason, text })
    }
    should(healthRow({ statusCode: 'warn', status: 'Online' }, route())).eql(OK)
  })

  it('says it in three languages, in the order that it was given, and without a secret', () => {
    const routes = ['b', 'a', '__proto__'].map((id) => route({ id, source: { ...away } }))
    for (const [language, text] of [
      ['de', 'keine Quelle (disconnected)'],
      ['ja', 'ソースなし (disconnected)'],
    ] as const) {
      const rows = routes.map((one) => healthRow(ONLINE, one, language))
      should(rows.map((row) => [row.id, row.text])).eql(routes.map(({ id }) => [id, text]))
      should(JSON.stringify(rows)).not.containEql(SECRET)
    }
  })

  it('come to a program with two requests, of all pages or of one', async () => {
    await connected({ routes: generateRoutes(12) })
    const { data } = await gateway.routes.list()
    simulator.clearJournal()
    const rows = await gateway.routes.health()
    should(rows.map(({ id }) => id)).eql(data.map(({ id }) => id))
    should(simulator.journal.map(({ method }) => method)).eql(['GET', 'GET'])
    const page = await gateway.routes.health({ page: 2, pageSize: 5, language: 'de' })
    should(page.map(({ id }) => id)).eql(data.slice(5, 10).map(({ id }) => id))
    simulator.failDevice('offline')
    should(await gateway.routes.health()).matchEach({ sign: 'unknown', reason: 'device-away' })
    const wrong = gateway.routes.health({ language: 'fr' as never })
    await should(wrong).be.rejectedWith({ code: 'INVALID_INPUT' })
  })
})
