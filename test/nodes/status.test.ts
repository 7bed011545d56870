import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
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
import { SENTENCES } from '../../client/sentences'
import {
  choiceProperty,
  flagProperty,
  numberProperty,
  refuseUnresolved,
} from '../../nodes/runtime/properties'
import { BRIEF, shortReason } from '../../nodes/runtime/short-reason'
import { createStatus, type Status } from '../../nodes/runtime/status'
import type { Words } from '../../nodes/runtime/catalog'
import { LANGUAGES, textsAt } from '../support/editor-module'
import { contentOf, root } from '../support/root'
import { loadWords } from '../support/words'
import { thrownBy } from '../support/errors'

const BLUE = { fill: 'blue', shape: 'dot', text: 'waiting for the gateway' }
const grey = (text: string) => ({ fill: 'grey', shape: 'dot', text })
const red = (text: string) => ({ fill: 'red', shape: 'ring', text })

describe('the reason under a node that failed', () => {
  let words: Words

  before(async () => {
    words = await loadWords()
  })

  const cases: Record<string, [code: ErrorCode, said: Said, cause?: Partial<ErrorCause>]> = {
    'no route “Concert hal”': ['NOT_FOUND', say('routeNotFound', { route: 'Concert hal' })],
    'no route “St. Pauls”': ['NOT_FOUND', say('routeNotFound', { route: 'St. Pauls' })],
    // A name that was given as an ID: there may well be a route with this name.
    'no route ID “Studio A”': ['NOT_FOUND', say('routeIdNotFound', { id: 'Studio A' })],
    'no such route': [
      'NOT_FOUND',
      say('routeIdNotFound', { id: 'a1b2c3d4-0000-4000-8000-00aa00bb00cc' }),
    ],
    // It is the destination that is missing, and not the route that has a name.
    'no destination “Main”': [
      'NOT_FOUND',
      say('destinationNotInRoute', { route: 'A', id: 'Main' }),
    ],
    'GW1: nothing of this kind': ['NOT_FOUND', 'GW1: nothing of this kind. List it.'],
    'no route “long long long long…”': [
      'NOT_FOUND',
      say('routeNotFound', { route: 'long '.repeat(20) }),
    ],
    'Port in use': ['REJECTED', 'Any words.', { applianceMessage: 'Port in use. Why?' }],
    'rejected (HTTP 400)': ['REJECTED', 'Any words.', { statusCode: 400 }],
    'connection refused': ['UNAVAILABLE', 'Any.', { reason: 'ECONNREFUSED' }],
    // The node is at one gateway: its address would take the room of what is wrong.
    'gateway closed the connection without a…': [
      'UNAVAILABLE',
      say('closed', { host: 'gw1.example.com:443' }),
    ],
    // It is at many.
    'oslo closed the connection without a…': [
      'UNAVAILABLE',
      say('closed', { host: 'gw1.example.com:443' }),
      { appliance: 'oslo' },
    ],
    'host name not found': ['UNAVAILABLE', 'Any.', { reason: 'ENOTFOUND' }],
    'gateway not ready (HTTP 503)': ['UNAVAILABLE', 'Any.', { statusCode: 503 }],
    'gw1.example.com:443 closed it': ['UNAVAILABLE', 'gw1.example.com:443 closed it. Try again.'],
    'no response': ['TIMEOUT', 'No connection to gw1.example.com:443 within 10 s.'],
    'certificate expired': ['TLS', 'Any.', { reason: 'CERT_HAS_EXPIRED' }],
    // What TLS could not agree on is no matter of trust.
    'no TLS connection': [
      'TLS',
      say('tlsFailed', { host: 'gw1.example.com:443', reason: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }),
      { reason: 'ERR_SSL_UNSUPPORTED_PROTOCOL' },
    ],
    'certificate not trusted': [
      'TLS',
      say('tlsFailed', { host: 'gw1.example.com:443', reason: 'UNABLE_TO_GET_ISSUER_CERT' }),
      { reason: 'UNABLE_TO_GET_ISSUER_CERT' },
    ],
    'login refused': ['LOGIN_REFUSED', 'Any.', { statusCode: 401 }],
    'It has no login (404)': [
      'LOGIN_REFUSED',
      'It has no login (404). Check.',
      { statusCode: 404 },
    ],
    'not allowed for this user': ['FORBIDDEN', 'Any.', { applianceMessage: 'No.' }],
    'the gateway is read-only': ['READ_ONLY', 'Any.'],
    'the route is protected': ['READ_ONLY', { ...say('protected'), news: 'protected' }],
    'no free session': ['TOO_MANY_SESSIONS', 'Any.'],
    'no response: outcome unknown': ['OUTCOME_UNKNOWN', 'Any.'],
    'accepted, but not confirmed': ['NOT_CONFIRMED', 'Any.'],
    // Nothing was accepted: it waited for another change.
    'not sent: an earlier change is pending': [
      'NOT_CONFIRMED',
      say('earlierChange', { time: 30 }),
      { applied: 'no' },
    ],
    'Row 3 of the inventory: The name is…': [
      'CONFIG',
      [say('inventoryRow', { row: 3 }), say('rowNoName')],
    ],
    // A row with a name is named by the node.
    'name is missing': [
      'CONFIG',
      [say('inventoryRowNamed', { row: 3, name: 'bergen' }), say('rowNoName')],
    ],
    // A cut sentence would end before its verb in Japanese, and after the host in any language.
    'gateway is missing or disabled': ['CONFIG', say('gatewayGone')],
    'device status “Offline”': ['UNAVAILABLE', say('lastKnown', { status: 'Offline' })],
    'not the response of a gateway': ['BAD_RESPONSE', say('notAGateway')],
    'incomplete list of routes': ['BAD_RESPONSE', say('incompleteList', { count: 9, listed: 8 })],
    'No gateway is chosen': ['CONFIG', 'No gateway is chosen. Choose one.'],
    'A word word word word word word word…': ['CONFLICT', `A ${'word '.repeat(30)}`],
    [`${'x'.repeat(40)}…`]: ['CONFLICT', 'x'.repeat(99)],
    // A change that may have arrived is not only a connection that was lost.
    'connection lost; outcome unknown': [
      'UNAVAILABLE',
      'Any.',
      { reason: 'ECONNRESET', applied: 'maybe' },
    ],
    // And one that was carried out in part says so.
    'route "Studio A" is off the air': [
      'UNAVAILABLE',
      'The route "Studio A" is off the air. It was stopped.',
      { reason: 'ECONNREFUSED', applied: 'yes' },
    ],
  }
  for (const [text, [code, said, cause]] of Object.entries(cases)) {
    it(`${code} is "${text}"`, () => {
      shortReason(new GatewayError(code, said, cause ?? {}), words).should.equal(text)
    })
  }

  it('of bad input is the first fault, and how many there are more', () => {
    const fault = (path: string) => ({ path, problem: 'is missing; give it' })
    shortReason(invalidInput([fault('source.port')]), words).should.equal('check source.port')
    shortReason(invalidInput(['a', 'b', 'c'].map(fault)), words).should.equal('check a (+2)')
  })

  for (const language of LANGUAGES) {
    it(`is in the language of the server, whatever sentence of ours it is: ${language}`, () => {
      const there: Words = (key, values = {}) => {
        const [node = '', path = ''] = key.split(':')
        const text = textsAt(node, language, path) as string
        return text.replace(/__(\w+?)__/g, (mark, name: string) => String(values[name] ?? mark))
      }
      for (const key of Object.keys(SENTENCES) as Array<keyof typeof SENTENCES>) {
        const sentence = { key, words: 'In English.', values: {} }
        const shown = shortReason(new GatewayError('BAD_RESPONSE', sentence), there)
        if (BRIEF.has(key)) {
          shown.should.equal(textsAt('gateway', language, `status.failed.${key}`))
          continue
        }
        const [whole = ''] = (textsAt('gateway', language, `failure.${key}`) as string).split('__')
        shown.should.startWith(
          whole
            .replace(/^(?:The |(?:Der|Die|Das) (?=\p{Lu}))|[.。].*$/gu, '')
            .slice(0, 8)
            .trim(),
          key,
        )
      }
    })
  }

  it('begins with a sentence of the catalogs, except where no node shows it', () => {
    const begun = /(?:new GatewayError\(\s*[^,()]+,|badResponse\()\s*\[?\s*(?:['"`]|words\().*/g
    const found = ['client', 'nodes'].flatMap((folder) =>
      (readdirSync(join(root, folder), { recursive: true }) as string[])
        .filter((file) => file.endsWith('.ts') && !file.startsWith('doctor'))
        .flatMap((file) => contentOf(folder, file).match(begun) ?? []),
    )
    found.should.eql([
      "new GatewayError('CLOSED', words('This gateway was closed.'), { retryable: false })",
      "new GatewayError('INVALID_INPUT', 'JSON is expected.'))",
    ])
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
      const thrown = thrownBy(set)
      thrown.code.should.equal('CONFIG')
      shortReason(thrown, words).should.equal(text)
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

  it('is set by quick reads at most once a second, and by the last one', () => {
    let now = 5_000
    const clock = mock.method(performance, 'now', () => now)
    const wait = (ms: number): void => {
      now += ms
      pass(ms)
    }
    try {
      for (let index = 0; index < 25; index++) {
        status.begin().succeeded(read(`Studio ${index}`), false)
        wait(100)
      }
      wait(1_000)
    } finally {
      clock.mock.restore()
    }
    shown.should.eql(
      ['Studio 0', 'Studio 9', 'Studio 19', 'Studio 24'].map((name) => grey(`read “${name}”`)),
    )
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
    status.close()
    waiting.failed(new GatewayError('CLOSED', 'The call was stopped.'))
    shown.should.eql([BLUE, {}])
  })

  it('is red where a connection was closed while the node lives', () => {
    status.begin().succeeded(did('A'), true)
    const waiting = status.begin()
    pass(300)
    waiting.failed(new GatewayError('CLOSED', 'The call was stopped.'))
    pass(60_000)
    shown.at(-1)!.should.match({ fill: 'red', shape: 'ring' })
    shown.at(-1)!.text!.should.not.be.empty()
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
