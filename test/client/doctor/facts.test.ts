// Each fact of the interface that reading can show has a check.
import { CHECKS, factsIn } from '../../../client/doctor/facts'
import type { Answered } from '../../../client/doctor/read'
import { contentOf } from '../../support/root'

const page = contentOf('docs/project/interface.md')

describe('the facts of a report', () => {
  it('are those that the page of the interface marks, in its order', () => {
    const marked = [...page.matchAll(/^\| `([\w-]+)` .*\| yes +\|$/gm)].map(([, name]) => name)
    marked.length.should.be.above(50)
    Object.keys(CHECKS).should.eql(marked)
  })

  it('could not be tested where nothing was read', () => {
    for (const { name, verdict } of factsIn({ answers: [], measured: { answerMs: [] } })) {
      should(verdict).equal('could not test', name)
    }
  })

  const route = {
    id: 'one',
    name: 'One',
    state: 'dozing',
    summaryStatusCode: 'fine',
    source: { id: 'two', protocol: 'rist', port: 0, state: 'asleep', mode: 'bidirectional' },
    destinations: [{ protocol: 'srt', mode: 'listener', clientConnections: '2', srtOverhead: 25 }],
  }
  const get = (path: string, body: unknown, status = 200): Answered => ({
    method: 'GET',
    path,
    status,
    body,
  })
  const contradicting: Record<string, Answered[]> = {
    'session-readable': [get('/api/session', null, 404)],
    'role-names': [get('/api/session', { roles: ['Chief'] })],
    'one-role-per-account': [get('/api/session', { roles: ['Observer', 'Operator'] })],
    'session-fields': [get('/api/session', { roles: [] })],
    'session-expires': [get('/api/session', { startAt: 2e12, expireAt: 1.9e12 })],
    'times-are-milliseconds': [get('/api/session', { startAt: 1_700_000_000 })],
    'devices-is-array': [get('/api/devices', { devices: [] })],
    'one-device': [get('/api/devices', [{ _id: 'x' }, { _id: 'y' }])],
    'device-status-values': [get('/api/devices', [{ status: 'Sleeping' }])],
    'firmware-is-not-version': [get('/api/devices', [{ firmware: '4.2.0-3694' }])],
    'ids-of-devices-and-commands': [get('/api/devices', [{ _id: 'x' }])],
    'polling-interval-suggested': [get('/api/devices/x', { config: {} })],
    'configuration-has-routes': [get('/api/devices/x', { config: {} })],
    'list-data-is-array': [get('/api/gateway/x/routes', { data: {} })],
    'list-fields': [get('/api/gateway/x/routes', { data: [] })],
    'list-counts-routes': [
      get('/api/gateway/x/routes?page=1&pageSize=500', { data: [], numResults: 3 }),
    ],
    'ids-of-routes-and-parts': [get('/api/gateway/x/routes', { data: [route] })],
    'route-state-values': [get('/api/gateway/x/routes', { data: [route] })],
    'route-summary-values': [get('/api/gateway/x/routes', { data: [route] })],
    'source-protocols': [get('/api/gateway/x/routes', { data: [route] })],
    'source-port-range': [get('/api/gateway/x/routes', { data: [route] })],
    'source-state-values': [get('/api/gateway/x/routes', { data: [route] })],
    'destination-overhead-is-text': [get('/api/gateway/x/routes', { data: [route] })],
    'destination-client-connections': [get('/api/gateway/x/routes', { data: [route] })],
    'one-route-bare': [get('/api/gateway/x/routes/one', { route })],
    'unknown-route-404': [get('/api/gateway/x/routes/none', null, 400)],
    'error-body': [get('/api/gateway/x/routes/none', { message: 'no' }, 404)],
    'statistics-collected-at-is-number': [get('/api/gateway/x/statistics', { collectedAt: '1' })],
  }
  for (const [name, answers] of Object.entries(contradicting)) {
    it(`can contradict ${name}`, () => {
      const facts = factsIn({ answers, measured: { answerMs: [] } })
      const fact = facts.find((one) => one.name === name)
      should(fact).have.property('verdict', 'contradicted')
      should(fact?.seen).match(/\S/)
    })
  }
})
