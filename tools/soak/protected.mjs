// The protected routes of the long run: their sources fail and return by chance, and an account that
// knows nothing of the rules but their promises says how often each route must have been switched.
import { setTimeout as pause } from 'node:timers/promises'
import { choices } from './random.mjs'

/** In seconds. */
const TIMES = {
  pollEvery: 0.5,
  holdOff: 2,
  settle: 2,
  guard: 2,
  waitToRestore: 3,
}
/** A shorter failure must not switch, whatever the machine is doing. */
const SHORT_MS = 1000
/** A switch comes within this time, the rest of a side after two failed trials included. */
const WITHIN_MS = 30_000
/** The same if deploys, outages or faults are in its way: a change may be given up after 30 s. */
const WITHIN_DISTURBED_MS = 60_000
const LOOK_MS = 100

const ways = ['source', 'source', 'monitor', 'routes']
/** By name: its number decides the addresses of its sources. */
const PROTECTED = Object.fromEntries(
  ways.map((way, number) => [`Protected ${number + 1}`, { way, number }]),
)
const SIDES = ['main', 'backup']
const addressOf = ({ number }, side) => `198.51.100.${10 * number + 1 + SIDES.indexOf(side)}`

/** The routes of the appliance, as the simulator takes them. */
export function protectedRoutes() {
  return Object.entries(PROTECTED).flatMap(([name, one]) => {
    const route = (id, side, startRoute) => ({
      id,
      name: id,
      startRoute,
      source: { name: 'in', protocol: 'srt', srtMode: 'caller', ...sourceOf(one, side) },
      destinations: [{ name: 'out', protocol: 'udp', address: '203.0.113.9', port: 6000 }],
    })
    return [
      route(name, 'main', true),
      one.way === 'monitor' && route(`${name} monitor`, 'main', true),
      one.way === 'routes' && route(`${name} backup`, 'backup', false),
    ].filter(Boolean)
  })
}

const sourceOf = (one, side) => ({ address: addressOf(one, side), port: 5000 })

/** The failover nodes of the flow. */
export const failoverNodes = () =>
  Object.entries(PROTECTED).map(([name, one]) => ({
    id: `failover-${name}`,
    type: 'media-gateway-failover',
    z: 'watches',
    gateway: 'gateway-protected',
    configVersion: 2,
    ...TIMES,
    ...(one.way === 'routes'
      ? { method: 'routes', main: name, mainType: 'id', backup: `${name} backup`, backupType: 'id' }
      : {
          route: name,
          routeType: 'id',
          main: JSON.stringify(sourceOf(one, 'main')),
          backup: JSON.stringify(sourceOf(one, 'backup')),
        }),
    ...(one.way === 'monitor' && {
      restore: 'monitor',
      monitor: `${name} monitor`,
      monitorType: 'id',
    }),
    wires: [['out-watches']],
  }))

/** Which side each protected route has, and whether it is good; null where none is on the air. */
export function sidesOf(simulator) {
  return Object.entries(PROTECTED).map(([name, one]) => {
    const routes = [name, `${name} backup`].map((id) => simulator.route(id)).filter(Boolean)
    const running = routes.filter(({ state }) => state === 'running')
    const [route] = running
    const side = route && SIDES.find((each) => route.source.address === addressOf(one, each))
    const isOne = running.length === 1 && side !== undefined
    return { name, side: isOne ? side : null, isGood: isOne && route.source.state === 'connected' }
  })
}

/** Breaks and mends the sources until the end, and keeps the account. */
export function createProtection({ fleet, seed, isOver }) {
  const routes = Object.fromEntries(
    Object.entries(PROTECTED).map(([name, one]) => [
      name,
      { ...one, name, side: 'main', isGood: true, changes: 0, updates: 0, most: 0, last: [] },
    ]),
  )
  const count = { failures: {}, switches: 0, events: {}, outages: [], bad: [] }
  const faults = []
  let disturbedAt = 0

  const disturb = (what) => {
    disturbedAt = Date.now()
    for (const route of Object.values(routes)) note(route, what)
  }
  const blame = (route, what) =>
    faults.push(`${route.name} (${route.way}) ${what}. ${route.last.slice(-12).join('; ')}`)
  const note = (route, what) => route.last.push(`${new Date().toISOString().slice(14, 23)} ${what}`)

  /** Looks at the appliance itself. */
  async function look() {
    const { sides, updates, struckAt } = await fleet('protected')
    disturbedAt = Math.max(disturbedAt, struckAt)
    for (const { name, side, isGood } of sides) {
      const route = routes[name]
      route.isGood = isGood
      if (side === null && !route.isOff) note(route, 'off the air')
      route.isOff = side === null
      if (side === null || side === route.side) continue
      note(route, `now on ${side}`)
      route.side = side
      route.changes++
      count.switches++
      if (route.changes > route.most) blame(route, 'was switched once too often')
    }
    for (const [name, number] of Object.entries(updates)) routes[name].updates = number
  }

  async function watch(isDone) {
    while (!isDone()) {
      await look()
      await pause(LOOK_MS)
    }
  }

  /** Waits for what must come in a bounded time. */
  async function comes(route, what, isThere) {
    const from = Date.now()
    while (!isThere()) {
      await pause(LOOK_MS)
      const since = Math.max(from, disturbedAt)
      const within = disturbedAt > from ? WITHIN_DISTURBED_MS : WITHIN_MS
      if (Date.now() - since < within) continue
      blame(route, `${what} did not come within ${within / 1000} s`)
      return
    }
  }

  const set = async (route, side, condition) => {
    note(route, `${side} ${condition}`)
    await fleet('line', { address: addressOf(route, side), condition })
  }

  /** A return to main may come at any time: each one that has to be undone doubles the wait. */
  const allow = (route, switches) => {
    route.most = switches + Number(route.way === 'monitor')
  }

  /** What a person who reads the contract expects of each kind of failure. */
  const PLAYS = {
    /** The source in use is lost: one switch. */
    async lost(route) {
      const { side } = route
      allow(route, 1)
      const from = Date.now()
      await set(route, side, 'disconnected')
      await comes(route, 'the switch', () => route.side !== side && route.isGood)
      count.bad.push(Date.now() - from)
      // One that is on its way must not be there twice.
      await pause(500)
      await set(route, side, 'ok')
    },

    /** Shorter than the hold-off: nothing. */
    async short(route, random) {
      const { side } = route
      const from = Date.now()
      await set(route, side, 'disconnected')
      await pause(random.whole(100, 500))
      await set(route, side, 'ok')
      // On a busy machine it was not that short.
      if (Date.now() - from > SHORT_MS) allow(route, 1)
      await pause(3000)
    },

    /** About as long as the hold-off: one switch, or none. */
    async edge(route, random) {
      const { side } = route
      allow(route, 1)
      await set(route, side, 'disconnected')
      await pause(random.whole(1500, 4500))
      await set(route, side, 'ok')
      await comes(route, 'a good source', () => route.isGood)
      await pause(2000)
    },

    /** Both are lost: it may try the other one; with one of them back, it is on that one. */
    async both(route, random) {
      const from = Date.now()
      route.most = Infinity
      await Promise.all(SIDES.map((side) => set(route, side, 'disconnected')))
      await pause(random.whole(3000, 8000))
      const good = random.one(SIDES)
      await set(route, good, 'ok')
      const isThere = () => route.side === good && route.isGood
      await comes(route, `the good ${good}`, isThere)
      // A switch may have been on its way when the source in use came back.
      await pause(3000)
      await comes(route, `the good ${good}`, isThere)
      const most = 2 + Math.ceil((Date.now() - from) / (1000 * TIMES.guard))
      if (route.changes > most) blame(route, `was switched ${route.changes} times, not ${most}`)
      await set(route, good === 'main' ? 'backup' : 'main', 'ok')
    },
  }

  async function play(route) {
    const random = choices(seed, route.name)
    /** Nothing may be switched, also after the last failure, while others go on. */
    const rest = () => {
      route.changes = 0
      allow(route, 0)
    }
    rest()
    while (!isOver()) {
      await pause(random.whole(1500, 4000))
      const kind = random.one(['lost', 'lost', 'short', 'edge', 'both'])
      count.failures[kind] = (count.failures[kind] ?? 0) + 1
      note(route, kind)
      await PLAYS[kind](route, random)
      // Updates are changes of the source, each of which was seen. From the beginning: one whose answer
      // hangs is counted only when its connection ends, which may be after the next failure.
      route.seen += route.changes
      if (route.way !== 'routes' && route.updates > route.seen) {
        blame(route, `got ${route.updates} updates for ${route.seen} switches`)
      }
      rest()
    }
  }

  return {
    count,
    faults,
    disturb,
    /** An event of a failover node. */
    take({ watch: node, payload }) {
      const { event, cause, outageMs } = payload
      const name = event.replace('failover.', '')
      count.events[name] = (count.events[name] ?? 0) + 1
      const route = routes[node.replace('failover-', '')]
      if (name !== 'state') note(route, `told ${name}`)
      if (name === 'switched' && outageMs !== null) count.outages.push(outageMs)
      if (name === 'taken-over' || cause === 'manual')
        blame(route, 'took its own switch for another')
    },
    async run() {
      let isDone = false
      const plays = Object.values(routes).map((route) => {
        route.seen = 0
        return play(route)
      })
      const all = Promise.all(plays).finally(() => (isDone = true))
      await Promise.all([all, watch(() => isDone)])
    },
  }
}
