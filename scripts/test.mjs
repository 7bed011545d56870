// npm test: all tests. Arguments go to mocha: npm test -- --grep session
//   --coverage   also measures what they cover, into coverage/index.html
//   --slowest    lists the files that took longest
import { join } from 'node:path'
import { runMocha, testFiles } from './mocha.mjs'
import { ready, root } from './ready.mjs'

const given = process.argv.slice(2)
const isAsked = (option) => given.includes(option)

try {
  ready()
  process.exitCode = runMocha(testFiles(), {
    results: join(root, 'coverage/results.json'),
    args: given.filter((each) => !['--coverage', '--slowest'].includes(each)),
    slowest: isAsked('--slowest'),
    before: isAsked('--coverage') ? coverage() : [],
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
