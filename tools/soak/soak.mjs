// npm run soak: a long run. A real Node-RED with this package runs a flow of all nodes against
// simulated appliances, while faults strike, sessions expire, appliances restart, and all kinds of
// deploys cut into it. Fails if a message was lost or duplicated, if a watch reported a change
// twice or not at all, if memory grows, or if something is left open at the end.
//   --minutes 2   how long; settling takes about half a minute more
//   --seed 1      the same choices for the same seed; without it, different ones each time
//   --fleet       instead a fleet of Node-REDs that share gateways over NATS: fleet.mjs
import '../../scripts/help.mjs'
import { parseArgs } from 'node:util'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { ready } from '../../scripts/ready.mjs'
import { runScript } from '../../scripts/harness/end.mjs'
import { startProcess, until } from '../../scripts/harness/processes.mjs'
import { list, median, megabytes } from '../../scripts/harness/report.mjs'
import { startNodeRed } from '../bench/outside.mjs'
import {
  MADE,
  NAMED,
  WATCHED,
  eachMessage,
  flowOf,
  messageFor,
  newShape,
  watchesOf,
} from './flow.mjs'
import { createProtection } from './protected.mjs'
import { soakFleet } from './fleet.mjs'
import { choices } from './random.mjs'
import { createAccount } from './told.mjs'

/** The share of the run that is warm-up: its samples do not count. */
const WARM_UP = 0.2
const MOST_GROWTH = 5 * 1024 * 1024
const SAMPLE_MS = 10_000
const MOST_IN_HAND = 150
const LONG_OUTAGE_MS = 40_000
/** Login waits of up to a minute are over by then. */
const SETTLE_WITHIN_MS = 150_000
const END_WITHIN_MS = 20_000

const APPLIANCES = {
  main: { routes: 6, named: NAMED, sessionLifetime: 6000, slidingSessions: false },
  second: { routes: 8, named: [], sessionLifetime: 15_000, https: true },
  protected: { routes: 0, named: [], sessionLifetime: 15_000 },
}
/** One for each gateway that can log in. */
const SESSIONS = { main: 3, second: 1, protected: 1 }

const require = createRequire(import.meta.url)

async function main() {
  const { minutes, seed, fleet: isFleet, ...ofFleet } = optionsOf(process.argv.slice(2))
  ready()
  if (isFleet) return soakFleet({ minutes, seed, ...ofFleet })
  console.log(`A long run of ${minutes} min with --seed ${seed} ...`)

  const { ask: fleet } = startProcess(new URL('appliances.mjs', import.meta.url))
  const appliances = await fleet('start', APPLIANCES)
  const nodeRed = await startNodeRed({ name: 'soak', probe: require.resolve('./probe.cjs') })
  const idle = await nodeRed.ask('usage')

  const soak = createSoak({ fleet, nodeRed, appliances, seed, end: Date.now() + minutes * 60_000 })
  await soak.deploy()
  await Promise.all([
    soak.feed(),
    soak.listen(),
    soak.breakThings(minutes),
    soak.redeploy(),
    soak.changeRoutes(),
    soak.protection.run(),
    soak.sample(Math.min(SAMPLE_MS, minutes * 5000)),
  ])
  await soak.comeToRest()
  await soak.openSessions()
  const left = await soak.takeAway(idle)

  const result = { ...soak.result, left, idle, account: await nodeRed.ask('account') }
  await nodeRed.stop()
  const failures = faultsOf(result, nodeRed.output)
  report(result, failures)
  return failures.length > 0 ? 1 : 0
}

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string' },
      fleet: { type: 'boolean', default: false },
      appliances: { type: 'string', default: '60' },
      instances: { type: 'string', default: '4' },
      ttl: { type: 'string', default: '4' },
    },
  })
  const minutes = Number(values.minutes)
  if (!(minutes >= 0.5))
    throw new Error(`--minutes takes a number from 0.5, not "${values.minutes}".`)
  const [appliances, instances, ttl] = ['appliances', 'instances', 'ttl'].map((name) => {
    const number = Number(values[name])
    if (number >= 2 && Number.isInteger(number)) return number
    throw new Error(`--${name} takes a whole number from 2, not "${String(values[name])}".`)
  })
  const seed = values.seed ?? String(Math.floor(Math.random() * 1e6))
  return { minutes, seed, fleet: values.fleet, appliances, instances, ttl }
}

/** What happens in the run, each as its own loop until the end. */
function createSoak({ fleet, nodeRed, appliances, seed, end }) {
  const told = createAccount()
  const protection = createProtection({ fleet, seed, isOver: () => Date.now() >= end })
  const shape = newShape()
  const result = {
    told,
    protection,
    samples: [],
    empty: [],
    deploys: {},
    faults: {},
    longestDeploy: 0,
  }
  let deployed = []
  const isOver = () => Date.now() >= end

  async function feed() {
    const random = choices(seed, 'messages')
    let inHand = 0
    while (!isOver()) {
      // Now and then many at once.
      const many = random.chance(0.05) ? random.whole(20, 40) : random.whole(0, 6)
      const messages = Array.from({ length: many }, () => messageFor(random))
      inHand = await nodeRed.ask('feed', inHand < MOST_IN_HAND ? messages : [])
      await pause(200)
    }
  }

  async function listen() {
    while (!isOver()) {
      await hear()
      await pause(250)
    }
  }

  async function hear() {
    for (const one of await nodeRed.ask('told')) {
      if (one.watch.startsWith('failover-')) protection.take(one)
      else told.take(one)
    }
  }

  async function breakThings(minutes) {
    const random = choices(seed, 'faults')
    const longOutageAt = minutes >= 5 ? end - minutes * 30_000 : Infinity
    let hadLongOutage = false
    while (!isOver()) {
      const name = random.one(['main', 'main', 'main', 'main', 'second', 'protected'])
      if (Date.now() > longOutageAt && !hadLongOutage) {
        hadLongOutage = true
        await outage('main', LONG_OUTAGE_MS)
        note('long outage')
      } else {
        const event = random.one(EVENTS)
        if (name === 'protected') protection.disturb(event)
        if (event === 'outage') await outage(name, random.whole(500, 4000))
        else if (event === 'restart') await fleet('restart', { name })
        else if (event === 'sessions dropped') await fleet('dropSessions', { name })
        else await fleet('fault', { name, fault: faultFor(random, event) })
        note(event)
      }
      await pause(random.whole(500, 3000))
      if (random.chance(0.5)) await fleet('clearFaults')
      await fleet('reap', { name: 'main', prefix: MADE, keep: 15 })
    }
  }

  async function outage(name, ms) {
    await fleet('stop', { name })
    await pause(Math.max(0, Math.min(ms, end - Date.now())))
    await fleet('comeBack', { name })
  }

  function note(kind) {
    result.faults[kind] = (result.faults[kind] ?? 0) + 1
  }

  async function redeploy() {
    const random = choices(seed, 'deploys')
    const kinds = Object.keys(DEPLOYS)
    for (let turn = 0; ; turn++) {
      await pause(random.whole(2000, 7000))
      if (isOver()) return
      // Each kind once, then by chance.
      const kind = kinds[turn] ?? random.one(kinds)
      result.deploys[kind] = (result.deploys[kind] ?? 0) + 1
      if (kind === 'all removed') await removeAll(random)
      else await deploy(DEPLOYS[kind](shape, random, deployed))
    }
  }

  async function removeAll(random) {
    await deploy('full', [])
    // Shorter and longer than what lingers after the last user.
    await pause(random.whole(200, 4000))
    const { heapUsed } = await nodeRed.ask('usage')
    result.empty.push(heapUsed)
    await deploy()
  }

  async function deploy(type = 'full', flow = flowOf({ appliances, shape, deployed })) {
    const before = new Set(deployed.map(({ id }) => id))
    const begun = Date.now()
    protection.disturb(`deploy of ${flow.length} nodes (${type})`)
    await nodeRed.deploy(flow, type)
    protection.disturb('deployed')
    result.longestDeploy = Math.max(result.longestDeploy, Date.now() - begun)
    deployed = flow
    for (const { id } of flow) before.delete(id)
    for (const id of before) told.isAway(id)
  }

  async function changeRoutes() {
    const random = choices(seed, 'changes')
    const name = 'main'
    const routes = (await fleet('routes', { name }))
      .filter((route) => WATCHED.includes(route.name))
      .map(({ id, running }) => ({ id, isRunning: running }))
    const watchers = Object.entries(watchesOf(newShape()))
      .filter(([watch, of]) => of === name && watch !== 'limits')
      .map(([watch]) => `watch-${watch}`)
    for (let number = 1; !isOver(); number++) {
      await pause(random.whole(100, 800))
      const route = random.one(routes)
      // Several changes between two polls are reported as one: each waits for the one before.
      if (told.isOpen(route.id)) continue
      const change = changeFor(random, route, number)
      const present = new Set(deployed.map(({ id }) => id))
      // Only a new name identifies the change that it comes from.
      if (change.kind !== 'rename' && watchers.some((id) => !present.has(id))) continue
      // Before it is made: a watch may report it before the appliance's answer is here.
      const made = told.changed(
        change,
        watchers.filter((watch) => present.has(watch)),
        watchers.filter((watch) => !present.has(watch)),
      )
      const id = await fleet('change', { name, ...change })
      made.route = id
      if (change.kind === 'start' || change.kind === 'stop') {
        route.isRunning = change.kind === 'start'
      }
      if (change.kind === 'remove') routes.splice(routes.indexOf(route), 1)
      if (change.kind === 'add') routes.push({ id, isRunning: false, isExtra: true })
    }
  }

  async function sample(everyMs) {
    const begun = Date.now()
    while (!isOver()) {
      const { heapUsed, rss, resources } = await nodeRed.ask('usage')
      const account = await nodeRed.ask('account')
      const state = await fleet('state')
      const sessions = sum(Object.values(state).map((one) => one.sessions))
      const connections = sum(Object.values(state).map((one) => one.connections))
      const at = Date.now() - begun
      result.samples.push({ at, heapUsed, rss, resources, sessions, connections })
      result.state = state
      console.log(
        [
          `${Math.round(at / 1000)} s`.padStart(6),
          `heap ${megabytes(heapUsed)}`,
          `RSS ${megabytes(rss)}`,
          `handles ${sum(Object.values(resources))}`,
          `sessions ${sessions}`,
          `connections ${connections}`,
          `in ${account.received}`,
          `answered ${account.answered}`,
          `failed ${account.failed}`,
          `in hand ${account.inHand}`,
        ].join('  '),
      )
      await pause(Math.max(0, Math.min(everyMs, end - Date.now())))
    }
  }

  /** No more faults and messages: everything under way ends, and the watches catch up. */
  async function comeToRest() {
    await fleet('clearFaults')
    shape.isComing = true
    await deploy('nodes')
    await waitFor('The end of all messages', async () => {
      const { inHand, onTheWay, oldest } = await nodeRed.ask('account')
      if (inHand + onTheWay === 0) return undefined
      return `${inHand} in hand, ${onTheWay} on their way: ${JSON.stringify(oldest)}`
    })
    await waitFor('Everything told', async () => {
      await hear()
      const open = told.open()
      if (open.length > 0)
        return `${open.length} changes were not told: ${open.slice(0, 3).join('; ')}`
      for (const [watch, name] of Object.entries(watchesOf(shape))) {
        if (watch === 'limits') continue
        const difference = told.difference(`watch-${watch}`, await fleet('routes', { name }))
        if (difference) return difference
      }
      return undefined
    })
    // No client knows of sessions whose login was cut off: they have to expire.
    await waitFor('One session for each gateway', async () => {
      const state = await fleet('state')
      const over = Object.entries(SESSIONS).filter(([name, most]) => state[name].sessions > most)
      return over.map(([name]) => `${state[name].sessions} on ${name}`).join(', ') || undefined
    })
  }

  /** Opens every session before the end, so that only a logout can end them. */
  async function openSessions() {
    await fleet('keepSessions')
    // Earlier ones still expire as before.
    await pause(APPLIANCES.main.sessionLifetime)
    await nodeRed.ask('feed', eachMessage(choices(seed, 'last round')))
    await waitFor('A session for each gateway, and no more', async () => {
      const state = await fleet('state')
      const { inHand } = await nodeRed.ask('account')
      if (inHand > 0) return `${inHand} in hand`
      const wrong = Object.entries(SESSIONS).filter(([name, all]) => state[name].sessions !== all)
      return wrong.map(([name]) => `${state[name].sessions} on ${name}`).join(', ') || undefined
    })
  }

  /** Waits until there is no objection left. One that remains is recorded as a failure. */
  async function waitFor(what, objection, within = SETTLE_WITHIN_MS) {
    let last = ''
    await until(async () => !(last = (await objection()) ?? ''), what, within).catch(() => {})
    if (last) (result.unsettled ??= []).push(`${what} did not come: ${last}`)
  }

  /** Removes the whole flow; returns what is left. */
  async function takeAway(idle) {
    await deploy('full', [])
    let left
    const isLeft = async () => {
      const { resources, heapUsed } = await nodeRed.ask('usage')
      const state = await fleet('state')
      left = { state, resources, heapUsed }
      const open = Object.entries(state).filter(([, one]) => one.sessions + one.connections > 0)
      const more = Object.keys(resources).filter(
        (type) => !PASSING.has(type) && resources[type] > (idle.resources[type] ?? 0),
      )
      return [
        ...open.map(
          ([name, one]) => `${one.sessions} sessions, ${one.connections} connections (${name})`,
        ),
        ...more.map((type) => `${resources[type]} ${type} instead of ${idle.resources[type] ?? 0}`),
      ].join(', ')
    }
    await waitFor('An end without anything left', isLeft, END_WITHIN_MS)
    result.empty.push(left.heapUsed)
    return left
  }

  return {
    result,
    protection,
    deploy,
    feed,
    listen,
    breakThings,
    redeploy,
    changeRoutes,
    sample,
    comeToRest,
    openSessions,
    takeAway,
  }
}

/** Work that ends by itself, such as reading a file. */
const PASSING = new Set(['FSReqCallback', 'FSReqPromise', 'Immediate', 'CloseReq'])

/** Each changes the shape of the flow, and returns the type of the deploy. */
const DEPLOYS = {
  'gateway changed': (shape, random) => {
    shape.timeout = random.whole(1200, 2000)
    shape.concurrency = random.one([4, 8, 16])
    return 'nodes'
  },
  'watch removed or added': (shape) => {
    shape.isComing = !shape.isComing
    return 'nodes'
  },
  nodes: edited('nodes'),
  'all removed': undefined,
  flows: edited('flows'),
  full: () => 'full',
  'gateway exchanged': (shape) => {
    shape.isSwapped = !shape.isSwapped
    return 'nodes'
  },
  reload: () => 'reload',
}

/** Alters a few nodes, which Node-RED then has to replace. */
function edited(type) {
  return (shape, random, deployed) => {
    const own = deployed.filter((node) => node.type.startsWith('media-gateway-'))
    for (let times = random.whole(1, 4); times > 0; times--) {
      const { id } = random.one(own)
      shape.edits[id] = (shape.edits[id] ?? 0) + 1
    }
    return type
  }
}

const FAULTS = [
  'latency',
  'hang',
  'hang-after',
  'reset',
  'reset-after',
  'truncate',
  'html',
  'status',
  'too-many',
  'session-drop',
  'redirect',
  'content-type',
  'array',
  'invalid-json',
  'empty',
]
/** Faults, and what happens to a whole appliance. */
const EVENTS = [...FAULTS, 'outage', 'restart', 'sessions dropped', 'outage', 'restart']
const PLACES = [
  {},
  { method: 'GET' },
  { method: 'POST' },
  { path: '/api/session' },
  { path: '/api/devices/*' },
  { path: '/api/gateway/*' },
]

function faultFor(random, kind) {
  return {
    kind,
    times: random.whole(1, 8),
    after: random.whole(0, 3),
    match: random.one(PLACES),
    status: random.one([500, 502, 503, 504]),
    ms: random.whole(50, 2500),
  }
}

function changeFor(random, route, number) {
  const to = `Watched #${number}`
  if (random.chance(0.1)) return { kind: 'add', to: `Watched extra #${number}` }
  if (route.isExtra && random.chance(0.3)) return { kind: 'remove', route: route.id }
  if (random.chance(0.4)) return { kind: 'rename', route: route.id, to }
  if (random.chance(0.3)) return { kind: 'edit', route: route.id, port: 40_000 + number }
  return { kind: route.isRunning ? 'stop' : 'start', route: route.id }
}

// ---- the report

function faultsOf({ samples, empty, told, protection, account, unsettled = [] }, output) {
  const growth = growthOf(samples)
  const emptyGrowth = empty.at(-1) - empty[0]
  return [
    ...unsettled,
    ...account.faults,
    account.faultCount > account.faults.length && `${account.faultCount} such faults in all.`,
    ...told.faults.slice(0, 10),
    ...protection.faults.slice(0, 10),
    told.faults.length > 10 && `${told.faults.length} such faults in all.`,
    growth.by > growth.limit && `The heap has grown by ${megabytes(growth.by)}.`,
    emptyGrowth > MOST_GROWTH && `The heap without a flow has grown by ${megabytes(emptyGrowth)}.`,
    ...output
      .split('\n')
      .filter((line) => ALARMING.test(line))
      .slice(0, 10),
  ].filter(Boolean)
}

/** What the log of Node-RED should never contain. */
const ALARMING =
  /^Error|unhandled|uncaught|(Type|Range|Reference)Error|MaxListeners|Warning:|Close timed out/i

/** The heap in the last third compared with the first, after the warm-up. */
function growthOf(samples) {
  const counting = samples.slice(Math.floor(samples.length * WARM_UP))
  const third = Math.max(1, Math.floor(counting.length / 3))
  const heap = (some) => median(some.map(({ heapUsed }) => heapUsed))
  const first = heap(counting.slice(0, third))
  const last = heap(counting.slice(-third))
  return { first, last, by: last - first, limit: Math.max(MOST_GROWTH, 0.1 * first) }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)

function report(result, failures) {
  const { account, told, samples, empty, idle, left, deploys, faults, state, longestDeploy } =
    result
  const { count: failovers } = result.protection
  const growth = growthOf(samples)
  const highest = (of) => Math.max(...samples.map(of))
  list('Messages', [
    ['given to a node', account.received],
    ['  answered', account.answered, `${account.sent} messages sent, with the parts of sets`],
    ['  failed with a code', account.failed, inWords(account.codes)],
    ['  neither, or both', account.received - account.answered - account.failed],
    ['not delivered, since a deploy was under way', account.cut],
  ])
  list('Watches', [
    ['events', told.count.events],
    ['snapshots', told.count.snapshots],
    ['changes by the script', told.count.changes],
    ['  told as an event', told.count.byEvent, 'by four watches'],
    ['  told with the snapshot of a new start', told.count.bySnapshot],
    ['  not told', told.open().length],
  ])
  list('Failovers', [
    ['failures of sources', sum(Object.values(failovers.failures)), inWords(failovers.failures)],
    ['switches on the appliance', failovers.switches],
    ['events', sum(Object.values(failovers.events)), inWords(failovers.events)],
    ['a lost source until another was good, median', `${median(failovers.bad)} ms`],
    ['  at most', `${Math.max(0, ...failovers.bad)} ms`, 'deploys and outages included'],
    ['outage as told, median', `${median(failovers.outages)} ms`],
  ])
  list('What happened', [
    ['deploys', account.deploys, inWords(deploys)],
    ['  the longest', `${longestDeploy} ms`],
    ['faults and outages', sum(Object.values(faults)), inWords(faults)],
    ...Object.entries(state).map(([name, { calls, failed, logins }]) => [
      `calls to ${name}`,
      calls,
      `${failed} struck by a fault, ${logins} logins`,
    ]),
  ])
  list('Node-RED', [
    ['heap in the first third', megabytes(growth.first)],
    ['heap in the last third', megabytes(growth.last), `may grow by ${megabytes(growth.limit)}`],
    ['heap without a flow, first and last', `${megabytes(empty[0])}, ${megabytes(empty.at(-1))}`],
    ['memory (RSS), at most', megabytes(highest(({ rss }) => rss)), `idle ${megabytes(idle.rss)}`],
    ['sessions, at most', highest(({ sessions }) => sessions)],
    ['connections, at most', highest(({ connections }) => connections)],
    ['handles at the start', inWords(idle.resources)],
    ['handles at the end', inWords(left.resources)],
    ['sessions left', sum(Object.values(left.state).map(({ sessions }) => sessions))],
    ['connections left', sum(Object.values(left.state).map(({ connections }) => connections))],
  ])
  console.log(failures.length > 0 ? '\nFAILED' : '\nNothing was lost, doubled or left.')
  for (const failure of failures) console.log(`  ${failure}`)
}

const inWords = (counts) =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

runScript(main)
