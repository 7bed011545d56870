// The status of the nodes as a whole Node-RED sends it to its editors, and what they send, in another
// language.
import WebSocket from 'ws'
import { startSimulator, type Simulator } from '../../simulator'
import { NodeRed, type Properties } from '../support/node-red'
import { until } from '../support/until'
import { endEach } from '../support/connect'

/** Kept since the last deploy: where it is asked for last, it comes after every status that is kept. */
const LAST = 'notification/runtime-deploy'

/** What an editor is shown that is opened now. */
async function statuses(nodeRed: NodeRed): Promise<Map<string, Properties>> {
  const socket = new WebSocket(`${nodeRed.url.replace('http', 'ws')}comms`)
  const shown = new Map<string, Properties>()
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const messages = [JSON.parse(data.toString())].flat() as Array<{
        topic?: string
        data?: Properties
      }>
      for (const { topic = '', data: status = {} } of messages) {
        if (topic.startsWith('status/')) shown.set(topic.slice('status/'.length), status)
        if (topic === LAST) resolve()
      }
    })
    socket.once('open', () => {
      for (const subscribe of ['status/#', LAST]) socket.send(JSON.stringify({ subscribe }))
    })
  })
  socket.close()
  return shown
}

describe('the status that an editor is shown', function () {
  this.timeout(60_000)

  let nodeRed: NodeRed
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: 2 })
    nodeRed = new NodeRed()
    await nodeRed.start({ lang: 'de' })
  })
  after(() => endEach(nodeRed, simulator))

  const gateway = (): Properties => ({
    id: 'gateway',
    type: 'media-gateway',
    name: '',
    baseUrl: simulator.url,
    credentials: { username: 'haiadmin', password: 'manager' },
  })
  const tab = { id: 'tab', type: 'tab', label: 'test' }
  const press = async (): Promise<void> => {
    await fetch(`${nodeRed.url}inject/ask`, { method: 'POST' })
  }
  const button = (...to: string[]): Properties => ({
    id: 'ask',
    z: 'tab',
    type: 'inject',
    props: [],
    once: false,
    wires: [to],
  })
  const textOf = async (id: string): Promise<unknown> => (await statuses(nodeRed)).get(id)?.text
  /** It may come late, and each press takes away what was shown before. */
  const shows = (id: string, text: string): Promise<void> =>
    until(async () => (await textOf(id)) === text, text)

  it('is nothing from before a deploy, and a failure until the next message', async () => {
    const flow = (routeName: string, config = 'gateway'): Properties[] => [
      tab,
      gateway(),
      button('route', 'none'),
      {
        id: 'route',
        z: 'tab',
        type: 'media-gateway-get-route',
        gateway: 'gateway',
        route: routeName,
        routeType: 'name',
        wires: [[]],
      },
      { id: 'none', z: 'tab', type: 'media-gateway-list-devices', gateway: config, wires: [[]] },
    ]

    await nodeRed.deploy(flow('Concert hal', 'missing'))
    await until(async () => {
      await press()
      return (await textOf('route')) !== undefined
    })
    await shows('route', 'keine Route „Concert hal“')
    await until(async () => {
      const { fill, shape } = (await statuses(nodeRed)).get('none') ?? {}
      return fill === 'red' && shape === 'ring'
    }, 'a failure')

    // Nothing is sent to the new nodes: what is shown now would be from before the deploy.
    await nodeRed.deploy(flow(simulator.routes[0]!.name))
    await until(async () => (await textOf('route')) === undefined)
    should(await textOf('none')).be.undefined()
  })

  it('is in the language of the server, with values or without', async () => {
    await nodeRed.deploy([
      tab,
      gateway(),
      button('control'),
      {
        id: 'control',
        z: 'tab',
        type: 'media-gateway-control-route',
        gateway: 'gateway',
        route: simulator.routes[0]!.name,
        routeType: 'name',
        action: 'stop',
        waitFor: 'applied',
        wires: [[]],
      },
      {
        id: 'watch',
        z: 'tab',
        type: 'media-gateway-watch',
        gateway: 'gateway',
        route: '',
        routeType: 'all',
        wires: [[]],
      },
      {
        id: 'nobody',
        z: 'tab',
        type: 'media-gateway-watch',
        gateway: 'gateway',
        route: 'Nobody*',
        routeType: 'pattern',
        wires: [[]],
      },
    ])
    await until(async () =>
      /^\d von 2 in Betrieb \d\d:\d\d:\d\d$/.test(String(await textOf('watch'))),
    )
    await press()
    await until(async () => /^gestoppt \d\d:\d\d:\d\d$/.test(String(await textOf('control'))))
    await shows('nobody', 'keine passende Route')
  })

  it('is in the language of the texts that nodes send', async () => {
    const common = { z: 'tab', gateway: 'gateway' }
    const [route] = simulator.routes
    const keep = "global.set('text', msg.payload.text); return null"
    const say = "msg.payload = { text: global.get('text') }; return msg"
    await nodeRed.deploy([
      tab,
      gateway(),
      {
        id: 'ask-health',
        z: 'tab',
        type: 'http in',
        url: '/health',
        method: 'get',
        wires: [['list']],
      },
      {
        ...common,
        id: 'list',
        type: 'media-gateway-list-routes',
        output: 'health',
        wires: [['reply']],
      },
      { id: 'reply', z: 'tab', type: 'http response', wires: [] },
      {
        ...common,
        id: 'protect',
        type: 'media-gateway-failover',
        route: route!.name,
        routeType: 'name',
        main: JSON.stringify({ port: route!.source.port }),
        backup: '{"port":5999}',
        wires: [['keep']],
      },
      { id: 'keep', z: 'tab', type: 'function', func: keep, outputs: 1, wires: [[]] },
      { id: 'ask-text', z: 'tab', type: 'http in', url: '/text', method: 'get', wires: [['say']] },
      { id: 'say', z: 'tab', type: 'function', func: say, outputs: 1, wires: [['reply']] },
    ])
    const get = async <T>(path: string): Promise<T> =>
      (await (await fetch(`${nodeRed.url}${path}`)).json()) as T

    const rows = await get<Array<{ sign: string; text: string }>>('health')
    rows.find(({ sign }) => sign === 'stopped')!.text.should.equal('gestoppt')
    await until(async () => {
      const { text = '' } = await get<{ text?: string }>('text')
      return text.endsWith('die Route ist gestoppt')
    })
  })
})
