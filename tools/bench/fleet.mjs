// npm --prefix tools run bench:fleet: how much of a machine one Node-RED needs to watch a whole fleet, and
// whether it misses anything. docs/project/performance.md explains the figures.
//   --appliances 1000  how many are watched, each by its own watch node
//   --routes 20        on each
//   --interval 10      seconds between polls
//   --seconds 120      of the measurement
//   --settle 60        seconds from the start to the measurement
//   --changes 20       routes started or stopped per second
//   --keep-alive 65    seconds for which the appliances keep an idle connection
//   --https            with certificates pinned by their fingerprints
import '../../scripts/help.mjs'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ready } from '../../scripts/ready.mjs'
import { runScript } from '../../scripts/harness/end.mjs'
import { startProcess, until } from '../../scripts/harness/processes.mjs'
import { list, megabytes, median } from '../../scripts/harness/report.mjs'
import { startNodeRed } from './outside.mjs'

const IDLE_MS = 10_000
/** Memory is released a moment after a garbage collection. */
const SETTLE_MS = 1000
const SAMPLE_MS = 5000
const START_SAMPLE_MS = 250
const START_WITHIN_MS = 300_000

/** The goals are those of a fleet of a thousand: with fewer, what all share weighs more. */
const FLEET = 1000

const require = createRequire(import.meta.url)

async function main() {
  const options = optionsOf(process.argv.slice(2))
  ready()
  console.log(`${options.appliances} appliances with ${options.routes} routes each ...`)
  const { ask: fleet } = startProcess(new URL('appliances.mjs', import.meta.url))
  const account = { username: 'watcher', password: randomBytes(12).toString('hex') }
  const addresses = await fleet('start', { ...options, seconds: options.interval, account })
  const flow = flowOf(addresses, account, options)
  const empty = await measureEmpty(flow)

  const nodeRed = await startInstance()
  const idle = await measureIdle(nodeRed)
  const start = await startWatching(nodeRed, fleet, flow, options)
  console.log(`All are watched; now measuring for ${options.seconds} s ...`)
  const run = await measure(nodeRed, fleet, options)
  await nodeRed.stop().catch(({ message }) => console.error(message))
  const leftOpen = await fleet('openSessions')

  report({ options, empty, idle, start, run, leftOpen })
  const failures = faultsOf(run, options)
  const missed = judge({ options, idle, start, run })
  for (const failure of failures) console.error(failure)
  return failures.length > 0 || missed > 0 ? 1 : 0
}

const startInstance = () => startNodeRed({ name: 'tell', probe: require.resolve('./probe.cjs') })

function optionsOf(args) {
  const text = (value) => ({ type: 'string', default: value })
  const { values } = parseArgs({
    args,
    options: {
      appliances: text('1000'),
      routes: text('20'),
      seconds: text('120'),
      settle: text('60'),
      interval: text('10'),
      changes: text('20'),
      'keep-alive': text('65'),
      https: { type: 'boolean', default: false },
    },
  })
  const { https, 'keep-alive': keepAlive, ...numbers } = values
  const options = Object.entries({ ...numbers, keepAlive }).map(([name, value]) => {
    if (/^\d+$/.test(value) && (Number(value) > 0 || name === 'changes')) {
      return [name, Number(value)]
    }
    throw new Error(`--${name} takes a whole number from 1, not "${String(value)}".`)
  })
  return { ...Object.fromEntries(options), https }
}

/** One config node and one watch node for each appliance, all wired to one node that counts. */
function flowOf(addresses, account, { interval }) {
  const watches = addresses.flatMap(({ url, fingerprint = '' }, place) => [
    {
      id: `gateway${place}`,
      type: 'media-gateway',
      name: `appliance-${place + 1}`,
      baseUrl: url,
      fingerprint,
      pollInterval: interval,
      credentials: account,
    },
    {
      id: `watch${place}`,
      z: 'tab',
      type: 'media-gateway-watch',
      gateway: `gateway${place}`,
      x: 100,
      y: 40 * place,
      wires: [['count']],
    },
  ])
  const count = {
    id: 'count',
    z: 'tab',
    type: 'function',
    func: "global.get('tell')(msg.payload)",
    outputs: 0,
    x: 300,
    y: 40,
    wires: [],
  }
  return [{ id: 'tab', type: 'tab', label: 'Fleet' }, ...watches, count]
}

// ---- the measurements

/** What Node-RED itself takes for as many nodes, with the same properties, that do nothing. */
async function measureEmpty(flow) {
  const nodeRed = await startInstance()
  const idle = await measureIdle(nodeRed)
  await nodeRed.deploy(
    flow.map((node) =>
      node.type.startsWith('media-gateway')
        ? { ...node, credentials: undefined, type: 'comment' }
        : node,
    ),
  )
  await pause(IDLE_MS)
  const { rss } = await nodeRed.ask('usage')
  const { heapUsed } = await nodeRed.ask('usage', { collected: true })
  await nodeRed.stop()
  return { heap: heapUsed - idle.heap, rss: rss - idle.rss }
}

async function measureIdle({ ask }) {
  await pause(IDLE_MS / 2)
  const from = await ask('usage', { collected: true })
  await pause(IDLE_MS)
  const to = await ask('usage')
  return { share: shareOf(from, to), rss: to.rss, heap: from.heapUsed }
}

/** Deploys the flow; returns what it took until every appliance had been polled. */
async function startWatching(nodeRed, fleet, flow, { appliances, settle }) {
  const { ask } = nodeRed
  const from = await ask('usage')
  await ask('longestDelay')
  const watched = watchMemory(ask)
  await nodeRed.deploy(flow)
  const areSeen = async () => (await fleet('seen')) === appliances
  await until(areSeen, 'The first look at each appliance', START_WITHIN_MS)
  const to = await ask('usage')
  const longestDelay = await ask('longestDelay')
  await pause(Math.max(0, from.at + settle * 1000 - Date.now()))
  return {
    seconds: (to.at - from.at) / 1000,
    cpuSeconds: (to.cpuMs - from.cpuMs) / 1000,
    longestDelay,
    rss: await watched(),
  }
}

/** Returns a function that ends it and resolves with the highest memory since. */
function watchMemory(ask) {
  const over = new AbortController()
  const watching = (async () => {
    let highest = 0
    while (!over.signal.aborted) {
      highest = Math.max(highest, (await ask('usage')).rss)
      await pause(START_SAMPLE_MS)
    }
    return highest
  })()
  return () => {
    over.abort()
    return watching
  }
}

async function measure(nodeRed, fleet, { seconds, interval, changes }) {
  const { ask } = nodeRed
  const told = await ask('told')
  await ask('longestDelay')
  await fleet('measure', { changes })
  const from = await ask('usage')
  const resident = [from.rss]
  for (const till = from.at + seconds * 1000; Date.now() < till;) {
    await pause(Math.min(SAMPLE_MS, till - Date.now()))
    resident.push((await ask('usage')).rss)
    told.push(...(await ask('told')))
  }
  const to = await ask('usage')
  const longestDelay = await ask('longestDelay')
  const expected = await fleet('endChanges')
  const polls = await fleet('account')
  const { heapUsed } = await ask('usage', { collected: true })
  await pause(SETTLE_MS)
  const { rss } = await ask('usage')
  // The latest changes show only in the next polls.
  await pause(1.5 * interval * 1000)
  told.push(...(await ask('told')))
  return {
    share: shareOf(from, to),
    resident,
    rssCollected: rss,
    heap: heapUsed,
    longestDelay,
    warnings: nodeRed.output.split('\n').filter((line) => /\[(warn|error)\] \[/.test(line)),
    ...polls,
    ...compared(expected, told),
  }
}

const shareOf = (from, to) => (to.cpuMs - from.cpuMs) / (to.at - from.at)

/** Events that were lost, repeated or unexpected, and how long events took. */
function compared(expected, told) {
  const open = new Map()
  for (const { key, at } of expected) open.set(key, [...(open.get(key) ?? []), at])
  const delays = []
  const surplus = []
  for (const { key, at } of told) {
    const changedAt = open.get(key)?.shift()
    if (changedAt === undefined) surplus.push(key)
    else delays.push(at - changedAt)
  }
  const lost = [...open].flatMap(([key, times]) => times.map(() => key))
  const toldAfter = delays.reduce((sum, delay) => sum + delay, 0) / delays.length
  return { expected: expected.length, lost, surplus, toldAfter, toldLatest: Math.max(...delays) }
}

// ---- the report

function faultsOf({ missed, lost, surplus, mostLogins }) {
  return [
    missed > 0 && `${missed} cycles were missed.`,
    lost.length > 0 && `${lost.length} events were lost, such as ${lost[0]}.`,
    surplus.length > 0 && `${surplus.length} events came that should not, such as ${surplus[0]}.`,
    mostLogins > 1 && `There were up to ${mostLogins} logins to one appliance.`,
  ].filter(Boolean)
}

function report({ options, empty, idle, start, run, leftOpen }) {
  const { appliances } = options
  const each = (heap) => `${kilobytes(heap / appliances)} for each appliance`
  const heap = run.heap - idle.heap
  list('Idle Node-RED', [
    ['CPU', percent(idle.share)],
    ['memory (RSS)', megabytes(idle.rss)],
  ])
  list(`Node-RED itself, with ${2 * appliances} nodes that do nothing`, [
    ['heap above idle', megabytes(empty.heap), each(empty.heap)],
    ['memory (RSS) above idle', megabytes(empty.rss)],
  ])
  list('Start', [
    ['each appliance was looked at after', `${start.seconds.toFixed(1)} s`],
    ['CPU', `${start.cpuSeconds.toFixed(1)} s`],
    ['longest time blocked', milliseconds(start.longestDelay)],
    ['memory (RSS) above idle, at most', megabytes(start.rss - idle.rss)],
  ])
  list(`Watching, over ${options.seconds} s`, [
    ['CPU', `${percent(run.share)} of a core`],
    ['memory (RSS) above idle', megabytes(median(run.resident) - idle.rss)],
    ['  at most', megabytes(Math.max(...run.resident) - idle.rss)],
    ['  after a garbage collection', megabytes(run.rssCollected - idle.rss)],
    ['heap above idle, likewise', megabytes(heap), each(heap)],
    ['longest time blocked', milliseconds(run.longestDelay)],
    ['polls', run.calls.poll, `${run.leastPolls} or more for each appliance`],
    ['missed cycles', run.missed],
    ['longest time between two polls', milliseconds(run.longestGap)],
    ['logins', run.logins, `${run.mostLogins} at most to one appliance`],
    ['connections open', run.connections],
    ['events', run.expected, `${run.lost.length} lost, ${run.surplus.length} too many`],
    ['told after', milliseconds(run.toldAfter), `${milliseconds(run.toldLatest)} at most`],
    ['warnings in the log', run.warnings.length],
    ['sessions left open at the end', leftOpen],
  ])
  const { poll: _polls, ...others } = run.calls
  for (const [call, count] of Object.entries(others)) console.log(`Besides: ${count} ${call}`)
  for (const warning of run.warnings.slice(0, 5)) console.log(warning)
}

/** Prints the figures that have a goal; returns how many miss it by more than the noise. */
function judge({ options: { appliances }, idle, start, run }) {
  if (appliances < FLEET) return 0
  const above = (rss) => (rss - idle.rss) / 1e6
  // Half of the range in which half of the samples are.
  const sorted = run.resident.toSorted((one, other) => one - other)
  const quarter = Math.floor(sorted.length / 4)
  const spread = (sorted.at(-1 - quarter) - sorted[quarter]) / 2e6
  const goals = [
    ['kB of heap for each appliance', (run.heap - idle.heap) / appliances / 1024, 60, 1],
    ['MB (RSS) above idle, from a minute on', above(median(run.resident)), 150, spread],
    ['MB (RSS) above idle, at the start', above(start.rss), 250, spread],
    ['% of a core', run.share * 100, 25, 2],
  ]
  console.log()
  return goals.filter(([what, value, goal, noise]) => {
    const over = value - goal
    const verdict = over <= 0 ? 'reached' : over <= noise ? 'within the noise' : 'MISSED'
    console.log(`${value.toFixed(1)} ${what}; goal ${goal}, noise ${noise.toFixed(1)}: ${verdict}`)
    return verdict === 'MISSED'
  }).length
}

const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} kB`
const percent = (share) => `${(share * 100).toFixed(1)} %`
const milliseconds = (ms) => `${Math.round(ms)} ms`

runScript(main)
