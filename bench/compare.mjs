// npm run bench -- calls: the same reads made in five ways, one after the other in one process.
// What counts is CPU time per call, since the network is the same for all.
//   --rounds 15      measured rounds of each way; the medians are reported
//   --seconds 0.4    of each way in each round
import http from 'node:http'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { runScript } from '../scripts/harness/end.mjs'
import { median, table } from '../scripts/harness/report.mjs'
import { between, startAppliance, startNodeRed } from './inside.mjs'

const require = createRequire(import.meta.url)
const {
  listRoutes,
  newOperation,
  openConnection,
  startSession,
} = require('../dist/client/internal')

const ACCOUNT = { username: 'operator', password: 'supervisor' }
const LOADS = [
  { routes: 30, inFlight: 1 },
  { routes: 30, inFlight: 8 },
  { routes: 1000, inFlight: 1 },
  { routes: 1000, inFlight: 8 },
]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
  },
})

async function main() {
  const nodeRed = await startNodeRed()
  for (const routes of [30, 1000]) {
    const appliance = await startAppliance({ routes, maxPageSize: 1000, maxSessions: 100 })
    const ways = await openWays(appliance, nodeRed)
    for (const load of LOADS.filter((each) => each.routes === routes)) {
      tell(load, await measure(ways, load.inFlight))
    }
    await ways.close()
    await appliance.stop()
  }
}

/** Each way as a function that makes one call and returns the routes. */
async function openWays({ url, deviceId }, { deploy, pass }) {
  const agent = new http.Agent({ keepAlive: true })
  const address = `${url}/api/gateway/${deviceId}/routes?page=1&pageSize=1000`
  const cookie = await login(url)
  const jarred = await axiosWithJar(url)
  const gateway = openConnection({ baseUrl: url, ...ACCOUNT })
  await startSession(gateway, newOperation('bench'))
  await deploy([
    { id: 'tab', type: 'tab', label: 'bench' },
    { id: 'gateway', type: 'media-gateway', baseUrl: url, credentials: ACCOUNT },
    ...between({ id: 'ours', type: 'media-gateway-list-routes', gateway: 'gateway' }),
    ...between({ id: 'core', type: 'http request', method: 'GET', ret: 'obj', persist: true }),
  ])
  const ways = {
    'node:http': () => bareCall(address, cookie, agent),
    'axios with tough-cookie': async () => (await jarred.get(address)).data.data,
    'our client': async () =>
      (await listRoutes(gateway, { deviceId, ...PAGE }, newOperation('bench'))).data,
    'our node in a flow': async () => (await pass('ours-in', { deviceId, ...PAGE })).payload.data,
    'http request node in a flow': async () =>
      (await pass('core-in', { url: address, headers: { cookie } })).payload.data,
  }
  return {
    ways,
    async close() {
      await deploy([])
      await gateway.close()
      agent.destroy()
      jarred.defaults.httpAgent.destroy()
    },
  }
}

/** One page, so that all ways make exactly the same call. */
const PAGE = { page: 1, pageSize: 1000 }

function bareCall(address, cookie, agent) {
  return new Promise((resolve, reject) => {
    const request = http.get(address, { agent, headers: { cookie } }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).data))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}

async function login(url) {
  const answer = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  })
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}

/** As one would write it without this package. */
async function axiosWithJar(url) {
  const axios = require('axios')
  const { CookieJar } = require('tough-cookie')
  const jar = new CookieJar()
  const instance = axios.create({ httpAgent: new http.Agent({ keepAlive: true }) })
  instance.interceptors.request.use(async (config) => {
    config.headers.set('cookie', await jar.getCookieString(config.url))
    return config
  })
  instance.interceptors.response.use(async (response) => {
    for (const each of response.headers['set-cookie'] ?? []) {
      await jar.setCookie(each, response.config.url)
    }
    return response
  })
  await instance.post(`${url}/api/session`, ACCOUNT)
  return instance
}

/** For each way, CPU and wall time of one call in ms: the medians of all rounds. */
async function measure({ ways }, inFlight) {
  const rounds = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (const way of Object.entries(ways)) await run(way, inFlight, WARM_MS)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const way of Object.entries(ways)) {
      globalThis.gc()
      rounds[way[0]].push(await run(way, inFlight, 1000 * Number(values.seconds)))
    }
  }
  return Object.entries(rounds).map(([name, all]) => ({
    name,
    cpu: median(all.map(({ cpu }) => cpu)),
    wall: median(all.map(({ wall }) => wall)),
  }))
}

const WARM_MS = 700

async function run([name, once], inFlight, ms) {
  let calls = 0
  const cpu = process.cpuUsage()
  const from = performance.now()
  const till = from + ms
  const lane = async () => {
    while (performance.now() < till) {
      const routes = await once()
      if (!(routes?.length > 0)) throw new Error(`No routes came by way of ${name}.`)
      calls++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const wall = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: (user + system) / 1000 / calls, wall: wall / calls }
}

function tell({ routes, inFlight }, results) {
  const [bare] = results
  const core = results.at(-1)
  const ratio = (value, to) => `${(value / to).toFixed(2)} ×`
  console.log(`\n${routes} routes, ${inFlight} in flight`)
  table(
    ['', 'CPU per call', 'of node:http', 'time per call', 'of node:http'],
    results.map(({ name, cpu, wall }) => [
      name,
      `${cpu.toFixed(2)} ms`,
      ratio(cpu, bare.cpu),
      `${wall.toFixed(2)} ms`,
      ratio(wall, bare.wall),
    ]),
  )
  const ours = results.find(({ name }) => name === 'our node in a flow')
  console.log(`The http request node takes ${ratio(core.cpu, ours.cpu)} the CPU of our node.`)
}

runScript(main)
