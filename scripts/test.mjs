// npm test: all tests, or those of some files: npm test -- client/slices update.test
//   FILE         the path of a test, or a part of it
//   --watch      runs them again after each change
//   --editor     those of the editor instead, which npm run test:editor runs
//   --commands   those of the commands instead, such as npm start
//   --coverage   also measures what they cover, into coverage/index.html
//   --node 24    on another version of Node.js, which is fetched first
//   --slowest    lists the files that took longest
// Other options go to mocha: npm test -- --grep session
import './help.mjs'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { dashboardForTests } from './harness/dashboard.mjs'
import { nodeOf } from './matrix/versions.mjs'
import { commandTestFiles, editorTestFiles, filesNamed, runMocha, testFiles } from './mocha.mjs'
import { ready, root, SOURCES } from './ready.mjs'

const KINDS = { editor: editorTestFiles, commands: commandTestFiles }

try {
  const options = optionsOf(process.argv.slice(2))
  if (options.watch) await runAtEachChange(options)
  else process.exitCode = await run(options)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function run({ named, editor, commands, coverage, node, slowest, args }) {
  ready()
  const binary = node ? await nodeOf(node) : process.execPath
  const kind = editor ? 'editor' : commands ? 'commands' : undefined
  const files = named.length > 0 ? filesNamed(named) : (KINDS[kind] ?? testFiles)()
  const inEditor = editorTestFiles().some((file) => files.includes(file))
  const { env, missing } = inEditor ? await dashboardForTests() : {}
  const code = runMocha(files, {
    results: join(root, 'coverage/results.json'),
    // The commands and the benches keep the machine busy themselves.
    ...(commands && { jobs: 3 }),
    args,
    slowest,
    binary,
    env,
    before: coverage ? coverageBy(binary) : [],
  })
  if (missing) console.error(missing)
  return code
}

/** Until it is interrupted. What cannot be built is reported like a failing test. */
async function runAtEachChange(options) {
  let wake = () => {}
  for (const source of SOURCES) watch(join(root, source), { recursive: true }, () => wake())
  for (;;) {
    const changed = new Promise((resolve) => (wake = resolve))
    await run(options).catch(({ message }) => console.error(message))
    console.log('Waiting for a change ...')
    await changed
  }
}

function optionsOf(args) {
  const options = { args: [], named: [] }
  let previous = ''
  for (const each of args) {
    if (options.node === '') options.node = each
    else if (each === '--node') options.node = ''
    else if (['--editor', '--commands', '--coverage', '--slowest', '--watch'].includes(each))
      options[each.slice(2)] = true
    // A word after an option of mocha is its value.
    else if (each.startsWith('-') || /^-[^=]*$/.test(previous)) options.args.push(each)
    else options.named.push(each)
    previous = options.args.at(-1) === each ? each : ''
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
