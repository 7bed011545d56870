// Options of the client that cannot work are refused before anything is sent, by what they must be.
import { GatewayError, openGateway, type ErrorCode, type Gateway } from '../../client'
import { LABELS } from '../../client/sentences'
import { startSimulator, type Simulator } from '../../simulator'
import { textsAt } from '../support/editor-module'
import { endEach } from '../support/connect'
import { errorOf } from '../support/errors'

const account = { username: 'haiadmin', password: 'manager' }
const route = { name: 'Studio A' }

async function failureOf(call: () => unknown): Promise<GatewayError> {
  const error = await errorOf(call)
  should(error).be.instanceof(GatewayError)
  return error
}

// The sentences. That no option takes a wrong value is in options-table.test.ts.
describe('an option of openGateway that cannot work', () => {
  const cases: Array<[what: string, options: object | undefined, path: string, says: RegExp]> = [
    ['none at all', undefined, 'options', /^options is missing; it must be an object\. Correct/],
    [
      'a slip',
      { readonly: true },
      'readonly',
      /^Unknown option readonly\. Did you mean readOnly\?/,
    ],
    ['an unknown name', { zzz: 1 }, 'zzz', /^Unknown option zzz\. Known are baseUrl, .*, log\./],
    ['no calls', { concurrency: 0 }, 'concurrency', /^concurrency is 0; .* from 1 to 100\./],
    ['a negative time', { timeout: -1 }, 'timeout', /^timeout is -1; .* from 1 to 600000\./],
    [
      'a word for a flag',
      { readOnly: 'yes' },
      'readOnly',
      /^readOnly is "yes"; it must be true or/,
    ],
    ['a log to a file', { log: 'a.log' }, 'log', /^log is "a\.log"; it must be a function\./],
  ]
  for (const [what, options, path, says] of cases) {
    it(`is CONFIG with its path and what is allowed: ${what}`, async () => {
      const given = options && { baseUrl: 'http://127.0.0.1:9', ...account, ...options }
      const { code, cause, message } = await failureOf(() => openGateway(given as never))
      code.should.equal('CONFIG')
      cause.problems!.map((one) => one.path).should.eql([path])
      message.should.match(says)
      message.should.not.match(/deploy|node|Nothing was changed|manager/)
    })
  }

  it('never has a password in its error, not even one of the wrong kind', async () => {
    for (const password of [4711, ['4711'], { word: '4711' }] as unknown as string[]) {
      const open = () => openGateway({ baseUrl: 'http://gw', username: 'user', password })
      const { code, message, cause } = await failureOf(open)
      code.should.equal('CONFIG')
      JSON.stringify([message, cause]).should.not.match(/4711/)
    }
  })

  it('is named together with every other one', async () => {
    const { cause, message } = await failureOf(() =>
      openGateway({ ...account, baseUrl: 'http://gw', timeout: 0, readonly: true } as never),
    )
    cause.problems!.map(({ path }) => path).should.eql(['timeout', 'readonly'])
    message.should.match(/^1\. timeout is 0; .*\. 2\. Unknown option readonly\. Did you mean/)
  })

  it('that is missing or wrong in the URL names the options, not a form', async () => {
    const { message } = await failureOf(() => openGateway({ ...account, baseUrl: '' }))
    message.should.equal('The URL is missing. Correct the options of openGateway.')
  })
})

describe('an option of a method that cannot work', () => {
  let simulator: Simulator
  let gateway: Gateway
  let host: string

  before(async () => {
    simulator = await startSimulator({ routes: 2 })
    gateway = openGateway({ baseUrl: simulator.url, ...account })
    host = new URL(simulator.url).host
  })
  after(() => endEach(gateway, simulator))

  type Call = (of: Gateway, options: never) => unknown
  const start: Call = (of, options) => of.routes.start(route, options)
  const ensure: Call = (of, options) => of.routes.ensure({ name: 'New' }, options)
  const watch: Call = (of, options) => of.watch(options, () => undefined)
  const statistics: Call = (of, options) => of.statistics.get(route, options)
  const update: Call = (of, options) => of.routes.update(route, { name: 'B' }, options)

  const OPEN = {
    key: 'gateway',
    id: 'x',
    severity: 'critical',
    kind: 'gateway',
    reason: 'gateway-away',
    since: 5,
    until: null,
    durationMs: null,
    device: { id: '', name: '' },
  }

  const cases: Array<[call: Call, options: unknown, path: string, says: string]> = [
    [start, { waitFor: 'x' }, 'waitFor', 'is "x"; it must be one of accepted, applied.'],
    [start, { destination: 'd' }, 'destination', 'is "d"; it must be {id} or {name}.'],
    [start, { waitfor: 'applied' }, 'waitfor', 'Did you mean waitFor?'],
    [start, { signal: 5 }, 'signal', 'is 5; it must be an AbortSignal.'],
    [start, null, 'options', 'is null; it must be an object.'],
    [ensure, { state: 'x' }, 'state', 'one of present, started, stopped, absent, row.'],
    [ensure, { check: 1 }, 'check', 'is 1; it must be true or false.'],
    [ensure, { dryRun: true }, 'dryRun', 'Unknown option dryRun. Known are '],
    [ensure, { remove: {} }, 'remove.pattern', 'is missing; it must be a pattern for names.'],
    [ensure, { remove: { pattern: 'A', atmost: 1 } }, 'remove.atmost', 'Did you mean atMost?'],
    [statistics, { client: { port: 0 } }, 'client.port', 'a whole number from 1 to 65535.'],
    [watch, { events: ['nope'] }, 'events[0]', 'is "nope"; it must be one of appliance.unreach'],
    [watch, { events: 'route.added' }, 'events', 'is "route.added"; it must be a list.'],
    [watch, { route: 5 }, 'route', 'is 5; it must be a pattern for names, or one of {id}, {name},'],
    [watch, { holdFor: -1 }, 'holdFor', 'is -1; it must be a number from 0 to 86400000.'],
    [watch, { mustRun: '' }, 'mustRun', 'is ""; it must be text.'],
    [watch, { open: {} }, 'open', 'must be a list of open incidents'],
    [watch, { open: ['x'] }, 'open[0]', 'must be an open incident'],
    [
      watch,
      { open: [{ ...OPEN, since: '5' }] },
      'open[0].since',
      'is not what an open incident has',
    ],
    [watch, { onOpen: [] }, 'onOpen', 'is an empty list; it must be a function.'],
    [watch, { thresholds: [{ measure: 'speed', low: 1 }] }, 'thresholds[0].measure', 'not known;'],
    [watch, { thresholds: [{ measure: 'bitrate' }] }, 'thresholds[0]', 'neither low nor high.'],
    [
      watch,
      { thresholds: [{ measure: 'bitrate', low: 5, high: 6, hysteresis: 2 }] },
      'thresholds[0].hysteresis',
      'would never trigger its event, or never clear it.',
    ],
    [
      (of) => of.watch({}, undefined as never),
      {},
      'listener',
      'is missing; it must be a function.',
    ],
  ]
  for (const [call, options, path, says] of cases) {
    it(`is INVALID_INPUT before anything is sent: ${JSON.stringify(options)}`, async () => {
      const before = simulator.journal.length
      const { code, cause, message } = await failureOf(() => call(gateway, options as never))
      const expected: ErrorCode = 'INVALID_INPUT'
      code.should.equal(expected)
      cause.problems!.map((one) => one.path).should.eql([path])
      message.should.containEql(says)
      message.should.containEql(host)
      if (call === start || call === update)
        message.should.startWith(`Route "Studio A" on ${host}: `)
      if (call === watch || call === statistics) message.should.not.match(/Nothing was changed/)
      simulator.journal.length.should.equal(before)
    })
  }

  it('is refused together with the route that it is about, in one error each', async () => {
    const { message } = await failureOf(() =>
      gateway.routes.stop({ id: 'r1' }, { waitFor: 'y' } as never),
    )
    message.should.equal(
      `Route "r1" on ${host}: waitFor is "y"; it must be one of accepted, applied. Nothing was changed.`,
    )
  })

  it('does not touch a gateway whose options all work', async () => {
    const { data } = await gateway.routes.list({ page: 1, pageSize: 1, deviceId: undefined })
    data.length.should.equal(1)
  })

  it('leaves a watch of a pattern given as text', async () => {
    const [first] = simulator.routes
    const names: string[] = []
    const seen = new Promise<void>((resolve) => {
      const end = gateway.watch(
        {
          route: `${first!.name.slice(0, -1)}?`,
          onSnapshot: ({ routes }) => {
            names.push(...routes.map(({ name }) => name))
            setImmediate(() => end())
            resolve()
          },
        },
        () => undefined,
      )
    })
    await seen
    names.should.containEql(first!.name)
  })
})

describe('a gateway that its program has closed', () => {
  it('says so, sends nothing, and cannot be tried again', async () => {
    const simulator = await startSimulator({ routes: 1 })
    const gateway = openGateway({ baseUrl: simulator.url, ...account })
    await gateway.routes.list()
    const host = new URL(simulator.url).host
    await gateway.close()
    const before = simulator.journal.length
    const calls = [
      () => gateway.routes.list(),
      () => gateway.routes.start(route),
      () => gateway.watch({}, () => undefined),
    ]
    for (const call of calls) {
      const { code, cause, message } = await failureOf(call)
      code.should.equal('CLOSED')
      cause.should.match({ retryable: false, applied: 'no' })
      message.should
        .match(/This gateway was closed\.( Nothing was changed\.)?$/)
        .and.containEql(host)
    }
    simulator.journal.length.should.equal(before)
    await simulator.stop()
  })
})

describe('the label of a property in an error', () => {
  it('is that of the form', () => {
    const texts = ['form', 'label'].map((part) => textsAt('gateway', 'en-US', part) as object)
    const labels: Record<string, unknown> = Object.assign({}, ...texts)
    for (const [property, label] of Object.entries(LABELS)) should(labels[property]).equal(label)
  })
})
