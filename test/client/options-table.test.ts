// Each option of each function with values that it cannot have. A new option fails until it is here.
import { GatewayError, openGateway, type Gateway } from '../../client'
import { OPTIONS } from '../../client/model/options'
import { startSimulator, type Simulator } from '../../simulator'
import { connected, program } from '../support/stage'
import { errorOf } from '../support/errors'

const account = { username: 'haiadmin', password: 'manager' }
const route = { name: 'Studio A' }

type Call = (of: Gateway, options: never) => unknown
/** By the name of its options. */
const CALLS: Record<Exclude<keyof typeof OPTIONS, 'open'>, Call[]> = {
  call: [
    (of, given) => of.session.info(given),
    (of, given) => of.session.start(given),
    (of, given) => of.session.end(given),
    (of, given) => of.devices.list(given),
  ],
  device: [
    (of, given) => of.devices.get(given),
    (of, given) => of.routes.get(route, given),
    (of, given) => of.statistics.all(given),
    (of, given) => of.presets.export(given),
  ],
  list: [(of, given) => of.routes.list(given)],
  health: [(of, given) => of.routes.health(given)],
  definitions: [(of, given) => of.routes.definitions(given)],
  create: [(of, given) => of.routes.create({ name: 'New' } as never, given)],
  update: [(of, given) => of.routes.update(route, { name: 'B' }, given)],
  delete: [(of, given) => of.routes.delete(route, given)],
  control: [
    (of, given) => of.routes.start(route, given),
    (of, given) => of.routes.stop(route, given),
    (of, given) => of.routes.restart(route, given),
  ],
  ensure: [
    (of, given) => of.routes.ensure({ name: 'New' }, given),
    (of, given) => of.routes.plan({ name: 'New' }, given),
  ],
  undo: [(of, given) => of.routes.undo(given)],
  import: [(of, given) => of.presets.import('{}', given)],
  statistics: [(of, given) => of.statistics.get(route, given)],
  watch: [(of, given) => of.watch(given, () => undefined)],
}

const NO_TEXT = [7, true, null, {}, [], ['x'], Buffer.from('x')]
const NO_NAME = [...NO_TEXT, '']
const NO_FLAG = [0, 1, 'true', 'yes', '', null, {}, []]
const NO_OBJECT = [7, 'x', true, null, ['x']]
const NO_FUNCTION = [7, 'log', null, {}, []]
const NO_NUMBER = ['5', 'x', '', true, null, {}, [], NaN, Infinity, -1]
const NO_TARGET = [
  ...NO_OBJECT,
  {},
  { id: 7 },
  { nam: 'x' },
  { id: 'x', nam: 'y' },
  { id: 'x', name: 7 },
]
const NO_CHOICE = [7, true, null, {}, [], '', 'constructor', ['applied']]
const NO_LIST = [7, 'x', true, null, {}]

/** What no function takes. An empty list: it is checked where it is used, with a test there. */
const WRONG: Record<string, unknown[]> = {
  baseUrl: [...NO_TEXT, '', 'gw', 'ftp://gw'],
  username: [...NO_TEXT, ''],
  password: [...NO_TEXT, ''],
  timeout: [...NO_NUMBER, 0, 1.5, 600_001],
  concurrency: [...NO_NUMBER, 0, 1.5, 101],
  pollInterval: [...NO_NUMBER, 999, 3_600_001],
  readOnly: NO_FLAG,
  protectedRoutes: [7, 'Studio', true, {}, [7], [null]],
  tls: NO_OBJECT,
  fingerprint: [...NO_TEXT, 'ab:cd'],
  proxy: [
    ...NO_OBJECT,
    {},
    { url: 7 },
    { url: '' },
    { url: 'http://p', usrname: 'x' },
    { url: 'http://p', password: 7 },
  ],
  maxAnswerBytes: [...NO_NUMBER, 0, 1.5],
  log: NO_FUNCTION,
  signal: [7, 'x', true, null, {}, []],
  deviceId: NO_NAME,
  page: [...NO_NUMBER, 0, 1.5],
  pageSize: [...NO_NUMBER, 0, 1.5],
  language: [...NO_CHOICE, 'fr'],
  secrets: [...NO_CHOICE, 'shown'],
  prefix: [...NO_NAME, 'x', '1AB'],
  waitFor: NO_CHOICE,
  waitTimeout: [...NO_NUMBER, 99, 3_600_001],
  startRoute: NO_FLAG,
  validate: NO_FLAG,
  mode: NO_CHOICE,
  // Whatever is not a name confirms nothing: protected.test.ts, shared.test.ts.
  confirmProtected: [],
  confirmShared: [],
  destination: NO_TARGET,
  state: NO_CHOICE,
  check: NO_FLAG,
  exact: NO_FLAG,
  remove: [
    ...NO_OBJECT,
    {},
    { pattern: 7 },
    { pattern: '*', atMost: 0 },
    { pattern: '*', most: 1 },
  ],
  planId: NO_NAME,
  source: NO_FLAG,
  client: [
    ...NO_OBJECT,
    {},
    { address: '' },
    { address: 'x', port: 0 },
    { address: 'x', prt: 5 },
    { port: 5 },
  ],
  report: NO_CHOICE,
  mustRun: NO_NAME,
  open: [...NO_LIST, ['x'], [{}]],
  onOpen: NO_FUNCTION,
  events: [...NO_LIST, ['nope'], [7], [null]],
  route: [
    7,
    true,
    null,
    '',
    ['x'],
    {},
    { id: 7 },
    { patern: '*' },
    { name: 'x', patern: '*' },
    { id: 'x', name: 7 },
  ],
  holdFor: [...NO_NUMBER, 86_400_001],
  thresholds: [
    ...NO_LIST,
    ['x'],
    [{ measure: 'speed', low: 1 }],
    [{ measure: 'bitrate', low: '-1' }],
    [{ measure: 'bitrate', low: 1, hgih: 5 }],
  ],
  onSnapshot: NO_FUNCTION,
  onHealth: NO_FUNCTION,
  onFailure: NO_FUNCTION,
}

/** Not for programs. */
const INTERNAL = new Set([
  'node',
  'maySend',
  'onAnswer',
  'saved',
  'sent',
  'protections',
  'clock',
  'id',
  'onWatched',
  'callers',
])

async function failureOf(call: () => unknown, what: string): Promise<GatewayError> {
  const error = await errorOf(call, what)
  should(error).be.instanceof(GatewayError, `${what}: ${String(error)}`)
  return error
}

const namesOf = (options: object): string[] =>
  Object.keys(options).filter((name) => !INTERNAL.has(name))

/** The values, each as it is shown. */
const wrongOf = (name: string): Array<[value: unknown, shown: string]> => {
  should(WRONG).have.property(name)
  return WRONG[name]!.map((value) => [value, `${name}: ${JSON.stringify(value) ?? 'a function'}`])
}

describe('no option of openGateway takes a value that it cannot have:', () => {
  const good = { baseUrl: 'https://127.0.0.1:9', ...account }

  for (const name of namesOf(OPTIONS.open)) {
    it(name, async () => {
      for (const [value, shown] of wrongOf(name)) {
        const open = (): Gateway => openGateway({ ...good, [name]: value })
        const { code, message } = await failureOf(open, shown)
        should(code).equal('CONFIG', shown)
        should(message).match(/Correct the options? |^The URL of the HTTP proxy /, shown)
      }
    })
  }

  it('an unknown name', async () => {
    for (const name of ['readonly', 'zzz', 'constructor', 'toString', '']) {
      const { code, cause } = await failureOf(() => openGateway({ ...good, [name]: 1 }), name)
      should(code).equal('CONFIG')
      should(cause.problems!.map(({ problem }) => problem)).eql(['is not a known option'])
    }
  })
})

describe('no option of a method takes a value that it cannot have, and nothing is sent:', () => {
  let simulator: Simulator
  let gateway: Gateway

  before(async () => {
    simulator = await startSimulator({ routes: 2 })
    gateway = openGateway({ baseUrl: simulator.url, ...account })
  })
  after(async () => {
    await gateway.close()
    should(simulator.journal).be.empty()
    await simulator.stop()
  })

  for (const [kind, calls] of Object.entries(CALLS)) {
    const options = OPTIONS[kind as keyof typeof CALLS]
    for (const name of namesOf(options)) {
      it(`${kind}: ${name}`, async () => {
        for (const [value, shown] of wrongOf(name)) {
          for (const call of calls) {
            const { code, cause } = await failureOf(
              () => call(gateway, { [name]: value } as never),
              shown,
            )
            should(code).equal('INVALID_INPUT', shown)
            should(cause.problems!.every(({ path }) => path.split(/[.[]/)[0] === name)).be.true(
              shown,
            )
          }
        }
      })
    }

    it(`${kind}: an unknown name, and no object at all`, async () => {
      for (const call of calls) {
        for (const name of ['zzz', 'constructor', 'waitfor', 'Signal', '']) {
          const { code, cause } = await failureOf(() => call(gateway, { [name]: 1 } as never), name)
          should(code).equal('INVALID_INPUT', name)
          should(cause.problems!.map(({ problem }) => problem)).eql(['is not a known option'])
        }
        for (const none of [7, 'x', true, null, ['x']]) {
          const { code } = await failureOf(() => call(gateway, none as never), String(none))
          should(code).equal('INVALID_INPUT', String(none))
        }
      }
    })
  }

  it('the route of each that has one', async () => {
    const named: Array<(which: never) => unknown> = [
      (which) => gateway.routes.get(which),
      (which) => gateway.routes.update(which, { name: 'B' }),
      (which) => gateway.routes.delete(which),
      (which) => gateway.routes.start(which),
      (which) => gateway.routes.stop(which),
      (which) => gateway.routes.restart(which),
      (which) => gateway.statistics.get(which),
    ]
    for (const wrong of [...NO_TARGET, undefined]) {
      for (const call of named) {
        const shown = JSON.stringify(wrong) ?? 'undefined'
        const { code, cause } = await failureOf(() => call(wrong as never), shown)
        should(code).equal('INVALID_INPUT', shown)
        should(cause.problems![0]!.path).match(/^route/, shown)
      }
    }
  })
})

describe('a route as read', () => {
  it('is a target and the route of a watch, whatever else it has', async () => {
    await connected({ routes: 2 })
    const { data } = await program.routes.list()
    const [first] = data
    const read = await program.routes.get(first!)
    should((await program.statistics.get(read)).route).be.ok()
    await program.routes.stop(read, { destination: read.destinations[0] as never })
    program.watch({ route: { ...read } }, () => undefined)()
  })
})
