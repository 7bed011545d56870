// A recording of a gateway, served by the simulator: as it was, and alive.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  DIALECTS,
  generateRoutes,
  startSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator'
import type { Answered } from '../../client/doctor/read'
import { readingOf } from '../client/doctor/support'
import { afterThisTest } from '../support/hooks'
import { record, reportOf, saved, type Recorded } from '../support/record'
import { root } from '../support/root'
import { loggedIn, sendable, simulate, type Json } from './support'

const NOW = Date.UTC(2026, 10, 24)
const CAPTURE = join(root, 'test/recordings/composed-3.7.5.json')

/** Those that show in what is read. */
const VISIBLE = [
  'pairings',
  'clientList',
  'stoppedState',
  'startedWhileIdle',
  'hlsPort',
  'numbersAsStrings',
  'pendingRouteCreates',
  'paging',
  'bondingInResponse',
] as const

describe('a recording in the simulator', () => {
  const fileOf = (content: unknown): string => {
    const file = saved(content)
    afterThisTest(() => rmSync(file))
    return file
  }

  describe('is served as it was', () => {
    const now = () => NOW

    async function recorded(options: SimulatorOptions): Promise<Recorded> {
      const simulator = await simulate({ now, ...options })
      const report = await record(simulator.url)
      await simulator.stop()
      return report
    }

    async function isTheSame(options: SimulatorOptions): Promise<void> {
      const before = await recorded({ routes: generateRoutes(20), ...options })
      const after = await recorded({ from: fileOf(before) })
      isLike(after, before)
    }

    it('from a gateway with every protocol', () => isTheSame({}))
    it('from one in the field', () => isTheSame({ dialect: 'field', routes: undefined }))
    it('from one with three devices', () => isTheSame({ devices: 3 }))
    it('from one with nothing', () => isTheSame({ routes: [] }))

    for (const name of VISIBLE) {
      for (const value of DIALECTS[name].slice(1)) {
        it(`from one with ${name}=${value}`, () => isTheSame({ dialect: { [name]: value } }))
      }
    }

    it('from one that is offline, and where all kinds of lines have failed', async () => {
      const simulator = await simulate({ now, routes: generateRoutes(20) })
      simulator.failDevice('offline')
      simulator.routes.forEach(({ name, destinations }, place) => {
        const conditions = ['disconnected', 'connecting', 'no-data', 'ok'] as const
        const condition = conditions[place % 4]!
        if (place % 8 < 4) simulator.fail(name, { source: condition })
        else if (destinations[0]) {
          simulator.fail(name, { destinations: { [destinations[0].id]: condition } })
        }
      })
      const before = await record(simulator.url)
      isLike(await recorded({ from: fileOf(before) }), before)
    })
  })

  describe('goes on living', () => {
    let simulator: Simulator
    let client: Awaited<ReturnType<typeof loggedIn>>

    const capture = (): Json => JSON.parse(readFileSync(CAPTURE, 'utf8'))
    async function begin(report: unknown = capture()): Promise<void> {
      simulator = await simulate({ from: fileOf(report) })
      client = await loggedIn(simulator)
    }
    const read = async (name: string): Promise<Json> => {
      const { data } = (await client.get(client.routes)).json
      return data.find((each: Json) => each.name === name)
    }
    const command = async (name: string, routeID: string): Promise<void> => {
      const { status } = await client.post('commands', { command: name, parameters: { routeID } })
      status.should.equal(200)
      await simulator.settle()
    }

    it('starts and stops routes', async () => {
      await begin()
      const reserve = await read('Reserve 1')
      await command('start-route', reserve.id)
      const started = await read('Reserve 1')
      started.should.containEql({ state: 'running', summaryStatusCode: 'ok' })
      started.destinations[0].should.containEql({ started: true, state: 'connected' })
      await command('stop-route', reserve.id)
      const stopped = await read('Reserve 1')
      for (const name of ['state', 'summaryStatusCode', 'summaryStatusDetails', 'destinations']) {
        should(stopped[name]).deepEqual(reserve[name])
      }
    })

    it('lets a source that was away be away until it is restored', async () => {
      await begin()
      const { id } = await read('Studio 4')
      await command('stop-route', id)
      await command('start-route', id)
      ;(await read('Studio 4')).source.state.should.equal('connecting')
      simulator.restore()
      await simulator.settle()
      ;(await read('Studio 4')).should.containEql({ summaryStatusCode: 'ok' })
    })

    it('updates a route, and keeps the members that it does not know', async () => {
      const report = capture()
      const { data } = report.answers[3].body
      Object.assign(data[1], { priority: 7 })
      Object.assign(data[1].source, { vendorMode: { depth: 2 } })
      Object.assign(data[1].destinations[0], { srtNewThing: 'on', srtOverhead: 25 })
      await begin(report)
      const before = await read('South stadium ')
      before.should.containEql({ priority: 7 })
      const sent = sendable(before)
      sent.destinations[0].srtLatency = 4000
      await client.update('update', { elementID: before.id, fields: sent })
      await simulator.settle()
      const after = await read('South stadium ')
      after.destinations[0].should.containEql({ srtLatency: 4000, srtNewThing: 'on' })
      after.source.should.containEql({ vendorMode: { depth: 2 }, state: 'connected' })
      should(Object.keys(after).sort()).eql(Object.keys(before).sort())
      should(Object.keys(after.destinations[0])).eql(Object.keys(before.destinations[0]))
    })

    it('changes the protocol of a source, whose other fields then go', async () => {
      await begin()
      const { id, source: before, destinations } = await read('Studio 4')
      const source = { ...(await read('South stadium ')).source, id: before.id }
      const fields = sendable({ name: 'Studio 4', source, destinations })
      await client.update('update', { elementID: id, fields })
      await simulator.settle()
      const after = (await read('Studio 4')).source
      after.should.containEql({ protocol: 'udp', address: '239.70.2.1', state: 'connected' })
      after.should.not.have.property('srtLatency')
      before.should.have.property('srtLatency')
    })

    it('interrupts nothing with an update that changes nothing', async () => {
      await begin()
      const states: string[] = []
      for (const { id, name, source, destinations } of simulator.routes) {
        const before = await read(name)
        await client.update('update', { elementID: id, fields: sendable(before) })
        await simulator.settle()
        const route = simulator.route(id)!
        should(route.source).equal(source, name)
        should(route.destinations).deepEqual(destinations)
        states.push(route.state)
      }
      states.should.have.length(6)
    })

    it('creates and deletes routes, and counts them', async () => {
      await begin()
      const fields = {
        name: 'New',
        source: { name: 'in', protocol: 'udp', address: '239.70.9.9', port: 5000 },
        destinations: [],
        startRoute: true,
      }
      await client.update('create', { fields })
      await simulator.settle()
      const created = await read('New')
      created.should.containEql({ state: 'running' })
      await client.update('delete', { elementID: (await read('Studio 4')).id })
      await simulator.settle()
      const { data, numResults } = (await client.get(client.routes)).json
      should(numResults).equal(6)
      data
        .map(({ name }: Json) => name)
        .should.eql([
          'North stadium: main',
          'South stadium ',
          'Press room: pool',
          'Reserve 1',
          'Reserve 2 ',
          'New',
        ])
    })

    it('has statistics with the recorded members, of the callers that were there', async () => {
      const report = capture()
      Object.assign(report.answers[4].body.route.source, { srtNewCount: '12' })
      await begin(report)
      const route = await read('North stadium: main')
      const statistics = `/api/gateway/${client.device}/statistics?routeID=${route.id}`
      const { source, destinations } = (await client.get(statistics)).json.route
      source.should.containEql({ srtNewCount: '12', state: 'connected' })
      // The simulator would add it.
      destinations[0].should.not.have.property('protocol')
      source.bitrate.should.be.approximately(10, 1)
      const clients = destinations[1].clientsStat
      clients.map(({ address }: Json) => address).should.eql(PARTNERS)
      should(simulator.callers.map(({ address }) => address)).eql(PARTNERS)
      await command('stop-route', route.id)
      const idle = (await client.get(statistics)).json.route
      idle.should.containEql({ state: 'idle', elapsedRunningTime: '' })
      idle.destinations[1].clientsStat.should.eql([])
    })

    it('takes a dialect and other options beside it', async () => {
      simulator = await simulate({ from: CAPTURE, dialect: { stoppedState: 'stopped' } })
      client = await loggedIn(simulator)
      ;(await read('Reserve 1')).state.should.equal('stopped')
    })

    it('gives as many routes on a page as the recorded gateway does', async () => {
      const report = capture()
      const { answers } = report
      const list = answers[3]
      const path = list.path.replace(/\?.*/, '')
      const first = { ...list, path, body: { ...list.body, data: list.body.data.slice(0, 2) } }
      const most = { ...first, path: `${path}?page=1&pageSize=500` }
      await begin({ ...report, answers: [...answers.slice(0, 3), first, most] })
      ;(await client.get(client.routes)).json.should.have.properties({ numPages: 3, numResults: 6 })
      ;(await client.get(`${client.routes}?pageSize=400`)).json.data.should.have.length(2)
    })
  })

  it('is served or refused with a sentence, whatever one of its values is', async () => {
    const text = readFileSync(CAPTURE, 'utf8')
    let [served, refused] = [0, 0]
    const all = [...pathsIn(JSON.parse(text))]
    for (let place = 1; place < all.length; place += 29) {
      const report = JSON.parse(text)
      const path = all[place]!
      const parent = path.slice(0, -1).reduce((each, name) => each[name], report)
      parent[path.at(-1)!] = STRANGE[place % STRANGE.length]
      const file = fileOf(report)
      const simulator = await startSimulator({ from: file }).catch(({ message }: Error) => {
        should(message).startWith(`${file}: `)
        should(message).match(/It has to be |does not list|There is no device/)
      })
      if (!simulator) refused++
      else {
        afterThisTest(() => simulator.stop())
        const { reading } = await readingOf(simulator)
        for (const { path: asked, status } of reading.answers) {
          should(status).be.below(500, `${asked} ${path.join('.')}`)
        }
        served++
      }
    }
    should(served).be.above(0)
    should(refused).be.above(0)
  })

  describe('is refused with a sentence', () => {
    const good = (): Answered[] => JSON.parse(readFileSync(CAPTURE, 'utf8')).answers
    /** The report with a change in it. */
    const changed = (change: (answers: Json[]) => void): object => {
      const answers = good()
      change(answers)
      return reportOf(answers)
    }
    const WRONG: Array<[unknown, string]> = [
      ['not json', 'This is not JSON. It has to be a report of media-gateway-doctor.'],
      [[], 'The file is []. It has to be an object.'],
      [{ flows: [] }, 'format is missing. It has to be "media-gateway-report".'],
      [
        { ...reportOf([]), version: 2 },
        'version is 2. It has to be 1: this simulator reads no other.',
      ],
      [{ ...reportOf([]), answers: 'all' }, 'answers is "all". It has to be a list.'],
      [
        reportOf([]),
        'There is no device in it: no response to GET /api/devices with status 200 has one.',
      ],
      [
        changed((all) => all.splice(1, 1)),
        'There is no device in it: no response to GET /api/devices with status 200 has one.',
      ],
      [changed((all) => (all[2] = 7)), 'answers[2] is 7. It has to be an object.'],
      [changed((all) => delete all[2].path), 'answers[2].path is missing. It has to be a text.'],
      [
        changed((all) => (all[2].status = 'ok')),
        'answers[2].status is "ok". It has to be a number.',
      ],
      [changed((all) => (all[1].body = {})), 'answers[1].body is {}. It has to be a list.'],
      [
        changed((all) => (all[1].body[0]._id = 3)),
        'answers[1].body[0]._id is 3. It has to be a text.',
      ],
      [
        changed((all) => (all[3].path = '/api/gateway/other/routes')),
        'answers[3].body is about device other, which GET /api/devices does not list.',
      ],
      [
        changed((all) => delete all[3].body.data),
        'answers[3].body.data is missing. It has to be a list.',
      ],
      [
        changed((all) => (all[3].body.data[4].id = null)),
        'answers[3].body.data[4].id is null. It has to be a text.',
      ],
      [
        changed((all) => delete all[3].body.data[4].name),
        'answers[3].body.data[4].name is missing. It has to be a text.',
      ],
      [
        changed((all) => {
          for (const routes of [all[2].body.config.routes, all[3].body.data]) {
            routes[4].source = 'none'
          }
        }),
        'answers[3].body.data[4].source is "none". It has to be an object.',
      ],
      [
        changed((all) => delete all[3].body.data[0].destinations[1].id),
        'answers[3].body.data[0].destinations[1].id is missing. It has to be a text.',
      ],
      [
        changed((all) => (all[1].body = 'x'.repeat(1000))),
        `answers[1].body is "${'x'.repeat(59)}…. It has to be a list.`,
      ],
    ]
    for (const [content, sentence] of WRONG) {
      it(sentence.slice(0, 70), async () => {
        const file = fileOf(content)
        const { message } = await failureOf(startSimulator({ from: file }))
        message.should.startWith(`${file}: `).and.endWith(sentence)
      })
    }

    it('if there is no such file', async () => {
      const { message } = await failureOf(startSimulator({ from: '/nowhere/report.json' }))
      message.should.equal('/nowhere/report.json does not exist.')
      const folder = await failureOf(startSimulator({ from: root }))
      folder.message.should.equal(`${root} cannot be read: EISDIR.`)
    })
  })
})

const STRANGE = [null, 7, '', '<text>', [], {}, true, -1, [null], { id: 1 }, 1e300]

/** The path of each value in it. */
function* pathsIn(value: Json, path: string[] = []): Generator<string[]> {
  yield path
  if (typeof value !== 'object') return
  for (const name of Object.keys(value ?? {})) yield* pathsIn(value[name], [...path, name])
}

const PARTNERS = ['203.0.113.71', '203.0.113.72', '203.0.113.73']

/** The same answers, and the same account and facts of the doctor, but for times and figures. */
function isLike(after: Recorded, before: Recorded): void {
  should(after.answers.map(steady)).deepEqual(before.answers.map(steady))
  const account = ({
    answerMs: _answerMs,
    clockSeconds: _clockSeconds,
    ...same
  }: Recorded['account']) => same
  should(account(after.account)).deepEqual(account(before.account))
  should(after.facts.map(({ name, verdict }) => [name, verdict])).deepEqual(
    before.facts.map(({ name, verdict }) => [name, verdict]),
  )
}

/** An answer without what moves: of figures only whether there are any, and of which type. */
function steady({ path, body, ...rest }: Answered): object {
  const isStatistics = path.includes('/statistics')
  const text = JSON.stringify(body, (name, value: unknown) => {
    if (name === 'sessionID') return undefined
    if (name === 'usedBandwidth' && !isStatistics) return Number(value) > 0
    if (!isStatistics || !isFigure(value)) return value
    return typeof value === 'string' ? '0' : 0
  })
  return { path, ...rest, body: JSON.parse(text) }
}

const isFigure = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))

async function failureOf(started: Promise<Simulator>): Promise<Error> {
  try {
    const simulator = await started
    afterThisTest(() => simulator.stop())
  } catch (error) {
    return error as Error
  }
  throw new Error('It was not refused.')
}
