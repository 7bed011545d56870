// What one watched appliance costs, as counts that are the same on any machine: how much of the
// heap its objects keep, and how many bytes of each poll reach the old generation, where only a full
// collection frees them.
//   --watches 100     each of a gateway of its own, all to one simulated appliance
//   --routes 20
//   --seconds 12      of polls, one per second and watch
//   --json            prints { heap: 55000, promoted: 1800 } only
import { createRequire } from 'node:module'
import { subscribe } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { startProcess, until } from '../../scripts/harness/processes.mjs'
import { oldGeneration, withRoom } from './old-generation.mjs'

const require = createRequire(import.meta.url)
const { openConnection } = require('../../dist/client/connection/connection')
const { watchDevice } = require('../../dist/client/watch/registry')

/**
 * V8 guesses from the first polls which objects will last, and allocates those in the old generation.
 * How it guesses depends on how busy the machine is just then.
 */
const STEADY = '--no-allocation-site-pretenuring'
const INTERVAL_MS = 1000
/** As many watches, with as many polls each, before the others: until all code is compiled. */
const WARMING = 40
const WARM_UP = 8
/** The least of so many is taken: on a busy machine, what is on its way is longer on its way. */
const TIMES = 6
const START_WITHIN_MS = 30_000
const IDLE_WITHIN_MS = 30_000

const { values } = parseArgs({
  options: {
    watches: { type: 'string', default: '100' },
    routes: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '12' },
    json: { type: 'boolean', default: false },
  },
})

let openRequests = 0
subscribe('http.client.request.start', ({ request }) => {
  openRequests++
  request.once('close', () => openRequests--)
})

async function main() {
  const ended = withRoom(fileURLToPath(import.meta.url), STEADY)
  if (ended !== undefined) return ended
  const watches = Number(values.watches)
  const { ask } = startProcess(new URL('appliance.mjs', import.meta.url))
  const { url } = await ask('start', {
    routes: Number(values.routes),
    maxSessions: Math.max(watches, WARMING),
  })

  // The code, and what is loaded at the first call, do not count.
  await end(await start(WARMING, url))
  const empty = await heap()
  const all = await start(watches, url)
  const kept = (await heap()) - empty
  const polls = () => all.reduce((sum, one) => sum + one.polls, 0)

  const promoted = []
  for (let time = 0; time < TIMES; time++) {
    const from = { polls: polls(), old: oldGeneration() }
    await pause((1000 * Number(values.seconds)) / TIMES)
    promoted.push((oldGeneration() - from.old) / (polls() - from.polls))
  }
  const counts = {
    heap: Math.round(kept / watches),
    promoted: Math.round(Math.min(...promoted)),
  }
  await end(all)
  if (values.json) console.log(JSON.stringify(counts))
  else console.log(`${counts.heap} bytes of heap for each, ${counts.promoted} promoted per poll`)
  return 0
}

/** Starts watches, and resolves when each has polled a few times. */
async function start(count, baseUrl) {
  const watches = Array.from({ length: count }, () => watch(baseUrl))
  const arePolled = () => watches.every(({ polls }) => polls >= WARM_UP)
  await until(arePolled, 'The polls', START_WITHIN_MS)
  return watches
}

const end = (all) => Promise.all(all.map(({ close }) => close()))

/** Starts one watch, and counts its polls. */
function watch(baseUrl) {
  const account = { username: 'operator', password: 'supervisor' }
  const gateway = openConnection({ baseUrl, ...account, pollInterval: INTERVAL_MS })
  const one = { polls: 0, close: () => gateway.close() }
  watchDevice(gateway, { onEvents() {}, onHealth: () => one.polls++ })
  return one
}

/** Of the objects alone: how much code V8 keeps compiled depends on how busy the machine is. */
async function heap() {
  let least = Infinity
  for (let time = 0; time < TIMES; time++) {
    await pause(INTERVAL_MS / TIMES)
    await until(() => openRequests === 0, 'A moment without a request', IDLE_WITHIN_MS)
    for (let times = 0; times < 3; times++) globalThis.gc()
    least = Math.min(least, oldGeneration())
  }
  return least
}

runScript(main)
