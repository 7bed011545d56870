// How many bytes of each call reach the old generation of the heap, where only a full collection
// frees them: what makes a long-lived process slow. A count, the same on any machine.
//   --calls 2000      measured calls of each way
//   --in-flight 8
//   --json            prints { "minimal node": 240, ... } only
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { table } from '../../scripts/harness/report.mjs'
import { startAppliance, startNodeRed } from './inside.mjs'
import { oldGeneration, withRoom } from './old-generation.mjs'
import { deployWays } from './ways.mjs'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '2000' },
    'in-flight': { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
})

async function main() {
  const ended = withRoom(fileURLToPath(import.meta.url))
  if (ended !== undefined) return ended
  const nodeRed = await startNodeRed()
  const appliance = await startAppliance({ routes: 30, maxSessions: 100 })
  const ways = await deployWays(appliance, nodeRed)
  const result = {}
  for (const name of ['minimal node', 'our node']) {
    const once = ways[name]
    await calls(once, 1000)
    globalThis.gc()
    const before = oldGeneration()
    await calls(once, Number(values.calls))
    result[name] = Math.round((oldGeneration() - before) / Number(values.calls))
  }
  await nodeRed.deploy([])
  await appliance.stop()
  if (values.json) console.log(JSON.stringify(result))
  else {
    table(
      ['', 'bytes promoted per call'],
      Object.entries(result).map(([name, bytes]) => [name, String(bytes)]),
    )
  }
  return 0
}

async function calls(once, count) {
  let left = count
  const lane = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: Number(values['in-flight']) }, lane))
}

runScript(main)
