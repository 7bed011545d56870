import should from 'should'
import WebSocket from 'ws'
import { GatewayError, invalidInput } from '../../client/internal'
import { briefly } from '../../nodes/runtime/status'
import { startSimulator, type Simulator } from '../../simulator'
import { NodeRed, type Properties } from '../support/node-red'
import { until } from '../support/until'

describe('the status of a node that failed', () => {
  it('is the code and the reason in a few words', () => {
    const cases: Array<[error: GatewayError, expected: string]> = [
      [
        new GatewayError('NOT_FOUND', 'There is no route with the name "Concert hal".'),
        'NOT_FOUND: no route "Concert hal"',
      ],
      [
        new GatewayError('NOT_FOUND', 'There is no route with the name "St. Pauls". Look at them.'),
        'NOT_FOUND: no route "St. Pauls"',
      ],
      [
        invalidInput([{ path: 'source.port', problem: 'is missing' }]),
        'INVALID_INPUT: source.port: is missing',
      ],
      [
        new GatewayError('REJECTED', 'The appliance refused with status 400. It says: No.', {
          applianceMessage: 'The port is in use.',
        }),
        'REJECTED: The port is in use',
      ],
      [
        new GatewayError('TIMEOUT', 'The appliance did not answer within 10000 ms.'),
        'TIMEOUT: did not answer within 10000 ms',
      ],
      [
        new GatewayError('UNAVAILABLE', 'The appliance refused the connection: nothing listens.'),
        'UNAVAILABLE: refused the connection: nothing listens',
      ],
      [
        new GatewayError('CONFLICT', `A ${'word '.repeat(30)}`),
        'CONFLICT: A word word word word word word word…',
      ],
      [new GatewayError('CONFLICT', 'x'.repeat(99)), `CONFLICT: ${'x'.repeat(40)}…`],
    ]
    for (const [error, expected] of cases) briefly(error).should.equal(expected)
  })
})

/** What an editor is shown that is opened now. */
async function statuses(nodeRed: NodeRed): Promise<Map<string, Properties>> {
  const socket = new WebSocket(`${nodeRed.url.replace('http', 'ws')}comms`)
  const shown = new Map<string, Properties>()
  socket.on('message', (data: Buffer) => {
    const messages = [JSON.parse(data.toString())].flat() as Array<{
      topic?: string
      data?: Properties
    }>
    for (const { topic = '', data: status = {} } of messages) {
      if (topic.startsWith('status/')) shown.set(topic.slice('status/'.length), status)
    }
  })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ subscribe: 'status/#' }))
  await new Promise((resolve) => setTimeout(resolve, 300))
  socket.close()
  return shown
}

describe('the status of a node after a deploy', function () {
  this.timeout(60_000)

  let nodeRed: NodeRed
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: 2 })
    nodeRed = new NodeRed()
    await nodeRed.start({})
  })
  after(async () => {
    await nodeRed.stop()
    await simulator.stop()
  })

  it('shows nothing from before it, and a failure until the next message', async () => {
    const flow = (routeName: string, gateway = 'gateway'): Properties[] => [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'gateway',
        type: 'media-gateway',
        name: '',
        baseUrl: simulator.url,
        credentials: { username: 'haiadmin', password: 'manager' },
      },
      { id: 'ask', z: 'tab', type: 'inject', props: [], once: false, wires: [['route', 'none']] },
      {
        id: 'route',
        z: 'tab',
        type: 'media-gateway-get-route',
        gateway: 'gateway',
        route: routeName,
        routeType: 'name',
        wires: [[]],
      },
      { id: 'none', z: 'tab', type: 'media-gateway-list-devices', gateway, wires: [[]] },
    ]
    const press = async (): Promise<void> => {
      await fetch(`${nodeRed.url}inject/ask`, { method: 'POST' })
    }
    const textOf = async (id: string): Promise<unknown> => (await statuses(nodeRed)).get(id)?.text

    await nodeRed.deploy(flow('Concert hal', 'missing'))
    await until(async () => {
      await press()
      return (await textOf('route')) !== undefined
    })
    should(await textOf('route')).equal('NOT_FOUND: no route "Concert hal"')
    String(await textOf('none')).should.match(/^CONFIG: /)

    // Nothing is sent to the new nodes: what is shown now would be from before the deploy.
    await nodeRed.deploy(flow(simulator.routes[0]!.name))
    await until(async () => (await textOf('route')) === undefined)
    should(await textOf('none')).be.undefined()
  })
})
