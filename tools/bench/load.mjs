// npm run bench -- load: the cost of many messages, slow responses, long lists and many changes.
import { fork } from 'node:child_process'
import http from 'node:http'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { runScript } from '../../scripts/harness/end.mjs'
import { median, megabytes, table } from '../../scripts/harness/report.mjs'
import { between, startAppliance, startNodeRed } from './inside.mjs'

const require = createRequire(import.meta.url)
const { getRoute, listRoutes } = require('../../dist/client/api/routes')
const { Operation } = require('../../dist/client/connection/operation')
const { openConnection } = require('../../dist/client/connection/connection')

const ACCOUNT = { username: 'operator', password: 'supervisor' }
const REPEATS = 7
const WATCH_MS = 5000
const LISTS = [2500, 5000, 10_000]

async function main() {
  const nodeRed = await startNodeRed()
  const goals = [
    await atOnce(nodeRed),
    await fanOut(nodeRed),
    await watching(nodeRed),
    ...(await bulk(nodeRed)),
  ]
  const lists = []
  for (const routes of LISTS) lists.push(await listOf(routes))
  console.log('\nAll routes of an appliance, over pages of 500')
  table(
    ['routes', 'JSON', 'calls', 'time', 'time per route', 'peak memory', 'of the JSON', 'blocked'],
    lists.map(({ routes, json, calls, ms, peak, blocked }) => [
      String(routes),
      megabytes(json),
      String(calls),
      `${ms.toFixed(0)} ms`,
      `${((1000 * ms) / routes).toFixed(0)} µs`,
      megabytes(peak),
      `${(peak / json).toFixed(1)} ×`,
      `${blocked.toFixed(0)} ms`,
    ]),
  )
  const { peak, json, blocked } = lists.at(-1)
  goals.push(
    { what: 'peak memory of 10,000 routes, of their JSON', value: peak / json, unit: '×', most: 4 },
    { what: 'longest block by 10,000 routes, parsing aside', value: blocked, unit: 'ms', most: 50 },
  )
  return tellGoals(goals)
}

/** Prints the figures with what is to be reached; returns 1 if one is missed. */
function tellGoals(goals) {
  const verdict = ({ value, most, noise = 0 }) => {
    if (value <= most) return 'reached'
    return value <= most + noise ? `within the noise, ${shown(noise)}` : 'MISSED'
  }
  const shown = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1))
  console.log()
  table(
    ['', 'measured', 'at most', ''],
    goals.map((goal) => [
      goal.what,
      `${shown(goal.value)} ${goal.unit}`.trim(),
      `${shown(goal.most)} ${goal.unit}`.trim(),
      verdict(goal),
    ]),
  )
  return goals.some((goal) => verdict(goal) === 'MISSED') ? 1 : 0
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
  const what = `logins for 1,000 messages into 50 nodes, in ${ms.toFixed(0)} ms`
  return { what, value: logins, unit: '', most: 1 }
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
  const slowness = await slownessOf(appliance)
  const times = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const from = performance.now()
    const { payload } = await pass('statistics-in', { deviceId })
    times.push(performance.now() - from)
    if (payload.length !== 30) throw new Error(`Statistics of ${payload.length} routes came.`)
  }
  await deploy([])
  await appliance.stop()
  const what = 'statistics of 30 routes, 20 ms per answer'
  const noise = 120 * slowness
  return { what, value: median(times), unit: 'ms', most: 120, noise }
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
  const what = `calls in ${WATCH_MS / 1000} s with 10 watches, as many as with 1`
  return { what, value: calls[1], unit: '', most: calls[0] }
}

/**
 * By which part bare calls to an appliance that takes 20 ms for each take longer here: that is the
 * machine, not what is measured.
 */
async function slownessOf({ url }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const call = () =>
    new Promise((resolve, reject) => {
      const request = http.get(`${url}/api/session`, { agent }, (response) => {
        response.resume().on('end', resolve)
      })
      request.on('error', reject)
    })
  const from = performance.now()
  await Promise.all(Array.from({ length: 400 }, call))
  const ms = performance.now() - from
  agent.destroy()
  return Math.max(0, ms / ((400 / 8) * 20) - 1)
}

/** A thousand routes beside 500, 20 ms per answer: created, changed and deleted. */
async function bulk({ deploy, pass }) {
  const appliance = await startAppliance({ routes: 500, latency: 20 })
  const ensure = (id, state) =>
    between({ id, type: 'media-gateway-ensure-route', gateway: 'gateway', state })
  await deploy([
    { id: 'tab', type: 'tab', label: 'bench' },
    { id: 'gateway', type: 'media-gateway', baseUrl: appliance.url, credentials: ACCOUNT },
    ...ensure('present', 'present'),
    ...ensure('absent', 'absent'),
  ])
  const { deviceId } = appliance
  const goals = []
  const changes = [
    { what: 'created', node: 'present', payload: rows(5000) },
    { what: 'changed', node: 'present', payload: rows(6000) },
    { what: 'deleted', node: 'absent', payload: rows(6000).map(({ name }) => ({ name })) },
  ]
  const slowness = await slownessOf(appliance)
  for (const { what, node, payload } of changes) {
    await appliance.ask('tally')
    const from = performance.now()
    const { payload: results } = await pass(`${node}-in`, { deviceId, payload })
    const seconds = (performance.now() - from) / 1000
    const { calls } = await appliance.ask('tally')
    const failed = results.filter(({ error }) => error)
    if (failed.length > 0)
      throw new Error(`${failed.length} rows failed: ${failed[0].error.message}`)
    goals.push(
      { what: `1,000 routes ${what}: calls`, value: calls.length, unit: '', most: 1100 },
      {
        what: `1,000 routes ${what}: time`,
        value: seconds,
        unit: 's',
        most: 6,
        noise: 6 * slowness,
      },
    )
  }
  await deploy([])
  await appliance.stop()
  return goals
}

const rows = (port) =>
  Array.from({ length: 1000 }, (_, index) => ({
    name: `Bulk ${index}`,
    source: { name: 'in', protocol: 'udp', address: '239.2.2.2', port },
    destinations: [{ name: 'out', protocol: 'udp', address: '192.0.2.8', port: 8000 + index }],
  }))

const runningRoutes = (count) =>
  require('../../dist/simulator')
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
  const different = new Set(pages).size
  if (pages.length > 2 * different - 1) throw new Error('A page was read more than twice.')
  if (found.routes !== routes) throw new Error(`${found.routes} of ${routes} routes came.`)
  return { ...found, calls: pages.length }
}

async function readList(baseUrl, deviceId) {
  const gateway = openConnection({ baseUrl, ...ACCOUNT })
  // What the first call loads is not part of the cost of a list.
  await getRoute(gateway, { deviceId, routeId: 'none' }, new Operation('bench')).catch(() => {})
  const before = process.memoryUsage().rss
  let parsing = 0
  const { parse } = JSON
  JSON.parse = (text) => {
    const begun = performance.now()
    const value = parse(text)
    parsing = Math.max(parsing, performance.now() - begun)
    return value
  }
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const from = performance.now()
  const { data } = await listRoutes(gateway, { deviceId }, new Operation('bench'))
  const ms = performance.now() - from
  await pause(5)
  delay.disable()
  const blocked = Math.max(0, delay.max / 1e6 - parsing)
  const peak = 1024 * process.resourceUsage().maxRSS - before
  await gateway.close()
  process.send({ routes: data.length, json: JSON.stringify(data).length, ms, peak, blocked })
  process.disconnect()
}

if (process.argv[2] === 'list') await readList(...process.argv.slice(3))
else runScript(main)
