// Recipes that tell other systems what is going on, or are told by them.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAMILIES } from '../../client/metrics/families'
import { startSimulator, type Simulator } from '../../simulator'
import { startBroker, type Broker } from '../support/broker'
import { samplesIn, valuesOf, type Sample } from '../support/metrics'
import { freePort } from '../support/ports'
import { withPrometheus } from '../support/prometheus'
import { contentOf, root } from '../support/root'
import { pause, until } from '../support/until'
import { type FlowNode, GATEWAY, HURRY, nodeNamed, read, simulator, stageRecipes } from './support'

const { load } = require('js-yaml') as { load: (text: string) => unknown }

describe('the example flows', () => {
  const { deploy, open, polled, output, told, commands, nodeRed } = stageRecipes()

  describe('Route state to MQTT', () => {
    let broker: Broker

    beforeEach(async () => (broker = await startBroker()))
    afterEach(async () => {
      await deploy([])
      const itself = /^media-gateway\/node-red(\/1)?$/
      const ended = [...broker.retained].filter(([topic]) => itself.test(topic))
      ended.map(([, payload]) => payload).should.eql(['offline'])
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

    it('of a fleet, publishes each appliance until another instance has taken it over', async () => {
      const self = 'media-gateway/node-red/1'
      const other = await startSimulator({ routes: 1 })
      try {
        const flow = withBroker(broker)
        flow.find(({ type }) => type === 'tab')!['env'] = [
          { name: 'STATE_TOPIC', value: self, type: 'str' },
        ]
        const [own] = flow.filter(({ type }) => type === 'mqtt-broker')
        for (const what of ['birth', 'close', 'will']) own![`${what}Topic`] = self
        Object.assign(
          flow.find(({ type }) => type === 'media-gateway')!,
          {
            inventoryType: 'json',
            inventory: JSON.stringify([
              { name: 'oslo/1', baseUrl: simulator.url },
              { name: 'bergen', baseUrl: other.url },
            ]),
          },
        )
        await open('Route state to MQTT', { flow })
        const topic = (at: string): string | undefined => broker.retained.get(`media-gateway/${at}`)
        const name = other.routes[0]!.name
        await until(() => topic('oslo-1/routes/Studio A/running') === 'true', 'Oslo')
        await until(() => topic(`bergen/routes/${name}/running`) === 'true', 'Bergen')
        await until(() => topic('oslo-1/gateway') === 'reachable', 'the gateway')
        await until(() => topic('node-red/1') === 'online', 'this Node-RED')
        await until(() => topic('oslo-1/node-red') !== undefined, 'the owner')
        should(topic('gateway')).be.undefined()
        const [since, by] = topic('oslo-1/node-red')!.split(' ')
        should(by).equal(self)

        // An earlier owner, and the next one.
        broker.publish('media-gateway/oslo-1/node-red', `${Number(since) - 1} ${self}0`)
        simulator.stopRoute('Studio A')
        await until(() => topic('oslo-1/routes/Studio A/running') === 'false', 'the stop')
        broker.publish('media-gateway/oslo-1/node-red', `${Number(since) + 1} ${self}0`)
        await pause(300)
        const ofOslo = [...broker.retained].filter(([at]) => at.includes('/oslo-1/'))
        await broker.stop()
        broker.retained.clear()
        other.stopRoute(name)
        await polled(2)
        await broker.start()
        await until(() => topic(`bergen/routes/${name}/running`) === 'false', 'Bergen')
        ofOslo.length.should.be.above(3)
        should([...broker.retained.keys()].filter((at) => at.includes('/oslo-1/'))).eql([])
      } finally {
        await deploy([])
        await other.stop()
      }
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

    const openMetrics = async (properties: object = {}, failovers = false): Promise<void> => {
      const flow = read(`Recipes/${TITLE}.json`)
      if (failovers) {
        const good = failoverOf(simulator.route('Stadium North')!, flow)
        flow.push(good, { ...good, id: 'lost', route: 'Not there' })
      }
      Object.assign(
        flow.find(({ type }) => type === 'media-gateway-metrics')!,
        properties,
      )
      await open(TITLE, { flow })
      await until(
        async () => valuesOf((await scrape()).samples, 'up').includes(1),
        'the first poll',
      )
    }

    it('responds with what is known, and asks the appliance nothing for it', async () => {
      await openMetrics()
      const { samples, type } = await scrape()
      type.should.match(/^text\/plain;/).and.match(/version=0\.0\.4/)
      valuesOf(samples, 'route_running').should.have.length(simulator.routes.length)
      for (const each of simulator.routes) {
        const route = { route_id: each.id }
        valuesOf(samples, 'route_info', { ...route, route: each.name }).should.eql([1])
        for (const status of ['ok', 'warn', 'error', 'unknown']) {
          const isSo = Number(each.summaryStatusCode === status)
          valuesOf(samples, 'route_status', { ...route, status }).should.eql([isSo])
        }
      }

      simulator.clearJournal()
      const from = Date.now()
      for (let scrapes = 0; scrapes < 50; scrapes++) await scrape()
      const polls = simulator.journal.filter(({ path }) => /^\/api\/devices\/[^/]+$/.test(path))
      polls.length.should.equal(simulator.journal.length)
      polls.length.should.be.belowOrEqual(((Date.now() - from) * HURRY) / 900 + 2)

      const missing = await fetch(`${nodeRed.url}metrics?gateway=Bergen`)
      missing.status.should.equal(404)
      ;(await missing.text()).should.match(/^There is no gateway "Bergen"/)
      const one = await fetch(`${nodeRed.url}metrics?gateway=Media%20gateway`)
      valuesOf(samplesIn(await one.text()), 'up').should.eql([1])
    })

    withPrometheus('what it writes', ({ prometheus, promtool }) => {
      const check = (what: string, input: string): void => {
        execFileSync(promtool, ['check', ...what.split(' ')], { input, stdio: 'pipe' })
      }

      it('has no fault, however much it is', async () => {
        simulator.renameRoute('Studio A', 'Studio "A" \\ live\nnow \u0000 放送')
        for (const detail of ['totals', 'routes']) {
          await openMetrics({ detail, statistics: detail === 'routes' ? 1 : '' }, true)
          const isRead = ({ text, samples }: Scraped): boolean =>
            detail === 'totals' ||
            (text.includes('destination_srt_round_trip_time_seconds{') &&
              [0, 1].every((each) => valuesOf(samples, 'failover_protects').includes(each)))
          await until(async () => isRead(await scrape()), 'the statistics and the failovers')
          check('metrics', (await scrape()).text)
        }
      })

      it('has alert rules that send one alert for one fault, and none for a missing caller', () => {
        const cases = join(root, 'test/recipes/alert-rules.yml')
        execFileSync(promtool, ['test', 'rules', cases], { stdio: 'pipe' })
        for (const { expr } of [...alertRules(), ...alertsOfThePage()]) {
          for (const [name] of expr.matchAll(/media_gateway_\w+/g)) {
            Object.keys(FAMILIES).should.containEql(name)
          }
        }
      })

      it('answers the queries of the dashboard, the page and the alerts, also with two Node-REDs', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'media-gateway-prometheus-'))
        const config = join(folder, 'prometheus.yml')
        const target = new URL(nodeRed.url).host
        const jobs = ['one', 'two'].map(
          (job) => `{job_name: ${job}, static_configs: [{targets: ['${target}']}]}`,
        )
        writeFileSync(
          config,
          `global: {scrape_interval: 1s}\nscrape_configs: [${jobs.join()}]\nrule_files: ['${RULES}']\n`,
        )
        simulator.renameRoute('Studio A', 'Studio "A"\nlive')
        const lost = simulator.routes.find(
          ({ state, source }) => state === 'running' && source.protocol === 'udp',
        )!
        simulator.failAddress(lost.source.address!, 'disconnected')
        await openMetrics({ statistics: 1 }, true)
        const port = await freePort()
        const server = spawn(
          prometheus,
          [
            `--config.file=${config}`,
            `--storage.tsdb.path=${folder}`,
            `--web.listen-address=127.0.0.1:${port}`,
          ],
          { stdio: 'ignore' },
        )
        const ended = new Promise((resolve) => server.once('exit', resolve))
        try {
          const query = async (expr: string): Promise<Queried[]> => {
            const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`
            const answer = (await (await fetch(url)).json()) as {
              status: string
              data?: { result: Queried[] }
            }
            answer.status.should.equal('success', `${expr}: ${JSON.stringify(answer)}`)
            return answer.data!.result
          }
          const isIn = async (): Promise<boolean> =>
            query('count(media_gateway_destination_srt_round_trip_time_seconds) by (job)').then(
              (found) => found.length === 2,
              () => false,
            )
          await until(isIn, 'the first scrapes')
          const [running] = pageQueries()
          const named = await query(running!)
          const odd = named.find(({ metric }) => metric['route'] === 'Studio "A" live')!
          odd.value[1].should.equal('1')
          named.length.should.equal(simulator.routes.length)
          for (const expr of pageQueries()) await query(expr)
          for (const { title, expr, legend } of dashboardTargets()) {
            let found: Queried[] = []
            const isAnswered = async (): Promise<boolean> => (found = await query(expr)).length > 0
            if (MAY_BE_EMPTY.includes(title)) await isAnswered()
            else await until(isAnswered, title)
            const legends = found.map(({ metric }) => legendOf(legend, metric))
            new Set(legends).size.should.equal(legends.length, `${title}: ${legends.join()}`)
            legends.join().should.not.match(/undefined/, title)
          }
          for (const { alert, expr } of alertRules()) {
            const found = await query(expr)
            const about = found.map(({ metric }) => JSON.stringify(metric))
            new Set(about).size.should.equal(about.length, alert)
            if (alert !== 'MediaGatewayRouteCritical') continue
            const ids = found.map(({ metric }) => metric['route_id']!)
            ids.should.containEql(lost.id)
            const { samples } = await scrape()
            for (const route_id of ids) {
              valuesOf(samples, 'route_health', { route_id, sign: 'critical' }).should.eql([1])
            }
          }
        } finally {
          server.kill('SIGKILL')
          await ended
          rmSync(folder, { recursive: true, force: true })
        }
      })
    })

    it('has a dashboard that asks only for metrics that there are', () => {
      const targets = dashboardTargets()
      targets.length.should.be.above(8)
      for (const { expr } of targets) {
        for (const [name] of expr.matchAll(/media_gateway_\w+/g)) {
          Object.keys(FAMILIES).should.containEql(name)
        }
      }
    })
  })

  describe('Commands by MQTT', () => {
    const page = contentOf('docs/commands-from-mqtt.md')
    const [, json = ''] = /# Commands from[^]*?```json\n([^]*?)```/.exec(page) ?? []

    it('of docs/commands-from-mqtt.md have a place for each node, from left to right', () => {
      const flow = JSON.parse(json) as FlowNode[]
      const widest = 190
      flow.forEach(({ x, y }, index) => {
        const before = flow[index - 1]
        should([y, x! >= (before ? before.x! + widest : 0)]).eql([flow[0]!.y, true])
      })
    })

    it('of docs/commands-from-mqtt.md carries out {routeName, action} for its names, and nothing else', async () => {
      const broker = await startBroker()
      const gateway = read('Control route.json').find(({ type }) => type === 'media-gateway')!
      const mqtt = read('Recipes/Route state to MQTT.json').find(
        ({ type }) => type === 'mqtt-broker',
      )!
      const flow = (JSON.parse(json) as FlowNode[]).map((node) => ({
        ...node,
        z: 'f1',
        ...('broker' in node && { broker: mqtt.id }),
        ...('gateway' in node && { gateway: GATEWAY }),
      }))
      const topic = String(nodeNamed(flow, 'commands')['topic'])
      const tab = { id: 'f1', type: 'tab', label: 'commands' }
      await open('', { flow: [tab, ...flow, { ...mqtt, port: String(broker.port) }, gateway] })
      await until(() => broker.subscribed.has(topic), 'the subscription')
      for (const sent of [
        { routeName: 'City hall', action: 'stop' },
        { routeName: 'My Studio A', action: 'stop' },
        { routeName: 'Studio A', action: 'restart' },
        { routeName: 'Studio A', action: ['stop', 'start'] },
        { routeName: 'Studio A' },
        { action: 'stop', routeId: simulator.route('Studio A')!.id },
        [{ routeName: 'Studio A', action: 'stop' }],
        'stop',
        null,
      ]) {
        broker.publish(topic, JSON.stringify(sent))
      }
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
    Object.assign(nodeNamed(alarms, 'watch for 20 seconds'), { holdFor: 0, mustRun: 'Studio*' })
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
    const away = (await scrape()).samples
    valuesOf(away, 'up').should.eql([0])
    valuesOf(away, 'route_running').should.eql([])

    simulator.stopRoute('Studio A')
    await simulator.start()
    await until(() => told('alert').length > 2, 'the end of it')
    const [, over, stopped, ...others] = told('alert')
    over!.should.match(/^RESOLVED Gateway 1: OK again/)
    stopped!.should.equal('ALERT Studio A: not running')
    others.should.deepEqual([])
    await until(() => broker.retained.get('media-gateway/gateway') === 'reachable', 'the topic')
    const back = (await scrape()).samples
    valuesOf(back, 'up').should.eql([1])
    const studio = { route_id: simulator.route('Studio A')!.id }
    valuesOf(back, 'route_running', studio).should.eql([0])
    await deploy([])
    await broker.stop()
  })

  async function scrape(): Promise<Scraped> {
    const answer = await fetch(`${nodeRed.url}metrics`)
    answer.status.should.equal(200)
    const text = await answer.text()
    return { samples: samplesIn(text), text, type: answer.headers.get('content-type')! }
  }
})

interface Scraped {
  samples: Sample[]
  text: string
  type: string
}

/** A failover of this route, for a flow that has none. */
const failoverOf = ({ name, source }: Simulator['routes'][number], flow: FlowNode[]): FlowNode => ({
  id: 'good',
  type: 'media-gateway-failover',
  z: flow.find(({ type }) => type === 'tab')!.id,
  gateway: GATEWAY,
  configVersion: 2,
  device: '',
  deviceType: 'auto',
  route: name,
  routeType: 'name',
  main: JSON.stringify({ port: source.port }),
  mainType: 'json',
  backup: JSON.stringify({ port: Number(source.port) + 1000 }),
  backupType: 'json',
  wires: [[]],
})

/** A series in the response of Prometheus. */
interface Queried {
  metric: Record<string, string>
  value: [at: number, value: string]
}

/** What the dashboard asks for, for all gateways. */
function dashboardTargets(): Array<{ title: string; expr: string; legend: string }> {
  const file = join(root, 'docs/grafana-dashboard.json')
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
    panels: Array<{ title: string; targets: Array<{ expr: string; legendFormat: string }> }>
  }
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat: legend }) => ({
      title,
      legend,
      expr: expr.replaceAll('$gateway', '.*'),
    })),
  )
}

/** Nothing is wrong with an output of the sample routes. */
const MAY_BE_EMPTY = ['Outputs that are not OK']

/** As Grafana fills it. */
const legendOf = (legend: string, labels: Record<string, string>): string =>
  legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => String(labels[label]))

const RULES = join(root, 'docs/alert-rules.yml')

interface AlertRule {
  alert: string
  expr: string
}

const rulesIn = (yaml: string): AlertRule[] =>
  (load(yaml) as { groups: Array<{ rules: AlertRule[] }> }).groups.flatMap(({ rules }) => rules)

const alertRules = (): AlertRule[] => rulesIn(readFileSync(RULES, 'utf8'))

const page = (): string => contentOf('docs/metrics.md')

const alertsOfThePage = (): AlertRule[] => rulesIn(/```yaml\n(groups:[^]*?)```/.exec(page())![1]!)

const pageQueries = (): string[] =>
  /## Queries\n\n```text\n([^]*?)```/.exec(page())![1]!.trim().split('\n')
