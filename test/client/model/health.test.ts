// The one rule of health, as a table of cases.
import 'should'
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

const CASES: ReadonlyArray<[string, RouteSigns, ...unknown[]]> = [
  ['all is well', route({}, CALLER, CALLED), 'ok'],
  ['no outputs', route({}), 'ok'],
  ['idle', route({ state: 'idle', source: { state: 'disconnected' } }), 'stopped'],
  ['stopped, as field gateways say', route({ state: 'Stopped', code: 'error' }), 'stopped'],
  ['a state that nobody knows', route({ state: 'rebooting' }), 'unknown', 'not-seen'],
  ['no state', route({ state: undefined }), 'unknown', 'not-seen'],
  ['a source that was never seen', { ...route({}), source: undefined }, 'unknown', 'not-seen'],
  [
    'a source that says nothing',
    route({ code: 'unknown', source: { state: undefined, code: undefined, bitrate: NaN } }),
    'unknown',
    'not-seen',
  ],
  [
    'a source that says nothing, of a route that is ok',
    route({ source: { state: undefined, code: undefined, bitrate: NaN } }),
    'ok',
  ],

  [
    'the source disconnected',
    route({ source: { state: 'disconnected' } }),
    'critical',
    'no-source',
  ],
  ['the source connecting', route({ source: { state: 'connecting' } }), 'critical', 'no-source'],
  [
    'the source in any case',
    route({ source: { state: ' DisConnected ' } }),
    'critical',
    'no-source',
  ],
  [
    'the source gone, but its code ok',
    route({ code: 'ok', source: { state: 'disconnected', code: 'ok' } }),
    'critical',
    'no-source',
  ],
  ['no data', route({ source: { bitrate: 0 } }), 'critical', 'no-data'],
  ['a bit rate that is not known', route({ source: { bitrate: NaN } }), 'ok'],
  ['the source has an error', route({ source: { code: 'Error' } }), 'critical', 'source-error'],
  ['the source has a warning', route({ source: { code: 'warn' } }), 'warning', 'source-warning'],
  ['the route has an error', route({ code: 'ERROR' }, CALLER), 'critical', 'route-error'],
  [
    'the route has a warning that nothing explains',
    route({ code: 'WARN' }, CALLER),
    'warning',
    'route-warning',
  ],
  ['the route has a code that nobody knows', route({ code: 'purple' }, CALLER), 'ok'],
  ['the route has no code', route({ code: undefined }, CALLER), 'ok'],

  [
    'a caller output lost',
    route({}, { ...CALLER, state: 'disconnected' }),
    'warning',
    'output-lost',
    'far',
  ],
  [
    'two lost: the first',
    route(
      {},
      CALLED,
      { ...CALLER, state: 'connecting' },
      { ...CALLER, name: 'last', state: 'idle' },
    ),
    'warning',
    'output-lost',
    'far',
  ],
  [
    'a lost output explains the warning',
    route({ code: 'warn' }, { ...CALLER, state: 'disconnected' }),
    'warning',
    'output-lost',
    'far',
  ],
  [
    'an output with an error',
    route({}, { ...CALLER, code: 'error' }),
    'warning',
    'output-error',
    'far',
  ],
  [
    'an output with a warning',
    route({}, { ...CALLER, code: 'warn' }),
    'warning',
    'output-warning',
    'far',
  ],
  [
    'an output that was switched off',
    route({}, { ...CALLER, state: 'disconnected', started: false }),
    'ok',
  ],
  [
    'an output before a warning of the source',
    route({ source: { code: 'warn' } }, { ...CALLER, state: 'disconnected' }),
    'warning',
    'output-lost',
    'far',
  ],
  [
    'the source before its outputs',
    route({ source: { state: 'disconnected' } }, { ...CALLER, state: 'disconnected' }),
    'critical',
    'no-source',
  ],

  [
    'nobody calls, and the route is warn',
    route({ code: 'warn' }, UNCALLED),
    'waiting',
    'no-caller',
    'near',
  ],
  [
    'nobody calls any more',
    route({ code: 'warn' }, CALLED, { ...UNCALLED, name: 'other' }),
    'waiting',
    'no-caller',
    'other',
  ],
  [
    'nobody calls, by the number of callers alone',
    route({}, { ...UNCALLED, state: 'connected' }),
    'waiting',
    'no-caller',
    'near',
  ],
  [
    'nobody calls, by the state alone',
    route({}, { ...UNCALLED, clients: NaN }),
    'waiting',
    'no-caller',
    'near',
  ],
  [
    'somebody calls a listener that calls itself disconnected',
    route({}, { ...UNCALLED, clients: 1 }),
    'ok',
  ],
  [
    'nobody calls, and its code is an error',
    route({ code: 'warn' }, { ...UNCALLED, code: 'error' }),
    'waiting',
    'no-caller',
    'near',
  ],
  [
    'a called listener with an error',
    route({}, { ...CALLED, code: 'error' }),
    'warning',
    'output-error',
    'near',
  ],
  [
    'nobody calls, and another output is lost',
    route({ code: 'warn' }, UNCALLED, { ...CALLER, state: 'disconnected' }),
    'warning',
    'output-lost',
    'far',
  ],
  [
    'nobody calls, and the source is gone',
    route({ code: 'warn', source: { state: 'disconnected' } }, UNCALLED),
    'critical',
    'no-source',
  ],
  [
    'nobody calls a listener that was switched off',
    route({}, { ...UNCALLED, started: false }),
    'ok',
  ],
]

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
    for (const [what, signs, ...expected] of CASES) {
      it(`${what}: ${expected.join(' ')}`, () => {
        told(routeHealth(signs)).should.eql(expected)
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
      for (const [, signs] of CASES) {
        const health = routeHealth(signs)
        const text = healthText(health, language)
        text.should.not.be.empty()
        text.should.not.match(/undefined|\n/)
        isTrouble(health).should.equal(['critical', 'warning'].includes(health.sign))
      }
    }
  })
})
