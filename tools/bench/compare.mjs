// npm run bench -- calls: the same read made by three nodes of the same flow, one after the other.
// What counts is the CPU of the whole process per call, since the network is the same for all. Each
// round has every node once, and the minimal one twice: what it differs from itself is the noise.
//   --rounds 11      measured rounds of each way
//   --seconds 0.4    of each way in each round
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { median, table } from '../../scripts/harness/report.mjs'
import { startAppliance, startNodeRed } from './inside.mjs'
import { deployWays } from './ways.mjs'

const LOADS = [
  { routes: 30, inFlight: 1, mostOfMinimal: 1.15, leastOfRequest: 1.5 },
  { routes: 30, inFlight: 8, mostOfMinimal: 1.15, leastOfRequest: 1.5 },
  { routes: 1000, inFlight: 1, mostOfMinimal: 1.15 },
  { routes: 1000, inFlight: 8, mostOfMinimal: 1.15 },
]
const WARM_MS = 700

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    seconds: { type: 'string', default: '0.4' },
  },
})

async function main() {
  let missed = 0
  const nodeRed = await startNodeRed()
  for (const routes of [30, 1000]) {
    const appliance = await startAppliance({ routes, maxPageSize: 1000, maxSessions: 100 })
    const ways = await deployWays(appliance, nodeRed)
    for (const load of LOADS.filter((each) => each.routes === routes)) {
      missed += tell(load, await measure(ways, load.inFlight))
    }
    await nodeRed.deploy([])
    await appliance.stop()
  }
  return missed > 0 ? 1 : 0
}

/** The CPU of a call in ms, by way, a figure for each round. */
async function measure(ways, inFlight) {
  const runs = Object.entries({ ...ways, again: ways['minimal node'] })
  for (const [, once] of runs) await cpuPerCall(once, inFlight, WARM_MS)
  const figures = Object.fromEntries(runs.map(([name]) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, once] of runs) {
      globalThis.gc()
      figures[name].push(await cpuPerCall(once, inFlight, 1000 * Number(values.seconds)))
    }
  }
  return figures
}

async function cpuPerCall(once, inFlight, ms) {
  let calls = 0
  const cpu = process.cpuUsage()
  const till = performance.now() + ms
  const lane = async () => {
    while (performance.now() < till) {
      const routes = await once()
      if (!(routes?.length > 0)) throw new Error('A call returned no routes.')
      calls++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1000 / calls
}

/** Prints a table; returns how many of its goals are missed by more than the noise. */
function tell({ routes, inFlight, mostOfMinimal, leastOfRequest }, { again, ...figures }) {
  const minimal = figures['minimal node']
  const ours = figures['our node']
  const ratios = (some, others) => some.map((one, round) => one / others[round])
  // Half of the range in which half of the rounds are.
  const spread = ratios(again, minimal).toSorted((one, other) => one - other)
  const noise =
    (spread.at(-Math.ceil(spread.length / 4)) - spread[Math.floor(spread.length / 4)]) / 2
  console.log(`\n${routes} routes, ${inFlight} in flight`)
  table(
    ['', 'CPU per call', 'of the minimal node'],
    Object.entries(figures).map(([name, all]) => [
      name,
      `${median(all).toFixed(2)} ms`,
      `${median(ratios(all, minimal)).toFixed(2)} ×`,
    ]),
  )
  const goals = [[median(ratios(ours, minimal)), '<=', mostOfMinimal, 'of the minimal node']]
  if (leastOfRequest) {
    const factor = median(ratios(figures['http request node'], ours))
    goals.push([factor, '>=', leastOfRequest, 'less than the http request node'])
  }
  return goals.filter(([value, is, goal, what]) => {
    const short = is === '<=' ? value - goal : goal - value
    const verdict = short <= 0 ? 'reached' : short <= noise ? 'within the noise' : 'MISSED'
    console.log(
      `${value.toFixed(2)} × ${what}; goal ${goal} ×, noise ${noise.toFixed(2)}: ${verdict}`,
    )
    return verdict === 'MISSED'
  }).length
}

runScript(main)
