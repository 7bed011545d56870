// npm run bench:fleet: how much of a machine one Node-RED needs to watch a whole fleet, and
// whether it misses anything. docs/performance.md explains the figures.
//   --appliances 1000  how many are watched, each by its own watch node
//   --routes 20        on each
//   --interval 10      seconds between polls
//   --seconds 120      of the measurement
//   --changes 20       routes started or stopped per second
//   --keep-alive 65    seconds for which the appliances keep an idle connection
//   --https            with certificates pinned by their fingerprints
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ready } from '../scripts/ready.mjs'
import { runScript } from '../scripts/harness/end.mjs'
import { startProcess, until } from '../scripts/harness/processes.mjs'
import { list, megabytes } from '../scripts/harness/report.mjs'
import { startNodeRed } from './outside.mjs'

const IDLE_MS = 10_000
/** Memory is released a moment after a garbage collection. */
const SETTLE_MS = 1000
const SAMPLE_MS = 5000
const START_WITHIN_MS = 60_000

const require = createRequire(import.meta.url)

async function main() {
  const options = optionsOf(process.argv.slice(2))
  ready()
  console.log(`${options.appliances} appliances with ${options.routes} routes each ...`)
  const { ask: fleet } = startProcess(new URL('appliances.mjs', import.meta.url))
  const account = { username: 'watcher', password: randomBytes(12).toString('hex') }
  const addresses = await fleet('start', { ...options, seconds: options.interval, account })
  const nodeRed = await startNodeRed({ name: 'tell', probe: require.resolve('./probe.cjs') })

  await pause(IDLE_MS / 2)
  const idle = await measureIdle(nodeRed)
  const flow = flowOf(addresses, account, options)
  const start = await startWatching(nodeRed, fleet, flow, options)
  console.log(`All are watched; now measuring for ${options.seconds} s ...`)
  // The first polls come all at once, later ones are spread over the interval.
  await pause(options.interval * 1000)
  const run = await measure(nodeRed, fleet, options)
  await nodeRed.stop()
  const leftOpen = await fleet('openSessions')

  const failures = faultsOf(run, options)
  report({ options, idle, start, run, leftOpen })
  for (const failure of failures) console.error(failure)
  return failures.length > 0 ? 1 : 0
}

function optionsOf(args) {
  const text = (value) => ({ type: 'string', default: value })
  const { values } = parseArgs({
    args,
    options: {
      appliances: text('1000'),
      routes: text('20'),
      seconds: text('120'),
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

async function measureIdle({ ask }) {
  const from = await ask('usage', { collected: true })
  await pause(IDLE_MS)
  const to = await ask('usage')
  return { share: shareOf(from, to), rss: to.rss, heap: from.heapUsed }
}

/** Deploys the flow; returns what it took until every appliance had been polled. */
async function startWatching(nodeRed, fleet, flow, { appliances }) {
  const { ask } = nodeRed
  const from = await ask('usage')
  await ask('longestDelay')
  await nodeRed.deploy(flow)
  const areSeen = async () => (await fleet('seen')) === appliances
  await until(areSeen, 'The first look at each appliance', START_WITHIN_MS)
  const to = await ask('usage')
  return {
    seconds: (to.at - from.at) / 1000,
    cpuSeconds: (to.cpuMs - from.cpuMs) / 1000,
    longestDelay: await ask('longestDelay'),
  }
}

async function measure(nodeRed, fleet, { seconds, interval, changes }) {
  const { ask } = nodeRed
  const told = await ask('told')
  await ask('longestDelay')
  await fleet('measure', { changes })
  const from = await ask('usage')
  let highest = from.rss
  for (const till = from.at + seconds * 1000; Date.now() < till;) {
    await pause(Math.min(SAMPLE_MS, till - Date.now()))
    highest = Math.max(highest, (await ask('usage')).rss)
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
    rss: highest,
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

function report({ options, idle, start, run, leftOpen }) {
  const { appliances } = options
  const heap = run.heap - idle.heap
  const heapEach = `${Math.round(heap / appliances / 1024)} kB for each appliance`
  list('Idle Node-RED', [
    ['CPU', percent(idle.share)],
    ['memory (RSS)', megabytes(idle.rss)],
  ])
  list('Start', [
    ['each appliance was looked at after', `${start.seconds.toFixed(1)} s`],
    ['CPU', `${start.cpuSeconds.toFixed(1)} s`],
    ['longest time blocked', milliseconds(start.longestDelay)],
  ])
  list(`Watching, over ${options.seconds} s`, [
    ['CPU', `${percent(run.share)} of a core`],
    ['memory (RSS) above idle, at most', megabytes(run.rss - idle.rss)],
    ['  after a garbage collection', megabytes(run.rssCollected - idle.rss)],
    ['heap above idle, likewise', megabytes(heap), heapEach],
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

const percent = (share) => `${(share * 100).toFixed(1)} %`
const milliseconds = (ms) => `${Math.round(ms)} ms`

runScript(main)
