// npm run bench -- load: the cost of many messages, slow responses and long lists.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { runScript } from '../scripts/harness/end.mjs'
import { median, megabytes, table } from '../scripts/harness/report.mjs'
import { between, startAppliance, startNodeRed } from './inside.mjs'

const require = createRequire(import.meta.url)
const { getRoute, listRoutes, newOperation, openConnection } = require('../dist/client/internal')

const ACCOUNT = { username: 'operator', password: 'supervisor' }
const REPEATS = 7
const WATCH_MS = 5000
const LISTS = [2500, 5000, 10_000]

async function main() {
  const nodeRed = await startNodeRed()
  const rows = [await atOnce(nodeRed), await fanOut(nodeRed), await watching(nodeRed)]
  console.log()
  table(['', 'measured', 'to reach'], rows)

  const lists = []
  for (const routes of LISTS) lists.push(await listOf(routes))
  console.log('\nAll routes of an appliance, over pages of 500')
  table(
    ['routes', 'JSON', 'calls', 'time', 'time per route', 'peak memory', 'of the JSON'],
    lists.map(({ routes, json, calls, ms, peak }) => [
      String(routes),
      megabytes(json),
      String(calls),
      `${ms.toFixed(0)} ms`,
      `${((1000 * ms) / routes).toFixed(0)} µs`,
      megabytes(peak),
      `${(peak / json).toFixed(1)} ×`,
    ]),
  )
}

/** A thousand messages into fifty nodes, as soon as the flow runs. */
async function atOnce({ deploy, pass }) {
  const appliance = await startAppliance({ routes: 30 })
  const nodes = Array.from({ length: 50 }, (_, place) => `node${place}`)
  await deploy([
    { id: 'tab', type: 'tab', label: 'bench' },
    { id: 'gateway', type: 'media-gateway', baseUrl: appliance.url, credentials: ACCOUNT },
    ...nodes.flatMap((id) =>
      between({ id, type: 'media-gateway-list-routes', gateway: 'gateway' }),
    ),
  ])
  const from = performance.now()
  await Promise.all(
    Array.from({ length: 1000 }, (_, number) =>
      pass(`${nodes[number % nodes.length]}-in`, { deviceId: appliance.deviceId }),
    ),
  )
  const ms = performance.now() - from
  const { logins } = await appliance.ask('tally')
  await deploy([])
  await appliance.stop()
  return [`1,000 messages, 50 nodes: logins, in ${ms.toFixed(0)} ms`, String(logins), '1']
}

async function fanOut({ deploy, pass }) {
  const appliance = await startAppliance({ routes: runningRoutes(30) })
  await deploy([
    { id: 'tab', type: 'tab', label: 'bench' },
    { id: 'gateway', type: 'media-gateway', baseUrl: appliance.url, credentials: ACCOUNT },
    ...between({
      id: 'statistics',
      type: 'media-gateway-statistics',
      scope: 'all',
      gateway: 'gateway',
    }),
  ])
  const { deviceId } = appliance
  await pass('statistics-in', { deviceId })
  await appliance.ask('set', { latency: 20 })
  const times = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const from = performance.now()
    const { payload } = await pass('statistics-in', { deviceId })
    times.push(performance.now() - from)
    if (payload.length !== 30) throw new Error(`Statistics of ${payload.length} routes came.`)
  }
  await deploy([])
  await appliance.stop()
  return ['statistics of 30 routes, 20 ms per answer', `${median(times).toFixed(0)} ms`, '120 ms']
}

/** Calls made with one watch on an appliance, and with ten. */
async function watching({ deploy }) {
  const appliance = await startAppliance({ routes: 30 })
  const calls = []
  for (const watches of [1, 10]) {
    await deploy([
      { id: 'tab', type: 'tab', label: 'bench' },
      {
        id: 'gateway',
        type: 'media-gateway',
        baseUrl: appliance.url,
        pollInterval: 1,
        credentials: ACCOUNT,
      },
      ...Array.from({ length: watches }, (_, number) => ({
        id: `watch${number}`,
        z: 'tab',
        type: 'media-gateway-watch',
        gateway: 'gateway',
        wires: [[]],
      })),
    ])
    await pause(WATCH_MS)
    await appliance.ask('tally')
    await pause(WATCH_MS)
    calls.push((await appliance.ask('tally')).calls.length)
  }
  await deploy([])
  await appliance.stop()
  return [`calls in ${WATCH_MS / 1000} s with 1 watch and with 10`, calls.join(' and '), 'the same']
}

const runningRoutes = (count) =>
  require('../dist/simulator')
    .generateRoutes(count, 1)
    .map((route) => ({ ...route, startRoute: true }))

/** Reads a whole list in a separate process, so that its peak memory can be measured. */
async function listOf(routes) {
  const appliance = await startAppliance({ routes })
  const child = fork(new URL(import.meta.url), ['list', appliance.url, appliance.deviceId], {
    execArgv: [],
  })
  const [found] = await once(child, 'message')
  await once(child, 'exit')
  const { calls } = await appliance.ask('tally')
  const pages = calls.filter((call) => call.includes('/routes?'))
  await appliance.stop()
  if (new Set(pages).size !== pages.length) throw new Error('A page was read twice.')
  if (found.routes !== routes) throw new Error(`${found.routes} of ${routes} routes came.`)
  return { ...found, calls: pages.length }
}

async function readList(baseUrl, deviceId) {
  const gateway = openConnection({ baseUrl, ...ACCOUNT })
  // What the first call loads is not part of the cost of a list.
  await getRoute(gateway, { deviceId, routeId: 'none' }, newOperation('bench')).catch(() => {})
  const before = process.memoryUsage().rss
  const from = performance.now()
  const { data } = await listRoutes(gateway, { deviceId }, newOperation('bench'))
  const ms = performance.now() - from
  const peak = 1024 * process.resourceUsage().maxRSS - before
  await gateway.close()
  process.send({ routes: data.length, json: JSON.stringify(data).length, ms, peak })
  process.disconnect()
}

if (process.argv[2] === 'list') await readList(...process.argv.slice(3))
else runScript(main)
