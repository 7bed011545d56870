// The simulated appliances of a fleet, in their own process. Counts the polls of each, changes
// their routes, and records which events must follow.
import { createRequire } from 'node:module'
import { answerCalls } from '../../scripts/harness/calls.cjs'

const require = createRequire(import.meta.url)
const { generateRoutes, startSimulator } = require('../../dist/simulator')

const POLL = /^\/api\/devices\/[^/]+$/

const fleet = []
let interval = 0
let calls = {}
/** Expected events, each with the time of its change. */
const expected = []
let changing
/** While set, the clock of the appliances stands still. */
let standingAt
const now = () => standingAt ?? Date.now()

answerCalls({
  async start({ appliances, routes, seconds, https, keepAlive, account }) {
    interval = seconds * 1000
    for (let number = 1; number <= appliances; number++) {
      const simulator = await startSimulator({
        https,
        // Keeps other clients out, such as one looking for what listened at this port before.
        users: [{ ...account, role: 'Observer' }],
        routes: generateRoutes(routes, number),
        settleDelay: 0,
        journalSize: 10,
        now,
      })
      // Node.js cuts an idle connection after 5 s.
      simulator.server.keepAliveTimeout = keepAlive * 1000
      simulator.devices[0].name = `appliance-${number}`
      fleet.push(follow(simulator))
    }
    return fleet.map(({ simulator: { url, fingerprint } }) => ({ url, fingerprint }))
  },

  /** How many appliances have been polled. */
  seen: () => fleet.filter(({ polls }) => polls > 0).length,

  /** Starts counting polls, and starts or stops `changes` routes per second. */
  measure({ changes }) {
    calls = {}
    for (const appliance of fleet) Object.assign(appliance, { polls: 0, missed: 0, longest: 0 })
    changing = makeChanges(changes)
  },

  /** Ends the changes; those already made still have to be reported. */
  endChanges() {
    clearTimeout(changing.timer)
    return expected
  },

  /** How the polls went since the measurement began. */
  account() {
    for (const appliance of fleet) reckon(appliance, Date.now())
    return {
      leastPolls: Math.min(...fleet.map(({ polls }) => polls)),
      missed: sum(({ missed }) => missed),
      longestGap: Math.max(...fleet.map(({ longest }) => longest)),
      logins: sum(({ simulator }) => simulator.logins),
      mostLogins: Math.max(...fleet.map(({ simulator }) => simulator.logins)),
      connections: sum(({ simulator }) => simulator.openSockets),
      calls,
    }
  },

  openSessions: () => sum(({ simulator }) => simulator.openSessions),
})

// Ctrl-C reaches every process of the terminal: this one is stopped by its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

const sum = (count) => fleet.reduce((total, appliance) => total + count(appliance), 0)

function follow(simulator) {
  const appliance = { simulator, polls: 0, missed: 0, longest: 0, lastPoll: undefined, shown: 0 }
  simulator.onCall(({ method, path, status, at }) => {
    const isPoll = method === 'GET' && POLL.test(path) && status === 200
    const kind = isPoll ? 'poll' : `${method} ${path.replace(/[\w-]{22,}/g, '*')} ${status}`
    calls[kind] = (calls[kind] ?? 0) + 1
    if (!isPoll) return
    appliance.polls++
    appliance.shown++
    if (appliance.lastPoll !== undefined) reckon(appliance, at)
    appliance.lastPoll = at
  })
  return appliance
}

/** A cycle counts as missed when no poll comes for one and a half times the interval. */
function reckon(appliance, at) {
  const gap = at - appliance.lastPoll
  appliance.longest = Math.max(appliance.longest, gap)
  if (gap > 1.5 * interval) appliance.missed++
}

/** Spreads the changes over the fleet, and cycles through the routes of each appliance. */
function makeChanges(perSecond) {
  const begun = Date.now()
  const chain = {}
  let made = 0
  const step = () => {
    const due = ((Date.now() - begun) / 1000) * perSecond
    for (; made < due; made++) {
      const appliance = fleet[made % fleet.length]
      change(appliance, Math.floor(made / fleet.length))
    }
    chain.timer = setTimeout(step, 10)
  }
  step()
  return chain
}

/** Starts or stops a route, unless no poll has seen its latest change yet. */
function change(appliance, turn) {
  const { simulator, shown } = appliance
  const { routes } = simulator
  const route = routes[turn % routes.length]
  appliance.changed ??= new Map()
  if (appliance.changed.get(route.id) === shown) return
  appliance.changed.set(route.id, shown)
  const before = new Map(
    simulator.route(route.id).destinations.map((one) => [one.id, statusOf(one)]),
  )
  standingAt = Date.now()
  if (route.state === 'idle') simulator.startRoute(route.id)
  else simulator.stopRoute(route.id)
  // On a clock that stands still it connects at once: no poll comes in between.
  const { state, destinations } = simulator.route(route.id)
  const at = standingAt
  standingAt = undefined
  const { name } = simulator.devices[0]
  const events = [
    `route.${state === 'running' ? 'started' : 'stopped'} ${name} ${route.id}`,
    `route.status ${name} ${route.id}`,
    `source.status ${name} ${route.id}`,
    // A destination that is stopped by itself stays so when its route starts.
    ...destinations
      .filter((one) => statusOf(one) !== before.get(one.id))
      .map(({ id }) => `destination.status ${name} ${route.id} ${id}`),
  ]
  expected.push(...events.map((key) => ({ key, at })))
}

const statusOf = ({ state, summaryStatusCode }) => `${summaryStatusCode} ${state}`
