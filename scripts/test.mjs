// npm test: all tests, with coverage. Arguments go to mocha: npm test -- --grep session
import { join } from 'node:path'
import { runMocha, testFiles } from './mocha.mjs'
import { ready, root } from './ready.mjs'

try {
  ready()
  process.exitCode = runMocha(testFiles(), {
    results: join(root, 'coverage/results.json'),
    args: process.argv.slice(2),
    before: coverage(),
  })
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function coverage() {
  const covered = ['client', 'nodes', 'simulator'].map((part) => `--include=dist/${part}/**`)
  return [
    join(root, 'node_modules/c8/bin/c8.js'),
    '--all',
    ...covered,
    '--reporter=text-summary',
    '--reporter=html',
    '--reporter=lcovonly',
    '--',
    process.execPath,
  ]
}
