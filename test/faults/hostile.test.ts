// What an enemy can send, at every door: the answers of an appliance, the requests of the editor,
// files and messages. Each is a clear error or a success within a second of work and 100 MB, nothing
// else waits a second for it, and Node-RED goes on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actions, itTestsEach } from '../support/manifests'
import { NodeRed, type Properties } from '../support/node-red'
import { freePort } from '../support/ports'
import { good, ScriptedAppliance, type Call, type Reply } from '../support/scripted-appliance'
import { pause } from '../support/until'
import type { Measured } from './gauge'
import { ANSWERS, bomb, calendar, deviceWith, MADE, routeWith, TEXTS, VALUES } from './hostile'
import {
  FAILED,
  flowOn,
  gatewayOf,
  laneOf,
  NODES,
  NODES_OF_ANSWERS,
  PLACE,
  TIMEOUT,
} from './hostile-flow'

/** Milliseconds of the processor for one cell, and those in which nothing else runs. */
const MOST_CPU = 1000
/** MB above what the process has ever had. */
const MOST_MEMORY = 100
const PLAIN = '"plain"'
/** What a good appliance answers. */
const GOOD: Record<string, string> = {
  'POST /api/session': '{"response":{"type":"Session","sessionID":"session-of-the-test"}}',
  'GET /api/session': '{"roles":["Administrator"]}',
  'GET /api/devices': '[{"_id":"D","name":"one"}]',
  'GET /api/devices/D': deviceWith(PLAIN),
  'GET /api/gateway/D/routes': `{"data":[${routeWith(PLAIN)}],"numResults":1,"numPages":1}`,
  'GET /api/gateway/D/routes/R': routeWith(PLAIN),
  'GET /api/gateway/D/statistics': '{"route":{"id":"R"},"source":{"bitrate":1}}',
  'GET /api/gateway/D/system/preset': '{"preset_version":1,"routes":[]}',
  'POST /api/devices/D/updates': '{"status":"ok"}',
  'POST /api/devices/D/commands': '[{"status":"ok"}]',
}

/** Which door reads the answer of an endpoint: a request of the editor, or a node. */
const READ_BY: Record<string, string> = {
  'POST /api/session': 'lookup',
  'GET /api/session': 'lookup',
  'GET /api/devices': 'lookup',
  'GET /api/devices/D': 'lookup',
  'GET /api/gateway/D/routes': 'plan',
  'GET /api/gateway/D/routes/R': 'definition',
  'GET /api/gateway/D/statistics': 'statistics',
  'GET /api/gateway/D/system/preset': 'preset',
  'POST /api/devices/D/updates': 'create-route',
  'POST /api/devices/D/commands': 'control-route',
}

const NEW_ROUTE = {
  source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5001 },
  destinations: [],
}

/** Where a message has a value, and the node through which it comes in: each way in once. */
const WAYS_IN: ReadonlyArray<readonly [string, string]> = [
  ['create-route', 'payload'],
  ['create-route', 'definition'],
  ['update-route', 'definition'],
  ['ensure-route', 'payload'],
  ['ensure-route', 'definition'],
  ['ensure-route', 'rows'],
  ['import', 'payload'],
  ['import', 'definition'],
  ['get-route', 'routeId'],
]
/** All places of a message at once. */
const ALL: ReadonlyArray<readonly [string, string]> = Object.keys(NODES).map((node) => [
  node,
  'all',
])

type Cell = () => Promise<number>

/** Whoever may drive an appliance but not deploy could send these requests: here that is anybody. */
const SETTINGS = { adminAuth: { type: 'credentials', users: [], default: { permissions: '*' } } }

const ADMIN = [
  'connection',
  'lookup',
  'definition',
  'plan',
  'state',
  'control',
  'failover',
  'appliances',
  'inventory',
]

/** What a watch and a scrape poll. */
const POLLED = [
  'GET /api/devices',
  'GET /api/devices/D',
  'GET /api/gateway/D/routes',
  'GET /api/gateway/D/statistics',
]

describe('a hostile input', function () {
  this.timeout(120_000)

  const nodeRed = new NodeRed()
  const appliance = new ScriptedAppliance(replyTo)
  let folder: string
  let gauge: string
  /** What the appliance answers otherwise than a good one, by lane: the beginning of the path. */
  const lanes: Record<string, Record<string, Reply>> = {}
  let made = 0

  function replyTo(call: Call): Reply {
    const { method, path } = call
    const [, lane = '', rest = ''] = /^\/(\w+)(\/api\/.*)$/.exec(path) ?? []
    const what = `${method} ${rest}`
    const answers = lanes[lane] ?? {}
    const usual = GOOD[what]
    return answers[what] ?? (usual === undefined ? good(call) : { text: usual, headers: JSON_TYPE })
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-hostile-'))
    await appliance.start()
    await begin()
  })
  after(async () => {
    await appliance.stop()
    await nodeRed.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    // The cell before may have ended it: that one has failed, and this one is another.
    if (!(await isAlive())) {
      await nodeRed.stop()
      nodeRed.output = ''
      await begin()
    }
  })

  async function begin(): Promise<void> {
    const port = await freePort()
    gauge = `http://127.0.0.1:${port}/`
    const preload = `--require ${JSON.stringify(join(__dirname, 'gauge.js'))}`
    const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} ${preload}`
    await nodeRed.start(SETTINGS, { NODE_OPTIONS, GAUGE_PORT: String(port) })
    await nodeRed.deploy(flowOn(appliance.url))
    await until('the flow runs', () => say('list-devices', 'payload', '', '1'))
  }

  async function until(what: string, respond: () => Promise<number>): Promise<void> {
    for (const end = Date.now() + 30_000; (await respond()) !== 200; await pause(50)) {
      if (Date.now() > end) throw new Error(`not in 30 s: ${what}: ${said} ${nodeRed.output}`)
    }
  }

  const isAlive = (): Promise<boolean> =>
    measured().then(
      () => true,
      () => false,
    )

  const measured = async (): Promise<Measured> =>
    (await (await fetch(gauge, { signal: AbortSignal.timeout(10_000) })).json()) as Measured

  /** Tries a cell, or as many as cannot be told apart: what each costs is no more than it may. */
  async function cell(work: () => Promise<number[]>, count = 1): Promise<string[]> {
    const { memory } = await measured()
    let statuses: number[]
    try {
      statuses = await work()
    } catch (error) {
      // It may have ended, or does not respond.
      return [String(error)]
    }
    const after = await measured().catch(() => undefined)
    if (!after) return ['Node-RED has ended']
    const faults: string[] = []
    if (isTooLong(after.cpu, count)) faults.push(`busy for ${Math.round(after.cpu)} ms`)
    if (isTooLong(after.blocked)) faults.push(`blocked for ${Math.round(after.blocked)} ms`)
    if (after.memory - memory > MOST_MEMORY) {
      faults.push(`took ${Math.round(after.memory - memory)} MB`)
    }
    const odd = statuses.filter((status) => !STATUSES.has(status))
    if (odd.length > 0) faults.push(`responded ${odd.join(', ')}`)
    return faults
  }

  async function post(path: string, body: string, type = 'application/json'): Promise<number> {
    const response = await fetch(nodeRed.url + path, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    said = text
    return response.status
  }
  /** The last response. */
  let said = ''

  const say = (node: string, at: string, what: string, json?: string): Promise<number> =>
    post(`run/${node}`, JSON.stringify({ what, at, json }))

  /** Has an answer of the appliance read, which is good in all others. */
  function read(endpoint: string, reply: Reply): Promise<number> {
    const door = READ_BY[endpoint]!
    if (NODES_OF_ANSWERS.includes(door)) {
      lanes[laneOf(door)] = { [endpoint]: reply }
      return say(
        `read-${door}`,
        'payload',
        '',
        JSON.stringify({ ...NEW_ROUTE, name: `A${++made}` }),
      )
    }
    const connection = formOf({ [endpoint]: reply })
    const definition = { name: 'A', source: { port: 5001 } }
    const body = {
      connection,
      deviceId: door === 'lookup' ? undefined : 'D',
      routeId: 'R',
      definition,
    }
    return post(`media-gateway/${door}`, JSON.stringify(body))
  }

  /** A form that is not deployed, for an appliance with a few answers of its own: it has its own session. */
  function formOf(answers: Record<string, Reply> = {}): Properties {
    const lane = `form${++made}`
    lanes[lane] = answers
    const baseUrl = `${appliance.url}/${lane}`
    return { baseUrl, username: `user-${made}`, password: 'typed-password', timeout: TIMEOUT }
  }

  /** Tries all cells of a row, together or, where each is large, one after another. */
  async function row(cells: Record<string, Cell>, isLarge = false): Promise<void> {
    const all = Object.entries(cells).map(
      ([name, work]) =>
        [
          name,
          () =>
            work().catch((error: unknown) => {
              throw new Error(`${name}: ${String(error)}`)
            }),
        ] as const,
    )
    const together = isLarge
      ? ['one by one']
      : await cell(() => Promise.all(all.map(([, work]) => work())))
    const faults: string[] = []
    if (together.length > 0) {
      for (const [name, work] of all) {
        // Enough to see what it is.
        if (faults.length > 2) break
        const its = await cell(async () => [await work()])
        faults.push(...its.map((fault) => `${name}: ${fault}`))
      }
      if (!isLarge && faults.length === 0) faults.push(...together)
    }
    faults.should.eql([])
    nodeRed.output.should.not.match(STEERING)
    nodeRed.output.should.not.match(/RangeError|UnhandledPromise|Uncaught Exception/)
  }

  itTestsEach(actions, Object.keys(NODES))

  describe('in an answer of the appliance', () => {
    for (const [name, value] of Object.entries(VALUES)) {
      it(name, () =>
        row(
          Object.fromEntries(
            Object.entries(ANSWERS).map(([endpoint, textWith]) => [
              endpoint,
              () => read(endpoint, { text: textWith(value), headers: JSON_TYPE }),
            ]),
          ),
          LARGE.has(name),
        ),
      )
    }

    it('in its errors', () =>
      row(
        Object.fromEntries(
          Object.entries(VALUES).map(([name, value]) => [
            name,
            () =>
              read('GET /api/gateway/D/routes/R', {
                status: 400,
                text: `{"error":{"type":${value},"message":${value}}}`,
                headers: JSON_TYPE,
              }),
          ]),
        ),
      ))

    for (const [name, textOf] of Object.entries(TEXTS)) {
      it(`${name}, in its place`, () => {
        const text = textOf()
        return row(
          Object.fromEntries(
            ['POST /api/session', 'GET /api/devices/D', 'GET /api/gateway/D/routes'].map(
              (endpoint) => [endpoint, () => read(endpoint, { text, headers: JSON_TYPE })],
            ),
          ),
        )
      })
    }

    it('64 KB that become gigabytes', () => {
      const text = bomb()
      return row({
        'GET /api/devices/D': () =>
          read('GET /api/devices/D', {
            text,
            headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
          }),
      })
    })

    it('a flood of cookies', () => {
      let sent = 0
      const cookies = (): string[] =>
        Array.from({ length: 200 }, () => `c${++sent}=${'x'.repeat(20)}; Path=/`)
      return row({
        'of each answer': async () => {
          let status = 0
          for (let round = 0; round < 30; round++) {
            const headers = { ...JSON_TYPE, 'set-cookie': cookies() }
            lanes['listdevices'] = {
              'GET /api/devices': { text: GOOD['GET /api/devices'], headers },
            }
            status = await say('read-list-devices', 'payload', '', '1')
          }
          return status
        },
      })
    })
  })

  describe('in a request of the editor', () => {
    const bodies: Record<string, (value: string) => string> = {
      ...Object.fromEntries(
        ['id', 'connection', 'appliance', 'deviceId', 'routeId', 'definition'].map((member) => [
          member,
          (value: string) => `{"connection":{"id":"gateway"},"id":"gateway","${member}":${value}}`,
        ]),
      ),
      'all of a form': (value) =>
        `{"connection":{"id":"gateway","baseUrl":${value},"username":${value},"password":${value},"fingerprint":${value},"tls":${value},"proxy":${value},"timeout":${value},"inventory":${value},"inventoryType":"json"}}`,
      'the URL of a form': (value) =>
        `{"connection":{"baseUrl":${value},"username":"u","password":"p"},"definition":{"name":"A"}}`,
      'a definition': (value) =>
        `{"connection":{"id":"gateway"},"deviceId":"D","action":${value},"state":"present","definition":[${routeWith(value)},{"name":"A","source":{"unknown":${value}}}]}`,
    }
    for (const [name, value] of Object.entries(VALUES)) {
      it(name, () =>
        row(
          Object.fromEntries(
            ADMIN.flatMap((path) =>
              Object.entries(bodies)
                // One function reads all of them; what each does with a form and a definition is its own.
                .filter(([member]) => path === 'plan' || FOR_EACH.has(member))
                .map(([member, bodyWith]) => [
                  `${path}, ${member}`,
                  () => post(`media-gateway/${path}`, bodyWith(value)),
                ]),
            ),
          ),
          LARGE.has(name),
        ),
      )
    }

    for (const [name, textOf] of Object.entries(TEXTS)) {
      it(`${name}, as the whole body`, () => {
        const text = textOf()
        // A body that is too large is refused before a path sees it.
        const paths = text.length > LARGEST_BODY ? ['plan'] : ['plan', 'inventory']
        return row(
          Object.fromEntries(
            paths.map((path) => [path, () => post(`media-gateway/${path}`, text)]),
          ),
        )
      })
    }
  })

  describe('in an inventory', () => {
    const rowsWith = (value: string): string =>
      `[{"name":${value},"baseUrl":${value},"username":${value},"password":${value},"timeout":${value},"unknown":${value}},{"name":"B","baseUrl":${value}},${value}]`
    const check = (text: string): Promise<number> => {
      const file = join(folder, 'inventory.json')
      writeFileSync(file, text)
      const connection = { ...formOf(), inventory: file, inventoryType: 'file' }
      return post('media-gateway/inventory', JSON.stringify({ connection }))
    }
    const typed = (text: string): Promise<number> => {
      const connection = { ...formOf(), inventory: text, inventoryType: 'json' }
      return post('media-gateway/inventory', JSON.stringify({ connection }))
    }
    it('of any value', () =>
      row(
        Object.fromEntries(
          Object.entries(VALUES).flatMap(([name, value]) => [
            [`${name}, in a file`, () => check(rowsWith(value))],
            [`${name}, typed`, () => typed(rowsWith(value))],
          ]),
        ),
      ))
    it('of any text', () =>
      row(
        Object.fromEntries(
          Object.entries(TEXTS).map(([name, textOf]) => [name, () => check(textOf())]),
        ),
      ))
  })

  describe('in a message', () => {
    const cells = (ways: typeof ALL, what: string, json?: string): Record<string, Cell> =>
      Object.fromEntries(
        ways.map(([node, at]) => [`${node}, ${at}`, () => say(node, at, what, json)]),
      )
    for (const [name, value] of Object.entries(VALUES)) {
      it(name, () => row(cells([...WAYS_IN, ...ALL], name, value), LARGE.has(name)))
    }
    for (const name of Object.keys(MADE)) {
      it(name, () => row(cells([...WAYS_IN, ['update-route', 'all']], name), LARGE.has(name)))
    }
  })

  describe('in a file of a recipe', () => {
    it('aliases of YAML, of a kilobyte', async () => {
      const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
      for (let level = 1; level <= 9; level++) {
        const aliases = Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')
        lines.push(`a${level}: &a${level} [${aliases}]`)
      }
      const text = `${lines.join('\n')}\nname: A\nsource: { labels: *a9 }\n`
      text.length.should.be.below(1100)
      await row({ ensure: () => post('yaml', text, 'text/plain') })
      said.should.match(/INVALID_INPUT/)
    })

    it('bookings of a calendar', () =>
      row({ 'what is booked now?': () => post('calendar', calendar(), 'text/plain') }))
  })

  describe('in a poll', () => {
    const rows = Object.entries(VALUES).map(([name, value], at) => ({
      name,
      value,
      lane: `p${at}`,
    }))
    const polls = ({ lane }: { lane: string }): number =>
      appliance.calls.filter(({ path }) => path.startsWith(`/${lane}/`)).length
    /** Each has read an answer, and has gone on to the next. */
    function polledAgain(some: typeof rows): Promise<void> {
      const before = new Map(some.map((one) => [one.lane, polls(one)]))
      const isDone = (one: (typeof rows)[number]): boolean => polls(one) > before.get(one.lane)! + 2
      return until('polls', async () => (some.every(isDone) ? 200 : 0))
    }

    it(`of a watch and of the metrics: ${Object.keys(VALUES).join(', ')}`, async () => {
      await nodeRed.deploy([
        { id: 'tab', type: 'tab', label: 'polls' },
        ...rows.flatMap(({ lane }) => [
          { ...gatewayOf(appliance.url, lane, lane), pollInterval: 1 },
          {
            id: `watch-${lane}`,
            ...PLACE,
            type: 'media-gateway-watch',
            gateway: lane,
            device: 'D',
            deviceType: 'str',
            initial: 'snapshot',
            wires: [],
          },
        ]),
        {
          id: 'in',
          ...PLACE,
          type: 'http in',
          url: '/metrics',
          method: 'get',
          wires: [['metrics']],
        },
        {
          id: 'metrics',
          ...PLACE,
          type: 'media-gateway-metrics',
          gateways: 'all',
          statistics: 1,
          wires: [['out']],
        },
        { id: 'out', ...PLACE, type: 'http response', wires: [] },
        ...FAILED.map((node) => ({ ...node, ...PLACE })),
      ])
      const scraped = async (): Promise<number> => {
        const response = await fetch(`${nodeRed.url}metrics`, {
          signal: AbortSignal.timeout(30_000),
        })
        said = await response.text()
        return response.status
      }
      await until('the metrics', scraped)
      await polledAgain(rows)
      for (let at = 0; at < rows.length; at += TOGETHER) {
        const some = rows.slice(at, at + TOGETHER)
        const faults = await cell(async () => {
          for (const { lane, value } of some) {
            lanes[lane] = Object.fromEntries(
              POLLED.map((endpoint) => [
                endpoint,
                { text: ANSWERS[endpoint]!(value), headers: JSON_TYPE },
              ]),
            )
          }
          await polledAgain(some)
          return [await scraped()]
        }, some.length)
        for (const { lane } of some) lanes[lane] = {}
        faults.map((fault) => `${some.map(({ name }) => name).join(', ')}: ${fault}`).should.eql([])
      }
      await polledAgain(rows)
      ;(await scraped()).should.equal(200)
      nodeRed.output.should.not.match(STEERING)
    })
  })
})

/** That Node-RED reads. */
const LARGEST_BODY = 5 * 1024 * 1024

/** Polls of so many appliances cannot be told apart: each waits a second. */
const TOGETHER = 8

/** What each path of the editor gets of its own. */
const FOR_EACH = new Set(['all of a form', 'a definition', 'deviceId'])

/** Rows of which each cell is measured by itself. */
const LARGE = new Set([
  'a URL of 20,000 passwords',
  'nine levels of ten aliases',
  'aliases of objects',
  '600,000 empty lists',
  '200,000 empty lists',
  'a text of 32 million characters',
  'a list of a billion items',
])

const JSON_TYPE = { 'content-type': 'application/json' }

/** A success, or an error that somebody can read. */
const STATUSES = new Set([200, 400, 404, 413, 415, 429, 502])

/** What an enemy would write into a log. */
// eslint-disable-next-line no-control-regex
const STEERING = /\u001b\[2J|\u009b|\u202e|\n- \[error\] forged/

/** Whether so many cells were longer on the processor than they may; a slow machine has more time. */
function isTooLong(ms: number, cells = 1): boolean {
  if (ms <= cells * MOST_CPU) return false
  // Measuring takes seconds, so only where it decides.
  slowness ??= Math.max(1, slowestOf(5) / 165)
  return ms > cells * MOST_CPU * slowness
}
/** How many times as long this machine takes for the same work as the one that sets the limits. */
let slowness: number | undefined

/** Milliseconds of the processor for work of the same kind, the longest of several: it varies by half. */
function slowestOf(times: number): number {
  const each = Array.from({ length: times }, () => {
    const begun = process.cpuUsage()
    for (let done = 0; done < 5; done++) {
      JSON.parse(JSON.stringify(Array.from({ length: 200_000 }, () => [])))
    }
    const { user, system } = process.cpuUsage(begun)
    return (user + system) / 1000
  })
  return Math.max(...each)
}
