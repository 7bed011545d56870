// The names of callers in the config node, and what of them the nodes say.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hooks } from '@node-red/util'
import type { HealthRow } from '../../client/watch/rows'
import type { ListedCaller } from '../../client/watch/caller-list'
import type { WatchEvent } from '../../client/model/event'
import { fieldRoutes, startSimulator, type Simulator } from '../../simulator'
import { failure, helper, load, result, unload } from '../support/flow'
import { until } from '../support/until'

const ROUTE = 'Morning show'
const NORTH = { label: 'N', address: '203.0.113.7', port: 40_001 }
const SOUTH = { label: 'S', address: '203.0.113.8', port: 40_002 }

describe('names of callers', () => {
  let simulator: Simulator
  let folder: string
  let sent: WatchEvent[]

  const watch = (more: object = {}): object => ({ type: 'media-gateway-watch', ...more })
  const statistics = (scope: string): object => ({
    type: 'media-gateway-statistics',
    scope,
    output: 'callers',
  })
  const told = (event: string): Array<string | null | undefined> =>
    sent.filter((one) => one.event === event).map(({ caller }) => caller?.name ?? caller?.address)
  const lines = (): string[] =>
    helper
      .log()
      .args.map(([entry]: [{ msg?: unknown }]) => String(entry.msg))
      .filter((msg: string) => msg.includes('names of callers'))
  const start = (callersType: string, callers: string, nodes: Record<string, object>) =>
    load(simulator.url, nodes, { gateway: { pollInterval: 1, callersType, callers } })
  const reads = () => simulator.journal.filter(({ path }) => path.includes('statistics')).length
  const called = (...who: object[]): void =>
    simulator.setCallers(ROUTE, { Affiliates: who, Archive: 0 })

  beforeEach(async () => {
    sent = []
    folder = mkdtempSync(join(tmpdir(), 'callers-'))
    hooks.add(
      'onSend.callers',
      (all: Array<{ msg: object; source: { node: { type: string } } }>) => {
        for (const { msg, source } of all) {
          if (source.node.type !== 'media-gateway-watch') continue
          sent.push((msg as { payload: WatchEvent }).payload)
        }
      },
    )
    const routes = fieldRoutes()
    simulator = await startSimulator({ routes, applyDelay: 0, settleDelay: 0 })
    called(NORTH)
  })
  afterEach(async () => {
    hooks.remove('*.callers')
    await unload()
    await simulator.stop()
    rmSync(folder, { recursive: true })
  })

  it('come from a CSV file, whose changes take effect, and events and incidents have them', async () => {
    const path = join(folder, 'callers.csv')
    const write = (...rows: string[]): void =>
      writeFileSync(path, ['\ufeffName;Address;Expected;Phone', ...rows].join('\r\n'))
    write('KQED;203.0.113.0/28;running;1', 'WGBH;here;running;2', ';203.0.113.9;;3')
    await start('file', path, {
      changes: watch({ route: ROUTE }),
      incidents: watch({ report: 'incidents', holdFor: '0', route: ROUTE }),
    })
    await until(() => lines().length > 0)
    lines().should.match([
      /names of callers: Row 3 of the callers: The address of "WGBH" must be .* Row 4 .* The name is missing/,
    ])
    // No address of a caller reaches the log.
    lines()
      .join()
      .should.not.match(/here|203\.0/)
    // Who is there is known by then.
    await until(() => reads() > 0)
    called()
    await until(() => told('caller.left').length === 1 && told('incident.begun').length === 1)
    told('caller.left').should.eql(['KQED'])
    told('incident.begun').should.eql(['KQED'])
    write('KRON;203.0.113.0/28;;1')
    await until(() => told('incident.ended').length === 1)
    called(SOUTH)
    await until(() => told('caller.joined').length === 1)
    told('caller.joined').should.eql(['KRON'])
    const joined = sent.find(({ event }) => event === 'caller.joined')!
    joined.caller!.since!.should.equal(joined.at)
  })

  it('may be missing or no list: then what was there before stays, and the log says so', async () => {
    const path = join(folder, 'none.json')
    await start('file', path, { changes: watch({ events: 'caller.joined' }) })
    await until(() => lines().length === 1)
    lines()[0]!.should.match(/The names of callers: A file cannot be read: .*none\.json \(ENOENT\)/)
    await until(() => reads() > 0)
    called(NORTH, SOUTH)
    await until(() => told('caller.joined').length === 1)
    told('caller.joined').should.eql([SOUTH.address])
    writeFileSync(path, JSON.stringify([{ network: '203.0.113.8/32', name: 'South' }]))
    called(NORTH)
    await until(() => simulator.callers.length > 0)
    writeFileSync(path, '{"no": "list"}')
    await until(() => lines().length === 2)
    lines()[1]!.should.match(/must be a JSON array of objects/)
  })

  it('list the callers of a route, of its parts, of a client, or of all routes', async () => {
    const rows = JSON.stringify([
      { address: '203.0.113.7', name: 'elsewhere', route: 'Theatre' },
      { address: '203.0.113.7', name: 'North', output: 'Affiliates' },
    ])
    called(NORTH, { ...SOUTH, loss: 8 })
    await start('json', rows, {
      route: statistics('route'),
      source: statistics('source'),
      destination: statistics('destination'),
      client: statistics('client'),
      all: statistics('all'),
      changes: watch({ events: ['caller.left'] }),
    })
    const listOf = async (node: string, more: object = {}): Promise<ListedCaller[]> =>
      (await result(node, { routeName: ROUTE, ...more })).payload as ListedCaller[]
    const { id, destinations } = simulator.route(ROUTE)!
    const [north, south, ...others] = await listOf('route')
    others.should.eql([])
    const output = { id: destinations[0]!.id, name: 'Affiliates' }
    north!.should.containEql({
      address: NORTH.address,
      port: NORTH.port,
      name: 'North',
      encryption: '',
      route: { id, name: ROUTE },
      output,
    })
    north!.roundTripTime!.should.be.above(0)
    north!.bitrate!.should.be.above(0)
    should(south!.name).be.null()
    south!.packetLoss!.should.be.above(5)
    north!.packetLoss!.should.be.below(1)
    ;(await listOf('source')).should.eql([])
    ;(await listOf('destination', { destinationName: 'Archive' })).should.eql([])
    ;(await listOf('destination', { destinationName: 'Affiliates' })).should.have.length(2)
    // An ID, in either case; one that the route does not have is no output without callers.
    const destinationId = output.id.toUpperCase()
    ;(await listOf('destination', { destinationId })).should.have.length(2)
    const archive = { destinationId: destinations.find(({ name }) => name === 'Archive')!.id }
    ;(await listOf('destination', archive)).should.eql([])
    for (const node of ['destination', 'client']) {
      const stale = { routeName: ROUTE, destinationId: 'gone', clientAddress: SOUTH.address }
      const { cause, message } = await failure(node, stale)
      cause.code.should.equal('NOT_FOUND')
      message.should.containEql('gone')
    }
    const client = { destinationName: 'Affiliates', clientAddress: SOUTH.address }
    ;(await listOf('client', client)).should.match([{ address: SOUTH.address }])
    ;(await listOf('client', { ...client, clientPort: 1 })).should.eql([])
    const all = await listOf('all')
    all.length.should.equal(simulator.callers.filter(({ joinedAt }) => joinedAt !== null).length)
    // A watch that follows the callers knows since when, in Unix ms.
    const isNow = (since: number | null): boolean => Math.abs(Date.now() - since!) < 600_000
    await until(async () => (await listOf('route')).every(({ since }) => isNow(since)))
  })

  it('are counted where they are expected, in rows and metrics, without addresses', async () => {
    const row = { route: ROUTE, expected: 'running' }
    const rows = JSON.stringify([
      { address: NORTH.address, name: 'North', ...row },
      { address: SOUTH.address, name: 'South', ...row },
      { address: '203.0.113.99', name: 'West', expected: 'always' },
    ])
    await start('json', rows, {
      'list-routes': { type: 'media-gateway-list-routes', output: 'health' },
      metrics: { type: 'media-gateway-metrics' },
      incidents: watch({ report: 'incidents', holdFor: '0' }),
    })
    const expectedAt = async (name: string): Promise<unknown> => {
      const { payload } = await result('list-routes')
      return (payload as HealthRow[]).find((one) => one.name === name)!.expected
    }
    await until(async () => {
      const found = (await expectedAt(ROUTE)) as { away: string[] } | null
      return found?.away.length === 1
    })
    should(await expectedAt(ROUTE)).eql({ number: 2, away: ['South'] })
    should(await expectedAt('Theatre')).eql({ number: 0, away: [] })
    const { id } = simulator.route(ROUTE)!
    const text = String((await result('metrics')).payload)
    const samples = text.split('\n').filter((line) => line.startsWith('media_gateway_caller'))
    samples
      .sort()
      .should.match([
        /\{gateway="[^"]+",caller="West"\} 0$/,
        new RegExp(`\\{gateway="[^"]+",route_id="${id}",caller="North"\\} 1$`),
        new RegExp(`\\{gateway="[^"]+",route_id="${id}",caller="South"\\} 0$`),
      ])
    text.should.not.match(/203\.0\.113/)
  })

  it('are not away where nothing is known of them, or where they need not call', async () => {
    const row = (route: string, expected: string): object => {
      return { address: SOUTH.address, name: `${route} ${expected}`, route, expected }
    }
    const rows = JSON.stringify([
      row(ROUTE, 'running'),
      row('Theatre', 'always'),
      row('Test pattern', 'running'),
      row('Test pattern', 'always'),
    ])
    const path = /statistics/
    const endOfFault = simulator.fault({ kind: 'status', status: 503, match: { path } })
    const nodes = {
      'list-routes': { type: 'media-gateway-list-routes', output: 'health' },
      incidents: watch({ report: 'incidents', holdFor: '0', route: ROUTE, routeType: 'name' }),
    }
    const metrics = { type: 'media-gateway-metrics' }
    const expected = async (): Promise<Record<string, unknown>> => {
      const { payload } = await result('list-routes')
      const all = (payload as HealthRow[]).map((one) => [one.name, one.expected] as const)
      return Object.fromEntries(all.filter(([, its]) => its === null || its!.number > 0))
    }
    const samples = async (): Promise<string[]> => {
      const text = String((await result('metrics')).payload)
      return [...text.matchAll(/caller_connections\{.*caller="([^"]+)"\} (\d)/g)].map(
        ([, name, number]) => `${name}: ${number}`,
      )
    }
    await start('json', rows, { ...nodes, metrics })
    await until(() => reads() > 1)
    const spare = { number: 1, away: ['Test pattern always'] }
    should(await expected()).eql({ [ROUTE]: null, Theatre: null, 'Test pattern': spare })
    should(await samples()).eql(['Test pattern always: 0'])
    endOfFault()
    await until(async () => (await samples()).length === 3)
    should((await samples()).sort()).eql([
      `${ROUTE} running: 0`,
      'Test pattern always: 0',
      'Theatre always: 0',
    ])
    called(NORTH, SOUTH)
    await until(async () => (await samples()).includes(`${ROUTE} running: 1`))
    should((await expected())[ROUTE]).eql({ number: 1, away: [] })
    // Whether that one is still there is not known.
    const endOfNext = simulator.fault({ kind: 'status', status: 503, match: { path } })
    called(SOUTH)
    await until(async () => (await expected())[ROUTE] === null)
    should((await samples()).filter((each) => each.startsWith(ROUTE))).eql([])
    endOfNext()
    called()
    await unload()
    // Its watch follows one route.
    await start('json', rows, nodes)
    const seen = { number: 1, away: [`${ROUTE} running`] }
    await until(async () => JSON.stringify(await expected()).includes(`"${ROUTE}":{`))
    should(await expected()).eql({ [ROUTE]: seen, Theatre: null, 'Test pattern': spare })
  })
})
