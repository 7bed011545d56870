// Recipes that tell other systems what is going on, or are told by them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compileFunction } from 'node:vm'
import 'should'
import { EVENTS } from '../../client/internal'
import type { Simulator } from '../../simulator'
import { startBroker, type Broker } from '../support/broker'
import { NodeRed } from '../support/node-red'
import { root } from '../support/root'
import { until } from '../support/until'
import { flowsOn, GATEWAY, HURRY, nodeNamed, read, type FlowNode } from './support'

/** One sample of the metrics, without what all names begin with. */
interface Gauge {
  name: string
  labels: Record<string, string>
  value: number
}

describe('the example flows', function () {
  this.timeout(30_000)

  const nodeRed = new NodeRed()
  const { start, begin, end, deploy, open, polled, output, told, commands } = flowsOn(nodeRed)
  let simulator: Simulator

  before(() => start())
  after(() => nodeRed.stop())
  beforeEach(async () => {
    simulator = await begin()
  })
  afterEach(end)

  describe('Route state to MQTT', () => {
    let broker: Broker

    beforeEach(async () => (broker = await startBroker()))
    afterEach(async () => {
      await deploy([])
      broker.retained.get('media-gateway/node-red')!.should.equal('offline')
      await broker.stop()
    })

    const topics = (name: string): Array<string | undefined> =>
      ['running', 'status'].map((what) =>
        broker.retained.get(`media-gateway/routes/${name}/${what}`),
      )
    const published = (name: string, ...values: Array<string | undefined>): Promise<void> =>
      until(() => topics(name).join() === values.join(), `${name}: ${values.join()}`)

    it('has two topics for each route, and follows what happens', async () => {
      simulator.renameRoute('City hall', 'City/hall #1')
      await openWith(broker)
      await published('Studio A', 'true', 'ok')
      await published('City-hall -1', 'true', 'ok')
      const all = 2 * simulator.routes.length + 2
      await until(() => broker.retained.size === all, 'a topic for everything')
      broker.retained.get('media-gateway/gateway')!.should.equal('reachable')
      broker.retained.get('media-gateway/node-red')!.should.equal('online')

      simulator.route('Studio A')!.summaryStatusCode = 'error'
      await published('Studio A', 'true', 'error')
      simulator.stopRoute('Studio A')
      await published('Studio A', 'false', 'unknown')
      simulator.renameRoute('Studio A', 'Studio B')
      await published('Studio B', 'false', 'unknown')
      await published('Studio A', undefined, undefined)
      simulator.removeRoute('Studio B')
      await published('Studio B', undefined, undefined)
      const { name } = simulator.addRoute({
        name: 'Late',
        startRoute: true,
        source: { name: 'Late in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      })
      await published(name, 'true', 'ok')
      broker.retained.size.should.equal(2 * simulator.routes.length + 2)

      const received = broker.received
      await polled(2)
      broker.received.should.equal(received, 'nothing is said twice')
    })

    it('follows routes into and out of the pattern of the watch', async () => {
      const flow = withBroker(broker)
      Object.assign(nodeNamed(flow, 'the routes'), { routeType: 'pattern', route: 'Studio*' })
      await open('Route state to MQTT', { flow })
      await published('Studio A', 'true', 'ok')
      await published('Weather desk', undefined, undefined)
      simulator.renameRoute('Weather desk', 'Studio Z')
      simulator.renameRoute('Studio A', 'Arena')
      await published('Studio Z', 'false', 'unknown')
      await published('Studio A', undefined, undefined)
      await published('Arena', undefined, undefined)
      simulator.startRoute('Studio Z')
      await simulator.settle()
      await published('Studio Z', 'true', 'ok')
      broker.retained.get('media-gateway/gateway')!.should.equal('reachable')
      output().should.not.match(/TypeError/)
    })

    it('knows that the appliance answers, also when no route fits', async () => {
      const flow = withBroker(broker)
      Object.assign(nodeNamed(flow, 'the routes'), { routeType: 'name', route: 'nobody has it' })
      await open('Route state to MQTT', { flow })
      const appliance = (): string | undefined => broker.retained.get('media-gateway/gateway')
      await until(() => appliance() === 'reachable', 'the topic')
    })

    it('makes up for what happened while the broker was away', async () => {
      await openWith(broker)
      await published('Studio A', 'true', 'ok')
      await broker.stop()
      simulator.stopRoute('Studio A')
      simulator.removeRoute('City hall')
      await polled(2)
      await broker.start()
      await published('Studio A', 'false', 'unknown')
      await published('City hall', undefined, undefined)
      const itself = (): string | undefined => broker.retained.get('media-gateway/node-red')
      await until(() => itself() === 'online', 'the word of Node-RED')
    })

    it('takes away the topics of routes that went while it did not run', async () => {
      await openWith(broker)
      await published('City hall', 'true', 'ok')
      await openWith(broker, [{ id: 'x', type: 'tab', label: 'other' }])
      simulator.removeRoute('City hall')
      await openWith(broker)
      await published('City hall', undefined, undefined)
    })

    it('says that it cannot watch', async () => {
      await openWith(broker)
      await published('Studio A', 'true', 'ok')
      const credentials = { username: '', password: '' }
      await open('Route state to MQTT', { flow: withBroker(broker), credentials })
      const appliance = (): string | undefined => broker.retained.get('media-gateway/gateway')
      await until(() => appliance() === 'unreachable', 'the topic')
    })
  })

  async function openWith(broker: Broker, others: FlowNode[] = []): Promise<void> {
    await open('Route state to MQTT', { flow: [...withBroker(broker), ...others] })
  }

  function withBroker({ port }: Broker): FlowNode[] {
    const flow = read('Recipes/Route state to MQTT.json')
    flow.find(({ type }) => type === 'mqtt out')!.should.match({ retain: 'true', qos: '1' })
    return flow.map((node) =>
      node.type === 'mqtt-broker' ? { ...node, port: String(port) } : node,
    )
  }

  describe('Prometheus metrics', () => {
    const TITLE = 'Prometheus metrics'
    const route = routeLabels

    it('answers with what is known, and asks the appliance nothing for it', async () => {
      simulator.fault({ kind: 'latency', ms: 800, times: 2 })
      await open(TITLE)
      const early = await fetch(`${nodeRed.url}metrics`)
      early.status.should.equal(503)
      ;(await early.text()).should.match(/^The gateway was not read yet/)
      await until(
        async () => (await fetch(`${nodeRed.url}metrics`)).status === 200,
        'the first look',
      )

      const { gauges, type } = await scrape()
      type.should
        .match(/^text\/plain;/)
        .and.match(/version=0\.0\.4/)
        .and.match(/charset=utf-8/)
      valueOf(gauges, 'reachable', {}).should.equal(1)
      valueOf(gauges, 'data_age_seconds', {}).should.be.within(0, 20)
      const running = simulator.routes.filter(({ state }) => state === 'running')
      const samples = gauges.filter(({ name }) => name === 'route_running')
      samples.length.should.equal(simulator.routes.length)
      samples.filter(({ value }) => value === 1).length.should.equal(running.length)
      for (const each of simulator.routes) {
        for (const status of ['ok', 'warn', 'error', 'unknown']) {
          const isSo = (part: { summaryStatusCode: string }): number =>
            Number(part.summaryStatusCode === status)
          valueOf(gauges, 'route_status', { ...route(each.name), status }).should.equal(isSo(each))
          valueOf(gauges, 'source_status', {
            ...route(each.name),
            source: each.source.name,
            status,
          }).should.equal(isSo(each.source))
          for (const destination of each.destinations) {
            const labels = { destination: destination.name, destination_id: destination.id, status }
            valueOf(gauges, 'destination_status', { ...route(each.name), ...labels }).should.equal(
              isSo(destination),
            )
          }
        }
      }

      simulator.clearJournal()
      const from = Date.now()
      for (let scrapes = 0; scrapes < 50; scrapes++) await scrape()
      const polls = simulator.journal.filter(({ path }) => /^\/api\/devices\/[^/]+$/.test(path))
      polls.length.should.equal(simulator.journal.length)
      polls.length.should.be.belowOrEqual(((Date.now() - from) * HURRY) / 900 + 2)
    })

    it('follows routes into and out of the pattern of the watch', async () => {
      const flow = read(`Recipes/${TITLE}.json`)
      Object.assign(nodeNamed(flow, 'everything'), { routeType: 'pattern', route: 'Studio*' })
      await open(TITLE, { flow })
      await polled(1)
      simulator.renameRoute('Weather desk', 'Studio Z')
      simulator.renameRoute('Studio A', 'Arena')
      simulator.startRoute('Studio Z')
      await simulator.settle()
      await polled(2)
      const { gauges } = await scrape()
      valueOf(gauges, 'route_running', route('Studio Z')).should.equal(1)
      const names = new Set(gauges.map(({ labels }) => labels['route']).filter(Boolean))
      const fitting = simulator.routes.filter(({ name }) => name.startsWith('Studio'))
      names.should.eql(new Set(fitting.map(({ name }) => name)))
      output().should.not.match(/TypeError/)
    })

    it('takes no harm from an event about a route that it does not know', () => {
      const { func } = nodeNamed(read(`Recipes/${TITLE}.json`), 'keep')
      const keep = compileFunction(String(func), ['msg', 'flow']) as (...parts: unknown[]) => void
      const kept: Record<string, unknown> = {}
      const flow = {
        get: (name: string) => kept[name],
        set: (name: string, value: unknown) => (kept[name] = value),
      }
      const about = {
        device: { name: 'D' },
        route: { id: 'x', name: 'X' },
        destination: { id: 'y' },
      }
      for (const event of EVENTS) keep({ payload: { event, at: 1, after: 'ok', ...about } }, flow)
      const known = { id: 'x', name: 'X', source: {}, destinations: [] }
      const added = { event: 'route.added', at: 1, ...about, after: known }
      keep({ payload: added }, flow)
      const lost = { event: 'destination.status', at: 1, ...about, after: 'ok' }
      keep({ payload: lost }, flow)
      kept['state']!.should.containDeep({ routes: { x: { destinations: [] } } })
    })

    it('follows what happens, and escapes names', async () => {
      await open(TITLE)
      await polled(1)
      const studio = simulator.route('Studio A')!
      const [out] = studio.destinations
      const odd = 'Studio "A" \\ live\nnow'
      const all = async (): Promise<Gauge[]> => (await scrape()).gauges

      simulator.renameRoute('Studio A', odd)
      studio.source.summaryStatusCode = 'error'
      studio.source.name = 'other in'
      out!.name = 'other'
      out!.summaryStatusCode = 'warn'
      simulator.stopRoute('City hall')
      simulator.removeRoute('Newsroom feed')
      simulator.addRoute({
        name: 'Late',
        source: { name: 'Late in', protocol: 'udp', address: '239.1.1.1', port: 5000 },
      })
      await polled(2)
      let gauges = await all()
      const of = { route: odd, route_id: studio.id }
      const source = { ...of, source: studio.source.name, status: 'error' }
      valueOf(gauges, 'source_status', source).should.equal(1)
      const destination = { ...of, destination: 'other', destination_id: out!.id, status: 'warn' }
      valueOf(gauges, 'destination_status', destination).should.equal(1)
      valueOf(gauges, 'route_running', route('City hall')).should.equal(0)
      valueOf(gauges, 'route_running', route('Late')).should.equal(0)
      gauges.filter(({ labels }) => labels['route'] === 'Newsroom feed').should.deepEqual([])

      studio.destinations.pop()
      await polled(2)
      gauges = await all()
      const left = gauges.filter(
        ({ name, labels }) => name === 'destination_status' && labels['route'] === odd,
      )
      left.length.should.equal(4 * studio.destinations.length)
    })
  })

  describe('Commands by MQTT', () => {
    it('of docs/fleets.md carries out {routeName, action}', async () => {
      const page = readFileSync(join(root, 'docs/fleets.md'), 'utf8')
      const [, json] = /```json\n([^]*?)```/.exec(page) ?? []
      const broker = await startBroker()
      const gateway = read('Control route.json').find(({ type }) => type === 'media-gateway')!
      const mqtt = read('Recipes/Route state to MQTT.json').find(
        ({ type }) => type === 'mqtt-broker',
      )!
      const flow = (JSON.parse(json!) as FlowNode[]).map((node) => ({
        ...node,
        z: 'f1',
        ...('broker' in node && { broker: mqtt.id }),
        ...('gateway' in node && { gateway: GATEWAY }),
      }))
      const topic = String(nodeNamed(flow, 'commands')['topic'])
      const tab = { id: 'f1', type: 'tab', label: 'commands' }
      await open('', { flow: [tab, ...flow, { ...mqtt, port: String(broker.port) }, gateway] })
      await until(() => broker.subscribed.has(topic), 'the subscription')
      for (const [action, state] of [
        ['stop', 'idle'],
        ['start', 'running'],
      ]) {
        broker.publish(topic, JSON.stringify({ routeName: 'Studio A', action }))
        await until(() => simulator.route('Studio A')!.state === state, `the ${action}`)
      }
      commands().should.deepEqual(['stop-route', 'start-route'])
      await deploy([])
      await broker.stop()
    })
  })

  // Longer than the half minute after which an appliance counts as away.
  it('recipes with a watch tell when the appliance is away, and when it is back', async function () {
    this.timeout(90_000)
    const broker = await startBroker()
    const alarms = read('Recipes/Alarm with recovery.json')
    nodeNamed(alarms, 'watch for 20 seconds')['holdFor'] = 0
    const flow = [...alarms, ...withBroker(broker), ...read('Recipes/Prometheus metrics.json')]
    await open('Alarm with recovery', {
      flow: [...new Map(flow.map((node) => [node.id, node])).values()],
    })
    await polled(2)
    await simulator.stop()
    await until(() => told('alert').length > 0, 'the alarm', 40_000)
    const [alarm] = told('alert')
    alarm!.should.match(/^ALERT Gateway 1 .*refused/)
    await until(() => broker.retained.get('media-gateway/gateway') === 'unreachable', 'the topic')
    const away = (await scrape()).gauges
    valueOf(away, 'reachable', {}).should.equal(0)
    valueOf(away, 'data_age_seconds', {}).should.be.above(28)
    valueOf(away, 'route_running', routeLabels('Studio A')).should.equal(1)

    simulator.stopRoute('Studio A')
    await simulator.start()
    await until(() => told('alert').length > 2, 'the end of it')
    const [, over, stopped, ...others] = told('alert')
    over!.should.match(/^RESOLVED Gateway 1 /)
    stopped!.should.match(/^ALERT Studio A /)
    others.should.deepEqual([])
    await until(() => broker.retained.get('media-gateway/gateway') === 'reachable', 'the topic')
    const back = (await scrape()).gauges
    valueOf(back, 'reachable', {}).should.equal(1)
    valueOf(back, 'data_age_seconds', {}).should.be.below(20)
    valueOf(back, 'route_running', routeLabels('Studio A')).should.equal(0)
    await deploy([])
    await broker.stop()
  })

  function routeLabels(name: string): object {
    return { route: name, route_id: simulator.route(name)!.id }
  }

  /** Reads the metrics, and checks that they are in the format that Prometheus wants. */
  async function scrape(): Promise<{ gauges: Gauge[]; type: string }> {
    const answer = await fetch(`${nodeRed.url}metrics`)
    answer.status.should.equal(200)
    const text = await answer.text()
    return { gauges: gaugesIn(text), type: answer.headers.get('content-type')! }
  }
})

/**
 * The samples in the text format of Prometheus 0.0.4.
 * @throws Error when a line is none, has no type, or says the same as another
 */
function gaugesIn(text: string): Gauge[] {
  text.should.endWith('\n')
  const [described, typed, seen] = [new Set<string>(), new Set<string>(), new Set<string>()]
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line): Gauge[] => {
      const [, kind, of] = /^# (HELP|TYPE) media_gateway_([a-z_]+) (?:gauge$|\S)/.exec(line) ?? []
      if (kind) {
        const known = kind === 'HELP' ? described : typed
        known.has(of!).should.be.false(line)
        known.add(of!)
        return []
      }
      const [, name, inner, number] =
        /^media_gateway_([a-z_]+)\{((?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+)\} (\d[\d.e+-]*)$/.exec(
          line,
        ) ?? []
      if (!name) throw new Error(`not a sample: ${line}`)
      const isKnown = described.has(name) && typed.has(name)
      isKnown.should.be.true(line)
      seen.has(`${name} ${inner}`).should.be.false(line)
      seen.add(`${name} ${inner}`)
      const labels = Object.fromEntries(
        [...inner!.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
          label!,
          value!.replace(/\\(.)/g, (_, after: string) => (after === 'n' ? '\n' : after)),
        ]),
      )
      return [{ name, labels, value: Number(number) }]
    })
}

/** The value of the one sample with these labels, and that of the device. */
function valueOf(gauges: Gauge[], name: string, labels: object): number {
  const wanted = { device: 'Gateway 1', ...labels }
  const found = gauges.filter(
    (gauge) => gauge.name === name && isDeepStrictEqual(gauge.labels, wanted),
  )
  found.length.should.equal(1, `${name} ${JSON.stringify(wanted)}`)
  return found[0]!.value
}
