// npm test: all tests. Other arguments go to mocha: npm test -- --grep session
//   --editor     those of the editor instead, which npm run test:editor runs
//   --commands   those of the commands instead, such as npm start
//   --coverage   also measures what they cover, into coverage/index.html
//   --node 24    on another version of Node.js, which is fetched first
//   --slowest    lists the files that took longest
import './help.mjs'
import { join } from 'node:path'
import { dashboardForTests } from './harness/dashboard.mjs'
import { nodeOf } from './matrix/versions.mjs'
import { commandTestFiles, editorTestFiles, runMocha, testFiles } from './mocha.mjs'
import { ready, root } from './ready.mjs'

try {
  const { editor, commands, coverage, node, slowest, args } = optionsOf(process.argv.slice(2))
  ready()
  const binary = node ? await nodeOf(node) : process.execPath
  const { env, missing } = editor ? await dashboardForTests() : {}
  const files = editor ? editorTestFiles() : commands ? commandTestFiles() : testFiles()
  process.exitCode = runMocha(files, {
    results: join(root, 'coverage/results.json'),
    // The commands and the benches keep the machine busy themselves.
    ...(commands && { jobs: 2 }),
    args,
    slowest,
    binary,
    env,
    before: coverage ? coverageBy(binary) : [],
  })
  if (missing) console.error(missing)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function optionsOf(args) {
  const options = { args: [] }
  for (const each of args) {
    if (options.node === '') options.node = each
    else if (each === '--node') options.node = ''
    else if (['--editor', '--commands', '--coverage', '--slowest'].includes(each))
      options[each.slice(2)] = true
    else options.args.push(each)
  }
  if (options.node === '') throw new Error('--node is followed by a version: npm test -- --node 24')
  return options
}

function coverageBy(binary) {
  const covered = ['client', 'nodes', 'simulator'].map((part) => `--include=dist/${part}/**`)
  return [
    join(root, 'node_modules/c8/bin/c8.js'),
    '--all',
    ...covered,
    '--reporter=text-summary',
    '--reporter=html',
    '--reporter=lcovonly',
    '--',
    binary,
  ]
}
