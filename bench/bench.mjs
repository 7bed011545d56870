// npm run bench: everything that docs/performance.md has figures for, one after the other.
//   npm run bench -- calls load fleet   only these parts
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ready } from '../scripts/ready.mjs'

const PARTS = {
  calls: ['compare.mjs'],
  load: ['load.mjs'],
  start: ['start.mjs'],
  look: ['look.mjs'],
  fleet: ['fleet.mjs'],
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
for (const [part, [script, ...args]] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(part)) continue
  console.log(`\n== ${part}`)
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, ['--expose-gc', path, ...args], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exitCode = 1
}
