// npm run bench: everything that docs/project/performance.md has figures for, one after the other.
//   npm run bench -- calls load fleet   only these parts
// The calls are measured on every supported Node.js.
import '../../scripts/help.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { NODE, nodeOf } from '../../scripts/matrix/versions.mjs'
import { ready } from '../../scripts/ready.mjs'

const PARTS = {
  calls: { script: 'compare.mjs', nodes: NODE },
  promotion: { script: 'promotion.mjs', nodes: NODE },
  load: { script: 'load.mjs' },
  start: { script: 'start.mjs' },
  look: { script: 'look.mjs' },
  fleet: { script: 'fleet.mjs' },
  failover: { script: 'failover.mjs' },
  alarms: { script: 'alarms.mjs' },
  callers: { script: 'callers.mjs' },
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((part) => !(part in PARTS))
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`,
  )
  process.exit(1)
}

ready()
for (const [part, { script, nodes = [undefined] }] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(part)) continue
  for (const node of nodes) {
    console.log(`\n== ${part}${node ? `, Node.js ${node}` : ''}`)
    const binary = node ? await nodeOf(node) : process.execPath
    const path = fileURLToPath(new URL(script, import.meta.url))
    const child = spawn(binary, ['--expose-gc', path], { stdio: 'inherit' })
    const [code] = await once(child, 'exit')
    if (code !== 0) process.exitCode = 1
  }
}
