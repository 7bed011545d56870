// npm test: all tests, with coverage. Arguments go to mocha: npm test -- --grep session
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ready, root } from './ready.mjs'

const results = join(root, 'coverage/results.json')

try {
  ready()
  const code = runTests(process.argv.slice(2))
  process.exitCode = tellCounts() ? code : code || 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function runTests(args) {
  mkdirSync(join(root, 'coverage'), { recursive: true })
  rmSync(results, { force: true })
  const covered = ['client', 'nodes', 'simulator'].map((part) => `--include=dist/${part}/**`)
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/c8/bin/c8.js'),
      '--all',
      ...covered,
      '--reporter=text-summary',
      '--reporter=html',
      '--reporter=lcovonly',
      '--',
      process.execPath,
      '--enable-source-maps',
      join(root, 'node_modules/mocha/bin/mocha.js'),
      ...testFiles(),
      '--timeout=20000',
      // Most tests wait for something most of the time.
      '--parallel',
      // Many browsers and Node-REDs at once: a slow moment of the machine is no fault.
      '--retries=1',
      `--jobs=${Math.max(4, availableParallelism())}`,
      `--require=${join(root, 'dist/test/hooks.js')}`,
      `--reporter=${join(root, 'test/reporter.mjs')}`,
      `--reporter-option=output=${results}`,
      ...args,
    ],
    { cwd: root, stdio: 'inherit' },
  )
  return status ?? 1
}

/** The files that take longest come first: none of them is left over at the end. */
function testFiles() {
  const longest = [
    'recipes',
    'sidebar',
    'route-form',
    'browser',
    'pickers',
    'watch',
    'connection-form',
  ]
  const files = readdirSync(join(root, 'dist/test')).filter((file) => file.endsWith('.test.js'))
  const place = (file) => {
    const at = longest.indexOf(file.replace('.test.js', ''))
    return at < 0 ? longest.length : at
  }
  return files.sort((one, other) => place(one) - place(other)).map((file) => `dist/test/${file}`)
}

/** Prints how many passed and failed; false when the run itself was not in order. */
function tellCounts() {
  let counts
  try {
    counts = JSON.parse(readFileSync(results, 'utf8'))
  } catch {
    console.error('The tests could not be run.')
    return false
  }
  const { trouble, passed, failed, skipped } = counts
  if (trouble) console.error(trouble)
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  return !trouble
}
