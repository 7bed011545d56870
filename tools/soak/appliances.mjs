// The simulated appliances of the long run, in their own process, and what happens to them.
import { createRequire } from 'node:module'
import { answerCalls } from '../../scripts/harness/calls.cjs'
import { protectedRoutes, sidesOf } from './protected.mjs'

const require = createRequire(import.meta.url)
const { generateRoutes, startSimulator } = require('../../dist/simulator')

/** By name. */
const appliances = {}
/** Updates of protected routes that were carried out, and the latest fault that struck. */
const updates = {}
let struckAt = 0

answerCalls({
  /** Each is `{sessionLifetime, ...}` of the simulator, and may have `https`. */
  async start(wanted) {
    const started = {}
    for (const [name, { routes, named, ...options }] of Object.entries(wanted)) {
      const specs = [
        ...generateRoutes(routes),
        ...named.map(simpleRoute),
        ...(name === 'protected' ? protectedRoutes() : []),
      ]
      const simulator = await startSimulator({
        ...options,
        routes: specs,
        journalSize: 10,
        // Destinations that start and stop with their route are reported with it: the account
        // counts those that do so by themselves.
        dialect: { startedWhileIdle: true },
      })
      appliances[name] = { simulator, calls: 0, failed: 0 }
      simulator.onCall((call) => {
        const hasFailed = call.fault || call.status === undefined
        appliances[name].calls++
        if (hasFailed) appliances[name].failed++
        if (name !== 'protected') return
        if (hasFailed) struckAt = Date.now()
        if (!call.applied || !call.path.endsWith('/updates')) return
        const { elementID } = call.body
        updates[elementID] = (updates[elementID] ?? 0) + 1
      })
      const { url, fingerprint } = simulator
      started[name] = { url, fingerprint, deviceId: simulator.devices[0]._id }
    }
    return started
  },
  fault: ({ name, fault }) => void appliances[name].simulator.fault(fault),
  clearFaults() {
    for (const { simulator } of Object.values(appliances)) simulator.clearFaults()
  },
  dropSessions: ({ name }) => appliances[name].simulator.dropSessions(),
  restart: ({ name }) => appliances[name].simulator.restart(),
  keepSessions() {
    for (const { simulator } of Object.values(appliances)) {
      simulator.setOptions({ sessionLifetime: 3_600_000 })
    }
  },
  stop: ({ name }) => appliances[name].simulator.stop(),
  comeBack: ({ name }) => appliances[name].simulator.start(),

  /** Makes one change, as if by another client; returns the ID of the route. */
  change({ name, kind, route, to, port }) {
    const { simulator } = appliances[name]
    if (kind === 'add') return simulator.addRoute(simpleRoute(to)).id
    if (kind === 'remove') simulator.removeRoute(route)
    else if (kind === 'rename') simulator.renameRoute(route, to)
    else if (kind === 'start') simulator.startRoute(route)
    else if (kind === 'stop') simulator.stopRoute(route)
    else if (kind === 'edit') simulator.route(route).source.port = port
    return route
  },

  /** Removes all but `keep` of the routes that the flow has made and left behind. */
  reap({ name, prefix, keep }) {
    const { simulator } = appliances[name]
    const made = simulator.routes.filter((route) => route.name.startsWith(prefix))
    for (const { id } of made.slice(0, Math.max(0, made.length - keep))) simulator.removeRoute(id)
  },

  /** What a watch must know of an appliance once nothing is pending there. */
  async routes({ name }) {
    const { simulator } = appliances[name]
    await simulator.settle()
    return simulator.routes.map(({ id, name: called, state, summaryStatusCode, destinations }) => ({
      id,
      name: called,
      running: state === 'running',
      code: summaryStatusCode,
      destinations: destinations.map((one) => ({ id: one.id, started: one.started })),
    }))
  },

  line: ({ address, condition }) =>
    void appliances.protected.simulator.failAddress(address, condition),
  protected: () => ({ sides: sidesOf(appliances.protected.simulator), updates, struckAt }),

  state: () =>
    Object.fromEntries(
      Object.entries(appliances).map(([name, { simulator, calls, failed }]) => [
        name,
        {
          sessions: simulator.openSessions,
          connections: simulator.openSockets,
          logins: simulator.logins,
          logouts: simulator.logouts,
          calls,
          failed,
        },
      ]),
    ),
})

// Ctrl-C reaches every process of the terminal: this one is stopped by its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

let lastPort = 20_000

function simpleRoute(name) {
  const port = ++lastPort
  return {
    name,
    startRoute: false,
    source: {
      name: `${name} in`,
      protocol: 'udp',
      address: '239.1.1.1',
      port,
      networkInterface: '',
    },
    destinations: [
      { name: `${name} out`, protocol: 'udp', address: '192.0.2.20', port, networkInterface: '' },
    ],
  }
}
