// The flow that every instance of the fleet runs, with nothing in it that differs between them: what
// differs comes from the environment.

/** The name that a command gives: with it the account finds what was done for it. */
export const COMMAND = /^Command (\d+)$/
const nameOf = (number) => `Command ${number}`

/** The route of an appliance that commands change: the first of `generateRoutes`. */
const ROUTE = 'Studio A'

/**
 * @param fleet its name on the engine
 * @param ttl,interval of the lease and between polls, in seconds
 * @param replicas of what the engine stores
 */
export function flowOf({ fleet, ttl, interval, replicas = 1 }) {
  return [
    { id: 'tab', type: 'tab', label: 'Fleet' },
    {
      id: 'gateway',
      type: 'media-gateway',
      name: 'Fleet',
      baseUrl: '',
      inventory: '${FLEET_INVENTORY}',
      inventoryType: 'file',
      inventoryHosts: '127.0.0.1',
      share: 'lease',
      engine: '${FLEET_ENGINE}',
      engineReplicas: replicas,
      leaseTtl: ttl,
      fleet,
      instance: '${FLEET_INSTANCE}',
      pollInterval: interval,
    },
    node('watch', 'media-gateway-watch', { gateway: 'gateway', wires: [['told']] }),
    node('told', 'function', { func: "global.get('fleet').told(msg)" }),

    node('commands', 'function', {
      outputs: 2,
      initialize: `global.get('fleet').opened((output, msg) => {
        const all = []
        all[output] = msg
        node.send(all)
      })`,
      finalize: "global.get('fleet').closed()",
      func: '',
      wires: [['create'], ['update']],
    }),
    node('create', 'media-gateway-create-route', { ...OF_MESSAGE, wires: [['answered']] }),
    node('update', 'media-gateway-update-route', {
      ...OF_MESSAGE,
      mode: 'merge',
      wires: [['answered']],
    }),
    node('catch', 'catch', { scope: ['create', 'update'], wires: [['answered']] }),
    node('answered', 'function', { func: "global.get('fleet').answered(msg)" }),
  ]
}

/** Beside the flow: the file of credentials, which names variables only. */
export const CREDENTIALS = {
  gateway: {
    username: '${FLEET_USERNAME}',
    password: '${FLEET_PASSWORD}',
    engineUser: '${FLEET_ENGINE_USER}',
    enginePassword: '${FLEET_ENGINE_PASSWORD}',
    fleetKey: '${FLEET_KEY}',
  },
}

/** The appliance of an action is `msg.appliance`. */
const OF_MESSAGE = {
  gateway: 'gateway',
  appliance: 'appliance',
  applianceType: 'msg',
  waitFor: 'accepted',
}

const node = (id, type, properties) => ({
  id,
  type,
  z: 'tab',
  name: '',
  outputs: 1,
  wires: [],
  // Without coordinates Node-RED takes it for a config node.
  x: 100,
  y: 100,
  ...properties,
})

/** A command for the flow, by turns one that makes a new route, and one that updates the same route as all others. */
export function commandFor(number, appliance, isOnce = number % 2 === 0) {
  const name = nameOf(number)
  const msg = isOnce
    ? { payload: newRoute(name) }
    : { routeName: ROUTE, payload: { source: { name } } }
  return { number, appliance, isOnce, output: isOnce ? 0 : 1, msg: { ...msg, appliance } }
}

const newRoute = (name) => ({
  name,
  startRoute: false,
  source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 20_000, networkInterface: '' },
  destinations: [
    { name: 'out', protocol: 'udp', address: '192.0.2.20', port: 20_000, networkInterface: '' },
  ],
})
