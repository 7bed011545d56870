// The fast gate before a commit: types, formatting, lint, the order of the folders, and what a node lacks.
import { refuseOthers } from './help.mjs'
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

refuseOthers()

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(root, 'node_modules/.bin', name)

// Only what has changed is formatted again.
const cached = [
  '--cache',
  '--cache-strategy=content',
  `--cache-location=${join(root, 'node_modules/.cache/prettier/check')}`,
]

const checks = {
  'types of what is shipped': [bin('tsc'), '-p', root, '--noEmit'],
  'types of the tests': [bin('tsc'), '-p', join(root, 'test'), '--noEmit'],
  'types of the editor': [bin('tsc'), '-p', join(root, 'nodes/editor'), '--noEmit'],
  formatting: [bin('prettier'), '--check', '--log-level=warn', ...cached, '.'],
  lint: [bin('oxlint'), '--type-aware', '--deny-warnings'],
  'order of the folders': [process.execPath, join(root, 'scripts/order.mjs')],
  'parts of every node': [process.execPath, join(root, 'scripts/lacks.mjs')],
}

const run = ([command, ...args]) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, shell: process.platform === 'win32' })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: String(error) }))
    child.on('close', (code) => resolve({ code, output }))
  })

const results = await Promise.all(
  Object.entries(checks).map(async ([name, command]) => ({ name, ...(await run(command)) })),
)
for (const { name, code, output } of results) {
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (code !== 0) console.log(output)
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1
