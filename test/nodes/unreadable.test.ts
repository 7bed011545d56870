// What a flow may put into a message: getters, proxies and functions that throw whatever they are asked.
import { startSimulator, type Simulator } from '../../simulator'
import { load, send, unload } from '../support/flow'
import { FAILOVER } from './failover-stage'

const no = (): never => {
  throw new Error('no')
}

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

const ASKED = ['id', '_id', 'name', 'query', 'gateway', 'toString', 'toJSON', 'then', 'length']
const TRAPS: Array<keyof ProxyHandler<object>> = [
  'get',
  'has',
  'ownKeys',
  'getPrototypeOf',
  'getOwnPropertyDescriptor',
]

/** Each a property of a message that throws where it is read, or where what it is is asked. */
const UNREADABLE: Record<string, PropertyDescriptor> = {
  'a getter that throws': { get: no },
  'a getter that throws a proxy': {
    get() {
      throw revoked()
    },
  },
  'an object with getters that throw': {
    value: Object.defineProperties(
      {},
      Object.fromEntries(ASKED.map((name) => [name, { get: no, enumerable: true }])),
    ),
  },
  'a proxy that throws': {
    value: new Proxy([], Object.fromEntries(TRAPS.map((trap) => [trap, no]))),
  },
  'a proxy that is revoked': { value: revoked() },
  'an object with a query that throws': { value: { query: { gateway: revoked() } } },
}

const NODES: Record<string, Record<string, unknown>> = {
  session: { action: 'msg' },
  'get-device': {},
  'list-routes': {},
  'get-route': {},
  'create-route': {},
  'update-route': { mode: 'merge' },
  'ensure-route': { approve: true },
  'control-route': { action: 'msg', target: 'destination' },
  statistics: { scope: 'client' },
  preset: { action: 'import' },
  metrics: {},
  failover: { ...FAILOVER, hold: true },
}

/** What each node reads of a message. */
const READS: Record<string, readonly string[]> = {
  session: ['action'],
  'get-device': ['deviceId'],
  'list-routes': ['deviceId', 'page', 'pageSize'],
  'get-route': ['deviceId', 'routeId', 'routeName'],
  'create-route': ['payload'],
  'update-route': ['payload', 'routeId', 'confirmProtected', 'confirmShared'],
  'ensure-route': ['payload', 'action', 'plan'],
  'control-route': ['action', 'destinationId', 'destinationName'],
  statistics: ['clientAddress', 'clientPort'],
  preset: ['confirm', 'payload'],
  metrics: ['req'],
  failover: ['action', 'hold', 'main'],
}

describe('a message that cannot be read', () => {
  let simulator: Simulator
  let readable: Record<string, unknown>

  before(async () => {
    simulator = await startSimulator({ routes: 6 })
    const [route] = simulator.routes
    readable = {
      deviceId: simulator.devices[0]!._id,
      routeId: route!.id,
      destinationId: route!.destinations[0]!.id,
      clientAddress: '192.0.2.1',
      payload: { name: route!.name },
      confirm: true,
    }
    await load(
      simulator.url,
      Object.fromEntries(
        Object.entries(NODES).map(([name, set]) => [
          name,
          { type: `media-gateway-${name}`, ...set },
        ]),
      ),
    )
  })
  after(async () => {
    await unload()
    await simulator.stop()
  })

  for (const [node, names] of Object.entries(READS)) {
    for (const name of names) {
      it(`is the fault of the message: ${node}, msg.${name}`, async () => {
        for (const [what, unreadable] of Object.entries(UNREADABLE)) {
          const given = { ...readable }
          if (name.endsWith('Name')) delete given[name.replace('Name', 'Id')]
          if (name === 'action') delete given['payload']
          // Node-RED copies what can be counted for a Catch node.
          const isWritable = 'value' in unreadable && { writable: true }
          Object.defineProperty(given, name, { ...unreadable, ...isWritable, configurable: true })
          const { done, error } = await send(node, given)
          done.should.equal(1, what)
          if (!error) continue
          error.message.should.not.match(/report this/, `${what}: ${error.stack}`)
          should(error.code).not.equal('BAD_RESPONSE', what)
        }
      })
    }
  }

  it('is refused with the name of the member', async () => {
    for (const [node, name] of [
      ['get-route', 'deviceId'],
      ['list-routes', 'page'],
      ['update-route', 'confirmShared'],
      ['failover', 'hold'],
      ['metrics', 'req'],
    ] as const) {
      const given = Object.defineProperty({ ...readable, action: 'status' }, name, { get: no })
      const { error } = await send(node, given)
      should(error).match({ code: 'INVALID_INPUT', cause: { applied: 'no' } })
      error!.message.should.containEql(`msg.${name} cannot be read`)
    }
  })
})
