// npm run test:faults: every node, every fault of the simulator, at every call that the node makes.
//   --write        writes the tables of docs/project/reliability.md
//   --only TEXT    only the cells whose name contains this text
import './help.mjs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ready, root } from './ready.mjs'

try {
  // Refuses options that the tests would ignore.
  parseArgs({ options: { write: { type: 'boolean' }, only: { type: 'string' } } })
  ready()
  const matrix = join(root, 'dist/test/faults/main.js')
  const args = ['--enable-source-maps', matrix, ...process.argv.slice(2)]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
