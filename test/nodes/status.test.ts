import { mock } from 'node:test'
import should from 'should'
import type { Node, NodeStatus } from 'node-red'
import {
  GatewayError,
  invalidInput,
  say,
  type ErrorCause,
  type ErrorCode,
  type Said,
} from '../../client/errors'
import { checkUpdate } from '../../client/model/check'
import { RANGES } from '../../client/model/ranges'
import {
  choiceProperty,
  flagProperty,
  numberProperty,
  refuseUnresolved,
} from '../../nodes/runtime/properties'
import { shortReason } from '../../nodes/runtime/short-reason'
import { createStatus, type Status } from '../../nodes/runtime/status'
import type { Words } from '../../nodes/runtime/catalog'
import { startSimulator, type Simulator } from '../../simulator'
import { failure, helper, load, result, unload } from '../support/flow'
import { LANGUAGES, textsAt } from '../support/editor-module'
import { loadWords } from '../support/words'

const BLUE = { fill: 'blue', shape: 'dot', text: 'waiting for the gateway' }
const grey = (text: string) => ({ fill: 'grey', shape: 'dot', text })
const red = (text: string) => ({ fill: 'red', shape: 'ring', text })

describe('the reason under a node that failed', () => {
  let words: Words

  before(async () => {
    words = await loadWords()
  })

  const cases: Array<[code: ErrorCode, said: Said, cause: Partial<ErrorCause>, text: string]> = [
    ['NOT_FOUND', say('routeNotFound', { route: 'Concert hal' }), {}, 'no route “Concert hal”'],
    ['NOT_FOUND', say('routeNotFound', { route: 'St. Pauls' }), {}, 'no route “St. Pauls”'],
    [
      'NOT_FOUND',
      say('routeNotFound', { route: 'a1b2c3d4-0000-4000-8000-00aa00bb00cc' }),
      {},
      'no such route',
    ],
    // It is the destination that is missing, and not the route that has a name.
    [
      'NOT_FOUND',
      say('destinationNotInRoute', { route: 'A', id: 'Main' }),
      {},
      'no destination “Main”',
    ],
    ['NOT_FOUND', 'GW1: nothing of this kind. List it.', {}, 'GW1: nothing of this kind'],
    [
      'NOT_FOUND',
      say('routeNotFound', { route: 'long '.repeat(20) }),
      {},
      'no route “long long long long…”',
    ],
    ['REJECTED', 'Any words.', { applianceMessage: 'Port in use. Why?' }, 'Port in use'],
    ['REJECTED', 'Any words.', { statusCode: 400 }, 'rejected (HTTP 400)'],
    ['UNAVAILABLE', 'Any.', { reason: 'ECONNREFUSED' }, 'connection refused'],
    ['UNAVAILABLE', 'Any.', { reason: 'ENOTFOUND' }, 'host name not found'],
    ['UNAVAILABLE', 'Any.', { statusCode: 503 }, 'gateway not ready (HTTP 503)'],
    [
      'UNAVAILABLE',
      'gw1.example.com:443 closed it. Try again.',
      {},
      'gw1.example.com:443 closed it',
    ],
    ['TIMEOUT', 'No connection to gw1.example.com:443 within 10 s.', {}, 'no response'],
    ['TLS', 'Any.', { reason: 'CERT_HAS_EXPIRED' }, 'certificate expired'],
    ['TLS', 'Any.', { reason: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'certificate not trusted'],
    ['LOGIN_REFUSED', 'Any.', { statusCode: 401 }, 'login refused'],
    [
      'LOGIN_REFUSED',
      'It has no login (404). Check.',
      { statusCode: 404 },
      'It has no login (404)',
    ],
    ['FORBIDDEN', 'Any.', { applianceMessage: 'No.' }, 'not allowed for this user'],
    ['READ_ONLY', 'Any.', {}, 'the gateway is read-only'],
    ['READ_ONLY', { ...say('protected'), news: 'protected' }, {}, 'the route is protected'],
    ['TOO_MANY_SESSIONS', 'Any.', {}, 'no free session'],
    ['OUTCOME_UNKNOWN', 'Any.', {}, 'no response: outcome unknown'],
    ['NOT_CONFIRMED', 'Any.', {}, 'accepted, but not confirmed'],
    // Nothing was accepted: it waited for another change.
    [
      'NOT_CONFIRMED',
      say('earlierChange', { time: 30 }),
      { applied: 'no' },
      'not sent: an earlier change is pending',
    ],
    ['CONFIG', 'No gateway is chosen. Choose one.', {}, 'No gateway is chosen'],
    ['CONFLICT', `A ${'word '.repeat(30)}`, {}, 'A word word word word word word word…'],
    ['CONFLICT', 'x'.repeat(99), {}, `${'x'.repeat(40)}…`],
    // A change that may have arrived is not only a connection that was lost.
    [
      'UNAVAILABLE',
      'Any.',
      { reason: 'ECONNRESET', applied: 'maybe' },
      'connection lost; outcome unknown',
    ],
    // And one that was carried out in part says so.
    [
      'UNAVAILABLE',
      'The route "Studio A" is off the air. It was stopped.',
      { reason: 'ECONNREFUSED', applied: 'yes' },
      'route "Studio A" is off the air',
    ],
  ]
  for (const [code, said, cause, text] of cases) {
    it(`${code} is "${text}"`, () => {
      shortReason(new GatewayError(code, said, cause), words).should.equal(text)
    })
  }

  it('of bad input is the first fault, and how many there are more', () => {
    const fault = (path: string) => ({ path, problem: 'is missing; give it' })
    shortReason(invalidInput([fault('source.port')]), words).should.equal('check source.port')
    shortReason(invalidInput(['a', 'b', 'c'].map(fault)), words).should.equal('check a (+2)')
  })

  const inputs: Array<[input: unknown, text: string]> = [
    ['text', 'payload is text'],
    [[], 'payload is a list'],
    [42, 'payload: wrong type'],
    [{ nmae: 'A' }, 'unknown field nmae'],
    [{ name: 'x'.repeat(200) }, 'name too long'],
    [{ name: '' }, 'name missing'],
    [{ source: { protocol: 'udp', port: 70_000 } }, 'source.port out of range'],
    [{ source: { protocol: 'udp', port: 'high' } }, 'source.port: wrong type'],
    [{ source: { protocol: 'ip' } }, 'source.protocol: unknown value'],
    [{ source: 'none' }, 'source is text'],
    [
      { source: { protocol: 'srt', srtMode: 'caller', srtPassPhrase: 'abc' } },
      'source.srtPassPhrase: wrong length',
    ],
    [{ destinations: [{ port: 1 }] }, 'no id or name'],
    [{ name: 'A', source: null }, 'source missing'],
    [
      {
        destinations: [
          { name: 'A', srtNetworkBondingParams: [{ address: '192.0.2.1', port: 0 }, { port: 1 }] },
        ],
      },
      'port out of range (+1)',
    ],
  ]
  for (const [input, text] of inputs) {
    it(`of a definition says the fault, not the value: "${text}"`, () => {
      shortReason(invalidInput(checkUpdate(input, 'merge')), words).should.equal(text)
    })
  }

  const settings: Array<[set: () => unknown, text: string]> = [
    [() => numberProperty('waitTimeout', 0, RANGES.waitTimeout), 'Timeout out of range'],
    [() => numberProperty('timeout', 'long', RANGES.timeout), 'Request timeout: wrong type'],
    [() => refuseUnresolved('baseUrl', '${SRT_ENC}'), 'SRT_ENC is not set'],
    [() => flagProperty('readOnly', 'perhaps'), 'readOnly: unknown value'],
    [() => choiceProperty('mode', 'overwrite', ['merge']), 'mode: unknown value'],
  ]
  for (const [set, text] of settings) {
    it(`of a setting says the fault, not the value: "${text}"`, () => {
      let thrown: GatewayError | undefined
      try {
        set()
      } catch (error) {
        thrown = error as GatewayError
      }
      thrown!.code.should.equal('CONFIG')
      shortReason(thrown!, words).should.equal(text)
    })
  }
})

describe('the status of an action node', () => {
  let words: Words
  let status: Status
  let shown: NodeStatus[]

  const did = (name: string) => ({ key: 'created', name })
  const refused = new GatewayError('UNAVAILABLE', 'Any.', { reason: 'ECONNREFUSED' })

  before(async () => {
    words = await loadWords()
  })
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    shown = []
    const node = { status: (one: NodeStatus) => void shown.push(one) } as unknown as Node
    status = createStatus(node, words)
  })
  afterEach(() => mock.timers.reset())

  const pass = (ms: number) => mock.timers.tick(ms)

  const read = (name: string) => ({ key: 'read', name })

  it('is what a quick read did, in grey for 10 s, as soon as it is over', () => {
    const waiting = status.begin()
    pass(200)
    shown.should.eql([])
    waiting.succeeded(read('A'), false)
    shown.should.eql([grey('read “A”')])
    pass(10_000)
    shown.should.eql([grey('read “A”'), {}])
  })

  it('is set by quick reads at most once a second', () => {
    let now = 5_000
    const clock = mock.method(performance, 'now', () => now)
    try {
      for (let index = 0; index < 25; index++, now += 100) {
        status.begin().succeeded(read(`Studio ${index}`), false)
      }
    } finally {
      clock.mock.restore()
    }
    shown.should.eql(['Studio 0', 'Studio 10', 'Studio 20'].map((name) => grey(`read “${name}”`)))
  })

  it('is blue after 0.3 s, then grey with what was done, and after 10 s nothing', () => {
    const waiting = status.begin()
    pass(299)
    shown.should.eql([])
    pass(1)
    shown.should.eql([BLUE])
    waiting.succeeded(did('A'), false)
    shown.should.eql([BLUE, grey('created “A”')])
    pass(9_999)
    shown.length.should.equal(2)
    pass(1)
    shown.should.eql([BLUE, grey('created “A”'), {}])
  })

  it('shows a change that was quick, and one after the other for 10 s each', () => {
    status.begin().succeeded(did('A'), true)
    pass(6_000)
    status.begin().succeeded(did('B'), true)
    pass(6_000)
    shown.should.eql([grey('created “A”'), grey('created “B”')])
    pass(4_000)
    shown.at(-1)!.should.eql({})
  })

  it('is red until the next message comes in', () => {
    status.begin().failed(refused)
    pass(60_000)
    shown.should.eql([red('connection refused')])
    const next = status.begin()
    shown.should.eql([red('connection refused'), {}])
    next.succeeded(read('A'), false)
    shown.at(-1)!.should.eql(grey('read “A”'))
  })

  it('is yellow until the next message where unknown fields were sent, and hides no failure', () => {
    status.begin().succeeded(did('A'), true, ['source.later', 'source.x'])
    pass(60_000)
    const text = 'sent with unknown field source.later (+1)'
    shown.should.eql([{ fill: 'yellow', shape: 'dot', text }])
    const [first, second] = [status.begin(), status.begin()]
    first.failed(refused)
    second.succeeded(did('B'), true, ['source.later'])
    shown.at(-1)!.should.eql(red('connection refused'))
    // Nothing was sent: there was nothing to change, or it was a plan.
    status.begin().succeeded(did('C'), false, ['source.later'])
    shown.at(-1)!.should.eql(grey('created “C”'))
  })

  it('is blue while any of several messages is open, and then shows the last outcome', () => {
    const [first, second] = [status.begin(), status.begin()]
    pass(300)
    first.succeeded(did('A'), true)
    pass(500)
    shown.should.eql([BLUE])
    second.succeeded(did('B'), true)
    shown.should.eql([BLUE, grey('created “B”')])
  })

  it('does not hide a failure behind a success of a message that came in before it', () => {
    const [first, second] = [status.begin(), status.begin()]
    pass(300)
    first.failed(refused)
    shown.should.eql([BLUE])
    second.succeeded(did('B'), true)
    shown.should.eql([BLUE, red('connection refused')])
    status.begin().succeeded(did('C'), true)
    shown.at(-1)!.should.eql(grey('created “C”'))
  })

  it('shows the progress of a long message, and of the next one nothing from before', () => {
    const waiting = status.begin()
    status.progress('1/9')
    pass(300)
    status.progress('2/9')
    waiting.succeeded({ key: 'bulk', values: { changed: 2, unchanged: 7 } }, true)
    status.begin()
    pass(300)
    const text = '2 changed, 7 unchanged'
    shown.should.eql([BLUE, { ...BLUE, text: '2/9' }, grey(text), BLUE])
  })

  it('is red where a part failed, also if nothing was changed', () => {
    status
      .begin()
      .succeeded({ key: 'partFailed', values: { failed: 1, number: 3 }, failed: true }, false)
    pass(60_000)
    shown.should.eql([red('1 of 3 failed')])
  })

  it('does not repeat what is shown', () => {
    for (let index = 0; index < 5; index++) status.begin().succeeded(did('A'), true)
    shown.should.eql([grey('created “A”')])
  })

  it('shows nothing that ends because the node is stopped', () => {
    const waiting = status.begin()
    pass(300)
    waiting.failed(new GatewayError('CLOSED', 'The call was stopped.'))
    shown.should.eql([BLUE, {}])
  })

  for (const [what, prepare] of Object.entries<() => void>({
    'a message under way': () => void status.begin(),
    'a message that waits': () => (status.begin(), pass(300)),
    'what was done': () => status.begin().succeeded(did('A'), true),
    'a failure': () => status.begin().failed(refused),
  })) {
    it(`is removed with ${what} when the node is stopped, and nothing comes after that`, () => {
      prepare()
      const before = shown.length
      status.close()
      shown.slice(before).should.eql(before > 0 ? [{}] : [])
      const count = shown.length
      status.begin().failed(refused)
      status.progress('1/2')
      pass(60_000)
      shown.length.should.equal(count)
    })
  }

  it('leaves no timer behind', () => {
    mock.timers.reset()
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    status.begin()
    status.begin().succeeded(did('A'), true)
    timers().should.equal(before + 2)
    status.close()
    status.begin()
    timers().should.equal(before)
  })

  it('takes names whatever they contain, shows what is not seen as its code, and cuts long ones', () => {
    for (const [name, text] of [
      ['__time__ $t(x) {{y}}', '__time__ $t(x) {{y}}'],
      ['a\nb\u202e', 'a b\\u202e'],
      [`Studio ${'x'.repeat(50)}`, `Studio ${'x'.repeat(13)}…`],
    ] as const) {
      status.begin().succeeded(did(name), true)
      shown.at(-1)!.text!.should.equal(`created “${text}”`)
    }
    for (const strange of [7, {}, null, ''] as unknown as string[]) {
      status.begin().succeeded(did(strange), true)
      shown.at(-1)!.text!.should.match(/^created \d\d:\d\d:\d\d$/)
    }
  })
})

describe('the texts of the status', () => {
  const VALUES: Record<string, string> = {
    name: 'x'.repeat(21),
    what: `“${'x'.repeat(21)}”`,
    time: '14:32:05',
    reason: 'x'.repeat(10),
    variable: 'SRT_STUDIO_A_SOURCE',
    fault: 'x'.repeat(30),
    more: '9',
  }

  for (const language of LANGUAGES) {
    it(`are short in ${language}`, () => {
      const { named, did, failed, fault } = textsAt('gateway', language, 'status') as Record<
        string,
        object
      >
      for (const text of [named, did, failed, fault].flatMap(textsIn)) {
        const shown = text.replace(/__(\w+?)__/g, (_, name: string) => VALUES[name] ?? '1000')
        shown.length.should.be.belowOrEqual(45, shown)
      }
    })
  }

  const textsIn = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsIn)
})

describe('what the nodes show under them', function () {
  this.timeout(60_000)
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await startSimulator({ routes: 2 })
  })
  afterEach(async () => {
    await unload()
    await simulator.stop()
  })

  /** Collects what a node shows. */
  function dotsOf(id: string): NodeStatus[] {
    const node = helper.getNode(id) as unknown as Node
    const dots: NodeStatus[] = []
    node.status = (dot) => void dots.push(dot as NodeStatus)
    return dots
  }

  const TIME = String.raw`\d\d:\d\d:\d\d`
  const definition = (name: string) => ({
    name,
    source: { name: `${name} in`, protocol: 'udp', address: '239.1.1.1', port: 5000 },
  })

  it('is what was read, after quick reads in grey alone, and after slow ones also blue before', async () => {
    const nodes = {
      'get-route': { route: 'Studio A', routeType: 'name' },
      login: { type: 'media-gateway-list-devices' },
    }
    simulator.routes[0]!.name = 'Studio A'
    await load(simulator.url, nodes)
    await result('login')
    for (const [id, text] of [
      ['list-routes', /^2 routes$/],
      ['list-devices', /^1 device$/],
      ['get-route', /^read “Studio A”$/],
      ['get-device', /^read “.+”$/],
      ['session', /^logged in as “.+”$/],
    ] as const) {
      const dots = dotsOf(id)
      for (let times = 0; times < 5; times++) await result(id)
      dots.length.should.be.above(0, id)
      for (const dot of dots) {
        dot.should.match({ fill: 'grey', shape: 'dot' })
        dot.text!.should.match(text)
      }
      simulator.setOptions({ latency: 320 })
      await result(id)
      simulator.setOptions({ latency: 0 })
      const [waits, shows] = dots.slice(-2)
      waits!.fill!.should.equal('blue')
      shows!.fill!.should.equal('grey')
      shows!.text!.should.match(text)
    }
  })

  it('is the first unknown field that was sent', async () => {
    await load(simulator.url, {
      create: { type: 'media-gateway-create-route' },
      merge: { type: 'media-gateway-update-route', mode: 'merge' },
      ensure: { type: 'media-gateway-ensure-route' },
    })
    const source = { ...definition('New one').source, later: 1 }
    const given = {
      create: { ...definition('New one'), source },
      merge: { source: { later: 2 } },
      ensure: { ...definition('Another'), source: { ...source, name: 'Another in' } },
    }
    for (const [id, payload] of Object.entries(given)) {
      const dots = dotsOf(id)
      await result(id, { routeId: simulator.routes[0]!.id, payload })
      const text = 'sent with unknown field source.later'
      should(dots.at(-1)).eql({ fill: 'yellow', shape: 'dot', text }, id)
    }
    // There is nothing to change, and nothing is sent.
    const dots = dotsOf('ensure')
    await result('ensure', { payload: given.ensure })
    should(dots.at(-1)).not.match({ fill: 'yellow' })
  })

  for (const [waitFor, texts] of Object.entries({
    accepted: {
      start: `start accepted ${TIME}`,
      stop: `stop accepted ${TIME}`,
      restart: `start accepted ${TIME}`,
      create: 'creation accepted: “New one”',
      update: `update accepted: ${TIME}`,
      delete: 'deletion accepted: “Studio B”',
      deleteById: `deletion accepted: ${TIME}`,
    },
    applied: {
      start: `running ${TIME}`,
      stop: `stopped ${TIME}`,
      restart: `running ${TIME}`,
      create: 'created “New one”',
      update: 'updated “Studio A2”',
      delete: 'deleted “Studio B”',
      deleteById: `deleted ${TIME}`,
    },
  })) {
    it(`claims no more than is known when it waits for ${waitFor}`, async () => {
      const [a, b] = simulator.routes
      Object.assign(a!, { name: 'Studio A' })
      Object.assign(b!, { name: 'Studio B' })
      const control = { type: 'media-gateway-control-route', waitFor }
      const remove = { type: 'media-gateway-delete-route', waitFor }
      await load(simulator.url, {
        start: { ...control, action: 'start' },
        stop: { ...control, action: 'stop' },
        restart: { ...control, action: 'restart' },
        create: { type: 'media-gateway-create-route', waitFor },
        update: { type: 'media-gateway-update-route', waitFor },
        delete: { ...remove, route: 'Studio B', routeType: 'name' },
        deleteById: remove,
      })
      for (const [id, text] of Object.entries(texts)) {
        const dots = dotsOf(id)
        const payload =
          id === 'create' ? definition('New one') : id === 'update' ? { name: 'Studio A2' } : ''
        await result(id, { routeId: a!.id, payload })
        dots.at(-1)!.should.match({ fill: 'grey', shape: 'dot' })
        dots.at(-1)!.text!.should.match(new RegExp(`^${text}$`))
      }
    })
  }

  it('is what ensure did, would do, or could not do', async () => {
    simulator.routes[0]!.name = 'Studio A'
    const ensure = { type: 'media-gateway-ensure-route' }
    await load(simulator.url, {
      ensure,
      plan: { ...ensure, check: true },
      started: { ...ensure, state: 'started' },
    })
    const rows = [definition('One'), definition('Two'), definition('Three')]
    const dots = dotsOf('ensure')
    const shows = async (payload: unknown, text: RegExp, fill = 'grey'): Promise<void> => {
      await result('ensure', { payload })
      should(dots.at(-1)).match({ fill })
      dots.at(-1)!.text!.should.match(text)
    }
    await shows(definition('One'), /^created “One”$/)
    await shows(rows, /^2 changed, 1 unchanged$/)
    const more = { ...definition('One'), source: { ...definition('One').source, port: 5002 } }
    await shows(more, /^updated “One”$/)
    const body = { error: { type: 'Invalid', message: 'not this one' } }
    simulator.fault({ kind: 'status', status: 400, body, match: { action: 'create' }, times: 1 })
    await shows([...rows, definition('Four')], /^1 failed, 1 changed, 2 unchanged$/, 'red')

    // Several steps, and none.
    const started = dotsOf('started')
    const other = { ...definition('One'), source: { ...definition('One').source, port: 5004 } }
    await result('started', { payload: other })
    started.at(-1)!.text!.should.equal('changed “One”')
    simulator.setOptions({ latency: 320 })
    await result('started', { payload: other })
    started.at(-1)!.text!.should.equal('unchanged: “One”')
    simulator.setOptions({ latency: 0 })

    const planned = dotsOf('plan')
    await result('plan', { payload: [definition('Five'), definition('Six')] })
    planned.at(-1)!.text!.should.equal('dry run: 2 would change')
  })

  it('is a login that was made, and a logout', async () => {
    const session = { type: 'media-gateway-session' }
    await load(simulator.url, {
      begin: { ...session, action: 'start' },
      end: { ...session, action: 'end' },
    })
    const [begun, ended] = [dotsOf('begin'), dotsOf('end')]
    await result('begin')
    await result('begin')
    begun.length.should.equal(1)
    begun[0]!.text!.should.match(/^logged in as “.+”$/)
    await result('end')
    await result('end')
    ended.length.should.equal(1)
    ended[0]!.text!.should.match(new RegExp(`^logged out ${TIME}$`))
  })

  it('is an import that was accepted, and how many statistics were read', async () => {
    await load(simulator.url, {
      export: { type: 'media-gateway-preset' },
      import: { type: 'media-gateway-preset', action: 'import' },
      all: { type: 'media-gateway-statistics', scope: 'all' },
      one: { type: 'media-gateway-statistics' },
    })
    const [exported, imported, all, one] = ['export', 'import', 'all', 'one'].map(dotsOf)
    simulator.setOptions({ latency: 160 })
    const preset = (await result('export')).payload
    exported!.at(-1)!.text!.should.match(new RegExp(`^exported ${TIME}$`))
    for (const route of simulator.routes) route.state = 'running'
    await result('all')
    all!.at(-1)!.text!.should.equal('statistics of 2 routes')
    simulator.setOptions({ latency: 320 })
    await result('one', { routeId: simulator.routes[0]!.id })
    one!.at(-1)!.text!.should.match(new RegExp(`^statistics read ${TIME}$`))
    simulator.fault({ kind: 'status', status: 500, match: { path: /statistics/ }, times: 1 })
    await result('all')
    all!.at(-1)!.should.eql(red('1 of 2 failed'))
    await result('import', { payload: preset, confirm: true })
    imported!.at(-1)!.text!.should.match(new RegExp(`^import accepted ${TIME}$`))
  })

  it('is what a failure left behind', async () => {
    const [route, twin] = simulator.routes
    route!.name = 'Studio A'
    const control = { type: 'media-gateway-control-route', route: 'Studio A', routeType: 'name' }
    const ensure = { type: 'media-gateway-ensure-route', state: 'started' }
    await load(simulator.url, {
      start: { ...control, action: 'start', waitFor: 'applied' },
      restart: { ...control, action: 'restart' },
      ensure,
    })
    const dots = dotsOf('restart')
    const fails = async (status: number, code: string, text: string): Promise<void> => {
      await result('start', { payload: {} })
      simulator.fault({ kind: 'status', status, match: { action: 'start-route' } })
      should((await failure('restart')).code).equal(code)
      simulator.clearFaults()
      dots.at(-1)!.should.eql(red(text))
    }
    await fails(400, 'REJECTED', 'stopped: restart failed')
    // A start that was not confirmed may have been carried out.
    await fails(503, 'UNAVAILABLE', 'restart failed, may be stopped')

    const ensured = dotsOf('ensure')
    simulator.fault({ kind: 'status', status: 400, match: { action: 'start-route' } })
    await failure('ensure', { payload: definition('Studio A') })
    ensured.at(-1)!.should.eql(red('changed, but a later step failed'))
    simulator.clearFaults()

    twin!.name = 'Studio A'
    await failure('restart')
    dots.at(-1)!.should.eql(red('name is not unique'))
  })

  it('is a failure until the next message comes in', async () => {
    await load(simulator.url, { 'get-route': { routeType: 'msg', route: 'routeId' } })
    const dots = dotsOf('get-route')
    await failure('get-route', { routeName: 'Concert hal' })
    dots.should.eql([red('no route “Concert hal”')])
    await result('get-route', { routeId: simulator.routes[0]!.id })
    dots.should.eql([
      red('no route “Concert hal”'),
      {},
      grey(`read “${simulator.routes[0]!.name}”`),
    ])
  })
})
