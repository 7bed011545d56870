// The one rule of health, as a table of cases.
import {
  deviceHealth,
  isTrouble,
  outputHealth,
  partsHealth,
  routeHealth,
  sourceHealth,
  worst,
  OK,
  SIGNS,
  STOPPED,
  type Health,
  type OutputSigns,
  type PartSigns,
  type RouteSigns,
} from '../../../client/model/health'
import { healthOfRoute } from '../../../client/watch/health'
import { healthText } from '../../../client/watch/text/health-text'
import { LANGUAGES } from '../../../client/model/watch'
import type { Route } from '../../../client/model/types'

const FLOWING: PartSigns = { state: 'connected', code: 'ok', bitrate: 5 }
const CALLER: OutputSigns = { name: 'far', state: 'connected', code: 'ok', isListener: false }
const CALLED: OutputSigns = { name: 'near', state: 'connected', isListener: true, clients: 2 }
/** As seen on a gateway: docs/project/interface.md#seen-in-the-field. */
const UNCALLED: OutputSigns = { name: 'near', state: 'disconnected', isListener: true, clients: 0 }

const route = (
  { source = {}, ...more }: Partial<Omit<RouteSigns, 'source'>> & { source?: PartSigns },
  ...outputs: OutputSigns[]
): RouteSigns => ({
  state: 'running',
  code: 'ok',
  outputs,
  ...more,
  source: { ...FLOWING, ...source },
})

const told = ({ sign, reason, output }: Health): unknown[] =>
  [sign, reason, output].filter((one) => one !== undefined)

const CASES: Record<string, RouteSigns> = {
  'all is well: ok': route({}, CALLER, CALLED),
  'no outputs: ok': route({}),
  'idle: stopped': route({ state: 'idle', source: { state: 'disconnected' } }),
  'stopped, as field gateways say: stopped': route({ state: 'Stopped', code: 'error' }),
  'a state that nobody knows: unknown not-seen': route({ state: 'rebooting' }),
  'no state: unknown not-seen': route({ state: undefined }),
  'a source that was never seen: unknown not-seen': { ...route({}), source: undefined },
  'a source that says nothing: unknown not-seen': route({
    code: 'unknown',
    source: { state: undefined, code: undefined, bitrate: NaN },
  }),
  'a source in a state that nobody knows: unknown not-seen': route({
    code: 'unknown',
    source: { state: 'handshaking', code: 'unknown', bitrate: NaN },
  }),
  'a source in a state that nobody knows, with data: ok': route({
    code: 'unknown',
    source: { state: 'handshaking', code: 'unknown', bitrate: 5 },
  }),
  'a source in a state that nobody knows, whose code is ok: ok': route({
    source: { state: 'handshaking', bitrate: NaN },
  }),
  'a source that says nothing, of a route that is ok: ok': route({
    source: { state: undefined, code: undefined, bitrate: NaN },
  }),
  'the source disconnected: critical no-source': route({ source: { state: 'disconnected' } }),
  'the source connecting: critical no-source': route({ source: { state: 'connecting' } }),
  'the source in any case: critical no-source': route({ source: { state: ' DisConnected ' } }),
  'the source gone, but its code ok: critical no-source': route({
    code: 'ok',
    source: { state: 'disconnected', code: 'ok' },
  }),
  'no data: critical no-data': route({ source: { bitrate: 0 } }),
  'a bit rate that is not known: ok': route({ source: { bitrate: NaN } }),
  'the source has an error: critical source-error': route({ source: { code: 'Error' } }),
  'the source has a warning: warning source-warning': route({ source: { code: 'warn' } }),
  'the route has an error: critical route-error': route({ code: 'ERROR' }, CALLER),
  'the route has a warning that nothing explains: warning route-warning': route(
    { code: 'WARN' },
    CALLER,
  ),
  'the route has a code that nobody knows: ok': route({ code: 'purple' }, CALLER),
  'the route has no code: ok': route({ code: undefined }, CALLER),
  'a caller output lost: warning output-lost far': route({}, { ...CALLER, state: 'disconnected' }),
  'two lost: the first: warning output-lost far': route(
    {},
    CALLED,
    { ...CALLER, state: 'connecting' },
    { ...CALLER, name: 'last', state: 'idle' },
  ),
  'a lost output explains the warning: warning output-lost far': route(
    { code: 'warn' },
    { ...CALLER, state: 'disconnected' },
  ),
  'an output with an error: warning output-error far': route({}, { ...CALLER, code: 'error' }),
  'an output with a warning: warning output-warning far': route({}, { ...CALLER, code: 'warn' }),
  'an output that was switched off: ok': route(
    {},
    { ...CALLER, state: 'disconnected', started: false },
  ),
  'an output before a warning of the source: warning output-lost far': route(
    { source: { code: 'warn' } },
    { ...CALLER, state: 'disconnected' },
  ),
  'the source before its outputs: critical no-source': route(
    { source: { state: 'disconnected' } },
    { ...CALLER, state: 'disconnected' },
  ),
  'nobody calls, and the route is warn: waiting no-caller near': route({ code: 'warn' }, UNCALLED),
  'nobody calls any more: waiting no-caller other': route({ code: 'warn' }, CALLED, {
    ...UNCALLED,
    name: 'other',
  }),
  'nobody calls, by the number of callers alone: waiting no-caller near': route(
    {},
    { ...UNCALLED, state: 'connected' },
  ),
  'nobody calls, by the state alone: waiting no-caller near': route(
    {},
    { ...UNCALLED, clients: NaN },
  ),
  'somebody calls a listener that calls itself disconnected: ok': route(
    {},
    { ...UNCALLED, clients: 1 },
  ),
  'nobody calls, and its code is an error: waiting no-caller near': route(
    { code: 'warn' },
    { ...UNCALLED, code: 'error' },
  ),
  'a called listener with an error: warning output-error near': route(
    {},
    { ...CALLED, code: 'error' },
  ),
  'nobody calls, and another output is lost: warning output-lost far': route(
    { code: 'warn' },
    UNCALLED,
    { ...CALLER, state: 'disconnected' },
  ),
  'nobody calls, and the source is gone: critical no-source': route(
    { code: 'warn', source: { state: 'disconnected' } },
    UNCALLED,
  ),
  'nobody calls a listener that was switched off: ok': route({}, { ...UNCALLED, started: false }),
}

const DEVICES: ReadonlyArray<[string | undefined, string | undefined, ...unknown[]]> = [
  ['ok', 'Online', 'ok'],
  [undefined, undefined, 'ok'],
  ['ok', 'Offline', 'unknown', 'device-away'],
  ['error', 'OFFLINE', 'unknown', 'device-away'],
  ['unknown', 'Never', 'unknown', 'device-away'],
  ['warn', 'Communication error', 'unknown', 'device-away'],
  ['error', 'Online', 'unknown', 'device-error'],
  ['ok', 'Device Error', 'unknown', 'device-error'],
  ['Warn', 'Online', 'warning', 'device-warning'],
  ['purple', 'Singing', 'ok'],
]

describe('the rule of health', () => {
  describe('of a route', () => {
    for (const [said, signs] of Object.entries(CASES)) {
      it(said, () => {
        told(routeHealth(signs)).join(' ').should.equal(said.split(': ').at(-1))
      })
    }

    it('is the same as the gateway returns it, with numbers as text', () => {
      const sent = {
        id: 'r',
        name: 'City hall',
        state: 'running',
        summaryStatusCode: 'warn',
        source: { state: 'connected', summaryStatusCode: 'ok', usedBandwidth: '5.100' },
        destinations: [
          { name: 'near', mode: 'Listener', state: 'disconnected', clientConnections: '0' },
        ],
      }
      const health = (more: object): unknown[] =>
        told(healthOfRoute({ ...sent, ...more } as unknown as Route))
      health({}).should.eql(['waiting', 'no-caller', 'near'])
      health({ destinations: null }).should.eql(['warning', 'route-warning'])
      health({ source: { ...sent.source, usedBandwidth: '0.000' } }).should.eql([
        'critical',
        'no-data',
      ])
      health({ source: undefined, destinations: 'none' }).should.eql(['unknown', 'not-seen'])
      health({ state: 5, destinations: [null, 7] }).should.eql(['unknown', 'not-seen'])
    })

    it('has no outputs while they can only be what the route is', () => {
      const lost = { ...CALLER, state: 'disconnected' }
      partsHealth(route({ source: { bitrate: 0 } }, lost)).outputs.should.eql([])
      partsHealth(route({ state: 'idle' }, lost)).outputs.should.eql([])
      partsHealth(route({ source: { code: 'warn' } }, lost, CALLED)).outputs.should.have.length(2)
    })
  })

  describe('of a device', () => {
    for (const [code, status, ...expected] of DEVICES) {
      it(`${code}, ${status}: ${expected.join(' ')}`, () => {
        told(deviceHealth(code, status)).should.eql(expected)
      })
    }
  })

  it('takes the worst, and the first of those that are equally bad', () => {
    const all = SIGNS.map((sign): Health => ({ sign }))
    for (const [index, one] of all.entries()) {
      worst(all.slice(index).reverse()).should.equal(one)
      worst([one, { ...one }]).should.equal(one)
    }
    worst([]).should.equal(OK)
    worst([STOPPED]).should.equal(STOPPED)
  })

  it("has the gateway's own word, and a sentence in each language", () => {
    const lost = sourceHealth({ ...FLOWING, state: 'disconnected' })
    healthText(lost).should.equal('no source (disconnected)')
    healthText(lost, 'en-US', true).should.equal('no source')
    healthText(outputHealth({ ...CALLER, state: 'disconnected' })).should.equal(
      'output “far” lost (disconnected)',
    )
    healthText(outputHealth(UNCALLED)).should.equal('waiting for callers')
    for (const language of LANGUAGES) {
      for (const signs of Object.values(CASES)) {
        const health = routeHealth(signs)
        const text = healthText(health, language)
        text.should.not.be.empty()
        text.should.not.match(/undefined|\n/)
        isTrouble(health).should.equal(['critical', 'warning'].includes(health.sign))
      }
    }
  })
})
